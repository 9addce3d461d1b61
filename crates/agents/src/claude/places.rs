//! Where Claude Code keeps its sessions.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::SLUG;
use crate::places::{Places, Transcript, Where, entries, newest, newest_of, said_cwd};

/// A longer name of a directory is cut and gets a hash.
const LONGEST_NAME: usize = 200;

pub(super) fn root(places: &Places) -> Option<PathBuf> {
    places.dir("CLAUDE_CONFIG_DIR", ".claude")
}

/// The settings that the user did not write.
pub(super) fn settings_of_user(places: &Places) -> Option<PathBuf> {
    Some(places.dir_or_home("CLAUDE_CONFIG_DIR")?.join(".claude.json"))
}

/// The name of the directory for sessions that ran in this one.
pub(crate) fn encoded(cwd: &Path) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    cwd.to_string_lossy().chars().map(plain).collect()
}

/// Where the transcripts of its sessions lie.
pub(super) fn own_places(places: &Places) -> Vec<PathBuf> {
    root(places).map(|root| root.join("projects")).into_iter().collect()
}

/// The session of an id.
pub(super) fn of_id(places: &Places, id: &str) -> io::Result<Option<Transcript>> {
    let Some(root) = root(places).filter(|_| !id.contains(['/', '\\'])) else { return Ok(None) };
    for project in entries(&root.join("projects"))? {
        let path = project?.path().join(format!("{id}.jsonl"));
        if path.is_file() {
            return Transcript::at(SLUG, path).map(Some);
        }
    }
    Ok(None)
}

/// The sessions that ran in one of these directories, the newest so many.
pub(super) fn newest_in(
    places: &Places,
    place: &Where,
    most: usize,
) -> io::Result<Vec<Transcript>> {
    let Some(root) = root(places) else { return Ok(Vec::new()) };
    let projects = root.join("projects");
    let mut all = Vec::new();
    for name in names_in(&projects, place) {
        all.extend(newest(SLUG, &projects.join(name), is_session)?);
    }
    Ok(newest_of(all, most, |one| is_of(one, place)))
}

/// The directories in which the sessions of these may be kept, by their names.
pub(crate) fn names_in(projects: &Path, place: &Where) -> Vec<String> {
    let mut names: Vec<String> = place.dirs.iter().map(|dir| encoded(dir)).collect();
    names.sort();
    names.dedup();
    // The end of a long name is a hash that need not be known, and what lies below begins the same.
    let long = |name: &String| name.len() > LONGEST_NAME;
    if place.below.is_none() && !names.iter().any(long) {
        return names;
    }
    let begins: Vec<String> = names
        .iter()
        .filter(|name| long(name))
        .map(|name| name[..LONGEST_NAME].to_owned())
        .chain(place.below.iter().map(|top| {
            let mut name = encoded(top);
            name.truncate(LONGEST_NAME);
            name
        }))
        .collect();
    let there = fs::read_dir(projects).into_iter().flatten().flatten();
    let there = there.map(|project| project.file_name().to_string_lossy().into_owned());
    there
        .filter(|name| names.contains(name) || begins.iter().any(|one| name.starts_with(one)))
        .collect()
}

/// Whether a session ran in one of these directories. Others may have the same name for it:
/// `a-b` is called as `a/b` is.
pub(crate) fn is_of(found: &Transcript, place: &Where) -> bool {
    let kept_in = found.path.ancestors().skip(1).find(|dir| !dir.ends_with("chats"));
    let kept_in = kept_in.and_then(Path::file_name).unwrap_or_default();
    let own = place.dirs.iter().any(|dir| encoded(dir).as_str() == kept_in);
    match said_cwd(&found.path) {
        // What was begun elsewhere and is kept here belongs here all the same.
        Some(cwd) => place.holds(&cwd) || own && encoded(&cwd).as_str() != kept_in,
        None => own,
    }
}

fn is_session(name: &str) -> bool {
    name.strip_suffix(".jsonl").is_some_and(|stem| !stem.starts_with("agent-"))
}

/// The id of a session that goes on in a directory now.
pub(super) fn live(places: &Places, cwd: &Path) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Live {
        pid: u32,
        session_id: String,
        cwd: PathBuf,
        #[serde(default)]
        updated_at: u64,
    }
    let sessions = root(places)?.join("sessions");
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    let all = fs::read_dir(sessions).ok()?.flatten().filter(is_file).filter_map(|entry| {
        let bytes = fs::read(entry.path()).ok()?;
        serde_json::from_slice::<Live>(&bytes).ok()
    });
    // A process that was killed leaves its file.
    let proc = Path::new("/proc");
    let runs = |pid: u32| !proc.join("self").exists() || proc.join(pid.to_string()).exists();
    all.filter(|live| live.cwd == cwd && runs(live.pid))
        .max_by_key(|live| live.updated_at)
        .map(|live| live.session_id)
}
