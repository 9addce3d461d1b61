//! What a run does next, decided from values alone.

use crate::Timestamp;
use crate::run::{Checkpoint, Outcome, RunStatus, iso};

/// A step of the plan, as far as it has to be recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStep {
    pub name: String,
    /// Another one means that the step says something else now.
    pub digest: String,
}

/// What a step may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// How often it is tried again after a failure.
    pub retries: u32,
    /// Whether the run goes on when it has failed for good.
    pub continue_on_error: bool,
}

/// How a run opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Nothing is unfinished: a new run.
    Begin,
    /// An old run goes on, with what there is to explain.
    Resume { explained: Vec<String> },
    /// An old run has done everything, and only has to be closed.
    Close,
}

/// Steps that a run still has to do and the plan does not have any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the plan has changed since the run began: {} not in it any more{}",
    is_are(gone),
    if new.is_empty() { String::new() } else { format!(", {} new", is_are(new)) }
)]
pub struct PlanChanged {
    pub gone: Vec<String>,
    pub new: Vec<String>,
}

fn is_are(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    format!("{} {}", quoted.join(", "), if names.len() == 1 { "is" } else { "are" })
}

/// Whether there is an old run to finish with this plan, and how.
///
/// A step that is done stays done, whatever became of it in the plan. A step that is new in the plan
/// is taken into the run, one that says something else is done as the plan says now, and both are
/// explained. A step that is to do and gone cannot be done: that is for a person to decide.
pub fn open_run(
    old: Option<&mut Checkpoint>,
    plan: &[PlannedStep],
) -> Result<Opening, PlanChanged> {
    let Some(old) = old.filter(|old| old.status == RunStatus::InProgress) else {
        return Ok(Opening::Begin);
    };
    if old.pending().next().is_none() {
        return Ok(Opening::Close);
    }
    let position: std::collections::HashMap<&str, usize> =
        plan.iter().enumerate().map(|(at, step)| (step.name.as_str(), at)).collect();
    let known: std::collections::HashSet<&str> =
        old.steps.iter().map(|step| step.name.as_str()).collect();
    let new: Vec<&PlannedStep> =
        plan.iter().filter(|step| !known.contains(step.name.as_str())).collect();
    let gone: Vec<String> = old
        .pending()
        .filter(|step| !position.contains_key(step.name.as_str()))
        .map(|step| step.name.clone())
        .collect();
    if !gone.is_empty() {
        return Err(PlanChanged { gone, new: new.iter().map(|step| step.name.clone()).collect() });
    }
    let mut explained = Vec::new();
    for step in old.steps.iter_mut().filter(|step| !step.done) {
        let Some(now) = position.get(step.name.as_str()).map(|at| &plan[*at]) else { continue };
        if !step.record.digest.is_empty() && step.record.digest != now.digest {
            explained.push(format!(
                "the step '{}' says something else since the run began; it is done as the plan says now",
                step.name
            ));
        }
        step.record.digest.clone_from(&now.digest);
    }
    for step in &new {
        explained.push(format!(
            "the step '{}' is new in the plan since the run began; it is done too",
            step.name
        ));
    }
    let added = new.iter().map(|step| super::StepMark {
        name: step.name.clone(),
        done: false,
        record: super::StepRecord { digest: step.digest.clone(), ..Default::default() },
    });
    let added: Vec<_> = added.collect();
    old.steps.extend(added);
    // What is to do follows the plan; what is done and gone from it comes first.
    old.steps.sort_by_key(|step| position.get(step.name.as_str()).map_or(0, |at| at + 1));
    Ok(Opening::Resume { explained })
}

/// What became of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Done { said: Option<String>, output: Option<String> },
    Skipped { why: String },
    Failed { why: String, output: Option<String>, again: bool },
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Do this step, after a pause of so many seconds.
    Step { at: usize, wait: u64 },
    /// Everything is done.
    Complete,
    /// This step failed; the run stays unfinished.
    Stop { at: usize },
}

/// A run that is going on.
#[derive(Clone, Debug)]
pub struct Machine {
    pub checkpoint: Checkpoint,
    policies: Vec<Policy>,
    at: usize,
    /// Failures of the step that is being done, in this process.
    failures: u32,
    stopped: bool,
    failed: bool,
}

impl Machine {
    /// A policy for each step of the checkpoint, in its order.
    pub fn new(checkpoint: Checkpoint, policies: Vec<Policy>) -> Self {
        let mut machine =
            Self { checkpoint, policies, at: 0, failures: 0, stopped: false, failed: false };
        machine.pass_done();
        let passed = &machine.checkpoint.steps[..machine.at];
        machine.failed = passed.iter().any(|step| step.record.outcome == Some(Outcome::Failed));
        machine
    }

    fn pass_done(&mut self) {
        while self.checkpoint.steps.get(self.at).is_some_and(|step| step.done) {
            self.at += 1;
        }
    }

    /// What is next.
    pub fn next(&self) -> Next {
        if self.stopped {
            Next::Stop { at: self.at }
        } else if self.at >= self.checkpoint.steps.len() {
            Next::Complete
        } else {
            // 1, 2, 4 … seconds, at most half a minute.
            let wait =
                if self.failures == 0 { 0 } else { (1_u64 << (self.failures - 1).min(5)).min(30) };
            Next::Step { at: self.at, wait }
        }
    }

    /// An attempt begins. Only worth writing down where it may run twice.
    pub fn begin(&mut self, now: Timestamp) {
        if let Some(step) = self.checkpoint.steps.get_mut(self.at) {
            step.record.attempts += 1;
            step.record.began = Some(iso(now));
            step.record.ended = None;
        }
    }

    /// Takes in what became of the attempt; says which step's mark changed.
    pub fn take(&mut self, event: Event, now: Timestamp) -> usize {
        let at = self.at;
        let policy = self.policies.get(at).copied().unwrap_or_default();
        let Some(step) = self.checkpoint.steps.get_mut(at) else { return at };
        step.record.ended = Some(iso(now));
        match event {
            Event::Done { said, output } => {
                step.done = true;
                step.record.outcome = Some(Outcome::Done);
                (step.record.said, step.record.output) = (said, output);
            }
            Event::Skipped { why } => {
                step.done = true;
                step.record.attempts = step.record.attempts.saturating_sub(1);
                step.record.outcome = Some(Outcome::Skipped);
                step.record.said = Some(why);
            }
            Event::Failed { why, output, again } => {
                (step.record.said, step.record.output) = (Some(why), output);
                self.failures += 1;
                if !(again && self.failures <= policy.retries) {
                    step.record.outcome = Some(Outcome::Failed);
                    step.done = policy.continue_on_error;
                    self.failed = true;
                    self.stopped = !policy.continue_on_error;
                }
            }
        }
        if step.done {
            self.failures = 0;
            self.pass_done();
        }
        at
    }

    /// Whether a step that failed was passed over.
    pub fn has_failed(&self) -> bool {
        self.failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::RunHead;
    use proptest::prelude::*;

    fn plan(names: &[&str]) -> Vec<PlannedStep> {
        let step = |name: &&str| PlannedStep { name: (*name).into(), digest: format!("of {name}") };
        names.iter().map(step).collect()
    }

    fn begun(names: &[&str], done: &[&str]) -> Checkpoint {
        let steps = plan(names).into_iter().map(|step| (step.name, step.digest));
        let head = RunHead::new("r".into(), None, Vec::new());
        let mut checkpoint = Checkpoint::begin(head, steps, Timestamp::EPOCH);
        for step in &mut checkpoint.steps {
            step.done = done.contains(&step.name.as_str());
        }
        checkpoint
    }

    fn order(checkpoint: &Checkpoint) -> Vec<&str> {
        checkpoint.steps.iter().map(|step| step.name.as_str()).collect()
    }

    #[test]
    fn a_renamed_step_is_explained_not_passed_over_h8() {
        let mut old = begun(&["a", "b"], &["a"]);
        let changed = open_run(Some(&mut old), &plan(&["c", "d"])).unwrap_err();
        assert_eq!((changed.gone.len(), changed.new.len()), (1, 2));
        assert_eq!(
            changed.to_string(),
            "the plan has changed since the run began: 'b' is not in it any more, 'c', 'd' are new"
        );
        assert_eq!(order(&old), ["a", "b"], "nothing is changed by looking");
    }

    #[test]
    fn new_and_changed_steps_are_done_and_explained_h8() {
        let mut old = begun(&["a", "b"], &["a"]);
        let mut now = plan(&["c", "b"]);
        now[1].digest = "other".into();
        let Opening::Resume { explained } = open_run(Some(&mut old), &now).unwrap() else {
            panic!("it goes on")
        };
        assert_eq!(explained.len(), 2);
        assert_eq!(order(&old), ["a", "c", "b"]);
        assert_eq!(old.steps[2].record.digest, "other");
        let again = open_run(Some(&mut old), &now).unwrap();
        assert_eq!(again, Opening::Resume { explained: Vec::new() });
    }

    #[test]
    fn a_run_with_nothing_left_is_closed_not_repeated_h9() {
        let mut old = begun(&["a", "b"], &["a", "b"]);
        assert_eq!(open_run(Some(&mut old), &plan(&["a", "b"])), Ok(Opening::Close));
        old.complete(Timestamp::EPOCH);
        assert_eq!(open_run(Some(&mut old), &plan(&["a"])), Ok(Opening::Begin));
        assert_eq!(open_run(None, &[]), Ok(Opening::Begin));
    }

    #[test]
    fn a_failed_step_is_tried_again_then_stops_the_run() {
        let policy = Policy { retries: 2, continue_on_error: false };
        let mut machine = Machine::new(begun(&["a", "b"], &[]), vec![policy; 2]);
        let fail = || Event::Failed { why: "no".into(), output: None, again: true };
        let mut waits = Vec::new();
        while let Next::Step { at: 0, wait } = machine.next() {
            waits.push(wait);
            machine.begin(Timestamp::EPOCH);
            machine.take(fail(), Timestamp::EPOCH);
        }
        assert_eq!(waits, [0, 1, 2]);
        assert_eq!(machine.next(), Next::Stop { at: 0 });
        assert_eq!(machine.checkpoint.steps[0].record.attempts, 3);
        assert!(machine.checkpoint.is_interrupted());
        // What cannot get better is not tried again.
        let mut machine = Machine::new(begun(&["a"], &[]), vec![policy]);
        machine
            .take(Event::Failed { why: "no".into(), output: None, again: false }, Timestamp::EPOCH);
        assert_eq!(machine.next(), Next::Stop { at: 0 });
    }

    #[test]
    fn a_step_that_may_fail_does_not_stop_the_run() {
        let policy = Policy { retries: 0, continue_on_error: true };
        let mut machine = Machine::new(begun(&["a", "b"], &[]), vec![policy, Policy::default()]);
        machine
            .take(Event::Failed { why: "no".into(), output: None, again: true }, Timestamp::EPOCH);
        assert_eq!(machine.next(), Next::Step { at: 1, wait: 0 });
        assert!(machine.has_failed());
        machine.take(Event::Done { said: None, output: None }, Timestamp::EPOCH);
        assert_eq!(machine.next(), Next::Complete);
    }

    proptest! {
        #[test]
        fn whatever_happens_no_done_step_is_asked_for_again(
            done in prop::collection::vec(any::<bool>(), 1..6),
            events in prop::collection::vec(0..4_u8, 0..40),
        ) {
            let names: Vec<String> = (0..done.len()).map(|n| format!("s{n}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let mut old = begun(&names, &[]);
            for (step, done) in old.steps.iter_mut().zip(&done) {
                step.done = *done;
            }
            let mut machine =
                Machine::new(old, vec![Policy { retries: 1, continue_on_error: false }; done.len()]);
            for event in events {
                let Next::Step { at, .. } = machine.next() else { break };
                prop_assert!(!machine.checkpoint.steps[at].done);
                machine.begin(Timestamp::EPOCH);
                let event = match event {
                    0 => Event::Skipped { why: String::new() },
                    1 | 2 => Event::Done { said: None, output: None },
                    _ => Event::Failed { why: String::new(), output: None, again: true },
                };
                machine.take(event, Timestamp::EPOCH);
            }
            if machine.next() == Next::Complete {
                prop_assert!(machine.checkpoint.pending().next().is_none());
            }
        }
    }
}
