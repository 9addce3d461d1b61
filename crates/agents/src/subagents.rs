//! The transcripts of subagents, read as part of the session that started them. Each is read on from
//! where it was left; of one that came to its end only what it did is kept.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use segue_core::session::{Record, Recorder, Session, SubagentWork};
use serde::{Deserialize, Serialize};

use crate::lines::Capture;

/// Subagents of a session that are read: the newest.
pub(crate) const MOST: usize = 200;
/// Bytes of one that are read at once at most.
const LARGEST: u64 = 32 << 20;

/// The transcript of a subagent.
pub(crate) struct Subagent {
    /// What it is known by.
    pub id: String,
    pub path: PathBuf,
    /// Changes whenever something is written into it.
    pub version: u64,
    /// What it was to do, where that stands beside its transcript.
    pub task: Option<String>,
    /// Whether it came to its end, if somebody says so.
    pub finished: Option<bool>,
    /// The call that started it.
    pub call: Option<String>,
}

/// A subagent, as far as it was read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct SubagentRead {
    version: u64,
    record: Record,
    work: SubagentWork,
    /// Where to go on, while it may.
    capture: Option<Box<Capture>>,
}

/// The subagents of a session, as far as they were read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Subagents(BTreeMap<String, SubagentRead>);

impl Subagents {
    /// Reads what is new of them. `started` says where in the session one was started. Gives whether
    /// something is left for the next time, after about so many bytes.
    pub(crate) fn read(
        &mut self,
        agent: &str,
        found: Vec<Subagent>,
        most: Option<u64>,
        started: impl Fn(&Subagent) -> Record,
        read: impl Fn(&Path, &mut Capture) -> io::Result<()>,
    ) -> bool {
        self.0.retain(|id, _| found.iter().any(|one| one.id == *id));
        let mut left = most.unwrap_or(u64::MAX);
        let mut is_cut = false;
        for one in found {
            let known = self.0.entry(one.id.clone()).or_default();
            known.record = started(&one);
            if known.version == one.version {
                continue;
            }
            if left == 0 {
                return true;
            }
            let mut capture = known.capture.take().unwrap_or_else(|| {
                let mut capture = Capture::of(agent, &one.id);
                capture.recorder = Recorder::for_subagent(agent);
                Box::new(capture)
            });
            capture.read_at_most(left.min(LARGEST));
            let before = capture.offset();
            // One that cannot be read does not hide what the session says.
            if read(&one.path, &mut capture).is_err() {
                continue;
            }
            left = left.saturating_sub(capture.offset().saturating_sub(before));
            known.work = SubagentWork::of(&capture.recorder, one.task.as_deref(), one.finished);
            // What was not read to its end is read on the next time.
            known.version = if capture.is_cut() { 0 } else { one.version };
            is_cut |= capture.is_cut();
            let goes_on = one.finished != Some(true) && !capture.recorder.is_at_rest();
            known.capture = (goes_on || capture.is_cut()).then_some(capture);
        }
        is_cut
    }

    /// Adds what they did to the session.
    pub(crate) fn add_to(&self, session: &mut Session) {
        for known in self.0.values() {
            session.add_subagent(&known.work, known.record);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// By what is noted where a subagent was started: its id, or the call that did it.
pub(crate) fn started_by(id: &str) -> String {
    format!("subagent {id}")
}

/// Notes where a subagent was started.
pub(crate) fn note_start(id: &str, recorder: &mut Recorder) {
    let record = recorder.session().records.to_string();
    recorder.notes.put(&started_by(id), &record);
}
