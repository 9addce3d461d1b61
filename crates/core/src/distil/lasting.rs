//! Which findings still hold, and which are told elsewhere.

use super::reports::Reports;
use crate::session::{Check, CheckKind, Outcome, Record, Session};

/// What the last turn tells in whole sentences: its last message and the reports before it.
pub(super) fn told_anyway(session: &Session, reports: &Reports) -> Vec<String> {
    let Some(last) = session.prompts.last() else { return Vec::new() };
    let answer = last.answer.iter().map(|answer| in_one_line(&answer.text));
    let reports = reports.of_work(&(last.record..Record::MAX));
    answer.chain(reports.iter().map(|report| in_one_line(report))).collect()
}

/// A text on one line, without marks.
pub(super) fn in_one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace("**", "").trim_end_matches(['…', '[', ']', ' ']).to_owned()
}

/// Words of a trap that stays, whatever passes later.
const STAYS: &[&str] = &[" when ", " if ", " unless ", " without ", " wenn ", " si ", " quand "];

/// Whether something that was said to fail went well later in the same form.
pub(super) fn is_over(session: &Session, text: &str, record: Record) -> bool {
    let lower = text.to_lowercase();
    if STAYS.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let is_at_it = [" is failing", " are failing"].iter().any(|at_it| lower.contains(at_it));
    let passes = |check: &Check| {
        check.record > record && check.kind == CheckKind::Test && check.outcome == Outcome::Passed
    };
    if is_at_it && session.checks.iter().any(passes) {
        return true;
    }
    text.split('`').skip(1).step_by(2).any(|code| {
        code.contains(' ')
            && session.commands.iter().any(|command| {
                command.record > record
                    && command.outcome == Outcome::Passed
                    && command.command == code
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{End, PromptWay, Recorder};

    #[test]
    fn what_failed_and_passes_later_in_the_same_form_is_over() {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Install it", PromptWay::Typed);
        recorder.next_record();
        recorder.ran("1", "pnpm install");
        recorder.ended("1", End { outcome: Outcome::Passed, exit: Some(0) }, || "".into());
        recorder.ran("2", "pytest");
        recorder.ended("2", End { outcome: Outcome::Passed, exit: Some(0) }, || "".into());
        let session = recorder.into_session();
        for (text, record, over) in [
            ("`pnpm install` fails because the registry is down.", 1, true),
            ("`pnpm install` fails because the registry is down.", 2, false),
            ("`pnpm install` fails when the proxy is set.", 1, false),
            ("Two tests are failing because the clock is frozen.", 1, true),
            ("Two tests are failing because the clock is frozen.", 2, false),
            ("`pnpm audit` fails because the registry is down.", 1, false),
        ] {
            assert_eq!(is_over(&session, text, record), over, "{text} {record}");
        }
    }

    #[test]
    fn what_stands_in_the_last_message_is_told_anyway() {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Why?", PromptWay::Typed);
        recorder.next_record();
        recorder.said("All done.\n\n**Turns out** the clock of the server\nis wrong.");
        let session = recorder.into_session();
        let told = told_anyway(&session, &Reports::of(&session));
        let is_told = |text: &str| told.iter().any(|known| known.contains(&in_one_line(text)));
        assert!(is_told("Turns out the clock of the server is wrong."));
        assert!(!is_told("The clock of the client is wrong."));
    }
}
