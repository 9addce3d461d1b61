use clap::Args;
use segue_lib::Segue;
use segue_lib::agents::installable_agents;

use super::install::{Done, What, named, say};
use crate::error::CommandError;
use crate::ui::Ui;

/// Take Segue out of your agents
///
/// A file that nobody touched since is as it was before, byte for byte; a file that Segue made is removed.
/// From a file that somebody changed only Segue's entries go. Handoffs stay.
#[derive(Args, Debug)]
pub(crate) struct UninstallArgs {
    /// Agents [default: all]
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    #[command(flatten)]
    what: What,
}

pub(crate) fn run(args: &UninstallArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let agents = match &args.agents[..] {
        [] => installable_agents(),
        some => named(some)?,
    };
    let request = args.what.request(agents)?;
    let (mut outcome, done) = match args.what.dry_run {
        true => (segue.agents().plan_uninstall(&request)?, Done::Would),
        false => (segue.agents().uninstall(&request)?, Done::TakenOut),
    };
    // What was not there is not worth a line.
    outcome.items.retain(|item| item.fate != segue_lib::agents::InstallFate::Unchanged);
    if outcome.items.is_empty() {
        ui.note("nothing of Segue is installed there");
    }
    say(&outcome, &args.what, done, ui)
}
