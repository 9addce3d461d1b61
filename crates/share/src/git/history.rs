//! Single questions about a history: its newest commits, the difference of two trees, what is not committed.

use std::path::Path;

use super::status::is_ours;
use super::{Git, GitError, Repo};

/// A commit as a list names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its abbreviated id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

/// A file that differs between two commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Its path in the earlier commit; in the later one if it is new.
    pub path: String,
    /// How: `A`dded, `D`eleted, `M`odified, `R`enamed, `C`opied, `T`ype changed.
    pub kind: char,
    /// Where it is now, if it was renamed or copied.
    pub to: Option<String>,
}

/// Lines added to and removed from a file that is not committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStat {
    pub path: String,
    /// `None` for a binary file.
    pub lines: Option<(u64, u64)>,
}

/// Whether a text out of a file can be an object's name: nothing else may reach git's command line.
pub(super) fn is_object_name(text: &str) -> bool {
    text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Git {
    /// The newest commits of HEAD. None before the first one.
    pub fn recent_commits(&self, dir: &Path, count: usize) -> Result<Vec<Commit>, GitError> {
        match self.commits(dir, "HEAD", count) {
            Err(GitError::Failed { .. }) => {
                // Before the first commit there is no HEAD; anything else is a failure.
                match self.read(dir, &["rev-parse", "--verify", "--quiet", "HEAD"]) {
                    Err(GitError::Failed { .. }) => Ok(Vec::new()),
                    _ => self.commits(dir, "HEAD", count),
                }
            }
            other => other,
        }
    }

    /// The whole name of a commit. `None` if it is not in this clone.
    pub fn full_commit(&self, dir: &Path, commit: &str) -> Result<Option<String>, GitError> {
        if !is_object_name(commit) {
            return Ok(None);
        }
        let name = format!("{commit}^{{commit}}");
        match self.read(dir, &["rev-parse", "--verify", "--quiet", &name]) {
            Ok(output) => Ok(Some(String::from_utf8_lossy(&output).trim().to_owned())),
            Err(GitError::Failed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn commits(
        &self,
        dir: &Path,
        range: &str,
        count: usize,
    ) -> Result<Vec<Commit>, GitError> {
        let count = format!("--max-count={count}");
        let args = [
            "log",
            "-z",
            "--no-show-signature",
            "--no-color",
            "--no-decorate",
            "--no-patch",
            "--encoding=UTF-8",
            "--format=%h%x09%s",
            &count,
            range,
            "--",
        ];
        let output = self.read(dir, &args)?;
        let lines = output.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        lines
            .map(|line| {
                let line = String::from_utf8_lossy(line);
                let (id, subject) = line
                    .split_once('\t')
                    .ok_or_else(|| GitError::Unexpected(line.chars().take(60).collect()))?;
                Ok(Commit { id: id.to_owned(), subject: subject.trim().to_owned() })
            })
            .collect()
    }

    pub(super) fn changes(&self, dir: &Path, commit: &str) -> Result<Vec<FileChange>, GitError> {
        let args = [
            "diff-tree",
            "-r",
            "-z",
            "--name-status",
            "--find-renames",
            "--no-ext-diff",
            "--no-textconv",
            commit,
            "HEAD",
        ];
        parse_changes(&self.read(dir, &args)?)
    }

    /// Lines added and removed by what is not committed, below a directory. None before the first
    /// commit.
    pub fn uncommitted_stat(&self, dir: &Path, repo: &Repo) -> Result<Vec<FileStat>, GitError> {
        let args = [
            "diff",
            "--numstat",
            "-z",
            "--find-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=dirty",
            "HEAD",
            "--",
            ".",
        ];
        parse_stat(&self.read_without_filters(dir, repo, &args)?)
    }
}

fn parse_changes(output: &[u8]) -> Result<Vec<FileChange>, GitError> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut fields = output.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut changes = Vec::new();
    while let Some(status) = fields.next() {
        let unexpected = || GitError::Unexpected(text(status).chars().take(60).collect());
        let kind = text(status).chars().next().ok_or_else(unexpected)?;
        let path = fields.next().map(text).ok_or_else(unexpected)?;
        let to = match kind {
            'R' | 'C' => Some(fields.next().map(text).ok_or_else(unexpected)?),
            _ => None,
        };
        changes.push(FileChange { path, kind, to });
    }
    Ok(changes.into_iter().filter_map(without_ours).collect())
}

/// What a change is to somebody who does not see our memory in the repository.
pub(super) fn without_ours(change: FileChange) -> Option<FileChange> {
    let to_ours = change.to.as_deref().map(is_ours);
    match (is_ours(&change.path), change.kind, to_ours) {
        (true, _, None | Some(true)) | (false, 'C', Some(true)) => None,
        (true, _, Some(false)) => Some(FileChange { path: change.to?, kind: 'A', to: None }),
        (false, _, Some(true)) => Some(FileChange { kind: 'D', to: None, ..change }),
        (false, _, _) => Some(change),
    }
}

fn parse_stat(output: &[u8]) -> Result<Vec<FileStat>, GitError> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut fields = output.split(|byte| *byte == 0);
    let mut stats = Vec::new();
    while let Some(field) = fields.next() {
        if field.is_empty() {
            continue;
        }
        let line = text(field);
        let unexpected = || GitError::Unexpected(line.chars().take(60).collect());
        let mut parts = line.splitn(3, '\t');
        let (Some(added), Some(removed), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(unexpected());
        };
        // A rename has an empty path here and its two paths behind it.
        let path = match path {
            "" => {
                let old = fields.next().map(text).ok_or_else(unexpected)?;
                let new = fields.next().map(text).ok_or_else(unexpected)?;
                format!("{old} -> {new}")
            }
            path => path.to_owned(),
        };
        let lines = added.parse().ok().zip(removed.parse().ok());
        stats.push(FileStat { path, lines });
    }
    Ok(stats)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_every_kind() {
        let changes = parse_changes(b"M\0a b.rs\0R100\0old.rs\0new.rs\0D\0gone.rs\0").unwrap();
        let shown: Vec<_> =
            changes.iter().map(|c| (c.kind, c.path.as_str(), c.to.as_deref())).collect();
        assert_eq!(
            shown,
            [('M', "a b.rs", None), ('R', "old.rs", Some("new.rs")), ('D', "gone.rs", None)]
        );
        assert!(parse_changes(b"M\0").is_err());
    }

    #[test]
    fn the_memory_in_a_repository_is_no_change() {
        let output = b"A\0.segue/layer1/a.md\0R100\0.segue/a\0.segue/b\0R100\0old.md\0.segue/c\0\
            R100\0.segue/d\0new.md\0C100\0e.md\0.segue/e\0M\0.seguex\0";
        let changes = parse_changes(output).unwrap();
        let shown: Vec<_> =
            changes.iter().map(|c| (c.kind, c.path.as_str(), c.to.as_deref())).collect();
        assert_eq!(shown, [('D', "old.md", None), ('A', "new.md", None), ('M', ".seguex", None)]);
    }

    #[test]
    fn lines_of_every_kind() {
        let stats = parse_stat(b"1\t2\ta.rs\0-\t-\tpic.png\x003\t0\t\0old.rs\0new.rs\0").unwrap();
        let shown: Vec<_> = stats.iter().map(|s| (s.path.as_str(), s.lines)).collect();
        assert_eq!(
            shown,
            [("a.rs", Some((1, 2))), ("pic.png", None), ("old.rs -> new.rs", Some((3, 0)))]
        );
        assert!(parse_stat(b"nonsense\0").is_err());
    }
}
