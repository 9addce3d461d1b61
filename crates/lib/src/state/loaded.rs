//! The state as it is loaded for one use case.

use segue_core::{HandoffId, Lane, LaneFates, LaneSummary, Ledger, StateView};

use super::branches::branch_fates;
use segue_store::StateDepth;

use crate::Error;
use crate::here::Here;

/// What the handoffs of a project say together, and the lane that somebody asks in.
pub(crate) struct LoadedState {
    ledger: Ledger,
    lane: Lane,
    fates: LaneFates,
}

impl LoadedState {
    /// The whole state of the directory's project, as the checked out branch sees it. `None` if it has none.
    pub(crate) fn of(here: &Here<'_>) -> Result<Option<Self>, Error> {
        Self::load(here, here.branch(), StateDepth::All)
    }

    /// As a briefing needs it, which has to be there at once.
    pub(crate) fn recent(here: &Here<'_>) -> Result<Option<Self>, Error> {
        Self::load(here, here.branch(), StateDepth::Recent)
    }

    /// The same as another branch sees it.
    pub(crate) fn on_branch(
        here: &Here<'_>,
        branch: Option<String>,
    ) -> Result<Option<Self>, Error> {
        Self::load(here, branch, StateDepth::Recent)
    }

    fn load(
        here: &Here<'_>,
        branch: Option<String>,
        depth: StateDepth,
    ) -> Result<Option<Self>, Error> {
        let Some(scope) = here.own_scope()? else { return Ok(None) };
        let now = here.now();
        let entries = here.store.ask(&scope, |view| view.state_entries(&scope, now, depth))?;
        if entries.is_empty() {
            return Ok(None);
        }
        let ledger = Ledger::fold(&entries);
        let lane = Lane::new(branch.as_deref(), &here.dir_in_repo());
        let fates = match needs_fates(&ledger, &lane) {
            true => branch_fates(here, &ledger.branches()),
            false => LaneFates::default(),
        };
        Ok(Some(Self { ledger, lane, fates }))
    }

    pub(crate) fn view(&self) -> StateView<'_> {
        self.ledger.view(&self.lane, &self.fates)
    }

    /// Handoffs of sessions that only asked something: nothing goes on from them.
    pub(crate) fn idle(&self) -> Vec<HandoffId> {
        self.ledger.idle_handoffs().cloned().collect()
    }

    /// The newest work in the own lane, if any was done there.
    pub(crate) fn base(&self) -> Option<HandoffId> {
        let view = self.view();
        view.base.filter(|_| view.instead_of.is_none()).map(|stamp| stamp.by)
    }
}

/// Whether it matters what became of other branches: work was done here, and one of them has open items or newer work.
/// Where nothing was done here, the newest lane is shown in full anyway.
fn needs_fates(ledger: &Ledger, lane: &Lane) -> bool {
    let view = ledger.view(lane, &LaneFates::default());
    let matters = |other: &LaneSummary| {
        other.lane.branch != lane.branch && (!other.open.is_empty() || other.newest > view.base)
    };
    view.instead_of.is_none() && view.others.iter().any(matters)
}
