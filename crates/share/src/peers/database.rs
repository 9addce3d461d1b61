//! A SQLite database of another program, opened so that nothing on disk changes.
//!
//! A plain read-only connection is not enough: of a database in WAL mode it makes two files, and one
//! with an unfinished transaction it cannot read. So it depends on what lies beside the database
//! how that is opened.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::PeerError;

/// How long a writer is waited for.
const PATIENCE: Duration = Duration::from_millis(1500);
const MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER: usize = 100;

/// An open database.
pub(super) struct Database {
    /// The connection; it cannot write.
    pub(super) connection: Connection,
    /// What has to be said of the whole of it.
    pub(super) remark: Option<&'static str>,
    /// The header at the time of opening, if nothing keeps writers away meanwhile.
    unlocked: Option<Vec<u8>>,
    real: PathBuf,
}

/// One way to open a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// With the locks that readers take.
    Plain,
    /// With a live writer's index of the log, which is not written to.
    SharedIndex,
    /// With an index of the log in memory: nobody else has the database open.
    Alone,
    /// The file as it lies there, nothing beside it looked at.
    AsItLies,
}

/// What lies at a path.
struct Found {
    header: Vec<u8>,
    real: PathBuf,
}

impl Database {
    /// Opens a database for reading.
    pub(super) fn open(path: &Path) -> Result<Self, PeerError> {
        let found = Found::at(path)?;
        let mut last = None;
        for way in found.ways() {
            match found.open(way) {
                Ok(connection) => return Ok(found.opened(connection, way)),
                Err(error) if found.is_in_use(&error) => {
                    return Err(PeerError::Busy { path: path.to_owned() });
                }
                Err(error) => last = Some(error),
            }
        }
        let reason = last.map_or_else(String::new, |error| error.to_string());
        let reason = format!("it cannot be read as a SQLite database: {reason}");
        Err(PeerError::NotOne { path: path.to_owned(), reason })
    }

    /// Whether what was read is of one moment, as far as can be told.
    pub(super) fn is_sound(&self) -> bool {
        self.unlocked.as_ref().is_none_or(|header| {
            let now = read_header(&self.real).ok();
            now.as_ref() == Some(header) && !is_hot(&beside(&self.real, "-journal"))
        })
    }
}

impl Found {
    fn at(path: &Path) -> Result<Self, PeerError> {
        let failed = |source| PeerError::Io { what: "read", path: path.to_owned(), source };
        // The files of a transaction lie beside the real file, not beside a link to it.
        let real = fs::canonicalize(path).map_err(failed)?;
        let header = read_header(&real).map_err(failed)?;
        let refuse = |reason: &str| {
            Err(PeerError::NotOne { path: path.to_owned(), reason: reason.to_owned() })
        };
        match () {
            () if header.is_empty() => refuse("it is empty"),
            () if !header.starts_with(MAGIC) => refuse("it is not a SQLite database"),
            () if header.len() < HEADER => refuse("it is cut off"),
            () => Ok(Self { header, real }),
        }
    }

    /// How it can be opened, the best way first.
    fn ways(&self) -> Vec<Way> {
        let log = beside(&self.real, "-wal");
        let in_wal_mode = self.header.get(18..20).is_some_and(|format| format.contains(&2));
        match (log.exists(), beside(&self.real, "-shm").exists()) {
            (false, _) if in_wal_mode => vec![Way::AsItLies],
            (false, _) => vec![Way::Plain, Way::AsItLies],
            (true, true) => vec![Way::SharedIndex, Way::Alone, Way::AsItLies],
            (true, false) if has_content(&log) => vec![Way::Alone, Way::AsItLies],
            (true, false) => vec![Way::AsItLies],
        }
    }

    /// Opens it this way and reads from it.
    fn open(&self, way: Way) -> rusqlite::Result<Connection> {
        let query = match way {
            Way::Plain => "mode=ro",
            Way::SharedIndex => "mode=ro&readonly_shm=1",
            Way::Alone if cfg!(windows) => "mode=ro&vfs=win32-none",
            Way::Alone => "mode=ro&vfs=unix-none",
            Way::AsItLies => "mode=ro&immutable=1",
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(uri(&self.real, query), flags)?;
        connection.busy_timeout(PATIENCE)?;
        // It is somebody else's file: what its schema says is not executed.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        if way == Way::Alone {
            // Before the first read: then the index of the log is made in memory, not as a file.
            connection.query_row("PRAGMA locking_mode = EXCLUSIVE", [], |_| Ok(()))?;
        }
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
        Ok(connection)
    }

    /// Whether a writer is at work on the file itself. One that only has locked it is not.
    fn is_in_use(&self, error: &rusqlite::Error) -> bool {
        let busy = matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
        );
        busy && (has_content(&beside(&self.real, "-journal"))
            || has_content(&beside(&self.real, "-wal")))
    }

    fn opened(self, connection: Connection, way: Way) -> Database {
        let remark = match way {
            Way::AsItLies if has_content(&beside(&self.real, "-wal")) => {
                Some("its latest changes, in the file -wal beside it, cannot be read")
            }
            Way::AsItLies if is_hot(&beside(&self.real, "-journal")) => {
                Some("a change to it was never finished; it is read as it lies there")
            }
            _ => None,
        };
        let unlocked = (way == Way::AsItLies && remark.is_none()).then_some(self.header);
        Database { connection, remark, unlocked, real: self.real }
    }
}

fn read_header(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut header = Vec::new();
    File::open(path)?.take(HEADER as u64).read_to_end(&mut header)?;
    Ok(header)
}

/// The file beside a database whose name goes on like this.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

fn has_content(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.len() > 0)
}

/// Whether a journal holds what a transaction has changed so far; that of a finished one begins with
/// zeros, and so does that of one which has not touched the database yet.
fn is_hot(journal: &Path) -> bool {
    read_header(journal).is_ok_and(|header| header.first().is_some_and(|byte| *byte != 0))
}

/// A path as SQLite reads it from a URI, every byte that could mean something else escaped.
fn uri(path: &Path, query: &str) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut out = String::from("file:");
    if cfg!(windows) {
        // `\\?\C:\a` is `file:///C:/a` there.
        out.push_str("///");
    } else if bytes.starts_with(b"/") {
        out.push_str("//");
    }
    let bytes = bytes.strip_prefix(br"\\?\".as_slice()).unwrap_or(bytes);
    for byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b':' => {
                out.push(char::from(*byte));
            }
            b'\\' if cfg!(windows) => out.push('/'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    format!("{out}?{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_path_stays_a_path_in_a_uri() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"/a b/c?d#e%f\xff&=.db"));
        assert_eq!(uri(path, "mode=ro"), "file:///a%20b/c%3Fd%23e%25f%FF%26%3D.db?mode=ro");
    }
}
