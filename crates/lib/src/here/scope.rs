//! What is here: the memories that are read for a directory or a label.

use segue_core::ProjectId;
use segue_store::{Scope, ScopePart, Standing, View};

use super::directory::Here;
use super::project_ref::ProjectRef;
use super::trusted::Shared;
use crate::Error;

impl Here<'_> {
    /// What is read for this directory, looked up once. `None`: it has no project.
    pub(crate) fn own_scope(&self) -> Result<Option<Scope>, Error> {
        if let Some(known) = &*self.state.scope.borrow() {
            return Ok(known.clone());
        }
        let scope = self.ask(&Scope::Projects, |view| self.scope(view, &ProjectRef::Here))?;
        *self.state.scope.borrow_mut() = Some(scope.clone());
        Ok(scope)
    }

    /// The scope that a project reference means for reading, where it is of this directory. `None`: the
    /// directory has no project.
    pub(crate) fn scope(&self, view: &View, project: &ProjectRef) -> Result<Option<Scope>, Error> {
        let place = self.place(view)?;
        let mut parts = Vec::new();
        if let Some(label) = project.label() {
            for memory in view.labelled(label)? {
                let includes = view.project(&memory)?.unwrap_or_default().includes;
                parts.extend([memory].into_iter().chain(includes).map(ScopePart::whole));
            }
            // The own label also means what was filed under it by word.
            if *label != place.label || place.project().is_none() {
                return match parts.len() {
                    0 => Err(Error::NoProject(label.to_owned())),
                    _ => Ok(Some(Scope::Parts(parts))),
                };
            }
        }
        let Some(id) = place.project() else {
            return Ok(None);
        };
        let names = view.project(id)?.unwrap_or_default();
        // What a link that was cut off has not moved yet is here too.
        let joined = names.was.iter().chain([id]).chain(&place.pending);
        let memories = joined.chain(&names.includes).cloned();
        let shared = self.shared_part(view)?;
        for part in memories.map(ScopePart::whole).chain(shared) {
            if !parts.iter().any(|known: &ScopePart| known.memory == part.memory) {
                parts.push(part);
            }
        }
        for other in names.also {
            for from in names.was.iter().chain([id]) {
                parts.push(ScopePart::saved_from(other.clone(), from.clone()));
            }
        }
        Ok(Some(Scope::Parts(parts)))
    }

    /// The memory in the repository, if that is trusted. One that nobody has attached yet is read where it
    /// lies.
    fn shared_part(&self, view: &View) -> Result<Option<ScopePart>, Error> {
        let Shared::Used(at) = self.shared() else { return Ok(None) };
        Ok(match self.attached_memory(view)? {
            Some(memory) => Some(ScopePart::whole(memory)),
            // What cannot be attached is not read.
            None => ScopePart::unattached(at, &self.place(view)?.label),
        })
    }

    /// What of this repository nobody has attached, as a scope of its own.
    pub(crate) fn unattached(&self, view: &View) -> Result<Option<Scope>, Error> {
        let part = self.shared_part(view)?.filter(|part| part.unattached.is_some());
        Ok(part.map(|part| Scope::Parts(vec![part])))
    }

    /// The memory in the repository as the store knows it, if it is trusted and attached.
    pub(crate) fn attached_memory(&self, view: &View) -> Result<Option<ProjectId>, Error> {
        let Shared::Used(at) = self.shared() else { return Ok(None) };
        let row = view.attached_at(at)?;
        let row = row.filter(|row| row.attached.standing() == Standing::Trusted);
        Ok(row.map(|row| row.id))
    }
}
