//! Decide: one decision, left as a handoff of its own while the work goes on.

use segue_core::{DecisionNote, HandoffKind, Tag};

use super::{DECIDED, Handoffs, SaveOutcome, SaveRequest};
use crate::Error;
use crate::redacted::clean_first;

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
        // Each text becomes one line, in which fewer secrets are known.
        let mut decision = decision.clone();
        let DecisionNote { text, why, rejected } = &mut decision;
        let texts = std::iter::once(text).chain(why).chain(rejected);
        let taken_out = clean_first(&*self.here.redactor()?, texts);
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
        let mut saved = self.save(&save)?;
        saved.warnings.extend(taken_out);
        Ok(saved)
    }
}
