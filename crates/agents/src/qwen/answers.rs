//! What the user answered to Qwen Code's questions.

use segue_core::session::{Recorder, ToolText, Typed};

use crate::json::{Raw, list, text, wire};
use crate::own_question;

/// Notes the questions of a call.
pub(super) fn ask(id: &str, questions: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Question<'a> {
            question,
            header,
        }
    }
    own_question::asks(id, recorder);
    for one in list::<Question<'_>>(questions) {
        if let (Some(header), Some(question)) = (text(one.header), text(one.question)) {
            recorder.notes.put(&format!("{id} {header}"), &question);
        }
    }
}

const ANSWERED: &str = "User has provided the following answers:";

/// Takes down the user's answers, each after the heading of its question.
pub(super) fn take(id: &str, result: &ToolText<'_>, recorder: &mut Recorder) {
    if !own_question::is_answer(id, recorder) {
        return;
    }
    let said = Typed::in_own_result(result, |said| said.strip_prefix(ANSWERED));
    let said = said.map(Typed::as_str).unwrap_or_default();
    for line in said.lines() {
        let answer = line.strip_prefix("**").and_then(|line| line.split_once("**: "));
        let Some((header, answer)) = answer else { continue };
        let question = recorder.notes.get(&format!("{id} {header}")).map(str::to_owned);
        if let Some(question) = question {
            recorder.answered(&question, Typed::by_record(answer));
        }
    }
}
