//! Bans without a verb: `no new dependencies`.

use super::clause::{Clause, Link};
use super::order::{is_imperative, is_of_the_team};
use super::subjects::is_trouble;
use super::words::{is_finite, is_past};

/// What there is none of where somebody reports, or says something polite.
const NOTHING_BANNED: &[&str] = &[
    "answer",
    "answers",
    "change",
    "changes",
    "chance",
    "clue",
    "comment",
    "connection",
    "data",
    "difference",
    "doubt",
    "effect",
    "error",
    "errors",
    "go",
    "help",
    "hits",
    "hurry",
    "idea",
    "improvement",
    "information",
    "joy",
    "logs",
    "longer",
    "luck",
    "matches",
    "matter",
    "message",
    "messages",
    "need",
    "news",
    "not",
    "objection",
    "objections",
    "one",
    "output",
    "point",
    "problem",
    "problems",
    "progress",
    "question",
    "questions",
    "reaction",
    "reason",
    "reply",
    "response",
    "result",
    "results",
    "rush",
    "sense",
    "sign",
    "signal",
    "such",
    "thanks",
    "that",
    "that's",
    "time",
    "trace",
    "warning",
    "warnings",
    "way",
    "wonder",
    "worries",
    "worry",
    "it",
    "it's",
    "i",
    "we",
    "you",
    "the",
    "they",
    "this",
    "there",
    "more",
    "matching",
    "visible",
    "space",
    "can",
    "idea's",
];
/// `no new dependencies`, `no more mocks`.
pub(super) fn bans(core: &[&str], clause: &Clause<'_>, all: &[Clause<'_>]) -> bool {
    let ["no", rest @ ..] = core else { return false };
    let rest = rest.strip_prefix(&["more"]).unwrap_or(rest);
    let Some(what) = rest.first() else { return false };
    // A ban that follows something else follows from it, or is set beside an order.
    let before = clause.link == Link::First
        || all.first().is_some_and(|first| {
            let core = first.core().0;
            is_imperative(core)
                || is_of_the_team(core)
                || core.first() == Some(&"no")
                || core.first() == Some(&"only")
        })
        // `a small patch, no refactoring`: nothing is told there.
        || !all.iter().flat_map(|clause| &clause.words).any(|word| is_finite(word) || is_past(word) || is_trouble(word));
    before
        && rest.len() <= 5
        && !rest.iter().any(|word| is_finite(word) || is_past(word) || is_spanish(word))
        && !rest
            .iter()
            .take_while(|word| !matches!(**word, "in" | "for" | "on" | "with"))
            .enumerate()
            .any(|(at, word)| NOTHING_BANNED.contains(word) && !(at > 0 && *word == "changes"))
        && !matches!(*what, "at" | "in" | "for")
        && !all
            .iter()
            .any(|clause| matches!(clause.words.first(), Some(&("i" | "it" | "there" | "nothing"))))
}

/// Whether a word tells that `no` is Spanish.
fn is_spanish(word: &str) -> bool {
    matches!(
        word,
        "en" | "de"
            | "la"
            | "el"
            | "se"
            | "es"
            | "hay"
            | "me"
            | "lo"
            | "nunca"
            | "que"
            | "está"
            | "una"
            | "un"
            | "más"
    )
}
