//! Commands that the user runs in the agent's own prompt: they are no request, and nothing that the agent did.

use super::super::Outcome;
use super::{End, Recorder};

/// By what such a command is found again.
pub(super) const CALL: &str = "the user's own command";

impl Recorder {
    /// The user ran a command.
    pub fn user_ran(&mut self, command: &str) {
        if !self.aside {
            self.ran(CALL, command);
        }
    }

    /// What the user's command printed. How it ended is not said.
    pub fn user_command_printed(&mut self, output: &str) {
        if !self.aside {
            self.ended(CALL, End { outcome: Outcome::Unknown, exit: None }, || output.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::session::{Outcome, PromptWay, Recorder};

    #[test]
    fn a_command_of_the_users_is_seen_and_leaves_the_answer_as_it_is() {
        let mut recorder = Recorder::new("x");
        recorder.cwd("/work/shop");
        for record in 0..3 {
            recorder.next_record();
            match record {
                0 => recorder.asked("Fix it and commit", PromptWay::Typed),
                1 => recorder.said("Fixed."),
                _ => {
                    recorder.user_ran("cargo test");
                    recorder
                        .user_command_printed("test a ... ok\ntest result: ok. 1 passed; 0 failed");
                    recorder.user_ran("git commit -am 'Fix it'");
                    recorder.user_command_printed("[main 1a2b3c4] Fix it\n 1 file changed");
                }
            }
        }
        let session = recorder.session();
        assert_eq!(session.checks[0].outcome, Outcome::Passed);
        assert_eq!(session.commits[0].id, "1a2b3c4");
        assert!(session.prompts[0].is_handled() && session.running.is_empty());
        assert!(recorder.is_at_rest());
    }
}
