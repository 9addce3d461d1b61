//! Everything that differs between operating systems, in one place.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Whether everything on a file system can be made durable at once.
pub(crate) const CAN_SYNC_ALL: bool = cfg!(target_os = "linux");

/// Makes everything on the file system of a directory durable, where that can be asked.
pub(crate) fn sync_all_of(dir: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(File::open(dir)?)?;
    #[cfg(not(target_os = "linux"))]
    let _ = dir;
    Ok(())
}

/// Who besides the user could open a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenTo {
    Nobody,
    Others,
}

/// Creates a file that only the user can read; fails if it exists.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    private(OpenOptions::new().read(true).write(true).create_new(true)).open(path)
}

/// Opens a file for locking or appending, creating it for the user only.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    private(OpenOptions::new().read(true).write(true).create(true).truncate(false)).open(path)
}

/// Creates a file as any program of the user's would; fails if it exists.
pub(crate) fn create_new_shared(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// Gives a file to whom another belongs, as far as the user may do that.
pub(crate) fn give_to_owner_of(file: &File, other: &fs::Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let (uid, gid) = (other.uid(), other.gid());
        let is_same = file.metadata().is_ok_and(|own| (own.uid(), own.gid()) == (uid, gid));
        if !is_same && fchown(file, Some(uid), Some(gid)).is_err() {
            let _ = fchown(file, None, Some(gid));
        }
    }
    #[cfg(not(unix))]
    let _ = (file, other);
}

/// The permissions of a file that may be run.
pub(crate) fn may_be_run() -> Option<fs::Permissions> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::PermissionsExt::from_mode(0o755));
    #[cfg(not(unix))]
    None
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Creates one directory that only the user can enter.
#[cfg(unix)]
pub(crate) fn create_dir(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
pub(crate) fn create_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().create(path)
}

/// Makes a directory's entries durable. Windows has no such call and keeps its own journal.
pub(crate) fn sync_dir(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(path)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Modification time in nanoseconds since 1970; `None` if there is nothing.
pub(crate) fn mtime(path: &Path) -> io::Result<Option<i64>> {
    match fs::metadata(path) {
        Ok(meta) => Ok(Some(mtime_of(&meta)?)),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// A directory in which many things are looked at. Where the system can be asked relative to it, that
/// is quicker than by whole paths.
pub(crate) struct OpenDir {
    #[cfg(target_os = "linux")]
    dir: std::os::fd::OwnedFd,
    #[cfg(not(target_os = "linux"))]
    dir: PathBuf,
}

#[cfg(target_os = "linux")]
impl OpenDir {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Self::open_at(rustix::fs::CWD, path)
    }

    pub(crate) fn open_in(&self, name: &str) -> io::Result<Self> {
        Self::open_at(&self.dir, Path::new(name))
    }

    fn open_at(dir: impl std::os::fd::AsFd, path: &Path) -> io::Result<Self> {
        use rustix::fs::{Mode, OFlags, openat};
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { dir: openat(dir, path, flags, Mode::empty())? })
    }

    /// As `mtime`, of what has this name.
    pub(crate) fn mtime(&self, name: &str) -> io::Result<Option<i64>> {
        use rustix::fs::{AtFlags, statat};
        use rustix::io::Errno;
        match statat(&self.dir, name, AtFlags::empty()) {
            Ok(stat) => {
                let nanos = i128::from(stat.st_mtime) * 1_000_000_000 + stat.st_mtime_nsec as i128;
                Ok(Some(i64::try_from(nanos.max(0)).unwrap_or(i64::MAX)))
            }
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl OpenDir {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { dir: path.to_owned() })
    }

    pub(crate) fn open_in(&self, name: &str) -> io::Result<Self> {
        Ok(Self { dir: self.dir.join(name) })
    }

    /// As `mtime`, of what has this name.
    pub(crate) fn mtime(&self, name: &str) -> io::Result<Option<i64>> {
        mtime(&self.dir.join(name))
    }
}

pub(crate) fn mtime_of(meta: &fs::Metadata) -> io::Result<i64> {
    let since = meta.modified()?.duration_since(std::time::UNIX_EPOCH);
    Ok(since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)))
}

/// Whether there is such a directory. That it cannot be told is an error, not a no.
pub(crate) fn is_dir(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(meta) => Ok(meta.is_dir()),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// What tells whether a file is still the one that was read: its time and, on Unix, its inode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) mtime: i64,
    pub(crate) inode: i64,
}

pub(crate) fn mark(path: &Path) -> io::Result<Mark> {
    size_and_mark(path).map(|(_, mark)| mark)
}

pub(crate) fn size_and_mark(path: &Path) -> io::Result<(u64, Mark)> {
    let meta = fs::metadata(path)?;
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(&meta) as i64;
    #[cfg(not(unix))]
    let inode = 0;
    Ok((meta.len(), Mark { mtime: mtime_of(&meta)?, inode }))
}

/// The inode of a directory's entry, which listing gives for nothing; 0 where there is none.
pub(crate) fn entry_inode(entry: &fs::DirEntry) -> i64 {
    #[cfg(unix)]
    return std::os::unix::fs::DirEntryExt::ino(entry) as i64;
    #[cfg(not(unix))]
    {
        let _ = entry;
        0
    }
}

/// A text that tells this directory from any other, also after a copy.
pub(crate) fn dir_identity(path: &Path) -> io::Result<String> {
    let real = fs::canonicalize(path)?;
    let meta = fs::metadata(&real)?;
    #[cfg(unix)]
    let extra = {
        use std::os::unix::fs::MetadataExt;
        format!("{}:{}", meta.dev(), meta.ino())
    };
    #[cfg(not(unix))]
    let extra = format!("{:?}", meta.created().ok());
    Ok(format!("{} {extra}", real.display()))
}

/// As `dir_identity`, for what is noted for months: numbers of devices change with a restart, and a
/// number of an inode is soon another's, while the moment of birth is neither. Where the file system
/// keeps no such moment, the rest has to do.
pub(crate) fn lasting_identity(path: &Path) -> io::Result<String> {
    let real = fs::canonicalize(path)?;
    match inode_and_birth(&real) {
        Some(identity) => Ok(format!("{} {identity}", real.display())),
        None => dir_identity(path),
    }
}

/// What of a directory stays the same when it is moved, and differs in a copy. `None` where the file system
/// keeps no moment of birth, or files have no numbers that could be asked for.
pub fn moving_identity(path: &Path) -> Option<String> {
    if cfg!(unix) { inode_and_birth(path) } else { None }
}

fn inode_and_birth(path: &Path) -> Option<String> {
    let meta = fs::metadata(path).ok()?;
    let born = meta.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(&meta);
    #[cfg(not(unix))]
    let inode = 0;
    Some(format!("{inode}@{}", born.as_nanos()))
}

/// Opens a file to read, and no other by its name: a link is an error, and a pipe does not wait.
pub(crate) fn open_itself(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    options.open(path)
}

/// What belongs to another user than the rest.
#[derive(Debug, Default)]
pub struct OwnedByOthers {
    /// The first of it.
    pub named: Vec<PathBuf>,
    /// How much there is.
    pub count: usize,
    /// What belongs to the right user.
    pub right: PathBuf,
}

/// What of a directory belongs to another user than the directory itself; and the directory, where root made it in one
/// of a user's. Links are not followed.
#[cfg(unix)]
pub fn owned_by_others(dir: &Path, most: usize) -> OwnedByOthers {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| fs::symlink_metadata(path).map(|meta| (meta.uid(), meta.is_dir()));
    let Ok((user, _)) = owner(dir) else { return OwnedByOthers::default() };
    let above = dir.parent().unwrap_or(dir);
    let (user, right) = match owner(above) {
        Ok((uid, _)) if user == 0 => (uid, above),
        _ => (user, dir),
    };
    let is_other = owner(dir).is_ok_and(|(uid, _)| uid != user);
    let mut named: Vec<PathBuf> = is_other.then(|| dir.to_owned()).into_iter().collect();
    let mut count = named.len();
    let mut left = vec![dir.to_owned()];
    while let Some(dir) = left.pop() {
        let mut paths: Vec<_> = fs::read_dir(&dir).into_iter().flatten().flatten().collect();
        paths.sort_by_key(fs::DirEntry::file_name);
        for path in paths.iter().map(fs::DirEntry::path) {
            let Ok((uid, is_dir)) = owner(&path) else { continue };
            if uid != user {
                count += 1;
                if named.len() < most {
                    named.push(path.clone());
                }
            }
            if is_dir {
                left.push(path);
            }
        }
    }
    OwnedByOthers { named, count, right: right.to_owned() }
}

/// Access is by inherited ACLs there.
#[cfg(not(unix))]
pub fn owned_by_others(_dir: &Path, _most: usize) -> OwnedByOthers {
    OwnedByOthers::default()
}

/// Whether others could open it.
pub fn too_open(path: &Path) -> io::Result<OpenTo> {
    let meta = fs::metadata(path)?;
    #[cfg(unix)]
    let open = std::os::unix::fs::MetadataExt::mode(&meta) & 0o077 != 0;
    #[cfg(not(unix))]
    let open = {
        // Access is by inherited ACLs there; the profile directory is the user's alone.
        let _ = meta;
        false
    };
    Ok(if open { OpenTo::Others } else { OpenTo::Nobody })
}

/// A file without a name in this directory's file system. `None` where there is no such thing.
#[cfg(target_os = "linux")]
pub(crate) fn create_unnamed(dir: &Path) -> io::Result<Option<File>> {
    use rustix::fs::{Mode, OFlags, open};
    use rustix::io::Errno;
    match open(dir, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR) {
        Ok(fd) => Ok(Some(File::from(fd))),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOSYS) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn create_unnamed(_dir: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// Gives an unnamed file its name, unless something has that name.
#[cfg(target_os = "linux")]
pub(crate) fn name_unnamed(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let by_fd = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, by_fd, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn name_unnamed(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether an error means that this file system or system cannot link, rather than that it failed.
pub(crate) fn cannot_link(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, NotFound, PermissionDenied, Unsupported};
    matches!(error.kind(), CrossesDevices | NotFound | PermissionDenied | Unsupported)
}
