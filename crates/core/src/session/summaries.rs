//! How programs sum up their checks whose lines are like nobody else's: PHPUnit, Maven, sbt, ctest, Bazel, Automake,
//! .NET, Swift, Zig, prove, nox, pylint.

/// Lines that say that something failed, by how they begin.
const FAILED: &[&str] = &[
    "[ERROR] There are test failures",
    "[ERROR] COMPILATION ERROR",
    "[ERROR] Failed to execute goal",
    "There are test failures",
    "FAILURE: Build failed",
    "The following tests FAILED",
    "Errors while running CTest",
    "ERROR: Build did NOT complete",
    "FAILED: Build did NOT complete",
    "Test Run Failed",
    "Build failed with ",
    "✘ Test run with ",
    "test transitive failure",
    "error: the following build command failed",
    "error: the following test command failed",
    "Result: FAIL",
];
/// Lines that say that all passed.
const PASSED: &[&str] = &[
    "Test Run Successful",
    "Build succeeded",
    "✔ Test run with ",
    "All tests successful",
    "Result: PASS",
    "All tests passed",
    "Your code has been rated at 10.00/10",
];

/// Whether a line sums up that something failed. None if it sums up nothing.
pub(super) fn summary_elsewhere(text: &str) -> Option<bool> {
    // Hardly any line begins like one of those below.
    if !text.starts_with([
        '[', 'T', 'F', 'E', '#', 'B', 'R', 'A', 'P', 'Y', '✘', '✔', 't', 'e', 'n', 'I',
    ]) && !text.starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    let begins = |all: &[&str]| all.iter().any(|begin| text.starts_with(begin));
    if begins(FAILED) {
        return Some(true);
    }
    if begins(PASSED) {
        return Some(false);
    }
    let plain = ["[INFO] ", "[ERROR] ", "[WARNING] ", "[info] ", "[error] "];
    let plain = plain.iter().find_map(|level| text.strip_prefix(level)).unwrap_or(text);
    if plain.starts_with("Tests run: ")
        || plain.starts_with("Tests: ")
            && (plain.contains("Assertions: ") || plain.contains("failed "))
        || begins(&["Failed!  - ", "Passed!  - ", "Test summary: "])
        || plain.contains(": Total ") && plain.contains(", Failed ")
    {
        return counts(plain);
    }
    if text.starts_with("Executed ") && text.contains(" out of ") {
        let failed = [" fail", " timed out", " was skipped"].iter().any(|it| text.contains(it));
        return (failed || text.contains(" pass")).then_some(failed);
    }
    if let Some(rest) = text.strip_prefix("Build Summary: ") {
        return Some(rest.contains(" failed"));
    }
    if let Some(rest) = text.strip_prefix("All ")
        && rest.trim_end_matches('.').ends_with(" tests passed")
    {
        return Some(false);
    }
    if text.starts_with("[error] (") {
        let failed = ["TestsFailed", "Tests unsuccessful", "ompilation failed"];
        return failed.iter().any(|it| text.contains(it)).then_some(true);
    }
    if let Some(rest) = text.strip_prefix("nox > ") {
        let failed = rest.ends_with(" failed.") || rest.ends_with(": failed");
        return (failed || rest.ends_with(" was successful.")).then_some(failed);
    }
    // Automake counts each outcome on a line of its own.
    for (name, alone) in [("# FAIL:", true), ("# ERROR:", false), ("# XPASS:", false)] {
        if let Some(count) = text.strip_prefix(name) {
            let failed = count.trim().parse::<u64>().ok()? > 0;
            return (failed || alone).then_some(failed);
        }
    }
    let (count, what) = text.split_once(' ')?;
    (what == "Error(s)").then(|| count.parse::<u64>().ok().map(|errors| errors > 0))?
}

/// Whether a line with its counts behind their names counts failures: `Tests: 3, Failures: 1.`
fn counts(text: &str) -> Option<bool> {
    let mut words =
        text.split([' ', ',', '.', ':', '!']).filter(|word| !word.is_empty()).peekable();
    let (mut failed, mut any) = (false, false);
    while let Some(word) = words.next() {
        let Some(count) = words.peek().and_then(|next| next.parse::<u64>().ok()) else { continue };
        any = true;
        failed |= count > 0
            && ["failures", "failure", "failed", "errors", "error"]
                .iter()
                .any(|name| word.eq_ignore_ascii_case(name));
    }
    any.then_some(failed)
}

/// The test that a line of ctest or Automake says failed: `3 - parse (Failed)`, `FAIL: parse.sh`.
pub(super) fn failing_elsewhere(text: &str) -> Option<&str> {
    if let Some(name) = text.strip_prefix("FAIL: ") {
        return (!name.contains(' ')).then_some(name);
    }
    let (number, rest) = text.split_once(" - ")?;
    let (name, how) = rest.rsplit_once(" (")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && matches!(how, "Failed)" | "Timeout)" | "SEGFAULT)" | "Not Run)")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_sums_up_in_its_own_way() {
        for line in [
            "Tests: 40, Assertions: 91, Errors: 2.",
            "[ERROR] Tests run: 7, Failures: 0, Errors: 1, Skipped: 0",
            "[ERROR] There are test failures.",
            "[ERROR] Failed to execute goal org.apache.maven.plugins:x on project shop",
            "FAILURE: Build failed with an exception.",
            "The following tests FAILED:",
            "[error] Failed: Total 9, Failed 2, Errors 0, Passed 7",
            "[error] (core / Test / test) sbt.TestsFailedException: Tests unsuccessful",
            "[info] Tests: succeeded 3, failed 1, canceled 0, ignored 0, pending 0",
            "Executed 5 out of 5 tests: 4 tests pass and 1 fails to build.",
            "# FAIL:  1",
            "# ERROR: 3",
            "Failed!  - Failed:     2, Passed:     5, Skipped:     0, Total:     7",
            "Test summary: total: 4, failed: 1, succeeded: 3, skipped: 0, duration: 1,2s",
            "✘ Test run with 4 tests failed after 0.002 seconds with 1 issue.",
            "Build Summary: 3/5 steps succeeded; 1 failed; 3/4 tests passed; 1 failed",
            "Result: FAIL",
            "nox > Session lint failed.",
            "4 Error(s)",
        ] {
            assert_eq!(summary_elsewhere(line), Some(true), "{line}");
        }
        for line in [
            "Tests: 40, Assertions: 91, Skipped: 2.",
            "[INFO] Tests run: 7, Failures: 0, Errors: 0, Skipped: 1",
            "[info] Passed: Total 9, Failed 0, Errors 0, Passed 9",
            "[info] Tests: succeeded 4, failed 0, canceled 0, ignored 0, pending 0",
            "Executed 5 out of 5 tests: 5 tests pass.",
            "# FAIL:  0",
            "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5",
            "Test summary: total: 4, failed: 0, succeeded: 4, skipped: 0, duration: 1,2s",
            "✔ Test run with 4 tests passed after 0.002 seconds.",
            "Build Summary: 5/5 steps succeeded; 4/4 tests passed",
            "All 12 tests passed.",
            "All tests successful.",
            "nox > Session lint was successful.",
            "0 Error(s)",
            "Your code has been rated at 10.00/10 (previous run: 9.50/10, +0.50)",
        ] {
            assert_eq!(summary_elsewhere(line), Some(false), "{line}");
        }
        for line in [
            "Tests for the parser",
            "[INFO] Building shop 1.0",
            "Executed the plan",
            "# ERROR: 0",
            "# TOTAL: 9",
            "Failed to load the icon",
            "Error(s)",
            "3 warnings",
            "nox > Running session tests",
            "Your code has been rated at 9.10/10",
        ] {
            assert_eq!(summary_elsewhere(line), None, "{line}");
        }
        assert_eq!(failing_elsewhere("12 - reads_a_file (Failed)"), Some("reads_a_file"));
        assert_eq!(failing_elsewhere("FAIL: tests/io.sh"), Some("tests/io.sh"));
        assert_eq!(failing_elsewhere("1 - one (2 files)"), None);
    }
}
