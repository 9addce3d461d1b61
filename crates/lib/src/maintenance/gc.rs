//! Gc: archives what has expired, whole, and sweeps what killed processes left.

use std::collections::BTreeMap;
use std::fs;

use segue_core::{Head, ProjectId};
use segue_store::{Filter, GcPlan, GcResult, Listed, Scope, Store, StoreError, SweepStates};

use super::upkeep::Maintenance;
use crate::Error;
use crate::drafts::sweep_states;

/// Temporary files older than this belong to nobody any more.
pub(super) const DAY_NS: i64 = 86_400_000_000_000;

/// What `gc` did, and with what.
#[derive(Debug)]
#[non_exhaustive]
pub struct GcOutcome {
    /// Handoffs moved into archives.
    pub archived: u64,
    /// Stale temporary files removed.
    pub swept: u64,
    /// What could not be done; nothing of it is lost.
    pub failed: Vec<StoreError>,
}

impl Maintenance<'_> {
    /// What [`gc`](Self::gc) would do.
    pub fn plan_gc(&self) -> Result<GcPlan, Error> {
        let (store, now) = (self.store, self.env.now());
        let mut expired = Vec::new();
        let every = Filter { every_copy: true, ..Filter::default() };
        store.ask(&Scope::All, |view| {
            expired.clear();
            view.list(&Scope::All, &every, &mut |listed: Listed| {
                if listed.archived.is_none()
                    && listed.head.fields.expires.is_some_and(|at| at <= now)
                {
                    expired.push(listed);
                }
                Ok(())
            })
        })?;
        let stale = store.stale_files((self.env.file_clock)().saturating_sub(DAY_NS))?;
        Ok(GcPlan { expired, stale })
    }

    /// Does what was planned.
    pub fn gc(&self, plan: &GcPlan) -> Result<GcOutcome, Error> {
        let now = self.env.now();
        let expired = |head: &Head| head.fields.expires.is_some_and(|at| at <= now);
        let mut outcome = archive_listed(self.store, plan.expired.iter(), &expired)?;
        outcome.swept =
            plan.stale.iter().filter(|path| fs::remove_file(path).is_ok()).count() as u64;
        for live in self.store.live_of_all() {
            sweep_states(&live, now, SweepStates::All);
        }
        Ok(outcome)
    }
}

/// Moves handoffs into the archives of their memories.
pub(super) fn archive_listed<'l>(
    store: &Store,
    targets: impl Iterator<Item = &'l Listed>,
    wanted: &dyn Fn(&Head) -> bool,
) -> Result<GcOutcome, Error> {
    let mut by_memory: BTreeMap<&ProjectId, Vec<&Listed>> = BTreeMap::new();
    for listed in targets {
        by_memory.entry(&listed.project).or_default().push(listed);
    }
    let mut total = GcResult::default();
    if !by_memory.is_empty() {
        let view = store.writer_view()?;
        for (memory, targets) in by_memory {
            match store.lock(&view, memory) {
                Ok(locked) => {
                    let result = locked.archive(&targets, wanted);
                    total.archived += result.archived;
                    total.failed.extend(result.failed);
                }
                Err(error) => total.failed.push(error),
            }
        }
    }
    Ok(GcOutcome { archived: total.archived, swept: total.swept, failed: total.failed })
}
