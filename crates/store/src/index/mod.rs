//! The index: SQLite beside the store. A view that can be deleted and made again.
//!
//! A `View` answers questions. It stands on the index file where that is sound, on a rebuilt one
//! where it is not, and on one in memory where none can be written; the answers are the same.

mod archives;
mod attached;
mod file;
mod moved;
mod query;
mod read_files;
mod refresh;
mod row;
mod schema;
mod selection;
mod state;
mod succession;
mod text;
mod verify;
mod write;

use std::path::PathBuf;

use rusqlite::Connection;
use segue_core::ProjectId;

use crate::layout::Layout;
use crate::lock::Lock;
use crate::store::Outside;

pub use attached::{AttachedRow, Unattached};
pub use query::{Filter, ProjectNames, ProjectRow, Scope, ScopePart};
pub use row::{Listed, Located, NotedPayload};
pub use state::StateDepth;
pub use succession::{FoundRow, RowReader, Successor};
pub use text::{Candidate, Candidates, Snapshot, TextState, Window};

/// What a view stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// The index file, as found.
    Found,
    /// The index file, made anew for the reason given.
    Rebuilt(String),
    /// Memory, for the reason given.
    InMemory(String),
}

/// A file in the store that cannot be read as what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadFile {
    pub path: PathBuf,
    pub reason: String,
}

/// An open index, up to date for what it was opened for.
pub struct View {
    pub(crate) conn: Connection,
    pub(crate) layout: Layout,
    pub(crate) outside: Outside,
    pub state: IndexState,
    /// Keeps others from replacing the file underneath.
    _lock: Option<Lock>,
}

impl View {
    pub(crate) fn memory_dir(&self, project: &ProjectId) -> PathBuf {
        self.layout.memory(project)
    }

    /// Whether the whole store is in it, rather than just what was asked for.
    pub(crate) fn is_complete(&self) -> bool {
        !matches!(self.state, IndexState::InMemory(_))
    }
}
