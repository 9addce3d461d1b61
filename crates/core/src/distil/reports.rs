//! What the agent reported while it worked: its messages between the request and the last one.

use super::announced::only_announces;
use super::answer::flatten;
use super::{Span, weight_of};
use crate::session::{Session, shorten, split_sentences, without_intentions};

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

/// The reports of work that goes on: those that say most, in their order, each on one line.
pub(super) fn reports(session: &Session, span: &Span) -> Vec<String> {
    best(session, span, MOST, |is_best| if is_best { LONGEST } else { LONG })
}

/// The few reports of a turn that is over which say most besides its answer.
pub(super) fn findings_on_the_way(session: &Session, span: &Span) -> Vec<String> {
    best(session, span, FEW, |_| SHORT)
}

fn best(
    session: &Session,
    span: &Span,
    most: usize,
    longest: impl Fn(bool) -> usize,
) -> Vec<String> {
    let all: Vec<String> = session
        .reports
        .iter()
        .filter(|report| span.contains(&report.record))
        .map(|report| condensed(&report.text))
        .collect();
    let count = all.len();
    let mut ranked: Vec<(usize, usize, String)> = all
        .into_iter()
        .enumerate()
        .filter(|(_, text)| text.len() >= SHORTEST && !text.ends_with([':', '?']))
        .map(|(at, text)| (worth(&text) + NEWEST * (at + 1) / count, at, text))
        .collect();
    ranked.sort_by_key(|(worth, at, _)| (std::cmp::Reverse(*worth), *at));
    ranked.truncate(most);
    let best = ranked.first().map(|(_, at, _)| *at);
    ranked.sort_by_key(|(_, at, _)| *at);
    let cut = |at| longest(Some(at) == best);
    ranked.into_iter().map(|(_, at, text)| shorten(&text, cut(at))).collect()
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
            reports(recorder.session(), &(0..u64::MAX)),
            [
                "The cache was never hit: its key had the commit in it, so each empty commit built everything anew."
            ]
        );
    }
}
