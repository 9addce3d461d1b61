//! The one way to write a file: wholly or not at all, durable before it is reported.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{IoContext, StoreError};
use crate::platform;

/// The stages of a write, in order; tests make each of them fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Create,
    Write,
    Sync,
    Name,
    SyncDir,
}

/// What a no-replace write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    New,
    /// The very same bytes were there already.
    Same,
}

/// Asked before each stage; production never refuses.
pub(crate) type Probe<'a> = &'a dyn Fn(Stage) -> io::Result<()>;

pub(crate) fn unprobed(_: Stage) -> io::Result<()> {
    Ok(())
}

/// How often directories are made that another process removes meanwhile.
const DIR_ATTEMPTS: usize = 10;

/// How a temporary file that has a name begins. They are swept once they are old.
pub(crate) const TEMP_PREFIX: &str = ".tmp-";

/// Writes a new file; never replaces one. The name appears last, with the whole content behind it.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<Written, StoreError> {
    write_new_probed(path, bytes, &unprobed)
}

pub(crate) fn write_new_probed(
    path: &Path,
    bytes: &[u8],
    probe: Probe<'_>,
) -> Result<Written, StoreError> {
    let dir = parent(path);
    let named = probe(Stage::Create)
        .and_then(|()| platform::create_unnamed(dir))
        .at("create a file in", dir)?;
    let outcome = match named {
        Some(mut file) => {
            fill(&mut file, bytes, probe).at("write", path)?;
            match probe(Stage::Name).and_then(|()| platform::name_unnamed(&file, path)) {
                Err(error)
                    if error.kind() != io::ErrorKind::AlreadyExists
                        && platform::cannot_link(&error) =>
                {
                    by_named_temp(path, bytes, probe)
                }
                other => other,
            }
        }
        None => by_named_temp(path, bytes, probe),
    };
    match outcome {
        Ok(()) => {
            probe(Stage::SyncDir).and_then(|()| platform::sync_dir(dir)).at("sync", dir)?;
            Ok(Written::New)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // A repeated write after a failure that came late: done already.
            if fs::read(path).is_ok_and(|there| there == bytes) {
                platform::sync_dir(dir).at("sync", dir)?;
                Ok(Written::Same)
            } else {
                Err(StoreError::Exists { path: path.to_owned() })
            }
        }
        Err(source) => Err(StoreError::Io { what: "write", path: path.to_owned(), source }),
    }
}

/// Writes a file, replacing what was there. A symlink is followed, not replaced.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    replace_probed(path, bytes, &unprobed)
}

pub(crate) fn replace_probed(
    path: &Path,
    bytes: &[u8],
    probe: Probe<'_>,
) -> Result<(), StoreError> {
    if path.is_symlink() {
        let target = fs::canonicalize(path).at("follow", path)?;
        return replace_target(path, &target, bytes, probe);
    }
    replace_target(path, path, bytes, probe)
}

/// As `replace`, but a symlink is replaced, not followed.
pub(crate) fn replace_itself(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    replace_target(path, path, bytes, &unprobed)
}

fn replace_target(
    path: &Path,
    target: &Path,
    bytes: &[u8],
    probe: Probe<'_>,
) -> Result<(), StoreError> {
    let temp = temp_name(target);
    let done = probe(Stage::Create)
        .and_then(|()| platform::create_new(&temp))
        .and_then(|mut file| fill(&mut file, bytes, probe))
        .and_then(|()| probe(Stage::Name))
        .and_then(|()| fs::rename(&temp, target));
    if done.is_err() {
        let _ = fs::remove_file(&temp);
    }
    done.at("write", path)?;
    let dir = parent(target);
    probe(Stage::SyncDir).and_then(|()| platform::sync_dir(dir)).at("sync", dir)
}

/// Replaces the content of a file, which keeps its permissions and its time. A symlink is followed.
pub(crate) fn rewrite(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let target = if path.is_symlink() {
        fs::canonicalize(path).at("follow", path)?
    } else {
        path.to_owned()
    };
    let meta = fs::metadata(&target).at("read", path)?;
    let temp = temp_name(&target);
    let done = platform::create_new(&temp).and_then(|mut file| {
        file.write_all(bytes)?;
        file.set_permissions(meta.permissions())?;
        // A file system without times has none to keep.
        let _ = meta.modified().and_then(|time| file.set_modified(time));
        file.sync_all()?;
        fs::rename(&temp, &target)
    });
    if done.is_err() {
        let _ = fs::remove_file(&temp);
    }
    done.at("write", path)?;
    let dir = parent(&target);
    platform::sync_dir(dir).at("sync", dir)
}

/// Replaces a file that only shows what is safe elsewhere: whole, but not synced.
pub(crate) fn show(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let temp = temp_name(path);
    let done = platform::create_new(&temp)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&temp, path));
    if done.is_err() {
        let _ = fs::remove_file(&temp);
    }
    done.at("write", path)
}

/// Writes a new file under a name that nothing has: `<first>-<last>`, else with a number between.
pub(crate) fn write_unused(
    dir: &Path,
    first: &str,
    last: &str,
    bytes: &[u8],
) -> Result<PathBuf, StoreError> {
    for attempt in 0_u32.. {
        let again = if attempt == 0 { String::new() } else { format!("-{attempt}") };
        let path = dir.join(format!("{first}{again}-{last}"));
        match write_new(&path, bytes) {
            Ok(_) => return Ok(path),
            Err(StoreError::Exists { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Err(StoreError::Exists { path: dir.to_owned() })
}

pub(crate) fn fill(file: &mut File, bytes: &[u8], probe: Probe<'_>) -> io::Result<()> {
    probe(Stage::Write)?;
    file.write_all(bytes)?;
    probe(Stage::Sync)?;
    file.sync_all()
}

/// Through a temporary file with a name, for systems without unnamed ones.
fn by_named_temp(path: &Path, bytes: &[u8], probe: Probe<'_>) -> io::Result<()> {
    let temp = temp_name(path);
    let mut file = platform::create_new(&temp)?;
    let named = fill(&mut file, bytes, probe).and_then(|()| probe(Stage::Name)).and_then(|()| {
        drop(file);
        name_temp(&temp, path)
    });
    let _ = fs::remove_file(&temp);
    named
}

/// Gives a temporary file its final name, unless something has it. The old name may stay.
pub(crate) fn name_temp(temp: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(temp, path) {
        Err(error)
            if error.kind() != io::ErrorKind::AlreadyExists && platform::cannot_link(&error) =>
        {
            // No links here: the memory's lock keeps other writers out between look and rename.
            if path.exists() {
                Err(io::ErrorKind::AlreadyExists.into())
            } else {
                fs::rename(temp, path)
            }
        }
        other => other,
    }
}

fn temp_name(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    parent(path).join(format!("{TEMP_PREFIX}{}-{name}", std::process::id()))
}

/// Removes what a killed process left of writing this file. The lock around it is held, so nobody
/// else is writing it.
pub(crate) fn sweep(path: &Path) {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return;
    };
    let ending = format!("-{name}");
    for entry in fs::read_dir(parent(path)).into_iter().flatten().flatten() {
        let left = entry.file_name().to_string_lossy().into_owned();
        let middle = left.strip_prefix(TEMP_PREFIX).and_then(|rest| rest.strip_suffix(&ending));
        if middle.is_some_and(|pid| pid.bytes().all(|byte| byte.is_ascii_digit())) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Removes whatever killed processes left of writing files of a directory. Nobody else is writing one.
pub(crate) fn sweep_all(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMP_PREFIX) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

pub(crate) fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// Creates a directory and what is missing above it, for the user only, each durable.
pub(crate) fn create_dirs(path: &Path) -> Result<(), StoreError> {
    create_dirs_within(path, DIR_ATTEMPTS)
}

fn create_dirs_within(path: &Path, attempts: usize) -> Result<(), StoreError> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        create_dirs_within(above, attempts)?;
    }
    match create_dir(path) {
        // Another process may remove the one above just then, because nothing is in it.
        Err(error) if error.io_kind() == Some(io::ErrorKind::NotFound) && attempts > 1 => {
            create_dirs_within(path, attempts - 1)
        }
        created => created,
    }
}

/// Creates a directory below one that is there.
pub(crate) fn create_dir(path: &Path) -> Result<(), StoreError> {
    match platform::create_dir(path) {
        Ok(()) => platform::sync_dir(parent(path)).at("sync", parent(path)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        // Something else has the name; "File exists" would not say what is wrong with it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(io::Error::from(io::ErrorKind::NotADirectory)).at("create the directory", path)
        }
        Err(source) => {
            Err(StoreError::Io { what: "create the directory", path: path.to_owned(), source })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAGES: [Stage; 5] =
        [Stage::Create, Stage::Write, Stage::Sync, Stage::Name, Stage::SyncDir];

    fn fail_at(stage: Stage) -> impl Fn(Stage) -> io::Result<()> {
        move |now| {
            if now == stage { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }
    }

    fn names(dir: &Path) -> Vec<String> {
        fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_failed_stage_leaves_nothing_half_written() {
        for stage in STAGES {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("a.md");
            assert!(write_new_probed(&path, b"text", &fail_at(stage)).is_err());
            match stage {
                // Named, though the directory could not be synced: whole, and a repeat agrees.
                Stage::SyncDir => assert_eq!(write_new(&path, b"text").unwrap(), Written::Same),
                _ => assert_eq!(names(dir.path()), Vec::<String>::new(), "{stage:?}"),
            }
            write_new(&path, b"text").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"text");
        }
    }

    #[test]
    fn a_failed_replace_keeps_the_old_file() {
        for stage in STAGES {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("a.md");
            replace(&path, b"old").unwrap();
            assert!(replace_probed(&path, b"new", &fail_at(stage)).is_err());
            let kept: &[u8] = if stage == Stage::SyncDir { b"new" } else { b"old" };
            assert_eq!(fs::read(&path).unwrap(), kept, "{stage:?}");
            assert_eq!(names(dir.path()), ["a.md"]);
        }
    }

    #[test]
    fn directories_are_made_though_an_empty_one_is_removed_meanwhile() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        for _ in 0..20 {
            let is_made = std::sync::atomic::AtomicBool::new(false);
            let made = std::thread::scope(|scope| {
                scope.spawn(|| {
                    let mut removed = 0;
                    while removed < 3 && !is_made.load(std::sync::atomic::Ordering::Relaxed) {
                        removed += usize::from(fs::remove_dir(&home).is_ok());
                    }
                });
                let made = create_dirs(&home.join("projects"));
                is_made.store(true, std::sync::atomic::Ordering::Relaxed);
                made
            });
            made.unwrap();
            fs::remove_dir_all(&home).unwrap();
        }
    }

    #[test]
    fn a_name_that_is_taken_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        write_new(&path, b"first").unwrap();
        assert!(matches!(write_new(&path, b"second"), Err(StoreError::Exists { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(dir.path()), ["a.md"]);
    }

    #[test]
    fn the_way_with_a_named_temporary_file_is_as_good() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        for stage in [Stage::Write, Stage::Sync, Stage::Name] {
            assert!(by_named_temp(&path, b"text", &fail_at(stage)).is_err());
            assert_eq!(names(dir.path()), Vec::<String>::new(), "{stage:?}");
        }
        by_named_temp(&path, b"text", &unprobed).unwrap();
        let again = by_named_temp(&path, b"other", &unprobed).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"text");
        assert_eq!(names(dir.path()), ["a.md"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_symlink_is_followed_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("real.md");
        let link = dir.path().join("link.md");
        replace(&real, b"old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn files_and_directories_are_the_users_alone() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b");
        create_dirs(&deep).unwrap();
        write_new(&deep.join("x.md"), b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&deep), mode(&deep.join("x.md"))), (0o700, 0o600));
    }
}
