//! Hooks that ask an agent for a handoff in its own words. Only where the user chose that with
//! `segue install`, and once each time.

use segue_agents::{Dialect, context_window};
use segue_core::request_to_save;
use segue_core::session::{FileUse, Session};

use super::agent_hooks::AgentHooks;
use super::request::HookRequest;
use crate::Error;
use crate::drafts::{LiveState, ReadOn};

/// Percentages of the context window at which an agent is asked.
const THRESHOLDS: [u8; 2] = [90, 80];

/// How full the context window is, in percent; `None` if that is not known.
fn fill(session: &Session) -> Option<u64> {
    let tokens = session.context_tokens?;
    if let Some(window) = session.context_window.filter(|window| *window > 0) {
        return Some((tokens.saturating_mul(100) / window).min(100));
    }
    let window = context_window(session.model.as_deref()?)?;
    // Whoever has more in it has another window than the table says.
    (tokens <= window).then(|| tokens.saturating_mul(100) / window)
}

fn edits(session: &Session) -> u64 {
    let of =
        |file: &FileUse| u64::from(file.edits) + u64::from(file.created) + u64::from(file.deleted);
    session.files.values().map(of).sum()
}

impl AgentHooks<'_> {
    /// What is asked with the user's prompt, when the context is nearly full. That it is asked is noted.
    pub(super) fn question_when_full(
        &self,
        request: &HookRequest,
        state: &LiveState,
    ) -> Result<Option<String>, Error> {
        let Some(percent) = state.facts().and_then(fill) else { return Ok(None) };
        let reached = THRESHOLDS.into_iter().find(|at| percent >= u64::from(*at));
        let (Some(reached), true) = (reached, self.here.store.asks(request.agent.slug).when_full)
        else {
            return Ok(None);
        };
        let Some(live) = self.drafts.files()? else { return Ok(None) };
        let is_new = self.drafts.change_state(&live, &request.live_key(Some(state)), |state| {
            let is_new = state.asked_at_fill < reached;
            state.asked_at_fill = state.asked_at_fill.max(reached);
            is_new
        })?;
        let why = format!("The context window of this session is {percent} % full.");
        Ok(is_new.then(|| request_to_save(&why)))
    }

    /// What is asked at the end of a turn, when files changed since the session's last handoff. That it is asked
    /// is noted.
    pub(super) fn question_at_stop(
        &self,
        request: &HookRequest,
        read: &ReadOn,
    ) -> Result<Option<String>, Error> {
        // An agent that goes on because it was asked is not asked again.
        if request.payload.stop_hook_active || !self.here.store.asks(request.agent.slug).at_stop {
            return Ok(None);
        }
        if !Dialect::of(request.dialect.slug).is_some_and(|dialect| dialect.blocks_stop) {
            return Ok(None);
        }
        let (Some(facts), Some(live)) = (read.state.facts(), self.drafts.files()?) else {
            return Ok(None);
        };
        let saved = self.drafts.own_words_of(&read.state)?;
        let edits = edits(facts);
        let key = request.live_key(Some(&read.state));
        let due = self
            .drafts
            .change_state(&live, &key, |state| state.stop_question.is_due(saved, edits))?;
        let why = "Files changed, and this session has left no handoff of that.";
        Ok(due.then(|| request_to_save(why)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(model: &str, tokens: Option<u64>, window: Option<u64>) -> Session {
        Session {
            model: Some(model.to_owned()),
            context_tokens: tokens,
            context_window: window,
            ..Session::default()
        }
    }

    #[test]
    fn the_window_of_the_transcript_counts_before_the_table() {
        for (model, tokens, window, wanted) in [
            ("claude-opus-4-5", Some(160_000), None, Some(80)),
            ("claude-opus-4-5", Some(160_000), Some(320_000), Some(50)),
            ("claude-opus-4-5", Some(200_001), None, None),
            ("x", Some(300_000), Some(258_400), Some(100)),
            ("x", Some(160_000), None, None),
            ("claude-opus-4-5", None, Some(200_000), None),
        ] {
            assert_eq!(fill(&session(model, tokens, window)), wanted, "{model} {tokens:?}");
        }
    }
}
