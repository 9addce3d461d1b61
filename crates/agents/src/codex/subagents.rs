//! The subagents of a Codex session: rollouts of their own that name their parent.

use std::fs::File;
use std::io;
use std::path::Path;

use segue_core::session::Session;

use super::SLUG;
use super::places::{HEAD, id_in, is_session, is_subagents};
use crate::lines::unpacked;
use crate::places::{Transcript, head_of, newest};
use crate::subagents::{MOST, Subagent};

/// The rollouts of the days of the session that were started by it.
pub(super) fn subagents(transcript: &Path, session: &Session) -> io::Result<Vec<Subagent>> {
    let (Some(id), Some(dir)) = (session.id.as_deref(), transcript.parent()) else {
        return Ok(Vec::new());
    };
    if session.subagents == 0 {
        return Ok(Vec::new());
    }
    let mut found = newest(SLUG, dir, is_session)?;
    // What was begun after midnight lies in the directory of another day.
    for day in days_after(dir) {
        found.extend(newest(SLUG, &day, is_session)?);
    }
    found.truncate(MOST);
    let own = |one: &Transcript| one.path != transcript && is_started_by(&one.path, id);
    let all = found.into_iter().filter(own).map(|one| {
        let name = one.path.file_name().map(|name| name.to_string_lossy().into_owned());
        let id = name.as_deref().and_then(id_in).map_or(one.id, str::to_owned);
        Subagent { id, path: one.path, version: one.size, task: None, finished: None, call: None }
    });
    Ok(all.collect())
}

/// The directories of the next days, of the same month and the next ones.
fn days_after(dir: &Path) -> Vec<std::path::PathBuf> {
    let name = |dir: &Path| dir.file_name().map(|name| name.to_string_lossy().into_owned());
    let Some(month) = dir.parent().filter(|_| name(dir).is_some_and(|day| is_number(&day))) else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(month).into_iter().flatten().flatten();
    let mut later: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| name(path).is_some_and(|day| is_number(&day)) && path.as_path() > dir)
        .collect();
    later.sort();
    later.truncate(LATER);
    later
}

/// Days after that of the session in which a subagent is looked for.
const LATER: usize = 2;

fn is_number(name: &str) -> bool {
    name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the first record of a rollout says that a session started it.
fn is_started_by(path: &Path, id: &str) -> bool {
    let head = File::open(path).and_then(unpacked).and_then(|file| head_of(file, HEAD));
    let Ok(head) = head else { return false };
    let head = head.lines().next().unwrap_or_default().replace("\": ", "\":");
    is_subagents(&head)
        && ["parent_thread_id", "forked_from_id"]
            .iter()
            .any(|field| head.contains(&format!("\"{field}\":\"{id}\"")))
}
