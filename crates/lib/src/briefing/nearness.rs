//! How near to here something was left, and which of several things to go on from.

use segue_core::{Fields, Timestamp};

/// What is older than the newest by more than this is not preferred for being nearer: 14 days.
pub(crate) const MUCH_OLDER_MICROS: i64 = 14 * 86_400_000_000;

/// Where somebody is who wants to know what was left.
pub(crate) struct WhereNow {
    pub(crate) branch: Option<String>,
    pub(crate) worktree: Option<String>,
    /// Whether what was left on any branch is as near.
    pub(crate) any_branch: bool,
}

impl WhereNow {
    /// How far away something was left: here, on this branch in another worktree, elsewhere.
    pub(crate) fn distance(&self, fields: &Fields) -> u8 {
        let same = |theirs: &Option<String>, here: &Option<String>| {
            theirs.is_none() || here.is_none() || theirs == here
        };
        let branch = same(&fields.git.branch, &self.branch);
        let worktree = same(&fields.saved_from.worktree, &self.worktree);
        match (branch, worktree) {
            _ if self.any_branch => 0,
            (true, true) => 0,
            (true, false) => 1,
            (false, _) => 2,
        }
    }
}

/// How far away something was left, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LeftAt {
    pub(crate) distance: u8,
    pub(crate) created: Timestamp,
}

/// Which of these to go on from: the nearest of those that are not much older than the newest, and of those that
/// are as near the newest. The first of those that are the same in both.
pub(crate) fn preferred(all: &[LeftAt]) -> Option<usize> {
    let newest = all.iter().map(|left| left.created).max()?;
    let is_recent = |left: &LeftAt| newest.micros() - left.created.micros() <= MUCH_OLDER_MICROS;
    let recent = all.iter().enumerate().filter(|(_, left)| is_recent(left));
    let best =
        recent.min_by_key(|(at, left)| (left.distance, std::cmp::Reverse(left.created), *at));
    best.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(all: &[(u8, &str)]) -> Option<usize> {
        let left = |(distance, created): &(u8, &str)| LeftAt {
            distance: *distance,
            created: created.parse().unwrap(),
        };
        preferred(&all.iter().map(left).collect::<Vec<_>>())
    }

    #[test]
    fn the_nearest_is_preferred_unless_it_is_much_older() {
        assert_eq!(best(&[]), None);
        let (week_ago, today) = ("2026-11-08T10:00:00Z", "2026-11-15T10:00:00Z");
        assert_eq!(best(&[(2, today), (0, week_ago)]), Some(1));
        assert_eq!(best(&[(2, today), (1, week_ago), (1, today)]), Some(2));
        let two_weeks_ago = "2026-11-01T10:00:00Z";
        assert_eq!(best(&[(2, today), (0, two_weeks_ago)]), Some(1));
        assert_eq!(best(&[(2, today), (0, "2026-11-01T09:59:59Z")]), Some(0));
        // The one in between is near enough to the newest.
        let all = [(2, today), (1, week_ago), (0, "2026-10-20T10:00:00Z")];
        assert_eq!(best(&all), Some(1));
    }

    #[test]
    fn of_those_that_are_as_near_the_newest_is_preferred_and_the_first_of_the_same() {
        let (early, late) = ("2026-11-15T10:00:00Z", "2026-11-15T11:00:00Z");
        assert_eq!(best(&[(2, early), (2, late)]), Some(1));
        assert_eq!(best(&[(0, late), (0, late)]), Some(0));
    }
}
