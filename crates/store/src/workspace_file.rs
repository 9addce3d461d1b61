//! Files of a workspace. They are the user's: written with the same care as the store's, but with
//! the user's permissions, and never over a change that was not seen.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::atomic::{self, unprobed};
use crate::error::{IoContext, StoreError};
use crate::memory::listing;
use crate::platform;

/// A temporary file this old was left by a process that is gone.
const STALE: Duration = Duration::from_secs(60);

/// A file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceFile {
    /// Its content, or the beginning of it.
    pub bytes: Vec<u8>,
    /// Its whole size.
    pub size: u64,
}

impl WorkspaceFile {
    /// Whether it is longer than what was read.
    pub fn is_cut(&self) -> bool {
        self.size > self.bytes.len() as u64
    }
}

/// What became of a replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    Done,
    /// Somebody changed the file since it was read; it is left as it is.
    Changed,
}

/// Reads a file up to a limit. `None` if it is not there or not a regular file.
pub fn read_workspace_file(path: &Path, limit: u64) -> Result<Option<WorkspaceFile>, StoreError> {
    // Opening a pipe would wait for somebody to write into it.
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error).at("read", path),
    }
    let file = File::open(path).at("read", path)?;
    let size = file.metadata().at("read", path)?.len();
    let mut bytes = Vec::with_capacity(size.min(limit) as usize + 1);
    file.take(limit).read_to_end(&mut bytes).at("read", path)?;
    Ok(Some(WorkspaceFile { size: size.max(bytes.len() as u64), bytes }))
}

/// Makes a directory in the user's tree; says whether it did, or there was one already. What else
/// has the name, a link included, is refused.
pub fn create_workspace_dir(path: &Path) -> Result<bool, StoreError> {
    match fs::create_dir(path) {
        Ok(()) => {
            let dir = atomic::parent(path);
            platform::sync_dir(dir).at("sync", dir)?;
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            match fs::symlink_metadata(path).at("read", path)?.is_dir() {
                true => Ok(false),
                false => Err(StoreError::NotADirectory { path: path.to_owned() }),
            }
        }
        Err(error) => Err(error).at("create the directory", path),
    }
}

/// The directories that are missing on the way to one, itself included, the outermost first.
pub fn missing_dirs(path: &Path) -> Vec<PathBuf> {
    // Above a relative one there is nothing with a name.
    let named = path.ancestors().take_while(|dir| !dir.as_os_str().is_empty());
    let missing = named.take_while(|dir| !dir.is_dir());
    let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Writes a new file; says whether it did, or there was one already.
pub fn create_workspace_file(path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
    create(path, bytes, &Looks::New)
}

/// As `create_workspace_file`, for a file that may be run.
pub fn create_workspace_program(path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
    create(path, bytes, &Looks::Program)
}

/// Whose a written file is, and who may do what with it.
enum Looks {
    /// As any file that the user makes.
    New,
    /// The same, and it may be run.
    Program,
    /// As one that is there.
    Like(fs::Metadata),
}

fn create(path: &Path, bytes: &[u8], looks: &Looks) -> Result<bool, StoreError> {
    let temp = write_beside(path, bytes, looks)?;
    let named = atomic::name_temp(&temp, path);
    let _ = fs::remove_file(&temp);
    match named {
        Ok(()) => {
            let dir = atomic::parent(path);
            platform::sync_dir(dir).at("sync", dir)?;
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error).at("write", path),
    }
}

/// Replaces a file whose content is still what was read. A symlink is followed, not replaced.
pub fn replace_workspace_file(
    path: &Path,
    read: &[u8],
    bytes: &[u8],
) -> Result<Replaced, StoreError> {
    let target = if path.is_symlink() {
        fs::canonicalize(path).at("follow", path)?
    } else {
        path.to_owned()
    };
    let meta = fs::metadata(&target).at("read", path)?;
    // A file that its owner made read-only is not written to, though its directory would allow it.
    if meta.permissions().readonly() {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied)).at("write", path);
    }
    let temp = write_beside(&target, bytes, &Looks::Like(meta))?;
    // As late as can be: what an editor saved meanwhile stays.
    let same = fs::read(&target).is_ok_and(|there| there == read);
    if !same {
        let _ = fs::remove_file(&temp);
        return Ok(Replaced::Changed);
    }
    let done = fs::rename(&temp, &target);
    if done.is_err() {
        let _ = fs::remove_file(&temp);
    }
    done.at("write", path)?;
    let dir = atomic::parent(&target);
    platform::sync_dir(dir).at("sync", dir)?;
    Ok(Replaced::Done)
}

/// Removes a file whose content is still what was read. A symlink to it stays, and leads nowhere.
pub fn remove_workspace_file(path: &Path, read: &[u8]) -> Result<Replaced, StoreError> {
    if !fs::read(path).is_ok_and(|there| there == read) {
        return Ok(Replaced::Changed);
    }
    fs::remove_file(path).at("remove", path)?;
    let dir = atomic::parent(path);
    platform::sync_dir(dir).at("sync", dir)?;
    Ok(Replaced::Done)
}

/// Writes a temporary file beside the target, and sweeps what a killed process left there.
fn write_beside(target: &Path, bytes: &[u8], looks: &Looks) -> Result<PathBuf, StoreError> {
    let dir = atomic::parent(target);
    let prefix = temp_prefix(target);
    sweep(dir, &prefix, STALE);
    let temp = dir.join(format!("{prefix}{}", std::process::id()));
    // What only some may read, nobody else may while it is written.
    let made = match looks {
        Looks::Like(_) => platform::create_new(&temp),
        Looks::New | Looks::Program => platform::create_new_shared(&temp),
    };
    let mut file = made.at("write", target)?;
    let filled = atomic::fill(&mut file, bytes, &unprobed).and_then(|()| match looks {
        Looks::New => Ok(()),
        Looks::Program => platform::may_be_run().map_or(Ok(()), |may| file.set_permissions(may)),
        Looks::Like(meta) => {
            platform::give_to_owner_of(&file, meta);
            file.set_permissions(meta.permissions())
        }
    });
    if filled.is_err() {
        let _ = fs::remove_file(&temp);
    }
    filled.at("write", target)?;
    Ok(temp)
}

fn temp_prefix(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    format!(".{name}.segue-")
}

/// Removes what a killed process left beside a file. For whoever knows that nobody else is at it.
pub fn sweep_workspace_file(target: &Path) {
    sweep(atomic::parent(target), &temp_prefix(target), Duration::ZERO);
}

/// Removes old temporary files. One that cannot be removed is no obstacle.
fn sweep(dir: &Path, prefix: &str, from: Duration) {
    for name in listing(dir).unwrap_or_default().iter().filter(|name| name.starts_with(prefix)) {
        let path = dir.join(name);
        let written = fs::metadata(&path).and_then(|meta| meta.modified());
        let age = written.map(|at| at.elapsed().unwrap_or_default());
        if age.is_ok_and(|age| age >= from) {
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        listing(dir).unwrap()
    }

    #[test]
    fn a_change_that_was_not_seen_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("HANDOFF.md");
        assert!(create_workspace_file(&path, b"one").unwrap());
        assert!(!create_workspace_file(&path, b"two").unwrap());
        assert_eq!(replace_workspace_file(&path, b"other", b"two").unwrap(), Replaced::Changed);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(replace_workspace_file(&path, b"one", b"two").unwrap(), Replaced::Done);
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(dir.path()), ["HANDOFF.md"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_symlinks_stay() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real.md"), dir.path().join("HANDOFF.md"));
        create_workspace_file(&real, b"one").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o664)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(replace_workspace_file(&link, b"one", b"two").unwrap(), Replaced::Done);
        assert!(link.is_symlink());
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o664);
        // Nobody else may read what is only the user's, not even while it is written.
        fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
        let meta = fs::metadata(&real).unwrap();
        let temp = write_beside(&real, b"secret", &Looks::Like(meta)).unwrap();
        assert_eq!(fs::metadata(&temp).unwrap().permissions().mode() & 0o777, 0o600);
        sweep_workspace_file(&real);
        assert!(!temp.exists());
        fs::set_permissions(&real, fs::Permissions::from_mode(0o444)).unwrap();
        assert!(replace_workspace_file(&link, b"two", b"three").is_err());
        assert_eq!(fs::read(&real).unwrap(), b"two");
    }

    #[test]
    fn what_a_killed_process_left_is_no_obstacle() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("HANDOFF.md");
        create_workspace_file(&path, b"one").unwrap();
        let left = File::create(dir.path().join(".HANDOFF.md.segue-0")).unwrap();
        assert_eq!(replace_workspace_file(&path, b"one", b"two").unwrap(), Replaced::Done);
        assert_eq!(names(dir.path()).len(), 2, "it may be somebody's who is at it");
        left.set_modified(std::time::UNIX_EPOCH).unwrap();
        assert_eq!(replace_workspace_file(&path, b"two", b"three").unwrap(), Replaced::Done);
        assert_eq!(names(dir.path()), ["HANDOFF.md"]);
    }

    #[test]
    fn only_the_beginning_of_a_large_file_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("MEMORY.md");
        create_workspace_file(&path, &[b'x'; 1000]).unwrap();
        let read = read_workspace_file(&path, 10).unwrap().unwrap();
        assert_eq!((read.bytes.len(), read.size, read.is_cut()), (10, 1000, true));
        assert_eq!(read_workspace_file(&dir.path().join("no"), 10).unwrap(), None);
        assert_eq!(read_workspace_file(dir.path(), 10).unwrap(), None);
    }
}
