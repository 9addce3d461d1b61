//! Foreign agents: their names, the marks they leave, and their transcripts. Each agent is one row, in a
//! folder or file of its own.

mod agent;
mod blocks;
mod context_window;
mod dialect;
mod hooks;
mod installation;
mod json;
mod launch;
mod lines;
mod mcp_client;
mod own_question;
mod payload;
mod places;
mod settings;
mod skim;
mod sqlite;
mod subagents;
mod transcript;

mod aider;
mod amp;
mod claude;
mod cline;
mod codex;
mod copilot;
mod crush;
mod cursor;
mod droid;
mod gemini;
mod goose;
mod kimi;
mod opencode;
mod pi;
mod qwen;
mod roo;

pub use agent::{AGENTS, Agent, Environment, Ways, agent_of, detect, find, instruction_files};
pub use context_window::context_window;
pub use dialect::{Dialect, HookEvent, Source, briefs_at_prompt};
pub use hooks::{BorrowedHooks, HookTrust, Hooks, TrustQuestion, project_of_hook, really_by};
pub use installation::{
    Content, INSTRUCTIONS, Installation, Part, Presence, SKILL, Scope, Wish, installation,
    installations, on_path,
};
pub use launch::{Given, Launch, Place, Room, Start, Way, Word, marks};
pub use lines::Capture;
pub use mcp_client::agent_of_mcp_client;
pub use payload::Payload;
pub use places::{Places, Transcript, Where};
pub use settings::SettingsError;
pub use settings::command::Program;
pub use transcript::{Transcripts, transcripts};
