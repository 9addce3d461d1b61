//! Auto: snapshot, then push. For cron: it can run every minute and tells only what is wrong.

use super::seen::Runs;
use crate::handoffs::SaveOutcome;
use crate::sharing::vault::MemoryVault;
use crate::sharing::{PushRequest, Pushed};
use crate::snapshot::{SnapshotRequest, Snapshots};
use crate::{Error, VaultProblem};

/// What to do by itself.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AutoRequest {
    /// The snapshot to take.
    pub snapshot: SnapshotRequest,
    /// Where to push, if a key is set.
    pub push: PushRequest,
}

/// What became of the push.
#[derive(Debug)]
pub enum PushState {
    /// No key is set.
    NotSetUp,
    /// The very same was pushed before.
    UpToDate,
    /// It arrived.
    Pushed(Pushed),
    /// It did not.
    Failed(Error),
}

/// What was done.
#[derive(Debug)]
#[non_exhaustive]
pub struct AutoOutcome {
    /// The handoff; `None` if there was nothing new.
    pub saved: Option<SaveOutcome>,
    /// The push.
    pub push: PushState,
    /// What did not go as it should.
    pub warnings: Vec<String>,
}

impl Runs<'_> {
    /// Takes a snapshot if there is something new, and pushes what was not pushed yet.
    pub fn auto(&self, request: &AutoRequest) -> Result<AutoOutcome, Error> {
        let here = &self.here;
        here.brake()?.check()?;
        // Two at once would both find something new.
        let (_, project) = here.create_or_update_own_project()?;
        let _turn = here.store.turn(&project)?;
        let snapshot = Snapshots::of(&here.afresh()).take(&request.snapshot)?;
        let saved = snapshot.captured.is_some().then_some(snapshot.snapshot);
        let mut warnings = snapshot.warnings;
        here.afresh().brake()?.check()?;
        let push = match MemoryVault::of(&here.afresh()).push_if_new(&request.push) {
            Ok(None) => PushState::UpToDate,
            Ok(Some(pushed)) => {
                warnings.extend(pushed.warnings.iter().cloned());
                PushState::Pushed(pushed)
            }
            Err(Error::Vault(VaultProblem::NoKey { .. })) => PushState::NotSetUp,
            Err(error) => PushState::Failed(error),
        };
        Ok(AutoOutcome { saved, push, warnings })
    }
}
