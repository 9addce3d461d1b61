//! What a session has to tell, with the rank of each thing.

use super::announced::{announced, item as list_item};
use super::{DistilRequest, Evidence, Item, Section, Words, one_line};
use crate::session::{
    Check, CheckKind, CommitState, DecidedBy, Outcome, Prompt, PromptWay, Record, Session, Todo,
    TodoStatus, check_kind, is_strict,
};
use crate::{code_span, visible_line};

/// Bytes of what was said.
const REQUEST: usize = 600;
const FIRST_REQUEST: usize = 400;
const CONCLUSION: usize = 700;
const SENTENCE: usize = 400;
const STEP: usize = 240;
/// How many are told of what is told last.
const FAILURES: usize = 4;
const STOPPED: usize = 3;
const PASSED: usize = 4;
const REMARKS: usize = 10;
/// Tests that are named on one line.
const NAMES: usize = 8;
const STEPS: usize = 20;
/// Commits that are told with their subject where there is little room.
const SUBJECTS: usize = 4;
/// Commits that stand on one line.
const ON_A_LINE: usize = 8;
/// A command that failed so often is worth a warning.
const OFTEN: u32 = 3;

/// Ranks: what must not be missing has the lowest.
pub(super) mod rank {
    pub(in crate::distil) const CONTEXT: u8 = 0;
    pub(in crate::distil) const OPEN: u8 = 1;
    pub(in crate::distil) const CONSTRAINT: u8 = 2;
    pub(in crate::distil) const BROKEN: u8 = 3;
    pub(in crate::distil) const EDITED: u8 = 4;
    pub(in crate::distil) const COMMIT: u8 = 5;
    pub(in crate::distil) const DECIDED: u8 = 6;
    pub(in crate::distil) const CONCLUSION: u8 = 7;
    pub(in crate::distil) const REMARK: u8 = 8;
    pub(in crate::distil) const STATE: u8 = 9;
    pub(in crate::distil) const WARNING: u8 = 10;
    pub(in crate::distil) const SAID: u8 = 11;
    pub(in crate::distil) const READ: u8 = 12;
}

/// The last rank of what must not be missing.
pub(super) const LAST_VITAL: u8 = rank::COMMIT;

/// The share of all tokens, in percent, that things of a rank have for themselves.
pub(super) fn share(rank: u8) -> usize {
    match rank {
        rank::CONTEXT => 9,
        rank::OPEN => 17,
        rank::CONSTRAINT => 27,
        rank::BROKEN => 13,
        rank::EDITED => 23,
        rank::COMMIT => 11,
        _ => 0,
    }
}

pub(super) struct Items<'s> {
    pub(super) session: &'s Session,
    pub(super) root: Option<&'s str>,
    pub(super) words: Words,
    all: Vec<Item>,
}

pub(super) fn items(session: &Session, request: &DistilRequest<'_>, words: Words) -> Vec<Item> {
    let root = request.root.or(session.began_in.as_deref()).map(str::to_owned);
    let mut items = Items { session, root: root.as_deref(), words, all: Vec::new() };
    if words >= Words::Fewer {
        let text = "Words are declared; files, commits and checks observed".to_owned();
        items.add(Section::Context, rank::CONTEXT, text, Evidence::Observed, session.records);
    }
    items.context();
    items.remarks();
    items.constraints();
    items.state();
    items.checks();
    items.decisions();
    items.next();
    items.warnings();
    items.files();
    items.all
}

impl Items<'_> {
    pub(super) fn add(
        &mut self,
        section: Section,
        rank: u8,
        text: String,
        evidence: Evidence,
        record: Record,
    ) {
        self.all.push(Item { section, rank, text, evidence, record, detail: None, count: 1 });
    }

    fn detail(&mut self, detail: String) {
        if let Some(last) = self.all.last_mut() {
            last.detail = Some(detail);
        }
    }

    /// The last thing tells so many.
    pub(super) fn counts(&mut self, count: usize) {
        if let Some(last) = self.all.last_mut() {
            last.count = count;
        }
    }

    /// How much is said, by how many words there are room for.
    fn at_most(&self, many: usize, few: usize, fewest: usize) -> usize {
        match self.words {
            Words::Many => many,
            Words::Few | Words::Fewer => few,
            Words::Fewest => fewest,
        }
    }

    fn context(&mut self) {
        let session = self.session;
        let typed = || session.prompts.iter();
        let first = typed().next();
        let current = typed().next_back();
        if let Some(branch) = &session.branch {
            let text = format!("On branch {}", code_span(branch));
            self.add(Section::Context, rank::CONTEXT, text, Evidence::Observed, session.records);
        }
        if let Some(first) = first {
            let same = current.is_some_and(|current| current.record == first.record);
            let (request, before) =
                (self.at_most(REQUEST, 350, 200), self.at_most(FIRST_REQUEST, 200, 120));
            let said = quoted(&first.text, if same { request } else { before });
            let text = if same { format!("Asked: {said}") } else { format!("Asked first: {said}") };
            self.add(Section::Context, rank::CONTEXT, text, Evidence::Declared, first.record);
            if let Some(current) = current.filter(|_| !same) {
                let text = format!("Asked last: {}", quoted(&current.text, request));
                self.add(Section::Context, rank::CONTEXT, text, Evidence::Declared, current.record);
            }
        }
    }

    /// What the user said besides, where there is room.
    fn remarks(&mut self) {
        for said in self.session.remarks.iter().rev().take(REMARKS) {
            let text = format!("The user also said: {}", quoted(&said.text, SENTENCE));
            self.add(Section::Context, rank::REMARK, text, Evidence::Declared, said.record);
        }
    }

    fn constraints(&mut self) {
        // The newest first: it is what holds if two contradict, and it is told if not all can be.
        // What forbids or orders outright comes before what only may.
        let said = self.session.constraints.iter().rev();
        let (strict, other): (Vec<_>, Vec<_>) = said.partition(|said| is_strict(&said.text));
        for said in strict.into_iter().chain(other) {
            let text = match self.words {
                Words::Fewest => told(&said.text, 200),
                _ => quoted(&said.text, SENTENCE),
            };
            self.add(Section::Constraints, rank::CONSTRAINT, text, Evidence::Declared, said.record);
        }
    }

    fn state(&mut self) {
        let session = self.session;
        let with_subject = self.at_most(usize::MAX, SUBJECTS, 1);
        let of = |state: CommitState| {
            session.commits.iter().rev().filter(move |commit| commit.state == state)
        };
        for commit in of(CommitState::Made).take(with_subject) {
            let subject = told(&commit.subject, self.at_most(100, 72, 50));
            let text = format!("Committed `{}`: {subject}", commit.id);
            self.add(Section::State, rank::COMMIT, text, Evidence::Observed, commit.record);
        }
        let kinds = [
            ("Committed before", rank::COMMIT, of(CommitState::Made).skip(with_subject).collect()),
            ("Committed elsewhere", rank::REMARK, of(CommitState::Elsewhere).collect()),
            ("Replaced or taken back", rank::REMARK, of(CommitState::Gone).collect::<Vec<_>>()),
        ];
        for (what, rank, commits) in kinds {
            for some in commits.chunks(ON_A_LINE) {
                let ids: Vec<&str> = some.iter().map(|commit| commit.id.as_str()).collect();
                let text = format!("{what}: `{}`", ids.join(" "));
                self.add(Section::State, rank, text, Evidence::Observed, some[0].record);
                self.counts(some.len());
            }
        }
        let done = session.todos.iter().filter(|todo| todo.status == TodoStatus::Done);
        for todo in done {
            let text = format!("Done: {}", told(&todo.text, STEP));
            self.add(Section::State, rank::STATE, text, Evidence::Declared, todo.record);
        }
        if let Some(said) = session.said.back() {
            let text =
                format!("The agent's last words: {}", quoted(&conclusion(&said.text), CONCLUSION));
            self.add(Section::State, rank::CONCLUSION, text, Evidence::Declared, said.record);
        }
        for link in &session.links {
            self.add(
                Section::State,
                rank::STATE,
                told(link, STEP),
                Evidence::Observed,
                session.records,
            );
        }
    }

    fn checks(&mut self) {
        let mut passed = 0;
        for check in self.session.checks.iter().rev() {
            let failed = check.outcome == Outcome::Failed;
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
            let command = code_span(&one_line(&check.command, STEP));
            let how = match check.outcome {
                Outcome::Failed => "failed",
                Outcome::Passed => "passed",
                _ => "ended, nobody knows how",
            };
            let mut text = format!("{command} ({kind}) {how}");
            let (first, more) = check.failing.split_at(check.failing.len().min(NAMES));
            if !first.is_empty() {
                text.push_str(&format!(": {}", self.spans(first)));
            }
            let since = self.session.edited_after(check.record);
            if since > 0 && !failed {
                text.push_str(&format!("; changed since: {}", count(since, "file")));
            }
            let better = |later: &&Check| {
                later.record > check.record
                    && later.kind == check.kind
                    && later.outcome == Outcome::Passed
            };
            let rank = match self.session.checks.iter().rfind(better).filter(|_| failed) {
                Some(later) => {
                    let name = code_span(&one_line(&later.name, 60));
                    text.push_str(&format!("; later {name} passed"));
                    // Which tests failed is not forgotten because others passed.
                    if check.failing.is_empty() { rank::STATE } else { rank::BROKEN }
                }
                None if failed => rank::BROKEN,
                None => rank::STATE,
            };
            self.add(Section::Checks, rank, text, Evidence::Observed, check.record);
            self.counts(1 + first.len());
            if let Some(exit) = check.exit {
                self.detail(format!("exit {exit}"));
            }
            for names in more.chunks(NAMES) {
                let text = format!("and with it failed {}", self.spans(names));
                self.add(Section::Checks, rank, text, Evidence::Observed, check.record);
                self.counts(names.len());
            }
        }
    }

    /// Names of tests, each marked as one. Where there is hardly any room, what a name has in common
    /// with the one before is said once: `a::b::one`, `::two`.
    fn spans(&self, names: &[String]) -> String {
        let place = |name: &str| name.rfind("::").unwrap_or(0);
        let mut before = "";
        let mut spans = Vec::new();
        for name in names {
            let (common, rest) = name.split_at(place(name));
            let again = self.words == Words::Fewest && !common.is_empty() && common == before;
            spans.push(code_span(if again { rest } else { name }));
            before = common;
        }
        spans.join(", ")
    }

    fn decisions(&mut self) {
        let session = self.session;
        if let Some(plan) = session.plan.as_ref().filter(|plan| plan.accepted) {
            let text = format!("Plan that the user accepted: {}", quoted(&plan.text, CONCLUSION));
            self.add(Section::Decisions, rank::DECIDED, text, Evidence::Declared, plan.record);
        }
        for decided in session.decisions.iter().rev() {
            let (rank, text) = match decided.by {
                DecidedBy::User => (rank::DECIDED, told(&decided.text, SENTENCE)),
                DecidedBy::Agent => (rank::SAID, told(&decided.text, SENTENCE)),
            };
            self.add(Section::Decisions, rank, text, Evidence::Declared, decided.record);
        }
        for prompt in session.prompts.iter().rev().filter(|one| one.way == PromptWay::Refusing) {
            let text = format!(
                "The user refused what the agent was about to do: {}",
                quoted(&prompt.text, SENTENCE)
            );
            self.add(Section::Rejected, rank::DECIDED, text, Evidence::Declared, prompt.record);
        }
        let stopped = session.commands.iter().rev().filter(|one| {
            one.outcome == Outcome::Stopped && !passed_later(session, &one.command, one.record)
        });
        for command in stopped.take(STOPPED) {
            let text = format!(
                "The user refused or stopped {}",
                code_span(&one_line(&command.command, 160))
            );
            self.add(Section::Rejected, rank::SAID, text, Evidence::Observed, command.record);
        }
        if let Some(plan) = session.plan.as_ref().filter(|plan| plan.refused) {
            let text =
                format!("A plan that the user did not accept: {}", quoted(&plan.text, SENTENCE));
            self.add(Section::Rejected, rank::SAID, text, Evidence::Observed, plan.record);
        }
        for said in session.rejected.iter().rev() {
            // A command shows it, a sentence says it.
            let is_command = said.text.starts_with('`');
            let evidence = if is_command { Evidence::Observed } else { Evidence::Declared };
            let text = told(&said.text, SENTENCE);
            self.add(Section::Rejected, rank::SAID, text, evidence, said.record);
        }
    }

    fn next(&mut self) {
        let session = self.session;
        let begun = |todo: &&Todo| todo.status == TodoStatus::Begun;
        let open = |todo: &&Todo| todo.status == TodoStatus::Open;
        for todo in session.todos.iter().filter(begun).chain(session.todos.iter().filter(open)) {
            let begun = if todo.status == TodoStatus::Begun { " (begun)" } else { "" };
            let text = format!("{}{begun}", told(&todo.text, self.at_most(STEP, STEP, 100)));
            self.add(Section::Next, rank::OPEN, text, Evidence::Declared, todo.record);
        }
        let unanswered = |prompt: &&Prompt| !prompt.answered || session.interrupted;
        if let Some(prompt) = session.prompts.last().filter(unanswered) {
            let why = if session.interrupted { "The user interrupted" } else { "Not answered yet" };
            let text = format!("{why}: {}", quoted(&prompt.text, SENTENCE));
            self.add(Section::Next, rank::OPEN, text, Evidence::Observed, prompt.record);
        }
        let tracked = session.todos.iter().any(|todo| todo.status.is_open());
        if let Some(said) = session.said.back() {
            for step in announced(&said.text) {
                let rank = if tracked { rank::SAID } else { rank::CONCLUSION };
                self.add(Section::Next, rank, told(step, STEP), Evidence::Declared, said.record);
            }
        }
        if let Some(plan) =
            session.plan.as_ref().filter(|plan| plan.accepted && session.todos.is_empty())
        {
            for step in plan.text.lines().filter_map(|line| list_item(line.trim())).take(STEPS) {
                self.add(
                    Section::Next,
                    rank::SAID,
                    format!("Of the plan: {}", told(step, STEP)),
                    Evidence::Inferred,
                    plan.record,
                );
            }
        }
    }

    fn warnings(&mut self) {
        let session = self.session;
        for check in session.checks.iter().rev() {
            if check.failed_times >= OFTEN && check.outcome == Outcome::Failed {
                let command = code_span(&one_line(&check.command, STEP));
                let text =
                    format!("{command} failed {} of {} times", check.failed_times, check.times);
                self.add(Section::Warnings, rank::WARNING, text, Evidence::Observed, check.record);
            }
        }
        // What checks say stands with the checks.
        let failures = session.failures.iter().rev().filter(|one| check_kind(&one.what).is_none());
        for failure in
            failures.filter(|one| !passed_later(session, &one.what, one.record)).take(FAILURES)
        {
            let what = code_span(&one_line(&failure.what, 160));
            let says = !failure.message.to_lowercase().starts_with("exit code");
            let text = match says && !failure.message.is_empty() {
                false => format!("{what} failed"),
                true => format!("{what} failed: {}", code_span(&one_line(&failure.message, 200))),
            };
            self.add(Section::Warnings, rank::WARNING, text, Evidence::Observed, failure.record);
        }
    }
}

fn count(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// What somebody said, on one line.
/// Whether a command was run again and went well.
fn passed_later(session: &Session, what: &str, record: Record) -> bool {
    session.commands.iter().any(|command| {
        command.record > record && command.command == what && command.outcome == Outcome::Passed
    })
}

fn told(text: &str, most: usize) -> String {
    one_line(text, most)
}

/// What somebody said, in quotes.
fn quoted(text: &str, most: usize) -> String {
    format!("“{}”", visible_line(&one_line(text, most)))
}

/// What a long answer comes down to: its last paragraphs, since the beginning tells how it came there.
fn conclusion(text: &str) -> String {
    let mut taken: Vec<&str> = Vec::new();
    let mut length = 0;
    for part in text
        .split("\n\n")
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
    {
        if !taken.is_empty() && length + part.len() > CONCLUSION {
            break;
        }
        length += part.len();
        taken.push(part);
    }
    taken.reverse();
    taken.join("\n")
}
