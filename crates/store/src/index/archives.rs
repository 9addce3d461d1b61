//! Archives in the index: layer 3, each file with many handoffs.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

use rusqlite::params;
use segue_core::{Archive, Handoff};

use super::View;
use super::refresh::Memory;
use super::row::{Inserter, Place};
use crate::error::{IoContext, StoreError};
use crate::layers::Layers;
use crate::layout::{LAYER3, is_markdown};
use crate::memory::listing;
use crate::platform;

/// Rows of an archive by id, each with its number and a hash of its text.
type ArchivedRows = HashMap<String, (i64, i64)>;

impl View {
    pub(super) fn relist_archives(
        &self,
        memory: &Memory,
        layers: &Layers,
    ) -> Result<(), StoreError> {
        let path = &layers.at(&[LAYER3]);
        let (noted, mtime) = self.now_and_mtime(path)?;
        self.conn
            .execute("DELETE FROM bad WHERE memory = ?1 AND dir = ?2", params![memory.n, LAYER3])?;
        let mut known = self.archived_rows(memory.n)?;
        let files = listing(path)?;
        self.stamp(memory.n, LAYER3, mtime, noted)?;
        let mut inserter = Inserter::new(&self.conn)?;
        for file in files.into_iter().filter(|name| is_markdown(name)) {
            let mut rows = known.remove(&file).unwrap_or_default();
            let done = self.index_archive(memory.n, &file, layers, &mut rows, &mut inserter);
            if let Err(error) = done {
                if matches!(error, StoreError::Io { .. }) {
                    self.unstamp(memory.n, LAYER3)?;
                }
                self.note_bad(memory.n, (LAYER3, &file), &path.join(&file), &error)?;
            }
            for (n, _) in rows.into_values() {
                self.drop_row(n)?;
            }
        }
        for (n, _) in known.into_values().flat_map(HashMap::into_values) {
            self.drop_row(n)?;
        }
        Ok(())
    }

    /// What is known of each archive of a memory: by id, the row and a hash of the text.
    fn archived_rows(&self, memory: i64) -> rusqlite::Result<HashMap<String, ArchivedRows>> {
        let mut rows = self
            .conn
            .prepare("SELECT file, id, n, inode FROM handoff WHERE memory = ?1 AND dir = ?2")?;
        let mut rows = rows.query(params![memory, LAYER3])?;
        let mut found: HashMap<String, ArchivedRows> = HashMap::new();
        while let Some(row) = rows.next()? {
            let known = (row.get(2)?, row.get(3)?);
            found.entry(row.get(0)?).or_default().insert(row.get(1)?, known);
        }
        Ok(found)
    }

    fn index_archive(
        &self,
        memory: i64,
        file: &str,
        layers: &Layers,
        known: &mut ArchivedRows,
        inserter: &mut Inserter<'_>,
    ) -> Result<(), StoreError> {
        let path = &layers.at(&[LAYER3, file]);
        let source = layers.read(path)?;
        let source = String::from_utf8(source)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
            .at("read", path)?;
        let mark = platform::mark(path).at("read", path)?;
        let archive = Archive::parse(&source).map_err(|error| StoreError::BadArchive {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        for entry in archive.entries {
            let offset = Some(entry.offset);
            match Handoff::parse(entry.source) {
                Ok(handoff) => {
                    // An archive that grew has the others where they were or further on: their
                    // text need not be indexed again.
                    // What lies in an archive has no inode: there a hash of its text is kept.
                    let id = handoff.head.id.as_str();
                    let mark = platform::Mark { inode: hash(handoff.source()), ..mark };
                    if known.get(id).is_some_and(|row| row.1 == mark.inode)
                        && let Some((n, _)) = known.remove(id)
                    {
                        self.conn.execute(
                            "UPDATE handoff SET offset = ?2, mtime = ?3 WHERE n = ?1",
                            params![n, entry.offset as i64, mark.mtime],
                        )?;
                        continue;
                    }
                    inserter.insert(&Place { memory, dir: LAYER3, file, offset, mark }, &handoff)?
                }
                Err(source) => {
                    return Err(StoreError::BadHandoff { path: path.to_owned(), source });
                }
            }
        }
        Ok(())
    }
}

/// Tells texts apart. Another version of Segue may have another: then the text is indexed again.
fn hash(text: &str) -> i64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish().cast_signed()
}
