//! The store is looked after.

pub(crate) mod compact;
mod doctor;
mod gc;
mod index;
mod project;
mod scrub;
mod unproven;
mod upkeep;

pub use crate::here::{DirectoryNote, SimilarProject};
pub use compact::{COMPACT_AFTER_DAYS, CompactPlan, CompactRequest, Compaction};
pub use doctor::{Doctor, Finding, Health, Report};
pub use gc::GcOutcome;
pub use index::{IndexAction, IndexReport};
pub use project::{Linked, Projects, Split};
pub use scrub::{ScrubLeft, ScrubPlan, ScrubReport, ScrubRequest, Scrubbed, Scrubber};
pub use segue_core::{Key, SecretIn};
pub use segue_store::{GcPlan, IndexState, ProjectRow, TextState};
pub use upkeep::Maintenance;
