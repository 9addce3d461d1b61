//! Which run of a check covers another one: it checks all that the other checked, or more.

use super::findings::RUNNERS;
use crate::session::{Check, Outcome, Session, check_kind};

/// What stands before a program besides those that run it.
const LEADS: &[&str] = &["time", "nice", "command", "cross-env", "timeout"];
/// Options of which each value adds something to what is checked.
const ADDS: &[&str] =
    &["-p", "--package", "--test", "--bin", "--example", "--project", "--filter", "-F", "-w"];
/// Options with which less is checked than without them.
const RESTRICTS: &[&str] = &[
    "-k",
    "-m",
    "-t",
    "--testNamePattern",
    "--test-name-pattern",
    "--grep",
    "-g",
    "-run",
    "-skip",
    "--skip",
    "--ignore",
    "--deselect",
    "--exclude",
    "--lib",
    "--bins",
    "--tests",
    "--examples",
    "--doc",
    "--no-default-features",
    "-short",
    "--shard",
    "--changed",
    "--onlyChanged",
    "--only",
    "--tag",
    "--tags",
];
/// Options with which more is checked than without them.
const WIDENS: &[&str] = &[
    "--features",
    "--all-features",
    "--workspace",
    "--all",
    "--all-targets",
    "--ignored",
    "--include-ignored",
    "--run-ignored",
    "-tags",
];
/// Other options whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "--manifest-path",
    "--config",
    "-c",
    "-C",
    "-j",
    "-n",
    "--reporter",
    "-count",
    "-timeout",
    "--timeout",
    "--color",
    "--maxWorkers",
    "--target-dir",
    "--profile",
];
/// Options of those above that have no value.
const BARE: &[&str] = &[
    "--lib",
    "--bins",
    "--tests",
    "--examples",
    "--doc",
    "--no-default-features",
    "-short",
    "--changed",
    "--onlyChanged",
    "--all-features",
    "--workspace",
    "--all",
    "--all-targets",
    "--ignored",
    "--include-ignored",
];

/// Whether a check passed after it failed: the same one, or one that covers it.
pub(super) fn is_passed_later(session: &Session, failed: &Check) -> bool {
    session.checks.iter().any(|later| {
        later.record > failed.record
            && later.outcome == Outcome::Passed
            && (later.name == failed.name && later.kind == failed.kind || covers(later, failed))
    })
}

/// Whether a command that passed checks all that another one does, which failed.
pub(crate) fn covers_command(passed: &str, failed: &str) -> bool {
    let parts: Vec<&str> = failed.split(" && ").filter(|part| check_kind(part).is_some()).collect();
    !parts.is_empty()
        && parts.iter().all(|one| {
            let selected = Selection::of(one);
            let mut others = passed.split(" && ");
            others.any(|other| {
                check_kind(other) == check_kind(one) && Selection::of(other).covers(&selected, &[])
            })
        })
}

/// Whether all that a check looked at was looked at by another one.
fn covers(later: &Check, failed: &Check) -> bool {
    let names_tests = !failed.failing.is_empty();
    // Where tests failed by name, what was run beside them did not.
    let counts = |part: &&str| !names_tests || check_kind(part) == Some(failed.kind);
    let parts: Vec<&str> = failed.name.split(" && ").filter(counts).collect();
    !parts.is_empty()
        && parts.iter().all(|one| {
            let wanted = check_kind(one);
            let selected = Selection::of(one);
            later.name.split(" && ").any(|other| {
                check_kind(other) == wanted
                    && Selection::of(other).covers(&selected, &failed.failing)
            })
        })
}

/// What a command line of a check selects.
#[derive(Debug, Default)]
struct Selection<'l> {
    program: &'l str,
    /// Words that are neither options nor paths: subcommands, names of tests.
    words: Vec<&'l str>,
    paths: Vec<&'l str>,
    options: Vec<(&'l str, &'l str)>,
}

impl<'l> Selection<'l> {
    fn of(command: &'l str) -> Self {
        let mut words = command.split_whitespace().map(unquoted);
        let mut selection = Self::default();
        for word in words.by_ref() {
            let is_lead = word.contains('=')
                || word.starts_with(|c: char| c.is_ascii_digit())
                || RUNNERS.contains(&word)
                || LEADS.contains(&word);
            if !is_lead {
                selection.program = word.rsplit('/').next().unwrap_or(word);
                break;
            }
        }
        while let Some(word) = words.next() {
            if word == "--" || word == "run" {
                continue;
            }
            if word.starts_with('-') {
                let (name, value) = word.split_once('=').unwrap_or((word, ""));
                let has_value =
                    [ADDS, RESTRICTS, WIDENS, WITH_VALUE].iter().any(|list| list.contains(&name))
                        && !BARE.contains(&name);
                let next = has_value && !word.contains('=');
                let value = if next { words.next().unwrap_or_default() } else { unquoted(value) };
                selection.options.push((name, value));
            } else if word.contains(['/', '.']) {
                selection.paths.push(word);
            } else {
                selection.words.push(word);
            }
        }
        if selection.program == "go" && selection.paths.is_empty() {
            selection.paths.push(".");
        }
        selection
    }

    /// Whether it selects all that another selection did, of which these tests failed.
    fn covers(&self, other: &Self, failing: &[String]) -> bool {
        self.program == other.program
            && !self.program.is_empty()
            && self
                .new_words(other)
                .all(|word| other.paths.iter().any(|path| contains(word, path, false)))
            && self.options.iter().all(|(name, _)| self.is_as_wide(other, name))
            && other.options.iter().filter(|(name, _)| WIDENS.contains(name)).all(|option| {
                self.options.contains(option) || self.options.contains(&("--all-features", ""))
            })
            && self.has_paths_of(other, failing)
    }

    /// Whether an option of its own leaves out nothing that another selection has.
    fn is_as_wide(&self, other: &Self, option: &str) -> bool {
        let has = |values: &[&str], all: &[&str]| values.iter().all(|value| all.contains(value));
        let (own, others) = (self.values(option), other.values(option));
        if ADDS.contains(&option) {
            return !others.is_empty() && has(&others, &own);
        }
        !RESTRICTS.contains(&option) || has(&own, &others) && has(&others, &own)
    }

    fn values(&self, option: &str) -> Vec<&str> {
        let of_it = self.options.iter().filter(|(name, _)| *name == option);
        of_it.map(|(_, value)| *value).collect()
    }

    /// Its words that another selection does not have: they may be directories.
    fn new_words<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'l str> + 's {
        self.words.iter().copied().filter(|word| !other.words.contains(word))
    }

    fn has_paths_of(&self, other: &Self, failing: &[String]) -> bool {
        let is_go = self.program == "go";
        let own: Vec<&str> = self.paths.iter().copied().chain(self.new_words(other)).collect();
        let has = |path: &str| own.iter().any(|own| contains(own, path, is_go));
        own.is_empty()
            || !other.paths.is_empty() && other.paths.iter().all(|path| has(path))
            || !failing.is_empty() && failing.iter().all(|test| has(file_of(test)))
    }
}

/// The file in the name of a test: `tests/a.py::test_b`, `src/a.test.ts > adds`.
fn file_of(test: &str) -> &str {
    let end = test.find("::").or_else(|| test.find(" > ")).unwrap_or(test.len());
    &test[..end]
}

/// Whether a path is another one or has it in it. A package of Go has those below it only if it says so.
fn contains(path: &str, other: &str, is_go: bool) -> bool {
    let bare = |path: &str| {
        let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
        if path == "." { String::new() } else { path.to_owned() }
    };
    let (path, other) = (bare(path), bare(other));
    if path == other {
        return true;
    }
    let tree = path.strip_suffix("...");
    if is_go && tree.is_none() {
        return false;
    }
    let base = tree.unwrap_or(&path).trim_end_matches('/');
    let other = other.trim_end_matches("...").trim_end_matches('/');
    base.is_empty()
        || other
            .strip_prefix(base)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':', '[']))
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{End, PromptWay, Recorder};

    /// Whether a run that failed, with what it printed, is settled by a later one.
    fn settles(failed: &str, printed: &'static str, later: &str) -> bool {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Test it", PromptWay::Typed);
        for (id, line, outcome) in [("1", failed, Outcome::Failed), ("2", later, Outcome::Passed)] {
            recorder.next_record();
            recorder.ran(id, line);
            let exit = Some(i32::from(outcome == Outcome::Failed));
            recorder.ended(id, End { outcome, exit }, || match id {
                "1" => printed.into(),
                _ => "".into(),
            });
        }
        let session = recorder.into_session();
        is_passed_later(&session, &session.checks[0])
    }

    #[test]
    fn a_later_run_settles_what_it_covers() {
        for (failed, later) in [
            ("pytest tests/a.py", "pytest tests/a.py tests/b.py"),
            ("pytest tests/a.py::test_x", "pytest tests/a.py -q"),
            ("pytest -k half tests/a.py", "pytest tests"),
            ("pytest tests/a.py", "pytest"),
            (
                "go test -run TestKeeps ./cmd/x/",
                "gofmt -l cmd && go test -race -count=1 ./cmd/x/ ./cmd/y/ && golangci-lint run ./...",
            ),
            ("go test ./cmd/x", "go test ./..."),
            ("go test ./cmd/x/...", "go test ./cmd/..."),
            ("cargo test -p api totals", "cargo test -p api -p web"),
            ("cargo test -p api", "cargo test"),
            ("cargo test", "cargo fmt --check && cargo test"),
            ("npx vitest run src/a.test.ts", "npx vitest run src/a.test.ts src/b.test.ts"),
            ("npx jest -t 'adds' src/a.test.ts", "npx jest src/"),
            ("ruff check src/a.py", "ruff check src"),
        ] {
            assert!(settles(failed, "", later), "{failed} / {later}");
        }
        for (failed, later) in [
            ("pytest tests/a.py tests/b.py", "pytest tests/a.py"),
            ("pytest", "pytest tests/a.py"),
            ("pytest tests/a.py", "pytest tests/b.py"),
            ("pytest tests/a.py", "pytest tests/a.py -k whole"),
            ("go test ./cmd/x", "go test ./cmd"),
            ("go test ./...", "go test"),
            ("cargo test", "cargo test --lib"),
            ("cargo test -p api", "cargo test -p web"),
            ("cargo test --features slow", "cargo test"),
            ("cargo test", "cargo clippy"),
            ("npm test", "npm run lint"),
            ("gofmt -l . && go test ./...", "gofmt -l ."),
        ] {
            assert!(!settles(failed, "", later), "{failed} / {later}");
        }
    }

    #[test]
    fn where_the_tests_that_failed_are_known_a_run_of_their_files_settles_them() {
        let printed = "FAILED tests/a.py::test_x - assert 1 == 2\n1 failed, 9 passed in 0.1s";
        assert!(settles("pytest", printed, "pytest tests/a.py"));
        assert!(!settles("pytest", printed, "pytest tests/b.py"));
    }

    proptest::proptest! {
        #[test]
        fn any_two_lines_can_be_compared(one: String, other: String) {
            let _ = Selection::of(&one).covers(&Selection::of(&other), &[]);
        }
    }
}
