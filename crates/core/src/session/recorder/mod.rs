//! Takes down what a reader of transcripts tells, within bounds.

mod back;
mod commits;
mod files;
mod shell;
mod story;
mod usage;

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::bounds::{ERROR, cut, error_line};
use super::branch::{branch_after, may_switch};
use super::briefed::{Briefed, briefed};
use super::command::makes_commits;
use super::known::Known;
use super::lifted::may_lift;
use super::line::without_fed;
use super::notes::Notes;
use super::prose::sentences;
use super::sentence::{Demand, asks_for_secret, demand, is_decision, is_rejected, may_tell};
use super::{
    Decided, DecidedBy, Failure, FileUse, Outcome, Plan, Prompt, PromptWay, Record, Said, Session,
    Todo, TodoStatus, ToldKind, check_kind,
};
use crate::Timestamp;
use crate::own_words::is_question;

/// Bytes kept of a message and of a command.
const MESSAGE: usize = 8_000;
const COMMAND: usize = 2_000;
/// How many are kept of each thing.
const FIRST_PROMPTS: usize = 20;
const PROMPTS: usize = 500;
const CONSTRAINTS: usize = 300;
const REMARKS: usize = 50;
const SAID: usize = 4;
const DECISIONS: usize = 100;
const REJECTED: usize = 50;
const COMMANDS: usize = 5_000;
/// Of the commands the first ones stay; of the others the oldest go, so many at once.
const FIRST_COMMANDS: usize = 1_000;
const COMMANDS_GO: usize = 500;
const CHECKS: usize = 200;
const COMMITS: usize = 2_000;
const FILES: usize = 10_000;
const TODOS: usize = 500;
const FAILURES: usize = 20;
const LINKS: usize = 50;
/// Calls that wait for their result. An agent that dies leaves some.
const PENDING: usize = 1_000;

/// Stands for an answer that nobody needs to know.
const SECRET_ANSWER: &str = "[redacted: answer]";

/// How a call of a tool ended.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub outcome: Outcome,
    pub exit: Option<i32>,
}

/// What a call of a tool does, as far as it matters.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Act {
    Run {
        /// How many commands were before it.
        command: usize,
        /// The line without what it feeds to commands.
        #[serde(default)]
        line: String,
        /// Where it runs: it may go elsewhere itself.
        #[serde(default)]
        dir: Option<String>,
        check: bool,
        commits: bool,
        /// Whether it may change the branch.
        #[serde(default)]
        switches: bool,
    },
    Write {
        path: String,
        how: Write,
    },
    Read {
        path: String,
    },
    Plan(String),
    /// What was to do before.
    Todos(Vec<Todo>),
    Other,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Write {
    Create,
    Edit,
    Delete,
    Rename(String),
}

/// A call that has not ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Call {
    acts: Vec<Act>,
    what: String,
    record: Record,
    /// Where it stands in the story.
    #[serde(skip)]
    told: Vec<usize>,
}

/// A session in the making. Can be kept and gone on with.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Recorder {
    session: Session,
    pending: HashMap<String, Call>,
    /// The message whose tokens were counted last.
    counted: Option<String>,
    record: Record,
    at: Option<Timestamp>,
    /// Whether what follows is of a subagent: what is said there is between machines.
    aside: bool,
    /// Whether the whole transcript is.
    all_aside: bool,
    /// Whether commands show which branch it is.
    #[serde(default)]
    follows_branch: bool,
    /// What a reader has to know again at a later record.
    #[serde(default)]
    pub notes: Notes,
    /// The story, if somebody wants it.
    #[serde(skip)]
    story: Option<story::Story>,
    /// Files as they were before they were moved: where to, where from.
    #[serde(default)]
    moved: VecDeque<(String, String, FileUse)>,
    /// What was told already, for transcripts that repeat themselves.
    #[serde(default)]
    known: Known,
}

impl Recorder {
    pub fn new(agent: &str) -> Self {
        let session = Session { agent: agent.to_owned(), ..Session::default() };
        Self { session, ..Self::default() }
    }

    /// What is known so far.
    pub fn session(&self) -> &Session {
        &self.session
    }

    pub fn into_session(self) -> Session {
        self.session
    }

    /// The next record of the transcript.
    pub fn next_record(&mut self) -> Record {
        self.record += 1;
        self.session.records = self.record;
        self.at = None;
        self.aside = self.all_aside;
        self.record
    }

    /// A record that nothing could be made of.
    pub fn damaged(&mut self) {
        self.session.damaged += 1;
    }

    /// A record of a kind that is not known.
    pub fn unknown(&mut self) {
        self.session.unknown += 1;
    }

    /// When the record was written.
    pub fn at(&mut self, at: Timestamp) {
        self.at = Some(at);
        let session = &mut self.session;
        if session.began.is_none_or(|began| at < began) {
            session.began = Some(at);
        }
        if session.ended.is_none_or(|ended| at > ended) {
            session.ended = Some(at);
        }
    }

    /// The record is of a subagent.
    pub fn aside(&mut self) {
        self.aside = true;
    }

    /// The transcript is of a subagent.
    pub fn all_aside(&mut self) {
        (self.aside, self.all_aside) = (true, true);
    }

    pub fn id(&mut self, id: &str) {
        set(&mut self.session.id, id);
    }

    pub fn version(&mut self, version: &str) {
        set(&mut self.session.version, version);
    }

    pub fn title(&mut self, title: &str) {
        set(&mut self.session.title, title);
    }

    pub fn cwd(&mut self, cwd: &str) {
        if self.session.began_in.is_none() {
            set(&mut self.session.began_in, cwd);
        }
        set(&mut self.session.cwd, cwd);
    }

    pub fn branch(&mut self, branch: &str) {
        // What git calls a working tree that is on none.
        if branch != "HEAD" {
            set(&mut self.session.branch, branch);
        }
    }

    /// The branch, as it is told once: from then on, commands show where it changes.
    pub fn began_on(&mut self, branch: &str) {
        self.branch(branch);
        self.follows_branch = true;
    }

    pub fn model(&mut self, model: &str) {
        set(&mut self.session.model, model);
    }

    pub fn subagent(&mut self) {
        self.session.subagents += 1;
    }

    pub fn compacted(&mut self) {
        self.tell(ToldKind::Compacted, "");
        self.session.compactions += 1;
    }

    pub fn link(&mut self, url: &str) {
        let links = &mut self.session.links;
        if links.len() < LINKS && !links.iter().any(|known| known == url) {
            links.push(cut(url, ERROR).into_owned());
        }
    }

    /// The user said something.
    pub fn asked(&mut self, text: &str, way: PromptWay) {
        // A question of `snapshot --ask` is not the user's.
        if is_question(text) {
            return;
        }
        let text = match briefed(text) {
            Some(briefed) => self.took_over(&briefed, way),
            None => text,
        };
        self.wants(text, way);
        if !self.aside {
            self.session.demands(text.trim(), self.record);
        }
    }

    /// The agent was started with a briefing. Gives what somebody said besides.
    fn took_over<'t>(&mut self, briefed: &Briefed<'t>, way: PromptWay) -> &'t str {
        if !self.aside {
            let record = self.record;
            for text in &briefed.constraints {
                keep_newest(&mut self.session.constraints, CONSTRAINTS, text, record);
            }
            if let Some(title) = briefed.title {
                self.tell(ToldKind::User, title);
                self.prompt(title, way);
            }
        }
        briefed.rest
    }

    /// The user wants something, in words that are not the user's own.
    pub fn wants(&mut self, text: &str, way: PromptWay) {
        let text = text.trim();
        if self.aside || text.is_empty() {
            return;
        }
        self.tell(ToldKind::User, text);
        self.session.turns += 1;
        self.prompt(text, way);
    }

    fn prompt(&mut self, text: &str, way: PromptWay) {
        let record = self.record;
        let session = &mut self.session;
        session.interrupted = false;
        let prompt = Prompt {
            text: cut(text, MESSAGE).into_owned(),
            record,
            at: self.at,
            way,
            answered: false,
        };
        session.prompts.push(prompt);
        if session.prompts.len() > PROMPTS {
            session.prompts.remove(FIRST_PROMPTS);
        }
    }

    /// The agent said something.
    pub fn said(&mut self, text: &str) {
        let text = text.trim();
        if self.aside || text.is_empty() {
            return;
        }
        self.tell(ToldKind::Agent, text);
        let record = self.record;
        let session = &mut self.session;
        if let Some(prompt) = session.prompts.last_mut() {
            prompt.answered = true;
        }
        session.said.push_back(Said { text: cut(text, MESSAGE).into_owned(), record });
        if session.said.len() > SAID {
            session.said.pop_front();
        }
        if !may_tell(text) {
            return;
        }
        sentences(text, |sentence| {
            if is_decision(sentence) {
                decide(&mut session.decisions, sentence, DecidedBy::Agent, record);
            } else if is_rejected(sentence) {
                keep_newest(&mut session.rejected, REJECTED, sentence, record);
            }
        });
    }

    /// The user answered a question.
    pub fn answered(&mut self, question: &str, answer: &str) {
        // What somebody answers to that is one, whatever it looks like.
        let answer = if asks_for_secret(question) { SECRET_ANSWER } else { answer.trim() };
        let text = format!("{} → {answer}", question.trim());
        self.tell(ToldKind::Answered, &text);
        let record = self.record;
        decide(&mut self.session.decisions, &text, DecidedBy::User, record);
        self.session.demands(answer, record);
    }

    /// The user stopped the agent.
    pub fn interrupted(&mut self) {
        if !self.aside {
            self.tell(ToldKind::Interrupted, "");
            self.session.interrupted = true;
        }
    }

    /// The whole list of what is to do.
    pub fn todos<'t>(
        &mut self,
        todos: impl Iterator<Item = (Option<&'t str>, &'t str, TodoStatus)>,
    ) {
        if self.aside {
            return;
        }
        let record = self.record;
        self.session.todos = todos
            .take(TODOS)
            .map(|(id, text, status)| Todo {
                id: id.map(str::to_owned),
                text: cut(text.trim(), COMMAND).into_owned(),
                status,
                record,
            })
            .collect();
    }

    /// One thing to do, by its id: made, or changed.
    pub fn todo(&mut self, id: &str, text: Option<&str>, status: Option<TodoStatus>) {
        if self.aside {
            return;
        }
        let record = self.record;
        let todos = &mut self.session.todos;
        let text = text.map(|text| cut(text.trim(), COMMAND).into_owned());
        if let Some(todo) = todos.iter_mut().find(|todo| todo.id.as_deref() == Some(id)) {
            todo.text = text.unwrap_or_else(|| std::mem::take(&mut todo.text));
            todo.status = status.unwrap_or(todo.status);
            todo.record = record;
        } else if let Some(text) = text.filter(|_| todos.len() < TODOS) {
            let status = status.unwrap_or(TodoStatus::Open);
            todos.push(Todo { id: Some(id.to_owned()), text, status, record });
        }
    }

    /// The agent called a tool of which nothing more matters than whether it fails.
    pub fn called(&mut self, call: &str, what: &str) {
        self.act(call, what, Act::Other);
    }

    /// The agent is about to change what is to do. If the call fails, it is as before.
    pub fn changes_todos(&mut self, call: &str, what: &str) {
        self.act(call, what, Act::Todos(self.session.todos.clone()));
    }

    /// The agent ran a command.
    pub fn ran(&mut self, call: &str, command: &str) {
        self.ran_in(call, command, None);
    }

    /// The agent ran a command in a directory.
    pub fn ran_in(&mut self, call: &str, command: &str, dir: Option<&str>) {
        let command = command.trim();
        if command.is_empty() {
            return;
        }
        let line = without_fed(command);
        let (check, commits) = (check_kind(&line).is_some(), makes_commits(&line));
        let here = self.follows_branch
            && !self.aside
            && dir.is_none_or(|dir| self.session.cwd.as_deref() == Some(dir));
        let switches = here && (commits || may_switch(&line));
        let line = cut(line.trim(), MESSAGE).into_owned();
        let dir = dir.map(str::to_owned).or_else(|| self.session.cwd.clone());
        let at = self.listed(command);
        self.act(call, command, Act::Run { command: at, line, dir, check, commits, switches });
    }

    /// The agent proposed a plan; how the call ends is whether the user accepts it.
    pub fn plans(&mut self, call: &str, plan: &str) {
        self.act(call, "a plan", Act::Plan(cut(plan.trim(), MESSAGE).into_owned()));
    }

    /// The user accepted the last plan.
    pub fn plan_accepted(&mut self) {
        let plan = self.session.plan.iter_mut();
        plan.for_each(|plan| (plan.accepted, plan.refused) = (true, false));
    }

    /// What a call that has not ended is about.
    pub fn what(&self, call: &str) -> Option<&str> {
        self.pending.get(call).map(|call| call.what.as_str())
    }

    /// Whether the call runs a command.
    pub fn is_run(&self, call: &str) -> bool {
        let acts = self.pending.get(call).map(|call| &call.acts);
        acts.is_some_and(|acts| acts.iter().any(|act| matches!(act, Act::Run { .. })))
    }

    /// Whether the call changes a file.
    pub fn is_write(&self, call: &str) -> bool {
        let acts = self.pending.get(call).map(|call| &call.acts);
        acts.is_some_and(|acts| acts.iter().any(|act| matches!(act, Act::Write { .. })))
    }

    fn act(&mut self, call: &str, what: &str, act: Act) {
        if !self.aside
            && let Some(prompt) = self.session.prompts.last_mut()
        {
            prompt.answered = true;
        }
        let told = self.tell_act(&act, what);
        if let Some(known) = self.pending.get_mut(call) {
            known.acts.push(act);
            known.told.extend(told);
            return;
        }
        if self.pending.len() >= PENDING
            && let Some(oldest) = self.pending.iter().map(|(id, call)| (call.record, id)).min()
        {
            let oldest = oldest.1.clone();
            self.pending.remove(&oldest);
        }
        let what = cut(what, ERROR).into_owned();
        self.pending.insert(
            call.to_owned(),
            Call { acts: vec![act], what, record: self.record, told: told.into_iter().collect() },
        );
    }

    /// A call ended. What it printed is asked for only if something is looked for in it.
    pub fn ended<'o>(&mut self, call: &str, end: End, output: impl FnOnce() -> Cow<'o, str>) {
        let Some(Call { acts, mut what, record, told }) = self.pending.remove(call) else { return };
        let failed = end.outcome == Outcome::Failed;
        let reads = acts
            .iter()
            .any(|act| matches!(act, Act::Run { check, commits, switches, .. } if *check || *commits || *switches));
        let output = if failed || reads { output() } else { Cow::Borrowed("") };
        for act in acts {
            if let Act::Run { line, check: true, .. } = &act {
                what = shell::name_of(line, ERROR);
            }
            self.end_act(act, end, record, &output);
        }
        let message = if failed { error_line(&output) } else { String::new() };
        self.tell_end(&told, end, Some(&message));
        if failed {
            self.session.failures.push_back(Failure { what, message, record: self.record });
            if self.session.failures.len() > FAILURES {
                self.session.failures.pop_front();
            }
        }
    }

    fn end_act(&mut self, act: Act, end: End, record: Record, output: &str) {
        match act {
            Act::Run { command, line, dir, check, switches, .. } => {
                self.end_listed(command, end);
                if end.outcome == Outcome::Stopped {
                    return;
                }
                if check {
                    self.check(&line, end, record, output);
                }
                self.commit(&line, dir.as_deref(), end, output);
                if switches {
                    let dir = self.session.cwd.as_deref().unwrap_or_default();
                    let passed = end.outcome == Outcome::Passed;
                    let branch = branch_after(&line, output, passed, dir);
                    branch.iter().for_each(|branch| self.branch(branch));
                }
                if end.outcome == Outcome::Passed {
                    self.shell(&line, dir, record);
                }
            }
            Act::Write { path, how }
                if end.outcome != Outcome::Failed && end.outcome != Outcome::Stopped =>
            {
                self.write(&path, how);
            }
            Act::Read { path } if end.outcome != Outcome::Failed => {
                let record = self.record;
                if let Some(file) = self.file(&path) {
                    file.reads += 1;
                    if !file.is_changed() {
                        file.record = record;
                    }
                }
            }
            Act::Plan(text) => {
                let accepted = end.outcome == Outcome::Passed;
                let refused = matches!(end.outcome, Outcome::Failed | Outcome::Stopped);
                self.session.plan = Some(Plan { text, accepted, refused, record });
            }
            Act::Todos(before) if matches!(end.outcome, Outcome::Failed | Outcome::Stopped) => {
                self.session.todos = before;
            }
            Act::Write { .. } | Act::Read { .. } | Act::Todos(_) | Act::Other => {}
        }
    }
}

impl Session {
    /// Takes down the sentences of the user's that say how things have to be done.
    fn demands(&mut self, text: &str, record: Record) {
        sentences(text, |sentence| match demand(sentence) {
            Some(Demand::Constraint) => {
                keep_newest(&mut self.constraints, CONSTRAINTS, sentence, record);
            }
            Some(Demand::Remark) => keep_newest(&mut self.remarks, REMARKS, sentence, record),
            None if may_lift(sentence, &self.constraints) => {
                keep_newest(&mut self.constraints, CONSTRAINTS, sentence, record);
            }
            None => {}
        });
    }
}

fn set(place: &mut Option<String>, text: &str) {
    if !text.is_empty() && place.as_deref() != Some(text) {
        *place = Some(cut(text, COMMAND).into_owned());
    }
}

/// Keeps what was said, the newest of what is said twice, at most so many.
fn keep_newest(list: &mut Vec<Said>, most: usize, text: &str, record: Record) {
    list.retain(|known| known.text != text);
    list.push(Said { text: text.to_owned(), record });
    if list.len() > most {
        list.remove(0);
    }
}

fn decide(list: &mut Vec<Decided>, text: &str, by: DecidedBy, record: Record) {
    list.retain(|known| known.text != text);
    list.push(Decided { text: cut(text, COMMAND).into_owned(), by, record });
    if list.len() > DECISIONS {
        list.remove(0);
    }
}
