//! Opening the index file, building it anew, or doing without.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::schema::{APPLICATION, INDEXES, TABLES, VERSION};
use super::{IndexState, View};
use crate::error::{IoContext, StoreError};
use crate::layout::Layout;
use crate::lock::{Kind, Lock, PATIENCE};
use crate::platform;
use crate::store::{Outside, READER_PATIENCE};

/// How long SQLite waits for another writer of the index.
const BUSY: Duration = Duration::from_secs(2);
/// The same where somebody waits who cannot: the files answer too.
const BUSY_IN_A_HURRY: Duration = Duration::from_millis(100);

fn busy(outside: Outside) -> Duration {
    if outside.hurried { BUSY_IN_A_HURRY } else { BUSY }
}

/// The log is folded into the file once it is this large. Every process that opens the index reads
/// the log from its beginning, so a long one costs every command.
const LONGEST_LOG: u64 = 256 * 1024;

/// What an index is called that is not finished.
pub(crate) const HALF: &str = ".half";

/// How an index file cannot be used, in words for `doctor`.
pub(crate) type Unusable = String;

impl View {
    /// Opens the index file if it is sound: ours, this version, this store.
    pub(crate) fn open(
        layout: &Layout,
        outside: Outside,
        patience: Duration,
    ) -> Result<Self, Unusable> {
        let path = layout.index();
        if !path.exists() {
            return Err(crate::store::MISSING.to_owned());
        }
        if !path.is_file() {
            return Err("it is not a regular file".to_owned());
        }
        let lock = match Lock::take(&layout.index_lock(), Kind::Shared, patience) {
            Ok(lock) => Some(lock),
            Err(StoreError::Busy { .. }) => {
                return Err("another process is rebuilding it".to_owned());
            }
            // A read-only store: nobody can replace the file either.
            Err(_) => None,
        };
        match inspect(&path) {
            Some((APPLICATION, VERSION)) => {}
            Some((APPLICATION, version)) if version > VERSION => {
                return Err(format!("it is of a newer version ({version})"));
            }
            Some((APPLICATION, version)) => {
                return Err(format!("it is of an older version ({version})"));
            }
            _ => return Err("it is not an index of Segue".to_owned()),
        }
        let conn = connect(&path, outside).map_err(|error| error.to_string())?;
        let store = store_of(&conn).map_err(|error| error.to_string())?;
        let here = platform::dir_identity(&layout.projects()).map_err(|error| error.to_string())?;
        if store != here {
            return Err("it belongs to another store".to_owned());
        }
        Ok(Self { conn, layout: layout.clone(), outside, state: IndexState::Found, _lock: lock })
    }

    /// Builds the index file anew. Where somebody was interrupted who did so it goes on.
    pub(crate) fn rebuild(
        layout: &Layout,
        outside: Outside,
        reason: &str,
    ) -> Result<Self, StoreError> {
        let lock = Lock::take(&layout.index_lock(), Kind::Exclusive, outside.patience())?;
        let path = layout.index();
        let half = with_suffix(&path, HALF);
        let left = half.exists();
        let mut built = build_file(layout, outside, &half);
        if left && matches!(built, Err(StoreError::Index(_))) {
            // What was left there is broken: from the beginning.
            remove_with_sides(&half)?;
            built = build_file(layout, outside, &half);
        }
        if built.is_err() {
            // Only who is killed leaves something to go on with: on a full disk it would be in the way.
            let _ = remove_with_sides(&half);
        }
        built.and_then(|()| {
            // Nobody has the old file open: its side files can go with it.
            for side in ["-wal", "-shm"] {
                remove_if_there(&with_suffix(&path, side))?;
            }
            fs::rename(&half, &path).at("replace", &path)
        })?;
        drop(lock);
        let mut view = Self::open(layout, outside, READER_PATIENCE).map_err(|why| {
            StoreError::Busy { path: path.with_file_name(format!("index.db ({why})")) }
        })?;
        view.state = IndexState::Rebuilt(reason.to_owned());
        Ok(view)
    }

    /// Builds the index file anew, and goes on with nothing that somebody left: it may have a text in it
    /// that is not in the files any more.
    pub(crate) fn rebuild_whole(
        layout: &Layout,
        outside: Outside,
        reason: &str,
    ) -> Result<Self, StoreError> {
        let lock = Lock::take(&layout.index_lock(), Kind::Exclusive, PATIENCE)?;
        remove_with_sides(&with_suffix(&layout.index(), HALF))?;
        drop(lock);
        Self::rebuild(layout, outside, reason)
    }

    /// Folds a long log into the file, unless somebody is reading it.
    ///
    /// SQLite's own way begins the log anew only for a process that commits twice. Ours commit once,
    /// and the log would grow for ever.
    pub(super) fn fold_log(&self) {
        self.fold_log_of(LONGEST_LOG);
    }

    /// As `fold_log`, if the log is at least so long.
    pub(super) fn fold_log_of(&self, longest: u64) {
        let log = with_suffix(&self.layout.index(), "-wal");
        if !fs::metadata(log).is_ok_and(|meta| meta.len() >= longest) {
            return;
        }
        // Whoever comes next can do it as well: nothing waits and nothing fails here.
        let _ = self.conn.busy_timeout(Duration::ZERO);
        let _ = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let _ = self.conn.busy_timeout(busy(self.outside));
    }

    /// An empty index in memory, to be filled from the files.
    pub(crate) fn in_memory(
        layout: &Layout,
        outside: Outside,
        reason: &str,
    ) -> Result<Self, StoreError> {
        let conn = Connection::open_in_memory()?;
        conn.execute_batch(TABLES)?;
        conn.execute_batch(INDEXES)?;
        let state = IndexState::InMemory(reason.to_owned());
        Ok(Self { conn, layout: layout.clone(), outside, state, _lock: None })
    }
}

fn connect(path: &Path, outside: Outside) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_WRITE)
        .or_else(|_| Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_ONLY))?;
    conn.busy_timeout(busy(outside))?;
    // Folding the log into the file costs syncs: not at every close, but by `fold_log`.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // What is removed from the index is overwritten: a forgotten text shall not stay in its pages.
    conn.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON")?;
    Ok(conn)
}

/// Application and version as SQLite keeps them in the file's first hundred bytes. Both are written
/// once, before the file gets its name, so the log never holds newer ones.
fn inspect(path: &Path) -> Option<(i64, i64)> {
    let mut header = [0; 100];
    File::open(path).and_then(|mut file| file.read_exact(&mut header)).ok()?;
    let number = |at: usize| {
        let bytes = [header[at], header[at + 1], header[at + 2], header[at + 3]];
        i64::from(u32::from_be_bytes(bytes))
    };
    header.starts_with(b"SQLite format 3\0").then(|| (number(68), number(60)))
}

/// The store that an index was built for.
fn store_of(conn: &Connection) -> rusqlite::Result<String> {
    conn.query_row("SELECT value FROM meta WHERE key = 'store'", [], |row| row.get(0))
}

/// A whole index in a file of its own, durable, in the mode in which it will be used.
fn build_file(layout: &Layout, outside: Outside, half: &Path) -> Result<(), StoreError> {
    let here = platform::dir_identity(&layout.projects()).at("read", &layout.projects())?;
    let goes_on = inspect(half) == Some((APPLICATION, VERSION))
        && connect(half, outside).and_then(|conn| store_of(&conn)).is_ok_and(|store| store == here);
    if !goes_on {
        remove_with_sides(half)?;
        platform::create_new(half).at("create", half)?;
    }
    let conn = Connection::open_with_flags(
        half,
        OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_WRITE,
    )?;
    // New pages need no journal: it costs little, and whoever is killed leaves what he had kept.
    conn.execute_batch(
        "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;",
    )?;
    if !goes_on {
        conn.execute_batch("BEGIN")?;
        conn.execute_batch(TABLES)?;
        conn.execute("INSERT INTO meta(key, value) VALUES ('store', ?1)", [here])?;
        conn.execute_batch(&format!(
            "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; COMMIT"
        ))?;
    }
    let view =
        View { conn, layout: layout.clone(), outside, state: IndexState::Found, _lock: None };
    view.refresh(&super::Scope::All)?;
    view.conn.execute_batch(INDEXES)?;
    view.conn.execute_batch("PRAGMA journal_mode = WAL")?;
    view.conn.close().map_err(|(_, error)| error)?;
    File::open(half).and_then(|file| file.sync_all()).at("sync", half)
}

/// Removes a file of SQLite's and what lies beside it.
fn remove_with_sides(path: &Path) -> Result<(), StoreError> {
    for side in ["", "-wal", "-shm", "-journal"] {
        remove_if_there(&with_suffix(path, side))?;
    }
    Ok(())
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn remove_if_there(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).at("remove", path),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    use segue_core::{Draft, Fields, Key, KeyKind};

    use super::*;
    use crate::Store;

    /// Long after every file, so that no time is too close to it to be sure.
    const OUTSIDE: Outside =
        Outside { clock: || i64::MAX / 2, progress: |_, _, _| {}, hurried: false };

    /// Ends the rebuild, as a kill does, once it has kept something and goes on.
    const INTERRUPTED: Outside = Outside {
        hurried: false,
        progress: |_, done, total| {
            if done > 0 && total == 0 {
                resume_unwind(Box::new("interrupted"));
            }
        },
        ..OUTSIDE
    };

    fn titles(conn: &Connection, title: &str) -> u64 {
        let count = "SELECT count(*) FROM handoff WHERE title = ?1";
        conn.query_row(count, [title], |row| row.get::<_, i64>(0)).unwrap().unsigned_abs()
    }

    /// Six months of eight handoffs each, all of them called `before`.
    fn store() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        let store = Store::new(home.path(), OUTSIDE);
        let view = store.writer_view().unwrap();
        let keys = [Key::new(KeyKind::Label, "app")];
        let project = store.create_project(&view, "app", &keys).unwrap();
        let memory = store.lock(&view, &project).unwrap();
        for n in 0..48_u32 {
            let at = format!("2026-{:02}-15T17:45:{:02}Z", 1 + n / 8, n).parse().unwrap();
            let fields = Fields { title: Some("before".to_owned()), ..Fields::default() };
            let draft = Draft { fields, ..Draft::default() };
            memory.commit(&draft, at, None, &|| 0xa000_0000 + n).unwrap();
        }
        home
    }

    /// Writes into a file that is there.
    fn put(path: &Path, bytes: &[u8]) {
        File::create(path).unwrap().write_all(bytes).unwrap();
    }

    /// Edits every handoff in place, which no directory's time shows: only who reads it sees it.
    fn edit_all(dir: &Path) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                edit_all(&path);
            } else if path.to_string_lossy().contains("layer1") {
                let text = fs::read_to_string(&path).unwrap();
                put(&path, text.replace("title: before", "title: after").as_bytes());
            }
        }
    }

    #[test]
    fn a_rebuild_goes_on_where_another_was_interrupted() {
        let home = store();
        let layout = Layout::new(home.path());
        let half = with_suffix(&layout.index(), HALF);
        let interrupted =
            catch_unwind(AssertUnwindSafe(|| View::rebuild(&layout, INTERRUPTED, "test").is_ok()));
        assert!(interrupted.is_err(), "it was interrupted");
        let kept = titles(&Connection::open(&half).unwrap(), "before");
        assert!(kept > 0 && kept < 48, "{kept}");
        edit_all(&layout.projects());
        let view = View::rebuild(&layout, OUTSIDE, "test").unwrap();
        assert_eq!(titles(&view.conn, "before"), kept, "what was kept is not read again");
        assert_eq!(titles(&view.conn, "after"), 48 - kept);
        assert!(!half.exists());
        drop(view);
        // And one that nobody interrupted reads everything.
        let view = View::rebuild(&layout, OUTSIDE, "test").unwrap();
        assert_eq!(titles(&view.conn, "after"), 48);
    }

    #[test]
    fn half_an_index_that_is_broken_or_of_another_store_is_begun_anew() {
        let home = store();
        let layout = Layout::new(home.path());
        let half = with_suffix(&layout.index(), HALF);
        let interrupt = || {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                View::rebuild(&layout, INTERRUPTED, "test").is_ok()
            }));
            assert!(half.exists());
        };
        interrupt();
        let mut bytes = fs::read(&half).unwrap();
        bytes.iter_mut().skip(4096).for_each(|byte| *byte = 0x5a);
        put(&half, &bytes);
        let view = View::rebuild(&layout, OUTSIDE, "test").unwrap();
        assert_eq!(titles(&view.conn, "before"), 48);
        drop(view);
        interrupt();
        let foreign = Connection::open(&half).unwrap();
        foreign.execute("UPDATE meta SET value = 'another' WHERE key = 'store'", []).unwrap();
        drop(foreign);
        edit_all(&layout.projects());
        let view = View::rebuild(&layout, OUTSIDE, "test").unwrap();
        assert_eq!(titles(&view.conn, "after"), 48);
    }
}
