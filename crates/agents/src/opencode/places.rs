//! Where OpenCode keeps its sessions.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use segue_core::session::Session;

use super::SLUG;
use super::database::{Row, Wanted, sessions};
use crate::places::{Places, Transcript, Where, entries, newest_of};
use crate::sqlite;
use crate::subagents::{MOST as MOST_SUBAGENTS, Subagent};

/// Sessions of a directory that are looked at: the newest.
const MOST: usize = 2_000;

/// The directory of its settings.
pub(super) fn settings(places: &Places) -> Option<PathBuf> {
    Some(places.dir("XDG_CONFIG_HOME", ".config")?.join(SLUG))
}

/// The databases in which there may be sessions: one for each channel of its releases.
fn databases(places: &Places) -> io::Result<Vec<PathBuf>> {
    let Some(data) = places.dir("XDG_DATA_HOME", ".local/share") else { return Ok(Vec::new()) };
    let dir = data.join(SLUG);
    let mut all = Vec::new();
    if let Some(named) = places.var("OPENCODE_DB").filter(|named| named != ":memory:") {
        all.push(dir.join(named));
    }
    all.push(dir.join("opencode.db"));
    let is_channel = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("opencode-") && name.ends_with(".db")
    };
    let channels = entries(&dir)?.flatten().filter(is_channel).map(|entry| entry.path());
    let mut channels: Vec<PathBuf> = channels.collect();
    channels.sort();
    all.extend(channels);
    // One that was just made is still empty.
    all.retain(|path| fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() > 0));
    let mut at = 0;
    while at < all.len() {
        if all[..at].contains(&all[at]) {
            all.remove(at);
        } else {
            at += 1;
        }
    }
    Ok(all)
}

/// Where the transcripts of its sessions lie.
pub(super) fn own_places(places: &Places) -> Vec<PathBuf> {
    databases(places).unwrap_or_default()
}

/// The session of an id.
pub(super) fn of_id(places: &Places, id: &str) -> io::Result<Option<Transcript>> {
    for path in databases(places)? {
        if let Some(found) = in_file(&path, Some(id))? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The sessions that ran in a directory, newest first.
pub(super) fn newest_in(
    places: &Places,
    place: &Where,
    most: usize,
) -> io::Result<Vec<Transcript>> {
    let mut all = Vec::new();
    for path in databases(places)? {
        let rows = sqlite::read(&path, |db| {
            let mut rows = Vec::new();
            for dir in &place.dirs {
                rows.extend(sessions(db, Wanted::In(&dir.to_string_lossy()), most.min(MOST))?);
            }
            if let Some(top) = &place.below {
                rows.extend(sessions(db, Wanted::Below(&top.to_string_lossy()), most.min(MOST))?);
            }
            Ok(rows)
        })?;
        for row in rows {
            all.push(transcript(&path, row)?);
        }
    }
    Ok(newest_of(all, most, |_| true))
}

/// The session of an id in a database, else the newest of those that are no subagent's.
pub(super) fn in_file(path: &Path, id: Option<&str>) -> io::Result<Option<Transcript>> {
    let wanted = id.map_or(Wanted::Newest, Wanted::Id);
    let rows = sqlite::read(path, |db| sessions(db, wanted, 1))?;
    rows.into_iter().next().map(|row| transcript(path, row)).transpose()
}

/// The sessions of the subagents that a session started.
pub(super) fn subagents(path: &Path, session: &Session) -> io::Result<Vec<Subagent>> {
    let Some(id) = session.id.as_deref().filter(|_| session.subagents > 0) else {
        return Ok(Vec::new());
    };
    let rows = sqlite::read(path, |db| sessions(db, Wanted::StartedBy(id), MOST_SUBAGENTS))?;
    let one = |row: Row| Subagent {
        version: u64::try_from(row.updated).unwrap_or(0),
        id: row.id,
        path: path.to_owned(),
        task: None,
        finished: None,
        call: None,
    };
    Ok(rows.into_iter().map(one).collect())
}

fn transcript(path: &Path, row: Row) -> io::Result<Transcript> {
    let since = Duration::from_millis(u64::try_from(row.updated).unwrap_or(0));
    Ok(Transcript {
        agent: SLUG,
        id: row.id,
        path: path.to_owned(),
        modified: SystemTime::UNIX_EPOCH.checked_add(since).unwrap_or(SystemTime::UNIX_EPOCH),
        size: fs::metadata(path)?.len(),
    })
}
