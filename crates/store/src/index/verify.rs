//! `segue index --verify`: compares every row with its file, which the times of directories do not
//! show when a file was edited in place.

use std::fs;
use std::path::PathBuf;

use rusqlite::params;
use segue_core::ProjectId;

use super::View;
use super::row::Inserter;
use crate::error::{IoContext, StoreError};
use crate::platform;

/// What a verification found, and mended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    pub checked: u64,
    /// Files that changed since they were indexed; the index now has what they say.
    pub edited: Vec<PathBuf>,
}

impl View {
    /// Looks at every handoff file of layer 1; what was edited in place is read again.
    pub fn verify(&self) -> Result<Verified, StoreError> {
        let mut result = Verified::default();
        let mut edited = Vec::new();
        let mut rows = self.conn.prepare(
            "SELECT h.n, m.n, m.dir, h.dir, h.file, h.mtime FROM handoff h JOIN memory m ON m.n = h.memory WHERE h.offset IS NULL",
        )?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let memory: String = row.get(2)?;
            let (dir, file): (String, String) = (row.get(3)?, row.get(4)?);
            let Ok(project) = memory.parse::<ProjectId>() else {
                continue;
            };
            let path = self.memory_dir(&project).join(&dir).join(&file);
            result.checked += 1;
            let mtime = match fs::metadata(&path) {
                Ok(meta) => platform::mtime_of(&meta).at("read", &path)?,
                Err(_) => continue,
            };
            if mtime != row.get::<_, i64>(5)? {
                edited.push((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, dir, file, path));
            }
        }
        if edited.is_empty() {
            return Ok(result);
        }
        self.conn.execute_batch("BEGIN IMMEDIATE")?;
        let mut inserter = Inserter::new(&self.conn)?;
        for (n, memory, dir, file, path) in edited {
            self.drop_row(n)?;
            self.conn.execute(
                "DELETE FROM bad WHERE memory = ?1 AND dir = ?2 AND file = ?3",
                params![memory, dir, file],
            )?;
            self.index_file(memory, &dir, &file, &path, &mut inserter)?;
            result.edited.push(path);
        }
        drop(inserter);
        self.conn.execute_batch("COMMIT")?;
        Ok(result)
    }
}
