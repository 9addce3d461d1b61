//! Which branches there are, and which of them are merged into what is checked out.

use std::collections::BTreeMap;
use std::path::Path;

use super::history::is_object_name;
use super::{Git, GitError};

/// Commits of branches that are gone, which are looked for at most.
const MOST_COMMITS: usize = 16;

impl Git {
    /// The local branches, each with whether all its commits are in HEAD. An error where git is too old to say.
    pub fn branches(&self, dir: &Path) -> Result<BTreeMap<String, bool>, GitError> {
        let format = "--format=%(refname:lstrip=2)%00%(ahead-behind:HEAD)";
        let output = self.read(dir, &["for-each-ref", format, "refs/heads"])?;
        let text = String::from_utf8_lossy(&output);
        let rows = text.lines().filter_map(|line| line.split_once('\0'));
        Ok(rows.map(|(branch, counts)| (branch.to_owned(), counts.starts_with("0 "))).collect())
    }

    /// Those of some commits that HEAD does not have. An error where one is not in this clone.
    pub fn not_in_head<'c>(
        &self,
        dir: &Path,
        commits: &[&'c str],
    ) -> Result<Vec<&'c str>, GitError> {
        let commits: Vec<&str> = commits
            .iter()
            .copied()
            .filter(|commit| is_object_name(commit))
            .take(MOST_COMMITS)
            .collect();
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let mut args = vec!["rev-list", "--max-count=2000"];
        args.extend(&commits);
        args.extend(["--not", "HEAD", "--"]);
        let output = self.read(dir, &args)?;
        let text = String::from_utf8_lossy(&output);
        let missing: Vec<&str> = text.lines().collect();
        Ok(commits
            .into_iter()
            .filter(|commit| missing.iter().any(|line| line.starts_with(commit)))
            .collect())
    }
}
