//! The subagents of a Claude Code session, which have files of their own.

use std::fs::File;
use std::io;
use std::path::Path;

use segue_core::session::Session;
use serde::Deserialize;

use super::SLUG;
use crate::places::{head_of, newest};
use crate::subagents::{MOST, Subagent};

/// Bytes of a transcript in which its first record says whose it is.
const HEAD: u64 = 4_096;

/// Whether a transcript is of a subagent of this session.
fn is_of(path: &Path, session: &str) -> bool {
    let head = File::open(path).and_then(|file| head_of(file, HEAD));
    head.is_ok_and(|head| head.contains(&format!("\"sessionId\":\"{session}\"")))
}

/// What stands beside the transcript of a subagent.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Meta {
    description: Option<String>,
    tool_use_id: Option<String>,
    finished: Option<bool>,
}

/// The subagents of a session: `<session>/subagents/agent-<id>.jsonl`, in older versions beside it.
pub(super) fn subagents(transcript: &Path, session: &Session) -> io::Result<Vec<Subagent>> {
    let dir = transcript.with_extension("").join("subagents");
    let is_one = |name: &str| name.starts_with("agent-") && name.ends_with(".jsonl");
    let mut found = newest(SLUG, &dir, is_one)?;
    if let (true, Some(beside), Some(id)) =
        (found.is_empty() && session.subagents > 0, transcript.parent(), session.id.as_deref())
    {
        found = newest(SLUG, beside, is_one)?;
        found.truncate(MOST);
        found.retain(|one| one.path != transcript && is_of(&one.path, id));
    }
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
