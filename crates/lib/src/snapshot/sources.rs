//! What a snapshot is made out of, but for git's state.

use segue_core::ItemSources;
use segue_store::Listed;

use super::request::SnapshotRequest;
use super::session::CapturedSession;
use crate::sessions::Captured;
use crate::workspace::Workspace;

/// What a snapshot is made out of.
pub(super) struct SnapshotSources<'s> {
    pub(super) file: Workspace<'s>,
    /// Whether there is a HANDOFF.md that may be refreshed.
    pub(super) is_refreshable: bool,
    /// The newest handoff here in which something was said.
    pub(super) newest: Option<Listed>,
    /// What somebody wrote into the block of HANDOFF.md, which is saved already.
    pub(super) edited: Option<String>,
    /// What people and agents wrote into HANDOFF.md; `None` if it is not of a kind that can be taken.
    pub(super) words: Option<String>,
    /// The session, and what of it is captured, if it says anything.
    pub(super) captured: Option<Captured>,
    pub(super) capture: Option<CapturedSession>,
    /// The text of that, and whose words its items are.
    pub(super) told: Option<(String, ItemSources)>,
}

impl SnapshotSources<'_> {
    /// The agent's own words are among them.
    pub(super) fn has_own_words(&self, request: &SnapshotRequest) -> bool {
        let saved = self.capture.as_ref().is_some_and(|capture| capture.saved_words.is_some());
        request.own_words.is_some() || saved
    }
}
