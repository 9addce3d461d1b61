//! What several changes of a tree, one after the other, come to in the end.

use std::collections::BTreeMap;

use super::history::FileChange;

/// What lies at a path: git's mode, and the name of the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Blob {
    pub(super) mode: String,
    pub(super) id: String,
}

impl Blob {
    /// Whether both are files, or both links, or both submodules.
    fn is_of_same_type(&self, other: &Self) -> bool {
        self.mode.get(..2) == other.mode.get(..2)
    }
}

/// A file on one side of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Side {
    pub(super) path: String,
    pub(super) blob: Blob,
}

/// What one commit did to one file. One of the sides is missing where a file came or went; a rename
/// has two paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlobChange {
    pub(super) old: Option<Side>,
    pub(super) new: Option<Side>,
}

impl BlobChange {
    fn reversed(&self) -> Self {
        Self { old: self.new.clone(), new: self.old.clone() }
    }
}

/// A file of the later tree, and its path in the earlier one if it was there.
struct Arrived {
    blob: Blob,
    origin: Option<String>,
}

/// The difference of two trees as far as the changes between them were applied. It holds the paths
/// that were touched.
#[derive(Default)]
pub(super) struct NetChange {
    before: BTreeMap<String, Blob>,
    now: BTreeMap<String, Arrived>,
}

impl NetChange {
    /// Applies the changes of one commit.
    pub(super) fn apply(&mut self, changes: &[BlobChange]) {
        let mut arrivals = Vec::new();
        // All of them happen at once: a file can take the path of one that leaves it.
        for change in changes {
            let origin = change.old.as_ref().and_then(|old| self.take(old));
            arrivals.extend(change.new.as_ref().map(|new| (new, origin)));
        }
        for (new, origin) in arrivals {
            self.now.insert(new.path.clone(), Arrived { blob: new.blob.clone(), origin });
        }
    }

    /// Takes back the changes of one commit.
    pub(super) fn apply_reversed(&mut self, changes: &[BlobChange]) {
        let reversed: Vec<BlobChange> = changes.iter().map(BlobChange::reversed).collect();
        self.apply(&reversed);
    }

    /// Takes a file from its path; where it was in the earlier tree.
    fn take(&mut self, old: &Side) -> Option<String> {
        match self.now.remove(&old.path) {
            Some(arrived) => arrived.origin,
            None => {
                self.before.entry(old.path.clone()).or_insert_with(|| old.blob.clone());
                Some(old.path.clone())
            }
        }
    }

    /// How the two trees differ, by path. What is at the same path in both is the same file.
    pub(super) fn files(self) -> Vec<FileChange> {
        let Self { before, mut now } = self;
        let mut changes = Vec::new();
        let mut gone = Vec::new();
        for (path, blob) in &before {
            match now.remove(path) {
                Some(there) if there.blob == *blob => {}
                Some(there) => {
                    let kind = if there.blob.is_of_same_type(blob) { 'M' } else { 'T' };
                    changes.push(FileChange { path: path.clone(), kind, to: None });
                }
                None => gone.push((path, blob)),
            }
        }
        // A rename that a commit shows comes before one that only the same content shows.
        let mut moved_to = |is_it: &dyn Fn(&Arrived) -> bool| {
            let path = now.iter().find(|(_, arrived)| is_it(arrived)).map(|(path, _)| path.clone());
            path.inspect(|path| drop(now.remove(path)))
        };
        let carried: Vec<Option<String>> = gone
            .iter()
            .map(|(path, _)| moved_to(&|arrived| arrived.origin.as_ref() == Some(*path)))
            .collect();
        for ((path, blob), carried) in gone.into_iter().zip(carried) {
            let to = carried.or_else(|| moved_to(&|arrived| arrived.blob == *blob));
            let kind = if to.is_some() { 'R' } else { 'D' };
            changes.push(FileChange { path: path.clone(), kind, to });
        }
        let added = now.into_keys().map(|path| FileChange { path, kind: 'A', to: None });
        changes.extend(added);
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A side, written `path=content`; a content that begins with `@` is a link's.
    fn side(text: &str) -> Option<Side> {
        let (path, id) = text.split_once('=')?;
        let mode = if id.starts_with('@') { "120000" } else { "100644" };
        let blob = Blob { mode: mode.to_owned(), id: id.to_owned() };
        Some(Side { path: path.to_owned(), blob })
    }

    /// Changes, written `old>new`.
    fn step(changes: &[&str]) -> Vec<BlobChange> {
        let sides = changes.iter().map(|change| change.split_once('>').unwrap());
        sides.map(|(old, new)| BlobChange { old: side(old), new: side(new) }).collect()
    }

    fn shown(net: NetChange) -> Vec<String> {
        let to = |to: Option<String>| to.map_or_else(String::new, |to| format!(" {to}"));
        let files = net.files().into_iter();
        files.map(|file| format!("{} {}{}", file.kind, file.path, to(file.to))).collect()
    }

    fn net(steps: &[&[&str]]) -> Vec<String> {
        let mut net = NetChange::default();
        for changes in steps {
            net.apply(&step(changes));
        }
        shown(net)
    }

    #[test]
    fn what_was_taken_back_is_no_change() {
        assert!(net(&[&["a=1>a=2"], &["a=2>a=1"]]).is_empty());
        assert!(net(&[&["a=1>"], &[">a=1"]]).is_empty());
        assert!(net(&[&[">a=1"], &["a=1>"]]).is_empty());
        assert!(net(&[&["a=1>b=1"], &["b=1>a=1"]]).is_empty());
    }

    #[test]
    fn a_file_is_followed_over_renames() {
        assert_eq!(net(&[&["a=1>b=1"], &["b=1>b=2"], &["b=2>c=3"]]), ["R a c"]);
        assert_eq!(net(&[&["a=1>b=1"], &["b=1>"]]), ["D a"]);
        assert_eq!(net(&[&[">a=1"], &["a=1>b=1"]]), ["A b"]);
    }

    #[test]
    fn the_same_content_at_another_path_is_a_rename() {
        assert_eq!(net(&[&["a=1>"], &[">b=1"]]), ["R a b"]);
        assert_eq!(net(&[&["a=1>"], &[">b=2"]]), ["D a", "A b"]);
    }

    #[test]
    fn the_same_path_is_the_same_file() {
        assert_eq!(net(&[&["a=1>b=1"], &[">a=2"]]), ["M a", "A b"]);
        assert_eq!(net(&[&["a=1>b=1", "b=2>a=2"]]), ["M a", "M b"]);
        assert_eq!(net(&[&["a=1>"], &[">a=@2"]]), ["T a"]);
    }

    #[test]
    fn changes_are_taken_back_and_others_applied() {
        let mut both = NetChange::default();
        both.apply_reversed(&step(&["a=1>b=2", ">c=1", "d=5>"]));
        both.apply(&step(&["a=1>a=3", "e=1>e=2"]));
        assert_eq!(shown(both), ["R b a", "D c", "A d", "M e"]);
    }
}
