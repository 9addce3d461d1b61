//! What was tried, considered or proposed, and dropped.

use super::NO_ACTION;
use super::clause::Clause;
use super::page::is_of_a_page;

const TRIED: &[&str] = &[
    "tried",
    "attempted",
    "considered",
    "evaluated",
    "explored",
    "investigated",
    "prototyped",
    "experimented",
    "proposed",
    "suggested",
    "thought about",
    "looked into",
    "looked at using",
];
const BAD_END: &[&str] = &[
    "but",
    "however",
    "worse",
    "slower",
    "broke",
    "breaks",
    "broken",
    "failed",
    "fails",
    "useless",
    "nothing",
    "rejected",
    "abandoned",
    "dropped",
    "reverted",
    "neither",
    "too",
];
const ENDED_WELL: &[&str] = &["anymore", "longer", "fine", "works", "worked", "correctly"];
/// Verbs with which something is dropped for good.
const DROPPED: &[&str] = &[
    "abandoned",
    "abandoning",
    "scrapped",
    "scrapping",
    "discarded",
    "discarding",
    "backed out",
    "backing out",
    "backed it out",
    "gave up on",
    "giving up on",
    "ruled out",
    "decided against",
    "decided not to",
    "decided no",
    "opted against",
    "opted not to",
    "chose not to",
];
/// Verbs that may tell of a mere change: they need what was dropped to be a way of doing it, or a reason.
const LET_GO: &[&str] = &[
    "dropped",
    "dropping",
    "rejected",
    "rejecting",
    "reverted",
    "reverting",
    "rolled back",
    "undid",
    "skipped",
    "skipping",
    "deferred",
    "deferring",
    "declined",
    "declining",
    "leaving out",
    "left out",
];
/// What is skipped because it cannot be done here: a state of the work.
const WORK: &[&str] = &[
    "test", "tests", "e2e", "check", "checks", "step", "steps", "item", "items", "ci", "hook",
    "hooks", "review", "suite", "run", "lint", "push", "commit", "build",
];
/// A way of doing something.
const WAYS: &[&str] = &[
    "approach",
    "approaches",
    "option",
    "options",
    "attempt",
    "attempts",
    "idea",
    "ideas",
    "alternative",
    "alternatives",
    "workaround",
    "strategy",
    "variant",
    "solution",
    "route",
    "hack",
    "hypothesis",
    "theory",
    "guess",
    "assumption",
    "diagnosis",
    "proposal",
    "refactor",
    "rewrite",
    "trick",
    "suggestion",
];
/// Verbs that say, denied, that a way leads nowhere.
const LEADS_ON: &[&str] = &[
    "work", "help", "scale", "fit", "solve", "fix", "hold", "pay", "apply", "survive", "suffice",
    "improve", "change", "matter", "make",
];
const POINTLESS: &[&str] = &[
    "overkill",
    "infeasible",
    "unworkable",
    "unviable",
    "pointless",
    "not worth",
    "isn't worth",
    "wasn't worth",
    "aren't worth",
    "dead end",
    "dead-end",
    "out of scope",
    "scope creep",
    "not viable",
    "isn't viable",
    "not feasible",
    "isn't feasible",
    "ruled out",
    "refuted",
    "a false positive",
    "false positives",
];
/// Judgements on a way of doing something.
const POOR: &[&str] = &[
    "wrong",
    "slower",
    "worse",
    "brittle",
    "fragile",
    "risky",
    "broke",
    "breaks",
    "fails",
    "failed",
    "useless",
    "rejected",
    "discarded",
    "dropped",
    "abandoned",
    "reverted",
    "scrapped",
];
const TOO: &[&str] = &[
    "slow",
    "expensive",
    "risky",
    "complex",
    "complicated",
    "invasive",
    "brittle",
    "fragile",
    "big",
    "heavy",
    "costly",
    "intrusive",
    "coarse",
    "aggressive",
    "broad",
];
const WOULD: &[&str] = &[
    "break",
    "have",
    "require",
    "need",
    "mean",
    "force",
    "double",
    "lose",
    "defeat",
    "cost",
    "hide",
    "make",
    "duplicate",
    "leak",
    "not",
];
const REASONS: &[&str] =
    &["because", "since", "so", "as", ":", ";", "—", "–", "would", "it'd", "otherwise"];
const NOT_DOING: &[&str] = &[
    "not adding",
    "not doing",
    "not touching",
    "not changing",
    "not including",
    "not going to",
    "not pursuing",
    "did not add",
    "didn't add",
    "did not use",
    "didn't use",
    "did not touch",
    "didn't touch",
    "did not change",
    "didn't change",
    "did not bump",
    "didn't bump",
    "won't add",
    "won't do",
    "won't touch",
];
const DID_NOT: &[&str] =
    &["didn't work", "did not work", "didn't help", "did not help", "didn't pay", "did not pay"];
const SUBJECTS: &[&str] = &["that", "this", "it", "which", "neither", "both"];

pub(super) fn is_rejected(clause: &Clause<'_>) -> bool {
    let behind = |at: usize| clause.words.get(at..).unwrap_or_default();
    let has_reason = |at: usize| behind(at).iter().any(|word| REASONS.contains(word));
    if let Some(at) = clause.find_own(TRIED) {
        let rest = behind(at + 1);
        let bad = rest.iter().any(|word| BAD_END.contains(word) || word.ends_with("n't"));
        if bad && !rest.iter().any(|word| ENDED_WELL.contains(word)) {
            return true;
        }
    }
    if clause.find_own(DROPPED).is_some() {
        return true;
    }
    if let Some(at) = clause.find_own(LET_GO) {
        let object = behind(at + 1).iter().take(5);
        let is_way = object.clone().any(|word| WAYS.contains(word));
        let is_work = object.clone().take(4).any(|word| WORK.contains(word));
        if is_way || has_reason(at) && !is_work {
            return true;
        }
    }
    if clause.find_own(NOT_DOING).is_some_and(has_reason) {
        return true;
    }
    if clause.has_phrase(POINTLESS) {
        return true;
    }
    // What did not work was tried. With a cause it is a fault that was found.
    let failed = clause.find_phrase(DID_NOT).is_some_and(|at| at > 0 && !clause.is_own(at));
    if failed && !is_of_a_page(clause) && !clause.has(&["because", "since", "before", "when"]) {
        return true;
    }
    is_way_to_nowhere(clause)
}

/// `That approach doesn't scale`, `Raising the limit didn't help`.
fn is_way_to_nowhere(clause: &Clause<'_>) -> bool {
    let words = &clause.words;
    let start = usize::from(words.first().is_some_and(|word| matches!(*word, "just" | "but")));
    let first = words.get(start).copied().unwrap_or_default();
    let is_doing = first.len() > 5 && first.ends_with("ing") && !NO_ACTION.contains(&first);
    let way = clause.find(WAYS).filter(|at| *at < 8);
    let is_that = SUBJECTS.contains(&first);
    let Some(from) = way.or_else(|| (is_doing || is_that).then_some(start)) else { return false };
    let judged = Clause::of_words(words[from + 1..].to_vec());
    let nowhere = judged.find_denied(LEADS_ON).is_some_and(|at| way.is_none() || at < 8)
        || judged.has_phrase(&["no difference"]);
    let would = judged.find(&["would", "wouldn't"]).is_some_and(|at| {
        judged.denies(at) || judged.words.get(at + 1).is_some_and(|next| WOULD.contains(next))
    });
    let too = judged
        .find(&["too"])
        .is_some_and(|at| judged.words.get(at + 1).is_some_and(|next| TOO.contains(next)));
    let poor = judged.find(POOR).is_some_and(|at| at < 8);
    match (way.is_some(), is_doing) {
        (true, _) => nowhere || would || too || poor,
        (_, true) => nowhere || would || too,
        _ => (nowhere || would) && judged.has(&["because", "since", ":", "—", "as"]),
    }
}

/// The same in other languages: a word of dropping, with who did it or a way of doing it.
pub(super) fn is_rejected_elsewhere(lower: &str) -> bool {
    let has = |any: &[&str]| any.iter().any(|word| lower.contains(word));
    has(&["放弃", "没必要", "不太好", "行不通", "不采用"])
        && has(&["我", "方案", "做法", "思路", "尝试", "因为"])
        || has(&["verworfen", "lohnt sich nicht", "bringt nichts", "klappt so nicht"])
            && has(&["ich ", "wir ", "ansatz", "idee", "variante", "lösung", "weg "])
        || has(&["abandonné", "écarté", "ne vaut pas", "ne suffit pas"])
            && has(&["j'", "je ", "nous ", "approche", "idée", "solution", "piste"])
        || has(&["descart", "no vale la pena", "abandoné"])
            && has(&["he ", "hemos ", "descarté", "enfoque", "idea", "opción", "solución"])
}
