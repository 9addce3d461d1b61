//! What a transcript tells twice, and what the user took back.

use super::Recorder;

impl Recorder {
    /// Whether this is told for the first time. Asking makes it known.
    pub fn is_first(&mut self, key: &str) -> bool {
        self.known.add(key, self.record)
    }

    /// Whether this was told before.
    pub fn knows(&self, key: &str) -> bool {
        self.known.at(key).is_some()
    }

    /// The user went back to before the record of this. What was said since no longer counts; what
    /// was done stays done.
    pub fn went_back(&mut self, key: &str) {
        if let Some(from) = self.known.at(key) {
            self.session.forget_said(from);
        }
    }

    /// What comes now follows the record of this. If the user said something since, that no longer
    /// counts.
    pub fn follows(&mut self, key: &str) {
        if let Some(at) = self.known.at(key)
            && self.session.prompts.iter().any(|prompt| prompt.record > at)
        {
            self.session.forget_said(at + 1);
        }
    }

    /// This belongs to the record of another thing that was told before, if it was.
    pub fn belongs(&mut self, key: &str, to: &str) {
        let record = self.known.at(to).unwrap_or(self.record);
        self.known.add(key, record);
    }

    /// The user took back the last so many turns.
    pub fn took_back(&mut self, turns: usize) {
        let prompts = &self.session.prompts;
        if let Some(first) = prompts.get(prompts.len().saturating_sub(turns)) {
            self.session.forget_said(first.record);
        }
    }
}
