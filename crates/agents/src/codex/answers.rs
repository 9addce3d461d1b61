//! What the user answered to Codex' questions.

use std::collections::BTreeMap;

use segue_core::session::{Recorder, ToolText, Typed};
use serde::Deserialize;

use crate::json::{Raw, is_true, list, text, wire};
use crate::own_question;

/// Notes the questions of a call.
pub(super) fn ask(id: &str, questions: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Question<'a> {
            id,
            question,
            is_secret = "isSecret",
        }
    }
    own_question::asks(id, recorder);
    for one in list::<Question<'_>>(questions) {
        if let (Some(key), Some(question)) = (text(one.id), text(one.question))
            && !is_true(one.is_secret)
        {
            recorder.notes.put(&format!("{id} {key}"), &question);
        }
    }
}

/// Takes down the user's answers. Only to questions that are known: the others may be secrets.
pub(super) fn take(id: &str, result: &ToolText<'_>, recorder: &mut Recorder) {
    #[derive(Deserialize)]
    struct Answers {
        answers: BTreeMap<String, Answer>,
    }
    #[derive(Deserialize)]
    struct Answer {
        answers: Vec<String>,
    }
    if !own_question::is_answer(id, recorder) {
        return;
    }
    let Ok(given) = serde_json::from_str::<Answers>(result.as_str()) else { return };
    for (key, answer) in given.answers {
        let question = recorder.notes.get(&format!("{id} {key}")).map(str::to_owned);
        if let Some(question) = question.filter(|_| !answer.answers.is_empty()) {
            let answer = answer.answers.join(", ");
            recorder.answered(&question, Typed::by_record(&answer));
        }
    }
}
