//! Whether the repository of a directory is trusted, and the memory that it carries, `.segue/`.
//!
//! Of one that is not trusted only its files are counted.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use segue_share::git::Repo;
use segue_store::{Store, count_handoffs, is_newer_memory, looks_like_memory};

/// The directory in a work tree's top that holds its memory.
pub(crate) const SHARED: &str = ".segue";
/// What is counted at most.
const MOST: usize = 10_000;

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

/// A memory that the repository brings and that is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

/// What a work tree has at `.segue`.
#[derive(Clone, Debug)]
pub(crate) enum Shared {
    /// Nothing that looks like a memory.
    None,
    /// A memory, trusted.
    Used(PathBuf),
    NotUsed(Brings),
}

impl Shared {
    /// Looks at it without opening anything of it but its version.
    pub(crate) fn of(store: &Store, repo: Option<&Repo>) -> Self {
        let Some(repo) = repo else { return Self::None };
        let at = repo.top.join(SHARED);
        let Ok(meta) = fs::symlink_metadata(&at) else { return Self::None };
        let not_used = |why| {
            let handoffs = count_handoffs(&at, MOST) as u64;
            Self::NotUsed(Brings { at: at.clone(), handoffs, why })
        };
        if meta.is_symlink() {
            return not_used(NotUsed::Link);
        }
        if !meta.is_dir() || !looks_like_memory(&at) {
            return Self::None;
        }
        match trust_of(store, repo) {
            Trust::No => not_used(NotUsed::Untrusted),
            Trust::Changed => not_used(NotUsed::Changed),
            Trust::Yes if is_newer_memory(&at) => not_used(NotUsed::Newer),
            Trust::Yes => Self::Used(at),
        }
    }

    /// What the repository brings and is not used.
    pub(crate) fn brings(&self) -> Option<&Brings> {
        match self {
            Self::NotUsed(brings) => Some(brings),
            _ => None,
        }
    }
}

/// Whether a repository is trusted.
pub(crate) fn trust_of(store: &Store, repo: &Repo) -> Trust {
    let Some(record) = store.trust_record(&repo.common_dir) else { return Trust::No };
    if !record.holds() {
        return Trust::Changed;
    }
    // Anybody's directory can claim to be a worktree of a trusted repository.
    if record.path == repo.top || repo.is_own() { Trust::Yes } else { Trust::No }
}
