//! What the handoffs of a scope contribute to the state of their project.

use rusqlite::params_from_iter;
use rusqlite::types::Value as Sql;
use segue_core::{StateEntry, Timestamp};

use super::View;
use super::query::{STAYS_FORGOTTEN, Scope};
use crate::error::StoreError;

impl View {
    /// The entries of everything in a scope that has not expired and is not dated ahead, archived handoffs included:
    /// what is open stays open, wherever its handoff lies.
    pub fn state_entries(
        &self,
        scope: &Scope,
        now: Timestamp,
    ) -> Result<Vec<StateEntry>, StoreError> {
        let mut values =
            vec![Sql::Integer(now.micros()), Sql::Integer(now.latest_credible().micros())];
        let select = |part: &str| {
            format!(
                "SELECT e.entry, m.at IS NOT NULL FROM handoff h JOIN memory m ON m.n = h.memory \
                 JOIN state_entry e ON e.handoff = h.n WHERE {part}{STAYS_FORGOTTEN} \
                 AND (h.expires IS NULL OR h.expires > ?1) AND h.created <= ?2 AND instr(h.short, '~') = 0"
            )
        };
        let Some(sql) = self.selects(scope, &mut values, &select)? else { return Ok(Vec::new()) };
        let mut statement = self.conn.prepare(&sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        let mut found: Vec<StateEntry> = Vec::new();
        while let Some(row) = rows.next()? {
            let json = row.get_ref(0)?.as_str().unwrap_or_default();
            let Ok(mut entry) = serde_json::from_str::<StateEntry>(json) else { continue };
            // What lies in the user's trees came with them.
            if row.get(1)? {
                entry.lower_to_imported();
            }
            found.push(entry);
        }
        Ok(found)
    }
}
