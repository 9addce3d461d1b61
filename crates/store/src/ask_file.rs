//! `asks.toml`: which agents the user lets Segue ask for handoffs in their own words, and when.

use std::fs;

use toml_edit::{DocumentMut, Item, Table, value};

use crate::atomic;
use crate::error::StoreError;
use crate::store::Store;

/// When the hooks of an agent ask for a handoff. Never, unless the user chose it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asks {
    /// When the context window is nearly full.
    pub when_full: bool,
    /// When a turn ends, and files changed since the last handoff.
    pub at_stop: bool,
}

const WHEN_FULL: &str = "when_full";
const AT_STOP: &str = "at_stop";

impl Asks {
    /// Whether it never asks.
    pub fn is_never(self) -> bool {
        self == Self::default()
    }

    /// The words for it, as the flags of `install` say them.
    pub fn words(self) -> Vec<&'static str> {
        let all = [(self.when_full, "when-full"), (self.at_stop, "at-stop")];
        all.into_iter().filter(|(chosen, _)| *chosen).map(|(_, word)| word).collect()
    }
}

impl Store {
    fn read_asks(&self) -> DocumentMut {
        let text = fs::read_to_string(self.layout().asks()).unwrap_or_default();
        text.parse().unwrap_or_default()
    }

    /// When an agent is asked. A file that cannot be read asks nobody.
    pub fn asks(&self, agent: &str) -> Asks {
        let document = self.read_asks();
        let chosen = |key: &str| {
            let row = document.get(agent).and_then(Item::as_table_like);
            row.and_then(|row| row.get(key)?.as_bool()).unwrap_or_default()
        };
        Asks { when_full: chosen(WHEN_FULL), at_stop: chosen(AT_STOP) }
    }

    /// Notes when an agent is asked.
    pub fn note_asks(&self, agent: &str, asks: Asks) -> Result<(), StoreError> {
        if self.asks(agent) == asks {
            return Ok(());
        }
        let mut document = self.read_asks();
        document.remove(agent);
        if !asks.is_never() {
            let mut row = Table::new();
            row.insert(WHEN_FULL, value(asks.when_full));
            row.insert(AT_STOP, value(asks.at_stop));
            document.insert(agent, Item::Table(row));
        }
        let path = self.layout().asks();
        atomic::create_dirs(atomic::parent(&path))?;
        atomic::replace(&path, document.to_string().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_noted_by_agent_and_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(
            dir.path().join("home"),
            crate::Outside { clock: || 0, progress: |_, _, _| {}, hurried: false },
        );
        assert!(store.asks("codex").is_never());
        store.note_asks("codex", Asks { when_full: true, at_stop: false }).unwrap();
        store.note_asks("claude-code", Asks { when_full: true, at_stop: true }).unwrap();
        assert_eq!(store.asks("codex").words(), ["when-full"]);
        assert_eq!(store.asks("claude-code").words(), ["when-full", "at-stop"]);
        store.note_asks("codex", Asks::default()).unwrap();
        assert!(store.asks("codex").is_never() && store.asks("claude-code").at_stop);
        fs::remove_file(store.layout().asks()).unwrap();
        assert!(store.asks("claude-code").is_never());
    }
}
