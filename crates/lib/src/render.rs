//! Render: a handoff as Markdown for another agent.

use segue_core::{Markdown, render_for};

use crate::redacted::redact_out;
use crate::{Error, Found, Segue, find_agent};

/// How to render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderRequest {
    /// The agent that will read it.
    pub target: String,
}

impl Segue {
    /// Renders a handoff that was found.
    pub fn render(&self, found: &Found, request: &RenderRequest) -> Result<String, Error> {
        let target = request.target.trim();
        if target.is_empty() {
            return Err(Error::Usage("the target is empty".to_owned()));
        }
        let target = find_agent(target).map_or(target, |agent| agent.slug);
        let signed = self.provenance().of_handoff(&found.handoff).map(|from| from.told());
        let project = &found.listed.label;
        let options = Markdown { target, project, signed: signed.as_deref() };
        Ok(render_for(&redact_out(&self.redactor_out(), found.handoff.clone()), &options))
    }
}
