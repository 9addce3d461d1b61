//! Whether a session may still be going on.

use std::time::Duration;

use segue_agents::Transcripts;
use segue_core::{Handoff, Timestamp};

use super::Drafts;

/// A session that was quiet for so long and has no process has ended.
pub(super) const QUIET: Duration = Duration::from_secs(30 * 60);

impl Drafts<'_> {
    /// Whether the session of a draft may still be going on.
    pub(super) fn goes_on(&self, draft: &Handoff) -> bool {
        self.is_within(draft.head.created, QUIET) || self.has_process(draft)
    }

    /// Whether something was so short a time ago. What is dated ahead of the clock was not.
    fn is_within(&self, at: Timestamp, span: Duration) -> bool {
        !at.is_ahead_of(self.here.now()) && self.here.env.since(at) < span
    }

    fn has_process(&self, draft: &Handoff) -> bool {
        let fields = &draft.head.fields;
        let (Some(tool), Some(session)) = (fields.tool.as_deref(), fields.session.as_deref())
        else {
            return false;
        };
        self.is_running(tool, session)
    }

    /// Whether a session has a process, as far as its agent tells.
    pub(super) fn is_running(&self, tool: &str, session: &str) -> bool {
        let mut running = self.running.borrow_mut();
        let running = running.entry(tool.to_owned()).or_insert_with(|| {
            let Some(row) = Transcripts::of(tool) else { return Vec::new() };
            let places = self.sessions.places();
            self.sessions.dirs().iter().filter_map(|dir| row.live(&places, dir)).collect()
        });
        running.iter().any(|id| id == session)
    }
}
