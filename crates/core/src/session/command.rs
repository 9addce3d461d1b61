//! What a command line of a shell is for.

use serde::{Deserialize, Serialize};

use super::line::{CommandLine, Git, Joint, Part, git, without_fed};
use super::nested::Nested;
use super::printed::Family;
use super::scripts::{is_manager, kind_of_script, run_by};
use super::view::OutputView;

/// What a check looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    Test,
    Build,
    Lint,
}

/// Words of a command line with which it is a check, and of what. The longer ones first.
const CHECKS: &[(&[&str], CheckKind)] = &[
    (&["cargo", "nextest"], CheckKind::Test),
    (&["cargo", "test"], CheckKind::Test),
    (&["cargo", "clippy"], CheckKind::Lint),
    (&["cargo", "fmt"], CheckKind::Lint),
    (&["cargo", "check"], CheckKind::Build),
    (&["cargo", "build"], CheckKind::Build),
    (&["go", "test"], CheckKind::Test),
    (&["go", "vet"], CheckKind::Lint),
    (&["go", "build"], CheckKind::Build),
    (&["golangci-lint", "run"], CheckKind::Lint),
    (&["staticcheck"], CheckKind::Lint),
    (&["gotestsum"], CheckKind::Test),
    (&["gofmt"], CheckKind::Lint),
    (&["pytest"], CheckKind::Test),
    (&["py.test"], CheckKind::Test),
    (&["unittest"], CheckKind::Test),
    (&["tox"], CheckKind::Test),
    (&["nox"], CheckKind::Test),
    (&["ruff"], CheckKind::Lint),
    (&["flake8"], CheckKind::Lint),
    (&["pylint"], CheckKind::Lint),
    (&["mypy"], CheckKind::Lint),
    (&["pyright"], CheckKind::Lint),
    (&["black"], CheckKind::Lint),
    (&["jest"], CheckKind::Test),
    (&["vitest"], CheckKind::Test),
    (&["mocha"], CheckKind::Test),
    (&["ava"], CheckKind::Test),
    (&["tap"], CheckKind::Test),
    (&["prove"], CheckKind::Test),
    (&["playwright", "test"], CheckKind::Test),
    (&["eslint"], CheckKind::Lint),
    (&["biome"], CheckKind::Lint),
    (&["prettier"], CheckKind::Lint),
    (&["tsc"], CheckKind::Lint),
    (&["vue-tsc"], CheckKind::Lint),
    (&["svelte-check"], CheckKind::Lint),
    (&["vite", "build"], CheckKind::Build),
    (&["next", "build"], CheckKind::Build),
    (&["node", "--test"], CheckKind::Test),
    (&["deno", "test"], CheckKind::Test),
    (&["deno", "check"], CheckKind::Lint),
    (&["deno", "lint"], CheckKind::Lint),
    (&["make", "test"], CheckKind::Test),
    (&["make", "check"], CheckKind::Test),
    (&["make", "lint"], CheckKind::Lint),
    (&["make"], CheckKind::Build),
    (&["just", "test"], CheckKind::Test),
    (&["just", "lint"], CheckKind::Lint),
    (&["just", "check"], CheckKind::Lint),
    (&["just", "build"], CheckKind::Build),
    (&["task", "test"], CheckKind::Test),
    (&["task", "lint"], CheckKind::Lint),
    (&["task", "build"], CheckKind::Build),
    (&["mise", "run", "test"], CheckKind::Test),
    (&["mise", "run", "lint"], CheckKind::Lint),
    (&["mise", "run", "build"], CheckKind::Build),
    (&["ctest"], CheckKind::Test),
    (&["cmake", "--build"], CheckKind::Build),
    (&["dotnet", "test"], CheckKind::Test),
    (&["dotnet", "build"], CheckKind::Build),
    (&["swift", "test"], CheckKind::Test),
    (&["swift", "build"], CheckKind::Build),
    (&["xcodebuild", "test"], CheckKind::Test),
    (&["rspec"], CheckKind::Test),
    (&["rails", "test"], CheckKind::Test),
    (&["artisan", "test"], CheckKind::Test),
    (&["pest"], CheckKind::Test),
    (&["flutter", "test"], CheckKind::Test),
    (&["flutter", "analyze"], CheckKind::Lint),
    (&["dart", "test"], CheckKind::Test),
    (&["dart", "analyze"], CheckKind::Lint),
    (&["forge", "test"], CheckKind::Test),
    (&["forge", "build"], CheckKind::Build),
    (&["cypress", "run"], CheckKind::Test),
    (&["pre-commit", "run"], CheckKind::Lint),
    (&["ninja", "test"], CheckKind::Test),
    (&["ninja", "check"], CheckKind::Test),
    (&["ninja"], CheckKind::Build),
    (&["meson", "test"], CheckKind::Test),
    (&["nix", "flake", "check"], CheckKind::Test),
    (&["elm-test"], CheckKind::Test),
    (&["rubocop"], CheckKind::Lint),
    (&["phpunit"], CheckKind::Test),
    (&["mix", "test"], CheckKind::Test),
    (&["zig", "build", "test"], CheckKind::Test),
    (&["zig", "build"], CheckKind::Build),
    (&["zig", "test"], CheckKind::Test),
    (&["bazel", "test"], CheckKind::Test),
    (&["bazel", "build"], CheckKind::Build),
    (&["shellcheck"], CheckKind::Lint),
    (&["mise", "run", "check"], CheckKind::Test),
    (&["task", "check"], CheckKind::Lint),
    (&["goreleaser", "check"], CheckKind::Lint),
    (&["terraform", "validate"], CheckKind::Lint),
    (&["helm", "lint"], CheckKind::Lint),
    (&["buf", "lint"], CheckKind::Lint),
    (&["actionlint"], CheckKind::Lint),
    (&["yamllint"], CheckKind::Lint),
    (&["hadolint"], CheckKind::Lint),
];

/// Options with which nothing is checked.
const NO_CHECK: &[&str] = &[
    "--help",
    "-h",
    "--version",
    "--list",
    "--listTests",
    "--list-tests",
    "--collect-only",
    "--co",
    "--dry-run",
];

/// What make is told to do that builds nothing.
const NO_BUILD: &[&str] =
    &["clean", "distclean", "help", "install", "deploy", "run", "fmt", "format", "version"];
/// Options whose value is the next word, where it stands before what is to be done.
const WITH_VALUE: &[&str] =
    &["-C", "-f", "--file", "--manifest-path", "--directory", "--target-dir"];

/// Lines within lines that are looked into.
const DEEPEST: usize = 3;

/// What a command line checks, if it is a check at all: of several, the last one that tests, else
/// the last one.
pub fn check_kind(line: &str) -> Option<CheckKind> {
    check_kind_of(&CommandLine::of(&without_fed(line)))
}

/// The same of a line that was taken apart.
pub(super) fn check_kind_of(line: &CommandLine<'_>) -> Option<CheckKind> {
    check_kind_within(line, DEEPEST)
}

fn check_kind_within(line: &CommandLine<'_>, deep: usize) -> Option<CheckKind> {
    line.parts.iter().filter_map(|part| kind_of(part, deep)).reduce(stronger)
}

fn stronger(one: CheckKind, next: CheckKind) -> CheckKind {
    if one == CheckKind::Test { one } else { next }
}

/// The checks of a command line.
pub(super) struct Checks {
    pub kind: CheckKind,
    /// What they are called: the same, wherever the output goes and whatever is run beside them.
    pub name: String,
    /// Whose output it is.
    pub family: Family,
    /// Whether the line can only pass if they pass.
    pub passes_with: bool,
    /// Whether the line fails if the last one of them fails, and whether something runs after it.
    pub fails_with: bool,
    pub goes_on: bool,
    /// How much of what they print is to be seen.
    pub view: OutputView,
    /// Whether they print nothing if all is well.
    pub silent: bool,
    /// Whether the line prints the exit code of the last of them.
    pub prints_exit: bool,
    /// Whether the last of them was given some time only.
    pub timed: bool,
}

/// The checks of a command line.
pub(super) fn checks(line: &CommandLine<'_>) -> Option<Checks> {
    checks_within(line, DEEPEST)
}

fn checks_within(line: &CommandLine<'_>, deep: usize) -> Option<Checks> {
    let parts = &line.parts;
    let set = Set::of(parts);
    let each = (0..parts.len()).filter_map(|at| check_at(parts, at, &set, deep));
    each.reduce(|before, one| Checks {
        kind: stronger(before.kind, one.kind),
        name: format!("{} && {}", before.name, one.name),
        family: if before.family == one.family { one.family } else { Family::Any },
        passes_with: before.passes_with && one.passes_with,
        silent: before.silent && one.silent,
        view: before.view.and(one.view),
        prints_exit: one.prints_exit && before.passes_with,
        ..one
    })
}

/// The check that one command of a line is, or those of the line that it carries.
fn check_at(parts: &[Part<'_>], at: usize, set: &Set, deep: usize) -> Option<Checks> {
    let part = &parts[at];
    let kind = kind_of(part, deep)?;
    let nested = Nested::of(&part.words);
    let words = nested.as_ref().map_or(&part.words, |nested| &nested.words);
    let line = nested.as_ref().and_then(|nested| nested.line);
    let inner = line.and_then(|line| checks_within(&CommandLine::of(line), deep.checked_sub(1)?));
    let in_container = nested.as_ref().is_some_and(|nested| nested.in_container);
    let family = inner.as_ref().map_or_else(|| Family::of(words), |inner| inner.family);
    let tells = exit_tells(parts, at, set);
    let goes = |word: &&&str| !word.contains(['<', '>']);
    let view = OutputView::of(part, family);
    let is_more = |next: &Part<'_>| !ENDS_LINE.contains(&first_word(next.text));
    let shown = view != OutputView::Picked && !goes_elsewhere(part.text);
    let one = Checks {
        kind,
        name: part.words.iter().take_while(goes).copied().collect::<Vec<_>>().join(" "),
        family,
        passes_with: tells,
        fails_with: tells,
        goes_on: parts[at + 1..].iter().any(is_more),
        silent: is_silent(words) && shown,
        view,
        prints_exit: prints_exit(parts, at),
        timed: is_timed(part),
    };
    Some(match inner {
        None => one,
        Some(inner) => Checks {
            name: if in_container { one.name } else { inner.name },
            passes_with: tells && inner.passes_with,
            fails_with: tells && inner.fails_with,
            goes_on: one.goes_on || inner.goes_on,
            silent: inner.silent && shown,
            view: view.and(inner.view),
            prints_exit: one.prints_exit && inner.passes_with,
            timed: one.timed || inner.timed,
            ..one
        },
    })
}

/// Commands that are only there to say how others ended.
const ENDS_LINE: &[&str] = &["echo", "printf", "true", ":", "exit", "fi", "done", "}"];

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// Whether a program says nothing if all is well.
fn is_silent(words: &[&str]) -> bool {
    let quiet = || words.iter().any(|word| matches!(*word, "-q" | "--quiet"));
    match words {
        ["go", "build" | "vet", ..] | ["gofmt" | "shellcheck" | "flake8" | "staticcheck", ..] => {
            true
        }
        ["cargo", "fmt", ..] => true,
        ["cargo" | "mvn" | "mvnw" | "gradle" | "gradlew", ..] => quiet(),
        _ => runs(words).is_some_and(|words| matches!(words[0], "tsc" | "eslint" | "vue-tsc")),
    }
}

/// The program that runs in the end.
fn runs<'w, 'l>(words: &'w [&'l str]) -> Option<&'w [&'l str]> {
    let words = run_by(words).map_or(words, |run| run.words);
    (!words.is_empty()).then_some(words)
}

/// Whether what is printed goes into a file.
fn goes_elsewhere(text: &str) -> bool {
    text.replace("2>&1", "").contains('>')
}

/// Whether the next command prints the exit code: `go vet ./...; echo $?`.
fn prints_exit(parts: &[Part<'_>], at: usize) -> bool {
    let part = &parts[at];
    let next = parts.get(at + 1).filter(|next| {
        next.joint == Joint::Then && first_word(next.text) == "echo" && !part.beside && !next.beside
    });
    next.is_some_and(|next| {
        next.text.contains("PIPESTATUS[0]") || next.text.contains("$?") && part.into.is_empty()
    }) && parts.len() == at + 2
}

/// Whether a command runs under `timeout`.
fn is_timed(part: &Part<'_>) -> bool {
    let program = part.words.first().copied().unwrap_or_default();
    let mut before = part.text.split_whitespace().take_while(|word| !word.ends_with(program));
    before.any(|word| matches!(word.rsplit('/').next(), Some("timeout" | "gtimeout")))
}

/// From which command on a line is told to mind what fails.
#[derive(Default)]
struct Set {
    pipefail: Option<usize>,
    /// To stop at the first command that fails.
    stops: Option<usize>,
}

impl Set {
    fn of(parts: &[Part<'_>]) -> Self {
        let mut set = Self::default();
        for (at, part) in parts.iter().enumerate().filter(|(_, part)| part.text.starts_with("set "))
        {
            for word in part.words.iter().skip(1) {
                let short = word.starts_with('-') && !word.starts_with("--");
                if *word == "pipefail" {
                    set.pipefail.get_or_insert(at);
                } else if *word == "errexit" || short && word.contains('e') {
                    set.stops.get_or_insert(at);
                }
            }
        }
        set
    }
}

/// Whether a line that passed shows that one of its commands did.
pub(super) fn exit_shows(line: &CommandLine<'_>, at: usize) -> bool {
    exit_tells(&line.parts, at, &Set::of(&line.parts))
}

/// Whether the exit code of the line is that of one of its commands, if those after it pass.
fn exit_tells(parts: &[Part<'_>], at: usize, set: &Set) -> bool {
    let part = &parts[at];
    if part.blocked || part.beside || part.maybe || part.text.starts_with('!') {
        return false;
    }
    let exits =
        |one: &Part<'_>, with: &str| one.text.starts_with("exit") && one.text.contains(with);
    if parts.get(at + 1).is_some_and(|next| exits(next, "PIPESTATUS[0]")) {
        return true;
    }
    if !part.into.is_empty() && set.pipefail.is_none_or(|from| from > at) {
        return false;
    }
    let stops = set.stops.is_some_and(|from| from < at);
    parts[at + 1..].iter().all(|next| match next.joint {
        Joint::And => true,
        Joint::Or => exits(next, " ") && !exits(next, " 0") || next.text == "false",
        Joint::Then => matches!(next.text, "fi" | "done" | "}") || exits(next, "$?") || stops,
    })
}

fn kind_of(part: &Part<'_>, deep: usize) -> Option<CheckKind> {
    let has_path = part.text.contains('/');
    match Nested::of(&part.words) {
        None => kind_of_words(&part.words, has_path),
        Some(Nested { line: Some(line), .. }) => {
            check_kind_within(&CommandLine::of(line), deep.checked_sub(1)?)
        }
        Some(nested) => kind_of_words(&nested.words, has_path),
    }
}

fn kind_of_words(words: &[&str], has_path: bool) -> Option<CheckKind> {
    let found = match words {
        [_, "version" | "help" | "--version" | "-version", ..] => None,
        // Nothing but the version, in the words of those that have no other `-v`.
        ["tsc" | "eslint" | "vitest" | "jest" | "prettier" | "biome" | "vite", "-v"] => None,
        ["python", rest @ ..] | ["coverage", "run", rest @ ..] => return kind_of_python(rest),
        ["manage.py" | "django" | "django-admin", rest @ ..] => {
            first_task(rest).filter(|task| *task == "test").map(|_| CheckKind::Test)
        }
        ["php", script, rest @ ..] => match (script.rsplit('/').next(), rest) {
            (Some("artisan"), ["test", ..]) | (Some("phpunit" | "pest"), _) => {
                Some(CheckKind::Test)
            }
            _ => None,
        },
        ["rake", rest @ ..] => first_task(rest).map_or(Some(CheckKind::Test), kind_of_rake),
        ["sbt", rest @ ..] => rest.iter().find_map(|goal| {
            let goal = goal.trim_matches(['\'', '"']).split(' ').next().unwrap_or_default();
            kind_of_goal(goal.rsplit('/').next().unwrap_or(goal))
        }),
        ["mvn" | "mvnw", rest @ ..] => rest.iter().find_map(|goal| kind_of_goal(goal)),
        ["gradle" | "gradlew", rest @ ..] => {
            rest.iter().find_map(|task| kind_of_goal(task.rsplit(':').next().unwrap_or(task)))
        }
        [manager, ..] if is_manager(manager) => {
            let run = run_by(words)?;
            let script = run.words.first().filter(|_| !run.program);
            let script = script.and_then(|name| kind_of_script(name));
            return match script {
                Some(_) if is_without_check(words) => None,
                Some(kind) => Some(kind),
                None => kind_of_words(run.words, false),
            };
        }
        ["bash" | "sh" | "zsh", script, ..] => kind_of_file(script),
        [script, ..] => kind_in_table(words).or_else(|| kind_of_file(script).filter(|_| has_path)),
        [] => None,
    }?;
    match is_without_check(words) {
        true => None,
        false if words.contains(&"--no-run") => Some(CheckKind::Build),
        false => Some(found),
    }
}

fn kind_in_table(words: &[&str]) -> Option<CheckKind> {
    let mut plain = Vec::new();
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        if WITH_VALUE.contains(word) {
            rest.next();
        // `cargo +nightly test`
        // And `make -j 4 test`.
        } else if !(word.starts_with('+')
            || word.starts_with('-') && *word != "-m"
            || word.bytes().all(|byte| byte.is_ascii_digit()))
        {
            plain.push(*word);
        }
    }
    let matches = |wanted: &[&str]| {
        let (program, wanted) = wanted.split_first().unwrap_or((&"", &[]));
        let mut plain = plain.iter();
        words.first() == Some(program)
            && wanted.iter().all(|word| match word.strip_prefix("--") {
                Some(_) => words.contains(word),
                None => plain.next().is_some_and(|there| is_word(there, word)),
            })
    };
    CHECKS.iter().find(|(wanted, _)| matches(wanted)).map(|(_, kind)| *kind)
}

/// What Python is told to run: a module, or a script that only tests.
fn kind_of_python(told: &[&str]) -> Option<CheckKind> {
    let mut rest = told;
    loop {
        rest = match rest {
            ["-m", module @ ..] => return kind_of_words(module, false),
            ["-c", ..] | [] => return None,
            ["-W" | "-X" | "--source" | "--rcfile" | "--omit" | "--include", _, next @ ..] => next,
            [option, next @ ..] if option.starts_with('-') => next,
            [script, ..] => {
                let (dir, name) = script.rsplit_once('/').unwrap_or(("", script));
                let stem = name.strip_suffix(".py")?;
                if stem == "manage" {
                    return kind_of_words(&[&["manage.py"], &rest[1..]].concat(), false);
                }
                let in_tests = || dir.split('/').any(|dir| matches!(dir, "test" | "tests"));
                let tests = stem.starts_with("test_") || stem.ends_with("_test");
                let runs = matches!(stem, "run_tests" | "runtests") || tests && in_tests();
                return (runs && !is_without_check(rest)).then_some(CheckKind::Test);
            }
        }
    }
}

/// What a task of Rake checks.
fn kind_of_rake(task: &str) -> Option<CheckKind> {
    match task.split(':').next().unwrap_or(task) {
        "test" | "tests" | "spec" | "default" | "ci" | "check" => Some(CheckKind::Test),
        "rubocop" | "lint" => Some(CheckKind::Lint),
        _ => None,
    }
}

/// The first word that is neither an option nor the value of one, nor of a variable.
fn first_task<'l>(words: &[&'l str]) -> Option<&'l str> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(word) {
            words.next();
        } else if !word.starts_with('-') && !word.contains(['=', '>', '<']) {
            return Some(word);
        }
    }
    None
}

/// What a goal of Maven or a task of Gradle checks.
fn kind_of_goal(goal: &str) -> Option<CheckKind> {
    match goal {
        "verify" | "check" => Some(CheckKind::Test),
        goal if goal.starts_with("test") => Some(CheckKind::Test),
        goal if goal.starts_with("lint") => Some(CheckKind::Lint),
        "package" | "build" => Some(CheckKind::Build),
        goal if goal.starts_with("compile") || goal.starts_with("assemble") => {
            Some(CheckKind::Build)
        }
        _ => None,
    }
}

/// A script whose name says that it tests.
fn kind_of_file(script: &str) -> Option<CheckKind> {
    let name = script.rsplit('/').next()?.trim_end_matches(".sh");
    matches!(name, "test" | "tests" | "run-tests" | "run_tests" | "check" | "ci")
        .then_some(CheckKind::Test)
}

/// Whether a command that might be a check checks nothing: it lists, or says what it is.
fn is_without_check(words: &[&str]) -> bool {
    let has = |word: &str| words.contains(&word);
    words.iter().any(|word| NO_CHECK.contains(word))
        || match words.first().copied().unwrap_or_default() {
            // Elsewhere it is about how much is printed.
            "ctest" => has("-N"),
            "mvn" | "mvnw" | "gradle" | "gradlew" | "zig" => false,
            "tox" | "nox" => has("-l") || has("-V"),
            "go" => words.iter().any(|word| word.starts_with("-list")),
            "make" | "ninja" => {
                let tool = words[0] == "ninja" && has("-t");
                tool || has("-n")
                    || first_task(&words[1..]).is_some_and(|it| NO_BUILD.contains(&it))
            }
            "rake" => has("-T") || has("-P") || has("--tasks"),
            _ => has("-V"),
        }
}

/// `test:unit` is a `test`.
fn is_word(there: &str, word: &str) -> bool {
    there == word || there.strip_prefix(word).is_some_and(|rest| rest.starts_with(':'))
}

/// Whether a command line makes commits.
pub(super) fn makes_commits(line: &CommandLine<'_>) -> bool {
    let makes = |git: Git<'_, '_>| match git.sub {
        "cherry-pick" | "revert" | "merge" | "am" | "pull" => true,
        _ => is_commit(&git),
    };
    line.parts.iter().any(|part| git(&part.words).is_some_and(makes))
}

/// Whether a command of git is a commit, and no trial of one.
pub(super) fn is_commit(git: &Git<'_, '_>) -> bool {
    git.sub == "commit" && !git.has("--dry-run") && !git.has("--help")
}

/// Whether a command line takes back what was done.
pub(super) fn takes_back(line: &CommandLine<'_>) -> bool {
    line.parts.iter().any(|part| !part.maybe && is_taken_back(&part.words))
}

fn is_taken_back(words: &[&str]) -> bool {
    let Some(git) = git(words) else { return false };
    match git.sub {
        "reset" => git.has("--hard"),
        "restore" => !git.has("--staged") && !git.has("-S") || git.has("--worktree"),
        "revert" => !["--abort", "--quit", "--skip", "--continue"].iter().any(|it| git.has(it)),
        "checkout" => git.has("--"),
        "stash" => match git.rest.first() {
            Some(sub) => sub.starts_with('-') || matches!(*sub, "push" | "save"),
            None => true,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_known_by_their_words() {
        let test = Some(CheckKind::Test);
        for line in [
            "cargo test -p core",
            "cd x && RUST_BACKTRACE=1 cargo --quiet test 2>&1 | tail -5",
            "timeout 60 npx vitest run",
            "yarn test:unit",
            "uv run pytest -x",
            "python3 -m pytest tests",
            "./scripts/test.sh",
            "cargo fmt && cargo test; echo done",
            "mise run test:ci",
            "/usr/bin/go test ./...",
            "cat > x <<EOF\nmake\nEOF\ncargo test",
            "pnpm --filter @x/web test",
            "npm --prefix web test -- --run",
            "npm run test -w api",
            "pnpm -C web run test:unit",
            "bun run --filter web test",
            "bun test src/a.test.ts",
            "yarn workspace web test",
            "pnpm vitest run",
            "npx --yes jest",
            "uv run --group dev pytest",
            "make -C sub test",
            "make -j 4 test",
            "cargo +nightly test",
            "cargo --manifest-path a/Cargo.toml test",
            "./gradlew :app:testDebugUnitTest",
            "mvn -q clean verify",
            "turbo run test --filter=web",
            "node --test",
            "bash scripts/test.sh",
            "docker compose exec -T app pytest -q",
            "docker exec -it web python manage.py test",
            "kubectl exec pod -- pytest",
            "bash -c \"cd core && cargo test\"",
            "sh -lc 'npm test'",
            "hatch run test",
            "hatch run test:unit",
            "pdm run pytest",
            "rye run pytest",
            "coverage run -m pytest",
            "coverage run --source app manage.py test",
            "python manage.py test shop --parallel",
            "./manage.py test",
            "python -W ignore -m unittest discover",
            "python tests/test_foo.py",
            "bin/rails test",
            "rails test:system",
            "bundle exec rake",
            "rake spec",
            "sbt test",
            "sbt \"core/testOnly shop.*\"",
            "flutter test",
            "dart test",
            "forge test -vvv",
            "php artisan test",
            "php vendor/bin/phpunit",
            "ninja -C build test",
            "nix flake check",
            "npx cypress run",
        ] {
            assert_eq!(check_kind(line), test, "{line}");
        }
        assert_eq!(check_kind("cargo clippy --all-targets -- -D warnings"), Some(CheckKind::Lint));
        for line in
            ["npm run build", "bun run build", "pnpm build", "yarn build:prod", "cmake --build x"]
        {
            assert_eq!(check_kind(line), Some(CheckKind::Build), "{line}");
        }
        for line in ["ninja -C build", "ninja", "bash -c 'make'", "hatch run build"] {
            assert_eq!(check_kind(line), Some(CheckKind::Build), "{line}");
        }
        assert_eq!(check_kind("pre-commit run --all-files"), Some(CheckKind::Lint));
        for line in ["bun lint", "pnpm -r typecheck", "yarn tsc", "python -m mypy x", "bun x tsc"] {
            assert_eq!(check_kind(line), Some(CheckKind::Lint), "{line}");
        }
        let fed = "cat > x.md <<'EOF'\nfirst\ncargo test\nEOF\nls";
        for line in [fed, "echo 'cargo test'", "git status", "cat test.sh", "ls | grep make", ""] {
            assert_eq!(check_kind(line), None, "{line}");
        }
    }

    #[test]
    fn what_checks_nothing_is_no_check() {
        for line in [
            "pytest --version",
            "cargo test --help",
            "cargo test -- --list",
            "npm test -- --listTests",
            "pytest --collect-only -q",
            "tox -l",
            "black -V",
            "make -n deploy",
            "make clean",
            "go test -list . ./...",
            "golangci-lint version",
            "golangci-lint linters",
            "ruff version",
            "tsc -v",
            "npx tsc --version",
            "bun test --help",
            "pnpm --version",
            "npm install",
            "npm run dev",
            "npm run test:watch",
            "yarn",
            "make -C sub clean",
            "ninja -C build clean",
            "ninja -t compdb",
            "rake -T",
            "rake db:migrate",
            "rails server",
            "python manage.py migrate",
            "python test_scratch.py",
            "python -c 'import pytest'",
            "php artisan migrate",
            "test -f tests",
            "docker compose up -d test",
            "bash -c 'ls tests'",
            "pre-commit install",
            "sbt run",
        ] {
            assert_eq!(check_kind(line), None, "{line}");
        }
        assert_eq!(check_kind("cargo test --no-run"), Some(CheckKind::Build));
        assert_eq!(check_kind("ctest -V"), Some(CheckKind::Test));
    }

    #[test]
    fn a_check_is_found_behind_what_is_fed_to_commands() {
        let long = "a line\n".repeat(1_000);
        for line in [
            format!("cat > t.py <<'EOF'\n{long}EOF\npytest -q"),
            "git commit -m \"$(cat <<'EOF'\nIt's \"x\nEOF\n)\" && pytest -q".to_owned(),
            "# don't\npytest -q".to_owned(),
        ] {
            assert_eq!(checks(&CommandLine::of(&without_fed(&line))).unwrap().name, "pytest -q");
            assert_eq!(check_kind(&line), Some(CheckKind::Test));
        }
    }

    #[test]
    fn an_exit_code_is_of_the_check_only_if_nothing_hides_it() {
        let told = |line: &str| {
            checks(&CommandLine::of(line)).map(|it| (it.passes_with, it.fails_with)).unwrap()
        };
        for line in [
            "cargo test",
            "cd x && cargo test 2>&1",
            "cd x || exit 1; cargo test",
            "cargo test && git push",
            "(cd x && cargo test) && ls",
            "set -o pipefail; cargo test | tail -3",
            "set -euo pipefail\ncargo test | tail\nls",
            "cargo test || exit 1",
            "cargo test 2>&1 | tail -5; exit ${PIPESTATUS[0]}",
            "cargo build && cargo test",
        ] {
            assert_eq!(told(line), (true, true), "{line}");
        }
        for line in [
            "cargo build 2>&1 | tail -3",
            "npm test || true",
            "pytest -q; echo done",
            "go test ./... | grep x",
            "ls x || cargo test",
            "cargo test &",
            "for i in 1 2; do cargo test; done",
            "(cargo test) | tail",
            "! cargo test",
            "cargo test && echo fine || echo broken",
        ] {
            assert_eq!(told(line), (false, false), "{line}");
        }
        assert_eq!(told("cargo build; cargo test"), (false, true));
        assert_eq!(told("bash -c 'cd x && cargo test' && ls"), (true, true));
        assert_eq!(told("docker compose exec -T app pytest"), (true, true));
        for line in ["bash -c 'cargo test | tail'", "sh -c 'cargo test' | tail"] {
            assert_eq!(told(line), (false, false), "{line}");
        }
    }

    #[test]
    fn a_check_is_the_same_wherever_its_output_goes() {
        for line in [
            "cargo test -p x 2>&1 | tail -5",
            "cd y && cargo test -p x",
            "RUST_LOG=1 cargo test -p x > out.txt; echo $?",
        ] {
            assert_eq!(checks(&CommandLine::of(line)).unwrap().name, "cargo test -p x", "{line}");
        }
        assert_eq!(
            checks(&CommandLine::of("make && make test")).unwrap().name,
            "make && make test"
        );
        assert_eq!(checks(&CommandLine::of("pnpm test | tail")).unwrap().name, "pnpm test");
        let name = |line| checks(&CommandLine::of(line)).unwrap().name;
        assert_eq!(name("bash -c \"cd core && cargo test\""), "cargo test");
        assert_eq!(name("docker exec web pytest -q | tail"), "docker exec web pytest -q");
    }

    #[test]
    fn what_git_does_is_not_told_by_the_words_of_a_message() {
        for line in [
            "git reset --hard HEAD~1",
            "git checkout -- a.rs",
            "git restore a",
            "git stash",
            "git -C x -c a=b stash push -m 'list'",
            "git revert HEAD",
        ] {
            assert!(takes_back(&CommandLine::of(line)), "{line}");
        }
        for line in [
            "git checkout main",
            "git stash pop",
            "git stash show",
            "git stash drop",
            "git restore --staged a",
            "git log --grep revert -- a.rs",
            "git commit -m 'Fix restore of sessions'",
            "git commit -m 'Do not revert it'",
            "echo git stash",
            "cargo test || git checkout -- .",
            "cargo test || (ls; git stash)",
        ] {
            assert!(!takes_back(&CommandLine::of(line)), "{line}");
        }
        assert!(makes_commits(&CommandLine::of("cd a && git -C b commit -m 'x'")));
        assert!(!makes_commits(&CommandLine::of("echo git commit")));
        assert!(!makes_commits(&CommandLine::of("git log --grep commit")));
        assert!(!makes_commits(&CommandLine::of("git commit -am x --dry-run")));
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read(line: String) {
            let _ = (check_kind(&line), makes_commits(&CommandLine::of(&line)), takes_back(&CommandLine::of(&line)));
            let _ = checks(&CommandLine::of(&line)).is_some();
        }
    }
}
