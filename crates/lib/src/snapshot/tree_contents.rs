//! The work tree as it is, so that two looks at it can be told apart: what is not committed, by content.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use segue_core::{HANDOFF, digest_of_bytes};
use segue_share::git::{Discovery, Repo, Status};

use super::see_git::Snapshots;
use crate::briefing::today::told;

/// A file up to this size is compared by its content, a larger one by its size and time.
const LARGEST_READ: u64 = 1024 * 1024;
/// What is read of all files together. From then on they are compared by size and time.
const MOST_READ: u64 = 16 * 1024 * 1024;
/// Files that are looked at. Of more only the names count.
const MOST_FILES: usize = 10_000;
/// What a directory holds.
const DIRECTORY: &str = "directory";

/// A work tree at one moment.
#[derive(Debug, Default)]
pub(super) struct TreeContents {
    pub(super) branch: Option<String>,
    pub(super) head: Option<String>,
    /// The paths of what is not committed.
    pub(super) changed: Vec<String>,
    /// All that counts, as one text.
    pub(super) text: String,
    /// When a file of these was changed last.
    pub(super) last_change: Option<SystemTime>,
    /// Why git says nothing.
    pub(super) problem: Option<String>,
}

impl Snapshots<'_> {
    /// The work tree without HANDOFF.md, whose words are compared by themselves: the block in it is Segue's own.
    pub(super) fn tree_contents(&self, dir: &Path, workspace: &Path) -> TreeContents {
        let repo = match self.here.discovery() {
            Discovery::Repo(repo) if self.here.is_known(repo) => repo,
            Discovery::Repo(_) => return TreeContents::named("another directory's repository"),
            Discovery::None => return TreeContents::named("no repository"),
            Discovery::Bare => return TreeContents::named("a bare repository"),
            Discovery::Broken(_) => return TreeContents::named("a broken repository"),
        };
        let answer = self.here.git_answers().status(dir, repo);
        match answer.as_ref() {
            Ok(status) => self.contents_of(status, repo, &workspace.join(HANDOFF)),
            Err(error) => TreeContents {
                problem: Some(told(error)),
                ..TreeContents::named("git gave no answer")
            },
        }
    }

    fn contents_of(&self, status: &Status, repo: &Repo, view: &Path) -> TreeContents {
        let mut tree = TreeContents {
            branch: status.branch.clone(),
            head: status.head.clone(),
            text: format!("{:?} {:?} {:?}\n", status.branch, status.head, repo.operation()),
            ..TreeContents::default()
        };
        let mut reader = ContentReader::default();
        let entries = status.entries.iter().filter(|entry| repo.top.join(&entry.path) != view);
        let mut dirs = Vec::new();
        for entry in entries {
            tree.changed.push(entry.path.clone());
            if entry.code == "??" && entry.path.ends_with('/') {
                dirs.push(entry.path.as_str());
                continue;
            }
            let is_rename = entry.code.contains(['R', 'C']);
            let now = entry.path.split_once(" -> ").filter(|_| is_rename);
            let path = now.map_or(entry.path.as_str(), |(_, now)| now);
            let content = self.content(&mut reader, &repo.top.join(path));
            tree.text.push_str(&format!("{} {} {content}\n", entry.code, entry.path));
        }
        for path in self.untracked_below(repo, &dirs) {
            let path_on_disk = repo.top.join(&path);
            if path_on_disk != view {
                let content = self.content(&mut reader, &path_on_disk);
                tree.text.push_str(&format!("?? {path} {content}\n"));
            }
        }
        tree.text.push_str(&format!("and {} more\n", status.more));
        tree.last_change = reader.last_change;
        tree
    }

    /// What a path holds; of a submodule or another repository in the tree, its commit.
    fn content(&self, reader: &mut ContentReader, path: &Path) -> String {
        let content = reader.content(path);
        if content != DIRECTORY {
            return content;
        }
        let real = fs::canonicalize(path).ok();
        let nested = real.and_then(|real| self.here.repo_at(&real).filter(|repo| repo.top == real));
        format!("{content} {:?}", nested.and_then(|repo| repo.head()))
    }

    /// The files in untracked directories. Where git does not say in time, the directories themselves.
    fn untracked_below(&self, repo: &Repo, dirs: &[&str]) -> Vec<String> {
        if dirs.is_empty() {
            return Vec::new();
        }
        let below = self.here.git().untracked_below(repo, dirs);
        below.unwrap_or_else(|_| dirs.iter().map(|dir| (*dir).to_owned()).collect())
    }
}

impl TreeContents {
    fn named(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }
}

/// Reads files as far as it pays.
#[derive(Default)]
struct ContentReader {
    files: usize,
    read: u64,
    last_change: Option<SystemTime>,
}

impl ContentReader {
    /// What a path holds, in one word.
    fn content(&mut self, path: &Path) -> String {
        self.files += 1;
        if self.files > MOST_FILES {
            return "not looked at".to_owned();
        }
        let Ok(meta) = fs::symlink_metadata(path) else { return "gone".to_owned() };
        let modified = meta.modified().ok();
        self.last_change = self.last_change.max(modified);
        if meta.is_symlink() {
            return format!("link {:?}", fs::read_link(path).unwrap_or_default());
        }
        if meta.is_dir() {
            return DIRECTORY.to_owned();
        }
        let is_small = meta.len() <= LARGEST_READ && self.read + meta.len() <= MOST_READ;
        if meta.is_file() && is_small {
            let mut bytes = Vec::new();
            let read = File::open(path)
                .and_then(|file| file.take(LARGEST_READ + 1).read_to_end(&mut bytes));
            if read.is_ok() {
                self.read += bytes.len() as u64;
                return digest_of_bytes(&bytes);
            }
        }
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        format!("{} bytes of {:?}", meta.len(), since)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::Duration;

    use super::*;

    fn put(path: &Path, text: &[u8]) {
        File::create(path).unwrap().write_all(text).unwrap();
    }

    fn content(path: &Path) -> String {
        ContentReader::default().content(path)
    }

    #[test]
    fn a_file_is_compared_by_content_and_a_large_one_by_size_and_time() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a");
        assert_eq!(content(&path), "gone");
        put(&path, b"one");
        let first = content(&path);
        put(&path, b"two");
        assert_ne!(content(&path), first);
        put(&path, b"one");
        assert_eq!(content(&path), first, "written again, and the same");
        let large = vec![b'x'; LARGEST_READ as usize + 1];
        put(&path, &large);
        let first = content(&path);
        assert_eq!(content(&path), first);
        let file = File::options().append(true).open(&path).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(7)).unwrap();
        assert_ne!(content(&path), first);
    }

    #[test]
    fn no_more_is_read_than_pays() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a");
        put(&path, b"one");
        let mut reader = ContentReader { read: MOST_READ, ..ContentReader::default() };
        assert!(reader.content(&path).starts_with("3 bytes of "));
        reader.files = MOST_FILES;
        assert_eq!(reader.content(&path), "not looked at");
    }
}
