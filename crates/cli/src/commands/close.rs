use clap::Args;
use segue_lib::state::{CloseRequest, OpenItem};
use segue_lib::{Segue, visible_line};

use crate::error::CommandError;
use crate::json::item::{ChangedJson, OpenItemJson};
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

/// Close open items: they are done, or not wanted any more
///
/// Nothing is deleted: 'segue reopen ID' opens an item again, and 'segue why ID' says what closed it.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  segue close 1a2b3c4d 5e6f --why \"fixed in 3f2a9c1\"")]
pub(crate) struct CloseArgs {
    /// Which items: ids of 'segue open', at least four digits of each
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    /// Print an object
    #[arg(long)]
    json: bool,
}

/// Open items again that were closed
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  segue reopen 1a2b3c4d")]
pub(crate) struct ReopenArgs {
    /// Which items: their ids, at least four digits of each
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    /// Print an object
    #[arg(long)]
    json: bool,
}

pub(crate) fn close(args: &CloseArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    change(&args.ids, args.why.as_deref(), false, args.json, segue, ui)
}

pub(crate) fn reopen(args: &ReopenArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    change(&args.ids, args.why.as_deref(), true, args.json, segue, ui)
}

fn change(
    ids: &[String],
    why: Option<&str>,
    reopens: bool,
    as_json: bool,
    segue: &Segue,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let mut request = CloseRequest::default();
    request.ids = ids.to_vec();
    request.reopens = reopens;
    request.why = why.map(str::to_owned).filter(|why| !why.trim().is_empty());
    request.by = super::speaker(None, ui);
    (request.tool, request.session) = super::agent(None, None);
    let outcome = segue.open_items().close(&request)?;
    let warnings = outcome.saved.iter().flat_map(|saved| &saved.warnings);
    warnings.for_each(|warning| ui.warning(warning));
    if as_json {
        return Ok(ui.line(&pretty(&ChangedJson {
            schema: SCHEMA,
            id: outcome.saved.as_ref().map(|saved| saved.handoff.head.id.as_str()),
            changed: items_json(&outcome.changed),
            unchanged: items_json(&outcome.unchanged),
        }))?);
    }
    let word = if reopens { "open" } else { "closed" };
    for item in &outcome.unchanged {
        ui.note(&format!("{} is {word} already: {}", item.id, visible_line(&item.text)));
    }
    for item in &outcome.changed {
        ui.line(&format!("{word} {} {}", item.id, visible_line(&item.text)))?;
    }
    Ok(())
}

fn items_json(items: &[OpenItem]) -> Vec<OpenItemJson<'_>> {
    items.iter().map(OpenItemJson::of).collect()
}
