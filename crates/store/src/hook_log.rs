//! How the hooks of agents went: one line each time, and nothing of what they were told.

use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::atomic;
use crate::platform;
use crate::store::Store;

/// Characters of a remark.
pub const MAX_REMARK: usize = 160;
/// A longer log loses its older half.
const LONGEST: u64 = 256 << 10;

/// The log of the hooks.
#[derive(Clone, Debug)]
pub struct HookLog {
    path: PathBuf,
}

impl Store {
    /// The log of the hooks.
    pub fn hook_log(&self) -> HookLog {
        HookLog { path: self.layout().hook_log() }
    }
}

impl HookLog {
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Adds a line. A log that cannot be written is no reason to fail, and a home that is not there is
    /// not made for it.
    pub fn add(&self, line: &str) {
        if !self.path.parent().is_some_and(|home| home.is_dir()) {
            return;
        }
        let long = fs::metadata(&self.path).is_ok_and(|meta| meta.len() > LONGEST);
        if long {
            let kept = self.read();
            let kept = &kept[kept.len() / 2..];
            let kept = kept.split_once('\n').map_or("", |(_, rest)| rest);
            let _ = atomic::show(&self.path, kept.as_bytes());
        }
        if !self.path.exists() {
            let _ = platform::create_new(&self.path);
        }
        // One write, so that lines of several hooks do not mix.
        let line = format!("{}\n", line.replace(['\n', '\r'], " "));
        if let Ok(mut file) = OpenOptions::new().append(true).open(&self.path) {
            let _ = file.write_all(line.as_bytes());
        }
    }

    /// Its newest part.
    pub fn read(&self) -> String {
        let mut bytes = Vec::new();
        let Ok(mut file) = fs::File::open(&self.path) else { return String::new() };
        let length = file.metadata().map_or(0, |meta| meta.len());
        let from = length.saturating_sub(LONGEST * 2);
        if file.seek(SeekFrom::Start(from)).is_ok() {
            let _ = file.take(LONGEST * 2).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_and_the_oldest_go() {
        let home = tempfile::tempdir().unwrap();
        let log = HookLog { path: home.path().join("hooks.log") };
        log.add("one\ntwo");
        assert_eq!(log.read(), "one two\n");
        let line = "x".repeat(1_000);
        for _ in 0..400 {
            log.add(&line);
        }
        log.add("last");
        let read = log.read();
        assert!(read.len() < 300_000 && read.ends_with("\nlast\n"), "{}", read.len());
        assert!(read.lines().all(|line| line.len() == 1_000 || line == "last"));
    }

    #[test]
    fn no_home_is_made_for_it() {
        let home = tempfile::tempdir().unwrap();
        let log = HookLog { path: home.path().join("none/hooks.log") };
        log.add("one");
        assert!(!home.path().join("none").exists());
        assert_eq!(log.read(), "");
    }
}
