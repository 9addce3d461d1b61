use clap::Args;
use segue_lib::state::{OpenItem, OpenRequest, StateItemKind};
use segue_lib::{Segue, Timestamp, ago, visible_line};

use crate::error::CommandError;
use crate::json::item::{LaneJson, OpenItemJson, OpenListJson};
use crate::json::{SCHEMA, pretty};
use crate::ui::{Role, Ui};

/// List what is open in this project
///
/// Steps, failing checks, blockers and questions of the branch and directory that you are in, and the rules,
/// decisions and gotchas of the project, from all its handoffs. An item stays open until something closes it: a
/// later session that did it, a check that passed, or 'segue close ID'.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  segue open\n  segue close 1a2b3c4d --why \"fixed in 3f2a9c1\"")]
pub(crate) struct OpenArgs {
    /// Also quiet items, those of other branches and directories, and those that were dropped
    #[arg(long)]
    all: bool,
    /// Print an object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &OpenArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let mut request = OpenRequest::default();
    request.all = args.all;
    let list = segue.open_items().list(&request)?;
    if args.json {
        return Ok(ui.line(&pretty(&OpenListJson {
            schema: SCHEMA,
            lane: &list.lane,
            items: list.items.iter().map(OpenItemJson::of).collect(),
            quiet: list.quiet,
            elsewhere: list.elsewhere,
            lanes: list.lanes.iter().map(LaneJson::of).collect(),
        }))?);
    }
    if list.items.is_empty() {
        ui.note("nothing is open here");
    }
    let now = segue.env().now();
    let mut heading = None;
    for item in &list.items {
        let (own, title) = (heading_of(item), Some(heading_of(item)));
        if heading != title {
            if heading.is_some() {
                ui.line("")?;
            }
            let painted = ui.paint(Role::Heading, &own);
            ui.line(&painted)?;
            heading = title;
        }
        print_item(item, now, ui)?;
    }
    let more =
        [(list.quiet, "quiet"), (list.elsewhere, "on other branches or in other directories")];
    for (count, what) in more.into_iter().filter(|(count, _)| *count > 0) {
        ui.hint(&format!("{count} more {what}: 'segue open --all'"));
    }
    Ok(())
}

fn heading_of(item: &OpenItem) -> String {
    let what = match (&item.closing, item.kind) {
        (Some(_), _) => "Not mentioned any more, perhaps done",
        (None, StateItemKind::Step) => "Next steps",
        (None, StateItemKind::Blocker) => "Blockers",
        (None, StateItemKind::Question) => "Open questions",
        (None, StateItemKind::Check) => "Failing checks",
        (None, StateItemKind::Rule) => "Rules",
        (None, StateItemKind::Decision) => "Decisions",
        (None, StateItemKind::Rejected) => "Rejected approaches",
        (None, StateItemKind::Gotcha) => "Gotchas",
    };
    match item.lane.as_ref().filter(|_| !item.is_here) {
        Some(lane) => format!("{what} ({})", visible_line(lane)),
        None => what.to_owned(),
    }
}

/// One item on one line.
pub(super) fn print_item(item: &OpenItem, now: Timestamp, ui: &mut Ui) -> Result<(), CommandError> {
    let id = ui.paint(Role::Id, &item.id.to_string());
    let quiet = if item.is_quiet { ", quiet" } else { "" };
    let when = item.mentioned.map(|at| ago(at, now)).unwrap_or_default();
    let about = ui.paint(Role::Faint, &format!("({when}, {}{quiet})", item.by.short()));
    Ok(ui.line(&format!("  {id}  {} {about}", visible_line(&item.text)))?)
}
