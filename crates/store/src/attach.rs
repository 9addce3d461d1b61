//! Memories whose layers lie in the user's trees: attached to the store, trusted or not.
//!
//! The pointer lies in `$SEGUE_HOME` with everything that no repository may bring: whether it is
//! trusted, locks, tombstones, what was pushed.

use std::fs;
use std::io;
use std::path::Path;

use segue_core::{HandoffId, Key, KeyKind, ProjectId};

use crate::atomic;
use crate::error::{IoContext, StoreError};
use crate::index::{Listed, View};
use crate::layers::{Layers, identity_of};
use crate::layout::{LAYER1, PROJECT_FILE, is_markdown, is_month};
use crate::lock::{Kind, Lock, PATIENCE};
use crate::memory::{LockedMemory, listing};
use crate::project_file::{Attached, ProjectFile, Standing};
use crate::store::Store;

impl Store {
    /// Makes a directory the layers of a memory, and gives that memory's id, which follows from the
    /// path. Said again it changes nothing, but that `trusted` can be said later; only
    /// `set_trusted` takes it back. The directory is made if it is not there.
    ///
    /// What is not trusted can be written to under its lock. It is not indexed, so it is not
    /// listed, found or briefed from.
    pub fn attach(
        &self,
        view: &View,
        at: &Path,
        label: &str,
        trusted: bool,
    ) -> Result<ProjectId, StoreError> {
        let Some(text) = at.to_str().filter(|_| at.is_absolute()) else {
            let error = io::Error::new(
                io::ErrorKind::InvalidInput,
                "a memory needs an absolute path that is UTF-8",
            );
            return Err(error).at("attach", at);
        };
        Layers::Elsewhere(at.to_owned()).create_dirs(at)?;
        let identity = identity_of(at).at("read", at)?;
        let _lock = Lock::take(&self.layout.store_lock(), Kind::Exclusive, PATIENCE)?;
        for attempt in 0.. {
            let id = id_of_attached(at, text, attempt);
            let dir = self.layout.memory(&id);
            let path = dir.join(PROJECT_FILE);
            let mut file = match ProjectFile::read(&path) {
                Ok(file) => match &file.attached {
                    Some(attached) if attached.at == at => file,
                    _ => continue,
                },
                Err(StoreError::BadProject { .. }) => continue,
                Err(error) if error.io_kind() == Some(io::ErrorKind::NotFound) => {
                    atomic::create_dirs(&dir)?;
                    let attached = Attached { at: at.to_owned(), identity: None, trusted: false };
                    let file = ProjectFile::new_attached(label, &attached);
                    file.write(&path)?;
                    let _ = view.note_project_file(&id, &file);
                    file
                }
                Err(error) => return Err(error),
            };
            if trusted {
                let wanted =
                    Attached { at: at.to_owned(), identity: Some(identity), trusted: true };
                if file.attach(&wanted) {
                    file.write(&path)?;
                    let _ = view.note_project_file(&id, &file);
                }
            }
            return Ok(id);
        }
        Err(StoreError::NoProject(label.to_owned()))
    }

    /// Trusts what lies in an attached memory as it lies there now, or takes that back; says whether
    /// that changed anything.
    pub fn set_trusted(
        &self,
        view: &View,
        memory: &ProjectId,
        trusted: bool,
    ) -> Result<bool, StoreError> {
        let mut failed = None;
        let changed = self.change_project(view, memory, |file| {
            let Some(attached) = file.attached.clone() else { return false };
            let identity = if trusted { identity_of(&attached.at).map(Some) } else { Ok(None) };
            match identity {
                Ok(identity) => file.attach(&Attached { identity, trusted, ..attached }),
                Err(error) => {
                    failed = Some((error, attached.at));
                    false
                }
            }
        })?;
        match failed {
            Some((error, at)) => Err(error).at("read", &at),
            None => Ok(changed),
        }
    }
}

impl LockedMemory<'_> {
    /// Whether what lies in its layers is trusted. A memory in `$SEGUE_HOME` always is.
    pub fn standing(&self) -> Result<Standing, StoreError> {
        let attached = ProjectFile::read(&self.dir.join(PROJECT_FILE))?.attached;
        Ok(attached.map_or(Standing::Trusted, |attached| attached.standing()))
    }

    /// The directory of its layers.
    pub fn layers_dir(&self) -> &Path {
        self.layers.root()
    }

    /// A handoff of layer 1 by its id, found by the name of its file, trusted or not.
    pub fn handoff(&self, id: &HandoffId) -> Result<Option<Listed>, StoreError> {
        let dir = self.layers.at(&[LAYER1, &id.month()]);
        self.layers.check(&dir)?;
        let ending = format!("-{}.md", id.short());
        if !listing(&dir)?.iter().any(|name| name.ends_with(&ending)) {
            return Ok(None);
        }
        Ok(self.handoffs()?.into_iter().find(|listed| listed.head.id == *id))
    }

    /// The handoffs of layer 1 by their files, trusted or not; what cannot be read is left out.
    pub fn handoffs(&self) -> Result<Vec<Listed>, StoreError> {
        let label = ProjectFile::read(&self.dir.join(PROJECT_FILE))?.label;
        let layer1 = self.layers.at(&[LAYER1]);
        self.layers.check(&layer1)?;
        let mut found = Vec::new();
        for month in listing(&layer1)?.into_iter().filter(|name| is_month(name)) {
            let dir = layer1.join(month);
            self.layers.check(&dir)?;
            for file in listing(&dir)?.into_iter().filter(|name| is_markdown(name)) {
                let path = dir.join(file);
                let Ok(handoff) = self.layers.read_handoff(&path) else { continue };
                found.push(Listed {
                    project: self.project.clone(),
                    label: label.clone(),
                    title: handoff.display_title(),
                    next: handoff.next(),
                    repeats_handoff_file: handoff.head.fields.repeats_handoff_file(),
                    head: handoff.head,
                    path,
                    archived: None,
                    payload: None,
                    layers: self.layers.is_elsewhere().then(|| self.layers.root().to_owned()),
                });
            }
        }
        Ok(found)
    }
}

/// Whether a directory has the look of a memory. Links in it count as they are.
pub fn looks_like_memory(at: &Path) -> bool {
    [PROJECT_FILE, LAYER1].iter().any(|name| fs::symlink_metadata(at.join(name)).is_ok())
}

/// Whether a newer version of Segue made the memory that lies there. It is all that its
/// `project.toml` is asked: whatever else stands in it has no effect.
pub fn is_newer_memory(at: &Path) -> bool {
    let layers = Layers::Elsewhere(at.to_owned());
    let source = layers.read(&layers.at(&[PROJECT_FILE]));
    let source = source.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    source.and_then(|text| ProjectFile::parse(&text).ok()).is_some_and(|file| file.is_newer())
}

/// How many files layer 1 of a directory has, up to a number. None is opened, no link is followed.
pub fn count_handoffs(at: &Path, most: usize) -> usize {
    let layers = Layers::Elsewhere(at.to_owned());
    let layer1 = layers.at(&[LAYER1]);
    if layers.check(&layer1).is_err() {
        return 0;
    }
    let months = listing(&layer1).unwrap_or_default();
    let months = months.iter().filter(|name| is_month(name)).map(|name| layer1.join(name));
    let mut count = 0;
    for month in months.filter(|month| layers.check(month).is_ok()) {
        for entry in fs::read_dir(month).into_iter().flatten().flatten() {
            let file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if file && entry.file_name().to_str().is_some_and(is_markdown) {
                count += 1;
            }
            if count >= most {
                return count;
            }
        }
    }
    count
}

/// The id of the memory whose layers lie there, which follows from the path.
pub(crate) fn id_of_attached(at: &Path, text: &str, attempt: u32) -> ProjectId {
    ProjectId::derive(&name_of(at), &[Key::new(KeyKind::Path, text)], attempt)
}

/// What a pointer is called: the last two names of its path.
fn name_of(at: &Path) -> String {
    let names: Vec<String> =
        at.iter().rev().take(2).map(|name| name.to_string_lossy().into_owned()).collect();
    names.into_iter().rev().collect::<Vec<_>>().join(" ")
}
