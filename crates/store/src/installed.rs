//! `installed/`: what was put into files of other programs, and what those were before.
//!
//! For each file a record, the bytes as they were at first (`.original`), and, if somebody changed the
//! file since, what it would be now without us (`.base`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use segue_core::{Timestamp, digest};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Value, value};

use crate::atomic;
use crate::error::{IoContext, StoreError};
use crate::memory::listing;
use crate::store::{Store, Turn};

const VERSION: i64 = 1;
const RECORD: &str = ".toml";
const ORIGINAL: &str = ".original";
const BASE: &str = ".base";
/// Directories that were made for files of ours.
const MADE: &str = "directories";

/// What of ours is in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The file itself, not a link to it.
    pub path: PathBuf,
    /// Whether the file is there only because of us.
    pub created: bool,
    /// The digest of what was written last.
    pub wrote: String,
    /// The digest of what is to be there again when nothing of ours is.
    pub base: Option<String>,
    pub parts: Vec<InstalledPart>,
    /// When it was first changed.
    pub since: Option<Timestamp>,
}

/// For whom something was put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledPart {
    pub agent: String,
    pub part: String,
    pub scope: String,
}

impl Installed {
    fn parse(source: &str) -> Option<Self> {
        let document: DocumentMut = source.parse().ok()?;
        let text = |name: &str| document.get(name).and_then(Item::as_str).map(str::to_owned);
        let part = |value: &Value| {
            let table = value.as_inline_table()?;
            let text = |name: &str| Some(table.get(name)?.as_str()?.to_owned());
            Some(InstalledPart {
                agent: text("agent")?,
                part: text("part")?,
                scope: text("scope")?,
            })
        };
        let parts = document.get("parts").and_then(Item::as_array);
        Some(Self {
            path: text("path")?.into(),
            created: document.get("created").and_then(Item::as_bool).unwrap_or_default(),
            wrote: text("wrote")?,
            base: text("base"),
            parts: parts.into_iter().flatten().filter_map(part).collect(),
            since: text("since").and_then(|time| time.parse().ok()),
        })
    }

    fn render(&self) -> String {
        let mut document = DocumentMut::new();
        document["segue"] = value(VERSION);
        document["path"] = value(self.path.to_string_lossy().as_ref());
        document["created"] = value(self.created);
        document["wrote"] = value(&self.wrote);
        if let Some(base) = &self.base {
            document["base"] = value(base);
        }
        if let Some(since) = self.since {
            document["since"] = value(since.to_string());
        }
        let mut parts = Array::new();
        for part in &self.parts {
            let mut table = InlineTable::new();
            table.insert("agent", part.agent.as_str().into());
            table.insert("part", part.part.as_str().into());
            table.insert("scope", part.scope.as_str().into());
            parts.push(table);
        }
        document["parts"] = value(parts);
        document.to_string()
    }
}

impl Store {
    fn installed_file(&self, path: &Path, ending: &str) -> PathBuf {
        let name = &digest(&path.to_string_lossy())[..16];
        self.layout.installed().join(format!("{name}{ending}"))
    }

    /// One's turn to change files of other programs.
    pub fn install_turn(&self) -> Result<Turn, StoreError> {
        let dir = self.layout.installed();
        atomic::create_dirs(&dir)?;
        Turn::take(&dir.join(".lock"))
    }

    /// The record of a file. One that cannot be read is none.
    pub fn installed(&self, path: &Path) -> Option<Installed> {
        let source = fs::read_to_string(self.installed_file(path, RECORD)).ok()?;
        Installed::parse(&source).filter(|record| record.path == path)
    }

    /// Every record, by path.
    pub fn all_installed(&self) -> Result<Vec<Installed>, StoreError> {
        let dir = self.layout.installed();
        let names = listing(&dir)?.into_iter().filter(|name| name.ends_with(RECORD));
        let read = |name: String| Installed::parse(&fs::read_to_string(dir.join(name)).ok()?);
        let mut all: Vec<Installed> = names.filter_map(read).collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(all)
    }

    /// What a file is to be again when nothing of ours is in it; `None` if that is not known, or if
    /// it was not there.
    pub fn installed_base(&self, record: &Installed) -> Option<String> {
        let wanted = record.base.as_ref()?;
        [BASE, ORIGINAL].into_iter().find_map(|ending| {
            let text = fs::read_to_string(self.installed_file(&record.path, ending)).ok()?;
            (digest(&text) == *wanted).then_some(text)
        })
    }

    /// Notes what is about to be written into a file. The first time, its bytes are kept as they are;
    /// `base` is what is to be there again, if that is something else.
    pub fn note_installed(
        &self,
        record: &Installed,
        original: Option<&str>,
        base: Option<&str>,
    ) -> Result<(), StoreError> {
        atomic::create_dirs(&self.layout.installed())?;
        let kept = self.installed_file(&record.path, ORIGINAL);
        if let Some(original) = original.filter(|_| !kept.exists()) {
            atomic::replace_itself(&kept, original.as_bytes())?;
        }
        let is_kept = |base: &str| fs::read(&kept).is_ok_and(|bytes| bytes == base.as_bytes());
        if let Some(base) = base.filter(|base| !is_kept(base)) {
            atomic::replace_itself(&self.installed_file(&record.path, BASE), base.as_bytes())?;
        }
        let path = self.installed_file(&record.path, RECORD);
        atomic::replace_itself(&path, record.render().as_bytes())
    }

    /// Forgets a file in which nothing of ours is any more. The record goes first: without it the rest
    /// means nothing.
    pub fn forget_installed(&self, path: &Path) -> Result<(), StoreError> {
        for ending in [RECORD, BASE, ORIGINAL] {
            let path = self.installed_file(path, ending);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(error).at("remove", &path);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Notes directories that were made.
    pub fn note_made(&self, made: &[PathBuf]) -> Result<(), StoreError> {
        match made {
            [] => Ok(()),
            _ => self.write_made(self.made().into_iter().chain(made.iter().cloned())),
        }
    }

    fn made(&self) -> Vec<PathBuf> {
        let text = fs::read_to_string(self.layout.installed().join(MADE));
        text.unwrap_or_default().lines().map(PathBuf::from).collect()
    }

    fn write_made(&self, dirs: impl Iterator<Item = PathBuf>) -> Result<(), StoreError> {
        let mut lines: Vec<String> = dirs.map(|dir| dir.to_string_lossy().into_owned()).collect();
        lines.sort();
        lines.dedup();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        atomic::replace_itself(&self.layout.installed().join(MADE), text.as_bytes())
    }

    /// Removes directories that were made for files of ours and are empty.
    pub fn sweep_made(&self) -> Result<(), StoreError> {
        let mut dirs = self.made();
        if dirs.is_empty() {
            return Ok(());
        }
        let records = self.all_installed()?;
        dirs.sort_by_key(|dir| std::cmp::Reverse(dir.components().count()));
        // What is not empty because of something else is not ours any more.
        dirs.retain(|dir| {
            fs::remove_dir(dir).is_err()
                && dir.is_dir()
                && records.iter().any(|record| record.path.starts_with(dir))
        });
        self.write_made(dirs.into_iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_are_kept_and_what_came_later_too() {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        let store = Store::new(
            root.join("home"),
            crate::Outside { clock: || 0, progress: |_, _, _| {}, hurried: false },
        );
        let path = root.join("settings.json");
        assert_eq!(store.installed(&path), None);
        let part =
            InstalledPart { agent: "codex".into(), part: "hooks".into(), scope: "user".into() };
        let mut record = Installed {
            path: path.clone(),
            created: false,
            wrote: digest("ours"),
            base: Some(digest("first")),
            parts: vec![part],
            since: Timestamp::from_micros(1_000_000),
        };
        store.note_installed(&record, Some("first"), Some("first")).unwrap();
        assert_eq!(store.installed(&path), Some(record.clone()));
        assert_eq!(store.installed_base(&record).as_deref(), Some("first"));
        record.base = Some(digest("second"));
        store.note_installed(&record, Some("second"), Some("second")).unwrap();
        assert_eq!(store.installed_base(&record).as_deref(), Some("second"));
        assert_eq!(fs::read(store.installed_file(&path, ORIGINAL)).unwrap(), b"first");
        assert_eq!(store.all_installed().unwrap(), [record]);
        let (outer, inner) = (root.join("a"), root.join("a/b"));
        fs::create_dir_all(&inner).unwrap();
        store.note_made(&[outer.clone(), inner.clone()]).unwrap();
        store.sweep_made().unwrap();
        assert!(!outer.exists() && store.made().is_empty());
        store.forget_installed(&path).unwrap();
        store.forget_installed(&path).unwrap();
        assert_eq!(store.all_installed().unwrap(), []);
    }
}
