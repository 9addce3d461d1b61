//! Projects that may be the same as the one of a new directory.

use std::fmt;

use segue_core::{KnownProject, ProjectId, visible_line};
use segue_store::{ProjectRow, Scope, View};

use super::directory::Here;
use crate::Error;

/// A project that shares an `origin` or a root commit with another one. Anybody can write the one, and
/// templates share the other: only the user knows whether both are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimilarProject {
    /// Its id.
    pub id: ProjectId,
    /// Its label.
    pub label: String,
}

impl fmt::Display for SimilarProject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, label } = self;
        let label = visible_line(label);
        write!(
            f,
            "this directory may be the project '{label}', whose origin or first commit it has; \
             if it is, 'segue project link {id}' makes them one"
        )
    }
}

impl Here<'_> {
    /// The projects that this directory may be, if it was not known before.
    pub(crate) fn similar_projects(&self, view: &View) -> Result<Vec<SimilarProject>, Error> {
        let place = self.place(view)?;
        let mut similar = Vec::new();
        for id in place.similar.iter().filter(|id| Some(*id) != place.project()) {
            let label = view.project(id)?.unwrap_or_default().label;
            similar.push(SimilarProject { id: id.clone(), label });
        }
        Ok(similar)
    }

    /// The same, for who asks the store nothing else.
    pub(crate) fn find_similar_projects(&self) -> Result<Vec<SimilarProject>, Error> {
        self.ask(&Scope::Projects, |view| self.similar_projects(view))
    }
}

/// The pairs of projects that share an `origin`, or a root commit without different ones.
pub(crate) fn similar_pairs(rows: &[ProjectRow]) -> Vec<(&ProjectRow, &ProjectRow)> {
    let mut pairs = Vec::new();
    for (at, one) in rows.iter().enumerate() {
        let known = KnownProject { id: one.id.clone(), keys: one.keys.clone() };
        let like = rows[at + 1..].iter().filter(|other| known.is_like(&other.keys));
        pairs.extend(like.map(|other| (one, other)));
    }
    pairs
}
