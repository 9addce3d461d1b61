//! The newest handoffs of a directory, without looking elsewhere.

use segue_core::{HandoffKind, Timestamp};
use segue_store::{Filter, Listed};

use super::Handoffs;
use crate::Error;

/// Handoffs that are looked at for one of the same session.
pub(crate) const LOOKED_AT: u64 = 20;
const MOST_LOOKED_AT: u64 = 2_000;

impl Handoffs<'_> {
    /// Handoffs of this directory's project.
    pub(crate) fn listed(&self, filter: &Filter) -> Result<Vec<Listed>, Error> {
        match self.here.own_scope()? {
            Some(scope) => {
                Ok(self.here.store.ask_on(&scope, |view| view.listed(&scope, filter))?)
            }
            None => Ok(Vec::new()),
        }
    }

    /// The newest handoff here in which something was said.
    pub(crate) fn newest_with_content(&self) -> Result<Option<Listed>, Error> {
        let filter = Filter {
            offered_at: Some(self.here.now()),
            credible_at: Some(self.here.now()),
            kinds: HandoffKind::LATEST.to_vec(),
            without_repeats: true,
            limit: Some(1),
            ..Filter::default()
        };
        Ok(self.listed(&filter)?.pop())
    }

    /// The body of the newest handoff, if it can be read.
    pub(crate) fn newest_body(&self) -> Result<Option<String>, Error> {
        let credible_at = Some(self.here.now());
        let kinds = [&HandoffKind::LATEST[..], &[HandoffKind::Snapshot]].concat();
        let filter = Filter { credible_at, kinds, limit: Some(1), ..Filter::default() };
        match self.listed(&filter)?.pop() {
            Some(newest) => Ok(self.here.store.read(&newest).ok().map(|one| one.body().to_owned())),
            None => Ok(None),
        }
    }

    /// Handoffs that were left by a session or made out of it. A decision by itself is none: the session
    /// still has to say where things stand.
    pub(crate) fn of_session(
        &self,
        session: &str,
        began: Option<Timestamp>,
    ) -> Result<Vec<Listed>, Error> {
        // A session leaves nothing before it begins; where that is not known, the newest are looked at.
        let limit = if began.is_some() { MOST_LOOKED_AT } else { LOOKED_AT };
        let filter = Filter { since: began, limit: Some(limit), ..Filter::default() };
        let mut all = self.listed(&filter)?;
        all.retain(|listed| {
            let fields = &listed.head.fields;
            let says_where = fields.kind.is_base() || fields.kind == HandoffKind::Snapshot;
            says_where && fields.session.as_deref() == Some(session)
        });
        Ok(all)
    }

    /// Handoffs that were left here after a moment, newest first.
    pub(crate) fn since(&self, since: Timestamp) -> Result<Vec<Listed>, Error> {
        let filter = Filter {
            offered_at: Some(self.here.now()),
            credible_at: Some(self.here.now()),
            kinds: [&HandoffKind::LATEST[..], &[HandoffKind::Snapshot]].concat(),
            limit: Some(LOOKED_AT),
            ..Filter::default()
        };
        let mut all = self.listed(&filter)?;
        all.retain(|listed| listed.head.created > since);
        Ok(all)
    }

    /// Whether a handoff was written after a moment. A date that lies ahead shows nothing.
    pub(crate) fn was_written_after(&self, listed: &Listed, moment: Timestamp) -> bool {
        let written = listed.head.written();
        written >= moment && !written.is_ahead_of(self.here.now())
    }
}
