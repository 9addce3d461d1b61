//! Live drafts: what is known of sessions that still go on, one file a session, replaced after each
//! turn. Beside each lies how far its transcript was read.
//!
//! Neither is synced: after a power failure the transcript is read again.

use std::cell::Cell;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use segue_core::{Handoff, ProjectId, Timestamp};

use crate::atomic;
use crate::error::{IoContext, StoreError};
use crate::layout::{LIVE, PROJECT_FILE};
use crate::lock::{Kind, Lock};
use crate::memory::{LockedMemory, listing};
use crate::platform;
use crate::store::Store;

/// How long a hook waits for another of the same project.
const PATIENCE: Duration = Duration::from_millis(500);
/// How the name of a draft ends.
const DRAFT: &str = ".md";
/// So many drafts are read at once: the newest.
const MOST_DRAFTS: usize = 64;
/// Of more states than this, a part is looked at each time.
const MANY_STATES: usize = 128;
/// Bytes of a state in which its session and transcript stand.
const BEGINNING: u64 = 16 << 10;
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

/// Which states a sweep looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepStates {
    All,
    /// Where there are many, one part after the other: for whoever cannot wait.
    Part,
}

/// Live drafts whose lock is held.
#[derive(Debug)]
pub struct LockedLive<'a> {
    files: &'a LiveFiles,
    is_swept: Cell<bool>,
    _lock: Lock,
}

impl Store {
    /// The live drafts of a project.
    pub fn live(&self, project: &ProjectId) -> LiveFiles {
        LiveFiles::of(&self.layout().memory(project))
    }
}

impl Store {
    /// The live drafts of every project that has some.
    pub fn live_of_all(&self) -> Vec<LiveFiles> {
        let projects = self.layout().projects();
        let names = listing(&projects).unwrap_or_default();
        let all = names.iter().map(|name| LiveFiles::of(&projects.join(name)));
        all.filter(|live| live.dir.is_dir()).collect()
    }

    /// The live drafts among which a session has a place already, whichever project's.
    pub fn live_with(&self, key: &str) -> Option<LiveFiles> {
        let projects = self.layout().projects();
        let names = listing(&projects).unwrap_or_default();
        let mut all = names.iter().map(|name| LiveFiles::of(&projects.join(name)));
        all.find(|live| live.state_path(key).exists())
    }
}

/// The keys of files that end so, in the order in which they were put. None is read for this.
pub(crate) fn keys_by_age(dir: &Path, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut keys: Vec<(SystemTime, String)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let key = name.strip_suffix(ending).filter(|key| !key.starts_with('.'))?;
            let put = entry.metadata().and_then(|meta| meta.modified());
            Some((put.unwrap_or(SystemTime::UNIX_EPOCH), key.to_owned()))
        })
        .collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, key)| key).collect()
}

impl LiveFiles {
    /// Those of the memory in a directory.
    pub(crate) fn of(memory: &Path) -> Self {
        Self { dir: memory.join(LIVE) }
    }

    fn draft_path(&self, key: &str) -> PathBuf {
        self.dir.join(format!("{key}{DRAFT}"))
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

    /// Whether something is known of a session.
    pub fn knows(&self, key: &str) -> bool {
        self.state_path(key).exists()
    }

    /// The beginning of that: who it is about stands there, and how far it was read.
    pub fn state_beginning(&self, key: &str) -> Option<Vec<u8>> {
        let mut beginning = Vec::new();
        let file = fs::File::open(self.state_path(key)).ok()?;
        file.take(BEGINNING).read_to_end(&mut beginning).ok()?;
        Some(beginning)
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

    /// The newest drafts, as far as a process that somebody waits for can read them.
    pub fn drafts(&self) -> Vec<LiveDraft> {
        let keys = keys_by_age(&self.dir, DRAFT);
        keys.iter().rev().take(MOST_DRAFTS).filter_map(|key| self.draft(key)).collect()
    }

    /// Some drafts, others each time: after as many turns as there are drafts each was among them.
    pub fn some_drafts(&self, most: usize, turn: u64) -> Vec<LiveDraft> {
        let names = listing(&self.dir).unwrap_or_default();
        let keys = names.iter().filter_map(|name| name.strip_suffix(DRAFT));
        let keys: Vec<&str> = keys.filter(|key| !key.starts_with('.')).collect();
        let first = (turn % keys.len().max(1) as u64) as usize;
        let keys = keys.iter().cycle().skip(first).take(most.min(keys.len()));
        keys.filter_map(|key| self.draft(key)).collect()
    }

    /// Takes the lock, for whoever changes them. A project that became part of another one has none.
    pub fn lock(&self) -> Result<LockedLive<'_>, StoreError> {
        let gone = || StoreError::NoProject(self.project_name());
        let or_gone = |error: StoreError| match error.io_kind() {
            Some(io::ErrorKind::NotFound) => gone(),
            _ => error,
        };
        let memory = atomic::parent(&self.dir);
        if !platform::is_dir(memory).at("read", memory)? {
            return Err(gone());
        }
        atomic::create_dir(&self.dir).map_err(or_gone)?;
        let lock = Lock::take(&self.dir.join(".lock"), Kind::Exclusive, PATIENCE);
        let lock = lock.map_err(or_gone)?;
        // While we waited they may have been moved.
        let file = memory.join(PROJECT_FILE);
        if !file.try_exists().at("read", &file)? {
            return Err(gone());
        }
        Ok(LockedLive { files: self, is_swept: Cell::new(false), _lock: lock })
    }

    fn project_name(&self) -> String {
        let name = atomic::parent(&self.dir).file_name();
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

impl LockedLive<'_> {
    /// Puts a draft in the place of the one before. The draft comes first: whoever is interrupted in
    /// between reads the same part of the transcript again.
    pub fn put(&self, key: &str, draft: &str, state: &[u8]) -> Result<(), StoreError> {
        self.sweep_half_written();
        atomic::show(&self.files.draft_path(key), draft.as_bytes())?;
        self.put_state(key, state)
    }

    /// Puts only how far a session was read.
    pub fn put_state(&self, key: &str, state: &[u8]) -> Result<(), StoreError> {
        self.sweep_half_written();
        atomic::show(&self.files.state_path(key), state)
    }

    /// Removes what a killed process left of writing one of these, once. Nobody writes one without the lock.
    fn sweep_half_written(&self) {
        if !self.is_swept.replace(true) {
            atomic::sweep_all(&self.files.dir);
        }
    }

    /// Removes a draft; how far its session was read stays.
    pub fn remove(&self, key: &str) -> Result<(), StoreError> {
        let path = self.files.draft_path(key);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error).at("remove", &path),
            _ => Ok(()),
        }
    }

    /// Removes what nobody needs any more: how far sessions were read that were left long ago, or of which
    /// nothing is left to read, as `is_gone` says by the beginning of a state.
    pub fn sweep(&self, now: SystemTime, look: SweepStates, is_gone: impl Fn(&[u8]) -> bool) {
        let keys = self.files.keys();
        let part = now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let part = (look == SweepStates::Part && keys.len() > MANY_STATES)
            .then(|| format!("{:02x}", (part / 60) % 256));
        let looked_at = keys.iter().filter(|key| match &part {
            Some(part) => key.starts_with(part.as_str()),
            None => true,
        });
        for key in looked_at.filter(|key| !self.files.draft_path(key).exists()) {
            let path = self.files.state_path(key);
            let left = fs::metadata(&path).and_then(|meta| meta.modified());
            let is_old = left.is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > KEPT));
            if is_old || self.files.state_beginning(key).is_some_and(|state| is_gone(&state)) {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Removes how far a session was read.
    pub fn remove_state(&self, key: &str) {
        let _ = fs::remove_file(self.files.state_path(key));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Those of a memory in this directory.
    fn files(memory: &Path) -> LiveFiles {
        let file = platform::create_new(&memory.join(PROJECT_FILE));
        drop(file.unwrap());
        LiveFiles::of(memory)
    }

    fn draft(number: u32) -> String {
        format!(
            "---\nsegue: 1\nid: 20261115-174500-{number:08x}\ncreated: 2026-11-15T17:45:00Z\n---\nwork\n"
        )
    }

    #[test]
    fn of_very_many_drafts_only_the_newest_are_read_and_each_has_its_turn() {
        let dir = tempfile::tempdir().unwrap();
        let live = files(dir.path());
        let locked = live.lock().unwrap();
        for number in 0..200_u32 {
            // By their keys they are in no order.
            let key = format!("{:016x}", number.wrapping_mul(0x9e37_79b9));
            locked.put(&key, &draft(number), b"{}").unwrap();
            let put = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(number));
            let file = fs::File::options().append(true).open(live.draft_path(&key)).unwrap();
            file.set_modified(put).unwrap();
        }
        let shorts = |drafts: Vec<LiveDraft>| -> Vec<String> {
            drafts.iter().map(|draft| draft.handoff.head.id.short().to_owned()).collect()
        };
        let newest: Vec<String> =
            (136..200_u32).rev().map(|number| format!("{number:08x}")).collect();
        assert_eq!(shorts(live.drafts()), newest);
        let turns = (0..200).flat_map(|turn| shorts(live.some_drafts(8, turn)));
        assert_eq!(turns.collect::<std::collections::BTreeSet<_>>().len(), 200);
        assert_eq!(live.some_drafts(8, u64::MAX).len(), 8);
        let empty = LiveFiles { dir: dir.path().to_owned() };
        assert_eq!(empty.some_drafts(8, 7).len(), 0);
    }

    #[test]
    fn a_state_goes_when_it_is_old_or_its_session_is_gone_and_has_no_draft() {
        let dir = tempfile::tempdir().unwrap();
        let live = files(dir.path());
        let locked = live.lock().unwrap();
        locked.put("d", &draft(1), b"gone").unwrap();
        for (key, state) in [("a", "here"), ("b", "gone"), ("c", "here")] {
            locked.put_state(key, state.as_bytes()).unwrap();
        }
        let now = fs::metadata(live.state_path("a")).unwrap().modified().unwrap();
        let file = fs::File::options().append(true).open(live.state_path("c")).unwrap();
        file.set_modified(now - KEPT - Duration::from_secs(1)).unwrap();
        locked.sweep(now, SweepStates::All, |state| state == b"gone");
        assert_eq!(live.keys(), ["a", "d"]);
    }

    #[test]
    fn of_many_states_each_is_looked_at_in_its_turn() {
        let dir = tempfile::tempdir().unwrap();
        let live = files(dir.path());
        let locked = live.lock().unwrap();
        for number in 0..600_u32 {
            locked.put_state(&format!("{:02x}{number:014x}", number % 256), b"{}").unwrap();
        }
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        for minute in 0..256 {
            locked.sweep(now + Duration::from_secs(minute * 60), SweepStates::Part, |_| true);
            // Few are looked at as a whole.
            assert!(live.keys().len() < 600);
        }
        assert_eq!(live.keys(), Vec::<String>::new());
    }
}
