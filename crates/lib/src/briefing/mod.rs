//! The briefing: what to go on from, checked against today's tree.

pub(crate) mod choice;
pub(crate) mod fates;
pub(crate) mod nearness;
pub(crate) mod recheck;
pub(crate) mod resume;
pub(crate) mod resume_request;
pub(crate) mod today;
