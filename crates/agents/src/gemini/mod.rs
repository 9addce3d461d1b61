//! Gemini CLI: one file a session, an event log in which the last word on a message counts. Older
//! versions wrote the session as one value.

mod call;
pub(crate) mod places;
mod record;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::lines::{Capture, read_lines, read_whole};
pub(crate) use places::{live, newest_in, of_id};

/// Whether a record is of this agent, by what stands in its first bytes.
pub(crate) fn is_one(head: &str) -> bool {
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let first = if is_spread(head) { head } else { head.lines().next().unwrap_or_default() };
    let is_header = ["\"sessionId\"", "\"startTime\"", "\"lastUpdated\""]
        .iter()
        .all(|field| first.contains(field));
    head.starts_with('{')
        && (is_header
            || head.contains("\"type\":\"gemini\"")
            || head.contains("\"type\": \"gemini\""))
}

/// Whether this begins a value that is spread over lines.
fn is_spread(head: &str) -> bool {
    // Without a line end it may be the beginning of a record.
    head.split_once('\n').is_some_and(|(line, _)| line.trim_end() == "{")
}

/// Reads what was not read yet.
pub(crate) fn read(path: &Path, capture: &mut Capture) -> io::Result<()> {
    let mut head = Vec::new();
    File::open(path)?.take(64).read_to_end(&mut head)?;
    let head = String::from_utf8_lossy(&head);
    if is_spread(head.trim_start_matches('\u{feff}').trim_start()) {
        let root = places::root_of(path);
        return read_whole(path, capture, &mut |value, recorder| {
            recorder.next_record();
            root.iter().for_each(|root| recorder.cwd(root));
            record::take_whole(value, recorder)
        });
    }
    let mut root = places::root_of(path);
    read_lines(path, capture, &mut |line, recorder| {
        // No record says where the session ran.
        root.take().iter().for_each(|root| recorder.cwd(root));
        record::take(line, recorder)
    })
}
