use clap::Args;
use segue_lib::state::ItemClosing;
use segue_lib::{Segue, Timestamp, ago, visible_line};

use crate::error::CommandError;
use crate::json::item::{HistoryJson, OpenItemJson};
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

/// Say where an item comes from, and why it is open or closed
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  segue why 1a2b3c4d")]
pub(crate) struct WhyArgs {
    /// Its id, at least four digits of it
    #[arg(value_name = "ID")]
    id: String,
    /// Print an object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &WhyArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let history = segue.open_items().why(&args.id)?;
    let item = &history.item;
    if args.json {
        return Ok(ui.line(&pretty(&HistoryJson {
            schema: SCHEMA,
            item: OpenItemJson::of(item),
            first_mentioned_at: history.first.0.map(|at| at.to_string()),
            first_mentioned_by: history.first.1.as_str(),
            closed_at: history.closed.map(|at| at.to_string()),
        }))?);
    }
    let now = segue.env().now();
    let when = |at: Option<Timestamp>| at.map(|at| ago(at, now)).unwrap_or_default();
    ui.line(&format!("{} {}", item.id, visible_line(&item.text)))?;
    let lane = item.lane.as_deref().map_or("the whole project".to_owned(), visible_line_of);
    ui.line(&format!("  a {} of {lane}, in the words of: {}", item.kind, item.source))?;
    let (first, by) = (when(history.first.0), history.first.1.short());
    ui.line(&format!("  first mentioned {first} by {by} ('segue show {by}')"))?;
    if history.first.1 != item.by {
        ui.line(&format!("  last mentioned {} by {}", when(item.mentioned), item.by.short()))?;
    }
    match &item.closing {
        None if item.is_quiet => {
            ui.line("  open, but quiet: five working sessions have not mentioned it")?
        }
        None => ui.line("  open")?,
        Some((why, by)) => {
            let at = when(history.closed);
            ui.line(&format!("  closed {at} by {}: {}", by.short(), reason(why)))?;
        }
    }
    Ok(())
}

fn visible_line_of(text: &str) -> String {
    visible_line(text).into_owned()
}

fn reason(why: &ItemClosing) -> String {
    match why {
        ItemClosing::Done => "it is done".to_owned(),
        ItemClosing::Passed => "the check, or one that covers it, passed".to_owned(),
        ItemClosing::Published => "that was committed or pushed".to_owned(),
        ItemClosing::Dropped => "later words replace it and do not mention it".to_owned(),
        ItemClosing::WorkedOn => "a later session was about it and does not mention it".to_owned(),
        ItemClosing::Recaptured => "a later handoff tells the same session anew".to_owned(),
        ItemClosing::Superseded => "a later decision on the same subject".to_owned(),
        ItemClosing::TakenBack(words) => {
            format!("the user took it back: {}", visible_line(words))
        }
        ItemClosing::ByHand(Some(why)) => format!("closed by hand: {}", visible_line(why)),
        ItemClosing::ByHand(None) => "closed by hand".to_owned(),
    }
}
