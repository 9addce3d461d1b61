use clap::Args;
use segue_lib::Segue;

use crate::error::CommandError;
use crate::ui::Ui;

/// Pull the brake: nothing that runs by itself writes anything
///
/// 'run', 'auto' and 'push' then end with 75 and the reason, and write nothing at all; a run that is
/// at work stops before its next effect. The same as putting a file named PAUSE into Segue's home.
/// 'segue save' is not automation and still works.
#[derive(Args, Debug)]
pub(crate) struct PauseArgs {
    /// Why, for whoever is stopped by it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Only for this directory's project
    #[arg(long)]
    here: bool,
}

pub(crate) fn run(args: &PauseArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let paused = segue.runs().pause(args.reason.as_deref(), args.here)?;
    ui.note(&format!("paused by {}; 'segue unpause' lets go", paused.by.display()));
    Ok(())
}
