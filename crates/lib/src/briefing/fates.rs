//! What became of the files that a handoff names: decided from what git compares and from the times of
//! files. Looks at nothing itself.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use segue_core::{FileFate, GitToday, HANDOFF, Handoff, SinceThen, Timestamp, TreeToday};
use segue_share::git::FileChange;

/// Which tree a handoff is about.
pub(crate) struct TreeOfFates {
    /// Its top, from which git names paths.
    pub(crate) top: PathBuf,
    /// The directory of HANDOFF.md.
    pub(crate) workspace: PathBuf,
    /// Whether it is a repository's.
    pub(crate) in_git: bool,
}

/// What lies at a path today.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileToday {
    pub(crate) is_dir: bool,
    /// When it was last written to, in microseconds since 1970, if that is known.
    pub(crate) written: Option<i64>,
}

/// Says what lies at a path from the top of a tree.
type LookAt<'a> = Box<dyn Fn(&str) -> Option<FileToday> + 'a>;

/// What became of the files that a handoff may name.
pub(crate) struct Fates<'a> {
    top: PathBuf,
    files: LookAt<'a>,
    /// Directories that paths in the handoff may start from, as prefixes from the top.
    bases: Vec<String>,
    /// Files that differ between the commit of then and today's.
    changes: HashMap<String, FileFate>,
    /// Last parts of changed paths, for words that name a file without its directory.
    names: HashMap<String, Vec<String>>,
    /// Files that are new since.
    added: Vec<String>,
    /// Files that were changed and not committed then, and now.
    dirty_then: Vec<String>,
    dirty: Vec<String>,
    created: Timestamp,
    /// Whether the two commits were compared; if not, only the times of files tell.
    compared: bool,
    /// Whether there is a handoff to compare with at all.
    left: bool,
    in_git: bool,
    /// A file that Segue itself writes: its change says nothing.
    own: String,
}

impl<'a> Fates<'a> {
    /// What git says today, and what lies in the tree at a path from its top.
    pub(crate) fn new(
        tree: TreeOfFates,
        handoff: Option<&Handoff>,
        git: &GitToday,
        differing: &[FileChange],
        files: impl Fn(&str) -> Option<FileToday> + 'a,
    ) -> Self {
        let TreeOfFates { top, workspace, in_git } = tree;
        let fields = handoff.map(|handoff| &handoff.head.fields);
        let mut changes = HashMap::new();
        let mut names: HashMap<String, Vec<String>> = HashMap::new();
        let name_of = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let then = fields.map(|fields| fields.changed.as_slice()).unwrap_or_default();
        let moved_then = |old: &str, new: &str| then.contains(&format!("{old} -> {new}"));
        let mut added = Vec::new();
        for change in differing {
            let fate = match (change.kind, &change.to) {
                // It was moved then already.
                ('R', Some(to)) if moved_then(&change.path, to) => continue,
                ('R', Some(to)) => FileFate::Renamed(to.clone()),
                ('D', _) => FileFate::Gone,
                // A file that is new since was not what the handoff spoke of.
                ('A' | 'C', to) => {
                    added.push(to.clone().unwrap_or_else(|| change.path.clone()));
                    continue;
                }
                _ => FileFate::Changed,
            };
            names.entry(name_of(&change.path)).or_default().push(change.path.clone());
            changes.insert(change.path.clone(), fate);
        }
        let inside = fields.and_then(|fields| fields.saved_from.dir.clone());
        let mut bases = vec![String::new()];
        bases.extend(inside.filter(|dir| dir != ".").map(|dir| format!("{dir}/")));
        let new_name = |path: &String| {
            path.rsplit_once(" -> ").map_or(path.clone(), |(_, new)| new.to_owned())
        };
        let dirty: Vec<String> = match git {
            GitToday::Tree(tree) => tree.changed.iter().map(new_name).collect(),
            _ => Vec::new(),
        };
        // Moved and not committed.
        if let GitToday::Tree(tree) = git {
            for (old, new) in tree.changed.iter().filter_map(|path| path.rsplit_once(" -> ")) {
                if !moved_then(old, new) {
                    names.entry(name_of(old)).or_default().push(old.to_owned());
                    changes.insert(old.to_owned(), FileFate::Renamed(new.to_owned()));
                }
            }
        }
        for path in &dirty {
            names.entry(name_of(path)).or_default().push(path.clone());
        }
        let own = workspace.join(HANDOFF);
        let own = own.strip_prefix(&top).map(|path| path.to_string_lossy().replace('\\', "/"));
        Self {
            bases,
            changes,
            names,
            added,
            dirty_then: fields
                .map(|fields| fields.changed.iter().map(new_name).collect())
                .unwrap_or_default(),
            dirty,
            created: handoff.map_or(Timestamp::EPOCH, |handoff| handoff.head.created),
            compared: matches!(
                git,
                GitToday::Tree(TreeToday { since: SinceThen::Same | SinceThen::Moved { .. }, .. })
            ),
            left: handoff.is_some(),
            in_git,
            own: own.unwrap_or_default(),
            files: Box::new(files),
            top,
        }
    }

    /// What became of a file; `None` if it is as it was, or nothing is known.
    pub(crate) fn of(&self, named: &str) -> Option<FileFate> {
        let path = named.trim_end_matches('/');
        // An absolute path counts if it leads into the tree.
        let path = match path.strip_prefix('/') {
            Some(_) => Path::new(path).strip_prefix(&self.top).ok()?.to_str()?,
            None => path,
        };
        let found = self.bases.iter().find_map(|base| self.at(&format!("{base}{path}")));
        if found.is_some() || self.bases.iter().any(|base| self.there(&format!("{base}{path}"))) {
            return found;
        }
        // A name alone is the changed file that is called so.
        if !path.contains('/') {
            return self.names.get(path)?.iter().find_map(|path| self.at(path));
        }
        // Git knows what there was; without it, that it is not there is all that can be said.
        (!self.in_git).then_some(FileFate::Missing)
    }

    /// What became of what lies at a path from the top.
    fn at(&self, path: &str) -> Option<FileFate> {
        let below = format!("{path}/");
        let (then, now) = (covers_of(&self.dirty_then, path), covers_of(&self.dirty, path));
        let Some(file) = (self.files)(path) else {
            return match self.changes.get(path) {
                Some(fate @ FileFate::Renamed(_)) => Some(fate.clone()),
                // Changed then, and its removal is what git still sees: it was removed then already.
                _ if then && (now || self.changes.contains_key(path)) => None,
                Some(_) => Some(FileFate::Gone),
                None => (then || now).then_some(FileFate::Gone),
            };
        };
        if file.is_dir {
            let inside = |one: &&String| one.starts_with(&below) && **one != self.own;
            let touched = |one: &String| !one.ends_with('/') && self.at(one).is_some();
            let new = |one: &String| !covers_of(&self.dirty_then, one);
            let changed = self.changes.keys().chain(&self.dirty).filter(inside).any(touched)
                || self.added.iter().filter(inside).any(new);
            return changed.then_some(FileFate::Changed);
        }
        // What was not committed then is as it was if nobody has written to it since, whether it
        // was committed or not. Where no commits can be compared, the times of files are all there is.
        let by_time = then || (self.left && !self.compared);
        let changed = match by_time {
            true => self.is_later(file),
            false => now || self.changes.contains_key(path),
        };
        changed.then_some(FileFate::Changed)
    }

    fn there(&self, path: &str) -> bool {
        (self.files)(path).is_some()
    }

    fn written_since(&self, path: &str) -> bool {
        (self.files)(path).is_some_and(|file| self.is_later(file))
    }

    /// Whether a file was written to after the handoff was left.
    fn is_later(&self, file: FileToday) -> bool {
        file.written.is_some_and(|written| written > self.created.micros())
    }

    /// Whether any file is another than it was when the handoff was left.
    pub(crate) fn tree_changed(&self) -> bool {
        let own = |path: &&String| **path != self.own;
        let by_time = |path: &str| {
            self.dirty_then.iter().any(|then| then == path)
                || (self.left && !self.compared && self.there(path))
        };
        self.changes.keys().filter(own).any(|path| self.at(path).is_some())
            || self.added.iter().filter(own).any(|path| !covers_of(&self.dirty_then, path))
            || self
                .dirty
                .iter()
                .filter(own)
                .take(200)
                .any(|path| !by_time(path) || self.written_since(path.trim_end_matches('/')))
    }
}

/// Whether a list of git's has a path, or a directory that it lies in.
fn covers_of(list: &[String], path: &str) -> bool {
    list.iter().any(|one| one == path || (one.ends_with('/') && path.starts_with(one.as_str())))
}

#[cfg(test)]
mod tests {
    use segue_core::{Draft, Fields, HandoffId, ShortId};

    use super::*;

    /// The moment at which the handoff of these tests was left, in microseconds.
    const LEFT: i64 = 1_794_700_800_000_000;

    /// A tree in memory: paths, and when each was written. What ends in a slash is a directory.
    type Tree<'a> = &'a [(&'a str, i64)];

    fn handoff(changed: &[&str]) -> Handoff {
        let created = Timestamp::from_micros(LEFT).unwrap();
        let changed = changed.iter().map(|path| (*path).to_owned()).collect();
        let fields = Fields { changed, ..Fields::default() };
        let draft = Draft { fields, extra: Vec::new(), body: "Text.\n".to_owned() };
        let id = HandoffId::new(created, (0..).find_map(ShortId::from_random).unwrap());
        Handoff::parse(draft.render(&id, created)).unwrap()
    }

    fn change(kind: char, path: &str, to: Option<&str>) -> FileChange {
        FileChange { path: path.to_owned(), kind, to: to.map(str::to_owned) }
    }

    fn moved(changed: &[&str]) -> GitToday {
        let since = SinceThen::Moved { commits: Vec::new(), ahead: 1, behind: 0 };
        let changed = changed.iter().map(|path| (*path).to_owned()).collect();
        GitToday::Tree(TreeToday { changed, since, ..TreeToday::default() })
    }

    fn fates<'a>(
        then: &[&str],
        git: &GitToday,
        changes: &[FileChange],
        tree: Tree<'a>,
    ) -> Fates<'a> {
        let of = TreeOfFates {
            top: "/top".into(),
            workspace: "/top".into(),
            in_git: !matches!(git, GitToday::None),
        };
        Fates::new(of, Some(&handoff(then)), git, changes, move |path| {
            let dir = format!("{path}/");
            let found = tree.iter().find(|(one, _)| *one == path || *one == dir)?;
            Some(FileToday { is_dir: found.0.ends_with('/'), written: Some(found.1) })
        })
    }

    #[test]
    fn the_comparison_of_two_commits_decides_over_what_was_committed() {
        let changes = [
            change('M', "a.rs", None),
            change('D', "gone.rs", None),
            change('R', "old.rs", Some("new.rs")),
            change('A', "added.rs", None),
        ];
        // Written later than the handoff, as a checkout does with every file.
        let tree =
            [("a.rs", LEFT + 1), ("same.rs", LEFT + 1), ("new.rs", LEFT + 1), ("added.rs", 0)];
        let git = moved(&[]);
        let fates = fates(&[], &git, &changes, &tree);
        assert_eq!(fates.of("a.rs"), Some(FileFate::Changed));
        assert_eq!(fates.of("/top/a.rs"), Some(FileFate::Changed));
        assert_eq!(fates.of("same.rs"), None);
        assert_eq!(fates.of("gone.rs"), Some(FileFate::Gone));
        assert_eq!(fates.of("old.rs"), Some(FileFate::Renamed("new.rs".to_owned())));
        assert_eq!(fates.of("added.rs"), None, "it is not what the handoff spoke of");
        assert_eq!(fates.of("never.rs"), None, "git knows what there was");
        assert_eq!(fates.of("/elsewhere/a.rs"), None);
        assert!(fates.tree_changed());
    }

    #[test]
    fn what_was_not_committed_then_is_told_by_its_time() {
        let git = moved(&["touched.rs", "left.rs"]);
        let tree = [("touched.rs", LEFT + 1), ("left.rs", LEFT - 1), ("committed.rs", LEFT - 1)];
        let then = ["touched.rs", "left.rs", "committed.rs", "removed.rs"];
        let changes = [change('M', "committed.rs", None)];
        let fates = fates(&then, &git, &changes, &tree);
        assert_eq!(fates.of("touched.rs"), Some(FileFate::Changed));
        assert_eq!(fates.of("left.rs"), None);
        assert_eq!(fates.of("committed.rs"), None, "committed as it was");
        assert_eq!(fates.of("removed.rs"), Some(FileFate::Gone));
    }

    #[test]
    fn what_was_removed_or_moved_then_already_is_no_news() {
        let git = moved(&["removed.rs"]);
        let then = ["removed.rs", "old.rs -> new.rs"];
        let changes = [change('R', "old.rs", Some("new.rs"))];
        let fates = fates(&then, &git, &changes, &[("new.rs", LEFT - 1)]);
        assert_eq!(fates.of("removed.rs"), None);
        assert_eq!(fates.of("old.rs"), None);
        assert_eq!(fates.of("new.rs"), None);
    }

    #[test]
    fn a_directory_changed_if_something_in_it_did() {
        let git = moved(&["src/b.rs", "HANDOFF.md"]);
        let changes = [change('A', "docs/new.md", None)];
        let tree =
            [("src/", 0), ("src/b.rs", LEFT + 1), ("docs/", 0), ("docs/new.md", 0), ("lib/", 0)];
        let fates = fates(&[], &git, &changes, &tree);
        assert_eq!(fates.of("src/"), Some(FileFate::Changed));
        assert_eq!(fates.of("docs"), Some(FileFate::Changed));
        assert_eq!(fates.of("lib"), None);
        assert_eq!(fates.of("b.rs"), Some(FileFate::Changed), "a name alone is the changed file");
    }

    #[test]
    fn without_git_only_times_tell() {
        let tree = [("a.txt", LEFT + 1), ("b.txt", LEFT - 1)];
        let fates = fates(&[], &GitToday::None, &[], &tree);
        assert_eq!(fates.of("a.txt"), Some(FileFate::Changed));
        assert_eq!(fates.of("b.txt"), None);
        assert_eq!(fates.of("dir/c.txt"), Some(FileFate::Missing));
    }

    #[test]
    fn what_segue_writes_itself_changes_no_tree() {
        let git = GitToday::Tree(TreeToday {
            changed: vec!["HANDOFF.md".to_owned()],
            since: SinceThen::Same,
            ..TreeToday::default()
        });
        assert!(!fates(&[], &git, &[], &[("HANDOFF.md", LEFT + 1)]).tree_changed());
        let git = moved(&["a.rs"]);
        assert!(fates(&[], &git, &[], &[("a.rs", LEFT + 1)]).tree_changed());
        assert!(!fates(&["a.rs"], &git, &[], &[("a.rs", LEFT - 1)]).tree_changed());
    }
}
