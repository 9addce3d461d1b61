//! A user's file that Segue replaces or changes is copied first, without its secrets.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use segue_lib::snapshot::SnapshotRequest;
use segue_lib::workspace::InitRequest;
use segue_lib::{Env, Segue};

fn open(root: &Path) -> Segue {
    #[expect(clippy::disallowed_methods, reason = "handoffs have the times of files")]
    let now = || SystemTime::now();
    let dir = root.join("shop");
    fs::create_dir_all(&dir).unwrap();
    let mut env = Env::new(root.join("store"), &dir, now, || getrandom::u32().unwrap());
    env.user_home = Some(root.to_owned());
    Segue::new(env)
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let (mut found, mut dirs) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() { dirs.push(path) } else { found.push(path) }
        }
    }
    found
}

/// The files of the store in which a value stands, and the copies in it.
fn stored(root: &Path, value: &str) -> (Vec<PathBuf>, Vec<Vec<u8>>) {
    let files = files_below(&root.join("store"));
    let read = |path: &PathBuf| fs::read(path).unwrap();
    let copies = files.iter().filter(|path| path.to_string_lossy().contains("/kept/")).map(read);
    let copies = copies.collect();
    let has = |path: &PathBuf| read(path).windows(value.len()).any(|at| at == value.as_bytes());
    (files.into_iter().filter(has).collect(), copies)
}

#[test]
fn a_copy_of_a_users_file_is_kept_without_its_secrets() {
    let value = ["Falke", "4421!kq"].concat();
    let words = |value: &str| {
        let text = format!("# Handoff\n\n## Current State\n\nWe go on.\n\nDB_PASSWORD={value}\n");
        [text.as_bytes(), b"caf\xe9\n"].concat()
    };
    let (file, copy) = (words(&value), words("[redacted: password]"));

    let temp = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(temp.path()).unwrap();
    let segue = open(&root);
    let path = root.join("shop/HANDOFF.md");
    put(&path, &file);
    let outcome = segue.snapshots().take(&SnapshotRequest::default()).unwrap();
    let told = "the copy of HANDOFF.md: taken out before it was saved: 1 secret (password)";
    assert!(outcome.warnings.iter().any(|warning| warning == told), "{:?}", outcome.warnings);
    assert_eq!(stored(&root, &value), (Vec::new(), vec![copy.clone()]));
    // The file itself is the user's: it loses nothing.
    let there = fs::read(&path).unwrap();
    assert!(there.windows(value.len()).any(|at| at == value.as_bytes()), "{there:?}");

    let temp = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(temp.path()).unwrap();
    let segue = open(&root);
    for name in ["SOUL.md", "MEMORY.md", "HANDOFF.md"] {
        put(&root.join("shop").join(name), &file);
    }
    let mut request = InitRequest::new("x");
    request.force = true;
    let outcome = segue.workspace().init(&request).unwrap();
    assert_eq!(outcome.warnings.len(), 3, "{:?}", outcome.warnings);
    assert_eq!(stored(&root, &value), (Vec::new(), vec![copy; 3]));
}

/// Writes a file that Segue finds.
fn put(path: &Path, bytes: impl AsRef<[u8]>) {
    std::io::Write::write_all(&mut fs::File::create(path).unwrap(), bytes.as_ref()).unwrap();
}
