//! Briefings in files, for agents that cannot be given a long one in any other way. Each has a
//! directory of its own, so that an agent which may read it sees no other.

use std::fs;
use std::path::{Path, PathBuf};

use crate::atomic;
use crate::error::StoreError;
use crate::memory::listing;
use crate::platform;
use crate::store::Store;

const FILE: &str = "briefing.md";
/// So long they stay, in nanoseconds: nobody begins with an older one.
const KEPT: i64 = 7 * 86_400 * 1_000_000_000;

impl Store {
    /// Where the briefing of this name is, or would be.
    pub fn briefing_file(&self, name: &str) -> PathBuf {
        self.layout().briefings().join(name).join(FILE)
    }

    /// Writes a briefing into a file that is not there yet.
    pub fn write_briefing(&self, file: &Path, text: &str) -> Result<(), StoreError> {
        atomic::create_dirs(atomic::parent(file))?;
        atomic::write_new(file, text.as_bytes())?;
        Ok(())
    }

    /// Removes briefings that are old. What cannot be removed stays.
    pub fn sweep_briefings(&self) {
        let dir = self.layout().briefings();
        let oldest = (self.outside().clock)() - KEPT;
        for name in listing(&dir).unwrap_or_default() {
            let path = dir.join(name);
            let own = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
            let old = platform::mtime(&path).is_ok_and(|at| at.is_some_and(|at| at < oldest));
            if own && old {
                let _ = fs::remove_dir_all(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outside;

    #[test]
    fn a_briefing_stays_a_week() {
        let home = tempfile::tempdir().unwrap();
        const NOW: i64 = 4_000_000_000_000_000_000;
        let later = |clock: fn() -> i64| {
            Store::new(home.path(), Outside { clock, progress: |_, _, _| {}, hurried: false })
        };
        let store = later(|| NOW);
        let file = store.briefing_file("1");
        store.write_briefing(&file, "x").unwrap();
        assert!(store.write_briefing(&file, "y").is_err(), "never replaced");
        // As old as the clock says.
        let dir = fs::File::open(file.parent().unwrap()).unwrap();
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_nanos(NOW as u64);
        dir.set_modified(at).unwrap();
        later(|| NOW + KEPT).sweep_briefings();
        assert!(file.exists());
        later(|| NOW + KEPT + 1).sweep_briefings();
        assert!(!file.parent().unwrap().exists());
    }
}
