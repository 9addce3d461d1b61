//! What a transcript that repeats itself told already, and what it takes back.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{Record, Session};

/// Keys that are kept. Beyond these, something may be taken for new.
const KEYS: usize = 100_000;

/// Keys that were met, by a hash, with the record in which each was first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Known(HashMap<u64, Record>);

impl Known {
    /// Makes a key known. Whether it was not before.
    pub(super) fn add(&mut self, key: &str, record: Record) -> bool {
        let hash = hash(key);
        if self.0.contains_key(&hash) {
            return false;
        }
        if self.0.len() < KEYS {
            self.0.insert(hash, record);
        }
        true
    }

    /// Where a key was first.
    pub(super) fn at(&self, key: &str) -> Option<Record> {
        self.0.get(&hash(key)).copied()
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
