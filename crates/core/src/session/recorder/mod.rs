//! Takes down what a reader of transcripts tells, within bounds.

mod back;
mod background;
mod claims;
mod commits;
mod conversation;
mod files;
mod message;
mod published;
mod queue;
mod shell;
mod shell_edits;
mod story;
mod subagents;
mod todos;
mod usage;
mod user_command;

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use self::conversation::keep_newest;
use self::message::commit_message;
use self::published::{opens_by_tool, publishes};
use super::bounds::{ERROR, cut, error_line};
use super::branch::{branch_after, may_switch};
use super::command::{check_kind, check_kind_of, makes_commits};
use super::known::Known;
use super::line::{CommandLine, without_fed};
use super::notes::Notes;
use super::{Failure, FileUse, Outcome, Plan, Record, Running, Session, Todo, ToldKind};
use crate::Timestamp;
use crate::redact::trimmed;

/// Bytes kept of a message and of a command.
const MESSAGE: usize = 8_000;
const COMMAND: usize = 2_000;
const REJECTED: usize = 50;
const RUNNING: usize = 20;
/// Files that are named of a turn.
const EDITED: usize = 12;
const COMMANDS: usize = 5_000;
/// Of the commands the first ones stay; of the others the oldest go, so many at once.
const FIRST_COMMANDS: usize = 1_000;
const COMMANDS_GO: usize = 500;
pub(super) const CHECKS: usize = 200;
pub(super) const COMMITS: usize = 2_000;
pub(super) const FILES: usize = 10_000;
const TODOS: usize = 500;
pub(super) const FAILURES: usize = 20;
const LINKS: usize = 50;
/// Calls that wait for their result. An agent that dies leaves some.
const PENDING: usize = 1_000;

/// How a call of a tool ended.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
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
        /// The message of the commit that it makes.
        #[serde(default)]
        message: Option<String>,
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
    /// A skill, by its name.
    Skill(String),
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
    /// What it printed so far.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    printed: String,
    /// How it ended, if what it printed is still to be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<End>,
    /// Where it stands in the story.
    #[serde(skip)]
    told: Vec<usize>,
}

impl Act {
    /// Whether something is looked for in what it prints.
    fn reads_output(&self) -> bool {
        matches!(self, Self::Run { check, commits, switches, line, .. } if *check || *commits || *switches || publishes(line))
    }
}

/// A session in the making. Can be kept and gone on with.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Recorder {
    session: Session,
    pending: HashMap<String, Call>,
    /// The messages whose tokens were counted last.
    #[serde(default)]
    counted: usage::Counted,
    /// What the user typed while the agent was at work.
    #[serde(default)]
    queue: queue::Queue,
    record: Record,
    at: Option<Timestamp>,
    /// Whether what follows is of a subagent: what is said there is between machines.
    aside: bool,
    /// Whether the whole transcript is.
    all_aside: bool,
    /// Whether it is only about a subagent, whose words are heard then.
    #[serde(default)]
    is_subagents: bool,
    /// The last record in which the agent did something.
    #[serde(default)]
    acted: Record,
    /// Whether the agent answers a request of ours to save, and not the user.
    #[serde(default)]
    answers_us: bool,
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
        self.aside = !self.is_subagents;
    }

    /// The transcript is of a subagent.
    pub fn all_aside(&mut self) {
        (self.aside, self.all_aside) = (!self.is_subagents, !self.is_subagents);
    }

    /// A recorder of what a subagent does, in whose transcript it speaks for itself.
    pub fn for_subagent(agent: &str) -> Self {
        Self { is_subagents: true, ..Self::new(agent) }
    }

    /// Whether the agent said something after all that it did.
    pub fn is_at_rest(&self) -> bool {
        let last = self.session.said.back().map_or(0, |said| said.record);
        self.pending.is_empty() && !self.session.interrupted && last > self.acted
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
        if !self.aside {
            self.session.context_tokens = None;
        }
    }

    pub fn link(&mut self, url: &str) {
        let links = &mut self.session.links;
        if links.len() < LINKS && !links.iter().any(|known| known == url) {
            links.push(cut(url, ERROR).into_owned());
        }
    }

    /// The agent called a tool of which nothing more matters than whether it fails.
    pub fn called(&mut self, call: &str, what: &str) {
        self.act(call, what, Act::Other);
    }

    /// The agent ran a command.
    pub fn ran(&mut self, call: &str, command: &str) {
        self.ran_in(call, command, None);
    }

    /// The agent ran a command in a directory.
    pub fn ran_in(&mut self, call: &str, command: &str, dir: Option<&str>) {
        if command.trim().is_empty() {
            return;
        }
        let command = &*trimmed(command);
        let line = without_fed(command);
        let taken_apart = CommandLine::of(&line);
        let check = match line.contains("<<") {
            true => check_kind(&line).is_some(),
            false => check_kind_of(&taken_apart).is_some(),
        };
        let commits = makes_commits(&taken_apart);
        if check {
            self.check_begins(&taken_apart);
        }
        let here = self.follows_branch
            && !self.aside
            && dir.is_none_or(|dir| self.session.cwd.as_deref() == Some(dir));
        let switches = here && (commits || may_switch(&line));
        let line = cut(line.trim(), MESSAGE).into_owned();
        let dir = dir.map(str::to_owned).or_else(|| self.session.cwd.clone());
        let at = self.listed(command);
        let message = commits.then(|| commit_message(command)).flatten();
        let act = Act::Run { command: at, line, dir, check, commits, switches, message };
        self.act(call, command, act);
    }

    /// The agent proposed a plan; how the call ends is whether the user accepts it.
    pub fn plans(&mut self, call: &str, plan: &str) {
        self.act(call, "a plan", Act::Plan(cut(&trimmed(plan), MESSAGE).into_owned()));
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

    /// Whether the call does nothing but run, read or write, plan, or keep to-dos.
    pub fn acts_only(&self, call: &str) -> bool {
        let acts = self.pending.get(call).map(|call| &call.acts);
        acts.is_some_and(|acts| !acts.iter().any(|act| matches!(act, Act::Other | Act::Skill(_))))
    }

    /// What a call is about, if it is one call of one tool of which nothing more is known.
    pub fn only_tool(&self, call: &str) -> Option<&str> {
        let call = self.pending.get(call)?;
        matches!(call.acts[..], [Act::Other]).then_some(call.what.as_str())
    }

    fn act(&mut self, call: &str, what: &str, act: Act) {
        let by_user = call == user_command::CALL;
        if !by_user {
            self.acted = self.record;
        }
        if !self.aside
            && !by_user
            && !self.answers_us
            && let Some(prompt) = self.session.prompts.last_mut()
        {
            prompt.answered = true;
            // Keeping the list of to-dos is no work on the request.
            if !matches!(act, Act::Todos(_)) {
                prompt.last_call = self.record;
            }
        }
        if !self.aside && !by_user && !self.answers_us && !matches!(act, Act::Todos(_)) {
            self.runs(call, what, self.record, false);
        }
        let told = self.tell_act(&act, what);
        // A command was cut when it was listed.
        let listed = self.session.commands.last().filter(|_| matches!(act, Act::Run { .. }));
        let listed = listed.map(|listed| listed.command.clone());
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
        // Most calls do not fail: then nothing of it is told.
        let what = listed.unwrap_or_else(|| cut(what, COMMAND).into_owned());
        let record = self.record;
        let (acts, told) = (vec![act], told.into_iter().collect());
        let one = Call { acts, what, record, printed: String::new(), end: None, told };
        self.pending.insert(call.to_owned(), one);
    }

    /// A call began that has not ended yet, or goes on in the background.
    fn runs(&mut self, call: &str, what: &str, record: Record, background: bool) {
        let running = &mut self.session.running;
        if running.iter().all(|known| known.call != call) {
            let what = cut(what, COMMAND).into_owned();
            running.push(Running { call: call.to_owned(), what, record, background });
            if running.len() > RUNNING {
                running.remove(0);
            }
        }
    }

    /// A call ended. What it printed is asked for only if something is looked for in it.
    pub fn ended<'o>(&mut self, call: &str, end: End, output: impl FnOnce() -> Cow<'o, str>) {
        self.session.running.retain(|running| running.call != call);
        let Some(Call { acts, mut what, record, told, printed, .. }) = self.pending.remove(call)
        else {
            return;
        };
        let failed = end.outcome == Outcome::Failed;
        let opens = opens_by_tool(&what) && end.outcome == Outcome::Passed;
        let reads = opens || acts.iter().any(|act| act.reads_output() || self.shows_task(act));
        let output = if failed || reads { output() } else { Cow::Borrowed("") };
        let output = Call::whole(&printed, output);
        if opens {
            self.opened_by_tool(&output);
        }
        for act in files::each_once(acts) {
            if let Act::Run { line, check: true, .. } = &act {
                what = shell::name_of(line, ERROR);
            }
            self.end_act(act, end, record, &output);
        }
        let message = if failed { error_line(&output) } else { String::new() };
        self.tell_end(&told, end, Some(&message));
        if failed && !self.answers_us {
            let what = cut(&what, ERROR).into_owned();
            let (record, by_subagent) = (self.record, self.aside);
            self.session.failures.push_back(Failure { what, message, record, by_subagent });
            if self.session.failures.len() > FAILURES {
                self.session.failures.pop_front();
            }
        }
    }

    fn end_act(&mut self, act: Act, end: End, record: Record, output: &str) {
        match act {
            Act::Run { command, line, dir, check, switches, message, .. } => {
                self.end_listed(command, end);
                if end.outcome == Outcome::Stopped {
                    if check {
                        self.check_stopped(record);
                    }
                    return;
                }
                let line = CommandLine::of(&line);
                if check {
                    self.check(&line, end, record, output);
                }
                let before = self.session.commits.len();
                self.commit(&line, dir.as_deref(), end, output);
                let ran = (&line, dir.as_deref());
                self.describe_commits(before, message.as_deref(), ran, (end, output));
                self.publish(&line, dir.as_deref(), end, output);
                if switches {
                    let dir = self.session.cwd.as_deref().unwrap_or_default();
                    let passed = end.outcome == Outcome::Passed;
                    let branch = branch_after(&line, output, passed, dir);
                    branch.iter().for_each(|branch| self.branch(branch));
                }
                if end.outcome == Outcome::Passed {
                    self.shell(&line, dir, record, output);
                }
            }
            Act::Write { path, how }
                if end.outcome != Outcome::Failed && end.outcome != Outcome::Stopped =>
            {
                self.write(&path, how);
            }
            Act::Read { path } if end.outcome != Outcome::Failed => self.read(&path, output),
            Act::Plan(text) => {
                let accepted = end.outcome == Outcome::Passed;
                let refused = matches!(end.outcome, Outcome::Failed | Outcome::Stopped);
                self.session.plan = Some(Plan { text, accepted, refused, record });
            }
            Act::Todos(before) if matches!(end.outcome, Outcome::Failed | Outcome::Stopped) => {
                self.session.todos = before;
            }
            Act::Skill(name) if end.outcome == Outcome::Passed => self.skill_worked(name),
            Act::Write { .. } | Act::Read { .. } | Act::Todos(_) | Act::Skill(_) | Act::Other => {}
        }
    }
}

fn set(place: &mut Option<String>, text: &str) {
    if !text.is_empty() && place.as_deref() != Some(text) {
        *place = Some(cut(text, COMMAND).into_owned());
    }
}
