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

/// What a directory is to git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discovery {
    /// Inside a work tree.
    Repo(Repo),
    /// A repository without a work tree.
    Bare,
    /// There is a `.git` that is none.
    Broken(PathBuf),
    /// Nothing of git's.
    None,
}

impl Discovery {
    /// The repository, if there is a work tree.
    pub fn repo(&self) -> Option<&Repo> {
        match self {
            Self::Repo(repo) => Some(repo),
            _ => None,
        }
    }
}

/// The repository whose work tree holds this directory. Bare repositories have none.
pub fn discover(dir: &Path) -> Option<Repo> {
    look(dir).repo().cloned()
}

/// What this directory is to git.
pub fn look(dir: &Path) -> Discovery {
    let Ok(dir) = fs::canonicalize(dir) else { return Discovery::None };
    let mut broken = None;
    for top in dir.ancestors() {
        if let Some(repo) = at(top) {
            return Discovery::Repo(repo);
        }
        let dot_git = top.join(".git");
        if broken.is_none() && fs::symlink_metadata(&dot_git).is_ok() {
            broken = Some(dot_git);
        }
    }
    match broken {
        Some(path) => Discovery::Broken(path),
        None if dir.ancestors().any(is_bare) => Discovery::Bare,
        None => Discovery::None,
    }
}

fn is_commit(text: &str) -> Option<String> {
    let is = [40, 64].contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is.then(|| text.to_owned())
}

fn is_bare(dir: &Path) -> bool {
    dir.join("HEAD").is_file() && dir.join("objects").is_dir() && dir.join("refs").is_dir()
}

impl Repo {
    /// The branch by its file, without a process; `None` if HEAD is detached or kept elsewhere.
    pub fn branch(&self) -> Option<String> {
        let head = fs::read_to_string(self.git_dir.join("HEAD")).ok()?;
        let branch = head.trim_end().strip_prefix("ref: refs/heads/")?;
        // So begins the placeholder of a repository that keeps its refs in another format.
        (!branch.starts_with('.')).then(|| branch.to_owned())
    }

    /// The commit that is checked out by its files, without a process; `None` if they do not say.
    pub fn head(&self) -> Option<String> {
        let read = |path: PathBuf| fs::read_to_string(path).ok();
        let head = read(self.git_dir.join("HEAD"))?;
        let head = head.trim_end();
        let Some(name) = head.strip_prefix("ref: ") else { return is_commit(head) };
        let plain = name.starts_with("refs/heads/") && !name.contains("..");
        if !plain {
            return None;
        }
        if let Some(text) = read(self.common_dir.join(name)) {
            return is_commit(text.trim_end());
        }
        let packed = read(self.common_dir.join("packed-refs"))?;
        let line =
            packed.lines().find(|line| line.split_once(' ').is_some_and(|(_, of)| of == name));
        is_commit(line?.split_once(' ')?.0)
    }

    /// Whether the files say that nothing was committed yet on the branch that is checked out.
    pub fn is_unborn(&self) -> bool {
        let Some(branch) = self.branch() else { return false };
        let name = format!("refs/heads/{branch}");
        let packed = match fs::read_to_string(self.common_dir.join("packed-refs")) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(_) => return false,
        };
        let is_packed =
            packed.lines().any(|line| line.split_once(' ').is_some_and(|(_, of)| of == name));
        !is_packed && fs::symlink_metadata(self.common_dir.join(name)).is_err()
    }

    /// Whether git's directory says by itself that this work tree is its own. A `.git` that was put
    /// there by somebody can name any repository; what lies in that repository cannot be put there.
    pub fn is_own(&self) -> bool {
        let dot_git = self.top.join(".git");
        if dot_git == self.common_dir {
            return true;
        }
        // A linked worktree is noted in the repository.
        let noted = fs::read_to_string(self.git_dir.join("gitdir"));
        let noted = noted.ok().map(|text| self.git_dir.join(text.trim_end_matches(['\r', '\n'])));
        let real = noted.and_then(|path| fs::canonicalize(path).ok());
        self.git_dir != self.common_dir && real.as_ref() == Some(&dot_git)
    }

    /// What was begun here and is not finished, such as a rebase.
    pub fn operation(&self) -> Option<&'static str> {
        const MARKS: [(&str, &str); 6] = [
            ("rebase-merge", "rebase"),
            ("rebase-apply", "rebase"),
            ("MERGE_HEAD", "merge"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
            ("BISECT_LOG", "bisect"),
        ];
        let found = MARKS.iter().find(|(mark, _)| self.git_dir.join(mark).exists());
        found.map(|(_, name)| *name)
    }
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
