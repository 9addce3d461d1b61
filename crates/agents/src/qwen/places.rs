//! Where Qwen Code keeps its sessions.

use std::io;
use std::path::PathBuf;

use super::SLUG;
use crate::claude::{is_of, names_in};
use crate::places::{Places, Transcript, Where, entries, newest, newest_of};

pub(super) fn root(places: &Places) -> Option<PathBuf> {
    places.dir("QWEN_HOME", ".qwen")
}

/// Where the transcripts of its sessions lie.
pub(super) fn own_places(places: &Places) -> Vec<PathBuf> {
    root(places).iter().flat_map(|root| ["projects", "tmp"].map(|dir| root.join(dir))).collect()
}

/// The session of an id.
pub(super) fn of_id(places: &Places, id: &str) -> io::Result<Option<Transcript>> {
    let Some(root) = root(places).filter(|_| !id.contains(['/', '\\'])) else { return Ok(None) };
    // Older versions kept them under a hash.
    for kept in ["projects", "tmp"] {
        for project in entries(&root.join(kept))? {
            let path = project?.path().join("chats").join(format!("{id}.jsonl"));
            if path.is_file() {
                return Transcript::at(SLUG, path).map(Some);
            }
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
    let mut all = Vec::new();
    let projects = root.join("projects");
    for name in names_in(&projects, place) {
        let dir = projects.join(name).join("chats");
        all.extend(newest(SLUG, &dir, |name| name.ends_with(".jsonl"))?);
    }
    Ok(newest_of(all, most, |one| is_of(one, place)))
}
