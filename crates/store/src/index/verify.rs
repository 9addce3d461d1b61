//! `segue index --verify`: compares every row with its file, which the times of directories do not
//! show when a file was edited in place.

use std::path::PathBuf;

use rusqlite::params;
use segue_core::{Handoff, ProjectId};

use super::View;
use super::query::Scope;
use super::row::{self, Inserter};
use crate::error::StoreError;
use crate::layout::LAYER3;
use crate::platform;

impl View {
    /// Reads every handoff file and compares; what differs is taken over, and its files are given.
    pub fn verify(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut mended = Vec::new();
        let mut edited = Vec::new();
        let mut rows = self.conn.prepare(
            "SELECT h.n, m.n, m.dir, h.dir, h.file, h.head, h.title, h.next, h.mtime, h.size FROM handoff h \
             JOIN memory m ON m.n = h.memory WHERE h.offset IS NULL",
        )?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let memory: String = row.get(2)?;
            let (dir, file): (String, String) = (row.get(3)?, row.get(4)?);
            let Ok(project) = memory.parse::<ProjectId>() else {
                continue;
            };
            let layers = self.layers(&project)?;
            let path = layers.root().join(&dir).join(&file);
            let known = (row.get(5)?, row.get(6)?, row.get(7)?);
            // A body can be edited so that neither head nor title tell.
            let mark: (i64, i64) = (row.get(8)?, row.get(9)?);
            let same = |handoff: &Handoff| {
                let now = platform::mark(&path).map_or(0, |mark| mark.mtime);
                (now, handoff.source().len() as i64) == mark && row::texts(handoff) == known
            };
            if !layers.read_handoff(&path).is_ok_and(|handoff| same(&handoff)) {
                let (n, memory) = (row.get::<_, i64>(0)?, row.get::<_, i64>(1)?);
                edited.push((n, memory, dir, file, path, layers));
            }
        }
        self.conn.execute_batch("BEGIN IMMEDIATE")?;
        let mut inserter = Inserter::new(&self.conn)?;
        for (n, memory, dir, file, path, layers) in edited {
            self.drop_row(n)?;
            self.clear_bad(memory, &dir, &file)?;
            self.index_file(memory, &layers, (&dir, &file), &mut inserter)?;
            mended.push(path);
        }
        drop(inserter);
        // Archives are few: they are listed anew.
        self.drop_rows("dir = ?1", params![LAYER3])?;
        self.conn.execute("DELETE FROM stamp WHERE name = ?1", params![LAYER3])?;
        self.conn.execute_batch("COMMIT")?;
        self.refresh(&Scope::All)?;
        Ok(mended)
    }
}
