//! Runs: a handover in declared steps, resumable after any crash, with a brake.

mod command;
mod engine;
mod ground;
mod memory;
mod place;
mod plan;
mod plan_file;
mod publish;
mod seen;

pub use engine::{Engine, RunEnd, RunOutcome, StepRun};
pub use memory::{Layer, Memory};
pub use place::{RunPreview, RunRequest};
pub use plan::{Plan, PublishTo, Step, StepDone, StepFailure, StepKind, When};
pub use plan_file::EXAMPLE_PLAN;
pub use publish::{GitPublisher, NullPublisher, Publish};
pub use seen::{CheckRequest, RunState, RunStatusReport, RunsSeen, Unfinished};
