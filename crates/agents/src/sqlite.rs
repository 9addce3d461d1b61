//! Databases of other programs, read as they are: nothing is locked, written, or made beside them.

use std::borrow::Cow;
use std::ffi::{CStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};

/// How a database begins.
pub(crate) const BEGINS: &str = "SQLite format 3\0";
/// A longer value is passed over.
pub(crate) const LONGEST_VALUE: i64 = 12 << 20;
/// How often a database is read that changes meanwhile, and how long it is left alone between.
const TIMES: u32 = 8;
const PAUSE: Duration = Duration::from_millis(25);
/// Bytes by which a log is known: its header, in which the salts are.
const LOG_HEADER: u64 = 32;
/// Bytes by which a journal says that it counts.
const JOURNAL_MARK: u64 = 8;
/// The way to files that locks nothing.
#[cfg(not(windows))]
const LOCKS_NOTHING: &CStr = c"unix-none";
#[cfg(windows)]
const LOCKS_NOTHING: &CStr = c"win32-none";

/// A database of another program.
pub(crate) struct Foreign(Connection);

/// What shows that a database is not what it was.
#[derive(PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: SystemTime,
    log: Option<Vec<u8>>,
    unfinished: bool,
}

/// Reads something out of a database: again, if that changed meanwhile.
pub(crate) fn read<T>(
    path: &Path,
    mut ask: impl FnMut(&Foreign) -> rusqlite::Result<T>,
) -> io::Result<T> {
    is_database(path)?;
    let mut unfinished = false;
    for _ in 0..TIMES {
        let before = Stamp::of(path)?;
        unfinished = before.unfinished;
        if !unfinished && !before.is_young() {
            let answer = Foreign::open(path, before.log.is_some()).and_then(|db| ask(&db));
            if Stamp::of(path).is_ok_and(|after| after == before) {
                return answer.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error));
            }
        }
        sleep(PAUSE);
    }
    let reason = if unfinished {
        "a change of it was begun and not finished; its own program has to open it first"
    } else {
        "it is written to all the time; try again in a moment"
    };
    Err(io::Error::new(io::ErrorKind::ResourceBusy, reason))
}

/// An error if a file is no database. SQLite itself would take an empty one for a new one.
fn is_database(path: &Path) -> io::Result<()> {
    let begins = first_bytes(path, BEGINS.len() as u64)?;
    let reason = match begins.as_slice() {
        [] => "it is empty",
        begins if begins != BEGINS.as_bytes() => "it is no SQLite database, or it is encrypted",
        _ => return Ok(()),
    };
    Err(io::Error::new(io::ErrorKind::InvalidData, reason))
}

fn first_bytes(path: &Path, count: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn if_there(bytes: io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
    match bytes {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        bytes => bytes,
    }
}

/// The file that lies beside a database, by the end of its name.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    name.into()
}

impl Stamp {
    fn of(path: &Path) -> io::Result<Self> {
        // SQLite looks beside the file itself, not beside a link to it.
        let path = path.canonicalize()?;
        let meta = fs::metadata(&path)?;
        let log = if_there(first_bytes(&beside(&path, "-wal"), LOG_HEADER))?;
        let journal = if_there(first_bytes(&beside(&path, "-journal"), JOURNAL_MARK))?;
        Ok(Self {
            size: meta.len(),
            modified: meta.modified()?,
            log: Some(log).filter(|log| log.len() as u64 == LOG_HEADER),
            unfinished: journal.iter().any(|byte| *byte != 0),
        })
    }

    /// Whether it was written so shortly ago that the clock of files might not show the next time.
    fn is_young(&self) -> bool {
        self.modified.elapsed().is_ok_and(|since| since < PAUSE)
    }
}

impl Foreign {
    /// Opens a database. Without a log nothing but the file counts. With one, the index of the log is
    /// made in memory, as for the only user of the database; and what is in the log stays there.
    fn open(path: &Path, has_log: bool) -> rusqlite::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = if has_log {
            Connection::open_with_flags_and_vfs(path, flags, LOCKS_NOTHING)?
        } else {
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(unchanging(path), flags)?
        };
        for (setting, to) in [
            (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        ] {
            connection.set_db_config(setting, to)?;
        }
        connection.execute_batch(
            "PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;
             PRAGMA cell_size_check = ON;",
        )?;
        Ok(Self(connection))
    }

    /// The columns of a table. One that is not there has none.
    pub(crate) fn columns(&self, table: &str) -> rusqlite::Result<Vec<String>> {
        let mut columns = Vec::new();
        // One without pages of its own is made by a module.
        let query = "SELECT c.name FROM sqlite_schema t, pragma_table_info(?1) c \
                     WHERE t.name = ?1 AND t.type = 'table' AND t.rootpage > 0";
        self.each(query, [table], |row| {
            columns.extend(text(row, 0).map(Cow::into_owned));
            Ok(())
        })?;
        Ok(columns)
    }

    /// Whether a table is there with these columns at least.
    pub(crate) fn has(&self, table: &str, columns: &[&str]) -> rusqlite::Result<bool> {
        let there = self.columns(table)?;
        Ok(columns.iter().all(|column| there.iter().any(|one| one == column)))
    }

    /// Asks for rows and takes them one by one.
    pub(crate) fn each(
        &self,
        query: &str,
        values: impl rusqlite::Params,
        mut take: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let mut statement = self.0.prepare(query)?;
        let mut rows = statement.query(values)?;
        while let Some(row) = rows.next()? {
            take(row)?;
        }
        Ok(())
    }
}

/// The address of a database of which only the file counts.
fn unchanging(path: &Path) -> String {
    let mut address = String::from("file:");
    let path = path.as_os_str();
    // A drive stands behind a root.
    if cfg!(windows) {
        address.push('/');
    }
    for byte in path.as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => address.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b':' => {
                address.push(char::from(*byte));
            }
            byte => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address + "?mode=ro&immutable=1"
}

/// The text in a column, if there is one.
pub(crate) fn text<'r>(row: &'r Row<'_>, column: usize) -> Option<Cow<'r, str>> {
    match row.get_ref(column).ok()? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes)),
        _ => None,
    }
}

/// The number in a column, if there is one.
pub(crate) fn number(row: &Row<'_>, column: usize) -> Option<i64> {
    match row.get_ref(column).ok()? {
        ValueRef::Integer(number) => Some(number),
        ValueRef::Text(digits) => std::str::from_utf8(digits).ok()?.trim().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::unchanging;

    #[test]
    #[cfg(not(windows))]
    fn an_address_names_the_file_whatever_it_is_called() {
        let address = unchanging(Path::new("/a b/50%?x#y.db"));
        assert_eq!(address, "file:/a%20b/50%25%3Fx%23y.db?mode=ro&immutable=1");
    }
}
