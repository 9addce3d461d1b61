//! What the handoffs of a scope contribute to the state of their project.

use rusqlite::types::Value as Sql;
use rusqlite::{OptionalExtension, params_from_iter};
use segue_core::{StateEntry, Timestamp};

use super::View;
use super::query::{STAYS_FORGOTTEN, Scope};
use crate::error::StoreError;

/// How far back the state is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateDepth {
    /// All handoffs.
    All,
    /// The newest of each memory, and older ones with what never becomes quiet: for who has to answer at once.
    Recent,
}

/// So many handoffs of a memory are recent: far more than the sessions after which an item is quiet.
const RECENT: i64 = 300;

impl View {
    /// The entries of a scope that have not expired and are not dated ahead, archived handoffs included: what is
    /// open stays open, wherever its handoff lies.
    pub fn state_entries(
        &self,
        scope: &Scope,
        now: Timestamp,
        depth: StateDepth,
    ) -> Result<Vec<StateEntry>, StoreError> {
        let since = match depth {
            StateDepth::All => i64::MIN,
            StateDepth::Recent => self.recent_since(scope)?,
        };
        let mut values = vec![
            Sql::Integer(now.micros()),
            Sql::Integer(now.latest_credible().micros()),
            Sql::Integer(since),
        ];
        let select = |part: &str| {
            let select = |from: &str, which: &str| {
                format!(
                    "SELECT e.entry, m.at IS NOT NULL FROM {from} JOIN memory m ON m.n = h.memory \
                     WHERE {part}{STAYS_FORGOTTEN} AND {which} \
                     AND (h.expires IS NULL OR h.expires > ?1) AND h.created <= ?2 AND instr(h.short, '~') = 0"
                )
            };
            let newer = "handoff h JOIN state_entry e ON e.handoff = h.n";
            let newer = select(newer, "h.created >= ?3");
            // Of the older ones only those that last are looked at.
            let older = "state_entry e INDEXED BY state_entry_lasts CROSS JOIN handoff h ON h.n = e.handoff";
            match depth {
                StateDepth::Recent if since > i64::MIN => {
                    let older = select(older, "e.lasts AND h.created < ?3");
                    format!("{newer} UNION ALL {older}")
                }
                _ => newer,
            }
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

    /// When the oldest of the recent handoffs of a scope was left.
    fn recent_since(&self, scope: &Scope) -> Result<i64, StoreError> {
        let Scope::Parts(parts) = scope else { return Ok(i64::MIN) };
        let mut since = i64::MAX;
        for part in parts {
            let Some(n) = self.memory_number(&part.memory)? else { continue };
            let oldest: Option<i64> = self
                .conn
                .query_row(
                    "SELECT created FROM handoff WHERE memory = ?1 ORDER BY created DESC LIMIT 1 OFFSET ?2",
                    [n, RECENT],
                    |row| row.get(0),
                )
                .optional()?;
            since = since.min(oldest.unwrap_or(i64::MIN));
        }
        Ok(since)
    }
}
