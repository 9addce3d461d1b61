//! The words say that tests, the build, lint or types pass, and their last run failed.

use super::statement::{Clause, Sentence, Word};
use crate::session::{Check, CheckKind, Outcome, Session, check_kind};
use crate::{code_span, visible_line};

/// Failed tests that are named.
const NAMES: usize = 3;
/// Characters of a command that is named.
const COMMAND: usize = 120;

/// What can be said to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Tests,
    Build,
    Lint,
    Types,
}

/// What each is called.
const NOUNS: [(Subject, &str); 4] = [
    (Subject::Tests, "test tests suite testsuite testsuites pruebas"),
    (Subject::Build, "build builds compilation compile kompilierung"),
    (Subject::Lint, "lint linter linters linting clippy eslint ruff"),
    (
        Subject::Types,
        "types typecheck typechecks typechecking type-check type-checking tsc mypy typen typprüfung",
    ),
];
/// The same in a script without blanks.
const UNSPACED: [(Subject, &str); 4] = [
    (Subject::Tests, "测试"),
    (Subject::Build, "构建"),
    (Subject::Build, "编译"),
    (Subject::Types, "类型检查"),
];
/// What may stand before it without saying that a part of it is meant.
const WHOLE: &str = "all the every both our my its full whole complete entire and then now also so a with code \
    alle die der das und le la les tous toutes et todos todas las los el y";
/// What may stand between it and the verb.
const BETWEEN: &str = "now all still also again then is are has have both run runs check checks suite fully completely \
    cleanly here together ist sind laufen läuft jetzt wieder alle sont est tous maintenant están está ahora todas todos";
/// What says that it passes.
const PASSES: &str = "pass passes passed passing green clean succeed succeeds succeeded successful ok \
    grün bestehen bestanden durch erfolgreich sauber passent passe réussit réussissent verts vert pasan pasa verde";
/// What stands behind `passed` where something was handed over.
const INTO: &str = "to in as by into through on down from";
/// Words with which something else is made to pass, or a part of it is meant.
const CAUSES: &str =
    "to were had make makes made making get gets getting got let lets that so which for";
const FAILS: &str = "fail fails failed failing failure failures error errors broken red broke fehlgeschlagen rot \
    échoue échouent fallan falla";
/// Who compiles, and what may stand behind it.
const COMPILERS: &str = "it everything all code project crate app workspace site package and";
const COMPILES: &str = "compiles builds kompiliert compila";
const ADVERBS: &str = "now again fine cleanly successfully correctly too jetzt wieder";

/// Whether a word says that something passes.
pub(super) fn is_verb(word: &Word) -> bool {
    word.is(PASSES) || word.is(FAILS) || word.is(COMPILES)
}

/// What the clauses of a sentence say to pass, and the last run that failed. `in_checks` says that it stands
/// where the words list checks.
pub(super) fn failed_checks(
    sentence: &Sentence,
    session: &Session,
    in_checks: bool,
) -> Vec<String> {
    let mut found = Vec::new();
    for (at, clause) in sentence.clauses.iter().enumerate() {
        if !clause.is_plain || is_taken_back(clause, &sentence.clauses[at + 1..]) {
            continue;
        }
        found.extend(commands(clause, in_checks).into_iter().filter_map(|command| {
            let runs = session.checks.iter().filter(|check| is_run_of(check, &command));
            Some(contradiction(&what(kind_of(&command)?), last_failed(runs)?))
        }));
        for subject in subjects(clause) {
            let runs = session.checks.iter().filter(|check| is_of(check, subject));
            found.extend(last_failed(runs).map(|last| contradiction(&what(subject), last)));
        }
    }
    found
}

fn kind_of(command: &str) -> Option<Subject> {
    Some(match check_kind(command)? {
        CheckKind::Test => Subject::Tests,
        CheckKind::Build => Subject::Build,
        CheckKind::Lint if checks_types(command) => Subject::Types,
        CheckKind::Lint => Subject::Lint,
    })
}

fn what(subject: Subject) -> String {
    match subject {
        Subject::Tests => "tests pass",
        Subject::Build => "the build passes",
        Subject::Lint => "lint passes",
        Subject::Types => "types are right",
    }
    .to_owned()
}

/// Whether what follows in the sentence says that something of it failed: `2 passed, 1 failed`.
fn is_taken_back(clause: &Clause, behind: &[Clause]) -> bool {
    let fails = |clause: &Clause| {
        let words = clause.words.iter().enumerate();
        words.filter(|(_, word)| word.is(FAILS)).any(|(at, _)| {
            !at.checked_sub(1).is_some_and(|before| clause.words[before].is("no zero 0 without"))
        })
    };
    let of = |clause: &Clause| -> Vec<Subject> { clause.words.iter().filter_map(noun).collect() };
    let own = of(clause);
    fails(clause)
        || behind.iter().any(|other| {
            let others = of(other);
            fails(other) && (others.is_empty() || others.iter().any(|one| own.contains(one)))
        })
}

fn noun(word: &Word) -> Option<Subject> {
    NOUNS.iter().find(|(_, nouns)| word.is(nouns)).map(|(subject, _)| *subject)
}

/// What a clause says to pass, by its name.
fn subjects(clause: &Clause) -> Vec<Subject> {
    let words = &clause.words;
    let mut found: Vec<Subject> = Vec::new();
    if clause.has(CAUSES) {
        return found;
    }
    let passes = |at: usize| {
        let into = words.get(at + 1).is_some_and(|next| next.is(INTO));
        words[at].is(PASSES) && !(words[at].text == "passed" && into)
    };
    for at in 0..words.len() {
        if !passes(at) {
            continue;
        }
        let mut before = at;
        // Back over what stands between to the nouns, and over those: `build, lint and all tests`.
        while before > 0 && (words[before - 1].is(BETWEEN) && noun(&words[before - 1]).is_none()) {
            before -= 1;
        }
        let mut named = Vec::new();
        while before > 0 {
            let word = &words[before - 1];
            match noun(word) {
                Some(subject) => named.push(subject),
                None if word.is(WHOLE) || word.is("type typ") => {
                    // `type check`
                    if word.is("type typ") {
                        named.push(Subject::Types);
                    }
                }
                None => {
                    // Another word before the nouns says that a part of them is meant.
                    named.clear();
                    break;
                }
            }
            before -= 1;
        }
        found.extend(named);
    }
    for at in 0..words.len() {
        let who = at.checked_sub(1).map(|before| &words[before]);
        let behind = words.get(at + 1);
        let ends = behind.is_none_or(|next| next.is(ADVERBS) || words[at].mark.is_some());
        if words[at].is(COMPILES)
            && ends
            && who.is_none_or(|who| who.is(COMPILERS) || who.is("now jetzt"))
            && noun(&words[at]).is_none_or(|_| who.is_some())
        {
            found.push(Subject::Build);
        }
    }
    let unspaced = clause.unspaced();
    for (subject, noun) in UNSPACED {
        let at = unspaced.find(noun).map(|at| &unspaced[at + noun.len()..]);
        let passes = |rest: &str| rest.contains("通过") || rest.contains("成功");
        if at.is_some_and(passes) && !denies_unspaced(&unspaced) {
            found.push(subject);
        }
    }
    found
}

/// Whether a clause without blanks denies, plans or limits what it says.
pub(super) fn denies_unspaced(text: &str) -> bool {
    const DENIES: &[char] =
        &['不', '没', '未', '应', '除', '需', '将', '要', '会', '尚', '让', '使', '若', '才'];
    text.contains(DENIES)
        || ["如果", "部分", "其他", "之前", "只有"].iter().any(|word| text.contains(word))
}

/// The checks that a clause names by their command and says to pass.
fn commands(clause: &Clause, in_checks: bool) -> Vec<String> {
    let words = &clause.words;
    let passes = |from: usize| {
        words[from..].iter().enumerate().any(|(at, word)| {
            let into = words.get(from + at + 1).is_some_and(|next| next.is(INTO));
            let is_wanted = at > 0 && words[from + at - 1].is("to");
            let exits = word.is("exit exited code")
                && words.get(from + at + 1).is_some_and(|next| next.text == "0");
            word.is(PASSES) && !is_wanted && !(word.text == "passed" && into) || exits
        })
    };
    let mut found: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if word.is_code && check_kind(&word.raw).is_some() && passes(at + 1) {
            found.push(word.raw.clone());
        }
    }
    // `cargo test: passes`
    let colon = words.iter().position(|word| word.mark == Some(':'));
    if let Some(at) = colon.filter(|_| in_checks && found.is_empty())
        && !words[..=at].iter().any(|word| word.is_code)
        && passes(at + 1)
    {
        let raw: Vec<&str> = words[..=at].iter().map(|word| word.raw.as_str()).collect();
        found.extend(Some(raw.join(" ")).filter(|line| check_kind(line).is_some()));
    }
    if clause.has("make makes made making get getting let") { Vec::new() } else { found }
}

fn checks_types(command: &str) -> bool {
    const TYPES: &str =
        "tsc vue-tsc mypy pyright svelte-check typecheck type-check types check-types";
    command.split(|c: char| c.is_whitespace() || c == ':').any(|word| super::is_one_of(word, TYPES))
}

/// Whether a check is one of those that are meant.
fn is_of(check: &Check, subject: Subject) -> bool {
    let formats = ["fmt", "format", "prettier", "black"];
    match subject {
        Subject::Tests => check.kind == CheckKind::Test,
        Subject::Build => check.kind == CheckKind::Build,
        Subject::Types => check.kind == CheckKind::Lint && checks_types(&check.name),
        Subject::Lint => {
            check.kind == CheckKind::Lint
                && !checks_types(&check.name)
                && !formats.iter().any(|word| check.name.contains(word))
        }
    }
}

/// The last of some runs, if it failed.
fn last_failed<'c>(runs: impl Iterator<Item = &'c Check>) -> Option<&'c Check> {
    runs.max_by_key(|check| check.record).filter(|last| last.outcome == Outcome::Failed)
}

/// Whether a check is a run of a command, with more options or less.
pub(crate) fn is_run_of(check: &Check, command: &str) -> bool {
    [&check.name, &check.command].iter().any(|run| {
        run.strip_prefix(command).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

fn contradiction(what: &str, last: &Check) -> String {
    let name = if last.name.is_empty() { &last.command } else { &last.name };
    let name: String = visible_line(name).chars().take(COMMAND).collect();
    let failing: Vec<String> =
        last.failing.iter().take(NAMES).map(|name| code_span(&visible_line(name))).collect();
    let more = match last.failing.len().saturating_sub(NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let failing = match failing.is_empty() {
        true => String::new(),
        false => format!(" ({}{more})", failing.join(", ")),
    };
    format!(
        "The words say that {what}; the last run of {} in the session failed{failing}.",
        code_span(&name)
    )
}
