//! The handoffs that a word means: an id, an alias, or how an id begins.

use rusqlite::params;
use segue_core::Selector;

use super::View;
use super::query::STAYS_FORGOTTEN;
use super::row::{COLUMNS, Listed, listed};
use crate::error::StoreError;

/// Handoffs of an alias; one that was replaced has lost it. Nobody speaks under the id of one that was forgotten.
const ALIASED: &str = "h.n IN (SELECT handoff FROM alias WHERE alias = ?2) AND instr(h.id, '~') = 0 \
     AND NOT EXISTS (SELECT 1 FROM forgotten WHERE substr(id, 1, length(?1)) = ?1 \
     OR substr(id, -8, length(?1)) = ?1)";

impl View {
    /// The handoffs that a word selects in the whole store, at most `limit`: an exact id or alias,
    /// else every one whose full or short id begins so.
    pub fn select(&self, word: &str, limit: usize) -> Result<Vec<Listed>, StoreError> {
        // An id is stronger than an alias, which whoever made the handoff chose.
        for exact in ["h.id IN (?1, ?2)", "h.short IN (?1, ?2)", ALIASED] {
            let found = self.where_one(exact, word, word, limit)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let Some(prefix) = Selector::id_prefix(word) else {
            return Ok(Vec::new());
        };
        // `g` sorts after every hex digit and after `-`.
        self.where_one(
            "((h.id >= ?1 AND h.id < ?2) OR (h.short >= ?1 AND h.short < ?2)) AND instr(h.id, '~') = 0",
            &prefix,
            &format!("{prefix}g"),
            limit,
        )
    }

    fn where_one(
        &self,
        wanted: &str,
        first: &str,
        second: &str,
        limit: usize,
    ) -> Result<Vec<Listed>, StoreError> {
        // The same handoff can lie in layer 1 and in an archive that was being made: the file wins.
        // Or in our own directories and in a clone: ours wins. Of the rows of a group SQLite gives the
        // one with the least.
        let sql = format!(
            "SELECT {COLUMNS}, min(2 * (m.at IS NOT NULL) + (h.offset IS NOT NULL)) FROM handoff h JOIN memory m ON m.n = h.memory \
             WHERE ({wanted}){STAYS_FORGOTTEN} GROUP BY h.id \
             ORDER BY h.created DESC, h.id DESC LIMIT {limit}"
        );
        let lower = first.to_ascii_lowercase();
        let mut statement = self.conn.prepare(&sql)?;
        let mut rows = statement.query(params![lower, second])?;
        let mut found: Vec<Listed> = Vec::new();
        while let Some(row) = rows.next()? {
            found.extend(listed(row, &self.layout)?);
        }
        Ok(found)
    }

    /// The handoffs that have this alias.
    pub fn aliased(&self, alias: &str) -> Result<Vec<Listed>, StoreError> {
        self.where_one(ALIASED, alias, alias, 2)
    }
}
