//! Decide: one decision, left as a handoff of its own while the work goes on.

use segue_core::{DecisionNote, HandoffKind, Tag};

use super::{DECIDED, Handoffs, SaveOutcome, SaveRequest};
use crate::Error;

/// A decision, and who made it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DecideRequest {
    /// What was decided, why, and what was not taken.
    pub decision: DecisionNote,
    /// The agent that records it.
    pub tool: Option<String>,
    /// The agent's own session id.
    pub session: Option<String>,
}

impl Handoffs<'_> {
    /// Records a decision. HANDOFF.md stays as it is.
    pub fn decide(&self, request: &DecideRequest) -> Result<SaveOutcome, Error> {
        let DecideRequest { decision, tool, session } = request;
        if decision.is_empty() {
            return Err(Error::Usage("the decision is empty".to_owned()));
        }
        let tag: Tag = DECIDED.parse()?;
        let save = SaveRequest {
            kind: HandoffKind::Decision,
            title: Some(decision.title()),
            body: decision.body(),
            tags: vec![tag],
            tool: tool.clone(),
            session: session.clone(),
            ..SaveRequest::default()
        };
        self.save(&save)
    }
}
