//! Where Codex keeps its sessions.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::SLUG;
use crate::lines::unpacked;
use crate::places::{Places, Transcript, Where, cwd_in, head_of, newest, newest_of};

/// Files looked into for the directory in which their session ran: the newest.
const MOST: usize = 2_000;
/// Bytes of a file in which its first record says that.
pub(super) const HEAD: u64 = 4_096;

pub(super) fn root(places: &Places) -> Option<PathBuf> {
    places.dir("CODEX_HOME", ".codex")
}

/// The session's id in the name of its file: `rollout-2026-03-01T10-00-00-<id>.jsonl`. A part that
/// was begun anew has another one after a `_`.
pub(super) fn id_in(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(".zst").unwrap_or(name);
    let stem = stem.strip_suffix(".jsonl").or_else(|| stem.strip_suffix(".json"))?;
    let rest = stem.strip_prefix("rollout-")?;
    // The time, or in the oldest versions the day.
    let at = rest.char_indices().take_while(|(_, c)| c.is_ascii_digit() || "-T".contains(*c));
    let time = if at.count() >= 19 && rest.as_bytes().get(10) == Some(&b'T') { 20 } else { 11 };
    let id = rest.get(time..)?.split('_').next()?;
    (!id.is_empty()).then_some(id)
}

pub(super) fn is_session(name: &str) -> bool {
    id_in(name).is_some()
}

/// With the session's id, which is only a part of the file's name.
fn named(found: Transcript) -> Transcript {
    let name = found.path.file_name().map(|name| name.to_string_lossy().into_owned());
    let id = name.as_deref().and_then(id_in).map(str::to_owned);
    Transcript { id: id.unwrap_or(found.id), ..found }
}

/// The session of a file.
pub(super) fn in_file(path: &Path, _: Option<&str>) -> io::Result<Option<Transcript>> {
    Transcript::at(SLUG, path.to_owned()).map(named).map(Some)
}

/// All transcripts below a directory, newest first.
fn all_in(dir: &Path, depth: usize, all: &mut Vec<Transcript>) -> io::Result<()> {
    for found in newest(SLUG, dir, is_session)? {
        // Packed and not packed: the latter is the one that is written to.
        let twin = found.path.extension().is_some_and(|end| end == "zst")
            && found.path.with_extension("").is_file();
        if !twin {
            all.push(named(found));
        }
    }
    if depth > 0 {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                all_in(&entry.path(), depth - 1, all)?;
            }
        }
    }
    all.sort_by_key(|one| std::cmp::Reverse(one.modified));
    Ok(())
}

/// Where the transcripts of its sessions lie.
pub(super) fn own_places(places: &Places) -> Vec<PathBuf> {
    let kept = ["sessions", "archived_sessions"];
    root(places).iter().flat_map(|root| kept.map(|dir| root.join(dir))).collect()
}

/// The session of an id.
pub(super) fn of_id(places: &Places, id: &str) -> io::Result<Option<Transcript>> {
    let Some(root) = root(places) else { return Ok(None) };
    for (dir, depth) in [("sessions", 3), ("archived_sessions", 0)] {
        let mut all = Vec::new();
        all_in(&root.join(dir), depth, &mut all)?;
        if let Some(found) = all.into_iter().find(|one| one.id == id) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The sessions that ran in one of these directories, the newest so many. Those of subagents are not
/// for themselves.
pub(super) fn newest_in(
    places: &Places,
    place: &Where,
    most: usize,
) -> io::Result<Vec<Transcript>> {
    let Some(root) = root(places) else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    all_in(&root.join("sessions"), 3, &mut all)?;
    all.truncate(MOST);
    Ok(newest_of(all, most, |one| ran_in(&one.path).is_some_and(|dir| place.holds(&dir))))
}

/// Where the session of a transcript ran, unless that was a subagent's.
fn ran_in(path: &Path) -> Option<PathBuf> {
    let head = head_of(unpacked(File::open(path).ok()?).ok()?, HEAD).ok()?;
    if is_subagents(&head) { None } else { cwd_in(&head) }
}

/// Whether a first record is of a subagent's session.
pub(super) fn is_subagents(head: &str) -> bool {
    head.contains("\"source\":{\"subagent\"") || head.contains("\"thread_source\":\"subagent\"")
}

#[cfg(test)]
mod tests {
    use super::id_in;

    #[test]
    fn the_id_stands_in_the_name() {
        for (name, id) in [
            ("rollout-2026-03-01T10-00-00-01a1-22.jsonl", Some("01a1-22")),
            ("rollout-2026-03-01T10-00-00-01a1-22.jsonl.zst", Some("01a1-22")),
            ("rollout-2026-03-01T10-00-00-01a1-22_77b.jsonl", Some("01a1-22")),
            ("rollout-2025-04-20-8c1e.json", Some("8c1e")),
            ("rollout-2026-03-01T10-00-00-.jsonl", None),
            ("history.jsonl", None),
            ("rollout-2026-03-01T10-00-00-01a1.txt", None),
        ] {
            assert_eq!(id_in(name), id, "{name}");
        }
    }
}
