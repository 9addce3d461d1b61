use std::io::{self, IsTerminal};

use clap::Args;
use segue_lib::handoffs::{Found, Selector};
use segue_lib::{Segue, visible_line};
use serde::Serialize;

use crate::error::CommandError;
use crate::input::agreed;
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

/// Remove handoffs for good
///
/// The text is gone; only the id stays as a tombstone, so that no import brings it back. Expired
/// handoffs need not be forgotten: 'segue gc' archives them.
#[derive(Args, Debug)]
pub(crate) struct ForgetArgs {
    /// Which ones
    #[arg(value_name = "SELECTOR", required = true)]
    selectors: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Only say what would be removed
    #[arg(long)]
    dry_run: bool,
    /// Print an object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ForgottenJson {
    schema: u32,
    forgotten: Vec<String>,
    dry_run: bool,
}

pub(crate) fn run(args: &ForgetArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let mut found = Vec::new();
    for word in &args.selectors {
        let selector: Selector = word.parse().map_err(segue_lib::Error::from)?;
        let one = segue.handoffs().find_here(&selector)?;
        let known = |other: &Found| other.handoff.head.id == one.handoff.head.id;
        if !found.iter().any(known) {
            found.push(one);
        }
    }
    for one in &found {
        let id = &one.handoff.head.id;
        let verb = if args.dry_run { "would remove" } else { "removing" };
        ui.note(&format!(
            "{verb} {id} ({}): {}",
            one.listed.label,
            visible_line(&one.handoff.display_title())
        ));
    }
    if !args.dry_run {
        if !args.yes && !confirmed()? {
            return Err(CommandError::failed("nothing was removed"));
        }
        for one in &found {
            let forgotten = segue.handoffs().forget(one)?;
            if forgotten.former > 0 {
                let former = super::handoffs(forgotten.former as u64);
                ui.note(&format!("with it went {former} that imports had replaced by it"));
            }
            if !forgotten.earlier.is_empty() {
                let ids = forgotten.earlier.join(" ");
                ui.hint(&format!("the same session left more before: 'segue forget {ids}'"));
            }
            if forgotten.head_in_index {
                ui.warning("removed, but another process was using the index, which may still hold its title and summary");
                ui.hint("'segue index --rebuild' makes it anew");
            }
        }
    }
    let ids: Vec<String> = found.iter().map(|one| one.handoff.head.id.to_string()).collect();
    if args.json {
        return Ok(ui.line(&pretty(&ForgottenJson {
            schema: SCHEMA,
            forgotten: ids,
            dry_run: args.dry_run,
        }))?);
    }
    if !args.dry_run {
        for id in ids {
            ui.line(&id)?;
        }
    }
    Ok(())
}

fn confirmed() -> Result<bool, CommandError> {
    if !io::stdin().is_terminal() {
        return Err(CommandError::usage("removing for good needs a yes").hinted("add --yes"));
    }
    Ok(agreed("remove for good?"))
}
