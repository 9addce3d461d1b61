//! Layer 3 on disk: moving handoffs into a month's archive, whole.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use segue_core::{Archive, ArchivedEntry, Draft, Handoff, HandoffId, Head, Timestamp};

use crate::atomic;
use crate::error::{IoContext, StoreError};
use crate::index::Listed;
use crate::layers::Layers;
use crate::layout::{LAYER3, is_markdown};
use crate::memory::{LockedMemory, listing};
use crate::platform;

/// What `gc` would archive.
#[derive(Debug, Default)]
pub struct GcPlan {
    pub expired: Vec<Listed>,
    /// Temporary files that a killed process left, older than a day.
    pub stale: Vec<PathBuf>,
}

/// What `gc` did.
#[derive(Debug, Default)]
pub struct GcResult {
    pub archived: u64,
    pub swept: u64,
    /// Archives that could not be extended; their handoffs stay where they were.
    pub failed: Vec<StoreError>,
}

impl LockedMemory<'_> {
    /// Moves handoffs of layer 1 into their archives: archive first, then the files go.
    ///
    /// `wanted` is asked of what its file says now; what is not wanted stays where it is.
    pub fn archive(&self, targets: &[&Listed], wanted: &dyn Fn(&Head) -> bool) -> GcResult {
        let mut groups: BTreeMap<(String, String), Vec<&Listed>> = BTreeMap::new();
        for target in targets.iter().filter(|target| target.archived.is_none()) {
            let month = target
                .path
                .parent()
                .and_then(Path::file_name)
                .map(|name| name.to_string_lossy().into_owned());
            groups
                .entry((month.unwrap_or_default(), target.head.fields.file_tag()))
                .or_default()
                .push(target);
        }
        let mut result = GcResult::default();
        for ((month, tag), group) in groups {
            match self.archive_group(&month, &tag, &group, wanted) {
                Ok(count) => result.archived += count,
                Err(error) => result.failed.push(error),
            }
        }
        result
    }

    fn archive_group(
        &self,
        month: &str,
        tag: &str,
        group: &[&Listed],
        wanted: &dyn Fn(&Head) -> bool,
    ) -> Result<u64, StoreError> {
        let path = self.layers.at(&[LAYER3, &format!("{month}-{tag}-archive.md")]);
        let mut archive = read_archive(&self.layers, &path)?;
        let mut files = Vec::new();
        for target in group {
            // Read now, under the lock: what is archived is what lies there.
            match self.layers.read_handoff(&target.path) {
                Ok(handoff) if !wanted(&handoff.head) => {}
                Ok(handoff) => {
                    let file = target
                        .path
                        .file_name()
                        .map(|name| name.to_string_lossy().into_owned())
                        .unwrap_or_default();
                    let entry = ArchivedEntry {
                        id: handoff.head.id.clone(),
                        file,
                        source: handoff.source().to_owned(),
                        offset: 0,
                        gap: String::new(),
                    };
                    add(&mut archive, entry, &target.path)?;
                    files.push(&target.path);
                }
                Err(StoreError::Io { source, .. })
                    if source.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        if files.is_empty() {
            return Ok(0);
        }
        self.layers.create_dirs(&self.layers.at(&[LAYER3]))?;
        self.layers.replace(&path, archive.render(month, tag).as_bytes())?;
        for file in &files {
            self.layers.remove_file(file)?;
        }
        if let Some(dir) = files.first().and_then(|file| file.parent()) {
            platform::sync_dir(dir).at("sync", dir)?;
        }
        Ok(files.len() as u64)
    }

    /// Whether a draft's handoff of this id lies in its archive.
    pub(crate) fn is_archived(
        &self,
        draft: &Draft,
        id: &HandoffId,
        created: Timestamp,
    ) -> Result<bool, StoreError> {
        let path = self.archive_of(draft, created);
        Ok(read_archive(&self.layers, &path)?.get(id).is_some())
    }

    fn archive_of(&self, draft: &Draft, created: Timestamp) -> PathBuf {
        let file = format!("{}-{}-archive.md", created.month(), draft.fields.file_tag());
        self.layers.at(&[LAYER3, &file])
    }

    /// Writes a handoff right into its archive. One of this id that lies there stays.
    pub fn archive_text(
        &self,
        draft: &Draft,
        id: &HandoffId,
        created: Timestamp,
    ) -> Result<(), StoreError> {
        let path = self.archive_of(draft, created);
        let mut archive = read_archive(&self.layers, &path)?;
        if archive.get(id).is_some() {
            return Ok(());
        }
        let source = draft.render(id, created);
        Handoff::parse(source.clone())
            .map_err(|source| StoreError::BadHandoff { path: path.clone(), source })?;
        let file = self.place_of(draft, id, created);
        let file = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        archive.add(ArchivedEntry { id: id.clone(), file, source, offset: 0, gap: String::new() });
        self.layers.create_dirs(&self.layers.at(&[LAYER3]))?;
        let (month, tag) = month_and_tag(&path);
        self.layers.replace(&path, archive.render(&month, &tag).as_bytes())
    }

    /// Removes a handoff from whatever archive it lies in.
    pub(crate) fn remove_from_archives(&self, id: &HandoffId) -> Result<(), StoreError> {
        let layer3 = self.layers.at(&[LAYER3]);
        self.layers.check(&layer3)?;
        for file in listing(&layer3)?.into_iter().filter(|name| is_markdown(name)) {
            let path = layer3.join(file);
            // A damaged archive that has nothing to do with it is no reason to refuse.
            let source = self.layers.read(&path)?;
            if !String::from_utf8_lossy(&source).contains(id.as_str()) {
                continue;
            }
            let mut archive = read_archive(&self.layers, &path)?;
            if archive.get(id).is_none() {
                continue;
            }
            archive.remove(id);
            if archive.entries.is_empty() && archive.is_bare() {
                self.layers.remove_file(&path)?;
                platform::sync_dir(&layer3).at("sync", &layer3)?;
            } else {
                let (month, tag) = month_and_tag(&path);
                self.layers.replace(&path, archive.render(&month, &tag).as_bytes())?;
            }
        }
        Ok(())
    }

    pub(crate) fn move_archives_into(&self, other: &LockedMemory<'_>) -> Result<u64, StoreError> {
        let mut moved = 0;
        for file in listing(&self.dir.join(LAYER3))?.into_iter().filter(|name| is_markdown(name)) {
            let (from, to) =
                (self.dir.join(LAYER3).join(&file), other.dir.join(LAYER3).join(&file));
            atomic::create_dirs(&other.dir.join(LAYER3))?;
            let mut archive = read_archive(&other.layers, &to)?;
            let old = read_archive(&self.layers, &from)?;
            // What somebody wrote around the handoffs comes along.
            if archive.head.is_empty() {
                archive.head = old.head;
            } else {
                archive.head.push_str(&Archive::foreign(&old.head));
            }
            for entry in old.entries {
                add(&mut archive, entry, &from)?;
                moved += 1;
            }
            let (month, tag) = month_and_tag(&to);
            atomic::replace(&to, archive.render(&month, &tag).as_bytes())?;
            fs::remove_file(&from).at("remove", &from)?;
        }
        Ok(moved)
    }
}

/// An archive file; an empty archive if it is not there.
pub(crate) fn read_archive(layers: &Layers, path: &Path) -> Result<Archive, StoreError> {
    let source = match layers.read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.io_kind() == Some(std::io::ErrorKind::NotFound) => {
            return Ok(Archive::default());
        }
        Err(error) => return Err(error),
    };
    let damaged = |reason: String| StoreError::BadArchive { path: path.to_owned(), reason };
    let source = String::from_utf8(source).map_err(|_| damaged("it is not UTF-8".to_owned()))?;
    Archive::parse(&source).map_err(|error| damaged(error.to_string()))
}

/// Adds a handoff to an archive. One of the same id and another text is refused: its file would be
/// removed and the text lost.
fn add(archive: &mut Archive, entry: ArchivedEntry, path: &Path) -> Result<(), StoreError> {
    match archive.get(&entry.id) {
        Some(there) if there.source != entry.source => {
            Err(StoreError::Exists { path: path.to_owned() })
        }
        _ => {
            archive.add(entry);
            Ok(())
        }
    }
}

/// `2026-11` and `api` of `2026-11-api-archive.md`.
pub(crate) fn month_and_tag(path: &Path) -> (String, String) {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let month = stem.get(..7).unwrap_or("").to_owned();
    let tag = stem
        .get(8..)
        .and_then(|rest| rest.strip_suffix("-archive"))
        .unwrap_or("handoff")
        .to_owned();
    (month, tag)
}
