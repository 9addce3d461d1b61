//! A file that the user asked for: whole or not at all, for the user alone, over nothing unless that
//! was said.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::atomic::{self, TEMP_PREFIX};
use crate::error::{IoContext, StoreError};
use crate::platform;

/// A file being written. Dropped before `commit`, nothing of it is there.
pub struct OutputFile {
    file: Option<BufWriter<File>>,
    path: PathBuf,
    /// The name that it has so far, if it has one.
    temp: Option<PathBuf>,
    force: bool,
    /// Whether it is a pipe or a device, which is written as it is.
    direct: bool,
}

impl OutputFile {
    /// Begins a file. One that is there is refused, unless `force` is set.
    pub fn create(path: &Path, force: bool) -> Result<Self, StoreError> {
        let path = path.to_owned();
        let there = fs::metadata(&path);
        if there.as_ref().is_ok_and(fs::Metadata::is_dir) {
            return Err(io::Error::from(io::ErrorKind::IsADirectory)).at("write", &path);
        }
        if there.as_ref().is_ok_and(|meta| !meta.is_file()) {
            let file = OpenOptions::new().write(true).open(&path).at("write", &path)?;
            let file = Some(BufWriter::new(file));
            return Ok(Self { file, path, temp: None, force, direct: true });
        }
        if !force && path.symlink_metadata().is_ok() {
            return Err(StoreError::Exists { path });
        }
        let dir = parent(&path);
        let unnamed = platform::create_unnamed(dir).at("create a file in", dir)?;
        let (file, temp) = match unnamed {
            Some(file) => (file, None),
            None => {
                let temp = temp_name(&path);
                (platform::create_new(&temp).at("create", &temp)?, Some(temp))
            }
        };
        let file = Some(BufWriter::with_capacity(64 * 1024, file));
        Ok(Self { file, path, temp, force, direct: false })
    }

    /// Makes the file durable and gives it its name.
    pub fn commit(mut self) -> Result<(), StoreError> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let file = file.into_inner().map_err(io::IntoInnerError::into_error);
        let file = file.at("write", &self.path)?;
        if self.direct {
            return Ok(());
        }
        file.sync_all().at("sync", &self.path)?;
        self.name(&file)?;
        let dir = parent(&self.path);
        platform::sync_dir(dir).at("sync", dir)
    }

    fn name(&mut self, file: &File) -> Result<(), StoreError> {
        let taken = |error: io::Error, path: &Path| match error.kind() {
            io::ErrorKind::AlreadyExists => StoreError::Exists { path: path.to_owned() },
            _ => StoreError::Io { what: "write", path: path.to_owned(), source: error },
        };
        if self.force {
            let temp = match self.temp.take() {
                Some(temp) => temp,
                None => {
                    let temp = temp_name(&self.path);
                    let _ = fs::remove_file(&temp);
                    platform::name_unnamed(file, &temp).at("write", &temp)?;
                    temp
                }
            };
            // A link that stands there is followed, as any program of the user's would.
            let target = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
            let renamed = fs::rename(&temp, target);
            if renamed.is_err() {
                let _ = fs::remove_file(&temp);
            }
            return renamed.at("write", &self.path);
        }
        match &self.temp {
            Some(temp) => {
                atomic::name_temp(temp, &self.path).map_err(|error| taken(error, &self.path))
            }
            None => {
                platform::name_unnamed(file, &self.path).map_err(|error| taken(error, &self.path))
            }
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some(temp) = &self.temp {
            let _ = fs::remove_file(temp);
        }
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn temp_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    parent(path).join(format!("{TEMP_PREFIX}{}-{name}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.segue");
        let mut file = OutputFile::create(&path, false).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut file = OutputFile::create(&path, false).unwrap();
        file.write_all(b"whole").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
    }

    #[test]
    fn nothing_is_overwritten_unless_that_was_said_s12() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.segue");
        atomic::replace(&path, b"mine").unwrap();
        assert!(matches!(OutputFile::create(&path, false), Err(StoreError::Exists { .. })));
        let mut file = OutputFile::create(&path, true).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"mine");
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn whoever_was_faster_keeps_the_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.segue");
        let file = OutputFile::create(&path, false).unwrap();
        atomic::replace(&path, b"faster").unwrap();
        assert!(matches!(file.commit(), Err(StoreError::Exists { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"faster");
    }

    #[cfg(unix)]
    #[test]
    fn it_is_for_the_user_alone_s12() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.segue");
        atomic::replace(&path, b"").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        OutputFile::create(&path, true).unwrap().commit().unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
