//! What came of a snapshot.

use std::path::PathBuf;

use segue_core::SnapshotSummary;

use crate::handoffs::SaveOutcome;

/// A snapshot.
#[derive(Debug)]
#[non_exhaustive]
pub struct SnapshotOutcome {
    /// The handoff: the one that was saved, else the one that says all of this already.
    pub snapshot: SaveOutcome,
    /// What was captured; `None` if nothing was new, and so nothing was saved.
    pub captured: Option<SnapshotSummary>,
    /// HANDOFF.md, if it shows this snapshot.
    pub handoff_file: Option<PathBuf>,
    /// The whole document: HANDOFF.md, or what it would say.
    pub document: String,
    /// What did not go as it should.
    pub warnings: Vec<String>,
}

impl SnapshotOutcome {
    /// Whether a handoff was saved.
    pub fn is_new(&self) -> bool {
        self.captured.is_some()
    }
}
