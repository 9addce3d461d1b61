//! What the user answered to Gemini CLI's questions, and said to its plans.

use std::collections::BTreeMap;

use segue_core::session::{PromptWay, Recorder, ToolText, Typed};
use serde::Deserialize;

use crate::json::{Raw, list, text, wire};

/// How a server's tool is shown, which may have the name of one of the agent's own.
const BY_SERVER: &str = "MCP Server)";

/// Whether a call that is shown like this is of a tool of the agent's own.
pub(super) fn is_own(shown: Option<&str>) -> bool {
    shown.is_none_or(|shown| !shown.trim_end().ends_with(BY_SERVER))
}

/// Takes down the user's answers to questions.
pub(super) fn take(questions: Raw<'_>, result: &ToolText<'_>, recorder: &mut Recorder) {
    wire! {
        struct Question<'a> {
            question,
        }
    }
    #[derive(Deserialize)]
    struct Answers {
        answers: BTreeMap<usize, String>,
    }
    let questions: Vec<Question<'_>> = list(questions);
    let Ok(given) = serde_json::from_str::<Answers>(result.as_str()) else { return };
    for (at, answer) in &given.answers {
        if let Some(question) = questions.get(*at).and_then(|one| text(one.question)) {
            recorder.answered(&question, Typed::by_record(answer));
        }
    }
}

const APPROVED: &str = "Plan approved";
const REJECTED: &str = "Plan rejected. User feedback: ";
/// What the agent adds behind it.
const STORED: &str = "\n\nThe plan is stored at:";

/// Takes down what the user said to a plan.
pub(super) fn to_plan(result: &ToolText<'_>, recorder: &mut Recorder) {
    if result.as_str().starts_with(APPROVED) {
        recorder.plan_accepted();
    }
    let why = |said| str::strip_prefix(said, REJECTED)?.split(STORED).next();
    if let Some(why) = Typed::in_own_result(result, why) {
        recorder.asked(why, PromptWay::Refusing);
    }
}
