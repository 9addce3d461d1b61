//! What writes down which project a directory belongs to. Only who writes a handoff, a draft or a file of
//! a run calls this; who reads looks (`place.rs`).

use std::path::Path;
use std::rc::Rc;

use segue_core::{DirFacts, Identity, Key, KeyKind, KnownProject, Label, ProjectId, identify};
use segue_share::git::Repo;
use segue_store::{Standing, View, WriterView};

use super::directory::Here;
use super::look_up::{find_labelled, set_beginning};
use super::place::{Place, default_label};
use super::project_ref::ProjectRef;
use super::trusted::Shared;
use crate::Error;

/// Where a handoff goes.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) project: ProjectId,
    pub(crate) label: String,
    /// The directory's own project, if that is another.
    pub(crate) saved_from: Option<ProjectId>,
}

impl<'s> Here<'s> {
    /// The directory's own project, created if it is not there yet, and a view for who writes to it.
    pub(crate) fn create_or_update_own_project(
        &self,
    ) -> Result<(WriterView<'s>, ProjectId), Error> {
        let view = self.store.writer_view()?;
        let project = self.create_or_update_project(&view, &ProjectRef::Here)?.project;
        Ok((view, project))
    }

    /// The project to write to. The directory's own project is created, or learns the keys by which it was
    /// recognised.
    pub(crate) fn create_or_update_project(
        &self,
        view: &View,
        project: &ProjectRef,
    ) -> Result<Target, Error> {
        let place = self.place(view)?;
        let here = match &place.identity {
            Identity::Known { id, learn } if learn.is_empty() => id.clone(),
            Identity::New { .. } if place.is_named => {
                self.create_or_find_labelled(view, &place.label)?.0
            }
            _ => self.create_or_teach(view, &place)?,
        };
        for pending in &place.pending {
            // What cannot be joined now is read with the rest, and joined by the next.
            match self.take_over(view, pending, &here) {
                Ok(_) => tracing::info!("project {here}: joined what was saved here before"),
                Err(error) => tracing::info!("project {pending}: not joined: {error}"),
            }
        }
        // A directory that was never saved from has its label only by default: an older word wins.
        let fresh = matches!(place.identity, Identity::New { .. });
        let by_word = |label: &str| -> Result<bool, Error> {
            let others = view.labelled(label)?.into_iter().any(|id| id != here);
            Ok(fresh && others)
        };
        let label = match project.label() {
            Some(label) if *label != place.label || by_word(label)? => Some(label),
            _ => None,
        };
        let identity = Identity::Known { id: here.clone(), learn: Vec::new() };
        let (pending, displaced) = (Vec::new(), Vec::new());
        self.note_place(&Rc::new(Place { identity, pending, displaced, ..(*place).clone() }));
        let Some(label) = label else {
            return Ok(Target { project: here, label: place.label.clone(), saved_from: None });
        };
        let (target, label) = self.create_or_find_labelled(view, label)?;
        if target == here {
            return Ok(Target { project: here, label, saved_from: None });
        }
        let known = view.project(&here)?.is_some_and(|names| names.also.contains(&target));
        if !known {
            self.store.change_project(view, &here, |file| file.add_also(&target))?;
        }
        self.forget_scope();
        Ok(Target { project: target, label, saved_from: Some(here) })
    }

    /// The directory's project, made or with what was learned of it. Others may have done so since it was looked up, as
    /// where many sessions end at once: it is decided again while nobody else decides, by the same facts.
    fn create_or_teach(&self, view: &View, place: &Place) -> Result<ProjectId, Error> {
        let locked = self.store.lock_projects(view)?;
        match self.identify_again(view, place)? {
            Identity::Known { id, learn } => {
                let here = place.facts.pending_keys();
                locked.change(&id, |file| {
                    // It may have lain elsewhere when git said nothing.
                    let was_here = file.keys.iter().any(|key| here.contains(key));
                    let has_answer = place.undecided.is_none();
                    let pending = file.keys.iter().filter(|key| key.kind.is_pending());
                    let answered: Vec<Key> =
                        pending.filter(|_| was_here && has_answer).cloned().collect();
                    file.add_keys(&learn) | file.remove_keys(&answered)
                })?;
                Ok(id)
            }
            Identity::New { keys } => {
                let id = locked.create(&place.label, &keys)?;
                tracing::info!("project {id}: made for this directory");
                // Without git the directory is this one's from now on.
                let path = [Key::new(KeyKind::Path, place.facts.path.clone())];
                for other in place.displaced.iter().filter(|other| **other != id) {
                    locked.change(other, |file| file.remove_keys(&path))?;
                }
                Ok(id)
            }
        }
    }

    /// The project of a label: the one filed under it by word, else the only one called so, else a new one.
    pub(crate) fn create_or_find_labelled(
        &self,
        view: &View,
        label: &str,
    ) -> Result<(ProjectId, String), Error> {
        if let Some(found) = find_labelled(view, label)? {
            return Ok(found);
        }
        let label = self.new_label(label)?;
        let keys = [Key::new(KeyKind::Label, label.as_str())];
        let id = self.store.create_project(view, label.as_str(), &keys)?;
        Ok((id, String::from(label)))
    }

    /// A label that somebody chose. It stands in names of files and is told wherever the project is, so there
    /// may be no secret in it.
    pub(crate) fn new_label(&self, label: &str) -> Result<Label, Error> {
        let label: Label = label.parse()?;
        match self.redactor()?.redact(label.as_str()).found.first() {
            Some(secret) => Err(Error::SecretLabel(secret.kind.clone())),
            None => Ok(label),
        }
    }

    /// Looks whether a known project gained keys since it was first seen (a remote, a first commit), or lost
    /// its own to another repository that has come to lie here: then that one's old keys are removed.
    pub(crate) fn rekey_project(&self, view: &View, url: Option<&str>) -> Result<(), Error> {
        let known = self.place(view)?;
        let is_settled = known.project().is_none() || known.is_named || known.undecided.is_some();
        let Some(repo) = self.own_repo().filter(|_| !is_settled) else { return Ok(()) };
        let mut place = (*known).clone();
        if let Some(url) = url.filter(|_| place.facts.origin.is_none()) {
            self.set_origin(&mut place.facts, repo, url);
        }
        if !place.known_by.is_empty() && !place.known_by.contains(&KeyKind::Root) {
            self.set_beginning_if_answered(&mut place.facts, repo)?;
        }
        let known = view.with_keys(&place.facts.lookup_keys())?;
        if let Some(own) = self.another_repository(&mut place, repo, &known)? {
            // Its keys are no longer true of the old project.
            let stale = place.own_keys();
            self.store.change_project(view, &own, |file| file.remove_keys(&stale))?;
            let others: Vec<KnownProject> =
                known.into_iter().filter(|project| project.id != own).collect();
            place.identity = identify(&place.facts, &others);
            place.label = match place.project() {
                Some(id) => view.project(id)?.unwrap_or_default().label,
                None => default_label(&place.facts, &self.redactor_out()),
            };
        } else if let identity @ Identity::Known { .. } = identify(&place.facts, &known) {
            place.identity = identity;
        }
        self.note_place(&Rc::new(place));
        Ok(())
    }

    /// The project that knows this git directory, if another repository has come to lie there: both
    /// `origin` and the root commit are others than it ever had.
    fn another_repository(
        &self,
        place: &mut Place,
        repo: &Repo,
        known: &[KnownProject],
    ) -> Result<Option<ProjectId>, Error> {
        let Some(id) = place.project().cloned() else { return Ok(None) };
        let Some(project) = known.iter().find(|project| project.id == id) else { return Ok(None) };
        let same = |id| project.keys.contains(&Key::new(KeyKind::GitDirId, id));
        if place.facts.git_dir_id.clone().is_some_and(same) {
            return Ok(None);
        }
        let differs = |kind: KeyKind, fact: &Option<String>| {
            let mut keys = project.keys.iter().filter(|key| key.kind == kind).peekable();
            keys.peek().is_some()
                && fact.as_ref().is_some_and(|fact| keys.all(|key| key.value != *fact))
        };
        if !differs(KeyKind::Origin, &place.facts.origin) {
            return Ok(None);
        }
        if place.facts.root.is_none() {
            self.set_beginning_if_answered(&mut place.facts, repo)?;
        }
        Ok(differs(KeyKind::Root, &place.facts.root).then_some(id))
    }

    fn set_beginning_if_answered(&self, facts: &mut DirFacts, repo: &Repo) -> Result<(), Error> {
        if let Ok(beginning) = self.git_answers().beginning(self.directory()?, repo) {
            set_beginning(facts, beginning);
        }
        Ok(())
    }

    /// The memory in the repository, if it is trusted: attached to the store and to a project, as a worktree
    /// of a trusted repository is without a word.
    pub(crate) fn attach_memory(
        &self,
        view: &View,
        project: &ProjectId,
    ) -> Result<Option<ProjectId>, Error> {
        match self.shared() {
            Shared::Used(at) => {
                let label = self.place(view)?.label.clone();
                self.attach_directory(view, at, project, &label).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Attaches the memory in the repository to the directory's project, for who is going to change a
    /// handoff in it. Where there is no project, or none in the repository, nothing happens.
    pub(crate) fn attach_memory_of_known_project(&self) -> Result<(), Error> {
        if !matches!(self.shared(), Shared::Used(_)) {
            return Ok(());
        }
        let view = self.store.writer_view()?;
        if let Some(project) = self.place(&view)?.project() {
            self.attach_memory(&view, project)?;
        }
        Ok(())
    }

    /// Attaches a trusted directory to a project, unless it is.
    pub(crate) fn attach_directory(
        &self,
        view: &View,
        at: &Path,
        project: &ProjectId,
        label: &str,
    ) -> Result<ProjectId, Error> {
        let known = view.attached_at(at)?;
        let known = known.filter(|row| row.attached.standing() == Standing::Trusted);
        let memory = match known {
            Some(row) => row.id,
            None => self.store.attach(view, at, label, true)?,
        };
        let names = view.project(project)?.unwrap_or_default();
        if !names.includes.contains(&memory) {
            self.store.change_project(view, project, |file| file.add_include(&memory))?;
        }
        self.forget_scope();
        Ok(memory)
    }
}
