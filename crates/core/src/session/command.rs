//! What a command line of a shell is for, and what its output says.

use serde::{Deserialize, Serialize};

/// What a check looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    Test,
    Build,
    Lint,
}

/// Tests that are kept of one check.
const MOST_FAILING: usize = 30;
/// The longest name of a test.
const LONGEST_NAME: usize = 160;

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
    (&["golangci-lint"], CheckKind::Lint),
    (&["gofmt"], CheckKind::Lint),
    (&["pytest"], CheckKind::Test),
    (&["py.test"], CheckKind::Test),
    (&["python", "-m", "pytest"], CheckKind::Test),
    (&["python", "-m", "unittest"], CheckKind::Test),
    (&["tox"], CheckKind::Test),
    (&["nox"], CheckKind::Test),
    (&["ruff"], CheckKind::Lint),
    (&["flake8"], CheckKind::Lint),
    (&["pylint"], CheckKind::Lint),
    (&["mypy"], CheckKind::Lint),
    (&["pyright"], CheckKind::Lint),
    (&["black"], CheckKind::Lint),
    (&["npm", "test"], CheckKind::Test),
    (&["npm", "t"], CheckKind::Test),
    (&["npm", "run", "test"], CheckKind::Test),
    (&["npm", "run", "lint"], CheckKind::Lint),
    (&["npm", "run", "typecheck"], CheckKind::Lint),
    (&["npm", "run", "build"], CheckKind::Build),
    (&["jest"], CheckKind::Test),
    (&["vitest"], CheckKind::Test),
    (&["mocha"], CheckKind::Test),
    (&["playwright", "test"], CheckKind::Test),
    (&["eslint"], CheckKind::Lint),
    (&["biome"], CheckKind::Lint),
    (&["prettier"], CheckKind::Lint),
    (&["tsc"], CheckKind::Lint),
    (&["vite", "build"], CheckKind::Build),
    (&["deno", "test"], CheckKind::Test),
    (&["bun", "test"], CheckKind::Test),
    (&["make", "test"], CheckKind::Test),
    (&["make", "check"], CheckKind::Test),
    (&["make", "lint"], CheckKind::Lint),
    (&["make"], CheckKind::Build),
    (&["just", "test"], CheckKind::Test),
    (&["just", "lint"], CheckKind::Lint),
    (&["just", "build"], CheckKind::Build),
    (&["task", "test"], CheckKind::Test),
    (&["mise", "run", "test"], CheckKind::Test),
    (&["mise", "run", "lint"], CheckKind::Lint),
    (&["ctest"], CheckKind::Test),
    (&["cmake", "--build"], CheckKind::Build),
    (&["mvn", "test"], CheckKind::Test),
    (&["mvn", "verify"], CheckKind::Test),
    (&["mvn", "package"], CheckKind::Build),
    (&["gradle", "test"], CheckKind::Test),
    (&["gradlew", "test"], CheckKind::Test),
    (&["gradle", "build"], CheckKind::Build),
    (&["gradlew", "build"], CheckKind::Build),
    (&["dotnet", "test"], CheckKind::Test),
    (&["dotnet", "build"], CheckKind::Build),
    (&["swift", "test"], CheckKind::Test),
    (&["swift", "build"], CheckKind::Build),
    (&["xcodebuild", "test"], CheckKind::Test),
    (&["rspec"], CheckKind::Test),
    (&["rake", "test"], CheckKind::Test),
    (&["rubocop"], CheckKind::Lint),
    (&["phpunit"], CheckKind::Test),
    (&["mix", "test"], CheckKind::Test),
    (&["zig", "build"], CheckKind::Build),
    (&["zig", "test"], CheckKind::Test),
    (&["bazel", "test"], CheckKind::Test),
    (&["bazel", "build"], CheckKind::Build),
    (&["shellcheck"], CheckKind::Lint),
];

/// Programs that only run another one.
const RUNNERS: &[&str] = &[
    "npx", "bunx", "pnpx", "uvx", "time", "timeout", "env", "sudo", "nice", "xvfb-run", "command",
    "exec", "then", "do", "!",
];
/// Runners of which two words are theirs.
const TWO_WORD_RUNNERS: &[(&str, &str)] = &[
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pnpm", "exec"),
    ("yarn", "exec"),
    ("bundle", "exec"),
    ("mise", "exec"),
    ("pnpm", "dlx"),
];

/// The commands of a command line: what stands between `&&`, `||`, `;`, `|` and line ends, outside
/// of quotes. What follows a pipe only reads.
pub(super) fn parts(line: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = line;
    // What is fed to a command is not run.
    while let Some((before, after)) = around_fed(rest) {
        all.extend(parts_of(before));
        rest = after;
    }
    all.extend(parts_of(rest));
    all
}

fn parts_of(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut quote = None;
    let mut piped = false;
    let bytes = line.as_bytes();
    let mut at = 0;
    let mut cut = |from: usize, to: usize, piped: bool| {
        let part = line[from..to].trim();
        if !part.is_empty() && !piped {
            parts.push(part);
        }
    };
    while at < bytes.len() {
        let byte = bytes[at];
        match quote {
            Some(open) if byte == open => quote = None,
            Some(b'"') if byte == b'\\' => at += 1,
            Some(_) => {}
            None => match byte {
                b'\'' | b'"' => quote = Some(byte),
                b'\\' => at += 1,
                b'&' if bytes.get(at + 1) == Some(&b'&') => {
                    cut(start, at, piped);
                    (start, piped) = (at + 2, false);
                    at += 1;
                }
                b'|' => {
                    cut(start, at, piped);
                    let or = bytes.get(at + 1) == Some(&b'|');
                    (start, piped) = (at + 1 + usize::from(or), !or);
                    at += usize::from(or);
                }
                b';' | b'\n' | b'(' | b')' => {
                    cut(start, at, piped);
                    (start, piped) = (at + 1, false);
                }
                _ => {}
            },
        }
        at += 1;
    }
    cut(start.min(line.len()), line.len(), piped);
    parts
}

/// What stands before and after a text that is fed to a command: `cat <<EOF … EOF`.
fn around_fed(line: &str) -> Option<(&str, &str)> {
    let (before, rest) = line.split_once("<<")?;
    let (mark, text) = rest.split_once('\n')?;
    let word = mark.trim_start_matches('-').trim_start();
    let word: &str = word.split([' ', '\t', ';', '|', '>', ')']).next()?;
    let word = word.trim_matches(['\'', '"', '\\']);
    if word.is_empty() || before.matches('\'').count() % 2 == 1 {
        return None;
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if line.trim() == word {
            break;
        }
    }
    Some((before, &text[at..]))
}

/// The words of one command that say what it does: without variables set before it, runners and
/// their options, and the directories of the program.
pub(super) fn words(part: &str) -> Vec<&str> {
    let mut words: Vec<&str> = part.split_whitespace().collect();
    loop {
        let skip = match words[..] {
            [first, ..] if is_assignment(first) => 1,
            ["timeout" | "nice", ref rest @ ..] => {
                1 + rest.iter().take_while(|word| is_option_or_number(word)).count()
            }
            ["python3" | "python" | "pnpm" | "yarn" | "bun" | "npm", ..] => 0,
            [one, two, ..] if TWO_WORD_RUNNERS.contains(&(one, two)) => 2,
            [one, _, ..] if RUNNERS.contains(&one) => 1,
            _ => 0,
        };
        if skip == 0 || skip >= words.len() {
            break;
        }
        words.drain(..skip);
    }
    if let Some(first) = words.first_mut() {
        let name = first.rsplit(['/', '\\']).next().unwrap_or(first);
        *first = match name.strip_suffix(".exe").unwrap_or(name) {
            "python3" => "python",
            "pnpm" | "yarn" => "npm",
            name => name,
        };
    }
    words
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_option_or_number(word: &str) -> bool {
    word.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit())
}

/// What a command line checks, if it is a check at all: of several, the last one that tests, else
/// the last one.
pub fn check_kind(line: &str) -> Option<CheckKind> {
    let kinds: Vec<CheckKind> = parts(line).iter().filter_map(|part| kind_of(part)).collect();
    kinds.iter().rfind(|kind| **kind == CheckKind::Test).or(kinds.last()).copied()
}

/// What a check is called: the same one, wherever its output goes and whatever is run beside it.
pub(super) fn check_name(line: &str) -> String {
    let parts = parts(line);
    let checks = parts.iter().filter(|part| kind_of(part).is_some());
    let goes = |word: &&str| !word.contains(['<', '>']);
    let names =
        checks.map(|part| words(part).into_iter().take_while(goes).collect::<Vec<_>>().join(" "));
    names.collect::<Vec<_>>().join(" && ")
}

fn kind_of(part: &str) -> Option<CheckKind> {
    let words = words(part);
    let matches = |wanted: &[&str]| {
        let mut wanted = wanted.iter();
        let Some(program) = wanted.next() else { return false };
        // `npm test` and `npm run test` are both said with yarn and pnpm; options may stand between.
        let mut rest = words.iter().skip(1).filter(|word| !word.starts_with('-') || **word == "-m");
        words.first() == Some(program)
            && wanted.all(|word| rest.next().is_some_and(|there| is_word(there, word)))
    };
    let found = CHECKS.iter().find(|(wanted, _)| matches(wanted)).map(|(_, kind)| *kind);
    found.or_else(|| {
        // A script whose name says so.
        let script = words.first().copied().filter(|_| part.contains('/'))?;
        let name = script.rsplit('/').next()?.trim_end_matches(".sh");
        matches!(name, "test" | "tests" | "run-tests" | "run_tests" | "check" | "ci")
            .then_some(CheckKind::Test)
    })
}

/// `test:unit` is a `test`.
fn is_word(there: &str, word: &str) -> bool {
    there == word || there.strip_prefix(word).is_some_and(|rest| rest.starts_with(':'))
}

/// Whether a command line makes commits.
pub(super) fn makes_commits(line: &str) -> bool {
    parts(line).iter().any(|part| {
        let words = words(part);
        words.first() == Some(&"git")
            && words.iter().skip(1).any(|word| {
                matches!(*word, "commit" | "cherry-pick" | "revert" | "merge" | "am" | "pull")
            })
    })
}

/// Whether a command line takes back what was done.
pub(super) fn takes_back(line: &str) -> bool {
    parts(line).iter().any(|part| {
        let words = words(part);
        let has = |word: &str| words.contains(&word);
        words.first() == Some(&"git")
            && ((has("reset") && has("--hard"))
                || has("restore") && !has("--staged")
                || has("revert")
                || (has("checkout") && has("--"))
                || (has("stash") && !has("pop") && !has("apply") && !has("list")))
    })
}

/// The commits that git says it made: `[main 3f2a9c1] Add the cache`.
pub(super) fn commits_in(output: &str) -> Vec<(String, Option<String>, String)> {
    output.lines().filter_map(commit_in).collect()
}

fn commit_in(line: &str) -> Option<(String, Option<String>, String)> {
    let (inside, subject) = line.trim_start().strip_prefix('[')?.split_once("] ")?;
    let id = inside.split_whitespace().next_back()?;
    let is_id = (7..=40).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let branch = inside.strip_suffix(id)?.trim().trim_end_matches("(root-commit)").trim();
    if !is_id || branch.is_empty() {
        return None;
    }
    let branch = (branch != "detached HEAD").then(|| branch.to_owned());
    Some((id.to_owned(), branch, subject.trim().to_owned()))
}

/// The names of the tests that failed, as the usual test programs print them.
pub(super) fn failing_tests(output: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let name = name.trim();
        let sound = !name.is_empty() && name.len() <= LONGEST_NAME;
        if sound && found.len() < MOST_FAILING && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    };
    for line in output.lines() {
        let line = without_colours(line);
        let text = line.trim();
        // cargo test: `test a::b ... FAILED`; nextest: `FAIL [   0.01s] crate a::b`.
        if let Some(name) =
            text.strip_prefix("test ").and_then(|rest| rest.strip_suffix("... FAILED"))
        {
            add(name);
        } else if let Some(rest) = text.strip_prefix("FAIL [")
            && let Some((_, name)) = rest.split_once("] ")
        {
            add(name);
        // pytest: `FAILED tests/test_x.py::test_y - AssertionError`
        } else if let Some(rest) = text.strip_prefix("FAILED ").or(text.strip_prefix("ERROR "))
            && rest.contains("::")
        {
            add(rest.split(" - ").next().unwrap_or(rest));
        // go: `--- FAIL: TestX (0.00s)`
        } else if let Some(rest) = text.strip_prefix("--- FAIL: ") {
            add(rest.split(" (").next().unwrap_or(rest));
        // unittest: `FAIL: test_x (module.Class)`
        } else if let Some(rest) = text.strip_prefix("FAIL: ").or(text.strip_prefix("ERROR: "))
            && rest.starts_with("test")
        {
            add(rest);
        // jest and vitest: `● suite › name`, `✕ name (3 ms)`, `× name`, `FAIL src/x.test.ts > name`
        } else if let Some(rest) = text.strip_prefix("● ")
            && rest.contains(" › ")
        {
            add(rest);
        } else if let Some(rest) =
            ["✕ ", "✗ ", "× ", "✘ "].iter().find_map(|mark| text.strip_prefix(mark))
        {
            add(rest.rsplit_once(" (").map_or(rest, |(name, _)| name));
        } else if let Some(rest) = text.strip_prefix("FAIL ")
            && rest.contains(" > ")
        {
            add(rest.trim());
        // TAP: `not ok 3 - name`
        } else if let Some(rest) = text.strip_prefix("not ok ")
            && let Some((_, name)) = rest.split_once(" - ")
        {
            add(name);
        }
    }
    found
}

/// A line without the sequences that colour it.
fn without_colours(line: &str) -> std::borrow::Cow<'_, str> {
    if !line.contains('\x1b') {
        return line.into();
    }
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\x1b') {
        out.push_str(before);
        rest = after.strip_prefix('[').map_or(after, |after| {
            after.find(|c: char| c.is_ascii_alphabetic()).map_or("", |end| &after[end + 1..])
        });
    }
    out.push_str(rest);
    out.into()
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
        ] {
            assert_eq!(check_kind(line), test, "{line}");
        }
        assert_eq!(check_kind("cargo clippy --all-targets -- -D warnings"), Some(CheckKind::Lint));
        assert_eq!(check_kind("npm run build"), Some(CheckKind::Build));
        let fed = "cat > x.md <<'EOF'\nfirst\ncargo test\nEOF\nls";
        for line in [fed, "echo 'cargo test'", "git status", "cat test.sh", "ls | grep make", ""] {
            assert_eq!(check_kind(line), None, "{line}");
        }
    }

    #[test]
    fn commits_are_read_from_what_git_prints() {
        let output = "[main 3f2a9c1] Add the cache\n 1 file changed\n[detached HEAD 00aabbcc] x\n\
                      [fix/a (root-commit) abcdef0] First\n[1/3] Compiling\n[note] abc";
        let found = commits_in(output);
        assert_eq!(found[0], ("3f2a9c1".into(), Some("main".into()), "Add the cache".into()));
        assert_eq!(found[1], ("00aabbcc".into(), None, "x".into()));
        assert_eq!(found[2], ("abcdef0".into(), Some("fix/a".into()), "First".into()));
        assert_eq!(found.len(), 3);
        assert!(makes_commits("cd a && git -C b commit -m 'x'"));
        assert!(!makes_commits("echo git commit"));
    }

    #[test]
    fn failing_tests_are_named() {
        let output = "test a::b ... FAILED\ntest a::c ... ok\n        FAIL [   0.012s] core x::y\n\
            FAILED tests/t.py::test_z - AssertionError: 1\n--- FAIL: TestQ (0.00s)\n\
            FAIL: test_m (mod.Case)\n  ● suite › does it\n  \x1b[31m✕\x1b[0m red one (3 ms)\n\
            not ok 3 - tap one\n FAIL  src/x.test.ts > adds\nFAILED (errors=1)\n";
        assert_eq!(
            failing_tests(output),
            [
                "a::b",
                "core x::y",
                "tests/t.py::test_z",
                "TestQ",
                "test_m (mod.Case)",
                "suite › does it",
                "red one",
                "tap one",
                "src/x.test.ts > adds"
            ]
        );
    }

    #[test]
    fn a_check_is_the_same_wherever_its_output_goes() {
        for line in [
            "cargo test -p x 2>&1 | tail -5",
            "cd y && cargo test -p x",
            "RUST_LOG=1 cargo test -p x > out.txt; echo $?",
        ] {
            assert_eq!(check_name(line), "cargo test -p x", "{line}");
        }
        assert_eq!(check_name("make && make test"), "make && make test");
        let fed = "cat <<E\nx\nE\n".repeat(50_000);
        assert_eq!(check_name(&fed), "");
    }

    #[test]
    fn what_takes_back_is_known() {
        for line in
            ["git reset --hard HEAD~1", "git checkout -- a.rs", "git restore a", "git stash"]
        {
            assert!(takes_back(line), "{line}");
        }
        for line in ["git checkout main", "git stash pop", "git restore --staged a", "git log"] {
            assert!(!takes_back(line), "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read(line: String) {
            let _ = (check_kind(&line), makes_commits(&line), takes_back(&line));
            let _ = (commits_in(&line), failing_tests(&line));
        }
    }
}
