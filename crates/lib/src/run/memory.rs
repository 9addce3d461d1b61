//! A memory's three layers, for whoever runs a plan: write, read the latest, count.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use segue_core::{Draft, Fields, Handoff, HandoffId, Identity, Key, KeyKind, ProjectId, Tag};
use segue_store::{BadFile, Drawn, Listed, MemoryDir, Scope, Standing, View};

use super::StepRun;
use super::plain_path::plain;
use super::plan_file::peer_plan;
use super::seen::Runs;
use crate::Error;
use crate::here::{Here, Shared, Trust, path_key, trust_of};
use crate::redacted::redact_draft;

/// One of the three layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Layer 1: dated notes, each its own file, none ever replaced.
    Notes,
    /// Layer 2: where we are now.
    State,
    /// Layer 3: a month's old notes in one file.
    Archive,
}

impl Layer {
    /// The layer of this number.
    pub fn from_number(number: u8) -> Option<Self> {
        match number {
            1 => Some(Self::Notes),
            2 => Some(Self::State),
            3 => Some(Self::Archive),
            _ => None,
        }
    }
}

/// A memory, in the store or in any directory.
#[derive(Debug)]
pub struct Memory<'s> {
    here: Here<'s>,
    /// Its place, if that is not in the store.
    dir: Option<PathBuf>,
    id: OnceCell<ProjectId>,
    foreign: OnceCell<bool>,
    layers: OnceCell<PathBuf>,
}

impl<'s> Runs<'s> {
    /// The memory in a directory, which need not exist yet. `~` is the user's home directory.
    pub fn memory(&self, dir: impl AsRef<Path>) -> Memory<'s> {
        Memory::at(&self.here, dir.as_ref())
    }

    /// The memory that somebody means who names none: the plan's of this directory, `memory/` at the
    /// top of the work tree, else the project's own.
    pub fn memory_to_read(&self, given: Option<&Path>) -> Result<Memory<'s>, Error> {
        Memory::to_read(&self.here, given)
    }
}

impl<'s> Memory<'s> {
    /// The memory in a directory, which need not exist yet.
    pub(super) fn at(here: &Here<'s>, dir: &Path) -> Self {
        let dir = plain(&here.env.expand_from(&here.env.dir, dir));
        Self { dir: Some(dir), ..Self::own(here) }
    }

    /// The directory's own memory in the store.
    pub(super) fn own(here: &Here<'s>) -> Self {
        Self {
            here: here.clone(),
            dir: None,
            id: OnceCell::new(),
            foreign: OnceCell::new(),
            layers: OnceCell::new(),
        }
    }

    /// The memory that somebody means who names none.
    fn to_read(here: &Here<'s>, given: Option<&Path>) -> Result<Self, Error> {
        if let Some(dir) = given {
            let memory = Self::at(here, dir);
            let dir = memory.layers()?;
            if !dir.is_dir() {
                return Err(Error::NoDirectory(dir.to_owned()));
            }
            return Ok(memory);
        }
        let dir = here.directory()?;
        let root = here.claimed_repo().map_or(dir, |repo| &repo.top);
        let planned = peer_plan(root).and_then(|plan| plan.memory_dir);
        let dir = here.env.expand_from(root, planned.as_deref().unwrap_or("memory"));
        let memory = Self::at(here, &dir);
        Ok(if memory.read()?.exists() { memory } else { Self::own(here) })
    }
}

impl Memory<'_> {
    /// The directory of its layers.
    pub fn layers(&self) -> Result<&Path, Error> {
        match (&self.dir, self.layers.get()) {
            (Some(dir), _) => Ok(dir),
            (None, Some(layers)) => Ok(layers),
            (None, None) => {
                let dir = match self.id.get() {
                    Some(id) => self.layers_of(id)?,
                    None => self.layers_to_read()?,
                };
                Ok(self.layers.get_or_init(|| dir))
            }
        }
    }

    fn layers_of(&self, id: &ProjectId) -> Result<PathBuf, Error> {
        Ok(self.here.store.ask(&Scope::Projects, |view| view.layers_dir(id))?)
    }

    /// Where the directory's own memory lies, or will lie once something is written.
    fn layers_to_read(&self) -> Result<PathBuf, Error> {
        if let Shared::Used(at) = self.here.shared() {
            return Ok(at.clone());
        }
        let place = self.here.known_place()?;
        match &place.identity {
            Identity::Known { id, .. } => self.layers_of(id),
            Identity::New { keys } => {
                let id = ProjectId::derive(&place.label, keys, 0);
                Ok(self.here.store.layout().memory(&id))
            }
        }
    }

    /// Its id in the store, which is made known there first.
    pub(crate) fn id(&self) -> Result<&ProjectId, Error> {
        if self.id.get().is_none() {
            let here = self.here.afresh();
            let (view, own) = here.create_or_update_own_project()?;
            let id = match &self.dir {
                None => here.attach_memory(&view, &own)?.unwrap_or(own),
                Some(dir) => {
                    let (id, foreign) = attach_directory(&here, &view, &own, dir)?;
                    let _ = self.foreign.set(foreign);
                    id
                }
            };
            let _ = self.id.set(id);
        }
        self.id.get().ok_or_else(|| Error::Internal("the memory has no id".to_owned()))
    }

    /// Whether what lies in it is not briefed from.
    pub(crate) fn is_foreign(&self) -> Result<bool, Error> {
        self.id()?;
        Ok(self.foreign.get().copied().unwrap_or(false))
    }

    fn read(&self) -> Result<MemoryDir, Error> {
        let layers = self.layers()?;
        Ok(match layers.starts_with(&self.here.env.home) {
            true => MemoryDir::own(layers),
            false => MemoryDir::at(layers),
        })
    }

    /// Ids and moments for so many new handoffs, in their order.
    pub(crate) fn draw(&self, count: usize) -> Result<Drawn, Error> {
        let id = self.id()?;
        let view = self.here.store.writer_view()?;
        let locked = self.here.store.lock(&view, id)?;
        let random = || self.here.env.random();
        Ok(locked.draw(self.here.now(), count, &random)?)
    }

    /// Writes a text into a layer. In layer 1 every step of a run writes its own file, the same in
    /// every attempt; the others are replaced whole.
    pub fn write(
        &self,
        step: &StepRun<'_>,
        layer: Layer,
        text: &str,
        tag: &str,
    ) -> Result<(), Error> {
        let tag: Tag = tag.parse()?;
        let fields = Fields { tags: vec![tag.as_str().to_owned()], ..Fields::default() };
        let mut draft = Draft { fields, extra: Vec::new(), body: text.to_owned() };
        redact_draft(&*self.here.redactor()?, &mut draft)?;
        let id = self.id()?;
        let view = self.here.store.writer_view()?;
        let locked = self.here.store.lock(&view, id)?;
        match layer {
            Layer::Notes => {
                locked.commit_as(&draft, &step.handoff_id(), step.began)?;
            }
            Layer::State => {
                let source = draft.render(&step.handoff_id(), step.began);
                let handoff =
                    Handoff::parse(source).map_err(|error| Error::Internal(error.to_string()))?;
                locked.write_state(&handoff)?;
            }
            Layer::Archive => {
                locked.archive_text(&draft, &step.handoff_id(), step.began)?;
            }
        }
        Ok(())
    }

    /// The newest text of a layer, with exactly this tag if one is given.
    pub fn latest(&self, layer: Layer, tag: Option<&str>) -> Result<Option<String>, Error> {
        let dir = self.read()?;
        Ok(match layer {
            Layer::State => dir.state()?,
            Layer::Notes => {
                let notes = dir.notes()?.handoffs;
                let fits = |handoff: &Handoff| {
                    tag.is_none_or(|tag| handoff.head.fields.tags.iter().any(|has| has == tag))
                };
                notes
                    .into_iter()
                    .map(|(_, note)| note)
                    .find(fits)
                    .map(|note| note.body().to_owned())
            }
            Layer::Archive => dir.archives(tag)?.pop().map(|(_, text)| text),
        })
    }

    /// The notes of layer 1 with all of these tags, newest first, and what cannot be read.
    pub fn list_notes(&self, tags: &[String]) -> Result<(Vec<Listed>, Vec<BadFile>), Error> {
        let notes = self.read()?.notes()?;
        let root = self.layers()?;
        let label = root.file_name().map(|name| name.to_string_lossy().into_owned());
        let label = label.unwrap_or_default();
        let key = Key::new(KeyKind::Path, path_key(root));
        let project = ProjectId::derive(&label, &[key], 0);
        let fits = |note: &Handoff| tags.iter().all(|tag| note.head.fields.tags.contains(tag));
        let listed =
            notes.handoffs.into_iter().filter(|(_, note)| fits(note)).map(|(path, note)| Listed {
                project: project.clone(),
                label: label.clone(),
                title: note.display_title(),
                next: note.next(),
                repeats_handoff_file: note.head.fields.repeats_handoff_file(),
                head: note.head,
                path,
                archived: None,
                payload: None,
                layers: Some(root.to_owned()),
            });
        Ok((listed.collect(), notes.bad))
    }

    /// The files of layer 2 or 3, the latter of exactly this tag if one is given.
    pub fn files(&self, layer: Layer, tag: Option<&str>) -> Result<Vec<PathBuf>, Error> {
        let dir = self.read()?;
        Ok(match layer {
            Layer::Notes => dir.notes()?.handoffs.into_iter().map(|(path, _)| path).collect(),
            Layer::State => dir.state_file()?.into_iter().collect(),
            Layer::Archive => dir.archives(tag)?.into_iter().map(|(path, _)| path).collect(),
        })
    }

    /// How many notes layer 1 has of a month such as `2026-11`.
    pub fn note_count(&self, month: &str) -> Result<usize, Error> {
        Ok(self.read()?.note_count(month)?)
    }

    /// The handoff of this id, else the newest.
    pub(crate) fn handoff(&self, id: Option<&HandoffId>) -> Option<Handoff> {
        let mut notes = self.read().ok()?.notes().ok()?.handoffs.into_iter();
        match id {
            Some(id) => notes.find(|(_, note)| note.head.id == *id),
            None => notes.next(),
        }
        .map(|(_, note)| note)
    }

    /// Makes layer 2 be about the newest handoff.
    pub(crate) fn refresh_state(&self) -> Result<Option<HandoffId>, Error> {
        let id = self.id()?;
        let view = self.here.store.writer_view()?;
        Ok(self.here.store.lock(&view, id)?.refresh_state(self.here.now())?)
    }
}

/// Makes a directory's memory known as one of a project's, and says whether it is foreign. It is briefed
/// from only where the repository is trusted: a clone or a pull can bring anything there.
fn attach_directory(
    here: &Here<'_>,
    view: &View,
    own: &ProjectId,
    dir: &Path,
) -> Result<(ProjectId, bool), Error> {
    let repo = here.claimed_repo_at(dir.parent().unwrap_or(dir));
    let ours = repo.is_none_or(|repo| trust_of(here.store, &repo) == Trust::Yes);
    let names = view.project(own)?.unwrap_or_default();
    let known = view.attached_at(dir)?.filter(|row| {
        let trusted = row.attached.standing() == Standing::Trusted;
        names.includes.contains(&row.id) && trusted == ours
    });
    if let Some(row) = known {
        return Ok((row.id, !ours));
    }
    let id = here.store.attach(view, dir, &names.label, ours)?;
    if !names.includes.contains(&id) {
        here.store.change_project(view, own, |file| file.add_include(&id))?;
    }
    Ok((id, !ours))
}

/// The directory of this project's memory, or where it will be.
pub(super) fn known_memory(here: &Here<'_>) -> Result<PathBuf, Error> {
    let place = here.store.ask_files(&Scope::Projects, |view| match here.place(view) {
        Ok(place) => Ok(place.project().map(|id| view.layers_dir(id)).transpose()?),
        Err(Error::Store(error)) => Err(error),
        Err(_) => Ok(None),
    })?;
    Ok(place.unwrap_or_else(|| here.store.layout().projects()))
}
