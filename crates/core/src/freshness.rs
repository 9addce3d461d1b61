//! Whether what the index noted of a directory still holds.

/// A directory changed this shortly before it was noted may have changed again since within the
/// same tick of the file system's clock.
pub const RACY_WINDOW_NS: i64 = 20_000_000;

/// What a directory's modification time says about its noted content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    Fresh,
    /// Noted within the window: a reader lists it once more, a writer leaves it.
    Racy,
    Stale,
}

/// Compares a noted modification time, and when it was noted, with today's.
///
/// All in nanoseconds since 1970 by the clock that stamps the files.
pub fn freshness(noted_mtime: i64, noted_at: i64, mtime: i64) -> Freshness {
    if noted_mtime != mtime {
        Freshness::Stale
    } else if noted_at.saturating_sub(noted_mtime) < RACY_WINDOW_NS {
        // Also when the file's clock is ahead of ours: nothing can be concluded then.
        Freshness::Racy
    } else {
        Freshness::Fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    #[test]
    fn the_window_decides() {
        assert_eq!(freshness(100 * MS, 200 * MS, 100 * MS), Freshness::Fresh);
        assert_eq!(freshness(100 * MS, 120 * MS, 100 * MS), Freshness::Fresh);
        assert_eq!(freshness(100 * MS, 120 * MS - 1, 100 * MS), Freshness::Racy);
        assert_eq!(freshness(100 * MS, 100 * MS, 100 * MS), Freshness::Racy);
        assert_eq!(freshness(100 * MS, 50 * MS, 100 * MS), Freshness::Racy);
        assert_eq!(freshness(100 * MS, 200 * MS, 101 * MS), Freshness::Stale);
        assert_eq!(freshness(100 * MS, 200 * MS, 99 * MS), Freshness::Stale);
        assert_eq!(freshness(i64::MIN, i64::MAX, i64::MIN), Freshness::Fresh);
    }
}
