//! Foreign agents: their names and the marks they leave. Agents are rows of a table, not branches.

mod agent;

pub use agent::{AGENTS, Agent, Ways, agent_of, detect, find};
