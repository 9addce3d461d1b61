//! What a writer notes in the index, under its memory's lock. Writers never list a directory.

use std::path::Path;

use rusqlite::params;
use segue_core::{Handoff, ProjectId};

use super::View;
use super::row::{Inserter, Listed, Place};
use crate::error::StoreError;
use crate::layout::{LAYER1, PROJECT_FILE};
use crate::memory::{Removed, Stamp};
use crate::platform;
use crate::project_file::ProjectFile;

impl View {
    /// Notes a handoff that was just written, and the times of the directories around it.
    ///
    /// A directory's new time is noted only if its time before the write was the noted one:
    /// otherwise something else changed there too, and the next reader must list it.
    pub(crate) fn note_saved(
        &self,
        project: &ProjectId,
        dir: &str,
        file: &str,
        handoff: &Handoff,
        stamps: &[Stamp],
    ) -> Result<(), StoreError> {
        // What is not trusted is not indexed, whoever wrote it.
        let Some(layers) = self.layers_to_index(project)? else { return Ok(()) };
        self.in_transaction(|| {
            let memory = self.memory_or_new(project)?;
            let path = layers.root().join(dir).join(file);
            let mark = platform::mark(&path).unwrap_or_default();
            // A reader may have found the file already.
            self.drop_rows("memory = ?1 AND dir = ?2 AND file = ?3", params![memory, dir, file])?;
            Inserter::new(&self.conn)?
                .insert(&Place { memory, dir, file, offset: None, mark }, handoff)?;
            for stamp in stamps {
                self.move_stamp(memory, stamp)?;
            }
            Ok(())
        })
    }

    /// Notes that a handoff is gone from its file and from this memory's archives, without leaving
    /// its text in the index file. A copy that lies elsewhere keeps its row.
    pub(crate) fn note_removed(&self, target: &Listed) -> Result<Removed, StoreError> {
        let name = |path: Option<&Path>| {
            let name = path.and_then(Path::file_name).unwrap_or_default();
            name.to_string_lossy().into_owned()
        };
        let file = name(Some(&target.path));
        let month = format!("{LAYER1}/{}", name(target.path.parent()));
        self.in_transaction(|| {
            let mut rows = self.conn.prepare(
                "SELECT h.memory, h.n FROM handoff h JOIN memory m ON m.n = h.memory WHERE h.id = ?1 AND m.dir = ?2 \
                 AND (h.offset IS NOT NULL OR (h.dir = ?3 AND h.file = ?4))",
            )?;
            let place = params![target.head.id.as_str(), target.project.as_str(), month, file];
            let numbers: Vec<(i64, i64)> = rows
                .query_map(place, |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            for (memory, n) in numbers {
                self.remove_text(memory, n)?;
                self.drop_row(n)?;
                self.conn.execute(
                    "DELETE FROM dropped WHERE memory = ?1 AND handoff = ?2",
                    params![memory, n],
                )?;
            }
            Ok(())
        })?;
        // The log holds older pages until it is folded in.
        let busy: bool =
            self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        Ok(if busy { Removed::HeadInIndex } else { Removed::Wholly })
    }

    /// Notes a project's file as it was just written.
    pub(crate) fn note_project_file(
        &self,
        project: &ProjectId,
        file: &ProjectFile,
    ) -> Result<(), StoreError> {
        let path = self.memory_dir(project).join(PROJECT_FILE);
        let (noted, mtime) = self.now_and_mtime(&path)?;
        self.in_transaction(|| {
            let memory = self.memory_or_new(project)?;
            self.note_project(memory, file)?;
            self.stamp_project(project, mtime, noted)
        })
    }

    fn memory_or_new(&self, project: &ProjectId) -> rusqlite::Result<i64> {
        self.conn.execute(
            "INSERT OR IGNORE INTO memory(dir, label, also) VALUES (?1, ?1, '')",
            [project.as_str()],
        )?;
        self.conn
            .query_row("SELECT n FROM memory WHERE dir = ?1", [project.as_str()], |row| row.get(0))
    }

    /// However long the write took: a writer's stamp is racy, and the next reader lists once more.
    fn move_stamp(&self, memory: i64, stamp: &Stamp) -> rusqlite::Result<()> {
        let before = stamp.before.unwrap_or(-1);
        let known: bool = self.conn.query_row(
            "SELECT EXISTS(SELECT 1 FROM stamp WHERE memory = ?1 AND name = ?2 AND mtime = ?3)",
            params![memory, stamp.name, before],
            |row| row.get(0),
        )?;
        if known || stamp.before.is_none() {
            self.stamp(memory, &stamp.name, stamp.after, stamp.after.unwrap_or(0))?;
        }
        Ok(())
    }

    pub(super) fn in_transaction(
        &self,
        work: impl FnOnce() -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        self.conn.execute_batch("BEGIN IMMEDIATE")?;
        match work() {
            Ok(()) => {
                self.conn.execute_batch("COMMIT")?;
                self.fold_log();
                Ok(())
            }
            Err(error) => {
                let _ = self.conn.execute_batch("ROLLBACK");
                Err(error.into())
            }
        }
    }
}
