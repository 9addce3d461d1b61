//! What a snapshot sees of git.

use std::path::Path;
use std::rc::Rc;

use segue_core::{CommitLine, HANDOFF, SeenChange, SeenGit, SeenTree};
use segue_share::git::{Discovery, FileStat, GitError, Repo, Status, at_once};

use crate::briefing::today::told;
use crate::handoffs::Handoffs;
use crate::here::{GitStateAnswer, Here, NOT_KNOWN_THERE};
use crate::sessions::capture::Sessions;

/// How many commits a snapshot names.
const COMMITS: usize = 10;

/// The snapshots of a directory.
#[derive(Debug)]
pub struct Snapshots<'s> {
    pub(super) here: Here<'s>,
    pub(super) handoffs: Handoffs<'s>,
    pub(super) sessions: Sessions<'s>,
}

impl<'s> Snapshots<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone(), handoffs: Handoffs::of(here), sessions: Sessions::of(here) }
    }
}

impl Snapshots<'_> {
    pub(super) fn see_git(
        &self,
        dir: &Path,
        workspace: &Path,
        found: &Discovery,
        log: Commits,
    ) -> (SeenGit, Option<GitStateAnswer>) {
        let repo = match found {
            Discovery::None => return (SeenGit::None, None),
            Discovery::Bare => return (SeenGit::Bare, None),
            Discovery::Broken(path) => {
                let why = format!("{} is not a repository", path.display());
                return (SeenGit::Broken(why), None);
            }
            Discovery::Repo(repo) if self.here.is_known(repo) => repo,
            Discovery::Repo(_) => return (SeenGit::Broken(NOT_KNOWN_THERE.to_owned()), None),
        };
        let (git, answers) = (self.here.git(), self.here.git_answers());
        let recent = || match log {
            Commits::Recent => git.recent_commits(dir, COMMITS).map(Some),
            Commits::None => Ok(None),
        };
        let history = || at_once(recent, || git.uncommitted_stat(dir, repo));
        let (status, (commits, stats)) =
            answers.status_during(dir, repo, || answers.origin_during(dir, history));
        let mut answer = GitStateAnswer { status, origin: answers.known_origin(dir), remote: None };
        let mut status = match answer.status.as_ref() {
            Ok(status) => status.clone(),
            Err(error) => return (SeenGit::Broken(told(error)), Some(answer)),
        };
        // HANDOFF.md is a view, and it changes with every snapshot.
        let view = workspace.join(HANDOFF);
        status.entries.retain(|entry| repo.top.join(&entry.path) != view);
        let seen = SeenGit::Tree(tree(repo, &status, commits, stats));
        answer.status = Rc::new(Ok(status));
        (seen, Some(answer))
    }
}

/// Which commits a snapshot names. A session names those that it made itself.
#[derive(Clone, Copy)]
pub(super) enum Commits {
    Recent,
    None,
}

fn commit_line(commit: segue_share::git::Commit) -> CommitLine {
    CommitLine { id: commit.id, subject: commit.subject }
}

fn tree(
    repo: &Repo,
    status: &Status,
    commits: Result<Option<Vec<segue_share::git::Commit>>, GitError>,
    stats: Result<Vec<FileStat>, GitError>,
) -> SeenTree {
    let mut gaps = Vec::new();
    let commits = commits.unwrap_or_else(|error| {
        gaps.push(told(&error));
        Some(Vec::new())
    });
    let stats = match stats {
        Ok(stats) => stats,
        // Before the first commit there is nothing to count against.
        Err(GitError::Failed { .. }) if status.head.is_none() => Vec::new(),
        Err(error) => {
            gaps.push(told(&error));
            Vec::new()
        }
    };
    let lines =
        |path: &str| stats.iter().find(|stat| stat.path == path).and_then(|stat| stat.lines);
    SeenTree {
        branch: status.branch.clone(),
        head: status.head.clone(),
        operation: repo.operation(),
        commits: commits.map(|commits| commits.into_iter().map(commit_line).collect()),
        changes: status
            .entries
            .iter()
            .map(|entry| SeenChange {
                code: entry.code.clone(),
                path: entry.path.clone(),
                lines: lines(&entry.path),
            })
            .collect(),
        more: status.more,
        gaps,
    }
}
