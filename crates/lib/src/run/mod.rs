//! Runs: a handover in declared steps, resumable after any crash, with a brake.

mod allow;
pub(crate) mod auto;
mod command;
mod engine;
mod ground;
mod ids;
mod inputs;
mod memory;
pub(crate) mod pause;
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

pub use engine::{Engine, RunEnd, RunOutcome};
pub use memory::{Layer, Memory};
pub use place::{RunPreview, RunRequest};
pub use plan::{Plan, PublishTo, Step, StepDone, StepFailure, StepKind, When};
pub use plan_file::EXAMPLE_PLAN;
pub use publish::{Git, Null, Publish};
pub(crate) use seen::Runs;
pub use seen::{CheckRequest, RunState, RunStatusReport, RunsSeen, Unfinished};
pub use step_run::StepRun;
