//! Runs: a handover in declared steps, resumable after any crash, with a brake.

mod command;
mod engine;
mod ground;
mod inputs;
mod memory;
mod place;
mod plan;
mod plan_file;
mod publish;
mod publish_remote;
mod seen;
mod step_run;

pub use engine::{Engine, RunEnd, RunOutcome};
pub use memory::{Layer, Memory};
pub use place::{RunPreview, RunRequest};
pub use plan::{Plan, PublishTo, Step, StepDone, StepFailure, StepKind, When};
pub use plan_file::EXAMPLE_PLAN;
pub use publish::{Git, Null, Publish};
pub use seen::{CheckRequest, RunState, RunStatusReport, RunsSeen, Unfinished};
pub use step_run::StepRun;
