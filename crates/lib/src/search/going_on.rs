//! One search that is going on.

use segue_core::Timestamp;
use segue_core::search::Query;
use segue_store::{FoundRow, Scope, Store};

use super::request::SearchRequest;
use crate::Env;

/// One search that is going on.
pub(super) struct Search<'s> {
    pub(super) env: &'s Env,
    pub(super) store: &'s Store,
    pub(super) request: &'s SearchRequest,
    pub(super) query: &'s Query,
    pub(super) scope: &'s Scope,
}

impl Search<'_> {
    /// The moment as of which things hold or have expired.
    pub(super) fn now(&self) -> Timestamp {
        self.request.as_of.unwrap_or_else(|| self.env.now())
    }

    /// Whether a row is what was asked for; the text index knows its memory and its second only.
    pub(super) fn fits(&self, row: &FoundRow) -> bool {
        let window = self.request.window();
        let created = row.listed.head.created;
        let in_scope = match self.scope {
            Scope::Parts(parts) => parts.iter().any(|part| {
                let from = part.saved_from.as_ref();
                part.memory == row.listed.project
                    && from.is_none_or(|from| row.origin.as_deref() == Some(from.as_str()))
            }),
            _ => true,
        };
        in_scope
            && window.since.is_none_or(|since| created >= since)
            && window.until.is_none_or(|until| created <= until)
    }
}
