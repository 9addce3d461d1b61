//! The packages of handoff, in a SQLite database.

use std::path::Path;

use super::{Peer, PeerError, PeerStore};

/// Reads a store.
pub(super) fn read(path: &Path) -> Result<PeerStore, PeerError> {
    Err(PeerError::NotFound { peer: Peer::Handoff, path: path.to_owned() })
}

/// What `HANDOFF_DB` names, else `.handoff/handoff.db` in the user's home.
pub(super) fn default_path(
    dir: &Path,
    home: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<std::path::PathBuf> {
    let named = variable("HANDOFF_DB").filter(|path| !path.is_empty());
    named.map(|path| dir.join(path)).or_else(|| Some(home?.join(".handoff/handoff.db")))
}
