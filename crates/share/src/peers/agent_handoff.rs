//! The workspace of agent-handoff: SOUL.md, MEMORY.md and HANDOFF.md.

use std::path::Path;

use super::{Peer, PeerError, PeerStore};

/// Reads a store.
pub(super) fn read(path: &Path) -> Result<PeerStore, PeerError> {
    Err(PeerError::NotFound { peer: Peer::AgentHandoff, path: path.to_owned() })
}
