//! `trusted/<8 hex>.toml`: repositories that the user trusts, one file each.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use segue_core::{Timestamp, digest};
use toml_edit::{DocumentMut, Item, value};

use crate::atomic;
use crate::error::{IoContext, StoreError};
use crate::memory::listing;
use crate::platform;
use crate::store::Store;

const VERSION: i64 = 1;

/// A repository that the user trusts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustRecord {
    /// The top of the work tree in which it was said.
    pub path: PathBuf,
    /// Git's directory, common to all worktrees.
    pub git_dir: PathBuf,
    /// What lay there then.
    pub identity: String,
    /// When it was said.
    pub since: Option<Timestamp>,
}

impl TrustRecord {
    /// A record of what lies there now.
    pub fn new(path: &Path, git_dir: &Path, now: Timestamp) -> Result<Self, StoreError> {
        let identity = platform::lasting_identity(git_dir).at("read", git_dir)?;
        let (path, git_dir) = (path.to_owned(), git_dir.to_owned());
        Ok(Self { path, git_dir, identity, since: Some(now) })
    }

    /// Whether the same still lies there.
    pub fn holds(&self) -> bool {
        platform::lasting_identity(&self.git_dir).is_ok_and(|identity| identity == self.identity)
    }

    fn parse(source: &str) -> Option<Self> {
        let document: DocumentMut = source.parse().ok()?;
        let text = |name: &str| document.get(name).and_then(Item::as_str);
        Some(Self {
            path: text("path")?.into(),
            git_dir: text("git_dir")?.into(),
            identity: text("identity")?.to_owned(),
            since: text("since").and_then(|time| time.parse().ok()),
        })
    }

    fn render(&self) -> String {
        let mut document = DocumentMut::new();
        document["segue"] = value(VERSION);
        document["path"] = value(self.path.to_string_lossy().as_ref());
        document["git_dir"] = value(self.git_dir.to_string_lossy().as_ref());
        document["identity"] = value(&self.identity);
        if let Some(since) = self.since {
            document["since"] = value(since.to_string());
        }
        document.to_string()
    }
}

impl Store {
    fn trust_file(&self, git_dir: &Path) -> PathBuf {
        let name = &digest(&git_dir.to_string_lossy())[..8];
        self.layout.trusted().join(format!("{name}.toml"))
    }

    /// The record of the repository with this git directory. One that cannot be read is none.
    pub fn trust_record(&self, git_dir: &Path) -> Option<TrustRecord> {
        read(&self.trust_file(git_dir)).filter(|record| record.git_dir == git_dir)
    }

    /// Every record, by path.
    pub fn trust_records(&self) -> Result<Vec<TrustRecord>, StoreError> {
        let dir = self.layout.trusted();
        let names = listing(&dir)?.into_iter().filter(|name| name.ends_with(".toml"));
        let mut found: Vec<TrustRecord> = names.filter_map(|name| read(&dir.join(name))).collect();
        found.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    pub fn write_trust(&self, record: &TrustRecord) -> Result<(), StoreError> {
        let path = self.trust_file(&record.git_dir);
        atomic::create_dirs(&self.layout.trusted())?;
        atomic::replace(&path, record.render().as_bytes())
    }

    /// Takes trust back; says whether it was there.
    pub fn remove_trust(&self, git_dir: &Path) -> Result<bool, StoreError> {
        let path = self.trust_file(git_dir);
        match fs::remove_file(&path) {
            Ok(()) => {
                let dir = self.layout.trusted();
                platform::sync_dir(&dir).at("sync", &dir)?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error).at("remove", &path),
        }
    }
}

fn read(path: &Path) -> Option<TrustRecord> {
    TrustRecord::parse(&fs::read_to_string(path).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_holds_for_what_lay_there() {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        let git = root.join("app/.git");
        fs::create_dir_all(&git).unwrap();
        let store = Store::new(
            root.join("home"),
            crate::Outside { clock: || 0, progress: |_, _, _| {}, hurried: false },
        );
        assert_eq!(store.trust_record(&git), None);
        assert_eq!(store.trust_records().unwrap(), []);
        let now = Timestamp::from_micros(1_000_000).unwrap();
        let record = TrustRecord::new(&root.join("app"), &git, now).unwrap();
        store.write_trust(&record).unwrap();
        assert_eq!(store.trust_record(&git), Some(record.clone()));
        assert_eq!(store.trust_records().unwrap(), std::slice::from_ref(&record));
        assert!(record.holds());
        fs::rename(&git, root.join("old")).unwrap();
        assert!(!record.holds());
        fs::create_dir(&git).unwrap();
        assert!(!record.holds());
        assert!(store.remove_trust(&git).unwrap() && !store.remove_trust(&git).unwrap());
    }
}
