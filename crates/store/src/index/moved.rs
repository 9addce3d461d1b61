//! Which memories have changed since they were noted, of many at once.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{iter, thread};

use segue_core::{Freshness, freshness};

use super::View;
use super::read_files::threads;
use super::refresh::Memory;
use crate::error::StoreError;
use crate::layout::{FORGOTTEN, LAYER1, LAYER3};
use crate::platform::OpenDir;

/// Of so few memories each is looked at on its own.
const FEW: usize = 4;
/// Directories of a memory that have a time, noted or not, besides its months.
const ALWAYS: [&str; 3] = [FORGOTTEN, LAYER1, LAYER3];
/// The time of a directory that is not there.
pub(super) const ABSENT: i64 = -1;

/// Whether a time is not the noted one, which comes with when it was noted. A racy one counts.
pub(super) fn differs(noted: Option<&(i64, i64)>, now: Option<i64>) -> bool {
    let now = now.unwrap_or(ABSENT);
    noted.map_or(now != ABSENT, |(mtime, at)| freshness(*mtime, *at, now) != Freshness::Fresh)
}

/// The noted times of all memories, those of one memory after the other.
#[derive(Default)]
struct Noted {
    names: String,
    /// The name in `names`, the time, and when it was noted.
    times: Vec<(Range<usize>, i64, i64)>,
}

impl Noted {
    fn of(&self, times: Range<usize>) -> impl Iterator<Item = (&str, (i64, i64))> {
        self.times[times].iter().map(|(name, mtime, at)| (&self.names[name.clone()], (*mtime, *at)))
    }
}

impl View {
    /// The memories of which something must be looked at more closely. Of the others every time is
    /// the noted one.
    pub(super) fn moved<'m>(
        &self,
        memories: Vec<&'m Memory>,
    ) -> Result<Vec<&'m Memory>, StoreError> {
        if memories.len() <= FEW {
            return Ok(memories);
        }
        let mut bad = self.conn.prepare("SELECT DISTINCT memory FROM bad")?;
        let bad: HashSet<i64> =
            bad.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        let (noted, ranges) = self.noted()?;
        let dirs: Vec<_> = memories.iter().map(|memory| self.memory_dir(&memory.id)).collect();
        let next = AtomicUsize::new(0);
        // What cannot be looked at here is told by the one who looks more closely.
        let moved_at = |at: usize| {
            let memory = memories[at];
            memory.attached.is_some()
                || bad.contains(&memory.n)
                || ranges
                    .get(&memory.n)
                    .is_none_or(|times| is_moved(&dirs[at], &noted, times.clone()).unwrap_or(true))
        };
        let look = || {
            iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)))
                .take_while(|at| *at < dirs.len())
                .filter(|at| moved_at(*at))
                .collect::<Vec<_>>()
        };
        let mut found = thread::scope(|scope| {
            let others: Vec<_> = (1..threads()).map(|_| scope.spawn(look)).collect();
            let mut found = look();
            for other in others {
                found.extend(other.join().unwrap_or_default());
            }
            found
        });
        found.sort_unstable();
        Ok(found.into_iter().map(|at| memories[at]).collect())
    }

    /// What is noted of every memory, and where in it that of each is.
    fn noted(&self) -> Result<(Noted, HashMap<i64, Range<usize>>), StoreError> {
        let mut rows =
            self.conn.prepare("SELECT memory, name, mtime, noted FROM stamp ORDER BY memory")?;
        let mut rows = rows.query([])?;
        let mut noted = Noted::default();
        let mut ranges = HashMap::new();
        while let Some(row) = rows.next()? {
            let (at, start) = (noted.times.len(), noted.names.len());
            noted.names.push_str(row.get_ref(1)?.as_str().unwrap_or_default());
            noted.times.push((start..noted.names.len(), row.get(2)?, row.get(3)?));
            ranges.entry(row.get(0)?).or_insert(at..at).end = at + 1;
        }
        Ok((noted, ranges))
    }
}

fn is_moved(dir: &Path, noted: &Noted, times: Range<usize>) -> io::Result<bool> {
    let dir = OpenDir::open(dir)?;
    for name in ALWAYS {
        let known = noted.of(times.clone()).find(|(known, _)| *known == name);
        if differs(known.map(|(_, at)| at).as_ref(), dir.mtime(name)?) {
            return Ok(true);
        }
    }
    let months = noted
        .of(times)
        .filter_map(|(name, at)| Some((name.strip_prefix(LAYER1)?.strip_prefix('/')?, at)));
    let mut months = months.peekable();
    if months.peek().is_none() {
        return Ok(false);
    }
    let layer1 = dir.open_in(LAYER1)?;
    for (month, at) in months {
        if differs(Some(&at), layer1.mtime(month)?) {
            return Ok(true);
        }
    }
    Ok(false)
}
