//! What the user answered to the agent's questions.

use std::collections::BTreeMap;

use crate::json::{Raw, Value, shaped, text};

/// The user's answers to questions.
pub(super) fn answers(answers: Raw<'_>) -> Vec<(String, String)> {
    let answers: BTreeMap<String, Value<'_>> = shaped(answers).unwrap_or_default();
    let answers = answers.into_iter();
    answers.filter_map(|(question, answer)| Some((question, chosen(answer)?))).collect()
}

/// An answer: a text, or several.
fn chosen(answer: Value<'_>) -> Option<String> {
    if let Some(one) = text(Some(answer)) {
        return Some(one.into_owned());
    }
    let all: Vec<String> = shaped(Some(answer))?;
    (!all.is_empty()).then(|| all.join(", "))
}
