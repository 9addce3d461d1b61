use clap::Args;
use segue_lib::Segue;

use super::layer::{self, LayerArgs};
use super::show_session;
use super::which::Which;
use crate::error::CommandError;
use crate::json;
use crate::ui::Ui;

/// Show one handoff
///
/// The selector is 'latest', an id, the beginning of one, or an id that it had in another tool. Ids
/// are looked for in the whole store, 'latest' and names in this project. Prints the body's exact
/// bytes; in a terminal control characters are made visible.
#[derive(Args, Debug)]
#[command(visible_alias = "retrieve")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    layer: LayerArgs,
    /// With --layer: the newest with exactly this tag
    #[arg(long, requires = "layer")]
    tag: Option<String>,
    /// A session instead, as its agent's transcript tells it: 'segue sessions' lists them
    #[arg(
        long,
        value_name = "ID",
        conflicts_with_all = ["selector", "id", "name", "project", "layer", "tag", "raw"]
    )]
    session: Option<String>,
    /// Print the whole file, front matter included
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    /// Print an object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ShowArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    if let Some(id) = &args.session {
        return show_session::run(id, args.json, segue, ui);
    }
    if let Some(layer) = args.layer.given()? {
        return layer::show(&args.layer, layer, args.tag.as_deref(), args.raw, segue, ui);
    }
    let found = args.which.find(segue)?;
    super::say_of(&found, segue, ui);
    let handoff = &found.handoff;
    if args.json {
        let head = segue.redactor().head(handoff)?;
        let (title, next) = (segue.redactor().text(handoff.display_title()), handoff.next());
        let expired = found.expired.is_some();
        let provenance = segue.provenance().of_handoff(handoff);
        let provenance = provenance.as_ref();
        let shown =
            json::ShownJson::new(handoff, &head, &found.listed, &title, &next, expired, provenance);
        return Ok(ui.line(&json::pretty(&shown))?);
    }
    Ok(ui.stored(if args.raw { handoff.source() } else { handoff.body() })?)
}
