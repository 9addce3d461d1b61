//! When an agent is asked for a handoff at the end of a turn.

use serde::{Deserialize, Serialize};

/// So many edits have to be made after a question at the end of a turn before the next one.
const EDITS_BETWEEN: u64 = 10;

/// What an agent was asked at the ends of its turns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StopQuestion {
    /// The last handoff in the session's own words.
    saved: Option<String>,
    /// Edits of the session when that was first seen, or when the agent was last asked.
    edits: u64,
    /// Whether it was asked since that handoff.
    asked: bool,
}

impl StopQuestion {
    /// Whether the agent is to be asked now, and notes that it is.
    pub(crate) fn is_due(&mut self, saved: Option<String>, edits: u64) -> bool {
        if self.saved != saved {
            *self = Self { saved, edits, asked: false };
            return false;
        }
        let least = if self.asked { EDITS_BETWEEN } else { 1 };
        if edits.saturating_sub(self.edits) < least {
            return false;
        }
        (self.edits, self.asked) = (edits, true);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_state_is_asked_about_once() {
        let mut question = StopQuestion::default();
        assert!(!question.is_due(None, 0), "nothing changed");
        assert!(question.is_due(None, 1));
        assert!(!question.is_due(None, 1));
        assert!(!question.is_due(None, EDITS_BETWEEN));
        assert!(question.is_due(None, 1 + EDITS_BETWEEN));
        let saved = || Some("20261115-174500-a3f9c12e".to_owned());
        assert!(!question.is_due(saved(), 40), "it has saved");
        assert!(!question.is_due(saved(), 40));
        assert!(question.is_due(saved(), 41), "and went on");
    }
}
