//! What the tests of every reader do with a transcript.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use segue_agents::{Capture, Transcripts};
use segue_core::session::{Outcome, Session};

/// A transcript as it looks after an accident: with a mark at its beginning, other line ends, something
/// broken in the middle, and torn off at its end.
pub(crate) fn with_damage(lines: &[String], broken: &[u8], torn: &[u8]) -> Vec<u8> {
    let mut bytes = b"\xef\xbb\xbf".to_vec();
    for (at, line) in lines.iter().enumerate() {
        bytes.extend(line.as_bytes());
        bytes.extend(b"\r\n");
        if at == 2 {
            bytes.extend(broken);
        }
    }
    bytes.extend(torn);
    bytes
}

/// The session of a file that has this content.
pub(crate) fn read(row: &Transcripts, path: &Path, content: impl AsRef<[u8]>) -> Session {
    fs::write(path, content).unwrap();
    row.read(path).unwrap().recorder.into_session()
}

/// Looks whether damage cost nothing of what was whole.
pub(crate) fn tells_the_same(damaged: &Session, whole: &Session) {
    assert_eq!(prompts(damaged), prompts(whole));
    assert_eq!(damaged.files.len(), whole.files.len());
    assert_eq!(commands(damaged), commands(whole));
    assert_eq!(damaged.said.back().unwrap().text, whole.said.back().unwrap().text);
}

/// Reads a transcript in steps, while it is written, and looks whether that comes to the same.
pub(crate) fn reads_on(row: &Transcripts, path: &Path, text: &str) {
    let whole = read(row, path, text);
    for step in [1, 7, 100, 1_000] {
        fs::write(path, b"").unwrap();
        let mut capture = Capture::new(row.agent);
        for piece in text.as_bytes().chunks(step.max(text.len() / 300)) {
            OpenOptions::new().append(true).open(path).unwrap().write_all(piece).unwrap();
            row.read_on(path, &mut capture).unwrap();
            // As a process that ends and another that goes on.
            let kept = serde_json::to_string(&capture).unwrap();
            capture = serde_json::from_str(&kept).unwrap();
        }
        assert_eq!(capture.offset(), text.len() as u64);
        assert_eq!(capture.recorder.into_session(), whole, "in steps of {step}");
    }
}

/// Whose transcript a file with this content is.
pub(crate) fn recognised(path: &Path, content: impl AsRef<[u8]>) -> Option<&'static str> {
    fs::write(path, content).unwrap();
    Transcripts::of_file(path).unwrap().map(|row| row.agent)
}

pub(crate) fn prompts(session: &Session) -> Vec<&str> {
    session.prompts.iter().map(|prompt| prompt.text.as_str()).collect()
}

pub(crate) fn commands(session: &Session) -> Vec<(&str, Outcome, Option<i32>)> {
    session.commands.iter().map(|one| (one.command.as_str(), one.outcome, one.exit)).collect()
}
