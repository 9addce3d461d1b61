//! What runs hand over: who takes which input, and what becomes of one that nobody wrote.

use std::path::{Path, PathBuf};

use segue_core::run::{Checkpoint, Event, Input, Outcome};
use segue_core::{HandoffId, ShortId, digest};
use segue_store::{LockedRun, RunFiles};

use super::command::end_of;
use super::engine::{Engine, RunOutcome};
use super::place::Target;
use super::plan::StepKind;
use crate::redacted::{redacted_text, told};
use crate::{Error, Segue};

/// One run takes inputs of so many bytes at most, if there are several.
const MOST_AT_ONCE: usize = 16 * 1024 * 1024;

/// Takes the secrets out of what is handed over, before it is put anywhere, and says what was found.
pub(super) fn redact_inputs(segue: &Segue, inputs: &mut [Input]) -> Result<Option<String>, Error> {
    let redactor = segue.redactor()?;
    let mut kinds = Vec::new();
    for text in inputs.iter_mut().flat_map(|input| [&mut input.note, &mut input.state]).flatten() {
        let redacted = redactor.redact(text);
        if !redacted.found.is_empty() {
            kinds.extend(redacted.found.into_iter().map(|one| one.kind));
            *text = redacted.text.into_owned();
        }
    }
    Ok(told(kinds.iter().map(String::as_str))
        .map(|what| format!("taken out before it was stored: {what}")))
}

/// Takes the secrets out of what a step said and printed.
pub(super) fn redact_event(segue: &Segue, mut event: Event) -> Event {
    let (said, output) = match &mut event {
        Event::Done { said, output } => (said.as_mut(), output.as_mut()),
        Event::Failed { why, output, .. } => (Some(why), output.as_mut()),
        Event::Skipped { why } => (Some(why), None),
    };
    let redactor = segue.redactor_out();
    for text in [said, output].into_iter().flatten() {
        if let Some(clean) = redacted_text(&redactor, text) {
            *text = clean;
        }
    }
    if let Event::Done { output, .. } | Event::Failed { output, .. } = &mut event {
        *output = output.take().and_then(|output| end_of(&output));
    }
    event
}

impl Engine<'_> {
    /// Puts the run of a plan aside that is gone, and gives what waits for it to the standard plan.
    pub(super) fn drop_lost(
        segue: &Segue,
        files: &RunFiles,
        standard: &Target,
        plan: &str,
    ) -> Result<RunOutcome, Error> {
        let mut locked = files.lock()?;
        let now = segue.env().now();
        let own = files.read_own().ok().flatten();
        let mut inputs = locked.waiting(own.as_ref(), Some(plan), now)?.inputs;
        let mut outcome = RunOutcome::new(standard.command());
        if let Some(head) = own.filter(Checkpoint::is_interrupted).and_then(|own| own.head) {
            // Whether a step wrote them cannot be told without the plan; written again they are the same.
            inputs.extend(head.inputs);
        }
        let other = segue.run_files(standard)?;
        for input in &inputs {
            let command = Some(standard.command());
            other.enqueue(&Input { plan: None, command, ..input.clone() })?;
        }
        for kept in locked.put_aside(now)? {
            outcome.warnings.push(format!("the old run is put aside in {}", kept.display()));
        }
        locked.dequeue(&inputs)?;
        outcome.dropped = true;
        Ok(outcome)
    }

    /// Inputs that wait for this plan: as many as one run takes.
    pub(super) fn waiting(
        &self,
        locked: &LockedRun,
        own: Option<&Checkpoint>,
        outcome: &mut RunOutcome,
    ) -> Result<Vec<Input>, Error> {
        let waiting = locked.waiting(own, self.target.plan.as_deref(), self.segue.env().now())?;
        outcome.warnings.extend(waiting.put_aside.iter().map(|path| {
            format!("an input of the queue could not be read; it is kept as {}", path.display())
        }));
        let mut inputs = waiting.inputs;
        let mut bytes = 0;
        let fits = inputs.iter().take_while(|input| {
            bytes += input.note.as_ref().map_or(0, String::len)
                + input.state.as_ref().map_or(0, String::len);
            bytes <= MOST_AT_ONCE
        });
        let count = fits.count().max(1);
        inputs.truncate(count);
        Ok(inputs)
    }

    /// Queues the inputs of a run again that no step of it has written; says whether there were any.
    pub(super) fn put_back(&self, locked: &LockedRun, old: &Checkpoint) -> Result<bool, Error> {
        let Some(head) = &old.head else { return Ok(false) };
        let writes = |name: &str| {
            let step = self.plan.steps.iter().find(|step| step.name == name);
            step.is_some_and(|step| matches!(step.kind(), Some(StepKind::Note | StepKind::State)))
        };
        let written = old
            .steps
            .iter()
            .any(|step| step.record.outcome == Some(Outcome::Done) && writes(&step.name));
        if written || head.inputs.is_empty() {
            return Ok(false);
        }
        for input in &head.inputs {
            let Ok(old_key) = input.key.parse::<HandoffId>() else { continue };
            let key = following(&old_key).to_string();
            locked.files().enqueue(&Input { key, ..input.clone() })?;
        }
        Ok(true)
    }
}

/// Whether the plan's file says something that no run has handed over.
#[derive(Debug)]
pub(super) struct Said {
    /// What it says now.
    now: Option<String>,
    new: bool,
}

impl Said {
    pub(super) fn new(planned: Option<&Input>) -> Self {
        let text = |input: &Input| digest(&format!("{:?} {:?}", input.note, input.state));
        Self { now: planned.map(text), new: false }
    }

    /// An old run is finished here. Of one of agent-handover's nobody knows what the file said.
    pub(super) fn took(&mut self, old: &Checkpoint) {
        let then = old.head.as_ref().map(|head| head.planned.clone());
        self.new = then.is_some_and(|then| self.now.is_some() && then != self.now);
    }

    /// A new run has begun.
    pub(super) fn told(&mut self) {
        self.new = false;
    }

    pub(super) fn is_new(&self) -> bool {
        self.new
    }

    pub(super) fn planned(&self) -> Option<String> {
        self.now.clone()
    }
}

/// The key under which an input is queued again: always the same, so that it is queued once.
fn following(key: &HandoffId) -> HandoffId {
    let mut hash = digest(key.as_str());
    loop {
        let text = format!("{}-{}", &key.as_str()[..15], &hash[..8]);
        if hash[..8].bytes().any(|byte| byte.is_ascii_lowercase())
            && let Ok(next) = text.parse()
        {
            return next;
        }
        hash = digest(&hash);
    }
}

impl Segue {
    /// A short id; whether it is used elsewhere does not matter for runs and inputs.
    pub(crate) fn short_id(&self) -> ShortId {
        loop {
            if let Some(short) = ShortId::from_random(self.env.random()) {
                return short;
            }
        }
    }

    /// A key for the queue: by time to the microsecond, so that the oldest comes first.
    pub(crate) fn queue_key(&self) -> String {
        let now = self.env.now();
        let micros = now.micros().rem_euclid(1_000_000);
        format!("{}-{micros:05x}{:03x}", now.compact(), self.env.random() & 0xfff)
    }

    /// A path as a plan writes it, from this directory.
    pub(crate) fn expand_from(&self, dir: &Path, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        match (path.strip_prefix("~"), self.env.user_home.as_deref()) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => dir.join(path),
        }
    }
}
