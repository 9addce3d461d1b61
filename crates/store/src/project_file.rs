//! `project.toml`: a project's label and every key by which it was ever recognised; or where the
//! layers of a memory lie, if not beside it.
//!
//! Rewriting keeps comments and whatever a newer version put there.

use std::fs;
use std::path::{Path, PathBuf};

use segue_core::{Key, KeyKind, ProjectId};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::atomic;
use crate::error::{IoContext, StoreError};
use crate::layers::identity_of;

const VERSION: i64 = 1;

/// The content of a `project.toml`.
#[derive(Clone, Debug)]
pub struct ProjectFile {
    pub label: String,
    pub keys: Vec<Key>,
    /// Other memories that hold handoffs saved from this project's directories.
    pub also: Vec<ProjectId>,
    /// Projects that were linked into this one; handoffs filed under labels still name them.
    pub was: Vec<ProjectId>,
    /// Memories that belong to this project wholly.
    pub includes: Vec<ProjectId>,
    /// Where the layers lie, if not beside this file. Such a memory identifies no directory.
    pub attached: Option<Attached>,
    document: DocumentMut,
}

/// Layers that lie somewhere in the user's trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// The directory.
    pub at: PathBuf,
    /// What lay there when it was trusted.
    pub identity: Option<String>,
    /// Whether the user trusts what it says.
    pub trusted: bool,
}

impl Attached {
    /// Whether what lies there now is what the user trusted.
    pub fn standing(&self) -> Standing {
        if !self.trusted {
            return Standing::Untrusted;
        }
        match identity_of(&self.at) {
            Ok(identity) if Some(&identity) == self.identity.as_ref() => Standing::Trusted,
            _ => Standing::Changed,
        }
    }
}

/// How layers in the user's trees stand today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Trusted,
    Untrusted,
    /// Trusted, but another repository or directory lies there now, or none.
    Changed,
}

/// Why a `project.toml` cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProjectFileError {
    #[error("it is not TOML: {0}")]
    Syntax(String),
    #[error("it has no '{0}'")]
    Missing(&'static str),
    #[error("it is not UTF-8")]
    NotUtf8,
}

impl ProjectFile {
    /// A new project.
    pub fn new(label: &str, keys: &[Key]) -> Self {
        let mut document = DocumentMut::new();
        document["segue"] = value(VERSION);
        document["label"] = value(label);
        let mut file = Self {
            label: label.to_owned(),
            keys: Vec::new(),
            also: Vec::new(),
            was: Vec::new(),
            includes: Vec::new(),
            attached: None,
            document,
        };
        file.add_keys(keys);
        file
    }

    /// A memory whose layers lie elsewhere.
    pub(crate) fn new_attached(label: &str, attached: &Attached) -> Self {
        let mut file = Self::new(label, &[]);
        file.attach(attached);
        file
    }

    pub fn parse(source: &str) -> Result<Self, ProjectFileError> {
        let mut document: DocumentMut = source.parse().map_err(|error: toml_edit::TomlError| {
            ProjectFileError::Syntax(error.message().to_owned())
        })?;
        if document.get("segue").and_then(Item::as_integer).is_none() {
            return Err(ProjectFileError::Missing("segue"));
        }
        let label = document
            .get("label")
            .and_then(Item::as_str)
            .ok_or(ProjectFileError::Missing("label"))?
            .to_owned();
        let tables = document.get_mut("key").and_then(Item::as_array_of_tables_mut);
        let keys = tables
            .into_iter()
            .flat_map(ArrayOfTables::iter_mut)
            .filter_map(|table| {
                let kind = KeyKind::parse(table.get("kind")?.as_str()?)?;
                let written = table.get("value")?.as_str()?;
                let key = Key::new(kind, written);
                // A secret that an older version wrote goes with the next change.
                if key.value != written {
                    table["value"] = value(key.value.as_str());
                }
                Some(key)
            })
            .collect();
        let ids = |name: &str| -> Vec<ProjectId> {
            let list = document.get(name).and_then(Item::as_array).into_iter().flatten();
            list.filter_map(|id| id.as_str()?.parse().ok()).collect()
        };
        let (also, was, includes) = (ids("also"), ids("was"), ids("includes"));
        let text = |name: &str| document.get(name).and_then(Item::as_str).map(str::to_owned);
        let attached = text("at").map(|at| Attached {
            at: PathBuf::from(at),
            identity: text("identity"),
            trusted: document.get("trusted").and_then(Item::as_bool).unwrap_or(false),
        });
        let keys = if attached.is_some() { Vec::new() } else { keys };
        Ok(Self { label, keys, also, was, includes, attached, document })
    }

    /// Reads the file of a memory.
    pub(crate) fn read(path: &Path) -> Result<Self, StoreError> {
        let bytes = fs::read(path).at("read", path)?;
        let bad = |source| StoreError::BadProject { path: path.to_owned(), source };
        let source = String::from_utf8(bytes).map_err(|_| bad(ProjectFileError::NotUtf8))?;
        Self::parse(&source).map_err(bad)
    }

    /// Writes the file, unless a newer version of Segue made it.
    pub(crate) fn write(&self, path: &Path) -> Result<(), StoreError> {
        if self.is_newer() {
            return Err(StoreError::NewerVersion { path: path.to_owned() });
        }
        atomic::replace(path, self.render().as_bytes())
    }

    /// Whether a newer version of Segue made it; then it is read and never rewritten.
    pub fn is_newer(&self) -> bool {
        self.document
            .get("segue")
            .and_then(Item::as_integer)
            .is_some_and(|version| version > VERSION)
    }

    pub fn render(&self) -> String {
        self.document.to_string()
    }

    /// Adds keys that are not there yet; says whether any was.
    pub fn add_keys(&mut self, keys: &[Key]) -> bool {
        let new: Vec<Key> = keys.iter().filter(|key| !self.keys.contains(key)).cloned().collect();
        if new.is_empty() {
            return false;
        }
        let tables =
            self.document.entry("key").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        // Something else by that name is somebody's: it is left alone.
        let Some(tables) = tables.as_array_of_tables_mut() else { return false };
        for key in new {
            let mut table = Table::new();
            table["kind"] = value(key.kind.as_str());
            table["value"] = value(key.value.as_str());
            tables.push(table);
            self.keys.push(key);
        }
        true
    }

    /// Removes keys; says whether any was there.
    pub fn remove_keys(&mut self, keys: &[Key]) -> bool {
        let before = self.keys.len();
        self.keys.retain(|key| !keys.contains(key));
        if let Some(tables) = self.document.get_mut("key").and_then(Item::as_array_of_tables_mut) {
            tables.retain(|table| {
                let text = |name: &str| table.get(name).and_then(Item::as_str).unwrap_or("");
                !keys
                    .iter()
                    .any(|key| key.kind.as_str() == text("kind") && key.value == text("value"))
            });
        }
        self.keys.len() != before
    }

    /// Notes another memory that holds handoffs saved from here; says whether it was new.
    pub fn add_also(&mut self, other: &ProjectId) -> bool {
        add_id(&mut self.document, "also", &mut self.also, other)
    }

    /// Notes a project that was linked into this one; says whether it was new.
    pub fn add_was(&mut self, other: &ProjectId) -> bool {
        add_id(&mut self.document, "was", &mut self.was, other)
    }

    /// Notes a memory that belongs to this project wholly; says whether it was new.
    pub fn add_include(&mut self, memory: &ProjectId) -> bool {
        add_id(&mut self.document, "includes", &mut self.includes, memory)
    }

    /// Takes it back; says whether it was there.
    pub fn remove_include(&mut self, memory: &ProjectId) -> bool {
        let before = self.includes.len();
        self.includes.retain(|id| id != memory);
        if let Some(list) = self.document.get_mut("includes").and_then(Item::as_array_mut) {
            list.retain(|id| id.as_str() != Some(memory.as_str()));
        }
        self.includes.len() != before
    }

    /// Says where the layers lie; says whether that was new.
    pub(crate) fn attach(&mut self, attached: &Attached) -> bool {
        if self.attached.as_ref() == Some(attached) {
            return false;
        }
        // A path that is no text was refused before.
        self.document["at"] = value(attached.at.to_string_lossy().as_ref());
        match &attached.identity {
            Some(identity) => self.document["identity"] = value(identity),
            None => _ = self.document.remove("identity"),
        }
        self.document["trusted"] = value(attached.trusted);
        self.attached = Some(attached.clone());
        true
    }
}

fn add_id(
    document: &mut DocumentMut,
    name: &str,
    ids: &mut Vec<ProjectId>,
    id: &ProjectId,
) -> bool {
    if ids.contains(id) {
        return false;
    }
    let list = document.entry(name).or_insert(value(toml_edit::Array::new()));
    // Something else by that name is somebody's: it is left alone.
    let Some(list) = list.as_array_mut() else { return false };
    list.push(id.as_str());
    ids.push(id.clone());
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_unknown_stays() {
        let source = "# mine\nsegue = 1\nlabel = \"todo\"\nfuture = { a = 1 } # kept\n\n[[key]]\nkind = \"path\"\nvalue = \"/a\"\n\n[[key]]\nkind = \"star-sign\"\nvalue = \"leo\"\n";
        let mut file = ProjectFile::parse(source).unwrap();
        assert_eq!(file.keys, [Key::new(KeyKind::Path, "/a")]);
        assert_eq!(file.render(), source);
        let other: ProjectId = "other-12345678".parse().unwrap();
        assert!(file.add_keys(&[
            Key::new(KeyKind::Origin, "github.com/x/y"),
            Key::new(KeyKind::Path, "/a")
        ]));
        assert!(file.add_also(&other) && !file.add_also(&other));
        let text = file.render();
        assert!(
            text.contains("# mine")
                && text.contains("star-sign")
                && text.contains("future = { a = 1 } # kept")
        );
        let read = ProjectFile::parse(&text).unwrap();
        assert_eq!((read.keys.len(), read.also), (2, vec![other]));
        assert!(file.remove_keys(&[Key::new(KeyKind::Path, "/a")]));
        assert_eq!(
            ProjectFile::parse(&file.render()).unwrap().keys,
            [Key::new(KeyKind::Origin, "github.com/x/y")]
        );
    }

    #[test]
    fn a_secret_in_an_old_origin_is_known_and_written_without_it() {
        let token = ["ghp_", "zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"].concat();
        let origin = format!("git.example.org/{token}/app");
        let source = format!(
            "segue = 1\nlabel = \"app\"\n\n[[key]]\nkind = \"origin\"\nvalue = \"{origin}\"\n"
        );
        let mut file = ProjectFile::parse(&source).unwrap();
        let key = Key::new(KeyKind::Origin, origin.as_str());
        assert_eq!(key.value, "git.example.org/[redacted: github token]/app");
        assert_eq!(file.keys, std::slice::from_ref(&key));
        assert!(!file.add_keys(std::slice::from_ref(&key)), "it is known");
        assert_eq!(file.render(), source.replace(&token, "[redacted: github token]"));
        assert!(file.remove_keys(&[key]) && !file.render().contains("origin"));
    }

    #[test]
    fn layers_elsewhere_come_with_no_keys() {
        let attached = Attached {
            at: PathBuf::from("/work/app/.segue"),
            identity: Some("/work/app/.git 7@8".to_owned()),
            trusted: true,
        };
        let file = ProjectFile::new_attached("app", &attached);
        let text = file.render() + "\n[[key]]\nkind = \"path\"\nvalue = \"/home\"\n";
        let mut read = ProjectFile::parse(&text).unwrap();
        assert_eq!((read.keys.len(), read.attached.as_ref()), (0, Some(&attached)));
        assert!(!read.attach(&attached));
        let distrusted = Attached { identity: None, trusted: false, ..attached };
        assert!(read.attach(&distrusted));
        assert_eq!(ProjectFile::parse(&read.render()).unwrap().attached, Some(distrusted));
        let memory: ProjectId = "app-segue-12345678".parse().unwrap();
        let mut project = ProjectFile::new("app", &[]);
        assert!(project.add_include(&memory) && !project.add_include(&memory));
        assert_eq!(
            ProjectFile::parse(&project.render()).unwrap().includes,
            std::slice::from_ref(&memory)
        );
        assert!(project.remove_include(&memory) && !project.remove_include(&memory));
        assert_eq!(ProjectFile::parse(&project.render()).unwrap().includes, []);
    }

    #[test]
    fn damage_is_named() {
        assert!(matches!(ProjectFile::parse("label = "), Err(ProjectFileError::Syntax(_))));
        assert_eq!(
            ProjectFile::parse("segue = 1").unwrap_err(),
            ProjectFileError::Missing("label")
        );
        assert_eq!(
            ProjectFile::parse("label = 'x'").unwrap_err(),
            ProjectFileError::Missing("segue")
        );
        assert!(ProjectFile::parse("segue = 9\nlabel = 'x'").unwrap().is_newer());
    }

    proptest! {
        #[test]
        fn labels_and_keys_of_any_text_come_back(label: String, keys in prop::collection::vec(any::<String>(), 0..4)) {
            let keys: Vec<Key> = keys.into_iter().map(|text| Key::new(KeyKind::Path, text)).collect();
            let file = ProjectFile::new(&label, &keys);
            let read = ProjectFile::parse(&file.render()).unwrap();
            prop_assert_eq!(read.label, label);
            prop_assert_eq!(read.keys, file.keys);
        }

        #[test]
        fn no_input_panics(source: String) {
            let _ = ProjectFile::parse(&source);
        }
    }
}
