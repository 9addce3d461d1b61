//! Brings the index up to date with the files, looking only where a directory's time has moved.

use std::cell::Cell;
use std::collections::HashMap;
use std::io;
use std::path::Path;

use rusqlite::{Params, params};
use segue_core::ProjectId;

use super::View;
use super::attached::attached_of;
use super::moved::{ABSENT, differs};
use super::query::Scope;
use super::read_files::Unread;
use crate::error::{IoContext, StoreError};
use crate::layers::Layers;
use crate::layout::{FORGOTTEN, LAYER1, LAYER3, PROJECT_FILE, is_markdown, is_month};
use crate::memory::{day_of, listing, listing_with_inodes};
use crate::platform;
use crate::project_file::{Attached, ProjectFile};

/// The store's own rows in `stamp`: the list of memories and their project files.
const STORE: i64 = 0;
const MEMORIES: &str = "projects";
/// What takes long when there are many.
const READING: &str = "reading handoffs";
/// So many changed rows are kept before the next directory, so that who is interrupted can go on.
/// A test that interrupts it has fewer.
const KEEP_AFTER: u64 = if cfg!(test) { 60 } else { 40_000 };
/// So many files are read before the next directory is listed.
const ENOUGH: usize = if cfg!(test) { 10 } else { 1_000 };
/// The time of what must be looked at again: never listed, or something in it could not be read.
const UNREAD: i64 = -2;

pub(super) struct Memory {
    pub(super) n: i64,
    pub(super) id: ProjectId,
    pub(super) attached: Option<Attached>,
}

/// Noted times by name, each with when it was noted.
type Stamps = HashMap<String, (i64, i64)>;

/// The write lock of SQLite, which is taken only once something has changed.
pub(super) struct Writing<'v> {
    view: &'v View,
    begun: Cell<bool>,
    /// Rows written before it was taken.
    before: Cell<u64>,
    /// How far it was told to be.
    told: Cell<usize>,
    /// Whether something went that nobody may read any more, not even in the log.
    forgets: Cell<bool>,
}

impl<'v> Writing<'v> {
    fn new(view: &'v View) -> Self {
        let before = view.conn.total_changes();
        Self {
            view,
            begun: Cell::new(false),
            before: Cell::new(before),
            told: Cell::new(0),
            forgets: Cell::new(false),
        }
    }

    pub(super) fn begin(&self) -> Result<(), StoreError> {
        if !self.begun.get() {
            self.view.conn.execute_batch("BEGIN IMMEDIATE")?;
            self.begun.set(true);
        }
        Ok(())
    }

    pub(super) fn forgets(&self) {
        self.forgets.set(true);
    }

    /// Between two directories: keeps what is done so far of something long.
    fn keep(&self) -> Result<(), StoreError> {
        let changes = self.view.conn.total_changes();
        if self.begun.get() && changes - self.before.get() >= KEEP_AFTER {
            self.view.conn.execute_batch("COMMIT")?;
            self.begun.set(false);
            self.before.set(changes);
            self.told.set(self.view.count().unwrap_or(0) as usize);
            (self.view.outside.progress)(READING, self.told.get(), 0);
        }
        Ok(())
    }

    fn end(&self, result: Result<(), StoreError>) -> Result<(), StoreError> {
        if self.told.get() > 0 {
            (self.view.outside.progress)(READING, self.told.get(), self.told.get());
        }
        if !self.begun.get() {
            return result;
        }
        let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = self.view.conn.execute_batch(end);
        if result.is_ok() {
            ended?;
            if self.forgets.get() {
                self.view.fold_log_of(1);
            } else {
                self.view.fold_log();
            }
        }
        result
    }
}

impl View {
    /// Looks at the times of everything in scope and reads what changed.
    pub(crate) fn refresh(&self, scope: &Scope) -> Result<(), StoreError> {
        let writing = Writing::new(self);
        let looked = self.refresh_projects(&writing);
        let result = looked.and_then(|memories| self.refresh_memories(&memories, scope, &writing));
        writing.end(result)
    }

    /// As `refresh`, but does not look at which memories there are.
    pub(crate) fn refresh_handoffs(&self, scope: &Scope) -> Result<(), StoreError> {
        let writing = Writing::new(self);
        let memories = self.memories()?;
        writing.end(self.refresh_memories(&memories, scope, &writing))
    }

    fn stamps_of(&self, memory: i64) -> rusqlite::Result<Stamps> {
        let mut stamps =
            self.conn.prepare("SELECT name, mtime, noted FROM stamp WHERE memory = ?1")?;
        let rows =
            stamps.query_map([memory], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
        rows.collect()
    }

    fn refresh_projects(&self, begin: &Writing<'_>) -> Result<Vec<Memory>, StoreError> {
        let projects = self.layout.projects();
        let noted = self.stamps_of(STORE)?;
        if moved(noted.get(MEMORIES), &projects)? {
            begin.begin()?;
            self.relist_memories()?;
        }
        let mut memories = self.memories()?;
        let mut reread = false;
        if memories.is_empty() {
            return Ok(memories);
        }
        let place = platform::OpenDir::open(&projects).at("read", &projects)?;
        for memory in &memories {
            let file = project_file_of(&memory.id);
            let now = match place.mtime(&file) {
                Ok(now) => now,
                // One that may not be entered does not take the others with it.
                Err(source) => {
                    let path = projects.join(&file);
                    let error = StoreError::Io { what: "read", path: path.clone(), source };
                    begin.begin()?;
                    self.note_bad(memory.n, ("", PROJECT_FILE), &path, &error)?;
                    self.unstamp(STORE, &file)?;
                    continue;
                }
            };
            if differs(noted.get(&file), now) {
                begin.begin()?;
                self.reread_project(memory)?;
                reread = true;
            }
        }
        if reread {
            memories = self.memories()?;
        }
        // Whatever is asked: of what is not trusted any more nothing stays.
        for memory in &memories {
            if self.to_index(memory).is_none() {
                self.silence(memory, begin)?;
            }
        }
        Ok(memories)
    }

    fn refresh_memories(
        &self,
        memories: &[Memory],
        scope: &Scope,
        begin: &Writing<'_>,
    ) -> Result<(), StoreError> {
        let unreadable = self.unreadable_memories()?;
        let covered = memories.iter().filter(|memory| scope.covers(&memory.id)).collect();
        for memory in self.moved(covered)? {
            if unreadable.contains(&memory.n) {
                begin.begin()?;
                self.clear_bad(memory.n, "", "")?;
            }
            match self.refresh_memory(memory, begin) {
                // One memory that cannot be read does not take the others with it.
                Err(error @ StoreError::Io { .. }) => {
                    begin.begin()?;
                    self.note_bad(memory.n, ("", ""), &self.memory_dir(&memory.id), &error)?;
                }
                other => other?,
            }
            begin.keep()?;
        }
        Ok(())
    }

    /// The memories that could not be looked at the last time.
    fn unreadable_memories(&self) -> rusqlite::Result<Vec<i64>> {
        let mut rows = self.conn.prepare("SELECT memory FROM bad WHERE dir = '' AND file = ''")?;
        rows.query_map([], |row| row.get(0))?.collect()
    }

    fn refresh_memory(&self, memory: &Memory, begin: &Writing<'_>) -> Result<(), StoreError> {
        let mut noted = self.stamps_of(memory.n)?;
        let forgotten = self.memory_dir(&memory.id).join(FORGOTTEN);
        if moved(noted.get(FORGOTTEN), &forgotten)? {
            begin.begin()?;
            self.relist_forgotten(memory, &forgotten)?;
        }
        let Some(layers) = self.to_index(memory) else { return Ok(()) };
        let layer1 = layers.at(&[LAYER1]);
        if self.is_open(memory, &layers, LAYER1, begin)? && moved(noted.get(LAYER1), &layer1)? {
            begin.begin()?;
            self.relist_months(memory, &layer1)?;
            noted = self.stamps_of(memory.n)?;
        }
        let mended = self.mended(memory, layers.root())?;
        let mut unread = Vec::new();
        let mut months: Vec<_> =
            noted.iter().filter(|(name, _)| name.starts_with("layer1/")).collect();
        months.sort_unstable();
        for (month, stamp) in months {
            if !self.is_open(memory, &layers, month, begin)? {
                continue;
            }
            if mended.contains(month) || moved(Some(stamp), &layers.at(&[month]))? {
                begin.begin()?;
                unread.extend(self.relist_month(memory, month, &layers)?);
                // What belongs to a month that is noted as listed is never kept without it.
                if unread.len() >= ENOUGH {
                    self.index_files(memory.n, &layers, &std::mem::take(&mut unread))?;
                    begin.keep()?;
                }
            }
        }
        self.index_files(memory.n, &layers, &unread)?;
        if self.is_open(memory, &layers, LAYER3, begin)?
            && (mended.iter().any(|dir| dir == LAYER3)
                || moved(noted.get(LAYER3), &layers.at(&[LAYER3]))?)
        {
            begin.begin()?;
            self.relist_archives(memory, &layers)?;
        }
        Ok(())
    }

    pub(super) fn stamp(
        &self,
        memory: i64,
        name: &str,
        mtime: Option<i64>,
        noted: i64,
    ) -> rusqlite::Result<()> {
        self.conn.execute(
            "INSERT OR REPLACE INTO stamp(memory, name, mtime, noted) VALUES (?1, ?2, ?3, ?4)",
            params![memory, name, mtime.unwrap_or(ABSENT), noted],
        )?;
        Ok(())
    }

    pub(super) fn stamp_project(
        &self,
        id: &ProjectId,
        mtime: Option<i64>,
        noted: i64,
    ) -> rusqlite::Result<()> {
        self.stamp(STORE, &project_file_of(id), mtime, noted)
    }

    fn memories(&self) -> rusqlite::Result<Vec<Memory>> {
        let mut rows =
            self.conn.prepare("SELECT n, dir, at, identity, trusted FROM memory ORDER BY dir")?;
        let mut rows = rows.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let attached = attached_of(row, 2)?;
            if let Ok(id) = row.get::<_, String>(1)?.parse() {
                found.push(Memory { n: row.get(0)?, id, attached });
            }
        }
        Ok(found)
    }

    fn relist_memories(&self) -> Result<(), StoreError> {
        let path = self.layout.projects();
        let (noted, mtime) = self.now_and_mtime(&path)?;
        let mut known: HashMap<String, i64> = self
            .memories()?
            .into_iter()
            .map(|memory| (memory.id.as_str().to_owned(), memory.n))
            .collect();
        for name in listing(&path)? {
            if known.remove(&name).is_none()
                && name.parse::<ProjectId>().is_ok()
                // What cannot be told is taken for one, and reported as unreadable.
                && platform::is_dir(&path.join(&name)).unwrap_or(true)
            {
                self.conn
                    .execute("INSERT INTO memory(dir, label, also) VALUES (?1, ?1, '')", [&name])?;
            }
        }
        for (name, n) in known {
            self.forget_memory(n)?;
            self.conn.execute(
                "DELETE FROM stamp WHERE memory = ?1 AND name = ?2",
                params![STORE, format!("{name}/{PROJECT_FILE}")],
            )?;
        }
        Ok(self.stamp(STORE, MEMORIES, mtime, noted)?)
    }

    fn forget_memory(&self, n: i64) -> rusqlite::Result<()> {
        self.drop_rows("memory = ?1", [n])?;
        self.drop_text(n)?;
        for table in ["project_key", "stamp", "forgotten", "bad"] {
            self.conn.execute(&format!("DELETE FROM {table} WHERE memory = ?1"), [n])?;
        }
        self.conn.execute("DELETE FROM memory WHERE n = ?1", [n]).map(|_| ())
    }

    fn reread_project(&self, memory: &Memory) -> Result<(), StoreError> {
        let path = self.memory_dir(&memory.id).join(PROJECT_FILE);
        let (noted, mtime) = self.now_and_mtime(&path)?;
        self.clear_bad(memory.n, "", PROJECT_FILE)?;
        match ProjectFile::read(&path) {
            Ok(file) => self.note_project(memory.n, &file)?,
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                self.note_bad(memory.n, ("", PROJECT_FILE), &path, &error)?;
                if matches!(error, StoreError::Io { .. }) {
                    return Ok(self.unstamp(STORE, &project_file_of(&memory.id))?);
                }
            }
        }
        Ok(self.stamp_project(&memory.id, mtime, noted)?)
    }

    pub(super) fn note_project(&self, memory: i64, file: &ProjectFile) -> rusqlite::Result<()> {
        let also = file.also.iter().map(ProjectId::to_string);
        let also = also.chain(file.was.iter().map(|id| format!("={id}")));
        let also: Vec<String> =
            also.chain(file.includes.iter().map(|id| format!("+{id}"))).collect();
        let attached = file.attached.as_ref();
        let at = attached.map(|attached| attached.at.to_string_lossy().into_owned());
        let known: Option<String> =
            self.conn
                .query_row("SELECT at FROM memory WHERE n = ?1", [memory], |row| row.get(0))?;
        if at != known {
            self.drop_below(memory, "layer")?;
        }
        self.conn.execute(
            "UPDATE memory SET label = ?2, also = ?3, at = ?4, identity = ?5, trusted = ?6 WHERE n = ?1",
            params![
                memory,
                file.label,
                also.join("\n"),
                at,
                attached.and_then(|attached| attached.identity.clone()),
                attached.is_some_and(|attached| attached.trusted),
            ],
        )?;
        self.conn.execute("DELETE FROM project_key WHERE memory = ?1", [memory])?;
        let mut insert = self.conn.prepare(
            "INSERT OR IGNORE INTO project_key(kind, value, memory) VALUES (?1, ?2, ?3)",
        )?;
        for key in &file.keys {
            insert.execute(params![key.kind.as_str(), key.value, memory])?;
        }
        Ok(())
    }

    fn relist_months(&self, memory: &Memory, layer1: &Path) -> Result<(), StoreError> {
        let (noted, mtime) = self.now_and_mtime(layer1)?;
        // Months that were links, which those that still are will be again.
        self.conn.execute(
            "DELETE FROM bad WHERE memory = ?1 AND dir LIKE 'layer1/%' AND file = ''",
            [memory.n],
        )?;
        for month in listing(layer1)?.into_iter().filter(|name| is_month(name)) {
            // Never listed: noted as of no time, so that it is listed next.
            self.conn.execute(
                "INSERT OR IGNORE INTO stamp(memory, name, mtime, noted) VALUES (?1, ?2, ?3, 0)",
                params![memory.n, format!("{LAYER1}/{month}"), UNREAD],
            )?;
        }
        Ok(self.stamp(memory.n, LAYER1, mtime, noted)?)
    }

    fn relist_month(
        &self,
        memory: &Memory,
        month: &str,
        layers: &Layers,
    ) -> Result<Vec<Unread>, StoreError> {
        let path = &layers.at(&[month]);
        let (noted, mtime) = self.now_and_mtime(path)?;
        let mut known = HashMap::new();
        {
            let mut rows = self
                .conn
                .prepare("SELECT file, n, inode FROM handoff WHERE memory = ?1 AND dir = ?2")?;
            let rows = rows.query_map(params![memory.n, month], |row| {
                Ok((row.get::<_, String>(0)?, (row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)))
            })?;
            for row in rows {
                let (file, known_as) = row?;
                known.insert(file, known_as);
            }
        }
        self.conn
            .execute("DELETE FROM bad WHERE memory = ?1 AND dir = ?2", params![memory.n, month])?;
        let mut files = listing_with_inodes(path)?;
        if mtime.is_some() {
            self.stamp(memory.n, month, mtime, noted)?;
        } else {
            self.conn.execute(
                "DELETE FROM stamp WHERE memory = ?1 AND name = ?2",
                params![memory.n, month],
            )?;
        }
        // Rows in the order of time, as saves write them: what is listed together lies together.
        files.sort_by(|(one, _), (other, _)| day_of(one).cmp(&day_of(other)));
        let mut unread = Vec::new();
        for (file, inode) in files.into_iter().filter(|(name, _)| is_markdown(name)) {
            match known.remove(&file) {
                // A link can have the inode of the file that it replaced.
                Some((_, same)) if same == inode && layers.check(&path.join(&file)).is_ok() => {
                    continue;
                }
                // Another file under the same name, as editors and sed write it.
                Some((n, _)) => self.drop_row(n)?,
                None => {}
            }
            unread.push(Unread { dir: month.to_owned(), file });
        }
        for (n, _) in known.into_values() {
            self.drop_row(n)?;
        }
        Ok(unread)
    }

    /// A file that could not be read this time may be readable the next: its directory counts as
    /// moved until then.
    pub(super) fn unstamp(&self, memory: i64, name: &str) -> rusqlite::Result<()> {
        self.stamp(memory, name, Some(UNREAD), 0)
    }

    pub(super) fn drop_row(&self, n: i64) -> rusqlite::Result<()> {
        self.drop_rows("n = ?1", [n])
    }

    /// Drops rows and what hangs on them. The terms of their text go when it is brought up to date.
    pub(super) fn drop_rows(&self, rows: &str, values: impl Params + Copy) -> rusqlite::Result<()> {
        for table in ["alias", "supersedes"] {
            let sql = format!(
                "DELETE FROM {table} WHERE handoff IN (SELECT n FROM handoff WHERE {rows})"
            );
            self.conn.execute(&sql, values)?;
        }
        let sql = format!(
            "DELETE FROM pending WHERE (memory, handoff) IN (SELECT memory, n FROM handoff WHERE {rows})"
        );
        self.conn.execute(&sql, values)?;
        let sql = format!("INSERT INTO dropped SELECT memory, n FROM handoff WHERE {rows}");
        self.conn.execute(&sql, values)?;
        self.conn.execute(&format!("DELETE FROM handoff WHERE {rows}"), values).map(|_| ())
    }

    fn relist_forgotten(&self, memory: &Memory, path: &Path) -> Result<(), StoreError> {
        let (noted, mtime) = self.now_and_mtime(path)?;
        self.conn.execute("DELETE FROM forgotten WHERE memory = ?1", [memory.n])?;
        let mut insert =
            self.conn.prepare("INSERT OR IGNORE INTO forgotten(memory, id) VALUES (?1, ?2)")?;
        for id in listing(path)?.into_iter().filter(|name| !name.starts_with('.')) {
            insert.execute(params![memory.n, id])?;
        }
        Ok(self.stamp(memory.n, FORGOTTEN, mtime, noted)?)
    }

    /// Directories with a file that could not be read and has changed since.
    fn mended(&self, memory: &Memory, path: &Path) -> Result<Vec<String>, StoreError> {
        let mut rows = self.conn.prepare(
            "SELECT dir, file, mtime FROM bad WHERE memory = ?1 AND dir != '' AND file != ''",
        )?;
        let mut rows = rows.query([memory.n])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let (dir, file): (String, String) = (row.get(0)?, row.get(1)?);
            let now = platform::mtime(&path.join(&dir).join(file)).ok().flatten();
            if now.unwrap_or(ABSENT) != row.get::<_, i64>(2)? {
                found.push(dir);
            }
        }
        Ok(found)
    }

    pub(super) fn note_bad(
        &self,
        memory: i64,
        (dir, file): (&str, &str),
        path: &Path,
        error: &StoreError,
    ) -> Result<(), StoreError> {
        let reason = match error {
            StoreError::BadHandoff { source, .. } => source.to_string(),
            StoreError::BadProject { source, .. } => source.to_string(),
            StoreError::BadArchive { reason, .. } => reason.clone(),
            StoreError::Io { source, .. } => source.to_string(),
            StoreError::Link { path: link } if link == path => {
                "it is a link, and links are not followed there".to_owned()
            }
            other => other.to_string(),
        };
        let mtime = platform::mtime(path).ok().flatten().unwrap_or(ABSENT);
        self.conn.execute(
            "INSERT OR REPLACE INTO bad(memory, dir, file, reason, mtime) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![memory, dir, file, reason, mtime],
        )?;
        Ok(())
    }

    pub(super) fn clear_bad(&self, memory: i64, dir: &str, file: &str) -> rusqlite::Result<()> {
        self.conn
            .execute(
                "DELETE FROM bad WHERE memory = ?1 AND dir = ?2 AND file = ?3",
                params![memory, dir, file],
            )
            .map(|_| ())
    }

    /// The clock first, then the time: a change in between makes the stamp racy or stale, never fresh.
    pub(super) fn now_and_mtime(&self, path: &Path) -> Result<(i64, Option<i64>), StoreError> {
        let noted = (self.outside.clock)();
        Ok((noted, platform::mtime(path).at("read", path)?))
    }
}

/// Whether a path's time is not the noted one. A racy one counts as moved.
fn moved(noted: Option<&(i64, i64)>, path: &Path) -> Result<bool, StoreError> {
    Ok(differs(noted, platform::mtime(path).at("read", path)?))
}

/// The file that describes a project, from where the memories lie.
fn project_file_of(id: &ProjectId) -> String {
    format!("{id}/{PROJECT_FILE}")
}
