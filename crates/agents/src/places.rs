//! Where agents keep their sessions, and how one is found.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::SystemTime;

/// What there is to find sessions by: the user's home and the environment.
pub struct Places {
    pub home: Option<PathBuf>,
    pub vars: fn(&str) -> Option<OsString>,
}

impl Places {
    pub(crate) fn var(&self, name: &str) -> Option<OsString> {
        (self.vars)(name).filter(|value| !value.is_empty())
    }
}

/// A transcript: one session's file, or its part of a file that holds many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// The agent, by its word.
    pub agent: &'static str,
    /// The session's id.
    pub id: String,
    pub path: PathBuf,
    pub modified: SystemTime,
    pub size: u64,
}

impl Transcript {
    /// The transcript at a path, named after its session.
    pub fn at(agent: &'static str, path: PathBuf) -> io::Result<Self> {
        let meta = fs::metadata(&path)?;
        Self::of(agent, path, &meta)
    }

    fn of(agent: &'static str, path: PathBuf, meta: &fs::Metadata) -> io::Result<Self> {
        let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        Ok(Self {
            agent,
            id: id.unwrap_or_default(),
            modified: meta.modified()?,
            size: meta.len(),
            path,
        })
    }
}

/// The transcripts in a directory, newest first. One that is not there has none.
pub(crate) fn newest(
    agent: &'static str,
    dir: &Path,
    is_one: fn(&str) -> bool,
) -> io::Result<Vec<Transcript>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let entries: Vec<fs::DirEntry> =
        entries.flatten().filter(|entry| is_one(&entry.file_name().to_string_lossy())).collect();
    let looked_at = |entries: &[fs::DirEntry]| -> Vec<Transcript> {
        entries.iter().filter_map(|entry| found(agent, entry)).collect()
    };
    let mut all = if entries.len() < WORTH_A_THREAD {
        looked_at(&entries)
    } else {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        thread::scope(|scope| {
            let parts = entries.chunks(entries.len().div_ceil(threads));
            let begun: Vec<_> = parts.map(|part| scope.spawn(|| looked_at(part))).collect();
            begun.into_iter().filter_map(|one| one.join().ok()).flatten().collect()
        })
    };
    all.sort_by_key(|one| std::cmp::Reverse(one.modified));
    Ok(all)
}

/// Files of a directory beyond which looking at them is shared among threads.
const WORTH_A_THREAD: usize = 400;
const MOST_THREADS: usize = 4;

fn found(agent: &'static str, entry: &fs::DirEntry) -> Option<Transcript> {
    // Asked relative to the directory, which is quicker where there are thousands.
    let meta = match entry.metadata() {
        Ok(meta) if meta.is_symlink() => fs::metadata(entry.path()),
        meta => meta,
    };
    Transcript::of(agent, entry.path(), &meta.ok()?).ok()
}

/// The newest so many that fit, newest first. What does not come to that is not looked into.
pub(crate) fn newest_of(
    mut all: Vec<Transcript>,
    most: usize,
    fits: impl Fn(&Transcript) -> bool,
) -> Vec<Transcript> {
    all.sort_by_key(|one| std::cmp::Reverse(one.modified));
    all.into_iter().filter(fits).take(most).collect()
}

/// Bytes of a transcript in which the directory is looked for.
const HEAD: u64 = 16 << 10;

/// The directory that a transcript says at its beginning that it ran in.
pub(crate) fn said_cwd(path: &Path) -> Option<PathBuf> {
    let mut head = Vec::new();
    fs::File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    cwd_in(&String::from_utf8_lossy(&head))
}

/// The directory that the beginning of a transcript names. Its record may go on behind that.
pub(crate) fn cwd_in(head: &str) -> Option<PathBuf> {
    let (_, rest) = head.split_once("\"cwd\":")?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    values.next()?.ok().map(PathBuf::from)
}

/// A path as it is from the root, if it is known what it is relative to.
pub(crate) fn absolute<'p>(path: Cow<'p, str>, cwd: Option<&str>) -> Cow<'p, str> {
    let is_absolute =
        path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1).is_some_and(|c| *c == b':');
    match cwd {
        Some(cwd) if !is_absolute => {
            let path = path.strip_prefix("./").unwrap_or(&path);
            format!("{}/{path}", cwd.trim_end_matches('/')).into()
        }
        _ => path,
    }
}
