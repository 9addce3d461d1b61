//! What a transcript that repeats itself told already, and what it takes back.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Record, Session};

/// Keys that are kept. Beyond these, something may be taken for new.
const KEYS: usize = 100_000;

/// Keys that were met, by a hash, with the record in which each was first.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(HashMap<u64, Record, BuildHasherDefault<Hashed>>);

/// The hash of a key that is one already.
#[derive(Clone, Copy, Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash << 8) ^ u64::from(*byte));
    }
}

impl Known {
    /// Makes a key known. Whether it was not before.
    pub(super) fn add(&mut self, key: &str, record: Record) -> bool {
        let is_full = self.0.len() >= KEYS;
        match self.0.entry(hash(key)) {
            Entry::Occupied(_) => false,
            Entry::Vacant(_) if is_full => true,
            Entry::Vacant(place) => {
                place.insert(record);
                true
            }
        }
    }

    /// Where a key was first.
    pub(super) fn at(&self, key: &str) -> Option<Record> {
        self.0.get(&hash(key)).copied()
    }
}

/// Pairs of numbers: there are thousands, and whoever keeps them looks for secrets in every text.
impl Serialize for Known {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

impl<'de> Deserialize<'de> for Known {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pairs: Vec<(u64, Record)> = Vec::deserialize(deserializer)?;
        Ok(Self(pairs.into_iter().collect()))
    }
}

/// FNV-1a: the same in every version, as it is kept.
fn hash(key: &str) -> u64 {
    key.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl Session {
    /// Forgets what was said in a record and since.
    pub(super) fn forget_said(&mut self, from: Record) {
        let before = self.prompts.len();
        self.prompts.retain(|prompt| prompt.record < from);
        self.turns = self.turns.saturating_sub((before - self.prompts.len()) as u64);
        self.constraints.retain(|said| said.record < from);
        self.said.retain(|said| said.record < from);
        self.decisions.retain(|decided| decided.record < from);
        self.rejected.retain(|said| said.record < from);
        self.gotchas.retain(|said| said.record < from);
        self.summary = self.summary.take().filter(|summary| summary.record < from);
        self.plan = self.plan.take().filter(|plan| plan.record < from);
        self.interrupted = false;
    }
}
