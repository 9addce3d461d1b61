//! What is gathered from a store, entry by entry.
//!
//! An importer takes two handoffs of one id, or with an alias in common, for the same one. So no two
//! different ones leave here like that, whatever the store says.

use std::collections::HashSet;
use std::path::Path;

use segue_core::{Handoff, HandoffId, PayloadDigest};

use super::source::{NOT_UTF8, no_handoff, text_alias};
use super::{BadEntry, Peer, PeerHandoff, PeerStore};

/// Handoffs and bad entries of one peer, in the order of the store.
pub(super) struct Gathered {
    peer: Peer,
    handoffs: Vec<PeerHandoff>,
    bad: Vec<BadEntry>,
    payloads: HashSet<PayloadDigest>,
    ids: HashSet<HandoffId>,
    aliases: HashSet<String>,
}

impl Gathered {
    /// Nothing yet.
    pub(super) fn new(peer: Peer) -> Self {
        Self {
            peer,
            handoffs: Vec::new(),
            bad: Vec::new(),
            payloads: HashSet::new(),
            ids: HashSet::new(),
            aliases: HashSet::new(),
        }
    }

    /// Takes an entry, or the reason why there is none.
    pub(super) fn add(&mut self, what: &str, entry: Result<PeerHandoff, String>) {
        let distinct = entry.and_then(|entry| self.distinct(entry));
        match distinct {
            Ok(Some(entry)) => {
                let head = &entry.handoff.head;
                self.ids.insert(head.id.clone());
                self.aliases.extend(head.fields.aliases.iter().cloned());
                self.handoffs.push(entry);
            }
            // The very same once more.
            Ok(None) => {}
            Err(reason) => self.note(what, reason),
        }
    }

    /// Notes what is wrong with an entry.
    pub(super) fn note(&mut self, what: &str, reason: impl Into<String>) {
        self.bad.push(BadEntry { what: what.to_owned(), reason: reason.into() });
    }

    /// Notes that a text was not UTF-8.
    pub(super) fn note_unless_exact(&mut self, what: &str, exact: bool) {
        if !exact {
            self.note(what, NOT_UTF8);
        }
    }

    /// The store that was read; its handoffs by age, those of one moment in the order of the store.
    pub(super) fn into_store(mut self, path: &Path) -> PeerStore {
        self.handoffs.sort_by_key(|entry| entry.handoff.head.created);
        PeerStore { path: path.to_owned(), handoffs: self.handoffs, bad: self.bad }
    }

    /// The entry with an id and aliases that no earlier one has; none if it is the same as one.
    fn distinct(&mut self, entry: PeerHandoff) -> Result<Option<PeerHandoff>, String> {
        if !self.payloads.insert(PayloadDigest::of(entry.handoff.source())) {
            return Ok(None);
        }
        let head = &entry.handoff.head;
        let taken_id = self.ids.contains(&head.id);
        let taken_alias = head.fields.aliases.iter().any(|alias| self.aliases.contains(alias));
        if !taken_id && !taken_alias {
            return Ok(Some(entry));
        }
        let source = entry.handoff.source();
        let mut draft = entry.handoff.to_draft();
        draft.fields.aliases.retain(|alias| !self.aliases.contains(alias));
        draft.fields.aliases.push(text_alias(self.peer, source));
        let id = match taken_id {
            true => HandoffId::derived(head.created, source.as_bytes()),
            false => head.id.clone(),
        };
        let handoff = Handoff::parse(draft.render(&id, head.created));
        let handoff = handoff.map_err(|error| no_handoff(&error))?;
        Ok(Some(PeerHandoff { handoff, ..entry }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(title: &str, created: &str) -> PeerHandoff {
        let source = format!(
            "---\nsegue: 1\nid: 20261115-174500-a3f9c12e\ncreated: {created}\ntitle: {title}\naliases: [old]\n---\n"
        );
        let handoff = Handoff::parse(source).unwrap();
        PeerHandoff { handoff, project_path: None, project_label: None }
    }

    #[test]
    fn two_different_entries_of_one_id_both_stay() {
        let read = || {
            let mut gathered = Gathered::new(Peer::Handoff);
            gathered.add("1", Ok(entry("one", "2026-11-15T17:45:00Z")));
            gathered.add("2", Ok(entry("two", "2026-11-15T17:45:00Z")));
            gathered.add("3", Ok(entry("one", "2026-11-15T17:45:00Z")));
            gathered.into_store(Path::new("x"))
        };
        let store = read();
        let [one, two] = &store.handoffs[..] else { panic!("{store:?}") };
        assert_eq!(one.handoff, entry("one", "2026-11-15T17:45:00Z").handoff);
        assert_ne!(one.handoff.head.id, two.handoff.head.id);
        let [alias] = &two.handoff.head.fields.aliases[..] else { panic!("{two:?}") };
        assert!(alias.starts_with("handoff:") && alias.len() == 24, "{alias}");
        assert_eq!(store.bad, []);
        assert_eq!(read(), store);
    }

    #[test]
    fn the_oldest_comes_first() {
        let mut gathered = Gathered::new(Peer::Handoff);
        gathered.add("1", Ok(entry("late", "2026-11-15T17:45:00Z")));
        gathered.add("2", Err("its 'title' is empty".to_owned()));
        gathered.add("3", Ok(entry("early", "2026-11-14T17:45:00Z")));
        let store = gathered.into_store(Path::new("x"));
        let titles: Vec<_> =
            store.handoffs.iter().map(|entry| entry.handoff.display_title()).collect();
        assert_eq!(titles, ["early", "late"]);
        assert_eq!(store.bad.len(), 1);
    }
}
