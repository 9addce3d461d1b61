//! Reads `git status --porcelain=v2 --branch -z`.

/// Entries past this many are counted, not kept.
pub const MAX_CHANGED: usize = 1000;

/// What git says of a work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// `None` when HEAD is detached.
    pub branch: Option<String>,
    /// `None` before the first commit.
    pub head: Option<String>,
    /// What changed, sorted by path.
    pub entries: Vec<StatusEntry>,
    /// How many more there were.
    pub more: usize,
}

/// One changed file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatusEntry {
    /// Path from the repository's top; a rename as `old -> new`.
    pub path: String,
    /// The two letters of `git status --short`: staged, then not staged.
    pub code: String,
}

impl Status {
    /// The paths of what changed.
    pub fn changed(&self) -> Vec<String> {
        self.entries.iter().map(|entry| entry.path.clone()).collect()
    }
}

/// A record that is not of the documented form.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown record '{0}'")]
pub struct StatusError(String);

/// Reads the output of one call.
pub fn parse_status(output: &[u8]) -> Result<Status, StatusError> {
    let mut status = Status::default();
    let mut entries = Vec::new();
    let mut records = output.split(|byte| *byte == 0).filter(|record| !record.is_empty());
    while let Some(record) = records.next() {
        let record = String::from_utf8_lossy(record);
        let unknown = || StatusError(record.chars().take(60).collect());
        let (kind, rest) = record.split_once(' ').ok_or_else(unknown)?;
        let path_after = |fields: usize| {
            rest.splitn(fields + 1, ' ').nth(fields).map(str::to_owned).ok_or_else(unknown)
        };
        let mut add = |path: String| {
            let code = rest.split(' ').next().unwrap_or_default().replace('.', " ");
            entries.push(StatusEntry { path, code });
        };
        match kind {
            "#" => {
                let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
                let value = Some(value.to_owned()).filter(|value| !value.starts_with('('));
                match name {
                    "branch.oid" => status.head = value,
                    "branch.head" => status.branch = value,
                    _ => {}
                }
            }
            "1" => add(path_after(7)?),
            "2" => {
                let new = path_after(8)?;
                let old = records.next().map(String::from_utf8_lossy).ok_or_else(unknown)?;
                add(format!("{old} -> {new}"));
            }
            "u" => add(path_after(9)?),
            "?" => entries.push(StatusEntry { path: rest.to_owned(), code: "??".to_owned() }),
            "!" => {}
            _ => return Err(unknown()),
        }
    }
    entries.retain(|entry| match entry.path.split_once(" -> ") {
        Some((old, new)) => !is_ours(old) || !is_ours(new),
        None => !is_ours(&entry.path),
    });
    entries.sort_unstable();
    status.more = entries.len().saturating_sub(MAX_CHANGED);
    entries.truncate(MAX_CHANGED);
    status.entries = entries;
    Ok(status)
}

/// Whether a path is of our own memory in a repository, which never counts as a change; or what a
/// killed process of ours left beside a file of a workspace.
pub(super) fn is_ours(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with(".segue/") || (name.starts_with('.') && name.contains(".md.segue-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_record_a3() {
        let output = b"# branch.oid 3f2a9c1\0# branch.head main\0# branch.ab +1 -0\0\
            1 .M N... 100644 100644 100644 aaa bbb src/a b.rs\0\
            2 R. N... 100644 100644 100644 aaa bbb R100 new.rs\0old.rs\0\
            u UU N... 100644 100644 100644 100644 aaa bbb ccc both.rs\0\
            ? notes/\0? .segue/\0! ignored\0";
        let status = parse_status(output).unwrap();
        assert_eq!(status.branch.as_deref(), Some("main"));
        assert_eq!(status.head.as_deref(), Some("3f2a9c1"));
        assert_eq!(status.changed(), ["both.rs", "notes/", "old.rs -> new.rs", "src/a b.rs"]);
        let codes: Vec<&str> = status.entries.iter().map(|entry| entry.code.as_str()).collect();
        assert_eq!(codes, ["UU", "??", "R ", " M"], "what is not staged does not look staged");
    }

    #[test]
    fn detached_and_unborn() {
        let status = parse_status(b"# branch.oid (initial)\0# branch.head (detached)\0").unwrap();
        assert_eq!(status, Status::default());
    }

    #[test]
    fn other_output_is_refused() {
        assert!(parse_status(b"fatal: nothing\0").is_err());
        assert!(parse_status(b"1 .M N...\0").is_err());
        assert!(parse_status(b"2 R. N... 1 1 1 a b R100 new\0").is_err());
    }
}
