//! Segue in the agents' own files: in, and out without a trace.

mod mended;
mod nasty;
mod places;
mod plugin;
mod touched;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::ground::{Ran, Segue, TestEnv};

/// Every file but the store's, with its bytes and permissions; directories and links too.
type Tree = BTreeMap<PathBuf, (Vec<u8>, u32)>;

/// One user's home in which agents keep their settings.
struct Home {
    env: TestEnv,
    root: PathBuf,
}

impl Home {
    fn new() -> Self {
        let env = TestEnv::new();
        let root = env.work.parent().unwrap().to_owned();
        Self { env, root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program, where no agent is on the path.
    fn command(&self, args: &[&str]) -> Segue {
        self.env.segue(args).env("PATH", "/usr/bin:/bin")
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.command(args).run()
    }

    fn done(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}{}", ran.stdout, ran.stderr);
        ran
    }

    fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        self.gather(&self.root, &mut tree);
        tree
    }

    fn gather(&self, dir: &Path, tree: &mut Tree) {
        use std::os::unix::fs::PermissionsExt;
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path == self.env.home || path.starts_with(self.path("home")) {
                continue;
            }
            let meta = fs::symlink_metadata(&path).unwrap();
            let bytes = match () {
                () if meta.is_symlink() => {
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                }
                () if meta.is_file() => fs::read(&path).unwrap(),
                () => Vec::new(),
            };
            tree.insert(path.clone(), (bytes, meta.permissions().mode()));
            if meta.is_dir() {
                self.gather(&path, tree);
            }
        }
    }
}

/// Says where two trees differ.
fn same(before: &Tree, after: &Tree, what: &str) {
    for (path, (bytes, mode)) in before {
        assert!(after.contains_key(path), "{what}: {} is gone", path.display());
        let (now, now_mode) = &after[path];
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(bytes == now, "{what}: {}\n{:?}\n{:?}", path.display(), text(bytes), text(now));
        assert_eq!(mode, now_mode, "{what}: {}", path.display());
    }
    let more: Vec<&PathBuf> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    assert!(more.is_empty(), "{what}: {more:?}");
}
