//! What a session goes on from, as it is noted when the session begins.

use segue_core::StandingRule;

use crate::drafts::{LiveState, SessionKey};
use crate::sessions::SessionTold;

/// What a session was briefed on: a handoff, else a session that has left none yet.
#[derive(Debug, Default)]
pub(super) struct WentOnFrom {
    handoff: Option<String>,
    session: Option<SessionKey>,
}

impl WentOnFrom {
    pub(super) fn handoff(id: String) -> Self {
        Self { handoff: Some(id), session: None }
    }

    pub(super) fn session(told: &SessionTold) -> Self {
        let session = SessionKey { agent: told.agent.clone(), id: told.id.clone() };
        Self { handoff: None, session: Some(session) }
    }

    /// Notes it, with the rules that were told with it.
    pub(super) fn note(self, state: &mut LiveState, rules: Vec<StandingRule>) {
        (state.parent, state.parent_session) = (self.handoff, self.session);
        (state.held, state.briefed) = (rules, true);
    }
}
