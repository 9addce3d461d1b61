//! Which project a directory belongs to, as far as that is known.

use std::path::Path;

use segue_core::{DirFacts, Identity, Key, KeyKind, Label, ProjectId, Redactor, slug};
use segue_share::git::GitError;

/// A directory, looked at.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) facts: DirFacts,
    pub(crate) identity: Identity,
    pub(crate) label: String,
    /// Kinds of keys that its project has.
    pub(crate) known_by: Vec<KeyKind>,
    /// Why git gave no answer that is needed to say whose the directory is.
    pub(crate) undecided: Option<Undecided>,
    /// Projects that a new directory shares its `origin`, its root commit or its place with. They may be the
    /// same: only the user knows.
    pub(crate) similar: Vec<ProjectId>,
    /// Projects of what was saved here while git gave no answer, and that are of this one now.
    pub(crate) pending: Vec<ProjectId>,
    /// Projects of another repository that lay here.
    pub(crate) displaced: Vec<ProjectId>,
    /// Whether the project is the one that was named for this process.
    pub(crate) is_named: bool,
}

/// Why it is not known whose a directory is.
#[derive(Clone, Debug)]
pub(crate) struct Undecided {
    pub(crate) reason: String,
    pub(crate) timed_out: bool,
}

impl From<&GitError> for Undecided {
    fn from(error: &GitError) -> Self {
        let timed_out = matches!(error, GitError::TimedOut { .. });
        Self { reason: error.to_string(), timed_out }
    }
}

impl Place {
    /// Whether git, if it was asked, answered in time.
    pub(crate) fn git_answers(&self) -> bool {
        !self.undecided.as_ref().is_some_and(|undecided| undecided.timed_out)
    }

    pub(crate) fn project(&self) -> Option<&ProjectId> {
        match &self.identity {
            Identity::Known { id, .. } => Some(id),
            Identity::New { .. } => None,
        }
    }

    /// Whether a project with these keys was recognised where the directory is.
    pub(crate) fn was_at_the_place(&self, keys: &[Key]) -> bool {
        let here = self.own_keys();
        keys.iter().any(|key| key.kind != KeyKind::GitDirId && here.contains(key))
    }

    /// The keys that only this directory can have: its git directory and its path.
    pub(crate) fn own_keys(&self) -> Vec<Key> {
        let own =
            |key: &Key| matches!(key.kind, KeyKind::GitDir | KeyKind::GitDirId | KeyKind::Path);
        self.facts.keys().into_iter().filter(own).collect()
    }
}

/// A path as a key. One that is not UTF-8 keeps its bytes apart by their escapes.
pub(crate) fn path_key(path: &Path) -> String {
    path.to_str().map_or_else(
        || format!("{}", path.as_os_str().as_encoded_bytes().escape_ascii()),
        str::to_owned,
    )
}

/// What a new project is called: its repository's name, else its directory's, without secrets.
pub(super) fn default_label(facts: &DirFacts, redactor: &Redactor) -> String {
    let source = facts.origin.as_deref().unwrap_or(&facts.path);
    let last = source.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or("");
    let last = redactor.redact(last).text;
    let label: Result<Label, _> = last.parse();
    label.map_or_else(|_| slug(&last), String::from)
}
