//! What the user answered to Copilot CLI's questions.

use segue_core::session::{Recorder, ToolText, Typed};

/// Beginnings of what the agent's own tool for questions gives back.
const ANSWERED: &[&str] = &["User responded: ", "User selected: "];

/// Takes down the answer in the result of a call of that tool.
pub(super) fn take(call: &str, result: &ToolText<'_>, recorder: &mut Recorder) {
    let answer = Typed::in_own_result(result, |said| {
        ANSWERED.iter().find_map(|begins| said.strip_prefix(begins))
    });
    if let Some(answer) = answer
        && let Some(question) = recorder.what(call).map(str::to_owned)
    {
        recorder.answered(&question, answer);
    }
}
