//! Projects: what handoffs belong to, the same in every clone and worktree.
//!
//! `identity.rs` decides whose a directory is.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::redact::without_path_secrets;
use crate::slug;

/// What kind of thing recognises a project; stronger kinds first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyKind {
    GitDir,
    /// The git directory itself, wherever it was moved.
    GitDirId,
    Origin,
    Root,
    Path,
    /// An `origin` by which shallow clones are recognised, because the user said so.
    ShallowOrigin,
    /// A git directory that git said nothing of in time: once it does, this is joined to its project.
    PendingGitDir,
    /// That git directory itself: what lies at its place later may be another.
    PendingGitDirId,
    /// Filed under by word only, never recognised from a directory.
    Label,
}

impl KeyKind {
    pub const ALL: [Self; 9] = [
        Self::GitDir,
        Self::GitDirId,
        Self::Origin,
        Self::Root,
        Self::Path,
        Self::ShallowOrigin,
        Self::PendingGitDir,
        Self::PendingGitDirId,
        Self::Label,
    ];

    /// Whether it waits for an answer of git.
    pub fn is_pending(self) -> bool {
        matches!(self, Self::PendingGitDir | Self::PendingGitDirId)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::GitDir => "git-dir",
            Self::GitDirId => "git-dir-id",
            Self::Origin => "origin",
            Self::Root => "root",
            Self::Path => "path",
            Self::ShallowOrigin => "shallow-origin",
            Self::PendingGitDir => "pending-git-dir",
            Self::PendingGitDirId => "pending-git-dir-id",
            Self::Label => "label",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// One thing by which a project was recognised.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub kind: KeyKind,
    pub value: String,
}

impl Key {
    /// An `origin` is known without what is secret in its path, as older versions wrote it.
    pub fn new(kind: KeyKind, value: impl Into<String>) -> Self {
        let value = value.into();
        let is_remote = matches!(kind, KeyKind::Origin | KeyKind::ShallowOrigin);
        match value.split_once('/').filter(|_| is_remote && !value.starts_with("file:")) {
            Some((host, path)) => {
                Self { kind, value: format!("{host}/{}", without_path_secrets(path)) }
            }
            None => Self { kind, value },
        }
    }
}

/// The name of a memory's directory: a slug of the label, `-`, eight hex digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectId(String);

impl ProjectId {
    /// The id of a project first recognised by these keys. `attempt` counts up when it is taken.
    ///
    /// Derived from the key that other machines share, so that they come to the same id.
    pub fn derive(label: &str, keys: &[Key], attempt: u32) -> Self {
        const PORTABLE_FIRST: [KeyKind; 5] =
            [KeyKind::Origin, KeyKind::Root, KeyKind::GitDir, KeyKind::Path, KeyKind::Label];
        let key = PORTABLE_FIRST.iter().find_map(|kind| keys.iter().find(|key| key.kind == *kind));
        let mut hash = Sha256::new();
        if let Some(key) = key {
            hash.update(key.kind.as_str());
            hash.update([0]);
            hash.update(&key.value);
        }
        hash.update(attempt.to_be_bytes());
        let digest = hash.finalize();
        let hex: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        Self(format!("{}-{hex}", slug(label)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ProjectId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (slug, hex) = text.rsplit_once('-').ok_or(())?;
        let good = !slug.is_empty()
            && slug.chars().all(|c| c.is_alphanumeric() || c == '-')
            && hex.len() == 8
            && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if good { Ok(Self(text.to_owned())) } else { Err(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_directory_names() {
        let id = ProjectId::derive("../Todo API", &[Key::new(KeyKind::Label, "x")], 0);
        assert!(id.as_str().starts_with("todo-api-"));
        assert_eq!(id.as_str().parse(), Ok(id));
        for text in [
            "",
            "..",
            "a",
            "a-1234567",
            "a-1234567G",
            "-12345678",
            "../a-12345678",
            "a/b-12345678",
            ".lock",
        ] {
            assert!(text.parse::<ProjectId>().is_err(), "{text}");
        }
    }
}
