//! The form of a sentence in which an agent says what was decided, dropped or learnt. Words alone do not tell:
//! most sentences with `rejected`, `fails` or `because` describe what a program does.

use super::clause::{CODE, Clause};
use super::cues::{Finding, INTENDS};

/// What the form of a sentence says that it is.
pub(super) fn finding_of(sentence: &str) -> Option<Finding> {
    let trimmed = sentence.trim_start_matches(['*', '_', ' ', '-']).trim_end();
    if trimmed.ends_with(['?', '？']) {
        return None;
    }
    let lower = trimmed.to_lowercase().replace('’', "'").replace("**", "");
    let clause = Clause::of(&lower);
    if INTENDS.iter().any(|intends| lower.starts_with(intends)) {
        return is_choice_to_be(&clause).then_some(Finding::Decision);
    }
    if is_firm_choice(&clause) {
        Some(Finding::Decision)
    } else if is_rejected(&clause) || is_rejected_elsewhere(&lower) {
        Some(Finding::Rejected)
    } else if is_explained(&clause) || is_explained_elsewhere(&lower) {
        Some(Finding::Gotcha)
    } else if is_choice(&clause) || is_choice_elsewhere(&lower) {
        Some(Finding::Decision)
    } else if is_trap(&clause) {
        Some(Finding::Gotcha)
    } else {
        None
    }
}

/// Whether a sentence in small letters that begins as an intention is a choice: `I'll use a file instead of …`.
fn is_choice_to_be(clause: &Clause<'_>) -> bool {
    let words = &clause.words;
    let verb = clause.find_own(SETTLES).filter(|at| *at < 5);
    words.first() != Some(&"let")
        && verb.is_some_and(|at| {
            let after = Clause { words: words[at..].to_vec() };
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
fn is_firm_choice(clause: &Clause<'_>) -> bool {
    let at = clause.find_phrase(CHOSE);
    at.is_some_and(|at| {
        let own = clause.is_own(at) || clause.words[..at].iter().any(|word| OTHERS.contains(word));
        let against = clause.words[at..].iter().take(4).any(|word| AGAINST.contains(word));
        own && !against && !clause.denies(at.wrapping_sub(1)) && clause.words.len() > at + 2
    })
}

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
/// Beginnings in `-ing` that name no action.
const NO_ACTION: &[&str] =
    &["nothing", "everything", "something", "anything", "during", "missing", "remaining"];
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

fn is_rejected(clause: &Clause<'_>) -> bool {
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
    let judged = Clause { words: words[from + 1..].to_vec() };
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
fn is_rejected_elsewhere(lower: &str) -> bool {
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
    "known bug",
    "known limitation",
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
const IS: &[&str] = &["is", "was", ":", "were", "are"];
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

fn is_explained(clause: &Clause<'_>) -> bool {
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

fn is_explained_elsewhere(lower: &str) -> bool {
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
/// Whom a feature is for.
const PEOPLE: &[&str] = &[
    "user",
    "users",
    "guest",
    "guests",
    "customer",
    "customers",
    "visitor",
    "visitors",
    "admin",
    "admins",
    "member",
    "members",
    "people",
    "everyone",
    "readers",
    "editors",
    "students",
    "client",
    "clients",
    "owner",
    "owners",
    "viewers",
    "buyers",
    "sellers",
    "players",
    "patients",
];
/// What people see of a program.
const SEEN: &[&str] = &[
    "button",
    "buttons",
    "page",
    "pages",
    "form",
    "forms",
    "dialog",
    "menu",
    "field",
    "fields",
    "screen",
    "view",
    "table",
    "banner",
    "modal",
    "badge",
    "row",
    "rows",
    "card",
    "cards",
    "toast",
    "header",
    "footer",
    "sidebar",
    "tab",
    "tabs",
    "link",
    "links",
    "icon",
    "list",
    "message",
    "messages",
    "tooltip",
    "checkbox",
    "dropdown",
    "widget",
    "chart",
    "upload",
    "uploads",
    "download",
    "downloads",
    "account",
    "accounts",
    "password",
    "passwords",
    "email",
    "emails",
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
fn is_trap(clause: &Clause<'_>) -> bool {
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

/// Whether a sentence is about people and what they see: it says what a program is for.
fn is_of_a_page(clause: &Clause<'_>) -> bool {
    clause.begins_with(3, PEOPLE) || clause.begins_with(4, SEEN)
}

/// Whether a word is a name: it has a sign or a digit in it.
fn is_name(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit() || matches!(c, '_' | '.' | '/' | '-'))
        || matches!(
            word,
            "it" | "this" | "that" | "docker" | "git" | "npm" | "node" | "ci" | "shell"
        )
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

fn is_choice(clause: &Clause<'_>) -> bool {
    let words = &clause.words;
    // What the user may do is chosen by nobody yet.
    if clause.has_phrase(&["if you", "you could", "you can"]) {
        return false;
    }
    let has_reason = clause.has_phrase(TO) || clause.has(&[":", ";", "—", "–", "so"]);
    let own = (1..words.len()).any(|at| clause.is_own(at));
    if let Some(at) = clause.find_phrase(SWAPS) {
        let is_bug = words[..at].iter().any(|word| SAW.contains(word));
        let until = if at == 0 { words.len() } else { at };
        let own = (1..until).any(|at| clause.is_own(at));
        let is_verb =
            words.first().is_some_and(|word| word.ends_with("ing") && !NO_ACTION.contains(word));
        let is_said = own || is_verb || has_reason || clause.has(&[CODE]);
        if !is_bug && is_said && !is_of_a_page(clause) {
            return true;
        }
    }
    let stance = clause.find_own(STANCES);
    if stance.is_some_and(|at| {
        let after = Clause { words: words[at..].to_vec() };
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

fn is_choice_elsewhere(lower: &str) -> bool {
    let has = |any: &[&str]| any.iter().any(|word| lower.contains(word));
    has(&["决定", "采用", "推荐", "选择了", "而不是", "正确的做法"])
        && has(&["我", "因为", "以便", "方案", "的做法", "避免", "改为", "统一"])
        && !has(&["用户决定"])
        || has(&["entschieden", "statt ", "anstatt ", "bewusst "]) && has(&["ich ", "wir "])
        || has(&["choisi", "plutôt que", "au lieu d", "décidé"]) && has(&["j'", "je ", "nous "])
        || has(&["elegí", "decidí", "decidimos", "opté", "optamos"])
        || has(&["en lugar de", "en vez de"]) && has(&["uso ", "usé ", "usamos ", "he ", "hemos "])
}
