//! Codex CLI: one JSONL file a session, packed after some days; a single JSON in the oldest versions.

mod fork;
pub(crate) mod patch;
pub(crate) mod places;
mod record;
mod subagents;
mod tools;
mod trust;

use std::io;
use std::path::Path;

use crate::lines::{Capture, read_lines, read_whole};

pub(crate) use places::{newest_in, of_id};
pub(crate) use subagents::subagents;
pub use trust::{CodexTrust, codex_trusts};

/// Whether a record is of this agent, by what stands in its first bytes.
pub(crate) fn is_one(head: &str) -> bool {
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let plain = head.get(..2_000).unwrap_or(head).replace("\": ", "\":");
    let envelope = ["session_meta", "response_item", "event_msg", "turn_context"];
    let has = |text: &str| plain.contains(text) || head.contains(text);
    has("\"payload\":") && envelope.iter().any(|kind| has(&format!("\"type\":\"{kind}\"")))
        || is_bare(&plain)
        || is_single(head)
}

/// The first record of versions that had no envelope.
fn is_bare(head: &str) -> bool {
    let first = head.lines().next().unwrap_or(head);
    first.starts_with("{\"id\":\"")
        && first.contains("\"timestamp\":\"")
        && first.contains("\"instructions\":")
}

/// The versions before Rust: one value with everything.
fn is_single(head: &str) -> bool {
    let Some(rest) = head.strip_prefix('{') else { return false };
    let Some(rest) = rest.trim_start().strip_prefix("\"session\"") else { return false };
    rest.trim_start_matches([':', ' ']).starts_with('{') && rest.contains("\"instructions\"")
}

/// Reads what was not read yet.
pub(crate) fn read(path: &Path, capture: &mut Capture) -> io::Result<()> {
    if path.extension().is_some_and(|end| end == "json") {
        return read_whole(path, capture, &mut record::take_single);
    }
    read_lines(path, capture, &mut record::take)
}
