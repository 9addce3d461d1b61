//! What is kept of a session beside its draft: how far it was read, and what was done with it.

use std::fmt;
use std::path::PathBuf;

use segue_agents::Capture;
use segue_core::session::Session;
use segue_core::{KnownSecrets, Redactor, StandingRule, Timestamp, json_strings};
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::session_key::SessionKey;
use super::stop_question::StopQuestion;
use crate::Error;
use crate::sessions::SessionSeen;

/// Another version reads again what this one has read.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How far a session was read, and what was done with it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LiveState {
    /// The version that wrote it: another one reads again.
    pub(super) version: String,
    pub(crate) agent: String,
    /// The directory that the session is about: where it was when it was first heard of.
    #[serde(default)]
    pub(crate) dir: Option<PathBuf>,
    /// The agent's id, as the transcript says and as its place says.
    pub(crate) session: String,
    #[serde(default)]
    pub(super) id: String,
    pub(super) transcript: String,
    /// The transcript as it was.
    pub(super) size: u64,
    pub(super) modified: i64,
    #[serde(default)]
    pub(super) capture: Option<Capture>,
    /// When the user last said something.
    #[serde(default)]
    pub(super) asked: Option<Timestamp>,
    /// The handoff that was made of it, and how many records there were then.
    #[serde(default)]
    pub(super) promoted: Option<(String, u64)>,
    /// The handoff that the session was briefed with.
    #[serde(default)]
    pub(crate) parent: Option<String>,
    /// The session that it was briefed on, where that had left no handoff yet.
    #[serde(default)]
    pub(crate) parent_session: Option<SessionKey>,
    /// What it was briefed with that the user said to hold.
    #[serde(default)]
    pub(crate) held: Vec<StandingRule>,
    /// Whether another version noted rules, and they have to be looked up again.
    #[serde(skip)]
    pub(super) has_unsure_rules: bool,
    /// Compactions after which what they dropped was given back.
    #[serde(default)]
    pub(crate) restored: u64,
    /// Whether it was briefed.
    #[serde(default)]
    pub(crate) briefed: bool,
    /// What it was told last when it began, and when: hooks of the user and of the project both fire.
    #[serde(default)]
    pub(crate) told: Option<(String, Timestamp)>,
    /// How full its context was, in percent, when it was last asked to save because of that.
    #[serde(default)]
    pub(crate) asked_at_fill: u8,
    /// What it was asked at the ends of its turns.
    #[serde(default)]
    pub(crate) stop_question: StopQuestion,
    /// Whether what it left was forgotten: until it goes on nothing is known of it.
    #[serde(default)]
    pub(super) forgotten: bool,
    /// Whether all that another version has read is in a handoff, or forgotten.
    #[serde(skip)]
    pub(super) is_done: bool,
    /// Whether its transcript may be from anybody.
    #[serde(skip)]
    pub(super) is_unproven: bool,
    /// The text that it was read from: the strings in it have no secrets any more.
    #[serde(skip)]
    pub(super) stored: String,
}

impl LiveState {
    /// As it is stored: without secrets.
    pub(super) fn without_secrets(&self, redactor: &Redactor) -> Result<Vec<u8>, Error> {
        let text =
            serde_json::to_string(self).map_err(|error| Error::Internal(error.to_string()))?;
        let clean = json_strings(&self.stored);
        let text = match redactor.redact_json_but(&text, &KnownSecrets::default(), &clean) {
            None => text,
            // What one text shows to be a secret may stand in another without a sign of it.
            Some(first) => {
                let known = KnownSecrets::new(first.values);
                redactor.redact_json(&text, &known).map_or(first.text, |all| all.text)
            }
        };
        Ok(text.into_bytes())
    }

    pub(crate) fn begun() -> Self {
        Self { version: VERSION.to_owned(), ..Self::default() }
    }

    /// What was kept. What another version has read is read again; what was done stays done.
    pub(super) fn parse(kept: &[u8]) -> Option<Self> {
        let stored = String::from_utf8(kept.to_vec()).ok()?;
        match serde_json::from_str::<Self>(&stored) {
            Ok(state) if state.version == VERSION => Some(Self { stored, ..state }),
            _ => {
                let done: Done = serde_json::from_str(&stored).ok()?;
                Some(Self {
                    is_done: done.forgotten || done.promoted.is_some(),
                    session: done.session,
                    id: done.id,
                    transcript: done.transcript,
                    size: done.size,
                    modified: done.modified,
                    forgotten: done.forgotten,
                    dir: done.dir,
                    promoted: done.promoted.map(|(id, _)| (id, 0)),
                    parent: done.parent,
                    parent_session: done.parent_session,
                    has_unsure_rules: !done.held.is_empty(),
                    restored: done.restored,
                    briefed: done.briefed,
                    asked_at_fill: done.asked_at_fill,
                    stop_question: done.stop_question,
                    ..Self::begun()
                })
            }
        }
    }

    /// Whether secrets were taken out of what was stored.
    pub(super) fn has_marks(&self) -> bool {
        self.stored.contains("[redacted: ")
    }

    /// It was read as far as it was found.
    pub(super) fn read_to(&mut self, seen: &SessionSeen) {
        seen.id.clone_into(&mut self.id);
        seen.agent.clone_into(&mut self.agent);
        if self.session.is_empty() {
            seen.id.clone_into(&mut self.session);
        }
        self.transcript = seen.path.to_string_lossy().into_owned();
        (self.size, self.modified) = (seen.size, seen.modified.micros());
    }

    /// It ran in a directory below that belongs to another project: nothing is made of it here.
    pub(super) fn is_of_another_project(&mut self) {
        let began = self.facts().and_then(|facts| facts.began_in.clone());
        self.dir = began.map(PathBuf::from);
        (self.capture, self.forgotten) = (None, true);
    }

    pub(super) fn is_of(&self, seen: &SessionSeen) -> bool {
        self.transcript == seen.path.to_string_lossy()
    }

    /// Whether nothing was written since.
    pub(super) fn is_current(&self, seen: &SessionSeen) -> bool {
        self.is_of(seen)
            && (self.capture.is_some() || self.forgotten || self.is_done)
            && (self.size, self.modified) == (seen.size, seen.modified.micros())
    }

    /// Takes over what was noted of the same session before its transcript was there.
    pub(super) fn take_briefing(&mut self, at_start: Self) {
        (self.parent, self.held, self.briefed) = (at_start.parent, at_start.held, at_start.briefed);
        self.parent_session = at_start.parent_session;
        self.has_unsure_rules = at_start.has_unsure_rules;
        self.dir = at_start.dir.or(self.dir.take());
    }

    /// The id by which its agent's files are called.
    pub(crate) fn id_in_files(&self) -> &str {
        if self.id.is_empty() { &self.session } else { &self.id }
    }

    /// What is known of the session.
    pub(crate) fn facts(&self) -> Option<&Session> {
        self.capture.as_ref().map(|capture| capture.recorder.session())
    }

    /// Whether work was done in it since a handoff was made of it.
    pub(super) fn has_worked_on(&self) -> bool {
        let made = self.promoted.as_ref().map(|(_, records)| *records);
        // What another version had read then is not known.
        let made = made.filter(|records| *records > 0);
        made.zip(self.facts()).is_some_and(|(made, facts)| facts.works_after(made))
    }

    /// What is known of it, with what its subagents did and what holds from before it.
    pub(crate) fn whole(&self) -> Option<Session> {
        let mut facts = self.capture.as_ref()?.session();
        facts.is_unproven = self.is_unproven;
        facts.hold(&self.held);
        Some(facts)
    }
}

/// How far a transcript was read, by the beginning of a state.
#[derive(Debug)]
pub(super) struct ReadMark {
    pub(super) transcript: PathBuf,
    pub(super) size: u64,
    pub(super) modified: i64,
}

/// How far a transcript was read, by the beginning of a state: what it is followed by is most of the file.
pub(super) fn read_mark(beginning: &[u8]) -> Option<ReadMark> {
    Some(ReadMark {
        transcript: path_in(beginning, "transcript")?,
        size: value_in(beginning, "size")?,
        modified: value_in(beginning, "modified")?,
    })
}

/// The directory that a session is about, by its state.
pub(crate) fn state_directory(kept: &[u8]) -> Option<PathBuf> {
    path_in(kept, "dir")
}

/// The transcript that a state is about, if that is known by its state.
pub(crate) fn state_transcript(kept: &[u8]) -> Option<PathBuf> {
    path_in(kept, "transcript").filter(|path| !path.as_os_str().is_empty())
}

/// A path in a state.
fn path_in(kept: &[u8], wanted: &str) -> Option<PathBuf> {
    value_in::<Option<PathBuf>>(kept, wanted)?
}

/// A value in a state. It stands near the beginning: what follows it is most of the file, and not looked at.
fn value_in<T: DeserializeOwned>(kept: &[u8], wanted: &str) -> Option<T> {
    struct UpTo<'d, T>(&'d mut Option<T>, &'d str);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for UpTo<'_, T> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a state")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut state: A) -> Result<(), A::Error> {
            while let Some(field) = state.next_key::<String>()? {
                if field == self.1 {
                    *self.0 = Some(state.next_value()?);
                    break;
                }
                state.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }
    let mut found = None;
    // That the object does not end there is an error, which says nothing here.
    let _ = serde_json::Deserializer::from_slice(kept).deserialize_map(UpTo(&mut found, wanted));
    found
}

/// What cannot be read out of a transcript again, as every version notes it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Done {
    session: String,
    id: String,
    transcript: String,
    size: u64,
    modified: i64,
    forgotten: bool,
    dir: Option<PathBuf>,
    promoted: Option<(String, u64)>,
    parent: Option<String>,
    parent_session: Option<SessionKey>,
    held: Vec<IgnoredAny>,
    restored: u64,
    briefed: bool,
    asked_at_fill: u8,
    stop_question: StopQuestion,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_known_to_the_next_version_too() {
        let kept = r#"{"version":"0.0.1","agent":{"another":"shape"},"dir":"/x","promoted":["20261115-174500-a3f9c12e",7],
            "parent":"p","held":["Never touch it."],"restored":2,"briefed":true,"capture":[1]}"#;
        let state = LiveState::parse(kept.as_bytes()).unwrap();
        assert!(state.capture.is_none() && state.briefed);
        assert_eq!(state.dir, Some(PathBuf::from("/x")));
        assert_eq!(state.promoted, Some(("20261115-174500-a3f9c12e".to_owned(), 0)));
        assert_eq!((state.parent.as_deref(), state.held.len(), state.restored), (Some("p"), 0, 2));
        assert!(state.has_unsure_rules);
        assert!(LiveState::parse(b"half").is_none());
        assert_eq!(state_directory(kept.as_bytes()), Some(PathBuf::from("/x")));
        assert_eq!(state_directory(br#"{"dir":null,"a":1}"#), None);
        assert_eq!(state_directory(b"half"), None);
        let read = br#"{"dir":"/x","transcript":"/x/t.jsonl","capture":{}}"#;
        assert_eq!(state_transcript(read), Some(PathBuf::from("/x/t.jsonl")));
        assert_eq!(state_transcript(&read[..40]), Some(PathBuf::from("/x/t.jsonl")), "cut");
        assert_eq!(state_transcript(br#"{"transcript":""}"#), None);
    }
}
