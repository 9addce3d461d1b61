//! The tags that Segue itself gives, by which handoffs are found, and what a handoff is made of. No tag
//! decides anything.

use segue_core::HandoffKind;
use segue_store::Listed;

/// The tag of every snapshot.
pub(crate) const SNAPSHOT: &str = "snapshot";
/// The tag of a snapshot in which nobody said anything.
pub(crate) const OBSERVED: &str = "observed";
/// The tag of a snapshot that has nothing of HANDOFF.md: what is said in it is out of a session.
pub(crate) const TRANSCRIPT: &str = "transcript";

/// The tag of a handoff in an agent's own words, with what its session shows besides.
pub(crate) const OWN_WORDS: &str = "own-words";

/// The tag of what was made out of a session by itself.
pub(crate) const SESSION: &str = "session";

/// The tag of a handoff that was a block of HANDOFF.md which somebody edited.
pub(crate) const EDITED: &str = "edited";

/// The tag of a decision.
pub(crate) const DECIDED: &str = "decided";

/// Whether it is a snapshot in which nobody said anything but what stands in HANDOFF.md.
pub(crate) fn is_bare_snapshot(listed: &Listed) -> bool {
    listed.head.fields.kind == HandoffKind::Snapshot || listed.repeats_handoff_file
}

/// Whether a handoff was made out of a session, and not said by it.
pub(crate) fn is_made(listed: &Listed) -> bool {
    let kind = listed.head.fields.kind;
    matches!(kind, HandoffKind::Session | HandoffKind::Snapshot) || listed.repeats_handoff_file
}

/// Whether it is what somebody of this machine said themselves.
pub(crate) fn is_in_own_words(listed: &Listed) -> bool {
    !is_made(listed) && listed.head.fields.imported.is_none()
}
