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
    /// The same as if no variable moved anything.
    pub(crate) fn in_home(&self) -> Self {
        Self { home: self.home.clone(), vars: |_| None }
    }

    pub(crate) fn var(&self, name: &str) -> Option<OsString> {
        (self.vars)(name).filter(|value| !value.is_empty())
    }

    /// The directory that a variable names, else one below the home.
    pub(crate) fn dir(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let named = self.var(variable).map(PathBuf::from);
        named.or_else(|| Some(self.home.as_ref()?.join(below_home)))
    }

    /// The directory that a variable names, else the home.
    pub(crate) fn dir_or_home(&self, variable: &str) -> Option<PathBuf> {
        self.var(variable).map(PathBuf::from).or_else(|| self.home.clone())
    }
}

/// The directories whose sessions are looked for.
#[derive(Clone, Debug, Default)]
pub struct Where {
    /// In one of these.
    pub dirs: Vec<PathBuf>,
    /// Or anywhere below this one.
    pub below: Option<PathBuf>,
}

impl Where {
    /// Whether a session that ran there is looked for.
    pub fn holds(&self, cwd: &Path) -> bool {
        self.dirs.iter().any(|dir| dir == cwd)
            || self.below.as_ref().is_some_and(|top| cwd.starts_with(top))
    }
}

impl From<&str> for Where {
    fn from(dir: &str) -> Self {
        Self { dirs: vec![dir.into()], below: None }
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

/// What is in a directory. One that is not there has nothing.
pub(crate) fn entries(dir: &Path) -> io::Result<impl Iterator<Item = io::Result<fs::DirEntry>>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => Some(entries),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    Ok(entries.into_iter().flatten())
}

/// The beginning of a file, as text.
pub(crate) fn head_of(file: impl Read, bytes: u64) -> io::Result<String> {
    let mut head = Vec::new();
    file.take(bytes).read_to_end(&mut head)?;
    Ok(String::from_utf8_lossy(&head).into_owned())
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
    // Opening a pipe would wait for somebody who writes into it.
    let meta = meta.ok().filter(|meta| meta.is_file() && meta.len() > 0)?;
    Transcript::of(agent, entry.path(), &meta).ok()
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
    cwd_in(&head_of(fs::File::open(path).ok()?, HEAD).ok()?)
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
