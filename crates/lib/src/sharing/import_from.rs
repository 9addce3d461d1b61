//! Import of what another tool has stored: everything of it, as often as one likes, without a change
//! over there.

use std::path::Path;

use segue_core::{Handoff, Imported, PayloadDigest, PeerRecord, Redactor, Timestamp};
use segue_share::peers::{self, Peer, PeerStore};

use super::arrived::Fate;
use super::coming::Coming;
use super::import::{ImportOutcome, Imports};
use super::import_plan::{Source, check_times, plan_import};
use super::import_redacted::{note_secrets, told_of};
use super::import_request::ImportRequest;
use crate::Error;
use crate::redacted::clean;

/// A peer's store as something that handoffs come from.
struct FromPeer {
    peer: Peer,
    handoffs: Vec<Handoff>,
    /// Those that have secrets, without them.
    kept: Vec<Option<Handoff>>,
    coming: Vec<Coming>,
}

impl FromPeer {
    /// What is dated in the future would be the latest until then.
    fn leave_out_future(&mut self, now: Timestamp, warnings: &mut Vec<String>) {
        let mut at = 0;
        while at < self.coming.len() {
            match check_times(&self.coming[at..=at], now) {
                Ok(()) => at += 1,
                Err(problem) => {
                    warnings.push(format!("left out: {problem}"));
                    self.coming.remove(at);
                    self.handoffs.remove(at);
                }
            }
        }
    }

    /// Takes the secrets out of everything that comes in.
    fn redact(&mut self, redactor: &Redactor) -> Result<(), Error> {
        for (coming, handoff) in self.coming.iter_mut().zip(&self.handoffs) {
            self.kept.push(note_secrets(redactor, coming, handoff)?);
        }
        Ok(())
    }

    /// The handoff with its secrets, and without them.
    fn both(&self, at: usize) -> impl Iterator<Item = &Handoff> {
        [Some(&self.handoffs[at]), self.kept[at].as_ref()].into_iter().flatten()
    }
}

impl Source for FromPeer {
    fn coming(&self) -> &[Coming] {
        &self.coming
    }

    fn same(&self, at: usize, here: &Handoff) -> bool {
        // The same record may have come in a bundle, which knows fewer keys.
        let record = |handoff: &Handoff| PeerRecord::of(handoff, "");
        self.coming[at].is(PayloadDigest::of(&here.payload()))
            || self.peer == Peer::SessionHandoff
                && self.both(at).any(|handoff| record(here) == record(handoff))
    }

    fn same_body(&self, at: usize, here: &Handoff) -> bool {
        self.both(at).any(|handoff| here.body() == handoff.body())
    }

    fn each(
        &mut self,
        each: &mut dyn FnMut(usize, Handoff) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let kept = self.handoffs.iter().zip(&self.kept);
        let mut stored = kept.map(|(handoff, kept)| kept.as_ref().unwrap_or(handoff)).enumerate();
        stored.try_for_each(|(at, handoff)| each(at, handoff.clone()))
    }
}

impl Imports<'_> {
    /// Imports the store of a peer, from a path or from where that tool keeps it.
    pub fn import_from(
        &self,
        peer: &str,
        path: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<String>,
        request: &ImportRequest,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<ImportOutcome, Error> {
        let env = self.here.env;
        let peer: Peer = peer.parse()?;
        let home = env.user_home.as_deref();
        let path = match path {
            Some(path) => env.dir.join(path),
            None => peers::default_path(peer, &env.dir, home, variable).ok_or_else(|| {
                Error::Usage(format!("where is the store of {}? Name it after --from", peer.name()))
            })?,
        };
        let store = peers::read(peer, &path)?;
        let mut warnings: Vec<String> =
            store.bad.iter().map(|bad| format!("{}: {}", bad.what, bad.reason)).collect();
        let mut from = format!("{} {}", peer.name(), store.path.display());
        clean(&*self.here.redactor()?, &mut from);
        let mut source = source(peer, store);
        source.leave_out_future(self.here.now(), &mut warnings);
        source.redact(&*self.here.redactor()?)?;
        let imported = Imported {
            signer: None,
            at: Some(self.here.now().to_string()),
            from: Some(from.clone()),
        };
        let incoming = match request.dry_run {
            true => None,
            false => Some(self.here.store.incoming()?),
        };
        let planned = plan_import(self.here.store, &source, request)?;
        // One conflict does not keep the rest of a store out: what is here stays, and is named.
        let arrived =
            self.take_in(&mut source, planned, (incoming, Vec::new()), &imported, told)?;
        warnings.extend(told_of(source.coming.iter(), &arrived, None));
        let kept = arrived.iter().filter(|one| one.fate == Fate::Skipped);
        warnings.extend(kept.map(|one| {
            format!(
                "{} is here with other content, which stays; --on-conflict replace takes the other",
                one.id
            )
        }));
        Ok(ImportOutcome { from, encrypted: false, provenance: None, arrived, warnings })
    }
}

fn source(peer: Peer, store: PeerStore) -> FromPeer {
    let mut seen = std::collections::HashSet::new();
    let mut source = FromPeer { peer, handoffs: Vec::new(), kept: Vec::new(), coming: Vec::new() };
    for one in store.handoffs {
        // The very same twice is one.
        if !seen.insert(one.handoff.head.id.clone()) {
            continue;
        }
        let aliases = &one.handoff.head.fields.aliases;
        source.coming.push(Coming {
            dir: one.project_path,
            label: one.project_label,
            made_here: true,
            alias: aliases.iter().find(|alias| alias.contains(':')).cloned(),
            ..Coming::of(&one.handoff)
        });
        source.handoffs.push(one.handoff);
    }
    source
}
