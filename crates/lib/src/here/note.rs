//! What people are told of a directory that is no known project.

use std::fmt;

use segue_core::visible_line;
use segue_store::{Scope, View};

use super::directory::Here;
use super::similar::SimilarProject;
use crate::Error;

/// Why a repository is not asked for its state.
pub(crate) const NOT_KNOWN_THERE: &str =
    "the .git here names a repository that does not know this directory";

/// Why a directory is no known project, and what helps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DirectoryNote {
    /// It may be this one, which only the user knows.
    Similar(SimilarProject),
    /// The project that was named for this process is not there.
    UnknownName(String),
    /// Git gave no answer, for this reason: whose the directory is was not decided.
    Undecided(String),
    /// Its `.git` names a repository that does not know it.
    StrangeGit,
}

impl fmt::Display for DirectoryNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Similar(similar) => similar.fmt(f),
            Self::UnknownName(name) => write!(
                f,
                "SEGUE_PROJECT names '{}', and no project is called so; 'segue project list' shows what \
                 there is, and a save makes it",
                visible_line(name)
            ),
            Self::Undecided(reason) => write!(
                f,
                "it is not known which project this directory is: {}",
                visible_line(reason)
            ),
            Self::StrangeGit => write!(
                f,
                "{NOT_KNOWN_THERE}, so it is not taken for it and not asked for its state; 'git worktree repair' \
                 helps where a worktree was moved, 'git config core.worktree' where git's directory lies apart, \
                 and 'segue project link' makes the directory belong to a project",
            ),
        }
    }
}

impl Here<'_> {
    /// What is to be said of this directory, if it is no known project.
    pub(crate) fn directory_notes(&self, view: &View) -> Result<Vec<DirectoryNote>, Error> {
        let place = self.place(view)?;
        let similar = self.similar_projects(view)?;
        let mut notes: Vec<_> = similar.into_iter().map(DirectoryNote::Similar).collect();
        if let Some(undecided) = &place.undecided {
            let more = match undecided.timed_out {
                true => "; SEGUE_GIT_DEADLINE_MS gives git more time",
                false => "",
            };
            notes.push(DirectoryNote::Undecided(format!("{}{more}", undecided.reason)));
        }
        if place.project().is_none() && place.is_named {
            notes.push(DirectoryNote::UnknownName(place.label.clone()));
        } else if place.project().is_none()
            && self.claimed_repo().is_some()
            && self.own_repo().is_none()
        {
            notes.push(DirectoryNote::StrangeGit);
        }
        Ok(notes)
    }

    /// The same, for who asks the store nothing else.
    pub(crate) fn find_directory_notes(&self) -> Result<Vec<DirectoryNote>, Error> {
        self.ask(&Scope::Projects, |view| self.directory_notes(view))
    }
}
