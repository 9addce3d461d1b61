//! Orders in English that hold beyond the request in which they stand.

use super::ban::bans;
use super::clause::{Clause, Lead, Link};
use super::manner::{is_language, is_manner, is_pace};
use super::subjects::{is_trouble, is_workpiece};
use super::words::{is_determiner, is_finite, is_past, is_practice, is_pronoun, is_verb};

/// Verbs of the mind and of mere being. Who forbids these forbids nothing, or tells of something.
const OF_THE_MIND: &[&str] = &[
    "agree",
    "appear",
    "ask",
    "be",
    "believe",
    "bother",
    "care",
    "exist",
    "expect",
    "feel",
    "find",
    "forget",
    "get",
    "happen",
    "have",
    "hear",
    "hesitate",
    "i",
    "it",
    "know",
    "like",
    "look",
    "matter",
    "mean",
    "mind",
    "need",
    "notice",
    "panic",
    "quite",
    "recall",
    "recognize",
    "remember",
    "see",
    "seem",
    "sound",
    "stop",
    "sure",
    "they",
    "think",
    "understand",
    "want",
    "we",
    "wonder",
    "worry",
    "you",
];
/// Verbs for what a program does.
const OF_PROGRAMS: &[&str] = &[
    "animate",
    "collapse",
    "crash",
    "display",
    "expand",
    "flicker",
    "hide",
    "highlight",
    "load",
    "redirect",
    "reload",
    "render",
    "return",
    "round",
    "scroll",
    "show",
    "truncate",
    "wrap",
];
/// Verbs with which somebody asks for leave.
const CONSULTS: &[&str] =
    &["ask", "check", "confirm", "consult", "tell", "warn", "notify", "run", "let", "clear"];

/// Why a sentence is an order that holds; none if it is not one. `in_task` tells that it stands in a long
/// description of a task, where most orders say what is to be built.
pub(super) fn order_form(all: &[Clause<'_>], in_task: bool) -> Option<&'static str> {
    let orders = is_order(all);
    let first = all.first()?;
    let follows = |clause: &Clause<'_>| match clause.link {
        Link::First | Link::Mark | Link::So => true,
        // `looks good, but don't add a package`
        Link::And | Link::But => {
            orders || matches!(clause.core().0, ["don't" | "never", verb, ..] if is_practice(verb))
        }
        Link::Because => false,
    };
    for clause in all.iter().filter(|clause| clause.link != Link::Because) {
        let (core, lead) = clause.core();
        let is_own = follows(clause) && (!in_task || std::ptr::eq(clause, first));
        if is_own && forbids(core, lead, clause.link) {
            return Some("forbids something");
        }
        if is_own && demands_always(core, lead) {
            return Some("says always or never");
        }
        if !in_task && (always_obliges(core, lead) || wants_of_all(core)) {
            return Some("says always or never");
        }
        if asks_for_leave(core) {
            return Some("says when the user wants to be asked");
        }
        if leaves_alone(core) {
            return Some("says what stays as it is");
        }
        if !in_task && (bans(core, clause, all) || is_manner(core) || orders && is_pace(core, all))
        {
            return Some("says how the user wants things done");
        }
    }
    None
}

/// Whether the sentence orders something: its first clause does, or the one behind a condition.
pub(super) fn is_order(all: &[Clause<'_>]) -> bool {
    let Some(first) = all.first() else { return false };
    let (core, lead) = first.core();
    let is_condition = matches!(
        core.first(),
        Some(
            &("when"
                | "whenever"
                | "before"
                | "after"
                | "if"
                | "for"
                | "once"
                | "while"
                | "until"
                | "from"
                | "in"
                | "during"
                | "every")
        )
    );
    lead != Lead::Bare
        || is_imperative(core)
        || wants(core)
        || is_condition && all[1..].iter().any(|clause| is_imperative(clause.core().0))
        || is_condition && core.iter().any(|word| is_verb(word))
}

/// Whether words begin with a verb as it stands in an order, and not with a noun of the same form.
pub(super) fn is_imperative(core: &[&str]) -> bool {
    match core {
        ["don't" | "never" | "always" | "only" | "avoid", next, ..] => !is_finite(next),
        [verb, next, ..] if is_verb(verb) => {
            !is_finite(next) && !matches!(*next, "always" | "never" | "still") && !is_told(next)
        }
        [verb] => is_verb(verb),
        _ => false,
    }
}

/// Whether a word ends as verbs do of which somebody tells: `returns`, `breaks`. Plurals do as well.
fn is_told(word: &str) -> bool {
    word.strip_suffix('s').is_some_and(|bare| is_verb(bare) && !is_workpiece(bare))
}

/// `I want`, `we don't want`.
fn wants(core: &[&str]) -> bool {
    matches!(
        core,
        ["i" | "we", "want" | "prefer" | "expect", ..]
            | ["i" | "we", "don't" | "never" | "only", "want" | "like", ..]
            | ["don't", "want", ..]
            | ["i'd", "prefer" | "rather", ..]
    )
}

fn forbids(core: &[&str], lead: Lead, link: Link) -> bool {
    // What the user does not want.
    let unwanted = match core {
        ["i" | "we", "don't" | "never", "want" | "like", rest @ ..] => Some(rest),
        ["don't", "want", rest @ ..] if lead == Lead::Bare => Some(rest),
        ["i'd", "rather", "not" | "you", rest @ ..] => return !rest.is_empty(),
        _ => None,
    };
    if let Some(rest) = unwanted {
        return match rest {
            ["to", verb, what, ..] => {
                let of_now = matches!(
                    *verb,
                    "spend"
                        | "wait"
                        | "deal"
                        | "know"
                        | "think"
                        | "be"
                        | "do"
                        | "look"
                        | "hear"
                        | "talk"
                        | "argue"
                );
                !of_now && !is_pronoun(what)
            }
            ["it" | "this" | "that", next, _, ..] => *next == "to",
            [what, ..] => !is_pronoun(what) && !matches!(*what, "how" | "what" | "to" | "its"),
            [] => false,
        };
    }
    let (verb, rest, negation) = match core {
        ["don't" | "never", verb, rest @ ..] if lead != Lead::Bound || core[0] == "never" => {
            (*verb, rest, core[0])
        }
        ["not", verb, rest @ ..] if lead != Lead::Bare => (*verb, rest, "not"),
        ["you" | "we" | "nobody" | "everyone", "mustn't" | "shouldn't", verb, rest @ ..] => {
            (*verb, rest, "not")
        }
        // What a team does not do. What somebody forgot to do reads the same.
        ["we", "don't" | "can't" | "never" | "won't", verb, rest @ ..] if is_practice(verb) => {
            let is_remark = core
                .iter()
                .any(|word| matches!(*word, "there" | "yet" | "anymore" | "enough" | "why"));
            return !is_remark && rest.first().is_some_and(|what| !is_pronoun(what));
        }
        ["you", "don't" | "can't" | "never", verb, rest @ ..] => {
            let acts = matches!(
                *verb,
                "touch"
                    | "push"
                    | "merge"
                    | "deploy"
                    | "delete"
                    | "install"
                    | "commit"
                    | "edit"
                    | "publish"
            );
            return acts && !rest.iter().any(|word| matches!(*word, "there" | "yet" | "anymore"));
        }
        ["nothing" | "nobody" | "no-one", how, ..] => {
            return matches!(*how, "should" | "must" | "may" | "touches" | "pushes" | "edits");
        }
        ["no", "one", "should" | "must" | "may" | "touches", ..] => return true,
        // `use this to build on it and avoid work` says what for.
        ["avoid", what, ..] if link != Link::And => return !is_finite(what) && *what != "that",
        ["stop", doing, _, ..] => {
            return doing.len() > 5 && doing.ends_with("ing") && !doing.ends_with("thing");
        }
        _ => return false,
    };
    // `don't ask for permission`, `don't be so verbose`
    let of_manner = negation == "don't"
        && match verb {
            "ask" => matches!(
                rest.first(),
                Some(&("me" | "for" | "before" | "again" | "permission" | "questions"))
            ),
            "look" => matches!(rest.first(), Some(&("at" | "into"))),
            "be" => rest.first().is_none_or(|how| !is_finite(how)),
            _ => false,
        };
    if !of_manner && (OF_THE_MIND.contains(&verb) || is_past(verb)) {
        return false;
    }
    if negation == "never" && !is_base(verb, rest) {
        return false;
    }
    // `no, don't do that`
    let is_this_time = verb == "do" && rest.first().is_some_and(|what| is_pronoun(what));
    let is_program = OF_PROGRAMS.contains(&verb);
    !is_this_time && !is_program
}

/// Words behind `always` and `never` that are no verbs.
const NO_VERBS: &[&str] = &[
    "again",
    "another",
    "as",
    "at",
    "bad",
    "been",
    "better",
    "clear",
    "empty",
    "enough",
    "exactly",
    "for",
    "from",
    "good",
    "great",
    "green",
    "happy",
    "here",
    "hidden",
    "in",
    "interesting",
    "just",
    "late",
    "many",
    "mind",
    "more",
    "much",
    "my",
    "nice",
    "on",
    "one",
    "only",
    "other",
    "present",
    "quite",
    "ready",
    "red",
    "right",
    "same",
    "so",
    "some",
    "still",
    "that",
    "there",
    "too",
    "true",
    "very",
    "visible",
    "when",
    "with",
];

/// Whether a word is a verb in its plain form. One that is not known has an object.
fn is_base(verb: &str, rest: &[&str]) -> bool {
    let plain = !verb.ends_with("ed")
        && (!verb.ends_with('s') || verb.ends_with("ss"))
        && !verb.ends_with("ing")
        && !is_past(verb)
        && !is_trouble(verb)
        && !is_determiner(verb)
        && !NO_VERBS.contains(&verb);
    let object = rest.first().is_some_and(|what| {
        !matches!(
            *what,
            "at" | "when"
                | "after"
                | "for"
                | "from"
                | "in"
                | "with"
                | "before"
                | "since"
                | "of"
                | "enough"
                | "as"
        )
    });
    is_verb(verb) || plain && object
}

/// `tests should always run in band`, `make sure we never lose a row`. What a `the` names is what is built.
fn always_obliges(core: &[&str], lead: Lead) -> bool {
    let Some(at) = core.iter().position(|word| matches!(*word, "always" | "never")) else {
        return false;
    };
    let [before @ .., last] = &core[..at] else { return false };
    let Some(verb) = core.get(at + 1) else { return false };
    let subject = before.first().unwrap_or(last);
    // `commits always signed`
    let is_bare = core.len() <= 6
        && is_workpiece(last)
        && (is_past(verb) || matches!(*verb, "in" | "with" | "without"));
    let obliges = matches!(*last, "must" | "should" | "shall" | "to") || is_bare;
    let ensures =
        core.starts_with(&["make", "sure"]) && matches!(*last, "we" | "you" | "commits" | "tests");
    let is_named = !is_pronoun(subject) && (!is_determiner(subject) || lead != Lead::Bare);
    (obliges && is_named || ensures) && !OF_PROGRAMS.contains(verb) && *verb != "have"
}

/// `I want every change covered by a test`.
fn wants_of_all(core: &[&str]) -> bool {
    matches!(core, ["i", "always" | "only", "want", _, ..] | ["i'd", "always", _, ..])
        || matches!(
            core,
            [
                "i" | "we",
                "want",
                "all" | "every" | "each" | "only" | "no" | "nothing" | "everything",
                _,
                ..
            ]
        )
}

fn demands_always(core: &[&str], lead: Lead) -> bool {
    match core {
        ["always", "in", what, ..] => is_language(what),
        ["always", verb, rest @ ..] => {
            (lead != Lead::Bare || is_base(verb, rest))
                && !OF_THE_MIND[..4].contains(verb)
                && !is_finite(verb)
                && !rest.first().is_some_and(|next| is_finite(next))
                && !OF_PROGRAMS.contains(verb)
        }
        ["we", "always", verb, what, ..] => {
            (is_practice(verb) || is_verb(verb))
                && !is_pronoun(what)
                && !matches!(*verb, "run" | "have" | "get" | "load")
        }
        _ => false,
    }
}

fn asks_for_leave(core: &[&str]) -> bool {
    let [verb, rest @ ..] = core else { return false };
    if !CONSULTS.contains(verb)
        || !["ask", "before", "first", "prior"].iter().any(|word| core.contains(word))
    {
        return core.starts_with(&["get", "my"]) && core.contains(&"before")
            || core.starts_with(&["wait", "for", "my"]);
    }
    let me = rest.contains(&"me");
    match *verb {
        "ask" => matches!(rest, ["before" | "first" | "prior", ..] | ["me" | "us", ..]),
        "run" => {
            rest.ends_with(&["by", "me", "first"])
                || rest.windows(3).any(|words| words == ["by", "me", "before"])
        }
        "let" => rest.starts_with(&["me", "know", "before"]),
        _ => me && rest.iter().any(|word| matches!(*word, "before" | "first" | "prior")),
    }
}

fn leaves_alone(core: &[&str]) -> bool {
    let ends = |end: &[&str]| core.ends_with(end);
    match core {
        ["hands", "off", ..]
        | ["stay" | "keep", "away", "from", ..]
        | ["stay" | "keep", "out", "of", ..] => true,
        ["leave" | "keep" | "let", what, ..] => {
            *what != "me"
                && !matches!(core[1..], ["it" | "that" | "this", "alone" | "be", ..])
                && (core.contains(&"alone") && ["leave"].contains(&core[0])
                    || ends(&["as", "is"])
                    || ends(&["as", "it", "is"])
                    || ends(&["as", "they", "are"])
                    || ends(&["untouched"])
                    || ends(&["unchanged"]))
                || core.contains(&"hands") && core.contains(&"off")
        }
        _ => false,
    }
}

/// Whether a clause says under what the team works: `we are on 3.9`, `our ci has`.
pub(super) fn is_of_the_team(core: &[&str]) -> bool {
    matches!(
        core,
        ["we" | "we're" | "our" | "production" | "prod" | "ci" | "clients" | "customers", ..]
            | [
                "the",
                "client"
                    | "clients"
                    | "customer"
                    | "customers"
                    | "server"
                    | "servers"
                    | "target"
                    | "device"
                    | "devices"
                    | "production",
                ..
            ]
    )
}
