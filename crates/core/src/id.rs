//! Ids: `20261115-174500-a3f9c12e`, UTC time plus eight random hex digits.
//!
//! The eight digits alone are the short id. At least one of them is a letter in every id that we
//! draw, so that no short id can be taken for a date. A handoff that an import replaced is kept under its id
//! and a number: `20261115-174500-a3f9c12e~1`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::Timestamp;

/// A handoff's full id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct HandoffId(String);

/// The last eight digits of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShortId(u32);

/// Why a text is not an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not an id like 20261115-174500-a3f9c12e")]
pub struct IdError(String);

impl HandoffId {
    /// The id of a handoff created then, with this short id.
    pub fn new(created: Timestamp, short: ShortId) -> Self {
        Self(format!("{}-{short}", created.compact()))
    }

    /// The id of something that has one of another kind: always the same for the same seed.
    pub fn derived(created: Timestamp, seed: &[u8]) -> Self {
        let mut digest = Sha256::digest(seed);
        loop {
            let (first, _) = digest.split_at(4);
            let number = first.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
            if let Some(short) = ShortId::from_random(number) {
                return Self::new(created, short);
            }
            digest = Sha256::digest(digest);
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What comes after the time: eight digits, and the number of one that was replaced.
    pub fn short(&self) -> &str {
        &self.0[16..]
    }

    /// The id under which what it names is kept once that was replaced for the n-th time.
    pub fn former(&self, n: u32) -> Self {
        Self(format!("{}~{n}", &self.0[..24]))
    }

    /// Whether it names something that was replaced.
    pub fn is_former(&self) -> bool {
        self.0.len() > 24
    }

    /// The id that it had before it was replaced; its own if it was not.
    pub fn before(&self) -> Self {
        Self(self.0[..24].to_owned())
    }

    /// `2026-11`: the month directory in which a handoff of this id lies.
    pub fn month(&self) -> String {
        format!("{}-{}", &self.0[..4], &self.0[4..6])
    }
}

impl ShortId {
    /// The short id of a random number, if it has a letter in it.
    pub fn from_random(random: u32) -> Option<Self> {
        let candidate = Self(random);
        candidate.to_string().bytes().any(|b| b.is_ascii_lowercase()).then_some(candidate)
    }
}

impl fmt::Display for HandoffId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<HandoffId> for String {
    fn from(id: HandoffId) -> Self {
        id.0
    }
}

impl TryFrom<String> for HandoffId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl fmt::Display for ShortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl FromStr for HandoffId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (bytes, number) = match text.split_once('~') {
            None => (text.as_bytes(), true),
            Some((id, number)) => (
                id.as_bytes(),
                (1..=4).contains(&number.len())
                    && !number.starts_with('0')
                    && number.bytes().all(|b| b.is_ascii_digit()),
            ),
        };
        let shaped = number
            && bytes.len() == 24
            && bytes.iter().enumerate().all(|(at, b)| match at {
                8 | 15 => *b == b'-',
                0..16 => b.is_ascii_digit(),
                _ => matches!(b, b'0'..=b'9' | b'a'..=b'f'),
            });
        if !shaped {
            return Err(IdError(text.to_owned()));
        }
        let two = |at: usize| (bytes[at] - b'0') * 10 + (bytes[at + 1] - b'0');
        let on_the_calendar = (1..=12).contains(&two(4))
            && (1..=31).contains(&two(6))
            && two(9) < 24
            && two(11) < 60
            && two(13) < 61;
        if on_the_calendar { Ok(Self(text.to_owned())) } else { Err(IdError(text.to_owned())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_of_time_and_random_digits() {
        let created = "2026-11-15T17:45:00.5Z".parse().unwrap();
        let id = HandoffId::new(created, ShortId::from_random(0xa3f9_c12e).unwrap());
        assert_eq!(id.as_str(), "20261115-174500-a3f9c12e");
        assert_eq!(id.short(), "a3f9c12e");
        assert_eq!(id.month(), "2026-11");
        assert_eq!(id.as_str().parse::<HandoffId>().unwrap(), id);
    }

    #[test]
    fn what_was_replaced_is_numbered() {
        let id: HandoffId = "20261115-174500-a3f9c12e".parse().unwrap();
        let first = id.former(1);
        assert_eq!(first.as_str(), "20261115-174500-a3f9c12e~1");
        assert_eq!((first.short(), first.is_former()), ("a3f9c12e~1", true));
        assert_eq!(first.former(2).as_str(), "20261115-174500-a3f9c12e~2");
        assert_eq!((first.before(), id.is_former()), (id, false));
        assert_eq!(first.as_str().parse::<HandoffId>().unwrap(), first);
    }

    #[test]
    fn a_derived_id_is_always_the_same_and_never_all_digits() {
        let created = "2026-11-15T17:45:00Z".parse().unwrap();
        for seed in 0..2000_u32 {
            let id = HandoffId::derived(created, &seed.to_le_bytes());
            assert_eq!(id, HandoffId::derived(created, &seed.to_le_bytes()));
            assert!(id.short().bytes().any(|b| b.is_ascii_lowercase()), "{id}");
        }
    }

    #[test]
    fn a_short_id_of_digits_only_is_never_drawn() {
        assert_eq!(ShortId::from_random(0x2026_1115), None);
        assert_eq!(ShortId::from_random(0), None);
        assert!(ShortId::from_random(0x0000_000a).is_some());
    }

    #[test]
    fn refuses_other_shapes() {
        for text in [
            "",
            "latest",
            "20261115-174500-A3F9C12E",
            "20261115-174500-a3f9c12",
            "20261115-174500-a3f9c12e1",
            "20261315-174500-a3f9c12e",
            "20261115-254500-a3f9c12e",
            "../../../../etc/passwd..",
            "20261115/174500/a3f9c12e",
            "2026111é-17450-a3f9c12e",
            "20261115-174500-a3f9c12e~",
            "20261115-174500-a3f9c12e~0",
            "20261115-174500-a3f9c12e~01",
            "20261115-174500-a3f9c12e~1~1",
            "20261115-174500-a3f9c12e~99999",
            "20261115-174500-a3f9c12e~+1",
        ] {
            assert!(text.parse::<HandoffId>().is_err(), "{text}");
        }
    }
}
