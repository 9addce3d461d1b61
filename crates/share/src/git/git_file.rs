//! Reading the files of a repository that are not its content: whoever laid it out chose what they are.

use std::fs;
use std::io;
use std::path::Path;

use super::Repo;

/// The text of a regular file. Opening a pipe would wait for somebody to write into it, and opening a device can do
/// anything.
pub(super) fn read_git_file(path: impl AsRef<Path>) -> io::Result<String> {
    refuse_other_kinds(path.as_ref())?;
    fs::read_to_string(path)
}

/// The same for a file in any encoding.
pub(super) fn read_git_bytes(path: &Path) -> io::Result<Vec<u8>> {
    refuse_other_kinds(path)?;
    fs::read(path)
}

/// An error where something is there that is no regular file.
pub(super) fn refuse_other_kinds(path: &Path) -> io::Result<()> {
    match fs::metadata(path)?.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

/// Files that git opens whatever it is asked, in its directory of a worktree.
const OF_WORKTREE: &[&str] = &["HEAD", "commondir", "gitdir", "config.worktree", "index"];
/// And in its directory of the clone.
const OF_CLONE: &[&str] = &[
    "HEAD",
    "config",
    "packed-refs",
    "shallow",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "objects/info/alternates",
    "objects/info/commit-graph",
    "objects/info/commit-graphs/commit-graph-chain",
    "objects/pack/multi-pack-index",
    "reftable/tables.list",
];

impl Repo {
    /// Whether git would wait for ever at one of its own files, because that is a pipe, or would open a device.
    pub(super) fn would_stop_git(&self) -> bool {
        let of_worktree = OF_WORKTREE.iter().map(|name| self.git_dir.join(name));
        let of_clone = OF_CLONE.iter().map(|name| self.common_dir.join(name));
        of_worktree.chain(of_clone).any(|path| is_special(&path)) || self.has_special_branch()
    }

    /// Whether the branch that is checked out is no regular file.
    fn has_special_branch(&self) -> bool {
        let head = read_git_file(self.git_dir.join("HEAD")).unwrap_or_default();
        let name = head.trim_end().strip_prefix("ref: ");
        name.is_some_and(|name| is_special(&self.common_dir.join(name)))
    }
}

/// Whether something is there that is neither a file nor a directory.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}
