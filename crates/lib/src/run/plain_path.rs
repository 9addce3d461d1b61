//! A path as it is compared with others.

use std::path::{Path, PathBuf};

/// The path without `.` and `..`, links in what exists above it resolved.
pub(crate) fn plain(dir: &Path) -> PathBuf {
    let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let mut parts = PathBuf::new();
    for part in dir.components() {
        match part {
            std::path::Component::ParentDir => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let parent = parts.parent().and_then(|parent| std::fs::canonicalize(parent).ok());
    match (parent, parts.file_name()) {
        // The last part itself may be a link: then it is refused, not followed.
        (Some(parent), Some(name)) => parent.join(name),
        _ => parts,
    }
}
