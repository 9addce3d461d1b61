//! What became of a handoff that came in.

use segue_core::HandoffId;

/// What became of one handoff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is new here.
    New,
    /// The very same was here already.
    Same,
    /// Another of its id is here, and stays.
    Skipped,
    /// It took the place of another, which is kept under this id.
    Replaced(HandoffId),
    /// It was removed for good here, and stays removed.
    Forgotten,
}

/// One handoff of an import.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Arrived {
    /// Its id here.
    pub id: HandoffId,
    /// Its title.
    pub title: String,
    /// What became of it.
    pub fate: Fate,
    /// The project that it went to.
    pub project: Option<String>,
}
