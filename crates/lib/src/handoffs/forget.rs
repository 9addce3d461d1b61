//! Forget: the one way to remove a handoff for good.

use std::io::ErrorKind;

use segue_core::{HandoffId, HandoffKind};
use segue_store::{Filter, Listed, Removed, Scope, ScopePart, Standing, StoreError};

use super::{Found, Handoffs};
use crate::Error;
use crate::drafts::Drafts;

/// A handoff that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forgotten {
    /// Its id, of which a tombstone stays.
    pub id: HandoffId,
    /// How many former ones went with it, which an import had replaced.
    pub former: usize,
    /// Short ids of what the same session left earlier, which says much of the same.
    pub earlier: Vec<String>,
    /// Whether its head may still be in the index, because another process was using that.
    pub head_in_index: bool,
}

impl Handoffs<'_> {
    /// Removes a handoff that was found. Only its id stays, so that no import brings it back.
    pub fn forget(&self, found: &Found) -> Result<Forgotten, Error> {
        if found.elsewhere {
            return Err(Error::NothingHere);
        }
        // What lies in this repository can be written to only where the store knows of it.
        if found.listed.layers.is_some() {
            self.here.attach_memory_of_known_project()?;
        }
        let id = found.handoff.head.id.clone();
        let mut head_in_index = false;
        // An interrupted link of projects leaves a handoff in two memories, and two clones of one
        // repository have the same one each.
        let copies = || self.here.store.ask(&Scope::All, |view| view.copies(&id));
        let mut left = copies()?;
        if left.is_empty() {
            left.push(found.listed.clone());
        }
        while !left.is_empty() {
            let listed = left.remove(0);
            Drafts::of(&self.here).forget_session_of(&listed.project, &found.handoff)?;
            head_in_index |= self.forget_moving(&listed)? == Removed::HeadInIndex;
            left = copies()?;
        }
        self.forget_unlisted(&id)?;
        let former = if id.is_former() { 0 } else { self.forget_former(&id, &mut head_in_index)? };
        let fields = &found.handoff.head.fields;
        let earlier = match &fields.session {
            Some(session) if fields.kind == HandoffKind::Session => {
                self.of_session(session, None).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let earlier = earlier.iter().map(|listed| listed.head.id.short().to_owned()).collect();
        Ok(Forgotten { id, former, earlier, head_in_index })
    }

    /// Removes what imports had replaced by it: other texts under the same id.
    fn forget_former(&self, id: &HandoffId, head_in_index: &mut bool) -> Result<usize, Error> {
        let mut count = 0;
        let formers = || self.here.store.ask(&Scope::All, |view| view.formers(id));
        let mut left = formers()?;
        while let Some(listed) = left.first() {
            *head_in_index |= self.forget_moving(listed)? == Removed::HeadInIndex;
            count += 1;
            left = formers()?;
        }
        Ok(count)
    }

    /// As `forget_at`; what was moved by somebody at that moment is looked for again by the caller.
    fn forget_moving(&self, target: &Listed) -> Result<Removed, Error> {
        match self.forget_at(target) {
            Err(Error::Store(error)) if error.io_kind() == Some(ErrorKind::NotFound) => {
                self.here.store.close();
                Ok(Removed::Wholly)
            }
            other => other,
        }
    }

    /// Removes it from memories that are written to and not read from: a run leaves copies there.
    fn forget_unlisted(&self, id: &HandoffId) -> Result<(), Error> {
        let view = self.here.store.writer_view()?;
        for row in view.attached()? {
            if row.attached.standing() == Standing::Trusted || !row.attached.at.is_dir() {
                continue;
            }
            let locked = self.here.store.lock(&view, &row.id)?;
            if let Some(listed) = locked.handoff(id)? {
                locked.forget(&listed, None)?;
                locked.refresh_state(self.here.now())?;
            }
        }
        Ok(())
    }

    fn forget_at(&self, target: &Listed) -> Result<Removed, Error> {
        let id = &target.head.id;
        let memory = &target.project;
        let scope = Scope::Parts(vec![ScopePart::whole(memory.clone())]);
        let mut newest = None;
        for kinds in [&HandoffKind::LATEST[..], &[HandoffKind::Snapshot]] {
            let credible_at = Some(self.here.now());
            let filter = Filter { credible_at, kinds: kinds.to_vec(), ..Filter::default() };
            let looked = self.here.store.ask(&scope, |view| {
                view.list(&scope, &filter, &mut |listed| {
                    if listed.head.id == *id || listed.archived.is_some() {
                        return Ok(());
                    }
                    newest = Some(listed);
                    Err(StoreError::Stopped)
                })
            });
            match looked {
                Ok(()) => {}
                Err(StoreError::Stopped) => break,
                Err(error) => return Err(error.into()),
            }
        }
        let newest = newest.and_then(|listed| self.here.store.read(&listed).ok());
        let view = self.here.store.writer_view()?;
        Ok(self.here.store.lock(&view, memory)?.forget(target, newest.as_ref())?)
    }
}
