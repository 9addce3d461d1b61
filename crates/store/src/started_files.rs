//! Agents that were started with the briefing: one small file each, until the hook of the session that begins takes it.

use std::fs;
use std::path::PathBuf;

use crate::atomic;
use crate::error::StoreError;
use crate::store::Store;

impl Store {
    fn started_path(&self, key: &str) -> PathBuf {
        self.layout().started().join(format!("{key}.json"))
    }

    /// Notes that an agent is started.
    pub fn note_started(&self, key: &str, note: &[u8]) -> Result<(), StoreError> {
        atomic::create_dirs(&self.layout().started())?;
        atomic::show(&self.started_path(key), note)
    }

    /// Takes the note of a start: nobody else gets it.
    pub fn take_started(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.started_path(key);
        let note = fs::read(&path).ok()?;
        // Of two hooks the one that removes it has it.
        fs::remove_file(&path).ok().map(|()| note)
    }
}
