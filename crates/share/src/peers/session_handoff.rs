//! The records of session-handoff, in one JSON file.

use std::path::Path;

use super::{Peer, PeerError, PeerStore};

/// Reads a store.
pub(super) fn read(path: &Path) -> Result<PeerStore, PeerError> {
    Err(PeerError::NotFound { peer: Peer::SessionHandoff, path: path.to_owned() })
}

/// `handoffs.json` in the user's configuration directory.
pub(super) fn default_path(
    home: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<std::path::PathBuf> {
    let _ = variable;
    Some(home?.join(".config/session-handoff/handoffs.json"))
}
