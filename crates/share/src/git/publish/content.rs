//! Which files are committed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::super::Repo;
use super::session::Session;
use super::{Content, PublishError};

/// The directories of a memory that are published: neither locks nor what is only this machine's.
pub(super) const LAYERS: [&str; 3] = ["layer1", "layer2", "layer3"];

/// The files of a publication, by their paths in the tree.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) present: BTreeSet<Vec<u8>>,
    /// On the branch, not on disk.
    pub(super) missing: BTreeSet<Vec<u8>>,
    /// The places below which all of them lie.
    pub(super) roots: Vec<Vec<u8>>,
}

impl Session<'_> {
    /// Looks up the files. Our own index must hold the branch's tree.
    pub(super) fn files(&self) -> Result<Files, PublishError> {
        let mut files = Files::default();
        let paths = match self.with.content {
            Content::Outside { .. } => {
                for layer in LAYERS {
                    self.whole(layer.as_bytes().to_vec(), &mut files)?;
                }
                return Ok(files);
            }
            Content::InTree { paths } => paths,
        };
        for path in paths {
            let place = path_in_tree(self.with.repo, path)?;
            let before = files.present.len() + files.missing.len();
            let memory = self.memory.as_deref().map(str::as_bytes);
            match memory {
                Some(memory) if below(memory, &place) => {
                    if memory != place {
                        self.not_ignored(&place, memory, &mut files)?;
                    }
                    for layer in LAYERS {
                        self.whole(join(memory, layer.as_bytes()), &mut files)?;
                    }
                }
                Some(memory) if below(&place, memory) => self.whole(place, &mut files)?,
                _ if self.is_dir(&place) => self.not_ignored(&place, b"\0", &mut files)?,
                _ => self.whole(place, &mut files)?,
            }
            if files.present.len() + files.missing.len() == before && !path.exists() {
                self.note(format!("there is nothing at {}", path.display()));
            }
        }
        Ok(files)
    }

    pub(super) fn on_disk(&self, path: &[u8]) -> PathBuf {
        self.root.join(os_path(path))
    }

    fn is_dir(&self, path: &[u8]) -> bool {
        fs::symlink_metadata(self.on_disk(path)).is_ok_and(|meta| meta.is_dir())
    }

    /// A file, or all files of a directory, ignored or not.
    fn whole(&self, place: Vec<u8>, files: &mut Files) -> Result<(), PublishError> {
        self.walk(&place, &mut files.present)?;
        for known in self.listed(&["ls-files", "-z", "-c"], &place)? {
            if fs::symlink_metadata(self.on_disk(&known)).is_err() {
                files.missing.insert(known);
            }
        }
        files.roots.push(place);
        Ok(())
    }

    /// The files of a directory that git knows or would add, without those of the memory.
    fn not_ignored(
        &self,
        place: &[u8],
        memory: &[u8],
        files: &mut Files,
    ) -> Result<(), PublishError> {
        let args = ["ls-files", "-z", "-c", "-o", "--exclude-standard"];
        for path in self.listed(&args, place)? {
            match fs::symlink_metadata(self.on_disk(&path)) {
                _ if below(&path, memory) => {}
                // Another repository.
                Ok(meta) if meta.is_dir() => {}
                Ok(_) => drop(files.present.insert(path)),
                Err(_) => drop(files.missing.insert(path)),
            }
        }
        files.roots.push(place.to_vec());
        Ok(())
    }

    fn listed(&self, args: &[&str], place: &[u8]) -> Result<Vec<Vec<u8>>, PublishError> {
        let place = match place {
            b"" => ".".to_owned(),
            place => String::from_utf8(place.to_vec())
                .map_err(|_| PublishError::config("a path to publish is not UTF-8"))?,
        };
        let args: Vec<&str> = args.iter().copied().chain(["--", place.as_str()]).collect();
        Ok(names(&self.run_apart(&args, None)?.stdout))
    }

    /// Adds all files below a place, hidden ones excepted: those are temporary or locks.
    fn walk(&self, place: &[u8], found: &mut BTreeSet<Vec<u8>>) -> Result<(), PublishError> {
        let path = self.on_disk(place);
        let failed =
            |source| PublishError::Io { what: "read", path: path.display().to_string(), source };
        let kind = match fs::symlink_metadata(&path) {
            Ok(meta) => meta.file_type(),
            Err(_) => return Ok(()),
        };
        if kind.is_file() || kind.is_symlink() {
            found.insert(place.to_vec());
        }
        if kind.is_dir() {
            for entry in fs::read_dir(&path).map_err(failed)? {
                let name = entry.map_err(failed)?.file_name();
                let name = name.as_encoded_bytes();
                if !name.starts_with(b".") {
                    self.walk(&join(place, name), found)?;
                }
            }
        }
        Ok(())
    }

    /// Says how many files the repository's ignore rules would have left out. Our own index must
    /// not hold them yet.
    pub(super) fn tell_ignored(&self, files: &Files) -> Result<(), PublishError> {
        if files.present.is_empty() {
            return Ok(());
        }
        let roots = files.places();
        let mut args = vec!["ls-files", "-z", "-o", "-i", "--exclude-standard", "--"];
        args.extend(roots.iter().map(String::as_str));
        let ignored = names(&self.run_apart(&args, None)?.stdout);
        let count = ignored.iter().filter(|path| files.present.contains(*path)).count();
        if count > 0 {
            self.note(format!(
                "published although ignored here (.gitignore): {count} of the files"
            ));
        }
        Ok(())
    }
}

impl Files {
    /// The roots as arguments for git.
    pub(super) fn places(&self) -> Vec<String> {
        let shown = |root: &Vec<u8>| match root.as_slice() {
            b"" => ".".to_owned(),
            root => String::from_utf8_lossy(root).into_owned(),
        };
        self.roots.iter().map(shown).collect()
    }
}

/// A path in the work tree as git names it: from the top, with `/`.
pub(super) fn path_in_tree(repo: &Repo, path: &Path) -> Result<Vec<u8>, PublishError> {
    let outside = || {
        PublishError::config(format!(
            "{} is not inside the work tree {}",
            path.display(),
            repo.top.display()
        ))
    };
    if !path.is_absolute() || path.components().any(|part| part == Component::ParentDir) {
        return Err(outside());
    }
    let top = fs::canonicalize(&repo.top).map_err(|_| outside())?;
    // What is there, resolved; what is not, as it is written.
    let (found, rest) = path
        .ancestors()
        .find_map(|found| Some((fs::canonicalize(found).ok()?, path.strip_prefix(found).ok()?)))
        .ok_or_else(outside)?;
    let whole = if rest.as_os_str().is_empty() { found.clone() } else { found.join(rest) };
    let inside = whole.strip_prefix(&top).map_err(|_| outside())?;
    let parts: Vec<&OsStr> = inside.iter().collect();
    if parts.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
        return Err(PublishError::config(format!("{} lies in git's directory", path.display())));
    }
    let mut dir = top;
    for part in &parts {
        dir.push(part);
        if dir.join(".git").exists() {
            return Err(PublishError::config(format!(
                "{} lies in another repository, {}",
                path.display(),
                dir.display()
            )));
        }
    }
    let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_encoded_bytes()).collect();
    Ok(parts.join(&b'/'))
}

/// Whether a path is this place or below it.
pub(super) fn below(path: &[u8], place: &[u8]) -> bool {
    place.is_empty()
        || path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

pub(super) fn join(place: &[u8], name: &[u8]) -> Vec<u8> {
    if place.is_empty() { name.to_vec() } else { [place, b"/", name].concat() }
}

/// The records of a `-z` output.
pub(super) fn names(output: &[u8]) -> Vec<Vec<u8>> {
    let records = output.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    records.map(<[u8]>::to_vec).collect()
}

/// Paths as a `-z` input.
pub(super) fn records<'a>(paths: impl IntoIterator<Item = &'a Vec<u8>>) -> Vec<u8> {
    let mut out = Vec::new();
    for path in paths {
        out.extend_from_slice(path);
        out.push(0);
    }
    out
}

fn os_path(path: &[u8]) -> PathBuf {
    #[cfg(unix)]
    return PathBuf::from(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(path));
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(path).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_holds_what_is_below_it() {
        assert!(below(b"memory/layer1", b"memory") && below(b"memory", b"memory"));
        assert!(!below(b"memory2/x", b"memory") && below(b"x", b""));
        assert_eq!(join(b"", b"a"), b"a");
        assert_eq!(names(b"a b\0c\0"), [b"a b".to_vec(), b"c".to_vec()]);
    }
}
