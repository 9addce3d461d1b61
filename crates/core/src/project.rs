//! Projects: what handoffs belong to, the same in every clone and worktree.
//!
//! A directory is recognised by its git directory (where it lies, or as the same one after a move), as a
//! local clone of a known repository, by `origin` and the root commit together, or by its path. Anybody can
//! write an `origin`, and templates share a root commit: one of them alone recognises nothing. People are
//! told of projects that share one, and can link them.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

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
    /// Filed under by word only, never recognised from a directory.
    Label,
}

impl KeyKind {
    pub const ALL: [Self; 7] = [
        Self::GitDir,
        Self::GitDirId,
        Self::Origin,
        Self::Root,
        Self::Path,
        Self::ShallowOrigin,
        Self::Label,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::GitDir => "git-dir",
            Self::GitDirId => "git-dir-id",
            Self::Origin => "origin",
            Self::Root => "root",
            Self::Path => "path",
            Self::ShallowOrigin => "shallow-origin",
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
    /// What stays the same when that directory is moved, and differs in a copy.
    pub git_dir_id: Option<String>,
    /// Whether the clone has not all commits, so that its root cannot be known.
    pub shallow: bool,
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
            key(KeyKind::GitDirId, &self.git_dir_id),
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
    /// By what a directory is this project's, in words.
    pub fn known_by(&self, facts: &DirFacts) -> &'static str {
        let has = |kind, fact: Option<&String>| fact.is_some_and(|value| self.has(kind, value));
        let shares = |kind| has(kind, fact(facts, kind));
        if shares(KeyKind::GitDir) {
            "its git directory"
        } else if shares(KeyKind::GitDirId) {
            "its git directory, which was moved"
        } else if has(KeyKind::GitDir, facts.cloned_from.as_ref()) {
            "the repository that it was cloned from"
        } else if shares(KeyKind::Origin) && shares(KeyKind::Root) {
            "its origin and its first commit"
        } else if has(KeyKind::ShallowOrigin, facts.origin.as_ref()) {
            "its origin, as it is a shallow clone and the user linked one"
        } else {
            "its path"
        }
    }

    /// Whether the directory has this one's `origin` or root commit, and that alone does not make it this
    /// project.
    pub fn may_be(&self, facts: &DirFacts) -> bool {
        let has =
            |kind, fact: &Option<String>| fact.as_ref().is_some_and(|value| self.has(kind, value));
        has(KeyKind::Origin, &facts.origin)
            || has(KeyKind::Root, &facts.root)
                && !self.contradicts(KeyKind::Origin, facts.origin.as_ref())
    }

    /// The same for the keys of another project.
    pub fn is_like(&self, keys: &[Key]) -> bool {
        let of = |kind| keys.iter().filter(move |key| key.kind == kind);
        let shares = |kind| of(kind).any(|key| self.has(kind, &key.value));
        let has_origin = self.keys.iter().any(|key| key.kind == KeyKind::Origin);
        let differ = has_origin && of(KeyKind::Origin).next().is_some();
        shares(KeyKind::Origin) || shares(KeyKind::Root) && !differ
    }

    fn has(&self, kind: KeyKind, value: &str) -> bool {
        self.keys.iter().any(|key| key.kind == kind && key.value == value)
    }

    /// Whether it has keys of this kind and none of them is this one.
    fn contradicts(&self, kind: KeyKind, value: Option<&String>) -> bool {
        let others = self.keys.iter().any(|key| key.kind == kind);
        value.is_some_and(|value| others && !self.has(kind, value))
    }
}

/// Whether two lists of keys are of one directory, or of two clones with the same `origin` and root commit.
pub fn is_same_directory(one: &[Key], other: &[Key]) -> bool {
    let shares = |kind| one.iter().any(|key| key.kind == kind && other.contains(key));
    let own = [KeyKind::GitDir, KeyKind::GitDirId, KeyKind::Path, KeyKind::Label];
    own.into_iter().any(shares) || shares(KeyKind::Origin) && shares(KeyKind::Root)
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
    let only = |fits: &dyn Fn(&KnownProject) -> bool| {
        let mut matches = known.iter().filter(|project| fits(project));
        let first = matches.next();
        first.filter(|_| matches.next().is_none())
    };
    let alone = |kind: KeyKind, value: Option<&String>, against: &[KeyKind]| {
        let value = value?;
        only(&|project| {
            project.has(kind, value)
                && !against.iter().any(|other| project.contradicts(*other, fact(facts, *other)))
        })
    };
    let origin_and_root = || {
        let (origin, root) = (facts.origin.as_ref()?, facts.root.as_ref()?);
        only(&|project| project.has(KeyKind::Origin, origin) && project.has(KeyKind::Root, root))
    };
    let shallow = facts.origin.as_ref().filter(|_| facts.shallow);
    alone(KeyKind::GitDir, facts.git_dir.as_ref(), &[])
        .or_else(|| alone(KeyKind::GitDirId, facts.git_dir_id.as_ref(), &[]))
        .or_else(|| alone(KeyKind::GitDir, facts.cloned_from.as_ref(), &[KeyKind::Root]))
        .or_else(origin_and_root)
        .or_else(|| alone(KeyKind::ShallowOrigin, shallow, &[]))
        .or_else(|| alone(KeyKind::Path, Some(&facts.path), &[KeyKind::Origin, KeyKind::Root]))
}

fn fact(facts: &DirFacts, kind: KeyKind) -> Option<&String> {
    match kind {
        KeyKind::GitDir => facts.git_dir.as_ref(),
        KeyKind::GitDirId => facts.git_dir_id.as_ref(),
        KeyKind::Origin => facts.origin.as_ref(),
        KeyKind::Root => facts.root.as_ref(),
        KeyKind::Path => Some(&facts.path),
        KeyKind::ShallowOrigin | KeyKind::Label => None,
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
            ..DirFacts::default()
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
    fn clones_with_the_same_root_and_late_remotes_are_the_same_project() {
        let a = facts("/a/.git", "github.com/x/a", "r1", "/a");
        let known = [project("a", &a)];
        let id = Some(known[0].id.clone());
        assert_eq!(found(&a, &known), id, "known directory");
        assert_eq!(found(&facts("/b/.git", "github.com/x/a", "r1", "/b"), &known), id, "clone");
        let local = [project("l", &facts("/l/.git", "", "r2", "/l"))];
        let id = Some(local[0].id.clone());
        assert_eq!(
            found(&facts("/l/.git", "github.com/x/l", "r2", "/l"), &local),
            id,
            "gains a remote"
        );
        let plain = [project("p", &facts("", "", "", "/p"))];
        assert_eq!(
            found(&facts("/p/.git", "", "r3", "/p"), &plain),
            Some(plain[0].id.clone()),
            "git init later"
        );
    }

    #[test]
    fn a_git_directory_that_was_moved_is_the_same_one_and_a_copy_is_not() {
        let of = |dir: &str, id: &str| DirFacts {
            git_dir_id: Some(id.into()),
            ..facts(&format!("{dir}/.git"), "", "r1", dir)
        };
        let known = [project("a", &of("/a", "7@1"))];
        assert_eq!(found(&of("/b", "7@1"), &known), Some(known[0].id.clone()), "moved");
        assert_eq!(found(&of("/b", "8@2"), &known), None, "copied");
    }

    #[test]
    fn an_origin_or_a_root_commit_alone_recognises_nothing() {
        let known = [project("a", &facts("/a/.git", "github.com/x/a", "r1", "/a"))];
        for (other, may_be) in [
            (facts("/b/.git", "github.com/x/a", "r2", "/b"), true),
            (facts("/b/.git", "github.com/x/a", "", "/b"), true),
            (facts("/b/.git", "", "r1", "/b"), true),
            (facts("/b/.git", "github.com/y/fork", "r1", "/b"), false),
            (facts("", "", "", "/elsewhere"), false),
        ] {
            assert_eq!(found(&other, &known), None, "{other:?}");
            assert_eq!(known[0].may_be(&other), may_be, "{other:?}");
            assert_eq!(known[0].is_like(&other.keys()), may_be, "{other:?}");
        }
        let a = known[0].clone();
        let both = [a, project("b", &facts("/b/.git", "github.com/x/a", "r1", "/b"))];
        let third = facts("/c/.git", "github.com/x/a", "r1", "/c");
        assert_eq!(found(&third, &both), None, "undecided between two");
    }

    #[test]
    fn a_shallow_clone_counts_by_its_origin_once_the_user_said_so() {
        let mut known = project("a", &facts("/a/.git", "github.com/x/a", "r1", "/a"));
        let shallow = DirFacts { shallow: true, ..facts("/s/.git", "github.com/x/a", "", "/s") };
        assert_eq!(found(&shallow, std::slice::from_ref(&known)), None);
        known.keys.push(Key::new(KeyKind::ShallowOrigin, "github.com/x/a"));
        let id = Some(known.id.clone());
        let known = [known];
        assert_eq!(found(&shallow, &known), id);
        let whole = facts("/w/.git", "github.com/x/a", "r2", "/w");
        assert_eq!(found(&whole, &known), None, "a whole clone has a root of its own");
    }

    #[test]
    fn a_clone_of_a_local_repository_is_the_same_project_if_it_has_its_root() {
        let known = [project("a", &facts("/a/.git", "github.com/x/a", "r1", "/a"))];
        let mut clone = facts("/b/.git", "", "r1", "/b");
        clone.cloned_from = Some("/a/.git".into());
        assert_eq!(found(&clone, &known), Some(known[0].id.clone()));
        clone.root = Some("r2".into());
        assert_eq!(found(&clone, &known), None, "it only claims to be one");
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
