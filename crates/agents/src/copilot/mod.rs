//! Copilot CLI: a directory a session, with its events in one JSONL file.

mod denial;
pub(crate) mod places;
mod record;
mod sql;
mod usage;

use std::io;
use std::path::Path;

use crate::lines::{Capture, read_lines};
pub(crate) use places::{live, newest_in, of_id};

/// Whether a record is of this agent, by what stands in its first bytes. An editor's extension
/// writes the same events, but its sessions are not this agent's.
pub(crate) fn is_one(head: &str) -> bool {
    let first = head.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|first| {
        (first.contains("\"type\":\"session.start\"")
            || first.contains("\"type\":\"session.resume\"")
            || first.contains("\"type\": \"session.start\""))
            && first.contains("\"data\"")
            && !first.contains("\"vscodeVersion\"")
    })
}

/// Reads what was not read yet.
pub(crate) fn read(path: &Path, capture: &mut Capture) -> io::Result<()> {
    let mut name = places::name_of(path);
    read_lines(path, capture, &mut |line, recorder| {
        // What an event called it later counts.
        let name = name.take().filter(|_| recorder.session().title.is_none());
        name.iter().for_each(|name| recorder.title(name));
        record::take(line, recorder)
    })
}
