//! Recheck: runs the commands of a handoff's Checks again, if they were written down on this machine by
//! the user or an agent. The others are told, with the reason why they are not run.

use std::path::Path;
use std::time::Duration;

use segue_core::{Check, Handoff, ItemSource, Rechecked, checks, command_words};
use segue_share::command::{Ended, run_command};

const FROM_HANDOFF_FILE: &str = "not run: it comes from HANDOFF.md of the work tree";

/// A handoff whose checks may be run again.
pub(crate) struct RecheckedHandoff<'a> {
    pub(crate) handoff: &'a Handoff,
    /// Where it was saved.
    pub(crate) dir: &'a Path,
    /// Whether it is of another project.
    pub(crate) is_elsewhere: bool,
    /// Whether it lies in a work tree, and not in the store.
    pub(crate) is_in_tree: bool,
}

impl RecheckedHandoff<'_> {
    /// Why an item of this source is not run; `None` if it may be.
    fn refusal(&self, source: ItemSource) -> Option<&'static str> {
        if self.handoff.head.fields.imported.is_some() {
            return Some("not run: the handoff came from elsewhere");
        }
        if self.is_elsewhere {
            return Some("not run: the handoff is of another project");
        }
        match source {
            ItemSource::Repository => Some(FROM_HANDOFF_FILE),
            _ if self.is_in_tree => {
                Some("not run: the handoff lies in the repository, where others can write it")
            }
            ItemSource::Tool => Some("not run: its source is what a tool printed"),
            ItemSource::Imported => {
                Some("not run: it came from elsewhere, or its source cannot be read")
            }
            ItemSource::Agent | ItemSource::User => None,
        }
    }
}

/// Runs checks again, those that may be run: of a handoff, by the source of each, but not of what stands in
/// HANDOFF.md.
pub(crate) fn recheck(
    handoff: Option<&RecheckedHandoff<'_>>,
    words: Option<&str>,
    limit: Duration,
    ask: &mut dyn FnMut(&Check) -> bool,
) -> Vec<Rechecked> {
    let mut all = Vec::new();
    if let Some(one) = handoff {
        let each = one.handoff.checks().into_iter();
        all.extend(each.map(|(check, source)| match one.refusal(source) {
            Some(why) => not_run(check, why),
            None => run_again(check, one.dir, limit, ask),
        }));
    }
    for check in words.map(checks).unwrap_or_default() {
        if !all.iter().any(|known: &Rechecked| known.command == check.command) {
            all.push(not_run(check, FROM_HANDOFF_FILE));
        }
    }
    all
}

fn not_run(check: Check, why: &str) -> Rechecked {
    Rechecked { command: check.command, holds: None, outcome: why.to_owned() }
}

fn run_again(
    check: Check,
    dir: &Path,
    limit: Duration,
    ask: &mut dyn FnMut(&Check) -> bool,
) -> Rechecked {
    let (holds, outcome) = match command_words(&check.command) {
        Err(error) => (None, format!("not run: {error}")),
        Ok(_) if !ask(&check) => (None, "not run: it was declined".to_owned()),
        Ok(words) => match run_command(&words, dir, limit) {
            Ended::Exit(code) => match check.exit {
                Some(exit) if exit == code => (Some(true), format!("exit {code}")),
                Some(exit) => (Some(false), format!("exit {code}, not {exit}")),
                None if code == 0 => (Some(true), "exit 0".to_owned()),
                None => (None, format!("exit {code}; which was expected is not written down")),
            },
            Ended::Killed => (Some(false), "a signal ended it".to_owned()),
            Ended::TimedOut | Ended::Stopped => {
                (None, format!("no answer: stopped after {} s", limit.as_secs()))
            }
            Ended::NotStarted(why) => (None, format!("not run: {why}")),
        },
    };
    Rechecked { command: check.command, holds, outcome }
}
