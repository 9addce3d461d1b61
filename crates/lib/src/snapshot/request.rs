//! What kind of snapshot to take.

use crate::sessions::{Captured, SessionRef};

/// What kind of snapshot to take.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SnapshotRequest {
    /// What kind of work it was.
    pub mode: Option<String>,
    /// The agent that leaves it.
    pub tool: Option<String>,
    /// The agent's own session id.
    pub session: Option<String>,
    /// The session that it is made out of.
    pub from: SessionRef,
    /// That session, if it was read already.
    pub captured: Option<Captured>,
    /// What its agent answered when it was asked for a handoff.
    pub own_words: Option<String>,
    /// Nobody asked for it: then it is enough that somebody saved a handoff at this very state.
    pub by_itself: bool,
}
