//! Plans: the steps of a handover, declared or the caller's own.

use std::fmt;
use std::time::Duration;

use segue_core::digest;
use segue_core::run::{PlannedStep, Policy};

use super::StepRun;

/// How long a command, or one call of git's to a remote, may take unless the plan says otherwise.
pub(crate) const COMMAND_LIMIT: Duration = Duration::from_secs(300);
pub(crate) const REMOTE_LIMIT: Duration = Duration::from_secs(60);

/// What a declared step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Asks git for branch, commit and changed files.
    Collect,
    /// Writes the note into layer 1.
    Note,
    /// Makes layer 2 say where we are now.
    State,
    /// Saves a snapshot of the directory.
    Snapshot,
    /// Moves old handoffs into layer 3.
    Compact {
        /// Older than this many seconds.
        older_than: u64,
    },
    /// Commits the memory, and pushes it if that is asked for.
    Publish(PublishTo),
    /// Pushes what was committed.
    Push(PublishTo),
    /// Runs a program, without a shell.
    Command {
        /// The program and its arguments.
        words: Vec<String>,
    },
}

impl StepKind {
    /// The word that plans use.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Collect => "collect",
            Self::Note => "note",
            Self::State => "state",
            Self::Snapshot => "snapshot",
            Self::Compact { .. } => "compact",
            Self::Publish(_) => "publish",
            Self::Push(_) => "push",
            Self::Command { .. } => "command",
        }
    }
}

/// Where a memory is published to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PublishTo {
    /// Whether nothing is to be published at all, as agent-handover's `null` backend.
    pub nowhere: bool,
    /// The repository, if it is not the one that the run is in.
    pub repo_dir: Option<String>,
    /// What is committed, if it is not the memory.
    pub paths: Vec<String>,
    /// Whether it is pushed too.
    pub push: bool,
    /// The branch; absent: the one that is checked out, or `segue` for a memory elsewhere.
    pub branch: Option<String>,
    /// Whether `main` is meant where no branch is named and the memory lies in the work tree, as
    /// agent-handover does.
    pub main_by_default: bool,
    /// The remote's name, or a URL; absent: what `git config segue.remote` says, else none.
    pub remote: Option<String>,
    /// The message of the commit.
    pub message: Option<String>,
}

/// When a step is done; otherwise it is skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// Always.
    #[default]
    Always,
    /// If there is a note.
    Note,
    /// If there is a state.
    State,
    /// If something in the work tree is not committed.
    Changes,
    /// If there is a remote to publish to.
    Remote,
    /// If no step before has failed.
    Success,
    /// If a step before has failed.
    Failure,
    /// On this branch only.
    Branch(String),
}

/// The words for `when`, as help and errors name them.
pub(crate) const WHEN: &str =
    "always, note, state, changes, remote, success, failure or 'branch NAME'";

impl When {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text.trim() {
            "always" => Self::Always,
            "note" => Self::Note,
            "state" => Self::State,
            "changes" => Self::Changes,
            "remote" => Self::Remote,
            "success" => Self::Success,
            "failure" => Self::Failure,
            other => Self::Branch(other.strip_prefix("branch ")?.trim().to_owned()),
        })
    }
}

/// Why a step failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepFailure {
    /// What went wrong.
    pub why: String,
    /// The end of what its command printed.
    pub output: Option<String>,
    /// Whether another attempt could go better.
    pub again: bool,
}

impl<E: std::error::Error> From<E> for StepFailure {
    fn from(error: E) -> Self {
        Self { why: error.to_string(), output: None, again: true }
    }
}

/// What a step did, in a few words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepDone {
    /// In a few words.
    pub said: Option<String>,
    /// The end of what its command printed.
    pub output: Option<String>,
}

impl From<()> for StepDone {
    fn from((): ()) -> Self {
        Self::default()
    }
}

type Own<'a> = Box<dyn FnMut(&StepRun<'_>) -> Result<StepDone, StepFailure> + 'a>;

pub(crate) enum Action<'a> {
    Declared(StepKind),
    Own(Own<'a>),
}

/// One part of a plan.
#[non_exhaustive]
pub struct Step<'a> {
    /// Its name, which is unique in its plan.
    pub name: String,
    /// When it is done.
    pub when: When,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// How often it is tried again after a failure.
    pub retries: u32,
    /// Whether the run goes on when it fails.
    pub continue_on_error: bool,
    pub(crate) action: Action<'a>,
}

impl fmt::Debug for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.action {
            Action::Declared(kind) => kind.word(),
            Action::Own(_) => "own",
        };
        f.debug_struct("Step")
            .field("name", &self.name)
            .field("kind", &kind)
            .finish_non_exhaustive()
    }
}

impl<'a> Step<'a> {
    /// A step of the caller's own. It is done at least once: if the process dies in the middle of
    /// it, it is done again.
    pub fn new<D: Into<StepDone>, E: Into<StepFailure>>(
        name: impl Into<String>,
        mut act: impl FnMut(&StepRun<'_>) -> Result<D, E> + 'a,
    ) -> Self {
        let act = move |run: &StepRun<'_>| act(run).map(Into::into).map_err(Into::into);
        Self::with(name.into(), Action::Own(Box::new(act)))
    }

    /// A declared step.
    pub fn declared(name: impl Into<String>, kind: StepKind) -> Self {
        Self::with(name.into(), Action::Declared(kind))
    }

    fn with(name: String, action: Action<'a>) -> Self {
        Self {
            name,
            when: When::Always,
            timeout: None,
            retries: 0,
            continue_on_error: false,
            action,
        }
    }

    /// The same step, done on a condition.
    pub fn when(self, when: When) -> Self {
        Self { when, ..self }
    }

    pub(crate) fn kind(&self) -> Option<&StepKind> {
        match &self.action {
            Action::Declared(kind) => Some(kind),
            Action::Own(_) => None,
        }
    }

    /// What tells it from another step of its name. How often it is tried is not part of it.
    fn planned(&self) -> PlannedStep {
        let content = match &self.action {
            Action::Declared(kind) => format!("{kind:?} when {:?}", self.when),
            Action::Own(_) => "own".to_owned(),
        };
        PlannedStep { name: self.name.clone(), digest: digest(&content)[..16].to_owned() }
    }
}

/// The steps of a handover, in their order.
#[derive(Debug, Default)]
pub struct Plan<'a> {
    pub(crate) steps: Vec<Step<'a>>,
}

impl<'a> Plan<'a> {
    /// A plan of these steps.
    pub fn new(steps: impl IntoIterator<Item = Step<'a>>) -> Self {
        Self { steps: steps.into_iter().collect() }
    }

    /// The plan that is run when none is named.
    pub fn standard(push: bool) -> Self {
        let publish = StepKind::Publish(PublishTo { push, ..PublishTo::default() });
        Self::new([
            Step::declared("collect", StepKind::Collect),
            Step::declared("note", StepKind::Note).when(When::Note),
            Step::declared("state", StepKind::State),
            Step::declared("publish", publish).when(When::Remote),
        ])
    }

    /// Names of its steps.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|step| step.name.as_str())
    }

    pub(crate) fn planned(&self) -> Vec<PlannedStep> {
        self.steps.iter().map(Step::planned).collect()
    }

    /// Policies and places for a checkpoint's steps, which may be in another order.
    pub(crate) fn policies<'n>(
        &self,
        names: impl Iterator<Item = &'n str>,
    ) -> (Vec<Policy>, Vec<Option<usize>>) {
        let at: std::collections::HashMap<&str, usize> =
            self.names().enumerate().map(|(at, name)| (name, at)).collect();
        names
            .map(|name| {
                let place = at.get(name).copied();
                let policy = place.map(|at| &self.steps[at]).map(|step| Policy {
                    retries: step.retries,
                    continue_on_error: step.continue_on_error,
                });
                (policy.unwrap_or_default(), place)
            })
            .unzip()
    }

    /// Whether it has a step that hands over a note or a state.
    pub(crate) fn takes_inputs(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.kind(), Some(StepKind::Note | StepKind::State)))
    }

    /// Whether it has nothing to do where nothing is handed over.
    pub(crate) fn needs_input(&self) -> bool {
        let alone = |step: &Step<'_>| {
            !matches!(
                step.kind(),
                Some(
                    StepKind::Collect
                        | StepKind::Note
                        | StepKind::State
                        | StepKind::Publish(_)
                        | StepKind::Push(_)
                )
            )
        };
        self.takes_inputs() && !self.steps.iter().any(alone)
    }
}
