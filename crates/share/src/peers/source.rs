//! Files and directories of a peer: where they are, and their text. Only ever read.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use segue_core::{HandoffError, digest};

use super::{Peer, PeerError};

/// The text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceText {
    /// Without a byte order mark, line ends as they are.
    pub(super) text: String,
    /// Whether every byte of it could be read as text.
    pub(super) exact: bool,
}

/// What is said of a text that could not be read as it is.
pub(super) const NOT_UTF8: &str = "its text is not UTF-8; replaced where it is not";

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error("it is not a regular file")]
    NotAFile,
    #[error("it is larger than {} MiB", .0 / 1024 / 1024)]
    TooLarge(u64),
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
}

impl ReadError {
    /// The same, of a file without which there is no store.
    pub(super) fn of(self, path: &Path) -> PeerError {
        let path = path.to_owned();
        match self {
            Self::NotAFile => PeerError::NotOne { path, reason: self.to_string() },
            Self::TooLarge(max) => PeerError::TooLarge { path, max },
            Self::Io(source) => PeerError::Io { what: "read", path, source },
        }
    }
}

/// Whether nothing can be at a path, going by what the system says.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// What is at a path, links followed.
pub(super) fn look(peer: Peer, path: &Path) -> Result<fs::Metadata, PeerError> {
    fs::metadata(path).map_err(|source| match is_absent(&source) {
        true => PeerError::NotFound { peer, path: path.to_owned() },
        false => PeerError::Io { what: "read", path: path.to_owned(), source },
    })
}

/// The file at a path, or the one of this name in the directory that is there.
pub(super) fn file_at(peer: Peer, path: &Path, name: &str) -> Result<PathBuf, PeerError> {
    let mut file = path.to_owned();
    let mut there = look(peer, &file)?;
    if there.is_dir() {
        file.push(name);
        there = look(peer, &file)?;
    }
    match there.is_file() {
        true => Ok(file),
        false => Err(ReadError::NotAFile.of(&file)),
    }
}

/// All bytes of a file that has no more than these.
pub(super) fn read_bytes(path: &Path, max: u64) -> Result<Vec<u8>, ReadError> {
    // Opening a pipe would wait for somebody to write into it.
    if !fs::metadata(path)?.is_file() {
        return Err(ReadError::NotAFile);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(max + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > max {
        true => Err(ReadError::TooLarge(max)),
        false => Ok(bytes),
    }
}

/// The text of a file that can be a handoff.
pub(super) fn read_text(path: &Path) -> Result<SourceText, ReadError> {
    let max = segue_core::MAX_HANDOFF_BYTES;
    Ok(decode(&read_bytes(path, max)?))
}

/// UTF-8, or UTF-16 with a byte order mark; what is neither is replaced.
pub(super) fn decode(bytes: &[u8]) -> SourceText {
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => decode_utf8(rest),
        _ => decode_utf8(bytes),
    }
}

/// UTF-8 as it is, its first character included; what is none is replaced.
pub(super) fn decode_utf8(bytes: &[u8]) -> SourceText {
    let exact = std::str::from_utf8(bytes).is_ok();
    SourceText { text: String::from_utf8_lossy(bytes).into_owned(), exact }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> SourceText {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    let exact = rest.is_empty() && char::decode_utf16(units.iter().copied()).all(|c| c.is_ok());
    SourceText { text: String::from_utf16_lossy(&units), exact }
}

/// The alias of a text that has no id of its own.
pub(super) fn text_alias(peer: Peer, text: &str) -> String {
    let digest = digest(text);
    format!("{peer}:{}", digest.get(..16).unwrap_or(&digest))
}

/// Why a text makes no handoff, as a sentence about the entry.
pub(super) fn no_handoff(error: &HandoffError) -> String {
    match error {
        HandoffError::TooLarge => error.to_string(),
        _ => format!("it makes no handoff: {error}"),
    }
}

/// A directory's path for an importer, if it can be written down.
pub(super) fn absolute(dir: &Path) -> Option<PathBuf> {
    let dir = std::path::absolute(dir).ok()?;
    // `absolute` leaves `..` where it is; the directory itself knows better.
    let dotted = dir.components().any(|part| part == std::path::Component::ParentDir);
    if dotted { fs::canonicalize(dir).ok() } else { Some(dir) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_encoding_are_read() {
        let read = |bytes: &[u8]| {
            let SourceText { text, exact } = decode(bytes);
            (text, exact)
        };
        assert_eq!(read("é\r\n".as_bytes()), ("é\r\n".to_owned(), true));
        assert_eq!(read(b"\xef\xbb\xbfa"), ("a".to_owned(), true));
        assert_eq!(read(b"\xff\xfea\0\xe9\0"), ("aé".to_owned(), true));
        assert_eq!(read(b"\xfe\xff\0a\0\xe9"), ("aé".to_owned(), true));
        assert_eq!(read(b"caf\xe9"), ("caf\u{fffd}".to_owned(), false));
        assert_eq!(read(b"\xff\xfea\0\x00\xd8"), ("a\u{fffd}".to_owned(), false));
        assert_eq!(read(b"\xff\xfea\0b"), ("a".to_owned(), false));
    }
}
