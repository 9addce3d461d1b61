//! What was chosen, and why.

use super::clause::{CODE, Clause};
use super::page::is_of_a_page;
use super::{IS, NO_ACTION};

/// Whether a sentence in small letters that begins as an intention is a choice: `I'll use a file instead of …`.
pub(super) fn is_choice_to_be(clause: &Clause<'_>) -> bool {
    let words = &clause.words;
    let verb = clause.find_own(SETTLES).filter(|at| *at < 5);
    words.first() != Some(&"let")
        && verb.is_some_and(|at| {
            let after = Clause::of_words(words[at..].to_vec());
            after.has_phrase(SWAPS)
        })
}

/// Verbs of what stays as it was chosen.
const SETTLES: &[&str] =
    &["use", "keep", "leave", "go with", "stick with", "store", "treat", "avoid", "pin", "split"];
/// Verbs of a choice that need nothing more.
const CHOSE: &[&str] = &[
    "decided",
    "chose",
    "opted",
    "settled on",
    "settled for",
    "picked",
    "went with",
    "went for",
    "going with",
    "go with",
    "sticking with",
    "stick with",
    "stuck with",
    "stayed with",
    "standardized on",
    "standardised on",
];
const AGAINST: &[&str] = &["against", "not", "no", "nothing"];
/// Whose choice it is, besides the speaker's.
const OTHERS: &[&str] = &["you", "you've", "user", "team"];

/// `I went with integers`, and not `decided against it`.
pub(super) fn is_firm_choice(clause: &Clause<'_>) -> bool {
    let at = clause.find_phrase(CHOSE);
    at.is_some_and(|at| {
        let own = clause.is_own(at) || clause.words[..at].iter().any(|word| OTHERS.contains(word));
        let against = clause.words[at..].iter().take(4).any(|word| AGAINST.contains(word));
        own && !against && !clause.denies(at.wrapping_sub(1)) && clause.words.len() > at + 2
    })
}

/// Judgements that are choices.
const PREFERS: &[&str] =
    &["recommend", "recommended", "suggest", "propose", "prefer", "preferred", "'d go with"];
const STANCES: &[&str] = &[
    "use",
    "using",
    "used",
    "keep",
    "kept",
    "keeping",
    "leave",
    "left",
    "leaving",
    "treat",
    "treating",
    "treated",
    "store",
    "stored",
    "avoid",
    "avoided",
    "avoiding",
    "limit",
    "limited",
    "pin",
    "pinned",
    "split",
    "reuse",
    "reused",
    "switched",
    "switching",
    "put",
    "made",
    "run",
    "hold",
    "holding",
    "pass",
    "passed",
    "chose",
    "moved",
    "wrote",
    "build",
    "compute",
    "read",
];
const SAW: &[&str] = &[
    "got", "get", "see", "saw", "found", "noticed", "expected", "returned", "returns", "printed",
    "gave", "failed", "fails", "crashed", "broke", "throws", "threw", "showed", "hit", "wrong",
    "bug", "read",
];
const LABELS: &[&str] = &["recommendation", "decision", "rationale", "fix", "approach", "design"];
const MEANT: &[&str] = &[
    "is deliberate",
    "are deliberate",
    "was deliberate",
    "is intentional",
    "are intentional",
    "was intentional",
    "on purpose",
    "by design",
    "source of truth",
];
const SWAPS: &[&str] = &["instead of", "rather than"];
const TO: &[&str] =
    &["to avoid", "to keep", "to prevent", "so that", "because", "since", "otherwise"];
const RIGHT: &[&str] =
    &["right", "proper", "correct", "simplest", "cleanest", "better", "best", "safest"];
const CHOICES: &[&str] =
    &["fix", "approach", "call", "way", "choice", "option", "solution", "move"];

pub(super) fn is_choice(clause: &Clause<'_>) -> bool {
    let words = &clause.words;
    // What the user may do is chosen by nobody yet.
    if clause.has_phrase(&["if you", "you could", "you can"]) {
        return false;
    }
    let has_reason = clause.has_phrase(TO) || clause.has(&[":", ";", "—", "–"]);
    let own = (1..words.len()).any(|at| clause.is_own(at));
    if let Some(at) = clause.find_phrase(SWAPS) {
        let is_bug = words[..at].iter().any(|word| SAW.contains(word));
        let until = if at == 0 { words.len() } else { at };
        let own = (1..until).any(|at| clause.is_own(at));
        let is_verb =
            words.first().is_some_and(|word| word.ends_with("ing") && !NO_ACTION.contains(word));
        let follows = words[..at].contains(&"so");
        let is_said =
            follows || own || is_verb || has_reason || clause.has(&[CODE]) && words.len() > 6;
        if !is_bug && is_said && !is_of_a_page(clause) {
            return true;
        }
    }
    let stance = clause.find_own(STANCES);
    if stance.is_some_and(|at| {
        let after = Clause::of_words(words[at..].to_vec());
        after.has_phrase(TO) && !clause.denies(at.wrapping_sub(1))
    }) {
        return true;
    }
    if clause.find_own(PREFERS).is_some_and(|at| words.len() > at + 3) {
        return true;
    }
    let begin = usize::from(words.first().is_some_and(|word| matches!(*word, "the" | "my")));
    let label = words.get(begin).is_some_and(|word| LABELS.contains(word))
        && (words.get(begin + 1) == Some(&":") || clause.is_phrase(begin + 1, "is to"))
        || clause.has_phrase(&["my recommendation", "the trade-off", "the tradeoff"])
        || clause.has_phrase(&["deliberate call", "deliberate choice", "deliberate decision"]);
    if label && words.len() > 5 {
        return true;
    }
    let right = clause.find(CHOICES).is_some_and(|at| {
        at > 0
            && RIGHT.contains(&words[at - 1])
            && words[at..].iter().take(6).any(|it| IS.contains(it))
    });
    let meant = (own || clause.has_phrase(&["because", "so that", "since"]) || clause.has(&[":"]))
        && (clause.has(&["deliberately", "intentionally"]) || clause.has_phrase(MEANT));
    let stays = clause.has_phrase(&["stays", "remains", "is kept", "are kept", "is left"])
        && clause.has_phrase(&["because", "so that", "to avoid", "since"]);
    right || meant && !is_of_a_page(clause) || stays && !is_of_a_page(clause)
}

pub(super) fn is_choice_elsewhere(lower: &str) -> bool {
    let has = |any: &[&str]| any.iter().any(|word| lower.contains(word));
    has(&["决定", "采用", "推荐", "选择了", "而不是", "正确的做法"])
        && has(&["我", "因为", "以便", "方案", "的做法", "避免", "改为", "统一"])
        && !has(&["用户决定"])
        || has(&["entschieden", "statt ", "anstatt ", "bewusst "]) && has(&["ich ", "wir "])
        || has(&["choisi", "plutôt que", "au lieu d", "décidé"]) && has(&["j'", "je ", "nous "])
        || has(&["elegí", "decidí", "decidimos", "opté", "optamos"])
        || has(&["en lugar de", "en vez de"]) && has(&["uso ", "usé ", "usamos ", "he ", "hemos "])
}
