//! What happened in a session of an agent, whichever agent it was: the facts that a transcript shows.

mod bounds;
mod branch;
mod briefed;
mod command;
mod cues;
mod explain;
mod form;
mod known;
mod lifted;
mod line;
mod nested;
mod no_tests;
mod notes;
mod own_words;
mod passage;
mod pasted_data;
mod path;
mod phrases;
mod printed;
mod prose;
mod pull_request;
mod recorder;
mod rules;
mod scripts;
mod sentence;
mod subagent;
mod summaries;
mod typed;
mod view;

pub use command::{CheckKind, check_kind};
pub use explain::{Judgement, judge_words};
pub(crate) use no_tests::NO_TESTS;
pub use notes::Notes;
pub(crate) use own_words::own_words;
pub(crate) use passage::{LEAST_WEIGHT, shorten, split_sentences, weigh, without_intentions};
pub(crate) use pasted_data::{kind_of_paste, without_data};
pub use recorder::{End, Recorder};
pub(crate) use sentence::is_strict;
pub use subagent::{SubagentWork, UnfinishedSubagent};
pub use typed::{ToolText, Typed};

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::search::TermReader;
use crate::state::takes_back;
use crate::{StandingRule, Timestamp};

/// Where in a transcript something stands: the number of its record, from 1.
pub type Record = u64;

/// The facts of a session. Bounded, however long the transcript is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    /// The agent, by its word.
    pub agent: String,
    /// The agent's own id of it.
    pub id: Option<String>,
    /// The agent's version, as last told.
    pub version: Option<String>,
    /// What the agent or the user called it.
    pub title: Option<String>,
    /// The directory in which it began, and the one in which it was last.
    pub began_in: Option<String>,
    pub cwd: Option<String>,
    /// Where the repository was cloned from, if that is known: no transcript shows it.
    #[serde(skip)]
    pub origin: Option<String>,
    /// Whether its transcript may be from anybody: what it calls the user's words counts as the agent's.
    #[serde(skip)]
    pub is_unproven: bool,
    pub branch: Option<String>,
    pub model: Option<String>,
    pub began: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    /// How often the user said something.
    pub turns: u64,
    /// What the user said: the first ones and the last ones.
    pub prompts: Vec<Prompt>,
    /// What the user typed while the agent worked, and what the agent has not read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<Said>,
    /// What the user said to hold from then on, in the user's words.
    pub constraints: Vec<StandingRule>,
    /// Sentences in which the user took rules back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taken_back: Vec<RuleTakenBack>,
    /// The last things that the agent said.
    pub said: VecDeque<Said>,
    /// What the agent said on the way, where it is long enough to report something: the newest.
    #[serde(skip_serializing_if = "VecDeque::is_empty")]
    pub reports: VecDeque<Said>,
    /// Sentences in which something was decided.
    pub decisions: Vec<Decided>,
    /// What was tried and given up.
    pub rejected: Vec<Said>,
    /// Traps that the agent found.
    pub gotchas: Vec<Said>,
    /// Calls that have not ended.
    pub running: Vec<Running>,
    /// Where commits were last pushed.
    pub pushed: Option<Record>,
    /// Where a pull request was last opened.
    pub pull_request: Option<Record>,
    pub commands: Vec<Command>,
    /// Commands that were passed over because there are so many.
    pub more_commands: u64,
    /// Commands that test, build or lint, each with how it ended last.
    pub checks: Vec<Check>,
    pub commits: Vec<Commit>,
    pub files: BTreeMap<String, FileUse>,
    pub todos: Vec<Todo>,
    /// The last plan, and whether the user accepted it.
    pub plan: Option<Plan>,
    /// The last things that failed.
    pub failures: VecDeque<Failure>,
    /// Whether the user interrupted the agent and has said nothing since.
    pub interrupted: bool,
    pub compactions: u64,
    /// What the agent summed up when its context was last compacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Said>,
    pub subagents: u64,
    /// Subagents that did not come to their end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfinished_subagents: Vec<UnfinishedSubagent>,
    pub tokens: Tokens,
    /// Tokens that the context held with the last message, and that it can hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// Pages that came out of it, such as pull requests.
    pub links: Vec<String>,
    /// Records in all, and those that nothing could be made of.
    pub records: u64,
    pub damaged: u64,
    pub unknown: u64,
}

impl Session {
    /// What the user said in earlier sessions to hold from then on holds in this one too.
    pub fn hold(&mut self, earlier: &[StandingRule]) {
        if self.is_unproven {
            self.constraints.retain(|said| earlier.iter().all(|rule| rule.text != said.text));
        }
        let mut reader = TermReader::default();
        let mut is_taken_back = |rule: &StandingRule| {
            !self.is_unproven
                && self
                    .taken_back
                    .iter()
                    .any(|said| takes_back(&said.text, &rule.text, &mut reader))
        };
        let is_known =
            |rule: &StandingRule| self.constraints.iter().any(|known| known.text == rule.text);
        let held: Vec<StandingRule> = earlier
            .iter()
            .filter(|rule| !is_known(rule) && !is_taken_back(rule))
            .cloned()
            .collect();
        self.constraints.splice(..0, held);
    }

    /// Whether something was edited, committed or checked after a record.
    pub fn works_after(&self, record: Record) -> bool {
        self.edited_after(record) > 0
            || self.commits.iter().any(|commit| commit.record > record)
            || self.checks.iter().any(|check| check.record > record)
    }

    /// How many files were changed after a record: a check that was run there has not seen them.
    pub fn edited_after(&self, record: Record) -> usize {
        self.files.values().filter(|file| file.is_changed() && file.record > record).count()
    }
}

/// A sentence in which the user took rules back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleTakenBack {
    pub text: String,
    pub record: Record,
    /// The rules of the same session that it was about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<StandingRule>,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub text: String,
    pub record: Record,
}

/// Something that the user said to the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    pub text: String,
    pub record: Record,
    pub at: Option<Timestamp>,
    pub way: PromptWay,
    /// Whether the words are not the user's own: the title of a plan or of a briefing that the user had the
    /// agent take up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passed_on: bool,
    /// Whether the agent answered it.
    pub answered: bool,
    /// The agent's last message so far in this turn.
    #[serde(default)]
    pub answer: Option<Said>,
    /// What it had told the user in this turn before a machine spoke to it, such as a hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_user: Option<Said>,
    /// Where the agent last called a tool in this turn.
    #[serde(default)]
    pub last_call: Record,
    /// Whether the user stopped the agent in this turn.
    #[serde(default)]
    pub interrupted: bool,
    /// Files that were edited in this turn: the first ones.
    #[serde(default)]
    pub edited: Vec<String>,
    /// Files that were edited besides.
    #[serde(default)]
    pub more_edited: u32,
    /// Skills and commands of its own that the agent used in this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
}

impl Prompt {
    /// Whether the turn ended with a message of the agent's, and no call after it.
    pub fn is_handled(&self) -> bool {
        let said = self.answer.as_ref().map_or(0, |said| said.record);
        said > 0 && said >= self.last_call && !self.interrupted
    }
}

/// How the user said it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptWay {
    Typed,
    /// A command of the agent, such as `/review`.
    Command,
    /// While refusing something that the agent wanted to do.
    Refusing,
}

/// Something that was decided, and how that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    pub text: String,
    pub by: DecidedBy,
    pub record: Record,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecidedBy {
    /// The user answered a question.
    User,
    /// The agent said so.
    Agent,
}

/// A command that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    pub command: String,
    pub outcome: Outcome,
    /// The exit code, where the transcript has it.
    pub exit: Option<i32>,
    pub record: Record,
}

/// A call of a tool that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// The agent's id of the call.
    pub call: String,
    /// The command, or the tool and what it is used on.
    pub what: String,
    pub record: Record,
    /// Whether its call has ended and it goes on in the background.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
}

/// How something ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Passed,
    Failed,
    /// Refused by the user, or interrupted.
    Stopped,
    /// The transcript does not say.
    Unknown,
}

/// A command that says whether the work is sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    pub command: String,
    /// What is checked, wherever the output goes and whatever was run beside it.
    #[serde(default)]
    pub name: String,
    pub kind: CheckKind,
    pub outcome: Outcome,
    pub exit: Option<i32>,
    /// Tests that failed the last time.
    pub failing: Vec<String>,
    /// What the agent said of it right after, where the output does not show how it ended.
    #[serde(default)]
    pub claimed: Option<String>,
    /// The line with which it summed up.
    #[serde(default)]
    pub summary: Option<String>,
    pub record: Record,
    pub times: u32,
    pub failed_times: u32,
    /// Whether a subagent did it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_subagent: bool,
}

/// A commit that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    pub id: String,
    pub branch: Option<String>,
    pub subject: String,
    /// What its message says below the subject.
    #[serde(default)]
    pub body: String,
    pub record: Record,
    #[serde(default)]
    pub state: CommitState,
    /// Whether it was pushed while it stood.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pushed: bool,
    /// Whether a subagent did it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_subagent: bool,
}

impl Commit {
    /// What it is called: its id, or its subject where git was told not to print the id.
    pub fn name(&self) -> &str {
        if self.id.is_empty() { &self.subject } else { &self.id }
    }
}

/// What became of a commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommitState {
    #[default]
    Made,
    /// It was made in another repository.
    Elsewhere,
    /// It was replaced, or taken back.
    Gone,
}

/// What was done with a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileUse {
    pub edits: u32,
    pub created: bool,
    pub deleted: bool,
    pub renamed_from: Option<String>,
    pub reads: u32,
    /// Where it was last edited, or else read.
    pub record: Record,
    /// Whether a subagent did it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_subagent: bool,
}

impl FileUse {
    /// Whether the session changed it.
    pub fn is_changed(&self) -> bool {
        self.edits > 0 || self.created || self.deleted || self.renamed_from.is_some()
    }
}

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// The agent's id of it, where it has one.
    pub id: Option<String>,
    pub text: String,
    pub status: TodoStatus,
    pub record: Record,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TodoStatus {
    Open,
    Begun,
    Done,
    Dropped,
}

impl TodoStatus {
    /// The status by the words that agents have for it.
    pub fn of(word: &str) -> Self {
        match word {
            "completed" | "done" | "complete" | "finished" => Self::Done,
            "in_progress" | "in-progress" | "active" | "doing" => Self::Begun,
            "deleted" | "cancelled" | "canceled" | "skipped" => Self::Dropped,
            _ => Self::Open,
        }
    }

    /// Whether it is still to be done.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::Begun)
    }
}

/// A plan that the agent proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub text: String,
    pub accepted: bool,
    /// Whether the user said no. Without either, nothing shows what the user thinks of it.
    #[serde(default)]
    pub refused: bool,
    pub record: Record,
}

/// Something that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The command, or the tool and what it was used on.
    pub what: String,
    /// What it said.
    pub message: String,
    pub record: Record,
    /// Whether a subagent did it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_subagent: bool,
}

/// Something that was said or done, as it is told to somebody who reads the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    pub record: Record,
    pub at: Option<Timestamp>,
    pub kind: ToldKind,
    /// What was said, run or used; a path.
    pub text: String,
    /// How it ended, where it was something to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// The line that says most of why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToldKind {
    User,
    Agent,
    Answered,
    Planned,
    Ran,
    Created,
    Edited,
    Deleted,
    Renamed,
    Read,
    /// A tool of which nothing more is known.
    Called,
    Interrupted,
    Compacted,
}

/// Tokens that the model was given and gave, as the agent counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tokens {
    pub input: u64,
    pub output: u64,
}
