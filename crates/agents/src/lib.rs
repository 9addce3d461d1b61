//! Foreign agents: their names, the marks they leave, and their transcripts. Agents are rows of a
//! table, not branches.

mod agent;
mod blocks;
mod claude;
mod codex;
mod context_window;
mod copilot;
mod dialect;
mod gemini;
mod installation;
mod json;
mod launch;
mod lines;
mod opencode;
mod payload;
mod places;
mod qwen;
mod settings;
mod skim;
mod sqlite;
mod subagents;
mod transcript;

pub use agent::{AGENTS, Agent, Ways, agent_of, detect, find};
pub use claude::claude_hooks_off;
pub use codex::{CodexTrust, codex_trusts};
pub use context_window::context_window;
pub use dialect::{Dialect, HookEvent, Source, briefs_at_prompt, really_by};
pub use installation::{
    Content, INSTALLATIONS, INSTRUCTIONS, Installation, Part, Presence, SKILL, Scope, Wish,
    installation, on_path,
};
pub use launch::{Given, LAUNCHES, Launch, Place, Room, Start, Way, Word, marks};
pub use lines::Capture;
pub use payload::Payload;
pub use places::{Places, Transcript, Where};
pub use settings::SettingsError;
pub use settings::command::Program;
pub use transcript::{TRANSCRIPTS, Transcripts};
