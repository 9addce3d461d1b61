use std::path::PathBuf;

use clap::Args;
use segue_lib::Segue;
use segue_lib::handoffs::{EditRequest, Editable, Found, Name, Selector, Speaker, Ttl};

use crate::editor;
use crate::error::CommandError;
use crate::input::{Stdin, read_file, read_stdin, stdin_kind};
use crate::ui::Ui;

/// Change a handoff by saving a successor of it
///
/// The old one stays and is named as superseded. Without flags your editor opens on its text; with
/// flags only what they name changes, for example 'segue edit latest --ttl 14d'. Without a terminal there is no
/// editor, so flags are needed.
#[derive(Args, Debug)]
pub(crate) struct EditArgs {
    /// Which one [default: latest]
    #[arg(value_name = "SELECTOR")]
    selector: Option<String>,
    /// A new title
    #[arg(long)]
    title: Option<String>,
    /// A new summary
    #[arg(long)]
    summary: Option<String>,
    /// A new name; '' removes it
    #[arg(long)]
    name: Option<String>,
    /// New tags, separated by commas; '' removes them
    #[arg(long, visible_alias = "tag")]
    tags: Vec<String>,
    /// A new time to live, from now
    #[arg(long)]
    ttl: Option<String>,
    /// A next step to add; repeat it for more
    #[arg(long, value_name = "STEP")]
    next: Vec<String>,
    /// A new body from this file; '-' is standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print an object with the full id, the path and the warnings
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: EditArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let selector: Selector =
        args.selector.as_deref().unwrap_or("latest").parse().map_err(segue_lib::Error::from)?;
    let found = segue.handoffs().find_here(&selector)?;
    let by_flags = args.title.is_some()
        || args.summary.is_some()
        || args.name.is_some()
        || !args.tags.is_empty()
        || args.ttl.is_some()
        || !args.next.is_empty()
        || args.file.is_some();
    if !by_flags {
        return in_editor(&found, args.json, segue, ui);
    }
    let body = match &args.file {
        None => None,
        Some(path) if path.as_os_str() == "-" => Some(read_stdin(ui)?),
        Some(path) => Some(read_file(path)?),
    };
    let name = args.name.as_deref().map(name_or_none).transpose()?;
    if args.next.iter().any(|step| step.trim().is_empty()) {
        return Err(CommandError::usage("a --next step is empty"));
    }
    let ttl: Option<Ttl> =
        args.ttl.as_deref().map(str::parse).transpose().map_err(segue_lib::Error::from)?;
    let tags =
        if args.tags.is_empty() { None } else { Some(super::save::parse_tags(&args.tags, segue)?) };
    let mut request = EditRequest::default();
    request.body = body;
    request.title = args.title;
    request.summary = args.summary;
    request.name = name;
    request.tags = tags;
    request.ttl = ttl;
    request.next = args.next;
    // What comes out of a file was typed by nobody.
    request.by = match &args.file {
        Some(_) => Speaker::Agent,
        None => super::speaker(None, ui),
    };
    save(&found, &request, args.json, segue, ui)
}

/// A name, or none where there is nothing.
fn name_or_none(text: &str) -> Result<Option<Name>, CommandError> {
    match text.trim() {
        "" => Ok(None),
        name => Ok(Some(name.parse().map_err(segue_lib::Error::from)?)),
    }
}

fn in_editor(found: &Found, as_json: bool, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    if stdin_kind() != Stdin::Terminal || !ui.is_terminal() {
        return Err(CommandError::usage("without a terminal no editor can be opened").hinted(
            "say what changes: --title, --summary, --name, --tags, --ttl, --next, or --file for a new body",
        ));
    }
    let before = Editable::new(&found.handoff.head.fields, found.handoff.body());
    let edited = editor::edit(&before.render(), &|| segue.env().random())?;
    let mut change = || -> Result<(), CommandError> {
        let after = Editable::parse(&edited.text)
            .map_err(|error| CommandError::input(error.to_string()))?;
        let name = Some(name_or_none(&after.name)?);
        let mut request = EditRequest::default();
        request.body = Some(after.body);
        request.by = super::speaker(None, ui);
        request.title = Some(after.title);
        request.summary = Some(after.summary);
        request.name = name;
        request.tags = Some(super::save::parse_tags(&after.tags, segue)?);
        save(found, &request, as_json, segue, ui)
    };
    match change() {
        Ok(()) => {
            edited.done();
            Ok(())
        }
        Err(error) => Err(edited.kept(error)),
    }
}

fn save(
    found: &Found,
    request: &EditRequest,
    as_json: bool,
    segue: &Segue,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    match segue.handoffs().edit(found, request) {
        Err(segue_lib::Error::Unchanged) => {
            ui.note("nothing changed, so nothing was saved");
            Ok(())
        }
        Err(error) => Err(error.into()),
        Ok(saved) => super::save::print(&saved, as_json, ui),
    }
}
