//! One segment: handoffs with their passages, and for each term the passages that have it.
//!
//! Passages are numbered through the segment, each handoff's head first. A posting list is the
//! number of its passages, then for each the distance to the one before and how often the term is
//! there (1, 2, 3, or 4 and more), as one number of variable length.

use hashbrown::HashMap;
use rusqlite::{Connection, params};
use segue_core::Handoff;
use segue_core::search::{TermReader, decisions, passages, text_terms};

/// The most that is kept of how often a term is in a passage.
pub(super) const MOST_TIMES: u32 = 4;

/// A segment in the making, in memory.
#[derive(Default)]
pub(super) struct Builder {
    terms: HashMap<String, Open>,
    pub(super) docs: Docs,
    words: u64,
    decisions: Vec<(i64, i64, i64)>,
}

/// A posting list that grows.
#[derive(Default)]
pub(super) struct Open {
    bytes: Vec<u8>,
    count: u32,
    /// The last one written, plus one.
    before: u32,
    /// The one that is still counted.
    last: Option<(u32, u32)>,
}

impl Open {
    pub(super) fn add(&mut self, passage: u32, times: u32) {
        match &mut self.last {
            Some((last, sum)) if *last == passage => *sum += times,
            _ => {
                self.flush();
                self.last = Some((passage, times));
            }
        }
    }

    fn flush(&mut self) {
        if let Some((passage, times)) = self.last.take() {
            let distance = passage - self.before;
            let times = times.clamp(1, MOST_TIMES) - 1;
            put_number(u64::from(distance) << 2 | u64::from(times), &mut self.bytes);
            self.before = passage + 1;
            self.count += 1;
        }
    }

    /// The list as it is stored; `None` if nothing is in it.
    pub(super) fn finish(mut self) -> Option<Vec<u8>> {
        self.flush();
        let mut data = Vec::with_capacity(self.bytes.len() + 3);
        put_number(u64::from(self.count), &mut data);
        data.extend_from_slice(&self.bytes);
        (self.count > 0).then_some(data)
    }
}

/// What a posting list says.
pub(super) struct Postings<'d> {
    data: &'d [u8],
    left: u64,
    next: u32,
}

impl<'d> Postings<'d> {
    pub(super) fn read(mut data: &'d [u8]) -> Self {
        let left = take_number(&mut data).unwrap_or(0);
        Self { data, left, next: 0 }
    }

    /// How many passages are in it.
    pub(super) fn count(data: &'d [u8]) -> u64 {
        Self::read(data).left
    }
}

impl Iterator for Postings<'_> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        self.left = self.left.checked_sub(1)?;
        let number = take_number(&mut self.data)?;
        let passage = self.next.checked_add(u32::try_from(number >> 2).ok()?)?;
        self.next = passage.checked_add(1)?;
        Some((passage, (number & 3) as u32 + 1))
    }
}

/// A handoff of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Doc {
    /// Its row; 0 if it was removed.
    pub(super) n: u32,
    /// When it was made, in seconds.
    pub(super) created: u32,
    /// Its first passage, the head.
    pub(super) first: u32,
}

/// The handoffs of a segment, and the length of every passage in words.
#[derive(Default)]
pub(super) struct Docs {
    pub(super) handoffs: Vec<Doc>,
    pub(super) lengths: Vec<u8>,
}

impl Docs {
    pub(super) fn add(&mut self, n: u32, created: u32, lengths: impl Iterator<Item = u8>) {
        let first = self.lengths.len() as u32;
        self.handoffs.push(Doc { n, created, first });
        self.lengths.extend(lengths);
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(4 + self.handoffs.len() * 12 + self.lengths.len());
        out.extend((self.handoffs.len() as u32).to_le_bytes());
        for doc in &self.handoffs {
            for number in [doc.n, doc.created, doc.first] {
                out.extend(number.to_le_bytes());
            }
        }
        out.extend_from_slice(&self.lengths);
        out
    }

    /// Reads what `encode` wrote; what is damaged is cut off.
    pub(super) fn decode(data: &[u8]) -> Self {
        let number = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
        let Some((count, rest)) = data.split_first_chunk::<4>() else { return Self::default() };
        let (docs, _) = rest.as_chunks::<12>();
        let docs = &docs[..docs.len().min(number(count) as usize)];
        let doc = |doc: &[u8; 12]| {
            let [n, created, first] =
                [0, 4, 8].map(|at| [doc[at], doc[at + 1], doc[at + 2], doc[at + 3]]);
            Doc { n: number(&n), created: number(&created), first: number(&first) }
        };
        let handoffs: Vec<Doc> = docs.iter().map(doc).collect();
        let lengths = rest[docs.len() * 12..].to_vec();
        Self { handoffs, lengths }
    }

    /// The passages of a handoff.
    pub(super) fn passages(&self, at: usize) -> std::ops::Range<usize> {
        let first = self.handoffs[at].first as usize;
        let end = self.handoffs.get(at + 1).map_or(self.lengths.len(), |next| next.first as usize);
        first.min(self.lengths.len())..end.min(self.lengths.len())
    }
}

impl Builder {
    pub(super) fn add(&mut self, n: i64, handoff: &Handoff, reader: &mut TermReader) {
        let base = self.docs.lengths.len() as u32;
        let terms = &mut self.terms;
        let body = passages(handoff);
        let lengths = text_terms(handoff, &body, reader, &mut |ordinal, term, counts| {
            let passage = base + ordinal as u32;
            terms.entry_ref(term).or_default().add(passage, counts);
        });
        self.words += lengths.iter().map(|length| *length as u64).sum::<u64>();
        let created = handoff.head.created.micros();
        let seconds = created.div_euclid(1_000_000).clamp(0, i64::from(u32::MAX)) as u32;
        let lengths = lengths.into_iter().map(|length| length.min(255) as u8);
        self.docs.add(u32::try_from(n).unwrap_or(0), seconds, lengths);
        for decision in decisions(&body, reader) {
            self.decisions.push((subject_hash(&decision.subject), created, n));
        }
    }

    /// Writes the segment into the index, inside a transaction.
    pub(super) fn write(self, conn: &Connection, memory: i64) -> rusqlite::Result<i64> {
        let segment = insert_segment(conn, memory, &self.docs, self.words)?;
        let mut terms: Vec<(String, Open)> = self.terms.into_iter().collect();
        // In the order in which they lie: each goes behind the one before.
        terms.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let mut insert =
            conn.prepare("INSERT INTO posting(segment, term, data) VALUES (?1, ?2, ?3)")?;
        for (term, open) in terms {
            if let Some(data) = open.finish() {
                insert.execute(params![segment, term, data])?;
            }
        }
        let mut insert = conn.prepare(
            "INSERT OR IGNORE INTO decision(memory, subject, created, handoff) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for (subject, created, n) in self.decisions {
            insert.execute(params![memory, subject, created, n])?;
        }
        Ok(segment)
    }
}

pub(super) fn insert_segment(
    conn: &Connection,
    memory: i64,
    docs: &Docs,
    words: u64,
) -> rusqlite::Result<i64> {
    conn.execute(
        "INSERT INTO segment(memory, handoffs, passages, words, docs) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            memory,
            docs.handoffs.len() as i64,
            docs.lengths.len() as i64,
            words as i64,
            docs.encode()
        ],
    )?;
    Ok(conn.last_insert_rowid())
}

/// A subject of decisions as the index keeps it.
pub(crate) fn subject_hash(subject: &str) -> i64 {
    // FNV-1a: the same everywhere and for ever, which the standard library's hash is not.
    let hash = subject.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash.cast_signed()
}

fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take_number(data: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = data.split_first()?;
        *data = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let mut open = Open::default();
        for (passage, times) in [(0, 1), (0, 1), (1, 9), (500, 1), (100_000, 3)] {
            open.add(passage, times);
        }
        let data = open.finish().unwrap();
        let read: Vec<_> = Postings::read(&data).collect();
        assert_eq!(read, [(0, 2), (1, 4), (500, 1), (100_000, 3)]);
        assert_eq!(Postings::count(&data), 4);
        assert!(Open::default().finish().is_none());
    }

    #[test]
    fn handoffs_are_read_as_they_were_written() {
        let mut docs = Docs::default();
        docs.add(7, 1000, [3, 200].into_iter());
        docs.add(9, 2000, [1].into_iter());
        let read = Docs::decode(&docs.encode());
        assert_eq!(read.handoffs, docs.handoffs);
        assert_eq!((read.passages(0), read.passages(1)), (0..2, 2..3));
        assert_eq!(read.lengths, [3, 200, 1]);
    }

    proptest::proptest! {
        #[test]
        fn damaged_data_is_read_without_harm(data: Vec<u8>) {
            let _ = Postings::read(&data).count();
            let docs = Docs::decode(&data);
            for at in 0..docs.handoffs.len() {
                let _ = docs.passages(at);
            }
        }
    }
}
