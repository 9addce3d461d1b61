//! A copy of `fixtures/store-0.1` in a directory of the test's own, as if version 0.1.0 had worked there:
//! `fixtures/make-store-0.1` says what lies where.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use crate::ground::{Segue, TestEnv, files_below, put};

/// The user whose store it is, and the directories they worked in.
pub(super) struct OldStore {
    env: TestEnv,
    pub(super) root: PathBuf,
    /// `$SEGUE_HOME`.
    pub(super) home: PathBuf,
}

/// A line of `tree.tsv`.
struct Entry {
    mode: u32,
    is_dir: bool,
    changed: SystemTime,
    path: PathBuf,
}

impl OldStore {
    pub(super) fn copy() -> Self {
        let env = TestEnv::new();
        let made_at = fs::read_to_string(fixture().join("made-at")).unwrap();
        let temp = env.work.parent().unwrap();
        let least = temp.as_os_str().len() + 2;
        assert!(made_at.len() >= least, "{}: set TMPDIR to something shorter", temp.display());
        let padding = made_at.len() - least + 1;
        let root = temp.join("x".repeat(padding));
        let home = root.join("user/.local/share/segue");
        let this = Self { env, root, home };
        let entries = entries();
        let moved = Moved::new(&made_at, &this.root, &entries);
        for entry in &entries {
            let to = this.root.join(moved.name(&entry.path));
            if entry.is_dir {
                fs::create_dir_all(to).unwrap();
            } else {
                put(&to, moved.content(&fs::read(stored(&entry.path)).unwrap()));
            }
        }
        this.renew_identities();
        // Directories last, from below: whatever is put into one changes it.
        for entry in entries.iter().filter(|entry| !entry.is_dir).chain(entries.iter().rev()) {
            let to = this.root.join(moved.name(&entry.path));
            fs::set_permissions(&to, fs::Permissions::from_mode(entry.mode)).unwrap();
            fs::File::open(&to).unwrap().set_modified(entry.changed).unwrap();
        }
        this
    }

    /// What is trusted is known by its inode, which no copy has: here the copies are trusted. So is the
    /// store by its index, which would be made anew otherwise.
    fn renew_identities(&self) {
        let is_toml = |path: &PathBuf| path.extension() == Some("toml".as_ref());
        let index = rusqlite::Connection::open(self.home.join("index.db")).unwrap();
        for path in files_below(&self.home).into_iter().filter(is_toml) {
            let mut file: toml_edit::DocumentMut =
                fs::read_to_string(&path).unwrap().parse().unwrap();
            let Some(old) = file.get("identity").and_then(toml_edit::Item::as_str) else {
                continue;
            };
            let git_dir = Path::new(old.rsplit_once(' ').unwrap().0);
            let meta = fs::metadata(git_dir).unwrap();
            let number = match meta.created() {
                Ok(born) => {
                    let age = born.duration_since(UNIX_EPOCH).unwrap();
                    format!("{}@{}", meta.ino(), age.as_nanos())
                }
                Err(_) => format!("{}:{}", meta.dev(), meta.ino()),
            };
            let new = format!("{} {number}", git_dir.display());
            let renew = "UPDATE memory SET identity = ?2 WHERE identity = ?1";
            index.execute(renew, [old, &new]).unwrap();
            file["identity"] = toml_edit::value(new);
            put(&path, file.to_string());
        }
        let projects = self.home.join("projects");
        let meta = fs::metadata(&projects).unwrap();
        let store = format!("{} {}:{}", projects.display(), meta.dev(), meta.ino());
        let renew = "UPDATE meta SET value = ?1 WHERE key = 'store'";
        assert_eq!(index.execute(renew, [store]).unwrap(), 1);
    }

    /// A command of today's, in one of the directories.
    pub(super) fn segue(&self, dir: &str, args: &[&str]) -> Segue {
        let user = self.root.join("user");
        let call = self.env.segue(args).env("HOME", user).env("SEGUE_HOME", &self.home);
        call.dir(&self.root.join(dir))
    }

    /// Every handoff, archive and tombstone with its bytes, also those of the repository that carries its own.
    pub(super) fn memories(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let all = files_below(&self.home.join("projects")).into_iter();
        let all = all.chain(files_below(&self.root.join("team/.segue")));
        let belongs = |path: &PathBuf| {
            let path = path.to_string_lossy();
            ["/layer1/", "/layer3/", "/forgotten/"].iter().any(|part| path.contains(part))
        };
        all.filter(belongs).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }

    pub(super) fn delete_index(&self) {
        let mut files = files_below(&self.home);
        files.retain(|path| path.display().to_string().contains("/segue/index.db"));
        assert!(!files.is_empty());
        files.iter().for_each(|path| fs::remove_file(path).unwrap());
    }

    /// Files of the runs and drafts of a project whose path has this in it.
    pub(super) fn own_files(&self, part: &str) -> Vec<PathBuf> {
        let mut files = files_below(&self.home.join("projects"));
        files.retain(|path| path.to_string_lossy().contains(part));
        files
    }
}

pub(super) fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/store-0.1")
}

/// Where the fixture has a file.
fn stored(path: &Path) -> PathBuf {
    let name =
        |name: &std::ffi::OsStr| match name.to_str().and_then(|name| name.strip_prefix(".git")) {
            Some(rest) => format!("dot-git{rest}").into(),
            None => name.to_owned(),
        };
    fixture().join("root").join(path.iter().map(name).collect::<PathBuf>())
}

fn entries() -> Vec<Entry> {
    let text = fs::read_to_string(fixture().join("tree.tsv")).unwrap();
    let entry = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [mode, kind, changed, path] = fields.try_into().unwrap();
        let (seconds, fraction) = changed.split_once('.').unwrap();
        let age = Duration::new(seconds.parse().unwrap(), fraction[..9].parse().unwrap());
        Entry {
            mode: u32::from_str_radix(mode, 8).unwrap(),
            is_dir: kind == "d",
            changed: UNIX_EPOCH + age,
            path: path.into(),
        }
    };
    text.lines().map(entry).collect()
}

/// Everything that version 0.1.0 would have written otherwise elsewhere: paths, names made of them, and
/// digests of paths and of files with paths in them.
struct Moved {
    paths: Vec<(Vec<u8>, Vec<u8>)>,
    digests: HashMap<String, String>,
}

/// How many hex digits of a digest stand somewhere.
const LENGTHS: [usize; 4] = [8, 12, 16, 64];

impl Moved {
    fn new(from: &str, to: &Path, entries: &[Entry]) -> Self {
        let to = to.to_str().unwrap();
        let plain = |path: &str| path.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let pair = |from: &str, to: &str| (from.into(), to.into());
        let paths = vec![pair(from, to), pair(&plain(from), &plain(to))];
        let mut moved = Self { paths, digests: HashMap::new() };
        for entry in entries {
            let path = entry.path.to_str().unwrap();
            let (old, new) = (format!("{from}/{path}"), format!("{to}/{path}"));
            moved.digest(old.as_bytes(), new.as_bytes());
            // As memories are named: kind, NUL, value, and a number.
            let key = |path: &str| format!("path\0{path}\0\0\0\0");
            moved.digest(key(&old).as_bytes(), key(&new).as_bytes());
            if !entry.is_dir {
                let old = fs::read(stored(&entry.path)).unwrap();
                let new = moved.replace_paths(&old);
                if old != new {
                    moved.digest(&old, &new);
                }
            }
        }
        moved
    }

    fn digest(&mut self, old: &[u8], new: &[u8]) {
        let hex = |bytes: &[u8]| format!("{:x}", Sha256::digest(bytes));
        let (old, new) = (hex(old), hex(new));
        for length in LENGTHS {
            self.digests.insert(old[..length].to_owned(), new[..length].to_owned());
        }
    }

    fn replace_paths(&self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for (from, to) in &self.paths {
            assert_eq!(from.len(), to.len());
            let mut at = 0;
            while let Some(found) = bytes[at..].windows(from.len()).position(|part| part == from) {
                at += found;
                bytes[at..at + to.len()].copy_from_slice(to);
                at += to.len();
            }
        }
        bytes
    }

    fn content(&self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = self.replace_paths(bytes);
        let mut at = 0;
        while at < bytes.len() {
            let is_hex = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
            let length = bytes[at..].iter().take_while(|byte| is_hex(byte)).count();
            let word = std::str::from_utf8(&bytes[at..at + length]).unwrap();
            if let Some(new) = self.digests.get(word) {
                bytes[at..at + length].copy_from_slice(new.as_bytes());
            }
            at += length + 1;
        }
        bytes
    }

    fn name(&self, path: &Path) -> PathBuf {
        String::from_utf8(self.content(path.to_str().unwrap().as_bytes())).unwrap().into()
    }
}
