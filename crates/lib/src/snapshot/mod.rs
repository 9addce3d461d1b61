//! Snapshot: a handoff from what can be seen, and from what stands in HANDOFF.md.

mod document;
mod news;
mod outcome;
mod request;
mod see_git;
mod session;
mod sources;
mod take;
mod tree_contents;

pub use outcome::SnapshotOutcome;
pub use request::SnapshotRequest;
pub use see_git::Snapshots;
pub use segue_core::SnapshotSummary;
