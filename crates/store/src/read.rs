//! Reading handoff files.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use segue_core::{Handoff, HandoffError, MAX_HANDOFF_BYTES, read_peer_note};

use crate::error::{IoContext, StoreError};

/// Reads one handoff file, ours or a peer's note.
pub(crate) fn read_handoff(path: &Path) -> Result<Handoff, StoreError> {
    // Opening a pipe would wait for somebody to write into it.
    if !fs::metadata(path).at("read", path)?.is_file() {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
        return Err(error).at("read", path);
    }
    let file = File::open(path).at("read", path)?;
    let size = file.metadata().at("read", path)?.len();
    if size > MAX_HANDOFF_BYTES {
        let source = HandoffError::TooLarge;
        return Err(StoreError::BadHandoff { path: path.to_owned(), source });
    }
    let mut bytes = Vec::with_capacity(size as usize + 1);
    file.take(MAX_HANDOFF_BYTES + 1).read_to_end(&mut bytes).at("read", path)?;
    parse_handoff(path, bytes)
}

/// The handoff that a file's bytes are.
pub(crate) fn parse_handoff(path: &Path, bytes: Vec<u8>) -> Result<Handoff, StoreError> {
    if bytes.starts_with(b"<!-- agent-handover ")
        && let Ok(source) = std::str::from_utf8(&bytes)
        && let Some(name) = path.file_name()
        && let Some(note) = read_peer_note(source, &name.to_string_lossy())
    {
        return Ok(note);
    }
    Handoff::parse_bytes(bytes)
        .map_err(|source| StoreError::BadHandoff { path: path.to_owned(), source })
}
