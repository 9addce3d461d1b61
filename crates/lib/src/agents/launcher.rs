//! What starts agents, as seen from a directory.

use crate::here::Here;

/// Starts agents: to ask one for a handoff in its own words, or to go on in another. Each start is planned first,
/// so that the user can see the command.
#[derive(Debug)]
pub struct Launcher<'s> {
    pub(super) here: Here<'s>,
}

impl<'s> Launcher<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }
}
