//! How the user wants things done: orders for every time, in English.

use super::clause::Lead;
use super::order::is_imperative;
use super::subjects::is_workpiece;
use super::words::is_determiner;

/// Manners of commits.
const COMMIT_MANNERS: &[&str] = &[
    "small",
    "meaningful",
    "atomic",
    "separate",
    "conventional",
    "descriptive",
    "granular",
    "logical",
    "individual",
    "incremental",
    "signed",
    "frequent",
];
/// What somebody wants kept as it is wanted.
const KEPT: &[&str] =
    &["simple", "minimal", "small", "short", "concise", "lean", "clean", "brief", "tidy"];
/// How the user wants things done, in words of an order.
pub(super) fn is_manner(core: &[&str], lead: Lead) -> bool {
    let [first, rest @ ..] = core else { return false };
    let has = |word: &str| core.contains(&word);
    let commits = matches!(*first, "do" | "make" | "write" | "use" | "keep" | "create" | "prefer")
        && core.iter().any(|word| COMMIT_MANNERS.contains(word))
        && core.iter().any(|word| word.starts_with("commit"));
    // `use uv not pip`: a place, or a thing that was named before, is of one task.
    let tool = *first == "use"
        && (has("not") || has("instead") || has("rather"))
        && core.len() <= 12
        && rest.first().is_some_and(|what| !is_determiner(what))
        && !core
            .windows(2)
            .any(|two| matches!(two, ["in" | "for" | "on" | "of", "the" | "this" | "that"]))
        && !rest
            .iter()
            .skip(1)
            .any(|word| word.contains('/') || word.contains('.') && word.len() > 4 && has("in"));
    let prefers = *first == "prefer"
        || matches!(core, ["i" | "we", "prefer", what, ..] if !is_determiner(what));
    let keeps = *first == "keep"
        && matches!(
            rest.first(),
            Some(
                &("it"
                    | "things"
                    | "this"
                    | "everything"
                    | "answers"
                    | "changes"
                    | "functions"
                    | "commits"
                    | "prs"
                    | "messages"
                    | "comments"
                    | "replies"
                    | "diffs")
            )
        )
        && core.iter().any(|word| KEPT.contains(word));
    let sticks = *first == "stick" && matches!(rest.first(), Some(&("to" | "with")));
    let be = *first == "be"
        && matches!(rest.first(), Some(&("concise" | "brief" | "careful" | "explicit" | "terse")));
    let language = matches!(*first, "answer" | "reply" | "respond" | "speak" | "talk")
        && matches!(rest, ["in", what, ..] | [_, "in", what, ..]
            if !matches!(*what, "the" | "this" | "that" | "her" | "him" | "them" | "it"));
    let without = has("without")
        && core.windows(2).any(|two| {
            matches!(
                two,
                ["without", "adding" | "changing" | "touching" | "breaking" | "using" | "asking"]
            )
        })
        && (lead != Lead::Bare || is_imperative(core) || matches!(*first, "i" | "we"));
    // `Commit after every step.`
    let orders = lead != Lead::Bare || is_imperative(core);
    let begins = matches!(core, ["before" | "after", "each" | "every" | "any", _, ..]);
    // `after each save`: what is done each time is named besides.
    let mut done = core.iter().skip(if begins { 3 } else { 0 });
    let processes = done.any(|word| PROCESSES.contains(word));
    let paced = orders && has_pace(core) || (orders || begins) && processes && names_each(core);
    commits || tool || prefers || keeps || sticks || be || language || without || paced
}

/// What somebody does again and again while working.
const PROCESSES: &[&str] = &[
    "ask",
    "build",
    "check",
    "commit",
    "format",
    "lint",
    "push",
    "report",
    "review",
    "run",
    "save",
    "summarize",
    "test",
    "update",
    "verify",
    "wait",
];

/// Whether words say that something is done each time.
fn names_each(core: &[&str]) -> bool {
    core.windows(2).any(|two| matches!(two, ["before" | "after", "each" | "every" | "any"]))
}

/// Whether an order names what happens again and again: `before every commit`.
fn has_pace(core: &[&str]) -> bool {
    core.windows(3).any(|three| {
        matches!(three, ["before" | "after" | "with" | "for" | "on" | "in", "every" | "each" | "any", what]
            if is_workpiece(what) || matches!(*what, "step" | "push" | "deploy" | "edit" | "session" | "refactor" | "refactoring" | "phase" | "turn" | "run" | "item" | "iteration" | "bugfix"))
            || matches!(three, ["prior", "to", what] if *what != "the")
    })
}

const LANGUAGES: &[&str] = &[
    "english",
    "german",
    "french",
    "spanish",
    "chinese",
    "portuguese",
    "italian",
    "dutch",
    "polish",
    "russian",
    "japanese",
    "korean",
    "swedish",
    "turkish",
    "englisch",
    "deutsch",
    "französisch",
    "anglais",
    "français",
    "allemand",
    "espagnol",
    "inglés",
    "español",
    "francés",
    "alemán",
];

pub(super) fn is_language(word: &str) -> bool {
    LANGUAGES.contains(&word)
}
