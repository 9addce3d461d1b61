//! What can go wrong in the store. Every I/O error carries its path.

use std::io;
use std::path::{Path, PathBuf};

use crate::project_file::ProjectFileError;
use segue_core::HandoffError;
use segue_core::run::CheckpointError;

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot {what} {}: {source}", .path.display())]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    #[error("{} is in use by another process", .path.display())]
    Busy { path: PathBuf },
    #[error("{} already exists with other content", .path.display())]
    Exists { path: PathBuf },
    #[error("cannot read {}: {source}", .path.display())]
    BadHandoff { path: PathBuf, source: HandoffError },
    #[error("cannot read {}: {source}", .path.display())]
    BadProject { path: PathBuf, source: ProjectFileError },
    #[error("{} is of a newer version of Segue and is not changed by this one", .path.display())]
    NewerVersion { path: PathBuf },
    #[error("the archive {} is damaged: {reason}", .path.display())]
    BadArchive { path: PathBuf, reason: String },
    #[error("{} is damaged: {source}", .path.display())]
    BadCheckpoint { path: PathBuf, source: CheckpointError },
    #[error("the journal of an import {} is damaged", .path.display())]
    BadJournal { path: PathBuf },
    #[error("{} is a file or a link, not a directory", .path.display())]
    NotADirectory { path: PathBuf },
    /// On the way to layers that lie in the user's trees.
    #[error("{} is a link, and links are not followed there", .path.display())]
    Link { path: PathBuf },
    #[error("there is no project '{0}' in the store")]
    NoProject(String),
    #[error("the index failed: {0}")]
    Index(#[from] rusqlite::Error),
    #[error("the caller stopped")]
    Stopped,
}

impl StoreError {
    /// Whether it is about one file, whatever the others are like.
    pub fn is_of_file(&self) -> bool {
        !matches!(self, Self::Index(_) | Self::Busy { .. } | Self::Stopped)
    }

    /// Why, without the path.
    pub fn reason(&self) -> String {
        match self {
            Self::Io { source, .. } => source.to_string(),
            Self::BadHandoff { source, .. } => source.to_string(),
            other => other.to_string(),
        }
    }

    /// The kind of an I/O error.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io { source, .. } => Some(source.kind()),
            _ => None,
        }
    }
}

/// Adds what was tried and where to an I/O error.
pub trait IoContext<T> {
    fn at(self, what: &'static str, path: &Path) -> Result<T, StoreError>;
}

impl<T> IoContext<T> for io::Result<T> {
    fn at(self, what: &'static str, path: &Path) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::Io { what, path: path.to_owned(), source })
    }
}
