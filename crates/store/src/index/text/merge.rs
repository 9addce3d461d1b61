//! Keeps the segments few and free of what is gone.

use rusqlite::{Connection, Statement, params};

use super::super::View;
use super::super::query::Scope;
use super::segment::{Docs, Open, Postings, insert_segment};
use crate::error::StoreError;

/// So many segments of a size become one of the next.
const FANOUT: usize = 8;
/// Segments of more handoffs stay as they are.
const BIG: i64 = 4_096;
/// More handoffs than these are taken out by writing their segments anew.
const ONE_BY_ONE: usize = 16;

impl View {
    /// Takes what is gone out of the text index.
    pub(super) fn clear_dropped(&self, scope: &Scope) -> Result<(), StoreError> {
        let dropped = self.counted("dropped", scope)?;
        let any = !dropped.is_empty();
        for (memory, count) in dropped {
            self.in_transaction(|| self.clear_memory(memory, count))?;
        }
        if any {
            // The log has the old pages until it is folded in.
            let _ = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
        Ok(())
    }

    fn clear_memory(&self, memory: i64, count: usize) -> rusqlite::Result<()> {
        if count <= ONE_BY_ONE {
            let mut rows = self.conn.prepare("SELECT handoff FROM dropped WHERE memory = ?1")?;
            let gone: Vec<i64> =
                rows.query_map([memory], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            for n in gone {
                self.remove_text(memory, n)?;
            }
        } else {
            for segment in self.segments_of(memory)? {
                self.merge(memory, &[segment.0])?;
            }
            self.conn.execute(
                "DELETE FROM decision WHERE memory = ?1 AND handoff NOT IN (SELECT n FROM handoff WHERE memory = ?1)",
                [memory],
            )?;
        }
        self.conn.execute("DELETE FROM dropped WHERE memory = ?1", [memory]).map(|_| ())
    }

    /// Removes every trace of one handoff's text from the text index, inside a transaction.
    pub(in super::super) fn remove_text(&self, memory: i64, n: i64) -> rusqlite::Result<()> {
        self.conn.execute(
            "DELETE FROM decision WHERE memory = ?1 AND handoff = ?2",
            params![memory, n],
        )?;
        for (segment, _) in self.segments_of(memory)? {
            let mut docs = self.docs_of(segment)?;
            let Some(at) = docs.handoffs.iter().position(|doc| i64::from(doc.n) == n) else {
                continue;
            };
            let gone = docs.passages(at);
            docs.handoffs[at].n = 0;
            self.conn.execute(
                "UPDATE segment SET docs = ?2 WHERE n = ?1",
                params![segment, docs.encode()],
            )?;
            let mut rows =
                self.conn.prepare("SELECT term, data FROM posting WHERE segment = ?1")?;
            let mut rows = rows.query([segment])?;
            let mut changed: Vec<(String, Option<Vec<u8>>)> = Vec::new();
            while let Some(row) = rows.next()? {
                let data = row.get_ref(1)?.as_blob().unwrap_or_default();
                if !Postings::read(data).any(|(passage, _)| gone.contains(&(passage as usize))) {
                    continue;
                }
                let mut kept = Open::default();
                for (passage, times) in Postings::read(data) {
                    if !gone.contains(&(passage as usize)) {
                        kept.add(passage, times);
                    }
                }
                changed.push((row.get(0)?, kept.finish()));
            }
            drop(rows);
            for (term, data) in changed {
                match data {
                    Some(data) => self.conn.execute(
                        "UPDATE posting SET data = ?3 WHERE segment = ?1 AND term = ?2",
                        params![segment, term, data],
                    )?,
                    None => self.conn.execute(
                        "DELETE FROM posting WHERE segment = ?1 AND term = ?2",
                        params![segment, term],
                    )?,
                };
            }
        }
        Ok(())
    }

    /// Merges small segments of a memory: a question reads each of them.
    pub(super) fn tidy(&self, memory: i64) -> Result<(), StoreError> {
        loop {
            let segments = self.segments_of(memory)?;
            let tier = |handoffs: i64| handoffs.max(1).ilog(FANOUT as i64);
            let small: Vec<(i64, u32)> = segments
                .iter()
                .filter(|(_, handoffs)| *handoffs < BIG)
                .map(|(n, handoffs)| (*n, tier(*handoffs)))
                .collect();
            let of = |wanted: u32| {
                small.iter().filter(move |(_, tier)| *tier == wanted).map(|(n, _)| *n)
            };
            let Some(full) = (0..=BIG.ilog(FANOUT as i64)).find(|tier| of(*tier).count() >= FANOUT)
            else {
                return Ok(());
            };
            let merged: Vec<i64> = of(full).collect();
            self.in_transaction(|| self.merge(memory, &merged))?;
        }
    }

    /// Writes segments as one, without what is gone.
    fn merge(&self, memory: i64, segments: &[i64]) -> rusqlite::Result<()> {
        let mut exists = self.conn.prepare("SELECT 1 FROM handoff WHERE n = ?1")?;
        let mut docs = Docs::default();
        let mut words = 0;
        // For each passage of each segment its new number.
        let mut moved: Vec<Vec<Option<u32>>> = Vec::new();
        for segment in segments {
            let old = self.docs_of(*segment)?;
            let mut numbers = vec![None; old.lengths.len()];
            for (at, doc) in old.handoffs.iter().enumerate() {
                if doc.n == 0 || !exists.exists([doc.n])? {
                    continue;
                }
                let lengths: Vec<u8> = old.passages(at).map(|p| old.lengths[p]).collect();
                words += lengths.iter().map(|length| u64::from(*length)).sum::<u64>();
                for (new, passage) in (docs.lengths.len()..).zip(old.passages(at)) {
                    numbers[passage] = Some(new as u32);
                }
                docs.add(doc.n, doc.created, lengths.into_iter());
            }
            moved.push(numbers);
        }
        if !docs.handoffs.is_empty() {
            let into = insert_segment(&self.conn, memory, &docs, words)?;
            merge_postings(&self.conn, segments, &moved, into)?;
        }
        for segment in segments {
            self.conn.execute("DELETE FROM posting WHERE segment = ?1", [segment])?;
            self.conn.execute("DELETE FROM segment WHERE n = ?1", [segment])?;
        }
        Ok(())
    }

    /// The segments of a memory, with how many handoffs each has.
    fn segments_of(&self, memory: i64) -> rusqlite::Result<Vec<(i64, i64)>> {
        let mut rows =
            self.conn.prepare("SELECT n, handoffs FROM segment WHERE memory = ?1 ORDER BY n")?;
        rows.query_map([memory], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    pub(super) fn docs_of(&self, segment: i64) -> rusqlite::Result<Docs> {
        self.conn.query_row("SELECT docs FROM segment WHERE n = ?1", [segment], |row| {
            Ok(Docs::decode(row.get_ref(0)?.as_blob().unwrap_or_default()))
        })
    }
}

/// Reads the lists of all segments side by side in the order of their terms.
fn merge_postings(
    conn: &Connection,
    segments: &[i64],
    moved: &[Vec<Option<u32>>],
    into: i64,
) -> rusqlite::Result<()> {
    let mut statements: Vec<Statement<'_>> = segments
        .iter()
        .map(|_| conn.prepare("SELECT term, data FROM posting WHERE segment = ?1 ORDER BY term"))
        .collect::<rusqlite::Result<_>>()?;
    let mut cursors = Vec::new();
    for (statement, segment) in statements.iter_mut().zip(segments) {
        let mut rows = statement.query([segment])?;
        let first = next_list(&mut rows)?;
        cursors.push((rows, first));
    }
    let mut insert =
        conn.prepare("INSERT INTO posting(segment, term, data) VALUES (?1, ?2, ?3)")?;
    while let Some(term) =
        cursors.iter().filter_map(|(_, list)| list.as_ref().map(|(term, _)| term)).min().cloned()
    {
        let mut open = Open::default();
        for ((rows, list), numbers) in cursors.iter_mut().zip(moved) {
            if let Some((_, data)) = list.take_if(|(other, _)| *other == term) {
                for (passage, times) in Postings::read(&data) {
                    if let Some(Some(new)) = numbers.get(passage as usize) {
                        open.add(*new, times);
                    }
                }
                *list = next_list(rows)?;
            }
        }
        if let Some(data) = open.finish() {
            insert.execute(params![into, term, data])?;
        }
    }
    Ok(())
}

fn next_list(rows: &mut rusqlite::Rows<'_>) -> rusqlite::Result<Option<(String, Vec<u8>)>> {
    rows.next()?.map(|row| Ok((row.get(0)?, row.get(1)?))).transpose()
}
