//! How much a session used: tokens, its context, and what it was summed up to.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::super::{Said, Tokens};
use super::{Recorder, cut};
use crate::redact::trimmed;

/// Bytes kept of a summary.
const SUMMARY: usize = 12_000;
/// Messages whose tokens may still grow: several subagents write at once.
const GROWING: usize = 16;

/// Messages whose tokens were counted last, with what was counted.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Counted(VecDeque<(String, Tokens)>);

impl Counted {
    /// What is new of a message's tokens.
    fn add(&mut self, message: &str, now: Tokens) -> Tokens {
        if let Some((_, before)) = self.0.iter_mut().rev().find(|(known, _)| known == message) {
            let new = Tokens {
                input: now.input.saturating_sub(before.input),
                output: now.output.saturating_sub(before.output),
            };
            before.input = before.input.max(now.input);
            before.output = before.output.max(now.output);
            return new;
        }
        self.0.push_back((message.to_owned(), now));
        if self.0.len() > GROWING {
            self.0.pop_front();
        }
        now
    }
}

impl Recorder {
    /// Tokens of a message, which a transcript may tell several times while it grows. The last
    /// message is what the context holds.
    pub fn tokens(&mut self, message: &str, input: u64, output: u64) {
        let new = self.counted.add(message, Tokens { input, output });
        let session = &mut self.session;
        session.tokens.input = session.tokens.input.saturating_add(new.input);
        session.tokens.output = session.tokens.output.saturating_add(new.output);
        let context = input.saturating_add(output);
        if !self.aside && context > 0 {
            session.context_tokens = Some(context);
        }
    }

    /// What the session used up to now, where that is told too.
    pub fn tokens_in_all(&mut self, input: u64, output: u64) {
        let tokens = &mut self.session.tokens;
        tokens.input = tokens.input.max(input);
        tokens.output = tokens.output.max(output);
    }

    /// How many tokens the context holds now, where the transcript says it by itself.
    pub fn context_tokens(&mut self, tokens: u64) {
        if !self.aside && tokens > 0 {
            self.session.context_tokens = Some(tokens);
        }
    }

    /// How many tokens the context can hold.
    pub fn context_window(&mut self, tokens: u64) {
        if !self.aside && tokens > 0 {
            self.session.context_window = Some(tokens);
        }
    }

    /// The agent summed up what was before, in its own words.
    pub fn summed_up(&mut self, text: &str) {
        if self.aside || text.trim().is_empty() {
            return;
        }
        let text = cut(&trimmed(text), SUMMARY).into_owned();
        self.session.summary = Some(Said { text, record: self.record });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_is_told_again_counts_as_much_as_it_says_last() {
        let mut recorder = Recorder::new("x");
        recorder.tokens("a", 100, 1);
        recorder.tokens("b", 10, 5);
        recorder.tokens("a", 100, 40);
        recorder.tokens("a", 100, 40);
        let tokens = recorder.session().tokens;
        assert_eq!((tokens.input, tokens.output), (110, 45));
    }

    #[test]
    fn the_context_is_that_of_the_last_message_that_is_no_subagents() {
        let mut recorder = Recorder::new("x");
        recorder.tokens("a", 100, 1);
        recorder.tokens("b", 200, 9);
        recorder.context_window(1_000);
        recorder.aside();
        recorder.tokens("c", 7, 7);
        recorder.context_window(5);
        let session = recorder.session();
        assert_eq!((session.context_tokens, session.context_window), (Some(209), Some(1_000)));
        recorder.next_record();
        recorder.compacted();
        assert_eq!(recorder.session().context_tokens, None);
    }

    #[test]
    fn a_summary_is_the_last_one_and_within_bounds() {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.summed_up(" first ");
        recorder.summed_up("");
        recorder.summed_up(&"é".repeat(SUMMARY));
        recorder.aside();
        recorder.summed_up("a subagent's");
        let summary = recorder.session().summary.clone().unwrap();
        assert!(summary.text.len() <= SUMMARY + 4 && summary.text.ends_with('…'));
        assert_eq!(summary.record, 1);
        assert!(recorder.session().prompts.is_empty() && recorder.session().said.is_empty());
    }
}
