//! What became of the branches that sessions worked on.

use segue_core::{BranchFate, LaneFates, WorkedBranch};
use std::collections::BTreeMap;

use crate::here::Here;

/// The fates of these branches, as git says today. Git is only asked where there is another branch than the one
/// that is checked out, and where it does not answer, nothing became of any.
pub(super) fn branch_fates(here: &Here<'_>, worked: &BTreeMap<String, WorkedBranch>) -> LaneFates {
    let current = here.branch();
    let others: Vec<(&String, &WorkedBranch)> =
        worked.iter().filter(|(branch, _)| Some(*branch) != current.as_ref()).collect();
    let (Some(repo), false) = (here.repo(), others.is_empty()) else { return LaneFates::default() };
    let git = here.git();
    let Ok(there) = git.branches(&repo.top) else { return LaneFates::default() };
    // Branches are stored without secrets in their names.
    let there: BTreeMap<String, bool> =
        there.into_iter().map(|(branch, merged)| (here.without_secrets(branch), merged)).collect();
    let gone_heads: Vec<&str> = others
        .iter()
        .filter(|(branch, worked)| !there.contains_key(*branch) && worked.has_commits)
        .filter_map(|(_, worked)| worked.head.as_deref())
        .collect();
    let missing = git.not_in_head(&repo.top, &gone_heads);
    let is_in_head = |head: &Option<String>| match (&missing, head) {
        (Ok(missing), Some(head)) => {
            gone_heads.contains(&head.as_str()) && !missing.contains(&head.as_str())
        }
        _ => false,
    };
    let fates = others.into_iter().filter_map(|(branch, worked)| {
        let merged = match there.get(branch) {
            Some(is_merged) => *is_merged && worked.has_commits,
            None => worked.has_commits && is_in_head(&worked.head),
        };
        let fate = match (&current, merged) {
            (Some(current), true) => BranchFate::MergedInto(current.clone()),
            _ if there.contains_key(branch) => return None,
            _ => BranchFate::Gone,
        };
        Some((branch.clone(), fate))
    });
    LaneFates::new(fates)
}
