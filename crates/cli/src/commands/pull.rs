use clap::Args;
use segue_lib::Segue;

use super::save;
use super::vault::VaultArgs;
use crate::error::CommandError;
use crate::json;
use crate::ui::Ui;

/// Pull what was pushed to MemoryVault, as a handoff of this directory's project
///
/// Fetches the text under handoff/NAME/latest and saves it as a new handoff that says where it came from.
/// If the last one pulled from there says the same, nothing is saved. Prints the short id. Key and address
/// are found as 'segue push' finds them.
#[derive(Args, Debug)]
pub(crate) struct PullArgs {
    #[command(flatten)]
    pub(crate) vault: VaultArgs,
    /// Print an object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &PullArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let pulled = segue.memory_vault().pull(&args.vault.request())?;
    if args.json {
        for warning in &pulled.saved.warnings {
            ui.warning(warning);
        }
        return Ok(ui.line(&json::pretty(&json::PulledJson::new(&pulled)))?);
    }
    if pulled.new {
        return save::print(&pulled.saved, false, ui);
    }
    for warning in &pulled.saved.warnings {
        ui.warning(warning);
    }
    ui.line(pulled.saved.handoff.head.id.short())?;
    ui.note("nothing new: this handoff was pulled before");
    Ok(())
}
