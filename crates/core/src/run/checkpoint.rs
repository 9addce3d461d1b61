//! The checkpoint of a run: agent-handover's four keys, read and written as it does, and ours
//! under `segue`. What nobody here knows is kept.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Timestamp;

/// The version of what stands under `segue`. A newer one is read and never rewritten.
const VERSION: u64 = 1;

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    #[default]
    None,
    InProgress,
    Completed,
}

impl RunStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }
}

/// How a step ended that is not pending any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Done,
    /// Its condition did not hold.
    Skipped,
    /// It failed, and its plan lets the run go on.
    Failed,
}

/// What is known of a step besides its name and mark.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    /// What tells whether the plan's step is still the one that was begun.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What it did, or why it failed or was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// The end of what its command printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    #[serde(flatten)]
    /// What a newer version wrote; kept.
    pub unknown: Map<String, Value>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A step of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepMark {
    pub name: String,
    pub done: bool,
    pub record: StepRecord,
}

/// A note and a state that a run hands over. Its id and moment are fixed before anything is
/// written, so that writing it again changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// What tells it from the others in the queue.
    pub key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The plan that it was given to; absent for the standard one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The command with which it was given, without what was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The agent that left it, and its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The handoff's id and moment, once a run has taken it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    #[serde(flatten)]
    /// What a newer version wrote; kept.
    pub unknown: Map<String, Value>,
}

/// What git said when the run collected it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFacts {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

/// What is known of a run that Segue began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHead {
    pub version: u64,
    /// The run's id, which commits carry.
    pub run: String,
    /// The file of its plan; absent for the standard one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The command that goes on with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What tells whether the plan's file says something else by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<String>,
    /// The top of its work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The checkpoint that its plan names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<RunFacts>,
    #[serde(flatten)]
    /// What a newer version wrote; kept.
    pub unknown: Map<String, Value>,
}

impl RunHead {
    pub fn new(run: String, plan: Option<String>, inputs: Vec<Input>) -> Self {
        Self { version: VERSION, run, plan, inputs, ..Self::default() }
    }
}

/// The file that makes a run resumable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    pub status: RunStatus,
    pub steps: Vec<StepMark>,
    /// As it stands in the file.
    pub started_at: Option<String>,
    pub finished_at: Option<String>,
    /// Absent in a file that agent-handover wrote.
    pub head: Option<RunHead>,
    /// What a newer version wrote; kept.
    pub unknown: Map<String, Value>,
}

/// One step's progress, as the journal of a long run keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub run: String,
    pub at: usize,
    pub step: String,
    pub done: bool,
    pub record: StepRecord,
}

impl Mark {
    /// A line of the journal; `None` if it is none, or cut off.
    pub fn parse(line: &str) -> Option<Self> {
        serde_json::from_str(line.strip_suffix('\n')?).ok()
    }

    pub fn render(&self) -> String {
        format!("{}\n", serde_json::to_string(self).unwrap_or_default())
    }
}

impl Input {
    /// A file of the queue.
    pub fn parse(text: &str) -> Result<Self, CheckpointError> {
        serde_json::from_str(text).map_err(|error| CheckpointError::Syntax(error.to_string()))
    }

    pub fn render(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// Why a file is not a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    #[error("it is not JSON: {0}")]
    Syntax(String),
    #[error("it has no '{0}' that a checkpoint has")]
    Missing(&'static str),
    #[error("the step '{0}' is neither pending nor done")]
    Step(String),
    #[error("what stands under 'segue' is not understood: {0}")]
    Ours(String),
    #[error("{0}")]
    Unfit(&'static str),
}

/// A moment as Python writes it, which the peer's readers expect.
pub fn iso(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{}+00:00", text.trim_end_matches('Z'))
}

impl Checkpoint {
    /// A run that begins now.
    pub fn begin(
        head: RunHead,
        steps: impl IntoIterator<Item = (String, String)>,
        now: Timestamp,
    ) -> Self {
        let steps = steps
            .into_iter()
            .map(|(name, digest)| StepMark {
                name,
                done: false,
                record: StepRecord { digest, ..StepRecord::default() },
            })
            .collect();
        Self {
            status: RunStatus::InProgress,
            steps,
            started_at: Some(iso(now)),
            finished_at: None,
            head: Some(head),
            unknown: Map::new(),
        }
    }

    /// Reads a checkpoint, the peer's or ours.
    pub fn parse(text: &str) -> Result<Self, CheckpointError> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| CheckpointError::Syntax(error.to_string()))?;
        let Value::Object(mut map) = value else { return Err(CheckpointError::Missing("status")) };
        let status = match map.shift_remove("status").as_ref().and_then(Value::as_str) {
            Some("none") => RunStatus::None,
            Some("in_progress") => RunStatus::InProgress,
            Some("completed") => RunStatus::Completed,
            _ => return Err(CheckpointError::Missing("status")),
        };
        let Some(Value::Object(marks)) = map.shift_remove("steps") else {
            return Err(CheckpointError::Missing("steps"));
        };
        let mut moment = |key| map.shift_remove(key).and_then(|at| at.as_str().map(str::to_owned));
        let (started_at, finished_at) = (moment("started_at"), moment("finished_at"));
        let mut records = Map::new();
        let head = match map.shift_remove("segue") {
            None => None,
            Some(Value::Object(mut ours)) => {
                if let Some(Value::Object(steps)) = ours.shift_remove("steps") {
                    records = steps;
                }
                let head = serde_json::from_value(Value::Object(ours));
                Some(head.map_err(|error| CheckpointError::Ours(error.to_string()))?)
            }
            Some(_) => return Err(CheckpointError::Ours("it is not an object".to_owned())),
        };
        let mut steps = Vec::with_capacity(marks.len());
        for (name, mark) in marks {
            let done = match mark.as_str() {
                Some("done") => true,
                Some("pending") => false,
                _ => return Err(CheckpointError::Step(name)),
            };
            let record = match records.get_mut(&name) {
                Some(record) => serde_json::from_value(record.take())
                    .map_err(|error| CheckpointError::Ours(error.to_string()))?,
                None => StepRecord::default(),
            };
            steps.push(StepMark { name, done, record });
        }
        Ok(Self { status, steps, started_at, finished_at, head, unknown: map })
    }

    /// The file: as the peer writes it, two spaces deep and without a last line end.
    pub fn render(&self) -> String {
        let text = |text: &Option<String>| text.clone().map_or(Value::Null, Value::String);
        let mut map = Map::new();
        map.insert("status".to_owned(), self.status.as_str().into());
        let marks = self
            .steps
            .iter()
            .map(|step| (step.name.clone(), if step.done { "done" } else { "pending" }.into()));
        map.insert("steps".to_owned(), Value::Object(marks.collect()));
        map.insert("started_at".to_owned(), text(&self.started_at));
        map.insert("finished_at".to_owned(), text(&self.finished_at));
        if let Some(head) = &self.head
            && let Ok(Value::Object(mut ours)) = serde_json::to_value(head)
        {
            let records = self.steps.iter().filter_map(|step| {
                let record = serde_json::to_value(&step.record).ok()?;
                Some((step.name.clone(), record))
            });
            ours.insert("steps".to_owned(), Value::Object(records.collect()));
            map.insert("segue".to_owned(), Value::Object(ours));
        }
        map.extend(self.unknown.clone());
        serde_json::to_string_pretty(&Value::Object(map)).unwrap_or_default()
    }

    /// As others may see it: without what was handed over, and without where.
    pub fn public(&self) -> Self {
        let head = self.head.as_ref().map(|head| RunHead {
            version: head.version,
            run: head.run.clone(),
            ..RunHead::default()
        });
        Self { head, ..self.clone() }
    }

    /// As somebody else's: what it says of ours is not believed.
    pub fn foreign(self) -> Self {
        let strip = |step: StepMark| StepMark { record: StepRecord::default(), ..step };
        Self { head: None, steps: self.steps.into_iter().map(strip).collect(), ..self }
    }

    /// Whether a newer version of Segue wrote it; then it is not rewritten.
    pub fn is_newer(&self) -> bool {
        self.head.as_ref().is_some_and(|head| head.version > VERSION)
    }

    /// The id of the run, if Segue began it.
    pub fn run(&self) -> Option<&str> {
        self.head.as_ref().map(|head| head.run.as_str())
    }

    /// The steps that are still to do.
    pub fn pending(&self) -> impl Iterator<Item = &StepMark> {
        self.steps.iter().filter(|step| !step.done)
    }

    /// Whether it was begun and something is left to do.
    pub fn is_interrupted(&self) -> bool {
        self.status == RunStatus::InProgress && self.pending().next().is_some()
    }

    /// One step's progress, for the journal.
    pub fn mark(&self, at: usize) -> Option<Mark> {
        let (run, step) = (self.run()?.to_owned(), self.steps.get(at)?);
        let (name, record) = (step.name.clone(), step.record.clone());
        Some(Mark { run, at, step: name, done: step.done, record })
    }

    /// Puts a step's progress from the journal in its place. A journal can be older than the
    /// checkpoint: what is done stays done.
    pub fn apply(&mut self, mark: Mark) {
        if self.run() == Some(mark.run.as_str())
            && let Some(step) = self.steps.get_mut(mark.at)
            && step.name == mark.step
            && !step.done
        {
            step.done = mark.done;
            step.record = mark.record;
        }
    }

    /// The run is over.
    pub fn complete(&mut self, now: Timestamp) {
        self.status = RunStatus::Completed;
        self.finished_at = Some(iso(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PEER: &str = "{\n  \"status\": \"in_progress\",\n  \"steps\": {\n    \"session_note\": \"done\",\n    \"current_state\": \"done\",\n    \"publish\": \"pending\"\n  },\n  \"started_at\": \"2026-11-15T18:36:52.639970+00:00\",\n  \"finished_at\": null\n}";

    #[test]
    fn a_file_of_the_peer_comes_back_byte_for_byte() {
        let read = Checkpoint::parse(PEER).unwrap();
        assert_eq!(read.render(), PEER);
        assert!(read.is_interrupted());
        let pending: Vec<&str> = read.pending().map(|step| step.name.as_str()).collect();
        assert_eq!(pending, ["publish"]);
    }

    #[test]
    fn ours_comes_back_with_what_is_unknown() {
        let now = "2026-11-15T17:45:00.123456Z".parse().unwrap();
        let input = Input { key: "k".into(), note: Some("näh\n".into()), ..Input::default() };
        let head = RunHead::new("20261115-174500-a3f9c12e".into(), None, vec![input]);
        let mut begun =
            Checkpoint::begin(head, [("b".into(), "1".into()), ("a".into(), "2".into())], now);
        begun.steps[0].done = true;
        begun.steps[0].record.outcome = Some(Outcome::Skipped);
        let text = begun.render();
        assert!(text.contains("\"2026-11-15T17:45:00.123456+00:00\""), "{text}");
        assert!(text.find("\"b\"") < text.find("\"a\""), "the order of the plan stays");
        assert_eq!(Checkpoint::parse(&text).unwrap(), begun);
        let odd = text.replace("\"version\": 1", "\"version\": 9,\n    \"later\": [1]");
        let odd = odd.replace("\"finished_at\"", "\"mine\": true,\n  \"finished_at\"");
        let read = Checkpoint::parse(&odd).unwrap();
        assert!(read.is_newer());
        let back = read.render();
        assert!(back.contains("\"later\"") && back.contains("\"mine\""), "{back}");
    }

    #[test]
    fn what_is_no_checkpoint_is_named_as_such_h11() {
        for text in ["", "{", "[]", "{}", "null", "{\"status\": \"completed\"}", "7"] {
            assert!(Checkpoint::parse(text).is_err(), "{text}");
        }
        let odd = PEER.replace("pending", "perhaps");
        assert_eq!(Checkpoint::parse(&odd), Err(CheckpointError::Step("publish".into())));
        for end in 0..PEER.len() {
            assert!(Checkpoint::parse(&PEER[..end]).is_err(), "cut at {end}");
        }
    }

    proptest! {
        #[test]
        fn no_input_panics(text: String) {
            let _ = Checkpoint::parse(&text);
            let _ = Checkpoint::parse(&format!("{{\"status\":\"none\",\"steps\":{{}},\"segue\":{text}}}"));
        }
    }
}
