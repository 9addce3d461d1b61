//! Git, run as the user's `git`, with a deadline, and only from here.
//!
//! Reading a repository never runs anything that the repository names: no fsmonitor, no hooks, no
//! filters of its own, no external diff, no lazy fetch. Publishing is asked for, so there the user's
//! hooks and filters work as configured, and those of a repository that the user trusts. Where the answer lies in a file beside
//! `.git`, no process is started at all.

mod act;
mod branches;
mod discover;
mod git_file;
mod history;
mod net_change;
mod process;
mod publish;
mod since;
mod status;

pub use discover::{Discovery, Repo, discover, look};
pub use history::{Commit, FileChange, FileStat};
pub use process::{Git, GitError};
pub use publish::{
    Committed, Content, OUTSIDE_BRANCH, Publication, PublishError, Published, PushOutcome, Pushed,
    Stopped, without_credentials,
};
pub use since::{EarlierCommit, History};
pub use status::{MAX_CHANGED, Status, StatusEntry, StatusError, parse_status};

use std::path::Path;

/// A value in git's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitSetting {
    /// Section and name in lower case.
    pub key: String,
    pub value: String,
    /// Whether it stands in the repository's own configuration, not in the user's or the system's.
    pub is_repositorys: bool,
}

/// Reads pairs of a scope and a key with its value.
fn parse_settings(output: &str) -> Vec<GitSetting> {
    let mut parts = output.split_terminator('\0');
    let mut found = Vec::new();
    while let (Some(scope), Some(pair)) = (parts.next(), parts.next()) {
        // Ours, for this question.
        if scope == "command" {
            continue;
        }
        let (key, value) = pair.split_once('\n').unwrap_or((pair, ""));
        found.push(GitSetting {
            key: key.to_owned(),
            value: value.trim().to_owned(),
            is_repositorys: !matches!(scope, "system" | "global"),
        });
    }
    found
}

/// Where the main line of a clone begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// With this commit.
    Root(String),
    /// Before what this clone has: it is shallow.
    CutOff,
    /// Nowhere: there is no commit yet.
    Unborn,
}

impl Git {
    /// Branch, commit and changed files below a directory.
    pub fn status(&self, dir: &Path, repo: &Repo) -> Result<Status, GitError> {
        let args = [
            "status",
            "--porcelain=v2",
            "--branch",
            // Where the remote is nobody asks, and counting can take long.
            "--no-ahead-behind",
            "-z",
            "--renames",
            "--untracked-files=normal",
            "--ignore-submodules=dirty",
            "--",
            ".",
        ];
        let output = self.read_without_filters(dir, repo, &args)?;
        parse_status(&output).map_err(|error| GitError::Unexpected(error.to_string()))
    }

    /// The files below untracked directories, which [`Git::status`] names by the directory alone; without ignored
    /// ones. Both from the top of the work tree.
    pub fn untracked_below(&self, repo: &Repo, dirs: &[&str]) -> Result<Vec<String>, GitError> {
        let literal: Vec<String> = dirs.iter().map(|dir| format!(":(literal){dir}")).collect();
        let mut args = vec!["ls-files", "--others", "--exclude-standard", "-z", "--"];
        args.extend(literal.iter().map(String::as_str));
        let output = self.read(&repo.top, &args)?;
        let paths = output.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        let paths = paths.map(|path| String::from_utf8_lossy(path).into_owned());
        Ok(paths.filter(|path| !status::is_ours(path)).collect())
    }

    /// The URL of `origin`, if there is one.
    pub fn origin(&self, dir: &Path) -> Result<Option<String>, GitError> {
        match self.read(dir, &["remote", "get-url", "origin"]) {
            Ok(output) => Ok(Some(String::from_utf8_lossy(&output).trim().to_owned())
                .filter(|url| !url.is_empty())),
            Err(GitError::Failed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The values in git's configuration whose keys fit a pattern. Of one key the last counts.
    pub fn settings(&self, repo: &Repo, keys: &str) -> Result<Vec<GitSetting>, GitError> {
        match self.read(&repo.top, &["config", "--show-scope", "-z", "--get-regexp", keys]) {
            Ok(output) => Ok(parse_settings(&String::from_utf8_lossy(&output))),
            Err(GitError::Failed { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Where the main line begins. An error where git cannot say.
    pub fn beginning(&self, dir: &Path, repo: &Repo) -> Result<Beginning, GitError> {
        if repo.is_unborn() {
            return Ok(Beginning::Unborn);
        }
        // A replaced commit would say what somebody wrote into the repository instead of what is there.
        let plain = [("core.useReplaceRefs".to_owned(), "false")];
        let args = ["rev-list", "--max-parents=0", "--first-parent", "--format=raw", "HEAD"];
        let output = self.run(dir, &args, &plain)?;
        let text = String::from_utf8_lossy(&output);
        let mut head = text.lines().take_while(|line| !line.is_empty());
        let commit = head.next().and_then(|line| line.strip_prefix("commit "));
        let Some(commit) = commit else { return Err(GitError::Unexpected("no commit".to_owned())) };
        // What a shallow clone is cut off at has parents, which it does not have.
        let cut_off = head.any(|line| line.starts_with("parent ")) && repo.is_cut_off_at(commit);
        Ok(if cut_off { Beginning::CutOff } else { Beginning::Root(commit.to_owned()) })
    }

    /// The version of the git that is installed.
    pub fn version(&self) -> Result<String, GitError> {
        let output = self.read(Path::new("."), &["version"])?;
        Ok(String::from_utf8_lossy(&output).trim().trim_start_matches("git version ").to_owned())
    }
}

/// Runs two questions to git at once; one after the other where no thread is to be had.
pub fn at_once<A: Send, B>(first: impl Fn() -> A + Sync, second: impl FnOnce() -> B) -> (A, B) {
    std::thread::scope(|scope| {
        let asked = std::thread::Builder::new().spawn_scoped(scope, &first);
        let second = second();
        let first = match asked.map(|thread| thread.join()) {
            Ok(Ok(answer)) => answer,
            _ => first(),
        };
        (first, second)
    })
}
