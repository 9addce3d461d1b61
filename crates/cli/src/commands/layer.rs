//! Reading a memory's layers as they lie in a directory, ours or agent-handover's.

use std::path::PathBuf;

use clap::Args;
use jiff::tz::TimeZone;
use segue_lib::Segue;
use segue_lib::handoffs::Listed;
use segue_lib::run::Layer;

use super::list::{HEADER, ListArgs, cells};
use crate::error::CommandError;
use crate::ui::Ui;
use crate::{json, table};

/// Which layer of which memory.
#[derive(Args, Debug)]
pub(crate) struct LayerArgs {
    /// Only this layer of one memory: 1 notes, 2 the current state, 3 archives
    #[arg(long, value_name = "N", value_parser = ["1", "2", "3"])]
    layer: Option<String>,
    /// With --layer: the memory in this directory [default: the plan's, else ./memory, else the
    /// project's own]
    #[arg(long, value_name = "DIR", requires = "layer")]
    memory: Option<PathBuf>,
}

impl LayerArgs {
    pub(super) fn given(&self) -> Result<Option<Layer>, CommandError> {
        let number = self.layer.as_deref().and_then(|number| number.parse().ok());
        Ok(number.and_then(Layer::from_number))
    }
}

/// Lists what a layer has.
pub(super) fn list(
    args: &ListArgs,
    layer: Layer,
    segue: &Segue,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let memory = segue.runs().memory_to_read(args.layer.memory.as_deref())?;
    if layer != Layer::Notes {
        let tag = args.filter.narrow.tag.first().map(String::as_str);
        let files = memory.files(layer, tag)?;
        if args.json {
            let files: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
            return Ok(ui.line(&json::pretty(&files))?);
        }
        for path in &files {
            ui.line(&path.display().to_string())?;
        }
        return Ok(());
    }
    let (mut notes, bad) = memory.list_notes(&args.filter.narrow.tag)?;
    let limit = args.limit.filter(|limit| *limit > 0).and_then(|limit| usize::try_from(limit).ok());
    notes.truncate(limit.unwrap_or(usize::MAX));
    show_notes(&notes, args.json, segue, ui)?;
    for file in &bad {
        ui.warning(&format!("cannot read {}: {}", file.path.display(), file.reason));
    }
    if notes.is_empty() {
        ui.note(&format!("no handoff fits in {}", memory.layers()?.display()));
    }
    Ok(())
}

fn show_notes(
    notes: &[Listed],
    as_json: bool,
    segue: &Segue,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let provenance = segue.provenance();
    let notes: Vec<_> =
        notes.iter().map(|note| (provenance.of_listed(note), note.clone())).collect();
    if as_json {
        let notes: Vec<_> =
            notes.iter().map(|(from, note)| json::ListedJson::new(note, from.as_ref())).collect();
        return Ok(ui.line(&json::pretty(&notes))?);
    }
    if ui.is_terminal() && !notes.is_empty() {
        let text = table::draw(&notes, false, segue.env().now(), &TimeZone::system(), ui);
        return Ok(ui.raw(&text)?);
    }
    if !notes.is_empty() {
        ui.line(HEADER)?;
    }
    for (from, note) in &notes {
        ui.line(&cells(note, from.as_ref()))?;
    }
    Ok(())
}

/// Shows the newest text of a layer.
pub(super) fn show(
    args: &LayerArgs,
    layer: Layer,
    tag: Option<&str>,
    raw: bool,
    segue: &Segue,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let memory = segue.runs().memory_to_read(args.memory.as_deref())?;
    let Some(text) = memory.latest(layer, tag)? else {
        let what = match layer {
            Layer::Notes => "no note",
            Layer::State => "no current state",
            Layer::Archive => "no archive",
        };
        let tagged = tag.map(|tag| format!(" with the tag '{tag}'")).unwrap_or_default();
        return Err(CommandError::not_found(format!(
            "there is {what}{tagged} in {}",
            memory.layers()?.display()
        ))
        .hinted("'segue list --layer 1' shows what there is; --memory names another directory"));
    };
    // The first line only says which layer it is.
    let body = match text.split_once('\n') {
        Some((first, rest)) if !raw && first.starts_with("<!-- ") && first.contains("| layer") => {
            rest
        }
        _ => &text,
    };
    Ok(ui.stored(body)?)
}
