//! Where a memory's layers lie: in its own directory, or in one that its `project.toml` names.
//!
//! What lies in the user's trees changes under us, as by `git pull`. There nothing is reached
//! through a link and nothing but plain files is opened, whoever put them there.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

use segue_core::{Handoff, HandoffError, MAX_HANDOFF_BYTES};

use crate::atomic;
use crate::error::{IoContext, StoreError};
use crate::platform;
use crate::read::{parse_handoff, read_handoff};

/// An archive elsewhere that is larger than this is not read.
const MAX_ARCHIVE_BYTES: u64 = 256 * 1024 * 1024;

/// The directory of a memory's layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Layers {
    /// In `$SEGUE_HOME`, where only we write.
    Own(PathBuf),
    /// Somewhere in the user's trees.
    Elsewhere(PathBuf),
}

impl Layers {
    pub(crate) fn root(&self) -> &Path {
        match self {
            Self::Own(root) | Self::Elsewhere(root) => root,
        }
    }

    pub(crate) fn is_elsewhere(&self) -> bool {
        matches!(self, Self::Elsewhere(_))
    }

    /// A place below, by names of which each is one component.
    pub(crate) fn at(&self, names: &[&str]) -> PathBuf {
        let mut path = self.root().to_owned();
        path.extend(names);
        path
    }

    /// Refuses a path on which anything is a link, from the root down to the path itself.
    pub(crate) fn check(&self, path: &Path) -> Result<(), StoreError> {
        let Self::Elsewhere(root) = self else { return Ok(()) };
        check_root(root)?;
        let below = path.strip_prefix(root).unwrap_or(Path::new(".."));
        let mut reached = root.clone();
        for part in below.components() {
            let Component::Normal(name) = part else {
                return Err(StoreError::Link { path: path.to_owned() });
            };
            reached.push(name);
            if !refuse_link(&reached)? {
                break;
            }
        }
        Ok(())
    }

    /// Makes a directory below, and what is missing above it.
    pub(crate) fn create_dirs(&self, path: &Path) -> Result<(), StoreError> {
        self.check(path)?;
        atomic::create_dirs(path)
    }

    /// Replaces a file.
    pub(crate) fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        match self {
            Self::Own(_) => atomic::replace(path, bytes),
            Self::Elsewhere(_) => {
                self.check(path)?;
                atomic::replace_itself(path, bytes)
            }
        }
    }

    /// Replaces a file's content and nothing else of it.
    pub(crate) fn rewrite(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        self.check(path)?;
        atomic::rewrite(path, bytes)
    }

    pub(crate) fn remove_file(&self, path: &Path) -> Result<(), StoreError> {
        self.check(path)?;
        fs::remove_file(path).at("remove", path)
    }

    pub(crate) fn read_handoff(&self, path: &Path) -> Result<Handoff, StoreError> {
        if !self.is_elsewhere() {
            return read_handoff(path);
        }
        let bytes = self.read_up_to(path, MAX_HANDOFF_BYTES)?;
        let too_large =
            || StoreError::BadHandoff { path: path.to_owned(), source: HandoffError::TooLarge };
        parse_handoff(path, bytes.ok_or_else(too_large)?)
    }

    /// Reads a handoff from its file, or from offset and length in an archive.
    pub(crate) fn read_piece(
        &self,
        path: &Path,
        archived: Option<(u64, u64)>,
    ) -> Result<Handoff, StoreError> {
        let Some((offset, length)) = archived else {
            return self.read_handoff(path);
        };
        let bad = |source| StoreError::BadHandoff { path: path.to_owned(), source };
        if length > MAX_HANDOFF_BYTES {
            return Err(bad(HandoffError::TooLarge));
        }
        let mut file = self.open(path)?;
        file.seek(SeekFrom::Start(offset)).at("read", path)?;
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes).at("read", path)?;
        Handoff::parse_bytes(bytes).map_err(bad)
    }

    /// The bytes of an archive, or of layer 2.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<u8>, StoreError> {
        if !self.is_elsewhere() {
            return fs::read(path).at("read", path);
        }
        self.read_up_to(path, MAX_ARCHIVE_BYTES)?.ok_or_else(|| {
            let mib = MAX_ARCHIVE_BYTES / 1024 / 1024;
            let reason = format!("it is larger than {mib} MiB");
            StoreError::BadArchive { path: path.to_owned(), reason }
        })
    }

    /// A file below, opened as what it is.
    pub(crate) fn open(&self, path: &Path) -> Result<File, StoreError> {
        if !self.is_elsewhere() {
            return File::open(path).at("read", path);
        }
        self.check(path)?;
        let not_a_file = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
        // Opening a device can do something; that it still is a file is asked of what was opened.
        if !fs::symlink_metadata(path).at("read", path)?.is_file() {
            return Err(not_a_file()).at("read", path);
        }
        let file = platform::open_itself(path).at("read", path)?;
        if !file.metadata().at("read", path)?.is_file() {
            return Err(not_a_file()).at("read", path);
        }
        Ok(file)
    }

    /// `None` if it is larger.
    fn read_up_to(&self, path: &Path, most: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let file = self.open(path)?;
        let size = file.metadata().at("read", path)?.len();
        if size > most {
            return Ok(None);
        }
        let mut bytes = Vec::with_capacity(size as usize + 1);
        file.take(most + 1).read_to_end(&mut bytes).at("read", path)?;
        Ok((bytes.len() as u64 <= most).then_some(bytes))
    }
}

/// Refuses a root that is not where its path says. One that is not there yet counts by what is above.
fn check_root(root: &Path) -> Result<(), StoreError> {
    let there = root.ancestors().find(|path| fs::symlink_metadata(path).is_ok());
    let there = there.unwrap_or(root);
    match fs::canonicalize(there) {
        Ok(real) if real == there => Ok(()),
        // A link to nothing is a link too.
        Ok(_) => Err(StoreError::Link { path: there.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(StoreError::Link { path: there.to_owned() })
        }
        Err(error) => Err(error).at("read", there),
    }
}

/// Whether something is there; an error if it is a link.
fn refuse_link(path: &Path) -> Result<bool, StoreError> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => Err(StoreError::Link { path: path.to_owned() }),
        Ok(_) => Ok(true),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(false)
        }
        Err(error) => Err(error).at("read", path),
    }
}

/// What tells the place of layers from another that comes to lie there: the repository around it,
/// by its `.git`, else the directory itself.
pub(crate) fn identity_of(at: &Path) -> io::Result<String> {
    let git = at.ancestors().skip(1).map(|above| above.join(".git"));
    let git = git.into_iter().find(|git| fs::symlink_metadata(git).is_ok());
    platform::lasting_identity(git.as_deref().unwrap_or(at))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn ground() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        fs::create_dir_all(root.join("at/layer1/2026-11")).unwrap();
        fs::create_dir_all(root.join("out")).unwrap();
        (temp, root)
    }

    #[test]
    fn no_part_of_a_path_may_be_a_link() {
        let (_temp, root) = ground();
        let layers = Layers::Elsewhere(root.join("at"));
        layers.check(&root.join("at/layer1/2026-11/new.md")).unwrap();
        layers.check(&root.join("at/layer3/new.md")).unwrap();
        symlink(root.join("out"), root.join("at/layer3")).unwrap();
        symlink(root.join("out"), root.join("at/layer1/2026-12")).unwrap();
        symlink(root.join("nothing"), root.join("at/layer1/2026-11/a.md")).unwrap();
        for path in ["at/layer3/x.md", "at/layer1/2026-12/x.md", "at/layer1/2026-11/a.md", "out/x"]
        {
            let refused = layers.check(&root.join(path));
            assert!(matches!(refused, Err(StoreError::Link { .. })), "{path}: {refused:?}");
        }
        assert!(layers.create_dirs(&root.join("at/layer3")).is_err());
        assert!(layers.replace(&root.join("at/layer3/x.md"), b"x").is_err());
        assert_eq!(fs::read_dir(root.join("out")).unwrap().count(), 0);
        // In the store's own directories links are the user's.
        Layers::Own(root.join("at")).check(&root.join("at/layer3/x.md")).unwrap();
    }

    #[test]
    fn a_root_that_is_reached_by_a_link_is_refused() {
        let (_temp, root) = ground();
        symlink(root.join("at"), root.join("link")).unwrap();
        symlink(root.join("nothing"), root.join("dangling")).unwrap();
        for at in ["link", "link/deep", "dangling"] {
            let layers = Layers::Elsewhere(root.join(at));
            assert!(layers.check(&root.join(at).join("layer1")).is_err(), "{at}");
        }
        Layers::Elsewhere(root.join("new")).check(&root.join("new/layer1")).unwrap();
    }

    #[test]
    fn only_plain_files_are_opened() {
        let (_temp, root) = ground();
        let layers = Layers::Elsewhere(root.join("at"));
        let fifo = root.join("at/layer1/2026-11/pipe.md");
        let made = std::ffi::OsStr::new(&fifo);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            made,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        assert!(layers.read_handoff(&fifo).is_err());
        assert!(layers.read(&root.join("at/layer1")).is_err());
        let large = root.join("at/layer1/2026-11/large.md");
        File::create(&large).unwrap().set_len(MAX_ARCHIVE_BYTES + 1).unwrap();
        assert!(matches!(layers.read_handoff(&large), Err(StoreError::BadHandoff { .. })));
        assert!(matches!(layers.read(&large), Err(StoreError::BadArchive { .. })));
    }

    #[test]
    fn another_repository_at_the_same_place_is_another() {
        let (_temp, root) = ground();
        let at = root.join("at/.segue");
        fs::create_dir_all(&at).unwrap();
        let alone = identity_of(&at).unwrap();
        fs::create_dir(root.join("at/.git")).unwrap();
        let first = identity_of(&at).unwrap();
        assert_ne!(alone, first);
        fs::remove_dir_all(&at).unwrap();
        fs::create_dir(&at).unwrap();
        assert_eq!(identity_of(&at).unwrap(), first, "a checkout may make it anew");
        fs::rename(root.join("at/.git"), root.join("old")).unwrap();
        fs::create_dir(root.join("at/.git")).unwrap();
        assert_ne!(identity_of(&at).unwrap(), first);
    }
}
