//! Today's tree: what git and the files say now, and what became of the files of then.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use segue_core::{CommitLine, FileFate, GitToday, Handoff, SinceThen, Timestamp, TreeToday};
use segue_share::git::{Commit, Discovery, FileChange, GitError, Repo, at_once};

use crate::Env;

/// How many commits are named at most.
const NAMED: usize = 20;

/// What git says today, and the files that differ between then and now.
pub(crate) struct Today {
    pub(crate) git: GitToday,
    pub(crate) changes: Vec<FileChange>,
}

/// Asks git for the state of the tree and what happened since a commit; both at once.
pub(crate) fn ask(env: &Env, dir: &Path, found: &Discovery, then: Option<&str>) -> Today {
    let none = |git: GitToday| Today { git, changes: Vec::new() };
    let repo = match found {
        Discovery::None => return none(GitToday::None),
        Discovery::Bare => return none(GitToday::Bare),
        Discovery::Broken(path) => {
            return none(GitToday::Silent(format!("{} is not a repository", path.display())));
        }
        Discovery::Repo(repo) => repo,
    };
    let git = env.git();
    let (status, (history, recent)) = at_once(
        || git.status(dir, repo),
        || match then {
            Some(commit) => (git.since(dir, commit, NAMED).map(Some), Vec::new()),
            None => (Ok(None), git.recent_commits(dir, 5).unwrap_or_default()),
        },
    );
    let status = match status {
        Ok(status) => status,
        Err(error) => return none(GitToday::Silent(told(&error))),
    };
    let mut changes = Vec::new();
    let since = match (then, history) {
        (None, _) | (_, Ok(None)) => SinceThen::Unasked,
        (_, Err(error)) => SinceThen::Unknown(told(&error)),
        (Some(commit), Ok(Some(None))) => SinceThen::Unknown(format!(
            "the commit {} of then is not in this clone",
            commit.get(..9).unwrap_or(commit)
        )),
        (_, Ok(Some(Some(history)))) if history.ahead + history.behind == 0 => SinceThen::Same,
        (_, Ok(Some(Some(history)))) => {
            changes = history.files;
            SinceThen::Moved {
                commits: history.commits.into_iter().map(line).collect(),
                ahead: history.ahead,
                behind: history.behind,
            }
        }
    };
    let tree = TreeToday {
        changed: status.changed(),
        branch: status.branch,
        head: status.head,
        more: status.more,
        operation: repo.operation(),
        since,
        recent: recent.into_iter().map(line).collect(),
    };
    Today { git: GitToday::Tree(tree), changes }
}

fn line(commit: Commit) -> CommitLine {
    CommitLine { id: commit.id, subject: commit.subject }
}

/// A failure of git in words, with the way out where there is one.
pub(crate) fn told(error: &GitError) -> String {
    match error {
        GitError::TimedOut { .. } => {
            format!("{error}; SEGUE_GIT_DEADLINE_MS=5000 gives it longer")
        }
        _ => error.to_string(),
    }
}

/// What became of the files that a handoff may name.
pub(crate) struct Fates {
    top: PathBuf,
    /// Directories that paths in the handoff may start from, as prefixes from the top.
    bases: Vec<String>,
    changes: HashMap<String, FileFate>,
    /// Last parts of changed paths, for words that name a file without its directory.
    names: HashMap<String, Vec<String>>,
    /// Files that were changed when the handoff was left.
    changed_then: Vec<String>,
    dirty: Vec<String>,
    created: Timestamp,
    /// Whether git was asked what changed, so that a file's absence means something.
    compared: bool,
}

impl Fates {
    pub(crate) fn new(
        dir: &Path,
        repo: Option<&Repo>,
        handoff: Option<&Handoff>,
        today: &Today,
    ) -> Self {
        let top = repo.map_or(dir, |repo| &repo.top).to_owned();
        let fields = handoff.map(|handoff| &handoff.head.fields);
        let mut changes = HashMap::new();
        let mut names: HashMap<String, Vec<String>> = HashMap::new();
        for change in &today.changes {
            let fate = match (change.kind, &change.to) {
                ('R', Some(to)) => FileFate::Renamed(to.clone()),
                ('D', _) => FileFate::Gone,
                // A file that is new since was not what the handoff spoke of.
                ('A' | 'C', _) => continue,
                _ => FileFate::Changed,
            };
            let name = change.path.rsplit('/').next().unwrap_or(&change.path).to_owned();
            names.entry(name).or_default().push(change.path.clone());
            changes.insert(change.path.clone(), fate);
        }
        let inside = fields.and_then(|fields| fields.saved_from.dir.clone());
        let mut bases = vec![String::new()];
        bases.extend(inside.filter(|dir| dir != ".").map(|dir| format!("{dir}/")));
        let new_name = |path: &String| {
            path.rsplit_once(" -> ").map_or(path.clone(), |(_, new)| new.to_owned())
        };
        let dirty = match &today.git {
            GitToday::Tree(tree) => tree.changed.iter().map(new_name).collect(),
            _ => Vec::new(),
        };
        Self {
            top,
            bases,
            changes,
            names,
            changed_then: fields
                .map(|fields| fields.changed.iter().map(new_name).collect())
                .unwrap_or_default(),
            dirty,
            created: handoff.map_or(Timestamp::EPOCH, |handoff| handoff.head.created),
            compared: matches!(&today.git, GitToday::Tree(_)),
        }
    }

    /// What became of a file; `None` if it is as it was, or nothing is known.
    pub(crate) fn of(&self, named: &str) -> Option<FileFate> {
        let path = named.trim_end_matches('/');
        for base in &self.bases {
            let full = format!("{base}{path}");
            if let Some(fate) = self.changes.get(&full) {
                return Some(fate.clone());
            }
            if self.is_touched(&full) {
                return Some(FileFate::Changed);
            }
            // A directory is changed by what changed in it.
            let below = format!("{full}/");
            if self.changes.keys().any(|changed| changed.starts_with(&below)) {
                return Some(FileFate::Changed);
            }
        }
        let exists = self.bases.iter().any(|base| self.top.join(format!("{base}{path}")).exists());
        if exists {
            return None;
        }
        // A name alone is the one changed file that is called so.
        if !path.contains('/') {
            return match self.names.get(path).map(Vec::as_slice) {
                Some([only]) => self.changes.get(only).cloned(),
                _ => None,
            };
        }
        let was =
            self.bases.iter().any(|base| self.changed_then.contains(&format!("{base}{path}")));
        match (was, self.compared) {
            (true, _) => Some(FileFate::Gone),
            (false, true) => Some(FileFate::Missing),
            (false, false) => None,
        }
    }

    /// Whether a file is not committed and was written to after the handoff.
    fn is_touched(&self, path: &str) -> bool {
        let dirty = self.dirty.iter().any(|dirty| {
            dirty == path || (dirty.ends_with('/') && path.starts_with(dirty.as_str()))
        });
        dirty && self.written_since(path)
    }

    fn written_since(&self, path: &str) -> bool {
        let written = fs::metadata(self.top.join(path)).and_then(|meta| meta.modified());
        let since = written.ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        // Second for second: a handoff's moment and a file's come from different clocks.
        since.is_some_and(|since| since.as_secs() as i64 > self.created.micros() / 1_000_000)
    }

    /// Whether any file was changed since the handoff and is not committed.
    pub(crate) fn any_touched(&self) -> bool {
        self.dirty.iter().take(200).any(|path| {
            !self.changed_then.contains(path) || self.written_since(path.trim_end_matches('/'))
        })
    }
}
