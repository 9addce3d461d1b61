//! What programs print: how a check ended, which tests failed, which commits were made.

use super::summaries::{failing_elsewhere, summary_elsewhere};
use super::{CheckKind, Outcome};

/// Tests that are kept of one check.
const MOST_FAILING: usize = 30;
/// The longest name of a test.
const LONGEST_NAME: usize = 160;

/// Which programs print alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Cargo,
    Python,
    Script,
    Go,
    /// What runs others, such as make.
    Any,
}

impl Family {
    /// The family of a program, by the words of its command.
    pub(super) fn of(words: &[&str]) -> Self {
        match words.first().copied().unwrap_or_default() {
            "cargo" => Self::Cargo,
            "pytest" | "py.test" | "python" | "coverage" | "manage.py" | "django-admin" => {
                Self::Python
            }
            "go" => Self::Go,
            "npm" | "pnpm" | "yarn" | "bun" | "turbo" | "nx" | "lerna" | "deno" | "node"
            | "jest" | "vitest" | "mocha" | "playwright" | "cypress" | "tsc" | "vue-tsc"
            | "svelte-check" | "vite" | "next" | "eslint" | "biome" | "prettier" => Self::Script,
            _ => Self::Any,
        }
    }

    fn may_be(self, other: Self) -> bool {
        self == other || self == Self::Any
    }
}

/// The commits that git says it made: `[main 3f2a9c1] Add the cache`. What hooks print before may
/// end with a return instead of a line end.
pub(super) fn commits_in(output: &str) -> Vec<(String, Option<String>, String)> {
    let lines = output.split(['\n', '\r']);
    lines.filter(|line| line.contains('[')).filter_map(commit_in).collect()
}

/// Whether a line is what git says of a commit that it made.
pub(super) fn is_commit_line(line: &str) -> bool {
    line.contains('[') && commit_in(line).is_some()
}

fn commit_in(line: &str) -> Option<(String, Option<String>, String)> {
    let line = without_colours(line);
    let (inside, subject) = line.trim_start().strip_prefix('[')?.split_once("] ")?;
    let id = inside.split_whitespace().next_back()?;
    if !is_commit_id(id) {
        return None;
    }
    let branch = inside.strip_suffix(id)?.trim().trim_end_matches("(root-commit)").trim();
    if branch.is_empty() {
        return None;
    }
    let branch = (branch != "detached HEAD").then(|| branch.to_owned());
    Some((id.to_owned(), branch, subject.trim().to_owned()))
}

/// A commit in the first line of a log with one line each: `3f2a9c1 (HEAD -> main) Add the cache`.
pub(super) fn first_in_log(output: &str) -> Option<(String, Option<String>, String)> {
    output.lines().find_map(|line| {
        let line = without_colours(line);
        let (id, mut subject) = line.trim().split_once(' ')?;
        let mut branch = None;
        if let Some((names, rest)) = subject.strip_prefix('(').and_then(|it| it.split_once(") ")) {
            let head = names.split(", ").find_map(|name| name.strip_prefix("HEAD -> "));
            (branch, subject) = (head.map(str::to_owned), rest);
        }
        is_commit_id(id).then(|| (id.to_owned(), branch, subject.trim().to_owned()))
    })
}

fn is_commit_id(id: &str) -> bool {
    (7..=40).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What the output of a check says.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The names of the tests that failed, as the usual test programs print them.
    pub failing: Vec<String>,
    failed: bool,
    passed: bool,
    /// Whether the last line that sums up says that something failed.
    sums_up_failed: bool,
    /// Whether a line sums up all there is, so that nothing comes after it.
    ends: bool,
    /// Whether tests began of which no line sums up how they ended.
    runs: bool,
    /// Whether nothing was printed at all.
    empty: bool,
    /// The last number, if that is all that the last line says besides words.
    last_number: Option<i32>,
}

impl Reading {
    /// Reads what a check printed.
    pub(super) fn of(output: &str, family: Family, kind: CheckKind) -> Self {
        let mut reading = Self { empty: true, ..Self::default() };
        // Most have no colours at all, which is known sooner of the whole than of each line.
        let has_colours = memchr::memchr(b'\x1b', output.as_bytes()).is_some();
        for line in output.lines() {
            let line = if has_colours { without_colours(line) } else { line.into() };
            let text = line.trim();
            if text.is_empty() {
                continue;
            }
            reading.empty = false;
            if let Some(failed) = summary(text, family) {
                reading.runs = false;
                reading.sums_up_failed = failed;
                reading.failed |= failed;
                reading.passed |= !failed;
                // Others sum up each program for itself.
                reading.ends |= matches!(family, Family::Python | Family::Script);
            } else if is_trouble(text, &line, family, kind) {
                reading.failed = true;
            } else if is_success(text, family, kind) {
                reading.passed = true;
                reading.ends |= !is_of_package(text);
            } else if begins_tests(text, family) {
                reading.runs = true;
            }
            if kind == CheckKind::Test {
                reading.name(text, family);
            }
        }
        let mut lines = output.lines().rev().map(without_colours);
        let last = lines.find(|line| !line.trim().is_empty());
        reading.last_number = last.and_then(|line| number_at_end(line.trim()));
        // One that failed and passed when it was tried again.
        if family == Family::Script && reading.passed && !reading.failed {
            reading.failing.clear();
        }
        reading
    }

    /// How the check ended, as far as its output says.
    pub(super) fn outcome(&self, shows_end: bool) -> Outcome {
        if self.failed || !self.failing.is_empty() {
            Outcome::Failed
        } else if self.passed && (shows_end || self.ends) && !self.runs {
            Outcome::Passed
        } else {
            Outcome::Unknown
        }
    }

    /// Whether nothing was printed.
    pub(super) fn is_empty(&self) -> bool {
        self.empty
    }

    /// The exit code, where the line was told to print it last.
    pub(super) fn printed_exit(&self) -> Option<i32> {
        self.last_number
    }

    /// Whether the test program itself counted failures at its end.
    pub(super) fn sums_up_failed(&self) -> bool {
        self.sums_up_failed
    }

    fn name(&mut self, text: &str, family: Family) {
        let script = family == Family::Script;
        // cargo test: `test a::b ... FAILED`; nextest: `FAIL [   0.01s] crate a::b`.
        if let Some(rest) = text.strip_prefix("test ")
            && let Some(name) = rest.strip_suffix("... FAILED")
        {
            self.add(name);
        } else if let Some(rest) = text.strip_prefix("FAIL [")
            && let Some((_, name)) = rest.split_once("] ")
        {
            self.add(name);
        // pytest: `FAILED tests/test_x.py::test_y - AssertionError`
        } else if let Some(rest) = text.strip_prefix("FAILED ")
            && rest.contains("::")
            && family.may_be(Family::Python)
        {
            self.add(rest.split(" - ").next().unwrap_or(rest));
        } else if let Some(rest) = text.strip_prefix("ERROR ")
            && rest.split(' ').next().is_some_and(|path| path.contains(".py::"))
            && family.may_be(Family::Python)
        {
            self.add(rest.split(" - ").next().unwrap_or(rest));
        // go: `--- FAIL: TestX (0.00s)`
        } else if let Some(rest) = text.strip_prefix("--- FAIL: ") {
            self.add(rest.split(" (").next().unwrap_or(rest));
        // unittest: `FAIL: test_x (module.Class)`
        } else if let Some(rest) = text.strip_prefix("FAIL: ").or(text.strip_prefix("ERROR: "))
            && rest.starts_with("test")
            && family.may_be(Family::Python)
        {
            self.add(rest);
        // jest and vitest: `● suite › name`, `✕ name (3 ms)`, `× name`, `FAIL src/x.test.ts > name`
        } else if let Some(rest) = text.strip_prefix("● ")
            && rest.contains(" › ")
        {
            self.add(rest);
        } else if script && let Some(rest) = marked(text, &["✕ ", "✗ ", "× ", "✘ "]) {
            self.add(rest);
        } else if script && let Some(rest) = marked(text, &["✓ ", "✔ "]) {
            self.failing.retain(|known| known != rest);
        } else if let Some(rest) = text.strip_prefix("FAIL ")
            && rest.contains(" > ")
        {
            self.add(rest);
        // bun: `(fail) suite > name [0.51ms]`
        } else if script && let Some(rest) = text.strip_prefix("(fail) ") {
            self.add(rest.rsplit_once(" [").map_or(rest, |(name, _)| name));
        // TAP: `not ok 3 - name`
        } else if let Some(rest) = text.strip_prefix("not ok ")
            && let Some((_, name)) = rest.split_once(" - ")
            && !["# TODO", "# todo", "# SKIP", "# skip"].iter().any(|mark| name.contains(mark))
        {
            self.add(name);
        } else if family == Family::Any
            && let Some(name) = failing_elsewhere(text)
        {
            self.add(name);
        }
    }

    fn add(&mut self, name: &str) {
        let name = name.trim();
        let sound = !name.is_empty() && name.len() <= LONGEST_NAME;
        if sound && self.failing.len() < MOST_FAILING && !self.failing.iter().any(|it| it == name) {
            self.failing.push(name.to_owned());
        }
    }
}

/// The name of a test behind a mark, without its number and how long it took.
fn marked<'t>(text: &'t str, marks: &[&str]) -> Option<&'t str> {
    let rest = marks.iter().find_map(|mark| text.strip_prefix(mark))?.trim_start();
    let rest = rest
        .split_once(" [")
        .filter(|(n, _)| n.parse::<u32>().is_ok())
        .map_or(rest, |it| &rest[it.0.len() + 1..]);
    Some(rest.rsplit_once(" (").map_or(rest, |(name, _)| name).trim_end())
}

/// The number behind which a line ends: `0`, `exit: 1`, `EXIT=0`.
fn number_at_end(text: &str) -> Option<i32> {
    let at = text.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    let before = text.get(..at)?.chars().next_back();
    let apart = before.is_none_or(|c| matches!(c, ' ' | '=' | ':' | '\t'));
    text.get(at..)?.parse().ok().filter(|_| apart)
}

/// Whether a line in which a test program sums up says that something failed.
fn summary(text: &str, family: Family) -> Option<bool> {
    if let Some(rest) = text.strip_prefix("test result: ") {
        return family.may_be(Family::Cargo).then(|| rest.starts_with("FAILED"));
    }
    if family == Family::Go {
        return None;
    }
    if family.may_be(Family::Python) {
        if text.starts_with("FAILED (") {
            return Some(true);
        }
        if text == "OK" || text.starts_with("OK (") {
            return Some(false);
        }
    }
    if family == Family::Any
        && let Some(failed) = summary_elsewhere(text)
    {
        return Some(failed);
    }
    // Hardly any line begins like one of those below.
    let first = text.bytes().find(|byte| !matches!(byte, b'=' | b' '))?;
    if first.is_ascii() && !first.is_ascii_digit() && !b"#TSoFE".contains(&first) {
        return None;
    }
    let text = text.trim_matches(['=', ' ']);
    // node: `# fail 0`, `ℹ fail 0`
    if let Some(count) = text.strip_prefix("# fail ").or_else(|| text.strip_prefix("ℹ fail ")) {
        return count.trim().parse::<u64>().ok().map(|failed| failed > 0);
    }
    let leads = [
        "Tests:",
        "Tests ",
        "Test Suites:",
        "Test Files ",
        "Summary [",
        "ok | ",
        "FAILED | ",
        "Executed ",
    ];
    let leads = leads.iter().any(|lead| text.starts_with(lead));
    let counts = text.starts_with(|c: char| c.is_ascii_digit()) && family != Family::Cargo;
    if text.len() > LONGEST_NAME || !leads && !counts {
        return None;
    }
    let mut words = text.split([' ', ',', ';', '|', '(', ')', '.']).filter(|word| !word.is_empty());
    let (mut number, mut failed, mut passed) = (None, false, false);
    let mut words = std::iter::from_fn(move || words.next()).peekable();
    while let Some(word) = words.next() {
        let ends = words
            .peek()
            .is_none_or(|next| matches!(*next, "in" | "occurred") || begins_with_digit(next));
        match (word, number) {
            (
                "failed" | "failing" | "failure" | "failures" | "error" | "errors" | "fail",
                Some(n),
            ) if ends || word == "failures" => {
                failed |= n > 0;
                passed |= n == 0;
            }
            ("passed" | "passing" | "pass", Some(n)) if ends => passed |= n > 0,
            _ => {}
        }
        // `2 tests failed`
        if !matches!(word, "test" | "tests") {
            number = word.parse::<u64>().ok();
        }
    }
    (failed || passed).then_some(failed)
}

fn begins_with_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether tests of a program begin with a line, which it sums up later: `running 9 tests`.
fn begins_tests(text: &str, family: Family) -> bool {
    let count = text.strip_prefix("running ").and_then(|rest| rest.split_once(" test"));
    family.may_be(Family::Cargo)
        && count.is_some_and(|(n, rest)| n.parse::<u32>().is_ok() && matches!(rest, "" | "s"))
}

/// Whether a line by itself says that a check passed.
pub(super) fn says_success(line: &str, kind: CheckKind) -> bool {
    let line = without_colours(line);
    let text = line.trim();
    summary(text, Family::Any) == Some(false) || is_success(text, Family::Any, kind)
}

/// Whether a line says that something is broken.
fn is_trouble(text: &str, line: &str, family: Family, kind: CheckKind) -> bool {
    let begins = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
    let checks_text = kind != CheckKind::Test;
    let cargo = || {
        begins(&["error[E", "error: test failed", "error: could not compile"])
            || text.starts_with("error: ")
                && (text.contains(" failed, to rerun pass ")
                    || text.ends_with(" target failed:")
                    || text.ends_with(" targets failed:"))
            || checks_text && (line.starts_with("error: ") || begins(&["Diff in "]))
    };
    let go = || {
        text == "FAIL"
            || begins(&["FAIL\t", "FAIL "]) && !text.starts_with("FAIL [")
            || is_place(line, ".go:")
            || counted(text, &["issue:", "issues:"])
    };
    let script = || {
        begins(&["error: Test failed", "✘ [ERROR] ", "error during build:"])
            || begins(&["npm ERR! ", "npm error ", "ELIFECYCLE", "[ERR_PNPM", "Failed to compile"])
            || begins(&["error Command failed with exit code", "Code style issues found in"])
            || begins(&["[warn] Code style issues found", "[error] Code style issues found"])
            || text.contains("ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL")
            || text.starts_with("error: script \"") && text.contains(" exited with code ")
            || text
                .split_once("error TS")
                .is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
            || text
                .strip_prefix("✖ ")
                .is_some_and(|rest| rest.contains(" problem") && !rest.contains("(0 errors"))
            || tasks(text) == Some(false)
    };
    let python = || begins(&["Oh no! ", "would reformat ", "Would reformat: "]);
    let found = || {
        text.strip_prefix("Found ").is_some_and(|rest| {
            rest.split_once(' ').is_some_and(|(n, rest)| {
                n != "0"
                    && n.bytes().all(|b| b.is_ascii_digit())
                    && rest.starts_with("error")
                    && !is_all_fixed(rest)
            })
        })
    };
    let make = || {
        line.starts_with("make") && (text.starts_with("make: *** ") || text.contains("]: *** "))
            || begins(&["BUILD FAILED", "[INFO] BUILD FAILURE", "Build FAILED", "Failed!  - "])
            || begins(&["** TEST FAILED", "** BUILD FAILED", "FAILURES!", "evaluation failed :("])
            || text.starts_with("[error] Failed tests:")
            || text.ends_with(": Some tests failed.")
            || checks_text && text.ends_with("..Failed")
            || text.contains("% tests passed, ") && !text.starts_with("100% ")
            || checks_text
                && text.split_once(": error: ").is_some_and(|(place, _)| is_place_end(place))
    };
    match family {
        Family::Cargo => cargo(),
        Family::Go => go(),
        Family::Script => script() || found() || text.starts_with("FAIL "),
        Family::Python => found() || python(),
        Family::Any => cargo() || go() || script() || found() || python() || make(),
    }
}

/// Whether nothing is left of what was found: `3 errors (3 fixed, 0 remaining).`
fn is_all_fixed(found: &str) -> bool {
    found.contains(" fixed, 0 remaining)")
}

/// Whether a line begins with a place in a file of the kind: `./a.go:3:1: `.
fn is_place(line: &str, kind: &str) -> bool {
    let Some((path, rest)) = line.split_once(kind) else { return false };
    let mut numbers = rest.splitn(3, ':');
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let path = path.strip_prefix("vet: ").unwrap_or(path);
    !path.contains(char::is_whitespace)
        && is_number(numbers.next())
        && is_number(numbers.next())
        && numbers.next().is_some_and(|said| said.starts_with(' '))
}

/// Whether what stands before an error ends with a line and a column.
fn is_place_end(place: &str) -> bool {
    let mut parts = place.rsplit(':');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.next().is_some_and(is_number) && parts.next().is_some()
}

/// Whether a line counts some of these, more than none.
fn counted(text: &str, things: &[&str]) -> bool {
    text.split_once(' ').is_some_and(|(count, what)| {
        count.parse::<u64>().is_ok_and(|count| count > 0) && things.contains(&what)
    })
}

/// Whether all tasks of a runner of many came through: `Tasks:    3 successful, 3 total`.
fn tasks(text: &str) -> Option<bool> {
    let (fine, all) = text.strip_prefix("Tasks:")?.split_once(" successful, ")?;
    Some(fine.trim() == all.strip_suffix(" total")?.trim())
}

/// Whether a line says that one of many packages is well.
fn is_of_package(text: &str) -> bool {
    text == "PASS" || text.starts_with("ok") || text.starts_with("Finished ")
}

/// Whether a line says that all is well.
fn is_success(text: &str, family: Family, kind: CheckKind) -> bool {
    let begins = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
    let go = || {
        text == "PASS"
            || text == "0 issues."
            || text.strip_prefix("ok").is_some_and(|rest| {
                rest.starts_with(['\t', ' '])
                    && (rest.ends_with('s') || rest.contains("(cached)"))
                    && rest.split_whitespace().count() >= 2
            })
    };
    let script = || {
        tasks(text) == Some(true)
            || text.ends_with("All specs passed!")
            || begins(&["All matched files use Prettier", "✓ built in ", "✓ Compiled successfully"])
            || text.starts_with("✖ ") && text.contains("(0 errors")
            || text.starts_with("Found 0 errors")
            || text.starts_with("Checked ") && text.contains(". No fixes applied")
            || text.starts_with("NX") && text.contains("Successfully ran target")
    };
    let python = || {
        begins(&["Success: no issues found", "All checks passed", "All done! "])
            || text.ends_with(" already formatted")
            || text.starts_with("Found ") && is_all_fixed(text)
    };
    // Tests run only after they were built.
    let built = || kind != CheckKind::Test && text.starts_with("Finished ");
    let others = || {
        begins(&["BUILD SUCCESS", "[INFO] BUILD SUCCESS", "Build succeeded.", "Passed!  - "])
            || begins(&["** TEST SUCCEEDED", "** BUILD SUCCEEDED", "100% tests passed, "])
            || begins(&["congratulations :)", "[success] Total time: "])
            || text.ends_with(": All tests passed!")
    };
    match family {
        Family::Cargo => built(),
        Family::Go => go(),
        Family::Script => script(),
        Family::Python => python(),
        Family::Any => go() || built() || script() || python() || others(),
    }
}

/// A line without the sequences that colour it.
pub(super) fn without_colours(line: &str) -> std::borrow::Cow<'_, str> {
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
    fn commits_are_read_from_what_git_prints() {
        let output = "[main 3f2a9c1] Add the cache\n 1 file changed\n[detached HEAD 00aabbcc] x\n\
                      [fix/a (root-commit) abcdef0] First\n[1/3] Compiling\n[note] abc";
        let hooks = "[STARTED] Running tasks\r\x1b[?25l\x1b[32m✔\x1b[0m Cleaning up\r\x1b[?25h\
                     [main 1234567] Behind hooks\n 1 file changed";
        assert_eq!(commits_in(hooks)[0].2, "Behind hooks");
        let found = commits_in(output);
        assert_eq!(found[0], ("3f2a9c1".into(), Some("main".into()), "Add the cache".into()));
        assert_eq!(found[1], ("00aabbcc".into(), None, "x".into()));
        assert_eq!(found[2], ("abcdef0".into(), Some("fix/a".into()), "First".into()));
        assert_eq!(found.len(), 3);
    }

    fn failing(output: &str, family: Family) -> Vec<String> {
        Reading::of(output, family, CheckKind::Test).failing
    }

    #[test]
    fn failing_tests_are_named() {
        let output = "test a::b ... FAILED\ntest a::c ... ok\n        FAIL [   0.012s] core x::y\n\
            FAILED tests/t.py::test_z - AssertionError: 1\n--- FAIL: TestQ (0.00s)\n\
            FAIL: test_m (mod.Case)\n  ● suite › does it\n\
            not ok 3 - tap one\nnot ok 4 - later # TODO not yet\n FAIL  src/x.test.ts > adds\n\
            FAILED (errors=1)\n";
        assert_eq!(
            failing(output, Family::Any),
            [
                "a::b",
                "core x::y",
                "tests/t.py::test_z",
                "TestQ",
                "test_m (mod.Case)",
                "suite › does it",
                "tap one",
                "src/x.test.ts > adds"
            ]
        );
    }

    #[test]
    fn marks_and_errors_are_tests_only_where_they_are_printed_so() {
        let crossed = "  \x1b[31m✕\x1b[0m red one (3 ms)";
        assert_eq!(failing(crossed, Family::Script), ["red one"]);
        let error = "ERROR t/a.py::test_b - ImportError\nERROR app::db: refused\n× not a test";
        assert_eq!(failing(error, Family::Python), ["t/a.py::test_b"]);
        assert!(failing(error, Family::Cargo).is_empty());
        let flaky = "  ✘  1 [chromium] › a.spec.ts:3 › flaky (2s)\n\
                     ✘  2 [chromium] › b › broken (2s)\n\
                     ✓  3 [chromium] › a.spec.ts:3 › flaky (retry #1)\n";
        assert_eq!(failing(flaky, Family::Script), ["[chromium] › b › broken"]);
        assert!(failing("✘ a b (2s)\n 1 flaky\n 4 passed", Family::Script).is_empty());
    }

    #[test]
    fn the_output_says_how_a_check_ended() {
        let (test, build, lint) = (CheckKind::Test, CheckKind::Build, CheckKind::Lint);
        for (family, kind, output) in [
            (Family::Cargo, build, "error: could not compile `app` (bin) due to 2 errors"),
            (Family::Cargo, build, "error[E0425]: cannot find value"),
            (Family::Cargo, test, "test result: FAILED. 10 passed; 2 failed; 0 ignored"),
            (Family::Cargo, test, "Summary [ 0.1s] 3 tests run: 2 passed, 1 failed, 0 skipped"),
            (Family::Script, test, "Tests:  3 failed, 5 passed, 8 total"),
            (Family::Script, test, " Tests  1 failed | 4 passed (5)"),
            (Family::Script, test, "  3 failing"),
            (Family::Script, test, "npm ERR! Test failed."),
            (Family::Script, build, "src/a.ts(3,1): error TS2304: Cannot find name 'x'."),
            (Family::Python, test, "2 failed, 3 passed in 0.1s"),
            (Family::Python, test, "===== 1 error in 0.1s ====="),
            (Family::Python, test, "FAILED (failures=1)"),
            (Family::Go, test, "FAIL\tgithub.com/x/y\t0.01s\nFAIL"),
            (Family::Any, build, "make: *** [Makefile:3: all] Error 2"),
            (Family::Any, build, "src/a.c:3:9: error: expected ';'"),
            (Family::Any, lint, "2 issues:\n* errcheck: 2"),
            (Family::Any, lint, "Found 3 errors."),
            (Family::Any, lint, "would reformat a.py\nOh no! 💥 💔 💥"),
            (Family::Any, test, "75% tests passed, 1 tests failed out of 4"),
            (Family::Any, test, "FAIL\tx/y [build failed]"),
            (Family::Cargo, lint, "error: unused variable: `x`"),
            (Family::Cargo, lint, "Diff in /w/a.rs:3:"),
            (Family::Go, lint, "# x/y\nvet: ./a.go:3:1: undefined: z"),
            (Family::Script, test, "# pass 3\n# fail 1"),
            (Family::Script, test, "FAILED | 3 passed | 1 failed (2s)"),
            (Family::Script, test, "(fail) adds > one [0.50ms]\n 3 pass\n 1 fail"),
            (Family::Script, test, "error: script \"test\" exited with code 1"),
            (Family::Script, build, " ELIFECYCLE  Command failed with exit code 1."),
            (Family::Script, build, " Tasks:    2 successful, 3 total"),
            (Family::Script, lint, "[warn] Code style issues found in 2 files."),
            (
                Family::Cargo,
                test,
                "test result: ok. 3 passed\nerror: doctest failed, to rerun pass `--doc`",
            ),
            (Family::Cargo, test, "test result: ok. 3 passed\nerror: 2 targets failed:"),
            (Family::Any, test, "12 examples, 0 failures, 1 error occurred outside of examples"),
            (Family::Any, test, "12 examples, 1 failure"),
            (Family::Any, test, "00:03 +11 -1: Some tests failed."),
            (Family::Any, lint, "Trim trailing whitespace.................................Failed"),
        ] {
            assert_eq!(
                Reading::of(output, family, kind).outcome(true),
                Outcome::Failed,
                "{output}"
            );
        }
        for (family, kind, output) in [
            (Family::Cargo, test, "test result: ok. 12 passed; 0 failed"),
            (Family::Cargo, build, "    Finished `dev` profile in 1s"),
            (Family::Script, test, "Tests: 5 passed, 5 total"),
            (Family::Script, test, "  12 passing (20ms)"),
            (Family::Python, test, "=== 3 passed in 0.1s ==="),
            (Family::Python, test, "OK (skipped=1)"),
            (Family::Go, test, "ok  \tgithub.com/x/y\t0.01s"),
            (Family::Go, test, "ok      github.com/x/y  (cached)"),
            (Family::Script, test, "# pass 3\n# fail 0"),
            (Family::Script, test, "ok | 12 passed | 0 failed (2s)"),
            (Family::Script, build, " Tasks:    3 successful, 3 total"),
            (Family::Script, build, "✓ built in 1.21s"),
            (Family::Script, lint, "All matched files use Prettier code style!"),
            (Family::Script, lint, "Checked 12 files in 5ms. No fixes applied."),
            (Family::Any, lint, "0 issues."),
            (Family::Any, lint, "All checks passed!"),
            (Family::Any, lint, "Success: no issues found in 3 source files"),
            (Family::Any, lint, "3 files already formatted"),
            (Family::Any, test, "100% tests passed, 0 tests failed out of 4"),
            (Family::Any, test, "00:03 +12: All tests passed!"),
        ] {
            let reading = Reading::of(output, family, kind);
            assert_eq!(reading.outcome(true), Outcome::Passed, "{output}");
            // One line for everything is the end, wherever it was found.
            let ends = matches!(family, Family::Script | Family::Python | Family::Any);
            let without_end = if ends { Outcome::Passed } else { Outcome::Unknown };
            assert_eq!(reading.outcome(false), without_end, "{output}");
        }
        let rails = Reading::of("3 runs, 3 assertions, 0 failures, 0 errors", Family::Any, test);
        assert_eq!(rails.outcome(true), Outcome::Passed);
        for (family, kind, output) in [
            (Family::Cargo, test, "    Finished `test` profile in 1s"),
            (Family::Cargo, test, "12 failed attempts to connect"),
            (Family::Any, test, "12 failed attempts to connect"),
            (Family::Any, test, "done"),
            (Family::Go, test, "    a_test.go:12: it went on"),
            (Family::Go, test, "ok then"),
            (Family::Cargo, test, "error: printed by a test"),
            (Family::Cargo, test, "test result: ok. 3 passed; 0 failed\n\nrunning 9 tests"),
            (Family::Script, build, ""),
        ] {
            let outcome = Reading::of(output, family, kind).outcome(true);
            assert_eq!(outcome, Outcome::Unknown, "{output}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_output_is_read(output: String) {
            let _ = (commits_in(&output), failing(&output, Family::Any));
        }
    }
}
