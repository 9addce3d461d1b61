//! Transcripts in lines, of our own making: the format of each agent, its drift, and damage.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]
#![expect(
    clippy::disallowed_methods,
    reason = "transcripts are written as their agents write them"
)]

mod claude;
mod codex;
mod copilot;
mod gemini;
mod ground;
mod qwen;
mod session_ids;
