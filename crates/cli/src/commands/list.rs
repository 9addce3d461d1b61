use clap::Args;
use jiff::tz::TimeZone;
use segue_lib::handoffs::{ListOutcome, ListRequest, Listed};
use segue_lib::sharing::Provenance;
use segue_lib::{ProjectRef, Segue, visible_line};

use super::filter::{FilterArgs, is_narrow};
use super::layer::LayerArgs;
use crate::error::CommandError;
use crate::ui::Ui;
use crate::{json, table};

/// How many a terminal shows unless told otherwise.
const SCREENFUL: u64 = 20;

/// List the handoffs of this project, newest first
///
/// In a terminal a table of the newest; into a pipe every one, a line each, fields separated by
/// tabs, the first line naming them. If nothing was saved here, the whole store is listed; inside an
/// agent only with --all-projects.
#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// Print an array of objects
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) filter: FilterArgs,
    /// Only the newest
    #[arg(long)]
    latest: bool,
    /// At most so many; 0 is all [default: 20 in a terminal, else all]
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<u64>,
    #[command(flatten)]
    pub(super) layer: LayerArgs,
}

pub(crate) fn run(args: ListArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    if let Some(layer) = args.layer.given()? {
        return super::layer::list(&args, layer, segue, ui);
    }
    if args.latest && args.limit.is_some_and(|limit| limit > 0) {
        return Err(CommandError::usage("--latest and --limit exclude each other")
            .hinted("--latest is the same as --limit 1"));
    }
    let table = ui.is_terminal() && !args.json;
    let limit = match (args.latest, args.limit) {
        (true, _) => Some(1),
        (false, Some(0)) => None,
        (false, Some(limit)) => Some(limit),
        (false, None) => table.then_some(SCREENFUL),
    };
    let mut request = args.filter.request(segue, limit)?;
    request.latest = args.latest;
    let outcome = if args.json {
        as_json(segue, &request, ui)?
    } else if table {
        as_table(segue, &request, ui)?
    } else {
        as_lines(segue, &request, ui)?
    };
    talk(&outcome, &request, ui);
    let is_unknown = outcome.elsewhere || outcome.count == 0;
    if is_unknown && request.project == ProjectRef::Here {
        super::note_directory(segue, ui)?;
    }
    if table {
        for session in segue.drafts().going_on() {
            ui.note(&format!(
                "a session of {} may still be going on here: {} ('segue resume' tells it)",
                session.agent,
                visible_line(&session.title)
            ));
        }
    }
    if let Some(unfinished) = segue.runs().unfinished() {
        ui.note(&format!("{} '{}' goes on with it.", unfinished.what, unfinished.command));
    }
    Ok(())
}

fn as_json(segue: &Segue, request: &ListRequest, ui: &mut Ui) -> Result<ListOutcome, CommandError> {
    let mut before = "[\n  ";
    let provenance = segue.provenance();
    let outcome = each(segue, request, ui, |ui, listed| {
        ui.raw(before)?;
        before = ",\n  ";
        let from = provenance.of_listed(listed);
        ui.raw(&json::pretty(&json::ListedJson::new(listed, from.as_ref())).replace('\n', "\n  "))
    })?;
    ui.raw(if outcome.count == 0 { "[]\n" } else { "\n]\n" })?;
    Ok(outcome)
}

fn as_lines(
    segue: &Segue,
    request: &ListRequest,
    ui: &mut Ui,
) -> Result<ListOutcome, CommandError> {
    let mut header = Some(HEADER);
    let provenance = segue.provenance();
    let with_kind = names_kinds(request);
    each(segue, request, ui, |ui, listed| {
        if let Some(header) = header.take() {
            ui.raw(header)?;
            ui.raw(if with_kind { "\tKIND\n" } else { "\n" })?;
        }
        ui.raw(&cells(listed, provenance.of_listed(listed).as_ref()))?;
        let kind = listed.head.fields.kind;
        ui.raw(&if with_kind { format!("\t{kind}\n") } else { "\n".to_owned() })
    })
}

pub(super) const HEADER: &str =
    "ID\tCREATED\tNAME\tTITLE\tPROJECT\tTOOL\tTAGS\tEXPIRES\tSUMMARY\tSIGNED";

/// Whether a list has a column of kinds: where they were asked for.
fn names_kinds(request: &ListRequest) -> bool {
    request.all_kinds || !request.kinds.is_empty()
}

/// One handoff, its fields separated by tabs.
pub(super) fn cells(listed: &Listed, provenance: Option<&Provenance>) -> String {
    let fields = &listed.head.fields;
    let project = fields.project.as_deref().unwrap_or(&listed.label);
    let cells = [
        listed.head.id.short(),
        &listed.head.created.whole_second().short(),
        fields.name.as_deref().unwrap_or(""),
        &listed.title,
        project,
        fields.tool.as_deref().unwrap_or(""),
        &fields.tags.join(","),
        &fields.expires.map(|at| at.short()).unwrap_or_default(),
        fields.summary.as_deref().unwrap_or(""),
        provenance.map_or("", Provenance::word),
    ]
    .map(|cell| if cell.is_empty() { "-".to_owned() } else { visible_line(cell).into_owned() });
    cells.join("\t")
}

fn as_table(
    segue: &Segue,
    request: &ListRequest,
    ui: &mut Ui,
) -> Result<ListOutcome, CommandError> {
    let mut rows = Vec::new();
    let outcome = segue.handoffs().list(request, &mut |listed| {
        rows.push(listed);
        true
    })?;
    if !rows.is_empty() {
        let zone = TimeZone::system();
        let provenance = segue.provenance();
        let rows: Vec<_> = rows.into_iter().map(|row| (provenance.of_listed(&row), row)).collect();
        let text = table::draw(&rows, names_kinds(request), segue.env().now(), &zone, ui);
        ui.raw(&text)?;
    }
    Ok(outcome)
}

/// Lists with a writer that can fail; its failure ends the list.
fn each(
    segue: &Segue,
    request: &ListRequest,
    ui: &mut Ui,
    mut write: impl FnMut(&mut Ui, &Listed) -> std::io::Result<()>,
) -> Result<ListOutcome, CommandError> {
    let mut written = Ok(());
    let outcome = segue.handoffs().list(request, &mut |listed| {
        written = write(ui, &listed);
        written.is_ok()
    })?;
    written?;
    Ok(outcome)
}

fn talk(outcome: &ListOutcome, request: &ListRequest, ui: &mut Ui) {
    for file in &outcome.bad {
        ui.warning(&format!("cannot read {}: {}", file.path.display(), file.reason));
    }
    if let Some(brings) = &outcome.brings {
        ui.note(&brings.to_string());
    }
    if outcome.elsewhere && outcome.count > 0 {
        ui.note("nothing is saved here; this is the whole store");
    }
    if outcome.count == 0 && outcome.other_kinds {
        ui.note("no handoff fits, but something of another kind does: 'segue list --all' shows it");
    } else if outcome.count == 0 && outcome.hidden {
        ui.note("nothing is offered; 'segue list --expired' shows what has expired");
    } else if outcome.count == 0 {
        ui.note(
            match (&request.project, is_narrow(request)) {
                (_, true) => "no handoff fits".to_owned(),
                (ProjectRef::Given(project), false) => {
                    format!("no handoffs in the project '{project}'")
                }
                (ProjectRef::Here, false) => {
                    "no handoffs yet; 'segue save' leaves the first one".to_owned()
                }
            }
            .as_str(),
        );
    }
    if outcome.more && ui.is_terminal() {
        ui.note("there are more: --limit 0 shows all");
    }
}
