//! Runs of test programs that found no test to run: nothing passed.

use super::printed::without_colours;

/// Beginnings of lines with which a program says that no test ran at all.
const NONE_AT_ALL: &[&str] = &[
    "no tests found",
    "error: no tests found",
    "no test files found",
    "no tests ran",
    "no tests executed",
    "no tests were found",
    "no test modules found",
    "no test is available",
    "no test matches",
    "error: no tests to run",
    "ran 0 tests",
    "0 passing",
    "0 examples, 0 failures",
    "tests no tests",
    "# tests 0",
    "ℹ tests 0",
];
/// What is counted of tests that ran, behind the number or before it.
const RAN: &[&str] = &[
    "passed",
    "passing",
    "pass",
    "failed",
    "failing",
    "fail",
    "tests",
    "test",
    "examples",
    "runs",
    "succeeded",
];

/// The summary of such a run.
pub(crate) const NO_TESTS: &str = "no tests ran";
/// Parts of the lines that say so: most outputs have none of them.
const MAY_SAY: &[&str] =
    &["o test", "O TEST", "tests 0", "0 tests", "0 pass", "0 examples", "deselected"];

/// Whether a test program says that it ran no test. `is_whole` tells that all of its output is there: cargo and go
/// sum up each part by itself.
pub(super) fn ran_no_tests(output: &str, is_whole: bool) -> bool {
    if !MAY_SAY.iter().any(|part| output.contains(part)) {
        return false;
    }
    let mut none = false;
    for line in output.lines() {
        let line = without_colours(line);
        if says_that_tests_ran(&line) {
            return false;
        }
        none |= says_no_tests(&line) || is_whole && has_none_in_part(&line);
    }
    none
}

/// Whether a line says that no test ran at all.
fn says_no_tests(line: &str) -> bool {
    let lower = line.to_lowercase();
    let words: Vec<&str> =
        lower.trim_matches(|c: char| c == '=' || c.is_whitespace()).split_whitespace().collect();
    let bare = words.join(" ");
    // pytest, where options left out all that there are: `3 deselected in 0.1s`
    let all_left_out =
        matches!(words[..], [count, "deselected", "in", ..] if count.parse::<u32>().is_ok());
    all_left_out || NONE_AT_ALL.iter().any(|begins| bare.starts_with(begins))
}

/// Whether a line says so of one of several parts.
fn has_none_in_part(line: &str) -> bool {
    line.starts_with("test result: ok. 0 passed; 0 failed")
        || line.contains("[no tests to run]")
        || line.contains("[no test files]")
}

fn says_that_tests_ran(line: &str) -> bool {
    let is_of_package =
        line.starts_with("ok") && line[2..].starts_with(['\t', ' ']) && !line.contains("[no test");
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let counts = words.windows(2).any(|pair| {
        let is_count = |word: &str| word.parse::<u32>().is_ok_and(|count| count > 0);
        let is_ran = |word: &str| RAN.contains(&word.to_lowercase().as_str());
        is_count(pair[0]) && is_ran(pair[1])
            || is_ran(pair[0]) && is_count(pair[1]) && !line.contains("with code")
    });
    is_of_package || counts || line.starts_with("--- PASS") || line.starts_with("--- FAIL")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_tests_is_known_by_what_is_printed() {
        for output in [
            "No tests found, exiting with code 0",
            "No tests found, exiting with code 1\nRun with `--passWithNoTests`\nIn /w\n  34 files checked.",
            "\n RUN  v1.6.0 /w\n\nNo test files found, exiting with code 0",
            "collected 0 items\n\n===== no tests ran in 0.01s =====",
            "collected 3 items / 3 deselected\n\n==== 3 deselected in 0.02s ====",
            "?   \tx/y\t[no test files]",
            "ok  \tx/y\t0.01s [no tests to run]\n?   \tx/z\t[no test files]",
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out",
            "Ran 0 tests in 0.000s\n\nOK",
            "  0 passing (2ms)",
            "ℹ tests 0\nℹ pass 0\nℹ fail 0",
            "error: no tests to run",
        ] {
            assert!(ran_no_tests(output, true), "{output}");
        }
        for output in [
            "12 passed in 0.1s",
            "test result: ok. 0 passed; 0 failed\ntest result: ok. 3 passed; 0 failed",
            "ok  \tx/y\t0.01s\n?   \tx/z\t[no test files]",
            "packages/a test: No tests found, exiting with code 0\npackages/b test: Tests: 5 passed, 5 total",
            "No tests found, exiting with code 0\nTests: 5 passed, 5 total",
            "",
        ] {
            assert!(!ran_no_tests(output, true), "{output}");
        }
        // `cargo test | tail`: the last part has none, those before it are not seen.
        assert!(!ran_no_tests("test result: ok. 0 passed; 0 failed; 0 ignored", false));
        assert!(ran_no_tests("no tests ran in 0.01s", false));
    }

    proptest::proptest! {
        #[test]
        fn any_output_can_be_looked_at(output: String) {
            let _ = ran_no_tests(&output, true);
        }
    }
}
