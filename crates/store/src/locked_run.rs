//! A run whose lock is held: what may be changed of its files.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use segue_core::run::{Checkpoint, CheckpointError, Input};
use segue_core::{HandoffId, Timestamp};

use crate::atomic;
use crate::error::{IoContext, StoreError};
use crate::lock::Lock;
use crate::platform;
use crate::run_files::{CHECKPOINT, MAX_OWN, RunFiles, bad, is_absent, read_text, taken};

/// Up to so many steps the checkpoint is written anew after each; a longer run keeps a journal.
const SHORT: usize = 128;
/// How often a long run's checkpoint is written anew, over the whole run.
const REWRITES: usize = 64;

/// Inputs that wait.
#[derive(Debug, Default)]
pub struct Waiting {
    /// Oldest first.
    pub inputs: Vec<Input>,
    /// What could not be read, and where it is now.
    pub put_aside: Vec<PathBuf>,
}

/// A run whose lock is held. Only this can change how far it is.
#[derive(Debug)]
pub struct LockedRun {
    files: RunFiles,
    dir: PathBuf,
    _lock: Lock,
    /// Marks in the journal that the checkpoint does not have.
    journalled: usize,
    unshown: Option<StoreError>,
}

impl LockedRun {
    pub(crate) fn new(files: RunFiles, dir: PathBuf, lock: Lock) -> Self {
        Self { files, dir, _lock: lock, journalled: 0, unshown: None }
    }

    pub fn files(&self) -> &RunFiles {
        &self.files
    }

    /// Writes the whole checkpoint: the truth, then the view.
    pub fn write(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        self.write_own(checkpoint)?;
        self.show(checkpoint);
        Ok(())
    }

    fn write_own(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let path = self.dir.join(CHECKPOINT);
        if checkpoint.is_newer() {
            return Err(StoreError::NewerVersion { path });
        }
        atomic::replace_itself(&path, checkpoint.render().as_bytes())?;
        self.journalled = 0;
        // What stays of the journal names another run, or says what the checkpoint says.
        let _ = fs::remove_file(self.dir.join("journal"));
        Ok(())
    }

    /// Writes the view. Not after every step: whoever reads it learns that a run is going on, and
    /// where it stopped.
    pub fn show(&mut self, checkpoint: &Checkpoint) {
        if let Some(view) = self.files.view() {
            let text = checkpoint.public().render();
            let shown = atomic::create_dirs(atomic::parent(view))
                .and_then(|()| atomic::show(view, text.as_bytes()));
            // It only shows what is safe already.
            self.unshown = shown.err();
        }
    }

    /// Why the view could not be written.
    pub fn unshown(&mut self) -> Option<StoreError> {
        self.unshown.take()
    }

    /// Writes down what became of one step.
    pub fn note(&mut self, checkpoint: &Checkpoint, at: usize) -> Result<(), StoreError> {
        let steps = checkpoint.steps.len();
        if steps <= SHORT || self.journalled >= steps / REWRITES {
            return self.write_own(checkpoint);
        }
        let Some(mark) = checkpoint.mark(at) else { return self.write_own(checkpoint) };
        let path = self.dir.join("journal");
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
            platform::sync_dir(&self.dir).at("sync", &self.dir)?;
        }
        self.journalled += 1;
        Ok(())
    }

    /// The inputs for a plan that no run has taken. What a run has taken is removed, what cannot be
    /// read is put aside.
    pub fn waiting(
        &self,
        own: Option<&Checkpoint>,
        plan: Option<&str>,
        now: Timestamp,
    ) -> Result<Waiting, StoreError> {
        let mut waiting = Waiting::default();
        for key in self.files.queued_keys()? {
            let path = self.files.queue().join(format!("{key}.json"));
            if taken(own, &key) {
                fs::remove_file(&path).at("remove", &path)?;
                continue;
            }
            let read = read_text(&path, MAX_OWN).and_then(|text| {
                text.map(|text| Input::parse(&text).map_err(bad(&path))).transpose()
            });
            match read {
                Ok(Some(input)) if input.plan.as_deref() == plan => {
                    waiting.inputs.push(Input { key, ..input });
                }
                Ok(_) => {}
                Err(StoreError::BadCheckpoint { .. }) => {
                    waiting.put_aside.extend(self.move_aside(&path, now)?);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(waiting)
    }

    /// Removes inputs that a checkpoint on disk has taken.
    pub fn dequeue(&self, inputs: &[Input]) -> Result<(), StoreError> {
        for input in inputs.iter().filter(|input| input.key.parse::<HandoffId>().is_ok()) {
            let path = self.files.queue().join(format!("{}.json", input.key));
            match fs::remove_file(&path) {
                Err(error) if !is_absent(&error) => return Err(error).at("remove", &path),
                _ => {}
            }
        }
        Ok(())
    }

    /// Puts the checkpoint aside, whatever it contains, and gives its new places.
    pub fn put_aside(&mut self, now: Timestamp) -> Result<Vec<PathBuf>, StoreError> {
        let mut kept = Vec::new();
        if let Some(view) = self.files.view().map(Path::to_owned) {
            looks_like_one(&view)?;
            kept.extend(self.move_aside(&view, now)?);
        }
        // The journal's marks come along, where they can be told.
        if let Ok(Some(own)) = self.files.read_own() {
            atomic::replace_itself(&self.dir.join(CHECKPOINT), own.render().as_bytes())?;
        }
        kept.extend(self.move_aside(&self.dir.join(CHECKPOINT), now)?);
        let _ = fs::remove_file(self.dir.join("journal"));
        Ok(kept)
    }

    /// Keeps a file in `dropped/` and removes it from where it was.
    fn move_aside(&self, path: &Path, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
        let meta = match fs::symlink_metadata(path) {
            Ok(meta) => meta,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(error).at("read", path),
        };
        let dropped = self.dir.join("dropped");
        atomic::create_dirs(&dropped)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !meta.is_file() {
            // What is no file has no text to keep: it stays where it is.
            return Err(bad(path)(CheckpointError::Unfit("it is not a regular file")));
        }
        let bytes = fs::read(path).at("read", path)?;
        let kept = atomic::write_unused(&dropped, &now.compact(), &name, &bytes)?;
        fs::remove_file(path).at("remove", path)?;
        platform::sync_dir(atomic::parent(path)).at("sync", atomic::parent(path))?;
        Ok(Some(kept))
    }
}

/// Refuses a file that nobody could have meant as a checkpoint: it is not ours to move.
fn looks_like_one(path: &Path) -> Result<(), StoreError> {
    let named = path.extension().is_some_and(|extension| extension == "json");
    let mut first = [0; 1];
    let begins = File::open(path).and_then(|mut file| file.read(&mut first));
    match begins {
        Ok(count) if !named && count == 1 && first[0] != b'{' => {
            Err(bad(path)(CheckpointError::Unfit("it is some other file, and is left alone")))
        }
        _ => Ok(()),
    }
}
