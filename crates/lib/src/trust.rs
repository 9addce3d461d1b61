//! Trust: what the user said of a repository, kept in `$SEGUE_HOME` where no repository can say it.
//!
//! It holds for the repository that lay there, in all its worktrees. Another one at the same path, a
//! clone and a moved repository need a word of their own.

use std::path::{Path, PathBuf};

use segue_core::Timestamp;
use segue_share::git::{Repo, discover};
use segue_store::{StoreError, TrustRecord, View, count_handoffs, looks_like_memory};

use crate::shared::{SHARED, Shared};
use crate::{Brings, Error, ProjectRef, Segue};

/// Whether a repository is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The user has not said so.
    No,
    /// The user has said so, of what lies there now.
    Yes,
    /// The user has said so, and another repository lies there now.
    Changed,
}

/// A repository that is trusted now, or not any more.
#[derive(Clone, Debug, PartialEq, Eq)]
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
pub struct TrustedTree {
    /// The top of the work tree in which it was said.
    pub path: PathBuf,
    /// When.
    pub since: Option<Timestamp>,
    /// `Changed` if another repository lies there now, or none.
    pub trust: Trust,
}

impl Segue {
    /// Whether the repository of a directory is trusted. A directory without one is not.
    pub fn trusted(&self, dir: &Path) -> Trust {
        discover(dir).map_or(Trust::No, |repo| self.trust_of(&repo))
    }

    pub(crate) fn trust_of(&self, repo: &Repo) -> Trust {
        let Some(record) = self.store.trust_record(&repo.common_dir) else { return Trust::No };
        if !record.holds() {
            return Trust::Changed;
        }
        // Anybody's directory can claim to be a worktree of a trusted repository.
        if record.path == repo.top || repo.is_own() { Trust::Yes } else { Trust::No }
    }

    /// What `trust` would do.
    pub fn plan_trust(&self, dir: &Path) -> Result<TrustOutcome, Error> {
        let repo = self.work_tree(dir)?;
        Ok(self.trust_outcome(&repo, self.trust_of(&repo)))
    }

    /// Trusts the repository of a directory: the memory that it carries is used, and its plans may run
    /// their commands.
    pub fn trust(&self, dir: &Path) -> Result<TrustOutcome, Error> {
        let repo = self.work_tree(dir)?;
        let before = self.trust_of(&repo);
        self.store.write_trust(&TrustRecord::new(&repo.top, &repo.common_dir, self.env.now())?)?;
        let view = self.store.writer_view()?;
        for row in view.attached()? {
            // Of a repository inside this one nothing was said.
            if discover(&row.attached.at).is_some_and(|of| of.top == repo.top) {
                self.trust_memory(&view, &row.id, true)?;
            }
        }
        if let Shared::Used(at) = self.shared(Some(&repo)) {
            let own = ProjectRef::Given(repo.top.to_string_lossy().into_owned());
            let place = self.place(&view, &own)?;
            let project = self.target(&view, &place, &own)?.project;
            self.attach(&view, &at, &project, &place.label)?;
        }
        Ok(self.trust_outcome(&repo, before))
    }

    /// What `untrust` would do.
    pub fn plan_untrust(&self, dir: &Path) -> Result<TrustOutcome, Error> {
        let (path, repo) = self.trusted_tree(dir)?;
        Ok(match repo {
            Some(repo) => self.trust_outcome(&repo, self.trust_of(&repo)),
            None => gone(path),
        })
    }

    /// Takes trust back, in all worktrees of the repository. Nothing is deleted.
    pub fn untrust(&self, dir: &Path) -> Result<TrustOutcome, Error> {
        let outcome = self.plan_untrust(dir)?;
        let (path, repo) = self.trusted_tree(dir)?;
        let mut git_dirs: Vec<PathBuf> =
            repo.as_ref().map(|repo| repo.common_dir.clone()).into_iter().collect();
        let records = self.store.trust_records()?;
        git_dirs.extend(
            records.into_iter().filter(|record| record.path == path).map(|record| record.git_dir),
        );
        for git_dir in &git_dirs {
            self.store.remove_trust(git_dir)?;
        }
        let view = self.store.writer_view()?;
        for row in view.attached()? {
            let at = &row.attached.at;
            let of = discover(at).map(|repo| repo.common_dir);
            if of.map_or(at.starts_with(&path), |dir| git_dirs.contains(&dir)) {
                self.trust_memory(&view, &row.id, false)?;
            }
        }
        Ok(outcome)
    }

    /// Every repository that was trusted.
    pub fn trusts(&self) -> Result<Vec<TrustedTree>, Error> {
        let records = self.store.trust_records()?.into_iter();
        let tree = |record: TrustRecord| TrustedTree {
            trust: if record.holds() { Trust::Yes } else { Trust::Changed },
            path: record.path,
            since: record.since,
        };
        Ok(records.map(tree).collect())
    }

    /// One that is gone is no obstacle.
    fn trust_memory(
        &self,
        view: &View,
        memory: &segue_core::ProjectId,
        trusted: bool,
    ) -> Result<(), Error> {
        match self.store.set_trusted(view, memory, trusted) {
            Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                Ok(())
            }
            other => Ok(other.map(|_| ())?),
        }
    }

    fn trust_outcome(&self, repo: &Repo, before: Trust) -> TrustOutcome {
        let at = repo.top.join(SHARED);
        let memory = looks_like_memory(&at).then(|| (at.clone(), self.count(&at)));
        // That it is not trusted yet is what this is about.
        let not_used = self
            .brings(Some(repo))
            .filter(|brings| matches!(brings.why, crate::NotUsed::Link | crate::NotUsed::Newer));
        TrustOutcome { path: repo.top.clone(), before, memory, not_used }
    }

    fn count(&self, at: &Path) -> u64 {
        count_handoffs(at, usize::MAX) as u64
    }

    fn work_tree(&self, dir: &Path) -> Result<Repo, Error> {
        let dir = self.env.dir.join(dir);
        if !dir.is_dir() {
            return Err(Error::NoDirectory(dir));
        }
        let repo = discover(&dir).ok_or(Error::NoWorkTree(dir))?;
        match (repo.top.to_str(), repo.common_dir.to_str()) {
            (Some(_), Some(_)) => Ok(repo),
            _ => Err(Error::Usage("a path that is not UTF-8 cannot be trusted".to_owned())),
        }
    }

    /// A tree that trust is taken from: it may be gone, or be none any more.
    fn trusted_tree(&self, dir: &Path) -> Result<(PathBuf, Option<Repo>), Error> {
        let dir = self.env.dir.join(dir);
        let records = self.store.trust_records()?;
        match discover(&dir) {
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
