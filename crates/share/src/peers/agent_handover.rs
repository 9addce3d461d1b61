//! The three layers of agent-handover's memory.

use std::path::Path;

use super::{Peer, PeerError, PeerStore};

/// Reads a store.
pub(super) fn read(path: &Path) -> Result<PeerStore, PeerError> {
    Err(PeerError::NotFound { peer: Peer::AgentHandover, path: path.to_owned() })
}

/// The directory of the layers.
pub(super) const MEMORY_DIR: &str = "memory";
