//! The agents: set up, started and asked.

pub(crate) mod agent_health;
pub(crate) mod ask;
pub(crate) mod continue_in;
pub(crate) mod install;
