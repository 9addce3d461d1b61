//! The sessions of agents: found, read and told.

pub(crate) mod capture;
pub(crate) mod redacted_session;
pub(crate) mod session_place;
