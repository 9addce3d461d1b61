//! The hooks of agents, as they fire in a directory.

use crate::drafts::Drafts;
use crate::here::Here;

/// What is done when the hooks of agents fire in a directory.
#[derive(Debug)]
pub struct AgentHooks<'s> {
    pub(super) here: Here<'s>,
    pub(super) drafts: Drafts<'s>,
}

impl<'s> AgentHooks<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone(), drafts: Drafts::of(here) }
    }
}
