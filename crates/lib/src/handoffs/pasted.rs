//! A body that begins with the head of another handoff, as where `segue show --raw` was piped into a save.

use segue_core::{PastedHead, Selector};

use super::Handoffs;

/// What is said of a text that came from elsewhere by the head that it begins with.
pub(super) const SAVED_AS_IMPORTED: &str = "the text begins with the head of a handoff that came from elsewhere: it is saved as imported; what you \
     have to say of it yourself, save without that head";

impl Handoffs<'_> {
    /// The head that a body begins with. What lies in a repository's `.segue/` is from elsewhere without saying so.
    pub(super) fn pasted_head(&self, body: &str) -> Option<PastedHead> {
        let pasted = PastedHead::of(body)?;
        let id = pasted.id.as_ref().filter(|_| pasted.imported.is_none());
        let found = id.and_then(|id| self.find(&Selector::Word(id.to_string())).ok());
        let is_foreign = found.is_some_and(|found| {
            found.listed.layers.is_some() || found.handoff.head.fields.imported.is_some()
        });
        Some(if is_foreign { pasted.imported() } else { pasted })
    }
}
