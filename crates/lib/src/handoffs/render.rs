//! Render: a handoff as Markdown for another agent.

use segue_agents::find;
use segue_core::{Markdown, frame_of, readable_body, render_for};

use super::{Found, Handoffs};
use crate::Error;
use crate::redacted::redact_out;
use crate::sharing::ProvenanceReader;

/// A handoff's text as an agent reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Readable {
    /// What stands before a text from elsewhere: where it is from, and that it is data.
    pub frame: Option<String>,
    /// Its title.
    pub title: String,
    /// Its body, without secrets; quoted whole if it came from elsewhere.
    pub text: String,
}

impl Handoffs<'_> {
    /// A handoff that was found, as an agent reads it.
    pub fn readable(&self, found: &Found) -> Result<Readable, Error> {
        let signed = self.signed(found);
        let handoff = redact_out(&self.here.redactor_out(), found.handoff.clone())?;
        Ok(Readable {
            frame: frame_of(&handoff, signed.as_deref()),
            title: handoff.display_title(),
            text: readable_body(&handoff).into_owned(),
        })
    }

    /// Renders a handoff that was found for the agent that will read it.
    pub fn render(&self, found: &Found, target: &str) -> Result<String, Error> {
        let target = target.trim();
        if target.is_empty() {
            return Err(Error::Usage("the target is empty".to_owned()));
        }
        let target = find(target).map_or(target, |agent| agent.slug);
        let signed = self.signed(found);
        let project = &found.listed.label;
        let options = Markdown { target, project, signed: signed.as_deref() };
        let handoff = redact_out(&self.here.redactor_out(), found.handoff.clone())?;
        Ok(render_for(&handoff, &options))
    }

    /// Who signed a handoff, in words; none if it was made here.
    fn signed(&self, found: &Found) -> Option<String> {
        let provenance = ProvenanceReader::of(self.here.store);
        provenance.of_handoff(&found.handoff).map(|from| from.told())
    }
}
