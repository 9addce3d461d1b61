//! Checks that say less than their exit code: settled by a later run, or without a test.

use super::*;

#[test]
fn a_settled_failure_is_told_last_and_not_as_what_came_of_the_request() {
    let mut recorder = Recorder::new("x");
    recorder.next_record();
    recorder.asked("Fix the rounding", PromptWay::Typed);
    for (id, line, exit) in
        [("1", "pytest tests/tax.py", 1), ("2", "pytest tests/tax.py tests/cart.py", 0)]
    {
        recorder.next_record();
        let outcome = if exit == 0 { Outcome::Passed } else { Outcome::Failed };
        recorder.ran(id, line);
        recorder.ended(id, ended(outcome, exit), || "".into());
    }
    recorder.next_record();
    recorder.said("Fixed.");
    let body = distil(recorder.session(), &DistilRequest::default()).body;
    let (passed, failed) =
        body.split_once("## Checks\n").and_then(|(_, checks)| checks.split_once('\n')).unwrap();
    assert!(passed.starts_with("- Passed: `pytest tests/tax.py tests/cart.py`"), "{body}");
    assert!(
        failed.contains("`pytest tests/tax.py` (tests); what it checks passed later"),
        "{body}"
    );
    assert!(!body.contains("` failed") && body.contains("Status: finished"), "{body}");
}

#[test]
fn a_run_without_tests_is_told_as_that() {
    let mut recorder = Recorder::new("x");
    recorder.next_record();
    recorder.asked("Test the cart", PromptWay::Typed);
    recorder.next_record();
    recorder.ran("1", "npx jest --passWithNoTests cart");
    let printed = "No tests found, exiting with code 0";
    recorder.ended("1", ended(Outcome::Passed, 0), || printed.into());
    recorder.next_record();
    recorder.said("All tests pass.");
    let body = distil(recorder.session(), &DistilRequest::default()).body;
    let checks = "## Checks\n- No test ran: `npx jest --passWithNoTests cart` (tests)\n";
    assert!(body.contains(checks) && !body.contains("cart` passed"), "{body}");
}
