//! The digest of an imported handoff is taken from the index while its file looks the same.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs::{self, File, FileTimes};
use std::io::Write;
use std::path::{Path, PathBuf};

use segue_core::{Draft, Fields, Imported, Key, KeyKind, PayloadDigest, Timestamp};
use segue_store::{Filter, Listed, Outside, Scope, Store};

struct Imports {
    _temp: tempfile::TempDir,
    store: Store,
}

impl Imports {
    /// A store with one handoff that was imported.
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let outside = Outside { clock: || i64::MAX, progress: |_, _, _| {}, hurried: false };
        let store = Store::new(temp.path().join("home"), outside);
        let view = store.writer_view().unwrap();
        let project = store.create_project(&view, "app", &[Key::new(KeyKind::Label, "app")]);
        let imported = Imported { from: Some("bundle".to_owned()), ..Imported::default() };
        let fields = Fields { imported: Some(imported), ..Fields::default() };
        let draft = Draft { fields, body: "- one\n".to_owned(), ..Draft::default() };
        let memory = store.lock(&view, &project.unwrap()).unwrap();
        let now = Timestamp::from_micros(1_700_000_000_000_000).unwrap();
        memory.commit(&draft, now, None, &|| 0xa000_0000).unwrap();
        drop(memory);
        drop(view);
        Self { _temp: temp, store }
    }

    fn listed(&self) -> Listed {
        let ask = |view: &segue_store::View| view.listed(&Scope::All, &Filter::default());
        self.store.ask(&Scope::All, ask).unwrap().remove(0)
    }

    /// What a list says, and what the file says.
    fn digests(&self) -> (PayloadDigest, PayloadDigest) {
        let listed = self.listed();
        let read = PayloadDigest::of(&self.store.read(&listed).unwrap().payload());
        (self.store.payload_digest(&listed).unwrap(), read)
    }

    fn path(&self) -> PathBuf {
        self.listed().path
    }
}

/// Overwrites a file where it lies.
fn put(path: &Path, text: &str) {
    File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn written(path: &Path, from: &str, to: &str) -> String {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from));
    text.replace(from, to)
}

#[test]
fn an_altered_file_is_read_again() {
    let imports = Imports::new();
    let (first, read) = imports.digests();
    assert_eq!(first, read);
    let path = imports.path();
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    let in_place = |text: &str| put(&path, text);
    let restore_time = || {
        let file = File::options().append(true).open(&path).unwrap();
        file.set_times(FileTimes::new().set_modified(before)).unwrap();
    };
    // Another size, the time restored.
    in_place(&written(&path, "- one", "- three"));
    restore_time();
    let (longer, read) = imports.digests();
    assert!(longer == read && longer != first);
    // The size of before, another time.
    in_place(&written(&path, "- three", "- two"));
    let (other, read) = imports.digests();
    assert!(other == read && other != first);
    // Size and time of before in another file.
    if cfg!(unix) {
        let beside = path.with_extension("new");
        put(&beside, &written(&path, "- two", "- six"));
        fs::rename(&beside, &path).unwrap();
        restore_time();
        let (replaced, read) = imports.digests();
        assert!(replaced == read && replaced != first);
    }
}

#[test]
fn a_file_that_looks_the_same_is_not_read_for_a_list() {
    let imports = Imports::new();
    let (first, _) = imports.digests();
    let path = imports.path();
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    put(&path, &written(&path, "- one", "- two"));
    let file = File::options().append(true).open(&path).unwrap();
    file.set_times(FileTimes::new().set_modified(before)).unwrap();
    let (listed, read) = imports.digests();
    assert_eq!(listed, first, "a list trusts size, time and inode");
    assert_ne!(read, first, "whoever reads the file sees the change");
}
