//! An item of the state: something that is open, or was.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::lane::Lane;
use crate::{HandoffId, ItemSource, StandingRule, Timestamp};

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateItemKind {
    /// Something to do next.
    Step,
    Blocker,
    Question,
    /// A check that fails.
    Check,
    Rule,
    Decision,
    /// An approach that was rejected.
    Rejected,
    Gotcha,
}

impl StateItemKind {
    /// In the order in which they are listed.
    pub const ALL: [Self; 8] = [
        Self::Blocker,
        Self::Check,
        Self::Step,
        Self::Question,
        Self::Rule,
        Self::Decision,
        Self::Rejected,
        Self::Gotcha,
    ];

    /// The word for it in `--json` and in its id.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Blocker => "blocker",
            Self::Question => "question",
            Self::Check => "check",
            Self::Rule => "rule",
            Self::Decision => "decision",
            Self::Rejected => "rejected",
            Self::Gotcha => "gotcha",
        }
    }

    /// Whether it belongs to one lane; the others belong to the whole project.
    pub fn is_of_lane(self) -> bool {
        matches!(self, Self::Step | Self::Blocker | Self::Question | Self::Check)
    }

    /// Whether it can become quiet.
    pub fn can_be_quiet(self) -> bool {
        !matches!(self, Self::Rule | Self::Blocker | Self::Check)
    }
}

impl fmt::Display for StateItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What names an item: the same on every machine, since it is made of what the item says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct StateItemId(u32);

/// A text that is no id of an item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no id of an item: 8 hex digits, as 'segue open' lists them")]
pub struct StateItemIdError(String);

/// What an item is known by in the ledger: long enough that nobody can make another one with the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct ItemDigest(u128);

impl ItemDigest {
    pub(super) fn of(kind: StateItemKind, lane: Option<&Lane>, normalized: &str) -> Self {
        let place = match lane {
            Some(lane) => format!("{}\0{}", lane.branch.as_deref().unwrap_or("*"), lane.dir),
            None => "project".to_owned(),
        };
        let digest = Sha256::digest(format!("{kind}\0{place}\0{normalized}"));
        let (first, _) = digest.split_at(16);
        Self(first.iter().fold(0, |number, byte| number << 8 | u128::from(*byte)))
    }

    /// The id that people use for it: its first digits.
    pub(super) fn id(self) -> StateItemId {
        StateItemId((self.0 >> 96) as u32)
    }
}

impl fmt::Display for StateItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl fmt::Debug for StateItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for StateItemId {
    type Err = StateItemIdError;

    fn from_str(text: &str) -> Result<Self, StateItemIdError> {
        let is_id = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u32::from_str_radix(text, 16).ok().filter(|_| is_id);
        number.map(Self).ok_or_else(|| StateItemIdError(text.to_owned()))
    }
}

impl From<StateItemId> for String {
    fn from(id: StateItemId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for StateItemId {
    type Error = StateItemIdError;

    fn try_from(text: String) -> Result<Self, StateItemIdError> {
        text.parse()
    }
}

/// When something was said, and by which handoff. Handoffs are ordered by both.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Stamp {
    /// When the handoff was left, in microseconds.
    pub at: i64,
    /// The handoff.
    pub by: HandoffId,
}

impl Stamp {
    /// When it was.
    pub fn time(&self) -> Option<Timestamp> {
        Timestamp::from_micros(self.at)
    }
}

/// Why an item is not open any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemClosing {
    /// It was crossed off.
    Done,
    /// The check passed.
    Passed,
    /// What was to be committed or pushed was.
    Published,
    /// Somebody's later words replace it and do not mention it.
    Dropped,
    /// A later session was about it and finished.
    WorkedOn,
    /// A later capture of the same session tells it anew.
    Recaptured,
    /// A later decision on the same subject.
    Superseded,
    /// The user took it back, in these words.
    TakenBack(String),
    /// Somebody closed it, with a reason if one was given.
    ByHand(Option<String>),
}

impl ItemClosing {
    /// The word for it in `--json`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Passed => "passed",
            Self::Published => "published",
            Self::Dropped => "dropped",
            Self::WorkedOn => "worked-on",
            Self::Recaptured => "recaptured",
            Self::Superseded => "superseded",
            Self::TakenBack(_) => "taken-back",
            Self::ByHand(_) => "closed",
        }
    }

    /// Whether nothing shows that it is settled: it is listed, so that nobody loses it.
    pub fn is_unsure(&self) -> bool {
        matches!(self, Self::Dropped | Self::WorkedOn)
    }
}

/// Whether an item is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemStatus {
    Open,
    Closed {
        /// By what.
        stamp: Stamp,
        why: ItemClosing,
    },
}

/// An item as the ledger knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateItem {
    pub id: StateItemId,
    pub(super) digest: ItemDigest,
    pub kind: StateItemKind,
    /// The lane that it was first mentioned in; `None` if it belongs to the project.
    pub lane: Option<Lane>,
    /// As it was said last.
    pub text: String,
    pub source: ItemSource,
    pub first: Stamp,
    /// When it was mentioned last.
    pub last: Stamp,
    pub status: ItemStatus,
    /// The words by which it is recognized.
    pub(super) key: String,
    /// What a decision is about.
    pub(super) subject: Option<String>,
    /// The session that mentioned it last.
    pub(super) session: Option<String>,
    /// Whether a capture saw it.
    #[serde(default)]
    pub is_seen: bool,
    /// Whether it was noted by itself.
    #[serde(default)]
    pub is_note: bool,
    /// Whether it says where a conversation stood, as "Not answered yet".
    pub(super) is_of_conversation: bool,
    /// Whether it came from elsewhere.
    pub is_imported: bool,
}

impl StateItem {
    /// The words by which it is recognized.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    pub fn is_open(&self) -> bool {
        self.status == ItemStatus::Open
    }

    /// The rule that it is, if the user said it and it holds.
    pub fn standing_rule(&self) -> Option<StandingRule> {
        let is_users = self.kind == StateItemKind::Rule && self.source == ItemSource::User;
        (is_users && self.is_open() && !self.is_imported)
            .then(|| StandingRule { text: self.text.clone(), record: 0 })
    }

    /// Whether only the user opens, rewords and closes it: a rule or a decision that the user said.
    pub fn is_only_for_the_user(&self) -> bool {
        let is_said = matches!(self.kind, StateItemKind::Rule | StateItemKind::Decision);
        is_said && self.source == ItemSource::User && !self.is_imported
    }

    /// Why and by what it was closed.
    pub fn closing(&self) -> Option<(&Stamp, &ItemClosing)> {
        match &self.status {
            ItemStatus::Open => None,
            ItemStatus::Closed { stamp, why } => Some((stamp, why)),
        }
    }

    pub(super) fn close(&mut self, stamp: &Stamp, why: ItemClosing) {
        if self.is_open() {
            self.status = ItemStatus::Closed { stamp: stamp.clone(), why };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_made_of_kind_place_and_words() {
        let (main, web) = (Lane::new(Some("main"), "."), Lane::new(Some("main"), "web"));
        let id = |kind, lane: Option<&Lane>, text| ItemDigest::of(kind, lane, text).id();
        let step = id(StateItemKind::Step, Some(&main), "fix it");
        assert_eq!(step, id(StateItemKind::Step, Some(&main), "fix it"));
        for other in [
            id(StateItemKind::Blocker, Some(&main), "fix it"),
            id(StateItemKind::Step, Some(&web), "fix it"),
            id(StateItemKind::Step, Some(&main), "fix that"),
        ] {
            assert_ne!(step, other);
        }
        // It never changes: people write it down.
        assert_eq!(step.to_string(), "2ba73317");
        assert_eq!(step.to_string().parse(), Ok(step));
        for bad in ["", "2ba7331", "2ba733177", "+ba73317", "zzzzzzzz"] {
            assert!(bad.parse::<StateItemId>().is_err(), "{bad}");
        }
    }
}
