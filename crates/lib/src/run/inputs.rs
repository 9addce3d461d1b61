//! What runs hand over: who takes which input, and what becomes of one that nobody wrote.

use segue_core::run::{Checkpoint, Input, Outcome};
use segue_core::{HandoffId, Timestamp, digest};
use segue_store::{LockedRun, RunFiles};

use super::outcome::RunOutcome;
use super::plan::{Plan, StepKind};
use super::target::Target;
use crate::Error;
use crate::here::Here;

/// One run takes inputs of so many bytes at most, if there are several.
const MOST_AT_ONCE: usize = 16 * 1024 * 1024;

/// Puts the run of a plan aside that is gone, and gives what waits for it to the standard plan.
pub(super) fn drop_lost(
    here: &Here<'_>,
    files: &RunFiles,
    standard: &Target,
    plan: &str,
) -> Result<RunOutcome, Error> {
    let mut locked = files.lock()?;
    let now = here.now();
    let own = files.read_own().ok().flatten();
    let mut inputs = locked.waiting(own.as_ref(), Some(plan), now)?.inputs;
    let mut outcome = RunOutcome::new(standard.command());
    if let Some(head) = own.filter(Checkpoint::is_interrupted).and_then(|own| own.head) {
        // Whether a step wrote them cannot be told without the plan; written again they are the same.
        inputs.extend(head.inputs);
    }
    let other = standard.create_files(here)?;
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

/// Inputs that wait for a plan: as many as one run takes.
pub(super) fn take_waiting(
    locked: &LockedRun,
    own: Option<&Checkpoint>,
    plan: Option<&str>,
    now: Timestamp,
    outcome: &mut RunOutcome,
) -> Result<Vec<Input>, Error> {
    let waiting = locked.waiting(own, plan, now)?;
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
pub(super) fn put_back(
    plan: &Plan<'_>,
    locked: &LockedRun,
    old: &Checkpoint,
) -> Result<bool, Error> {
    let Some(head) = &old.head else { return Ok(false) };
    let writes = |name: &str| {
        let step = plan.steps.iter().find(|step| step.name == name);
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
