//! A memory's layers, read as they lie in a directory: ours, or agent-handover's.

use std::path::{Path, PathBuf};

use segue_core::Handoff;

use crate::error::StoreError;
use crate::index::BadFile;
use crate::layers::Layers;
use crate::layout::{CURRENT_STATE, LAYER1, LAYER2, LAYER3, is_markdown, is_month};
use crate::memory::listing;

/// The layers in one directory. Nothing in it is reached through a link.
#[derive(Clone, Debug)]
pub struct MemoryDir {
    layers: Layers,
}

/// The notes of layer 1.
#[derive(Debug, Default)]
pub struct Notes {
    /// Newest first, each with its file.
    pub handoffs: Vec<(PathBuf, Handoff)>,
    /// What cannot be read.
    pub bad: Vec<BadFile>,
}

impl MemoryDir {
    pub fn at(dir: &Path) -> Self {
        Self { layers: Layers::Elsewhere(dir.to_owned()) }
    }

    /// A memory in the store, where only we write.
    pub fn own(dir: &Path) -> Self {
        Self { layers: Layers::Own(dir.to_owned()) }
    }

    /// Whether there is a layer at all.
    pub fn exists(&self) -> bool {
        [LAYER1, LAYER2, LAYER3].iter().any(|layer| self.layers.at(&[layer]).is_dir())
    }

    fn names(&self, path: &Path) -> Result<Vec<String>, StoreError> {
        self.layers.check(path)?;
        listing(path)
    }

    /// All notes.
    pub fn notes(&self) -> Result<Notes, StoreError> {
        let mut notes = Notes::default();
        let layer1 = self.layers.at(&[LAYER1]);
        for month in self.names(&layer1)?.into_iter().filter(|name| is_month(name)) {
            let dir = layer1.join(month);
            for file in self.names(&dir)?.into_iter().filter(|name| is_markdown(name)) {
                let path = dir.join(file);
                match self.layers.read_handoff(&path) {
                    Ok(handoff) => notes.handoffs.push((path, handoff)),
                    Err(error) => notes.bad.push(BadFile { path, reason: error.to_string() }),
                }
            }
        }
        notes.handoffs.sort_by(|(_, one), (_, other)| {
            let key = |handoff: &Handoff| (handoff.head.created, handoff.head.id.clone());
            key(other).cmp(&key(one))
        });
        Ok(notes)
    }

    /// How many notes a month such as `2026-11` has.
    pub fn note_count(&self, month: &str) -> Result<usize, StoreError> {
        if !is_month(month) {
            return Ok(0);
        }
        let names = self.names(&self.layers.at(&[LAYER1, month]))?;
        Ok(names.iter().filter(|name| is_markdown(name)).count())
    }

    /// The text of layer 2.
    pub fn state(&self) -> Result<Option<String>, StoreError> {
        self.text(&self.layers.at(&[LAYER2, CURRENT_STATE]))
    }

    /// The file of layer 2, if there is one.
    pub fn state_file(&self) -> Result<Option<PathBuf>, StoreError> {
        Ok(self.state()?.map(|_| self.layers.at(&[LAYER2, CURRENT_STATE])))
    }

    /// The archives of layer 3, oldest first, of exactly this tag if one is given.
    pub fn archives(&self, tag: Option<&str>) -> Result<Vec<(PathBuf, String)>, StoreError> {
        let layer3 = self.layers.at(&[LAYER3]);
        let mut found = Vec::new();
        for name in self.names(&layer3)?.into_iter().filter(|name| is_markdown(name)) {
            let tagged =
                name.get(8..).and_then(|rest| rest.strip_suffix("-archive.md")).is_some_and(
                    |has| tag.is_none_or(|tag| has == tag || has == segue_core::slug(tag)),
                );
            let path = layer3.join(name);
            if let Some(text) = tagged.then(|| self.text(&path)).transpose()?.flatten() {
                found.push((path, text));
            }
        }
        Ok(found)
    }

    fn text(&self, path: &Path) -> Result<Option<String>, StoreError> {
        match self.layers.read(path) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.io_kind() == Some(std::io::ErrorKind::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
