use clap::Args;
use segue_lib::Segue;

use super::vault::VaultArgs;
use crate::error::CommandError;
use crate::json;
use crate::ui::Ui;

/// Push this directory's state to MemoryVault
///
/// Sends the whole HANDOFF.md, or if there is none the newest handoff here, to the service at
/// https://memoryvault.link, as a private text under the key handoff/NAME/latest; what was there before is
/// replaced. The API key is taken from --api-key, else MEMORYVAULT_API_KEY, else api_key under
/// [memoryvault] in config.toml; the service's address from MEMORYVAULT_URL, else url in that file.
/// Fails if it did not arrive.
#[derive(Args, Debug)]
pub(crate) struct PushArgs {
    #[command(flatten)]
    pub(crate) vault: VaultArgs,
    /// Print an object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &PushArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let pushed = segue.memory_vault().push(&args.vault.request())?;
    for warning in &pushed.warnings {
        ui.warning(warning);
    }
    if args.json {
        return Ok(ui.line(&json::pretty(&json::PushedJson::new(&pushed)))?);
    }
    Ok(ui.line(&format!("Pushed to MemoryVault: {}", pushed.key))?)
}
