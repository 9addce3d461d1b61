//! Answers of the user in a briefing: what a capture saw is told as it is, what somebody else recorded says so.

use super::rules::not_the_users;
use crate::own_words::FROM_TRANSCRIPT;
use crate::{Handoff, HandoffKind, ItemSource, Part, sections};

/// Who says what the decisions of a handoff are.
pub(super) struct Answers<'a> {
    handoff: &'a Handoff,
    /// Whether a capture completed the agent's own words: only what it added was seen.
    is_completed: bool,
}

impl<'a> Answers<'a> {
    pub(super) fn of(handoff: &'a Handoff) -> Self {
        let is_completed = sections(handoff.body()).iter().any(|one| is_added(one.title));
        Self { handoff, is_completed }
    }

    /// The label of an item that reads like an answer which Segue saw, and is none. Of a decision by itself
    /// nothing was seen.
    pub(super) fn label(&self, part: Part, section: &str, words: &str) -> Option<&'static str> {
        let kind = self.handoff.head.fields.kind;
        let source = self.handoff.source_of(section, words);
        let is_seen = kind == HandoffKind::Session
            && source == ItemSource::Agent
            && (is_added(section) || !self.is_completed);
        let is_told = kind == HandoffKind::Decision || tells_answer(words);
        (is_decided(part) && is_told && !is_seen).then(|| recorded(source)).flatten()
    }
}

/// Whether a section was added by a capture, in a handoff that one made.
fn is_added(title: &str) -> bool {
    title.ends_with(FROM_TRANSCRIPT.trim())
}

/// The parts in which a capture tells answers.
pub(super) fn is_decided(part: Part) -> bool {
    matches!(part, Part::Decisions | Part::Rejected)
}

/// What users do in answers, as a capture tells them and as somebody would who wants to be taken for one.
const ANSWERS: [&str; 16] = [
    "chose",
    "agreed",
    "accepted",
    "declined",
    "refused",
    "stopped",
    "did",
    "approved",
    "allowed",
    "answered",
    "confirmed",
    "decided",
    "picked",
    "rejected",
    "said",
    "selected",
];

/// Whether a text begins as a capture tells an answer: `The user chose: …`.
pub(crate) fn tells_answer(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.map(str::to_lowercase).skip_while(|word| word == "the");
    words.next().as_deref() == Some("user")
        && words.next().is_some_and(|word| ANSWERS.contains(&word.as_str()))
}

/// The label of what no capture saw.
pub(super) fn recorded(source: ItemSource) -> Option<&'static str> {
    match source {
        ItemSource::Agent => Some("Recorded by the agent, not seen in a session"),
        source => not_the_users(source),
    }
}

/// Whether a label is one of these: it holds for all that stands below it.
pub(super) fn is_recorded(label: Option<&str>) -> bool {
    label.is_some() && ItemSource::ALL.into_iter().any(|source| recorded(source) == label)
}
