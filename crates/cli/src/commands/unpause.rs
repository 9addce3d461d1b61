use clap::Args;
use segue_lib::Segue;

use crate::error::CommandError;
use crate::ui::Ui;

/// Let go of the brake that 'segue pause' pulled
///
/// Also of the one for this directory's project. A brake that somebody else pulled is named, and the
/// exit code is 75.
#[derive(Args, Debug)]
pub(crate) struct UnpauseArgs {}

pub(crate) fn run(_: &UnpauseArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let outcome = segue.runs().unpause()?;
    for file in &outcome.released {
        ui.note(&format!("removed {}", file.display()));
    }
    if outcome.released.is_empty() && outcome.still.is_none() {
        ui.note("nothing was paused");
    }
    match outcome.still {
        None => Ok(()),
        Some(paused) => {
            let what = segue_lib::Error::Paused(paused.clone()).to_string();
            Err(CommandError::busy(what).hinted(crate::error::let_go(&paused)))
        }
    }
}
