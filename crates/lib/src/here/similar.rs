//! Projects that may be the same as the one of a new directory.

use std::fmt;

use segue_core::{KnownProject, ProjectId, visible_line};
use segue_store::{ProjectRow, View};

use super::directory::Here;
use crate::Error;

/// A project that shares an `origin`, a root commit or its place with another one. Anybody can write the
/// first, templates share the second, and a repository can come to lie where another one lay: only the user
/// knows whether both are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimilarProject {
    /// Its id.
    pub id: ProjectId,
    /// Its label.
    pub label: String,
    /// Whether it was recognised at this place until now.
    pub lay_here: bool,
}

impl fmt::Display for SimilarProject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, label, lay_here } = self;
        let label = visible_line(label);
        let why = match lay_here {
            true => "which was at this place before",
            false => "whose origin or first commit it has",
        };
        write!(
            f,
            "this directory may be the project '{label}', {why}; if it is, \
             'segue project link {id}' makes them one"
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
            let lay_here = place.was_at_the_place(&view.keys(id)?);
            similar.push(SimilarProject { id: id.clone(), label, lay_here });
        }
        Ok(similar)
    }
}

/// The pairs of projects that share an `origin`, a root commit without different ones, or a place; and which.
pub(crate) fn similar_pairs(rows: &[ProjectRow]) -> Vec<(&ProjectRow, &ProjectRow, &'static str)> {
    let mut pairs = Vec::new();
    for (at, one) in rows.iter().enumerate() {
        let known = KnownProject { id: one.id.clone(), keys: one.keys.clone() };
        for other in &rows[at + 1..] {
            if known.is_like(&other.keys) {
                pairs.push((one, other, "have the same origin or first commit"));
            } else if known.was_at_the_same_place(&other.keys) {
                pairs.push((one, other, "were at the same place, one after the other"));
            }
        }
    }
    pairs
}
