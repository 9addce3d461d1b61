//! The files of a run: its checkpoint, the journal of a long one, the queue of inputs, the lock.
//!
//! They lie together: in a memory's `run/`, or beside the checkpoint that a plan names. Inputs are
//! queued by anybody; the rest changes only under the lock, which is what `LockedRun` is for.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use segue_core::Timestamp;
use segue_core::run::{Checkpoint, CheckpointError, Input, Mark};

use crate::atomic;
use crate::error::{IoContext, StoreError};
use crate::layout::RUN;
use crate::lock::{Kind, Lock, PATIENCE};
use crate::memory::listing;
use crate::platform;

/// A larger file is no checkpoint and no input of ours.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Up to so many steps the checkpoint is written anew after each; a longer run keeps a journal.
const SHORT: usize = 128;
/// How often a long run's checkpoint is written anew, over the whole run.
const REWRITES: usize = 64;

/// Where the files of one run lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFiles {
    checkpoint: PathBuf,
}

/// What a look at a run found.
#[derive(Clone, Debug, Default)]
pub struct RunSeen {
    pub checkpoint: Option<Checkpoint>,
    /// Inputs that no run has taken.
    pub waiting: usize,
    /// Whether a process is at work on it.
    pub at_work: bool,
}

impl RunFiles {
    /// The files around this checkpoint.
    pub fn at(checkpoint: impl Into<PathBuf>) -> Self {
        Self { checkpoint: checkpoint.into() }
    }

    /// The files of a memory's own run.
    pub fn of_memory(memory: &Path) -> Self {
        Self::at(memory.join(RUN).join("checkpoint.json"))
    }

    pub fn checkpoint(&self) -> &Path {
        &self.checkpoint
    }

    pub fn dir(&self) -> &Path {
        atomic::parent(&self.checkpoint)
    }

    /// `checkpoint.json` has `queue` beside it, another name has its own.
    fn beside(&self, what: &str) -> PathBuf {
        let name = self.checkpoint.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match name.as_str() {
            "checkpoint.json" => self.dir().join(what),
            _ => self.dir().join(format!("{name}.{what}")),
        }
    }

    fn lock_file(&self) -> PathBuf {
        self.beside("lock")
    }

    fn journal(&self) -> PathBuf {
        self.beside("journal")
    }

    pub fn queue(&self) -> PathBuf {
        self.beside("queue")
    }

    /// The checkpoint as far as the run has got. `None` if there is none.
    pub fn read(&self) -> Result<Option<Checkpoint>, StoreError> {
        let Some(text) = read_text(&self.checkpoint)? else { return Ok(None) };
        let mut checkpoint = Checkpoint::parse(&text).map_err(|source| self.bad(source))?;
        if let Some(journal) = read_text(&self.journal())? {
            // The last line may be cut off: then what it says has not been said.
            for mark in journal.split_inclusive('\n').filter_map(Mark::parse) {
                checkpoint.apply(mark);
            }
        }
        Ok(Some(checkpoint))
    }

    fn bad(&self, source: CheckpointError) -> StoreError {
        StoreError::BadCheckpoint { path: self.checkpoint.clone(), source }
    }

    /// Looks without changing anything.
    pub fn look(&self) -> Result<RunSeen, StoreError> {
        let at_work = self.is_locked()?;
        let checkpoint = self.read()?;
        let waiting =
            self.queued_keys()?.iter().filter(|key| !taken(checkpoint.as_ref(), key)).count();
        Ok(RunSeen { checkpoint, waiting, at_work })
    }

    fn is_locked(&self) -> Result<bool, StoreError> {
        let path = self.lock_file();
        match File::open(&path) {
            Ok(file) => match file.try_lock_shared() {
                Ok(()) => Ok(false),
                Err(TryLockError::WouldBlock) => Ok(true),
                Err(TryLockError::Error(_)) => Ok(false),
            },
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(false)
            }
            Err(error) => Err(error).at("read", &path),
        }
    }

    /// Puts an input where no crash loses it, before anything else happens.
    pub fn enqueue(&self, input: &Input) -> Result<(), StoreError> {
        let queue = self.queue();
        atomic::create_dirs(&queue)?;
        let path = queue.join(format!("{}.json", input.key));
        atomic::write_new(&path, input.render().as_bytes()).map(|_| ())
    }

    fn queued_keys(&self) -> Result<Vec<String>, StoreError> {
        let names = listing(&self.queue())?.into_iter();
        Ok(names
            .filter(|name| !name.starts_with('.'))
            .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
            .collect())
    }

    /// The run's lock, for whose end others wait in turn.
    pub fn lock(&self) -> Result<LockedRun, StoreError> {
        atomic::create_dirs(self.dir())?;
        let lock = Lock::take(&self.lock_file(), Kind::Exclusive, PATIENCE)?;
        Ok(LockedRun { files: self.clone(), _lock: lock, journalled: 0 })
    }
}

/// Whether a run has this input already; then its file in the queue is a leftover.
fn taken(checkpoint: Option<&Checkpoint>, key: &str) -> bool {
    let inputs =
        checkpoint.and_then(|checkpoint| checkpoint.head.as_ref()).map(|head| &head.inputs);
    inputs.is_some_and(|inputs| inputs.iter().any(|input| input.key == key))
}

fn read_text(path: &Path) -> Result<Option<String>, StoreError> {
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error).at("read", path),
    };
    let refuse =
        |reason: &str| Err(io::Error::new(io::ErrorKind::InvalidData, reason)).at("read", path);
    // A link could lead anywhere, and a pipe would wait for somebody to write into it.
    if !meta.is_file() {
        return refuse("it is not a regular file");
    }
    if meta.len() > MAX_BYTES {
        return refuse("it is larger than 64 MiB");
    }
    let mut bytes = Vec::with_capacity(meta.len() as usize);
    let file = File::open(path).at("read", path)?;
    file.take(MAX_BYTES).read_to_end(&mut bytes).at("read", path)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => refuse("it is not UTF-8"),
    }
}

/// A run whose lock is held. Only this can change how far it is.
#[derive(Debug)]
pub struct LockedRun {
    files: RunFiles,
    _lock: Lock,
    /// Marks in the journal that the checkpoint does not have.
    journalled: usize,
}

impl LockedRun {
    pub fn files(&self) -> &RunFiles {
        &self.files
    }

    /// Writes the whole checkpoint.
    pub fn write(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let path = &self.files.checkpoint;
        if checkpoint.is_newer() {
            return Err(StoreError::NewerVersion { path: path.clone() });
        }
        // A link is replaced by a file rather than followed: it could lead anywhere.
        atomic::replace_itself(path, checkpoint.render().as_bytes())?;
        self.journalled = 0;
        match fs::remove_file(self.files.journal()) {
            // Its marks name another run, or say what the checkpoint says: it can stay for now.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Writes down what became of one step.
    pub fn note(&mut self, checkpoint: &Checkpoint, at: usize) -> Result<(), StoreError> {
        let steps = checkpoint.steps.len();
        if steps <= SHORT || self.journalled >= steps / REWRITES {
            return self.write(checkpoint);
        }
        let Some(mark) = checkpoint.mark(at) else { return self.write(checkpoint) };
        let path = self.files.journal();
        let new = self.journalled == 0;
        platform::open_or_create(&path)
            .and_then(|mut file| {
                // Whatever an interrupted write left is not built upon.
                io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
                if new {
                    file.set_len(0)?;
                    io::Seek::rewind(&mut file)?;
                }
                file.write_all(mark.render().as_bytes())?;
                file.sync_data()
            })
            .at("write", &path)?;
        if new {
            platform::sync_dir(self.files.dir()).at("sync", self.files.dir())?;
        }
        self.journalled += 1;
        Ok(())
    }

    /// The inputs that no run has taken, oldest first. What a run has taken is removed.
    pub fn waiting(&self, checkpoint: Option<&Checkpoint>) -> Result<Vec<Input>, StoreError> {
        let mut inputs = Vec::new();
        for key in self.files.queued_keys()? {
            let path = self.files.queue().join(format!("{key}.json"));
            if taken(checkpoint, &key) {
                fs::remove_file(&path).at("remove", &path)?;
                continue;
            }
            let Some(text) = read_text(&path)? else { continue };
            let bad = |source| StoreError::BadCheckpoint { path: path.clone(), source };
            let input = Input::parse(&text).map_err(bad)?;
            inputs.push(Input { key, ..input });
        }
        Ok(inputs)
    }

    /// Removes inputs that a checkpoint on disk has taken.
    pub fn dequeue(&self, inputs: &[Input]) -> Result<(), StoreError> {
        for input in inputs {
            let path = self.files.queue().join(format!("{}.json", input.key));
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(error).at("remove", &path);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Puts the checkpoint aside, whatever it contains, and gives its new place.
    pub fn put_aside(&mut self, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
        let path = &self.files.checkpoint;
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).at("read", path),
        };
        // With what the journal knows, where it can be told.
        let bytes = match self.files.read() {
            Ok(Some(checkpoint)) => checkpoint.render().into_bytes(),
            _ => bytes,
        };
        let dir = self.files.beside("dropped");
        atomic::create_dirs(&dir)?;
        let kept = atomic::write_unused(&dir, &now.compact(), "checkpoint.json", &bytes)?;
        fs::remove_file(path).at("remove", path)?;
        platform::sync_dir(self.files.dir()).at("sync", self.files.dir())?;
        let _ = fs::remove_file(self.files.journal());
        Ok(Some(kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use segue_core::run::RunHead;

    fn begun(steps: usize) -> Checkpoint {
        let head = RunHead::new("r1".to_owned(), None, Vec::new());
        let steps = (0..steps).map(|n| (format!("s{n}"), String::new()));
        Checkpoint::begin(head, steps, Timestamp::EPOCH)
    }

    #[test]
    fn a_long_run_is_as_far_as_its_journal_says() {
        let dir = tempfile::tempdir().unwrap();
        let files = RunFiles::at(dir.path().join("checkpoint.json"));
        let mut locked = files.lock().unwrap();
        let mut checkpoint = begun(1000);
        locked.write(&checkpoint).unwrap();
        for at in 0..40 {
            checkpoint.steps[at].done = true;
            locked.note(&checkpoint, at).unwrap();
            assert_eq!(files.read().unwrap().unwrap(), checkpoint, "{at}");
        }
        // A cut-off line says nothing, and is not built upon.
        let journal = files.journal();
        let bytes = fs::read(&journal).unwrap();
        assert!(bytes.len() > 2);
        File::options()
            .write(true)
            .open(&journal)
            .unwrap()
            .set_len(bytes.len() as u64 - 2)
            .unwrap();
        let read = files.read().unwrap().unwrap();
        assert_eq!(read.pending().count(), 961);
        // One of another run, or an older one, undoes nothing.
        locked.write(&checkpoint).unwrap();
        let old = begun(1000).mark(3).unwrap();
        File::create(&journal).unwrap().write_all(old.render().as_bytes()).unwrap();
        assert_eq!(files.read().unwrap().unwrap(), checkpoint);
    }

    #[test]
    fn what_a_run_has_taken_does_not_wait_any_more() {
        let dir = tempfile::tempdir().unwrap();
        let files = RunFiles::at(dir.path().join("run/checkpoint.json"));
        for key in ["b", "a"] {
            let input = Input { key: key.to_owned(), ..Input::default() };
            files.enqueue(&input).unwrap();
        }
        assert_eq!(files.look().unwrap().waiting, 2);
        let mut locked = files.lock().unwrap();
        assert!(files.look().unwrap().at_work);
        let inputs = locked.waiting(None).unwrap();
        assert_eq!(inputs.iter().map(|input| input.key.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        // Killed right after the checkpoint was written: nothing is taken twice.
        let head = RunHead::new("r".to_owned(), None, inputs);
        let checkpoint = Checkpoint::begin(head, [], Timestamp::EPOCH);
        locked.write(&checkpoint).unwrap();
        assert_eq!(files.look().unwrap().waiting, 0);
        assert!(locked.waiting(Some(&checkpoint)).unwrap().is_empty());
        assert!(listing(&files.queue()).unwrap().is_empty());
        drop(locked);
        assert!(!files.look().unwrap().at_work);
    }

    #[test]
    fn two_checkpoints_of_one_directory_do_not_mix() {
        let one = RunFiles::at("/x/checkpoint.json");
        let two = RunFiles::at("/x/other.json");
        assert_eq!(one.queue(), Path::new("/x/queue"));
        assert_eq!(two.queue(), Path::new("/x/other.json.queue"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_as_checkpoint_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("target");
        File::create(&target).unwrap();
        let files = RunFiles::at(dir.path().join("checkpoint.json"));
        std::os::unix::fs::symlink(&target, files.checkpoint()).unwrap();
        assert!(files.read().is_err());
        files.lock().unwrap().write(&begun(1)).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"");
    }
}
