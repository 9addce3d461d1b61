//! Which project a directory belongs to, as far as that is known.

use std::path::Path;

use segue_core::{DirFacts, Identity, Key, KeyKind, Label, ProjectId, slug};

/// A directory, looked at.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) facts: DirFacts,
    pub(crate) identity: Identity,
    pub(crate) label: String,
    /// Kinds of keys that its project has.
    pub(crate) known_by: Vec<KeyKind>,
    /// Whether git, if it was asked, answered in time.
    pub(crate) git_answers: bool,
    /// Projects that a new directory shares its `origin` or its root commit with. They may be the same:
    /// only the user knows.
    pub(crate) similar: Vec<ProjectId>,
}

impl Place {
    pub(crate) fn project(&self) -> Option<&ProjectId> {
        match &self.identity {
            Identity::Known { id, .. } => Some(id),
            Identity::New { .. } => None,
        }
    }

    /// The keys that only this directory can have: its git directory and its path.
    pub(crate) fn own_keys(&self) -> Vec<Key> {
        let own =
            |key: &Key| matches!(key.kind, KeyKind::GitDir | KeyKind::GitDirId | KeyKind::Path);
        self.facts.keys().into_iter().filter(own).collect()
    }
}

/// Keys by which projects that may be meant are looked up.
pub(super) fn lookup_keys(facts: &DirFacts) -> Vec<Key> {
    let mut keys = facts.keys();
    keys.extend(facts.cloned_from.clone().map(|dir| Key::new(KeyKind::GitDir, dir)));
    let shallow = facts.origin.clone().filter(|_| facts.shallow);
    keys.extend(shallow.map(|origin| Key::new(KeyKind::ShallowOrigin, origin)));
    keys
}

/// A path as a key. One that is not UTF-8 keeps its bytes apart by their escapes.
pub(crate) fn path_key(path: &Path) -> String {
    path.to_str().map_or_else(
        || format!("{}", path.as_os_str().as_encoded_bytes().escape_ascii()),
        str::to_owned,
    )
}

/// What a new project is called: its repository's name, else its directory's.
pub(super) fn default_label(facts: &DirFacts) -> String {
    let source = facts.origin.as_deref().unwrap_or(&facts.path);
    let last = source.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or("");
    let label: Result<Label, _> = last.parse();
    label.map_or_else(|_| slug(last), String::from)
}
