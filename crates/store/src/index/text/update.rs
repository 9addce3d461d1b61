//! Brings the text index up to date: reads what is pending on every core, writes it in segments.
//!
//! Each segment is one transaction. Whoever is interrupted has lost one segment's work at most, and
//! the next one goes on.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use rusqlite::params;
use segue_core::ProjectId;
use segue_core::search::TermReader;

use super::super::View;
use super::super::query::Scope;
use super::super::read_files::threads;
use super::segment::Builder;
use crate::error::StoreError;
use crate::layers::Layers;

/// Handoffs that are indexed together.
const CHUNK: usize = 5_000;
/// Fewer are not worth a thread.
const FEW: usize = 64;
/// How often what another process changed meanwhile is read again.
const PASSES: usize = 4;
/// How often it is told how far it is.
const TELL: Duration = Duration::from_millis(100);

/// How complete the text index is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextState {
    /// Handoffs in scope whose text is not in it.
    pub waiting: u64,
    /// Why not.
    pub why: Option<String>,
}

/// Handoffs of one memory that are to be read.
struct Job {
    memory: i64,
    layers: Layers,
    rows: Vec<Row>,
}

struct Row {
    n: i64,
    path: PathBuf,
    archived: Option<(u64, u64)>,
}

/// A job that is done.
struct Read {
    memory: i64,
    builder: Builder,
    /// Rows that are done with: read, or not readable by anybody.
    done: Vec<i64>,
}

impl Job {
    fn read(self, reader: &mut TermReader, read: &AtomicUsize) -> Read {
        let mut builder = Builder::default();
        let mut done = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            match self.layers.read_piece(&row.path, row.archived) {
                Ok(handoff) => {
                    builder.add(row.n, &handoff, reader);
                    done.push(row.n);
                }
                // It may be readable the next time.
                Err(StoreError::Io { source, .. }) if source.kind() != io::ErrorKind::NotFound => {}
                // Gone or no handoff any more: the next look at its directory tells.
                Err(_) => done.push(row.n),
            }
            read.fetch_add(1, Ordering::Relaxed);
        }
        Read { memory: self.memory, builder, done }
    }
}

impl View {
    /// Indexes the text of what is in scope and was not indexed yet. Where that cannot be done now,
    /// what is there still answers, and the state says what is missing.
    pub fn update_text(&self, scope: &Scope) -> Result<TextState, StoreError> {
        let waiting = self.waiting(scope)?;
        let done = self.clear_dropped(scope).and_then(|()| self.read_pending(&waiting));
        let why = match done {
            Ok(()) => None,
            // Locked by another process, a full disk, a file that must not be written.
            Err(StoreError::Index(error)) if is_passing(&error) => Some(error.to_string()),
            Err(error) => return Err(error),
        };
        if waiting.is_empty() {
            return Ok(TextState { waiting: 0, why });
        }
        let left: usize = self.waiting(scope)?.iter().map(|(_, count)| count).sum();
        Ok(TextState { waiting: left as u64, why })
    }

    /// How many handoffs there are whose text is not indexed.
    pub fn unindexed(&self) -> Result<u64, StoreError> {
        Ok(self.waiting(&Scope::All)?.iter().map(|(_, count)| *count as u64).sum())
    }

    /// Memories in scope with handoffs whose text is not indexed, and how many.
    fn waiting(&self, scope: &Scope) -> Result<Vec<(i64, usize)>, StoreError> {
        self.counted("pending", scope)
    }

    fn read_pending(&self, waiting: &[(i64, usize)]) -> Result<(), StoreError> {
        let total: usize = waiting.iter().map(|(_, count)| count).sum();
        for _ in 0..PASSES {
            if self.read_once(waiting, total)? {
                break;
            }
        }
        for (memory, _) in waiting {
            self.tidy(*memory)?;
        }
        if total > 0 {
            self.fold_log();
        }
        Ok(())
    }

    /// Reads what is pending once; `false` if some of it changed meanwhile and was not written.
    fn read_once(&self, waiting: &[(i64, usize)], total: usize) -> Result<bool, StoreError> {
        let read = AtomicUsize::new(0);
        let mut jobs = Jobs { view: self, waiting: waiting.iter(), current: None };
        if total <= FEW {
            let mut reader = TermReader::default();
            let mut all = true;
            while let Some(job) = jobs.next()? {
                all &= self.write_segment(job.read(&mut reader, &read))?;
            }
            return Ok(all);
        }
        let tell = |done: usize| (self.outside.progress)("indexing text", done.min(total), total);
        let all = self.read_on_threads(&mut jobs, &read, &tell);
        tell(total);
        all
    }

    fn read_on_threads(
        &self,
        jobs: &mut Jobs<'_>,
        read: &AtomicUsize,
        tell: &dyn Fn(usize),
    ) -> Result<bool, StoreError> {
        let threads = threads();
        let (give, take) = mpsc::channel::<Job>();
        let take = Mutex::new(take);
        let (hand_back, handed_back) = mpsc::channel::<Read>();
        thread::scope(|scope| {
            for _ in 0..threads {
                let hand_back = hand_back.clone();
                let take = &take;
                scope.spawn(move || {
                    let mut reader = TermReader::default();
                    loop {
                        // Held while waiting: whoever has it gets the next one.
                        let job = take.lock().ok().and_then(|take| take.recv().ok());
                        let Some(job) = job else { break };
                        if hand_back.send(job.read(&mut reader, read)).is_err() {
                            break;
                        }
                    }
                });
            }
            let mut running = 0;
            let mut all = true;
            let mut work = || -> Result<bool, StoreError> {
                loop {
                    // One more than there are threads: none waits while a segment is written.
                    while running <= threads
                        && let Some(job) = jobs.next()?
                    {
                        running += 1;
                        let _ = give.send(job);
                    }
                    if running == 0 {
                        return Ok(all);
                    }
                    match handed_back.recv_timeout(TELL) {
                        Ok(done) => {
                            running -= 1;
                            all &= self.write_segment(done)?;
                        }
                        Err(mpsc::RecvTimeoutError::Timeout) => {}
                        Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(all),
                    }
                    tell(read.load(Ordering::Relaxed));
                }
            };
            let worked = work();
            // The threads end when there is nothing left to take.
            drop(give);
            worked
        })
    }

    /// Writes a segment. If another process has indexed or removed some of it meanwhile nothing is
    /// written, and what is left of it stays pending: `false`. A text that was forgotten in between
    /// would else come back, and stay.
    fn write_segment(&self, read: Read) -> Result<bool, StoreError> {
        let mut current = true;
        self.in_transaction(|| {
            let mut pending =
                self.conn.prepare("SELECT 1 FROM pending WHERE memory = ?1 AND handoff = ?2")?;
            for n in &read.done {
                current &= pending.exists(params![read.memory, n])?;
            }
            if !current {
                return Ok(());
            }
            let mut take =
                self.conn.prepare("DELETE FROM pending WHERE memory = ?1 AND handoff = ?2")?;
            for n in &read.done {
                take.execute(params![read.memory, n])?;
            }
            if !read.builder.docs.handoffs.is_empty() {
                read.builder.write(&self.conn, read.memory)?;
            }
            Ok(())
        })?;
        Ok(current)
    }
}

/// Gives what is pending, memory by memory, a chunk at a time.
struct Jobs<'v> {
    view: &'v View,
    waiting: std::slice::Iter<'v, (i64, usize)>,
    /// The memory, where it lies, and the last row that was given.
    current: Option<(i64, Layers, i64)>,
}

impl Jobs<'_> {
    fn next(&mut self) -> Result<Option<Job>, StoreError> {
        loop {
            let Some((memory, layers, last)) = &mut self.current else {
                let Some((memory, _)) = self.waiting.next() else { return Ok(None) };
                let project: String = self.view.conn.query_row(
                    "SELECT dir FROM memory WHERE n = ?1",
                    [memory],
                    |row| row.get(0),
                )?;
                if let Ok(project) = project.parse::<ProjectId>() {
                    self.current = Some((*memory, self.view.layers(&project)?, 0));
                }
                continue;
            };
            let rows = self.view.pending_rows(*memory, layers, *last)?;
            match rows.last() {
                Some(row) => {
                    *last = row.n;
                    return Ok(Some(Job { memory: *memory, layers: layers.clone(), rows }));
                }
                None => self.current = None,
            }
        }
    }
}

impl View {
    fn pending_rows(
        &self,
        memory: i64,
        layers: &Layers,
        after: i64,
    ) -> Result<Vec<Row>, StoreError> {
        let mut rows = self.conn.prepare(
            "SELECT h.n, h.dir, h.file, h.offset, h.size FROM pending p JOIN handoff h ON h.n = p.handoff \
             WHERE p.memory = ?1 AND p.handoff > ?2 ORDER BY p.handoff LIMIT ?3",
        )?;
        let rows = rows.query_map(params![memory, after, CHUNK as i64], |row| {
            let (dir, file): (String, String) = (row.get(1)?, row.get(2)?);
            let offset: Option<i64> = row.get(3)?;
            let size: i64 = row.get(4)?;
            Ok(Row {
                n: row.get(0)?,
                path: layers.root().join(dir).join(file),
                archived: offset.map(|offset| (offset.unsigned_abs(), size.unsigned_abs())),
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// Whether an error says that the index cannot be written now, not that it is broken.
fn is_passing(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, PermissionDenied, ReadOnly,
        SystemIoFailure,
    };
    matches!(
        error.sqlite_error_code(),
        Some(
            CannotOpen
                | DatabaseBusy
                | DatabaseLocked
                | DiskFull
                | PermissionDenied
                | ReadOnly
                | SystemIoFailure
        )
    )
}
