//! What surprised, with when or why.

use super::IS;
use super::clause::{CODE, Clause};
use super::page::is_of_a_page;

/// What leads into the explanation of a surprise.
const EXPLAINS: &[&str] = &[
    "turns out",
    "turned out",
    "culprit",
    "gotcha",
    "caveat",
    "watch out for",
    "beware",
    "pitfall",
    "quirk",
    "keep in mind",
    "be careful",
    "careful with",
    "is a known",
    "a known limitation",
    "this explains why",
    "that explains why",
    "which explains why",
    "that's why",
    "this is why",
    "which is why",
    "surprisingly",
    "unexpectedly",
    "misleading",
    "misleadingly",
    "flaky",
    "flake",
];
const TROUBLES: &[&str] = &["problem", "issue", "cause", "reason", "bug", "catch", "trap", "trick"];
const OF: &[&str] = &["for", "why", "behind", "here", "with", "that", "of"];
/// What tells of checks behind `pre-existing`.
const CHECKED: &[&str] = &[
    "failure",
    "failures",
    "error",
    "errors",
    "warning",
    "warnings",
    "test",
    "tests",
    "lint",
    "diagnostic",
    "diagnostics",
    "bug",
    "bugs",
    "flake",
    "flakes",
    "break",
    "breakage",
    "issue",
    "issues",
];
const USED_UP: &[&str] = &["exceeded", "exhausted", "reached", "used up"];

pub(super) fn is_explained(clause: &Clause<'_>) -> bool {
    let words = &clause.words;
    if clause.has_phrase(EXPLAINS) && !is_of_a_page(clause) && clause.find_own(MADE).is_none() {
        return true;
    }
    // `Heads-up: …`, `the root cause was …`, and not the mere word.
    let leads = clause.find_phrase(&["heads up", "heads-up", "root cause"]).is_some_and(|at| {
        words[at + 1..].iter().take(8).any(|word| IS.contains(word) || *word == "—")
    });
    if leads {
        return true;
    }
    // `The actual problem was that …`, not `the page shows the reason` nor `the reason field`.
    let is_told = |at: usize| {
        let is = |at: usize| words.get(at).is_some_and(|word| IS.contains(word));
        let of = words.get(at + 1).is_some_and(|word| OF.contains(word));
        is(at + 1) || of && (at + 2..at + 9).any(is)
    };
    let begins = |at: usize| {
        let start = words[..at].iter().rposition(|word| matches!(*word, "," | ":" | ";" | "—"));
        let start = start.map_or(0, |at| at + 1);
        words[start] == "the" && at - start < 4
    };
    if (1..words.len()).any(|at| TROUBLES.contains(&words[at]) && begins(at) && is_told(at)) {
        return true;
    }
    let before = clause.find(&["pre-existing", "preexisting"]);
    before.is_some_and(|at| {
        let is = at > 0 && IS.contains(&words[at - 1]);
        let from = if is { at.saturating_sub(7) } else { at };
        words[from..words.len().min(at + 4)].iter().any(|word| CHECKED.contains(word))
    })
}

pub(super) fn is_explained_elsewhere(lower: &str) -> bool {
    let has = |any: &[&str]| any.iter().any(|word| lower.contains(word));
    has(&["问题在于", "根本原因", "原因是", "原来是"])
        || lower.starts_with("注意")
        || has(&["导致"]) && has(&["失败", "报错", "崩溃", "无法", "卡住"])
        || has(&["liegt daran, dass", "lag daran, dass", "die ursache", "stellt sich heraus"])
        || has(&["schlägt fehl", "bricht ab", "hängt"]) && has(&[" wenn ", " weil ", " sobald "])
        || has(&["la cause ", "vient du fait", "il s'avère"])
        || has(&["échoue", "plante"]) && has(&[" quand ", " si ", " car ", " parce "])
        || has(&["la causa ", "resulta que", "el problema era", "el problema es"])
        || has(&["falla "]) && has(&[" cuando ", " si ", " porque "])
}

/// Verbs of something that goes wrong.
const FAILS: &[&str] = &[
    "fails",
    "breaks",
    "crashes",
    "hangs",
    "panics",
    "deadlocks",
    "segfaults",
    "stalls",
    "errors",
    "times out",
    "time out",
    "blows up",
    "chokes",
    "leaks",
    "corrupts",
    "truncates",
    "swallows",
    "clobbers",
    "overwrites",
    "loses",
    "ignores",
    "does nothing",
    "do nothing",
    "has no effect",
    "have no effect",
    "is ignored",
    "are ignored",
    "gets ignored",
    "is a no-op",
    "returns nothing",
    "returns null",
    "returns empty",
];
/// The same of many things: `snapshot tests break under …`.
const FAIL: &[&str] = &["fail", "break", "crash", "hang", "stall", "leak"];
/// The same of once. It needs a cause.
const FAILED: &[&str] = &[
    "failed",
    "broke",
    "crashed",
    "hung",
    "panicked",
    "timed out",
    "was failing",
    "were failing",
    "is failing",
    "are failing",
    "fails",
    "failing",
];
/// What something does that does not do it here.
const DOES: &[&str] = &[
    "work",
    "works",
    "support",
    "accept",
    "honor",
    "honour",
    "respect",
    "handle",
    "pick",
    "read",
    "see",
    "reload",
    "expand",
    "exist",
    "find",
    "resolve",
    "run",
    "start",
    "load",
    "apply",
    "know",
    "match",
    "propagate",
    "inherit",
    "recognize",
    "recognise",
    "parse",
    "trigger",
    "fire",
    "compile",
    "build",
    "link",
    "connect",
    "wait",
    "retry",
    "flush",
    "escape",
    "import",
    "export",
    "available",
    "installed",
    "set",
    "mounted",
    "reachable",
    "visible",
    "called",
    "loaded",
    "read",
    "honored",
    "supported",
    "picked",
    "passed",
    "use",
    "follow",
    "cover",
    "detect",
    "survive",
];
/// When or why: what stands behind a failure, or first.
const WHEN: &[&str] = &["when", "if", "unless", "until", "without", "while", "once", "whenever"];
const WHY: &[&str] =
    &["because", "since", "due", "as", ";", "—", "–", ":", "so", "even", "although"];
const WHERE: &[&str] = &[
    "ci",
    "docker",
    "macos",
    "windows",
    "linux",
    "alpine",
    "wsl",
    "sandbox",
    "container",
    "under",
    "inside",
    "outside",
    "unless",
    "despite",
];
const ONLY: &[&str] = &[
    "only works",
    "only runs",
    "only fires",
    "only triggers",
    "only applies",
    "only matches",
    "only loads",
    "only counts",
    "only reads",
    "only picks",
    "only sees",
    "only starts",
    "only accepts",
    "only supports",
];
const NEEDS: &[&str] =
    &["needs", "need", "requires", "require", "must", "expects", "has to", "have to"];
const ELSE: &[&str] = &["otherwise", "or else", "or it", "even though", "even when", "even if"];
const SPOILS: &[&str] = &[
    "drops",
    "dropped",
    "ignores",
    "ignored",
    "fails",
    "failed",
    "skips",
    "skipped",
    "discards",
    "discarded",
    "swallows",
    "truncates",
    "truncated",
    "overwrites",
    "falls",
    "returns",
    "loses",
    "lost",
    "strips",
    "stripped",
    "replaces",
    "does",
    "converts",
    "rounds",
];
/// What a program does for people about it.
const SERVES: &[&str] = &[
    "correctly",
    "expected",
    "intended",
    "shows",
    "show",
    "shown",
    "displays",
    "display",
    "sees",
    "gets",
    "notified",
    "clear",
    "friendly",
    "helpful",
    "now",
];
/// A state of the work, which is soon another.
const SO_FAR: &[&str] = &["still", "currently", "yet", "far", "moment", "remaining"];
const MADE: &[&str] = &[
    "added",
    "made",
    "wired",
    "put",
    "wrote",
    "fixed",
    "updated",
    "changed",
    "implemented",
    "created",
    "moved",
    "set",
    "built",
    "extended",
    "renamed",
    "removed",
    "replaced",
];

/// Something that fails, does nothing or needs something, with when or why.
pub(super) fn is_trap(clause: &Clause<'_>) -> bool {
    let words = &clause.words;
    let is_made =
        words.first().is_some_and(|word| MADE.contains(word)) || clause.find_own(MADE).is_some();
    let advises = clause.is_phrase(0, "if you");
    if is_made || advises || is_of_a_page(clause) || clause.has(SO_FAR) || clause.has(SERVES) {
        return false;
    }
    let is_behind_that = |at: usize| {
        at > 0 && matches!(words[at - 1], "that" | "which" | "who" | "what" | "if" | "when")
    };
    let told = |at: usize| !is_behind_that(at) && is_in_main_clause(clause, at);
    let circumstance = |at: usize| {
        let first = words.first().is_some_and(|word| WHEN.contains(word));
        let behind = words.get(at + 1..).unwrap_or_default();
        let says = |word: &&str| WHEN.contains(word) || WHY.contains(word) || WHERE.contains(word);
        first || behind.iter().any(says) || words[..at].contains(&"inside")
    };
    let cause = |at: usize| {
        let behind = words.get(at + 1..).unwrap_or_default();
        let why = behind.iter().position(|word| matches!(*word, "because" | "since" | "due" | ":"));
        // What the agent itself forgot will not happen to the next one.
        why.is_some_and(|at| !matches!(behind.get(at + 1), Some(&("i" | "my" | "i'd"))))
    };
    let fails = clause.find_phrase(FAILS).or_else(|| {
        let fail = clause.find(FAIL).filter(|at| *at > 0)?;
        words[fail - 1].ends_with('s').then_some(fail)
    });
    if let Some(at) = fails
        && told(at)
        && circumstance(at)
    {
        return true;
    }
    if let Some(at) = clause.find_phrase(FAILED)
        && told(at)
        && cause(at)
    {
        return true;
    }
    if let Some(at) = clause.find_denied(DOES)
        && !clause.is_own(at)
        && told(at)
        && circumstance(at)
        && (words[..at].iter().any(|word| *word == CODE || is_name(word)) || cause(at))
    {
        return true;
    }
    if let Some(at) = clause.find_phrase(ONLY)
        && told(at)
        && !clause.is_own(at)
        && words[..at].iter().any(|word| *word == CODE || is_name(word))
    {
        return true;
    }
    if let Some(at) = clause.find_phrase(NEEDS)
        && !clause.is_own(at)
        && told(at)
        && (clause.has_phrase(ELSE)
            || words[at..].iter().any(|word| matches!(*word, "because" | "before" | "already")))
    {
        return true;
    }
    if let Some(at) = clause.find(&["silently"])
        && !clause.is_own(at)
        && words[at.saturating_sub(1)..].iter().take(4).any(|word| SPOILS.contains(word))
    {
        return true;
    }
    is_used_up(clause)
}

/// `The API quota is exhausted`, and not what happens once it is.
fn is_used_up(clause: &Clause<'_>) -> bool {
    let limit = clause.has_phrase(&["rate limit", "quota", "rate-limited", "rate limited"]);
    let expired = clause.find(&["expired"]).is_some_and(|at| {
        let is = at > 0 && matches!(clause.words[at - 1], "is" | "has" | "had" | "was");
        is && !clause.words[..at].iter().any(|word| matches!(*word, "that" | "which" | "who"))
    });
    let hit =
        || clause.has_phrase(USED_UP) || clause.has_phrase(&["hit", "ran into", "limited by"]);
    (limit && hit() || expired) && !clause.has(&["when", "if", "once", "after", "until"])
}

/// Whether what stands at a place is told, and not a condition: in `it waits if that fails` nothing fails.
fn is_in_main_clause(clause: &Clause<'_>, at: usize) -> bool {
    let words = &clause.words;
    let Some(when) = words[..at].iter().rposition(|word| WHEN.contains(word) || *word == "after")
    else {
        return true;
    };
    // `Without a token, the build fails`: the condition is over.
    words[when..at].contains(&",")
}

/// Whether a word is a name: it has a sign or a digit in it.
fn is_name(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit() || matches!(c, '_' | '.' | '/' | '-'))
        || matches!(
            word,
            "it" | "this" | "that" | "docker" | "git" | "npm" | "node" | "ci" | "shell"
        )
}
