//! Where Claude Code keeps its sessions.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::places::{Places, Transcript, newest};

/// A longer name of a directory is cut and gets a hash.
const LONGEST_NAME: usize = 200;

fn root(places: &Places) -> Option<PathBuf> {
    places
        .var("CLAUDE_CONFIG_DIR")
        .map(PathBuf::from)
        .or_else(|| Some(places.home.as_ref()?.join(".claude")))
}

/// The name of the directory for sessions that ran in this one.
pub(crate) fn encoded(cwd: &Path) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    cwd.to_string_lossy().chars().map(plain).collect()
}

/// The session of an id.
pub(crate) fn of_id(places: &Places, id: &str) -> io::Result<Option<Transcript>> {
    let Some(root) = root(places).filter(|_| !id.contains(['/', '\\'])) else { return Ok(None) };
    let projects = match fs::read_dir(root.join("projects")) {
        Ok(projects) => projects,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    for project in projects {
        let path = project?.path().join(format!("{id}.jsonl"));
        if path.is_file() {
            return Transcript::at("claude-code", path).map(Some);
        }
    }
    Ok(None)
}

/// The sessions that ran in a directory, newest first.
pub(crate) fn newest_in(places: &Places, cwd: &Path) -> io::Result<Vec<Transcript>> {
    let Some(root) = root(places) else { return Ok(Vec::new()) };
    let projects = root.join("projects");
    let name = encoded(cwd);
    if name.len() <= LONGEST_NAME {
        return newest("claude-code", &projects.join(name), is_session);
    }
    // The end of the name is a hash that need not be known.
    let mut all = Vec::new();
    let begins = &name[..LONGEST_NAME];
    for project in fs::read_dir(&projects).into_iter().flatten().flatten() {
        if project.file_name().to_string_lossy().starts_with(begins) {
            all.extend(newest("claude-code", &project.path(), is_session)?);
        }
    }
    all.sort_by_key(|one| std::cmp::Reverse(one.modified));
    Ok(all)
}

fn is_session(name: &str) -> bool {
    name.strip_suffix(".jsonl").is_some_and(|stem| !stem.starts_with("agent-"))
}

/// The id of a session that goes on in a directory now.
pub(crate) fn live(places: &Places, cwd: &Path) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Live {
        session_id: String,
        cwd: PathBuf,
        #[serde(default)]
        updated_at: u64,
    }
    let sessions = root(places)?.join("sessions");
    let all = fs::read_dir(sessions).ok()?.flatten().filter_map(|entry| {
        let bytes = fs::read(entry.path()).ok()?;
        serde_json::from_slice::<Live>(&bytes).ok()
    });
    all.filter(|live| live.cwd == cwd)
        .max_by_key(|live| live.updated_at)
        .map(|live| live.session_id)
}
