//! Foreign agents: their names, the marks they leave, and their transcripts. Agents are rows of a
//! table, not branches.

mod agent;
mod blocks;
mod claude;
mod codex;
mod copilot;
mod gemini;
mod json;
mod launch;
mod lines;
mod opencode;
mod payload;
mod places;
mod qwen;
mod skim;
mod sqlite;
mod transcript;

pub use agent::{AGENTS, Agent, Ways, agent_of, detect, find};
pub use launch::{FIRST_LINE, Given, LAUNCHES, Launch, Place, Room, Start, Way, Word, marks};
pub use lines::Capture;
pub use payload::Payload;
pub use places::{Places, Transcript, Where};
pub use transcript::{TRANSCRIPTS, Transcripts};
