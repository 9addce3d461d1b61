//! The kind of a handoff: what it is, and so what may be made of it.

use std::fmt;
use std::str::FromStr;

/// What a handoff is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandoffKind {
    /// Somebody's words.
    #[default]
    Handoff,
    /// Captured from a session's transcript.
    Session,
    /// Git's state, and nobody's words.
    Snapshot,
    /// One decision.
    Decision,
    /// One item.
    Note,
    /// Items that were closed or opened again, and why.
    Closing,
    /// A kind of a newer format. It is listed, and nothing goes on from it.
    Other,
}

/// A word that is no kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no kind; there are handoff, session, snapshot, decision, note and closing")]
pub struct KindError(pub String);

impl HandoffKind {
    /// The kinds that a user can ask for.
    pub const ALL: [Self; 6] =
        [Self::Handoff, Self::Session, Self::Snapshot, Self::Decision, Self::Note, Self::Closing];
    /// What a briefing can be about.
    pub const BASE: [Self; 2] = [Self::Handoff, Self::Session];
    /// What can be the latest. Only where none of these is here, a snapshot is.
    pub const LATEST: [Self; 3] = [Self::Handoff, Self::Session, Self::Decision];
    /// What a list shows unless asked for more. Only where none of these is here, it shows snapshots.
    pub const LISTED: [Self; 4] = [Self::Handoff, Self::Session, Self::Decision, Self::Other];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Handoff => "handoff",
            Self::Session => "session",
            Self::Snapshot => "snapshot",
            Self::Decision => "decision",
            Self::Note => "note",
            Self::Closing => "closing",
            Self::Other => "other",
        }
    }

    /// Whether it says where things stand.
    pub fn is_base(self) -> bool {
        Self::BASE.contains(&self)
    }

    pub fn can_be_latest(self) -> bool {
        Self::LATEST.contains(&self)
    }
}

impl fmt::Display for HandoffKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for HandoffKind {
    type Err = KindError;

    fn from_str(word: &str) -> Result<Self, KindError> {
        let known = Self::ALL.into_iter().find(|kind| kind.as_str() == word);
        known.ok_or_else(|| KindError(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_by_its_word() {
        for kind in HandoffKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert!("other".parse::<HandoffKind>().is_err());
        assert!("Handoff".parse::<HandoffKind>().is_err());
    }

    #[test]
    fn what_says_where_things_stand_can_be_the_latest_and_is_listed() {
        assert!(HandoffKind::BASE.into_iter().all(HandoffKind::can_be_latest));
        assert!(HandoffKind::LATEST.iter().all(|kind| HandoffKind::LISTED.contains(kind)));
    }
}
