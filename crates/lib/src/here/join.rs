//! Makes one project part of another: because the user linked them, or because git says later than a save
//! that they are one.

use segue_core::{Key, KeyKind, ProjectId};
use segue_store::{StoreError, View};

use super::directory::Here;
use crate::Error;

impl Here<'_> {
    /// Makes one project part of another: keys and notes, then handoffs, then the rest goes.
    pub(crate) fn take_over(
        &self,
        view: &View,
        own: &ProjectId,
        target: &ProjectId,
    ) -> Result<u64, Error> {
        let mut old = None;
        self.store.change_project(view, own, |file| {
            old = Some(file.clone());
            false
        })?;
        let Some(old) = old else { return Ok(0) };
        let keys: Vec<_> =
            old.keys.iter().filter(|key| key.kind != KeyKind::Label).cloned().collect();
        let answered =
            |key: &&Key| !matches!(key.kind, KeyKind::PendingGitDir | KeyKind::PendingGitDirId);
        let lasting: Vec<_> = keys.iter().filter(answered).cloned().collect();
        self.store.change_project(view, target, |file| {
            let mut changed = file.add_keys(&lasting);
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
        match self.store.change_project(view, own, |file| file.remove_keys(&keys)) {
            Err(StoreError::NoProject(_)) => {}
            other => _ = other?,
        }
        Ok(moved)
    }

    /// Moves one memory's content into another's. Locks are taken in the order of their names, so
    /// that two merges cannot wait for each other.
    fn merge(&self, view: &View, own: &ProjectId, target: &ProjectId) -> Result<u64, Error> {
        let (first, second) = if own < target { (own, target) } else { (target, own) };
        let first = self.store.lock(view, first)?;
        let second = self.store.lock(view, second)?;
        let (from, to) = if own < target { (&first, &second) } else { (&second, &first) };
        Ok(from.move_into(to)?)
    }
}
