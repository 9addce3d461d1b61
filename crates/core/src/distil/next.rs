//! What is left to do at the end of a session.

use super::announced::announced;
use super::gather::{Items, rank};
use super::plan::steps_of_plan;
use super::status::{SessionStatus, Standing, work_began};
use super::{Section, one_line, quoted};
use crate::code_span;
use crate::session::{
    Check, CommitState, Outcome, Prompt, Session, Todo, TodoStatus, own_words,
};

/// Bytes of a step, and of a request in one.
const STEP: usize = 300;
const REQUEST: usize = 320;
/// Steps out of a plan that are named.
const PLANNED: usize = 6;

/// How far a step of a plan went, by what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepState {
    Done,
    Begun,
    NotSeen,
}

impl Items<'_> {
    pub(super) fn next(&mut self, standing: &Standing) {
        let session = self.session;
        self.last_request(standing);
        self.open_todos(standing);
        let is_open = !matches!(standing.status, SessionStatus::Finished);
        let since = session.prompts.last().map_or(0, |prompt| prompt.record);
        if is_open {
            let mut steps: Vec<String> = Vec::new();
            for said in session.said.iter().filter(|said| said.record >= since) {
                for step in announced(&said.text) {
                    if !steps.contains(&step) {
                        steps.push(step);
                    }
                }
            }
            for step in steps {
                self.add(Section::Next, rank::OPEN, one_line(&step, STEP));
            }
            self.failing_checks();
            self.planned();
        }
        self.unpublished();
    }

    /// The last request, if it was not handled, or what the agent asked in return.
    fn last_request(&mut self, standing: &Standing) {
        let Some(last) = self.session.prompts.last() else { return };
        let request = || quoted(&own_words(&last.text).text, REQUEST);
        let text = match (standing.status, &standing.question) {
            (SessionStatus::WaitingForUser, Some(question)) => {
                format!("Waiting for the user: {}", quoted(question, 420))
            }
            (SessionStatus::Interrupted, _) => {
                format!("The user stopped the agent at: {}", request())
            }
            (SessionStatus::InProgress, _) if !last.answered => {
                format!("Not answered yet: {}", request())
            }
            (SessionStatus::InProgress, _) => format!("Finish the last request: {}", request()),
            (SessionStatus::Blocked, _) => format!("Blocked at: {}", request()),
            _ => return,
        };
        self.add(Section::Next, rank::OPEN, text);
        if standing.status == SessionStatus::InProgress {
            let running = self.session.running.iter().rev().take(3);
            let running: Vec<String> =
                running.map(|running| code_span(&one_line(&running.what, 200))).collect();
            if !running.is_empty() {
                self.detail(format!("Begun and not ended: {}", running.join(", ")));
            }
        }
    }

    /// To-dos that were touched since the work on the last request began.
    fn open_todos(&mut self, standing: &Standing) {
        let session = self.session;
        let began = work_began(session);
        let is_current = |todo: &&Todo| {
            todo.status.is_open() && todo.record >= began && standing.status != SessionStatus::Finished
                || todo.status.is_open() && todo.record > session.prompts.last().map_or(0, |last| last.record)
        };
        let all: Vec<&Todo> = session.todos.iter().filter(is_current).collect();
        let (begun, open): (Vec<&Todo>, Vec<&Todo>) =
            all.into_iter().partition(|todo| todo.status == TodoStatus::Begun);
        for todo in begun.into_iter().chain(open) {
            let begun = if todo.status == TodoStatus::Begun { " (begun)" } else { "" };
            let text = format!("{}{begun}", one_line(&todo.text, self.at_most(STEP, STEP, 100)));
            self.add(Section::Next, rank::OPEN, text);
        }
    }

    fn failing_checks(&mut self) {
        let session = self.session;
        let began = work_began(session);
        let fails = |check: &&Check| {
            check.outcome == Outcome::Failed && check.record >= began && !is_passed_later(session, check)
        };
        let failing: Vec<&Check> = session.checks.iter().filter(fails).collect();
        for check in failing.into_iter().rev().take(2) {
            let names = match check.failing.first() {
                Some(first) if check.failing.len() == 1 => format!(": {}", code_span(first)),
                Some(first) => format!(": {} and {} more", code_span(first), check.failing.len() - 1),
                None => String::new(),
            };
            let text = format!("Make {} pass{names}", code_span(&one_line(&check.name, 120)));
            self.infer(Section::Next, rank::OPEN, text);
        }
    }

    /// Steps of an accepted plan that were not seen done. A plan of which nothing was seen, or all, says nothing.
    fn planned(&mut self) {
        let session = self.session;
        let Some(plan) = session.plan.as_ref().filter(|plan| plan.accepted && session.todos.is_empty()) else {
            return;
        };
        // The user has asked for something else since.
        if work_began(session) > plan.record {
            return;
        }
        let steps = steps_of_plan(plan, session);
        if steps.iter().all(|step| step.state == StepState::NotSeen) && !steps.is_empty() {
            let names: Vec<String> = steps.iter().take(PLANNED).map(|step| one_line(&step.text, 120)).collect();
            self.infer(Section::Next, rank::OPEN, format!("Steps of the accepted plan, none seen done: {}", names.join("; ")));
            return;
        }
        for step in steps.iter().filter(|step| step.state == StepState::Begun).take(PLANNED) {
            self.infer(Section::Next, rank::OPEN, format!("Step of the plan, begun: {}", one_line(&step.text, STEP)));
        }
        for step in steps.iter().filter(|step| step.state == StepState::NotSeen).take(PLANNED) {
            self.infer(Section::Next, rank::OPEN, format!("Step of the plan, not seen: {}", one_line(&step.text, STEP)));
        }
    }

    /// A commit, push or pull request that was asked for and not seen.
    fn unpublished(&mut self) {
        let session = self.session;
        let commits = || session.commits.iter().filter(|commit| commit.state == CommitState::Made);
        let last_commit = commits().map(|commit| commit.record).max();
        let asked = |wants: fn(&str) -> bool| {
            session.prompts.iter().rev().find(|prompt| wants(&own_words(&prompt.text).text.to_lowercase()))
        };
        if let Some(prompt) = asked(asks_to_commit)
            && last_commit.is_none_or(|commit| commit < prompt.record)
            && is_unseen(session, prompt, |command| command.contains("commit"))
        {
            let text = format!("A commit was asked for and not seen: {}", quoted(&own_words(&prompt.text).text, 160));
            self.infer(Section::Next, rank::OPEN, text);
        }
        let Some(last_commit) = last_commit else { return };
        let is_pushed = session.pushed.is_some_and(|pushed| pushed >= last_commit);
        let speaks = |prompt: &&Prompt| speaks_of_pull_request(&own_words(&prompt.text).text.to_lowercase());
        let speaks = session.prompts.iter().any(|prompt| speaks(&prompt));
        let pushes = asked(asks_to_push).is_some();
        if !is_pushed && (speaks || pushes) {
            let opened = session.pull_request.is_some() || !session.links.is_empty();
            let open = if opened || !speaks { "" } else { ", and no pull request was opened" };
            let ids: Vec<String> = commits().rev().take(5).map(|commit| code_span(&one_line(commit.name(), 60))).collect();
            let text = format!("Push the branch: the commits {} are not pushed{open}", ids.join(", "));
            self.infer(Section::Next, rank::OPEN, text);
        }
    }
}

/// Whether no command after a request looks like what it asks for.
fn is_unseen(session: &Session, prompt: &Prompt, does: fn(&str) -> bool) -> bool {
    let later = session.commands.iter().filter(|command| command.record > prompt.record);
    !later.into_iter().any(|command| command.outcome != Outcome::Failed && does(&command.command))
}

/// Whether the same check, or another of its kind, passed after it failed.
pub(super) fn is_passed_later(session: &Session, check: &Check) -> bool {
    let is_better = |later: &&Check| {
        later.record > check.record && later.kind == check.kind && later.outcome == Outcome::Passed
    };
    session.checks.iter().any(|later| is_better(&later))
}

/// Whether a request says to commit, and not only what was or is to be committed some day.
fn asks_to_commit(lower: &str) -> bool {
    let orders = ["commit", "add commit", "and commit", "please commit", "can you commit", "then commit", "let's commit", "提交"];
    let is_short = lower.split_whitespace().count() <= 25;
    is_short
        && orders.iter().any(|order| has_words(lower, order))
        && !["don't commit", "do not commit", "not commit", "last commit", "the commit", "this commit", "no commit", "commits", "?"]
            .iter()
            .any(|not| lower.contains(not))
}

fn asks_to_push(lower: &str) -> bool {
    let is_short = lower.split_whitespace().count() <= 25;
    is_short && has_words(lower, "push") && !["don't push", "do not push", "not push", "no push", "pushed", "?"].iter().any(|not| lower.contains(not))
}

fn speaks_of_pull_request(lower: &str) -> bool {
    ["this pr", "the pr", "a pr", "open pr", "pull request", "our pr"].iter().any(|words| has_words(lower, words))
}

/// Whether words stand in a text, with nothing of a word before or behind them.
fn has_words(text: &str, words: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() && c.is_ascii();
    text.match_indices(words).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_letter)
            && !text[at + words.len()..].chars().next().is_some_and(is_letter)
    })
}
