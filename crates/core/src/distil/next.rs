//! What is left to do at the end of a session.

use super::announced::{announced, is_under_way, lists_remaining};
use super::covering::is_passed_later;
use super::explain::{is_list_touched, judge_todo};
use super::gather::{Items, rank};
use super::orders::{
    asks_for_pull_request, asks_to_commit, asks_to_push, asks_to_take_back, speaks_of_pull_request,
};
use super::plan::{steps_of_plan, title_of_plan};
use super::plan_changes::is_plan_current;
use super::request_kind::declines;
use super::status::{
    SessionStatus, Standing, closing_of, closing_proposal, is_go_ahead, is_handled, is_worked_on,
    work_began,
};
use super::{Section, one_line, quoted};
use crate::ItemSource;
use crate::code_span;
use crate::session::{
    Check, CommitState, Outcome, Prompt, Record, Session, Todo, TodoStatus, own_words,
    split_sentences,
};

/// Bytes of a step, and of a request in one.
const STEP: usize = 300;
const REQUEST: usize = 500;
const PROPOSAL: usize = 600;
/// Bytes of an order in a request.
const ORDER: usize = 160;
/// Steps out of a plan that are named.
const PLANNED: usize = 6;

/// How far a step of a plan went, by what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepState {
    Done,
    Begun,
    NotSeen,
    /// The user wants it no more.
    Dropped,
    /// It names nothing by which it could be seen.
    Unknown,
}

impl Items<'_> {
    pub(super) fn next(&mut self, standing: &Standing) {
        let session = self.session;
        self.last_request(standing);
        self.open_todos(standing);
        let is_open = !standing.is_answered();
        self.left_open_before(standing);
        // On a request that was not acted on yet, what was going on before it goes on.
        let acted_on = session.prompts.iter().rev().find(|prompt| prompt.answered);
        let since = acted_on.map_or(0, |prompt| prompt.record);
        if is_open {
            let mut steps: Vec<(String, bool)> = Vec::new();
            let said: Vec<_> = session.said.iter().filter(|said| said.record >= since).collect();
            let count = said.len();
            for (at, said) in said.iter().enumerate() {
                // What was announced before the last message may be done; what waited for something is not.
                let is_last = at + 1 == count;
                for step in announced(&said.text) {
                    let is_known = steps.iter().any(|(known, _)| *known == step);
                    if !is_known && (is_last || waits(&step)) {
                        steps.push((step, is_last));
                    }
                }
            }
            for (step, is_last) in &steps {
                let when = if *is_last { "" } else { "Announced before its last message: " };
                self.add(Section::Next, rank::OPEN, format!("{when}{}", one_line(step, STEP)));
            }
            let steps: Vec<String> = steps.into_iter().map(|(step, _)| step).collect();
            self.said_to_be_open(standing, &steps);
            self.failing_checks();
        } else {
            self.said_to_be_open(standing, &[]);
        }
        for subagent in session.unfinished_subagents.iter().filter(|one| one.record >= since) {
            let text = format!("A subagent did not finish: {}", quoted(&subagent.task, 200));
            let section = if is_open { Section::Next } else { Section::State };
            self.add(section, rank::OPEN, text);
            if !subagent.last_words.is_empty() {
                self.detail(format!("Its last words: {}", quoted(&subagent.last_words, 300)));
                self.comes_from(ItemSource::Tool);
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
        let no = |prompt: &Prompt| declines(&own_words(&prompt.text).text);
        let is_last = worked + 1 == prompts.len();
        if is_last || !standing.is_answered() || prompts[worked + 1..].iter().any(no) {
            return;
        }
        let Some(answer) = &prompts[worked].answer else { return };
        let mut steps = Vec::new();
        if is_under_way(&answer.text) || lists_remaining(&answer.text) {
            steps = announced(&answer.text);
        }
        for step in &steps {
            let text = format!("Announced before: {}", one_line(step, STEP));
            self.add(Section::Next, rank::OPEN, text);
        }
        let closing = closing_of(&prompts[worked], &answer.text);
        let new = |said: &&String| !steps.iter().any(|step| is_same(step, said));
        for said in closing.open.iter().filter(new) {
            let text = format!("Left open before, the agent said: {}", quoted(said, STEP));
            self.add(Section::Next, rank::OPEN, text);
        }
    }

    /// What the agent's last message says is not done, in its words.
    fn said_to_be_open(&mut self, standing: &Standing, known: &[String]) {
        let asked = standing.question.as_deref().unwrap_or_default();
        let new = |said: &&String| {
            !asked.contains(said.as_str()) && !known.iter().any(|step| is_same(step, said))
        };
        for said in standing.open.iter().filter(new) {
            let text = format!("Left open, the agent said: {}", quoted(said, STEP));
            self.add(Section::Next, rank::OPEN, text);
        }
        for proposed in standing.proposed.iter().filter(new) {
            let text = format!("Proposed by the agent as a next step: {}", quoted(proposed, STEP));
            self.add(Section::Next, rank::OPEN, text);
        }
    }

    /// The last request, if it was not handled, or what the agent asked in return.
    fn last_request(&mut self, standing: &Standing) {
        let Some(last) = self.session.prompts.last() else { return };
        for unread in &self.session.waiting {
            let request = quoted(&own_words(&unread.text).text, REQUEST);
            let text = format!("Typed while the agent worked, and not read by it: {request}");
            self.add(Section::Next, rank::OPEN, text);
        }
        if !self.session.waiting.is_empty() && is_handled(self.session, last) {
            return;
        }
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
        let is_current = |todo: &&Todo| judge_todo(session, todo, is_touched, standing.status).0;
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
        for check in still_failing(self.session).into_iter().rev().take(2) {
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
        if !is_plan_current(plan, session) {
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
        let own = |prompt: &Prompt| own_words(&prompt.text).text.to_lowercase();
        let own: Vec<String> = session.prompts.iter().map(own).collect();
        let asked = |wants: fn(&str) -> bool| {
            own.iter().rposition(|own| wants(own)).map(|at| &session.prompts[at])
        };
        // Of a long request the sentence that orders it.
        let quote = |prompt: &Prompt, wants: fn(&str) -> bool| {
            let own = own_words(&prompt.text).text;
            let order = split_sentences(&own).find(|one| wants(&one.trim().to_lowercase()));
            let is_long = own.len() > ORDER;
            quoted(order.filter(|_| is_long).unwrap_or(&own), ORDER)
        };
        let mut missing: Vec<String> = Vec::new();
        let is_pushed = |since: Record| session.pushed.is_some_and(|pushed| pushed >= since);
        let push = asked(asks_to_push).filter(|prompt| !is_pushed(prompt.record));
        if let Some(prompt) = asked(asks_to_commit)
            && last_commit.is_none_or(|commit| commit < prompt.record)
            && (is_unseen(session, prompt, "commit") || are_gone(session, prompt))
            && !is_taken_back(session, prompt)
        {
            let what = match push.is_some_and(|push| push.record == prompt.record) {
                true => "A commit and a push were",
                false => "A commit was",
            };
            let text = format!("{what} asked for and not seen: {}", quote(prompt, asks_to_commit));
            missing.push(text);
        }
        let wanted =
            asked(asks_for_pull_request).filter(|_| session.opened_pull_request().is_none());
        let speaks = own.iter().any(|own| speaks_of_pull_request(own)) && is_open;
        let branch = session.branch.as_deref().map(code_span).unwrap_or_default();
        match (last_commit, push, wanted) {
            (Some(last), push, wanted)
                if !is_pushed(last) && (push.is_some() || wanted.is_some() || speaks) =>
            {
                let opened = session.shows_pull_request();
                let speaks = own.iter().any(|own| speaks_of_pull_request(own));
                let open = match wanted.is_some() || speaks && !opened {
                    true => " and no pull request was opened",
                    false => "",
                };
                missing.push(format!(
                    "Push the branch {branch}: its last commits were not pushed{open}"
                ));
            }
            (_, _, Some(prompt)) => {
                missing.push(format!(
                    "A pull request was asked for and not seen: {}",
                    quote(prompt, asks_for_pull_request)
                ));
            }
            (None, Some(prompt), _) if missing.is_empty() && is_unseen(session, prompt, "push") => {
                let text = quote(prompt, asks_to_push);
                missing.push(format!("A push was asked for and not seen: {text}"));
            }
            _ => {}
        }
        for text in missing {
            self.infer(Section::Next, rank::OPEN, text);
        }
    }
}

/// Whether one of two texts has the other in it.
fn is_same(one: &str, other: &str) -> bool {
    one.contains(other) || other.contains(one)
}

/// Whether an announced step waits for something to happen first.
fn waits(step: &str) -> bool {
    let lower = step.to_lowercase();
    lower.starts_with("once ") || lower.contains(" once ") || lower.starts_with("after that")
}

/// Whether no command after a request has the word for what it asks for.
fn is_unseen(session: &Session, prompt: &Prompt, word: &str) -> bool {
    let mut later = session.commands.iter().filter(|command| command.record > prompt.record);
    !later.any(|command| command.outcome != Outcome::Failed && command.command.contains(word))
}

/// Whether what was committed after a request lies elsewhere or was taken back, all of it.
fn are_gone(session: &Session, prompt: &Prompt) -> bool {
    let mut later =
        session.commits.iter().filter(|commit| commit.record > prompt.record).peekable();
    later.peek().is_some() && later.all(|commit| commit.state != CommitState::Made)
}

/// Whether the user had taken back what was committed after a request.
fn is_taken_back(session: &Session, prompt: &Prompt) -> bool {
    let mut gone = session.commits.iter().filter(|commit| commit.state == CommitState::Gone);
    gone.any(|commit| {
        let orders = |later: &Prompt| {
            later.record > commit.record
                && asks_to_take_back(&own_words(&later.text).text.to_lowercase())
        };
        commit.record > prompt.record && session.prompts.iter().any(orders)
    })
}

/// Checks that failed since the work on the last request began, and did not pass later.
fn still_failing(session: &Session) -> Vec<&Check> {
    let began = work_began(session);
    let fails = |check: &&Check| {
        check.outcome == Outcome::Failed
            && check.record >= began
            && !is_passed_later(session, check)
    };
    session.checks.iter().filter(fails).collect()
}

/// How many checks a session leaves failing.
pub fn failing_checks(session: &Session) -> usize {
    still_failing(session).len()
}
