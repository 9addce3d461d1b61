//! What can go wrong, in words for a person, with a kind that decides the exit code.

mod bundle_problem;
mod continue_problem;
mod key_from;
mod key_problem;
mod kind;
mod passed_over;
mod vault_problem;

use std::path::PathBuf;

use segue_core::run::PlanChanged;
use segue_core::{
    HandoffId, HandoffKind, KindError, NameError, ProjectId, SelectorError, SpanError,
};
use segue_share::peers::PeerError;
use segue_store::StoreError;

use crate::config::ConfigError;
use crate::here::Paused;

pub use bundle_problem::BundleProblem;
pub use continue_problem::ContinueProblem;
pub use key_from::KeyFrom;
pub use key_problem::KeyProblem;
pub use kind::Kind;
pub use passed_over::{PassedOver, PassedOverFor};
pub use vault_problem::VaultProblem;

/// One of several handoffs that a selector could mean.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Match {
    /// Its id.
    pub id: HandoffId,
    /// The label of its project.
    pub project: String,
    /// Its title.
    pub title: String,
}

/// Why a use case failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A name, label or tag is not one.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A label with a secret in it, and of what kind that is.
    #[error("there is a secret in the project's name ({0})")]
    SecretLabel(String),
    /// A time to live or a span is not one.
    #[error(transparent)]
    Span(#[from] SpanError),
    /// A selector is not one.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// A word that is no kind of handoff.
    #[error(transparent)]
    Kind(#[from] KindError),
    /// Nothing was given to save.
    #[error("there is nothing to save: no body, title, summary or next step")]
    Empty,
    /// The body is too large.
    #[error("the body is larger than {} MiB", segue_core::MAX_HANDOFF_BYTES / 1024 / 1024)]
    TooLarge,
    /// No agent has a session of this id.
    #[error("no agent has a session '{0}' on this machine")]
    NoSession(String),
    /// What a hook was told names no session.
    #[error("the payload names no session and no transcript")]
    NoSessionTold,
    /// There is no such file.
    #[error("there is no transcript {}", .0.display())]
    NoTranscript(PathBuf),
    /// A transcript is not of the session of this id.
    #[error("there is no session '{id}' in {}", .path.display())]
    NoSessionIn {
        /// The transcript.
        path: PathBuf,
        /// The id.
        id: String,
    },
    /// An agent has no session here.
    #[error("{0} has no session in this directory")]
    NoSessionHere(String),
    /// The transcripts of an agent cannot be read.
    #[error("the transcripts of '{0}' cannot be read")]
    NoTranscripts(String),
    /// A file is no transcript of a known agent.
    #[error("{} is not a transcript of an agent that is known", .0.display())]
    NotATranscript(PathBuf),
    /// A transcript cannot be read.
    #[error("cannot read {}: {reason}", .path.display())]
    Transcript {
        /// The transcript, or the directory that it would be in.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// No handoff has this id.
    #[error("no handoff has the id '{0}'")]
    NoId(String),
    /// The file of this id is there and cannot be read.
    #[error("cannot read {}: {reason}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No handoff has this name here.
    #[error("no handoff is named '{name}' {place}")]
    NoName {
        /// The name.
        name: String,
        /// Where it was looked for.
        place: String,
        /// Labels of projects that have one.
        elsewhere: Vec<String>,
        /// One of this name that is here and is not meant by it.
        passed_over: Option<PassedOver>,
    },
    /// A query has no words.
    #[error("there is nothing to look for in the query")]
    NoWords,
    /// There is no handoff at all.
    #[error("there is no handoff {0}")]
    None(String),
    /// Nothing is here, and another project's is not taken for it.
    #[error("nothing is saved here")]
    NothingHere,
    /// A handoff of a kind that says nothing of where things stand.
    #[error("{id} is {}: nothing goes on from that", kind_in_words(*kind))]
    NothingToGoOnFrom {
        /// The handoff.
        id: HandoffId,
        /// What it is.
        kind: HandoffKind,
    },
    /// No handoff was left on this branch.
    #[error("no handoff of this project was left on the branch '{0}'")]
    NoBranch(String),
    /// What the user said is not for somebody else to close.
    #[error("{id} is a {kind} that the user said: only the user closes or reopens it")]
    OnlyTheUser {
        /// The item.
        id: String,
        /// What it is.
        kind: segue_core::StateItemKind,
    },
    /// No item of the project has this id.
    #[error("no item '{0}' is known here")]
    NoItem(String),
    /// A selector fits several handoffs.
    #[error("'{word}' fits {} handoffs", matches.len())]
    Ambiguous {
        /// What was given.
        word: String,
        /// What it fits, newest first.
        matches: Vec<Match>,
        /// Whether there are more than these.
        more: bool,
    },
    /// A name is used in several projects, none of them this one.
    #[error("'{name}' is a name in several projects and none of them is here")]
    SeveralProjects {
        /// The name.
        name: String,
        /// Their labels.
        labels: Vec<String>,
    },
    /// A label belongs to several projects.
    #[error("'{label}' is the label of several projects")]
    SeveralLabels {
        /// The label.
        label: String,
        /// Their ids, which tell them apart.
        projects: Vec<ProjectId>,
    },
    /// A directory that was named is not there.
    #[error("the directory {} does not exist", .0.display())]
    NoDirectory(PathBuf),
    /// What was named as a directory is a file.
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// What was asked for needs a work tree of git.
    #[error("{} is not in a work tree of git", .0.display())]
    NoWorkTree(PathBuf),
    /// A file of the workspace is a directory, a pipe or the like.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// A file of the workspace is a link to something outside of it.
    #[error("{} is a link that leads out of the directory, and is left alone", .0.display())]
    LinksOut(PathBuf),
    /// A file of the workspace was changed by somebody else at the same moment.
    #[error("{} was changed at the same moment and is left as it is", .0.display())]
    ChangedMeanwhile(PathBuf),
    /// The current directory is gone.
    #[error("cannot find the current directory: {0}")]
    NoCurrent(String),
    /// No project has this label or id.
    #[error("there is no project '{0}'")]
    NoProject(String),
    /// A handoff of a newer format cannot be written again.
    #[error("handoff {0} is of a newer format than this version of Segue writes")]
    Newer(HandoffId),
    /// A handoff that no bundle can hold, and why.
    #[error("handoff {id} cannot go into a bundle: {reason}")]
    NotExportable {
        /// Which one.
        id: HandoffId,
        /// Why.
        reason: String,
    },
    /// A handoff of a kind that this version does not know: what it says is not understood well enough.
    #[error("handoff {0} is of a kind that this version of Segue does not know")]
    UnknownKind(HandoffId),
    /// Nothing would change.
    #[error("nothing was changed")]
    Unchanged,
    /// A push or pull failed.
    #[error(transparent)]
    Vault(#[from] VaultProblem),
    /// No agent can be started.
    #[error(transparent)]
    Continue(#[from] ContinueProblem),
    /// A bundle is not taken.
    #[error("cannot {doing} {what}: {why}")]
    Bundle {
        /// What was to be done with it.
        doing: &'static str,
        /// What it is called.
        what: String,
        /// Why not.
        why: Box<BundleProblem>,
    },
    /// A peer's store cannot be read.
    #[error(transparent)]
    Peer(#[from] PeerError),
    /// A key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyProblem),
    /// What was asked for could not be written out.
    #[error("cannot write: {0}")]
    Output(std::io::Error),
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A rule for secrets cannot be used.
    #[error("nothing was stored: {0}")]
    Redact(#[from] segue_core::RedactError),
    /// Somebody pulled the brake.
    #[error("{0}")]
    Paused(Paused),
    /// A run was at work for as long as one waits; what was given waits in the queue.
    #[error("another run is at work; what you gave is queued in {}", .0.display())]
    Queued(PathBuf),
    /// A run has nothing to hand over.
    #[error("there is nothing to hand over: no note and no state")]
    NothingToHandOver,
    /// There is no such plan.
    #[error("there is no plan {}", .0.display())]
    NoPlan(PathBuf),
    /// The plan does not fit the run that is to be finished.
    #[error(transparent)]
    PlanChanged(#[from] PlanChanged),
    /// Git did not say what a run needs to know.
    #[error("git gave no answer: {0}")]
    NoAnswer(String),
    /// Another plan began the run that is to be finished.
    #[error("the interrupted run was begun with {}", .plan.as_ref().map_or_else(|| "no plan".to_owned(), |plan| format!("the plan {plan}")))]
    OtherPlan {
        /// Its file; `None` for the standard plan.
        plan: Option<String>,
    },
    /// A plan names a place that is not for runs.
    #[error("a run does not write to {}: {why}", .path.display())]
    BadPlace {
        /// The place.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A plan in a repository asks for more than it may before that is trusted.
    #[error("the plan lies in a repository that is not trusted, and {what}")]
    Untrusted {
        /// What it asks for.
        what: String,
        /// The repository.
        top: PathBuf,
    },
    /// A fault of Segue's own.
    #[error("{0}")]
    Internal(String),
    /// Two options that exclude each other, or the like.
    #[error("{0}")]
    Usage(String),
    /// A path where the project of this process is named.
    #[error("SEGUE_PROJECT is a label or an id, not a path: {0}")]
    NamedByPath(String),
}

impl Error {
    /// What kind of failure it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Store(StoreError::Busy { .. }) => Kind::Busy,
            Self::Store(
                StoreError::BadHandoff { .. }
                | StoreError::BadArchive { .. }
                | StoreError::BadProject { .. }
                | StoreError::BadCheckpoint { .. }
                | StoreError::BadJournal { .. }
                | StoreError::Link { .. }
                | StoreError::NotADirectory { .. },
            ) => Kind::Input,
            Self::Store(StoreError::NoProject(_)) => Kind::NotFound,
            Self::Store(_) => Kind::Failed,
            Self::Name(_)
            | Self::SecretLabel(_)
            | Self::Span(_)
            | Self::Selector(_)
            | Self::Kind(_)
            | Self::NoWords
            | Self::Usage(_)
            | Self::OnlyTheUser { .. }
            | Self::NamedByPath(_)
            | Self::NoWorkTree(_) => Kind::Usage,
            Self::Ambiguous { .. } | Self::SeveralProjects { .. } | Self::SeveralLabels { .. } => {
                Kind::Usage
            }
            Self::Empty
            | Self::TooLarge
            | Self::Newer(_)
            | Self::NotExportable { .. }
            | Self::UnknownKind(_)
            | Self::Unreadable { .. } => Kind::Input,
            Self::NoId(_)
            | Self::NoName { .. }
            | Self::None(_)
            | Self::NothingHere
            | Self::NothingToGoOnFrom { .. }
            | Self::NoBranch(_)
            | Self::NoItem(_)
            | Self::NoDirectory(_)
            | Self::NotADirectory(_)
            | Self::NoProject(_)
            | Self::NoSession(_)
            | Self::NoTranscript(_)
            | Self::NoSessionIn { .. }
            | Self::NoSessionHere(_) => Kind::NotFound,
            Self::NoTranscripts(_) => Kind::Usage,
            Self::NoSessionTold => Kind::Input,
            Self::NotATranscript(_) => Kind::Input,
            Self::Transcript { .. } => Kind::Failed,
            Self::NotAFile(_) | Self::LinksOut(_) => Kind::Input,
            Self::Paused(_) | Self::Queued(_) => Kind::Busy,
            Self::NothingToHandOver => Kind::Usage,
            Self::NoPlan(_) => Kind::NotFound,
            Self::PlanChanged(_)
            | Self::OtherPlan { .. }
            | Self::BadPlace { .. }
            | Self::Untrusted { .. } => Kind::Input,
            Self::ChangedMeanwhile(_) => Kind::Busy,
            Self::Vault(problem) => problem.kind(),
            Self::Continue(problem) => problem.kind(),
            Self::Config(_) | Self::Redact(_) => Kind::Input,
            Self::Bundle { why, .. } => why.kind(),
            Self::Key(problem) => problem.kind(),
            Self::Peer(PeerError::Unknown(_)) => Kind::Usage,
            Self::Peer(PeerError::NotFound { .. }) => Kind::NotFound,
            Self::Peer(PeerError::Io { .. }) => Kind::Failed,
            Self::Peer(_) => Kind::Input,
            Self::Output(_) => Kind::Failed,
            Self::Internal(_) => Kind::Internal,
            Self::NoCurrent(_) | Self::Unchanged | Self::NoAnswer(_) => Kind::Failed,
        }
    }
}

/// A kind as a sentence names it.
fn kind_in_words(kind: HandoffKind) -> String {
    match kind {
        HandoffKind::Other => "of a kind that this version of Segue does not know".to_owned(),
        kind => format!("a {kind}"),
    }
}

impl From<Paused> for Error {
    fn from(paused: Paused) -> Self {
        Self::Paused(paused)
    }
}
