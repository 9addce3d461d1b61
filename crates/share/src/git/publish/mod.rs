//! Publishes a memory by git: a commit with exactly these files, then a push.
//!
//! What the user staged is neither committed nor pushed nor disturbed. A run that was interrupted
//! is recognised by its trailer and goes on; that something arrived is only believed when the
//! remote says so. Where the remote went on in the meantime, both sides are merged.

mod commit;
mod confinement;
mod content;
mod entries;
mod error;
mod harmless;
mod merge;
mod push;
mod session;
mod words;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use error::{PublishError, Stopped};
pub use words::without_credentials;

use self::session::Session;
use super::{Git, GitError, Repo};

/// The branch for a memory that lies outside of the work tree.
pub const OUTSIDE_BRANCH: &str = "segue";

/// What is committed.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// Files or directories of the work tree, each absolute. Of a directory the files that are not
    /// ignored; of the memory its three layers even so; a file that is named, in any case.
    InTree { paths: &'a [PathBuf] },
    /// The three layers of a memory that lies elsewhere become the root of the branch's tree.
    Outside { dir: &'a Path },
}

/// What is published, from where and to where.
pub struct Publication<'a> {
    pub repo: &'a Repo,
    /// Whether the user trusts the repository: only then may its configuration name programs.
    pub is_trusted: bool,
    pub content: Content<'a>,
    /// The memory's directory in the work tree, whose files are merged by the rules of a memory.
    pub memory: Option<&'a Path>,
    /// Ids of handoffs that were forgotten here: a branch that is not checked out loses them too.
    /// (What is only absent stays on such a branch: it may be another machine's.)
    pub forgotten: &'a [String],
    /// `None`: the branch that is checked out; `segue` for what lies outside.
    pub branch: Option<&'a str>,
    /// The name of a remote, or a URL or path.
    pub remote: &'a str,
    pub message: &'a str,
    /// The run this belongs to: the commit is found again by it.
    pub run: &'a str,
    pub push: bool,
    /// Asked right before whatever changes something; an error stops there.
    pub before_effect: &'a dyn Fn() -> Result<(), Stopped>,
    /// For each run of git.
    pub limit: Duration,
}

/// Whether there is a commit of this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Committed {
    New,
    /// It was there from an earlier try.
    Found,
    /// Everything is on the branch already.
    NothingNew,
}

/// Whether the remote has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    NotAsked,
    Done,
    /// The remote says that it had it.
    UpToDate,
}

/// What was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// What the branch is at now: on the remote if it was pushed, else here. `None` if there was
    /// never anything.
    pub commit: Option<String>,
    pub branch: String,
    pub committed: Committed,
    pub pushed: Pushed,
    /// Whether the remote had gone on and both were merged.
    pub merged: bool,
    /// For the user: what was done otherwise than they may expect.
    pub notes: Vec<String>,
}

/// What a push made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushOutcome {
    /// What the remote's branch is at now.
    pub commit: Option<String>,
    pub branch: String,
    pub pushed: Pushed,
    pub merged: bool,
    pub notes: Vec<String>,
}

impl Git {
    /// Commits, then pushes if that is asked for.
    pub fn publish(&self, publication: &Publication<'_>) -> Result<Published, PublishError> {
        let session = Session::begin(self, publication)?;
        let place = session.place()?;
        let made = session.commit(&place)?;
        let mut published = Published {
            commit: made.commit.clone(),
            branch: place.branch.clone(),
            committed: made.committed,
            pushed: Pushed::NotAsked,
            merged: false,
            notes: Vec::new(),
        };
        if publication.push {
            let sent = session.push(&place, made.commit)?;
            published.commit = sent.commit;
            published.pushed = sent.pushed;
            published.merged = sent.merged;
        }
        let changed = published.committed == Committed::New || published.pushed == Pushed::Done;
        published.notes = session.notes(changed);
        Ok(published)
    }

    /// Pushes the branch as it is here; `content` only says where the memory lies.
    pub fn push(&self, publication: &Publication<'_>) -> Result<PushOutcome, PublishError> {
        let session = Session::begin(self, publication)?;
        let place = session.place()?;
        let tip = place.tip.clone();
        let sent = session.push(&place, tip)?;
        Ok(PushOutcome {
            commit: sent.commit,
            branch: place.branch,
            pushed: sent.pushed,
            merged: sent.merged,
            notes: session.notes(sent.pushed == Pushed::Done),
        })
    }

    /// The names of the remotes.
    pub fn remotes(&self, dir: &Path) -> Result<Vec<String>, GitError> {
        let output = self.read(dir, &["remote"])?;
        Ok(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect())
    }
}
