//! The state of the project that a directory is in: what is open, and what holds.

mod branches;
mod change;
mod loaded;
mod open_items;

pub use change::{ChangeOutcome, CloseRequest, NoteKind, NoteRequest};
pub(crate) use loaded::LoadedState;
pub use open_items::{ItemHistory, OpenItem, OpenItems, OpenList, OpenRequest};
pub use segue_core::{ItemClosing, LaneSummary, StateItemId, StateItemKind};
