//! Whose directory it is, decided from what can be seen of it and the keys of known projects.
//!
//! A directory is recognised by its git directory (as the same one wherever it lies, or by its place where
//! nothing says that another one has come to lie there), as a local clone of a known repository that has its
//! root commit, by `origin` and the root commit together, or by its path. Anybody can write an `origin`, and
//! templates share a root commit: one of them alone recognises nothing. People are told of projects that
//! share one, and can link them.

use crate::project::{Key, KeyKind, ProjectId};

/// What is known of a repository that git said nothing of.
const PENDING: [KeyKind; 2] = [KeyKind::PendingGitDir, KeyKind::PendingGitDirId];

/// What can be seen of a directory. Absent: not asked, or not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirFacts {
    /// Git's common directory, the same for all worktrees of a clone. Only if that one knows the work tree.
    pub git_dir: Option<String>,
    /// What stays the same when that directory is moved, and differs in a copy.
    pub git_dir_id: Option<String>,
    /// Whether the clone is cut off before its root, which cannot be known then.
    pub shallow: bool,
    /// Whether there is no commit yet.
    pub unborn: bool,
    /// `origin`, normalised.
    pub origin: Option<String>,
    /// The common directory of the clone on this machine that `origin` points to.
    pub cloned_from: Option<String>,
    /// First commit of the main line.
    pub root: Option<String>,
    /// The directory itself, or its repository's top.
    pub path: String,
}

impl DirFacts {
    /// All keys that these facts give.
    pub fn keys(&self) -> Vec<Key> {
        const KINDS: [KeyKind; 5] =
            [KeyKind::GitDir, KeyKind::GitDirId, KeyKind::Origin, KeyKind::Root, KeyKind::Path];
        KINDS.into_iter().filter_map(|kind| self.key(kind)).collect()
    }

    /// Keys that are known without asking git, by which its project is looked up first.
    pub fn unasked_keys(&self) -> Vec<Key> {
        match &self.git_dir {
            None => self.key(KeyKind::Path).into_iter().collect(),
            Some(_) => {
                const KINDS: [KeyKind; 2] = [KeyKind::GitDirId, KeyKind::GitDir];
                KINDS.into_iter().chain(PENDING).filter_map(|kind| self.key(kind)).collect()
            }
        }
    }

    /// Keys of every project that can be meant.
    pub fn lookup_keys(&self) -> Vec<Key> {
        let mut keys = self.keys();
        keys.extend(PENDING.into_iter().filter_map(|kind| self.key(kind)));
        keys.extend(self.cloned_from.clone().map(|dir| Key::new(KeyKind::GitDir, dir)));
        keys.extend(self.key(KeyKind::ShallowOrigin).filter(|_| self.shallow));
        keys
    }

    /// What is known of a directory that git says nothing of.
    fn unanswered_keys(&self) -> Vec<Key> {
        let kinds = [KeyKind::Path].into_iter().chain(PENDING);
        kinds.filter_map(|kind| self.key(kind)).collect()
    }

    /// Keys that a project loses once git has answered.
    pub fn pending_keys(&self) -> Vec<Key> {
        PENDING.into_iter().filter_map(|kind| self.key(kind)).collect()
    }

    fn key(&self, kind: KeyKind) -> Option<Key> {
        self.fact(kind).map(|value| Key::new(kind, value.clone()))
    }

    fn fact(&self, kind: KeyKind) -> Option<&String> {
        match kind {
            KeyKind::GitDir | KeyKind::PendingGitDir => self.git_dir.as_ref(),
            KeyKind::GitDirId | KeyKind::PendingGitDirId => self.git_dir_id.as_ref(),
            KeyKind::Origin | KeyKind::ShallowOrigin => self.origin.as_ref(),
            KeyKind::Root => self.root.as_ref(),
            KeyKind::Path => Some(&self.path),
            KeyKind::Label => None,
        }
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
        let shares = |kind| self.shares(kind, facts);
        if shares(KeyKind::GitDirId) && !shares(KeyKind::GitDir) {
            "its git directory, which was moved"
        } else if shares(KeyKind::GitDir) && !self.another_lies_here(facts) {
            "its git directory"
        } else if shares(KeyKind::GitDir) && self.commits_agree(facts) {
            "the place of its git directory, and its commits"
        } else if self.is_cloned(facts) {
            "the repository that it was cloned from"
        } else if shares(KeyKind::Origin) && shares(KeyKind::Root) {
            "its origin and its first commit"
        } else if facts.shallow && shares(KeyKind::ShallowOrigin) {
            "its origin, as it is a shallow clone and the user linked one"
        } else {
            "its path"
        }
    }

    /// Whether it lay where the directory is, and is not recognised by that alone.
    pub fn lay_here(&self, facts: &DirFacts) -> bool {
        self.shares(KeyKind::GitDir, facts) || self.shares(KeyKind::Path, facts)
    }

    /// Whether the directory has something of this one that alone does not make it this project.
    pub fn may_be(&self, facts: &DirFacts) -> bool {
        let cloned = facts.cloned_from.as_ref().is_some_and(|from| self.has(KeyKind::GitDir, from));
        self.lay_here(facts)
            || self.shares(KeyKind::Origin, facts)
            || cloned && !self.contradicts(KeyKind::Root, facts)
            || self.shares(KeyKind::Root, facts) && !self.contradicts(KeyKind::Origin, facts)
    }

    /// Whether another project has its `origin`, or its root commit and no other `origin`.
    pub fn is_like(&self, keys: &[Key]) -> bool {
        let has_origin = self.keys.iter().any(|key| key.kind == KeyKind::Origin);
        let differ = has_origin && keys.iter().any(|key| key.kind == KeyKind::Origin);
        shares(&self.keys, keys, KeyKind::Origin)
            || shares(&self.keys, keys, KeyKind::Root) && !differ
    }

    /// Whether another project was recognised at the same place.
    pub fn was_at_the_same_place(&self, keys: &[Key]) -> bool {
        shares(&self.keys, keys, KeyKind::GitDir)
    }

    /// Whether the directory is one of its own, as far as that is known without git. For who changes
    /// which directory belongs to it.
    pub fn owns(&self, facts: &DirFacts) -> bool {
        self.shares(KeyKind::GitDirId, facts)
            || self.is_pending(facts)
            || self.lay_here(facts) && !self.another_lies_here(facts)
    }

    /// Whether it has what was saved in this directory while git gave no answer.
    pub fn is_pending(&self, facts: &DirFacts) -> bool {
        self.shares(KeyKind::PendingGitDirId, facts)
            || self.shares(KeyKind::PendingGitDir, facts)
                && !self.contradicts(KeyKind::PendingGitDirId, facts)
    }

    /// Whether none of the git directories that it ever had is the one that lies here.
    fn another_lies_here(&self, facts: &DirFacts) -> bool {
        let is_other = |kind| self.contradicts(kind, facts);
        is_other(KeyKind::GitDirId)
            || is_other(KeyKind::PendingGitDirId) && !self.shares(KeyKind::GitDirId, facts)
    }

    /// Whether what git says of the repository here fits it: the same root, or none on either side, and no other
    /// `origin`: what was made from one template has one root.
    fn commits_agree(&self, facts: &DirFacts) -> bool {
        let has_root = self.keys.iter().any(|key| key.kind == KeyKind::Root);
        let same_root = match facts.root {
            Some(_) => self.shares(KeyKind::Root, facts),
            None => facts.unborn && !has_root,
        };
        same_root && !self.contradicts(KeyKind::Origin, facts)
    }

    /// Whether the directory is a local clone of it. Anybody can write an address: the root is the proof.
    fn is_cloned(&self, facts: &DirFacts) -> bool {
        let from = facts.cloned_from.as_ref();
        from.is_some_and(|from| self.has(KeyKind::GitDir, from))
            && self.shares(KeyKind::Root, facts)
    }

    /// Whether the repository that lies where it lay is its own.
    fn is_in_place(&self, kind: KeyKind, facts: &DirFacts) -> bool {
        self.shares(kind, facts) && (!self.another_lies_here(facts) || self.commits_agree(facts))
    }

    /// Whether it is the directory's by its path: one without git always, one with git where nothing
    /// says otherwise.
    fn is_at_path(&self, facts: &DirFacts) -> bool {
        self.is_in_place(KeyKind::Path, facts)
            && !self.contradicts(KeyKind::Origin, facts)
            && !self.contradicts(KeyKind::Root, facts)
    }

    fn has(&self, kind: KeyKind, value: &str) -> bool {
        self.keys.iter().any(|key| key.kind == kind && key.value == value)
    }

    fn shares(&self, kind: KeyKind, facts: &DirFacts) -> bool {
        facts.fact(kind).is_some_and(|value| self.has(kind, value))
    }

    /// Whether it has keys of this kind and none of them is the directory's.
    fn contradicts(&self, kind: KeyKind, facts: &DirFacts) -> bool {
        let has_one = self.keys.iter().any(|key| key.kind == kind);
        has_one && facts.fact(kind).is_some_and(|value| !self.has(kind, value))
    }
}

fn shares(one: &[Key], other: &[Key], kind: KeyKind) -> bool {
    one.iter().any(|key| key.kind == kind && other.contains(key))
}

/// Whether two lists of keys are of one directory, or of two clones with the same `origin` and root commit.
pub fn is_same_directory(one: &[Key], other: &[Key]) -> bool {
    let same = |kind| shares(one, other, kind);
    let has = |keys: &[Key], kind| keys.iter().any(|key| key.kind == kind);
    let differ = has(one, KeyKind::GitDirId) && has(other, KeyKind::GitDirId);
    let both_or_neither = has(one, KeyKind::GitDir) == has(other, KeyKind::GitDir);
    let pending_differ = has(one, KeyKind::PendingGitDirId)
        && has(other, KeyKind::PendingGitDirId)
        && !same(KeyKind::PendingGitDirId);
    let own = [KeyKind::GitDirId, KeyKind::PendingGitDirId, KeyKind::Label];
    own.into_iter().any(same)
        || same(KeyKind::PendingGitDir) && !pending_differ
        || same(KeyKind::Origin) && same(KeyKind::Root)
        || !differ
            && !pending_differ
            && (same(KeyKind::GitDir) || both_or_neither && same(KeyKind::Path))
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

/// Recognises a directory by what is known without asking git, among the projects with its `unasked_keys`.
/// `None` where git has to be asked.
pub fn identify_unasked(facts: &DirFacts, known: &[KnownProject]) -> Option<Identity> {
    if facts.git_dir.is_none() {
        return Some(identify(facts, known));
    }
    let here = |project: &&KnownProject| project.shares(KeyKind::GitDir, facts);
    let one_lies_here = || {
        let undisputed = !known.iter().filter(here).any(|project| project.another_lies_here(facts));
        if undisputed { only(known, |project| here(&project)) } else { None }
    };
    let project =
        only(known, |project| project.shares(KeyKind::GitDirId, facts)).or_else(one_lies_here)?;
    let learn = [KeyKind::GitDir, KeyKind::GitDirId].into_iter().filter_map(|kind| facts.key(kind));
    let learn = learn.filter(|key| !project.keys.contains(key)).collect();
    Some(Identity::Known { id: project.id.clone(), learn })
}

/// Recognises a directory among the projects with its `lookup_keys`. Git has answered.
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
                || !known.iter().any(|other| {
                    other.id != project.id && !other.is_pending(facts) && other.keys.contains(key)
                })
        })
        .collect();
    Identity::Known { id: project.id.clone(), learn }
}

/// Whose a directory is that git says nothing of, and that nothing else recognises: what was saved there
/// before without an answer, or without git. Nothing is learned, and a new project has only keys that leave
/// open whose it is.
pub fn identify_unanswered(facts: &DirFacts, known: &[KnownProject]) -> Identity {
    let without_git = |project: &KnownProject| {
        project.shares(KeyKind::Path, facts)
            && !project.another_lies_here(facts)
            && !project.keys.iter().any(|key| key.kind == KeyKind::GitDir)
    };
    let pending = only(known, |project| project.is_pending(facts));
    match pending.or_else(|| only(known, without_git)) {
        Some(project) => Identity::Known { id: project.id.clone(), learn: Vec::new() },
        None => Identity::New { keys: facts.unanswered_keys() },
    }
}

fn recognise<'a>(facts: &DirFacts, known: &'a [KnownProject]) -> Option<&'a KnownProject> {
    let shares = |kind| move |project: &KnownProject| project.shares(kind, facts);
    only(known, shares(KeyKind::GitDirId))
        .or_else(|| only(known, |project| project.is_in_place(KeyKind::GitDir, facts)))
        .or_else(|| only(known, |project| project.is_cloned(facts)))
        .or_else(|| {
            let both = |project: &KnownProject| {
                shares(KeyKind::Origin)(project) && shares(KeyKind::Root)(project)
            };
            only(known, both)
        })
        .or_else(|| only(known, shares(KeyKind::ShallowOrigin)).filter(|_| facts.shallow))
        .or_else(|| only(known, |project| project.is_pending(facts)))
        .or_else(|| only(known, |project| project.is_at_path(facts)))
}

/// The one project that fits; none where several do.
fn only(known: &[KnownProject], fits: impl Fn(&KnownProject) -> bool) -> Option<&KnownProject> {
    let mut matches = known.iter().filter(|project| fits(project));
    let first = matches.next();
    first.filter(|_| matches.next().is_none())
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
    fn a_clone_without_a_root_is_no_clone() {
        let known = [project("a", &facts("/a/.git", "", "r1", "/a"))];
        for (unborn, shallow) in [(false, false), (true, false), (false, true)] {
            let claim = DirFacts {
                cloned_from: Some("/a/.git".into()),
                unborn,
                shallow,
                ..facts("/b/.git", "", "", "/b")
            };
            assert_eq!(found(&claim, &known), None);
            assert!(known[0].may_be(&claim));
        }
        let rootless = [project("a", &facts("/a/.git", "", "", "/a"))];
        let claim =
            DirFacts { cloned_from: Some("/a/.git".into()), ..facts("/b/.git", "", "r1", "/b") };
        assert_eq!(found(&claim, &rootless), None);
    }

    /// A repository of some inode at a place, with a root commit or none.
    fn lying(at: &str, id: &str, origin: &str, root: &str) -> DirFacts {
        DirFacts {
            git_dir_id: (!id.is_empty()).then(|| id.to_owned()),
            unborn: root.is_empty(),
            ..facts(&format!("{at}/.git"), origin, root, at)
        }
    }

    #[test]
    fn another_git_directory_at_a_known_place_is_the_same_only_if_its_commits_agree() {
        for (known, here, is_same) in [
            (("1@1", "", "r1"), ("2@2", "", "r1"), true),
            (("1@1", "h/a", "r1"), ("2@2", "h/a", "r1"), true),
            (("1@1", "h/a", "r1"), ("2@2", "h/b", "r1"), false),
            (("1@1", "h/a", "r1"), ("2@2", "h/a", "r2"), false),
            (("1@1", "", "r1"), ("2@2", "", "r2"), false),
            (("1@1", "", "r1"), ("2@2", "", ""), false),
            (("1@1", "", ""), ("2@2", "", "r2"), false),
            (("1@1", "", ""), ("2@2", "", ""), true),
            (("1@1", "h/a", ""), ("2@2", "h/a", ""), true),
            (("1@1", "h/a", ""), ("2@2", "h/b", ""), false),
        ] {
            let of = |(id, origin, root): (&str, &str, &str)| lying("/a", id, origin, root);
            let known = [project("a", &of(known))];
            let here = of(here);
            assert_eq!(identify_unasked(&here, &known), None, "git is asked");
            assert_eq!(found(&here, &known).is_some(), is_same, "{known:?} {here:?}");
            assert!(known[0].may_be(&here));
            assert!(!known[0].owns(&here));
            let silent = DirFacts { root: None, unborn: false, ..here };
            assert_eq!(found(&silent, &known), None, "git could not say");
        }
    }

    #[test]
    fn a_known_place_is_enough_where_nothing_says_that_another_lies_there() {
        for (known, here) in [("1@1", "1@1"), ("1@1", ""), ("", "1@1"), ("", "")] {
            let known = [project("a", &lying("/a", known, "", "r1"))];
            let here = DirFacts { unborn: false, ..lying("/a", here, "", "") };
            let Some(Identity::Known { id, .. }) = identify_unasked(&here, &known) else {
                panic!("{here:?}")
            };
            assert_eq!(id, known[0].id);
        }
    }

    #[test]
    fn the_git_directory_itself_says_more_than_where_it_lies() {
        let moved = project("a", &lying("/a", "1@1", "", "r1"));
        let newer = project("b", &lying("/a", "2@2", "", "r2"));
        let known = [moved.clone(), newer.clone()];
        assert_eq!(found(&lying("/a", "2@2", "", "r2"), &known), Some(newer.id.clone()));
        assert_eq!(found(&lying("/b", "1@1", "", "r1"), &known), Some(moved.id.clone()));
        assert_eq!(found(&lying("/a", "3@3", "", "r1"), &known), Some(moved.id), "restored");
        assert_eq!(found(&lying("/a", "4@4", "", "r4"), &known), None);
        assert!(!is_same_directory(&known[0].keys, &known[1].keys));
    }

    #[test]
    fn what_was_saved_without_an_answer_belongs_to_whoever_the_answer_names() {
        let known = project("a", &lying("/a", "1@1", "h/a", "r1"));
        let clone = lying("/b", "2@2", "h/a", "r1");
        let silent = DirFacts { root: None, origin: None, ..clone.clone() };
        let Identity::New { keys } = identify_unanswered(&silent, std::slice::from_ref(&known))
        else {
            panic!("decided")
        };
        assert_eq!(
            keys,
            [
                Key::new(KeyKind::Path, "/b"),
                Key::new(KeyKind::PendingGitDir, "/b/.git"),
                Key::new(KeyKind::PendingGitDirId, "2@2"),
            ]
        );
        let pending = KnownProject { id: ProjectId::derive("b", &keys, 0), keys };
        let Identity::Known { id, learn } =
            identify_unanswered(&silent, std::slice::from_ref(&pending))
        else {
            panic!("forgotten")
        };
        assert_eq!((id, learn), (pending.id.clone(), vec![]));
        assert!(pending.is_pending(&clone));
        let both = [pending.clone(), known.clone()];
        let Identity::Known { id, learn } = identify(&clone, &both) else { panic!("not joined") };
        assert_eq!(id, known.id);
        assert!(learn.contains(&Key::new(KeyKind::Path, "/b")));
        assert_eq!(
            found(&clone, std::slice::from_ref(&pending)),
            Some(pending.id.clone()),
            "it is its own"
        );
        // Another repository that has come to lie there is nobody's, with and without an answer.
        let another = lying("/b", "3@3", "h/x", "r3");
        let one = std::slice::from_ref(&pending);
        assert_eq!(found(&another, one), None);
        assert!(!pending.is_pending(&another) && !pending.owns(&another));
        let silent = DirFacts { root: None, origin: None, ..another };
        let Identity::New { keys } = identify_unanswered(&silent, one) else { panic!("taken") };
        assert!(!is_same_directory(&keys, &pending.keys));
        // Where it was moved to it is still known.
        assert_eq!(found(&lying("/c", "2@2", "h/a", "r1"), one), Some(pending.id.clone()));
    }
}
