//! Today's tree: what git and the files say now, and what became of the files of then.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use segue_core::{CommitLine, GitState, GitToday, Handoff, SinceThen, TreeToday, code_span};
use segue_share::git::{Commit, Discovery, EarlierCommit, FileChange, GitError, History, Repo};

use super::fates::{Fates, FileToday, TreeOfFates};
use crate::here::{Here, NOT_KNOWN_THERE};
use crate::redacted::clean;

/// How many commits are named at most.
const NAMED: usize = 20;

/// What git says today, and the files that differ between then and now.
pub(crate) struct Today {
    pub(crate) git: GitToday,
    pub(crate) changes: Vec<FileChange>,
}

/// Asks git for the state of the tree and what happened since a handoff was left; both at once.
pub(crate) fn ask(here: &Here<'_>, left: Option<&GitState>) -> Today {
    let none = |git: GitToday| Today { git, changes: Vec::new() };
    let repo = match here.discovery() {
        Discovery::None => return none(GitToday::None),
        Discovery::Bare => return none(GitToday::Bare),
        Discovery::Broken(path) => {
            let path = code_span(&path.display().to_string());
            return none(GitToday::Silent(format!("{path} is not a repository")));
        }
        Discovery::Repo(_) => match here.repo() {
            Some(repo) => repo,
            None => return none(GitToday::Silent(NOT_KNOWN_THERE.to_owned())),
        },
    };
    let git = here.git();
    // Of the whole tree: claims may be about any file in it.
    let dir = &repo.top;
    let then = left.and_then(|left| left.head.as_deref());
    // Where the files say that it is the same commit, git need not be asked.
    let head = repo.head();
    let same = then.is_some() && head.as_deref() == then;
    let is_of_another_branch = left.is_some_and(|left| left.branch != here.branch());
    let ask_history = || match then {
        Some(_) if same => (Ok(Some(Some(History::default()))), Vec::new()),
        Some(commit) => {
            let earlier = EarlierCommit { commit, head: head.as_deref(), is_of_another_branch };
            (git.since(dir, &earlier, NAMED).map(Some), Vec::new())
        }
        None if repo.is_unborn() => (Ok(None), Vec::new()),
        None => (Ok(None), git.recent_commits(dir, 5).unwrap_or_default()),
    };
    let answers = here.git_answers();
    let (status, (history, recent)) = answers.status_during(dir, repo, ask_history);
    let status = match status.as_ref() {
        Ok(status) => status,
        Err(error) => return none(GitToday::Silent(told(error))),
    };
    let redactor = here.redactor_out();
    let line = |commit: Commit| {
        let mut subject = commit.subject;
        clean(&redactor, &mut subject);
        CommitLine { id: commit.id, subject }
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
            for change in &mut changes {
                clean(&redactor, &mut change.path);
                change.to.iter_mut().for_each(|path| clean(&redactor, path));
            }
            SinceThen::Moved {
                commits: history.commits.into_iter().map(&line).collect(),
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
        recent: recent.into_iter().map(&line).collect(),
    };
    Today { git: GitToday::Tree(tree), changes }
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

/// What became of the files that a handoff may name, by today's tree.
pub(crate) fn fates(
    workspace: &Path,
    repo: Option<&Repo>,
    handoff: Option<&Handoff>,
    today: &Today,
) -> Fates<'static> {
    let top = repo.map_or(workspace, |repo| &repo.top).to_owned();
    let tree =
        TreeOfFates { top: top.clone(), workspace: workspace.to_owned(), in_git: repo.is_some() };
    Fates::new(tree, handoff, &today.git, &today.changes, move |path| file_today(&top.join(path)))
}

/// What lies at a path. A link is there whether or not what it leads to is.
fn file_today(path: &Path) -> Option<FileToday> {
    fs::symlink_metadata(path).ok()?;
    let meta = fs::metadata(path).ok();
    let written = meta.as_ref().and_then(|meta| meta.modified().ok());
    let written = written.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    Some(FileToday {
        is_dir: meta.is_some_and(|meta| meta.is_dir()),
        written: written.map(|since| since.as_micros() as i64),
    })
}
