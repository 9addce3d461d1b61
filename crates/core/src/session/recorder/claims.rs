//! What the agent says of a check whose output does not show how it ended.

use super::Recorder;
use crate::session::Outcome;
use crate::session::passage::shorten;

/// Bytes of such a sentence.
const LONGEST: usize = 160;
/// Parts of the words with which an agent says how a check ended.
const RESULTS: &[&str] = &[
    "pass", "green", "clean", "succe", "fail", "error", "broke", "red ", "compiles", "builds",
    "通过", "失败",
];

impl Recorder {
    /// The first sentence of a message says how the check before it ended, if that is not known yet.
    pub(super) fn claim(&mut self, message: &str) {
        let since = self.session.prompts.last().map_or(0, |prompt| prompt.record);
        let Some(check) = self.session.checks.last_mut() else { return };
        let is_last_call = self.session.prompts.last().is_none_or(|p| p.last_call <= check.record);
        if check.outcome != Outcome::Unknown
            || check.claimed.is_some()
            || check.record < since
            || !is_last_call
        {
            return;
        }
        let first = message.split(['\n', '.', '!', '。']).next().unwrap_or_default().trim();
        let lower = first.to_lowercase();
        if RESULTS.iter().any(|word| lower.contains(word)) && !lower.ends_with('?') {
            check.claimed = Some(shorten(first, LONGEST));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::session::{End, Outcome, PromptWay, Recorder};

    #[test]
    fn what_the_agent_says_of_a_check_is_noted_where_nothing_else_shows_its_end() {
        let run = |output: &'static str, said: &str| {
            let mut recorder = Recorder::new("x");
            recorder.next_record();
            recorder.asked("Test it", PromptWay::Typed);
            recorder.ran("1", "go test ./... 2>&1 | grep -v ok");
            let end = End { outcome: Outcome::Passed, exit: Some(0) };
            recorder.ended("1", end, || output.into());
            recorder.next_record();
            recorder.said(said);
            recorder.into_session().checks.remove(0)
        };
        assert_eq!(run("", "All passing. Commit 2:").claimed.as_deref(), Some("All passing"));
        assert_eq!(run("", "Now the docs.").claimed, None);
        assert_eq!(run("FAIL\tx\t0.01s\nFAIL", "All passing.").claimed, None);
    }
}
