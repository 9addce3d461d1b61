//! What is left to do at the end of a session.

use super::announced::{announced, is_under_way, lists_remaining};
use super::explain::{is_list_touched, judge_todo};
use super::gather::{Items, rank};
use super::plan::{steps_of_plan, title_of_plan};
use super::status::{
    SessionStatus, Standing, closing_proposal, is_go_ahead, is_worked_on, work_began,
};
use super::{Section, one_line, quoted};
use crate::code_span;
use crate::session::{Check, CommitState, Outcome, Prompt, Session, Todo, TodoStatus, own_words};

/// Bytes of a step, and of a request in one.
const STEP: usize = 300;
const REQUEST: usize = 500;
const PROPOSAL: usize = 600;
/// Steps out of a plan that are named.
const PLANNED: usize = 6;

/// How far a step of a plan went, by what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepState {
    Done,
    Begun,
    NotSeen,
    /// It names nothing by which it could be seen.
    Unknown,
}

impl Items<'_> {
    pub(super) fn next(&mut self, standing: &Standing) {
        let session = self.session;
        self.last_request(standing);
        self.open_todos(standing);
        let is_open = !matches!(standing.status, SessionStatus::Finished | SessionStatus::NotSure);
        self.left_open_before(standing);
        // On a request that was not acted on yet, what was going on before it goes on.
        let acted_on = session.prompts.iter().rev().find(|prompt| prompt.answered);
        let since = acted_on.map_or(0, |prompt| prompt.record);
        if is_open {
            let mut steps: Vec<String> = Vec::new();
            let said: Vec<_> = session.said.iter().filter(|said| said.record >= since).collect();
            let count = said.len();
            for (at, said) in said.iter().enumerate() {
                // What was announced before the last message may be done; what waited for something is not.
                let is_last = at + 1 == count;
                for step in announced(&said.text) {
                    if !steps.contains(&step) && (is_last || waits(&step)) {
                        steps.push(step);
                    }
                }
            }
            for step in steps {
                self.add(Section::Next, rank::OPEN, one_line(&step, STEP));
            }
            self.failing_checks();
        }
        for subagent in session.unfinished_subagents.iter().filter(|one| one.record >= since) {
            let text = format!("A subagent did not finish: {}", quoted(&subagent.task, 200));
            let section = if is_open { Section::Next } else { Section::State };
            self.add(section, rank::OPEN, text);
            if !subagent.last_words.is_empty() {
                self.detail(format!("Its last words: {}", quoted(&subagent.last_words, 300)));
            }
        }
        if matches!(standing.status, SessionStatus::InProgress | SessionStatus::Interrupted) {
            self.planned();
        }
        self.unpublished(is_open);
    }

    /// What the agent announced before requests for which it did nothing, such as a question or thanks.
    fn left_open_before(&mut self, standing: &Standing) {
        let prompts = &self.session.prompts;
        let Some(worked) = prompts.iter().rposition(is_worked_on) else { return };
        let is_answered =
            matches!(standing.status, SessionStatus::Finished | SessionStatus::NotSure);
        if worked + 1 == prompts.len() || !is_answered {
            return;
        }
        let Some(answer) = &prompts[worked].answer else { return };
        if is_under_way(&answer.text) || lists_remaining(&answer.text) {
            for step in announced(&answer.text) {
                self.add(
                    Section::Next,
                    rank::OPEN,
                    format!("Announced before: {}", one_line(&step, STEP)),
                );
            }
        }
    }

    /// The last request, if it was not handled, or what the agent asked in return.
    fn last_request(&mut self, standing: &Standing) {
        let Some(last) = self.session.prompts.last() else { return };
        let request = || self.whole_request(REQUEST);
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
            let said = last.answer.as_ref().map_or(0, |answer| answer.record).max(last.record);
            let running =
                self.session.running.iter().rev().filter(|one| one.record >= said).take(3);
            let running: Vec<String> =
                running.map(|running| code_span(&one_line(&running.what, 200))).collect();
            if !running.is_empty() {
                self.detail(format!("Begun and not ended: {}", running.join(", ")));
            }
        }
    }

    /// The last request; one that only says to go on, with what it says that to.
    fn whole_request(&self, most: usize) -> String {
        let prompts = &self.session.prompts;
        let Some(last) = prompts.last() else { return String::new() };
        let own = quoted(&own_words(&last.text).text, most);
        if !is_go_ahead(&last.text) {
            return own;
        }
        let before = prompts.iter().rev().nth(1);
        let asked = before
            .and_then(|before| before.answer.as_ref())
            .and_then(|answer| closing_proposal(&answer.text, PROPOSAL));
        let earlier = prompts.iter().rev().find(|prompt| !is_go_ahead(&prompt.text));
        match (asked, earlier) {
            (Some(question), _) => format!("{own}, to {}", quoted(&question, PROPOSAL)),
            (None, Some(earlier)) => {
                format!("{own}, with {}", quoted(&own_words(&earlier.text).text, most))
            }
            (None, None) => own,
        }
    }

    /// To-dos that were touched since the work on the last request began.
    fn open_todos(&mut self, standing: &Standing) {
        let session = self.session;
        let began = work_began(session);
        let open = session.todos.iter().filter(|todo| todo.status.is_open());
        let is_touched = is_list_touched(session, began);
        // An agent that says it is done has often only not crossed out what it had begun.
        let is_current = |todo: &&Todo| judge_todo(todo, is_touched, standing.status).0;
        let (all, left): (Vec<&Todo>, Vec<&Todo>) = open.partition(is_current);
        if !left.is_empty() {
            let names: Vec<String> = left.iter().map(|todo| one_line(&todo.text, 100)).collect();
            let text =
                format!("On the agent's to-do list and not crossed out: {}", names.join("; "));
            self.add(Section::State, rank::OPEN, text);
            self.counts(left.len());
        }
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
            check.outcome == Outcome::Failed
                && check.record >= began
                && !is_passed_later(session, check)
        };
        let failing: Vec<&Check> = session.checks.iter().filter(fails).collect();
        for check in failing.into_iter().rev().take(2) {
            let names = match check.failing.first() {
                Some(first) if check.failing.len() == 1 => format!(": {}", code_span(first)),
                Some(first) => {
                    format!(": {} and {} more", code_span(first), check.failing.len() - 1)
                }
                None => String::new(),
            };
            let text = format!("Make {} pass{names}", code_span(&one_line(&check.name, 120)));
            self.infer(Section::Next, rank::OPEN, text);
        }
    }

    /// Steps of an accepted plan that were not seen done. A plan of which nothing was seen, or all, says nothing.
    fn planned(&mut self) {
        let session = self.session;
        let Some(plan) =
            session.plan.as_ref().filter(|plan| plan.accepted && session.todos.is_empty())
        else {
            return;
        };
        // The user has asked for something else since.
        if work_began(session) > plan.record {
            return;
        }
        if !session.files.values().any(|file| file.is_changed() && file.record > plan.record) {
            let title = title_of_plan(&plan.text).unwrap_or_else(|| "a plan".to_owned());
            self.infer(
                Section::Next,
                rank::OPEN,
                format!(
                    "Carry out the accepted plan “{}”: no edit was seen yet",
                    one_line(&title, 160)
                ),
            );
            return;
        }
        let steps = steps_of_plan(plan, session);
        // Where no step can be told by its files, nothing is known of the others either.
        if steps.iter().any(|step| step.state == StepState::Done) {
            for step in steps.iter().filter(|step| step.state == StepState::NotSeen).take(PLANNED) {
                self.infer(
                    Section::Next,
                    rank::OPEN,
                    format!("Step of the plan, not seen: {}", one_line(&step.text, STEP)),
                );
            }
        }
    }

    /// A commit, push or pull request that was asked for and not seen.
    fn unpublished(&mut self, is_open: bool) {
        let session = self.session;
        let commits = || session.commits.iter().filter(|commit| commit.state == CommitState::Made);
        let last_commit = commits().map(|commit| commit.record).max();
        let asked = |wants: fn(&str) -> bool| {
            session
                .prompts
                .iter()
                .rev()
                .find(|prompt| wants(&own_words(&prompt.text).text.to_lowercase()))
        };
        if let Some(prompt) = asked(asks_to_commit)
            && last_commit.is_none_or(|commit| commit < prompt.record)
            && is_unseen(session, prompt, |command| command.contains("commit"))
        {
            let text = format!(
                "A commit was asked for and not seen: {}",
                quoted(&own_words(&prompt.text).text, 160)
            );
            self.infer(Section::Next, rank::OPEN, text);
        }
        let Some(last_commit) = last_commit else { return };
        let is_pushed = session.pushed.is_some_and(|pushed| pushed >= last_commit);
        let speaks =
            |prompt: &&Prompt| speaks_of_pull_request(&own_words(&prompt.text).text.to_lowercase());
        let speaks = session.prompts.iter().any(|prompt| speaks(&prompt));
        let pushes = asked(asks_to_push)
            .is_some_and(|prompt| session.pushed.is_none_or(|pushed| pushed < prompt.record));
        if !is_pushed && (speaks && is_open || pushes) {
            let opened = session.pull_request.is_some() || !session.links.is_empty();
            let open = if opened || !speaks { "" } else { " and no pull request was opened" };
            let branch = session.branch.as_deref().map(code_span).unwrap_or_default();
            let text = format!("Push the branch {branch}: its last commits were not pushed{open}");
            self.infer(Section::Next, rank::OPEN, text);
        }
    }
}

/// Whether an announced step waits for something to happen first.
fn waits(step: &str) -> bool {
    let lower = step.to_lowercase();
    lower.starts_with("once ") || lower.contains(" once ") || lower.starts_with("after that")
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
    let orders = [
        "commit",
        "add commit",
        "and commit",
        "please commit",
        "can you commit",
        "then commit",
        "let's commit",
        "提交",
    ];
    let is_short = lower.split_whitespace().count() <= 25;
    is_short
        && orders.iter().any(|order| has_words(lower, order))
        && ![
            "don't commit",
            "do not commit",
            "not commit",
            "last commit",
            "latest commit",
            "previous commit",
            "the commit",
            "this commit",
            "no commit",
            "commits",
            "最新提交",
            "上次提交",
            "之前的提交",
            "?",
        ]
        .iter()
        .any(|not| lower.contains(not))
}

fn asks_to_push(lower: &str) -> bool {
    let is_short = lower.split_whitespace().count() <= 25;
    is_short
        && has_words(lower, "push")
        && !["don't push", "do not push", "not push", "no push", "pushed", "?"]
            .iter()
            .any(|not| lower.contains(not))
}

fn speaks_of_pull_request(lower: &str) -> bool {
    ["this pr", "the pr", "a pr", "open pr", "pull request", "our pr"]
        .iter()
        .any(|words| has_words(lower, words))
}

/// Whether words stand in a text, with nothing of a word before or behind them.
fn has_words(text: &str, words: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() && c.is_ascii();
    text.match_indices(words).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_letter)
            && !text[at + words.len()..].chars().next().is_some_and(is_letter)
    })
}
