//! What the user answered to OpenCode's questions, and said while refusing what it wanted to do.

use std::borrow::Cow;

use segue_core::session::{PromptWay, Recorder, ToolText, Typed};

use crate::json::{Raw, Value, list, shaped, text, wire};

/// Takes down what the user answered: for each question the options that were chosen, or own words.
pub(super) fn take(questions: Raw<'_>, answers: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Question<'a> {
            question,
        }
    }
    let questions: Vec<Question<'_>> = list(questions);
    let answers: Vec<Value<'_>> = shaped(answers).unwrap_or_default();
    for (question, answer) in questions.iter().zip(answers) {
        let answer: Vec<Cow<'_, str>> = list(Some(answer));
        if let Some(question) = text(question.question)
            && !answer.is_empty()
        {
            recorder.answered(&question, Typed::by_record(&answer.join(", ")));
        }
    }
}

const REFUSED: &str = "The user rejected permission to use";
const DISMISSED: &str = "The user dismissed this question";
const WITH: &str = "this specific tool call with the following feedback: ";
/// Tools of the agent's own. Those of servers have the server's name before theirs, and a page or a subagent
/// writes what others complain of.
const OWN: &[&str] = &[
    "bash",
    "shell",
    "edit",
    "multiedit",
    "write",
    "apply_patch",
    "patch",
    "read",
    "glob",
    "grep",
    "list",
    "lsp",
    "todowrite",
    "todoread",
];

fn said(error: &str) -> &str {
    error.strip_prefix("Error: ").unwrap_or(error)
}

/// Whether what a call failed with says that the user did not want it.
pub(super) fn is_refusal(error: &ToolText<'_>) -> bool {
    let said = said(error.as_str());
    said.starts_with(REFUSED) || said.starts_with(DISMISSED)
}

/// The user refused, and may have said why.
pub(super) fn refused(tool: &str, error: &ToolText<'_>, recorder: &mut Recorder) {
    let why = Typed::in_own_result(error, |error| {
        said(error).strip_prefix(REFUSED)?.trim_start().strip_prefix(WITH)
    });
    match why.filter(|why| OWN.contains(&tool) && !why.is_empty()) {
        Some(why) => recorder.asked(why, PromptWay::Refusing),
        None => recorder.interrupted(),
    }
}
