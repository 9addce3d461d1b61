//! Sessions that have ended and that nobody has made a handoff of yet: one small file a session, written before
//! anything is waited for. Whoever is interrupted or finds the store in use leaves the rest to the next hook.

use std::fs;
use std::path::PathBuf;

use crate::atomic;
use crate::error::StoreError;
use crate::live_files::keys_by_age;
use crate::store::Store;

/// How often a note is tried.
const ATTEMPTS: usize = 3;

impl Store {
    fn ended_path(&self, key: &str) -> PathBuf {
        self.layout().ended().join(format!("{key}.json"))
    }

    /// Notes that a session has ended.
    pub fn note_ended(&self, key: &str, note: &[u8]) -> Result<(), StoreError> {
        let mut noted = Ok(());
        // Another may remove the directory just then, because nothing else is in the home.
        for _ in 0..ATTEMPTS {
            let made = atomic::create_dirs(&self.layout().ended());
            noted = made.and_then(|()| atomic::show(&self.ended_path(key), note));
            if noted.is_ok() {
                break;
            }
        }
        noted
    }

    /// Removes the note: there is a handoff, or nothing to make one of.
    pub fn remove_ended(&self, key: &str) {
        let _ = fs::remove_file(self.ended_path(key));
        // A session that leaves nothing makes no home.
        if !self.layout().projects().exists() {
            let _ = fs::remove_dir(self.layout().ended());
            let _ = fs::remove_dir(self.layout().home());
        }
    }

    /// The sessions of which a note is there, by their keys, in the order in which they were noted.
    pub fn ended(&self) -> Vec<String> {
        keys_by_age(&self.layout().ended(), ".json")
    }

    /// The note of a session.
    pub fn ended_note(&self, key: &str) -> Option<Vec<u8>> {
        fs::read(self.ended_path(key)).ok()
    }
}
