//! The files of a run: its checkpoint, the journal of a long one, the queue of inputs, the lock.
//!
//! They lie in the store, where only we write: `run/<work tree>-<plan>/` of a memory. A plan can name
//! another file for its checkpoint, as agent-handover does. That file is a view: written after the
//! truth, read only for what agent-handover left in it, since a clone can bring anything there.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use segue_core::run::{Checkpoint, CheckpointError, Input, Mark, RunStatus};
use segue_core::{HandoffId, digest};

use crate::atomic;
use crate::error::{IoContext, StoreError};
use crate::layout::RUN;
use crate::lock::{Kind, Lock, PATIENCE};
use crate::locked_run::LockedRun;
use crate::memory::listing;
use crate::platform;

/// A larger file is no checkpoint of anybody's.
const MAX_VIEW: u64 = 64 * 1024 * 1024;
/// What we wrote is read, as long as it fits into memory.
pub(crate) const MAX_OWN: u64 = 1024 * 1024 * 1024;
pub(crate) const CHECKPOINT: &str = "checkpoint.json";
/// Which memories have runs of what.
const RUNS: &str = "runs";

/// Where the files of one run lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFiles {
    /// Its directory in the store; `None` if there never was a run of ours.
    dir: Option<PathBuf>,
    /// The checkpoint that a plan names.
    view: Option<PathBuf>,
}

/// What a look at a run found.
#[derive(Clone, Debug, Default)]
pub struct RunSeen {
    pub checkpoint: Option<Checkpoint>,
    /// Inputs that no run has taken.
    pub waiting: usize,
    /// The command with which the first of them was given.
    pub given_by: Option<String>,
    /// Whether a process is at work on it.
    pub at_work: bool,
}

/// The first part of the name of a work tree's runs.
pub fn run_root(root: &Path) -> String {
    short(&root.to_string_lossy())
}

/// The last part: of the plan's file, or of the checkpoint that is named.
pub fn run_name(what: &str) -> String {
    short(what)
}

fn short(text: &str) -> String {
    digest(text)[..12].to_owned()
}

impl RunFiles {
    /// The files of a work tree's run in a memory; `what` tells its plans apart.
    pub fn new(memory: &Path, root: &Path, what: &str, view: Option<PathBuf>) -> Self {
        let name = format!("{}-{}", run_root(root), run_name(what));
        Self { dir: Some(memory.join(RUN).join(name)), view }
    }

    /// The files in this directory of a memory.
    pub fn found(dir: PathBuf) -> Self {
        let own = Self { dir: Some(dir), view: None };
        let named = own.read_own().ok().flatten().and_then(|own| own.head?.view);
        Self { view: named.map(PathBuf::from), ..own }
    }

    /// A checkpoint that is somebody else's, as far as we know.
    pub fn viewing(view: PathBuf) -> Self {
        Self { dir: None, view: Some(view) }
    }

    /// The same, with the checkpoint that was named.
    pub fn seen_at(self, view: &Path) -> Self {
        Self { view: Some(view.to_owned()), ..self }
    }

    /// Notes where the runs of a work tree lie, so that nobody has to look in every memory.
    pub fn note_place(&self, home: &Path) -> Result<(), StoreError> {
        let Some(dir) = &self.dir else { return Ok(()) };
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let memory = dir.parent().and_then(Path::parent).and_then(Path::file_name);
        for part in name.split('-') {
            let place = home.join(RUNS).join(part);
            atomic::create_dirs(&place)?;
            let file = place.join(memory.unwrap_or_default());
            platform::open_or_create(&file).at("write", &file)?;
        }
        Ok(())
    }

    /// The memories that have runs of a work tree, a plan or a checkpoint.
    pub fn memories(home: &Path, part: &str) -> Result<Vec<PathBuf>, StoreError> {
        let names = listing(&home.join(RUNS).join(part))?;
        Ok(names.iter().map(|name| home.join("projects").join(name)).collect())
    }

    /// The runs of a memory whose names fit.
    pub fn of_memory(
        memory: &Path,
        fits: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<PathBuf>, StoreError> {
        let runs = memory.join(RUN);
        let names = listing(&runs)?.into_iter().filter(|name| fits(name));
        Ok(names.map(|name| runs.join(name)).collect())
    }

    /// Whether a plan of this name began it, or is what its inputs wait for.
    pub fn belongs_to(&self, plan: &str) -> bool {
        let own = self.read_own().ok().flatten().and_then(|own| own.head?.plan);
        let first = self.queued_keys().unwrap_or_default().into_iter().next().and_then(|key| {
            let text = read_text(&self.queue().join(format!("{key}.json")), MAX_OWN).ok()??;
            Input::parse(&text).ok()?.plan
        });
        own.or(first).as_deref() == Some(plan)
    }

    /// The file that people are shown.
    pub fn checkpoint(&self) -> PathBuf {
        match (&self.view, &self.dir) {
            (Some(view), _) => view.clone(),
            (None, dir) => dir.clone().unwrap_or_default().join(CHECKPOINT),
        }
    }

    pub fn view(&self) -> Option<&Path> {
        self.view.as_deref()
    }

    pub fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    fn at(&self, what: &str) -> Option<PathBuf> {
        self.dir.as_ref().map(|dir| dir.join(what))
    }

    pub fn queue(&self) -> PathBuf {
        self.at("queue").unwrap_or_default()
    }

    /// What we know of it ourselves.
    pub fn read_own(&self) -> Result<Option<Checkpoint>, StoreError> {
        let Some(path) = self.at(CHECKPOINT) else { return Ok(None) };
        let Some(text) = read_text(&path, MAX_OWN)? else { return Ok(None) };
        let mut own = Checkpoint::parse(&text).map_err(bad(&path))?;
        if let Some(path) = self.at("journal")
            && let Some(journal) = read_text(&path, MAX_OWN)?
        {
            // The last line may be cut off: then what it says has not been said.
            for mark in journal.split_inclusive('\n').filter_map(Mark::parse) {
                own.apply(mark);
            }
        }
        Ok(Some(own))
    }

    /// What stands at the place that the plan names, as somebody else's.
    fn read_view(&self) -> Result<Option<Checkpoint>, StoreError> {
        let Some(path) = &self.view else { return Ok(None) };
        let Some(text) = read_text(path, MAX_VIEW)? else { return Ok(None) };
        Ok(Some(Checkpoint::parse(&text).map_err(bad(path))?))
    }

    /// The checkpoint as far as the run has got. `None` if there is none.
    pub fn read(&self) -> Result<Option<Checkpoint>, StoreError> {
        Ok(match (self.read_own()?, self.read_view()?) {
            // Only what agent-handover wrote has something to say, and only once ours is over. What has
            // our mark shows a run that we know better, or one of another machine.
            (own, Some(view)) if view.head.is_none() => match own {
                Some(own) if own.status == RunStatus::InProgress => Some(own),
                _ => Some(view.foreign()),
            },
            (own, _) => own,
        })
    }

    /// Looks without changing anything.
    pub fn look(&self) -> Result<RunSeen, StoreError> {
        let at_work = self.is_locked()?;
        let own = self.read_own()?;
        let keys = self.queued_keys()?;
        let waiting: Vec<&String> = keys.iter().filter(|key| !taken(own.as_ref(), key)).collect();
        let given_by = waiting.first().and_then(|key| {
            let text = read_text(&self.queue().join(format!("{key}.json")), MAX_OWN).ok()??;
            Input::parse(&text).ok()?.command
        });
        Ok(RunSeen { checkpoint: self.read()?, waiting: waiting.len(), given_by, at_work })
    }

    fn is_locked(&self) -> Result<bool, StoreError> {
        let Some(path) = self.at("lock") else { return Ok(false) };
        match File::open(&path) {
            Ok(file) => match file.try_lock_shared() {
                Ok(()) => Ok(false),
                Err(TryLockError::WouldBlock) => Ok(true),
                Err(TryLockError::Error(_)) => Ok(false),
            },
            Err(error) if is_absent(&error) => Ok(false),
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

    pub(crate) fn queued_keys(&self) -> Result<Vec<String>, StoreError> {
        let names = listing(&self.queue())?.into_iter();
        let keys = names.filter_map(|name| name.strip_suffix(".json").map(str::to_owned));
        Ok(keys.filter(|key| key.parse::<HandoffId>().is_ok()).collect())
    }

    /// The run's lock, for whose end others wait in turn.
    pub fn lock(&self) -> Result<LockedRun, StoreError> {
        let dir = self.dir.clone().unwrap_or_default();
        atomic::create_dirs(&dir)?;
        let lock = Lock::take(&dir.join("lock"), Kind::Exclusive, PATIENCE)?;
        atomic::sweep(&dir.join(CHECKPOINT));
        if let Some(view) = &self.view {
            atomic::sweep(view);
        }
        Ok(LockedRun::new(self.clone(), dir, lock))
    }
}

pub(crate) fn bad(path: &Path) -> impl Fn(CheckpointError) -> StoreError {
    move |source| StoreError::BadCheckpoint { path: path.to_owned(), source }
}

pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether a run has this input already; then its file in the queue is a leftover.
pub(crate) fn taken(checkpoint: Option<&Checkpoint>, key: &str) -> bool {
    let head = checkpoint.and_then(|checkpoint| checkpoint.head.as_ref());
    head.is_some_and(|head| head.inputs.iter().any(|input| input.key == key))
}

pub(crate) fn read_text(path: &Path, most: u64) -> Result<Option<String>, StoreError> {
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error).at("read", path),
    };
    let refuse = |reason: &'static str| Err(bad(path)(CheckpointError::Unfit(reason)));
    // A link could lead anywhere, and a pipe would wait for somebody to write into it.
    if !meta.is_file() {
        return refuse("it is not a regular file");
    }
    if meta.len() > most {
        return refuse("it is too large");
    }
    let mut bytes = Vec::with_capacity(meta.len() as usize);
    let file = File::open(path).at("read", path)?;
    file.take(most).read_to_end(&mut bytes).at("read", path)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => refuse("it is not UTF-8"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use segue_core::Timestamp;
    use segue_core::run::RunHead;
    use std::io::Write;

    const KEYS: [&str; 2] = ["20261115-174500-a0000001", "20261115-174500-a0000002"];

    fn begun(run: &str, steps: usize) -> Checkpoint {
        let head = RunHead::new(run.to_owned(), None, Vec::new());
        let steps = (0..steps).map(|n| (format!("s{n}"), String::new()));
        Checkpoint::begin(head, steps, Timestamp::EPOCH)
    }

    fn ground(view: Option<&str>) -> (tempfile::TempDir, RunFiles) {
        let dir = tempfile::tempdir().unwrap();
        let view = view.map(|name| dir.path().join(name));
        let files = RunFiles::new(&dir.path().join("memory"), Path::new("/work"), "plan", view);
        (dir, files)
    }

    #[test]
    fn a_long_run_is_as_far_as_its_journal_says() {
        let (_dir, files) = ground(None);
        let mut locked = files.lock().unwrap();
        let mut checkpoint = begun("r1", 1000);
        locked.write(&checkpoint).unwrap();
        for at in 0..40 {
            checkpoint.steps[at].done = true;
            locked.note(&checkpoint, at).unwrap();
            assert_eq!(files.read().unwrap().unwrap(), checkpoint, "{at}");
        }
        // A cut-off line says nothing, and is not built upon.
        let journal = files.at("journal").unwrap();
        let bytes = fs::read(&journal).unwrap();
        assert!(bytes.len() > 2);
        let file = File::options().write(true).open(&journal).unwrap();
        file.set_len(bytes.len() as u64 - 2).unwrap();
        assert_eq!(files.read().unwrap().unwrap().pending().count(), 961);
        // One of another run, or an older one, undoes nothing.
        locked.write(&checkpoint).unwrap();
        let old = begun("r1", 1000).mark(3).unwrap();
        File::create(&journal).unwrap().write_all(old.render().as_bytes()).unwrap();
        assert_eq!(files.read().unwrap().unwrap(), checkpoint);
    }

    #[test]
    fn what_a_run_has_taken_does_not_wait_any_more() {
        let (_dir, files) = ground(None);
        for key in KEYS.iter().rev() {
            files.enqueue(&Input { key: (*key).to_owned(), ..Input::default() }).unwrap();
        }
        assert_eq!(files.look().unwrap().waiting, 2);
        let mut locked = files.lock().unwrap();
        assert!(files.look().unwrap().at_work);
        let inputs = locked.waiting(None, None, Timestamp::EPOCH).unwrap().inputs;
        assert_eq!(inputs.iter().map(|input| input.key.as_str()).collect::<Vec<_>>(), KEYS);
        assert!(locked.waiting(None, Some("other"), Timestamp::EPOCH).unwrap().inputs.is_empty());
        // Killed right after the checkpoint was written: nothing is taken twice.
        let head = RunHead::new("r".to_owned(), None, inputs);
        let checkpoint = Checkpoint::begin(head, [], Timestamp::EPOCH);
        locked.write(&checkpoint).unwrap();
        assert_eq!(files.look().unwrap().waiting, 0);
        let left = locked.waiting(Some(&checkpoint), None, Timestamp::EPOCH).unwrap();
        assert!(left.inputs.is_empty());
        assert!(listing(&files.queue()).unwrap().is_empty());
        drop(locked);
        assert!(!files.look().unwrap().at_work);
    }

    #[test]
    fn a_damaged_input_is_put_aside_and_blocks_nobody() {
        let (_dir, files) = ground(None);
        files.enqueue(&Input { key: KEYS[0].to_owned(), ..Input::default() }).unwrap();
        File::create(files.queue().join(format!("{}.json", KEYS[1]))).unwrap();
        let locked = files.lock().unwrap();
        let waiting = locked.waiting(None, None, Timestamp::EPOCH).unwrap();
        assert_eq!((waiting.inputs.len(), waiting.put_aside.len()), (1, 1));
        assert_eq!(files.look().unwrap().waiting, 1);
    }

    #[test]
    fn no_key_leads_out_of_the_queue() {
        let (dir, files) = ground(None);
        let outside = dir.path().join("settings.json");
        File::create(&outside).unwrap();
        let locked = files.lock().unwrap();
        let up = "../../../../settings".to_owned();
        let absolute = outside.with_extension("").to_string_lossy().into_owned();
        for key in [up, absolute] {
            locked.dequeue(&[Input { key, ..Input::default() }]).unwrap();
        }
        assert!(outside.exists());
    }

    #[test]
    fn the_named_checkpoint_is_a_view_and_only_the_peers_runs_are_read_from_it() {
        let (_dir, files) = ground(Some("checkpoint.json"));
        let view = files.view().unwrap().to_owned();
        let put = |text: &str| File::create(&view).unwrap().write_all(text.as_bytes()).unwrap();
        // agent-handover's: its marks count.
        let mut foreign = begun("theirs", 2);
        let input =
            Input { key: KEYS[0].to_owned(), note: Some("evil".into()), ..Input::default() };
        foreign.head.as_mut().unwrap().inputs.push(input.clone());
        let peers = foreign.clone().foreign();
        put(&peers.render());
        let read = files.read().unwrap().unwrap();
        assert_eq!((read.pending().count(), read.head), (2, None));
        // One with our mark is of another machine, or older: it says nothing.
        put(&foreign.render());
        assert_eq!(files.read().unwrap(), None);
        // Ours is the truth, and shows no inputs.
        let mut locked = files.lock().unwrap();
        let mut own = begun("ours", 2);
        own.head.as_mut().unwrap().inputs.push(input);
        locked.write(&own).unwrap();
        assert_eq!(files.read().unwrap().unwrap(), own);
        assert!(!fs::read_to_string(&view).unwrap().contains("evil"));
        put(&peers.render());
        assert_eq!(files.read().unwrap().unwrap(), own, "ours is not over");
        own.steps.iter_mut().for_each(|step| step.done = true);
        own.complete(Timestamp::EPOCH);
        locked.write(&own).unwrap();
        fs::remove_file(&view).unwrap();
        assert_eq!(files.read().unwrap().unwrap(), own);
        put(&foreign.render());
        assert_eq!(files.read().unwrap().unwrap(), own, "a view that git brought back");
        put(&peers.render());
        assert!(files.read().unwrap().unwrap().is_interrupted(), "a run of the peer's since");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_as_checkpoint_is_not_followed() {
        let (dir, files) = ground(Some("checkpoint.json"));
        let target = dir.path().join("target");
        File::create(&target).unwrap();
        std::os::unix::fs::symlink(&target, files.view().unwrap()).unwrap();
        assert!(files.read().is_err());
        files.lock().unwrap().write(&begun("r", 1)).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"");
    }
}
