//! The files of a tree, and the objects behind them.

use std::collections::BTreeMap;

use super::super::{Git, GitError, Repo};

/// One file of a tree or an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) mode: String,
    pub(super) id: String,
}

impl Entry {
    /// A plain file: no link, no other repository.
    pub(super) fn is_file(&self) -> bool {
        self.mode.starts_with("100")
    }
}

/// Entries by path. Paths are bytes: a repository can hold names that are no text.
pub(super) type Entries = BTreeMap<Vec<u8>, Entry>;

impl Git {
    /// The files below a directory of a tree, by their paths in there; none if it is not there.
    pub(super) fn entries(
        &self,
        repo: &Repo,
        tree: &str,
        prefix: &str,
    ) -> Result<Entries, GitError> {
        let place = format!("{tree}:{prefix}");
        if tree.starts_with('-') {
            return Err(GitError::Unexpected(format!("'{tree}' is no commit")));
        }
        let found = match self.read(&repo.top, &["rev-parse", "--verify", "--quiet", &place]) {
            Ok(found) => String::from_utf8_lossy(&found).trim().to_owned(),
            Err(GitError::Failed { .. }) => return Ok(Entries::new()),
            Err(error) => return Err(error),
        };
        parse_entries(&self.read(&repo.top, &["ls-tree", "-r", "-z", "--full-tree", &found])?)
    }
}

/// Reads `<mode> <type> <id>\t<path>` records.
fn parse_entries(output: &[u8]) -> Result<Entries, GitError> {
    let records = output.split(|byte| *byte == 0).filter(|record| !record.is_empty());
    records
        .map(|record| {
            let unexpected =
                || GitError::Unexpected(String::from_utf8_lossy(record).chars().take(60).collect());
            let tab = record.iter().position(|byte| *byte == b'\t').ok_or_else(unexpected)?;
            let facts = std::str::from_utf8(&record[..tab]).map_err(|_| unexpected())?;
            let mut facts = facts.split(' ');
            let (Some(mode), Some(_), Some(id)) = (facts.next(), facts.next(), facts.next()) else {
                return Err(unexpected());
            };
            let entry = Entry { mode: mode.to_owned(), id: id.to_owned() };
            Ok((record[tab + 1..].to_vec(), entry))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_path() {
        let entries = parse_entries(b"100644 blob aa\ta b\x00120000 blob bb\tc\nd\xff\0").unwrap();
        assert_eq!(entries[&b"a b"[..]].id, "aa");
        assert!(!entries[&b"c\nd\xff"[..]].is_file());
        assert!(parse_entries(b"garbage\0").is_err());
    }
}
