//! One publication at work: the lock, an index of its own, and git's answers.

use std::cell::{Cell, OnceCell, RefCell};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::super::act::{Answer, Call};
use super::super::git_file::{read_git_file, refuse_other_kinds};
use super::super::{Git, GitError};
use super::confinement::{Untrusted, remove_left};
use super::content::path_in_tree;
use super::words::{told, without_credentials};
use super::{Content, OUTSIDE_BRANCH, Publication, PublishError};

/// What was fetched is held here until it is merged.
const FETCHED: &str = "refs/segue/fetched";
const INDEX: &str = "segue-index-";

/// A publication that has begun. One at a time in a clone.
pub(super) struct Session<'a> {
    pub(super) git: Git,
    pub(super) with: &'a Publication<'a>,
    /// The work tree that the content lies in.
    pub(super) root: PathBuf,
    /// Where the memory lies in the branch's tree.
    pub(super) memory: Option<String>,
    index: PathBuf,
    /// Which git is at work.
    noted: PathBuf,
    notes: RefCell<Vec<String>>,
    fetched: Cell<bool>,
    network: OnceCell<Vec<String>>,
    /// `None`: the repository is trusted.
    pub(super) untrusted: Option<Untrusted>,
    _lock: Option<File>,
}

/// The branch that is published.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) branch: String,
    /// Its commit here.
    pub(super) tip: Option<String>,
    /// Whether it is checked out here.
    pub(super) here: bool,
    /// Another worktree that has it checked out.
    pub(super) elsewhere: Option<String>,
}

impl Place {
    pub(super) fn full(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }
}

impl<'a> Session<'a> {
    pub(super) fn begin(git: &Git, with: &'a Publication<'a>) -> Result<Self, PublishError> {
        // More than a day is for ever, and no overflow when it is added to now.
        let limit = with.limit.min(Duration::from_secs(86_400));
        let git = Git { deadline: limit, ..git.clone() };
        if with.remote.is_empty() || with.remote.starts_with('-') {
            return Err(PublishError::config(format!("'{}' is no remote", with.remote)));
        }
        let repo = with.repo;
        let (root, memory) = match with.content {
            Content::InTree { .. } => {
                let memory = with.memory.map(|dir| path_in_tree(repo, dir)).transpose()?;
                let memory = memory.map(String::from_utf8).transpose();
                let memory =
                    memory.map_err(|_| PublishError::config("the memory's path is not UTF-8"))?;
                (repo.top.clone(), memory)
            }
            Content::Outside { dir } => (dir.to_owned(), Some(String::new())),
        };
        let lock = lock(&repo.common_dir.join("segue-publish.lock"), limit)?;
        let noted = repo.common_dir.join("segue-publish.pid");
        outlive(&noted);
        // What a killed run of ours left; under the lock nobody uses it.
        for entry in fs::read_dir(&repo.git_dir).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(INDEX) {
                let _ = fs::remove_file(entry.path());
            }
        }
        remove_left(repo);
        let untrusted = if with.is_trusted { None } else { Some(Untrusted::begin(&git, with)?) };
        let index = repo.git_dir.join(format!("{INDEX}{}", std::process::id()));
        let (notes, fetched, network) = (RefCell::default(), Cell::new(false), OnceCell::new());
        let session = Self {
            git,
            with,
            root,
            memory,
            index,
            noted,
            notes,
            fetched,
            network,
            untrusted,
            _lock: lock,
        };
        // A repository that git refuses to work in says so here; later a no means something else.
        session.run(&["rev-parse", "--git-dir"], None)?;
        Ok(session)
    }

    /// Asks whether the next change may be made.
    pub(super) fn effect(&self) -> Result<(), PublishError> {
        Ok((self.with.before_effect)()?)
    }

    pub(super) fn note(&self, note: impl Into<String>) {
        let note = without_credentials(&note.into());
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// What was done otherwise than the user may expect; `changed`: something was.
    pub(super) fn notes(&self, changed: bool) -> Vec<String> {
        let untrusted = self.untrusted.iter().filter(|_| changed);
        let did_not_count = untrusted.flat_map(|untrusted| untrusted.notes.clone());
        self.notes.borrow().iter().cloned().chain(did_not_count).collect()
    }

    /// The remote as it may be shown.
    pub(super) fn remote(&self) -> String {
        without_credentials(self.with.remote)
    }

    /// Runs git on the repository, whatever it answers.
    pub(super) fn ask(&self, call: Call<'_>) -> Result<Answer, PublishError> {
        let confinement = self.untrusted.as_ref().map(|untrusted| &untrusted.confinement);
        let call = Call { noted: Some(&self.noted), confinement, ..call };
        self.in_time(self.git.act(&self.with.repo.top, call))
    }

    /// Runs git on the repository; anything but success is an error.
    pub(super) fn run(&self, args: &[&str], stdin: Option<&[u8]>) -> Result<Answer, PublishError> {
        let answer = self.ask(Call { args, stdin, ..Call::default() })?;
        if answer.done() { Ok(answer) } else { Err(self.local_error(&answer)) }
    }

    /// Why a git that touches no network failed.
    pub(super) fn local_error(&self, answer: &Answer) -> PublishError {
        let error = PublishError::local(answer);
        if self.untrusted.is_some() && answer.stderr.contains("clean filter '") {
            return PublishError::config(format!(
                "{error} (the filters of a repository that is not trusted are not run; 'segue trust' lets them count)"
            ));
        }
        error
    }

    /// As `run`, with our own index, in the work tree of the content.
    pub(super) fn run_apart(
        &self,
        args: &[&str],
        stdin: Option<&[u8]>,
    ) -> Result<Answer, PublishError> {
        let work_tree = match self.with.content {
            Content::InTree { .. } => None,
            Content::Outside { .. } => {
                Some((self.with.repo.git_dir.as_path(), self.root.as_path()))
            }
        };
        let index = Some(self.index.as_path());
        let confinement = self.untrusted.as_ref().map(|untrusted| &untrusted.confinement);
        let call = Call { args, stdin, index, work_tree, confinement, ..Call::default() };
        let answer = self.in_time(self.git.act(&self.root, call))?;
        if answer.done() { Ok(answer) } else { Err(self.local_error(&answer)) }
    }

    /// Asks something that changes nothing; `None` if git says no.
    pub(super) fn find(&self, args: &[&str]) -> Result<Option<String>, PublishError> {
        match self.git.read(&self.with.repo.top, args) {
            Ok(output) => Ok(Some(String::from_utf8_lossy(&output).trim().to_owned())),
            Err(GitError::Failed { .. }) => Ok(None),
            Err(error) => self.in_time(Err(error)),
        }
    }

    pub(super) fn in_time<T>(&self, answer: Result<T, GitError>) -> Result<T, PublishError> {
        answer.map_err(|error| match PublishError::from(error) {
            PublishError::TimedOut { what, .. } => {
                PublishError::TimedOut { what, limit: self.with.limit }
            }
            other => other,
        })
    }

    /// The commit of a ref.
    pub(super) fn tip(&self, name: &str) -> Result<Option<String>, PublishError> {
        let commit = format!("{name}^{{commit}}");
        self.find(&["rev-parse", "--verify", "--quiet", &commit])
    }

    /// Which branch this is about.
    pub(super) fn place(&self) -> Result<Place, PublishError> {
        let head = self.find(&["symbolic-ref", "--quiet", "HEAD"])?;
        let head = head.as_deref().and_then(|head| head.strip_prefix("refs/heads/"));
        let branch = match (self.with.branch, self.with.content, head) {
            (Some(branch), _, _) => branch,
            (None, Content::Outside { .. }, _) => OUTSIDE_BRANCH,
            (None, Content::InTree { .. }, Some(head)) => head,
            (None, Content::InTree { .. }, None) => {
                return Err(PublishError::config(
                    "no branch is checked out (HEAD is detached): check one out, or name the branch to publish to",
                ));
            }
        };
        let full = format!("refs/heads/{branch}");
        if branch.starts_with('-') || self.find(&["check-ref-format", &full])?.is_none() {
            return Err(PublishError::config(format!("'{branch}' is no name for a branch")));
        }
        if self.is_rebased(&full) {
            return Err(PublishError::config(format!(
                "the branch '{branch}' is being rebased: finish that (or abort it), then publish"
            )));
        }
        let here = head == Some(branch) && matches!(self.with.content, Content::InTree { .. });
        let elsewhere = if here { None } else { self.worktree_of(&full)? };
        Ok(Place { branch: branch.to_owned(), tip: self.tip(&full)?, here, elsewhere })
    }

    /// Whether a rebase is going on that will move a branch, in any worktree.
    fn is_rebased(&self, full: &str) -> bool {
        let common = &self.with.repo.common_dir;
        let linked = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
        let dirs = linked.map(|entry| entry.path()).chain([common.clone()]);
        dirs.flat_map(|dir| ["rebase-merge", "rebase-apply"].map(|name| dir.join(name)))
            .filter_map(|dir| read_git_file(dir.join("head-name")).ok())
            .any(|name| name.trim() == full)
    }

    /// The worktree that has a branch checked out.
    fn worktree_of(&self, full: &str) -> Result<Option<String>, PublishError> {
        let list = self.find(&["worktree", "list", "--porcelain"])?.unwrap_or_default();
        let mut dir = None;
        for line in list.lines() {
            if let Some(path) = line.strip_prefix("worktree ") {
                dir = Some(path);
            } else if line.strip_prefix("branch ") == Some(full) {
                // A worktree whose directory is gone holds nothing.
                return Ok(dir.filter(|dir| Path::new(dir).exists()).map(str::to_owned));
            }
        }
        Ok(None)
    }

    /// Fetches the remote's branch; `None` if it has none. Moves no branch of the user's.
    pub(super) fn fetch(&self, branch: &str) -> Result<Option<String>, PublishError> {
        let refspec = format!("+refs/heads/{branch}:{FETCHED}");
        let args = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-gc",
            "--recurse-submodules=no",
            "--",
            self.with.remote,
            &refspec,
        ];
        let config = self.network_config()?;
        self.fetched.set(true);
        let answer = self.ask(Call { args: &args, config, ..Call::default() })?;
        if answer.done() {
            return self.tip(FETCHED);
        }
        if answer.stderr.contains("couldn't find remote ref") {
            return Ok(None);
        }
        Err(PublishError::remote(&answer, None, self.knows_remote()?))
    }

    /// Whether the remote is one that is configured, or says itself where it is.
    pub(super) fn knows_remote(&self) -> Result<bool, PublishError> {
        let remote = self.with.remote;
        if remote.contains(['/', ':', '\\']) || remote.starts_with('.') {
            return Ok(true);
        }
        let remotes = self.in_time(self.git.remotes(&self.with.repo.top))?;
        Ok(remotes.iter().any(|known| known == remote))
    }

    /// Settings without which ssh could ask at the terminal. The user's own ssh command wins:
    /// `GIT_SSH_COMMAND` over this setting by git's own order, the other two are looked up.
    pub(super) fn network_config(&self) -> Result<&[String], PublishError> {
        if let Some(known) = self.network.get() {
            return Ok(known);
        }
        let found = self.look_up_network()?;
        Ok(self.network.get_or_init(|| found))
    }

    fn look_up_network(&self) -> Result<Vec<String>, PublishError> {
        let own = ["config", "--get", "core.sshCommand"];
        if self.ask(Call { args: &own, ..Call::default() })?.done() {
            return Ok(Vec::new());
        }
        let config = ["alias.segue-ssh=!printf %s \"$GIT_SSH\"".to_owned()];
        let args = ["segue-ssh"];
        let program = self.ask(Call { args: &args, config: &config, ..Call::default() })?;
        if !program.stdout.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec!["core.sshCommand=ssh -oBatchMode=yes".to_owned()])
    }

    /// Moves a branch that nobody has checked out, if it is still where it was.
    pub(super) fn move_branch(
        &self,
        place: &Place,
        to: &str,
    ) -> Result<Result<(), String>, PublishError> {
        let from = place.tip.as_deref().unwrap_or("");
        let full = place.full();
        let args = ["update-ref", "--create-reflog", "-m", "segue: publish", &full, to, from];
        let answer = self.ask(Call { args: &args, ..Call::default() })?;
        Ok(if answer.done() { Ok(()) } else { Err(told(&answer.stderr)) })
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.index);
        let _ = fs::remove_file(&self.noted);
        if self.fetched.get() {
            // What is still needed of it is held by a branch or was pushed.
            let args = ["update-ref", "-d", FETCHED];
            let _ = self.ask(Call { args: &args, ..Call::default() });
        }
    }
}

/// How long a git that outlived its run is waited for.
const ORPHAN: Duration = Duration::from_secs(10);

/// Waits for a git whose run was killed: it may be about to commit what we would commit again.
fn outlive(noted: &Path) {
    let Ok(text) = read_git_file(noted) else { return };
    let until = Instant::now() + ORPHAN;
    while Instant::now() < until && crate::command::is_alive(text.trim()) {
        thread::sleep(Duration::from_millis(10));
    }
    let _ = fs::remove_file(noted);
}

/// Waits for the lock; `None` on a file system without locks.
fn lock(path: &Path, limit: Duration) -> Result<Option<File>, PublishError> {
    let is_there = fs::symlink_metadata(path).is_ok();
    let fits = if is_there { refuse_other_kinds(path) } else { Ok(()) };
    let file = fits.and_then(|()| File::options().create(true).append(true).open(path));
    let file = file.map_err(|source| PublishError::Io {
        what: "open",
        path: path.display().to_string(),
        source,
    })?;
    let until = Instant::now() + limit;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::Error(_)) => return Ok(None),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                let what = "another publication from this clone".to_owned();
                return Err(PublishError::TimedOut { what, limit });
            }
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(20)),
        }
    }
}
