//! Finds the repository of a directory by looking at files, without a process.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::git_file::read_git_file;

/// How many names of branches may name another one.
const MOST_REFS: usize = 5;

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
        let dot_git = top.join(".git");
        match at(top) {
            // Git would take it for the repository, too, and wait.
            Some(repo) if repo.would_stop_git() => return Discovery::Broken(dot_git),
            Some(repo) => return Discovery::Repo(repo),
            None => {}
        }
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

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink())
}

/// `core.worktree` as the configuration in this directory has it.
fn configured_work_tree(git_dir: &Path) -> Option<String> {
    ["config.worktree", "config"].iter().find_map(|name| {
        let text = read_git_file(git_dir.join(name)).ok()?;
        let mut in_core = false;
        let mut found = None;
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                in_core = line.eq_ignore_ascii_case("[core]");
            } else if let Some((key, value)) = line.split_once('=')
                && in_core
                && key.trim().eq_ignore_ascii_case("worktree")
            {
                let value = value.trim();
                let quoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                let value = quoted.unwrap_or(value);
                found = Some(value.replace("\\\"", "\"").replace("\\\\", "\\"));
            }
        }
        found
    })
}

fn is_bare(dir: &Path) -> bool {
    dir.join("HEAD").is_file() && dir.join("objects").is_dir() && dir.join("refs").is_dir()
}

impl Repo {
    /// The branch by its file, without a process; `None` if HEAD is detached or kept elsewhere.
    pub fn branch(&self) -> Option<String> {
        let head = read_git_file(self.git_dir.join("HEAD")).ok()?;
        let branch = head.trim_end().strip_prefix("ref: refs/heads/")?;
        // So begins the placeholder of a repository that keeps its refs in another format.
        (!branch.starts_with('.')).then(|| branch.to_owned())
    }

    /// The commit that is checked out by its files, without a process; `None` if they do not say.
    pub fn head(&self) -> Option<String> {
        let read = |path: PathBuf| read_git_file(path).ok();
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
        let packed = match read_git_file(self.common_dir.join("packed-refs")) {
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
        self.knows_work_tree() && self.has_own_branch()
    }

    /// Whether a commit is noted as one whose parents this clone does not have.
    pub(super) fn is_cut_off_at(&self, commit: &str) -> bool {
        let noted = read_git_file(self.common_dir.join("shallow")).unwrap_or_default();
        noted.lines().any(|line| line.trim() == commit)
    }

    fn knows_work_tree(&self) -> bool {
        let dot_git = self.top.join(".git");
        if dot_git == self.common_dir {
            return true;
        }
        if self.git_dir == self.common_dir {
            // A submodule's directory is configured with its work tree.
            let dir = configured_work_tree(&self.git_dir).map(|dir| self.git_dir.join(dir));
            return dir.and_then(|dir| fs::canonicalize(dir).ok()).as_ref() == Some(&self.top);
        }
        // A linked worktree is noted in the repository.
        let noted = read_git_file(self.git_dir.join("gitdir"));
        let noted = noted.ok().map(|text| self.git_dir.join(text.trim_end_matches(['\r', '\n'])));
        let real = noted.and_then(|path| fs::canonicalize(path).ok());
        self.git_dir.parent() == Some(&self.common_dir.join("worktrees"))
            && real.as_ref() == Some(&dot_git)
    }

    /// Whether the commit that is checked out stands in files of its own. A link could lead to the branch of
    /// any repository, and git would take its commits for those of this one.
    fn has_own_branch(&self) -> bool {
        let names = ["refs", "packed-refs", "reftable"];
        if names.iter().any(|name| is_link(&self.common_dir.join(name))) {
            return false;
        }
        let tables = fs::read_dir(self.common_dir.join("reftable")).into_iter().flatten().flatten();
        if tables.into_iter().any(|table| is_link(&table.path())) {
            return false;
        }
        let head = self.git_dir.join("HEAD");
        let mut text = match fs::read_link(&head) {
            // So old versions of git said what is checked out.
            Ok(name) => format!("ref: {}", name.to_string_lossy()),
            Err(_) => read_git_file(head).unwrap_or_default(),
        };
        for _ in 0..MOST_REFS {
            let Some(name) = text.trim_end().strip_prefix("ref: ") else { return true };
            let name = Path::new(name);
            let plain = name.components().all(|part| matches!(part, Component::Normal(_)));
            let mut above = name.ancestors().filter(|part| !part.as_os_str().is_empty());
            if !plain
                || !name.starts_with("refs")
                || above.any(|part| is_link(&self.common_dir.join(part)))
            {
                return false;
            }
            text = read_git_file(self.common_dir.join(name)).unwrap_or_default();
        }
        false
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
        let text = read_git_file(&dot_git).ok()?;
        top.join(text.strip_prefix("gitdir:")?.trim())
    };
    let git_dir = fs::canonicalize(git_dir).ok()?;
    if !git_dir.join("HEAD").exists() {
        return None;
    }
    let common_dir = match read_git_file(git_dir.join("commondir")) {
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
    Some(Repo { top: top.to_owned(), git_dir, common_dir, worktree })
}
