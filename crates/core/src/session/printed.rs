//! What programs print: how a check ended, which tests failed, which commits were made.

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
            "pytest" | "py.test" | "python" => Self::Python,
            "go" => Self::Go,
            "npm" | "bun" | "deno" | "jest" | "vitest" | "mocha" | "playwright" | "tsc"
            | "vite" | "eslint" | "biome" | "prettier" => Self::Script,
            _ => Self::Any,
        }
    }

    fn may_be(self, other: Self) -> bool {
        self == other || self == Self::Any
    }
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

/// What the output of a check says.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The names of the tests that failed, as the usual test programs print them.
    pub failing: Vec<String>,
    failed: bool,
    passed: bool,
    /// Whether the last line that sums up says that something failed.
    sums_up_failed: bool,
}

impl Reading {
    /// Reads what a check printed.
    pub(super) fn of(output: &str, family: Family, kind: CheckKind) -> Self {
        let mut reading = Self::default();
        for line in output.lines() {
            let line = without_colours(line);
            let text = line.trim();
            if text.is_empty() {
                continue;
            }
            if let Some(failed) = summary(text, family) {
                reading.sums_up_failed = failed;
                reading.failed |= failed;
                reading.passed |= !failed;
            } else if is_trouble(text, &line, family) {
                reading.failed = true;
            } else if is_success(text, family, kind) {
                reading.passed = true;
            }
            if kind == CheckKind::Test {
                reading.name(text, family);
            }
        }
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
        } else if self.passed && shows_end {
            Outcome::Passed
        } else {
            Outcome::Unknown
        }
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
        } else if let Some(rest) = marked(text, &["✕ ", "✗ ", "× ", "✘ "]).filter(|_| script)
        {
            self.add(rest);
        } else if let Some(rest) = marked(text, &["✓ ", "✔ "]).filter(|_| script) {
            self.failing.retain(|known| known != rest);
        } else if let Some(rest) = text.strip_prefix("FAIL ")
            && rest.contains(" > ")
        {
            self.add(rest);
        // TAP: `not ok 3 - name`
        } else if let Some(rest) = text.strip_prefix("not ok ")
            && let Some((_, name)) = rest.split_once(" - ")
            && !["# TODO", "# todo", "# SKIP", "# skip"].iter().any(|mark| name.contains(mark))
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
    let text = text.trim_matches(['=', ' ']);
    let leads = ["Tests:", "Tests ", "Test Suites:", "Test Files ", "Summary ["];
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
            .is_none_or(|next| *next == "in" || next.starts_with(|c: char| c.is_ascii_digit()));
        match (word, number) {
            ("failed" | "failing" | "failure" | "failures" | "error" | "errors", Some(n))
                if ends =>
            {
                failed |= n > 0;
                passed |= n == 0;
            }
            ("passed" | "passing", Some(n)) if ends => passed |= n > 0,
            _ => {}
        }
        number = word.parse::<u64>().ok();
    }
    (failed || passed).then_some(failed)
}

/// Whether a line says that something is broken.
fn is_trouble(text: &str, line: &str, family: Family) -> bool {
    let cargo = || {
        text.starts_with("error")
            && (text.starts_with("error[E")
                || text.starts_with("error: test failed")
                || text.starts_with("error: could not compile"))
    };
    let go = || text == "FAIL" || text.starts_with("FAIL\t");
    let script = || {
        ["npm ERR! ", "npm error "].iter().any(|start| text.starts_with(start))
            || text
                .split_once("error TS")
                .is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
            || text
                .strip_prefix("✖ ")
                .is_some_and(|rest| rest.contains(" problem") && !rest.contains("(0 errors"))
    };
    let found = || {
        text.strip_prefix("Found ").is_some_and(|rest| {
            rest.split_once(' ').is_some_and(|(n, rest)| {
                n != "0" && n.bytes().all(|b| b.is_ascii_digit()) && rest.starts_with("error")
            })
        })
    };
    let make = || {
        line.starts_with("make") && (text.starts_with("make: *** ") || text.contains("]: *** "))
            || matches!(text, "BUILD FAILED" | "[INFO] BUILD FAILURE")
    };
    match family {
        Family::Cargo => cargo(),
        Family::Go => go(),
        Family::Script => script() || found() || text.starts_with("FAIL "),
        Family::Python => found(),
        Family::Any => cargo() || go() || script() || found() || make(),
    }
}

/// Whether a line says that all is well.
fn is_success(text: &str, family: Family, kind: CheckKind) -> bool {
    if family.may_be(Family::Go) && (text == "PASS" || text.starts_with("ok  \t")) {
        return true;
    }
    // Tests run only after they were built.
    kind != CheckKind::Test && family.may_be(Family::Cargo) && text.starts_with("Finished ")
        || family == Family::Any
            && (text.starts_with("BUILD SUCCESS")
                || text.starts_with("[INFO] BUILD SUCCESS")
                || text.starts_with("Success: no issues found")
                || text.starts_with("All checks passed"))
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
    fn commits_are_read_from_what_git_prints() {
        let output = "[main 3f2a9c1] Add the cache\n 1 file changed\n[detached HEAD 00aabbcc] x\n\
                      [fix/a (root-commit) abcdef0] First\n[1/3] Compiling\n[note] abc";
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
        let (test, build) = (CheckKind::Test, CheckKind::Build);
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
        ] {
            let reading = Reading::of(output, family, kind);
            assert_eq!(reading.outcome(true), Outcome::Passed, "{output}");
            assert_eq!(reading.outcome(false), Outcome::Unknown, "{output}");
        }
        for (family, kind, output) in [
            (Family::Cargo, test, "    Finished `test` profile in 1s"),
            (Family::Cargo, test, "12 failed attempts to connect"),
            (Family::Any, test, "12 failed attempts to connect"),
            (Family::Any, test, "done"),
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
