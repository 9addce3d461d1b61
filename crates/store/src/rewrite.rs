//! Every text that the store keeps, and the one way to rewrite it: for `scrub`.
//!
//! A file is replaced whole, with its permissions and time. Where its name has to change that comes
//! first, so that whoever goes on after an interruption finds what is still to do by the content.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use segue_core::ProjectId;

use crate::atomic::{self, TEMP_PREFIX};
use crate::error::{IoContext, StoreError};
use crate::index::View;
use crate::layers::Layers;
use crate::layout::{
    FORGOTTEN, LAYER1, LAYER2, LAYER3, LIVE, MEMORY_LOCK, PROJECT_FILE, PUSHED, RUN, SNAPSHOTS,
    TURN_LOCK, is_markdown, is_month,
};
use crate::locked_run::LockedRun;
use crate::memory::{LockedMemory, listing};
use crate::platform;
use crate::project_file::{ProjectFile, Standing};
use crate::store::Store;

/// What a file of the store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextKind {
    /// A file of layer 1, damaged or not.
    Handoff,
    /// A file of layer 3, damaged or not.
    Archive,
    /// Any other text: layer 2, what was put aside, what somebody put there.
    Text,
    /// JSON, or lines of it: the files of a run, how far sessions were read.
    Json,
    /// What a killed process left of a file in the making.
    Leftover,
    /// What a project is recognised by. It is never rewritten.
    Project,
}

/// A file with text in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredText {
    pub memory: ProjectId,
    pub path: PathBuf,
    pub kind: TextKind,
    /// The directory of the run that it belongs to.
    pub run: Option<PathBuf>,
}

/// What a file becomes.
#[derive(Debug)]
pub struct Rewritten {
    pub bytes: Vec<u8>,
    /// Its name, if that changes.
    pub name: Option<String>,
}

/// What changes a file's bytes; `None` leaves them.
pub type Rewrite<'a> = dyn FnMut(&[u8]) -> Result<Option<Rewritten>, StoreError> + 'a;

/// Texts of a memory.
#[derive(Debug, Default)]
pub struct StoredTexts {
    pub texts: Vec<StoredText>,
    /// Where its layers lie, if they are not trusted and so not looked at.
    pub untrusted: Option<PathBuf>,
}

impl Store {
    /// Every file of a memory that can have text in it.
    pub fn texts(&self, memory: &ProjectId) -> Result<StoredTexts, StoreError> {
        let dir = self.layout().memory(memory);
        let mut found = StoredTexts::default();
        let mut walk = Walk { memory, found: &mut found.texts };
        let attached = match ProjectFile::read(&dir.join(PROJECT_FILE)) {
            Ok(file) => file.attached,
            Err(_) => None,
        };
        walk.own(&dir)?;
        if let Some(attached) = attached {
            if attached.standing() == Standing::Trusted {
                walk.layers(&Layers::Elsewhere(attached.at))?;
            } else if attached.at.is_dir() {
                found.untrusted = Some(attached.at);
            }
        }
        found.texts.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    /// Notes that handoffs are about to be rewritten, so that who is killed is not forgotten: until
    /// `end_scrub` the index may hold what was taken out.
    pub fn begin_scrub(&self) -> Result<(), StoreError> {
        let path = self.layout().scrubbing();
        if path.exists() {
            return Ok(());
        }
        atomic::write_new(&path, b"").map(|_| ())
    }

    /// Whether a scrub was cut off.
    pub fn is_scrubbing(&self) -> bool {
        self.layout().scrubbing().exists()
    }

    /// Makes the index anew from the files, nothing of the old one in it.
    pub fn end_scrub(&self) -> Result<(), StoreError> {
        self.close();
        View::rebuild_whole(self.layout(), self.outside(), "handoffs were rewritten")?;
        let path = self.layout().scrubbing();
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).at("remove", &path);
            }
            _ => {}
        }
        platform::sync_dir(self.layout().home()).at("sync", self.layout().home())
    }
}

struct Walk<'a> {
    memory: &'a ProjectId,
    found: &'a mut Vec<StoredText>,
}

impl Walk<'_> {
    fn push(&mut self, path: PathBuf, kind: TextKind, run: Option<&Path>) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let kind = if name.starts_with(TEMP_PREFIX) { TextKind::Leftover } else { kind };
        let run = run.map(Path::to_owned);
        self.found.push(StoredText { memory: self.memory.clone(), path, kind, run });
    }

    /// Everything in a memory's own directory.
    fn own(&mut self, dir: &Path) -> Result<(), StoreError> {
        for name in listing(dir)? {
            let path = dir.join(&name);
            match name.as_str() {
                // Names, checksums and nothing else.
                FORGOTTEN | PUSHED | SNAPSHOTS | MEMORY_LOCK | TURN_LOCK => {}
                PROJECT_FILE => self.push(path, TextKind::Project, None),
                LAYER1 | LAYER2 | LAYER3 => {}
                LIVE => {
                    let layers = Layers::Own(dir.to_owned());
                    self.below(&path, &layers, &|name| state_kind(name), None)?;
                }
                RUN => {
                    for run in listing(&path)? {
                        let run = path.join(run);
                        self.below(
                            &run,
                            &Layers::Own(dir.to_owned()),
                            &|name| state_kind(name),
                            Some(&run),
                        )?;
                    }
                }
                _ => self.below(
                    &path,
                    &Layers::Own(dir.to_owned()),
                    &|_| Some(TextKind::Text),
                    None,
                )?,
            }
        }
        self.layers(&Layers::Own(dir.to_owned()))
    }

    fn layers(&mut self, layers: &Layers) -> Result<(), StoreError> {
        let layer1 = layers.at(&[LAYER1]);
        layers.check(&layer1)?;
        for name in listing(&layer1)? {
            let month = is_month(&name);
            let kind = move |file: &str| match month && is_markdown(file) {
                true => Some(TextKind::Handoff),
                false => Some(TextKind::Text),
            };
            self.below(&layer1.join(&name), layers, &kind, None)?;
        }
        let archive = |name: &str| match is_markdown(name) {
            true => Some(TextKind::Archive),
            false => Some(TextKind::Text),
        };
        self.below(&layers.at(&[LAYER2]), layers, &|_| Some(TextKind::Text), None)?;
        self.below(&layers.at(&[LAYER3]), layers, &archive, None)
    }

    /// A file, or the files of a directory and of those in it.
    fn below(
        &mut self,
        path: &Path,
        layers: &Layers,
        kind: &dyn Fn(&str) -> Option<TextKind>,
        run: Option<&Path>,
    ) -> Result<(), StoreError> {
        // What is a link there is told elsewhere.
        if layers.check(path).is_err() {
            return Ok(());
        }
        if path.is_file() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(kind) = kind(&name) {
                self.push(path.to_owned(), kind, run);
            }
            return Ok(());
        }
        for name in listing(path)? {
            let below = path.join(&name);
            // A directory of the user's that is linked here is not ours, and could lead round in circles.
            if below.is_dir() && below.is_symlink() {
                continue;
            }
            self.below(&below, layers, kind, run)?;
        }
        Ok(())
    }
}

/// Files of a run and of sessions that go on.
fn state_kind(name: &str) -> Option<TextKind> {
    match name {
        "lock" | MEMORY_LOCK => None,
        "journal" => Some(TextKind::Json),
        _ if name.ends_with(".json") => Some(TextKind::Json),
        _ => Some(TextKind::Text),
    }
}

impl LockedMemory<'_> {
    /// Rewrites a file of this memory. Gives its new place; `None` if nothing was to be changed.
    pub fn rewrite(
        &self,
        text: &StoredText,
        change: &mut Rewrite<'_>,
    ) -> Result<Option<PathBuf>, StoreError> {
        let layers = match self.layers.is_elsewhere() && text.path.starts_with(self.layers.root()) {
            true => self.layers.clone(),
            false => Layers::Own(self.dir.clone()),
        };
        rewrite(&layers, text, change)
    }
}

impl LockedRun {
    /// Rewrites a file of this run, as `LockedMemory::rewrite` does.
    pub fn rewrite(
        &self,
        text: &StoredText,
        change: &mut Rewrite<'_>,
    ) -> Result<Option<PathBuf>, StoreError> {
        rewrite(&Layers::Own(atomic::parent(&text.path).to_owned()), text, change)
    }
}

fn rewrite(
    layers: &Layers,
    text: &StoredText,
    change: &mut Rewrite<'_>,
) -> Result<Option<PathBuf>, StoreError> {
    let mut path = text.path.clone();
    let Some(new) = change(&layers.read(&path)?)? else { return Ok(None) };
    if text.kind == TextKind::Leftover {
        // Whoever wrote it was killed: nothing of it ever counted.
        layers.remove_file(&path)?;
        platform::sync_dir(atomic::parent(&path)).at("sync", atomic::parent(&path))?;
        return Ok(Some(path));
    }
    if let Some(name) = new.name {
        path = renamed(layers, &path, &name)?;
    }
    atomic::sweep(&path);
    layers.rewrite(&path, &new.bytes)?;
    Ok(Some(path))
}

/// Gives a file another name, or that with a number if something has it.
fn renamed(layers: &Layers, path: &Path, name: &str) -> Result<PathBuf, StoreError> {
    let dir = atomic::parent(path);
    let stem = name.trim_end_matches(".md");
    for number in 0_u32.. {
        let name = if number == 0 { name.to_owned() } else { format!("{stem}-{number}.md") };
        let to = dir.join(name);
        if fs::symlink_metadata(&to).is_ok() {
            continue;
        }
        layers.check(&to)?;
        // The memory's lock keeps other writers out between look and rename.
        fs::rename(path, &to).at("rename", path)?;
        platform::sync_dir(dir).at("sync", dir)?;
        return Ok(to);
    }
    Err(StoreError::Exists { path: path.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn put(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn every_file_of_a_memory_is_found_but_those_without_text() {
        let home = tempfile::tempdir().unwrap();
        let outside = crate::Outside { clock: || 0, progress: |_, _, _| {}, hurried: false };
        let store = Store::new(home.path(), outside);
        let memory: ProjectId = "app-5f1c2d3e".parse().unwrap();
        let dir = store.layout().memory(&memory);
        for (file, _) in EXPECTED {
            put(&dir.join(file), "segue = 1\nlabel = \"app\"\n");
        }
        for file in
            [".lock", ".turn", "forgotten/20261115-174500-a3f9c12e", "pushed/x", "run/a-b/lock"]
        {
            put(&dir.join(file), "");
        }
        let found: Vec<_> = store.texts(&memory).unwrap().texts;
        let found: Vec<(String, TextKind)> = found
            .iter()
            .map(|text| {
                let path = text.path.strip_prefix(&dir).unwrap().to_string_lossy().into_owned();
                assert_eq!(text.run.is_some(), path.starts_with("run/"));
                (path, text.kind)
            })
            .collect();
        let mut expected = EXPECTED.map(|(path, kind)| (path.to_owned(), kind));
        expected.sort_unstable_by(|one, other| Path::new(&one.0).cmp(Path::new(&other.0)));
        assert_eq!(found, expected);
    }

    const EXPECTED: [(&str, TextKind); 14] = [
        ("PAUSE", TextKind::Text),
        ("kept/20261115-174500-HANDOFF.md", TextKind::Text),
        ("layer1/2026-11/.tmp-1-a.md", TextKind::Leftover),
        ("layer1/2026-11/a.md", TextKind::Handoff),
        ("layer1/2026-11/a.md.orig", TextKind::Text),
        ("layer1/stray.md", TextKind::Text),
        ("layer2/current-state.md", TextKind::Text),
        ("layer3/2026-11-a-archive.md", TextKind::Archive),
        ("project.toml", TextKind::Project),
        ("run/a-b/checkpoint.json", TextKind::Json),
        ("run/a-b/journal", TextKind::Json),
        ("run/a-b/queue/20261115-174500-a0000001.json", TextKind::Json),
        ("live/abc.json", TextKind::Json),
        ("live/abc.md", TextKind::Text),
    ];
}
