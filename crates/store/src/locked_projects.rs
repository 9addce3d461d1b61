//! Making and changing projects, while nobody else does.

use std::io;

use segue_core::{Key, ProjectId, is_same_directory};

use crate::atomic;
use crate::error::StoreError;
use crate::index::{Scope, View};
use crate::layout::PROJECT_FILE;
use crate::lock::{Kind, Lock, PATIENCE};
use crate::project_file::ProjectFile;
use crate::store::Store;

/// The projects of a store whose lock is held: the view knows all of them, and there are no others until this is
/// dropped.
pub struct LockedProjects<'a> {
    store: &'a Store,
    view: &'a View,
    _lock: Lock,
}

impl Store {
    /// Takes the lock, for who decides by the projects that there are.
    pub fn lock_projects<'a>(&'a self, view: &'a View) -> Result<LockedProjects<'a>, StoreError> {
        let locked = self.lock_projects_as_known(view)?;
        match view.refresh(&Scope::Projects) {
            // Then the view knows what it knew.
            Ok(()) | Err(StoreError::Index(_)) => Ok(locked),
            Err(error) => Err(error),
        }
    }

    fn lock_projects_as_known<'a>(
        &'a self,
        view: &'a View,
    ) -> Result<LockedProjects<'a>, StoreError> {
        let lock = Lock::take(&self.layout().store_lock(), Kind::Exclusive, PATIENCE)?;
        Ok(LockedProjects { store: self, view, _lock: lock })
    }

    /// Makes a project with these keys, or finds the one that another process just made.
    pub fn create_project(
        &self,
        view: &View,
        label: &str,
        keys: &[Key],
    ) -> Result<ProjectId, StoreError> {
        self.lock_projects_as_known(view)?.create(label, keys)
    }

    /// Changes a project's file; does nothing if the change says that nothing changed.
    pub fn change_project(
        &self,
        view: &View,
        project: &ProjectId,
        change: impl FnOnce(&mut ProjectFile) -> bool,
    ) -> Result<bool, StoreError> {
        self.lock_projects_as_known(view)?.change(project, change)
    }
}

impl LockedProjects<'_> {
    /// Makes a project with these keys, or finds the one that another process just made.
    pub fn create(&self, label: &str, keys: &[Key]) -> Result<ProjectId, StoreError> {
        for attempt in 0.. {
            let id = ProjectId::derive(label, keys, attempt);
            let dir = self.store.layout().memory(&id);
            let path = dir.join(PROJECT_FILE);
            match ProjectFile::read(&path) {
                Ok(file) if is_same_directory(keys, &file.keys) => return Ok(id),
                Ok(_) | Err(StoreError::BadProject { .. }) => {}
                Err(error) if error.io_kind() == Some(io::ErrorKind::NotFound) => {
                    atomic::create_dirs(&dir)?;
                    let file = ProjectFile::new(label, keys);
                    file.write(&path)?;
                    let _ = self.view.note_project_file(&id, &file);
                    return Ok(id);
                }
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::NoProject(label.to_owned()))
    }

    /// Changes a project's file; does nothing if the change says that nothing changed.
    pub fn change(
        &self,
        project: &ProjectId,
        change: impl FnOnce(&mut ProjectFile) -> bool,
    ) -> Result<bool, StoreError> {
        let path = self.store.layout().memory(project).join(PROJECT_FILE);
        let mut file = match ProjectFile::read(&path) {
            // Another process has made it part of another one.
            Err(error) if error.io_kind() == Some(io::ErrorKind::NotFound) => {
                return Err(StoreError::NoProject(project.to_string()));
            }
            read => read?,
        };
        let changed = change(&mut file);
        if changed {
            file.write(&path)?;
            let _ = self.view.note_project_file(project, &file);
        }
        Ok(changed)
    }
}
