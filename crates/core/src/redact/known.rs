//! Values that are secret wherever they stand, whatever stands around them.

use aho_corasick::{AhoCorasick, MatchKind};

use super::alphabet::is_word;
use super::random;
use super::scan::Hit;
use super::{FoundSecret, Redacted};

/// How long a value is that is looked for everywhere else, and how many are.
const ECHO: usize = 8;
const LONGEST: usize = 512;
/// How long one is that is found within a word, too.
const UNMISTAKABLE: usize = 16;
const MOST_ECHOES: usize = 1000;

/// Values that were found to be secret, and look random enough to mean the same elsewhere.
#[derive(Clone, Debug, Default)]
pub struct KnownSecrets {
    /// Each with its kind.
    values: Vec<(String, String)>,
    searcher: Option<AhoCorasick>,
}

impl KnownSecrets {
    /// Of values and their kinds. What is not telling by itself is left out.
    pub fn new(values: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut values: Vec<_> =
            values.into_iter().filter(|(value, _)| is_telling(value)).collect();
        values.sort_unstable();
        values.dedup_by(|one, other| one.0 == other.0);
        let searcher = match values.is_empty() {
            true => None,
            false => AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(values.iter().map(|(value, _)| value))
                .ok(),
        };
        Self { values, searcher }
    }

    /// These and more.
    pub fn and(&self, more: impl IntoIterator<Item = (String, String)>) -> Self {
        Self::new(self.values.iter().cloned().chain(more))
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(super) fn of_hits(text: &str, hits: &[Hit]) -> Self {
        if hits.is_empty() {
            return Self::default();
        }
        let of = |hit: &Hit| (text[hit.range.clone()].to_owned(), hit.kind.clone());
        Self::new(hits.iter().take(MOST_ECHOES).map(of))
    }

    /// Places of these values that are not known yet.
    pub(super) fn find(&self, text: &str, hits: &[Hit]) -> Vec<Hit> {
        let Some(searcher) = &self.searcher else { return Vec::new() };
        let bytes = text.as_bytes();
        let joined = |byte: Option<&u8>| byte.is_some_and(|byte| is_word(*byte));
        let mut known = hits.iter().map(|hit| &hit.range).peekable();
        searcher
            .find_iter(text)
            .filter(|found| {
                while known.next_if(|range| range.end <= found.start()).is_some() {}
                known.peek().is_none_or(|range| range.start >= found.end())
                    && (is_unmistakable(&self.values[found.pattern().as_usize()].0)
                        || !joined(
                            found.start().checked_sub(1).and_then(|before| bytes.get(before)),
                        ) && !joined(bytes.get(found.end())))
            })
            .map(|found| Hit {
                kind: self.values[found.pattern().as_usize()].1.clone(),
                range: found.range(),
            })
            .collect()
    }
}

impl Redacted<'_> {
    /// The values that were found in this text, each with its kind.
    pub fn values<'a>(
        &'a self,
        original: &'a str,
    ) -> impl Iterator<Item = (String, String)> + use<'a> {
        let value = |one: &FoundSecret| (original[one.range.clone()].to_owned(), one.kind.clone());
        self.found.iter().map(value)
    }
}

/// Whether a value means the same wherever it stands: it is random, or made as passwords are.
fn is_telling(value: &str) -> bool {
    let bytes = value.as_bytes();
    let digit = bytes.iter().any(u8::is_ascii_digit);
    let kinds = random::kinds_of_characters(bytes);
    (ECHO..=LONGEST).contains(&value.len())
        && (random::is_random(bytes, ECHO) || kinds == 4 || digit && kinds == 3)
        && !value.contains('\n')
}

/// Whether it is so random that it may stand within a word, too: `-pVALUE`.
fn is_unmistakable(value: &str) -> bool {
    let bytes = value.as_bytes();
    value.len() >= UNMISTAKABLE && !random::is_hex(bytes) && random::is_random(bytes, 12)
        || value.len() >= ECHO && random::kinds_of_characters(bytes) == 4
}
