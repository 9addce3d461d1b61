//! Steps as a capture words them: what is to be done, and where the conversation stood.

/// What stands before a step that the agent said, in a captured session.
const SAID: [&str; 5] = [
    "Announced before its last message: ",
    "Announced before: ",
    "Left open, the agent said: ",
    "Left open before, the agent said: ",
    "Proposed by the agent as a next step: ",
];

/// How a step begins that says where a conversation stood when its session ended.
const CONVERSATION: [&str; 6] = [
    "Waiting for the user: ",
    "The user stopped the agent at: ",
    "Not answered yet: ",
    "Finish the last request: ",
    "Blocked at: ",
    "Typed while the agent worked, and not read by it: ",
];

/// How a step begins by which something is to be committed, pushed or opened.
const PUBLISH: [&str; 5] = [
    "A commit was asked for and not seen",
    "A commit and a push were asked for and not seen",
    "A push was asked for and not seen",
    "A pull request was asked for and not seen",
    "Push the branch ",
];

/// A step without what says that the agent said it.
pub(super) fn plain_step(text: &str) -> &str {
    SAID.iter().find_map(|lead| text.strip_prefix(lead)).unwrap_or(text)
}

/// Whether a step says where the conversation of its session stood: whoever goes on takes that over.
pub(super) fn is_of_conversation(text: &str) -> bool {
    CONVERSATION.iter().any(|lead| text.starts_with(lead))
}

/// What a step wants to be published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Publishing {
    Commit,
    Push,
}

/// Whether a step is to commit or to push.
pub(super) fn publishing(text: &str) -> Option<Publishing> {
    let at = PUBLISH.iter().position(|lead| text.starts_with(lead))?;
    Some(if at == 0 { Publishing::Commit } else { Publishing::Push })
}

/// Whether a step only repeats that a check fails, which the check itself says.
pub(super) fn repeats_check(text: &str) -> bool {
    text.strip_prefix("Make `").is_some_and(|rest| rest.contains("` pass"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distil::{DistilRequest, distil};
    use crate::session::{End, Outcome, PromptWay, Recorder};

    fn steps(build: impl FnOnce(&mut Recorder)) -> Vec<String> {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        build(&mut recorder);
        crate::next_items(&distil(recorder.session(), &DistilRequest::default()).body)
    }

    #[test]
    fn the_steps_of_a_capture_are_recognized() {
        let unanswered = steps(|recorder| recorder.asked("Fix the parser", PromptWay::Typed));
        assert!(unanswered.iter().any(|step| is_of_conversation(step)), "{unanswered:?}");
        let waiting = steps(|recorder| {
            recorder.asked("Fix the parser", PromptWay::Typed);
            recorder.next_record();
            recorder.said("Two ways are possible. Should I rewrite the lexer, or patch it?");
        });
        assert!(waiting.iter().any(|step| is_of_conversation(step)), "{waiting:?}");
        let failing = steps(|recorder| {
            recorder.asked("Fix the parser and commit it", PromptWay::Typed);
            recorder.next_record();
            recorder.ran("1", "cargo test");
            recorder.ended("1", End { outcome: Outcome::Failed, exit: Some(101) }, || "".into());
        });
        assert!(failing.iter().any(|step| repeats_check(step)), "{failing:?}");
        assert_eq!(plain_step("Announced before: Next, x."), "Next, x.");
        assert_eq!(publishing("Push the branch `a`: its last commits"), Some(Publishing::Push));
        assert_eq!(publishing("Commit it"), None);
    }
}
