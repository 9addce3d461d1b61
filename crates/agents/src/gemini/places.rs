//! Where Gemini CLI keeps its sessions.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::places::{Places, Transcript, newest};

const AGENT: &str = "gemini-cli";
/// Names the directory in which a project's sessions ran.
const ROOT_FILE: &str = ".project_root";
/// Bytes in which a session's id stands.
const HEAD: u64 = 4_096;

fn root(places: &Places) -> Option<PathBuf> {
    let home = places.var("GEMINI_CLI_HOME").map(PathBuf::from).or_else(|| places.home.clone());
    Some(home?.join(".gemini"))
}

/// The directories in which projects have their sessions.
fn projects(root: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(root.join("tmp")) {
        Ok(all) => Ok(all.flatten().map(|entry| entry.path()).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
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

/// The session of an id.
pub(crate) fn of_id(places: &Places, id: &str) -> io::Result<Option<Transcript>> {
    let Some(root) = root(places).filter(|_| !id.is_empty()) else { return Ok(None) };
    // Names of files end in the first part of the id.
    let short: String = id.chars().take(8).collect();
    let mut found = Vec::new();
    for project in projects(&root)? {
        let sessions = sessions(&project, |name| name.contains(&short));
        found.extend(sessions?.into_iter().filter(|one| one.id == id));
    }
    Ok(found.into_iter().max_by_key(|one| one.modified))
}

/// The sessions that ran in a directory, newest first.
pub(crate) fn newest_in(places: &Places, cwd: &Path) -> io::Result<Vec<Transcript>> {
    let Some(root) = root(places) else { return Ok(Vec::new()) };
    let slug = slug(&root, cwd);
    // Older versions named the directory after a hash of the path.
    let hash: String = Sha256::digest(cwd.to_string_lossy().as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let mut all = Vec::new();
    for project in projects(&root)? {
        let is_here = match said_root(&project) {
            Some(said) => Path::new(&said) == cwd,
            None => project.file_name().is_some_and(|name| {
                slug.as_ref().is_some_and(|slug| name == slug.as_str()) || name == hash.as_str()
            }),
        };
        if is_here {
            all.extend(sessions(&project, |_| true)?);
        }
    }
    all.sort_by_key(|one| std::cmp::Reverse(one.modified));
    Ok(all)
}

/// The name that a project's directory got.
fn slug(root: &Path, cwd: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Projects {
        projects: BTreeMap<PathBuf, String>,
    }
    let bytes = fs::read(root.join("projects.json")).ok()?;
    serde_json::from_slice::<Projects>(&bytes).ok()?.projects.remove(cwd)
}

/// The sessions of a project whose files have such names, with their ids.
fn sessions(project: &Path, is_wanted: impl Fn(&str) -> bool) -> io::Result<Vec<Transcript>> {
    let all = newest(AGENT, &project.join("chats"), is_session)?;
    let wanted = all.into_iter().filter(|one| {
        // A session of an older version that was gone on with was copied.
        let copied = one.path.extension().is_some_and(|end| end == "json")
            && one.path.with_extension("jsonl").is_file();
        !copied && is_wanted(&one.id)
    });
    let mut found: Vec<Transcript> = Vec::new();
    for one in wanted {
        let one = Transcript { id: id_in(&one.path).unwrap_or(one.id), ..one };
        // Going on with a session may leave a second file, in which there is only its beginning.
        match found.iter_mut().find(|other| other.id == one.id) {
            Some(other) if other.size < one.size => *other = one,
            Some(_) => {}
            None => found.push(one),
        }
    }
    Ok(found)
}

fn is_session(name: &str) -> bool {
    let name = name.strip_suffix(".jsonl").or_else(|| name.strip_suffix(".json"));
    name.is_some_and(|stem| stem.starts_with("session-"))
}

/// The id that a session says it has.
fn id_in(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    let (_, rest) = head.split_once("\"sessionId\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    rest.split_once('"').map(|(id, _)| id.to_owned())
}

/// The id of the session that runs this, which only its hooks are told.
pub(crate) fn live(places: &Places, cwd: &Path) -> Option<String> {
    let elsewhere = ["GEMINI_CWD", "GEMINI_PROJECT_DIR"].iter().find_map(|name| places.var(name));
    if elsewhere.is_some_and(|dir| Path::new(&dir) != cwd) {
        return None;
    }
    Some(places.var("GEMINI_SESSION_ID")?.to_string_lossy().into_owned())
}
