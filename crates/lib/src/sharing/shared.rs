//! Share: makes a repository carry its own memory, `.segue/`, which is used where it is trusted.

use std::fs;
use std::path::PathBuf;

use segue_store::{
    ProjectFile, StoreError, create_workspace_dir, create_workspace_file, is_newer_memory,
};

use super::trust::{TrustOutcome, TrustedTrees};
use crate::Error;
use crate::here::SHARED;

/// What git shall not keep: layer 2 is derived, the rest was left by a killed process.
const IGNORED: &str = "layer2/\n.tmp-*\n";

/// A repository that carries its own memory now.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ShareOutcome {
    /// The directory.
    pub at: PathBuf,
    /// Files that were written; none if it was one already.
    pub created: Vec<PathBuf>,
    /// What is trusted with it.
    pub trust: TrustOutcome,
}

impl TrustedTrees<'_> {
    /// Makes this repository carry its own memory, and trusts it. Files that are there stay.
    pub fn share(&self) -> Result<ShareOutcome, Error> {
        let here = &self.here;
        let dir = here.directory()?;
        let repo = here.claimed_repo().ok_or_else(|| Error::NoWorkTree(dir.to_owned()))?;
        let at = repo.top.join(SHARED);
        let files = ["project.toml", ".gitignore"].map(|name| at.join(name));
        // Looked at before anything is written.
        match fs::symlink_metadata(&at) {
            Ok(meta) if !meta.is_dir() => {
                return Err(StoreError::NotADirectory { path: at }.into());
            }
            _ => {}
        }
        for path in &files {
            if fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) {
                return Err(Error::NotAFile(path.clone()));
            }
        }
        if is_newer_memory(&at) {
            return Err(StoreError::NewerVersion { path: files[0].clone() }.into());
        }
        let view = here.store.writer_view()?;
        let label = here.place(&view)?.label.clone();
        drop(view);
        create_workspace_dir(&at)?;
        let texts = [ProjectFile::new(&label, &[]).render(), IGNORED.to_owned()];
        let mut created = Vec::new();
        for (path, text) in files.into_iter().zip(texts) {
            if create_workspace_file(&path, text.as_bytes())? {
                created.push(path);
            }
        }
        let trust = self.add(dir)?;
        Ok(ShareOutcome { at, created, trust })
    }
}
