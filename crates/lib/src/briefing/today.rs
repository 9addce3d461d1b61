//! Today's tree: what git and the files say now, and what became of the files of then.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use segue_core::{
    CommitLine, FileFate, GitToday, HANDOFF, Handoff, SinceThen, Timestamp, TreeToday, code_span,
};
use segue_share::git::{Commit, Discovery, FileChange, GitError, History, Repo};

use crate::here::Here;

/// How many commits are named at most.
const NAMED: usize = 20;

/// What git says today, and the files that differ between then and now.
pub(crate) struct Today {
    pub(crate) git: GitToday,
    pub(crate) changes: Vec<FileChange>,
}

/// Asks git for the state of the tree and what happened since a commit; both at once.
pub(crate) fn ask(here: &Here<'_>, then: Option<&str>) -> Today {
    let none = |git: GitToday| Today { git, changes: Vec::new() };
    let repo = match here.discovery() {
        Discovery::None => return none(GitToday::None),
        Discovery::Bare => return none(GitToday::Bare),
        Discovery::Broken(path) => {
            let path = code_span(&path.display().to_string());
            return none(GitToday::Silent(format!("{path} is not a repository")));
        }
        Discovery::Repo(repo) => repo,
    };
    let git = here.git();
    // Of the whole tree: claims may be about any file in it.
    let dir = &repo.top;
    // Where the files say that it is the same commit, git need not be asked.
    let same = then.is_some() && repo.head().as_deref() == then;
    let ask_history = || match then {
        Some(_) if same => (Ok(Some(Some(History::default()))), Vec::new()),
        Some(commit) => (git.since(dir, commit, NAMED).map(Some), Vec::new()),
        None => (Ok(None), git.recent_commits(dir, 5).unwrap_or_default()),
    };
    let answers = here.git_answers();
    let (status, (history, recent)) = answers.status_during(dir, repo, ask_history);
    let status = match status.as_ref() {
        Ok(status) => status,
        Err(error) => return none(GitToday::Silent(told(error))),
    };
    let mut changes = Vec::new();
    let since = match (then, history) {
        (None, _) | (_, Ok(None)) => SinceThen::Unasked,
        (_, Err(error)) => SinceThen::Unknown(told(&error)),
        (Some(commit), Ok(Some(None))) => SinceThen::Unknown(format!(
            "the commit {} of then is not in this clone",
            code_span(&commit.chars().take(9).collect::<String>())
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
        branch: status.branch.clone(),
        head: status.head.clone(),
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
    /// Files that differ between the commit of then and today's.
    changes: HashMap<String, FileFate>,
    /// Last parts of changed paths, for words that name a file without its directory.
    names: HashMap<String, Vec<String>>,
    /// Files that are new since.
    added: Vec<String>,
    /// Files that were changed and not committed then, and now.
    dirty_then: Vec<String>,
    dirty: Vec<String>,
    created: Timestamp,
    /// Whether the two commits were compared; if not, only the times of files tell.
    compared: bool,
    /// Whether there is a handoff to compare with at all.
    left: bool,
    in_git: bool,
    /// A file that Segue itself writes: its change says nothing.
    own: String,
}

impl Fates {
    pub(crate) fn new(
        workspace: &Path,
        repo: Option<&Repo>,
        handoff: Option<&Handoff>,
        today: &Today,
    ) -> Self {
        let top = repo.map_or(workspace, |repo| &repo.top).to_owned();
        let fields = handoff.map(|handoff| &handoff.head.fields);
        let mut changes = HashMap::new();
        let mut names: HashMap<String, Vec<String>> = HashMap::new();
        let name_of = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let then = fields.map(|fields| fields.changed.as_slice()).unwrap_or_default();
        let moved_then = |old: &str, new: &str| then.contains(&format!("{old} -> {new}"));
        let mut added = Vec::new();
        for change in &today.changes {
            let fate = match (change.kind, &change.to) {
                // It was moved then already.
                ('R', Some(to)) if moved_then(&change.path, to) => continue,
                ('R', Some(to)) => FileFate::Renamed(to.clone()),
                ('D', _) => FileFate::Gone,
                // A file that is new since was not what the handoff spoke of.
                ('A' | 'C', to) => {
                    added.push(to.clone().unwrap_or_else(|| change.path.clone()));
                    continue;
                }
                _ => FileFate::Changed,
            };
            names.entry(name_of(&change.path)).or_default().push(change.path.clone());
            changes.insert(change.path.clone(), fate);
        }
        let inside = fields.and_then(|fields| fields.saved_from.dir.clone());
        let mut bases = vec![String::new()];
        bases.extend(inside.filter(|dir| dir != ".").map(|dir| format!("{dir}/")));
        let new_name = |path: &String| {
            path.rsplit_once(" -> ").map_or(path.clone(), |(_, new)| new.to_owned())
        };
        let dirty: Vec<String> = match &today.git {
            GitToday::Tree(tree) => tree.changed.iter().map(new_name).collect(),
            _ => Vec::new(),
        };
        // Moved and not committed.
        if let GitToday::Tree(tree) = &today.git {
            for (old, new) in tree.changed.iter().filter_map(|path| path.rsplit_once(" -> ")) {
                if !moved_then(old, new) {
                    names.entry(name_of(old)).or_default().push(old.to_owned());
                    changes.insert(old.to_owned(), FileFate::Renamed(new.to_owned()));
                }
            }
        }
        for path in &dirty {
            names.entry(name_of(path)).or_default().push(path.clone());
        }
        let own = workspace.join(HANDOFF);
        let own = own.strip_prefix(&top).map(|path| path.to_string_lossy().replace('\\', "/"));
        Self {
            bases,
            changes,
            names,
            added,
            dirty_then: fields
                .map(|fields| fields.changed.iter().map(new_name).collect())
                .unwrap_or_default(),
            dirty,
            created: handoff.map_or(Timestamp::EPOCH, |handoff| handoff.head.created),
            compared: matches!(
                &today.git,
                GitToday::Tree(TreeToday { since: SinceThen::Same | SinceThen::Moved { .. }, .. })
            ),
            left: handoff.is_some(),
            in_git: repo.is_some(),
            own: own.unwrap_or_default(),
            top,
        }
    }

    /// What became of a file; `None` if it is as it was, or nothing is known.
    pub(crate) fn of(&self, named: &str) -> Option<FileFate> {
        let path = named.trim_end_matches('/');
        // An absolute path counts if it leads into the tree.
        let path = match path.strip_prefix('/') {
            Some(_) => Path::new(path).strip_prefix(&self.top).ok()?.to_str()?,
            None => path,
        };
        let found = self.bases.iter().find_map(|base| self.at(&format!("{base}{path}")));
        if found.is_some() || self.bases.iter().any(|base| self.there(&format!("{base}{path}"))) {
            return found;
        }
        // A name alone is the changed file that is called so.
        if !path.contains('/') {
            return self.names.get(path)?.iter().find_map(|path| self.at(path));
        }
        // Git knows what there was; without it, that it is not there is all that can be said.
        (!self.in_git).then_some(FileFate::Missing)
    }

    /// What became of what lies at a path from the top.
    fn at(&self, path: &str) -> Option<FileFate> {
        let below = format!("{path}/");
        let (then, now) = (covers_of(&self.dirty_then, path), covers_of(&self.dirty, path));
        if !self.there(path) {
            return match self.changes.get(path) {
                Some(fate @ FileFate::Renamed(_)) => Some(fate.clone()),
                // Changed then, and its removal is what git still sees: it was removed then already.
                _ if then && (now || self.changes.contains_key(path)) => None,
                Some(_) => Some(FileFate::Gone),
                None => (then || now).then_some(FileFate::Gone),
            };
        }
        if self.top.join(path).is_dir() {
            let inside = |one: &&String| one.starts_with(&below) && **one != self.own;
            let touched = |one: &String| !one.ends_with('/') && self.at(one).is_some();
            let new = |one: &String| !covers_of(&self.dirty_then, one);
            let changed = self.changes.keys().chain(&self.dirty).filter(inside).any(touched)
                || self.added.iter().filter(inside).any(new);
            return changed.then_some(FileFate::Changed);
        }
        // What was not committed then is as it was if nobody has written to it since, whether it
        // was committed or not. Where no commits can be compared, the times of files are all there is.
        let by_time = then || (self.left && !self.compared);
        let changed = match by_time {
            true => self.written_since(path),
            false => now || self.changes.contains_key(path),
        };
        changed.then_some(FileFate::Changed)
    }

    fn there(&self, path: &str) -> bool {
        fs::symlink_metadata(self.top.join(path)).is_ok()
    }

    fn written_since(&self, path: &str) -> bool {
        let written = fs::metadata(self.top.join(path)).and_then(|meta| meta.modified());
        let since = written.ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        since.is_some_and(|since| since.as_micros() as i64 > self.created.micros())
    }

    /// Whether any file is another than it was when the handoff was left.
    pub(crate) fn tree_changed(&self) -> bool {
        let own = |path: &&String| **path != self.own;
        let by_time = |path: &str| {
            self.dirty_then.iter().any(|then| then == path)
                || (self.left && !self.compared && self.there(path))
        };
        self.changes.keys().filter(own).any(|path| self.at(path).is_some())
            || self.added.iter().filter(own).any(|path| !covers_of(&self.dirty_then, path))
            || self
                .dirty
                .iter()
                .filter(own)
                .take(200)
                .any(|path| !by_time(path) || self.written_since(path.trim_end_matches('/')))
    }
}

/// Whether a list of git's has a path, or a directory that it lies in.
fn covers_of(list: &[String], path: &str) -> bool {
    list.iter().any(|one| one == path || (one.ends_with('/') && path.starts_with(one.as_str())))
}
