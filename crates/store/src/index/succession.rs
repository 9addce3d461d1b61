//! Handoffs by row, and what came after one and holds in its place.

use rusqlite::{Params, Statement, params};
use segue_core::{HandoffId, ProjectId, Timestamp};

use super::View;
use super::query::STAYS_FORGOTTEN;
use super::row::{COLUMNS, Listed, listed};
use super::text::subject_hash;
use crate::error::StoreError;

/// A handoff by the number of its row.
#[derive(Clone, Debug)]
pub struct FoundRow {
    pub n: i64,
    pub listed: Listed,
    /// The project from whose directory it was saved, if that is another.
    pub origin: Option<String>,
}

/// A handoff that came after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor {
    pub n: i64,
    pub created: Timestamp,
}

/// Asks for many rows one by one.
pub struct RowReader<'v> {
    view: &'v View,
    row: Statement<'v>,
    named: Statement<'v>,
    superseding: Statement<'v>,
    restating: Statement<'v>,
}

impl View {
    /// A reader of rows and of what came after them.
    pub fn row_reader(&self) -> Result<RowReader<'_>, StoreError> {
        let after = |table: &str, wanted: &str| {
            self.conn.prepare(&format!(
                "SELECT h.n, h.created FROM {table} JOIN memory m ON m.n = h.memory WHERE {wanted}{STAYS_FORGOTTEN} \
                 ORDER BY h.created DESC, h.id DESC LIMIT 1"
            ))
        };
        Ok(RowReader {
            view: self,
            row: self.conn.prepare(&format!(
                "SELECT {COLUMNS}, h.origin FROM handoff h JOIN memory m ON m.n = h.memory WHERE h.n = ?1{STAYS_FORGOTTEN}"
            ))?,
            named: after("handoff h", "h.memory = ?1 AND h.name = ?2 AND h.created <= ?3")?,
            superseding: after(
                "supersedes s JOIN handoff h ON h.n = s.handoff",
                "s.old = ?1 AND h.created <= ?2",
            )?,
            restating: after(
                "decision d JOIN handoff h ON h.n = d.handoff",
                "d.memory = ?1 AND d.subject = ?2 AND d.created > ?3 AND d.created <= ?4",
            )?,
        })
    }
}

impl RowReader<'_> {
    /// The handoff of a row; `None` if it is gone or was forgotten.
    pub fn row(&mut self, n: i64) -> Result<Option<FoundRow>, StoreError> {
        let mut rows = self.row.query([n])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let origin = row.get(13)?;
        Ok(listed(row, &self.view.layout)?.map(|listed| FoundRow { n, listed, origin }))
    }

    /// The memories that make up one project with this one, by number.
    pub fn family(&self, memory: &ProjectId) -> Result<Vec<i64>, StoreError> {
        let owner = self.view.owner(memory)?;
        let mut ids = self.view.project(&owner)?.unwrap_or_default().includes;
        ids.push(owner);
        let mut numbers = Vec::new();
        for id in ids {
            numbers.extend(self.view.memory_number(&id)?);
        }
        Ok(numbers)
    }

    /// The newest handoff of a name in a project.
    pub fn newest_named(
        &mut self,
        family: &[i64],
        name: &str,
        until: Option<Timestamp>,
    ) -> Result<Option<Successor>, StoreError> {
        let mut newest = None;
        for memory in family {
            let found = newest_of(&mut self.named, params![memory, name, latest(until)])?;
            newest = later(newest, found);
        }
        Ok(newest)
    }

    /// The handoff of an id.
    pub fn of_id(&self, id: &HandoffId) -> Result<Option<Successor>, StoreError> {
        let mut rows = self.view.conn.prepare("SELECT n, created FROM handoff WHERE id = ?1")?;
        Ok(newest_of(&mut rows, [id.as_str()])?)
    }

    /// The newest handoff that says of itself that it supersedes this one.
    pub fn superseding(
        &mut self,
        old: &HandoffId,
        until: Option<Timestamp>,
    ) -> Result<Option<Successor>, StoreError> {
        Ok(newest_of(&mut self.superseding, params![old.as_str(), latest(until)])?)
    }

    /// The newest handoff of a project with a later decision about the same.
    pub fn restating(
        &mut self,
        family: &[i64],
        subject: &str,
        after: Timestamp,
        until: Option<Timestamp>,
    ) -> Result<Option<Successor>, StoreError> {
        let mut newest = None;
        for memory in family {
            let wanted = params![memory, subject_hash(subject), after.micros(), latest(until)];
            newest = later(newest, newest_of(&mut self.restating, wanted)?);
        }
        Ok(newest)
    }
}

fn newest_of(
    statement: &mut Statement<'_>,
    values: impl Params,
) -> rusqlite::Result<Option<Successor>> {
    let mut rows = statement.query(values)?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let created = Timestamp::from_micros(row.get(1)?);
    created.map(|created| row.get(0).map(|n| Successor { n, created })).transpose()
}

fn later(one: Option<Successor>, other: Option<Successor>) -> Option<Successor> {
    [one, other].into_iter().flatten().max_by_key(|successor| successor.created)
}

fn latest(until: Option<Timestamp>) -> i64 {
    until.map_or(i64::MAX, Timestamp::micros)
}
