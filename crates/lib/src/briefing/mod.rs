//! The briefing: what to go on from, checked against today's tree.

mod choice;
mod fates;
pub(crate) mod nearness;
mod recheck;
pub(crate) mod resume;
mod resume_request;
pub(crate) mod today;

pub use resume::{Briefer, ResumeOutcome};
pub use resume_request::ResumeRequest;
pub use segue_core::{
    BriefedPart, Briefing, Check, CommitLine, DEFAULT_BUDGET, FIRST_LINE, GitToday, LEAST_BUDGET,
    OtherHandoff, Rechecked, SinceThen, Tokenizer, TreeToday, Verify,
};
