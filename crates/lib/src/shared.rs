//! The memory that a repository carries, `.segue/`: made by `init --shared`, used where it is trusted.
//!
//! Of one that is not trusted only its files are counted.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use segue_core::ProjectId;
use segue_share::git::{Repo, discover};
use segue_store::{
    ProjectFile, Standing, StoreError, View, count_handoffs, create_workspace_dir,
    create_workspace_file, is_newer_memory, looks_like_memory,
};

use crate::here::Place;
use crate::{Error, ProjectRef, Segue, Trust, TrustOutcome};

/// The directory in a work tree's top that holds its memory.
pub(crate) const SHARED: &str = ".segue";
/// What is counted at most.
const MOST: usize = 10_000;
/// What git shall not keep: layer 2 is derived, the rest was left by a killed process.
const IGNORED: &str = "layer2/\n.tmp-*\n";

/// A memory that the repository brings and that is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brings {
    /// Where it lies.
    pub at: PathBuf,
    /// How many files it has that could be handoffs, counted up to 10,000.
    pub handoffs: u64,
    /// Why it is not used.
    pub why: NotUsed,
}

/// Why a memory in a repository is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotUsed {
    /// The user has not said that it is trusted.
    Untrusted,
    /// Another repository was trusted at this place.
    Changed,
    /// It is reached by a link.
    Link,
    /// A newer version of Segue made it.
    Newer,
}

impl fmt::Display for Brings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = if self.handoffs == 1 { "" } else { "s" };
        let brings = format!("{SHARED}/ with {} handoff{many}", self.handoffs);
        match self.why {
            NotUsed::Untrusted => {
                write!(f, "the repository brings {brings}, untrusted; 'segue trust' uses them")
            }
            NotUsed::Changed => write!(
                f,
                "another repository lies here than the one that was trusted; its {brings} is not used; \
                 'segue trust' trusts this one"
            ),
            NotUsed::Link => write!(f, "{} is a link and is not used", self.at.display()),
            NotUsed::Newer => {
                write!(f, "{} is of a newer version of Segue and is not used", self.at.display())
            }
        }
    }
}

/// A repository that carries its own memory now.
#[derive(Clone, Debug)]
pub struct ShareOutcome {
    /// The directory.
    pub at: PathBuf,
    /// Files that were written; none if it was one already.
    pub created: Vec<PathBuf>,
    /// What is trusted with it.
    pub trust: TrustOutcome,
}

/// What a work tree has at `.segue`.
pub(crate) enum Shared {
    /// Nothing that looks like a memory.
    None,
    /// A memory, trusted.
    Used(PathBuf),
    NotUsed(Brings),
}

impl Segue {
    /// Makes this repository carry its own memory, and trusts it. Files that are there stay.
    pub fn share(&self) -> Result<ShareOutcome, Error> {
        let dir = self.directory_of(&ProjectRef::Here)?;
        let repo = discover(&dir).ok_or_else(|| Error::NoWorkTree(dir.clone()))?;
        let at = repo.top.join(SHARED);
        let files = ["project.toml", ".gitignore"].map(|name| at.join(name));
        // Looked at before anything is written.
        match fs::symlink_metadata(&at) {
            Ok(meta) if !meta.is_dir() => {
                return Err(StoreError::NotADirectory { path: at }.into());
            }
            _ => {}
        }
        for path in &files {
            if fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) {
                return Err(Error::NotAFile(path.clone()));
            }
        }
        if is_newer_memory(&at) {
            return Err(StoreError::NewerVersion { path: files[0].clone() }.into());
        }
        let view = self.store.writer_view()?;
        let label = self.place(&view, &ProjectRef::Here)?.label;
        drop(view);
        create_workspace_dir(&at)?;
        let texts = [ProjectFile::new(&label, &[]).render(), IGNORED.to_owned()];
        let mut created = Vec::new();
        for (path, text) in files.into_iter().zip(texts) {
            if create_workspace_file(&path, text.as_bytes())? {
                created.push(path);
            }
        }
        let trust = self.trust(&dir)?;
        Ok(ShareOutcome { at, created, trust })
    }

    /// What a work tree has at `.segue`, looked at without opening anything of it but its version.
    pub(crate) fn shared(&self, repo: Option<&Repo>) -> Shared {
        let Some(repo) = repo else { return Shared::None };
        let at = repo.top.join(SHARED);
        let Ok(meta) = fs::symlink_metadata(&at) else { return Shared::None };
        let not_used = |why| {
            let handoffs = count_handoffs(&at, MOST) as u64;
            Shared::NotUsed(Brings { at: at.clone(), handoffs, why })
        };
        if meta.is_symlink() {
            return not_used(NotUsed::Link);
        }
        if !meta.is_dir() || !looks_like_memory(&at) {
            return Shared::None;
        }
        match self.trust_of(repo) {
            Trust::No => not_used(NotUsed::Untrusted),
            Trust::Changed => not_used(NotUsed::Changed),
            Trust::Yes if is_newer_memory(&at) => not_used(NotUsed::Newer),
            Trust::Yes => Shared::Used(at),
        }
    }

    /// What the repository of a directory brings and is not used.
    pub(crate) fn brings(&self, repo: Option<&Repo>) -> Option<Brings> {
        match self.shared(repo) {
            Shared::NotUsed(brings) => Some(brings),
            _ => None,
        }
    }

    /// The memory in the repository of a place, if it is trusted: attached to the store and to the
    /// place's project, as a worktree of a trusted repository is without a word.
    pub(crate) fn shared_memory(
        &self,
        view: &View,
        place: &Place,
        project: &ProjectId,
    ) -> Result<Option<ProjectId>, Error> {
        match self.shared(place.repo.as_ref()) {
            Shared::Used(at) => self.attach(view, &at, project, &place.label).map(Some),
            _ => Ok(None),
        }
    }

    /// Attaches a trusted directory to a project, unless it is.
    pub(crate) fn attach(
        &self,
        view: &View,
        at: &Path,
        project: &ProjectId,
        label: &str,
    ) -> Result<ProjectId, Error> {
        let known = view.attached_at(at)?;
        let known = known.filter(|row| row.attached.standing() == Standing::Trusted);
        let memory = match known {
            Some(row) => row.id,
            None => self.store.attach(view, at, label, true)?,
        };
        let names = view.project(project)?.unwrap_or_default();
        if !names.includes.contains(&memory) {
            self.store.change_project(view, project, |file| file.add_include(&memory))?;
        }
        Ok(memory)
    }

    /// The memory that a successor of a handoff goes to: the one in this repository if the old one is
    /// of this project, else where the old one lies.
    pub(crate) fn memory_for(&self, view: &View, old: &ProjectId) -> Result<ProjectId, Error> {
        let Ok(dir) = self.directory_of(&ProjectRef::Here) else { return Ok(old.clone()) };
        if !matches!(self.shared(discover(&dir).as_ref()), Shared::Used(_)) {
            return Ok(old.clone());
        }
        let place = self.place(view, &ProjectRef::Here)?;
        let Some(project) = place.project() else { return Ok(old.clone()) };
        let names = view.project(project)?.unwrap_or_default();
        if old != project && !names.includes.contains(old) {
            return Ok(old.clone());
        }
        Ok(self.shared_memory(view, &place, project)?.unwrap_or_else(|| old.clone()))
    }
}
