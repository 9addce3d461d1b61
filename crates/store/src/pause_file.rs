//! The files that stop whatever runs by itself.

use std::fs;
use std::path::{Path, PathBuf};

use segue_core::Key;

use crate::atomic;
use crate::error::{IoContext, StoreError};
use crate::index::{Scope, View};
use crate::layout::PROJECT_FILE;
use crate::memory::listing;
use crate::platform;
use crate::project_file::ProjectFile;
use crate::store::Store;

impl Store {
    /// The memories in which something of this name lies. Looks at names only.
    pub fn memories_with(&self, name: &str) -> Result<Vec<PathBuf>, StoreError> {
        let projects = self.layout().projects();
        let memories = listing(&projects)?.into_iter().map(|memory| projects.join(memory));
        Ok(memories.filter(|memory| memory.join(name).symlink_metadata().is_ok()).collect())
    }

    /// Whether the project of this memory was recognised by this key.
    pub fn has_key(&self, memory: &Path, key: &Key) -> bool {
        ProjectFile::read(&memory.join(PROJECT_FILE)).is_ok_and(|file| file.keys.contains(key))
    }

    /// Answers a question from the files alone, so that nothing at all is written.
    pub fn ask_files<T>(
        &self,
        scope: &Scope,
        question: impl FnOnce(&View) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let view = View::in_memory(self.layout(), self.outside(), "it was not asked")?;
        view.refresh(scope)?;
        question(&view)
    }

    /// Writes a pause file.
    pub fn write_pause(&self, path: &Path, text: &str) -> Result<(), StoreError> {
        atomic::create_dirs(atomic::parent(path))?;
        atomic::replace_itself(path, text.as_bytes())
    }

    /// Removes a pause file, or whatever has its name.
    pub fn remove_pause(&self, path: &Path) -> Result<(), StoreError> {
        let is_dir = path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        let removed = if is_dir { fs::remove_dir(path) } else { fs::remove_file(path) };
        removed.at("remove", path)?;
        platform::sync_dir(atomic::parent(path)).at("sync", atomic::parent(path))
    }
}
