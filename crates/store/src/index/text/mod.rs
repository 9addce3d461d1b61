//! The text index: in which passages of which handoffs a term is.
//!
//! It lies in segments, each about one memory and written once: a few big ones, and small ones for
//! what was saved since. A question about one project reads that project's segments, however many
//! others there are. Saving only notes that a text is to be indexed; who searches brings it up to
//! date first.

mod lookup;
mod merge;
mod segment;
mod tally;
mod update;

pub use lookup::{Candidate, Candidates, Window};
pub(super) use segment::subject_hash;
pub use update::TextState;

use rusqlite::{Row, Transaction, params};

use super::View;
use super::query::Scope;
use crate::error::StoreError;

/// The index as it was at one moment, until this is dropped.
pub struct Snapshot<'v> {
    _transaction: Transaction<'v>,
}

impl View {
    /// Removes the text index of a memory.
    pub(super) fn drop_text(&self, memory: i64) -> rusqlite::Result<()> {
        self.conn.execute(
            "DELETE FROM posting WHERE segment IN (SELECT n FROM segment WHERE memory = ?1)",
            [memory],
        )?;
        for table in ["segment", "decision", "dropped"] {
            self.conn.execute(&format!("DELETE FROM {table} WHERE memory = ?1"), [memory])?;
        }
        Ok(())
    }

    /// Holds the index as it is now for several questions, which then need not look each time
    /// whether somebody has written.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        Ok(Snapshot { _transaction: self.conn.unchecked_transaction()? })
    }

    pub(super) fn has_handoffs(&self, memory: i64) -> rusqlite::Result<bool> {
        self.conn.query_row(
            "SELECT EXISTS(SELECT 1 FROM handoff WHERE memory = ?1)",
            params![memory],
            |row| row.get(0),
        )
    }

    /// Memories of a scope that have rows in a table, and how many. What other memories have costs
    /// nothing.
    fn counted(&self, table: &str, scope: &Scope) -> Result<Vec<(i64, usize)>, StoreError> {
        let number = |row: &Row<'_>| row.get::<_, i64>(0).map(|count| count as usize);
        let Some(memories) = self.memories_of(scope)? else {
            let sql = format!("SELECT count(*), memory FROM {table} GROUP BY memory");
            let mut rows = self.conn.prepare(&sql)?;
            let rows = rows.query_map([], |row| Ok((row.get(1)?, number(row)?)))?;
            return Ok(rows.collect::<rusqlite::Result<_>>()?);
        };
        let mut count =
            self.conn.prepare(&format!("SELECT count(*) FROM {table} WHERE memory = ?1"))?;
        let mut found = Vec::new();
        for memory in memories {
            found.push((memory, count.query_row([memory], number)?));
        }
        found.retain(|(_, count)| *count > 0);
        Ok(found)
    }

    /// The memories of a scope by number; `None` is every one.
    fn memories_of(&self, scope: &Scope) -> Result<Option<Vec<i64>>, StoreError> {
        let parts = match scope {
            Scope::All => return Ok(None),
            Scope::Projects => return Ok(Some(Vec::new())),
            Scope::Parts(parts) => parts,
        };
        let mut numbers = Vec::new();
        for part in parts {
            numbers.extend(self.memory_number(&part.memory)?);
        }
        numbers.sort_unstable();
        numbers.dedup();
        Ok(Some(numbers))
    }
}
