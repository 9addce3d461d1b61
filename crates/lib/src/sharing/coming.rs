//! What is known of a handoff that comes in while it is only looked at.

use segue_core::{Handoff, HandoffId, PayloadDigest, Timestamp};

/// So much of a title is shown of what comes in.
const MAX_TITLE: usize = 120;

/// What is known of a handoff in a bundle while it is only looked at.
#[derive(Clone, Debug)]
pub(crate) struct Coming {
    pub(crate) id: HandoffId,
    pub(crate) created: Timestamp,
    pub(crate) title: String,
    /// Its payload's digest.
    pub(crate) digest: PayloadDigest,
    /// The digest of the payload without its secrets, if it has any, and their kinds.
    pub(crate) kept: Option<PayloadDigest>,
    pub(crate) secrets: Vec<String>,
    /// Where it was made: what `origin` was, or a directory.
    pub(crate) remote: Option<String>,
    pub(crate) dir: Option<String>,
    /// What it was filed under, by word.
    pub(crate) label: Option<String>,
    /// Whether it was made on this machine, so that its directory is one of ours.
    pub(crate) made_here: bool,
    /// An id that says that this very text is here already, whatever its id.
    pub(crate) alias: Option<String>,
}

impl Coming {
    /// Whether a payload of this digest is the same, with its secrets or without them.
    pub(crate) fn is(&self, digest: PayloadDigest) -> bool {
        self.digest == digest || self.kept == Some(digest)
    }

    pub(crate) fn of(handoff: &Handoff) -> Self {
        Self {
            id: handoff.head.id.clone(),
            created: handoff.head.created,
            title: handoff.display_title().chars().take(MAX_TITLE).collect(),
            digest: PayloadDigest::of(handoff.source()),
            kept: None,
            secrets: Vec::new(),
            remote: None,
            dir: None,
            label: None,
            made_here: false,
            alias: None,
        }
    }
}
