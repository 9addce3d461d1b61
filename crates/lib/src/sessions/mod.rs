//! The sessions of agents: found, read and told.

pub(crate) mod capture;
pub(crate) mod redacted_session;
pub(crate) mod session_place;

pub use crate::drafts::{Drafts, SessionGoingOn, SessionTold};
pub use capture::{
    Captured, SessionRef, SessionSeen, SessionStory, Sessions, read_session, readable_agents,
};
pub use segue_core::Distilled;
pub use segue_core::session::{Judgement, Outcome as SessionOutcome, Session, Told, ToldKind};
