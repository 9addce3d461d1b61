//! Runs, as values: the checkpoint that makes one resumable, and the machine that decides what is
//! next. Nothing here acts; whoever does writes the checkpoint between effects.

mod checkpoint;
mod machine;

pub use checkpoint::{
    Checkpoint, CheckpointError, Input, Mark, Outcome, RunFacts, RunHead, RunStatus, StepMark,
    StepRecord, iso,
};
pub use machine::{Event, Machine, Next, Opening, PlanChanged, PlannedStep, Policy, open_run};
