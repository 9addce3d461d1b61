//! Memories whose layers lie in the user's trees: which there are, and what of them is indexed.

use std::path::{Path, PathBuf};

use rusqlite::{Row, params};
use segue_core::ProjectId;

use super::View;
use super::query::{Scope, ScopePart};
use super::refresh::{Memory, Writing};
use crate::attach::id_of_attached;
use crate::error::StoreError;
use crate::layers::{Layers, identity_of};
use crate::project_file::{Attached, Standing};

/// A memory whose layers lie in the user's trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedRow {
    pub id: ProjectId,
    pub label: String,
    pub attached: Attached,
}

/// A memory in the user's trees that the store does not know yet: it is read where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unattached {
    label: String,
    attached: Attached,
}

impl ScopePart {
    /// All of a memory.
    pub fn whole(memory: ProjectId) -> Self {
        Self { memory, saved_from: None, unattached: None }
    }

    /// What was saved into a memory from another project's directory.
    pub fn saved_from(memory: ProjectId, project: ProjectId) -> Self {
        Self { memory, saved_from: Some(project), unattached: None }
    }

    /// What lies in a directory that is trusted and not attached. `None` if it could not be attached either.
    pub fn unattached(at: &Path, label: &str) -> Option<Self> {
        let text = at.to_str().filter(|_| at.is_absolute())?;
        let memory = id_of_attached(at, text, 0);
        let identity = Some(identity_of(at).ok()?);
        let attached = Attached { at: at.to_owned(), identity, trusted: true };
        let unattached = Some(Unattached { label: label.to_owned(), attached });
        Some(Self { memory, saved_from: None, unattached })
    }
}

impl Scope {
    /// The parts that nobody has attached.
    fn unattached(&self) -> impl Iterator<Item = (&ProjectId, &Unattached)> {
        let parts = match self {
            Self::Parts(parts) => parts.as_slice(),
            _ => &[],
        };
        parts.iter().filter_map(|part| Some((&part.memory, part.unattached.as_ref()?)))
    }

    pub(crate) fn has_unattached(&self) -> bool {
        self.unattached().next().is_some()
    }
}

impl View {
    /// Notes the memories of a scope that nobody has attached. Only where that is not kept.
    pub(crate) fn note_unattached(&self, scope: &Scope) -> Result<(), StoreError> {
        for (id, Unattached { label, attached }) in scope.unattached() {
            let at = attached.at.to_string_lossy();
            self.conn.execute(
                "INSERT INTO memory(dir, label, also, at, identity, trusted) VALUES (?1, ?2, '', ?3, ?4, 1) \
                 ON CONFLICT(dir) DO UPDATE SET identity = ?4, trusted = 1 WHERE at = ?3",
                params![id.as_str(), label, at, attached.identity],
            )?;
        }
        Ok(())
    }

    /// Every memory whose layers lie in the user's trees.
    pub fn attached(&self) -> Result<Vec<AttachedRow>, StoreError> {
        let mut rows = self.conn.prepare(
            "SELECT dir, label, at, identity, trusted FROM memory WHERE at IS NOT NULL ORDER BY dir",
        )?;
        let mut rows = rows.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            if let (Ok(id), Some(attached)) =
                (row.get::<_, String>(0)?.parse(), attached_of(row, 2)?)
            {
                found.push(AttachedRow { id, label: row.get(1)?, attached });
            }
        }
        Ok(found)
    }

    /// The memory whose layers lie there.
    pub fn attached_at(&self, at: &Path) -> Result<Option<AttachedRow>, StoreError> {
        Ok(self.attached()?.into_iter().find(|row| row.attached.at == at))
    }

    /// The project that a memory belongs to wholly; itself, if none.
    pub fn owner(&self, memory: &ProjectId) -> Result<ProjectId, StoreError> {
        let mut rows = self.conn.prepare("SELECT dir, also FROM memory WHERE instr(also, ?1)")?;
        let mark = format!("+{memory}");
        let mut rows = rows.query([&mark])?;
        while let Some(row) = rows.next()? {
            let also: String = row.get(1)?;
            if let (Ok(id), true) =
                (row.get::<_, String>(0)?.parse(), also.lines().any(|line| line == mark))
            {
                return Ok(id);
            }
        }
        Ok(memory.clone())
    }

    /// The directory of a memory's layers.
    pub fn layers_dir(&self, project: &ProjectId) -> Result<PathBuf, StoreError> {
        Ok(self.layers(project)?.root().to_owned())
    }

    pub(crate) fn layers(&self, project: &ProjectId) -> Result<Layers, StoreError> {
        Ok(match self.attached_as(project)? {
            Some(attached) => Layers::Elsewhere(attached.at),
            None => Layers::Own(self.memory_dir(project)),
        })
    }

    /// How a memory is attached, as the index knows it.
    pub(crate) fn attached_as(&self, project: &ProjectId) -> Result<Option<Attached>, StoreError> {
        let mut rows =
            self.conn.prepare("SELECT at, identity, trusted FROM memory WHERE dir = ?1")?;
        let mut rows = rows.query([project.as_str()])?;
        Ok(match rows.next()? {
            Some(row) => attached_of(row, 0)?,
            None => None,
        })
    }

    /// The layers of a memory if what lies in them is to be indexed.
    pub(super) fn layers_to_index(
        &self,
        project: &ProjectId,
    ) -> Result<Option<Layers>, StoreError> {
        Ok(match self.attached_as(project)? {
            None => Some(Layers::Own(self.memory_dir(project))),
            Some(attached) => trusted_layers(&attached),
        })
    }

    pub(super) fn to_index(&self, memory: &Memory) -> Option<Layers> {
        match &memory.attached {
            None => Some(Layers::Own(self.memory_dir(&memory.id))),
            Some(attached) => trusted_layers(attached),
        }
    }

    /// Removes what the index has of a memory's layers.
    pub(super) fn silence(&self, memory: &Memory, begin: &Writing<'_>) -> Result<(), StoreError> {
        let any: bool = self.conn.query_row(
            "SELECT EXISTS(SELECT 1 FROM handoff WHERE memory = ?1) \
                 OR EXISTS(SELECT 1 FROM stamp WHERE memory = ?1 AND name LIKE 'layer%') \
                 OR EXISTS(SELECT 1 FROM bad WHERE memory = ?1 AND dir LIKE 'layer%')",
            [memory.n],
            |row| row.get(0),
        )?;
        if any {
            begin.begin()?;
            self.drop_below(memory.n, "layer")?;
            begin.forgets();
        }
        Ok(())
    }

    /// Whether a directory of the layers may be looked into. In the user's trees it may have become
    /// a link: then what was in it is gone, and the link is named.
    pub(super) fn is_open(
        &self,
        memory: &Memory,
        layers: &Layers,
        name: &str,
        begin: &Writing<'_>,
    ) -> Result<bool, StoreError> {
        if !layers.is_elsewhere() {
            return Ok(true);
        }
        let path = layers.at(&[name]);
        match layers.check(&path) {
            Ok(()) => {
                let noted: bool = self.conn.query_row(
                    "SELECT EXISTS(SELECT 1 FROM bad WHERE memory = ?1 AND dir = ?2 AND file = '')",
                    params![memory.n, name],
                    |row| row.get(0),
                )?;
                if noted {
                    begin.begin()?;
                    self.clear_bad(memory.n, name, "")?;
                }
                Ok(true)
            }
            Err(error @ StoreError::Link { .. }) => {
                begin.begin()?;
                self.drop_below(memory.n, name)?;
                self.note_bad(memory.n, (name, ""), &path, &error)?;
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Drops what is known of directories whose names begin so.
    pub(super) fn drop_below(&self, memory: i64, name: &str) -> rusqlite::Result<()> {
        let below = format!("{name}%");
        self.drop_rows("memory = ?1 AND dir LIKE ?2", params![memory, below])?;
        if !self.has_handoffs(memory)? {
            self.drop_text(memory)?;
        }
        for (table, column) in [("bad", "dir"), ("stamp", "name")] {
            self.conn.execute(
                &format!("DELETE FROM {table} WHERE memory = ?1 AND {column} LIKE ?2"),
                params![memory, below],
            )?;
        }
        Ok(())
    }
}

fn trusted_layers(attached: &Attached) -> Option<Layers> {
    let trusted = attached.standing() == Standing::Trusted;
    trusted.then(|| Layers::Elsewhere(attached.at.clone()))
}

/// Reads `at`, `identity` and `trusted` of a row, from this column on.
pub(super) fn attached_of(row: &Row<'_>, from: usize) -> rusqlite::Result<Option<Attached>> {
    let at: Option<String> = row.get(from)?;
    Ok(match at {
        Some(at) => Some(Attached {
            at: PathBuf::from(at),
            identity: row.get(from + 1)?,
            trusted: row.get(from + 2)?,
        }),
        None => None,
    })
}
