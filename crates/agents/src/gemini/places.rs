//! Where Gemini CLI keeps its sessions.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::SLUG;
use crate::places::{Places, Transcript, Where, entries, head_of, newest, newest_of};

/// Names the directory in which a project's sessions ran.
const ROOT_FILE: &str = ".project_root";
/// Bytes in which a session's id stands.
const HEAD: u64 = 4_096;

pub(super) fn root(places: &Places) -> Option<PathBuf> {
    Some(places.dir_or_home("GEMINI_CLI_HOME")?.join(".gemini"))
}

/// The directories in which projects have their sessions.
fn projects(root: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(entries(&root.join("tmp"))?.flatten().map(|entry| entry.path()).collect())
}

/// The directory in which the session of a transcript ran.
pub(super) fn root_of(transcript: &Path) -> Option<String> {
    let project = transcript.ancestors().skip(1).find(|dir| dir.ends_with("chats"))?.parent()?;
    said_root(project)
}

fn said_root(project: &Path) -> Option<String> {
    let root = fs::read_to_string(project.join(ROOT_FILE)).ok()?;
    Some(root.trim().to_owned()).filter(|root| !root.is_empty())
}

/// Where the transcripts of its sessions lie.
pub(super) fn own_places(places: &Places) -> Vec<PathBuf> {
    root(places).map(|root| root.join("tmp")).into_iter().collect()
}

/// The session of an id.
pub(super) fn of_id(places: &Places, id: &str) -> io::Result<Option<Transcript>> {
    let Some(root) = root(places).filter(|_| !id.is_empty()) else { return Ok(None) };
    // Names of files end in the first part of the id.
    let short: String = id.chars().take(8).collect();
    let mut found = Vec::new();
    for project in projects(&root)? {
        let wanted =
            sessions(&project)?.into_iter().filter(|one| one.id.contains(&short) && is_own(one));
        found.extend(wanted.map(named).filter(|one| one.id == id));
    }
    Ok(found.into_iter().max_by_key(|one| one.modified))
}

/// The session of a file.
pub(super) fn in_file(path: &Path, _: Option<&str>) -> io::Result<Option<Transcript>> {
    Transcript::at(SLUG, path.to_owned()).map(named).map(Some)
}

/// The sessions that ran in one of these directories, the newest so many.
pub(super) fn newest_in(
    places: &Places,
    place: &Where,
    most: usize,
) -> io::Result<Vec<Transcript>> {
    let Some(root) = root(places) else { return Ok(Vec::new()) };
    let projects = projects(&root)?;
    if projects.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<String> = names(&root, &place.dirs);
    let mut all = Vec::new();
    for project in projects {
        let is_here = match said_root(&project) {
            Some(said) => place.holds(Path::new(&said)),
            None => project
                .file_name()
                .is_some_and(|name| names.iter().any(|known| name == known.as_str())),
        };
        if is_here {
            all.extend(sessions(&project)?);
        }
    }
    Ok(newest_of(all, most, is_own).into_iter().map(named).collect())
}

/// The names that the directories of projects may have got.
fn names(root: &Path, dirs: &[PathBuf]) -> Vec<String> {
    #[derive(Default, Deserialize)]
    struct Projects {
        projects: BTreeMap<PathBuf, String>,
    }
    let known = fs::read(root.join("projects.json")).ok();
    let known = known.and_then(|bytes| serde_json::from_slice::<Projects>(&bytes).ok());
    let mut known = known.unwrap_or_default();
    let slugs: Vec<String> = dirs.iter().filter_map(|dir| known.projects.remove(dir)).collect();
    // Older versions named the directory after a hash of the path.
    let hashed = |dir: &PathBuf| -> String {
        let hash = Sha256::digest(dir.to_string_lossy().as_bytes());
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    slugs.into_iter().chain(dirs.iter().map(hashed)).collect()
}

/// The files of a project, newest first. Going on with a session may leave a second one, in which there
/// is only its beginning: names say by their end which are of one session.
fn sessions(project: &Path) -> io::Result<Vec<Transcript>> {
    let all = newest(SLUG, &project.join("chats"), is_session)?;
    let of_one = |path: &Path| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        name.rsplit_once('-').map(|(_, end)| end.to_owned())
    };
    let mut largest: BTreeMap<String, u64> = BTreeMap::new();
    for one in &all {
        let size = largest.entry(of_one(&one.path).unwrap_or_default()).or_default();
        *size = one.size.max(*size);
    }
    let is_largest = |one: &Transcript| {
        of_one(&one.path).is_none_or(|end| largest.get(&end).is_none_or(|size| one.size == *size))
    };
    Ok(all.into_iter().filter(is_largest).collect())
}

/// Whether it is for itself: a session of an older version that was gone on with was copied.
fn is_own(one: &Transcript) -> bool {
    one.path.extension().is_none_or(|end| end != "json")
        || !one.path.with_extension("jsonl").is_file()
}

/// With the id that it says it has.
fn named(one: Transcript) -> Transcript {
    Transcript { id: id_in(&one.path).unwrap_or(one.id), ..one }
}

fn is_session(name: &str) -> bool {
    let name = name.strip_suffix(".jsonl").or_else(|| name.strip_suffix(".json"));
    name.is_some_and(|stem| stem.starts_with("session-"))
}

/// The id that a session says it has.
fn id_in(path: &Path) -> Option<String> {
    let head = head_of(File::open(path).ok()?, HEAD).ok()?;
    let (_, rest) = head.split_once("\"sessionId\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    rest.split_once('"').map(|(id, _)| id.to_owned())
}

/// The id of the session that runs this, which only its hooks are told.
pub(super) fn live(places: &Places, cwd: &Path) -> Option<String> {
    let elsewhere = ["GEMINI_CWD", "GEMINI_PROJECT_DIR"].iter().find_map(|name| places.var(name));
    if elsewhere.is_some_and(|dir| Path::new(&dir) != cwd) {
        return None;
    }
    Some(places.var("GEMINI_SESSION_ID")?.to_string_lossy().into_owned())
}
