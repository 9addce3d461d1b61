//! The one key of a session, by which everything that is known of it is found.

use segue_core::digest;
use serde::{Deserialize, Serialize};

/// A session: whose, and its id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionKey {
    /// The agent, by its word.
    pub(crate) agent: String,
    /// The agent's id of it.
    pub(crate) id: String,
}

/// What a session is called among the live drafts.
pub(crate) fn key_of(agent: &str, session: &str) -> String {
    let mut key = digest(&format!("{agent}\n{session}"));
    key.truncate(16);
    key
}
