//! The handoff that a session goes on from.

use segue_core::Timestamp;
use segue_store::LiveFiles;

use super::session_key::key_of;
use super::state::LiveState;
use crate::Error;
use crate::handoffs::Handoffs;

/// The handoff that a session was briefed with, else what the session left or would leave that it was briefed on.
pub(super) fn parent_of(
    handoffs: &Handoffs<'_>,
    live: Option<&LiveFiles>,
    now: Timestamp,
    state: &LiveState,
) -> Result<Option<String>, Error> {
    let Some(from) = state.parent_session.as_ref().filter(|_| state.parent.is_none()) else {
        return Ok(state.parent.clone());
    };
    let left = handoffs.of_session(&from.id, None)?;
    let left = left.into_iter().find(|one| !one.head.created.is_ahead_of(now));
    let draft = || Some(live?.draft(&key_of(&from.agent, &from.id))?.handoff.head.id);
    let id = left.map(|listed| listed.head.id).or_else(draft);
    Ok(id.map(|id| id.to_string()))
}
