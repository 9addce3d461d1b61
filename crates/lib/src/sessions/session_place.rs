//! When and where a captured session was: what its handoff says instead of what holds here and now.

use std::path::{Path, PathBuf};
use std::time::Duration;

use segue_core::session::{Commit, CommitState, Session};
use segue_core::{HANDOFF, Timestamp};
use segue_share::git::{MAX_CHANGED, Repo, Status, StatusEntry};

use crate::here::{GitStateAnswer, Here};
use crate::sessions::Captured;

/// Git still shows what a session left that ended so shortly before.
const JUST_ENDED: Duration = Duration::from_secs(10 * 60);

/// When and where a session was at its end.
#[derive(Clone, Debug)]
pub(crate) struct SessionPlace {
    /// When something last happened in it.
    pub(crate) ended: Timestamp,
    /// The work tree that it was in, if that is one of this repository and still there.
    pub(crate) tree: Option<Repo>,
    /// Where in that it was.
    dir: PathBuf,
    /// Whether git's state of now is the one that it left, as far as the branch agrees.
    is_fresh: bool,
    /// Whether it goes on: then git's state of now is its own, whatever the transcript says.
    is_live: bool,
}

impl SessionPlace {
    /// Whether it goes on, or ended just now.
    pub(crate) fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    /// The directory that it was in, on disk.
    pub(crate) fn directory(&self) -> &Path {
        &self.dir
    }

    /// The directory from the top of its work tree.
    pub(crate) fn dir_in_repo(&self) -> Option<String> {
        let inside = self.dir.strip_prefix(&self.tree.as_ref()?.top).ok()?;
        let inside = inside.to_string_lossy().replace('\\', "/");
        Some(if inside.is_empty() { ".".to_owned() } else { inside })
    }

    /// The name of its work tree.
    pub(crate) fn worktree(&self) -> Option<String> {
        self.tree.as_ref().map(|tree| tree.worktree.clone())
    }

    /// The work tree whose state of now is worth asking for.
    pub(crate) fn fresh_tree(&self, session: &Session) -> Option<&Repo> {
        let tree = self.tree.as_ref().filter(|_| self.is_fresh)?;
        let agrees = self.is_live || session.branch.is_none() || tree.branch() == session.branch;
        agrees.then_some(tree)
    }
}

impl SessionPlace {
    /// When and where a session was. `is_live` says that it is captured while it goes on.
    pub(crate) fn of(here: &Here<'_>, captured: &Captured, is_live: bool) -> Self {
        let session = &captured.session;
        let ended = session.ended.unwrap_or(captured.seen.modified).min(here.now());
        let (tree, dir) = match here.repo() {
            Some(repo) => match session_tree(here, session, repo) {
                // A session that goes on is where it is captured, wherever its transcript says that it began.
                (None, dir) if is_live => (Some(repo.clone()), dir),
                found => found,
            },
            None => (None, here.dir().to_owned()),
        };
        let is_fresh = is_live || here.env.since(ended) <= JUST_ENDED;
        Self { ended, tree, dir, is_fresh, is_live }
    }

    /// What git would have said at the end of the session, as far as its transcript shows it: its branch, the
    /// last commit that it made, and the files that it changed after that.
    pub(crate) fn state_by_transcript(&self, here: &Here<'_>, session: &Session) -> GitStateAnswer {
        let last = last_commit(session);
        let head = last.and_then(known_id).map(|id| match &self.tree {
            Some(tree) => full_commit(here, tree, id),
            None => id.to_owned(),
        });
        let since = last.map_or(0, |commit| commit.record);
        let paths = self.tree.as_ref().map(|tree| changed_after(session, since, &tree.top));
        let mut paths = paths.unwrap_or_default();
        let more = paths.len().saturating_sub(MAX_CHANGED);
        paths.truncate(MAX_CHANGED);
        let entry = |path| StatusEntry { path, code: String::new() };
        let entries = paths.into_iter().map(entry).collect();
        let status = Status { branch: session.branch.clone(), head, entries, more };
        GitStateAnswer::of_status(status)
    }
}

/// The whole name of a commit, as far as it can be found.
fn full_commit(here: &Here<'_>, tree: &Repo, commit: &str) -> String {
    // Mostly it is still checked out, which a file says.
    if let Some(head) = tree.head().filter(|head| commit.len() >= 7 && head.starts_with(commit)) {
        return head;
    }
    let whole = here.git().full_commit(&tree.top, commit);
    whole.ok().flatten().unwrap_or_else(|| commit.to_owned())
}

/// The work tree of this repository that a session was last in, and where in it.
fn session_tree(here: &Here<'_>, session: &Session, repo: &Repo) -> (Option<Repo>, PathBuf) {
    let dirs = [session.cwd.as_deref(), session.began_in.as_deref()];
    let mut known = dirs.into_iter().flatten().peekable();
    // A transcript that does not say where it was is of here.
    if known.peek().is_none() {
        return (Some(repo.clone()), here.dir().to_owned());
    }
    let found = known.find_map(|dir| {
        let dir = Path::new(dir).canonicalize().ok()?;
        let there = here.repo_at(&dir).filter(|there| there.common_dir == repo.common_dir)?;
        Some((Some(there), dir))
    });
    found.unwrap_or((None, here.dir().to_owned()))
}

/// The last commit that a session made on the branch that it ended on.
fn last_commit(session: &Session) -> Option<&Commit> {
    let is_here = |commit: &&Commit| {
        commit.state == CommitState::Made
            && (commit.branch.is_none()
                || session.branch.is_none()
                || commit.branch == session.branch)
    };
    session.commits.iter().rev().find(is_here)
}

/// The id of a commit, which git may have been told not to print.
fn known_id(commit: &Commit) -> Option<&str> {
    Some(commit.id.as_str()).filter(|id| !id.is_empty())
}

/// The files below a directory that a session changed after a record.
fn changed_after(session: &Session, record: u64, top: &Path) -> Vec<String> {
    let files = session.files.iter();
    let changed = files.filter(|(_, file)| file.is_changed() && file.record > record);
    let inside = changed.filter_map(|(path, file)| {
        let below = |path: &str| {
            let inside = Path::new(path).strip_prefix(top).ok()?;
            Some(inside.to_string_lossy().replace('\\', "/")).filter(|path| path != HANDOFF)
        };
        let path = below(path)?;
        Some(match file.renamed_from.as_deref().and_then(below) {
            Some(old) => format!("{old} -> {path}"),
            None => path,
        })
    });
    inside.collect()
}

#[cfg(test)]
mod tests {
    use segue_core::session::FileUse;

    use super::*;

    fn commit(id: &str, branch: Option<&str>, state: CommitState, record: u64) -> Commit {
        let (id, subject) = (id.to_owned(), String::new());
        Commit {
            id,
            branch: branch.map(str::to_owned),
            subject,
            body: String::new(),
            by_subagent: false,
            pushed: false,
            record,
            state,
        }
    }

    #[test]
    fn a_commit_whose_id_was_not_printed_has_none() {
        assert_eq!(known_id(&commit("", None, CommitState::Made, 3)), None);
        assert_eq!(known_id(&commit("1111111", None, CommitState::Made, 3)), Some("1111111"));
    }

    #[test]
    fn the_head_of_a_session_is_the_last_commit_of_its_branch_that_stands() {
        let session = Session {
            branch: Some("main".to_owned()),
            commits: vec![
                commit("1111111", Some("main"), CommitState::Made, 3),
                commit("2222222", None, CommitState::Made, 5),
                commit("3333333", Some("other"), CommitState::Made, 7),
                commit("4444444", Some("main"), CommitState::Gone, 9),
                commit("5555555", Some("main"), CommitState::Elsewhere, 11),
            ],
            ..Session::default()
        };
        assert_eq!(last_commit(&session).unwrap().id, "2222222");
        assert!(last_commit(&Session::default()).is_none());
    }

    #[test]
    fn only_files_of_the_tree_count_as_changed_after_the_last_commit() {
        let mut session = Session::default();
        let mut edited = |path: &str, record, renamed_from: Option<&str>| {
            let renamed_from = renamed_from.map(str::to_owned);
            let file = FileUse { edits: 1, record, renamed_from, ..FileUse::default() };
            session.files.insert(path.to_owned(), file);
        };
        edited("/work/shop/a.rs", 4, None);
        edited("/work/shop/src/b.rs", 6, None);
        edited("/work/shop/new.rs", 7, Some("/work/shop/old.rs"));
        edited("/work/shop/HANDOFF.md", 7, None);
        edited("/work/other/c.rs", 8, None);
        let read = FileUse { reads: 1, record: 9, ..FileUse::default() };
        session.files.insert("/work/shop/read.rs".to_owned(), read);
        let changed = changed_after(&session, 5, Path::new("/work/shop"));
        assert_eq!(changed, ["old.rs -> new.rs", "src/b.rs"]);
    }
}
