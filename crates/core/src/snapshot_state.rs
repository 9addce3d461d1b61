//! What snapshots were taken of, as digests: by them the next one knows whether anything is new.

use std::collections::BTreeMap;

use crate::{HandoffId, digest_of_bytes};

/// How many snapshots of a directory are remembered: the last of each session.
const REMEMBERED: usize = 32;

/// One of the things that a snapshot is taken of. A change of any of them makes the next snapshot a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SnapshotPart {
    Mode,
    Soul,
    Memory,
    /// HANDOFF.md outside Segue's block.
    HandoffFile,
    /// What is captured of the session.
    Session,
    /// Branch, commit, and what is not committed.
    Tree,
}

impl SnapshotPart {
    const ALL: [Self; 6] =
        [Self::Mode, Self::Soul, Self::Memory, Self::HandoffFile, Self::Session, Self::Tree];

    fn key(self) -> &'static str {
        match self {
            Self::Mode => "mode",
            Self::Soul => "soul",
            Self::Memory => "memory",
            Self::HandoffFile => "handoff",
            Self::Session => "session",
            Self::Tree => "tree",
        }
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Mode => "the mode",
            Self::Soul => "SOUL.md",
            Self::Memory => "MEMORY.md",
            Self::HandoffFile => "HANDOFF.md",
            Self::Session => "the session",
            Self::Tree => "the tree",
        }
    }
}

/// What a snapshot is taken of: a digest of each part that is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotState(BTreeMap<SnapshotPart, String>);

impl SnapshotState {
    /// Adds a part. One that is not added is not there, which is not the same as empty.
    pub fn add(&mut self, part: SnapshotPart, content: &[u8]) {
        self.0.insert(part, short_digest(content));
    }

    /// The parts that are not as they were.
    pub fn changed_since(&self, earlier: &Self) -> Vec<SnapshotPart> {
        let is_changed = |part: &SnapshotPart| self.0.get(part) != earlier.0.get(part);
        SnapshotPart::ALL.into_iter().filter(is_changed).collect()
    }
}

/// The first half of a SHA-256, in hex.
fn short_digest(content: &[u8]) -> String {
    let mut sum = digest_of_bytes(content);
    sum.truncate(32);
    sum
}

/// A snapshot that was saved, and what it was taken of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenSnapshot {
    pub id: HandoffId,
    pub state: SnapshotState,
}

/// The last snapshots of a directory, one of each session and one without any.
///
/// As text it is a line each, oldest first: the id, then `of=` with a digest of the session, then the parts. Keys
/// that are not known are passed over. A line that cannot be read is left out: then the next snapshot is saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotLog(Vec<(String, TakenSnapshot)>);

impl SnapshotLog {
    pub fn parse(text: &str) -> Self {
        Self(text.lines().filter_map(parse_line).collect())
    }

    /// The last snapshot of a session, or the last one without any.
    pub fn last_of(&self, session: Option<&str>) -> Option<&TakenSnapshot> {
        let of = session_digest(session);
        self.0.iter().rev().find(|(session, _)| *session == of).map(|(_, taken)| taken)
    }

    /// Remembers a snapshot in place of the last one of the same session.
    pub fn remember(&mut self, session: Option<&str>, taken: TakenSnapshot) {
        let of = session_digest(session);
        self.0.retain(|(session, _)| *session != of);
        self.0.push((of, taken));
        let too_many = self.0.len().saturating_sub(REMEMBERED);
        self.0.drain(..too_many);
    }

    pub fn render(&self) -> String {
        let line = |(of, taken): &(String, TakenSnapshot)| {
            let parts = taken.state.0.iter().map(|(part, sum)| format!(" {}={sum}", part.key()));
            format!("{} of={of}{}\n", taken.id, parts.collect::<String>())
        };
        self.0.iter().map(line).collect()
    }
}

fn session_digest(session: Option<&str>) -> String {
    session.map_or_else(|| "none".to_owned(), |session| short_digest(session.as_bytes()))
}

fn parse_line(line: &str) -> Option<(String, TakenSnapshot)> {
    let mut words = line.split_whitespace();
    let id = words.next()?.parse().ok()?;
    let of = words.next()?.strip_prefix("of=")?.to_owned();
    let pairs = words.filter_map(|word| word.split_once('='));
    let known = pairs.filter_map(|(key, sum)| {
        let part = SnapshotPart::ALL.into_iter().find(|part| part.key() == key)?;
        Some((part, sum.to_owned()))
    });
    Some((of, TakenSnapshot { id, state: SnapshotState(known.collect()) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(mode: &str, tree: &str) -> SnapshotState {
        let mut state = SnapshotState::default();
        state.add(SnapshotPart::Mode, mode.as_bytes());
        state.add(SnapshotPart::Tree, tree.as_bytes());
        state
    }

    fn taken(second: u32, mode: &str) -> TakenSnapshot {
        let id = format!("20261115-1745{:02}-{second:08x}", second % 60);
        TakenSnapshot { id: id.parse().unwrap(), state: state(mode, "clean") }
    }

    #[test]
    fn each_part_that_changed_is_named() {
        let before = state("build", "clean");
        assert_eq!(before.changed_since(&before), []);
        assert_eq!(state("debug", "clean").changed_since(&before), [SnapshotPart::Mode]);
        let mut now = state("build", "one file changed");
        now.add(SnapshotPart::Soul, b"");
        // A file that is there and empty is not one that is missing.
        assert_eq!(now.changed_since(&before), [SnapshotPart::Soul, SnapshotPart::Tree]);
        assert_eq!(before.changed_since(&now), [SnapshotPart::Soul, SnapshotPart::Tree]);
    }

    #[test]
    fn a_log_has_the_last_snapshot_of_each_session() {
        let mut log = SnapshotLog::default();
        log.remember(Some("5e55-10"), taken(1, "build"));
        log.remember(None, taken(2, "build"));
        log.remember(Some("5e55-10"), taken(3, "debug"));
        let log = SnapshotLog::parse(&log.render());
        assert_eq!(log.last_of(Some("5e55-10")), Some(&taken(3, "debug")));
        assert_eq!(log.last_of(None), Some(&taken(2, "build")));
        assert_eq!(log.last_of(Some("5e55-11")), None);
        assert_eq!(log.render().lines().count(), 2);
    }

    #[test]
    fn a_log_does_not_grow_for_ever() {
        let mut log = SnapshotLog::default();
        for second in 0..100 {
            log.remember(Some(&format!("session {second}")), taken(second, "build"));
        }
        assert_eq!(log.render().lines().count(), REMEMBERED);
        assert!(log.last_of(Some("session 99")).is_some());
        assert!(log.last_of(Some("session 1")).is_none());
    }

    #[test]
    fn a_log_of_another_version_and_a_damaged_one_are_read_as_far_as_possible() {
        let mut log = SnapshotLog::default();
        log.remember(None, taken(1, "build"));
        let text = log.render();
        let newer = text.replace('\n', " colour=blue\n");
        assert_eq!(SnapshotLog::parse(&newer), log);
        let torn = format!("{text}20261115-1745\n\nnonsense of=none mode=x\n");
        assert_eq!(SnapshotLog::parse(&torn), log);
        // A part that an older version did not write counts as changed.
        let older = SnapshotLog::parse(&text[..text.find(" tree=").unwrap()]);
        let earlier = &older.last_of(None).unwrap().state;
        assert_eq!(state("build", "clean").changed_since(earlier), [SnapshotPart::Tree]);
    }
}
