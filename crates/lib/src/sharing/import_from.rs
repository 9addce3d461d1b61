//! Import of what another tool has stored: everything of it, as often as one likes, without a change
//! over there.

use std::path::Path;

use segue_core::{Handoff, Imported, PayloadDigest, PeerRecord, Redactor};
use segue_share::peers::{self, Peer, PeerStore};

use crate::sharing::coming::Coming;
use crate::sharing::import::Source;
use crate::sharing::import_redacted::{note_secrets, told_of};
use crate::{Error, ImportOutcome, ImportRequest, Segue};

/// A peer's store as something that handoffs come from.
struct FromPeer {
    peer: Peer,
    handoffs: Vec<Handoff>,
    /// Those that have secrets, without them.
    kept: Vec<Option<Handoff>>,
    coming: Vec<Coming>,
}

impl FromPeer {
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

impl Segue {
    /// Imports the store of a peer, from a path or from where that tool keeps it.
    pub fn import_from(
        &self,
        peer: &str,
        path: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<String>,
        request: &ImportRequest,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<ImportOutcome, Error> {
        let peer: Peer = peer.parse()?;
        let home = self.env.user_home.as_deref();
        let path = match path {
            Some(path) => self.env.dir.join(path),
            None => peers::default_path(peer, &self.env.dir, home, variable).ok_or_else(|| {
                Error::Usage(format!("where is the store of {}? Name it after --from", peer.name()))
            })?,
        };
        let store = peers::read(peer, &path)?;
        let mut warnings: Vec<String> =
            store.bad.iter().map(|bad| format!("{}: {}", bad.what, bad.reason)).collect();
        let from = format!("{} {}", peer.name(), store.path.display());
        let mut source = source(peer, store);
        self.leave_out_future(&mut source, &mut warnings);
        source.redact(&*self.settings.redactor()?)?;
        let imported = Imported {
            signer: None,
            at: Some(self.env.now().to_string()),
            from: Some(from.clone()),
        };
        let incoming = match request.dry_run {
            true => None,
            false => Some(self.store.incoming()?),
        };
        let planned = self.plan_import(&source, request)?;
        // One conflict does not keep the rest of a store out: what is here stays, and is named.
        let arrived =
            self.take_in(&mut source, planned, (incoming, Vec::new()), &imported, told)?;
        warnings.extend(told_of(source.coming.iter(), &arrived, None));
        let kept = arrived.iter().filter(|one| one.fate == crate::Fate::Skipped);
        warnings.extend(kept.map(|one| {
            format!(
                "{} is here with other content, which stays; --on-conflict replace takes the other",
                one.id
            )
        }));
        Ok(ImportOutcome { from, encrypted: false, provenance: None, arrived, warnings })
    }

    /// What is dated in the future would be the latest until then.
    fn leave_out_future(&self, source: &mut FromPeer, warnings: &mut Vec<String>) {
        let mut at = 0;
        while at < source.coming.len() {
            match self.check_times(&source.coming[at..=at]) {
                Ok(()) => at += 1,
                Err(problem) => {
                    warnings.push(format!("left out: {problem}"));
                    source.coming.remove(at);
                    source.handoffs.remove(at);
                }
            }
        }
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
