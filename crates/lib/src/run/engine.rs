//! The driver of a run: asks the machine what is next, does it, and writes the checkpoint between
//! effects. It decides nothing itself.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use segue_core::run::{
    Checkpoint, Event, Input, Machine, Next, Opening, RunHead, RunStatus, open_run,
};
use segue_core::{HandoffId, Timestamp};
use segue_store::{LockedRun, StoreError};

use super::StepRun;
use super::ground::Ground;
use super::ids::{queue_key, short_id};
use super::inputs::{put_back, take_waiting};
use super::outcome::{RunEnd, RunOutcome};
use super::plain_path::plain;
use super::plan::{Action, Plan, StepDone, StepFailure, StepKind};
use super::redact_inputs::{redact_event, redact_inputs};
use super::said::Said;
use super::seen::Runs;
use super::target::{Target, other_plan};
use crate::Error;
use crate::here::{Brake, Here};

const NOT_WRITTEN: &str =
    "no step of the plan has written what was given; it waits in the queue for a run that does";

/// How often a run that waits looks whether the brake is pulled.
const LOOK: Duration = Duration::from_millis(100);

/// What a call does with what it finds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Orders {
    /// What is handed over; already in the queue.
    pub(crate) input: Option<Input>,
    /// What is handed over if nothing else is.
    pub(crate) planned: Option<Input>,
    pub(crate) fresh: bool,
}

/// Runs a plan under a checkpoint. An interrupted run is finished first.
///
/// ```
/// use segue_lib::run::{Layer, Plan, Publish, Step};
/// use segue_lib::{Env, Segue};
///
/// # let temp = tempfile::tempdir()?;
/// # let dir = temp.path();
/// # let git = |args: &[&str]| std::process::Command::new("git").arg("-C").arg(dir).args(args).output();
/// # git(&["init", "-q"])?;
/// # git(&["config", "user.name", "T"])?;
/// # git(&["config", "user.email", "t@example.org"])?;
/// let env = Env::new(dir.join("home"), dir, std::time::SystemTime::now, || getrandom::u32().unwrap_or(1));
/// let segue = Segue::new(env);
/// let runs = segue.runs();
/// let (notes, snapshot) = ("split the lexer out", "parser merged; next: errors");
///
/// let memory = runs.memory("memory/");
/// let git = runs.git(".").paths(["memory/"]).push(false);
///
/// let plan = Plan::new([
///     Step::new("session_note", |step| memory.write(step, Layer::Notes, notes, "refactor")),
///     Step::new("current_state", |step| memory.write(step, Layer::State, snapshot, "refactor")),
///     Step::new("publish", |step| git.publish(step, "handover: session sync")),
/// ]);
/// let mut engine = runs.engine(plan, ".agent-handover/checkpoint.json")?
///     .pause_file("~/.agent_handover/PAUSE");
/// let outcome = engine.run()?; // finishes an interrupted run first
/// assert_eq!(outcome.executed, ["session_note", "current_state", "publish"]);
/// assert!(memory.latest(Layer::Notes, Some("refactor"))?.is_some_and(|text| text.contains(notes)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Engine<'a> {
    pub(super) here: Here<'a>,
    pub(super) plan: Plan<'a>,
    pub(super) target: Target,
    brake: Brake,
    ground: Ground<'a>,
}

impl<'s> Runs<'s> {
    /// An engine for a plan, with a checkpoint file of its own.
    pub fn engine<'a>(
        &self,
        plan: Plan<'a>,
        checkpoint: impl AsRef<Path>,
    ) -> Result<Engine<'a>, Error>
    where
        's: 'a,
    {
        let here = &self.here;
        let ground = Ground::of(here)?;
        let view = plain(&here.env.expand_from(&here.env.dir, checkpoint));
        let root = ground.root.clone();
        let target = Target { root, plan: None, view: Some(view), given: None };
        Ok(Engine::on(here, plan, target, here.brake()?, ground))
    }
}

impl<'a> Engine<'a> {
    pub(crate) fn on(
        here: &Here<'a>,
        plan: Plan<'a>,
        target: Target,
        brake: Brake,
        ground: Ground<'a>,
    ) -> Self {
        Self { here: here.clone(), plan, target, brake, ground }
    }

    /// The same engine, stopped by one more file. `~` is the user's home directory.
    pub fn pause_file(mut self, file: impl AsRef<Path>) -> Self {
        let file = self.here.env.expand_from(&self.here.env.dir, file);
        self.brake.add(file);
        self
    }

    /// Finishes an interrupted run, or does a new one.
    pub fn run(&mut self) -> Result<RunOutcome, Error> {
        self.run_with(&Orders::default())
    }

    pub(crate) fn run_with(&mut self, orders: &Orders) -> Result<RunOutcome, Error> {
        let mut outcome = RunOutcome::new(self.target.command());
        match self.work(orders, &mut outcome) {
            Err(Error::Paused(paused)) if !outcome.runs.is_empty() => {
                outcome.end = RunEnd::Paused(paused);
            }
            other => other?,
        }
        Ok(outcome)
    }

    /// Inputs that wait for this plan.
    fn take_waiting(
        &self,
        locked: &LockedRun,
        own: Option<&Checkpoint>,
        outcome: &mut RunOutcome,
    ) -> Result<Vec<Input>, Error> {
        take_waiting(locked, own, self.target.plan.as_deref(), self.here.now(), outcome)
    }

    fn work(&mut self, orders: &Orders, outcome: &mut RunOutcome) -> Result<(), Error> {
        self.brake.check()?;
        let files = self.target.create_files(&self.here)?;
        let mut given = orders.input.clone();
        if let Some(input) = &mut given {
            let told = redact_inputs(&self.here, std::slice::from_mut(input))?;
            outcome.warnings.extend(told);
            // Somebody may have given something in the same microsecond.
            while let Err(error) = files.enqueue(input) {
                match error {
                    StoreError::Exists { .. } => input.key = queue_key(self.here.env),
                    error => return Err(error.into()),
                }
            }
        }
        let mut locked = match files.lock() {
            Err(StoreError::Busy { .. }) if orders.input.is_some() => {
                return Err(Error::Queued(files.queue()));
            }
            other => other?,
        };
        self.brake.check()?;
        let mut checkpoint = match locked.files().read() {
            Err(StoreError::BadCheckpoint { .. }) if orders.fresh => {
                // The view may be what is damaged: what we know ourselves is not lost with it.
                let own = locked.files().read_own().ok().flatten();
                self.drop_run(&mut locked, own, outcome)?
            }
            other => other?,
        };
        if orders.fresh {
            checkpoint = self.drop_run(&mut locked, checkpoint, outcome)?;
        }
        other_plan(checkpoint.as_ref(), &self.target)?;
        let planned = self.plan.planned();
        let mut said = Said::new(orders.planned.as_ref());
        loop {
            let opening = open_run(checkpoint.as_mut(), &planned)?;
            match (opening, checkpoint.take()) {
                (Opening::Close, Some(mut old)) => {
                    outcome.resumed = true;
                    outcome.runs.extend(old.run().map(str::to_owned));
                    said.took(&old);
                    old.complete(self.here.now());
                    self.brake.check()?;
                    locked.write(&old)?;
                    checkpoint = Some(old);
                }
                (Opening::Resume { explained }, Some(old)) => {
                    outcome.resumed = true;
                    outcome.warnings.extend(explained);
                    said.took(&old);
                    checkpoint = Some(self.resume(&mut locked, old, outcome)?);
                }
                (_, old) => {
                    let inputs = self.take_waiting(&locked, old.as_ref(), outcome)?;
                    let Some(inputs) = self.take_up(
                        inputs,
                        old.as_ref(),
                        orders,
                        (given.as_ref(), &said),
                        outcome,
                    )?
                    else {
                        return Ok(());
                    };
                    said.told();
                    checkpoint = Some(self.begin(&mut locked, inputs, &said, outcome)?);
                }
            }
            if outcome.end != RunEnd::Completed || outcome.put_back {
                return Ok(());
            }
        }
    }

    /// What a new run hands over; `None` if there is no new run.
    fn take_up(
        &self,
        mut inputs: Vec<Input>,
        old: Option<&Checkpoint>,
        orders: &Orders,
        (given, said): (Option<&Input>, &Said),
        outcome: &mut RunOutcome,
    ) -> Result<Option<Vec<Input>>, Error> {
        if !inputs.is_empty() {
            return Ok(Some(inputs));
        }
        let worked = !outcome.runs.is_empty();
        if let Some(input) = given {
            // It was queued, and somebody has taken it: this call's own run, or another's.
            let taken = old.and_then(Checkpoint::run).map(str::to_owned);
            if !worked {
                outcome.end = RunEnd::TakenAlong;
                outcome.runs.extend(taken);
                outcome.handoffs.extend(handoff_of(old, &input.key));
            }
            return Ok(None);
        }
        // What the plan's file says is handed over once: by the run that is finished here, unless
        // that had something else to say.
        if worked && !said.is_new() {
            return Ok(None);
        }
        inputs.extend(orders.planned.clone());
        if inputs.is_empty() && self.plan.needs_input() {
            // To drop an old run is something to do.
            return if outcome.dropped { Ok(None) } else { Err(Error::NothingToHandOver) };
        }
        Ok(Some(inputs))
    }

    /// Puts an old run aside. What it had not written yet goes back into the queue, under the id that
    /// it has: written twice, it is there once.
    fn drop_run(
        &self,
        locked: &mut LockedRun,
        old: Option<Checkpoint>,
        outcome: &mut RunOutcome,
    ) -> Result<Option<Checkpoint>, Error> {
        let damaged = locked.files().read().is_err();
        if let Some(old) = &old {
            if old.status != RunStatus::InProgress && !damaged {
                return Ok(Some(old.clone()));
            }
            if old.status == RunStatus::InProgress {
                put_back(&self.plan, locked, old)?;
            }
        }
        for kept in locked.put_aside(self.here.now())? {
            outcome.dropped = true;
            outcome.warnings.push(format!("the old run is put aside in {}", kept.display()));
        }
        Ok(None)
    }

    fn begin(
        &mut self,
        locked: &mut LockedRun,
        mut inputs: Vec<Input>,
        said: &Said,
        outcome: &mut RunOutcome,
    ) -> Result<Checkpoint, Error> {
        let now = self.here.now();
        outcome.warnings.extend(redact_inputs(&self.here, &mut inputs)?);
        self.ground.fix(&mut inputs)?;
        let mut head = self.head(now, inputs.clone());
        head.planned = said.planned();
        self.ground.begin(&self.plan, &mut head);
        let steps = self.plan.planned().into_iter().map(|step| (step.name, step.digest));
        let checkpoint = Checkpoint::begin(head, steps, now);
        self.brake.check()?;
        locked.write(&checkpoint)?;
        locked.dequeue(&inputs)?;
        self.drive(locked, checkpoint, outcome)
    }

    fn head(&self, now: Timestamp, inputs: Vec<Input>) -> RunHead {
        let run = HandoffId::new(now, short_id(self.here.env)).to_string();
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        RunHead {
            command: Some(self.target.command()),
            root: Some(shown(&self.target.root)),
            view: self.target.view.as_deref().map(shown),
            ..RunHead::new(run, self.target.plan.clone(), inputs)
        }
    }

    fn resume(
        &mut self,
        locked: &mut LockedRun,
        mut old: Checkpoint,
        outcome: &mut RunOutcome,
    ) -> Result<Checkpoint, Error> {
        if old.head.is_none() {
            // agent-handover began it and wrote down no inputs: a note that is still to be written
            // is what waits now.
            let pending: Vec<&str> = old.pending().map(|step| step.name.as_str()).collect();
            let writes = self.plan.steps.iter().any(|step| {
                pending.contains(&step.name.as_str())
                    && matches!(step.kind(), Some(StepKind::Note | StepKind::State))
            });
            let mut inputs =
                if writes { self.take_waiting(locked, None, outcome)? } else { Vec::new() };
            self.ground.fix(&mut inputs)?;
            old.head = Some(self.head(self.here.now(), inputs));
        }
        self.brake.check()?;
        locked.write(&old)?;
        let inputs = old.head.as_ref().map(|head| head.inputs.clone()).unwrap_or_default();
        locked.dequeue(&inputs)?;
        self.drive(locked, old, outcome)
    }

    /// Does what is to do, step by step.
    fn drive(
        &mut self,
        locked: &mut LockedRun,
        checkpoint: Checkpoint,
        outcome: &mut RunOutcome,
    ) -> Result<Checkpoint, Error> {
        outcome.runs.extend(checkpoint.run().map(str::to_owned));
        let names: Vec<String> = checkpoint.steps.iter().map(|step| step.name.clone()).collect();
        let (policies, places) = self.plan.policies(names.iter().map(String::as_str));
        let mut machine = Machine::new(checkpoint, policies);
        let now = || self.here.now();
        loop {
            let (at, wait) = match machine.next() {
                Next::Step { at, wait } => (at, wait),
                Next::Complete => break,
                Next::Stop { at } => {
                    let step = &machine.checkpoint.steps[at];
                    outcome.end = RunEnd::Failed {
                        step: step.name.clone(),
                        why: step.record.said.clone().unwrap_or_default(),
                        output: step.record.output.clone(),
                    };
                    locked.show(&machine.checkpoint);
                    break;
                }
            };
            self.wait(wait)?;
            self.brake.check()?;
            machine.begin(now());
            let Some(place) = places.get(at).copied().flatten() else {
                return Err(Error::Usage(format!("the plan has no step '{}'", names[at])));
            };
            // Whatever may run twice is known to have begun.
            if matches!(self.plan.steps[place].kind(), Some(StepKind::Command { .. })) {
                locked.note(&machine.checkpoint, at)?;
            }
            let event =
                attempt(&mut self.plan, place, &self.ground, &self.brake, &mut machine, at)?;
            let event = redact_event(&self.here, event);
            match &event {
                Event::Done { .. } => outcome.executed.push(names[at].clone()),
                Event::Skipped { why } => outcome.skipped.push((names[at].clone(), why.clone())),
                Event::Failed { .. } => {}
            }
            let failed = match &event {
                Event::Failed { why, .. } => Some(why.clone()),
                _ => None,
            };
            machine.take(event, now());
            if machine.next() == Next::Complete {
                if put_back(&self.plan, locked, &machine.checkpoint)? {
                    outcome.put_back = true;
                    outcome.warnings.push(NOT_WRITTEN.to_owned());
                }
                machine.checkpoint.complete(now());
                locked.write(&machine.checkpoint)?;
            } else {
                locked.note(&machine.checkpoint, at)?;
            }
            if let Some(why) = failed
                && machine.checkpoint.steps[at].done
            {
                outcome.failed.push((names[at].clone(), why));
            }
        }
        outcome.needs_trust = self.ground.needs_trust();
        outcome.warnings.append(&mut self.ground.take_warnings());
        outcome.warnings.extend(locked.unshown().map(|error| error.to_string()));
        if machine.checkpoint.status != RunStatus::Completed && outcome.end == RunEnd::Completed {
            // A plan without a single step.
            machine.checkpoint.complete(now());
            locked.write(&machine.checkpoint)?;
        }
        if let Some(head) = machine.checkpoint.head.as_ref().filter(|_| !outcome.put_back) {
            outcome.handoffs.extend(head.inputs.iter().filter_map(|input| input.id.clone()));
        }
        Ok(machine.checkpoint)
    }

    /// Waits between two attempts, as long as nobody pulls the brake.
    fn wait(&self, seconds: u64) -> Result<(), Error> {
        let until = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < until {
            self.brake.check()?;
            thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
        }
        Ok(())
    }
}

/// One attempt at one step. An error is a pulled brake; a failure of the step is an event.
fn attempt(
    plan: &mut Plan<'_>,
    place: usize,
    ground: &Ground<'_>,
    brake: &Brake,
    machine: &mut Machine,
    at: usize,
) -> Result<Event, Error> {
    let failed_before = machine.has_failed();
    let checkpoint = &mut machine.checkpoint;
    let record = &checkpoint.steps[at].record;
    let attempt = record.attempts;
    let began = checkpoint.started_at.as_deref().and_then(|at| at.parse().ok());
    let step = &mut plan.steps[place];
    let Some(head) = checkpoint.head.as_mut() else {
        return Err(Error::Internal("the run has no id".to_owned()));
    };
    let run = head.run.clone();
    let step_run = StepRun {
        run: &run,
        name: &step.name,
        attempt,
        began: began.unwrap_or(Timestamp::EPOCH),
        timeout: step.timeout,
        brake,
    };
    match ground.unmet(&step.when, head, failed_before, step.kind()) {
        Ok(None) => {}
        Ok(Some(why)) => return Ok(Event::Skipped { why }),
        Err(StepFailure { why, output, again }) => return Ok(Event::Failed { why, output, again }),
    }
    let done = match &mut step.action {
        Action::Own(act) => act(&step_run),
        Action::Declared(kind) => ground.act(kind, &step_run, head),
    };
    Ok(match done {
        Ok(StepDone { said, output }) => Event::Done { said, output },
        Err(StepFailure { why, output, again }) => {
            // A step that the brake has stopped has not failed: it is still to do.
            brake.check()?;
            Event::Failed { why, output, again }
        }
    })
}

fn handoff_of(checkpoint: Option<&Checkpoint>, key: &str) -> Option<String> {
    let inputs = &checkpoint?.head.as_ref()?.inputs;
    inputs.iter().find(|input| input.key == key)?.id.clone()
}
