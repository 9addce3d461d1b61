//! Hooks that ask an agent for a handoff in its own words. Only where the user chose that with
//! `segue install`, and once each time.

use segue_agents::{Dialect, context_window};
use segue_core::request_to_save;
use segue_core::session::{FileUse, Session};

use super::{Hook, HookDone, HookOutcome, HookRequest, live_key};
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

impl Hook<'_> {
    /// Asks with the user's prompt, when the context is nearly full.
    pub(super) fn ask_when_full(
        &self,
        request: &HookRequest,
        state: &LiveState,
    ) -> Result<HookOutcome, Error> {
        let nothing = || Ok(HookOutcome::of(HookDone::Nothing));
        let Some(percent) = state.facts().and_then(fill) else { return nothing() };
        let reached = THRESHOLDS.into_iter().find(|at| percent >= u64::from(*at));
        let (Some(reached), true) = (reached, self.here.store.asks(request.agent.slug).when_full)
        else {
            return nothing();
        };
        let Some(live) = self.drafts.files()? else { return nothing() };
        let is_new = self.drafts.change_state(&live, &live_key(request, Some(state)), |state| {
            let is_new = state.asked_at_fill < reached;
            state.asked_at_fill = state.asked_at_fill.max(reached);
            is_new
        })?;
        if !is_new {
            return nothing();
        }
        let why = format!("The context window of this session is {percent} % full.");
        let answer = self.answer(request, &request_to_save(&why));
        let done = if answer.is_some() { HookDone::Asked } else { HookDone::Nothing };
        Ok(HookOutcome { answer, done, failed: None })
    }

    /// Asks at the end of a turn, when files changed since the session's last handoff.
    pub(super) fn ask_at_stop(
        &self,
        request: &HookRequest,
        read: &ReadOn,
    ) -> Result<Option<String>, Error> {
        // An agent that goes on because it was asked is not asked again.
        if request.payload.stop_hook_active || !self.here.store.asks(request.agent.slug).at_stop {
            return Ok(None);
        }
        let Some(dialect) = Dialect::of(request.dialect.slug).filter(|one| one.blocks_stop) else {
            return Ok(None);
        };
        let (Some(facts), Some(live)) = (read.state.facts(), self.drafts.files()?) else {
            return Ok(None);
        };
        let saved = self.drafts.own_words_of(&read.state)?;
        let edits = edits(facts);
        let key = live_key(request, Some(&read.state));
        let due = self
            .drafts
            .change_state(&live, &key, |state| state.stop_question.is_due(saved, edits))?;
        let why = "Files changed, and this session has left no handoff of that.";
        Ok(due.then(|| dialect.block_stop(&request_to_save(why))).flatten())
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
