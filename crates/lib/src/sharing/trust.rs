//! Trust: what the user said of a repository, kept in `$SEGUE_HOME` where no repository can say it.
//!
//! It holds for the repository that lay there, in all its worktrees. Another one at the same path, a
//! clone and a moved repository need a word of their own.

use std::path::{Path, PathBuf};

use segue_core::{ProjectId, Timestamp};
use segue_share::git::Repo;
use segue_store::{StoreError, TrustRecord, View, count_handoffs, looks_like_memory};

use crate::here::{Brings, Here, NotUsed, SHARED, Shared, Trust, trust_of};
use crate::{Error, ProjectRef};

/// A repository that is trusted now, or not any more.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrustOutcome {
    /// The top of its work tree.
    pub path: PathBuf,
    /// What was the case before.
    pub before: Trust,
    /// Its memory, if it carries one, and how many handoffs that has.
    pub memory: Option<(PathBuf, u64)>,
    /// Why that is not used all the same.
    pub not_used: Option<Brings>,
}

/// A repository in the list of those that were trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrustedTree {
    /// The top of the work tree in which it was said.
    pub path: PathBuf,
    /// When.
    pub since: Option<Timestamp>,
    /// `Changed` if another repository lies there now, or none.
    pub trust: Trust,
}

/// The repositories that the user trusts.
#[derive(Debug)]
pub struct TrustedTrees<'s> {
    pub(super) here: Here<'s>,
}

impl<'s> TrustedTrees<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }
}

impl TrustedTrees<'_> {
    /// What [`add`](Self::add) would do.
    pub fn plan(&self, dir: &Path) -> Result<TrustOutcome, Error> {
        let repo = self.work_tree(dir)?;
        Ok(self.trust_outcome(&repo, trust_of(self.here.store, &repo)))
    }

    /// Trusts the repository of a directory: the memory that it carries is used, and its plans may run
    /// their commands.
    pub fn add(&self, dir: &Path) -> Result<TrustOutcome, Error> {
        let repo = self.work_tree(dir)?;
        let before = trust_of(self.here.store, &repo);
        self.here.store.write_trust(&TrustRecord::new(
            &repo.top,
            &repo.common_dir,
            self.here.now(),
        )?)?;
        let view = self.here.store.writer_view()?;
        for row in view.attached()? {
            // Of a repository inside this one nothing was said.
            if self.here.claimed_repo_at(&row.attached.at).is_some_and(|of| of.top == repo.top) {
                self.trust_memory(&view, &row.id, true)?;
            }
        }
        let own = self.here.at(repo.top.clone());
        if matches!(own.shared(), Shared::Used(_)) {
            let project = own.create_or_update_project(&view, &ProjectRef::Here)?.project;
            own.attach_memory(&view, &project)?;
        }
        Ok(self.trust_outcome(&repo, before))
    }

    /// What [`remove`](Self::remove) would do.
    pub fn plan_removal(&self, dir: &Path) -> Result<TrustOutcome, Error> {
        let (path, repo) = self.trusted_tree(dir)?;
        Ok(match repo {
            Some(repo) => self.trust_outcome(&repo, trust_of(self.here.store, &repo)),
            None => gone(path),
        })
    }

    /// Takes trust back, in all worktrees of the repository. Nothing is deleted.
    pub fn remove(&self, dir: &Path) -> Result<TrustOutcome, Error> {
        let outcome = self.plan_removal(dir)?;
        let (path, repo) = self.trusted_tree(dir)?;
        let mut git_dirs: Vec<PathBuf> =
            repo.as_ref().map(|repo| repo.common_dir.clone()).into_iter().collect();
        let records = self.here.store.trust_records()?;
        git_dirs.extend(
            records.into_iter().filter(|record| record.path == path).map(|record| record.git_dir),
        );
        for git_dir in &git_dirs {
            self.here.store.remove_trust(git_dir)?;
        }
        let view = self.here.store.writer_view()?;
        for row in view.attached()? {
            let at = &row.attached.at;
            let of = self.here.claimed_repo_at(at).map(|repo| repo.common_dir);
            if of.map_or(at.starts_with(&path), |dir| git_dirs.contains(&dir)) {
                self.trust_memory(&view, &row.id, false)?;
            }
        }
        Ok(outcome)
    }

    /// Every repository that was trusted.
    pub fn all(&self) -> Result<Vec<TrustedTree>, Error> {
        let records = self.here.store.trust_records()?.into_iter();
        let tree = |record: TrustRecord| TrustedTree {
            trust: if record.holds() { Trust::Yes } else { Trust::Changed },
            path: record.path,
            since: record.since,
        };
        Ok(records.map(tree).collect())
    }

    /// Notes whether what a memory has is used. One that is gone is no obstacle.
    fn trust_memory(&self, view: &View, memory: &ProjectId, trusted: bool) -> Result<(), Error> {
        match self.here.store.set_trusted(view, memory, trusted) {
            Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                Ok(())
            }
            other => Ok(other.map(|_| ())?),
        }
    }

    fn trust_outcome(&self, repo: &Repo, before: Trust) -> TrustOutcome {
        let at = repo.top.join(SHARED);
        let memory =
            looks_like_memory(&at).then(|| (at.clone(), count_handoffs(&at, usize::MAX) as u64));
        // That it is not trusted yet is what this is about.
        let shared = Shared::of(self.here.store, Some(repo));
        let not_used = shared
            .brings()
            .filter(|brings| matches!(brings.why, NotUsed::Link | NotUsed::Newer))
            .cloned();
        TrustOutcome { path: repo.top.clone(), before, memory, not_used }
    }

    fn work_tree(&self, dir: &Path) -> Result<Repo, Error> {
        let dir = self.here.env.dir.join(dir);
        if !dir.is_dir() {
            return Err(Error::NoDirectory(dir));
        }
        let repo = self.here.claimed_repo_at(&dir).ok_or(Error::NoWorkTree(dir))?;
        match (repo.top.to_str(), repo.common_dir.to_str()) {
            (Some(_), Some(_)) => Ok(repo),
            _ => Err(Error::Usage("a path that is not UTF-8 cannot be trusted".to_owned())),
        }
    }

    /// A tree that trust is taken from: it may be gone, or be none any more.
    fn trusted_tree(&self, dir: &Path) -> Result<(PathBuf, Option<Repo>), Error> {
        let dir = self.here.env.dir.join(dir);
        let records = self.here.store.trust_records()?;
        match self.here.claimed_repo_at(&dir) {
            Some(repo) => Ok((repo.top.clone(), Some(repo))),
            None if records.iter().any(|record| record.path == dir) => Ok((dir, None)),
            None if dir.is_dir() => Err(Error::NoWorkTree(dir)),
            None => Err(Error::NoDirectory(dir)),
        }
    }
}

fn gone(path: PathBuf) -> TrustOutcome {
    TrustOutcome { path, before: Trust::Changed, memory: None, not_used: None }
}
