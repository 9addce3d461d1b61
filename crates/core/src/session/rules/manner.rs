//! How the user wants things done: orders for every time, in English.

use super::clause::Clause;
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
/// Things that are used for the work, and not built.
const TOOLS: &[&str] = &[
    "cli",
    "command",
    "tool",
    "tools",
    "sdk",
    "package",
    "framework",
    "binary",
    "runner",
    "linter",
    "formatter",
    "logger",
    "compiler",
    "wrapper",
    "mcp",
    "makefile",
];
/// What somebody wants kept as it is wanted.
const KEPT: &[&str] =
    &["simple", "minimal", "small", "short", "concise", "lean", "clean", "brief", "tidy"];
/// How the user wants things done, in words of an order.
pub(super) fn is_manner(core: &[&str]) -> bool {
    let [first, rest @ ..] = core else { return false };
    let has = |word: &str| core.contains(&word);
    let commits = matches!(*first, "do" | "make" | "write" | "use" | "keep" | "create" | "prefer")
        && core.iter().any(|word| COMMIT_MANNERS.contains(word))
        && core.iter().any(|word| word.starts_with("commit"));
    // `use uv not pip`: a place, or a thing that was named before, is of one task.
    let names_tool = rest.iter().take(4).any(|word| TOOLS.contains(word));
    let of_one_task =
        core.windows(2)
            .any(|two| matches!(two, ["in" | "for" | "on" | "of", "the" | "this" | "that"]))
            || rest.iter().skip(1).any(|word| {
                word.contains('/') || word.contains('.') && word.len() > 4 && has("in")
            });
    let is_bare = rest.first().is_some_and(|what| !is_determiner(what) || *what == "our");
    let tool = *first == "use"
        && (has("not") || has("instead") || has("rather"))
        && core.len() <= 12
        && (names_tool || is_bare && !of_one_task);
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
    commits || tool || prefers || keeps || sticks || be || language
}

/// Whether an order says that it is for every time, or what it leaves as it is: `commit after every step`,
/// `… without touching the tests`.
pub(super) fn is_pace(core: &[&str], all: &[Clause<'_>]) -> bool {
    let without = core.windows(2).any(|two| {
        matches!(
            two,
            ["without", "adding" | "changing" | "touching" | "breaking" | "using" | "asking"]
        )
    });
    let Some(at) = core
        .windows(2)
        .position(|two| matches!(two, ["before" | "after", "each" | "every" | "any"]))
    else {
        return without || has_pace(core);
    };
    // `after each save`: what is done each time is named besides.
    let done = |clause: &Clause<'_>| clause.words.iter().any(|word| PROCESSES.contains(word));
    let beside =
        core[..at].iter().chain(core.iter().skip(at + 3)).any(|word| PROCESSES.contains(word));
    let others = all.iter().filter(|clause| clause.core().0.as_ptr() != core.as_ptr());
    without || has_pace(core) || beside || others.clone().any(done)
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
