//! A lane: one line of work in a project.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Handoff;

/// A branch and a directory inside the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lane {
    /// `None` if it is not known: such work is shown in every lane of its directory.
    pub branch: Option<String>,
    /// From the repository's top, `.` for the top itself.
    pub dir: String,
}

impl Lane {
    /// The lane of a branch in a directory.
    pub fn new(branch: Option<&str>, dir: &str) -> Self {
        let dir = dir.trim_matches('/');
        let dir = if dir.is_empty() { "." } else { dir };
        Self { branch: branch.map(str::to_owned), dir: dir.to_owned() }
    }

    /// The lane that a handoff was left in.
    pub fn of(handoff: &Handoff) -> Self {
        let fields = &handoff.head.fields;
        Self::new(fields.git.branch.as_deref(), fields.saved_from.dir.as_deref().unwrap_or("."))
    }

    /// What it is called in a list.
    pub fn name(&self) -> String {
        let branch = self.branch.as_deref().unwrap_or("*");
        match self.dir.as_str() {
            "." => branch.to_owned(),
            dir => format!("{branch} in {dir}"),
        }
    }
}

/// What became of a branch, as git says today.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchFate {
    /// All its commits are in another branch.
    MergedInto(String),
    /// It does not exist any more, and nothing shows that it was merged.
    Gone,
}

/// What became of the branches that lanes are named after. A branch that is not named here is as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneFates {
    fates: BTreeMap<String, BranchFate>,
}

impl LaneFates {
    /// Fates by branch.
    pub fn new(fates: impl IntoIterator<Item = (String, BranchFate)>) -> Self {
        Self { fates: fates.into_iter().collect() }
    }

    /// The lane in which the work of another lane goes on: merges are followed.
    pub fn current(&self, lane: &Lane) -> Lane {
        let mut branch = lane.branch.clone();
        // Two branches can be merged into each other.
        for _ in 0..=self.fates.len() {
            match branch.as_ref().and_then(|branch| self.fates.get(branch)) {
                Some(BranchFate::MergedInto(other)) if Some(other) != branch.as_ref() => {
                    branch = Some(other.clone());
                }
                _ => break,
            }
        }
        Lane { branch, dir: lane.dir.clone() }
    }

    /// Whether a lane's branch does not exist any more.
    pub fn is_gone(&self, lane: &Lane) -> bool {
        let fate = lane.branch.as_ref().and_then(|branch| self.fates.get(branch));
        fate == Some(&BranchFate::Gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_are_followed_and_a_circle_of_them_ends() {
        let merged = |into: &str| BranchFate::MergedInto(into.to_owned());
        let fates = LaneFates::new([
            ("a".to_owned(), merged("b")),
            ("b".to_owned(), merged("main")),
            ("x".to_owned(), merged("y")),
            ("y".to_owned(), merged("x")),
            ("old".to_owned(), BranchFate::Gone),
        ]);
        let current = |branch| fates.current(&Lane::new(Some(branch), "web")).name();
        assert_eq!(current("a"), "main in web");
        assert_eq!(current("main"), "main in web");
        assert!(["x in web", "y in web"].contains(&current("x").as_str()));
        assert!(fates.is_gone(&Lane::new(Some("old"), ".")));
        assert!(!fates.is_gone(&Lane::new(None, ".")));
    }
}
