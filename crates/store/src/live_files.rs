//! Live drafts: what is known of sessions that still go on, one file a session, replaced after each
//! turn. Beside each lies how far its transcript was read.
//!
//! Neither is synced: after a power failure the transcript is read again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use segue_core::{Handoff, ProjectId, Timestamp};

use crate::atomic;
use crate::error::{IoContext, StoreError};
use crate::layout::LIVE;
use crate::lock::{Kind, Lock};
use crate::memory::{LockedMemory, listing};
use crate::store::Store;

/// How long a hook waits for another of the same project.
const PATIENCE: Duration = Duration::from_millis(500);
/// How far a transcript was read is known for so long after the session was left.
const KEPT: Duration = Duration::from_secs(30 * 86_400);

/// The live drafts of one memory.
#[derive(Clone, Debug)]
pub struct LiveFiles {
    dir: PathBuf,
}

/// What is known of a session that goes on.
#[derive(Clone, Debug)]
pub struct LiveDraft {
    pub key: String,
    pub path: PathBuf,
    pub handoff: Handoff,
}

/// Live drafts whose lock is held.
#[derive(Debug)]
pub struct LockedLive<'a> {
    files: &'a LiveFiles,
    _lock: Lock,
}

impl Store {
    /// The live drafts of a project.
    pub fn live(&self, project: &ProjectId) -> LiveFiles {
        LiveFiles { dir: self.layout().memory(project).join(LIVE) }
    }
}

impl Store {
    /// The live drafts among which a session has a place already, whichever project's.
    pub fn live_with(&self, key: &str) -> Option<LiveFiles> {
        let projects = self.layout().projects();
        let names = listing(&projects).unwrap_or_default();
        let mut all = names.iter().map(|name| LiveFiles { dir: projects.join(name).join(LIVE) });
        all.find(|live| live.state_path(key).exists())
    }
}

impl LiveFiles {
    fn draft_path(&self, key: &str) -> PathBuf {
        self.dir.join(format!("{key}.md"))
    }

    fn state_path(&self, key: &str) -> PathBuf {
        self.dir.join(format!("{key}.json"))
    }

    /// The directory that they are in.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// How far a session was read, as it was put.
    pub fn state(&self, key: &str) -> Option<Vec<u8>> {
        fs::read(self.state_path(key)).ok()
    }

    /// The draft of a session. One that is damaged is as good as none.
    pub fn draft(&self, key: &str) -> Option<LiveDraft> {
        let path = self.draft_path(key);
        let text = fs::read_to_string(&path).ok()?;
        let handoff = Handoff::parse(text).ok()?;
        Some(LiveDraft { key: key.to_owned(), path, handoff })
    }

    /// What is known of, by its key.
    pub fn keys(&self) -> Vec<String> {
        let names = listing(&self.dir).unwrap_or_default();
        names.iter().filter_map(|name| name.strip_suffix(".json")).map(str::to_owned).collect()
    }

    /// Every draft.
    pub fn drafts(&self) -> Vec<LiveDraft> {
        let names = listing(&self.dir).unwrap_or_default();
        names
            .iter()
            .filter_map(|name| name.strip_suffix(".md").filter(|key| !key.starts_with('.')))
            .filter_map(|key| self.draft(key))
            .collect()
    }

    /// Takes the lock, for whoever changes them.
    pub fn lock(&self) -> Result<LockedLive<'_>, StoreError> {
        atomic::create_dirs(&self.dir)?;
        let lock = Lock::take(&self.dir.join(".lock"), Kind::Exclusive, PATIENCE)?;
        Ok(LockedLive { files: self, _lock: lock })
    }
}

impl LockedLive<'_> {
    /// Puts a draft in the place of the one before. The draft comes first: whoever is interrupted in
    /// between reads the same part of the transcript again.
    pub fn put(&self, key: &str, draft: &str, state: &[u8]) -> Result<(), StoreError> {
        let path = self.files.draft_path(key);
        atomic::sweep(&path);
        atomic::show(&path, draft.as_bytes())?;
        self.put_state(key, state)
    }

    /// Puts only how far a session was read.
    pub fn put_state(&self, key: &str, state: &[u8]) -> Result<(), StoreError> {
        let path = self.files.state_path(key);
        atomic::sweep(&path);
        atomic::show(&path, state)
    }

    /// Removes a draft; how far its session was read stays.
    pub fn remove(&self, key: &str) -> Result<(), StoreError> {
        let path = self.files.draft_path(key);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error).at("remove", &path),
            _ => Ok(()),
        }
    }

    /// Removes what nobody needs any more: how far sessions were read that were left long ago.
    pub fn sweep(&self, now: SystemTime) {
        for name in listing(&self.files.dir).unwrap_or_default() {
            let Some(key) = name.strip_suffix(".json") else { continue };
            let path = self.files.state_path(key);
            let left = fs::metadata(&path).and_then(|meta| meta.modified());
            let is_old = left.is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > KEPT));
            if is_old && !self.files.draft_path(key).exists() {
                let _ = fs::remove_file(path);
            }
        }
    }
}

impl LockedMemory<'_> {
    /// Takes a handoff in as it is, unless it was taken in or forgotten before. Layer 2 follows if it
    /// is the newest.
    pub fn adopt(&self, handoff: &Handoff, now: Timestamp) -> Result<PathBuf, StoreError> {
        let path = self.own_place_of(handoff);
        if self.is_buried(&handoff.head.id) || Path::new(&path).exists() {
            return Ok(path);
        }
        self.put_handoff(handoff, &path)?;
        // From here on nothing may fail: the handoff is safe.
        let _ = self.refresh_state(now);
        Ok(path)
    }
}
