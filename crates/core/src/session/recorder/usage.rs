//! Tokens that an agent counted, and how full its context window is.

use super::{Recorder, set};

impl Recorder {
    /// Tokens of a message, which a transcript may tell several times.
    pub fn tokens(&mut self, message: &str, input: u64, output: u64) {
        if self.counted.as_deref() != Some(message) {
            let tokens = &mut self.session.tokens;
            tokens.input = tokens.input.saturating_add(input);
            tokens.output = tokens.output.saturating_add(output);
            set(&mut self.counted, message);
        }
    }

    /// How much of the context window is used, as last told, and how large it is.
    pub fn context(&mut self, tokens: Option<u64>, window: Option<u64>) {
        if !self.aside {
            let session = &mut self.session;
            session.context_tokens = tokens.filter(|count| *count > 0).or(session.context_tokens);
            session.context_window = window.or(session.context_window);
        }
    }
}
