//! What is asked of an import.

use crate::ProjectRef;

/// What to do with a handoff whose id is here with other content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// Nothing of the bundle is imported.
    #[default]
    Fail,
    /// What is here stays.
    Skip,
    /// What is here is kept under its id and a number, and the new one takes its place.
    Replace,
}

/// How to import.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ImportRequest {
    /// Conflicts.
    pub on_conflict: OnConflict,
    /// Also what nobody signed.
    pub allow_unsigned: bool,
    /// Also what is signed by a key that is not trusted.
    pub allow_untrusted: bool,
    /// Changes nothing.
    pub dry_run: bool,
    /// Into this project, whatever the handoffs say.
    pub project: Option<ProjectRef>,
}
