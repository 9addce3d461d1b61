//! Projects: what handoffs belong to, the same in every clone and worktree.
//!
//! A directory is recognised by keys, in this order of strength: git's common directory, `origin`,
//! the root commit, the path. A key found alone decides; where a stronger one contradicts, the
//! weaker is dropped, so that forks and templates stay apart.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::slug;

/// What kind of thing recognises a project; stronger kinds first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyKind {
    GitDir,
    Origin,
    Root,
    Path,
    /// Filed under by word only, never recognised from a directory.
    Label,
}

impl KeyKind {
    pub const ALL: [Self; 5] = [Self::GitDir, Self::Origin, Self::Root, Self::Path, Self::Label];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::GitDir => "git-dir",
            Self::Origin => "origin",
            Self::Root => "root",
            Self::Path => "path",
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
    pub fn new(kind: KeyKind, value: impl Into<String>) -> Self {
        Self { kind, value: value.into() }
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

/// What can be seen of a directory. Absent: not asked, or not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirFacts {
    /// Git's common directory, the same for all worktrees of a clone.
    pub git_dir: Option<String>,
    /// `origin`, normalised.
    pub origin: Option<String>,
    /// The common directory of the clone on this machine that `origin` points to.
    pub cloned_from: Option<String>,
    /// First commit of the main line; not asked in a shallow clone.
    pub root: Option<String>,
    /// The directory itself, or its repository's top.
    pub path: String,
}

impl DirFacts {
    /// All keys that these facts give.
    pub fn keys(&self) -> Vec<Key> {
        let key = |kind, value: &Option<String>| value.clone().map(|value| Key { kind, value });
        [
            key(KeyKind::GitDir, &self.git_dir),
            key(KeyKind::Origin, &self.origin),
            key(KeyKind::Root, &self.root),
            Some(Key::new(KeyKind::Path, self.path.clone())),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// A project of the store with all its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownProject {
    pub id: ProjectId,
    pub keys: Vec<Key>,
}

impl KnownProject {
    fn has(&self, kind: KeyKind, value: &str) -> bool {
        self.keys.iter().any(|key| key.kind == kind && key.value == value)
    }

    /// Whether it has keys of this kind and none of them is this one.
    fn contradicts(&self, kind: KeyKind, value: Option<&String>) -> bool {
        let others = self.keys.iter().any(|key| key.kind == kind);
        value.is_some_and(|value| others && !self.has(kind, value))
    }
}

/// Whose directory it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// A known project, and keys of this directory that it does not have yet.
    Known {
        id: ProjectId,
        learn: Vec<Key>,
    },
    New {
        keys: Vec<Key>,
    },
}

/// Recognises a directory among the projects that share a key with it.
pub fn identify(facts: &DirFacts, known: &[KnownProject]) -> Identity {
    let Some(project) = recognise(facts, known) else {
        return Identity::New { keys: facts.keys() };
    };
    let learn = facts
        .keys()
        .into_iter()
        .filter(|key| !project.keys.contains(key))
        .filter(|key| {
            // What is another project's stays there; a root commit may be shared by forks.
            key.kind == KeyKind::Root
                || !known.iter().any(|other| other.id != project.id && other.keys.contains(key))
        })
        .collect();
    Identity::Known { id: project.id.clone(), learn }
}

fn recognise<'a>(facts: &DirFacts, known: &'a [KnownProject]) -> Option<&'a KnownProject> {
    let alone = |kind: KeyKind, value: Option<&String>, against: &[KeyKind]| {
        let value = value?;
        let mut matches = known.iter().filter(|project| {
            project.has(kind, value)
                && !against
                    .iter()
                    .any(|stronger| project.contradicts(*stronger, fact(facts, *stronger)))
        });
        let first = matches.next();
        first.filter(|_| matches.next().is_none())
    };
    alone(KeyKind::GitDir, facts.git_dir.as_ref(), &[])
        .or_else(|| alone(KeyKind::GitDir, facts.cloned_from.as_ref(), &[]))
        .or_else(|| alone(KeyKind::Origin, facts.origin.as_ref(), &[]))
        .or_else(|| alone(KeyKind::Root, facts.root.as_ref(), &[KeyKind::Origin]))
        .or_else(|| alone(KeyKind::Path, Some(&facts.path), &[KeyKind::Origin, KeyKind::Root]))
}

fn fact(facts: &DirFacts, kind: KeyKind) -> Option<&String> {
    match kind {
        KeyKind::GitDir => facts.git_dir.as_ref(),
        KeyKind::Origin => facts.origin.as_ref(),
        KeyKind::Root => facts.root.as_ref(),
        KeyKind::Path => Some(&facts.path),
        KeyKind::Label => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(git_dir: &str, origin: &str, root: &str, path: &str) -> DirFacts {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        DirFacts {
            git_dir: some(git_dir),
            origin: some(origin),
            root: some(root),
            path: path.into(),
            cloned_from: None,
        }
    }

    fn project(name: &str, from: &DirFacts) -> KnownProject {
        let keys = from.keys();
        KnownProject { id: ProjectId::derive(name, &keys, 0), keys }
    }

    fn found(facts: &DirFacts, known: &[KnownProject]) -> Option<ProjectId> {
        match identify(facts, known) {
            Identity::Known { id, .. } => Some(id),
            Identity::New { .. } => None,
        }
    }

    #[test]
    fn clones_moves_and_late_remotes_are_the_same_project() {
        let a = facts("/a/.git", "github.com/x/a", "r1", "/a");
        let known = [project("a", &a)];
        let id = Some(known[0].id.clone());
        assert_eq!(found(&a, &known), id, "known directory");
        assert_eq!(found(&facts("/b/.git", "github.com/x/a", "r1", "/b"), &known), id, "clone");
        assert_eq!(
            found(&facts("/b/.git", "github.com/x/a", "", "/b"), &known),
            id,
            "shallow clone"
        );
        assert_eq!(found(&facts("/b/.git", "", "r1", "/b"), &known), id, "moved, remote removed");
        let local = [project("l", &facts("/l/.git", "", "r2", "/l"))];
        let id = Some(local[0].id.clone());
        assert_eq!(
            found(&facts("/l/.git", "github.com/x/l", "r2", "/l"), &local),
            id,
            "gains a remote"
        );
        assert_eq!(
            found(&facts("/m/.git", "github.com/x/l", "r2", "/m"), &local),
            id,
            "clone of it"
        );
        let plain = [project("p", &facts("", "", "", "/p"))];
        assert_eq!(
            found(&facts("/p/.git", "", "r3", "/p"), &plain),
            Some(plain[0].id.clone()),
            "git init later"
        );
    }

    #[test]
    fn forks_and_templates_stay_apart() {
        let known = [project("a", &facts("/a/.git", "github.com/x/a", "r1", "/a"))];
        assert_eq!(found(&facts("/f/.git", "github.com/y/a", "r1", "/f"), &known), None, "fork");
        assert_eq!(found(&facts("", "", "", "/elsewhere"), &known), None);
        let both =
            [known[0].clone(), project("a", &facts("/f/.git", "github.com/y/a", "r1", "/f"))];
        assert_eq!(found(&facts("/g/.git", "", "r1", "/g"), &both), None, "undecided between two");
    }

    #[test]
    fn a_clone_of_a_local_repository_is_the_same_project() {
        let known = [project("a", &facts("/a/.git", "github.com/x/a", "r1", "/a"))];
        let mut clone = facts("/b/.git", "", "r1", "/b");
        clone.cloned_from = Some("/a/.git".into());
        assert_eq!(found(&clone, &known), Some(known[0].id.clone()));
    }

    #[test]
    fn keys_of_others_are_not_learned() {
        let a = project("a", &facts("/a/.git", "github.com/x/a", "r1", "/a"));
        let b = project("b", &facts("/b/.git", "github.com/x/b", "r2", "/b"));
        let Identity::Known { id, learn } =
            identify(&facts("/a/.git", "github.com/x/b", "r1", "/a"), &[a.clone(), b])
        else {
            panic!()
        };
        assert_eq!((id, learn), (a.id, vec![]));
    }

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
