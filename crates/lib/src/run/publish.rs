//! Where a run publishes to: git, or nowhere.

use std::path::{Path, PathBuf};
use std::time::Duration;

use segue_share::git::{Committed, Content, Publication, PublishError, Pushed, Repo, Stopped};

use super::StepRun;
use super::memory::Memory;
use super::plan::{PublishTo, REMOTE_LIMIT, StepDone, StepFailure};
use super::publish_remote::PublishRemote;
use super::seen::Runs;
use crate::Error;
use crate::here::{Here, Trust, trust_of};

/// A place to publish a memory to. Both calls can be repeated: what is there is not sent twice.
pub trait Publish {
    /// Commits what is new, and sends it if this place is one to send to.
    fn publish(&self, step: &StepRun<'_>, message: &str) -> Result<StepDone, StepFailure>;

    /// Sends what was committed.
    fn push(&self, step: &StepRun<'_>) -> Result<StepDone, StepFailure>;
}

/// Publishes nothing.
#[derive(Clone, Copy, Debug)]
pub struct Null;

impl Publish for Null {
    fn publish(&self, _: &StepRun<'_>, _: &str) -> Result<StepDone, StepFailure> {
        Ok(StepDone { said: Some("nothing is published".to_owned()), output: None })
    }

    fn push(&self, step: &StepRun<'_>) -> Result<StepDone, StepFailure> {
        self.publish(step, "")
    }
}

/// Publishes by git: commits only the paths that it is given, whatever the user has staged.
#[derive(Debug)]
pub struct Git<'s> {
    here: Here<'s>,
    repo_dir: PathBuf,
    paths: Vec<PathBuf>,
    /// The memory among them.
    memory: Option<PathBuf>,
    /// Ids that were forgotten in it.
    forgotten: Vec<String>,
    branch: Option<String>,
    remote: String,
    push: bool,
}

impl<'s> Runs<'s> {
    /// Publishes from the repository of a directory to its `origin`.
    pub fn git(&self, repo_dir: impl AsRef<Path>) -> Git<'s> {
        Git::of(&self.here, repo_dir.as_ref())
    }
}

impl<'s> Git<'s> {
    fn of(here: &Here<'s>, repo_dir: &Path) -> Self {
        Self {
            here: here.clone(),
            repo_dir: here.env.expand_from(&here.env.dir, repo_dir),
            paths: Vec::new(),
            memory: None,
            forgotten: Vec::new(),
            branch: None,
            remote: "origin".to_owned(),
            push: true,
        }
    }

    /// What is committed: files or directories of the work tree, or one memory outside of it.
    pub fn paths<P: AsRef<Path>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        let full = |path: P| self.here.env.expand_from(&self.repo_dir, path);
        self.paths = paths.into_iter().map(full).collect();
        if let [only] = &self.paths[..] {
            self.memory = Some(only.clone());
        }
        self
    }

    /// To this branch instead of the one that is checked out.
    pub fn branch(mut self, branch: impl Into<String>) -> Self {
        self.branch = Some(branch.into());
        self
    }

    /// To this remote instead of `origin`.
    pub fn remote(mut self, remote: impl Into<String>) -> Self {
        self.remote = remote.into();
        self
    }

    /// Whether it is pushed, or only committed.
    pub fn push(mut self, push: bool) -> Self {
        self.push = push;
        self
    }

    fn with<T>(
        &self,
        step: &StepRun<'_>,
        message: &str,
        act: impl FnOnce(&segue_share::git::Git, &Publication<'_>) -> Result<T, PublishError>,
    ) -> Result<T, StepFailure> {
        let Some(repo) = self.here.afresh().claimed_repo_at(&self.repo_dir) else {
            let why = format!("{} is in no git repository", self.repo_dir.display());
            return Err(StepFailure { why, output: None, again: false });
        };
        let paths: Vec<PathBuf> =
            self.paths.iter().map(|path| super::plain_path::plain(path)).collect();
        let outside = paths.iter().find(|path| !path.starts_with(&repo.top));
        let content = match outside {
            Some(dir) if paths.len() == 1 => Content::Outside { dir },
            Some(dir) => {
                let why =
                    format!("{} is not in the repository {}", dir.display(), repo.top.display());
                return Err(StepFailure { why, output: None, again: false });
            }
            None => Content::InTree { paths: &paths },
        };
        let memory = self.memory.as_deref().map(super::plain_path::plain);
        let brake = || match step.paused() {
            Some(paused) => Err(Stopped(Error::Paused(paused).to_string())),
            None => Ok(()),
        };
        // A plan can publish more than once: each step finds its own commit.
        let run = format!("{} {}", step.run, step.name);
        let publication = Publication {
            repo: &repo,
            is_trusted: trust_of(self.here.store, &repo) == Trust::Yes,
            content,
            memory: memory.as_deref().filter(|memory| memory.starts_with(&repo.top)),
            forgotten: &self.forgotten,
            branch: self.branch.as_deref(),
            remote: &self.remote,
            message,
            run: &run,
            push: self.push,
            before_effect: &brake,
            limit: step.timeout.unwrap_or(REMOTE_LIMIT),
        };
        let git = segue_share::git::Git {
            program: self.here.env.git_program.clone(),
            deadline: LOCAL_LIMIT,
        };
        act(&git, &publication).map_err(failure)
    }
}

/// How long git may take for what it does here alone.
const LOCAL_LIMIT: Duration = Duration::from_secs(60);

fn failure(error: PublishError) -> StepFailure {
    let again = matches!(
        error,
        PublishError::NonFastForward { .. }
            | PublishError::Unreachable { .. }
            | PublishError::TimedOut { .. }
            | PublishError::Rejected { .. }
            | PublishError::Other { .. }
            | PublishError::Io { .. }
            | PublishError::Git(_)
    );
    let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
    let hint = error.hint().map(|hint| format!(" ({hint})"));
    let why = format!("{error}{}{}", cause.unwrap_or_default(), hint.unwrap_or_default());
    StepFailure { why, output: None, again }
}

impl Publish for Git<'_> {
    fn publish(&self, step: &StepRun<'_>, message: &str) -> Result<StepDone, StepFailure> {
        let done = self.with(step, message, |git, publication| git.publish(publication))?;
        let commit = done.commit.as_deref().map_or("", |commit| commit.get(..12).unwrap_or(commit));
        let what = match done.committed {
            Committed::New => format!("{commit} on {}", done.branch),
            Committed::Found => format!("{commit} on {}, committed before", done.branch),
            Committed::NothingNew => format!("nothing new on {}", done.branch),
        };
        Ok(told(what, done.pushed, done.merged, done.notes))
    }

    fn push(&self, step: &StepRun<'_>) -> Result<StepDone, StepFailure> {
        let done = self.with(step, "", |git, publication| git.push(publication))?;
        Ok(told(done.branch, done.pushed, done.merged, done.notes))
    }
}

fn told(what: String, pushed: Pushed, merged: bool, notes: Vec<String>) -> StepDone {
    let sent = match pushed {
        Pushed::NotAsked => ", not pushed",
        Pushed::Done if merged => ", merged and pushed",
        Pushed::Done => ", pushed",
        Pushed::UpToDate => ", the remote has it",
    };
    let output = (!notes.is_empty()).then(|| notes.join("\n"));
    StepDone { said: Some(format!("{what}{sent}")), output }
}

/// The publisher that a step asks for.
pub(crate) fn publisher<'s>(
    here: &Here<'s>,
    (root, repo): (&Path, Option<&Repo>),
    memory: &Memory<'_>,
    to: &PublishTo,
) -> Result<Box<dyn Publish + 's>, Error> {
    let repo_dir = match &to.repo_dir {
        Some(dir) => here.env.expand_from(root, dir),
        None => root.to_owned(),
    };
    let set = match (&to.remote, repo) {
        (None, Some(repo)) => PublishRemote::of(&here.afresh(), repo)?,
        _ => PublishRemote::Unset,
    };
    let (remote, set_branch) = match (&to.remote, set) {
        (Some(remote), _) => (remote.clone(), None),
        (None, PublishRemote::Set { remote, branch }) => (remote, branch),
        (None, PublishRemote::Unset | PublishRemote::Untrusted) => ("origin".to_owned(), None),
    };
    let layers = memory.layers()?.to_owned();
    let mut publisher = Git::of(here, &repo_dir).remote(remote).push(to.push);
    publisher.paths = if to.paths.is_empty() && layers.ends_with(".segue") {
        // Layer 2 is derived, and git-ignored there.
        let parts = ["layer1", "layer3", "project.toml", ".gitignore"];
        parts.iter().map(|part| layers.join(part)).filter(|part| part.exists()).collect()
    } else if to.paths.is_empty() {
        vec![layers.clone()]
    } else {
        let top = here.afresh().claimed_repo_at(&repo_dir).map_or(repo_dir, |repo: Repo| repo.top);
        to.paths.iter().map(|path| here.env.expand_from(&top, path)).collect()
    };
    publisher.memory = Some(layers);
    publisher.forgotten = here.store.forgotten(memory.id()?)?;
    let inside = here
        .afresh()
        .claimed_repo_at(&publisher.repo_dir)
        .is_some_and(|repo| memory_in(&publisher, &repo));
    let main = (to.main_by_default && inside).then(|| "main".to_owned());
    publisher.branch = to.branch.clone().or(set_branch).or(main);
    Ok(Box::new(publisher))
}

fn memory_in(publisher: &Git<'_>, repo: &Repo) -> bool {
    publisher.memory.as_ref().is_some_and(|memory| memory.starts_with(&repo.top))
}
