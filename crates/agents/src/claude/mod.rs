//! Claude Code: one JSONL file a session, in a directory named after where it ran.

mod answers;
mod background;
pub(crate) mod places;
mod prompt;
mod record;
mod subagents;

pub(crate) use places::{is_of, live, names_in, newest_in, of_id};
pub(crate) use record::take;
pub(crate) use subagents::subagents;

use std::path::Path;

use crate::settings::tree;

/// Whether settings of Claude Code switch off every hook.
pub fn claude_hooks_off(settings: &Path) -> bool {
    let off = std::fs::read_to_string(settings).ok().and_then(|text| {
        let root = tree::parse(&text).ok()??;
        root.get("disableAllHooks")?.value(&text).as_bool()
    });
    off == Some(true)
}

/// Whether a record is of this agent, by what stands in its first bytes.
pub(crate) fn is_one(head: &str) -> bool {
    // Qwen Code has the same envelope.
    if crate::qwen::is_one(head) {
        return false;
    }
    head.contains("\"sessionId\"")
        && (head.contains("\"parentUuid\"") || head.contains("\"leafUuid\""))
        || head.contains("\"isSidechain\"")
        || head.contains("\"type\":\"file-history-snapshot\"")
        || head.contains("\"type\":\"queue-operation\"")
}
