//! Runs: a handover in declared steps, resumable after any crash, with a brake.

mod allow;
mod auto;
mod command;
mod engine;
mod ground;
mod ids;
mod inputs;
mod memory;
mod outcome;
mod pause;
mod place;
mod plain_path;
mod plan;
mod plan_file;
mod publish;
mod publish_remote;
mod redact_inputs;
mod said;
mod seen;
mod step_run;
mod target;

pub use crate::here::Paused;
pub use auto::{AutoOutcome, AutoRequest, PushState};
pub use engine::Engine;
pub use memory::{Layer, Memory};
pub use outcome::{RunEnd, RunOutcome};
pub use pause::Unpaused;
pub use place::{RunPreview, RunRequest};
pub use plan::{Plan, PublishTo, Step, StepDone, StepFailure, StepKind, When};
pub use plan_file::EXAMPLE_PLAN;
pub use publish::{Git, Null, Publish};
pub use seen::{CheckRequest, RunState, RunStatusReport, Runs, RunsSeen, Unfinished};
pub use segue_core::run::{Checkpoint, Outcome, RunStatus, StepMark, StepRecord};
pub use step_run::StepRun;
