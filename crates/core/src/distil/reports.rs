//! What the agent reported while it worked: its messages between the request and the last one.

use super::announced::only_announces;
use super::answer::flatten;
use super::{Span, weight_of};
use crate::session::{Record, Session, shorten, split_sentences, without_intentions};

/// How many are shown, the bytes of one, and of the one that says most: often it sums up what was done.
const MOST: usize = 8;
const LONG: usize = 420;
const LONGEST: usize = 1_300;
/// The same of a turn that is over.
const FEW: usize = 3;
const SHORT: usize = 300;
/// A report that is shorter without what it only announces says nothing.
const SHORTEST: usize = 70;
/// Bytes that count as much as one step of a phrase's weight.
const STEP: usize = 120;
/// What the newest report counts more than the oldest one.
const NEWEST: usize = 5;

/// Of how many of the newest requests before the last one what was reported on the way is shown.
pub(super) const WITH_REPORTS: usize = 3;

/// The reports of the newest requests. What each is worth is looked at once.
pub(super) struct Reports {
    all: Vec<Report>,
}

struct Report {
    record: Record,
    /// On one line.
    text: String,
    /// How much it says; nothing where it says too little to be shown.
    worth: Option<usize>,
}

impl Reports {
    pub(super) fn of(session: &Session) -> Self {
        let first = session.prompts.len().saturating_sub(1 + WITH_REPORTS);
        let since = session.prompts.get(first).map_or(0, |prompt| prompt.record);
        let newest = session.reports.iter().filter(|report| report.record >= since);
        let all = newest.map(|report| {
            let text = condensed(&report.text);
            let is_shown = text.len() >= SHORTEST && !text.ends_with([':', '?']);
            Report { record: report.record, worth: is_shown.then(|| worth(&text)), text }
        });
        Self { all: all.collect() }
    }

    /// The reports of work that goes on: those that say most, in their order, each on one line.
    pub(super) fn of_work(&self, span: &Span) -> Vec<String> {
        self.best(span, MOST, |is_best| if is_best { LONGEST } else { LONG })
    }

    /// The few reports of a turn that is over which say most besides its answer.
    pub(super) fn of_turn(&self, span: &Span) -> Vec<String> {
        self.best(span, FEW, |_| SHORT)
    }

    fn best(&self, span: &Span, most: usize, longest: impl Fn(bool) -> usize) -> Vec<String> {
        let within = self.all.iter().filter(|report| span.contains(&report.record));
        let all: Vec<&Report> = within.collect();
        let count = all.len();
        let worth = |at: usize, report: &Report| Some(report.worth? + NEWEST * (at + 1) / count);
        let mut ranked: Vec<(usize, usize, &str)> = all
            .into_iter()
            .enumerate()
            .filter_map(|(at, report)| Some((worth(at, report)?, at, report.text.as_str())))
            .collect();
        ranked.sort_by_key(|(worth, at, _)| (std::cmp::Reverse(*worth), *at));
        ranked.truncate(most);
        let best = ranked.first().map(|(_, at, _)| *at);
        ranked.sort_by_key(|(_, at, _)| *at);
        let cut = |at| longest(Some(at) == best);
        ranked.into_iter().map(|(_, at, text)| shorten(text, cut(at))).collect()
    }
}

/// A message on one line, without the sentences that only say what comes next.
fn condensed(message: &str) -> String {
    let text = flatten(&without_intentions(message), LONGEST);
    let says: String = split_sentences(&text).filter(|one| !only_announces(one)).collect();
    says.trim().to_owned()
}

/// How much a report says: by its length, and by phrases of findings.
fn worth(text: &str) -> usize {
    text.len() / STEP + usize::try_from(weight_of(text)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{PromptWay, Recorder};

    #[test]
    fn reports_say_what_was_found_and_not_what_comes_next() {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Make it faster", PromptWay::Typed);
        for message in [
            "Let me look at the profile of the whole run before I change anything in the parser or in the lexer.",
            "The cache was never hit: its key had the commit in it, so each empty commit built everything anew. Waiting on the second run.",
            "Running the gate now; once it is green I'll commit the fix, push the branch and then open the pull request.",
        ] {
            recorder.next_record();
            recorder.said(message);
        }
        assert_eq!(
            Reports::of(recorder.session()).of_work(&(0..u64::MAX)),
            [
                "The cache was never hit: its key had the commit in it, so each empty commit built everything anew."
            ]
        );
    }
}
