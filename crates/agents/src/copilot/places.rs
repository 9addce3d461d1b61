//! Where Copilot CLI keeps its sessions.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::SLUG;
use crate::json::{read, shaped, text, wire};
use crate::places::{Places, Transcript, Where, entries, newest_of};

const EVENTS: &str = "events.jsonl";
/// The longest first event, and the longest description of a session.
const LONGEST: u64 = 64 << 10;

pub(super) fn root(places: &Places) -> Option<PathBuf> {
    places.dir("COPILOT_HOME", ".copilot")
}

/// Where the transcripts of its sessions lie.
pub(super) fn own_places(places: &Places) -> Vec<PathBuf> {
    root(places).map(|root| root.join("session-state")).into_iter().collect()
}

/// The session of an id.
pub(super) fn of_id(places: &Places, id: &str) -> io::Result<Option<Transcript>> {
    let is_name = !id.is_empty() && !id.contains(['/', '\\']) && id != "." && id != "..";
    let Some(root) = root(places).filter(|_| is_name) else { return Ok(None) };
    let all = root.join("session-state");
    // Older versions had no directory for a session.
    for path in [all.join(id).join(EVENTS), all.join(format!("{id}.jsonl"))] {
        if path.is_file() {
            return at(path).map(Some);
        }
    }
    Ok(None)
}

/// The session of a file.
pub(super) fn in_file(path: &Path, _: Option<&str>) -> io::Result<Option<Transcript>> {
    at(path.to_owned()).map(Some)
}

/// The sessions that ran in one of these directories, the newest so many.
pub(super) fn newest_in(
    places: &Places,
    place: &Where,
    most: usize,
) -> io::Result<Vec<Transcript>> {
    let Some(root) = root(places) else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for entry in entries(&root.join("session-state"))?.flatten() {
        let path = entry.path();
        let path = if path.is_dir() { path.join(EVENTS) } else { path };
        let is_one = path.extension().is_some_and(|end| end == "jsonl") && path.is_file();
        if is_one && let Ok(found) = at(path) {
            all.push(found);
        }
    }
    Ok(newest_of(all, most, |one| ran_in(&one.path, place)))
}

/// The transcript at a path. A session is named by its directory, if it has one.
fn at(path: PathBuf) -> io::Result<Transcript> {
    let dir = path.parent().and_then(Path::file_name).map(|dir| dir.to_string_lossy().into_owned());
    let has_dir = path.file_name().is_some_and(|name| name == EVENTS);
    let found = Transcript::at(SLUG, path)?;
    Ok(match dir.filter(|_| has_dir) {
        Some(id) => Transcript { id, ..found },
        None => found,
    })
}

/// Whether a session ran in one of these directories, by its description or else by its first event.
fn ran_in(events: &Path, place: &Where) -> bool {
    let is_here = |dir: &str| place.holds(Path::new(dir));
    wire! {
        struct Start<'a> {
            data,
        }

        struct Data<'a> {
            context,
        }

        #[serde(rename_all = "camelCase")]
        struct Context<'a> {
            cwd,
            git_root,
        }
    }
    let places = [described(events, "cwd:"), described(events, "git_root:")];
    if places.iter().any(Option::is_some) {
        return places.iter().flatten().any(|place| is_here(place));
    }
    let Ok(file) = File::open(events) else { return false };
    let mut first = String::new();
    if BufReader::new(file.take(LONGEST)).read_line(&mut first).is_err() {
        return false;
    }
    let context = read::<Start<'_>>(first.trim_start_matches('\u{feff}'))
        .and_then(|start| shaped::<Data<'_>>(start.data))
        .and_then(|data| shaped::<Context<'_>>(data.context));
    context.is_some_and(|context| {
        [context.cwd, context.git_root].into_iter().filter_map(text).any(|place| is_here(&place))
    })
}

/// What a session is called.
pub(super) fn name_of(events: &Path) -> Option<String> {
    described(events, "name:")
}

/// A field of the description that lies beside the events.
fn described(events: &Path, field: &str) -> Option<String> {
    if events.file_name().is_none_or(|name| name != EVENTS) {
        return None;
    }
    let file = File::open(events.with_file_name("workspace.yaml")).ok()?;
    let lines = BufReader::new(file.take(LONGEST)).lines().map_while(Result::ok);
    let value = lines.filter_map(|line| line.strip_prefix(field).map(str::to_owned)).next()?;
    let value = value.trim().trim_matches(['"', '\'']);
    // A block goes on in the lines below.
    Some(value.to_owned()).filter(|value| !value.is_empty() && !value.starts_with(['|', '>']))
}

/// The id of the session that runs this.
pub(super) fn live(places: &Places, cwd: &Path) -> Option<String> {
    let elsewhere = places.var("COPILOT_PROJECT_DIR");
    if elsewhere.is_some_and(|dir| Path::new(&dir) != cwd) {
        return None;
    }
    Some(places.var("COPILOT_AGENT_SESSION_ID")?.to_string_lossy().into_owned())
}
