//! The checks of a session, each with how it ended.

use super::covering::is_passed_later;
use super::files::BY_SUBAGENT;
use super::gather::{Items, rank};
use super::{Section, Words, one_line};
use crate::code_span;
use crate::session::{Check, CheckKind, NO_TESTS, Outcome, check_kind};

/// Checks that passed and are told.
const PASSED: usize = 6;
/// Tests that are named on one line.
const NAMES: usize = 8;
/// Bytes of a command.
const COMMAND: usize = 160;

impl Items<'_> {
    pub(super) fn checks(&mut self) {
        self.running_checks();
        let mut passed = 0;
        let session = self.session;
        // One that ran out of time did not pass.
        let fails = |check: &Check| matches!(check.outcome, Outcome::Failed | Outcome::Stopped);
        let of = |check| (check, fails(check), fails(check) && is_passed_later(session, check));
        let mut checks: Vec<(&Check, bool, bool)> = session.checks.iter().rev().map(of).collect();
        // What failed and passed later says least.
        checks.sort_by_key(|(_, _, later)| *later);
        for (check, failed, later) in checks {
            // A check whose end is not known says nothing, unless the agent said how it ended.
            let Some(how) = outcome_of(check) else { continue };
            if !failed {
                passed += 1;
                if passed > PASSED {
                    continue;
                }
            }
            let kind = match check.kind {
                CheckKind::Test => "tests",
                CheckKind::Build => "build",
                CheckKind::Lint => "lint",
            };
            let command = code_span(&one_line(&check.command, COMMAND));
            // The outcome stands before the command, which may be long.
            let mut text = format!("{how}: {command} ({kind})");
            let (first, more) = check.failing.split_at(check.failing.len().min(NAMES));
            if !first.is_empty() {
                text.push_str(&format!(", in {}", self.spans(first)));
            }
            if let Some(summary) =
                check.summary.as_deref().filter(|one| first.is_empty() && *one != NO_TESTS)
            {
                text.push_str(&format!(": {}", code_span(&one_line(summary, 120))));
            }
            if check.by_subagent {
                text.push_str(BY_SUBAGENT);
            }
            let since = self.session.edited_after(check.record);
            if since > 0 && !failed {
                let files = if since == 1 { "1 file".to_owned() } else { format!("{since} files") };
                text.push_str(&format!("; {files} edited since"));
            }
            if later {
                text.push_str("; what it checks passed later");
            }
            let rank = if failed && !later { rank::BROKEN } else { rank::STATE };
            self.add(Section::Checks, rank, text);
            self.counts(1 + first.len());
            for names in more.chunks(NAMES) {
                let text = format!("and with it failed {}", self.spans(names));
                self.add(Section::Checks, rank, text);
                self.counts(names.len());
            }
        }
    }

    /// Checks in the background that nobody saw the end of.
    fn running_checks(&mut self) {
        let running = self.session.running.iter().filter(|one| one.background);
        for one in running.filter(|one| check_kind(&one.what).is_some()) {
            let command = code_span(&one_line(&one.what, COMMAND));
            let text = format!("Begun in the background, its end was not seen: {command}");
            self.add(Section::Checks, rank::STATE, text);
        }
    }

    /// Names of tests, each marked as one. Where there is hardly any room, what a name has in common
    /// with the one before is said once: `a::b::one`, `::two`.
    fn spans(&self, names: &[String]) -> String {
        let module = |name: &str| name.rfind("::").unwrap_or(0);
        let mut before = "";
        let mut spans = Vec::new();
        for name in names {
            let (common, rest) = name.split_at(module(name));
            let again = self.words == Words::Fewest && !common.is_empty() && common == before;
            spans.push(code_span(if again { rest } else { name }));
            before = common;
        }
        spans.join(", ")
    }
}

/// How a check ended, in words.
fn outcome_of(check: &Check) -> Option<String> {
    let times = |word: &str| match check.failed_times {
        failed if failed >= 3 => format!("{word} ({failed} of {} runs failed)", check.times),
        _ => word.to_owned(),
    };
    match (check.outcome, &check.claimed) {
        (Outcome::Failed, Some(claimed)) if check.exit.is_none() && check.failing.is_empty() => {
            Some(format!("Failed, says the agent (“{}”)", one_line(claimed, 160)))
        }
        (Outcome::Failed, _) => Some(match check.exit {
            Some(exit) => times(&format!("Failed with exit code {exit}")),
            None => times("Failed"),
        }),
        (Outcome::Passed, _) => Some(times("Passed")),
        (Outcome::Stopped, _) => Some("Timed out".to_owned()),
        _ if check.summary.as_deref() == Some(NO_TESTS) => Some("No test ran".to_owned()),
        (_, Some(claimed)) => Some(format!("“{}”, says the agent", one_line(claimed, 160))),
        _ => None,
    }
}
