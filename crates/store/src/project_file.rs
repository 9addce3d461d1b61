//! `project.toml`: a project's label and every key by which it was ever recognised.
//!
//! Rewriting keeps comments and whatever a newer version put there.

use std::fs;
use std::path::Path;

use segue_core::{Key, KeyKind, ProjectId};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::atomic;
use crate::error::{IoContext, StoreError};

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
    document: DocumentMut,
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
            document,
        };
        file.add_keys(keys);
        file
    }

    pub fn parse(source: &str) -> Result<Self, ProjectFileError> {
        let document: DocumentMut = source.parse().map_err(|error: toml_edit::TomlError| {
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
        let tables = document.get("key").and_then(Item::as_array_of_tables);
        let keys = tables
            .into_iter()
            .flat_map(ArrayOfTables::iter)
            .filter_map(|table| {
                let kind = KeyKind::parse(table.get("kind")?.as_str()?)?;
                Some(Key::new(kind, table.get("value")?.as_str()?))
            })
            .collect();
        let ids = |name: &str| -> Vec<ProjectId> {
            let list = document.get(name).and_then(Item::as_array).into_iter().flatten();
            list.filter_map(|id| id.as_str()?.parse().ok()).collect()
        };
        let (also, was) = (ids("also"), ids("was"));
        Ok(Self { label, keys, also, was, document })
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
