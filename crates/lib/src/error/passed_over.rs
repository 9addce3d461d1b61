//! A handoff of a name that the name does not mean.

use segue_core::{HandoffId, HandoffKind};

/// A handoff of a name that is not what is asked for by the name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassedOver {
    /// Its id.
    pub id: HandoffId,
    /// Why it is passed over.
    pub why: PassedOverFor,
}

/// Why a handoff is not the newest of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PassedOverFor {
    /// Its time is over.
    Expired,
    /// It was archived.
    Archived,
    /// It is dated later than clocks differ.
    Ahead,
    /// One of its kind is never the latest.
    Kind(HandoffKind),
}
