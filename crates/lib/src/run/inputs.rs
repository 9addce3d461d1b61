//! What runs hand over: who takes which input, and what becomes of one that nobody wrote.

use std::path::{Path, PathBuf};

use segue_core::run::{Checkpoint, Input, Outcome};
use segue_core::{HandoffId, ShortId, digest};
use segue_store::LockedRun;

use super::engine::{Engine, RunOutcome};
use super::plan::StepKind;
use crate::{Error, Segue};

/// One run takes inputs of so many bytes at most, if there are several.
const MOST_AT_ONCE: usize = 16 * 1024 * 1024;

impl Engine<'_> {
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

/// What runs of this call had to say.
#[derive(Debug, Default)]
pub(super) struct Said {
    texts: Vec<(Option<String>, Option<String>)>,
    /// A run of agent-handover's was finished, of which nobody knows what it said.
    unknown: bool,
}

impl Said {
    pub(super) fn took(&mut self, old: &Checkpoint) {
        match &old.head {
            Some(head) => self.took_all(&head.inputs),
            None => self.unknown = true,
        }
    }

    pub(super) fn took_all(&mut self, inputs: &[Input]) {
        self.texts.extend(inputs.iter().map(|input| (input.note.clone(), input.state.clone())));
    }

    pub(super) fn is_new(&self, input: &Input) -> bool {
        !self.unknown && !self.texts.contains(&(input.note.clone(), input.state.clone()))
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

    /// A key for the queue: by time, so that the oldest comes first.
    pub(crate) fn queue_key(&self) -> String {
        HandoffId::new(self.env.now(), self.short_id()).to_string()
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
