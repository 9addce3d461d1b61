//! The subagents of a Claude Code session, which have files of their own.

use std::io;
use std::path::Path;

use segue_core::session::Session;
use serde::Deserialize;

use crate::places::newest;
use crate::subagents::{MOST, Subagent};

/// What stands beside the transcript of a subagent.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Meta {
    description: Option<String>,
    tool_use_id: Option<String>,
    finished: Option<bool>,
}

/// The subagents of a session: `<session>/subagents/agent-<id>.jsonl`.
pub(crate) fn subagents(transcript: &Path, _: &Session) -> io::Result<Vec<Subagent>> {
    let dir = transcript.with_extension("").join("subagents");
    let is_one = |name: &str| name.starts_with("agent-") && name.ends_with(".jsonl");
    let found = newest("claude-code", &dir, is_one)?;
    let all = found.into_iter().take(MOST).map(|found| {
        let beside = std::fs::read(found.path.with_extension("meta.json"));
        let meta = beside.ok().and_then(|bytes| serde_json::from_slice::<Meta>(&bytes).ok());
        let meta = meta.unwrap_or_default();
        Subagent {
            id: found.id.trim_start_matches("agent-").to_owned(),
            path: found.path,
            version: found.size,
            task: meta.description,
            // One that says no may have been told to by nobody.
            finished: meta.finished.filter(|finished| *finished),
            call: meta.tool_use_id,
        }
    });
    Ok(all.collect())
}
