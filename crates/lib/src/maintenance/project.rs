//! Projects: which there are, and repairs by hand of which directory belongs to which.

use segue_core::{Identity, Key, KeyKind, ProjectId};
use segue_store::{ProjectRow, Scope, StoreError, View};

use crate::Error;
use crate::here::{Here, SHARED, SimilarProject};

/// A directory that now belongs to another project.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Linked {
    /// The project that it belongs to now.
    pub project: ProjectId,
    /// Its label.
    pub label: String,
    /// Handoffs that came along from the directory's own project.
    pub moved: u64,
}

/// A directory that is now a project of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Split {
    /// The project that it left.
    pub from: ProjectId,
    /// Its own project.
    pub project: ProjectId,
}

/// The projects of the store, as seen from a directory.
#[derive(Debug)]
pub struct Projects<'s> {
    here: Here<'s>,
}

impl<'s> Projects<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }
}

impl Projects<'_> {
    /// Every project of the store, and the current directory's.
    pub fn all(&self) -> Result<(Vec<ProjectRow>, Option<ProjectId>), Error> {
        let here = &self.here;
        here.ask(&Scope::All, |view| {
            let place = here.place(view)?;
            Ok((view.projects()?, place.project().cloned()))
        })
    }

    /// The projects that the current directory may be, if it has none of its own yet. For people: an agent
    /// is told of no project that is not this directory's.
    pub fn similar(&self) -> Result<Vec<SimilarProject>, Error> {
        self.here.find_similar_projects()
    }

    /// Makes the current directory belong to a project given by label or id. If it was recognised
    /// as a project of its own until now, that one's handoffs move along.
    pub fn link(&self, target: &str) -> Result<Linked, Error> {
        // The target learns the keys first and the old project goes last, so that a link that was cut off is
        // finished by the next.
        let here = &self.here;
        let view = self.here.store.writer_view()?;
        let place = here.place(&view)?;
        let (target, label) = one_labelled(&view, target)?;
        let mut owners: Vec<ProjectId> =
            view.with_keys(&place.own_keys())?.into_iter().map(|project| project.id).collect();
        owners.extend(place.project().filter(|id| !owners.contains(id)).cloned());
        let mine = owners.contains(&target);
        owners.retain(|id| *id != target);
        if mine && owners.is_empty() {
            return Err(Error::Usage(format!("this directory already belongs to '{label}'")));
        }
        let mut moved = 0;
        for own in &owners {
            moved += self.take_over(&view, own, &target)?;
        }
        let mut keys = place.facts.keys();
        // The user's word makes other shallow clones of it the same project, too.
        let shallow = place.facts.origin.clone().filter(|_| place.facts.shallow);
        keys.extend(shallow.map(|origin| Key::new(KeyKind::ShallowOrigin, origin)));
        self.here.store.change_project(&view, &target, |file| file.add_keys(&keys))?;
        Ok(Linked { project: target, label, moved })
    }

    /// Makes one project part of another: keys and notes, then handoffs, then the rest goes.
    fn take_over(&self, view: &View, own: &ProjectId, target: &ProjectId) -> Result<u64, Error> {
        let mut old = None;
        self.here.store.change_project(view, own, |file| {
            old = Some(file.clone());
            false
        })?;
        let Some(old) = old else { return Ok(0) };
        let keys: Vec<_> =
            old.keys.iter().filter(|key| key.kind != KeyKind::Label).cloned().collect();
        self.here.store.change_project(view, target, |file| {
            let mut changed = file.add_keys(&keys);
            for other in old.also.iter().filter(|other| *other != target) {
                changed |= file.add_also(other);
            }
            for was in old.was.iter().chain([own]) {
                changed |= file.add_was(was);
            }
            for memory in &old.includes {
                changed |= file.add_include(memory);
            }
            changed
        })?;
        let moved = self.merge(view, own, target)?;
        // What is still there has something in it that is not ours: it keeps no keys.
        match self.here.store.change_project(view, own, |file| file.remove_keys(&keys)) {
            Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            }
            other => _ = other?,
        }
        Ok(moved)
    }

    /// Moves one memory's content into another's. Locks are taken in the order of their names, so
    /// that two merges cannot wait for each other.
    fn merge(&self, view: &View, own: &ProjectId, target: &ProjectId) -> Result<u64, Error> {
        let (first, second) = if own < target { (own, target) } else { (target, own) };
        let first = self.here.store.lock(view, first)?;
        let second = self.here.store.lock(view, second)?;
        let (from, to) = if own < target { (&first, &second) } else { (&second, &first) };
        Ok(from.move_into(to)?)
    }

    /// Makes the current directory a project of its own. What was saved so far stays where it is.
    pub fn split(&self, label: Option<&str>) -> Result<Split, Error> {
        let here = &self.here;
        let view = self.here.store.writer_view()?;
        let place = here.place(&view)?;
        let Identity::Known { id: from, .. } = &place.identity else {
            return Err(Error::Usage(
                "this directory has no project yet: it will get its own with the first save"
                    .to_owned(),
            ));
        };
        let keys = place.own_keys();
        let label = match label {
            Some(label) => String::from(label.parse::<segue_core::Label>()?),
            None => place.label.clone(),
        };
        let row = view.with_keys(&keys)?.into_iter().find(|project| project.id == *from);
        let others =
            |key: &Key| matches!(key.kind, KeyKind::GitDir | KeyKind::Path) && !keys.contains(key);
        if row.is_some_and(|project| !project.keys.iter().any(others)) {
            return Err(Error::Usage(format!(
                "this directory is the only one of '{}': there is nothing to split",
                place.label
            )));
        }
        self.here.store.change_project(&view, from, |file| file.remove_keys(&keys))?;
        let project = self.here.store.create_project(&view, &label, &keys)?;
        // The memory in this very directory goes with it.
        let at = here.repo().map(|repo| repo.top.join(SHARED));
        if let Some(row) = at.map(|at| view.attached_at(&at)).transpose()?.flatten() {
            self.here.store.change_project(&view, from, |file| file.remove_include(&row.id))?;
            self.here.store.change_project(&view, &project, |file| file.add_include(&row.id))?;
        }
        Ok(Split { from: from.clone(), project })
    }
}

/// The one project that is called so.
fn one_labelled(view: &View, label: &str) -> Result<(ProjectId, String), Error> {
    match &view.labelled(label)?[..] {
        [] => Err(Error::NoProject(label.to_owned())),
        [id] => Ok((id.clone(), view.project(id)?.unwrap_or_default().label)),
        several => {
            Err(Error::SeveralLabels { label: label.to_owned(), projects: several.to_vec() })
        }
    }
}
