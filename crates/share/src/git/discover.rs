//! Finds the repository of a directory by looking at files, without a process.

use std::fs;
use std::path::{Path, PathBuf};

/// A work tree and where git keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    /// The top of the work tree.
    pub top: PathBuf,
    /// Git's directory of this worktree.
    pub git_dir: PathBuf,
    /// Git's directory of the whole clone; the same in all its worktrees.
    pub common_dir: PathBuf,
    /// `main`, or the name of a linked worktree.
    pub worktree: String,
    pub shallow: bool,
}

/// The repository whose work tree holds this directory. Bare repositories have none.
pub fn discover(dir: &Path) -> Option<Repo> {
    let dir = fs::canonicalize(dir).ok()?;
    dir.ancestors().find_map(at)
}

fn at(top: &Path) -> Option<Repo> {
    let dot_git = top.join(".git");
    let kind = fs::metadata(&dot_git).ok()?;
    let git_dir = if kind.is_dir() {
        dot_git
    } else {
        let text = fs::read_to_string(&dot_git).ok()?;
        top.join(text.strip_prefix("gitdir:")?.trim())
    };
    let git_dir = fs::canonicalize(git_dir).ok()?;
    if !git_dir.join("HEAD").exists() {
        return None;
    }
    let common_dir = match fs::read_to_string(git_dir.join("commondir")) {
        Ok(text) => fs::canonicalize(git_dir.join(text.trim())).ok()?,
        Err(_) => git_dir.clone(),
    };
    let worktree = if common_dir == git_dir {
        "main".to_owned()
    } else {
        git_dir
            .file_name()
            .map_or_else(|| "main".to_owned(), |name| name.to_string_lossy().into_owned())
    };
    let shallow = common_dir.join("shallow").exists();
    Some(Repo { top: top.to_owned(), git_dir, common_dir, worktree, shallow })
}
