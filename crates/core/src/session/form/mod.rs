//! The form of a sentence in which an agent says what was decided, dropped or learnt. Words alone do not tell:
//! most sentences with `rejected`, `fails` or `because` describe what a program does.

mod choice;
mod clause;
mod dropped;
#[cfg(test)]
mod form_tests;
mod page;
mod trap;

use self::choice::{is_choice, is_choice_elsewhere, is_choice_to_be, is_firm_choice};
use self::clause::Clause;
use self::dropped::{is_rejected, is_rejected_elsewhere};
use self::trap::{is_explained, is_explained_elsewhere, is_trap};
use super::cues::{Finding, INTENDS};

/// What the form of a sentence says that it is.
pub(super) fn finding_of(sentence: &str) -> Option<Finding> {
    let trimmed = sentence.trim_start_matches(['*', '_', ' ', '-']);
    let trimmed = trimmed.trim_end_matches(['*', '_', ' ', '"', ')', '”']);
    if trimmed.ends_with(['?', '？']) {
        return None;
    }
    let mut lower = trimmed.to_lowercase();
    if lower.contains(['’', '*']) {
        lower = lower.replace('’', "'").replace("**", "");
    }
    let clause = Clause::of(&lower);
    let is_elsewhere = !lower.is_ascii() || clause.has(ELSEWHERE);
    if INTENDS.iter().any(|intends| lower.starts_with(intends)) {
        return is_choice_to_be(&clause).then_some(Finding::Decision);
    }
    if is_firm_choice(&clause) {
        Some(Finding::Decision)
    } else if is_rejected(&clause) || is_elsewhere && is_rejected_elsewhere(&lower) {
        Some(Finding::Rejected)
    } else if is_explained(&clause) || is_elsewhere && is_explained_elsewhere(&lower) {
        Some(Finding::Gotcha)
    } else if is_choice(&clause) || is_elsewhere && is_choice_elsewhere(&lower) {
        Some(Finding::Decision)
    } else if is_trap(&clause) {
        Some(Finding::Gotcha)
    } else {
        None
    }
}

/// Words of German, French and Spanish, one of which nearly every sentence has. Only such sentences are looked at for
/// what they say there.
const ELSEWHERE: &[&str] = &[
    "das", "der", "die", "den", "dem", "ein", "eine", "einen", "ich", "wir", "ist", "nicht", "und",
    "es", "sich", "le", "la", "les", "un", "une", "des", "je", "nous", "que", "qui", "est", "ne",
    "pas", "en", "et", "el", "los", "las", "una", "he", "hemos", "de", "del", "se", "si", "no",
    "por", "lo", "al", "y",
];
/// Beginnings in `-ing` that name no action.
const NO_ACTION: &[&str] =
    &["nothing", "everything", "something", "anything", "during", "missing", "remaining"];
const IS: &[&str] = &["is", "was", ":", "were", "are"];
