//! Takes down what a reader of transcripts tells, within bounds.

mod shell;
mod story;

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::bounds::{ERROR, cut, error_line};
use super::command::makes_commits;
use super::known::Known;
use super::line::without_fed;
use super::notes::Notes;
use super::sentence::{Demand, demand, is_decision, is_rejected, sentences};
use super::{
    Decided, DecidedBy, Failure, FileUse, Outcome, Plan, Prompt, PromptWay, Record, Said, Session,
    Todo, TodoStatus, ToldKind, check_kind,
};
use crate::Timestamp;

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
    },
    Write {
        path: String,
        how: Write,
    },
    Read {
        path: String,
    },
    Plan(String),
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

    /// Whether this is told for the first time. Asking makes it known.
    pub fn is_first(&mut self, key: &str) -> bool {
        self.known.add(key, self.record)
    }

    /// Whether this was told before.
    pub fn knows(&self, key: &str) -> bool {
        self.known.at(key).is_some()
    }

    /// The user went back to before the record of this. What was said since no longer counts; what
    /// was done stays done.
    pub fn went_back(&mut self, key: &str) {
        if let Some(from) = self.known.at(key) {
            self.session.forget_said(from);
        }
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
        set(&mut self.session.branch, branch);
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

    /// Tokens of a message, which a transcript may tell several times.
    pub fn tokens(&mut self, message: &str, input: u64, output: u64) {
        if self.counted.as_deref() != Some(message) {
            let tokens = &mut self.session.tokens;
            tokens.input = tokens.input.saturating_add(input);
            tokens.output = tokens.output.saturating_add(output);
            set(&mut self.counted, message);
        }
    }

    pub fn link(&mut self, url: &str) {
        let links = &mut self.session.links;
        if links.len() < LINKS && !links.iter().any(|known| known == url) {
            links.push(cut(url, ERROR).into_owned());
        }
    }

    /// The user said something.
    pub fn asked(&mut self, text: &str, way: PromptWay) {
        let text = text.trim();
        if self.aside || text.is_empty() {
            return;
        }
        self.tell(ToldKind::User, text);
        let record = self.record;
        let session = &mut self.session;
        session.turns += 1;
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
        session.demands(text, record);
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
        let text = format!("{} → {}", question.trim(), answer.trim());
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

    /// The agent ran a command.
    pub fn ran(&mut self, call: &str, command: &str) {
        let command = command.trim();
        if command.is_empty() {
            return;
        }
        let line = without_fed(command);
        let (check, commits) = (check_kind(&line).is_some(), makes_commits(&line));
        let line = cut(line.trim(), MESSAGE).into_owned();
        let (at, dir) = (self.listed(command), self.session.cwd.clone());
        self.act(call, command, Act::Run { command: at, line, dir, check, commits });
    }

    pub fn creates(&mut self, call: &str, path: &str) {
        self.act(call, path, Act::Write { path: path.to_owned(), how: Write::Create });
    }

    pub fn edits(&mut self, call: &str, path: &str) {
        self.act(call, path, Act::Write { path: path.to_owned(), how: Write::Edit });
    }

    pub fn deletes(&mut self, call: &str, path: &str) {
        self.act(call, path, Act::Write { path: path.to_owned(), how: Write::Delete });
    }

    pub fn renames(&mut self, call: &str, from: &str, to: &str) {
        let how = Write::Rename(from.to_owned());
        self.act(call, to, Act::Write { path: to.to_owned(), how });
    }

    pub fn reads(&mut self, call: &str, path: &str) {
        self.act(call, path, Act::Read { path: path.to_owned() });
    }

    /// The agent proposed a plan; how the call ends is whether the user accepts it.
    pub fn plans(&mut self, call: &str, plan: &str) {
        self.act(call, "a plan", Act::Plan(cut(plan.trim(), MESSAGE).into_owned()));
    }

    /// The user accepted the last plan.
    pub fn plan_accepted(&mut self) {
        self.session.plan.iter_mut().for_each(|plan| plan.accepted = true);
    }

    /// What the call creates was there before.
    pub fn was_there(&mut self, call: &str) {
        for act in self.pending.get_mut(call).into_iter().flat_map(|call| &mut call.acts) {
            if let Act::Write { how: how @ Write::Create, .. } = act {
                *how = Write::Edit;
            }
        }
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
            .any(|act| matches!(act, Act::Run { check, commits, .. } if *check || *commits));
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
            Act::Run { command, line, dir, check, .. } => {
                self.end_listed(command, end);
                if end.outcome == Outcome::Stopped {
                    return;
                }
                if check {
                    self.check(&line, end, record, output);
                }
                self.commit(&line, dir.as_deref(), end, output);
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
                self.session.plan = Some(Plan { text, accepted, record });
            }
            Act::Write { .. } | Act::Read { .. } | Act::Other => {}
        }
    }

    fn write(&mut self, path: &str, how: Write) {
        let record = self.record;
        let before = match &how {
            Write::Rename(from) => self.session.files.remove(from),
            _ => None,
        };
        let Some(file) = self.file(path) else { return };
        file.record = record;
        match how {
            // What was there before is not created again.
            Write::Create => {
                file.created |= file.reads == 0 && file.edits == 0;
                file.edits += 1;
                file.deleted = false;
            }
            Write::Edit => {
                file.edits += 1;
                file.deleted = false;
            }
            Write::Delete => file.deleted = true,
            Write::Rename(from) => {
                let before = before.unwrap_or_default();
                file.edits += before.edits;
                file.reads += before.reads;
                file.created |= before.created;
                file.deleted = false;
                file.renamed_from = Some(before.renamed_from.unwrap_or(from));
            }
        }
    }

    fn file(&mut self, path: &str) -> Option<&mut FileUse> {
        let files = &mut self.session.files;
        if files.len() >= FILES && !files.contains_key(path) {
            return None;
        }
        Some(files.entry(path.to_owned()).or_default())
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
