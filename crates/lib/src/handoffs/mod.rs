//! The handoffs of the store, seen from one directory.

mod edit;
mod find;
mod forget;
mod list;
mod newest;
mod pasted;
mod render;
mod save;
mod save_request;
mod speaker;
mod tags;
mod write;

pub use edit::{EditOutcome, EditRequest};
pub use find::Found;
pub use forget::Forgotten;
pub use list::{ListOutcome, ListRequest};
pub(crate) use newest::LOOKED_AT;
pub use render::Readable;
pub use save_request::{SaveOutcome, SaveRequest};
pub use segue_core::{
    Draft, Editable, EditableError, Fields, Handoff, HandoffId, HandoffKind, Head, Imported,
    KindError, Label, MAX_HANDOFF_BYTES, Name, NameError, Selector, SelectorError, Tag, Ttl,
    came_from, recommended_template, told_rules,
};
pub use segue_store::{BadFile, Listed};
pub use speaker::Speaker;
pub(crate) use tags::{
    DECIDED, EDITED, OBSERVED, OWN_WORDS, SESSION, SNAPSHOT, TRANSCRIPT, is_bare_snapshot,
    is_in_own_words, is_made,
};
pub(crate) use write::{Composed, Fixed, ahead_of_clock};

use crate::here::Here;
use crate::{Error, ProjectRef};

/// The handoffs that can be seen and left from a directory.
#[derive(Clone, Debug)]
pub struct Handoffs<'s> {
    here: Here<'s>,
}

impl<'s> Handoffs<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }

    /// The same, seen from the directory that a project reference means.
    pub(crate) fn in_project(&self, project: &ProjectRef) -> Result<Self, Error> {
        Ok(Self::of(&self.here.of(project)?))
    }
}
