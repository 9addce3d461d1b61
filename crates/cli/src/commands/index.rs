use clap::Args;
use segue_lib::maintenance::{IndexAction, IndexState};
use segue_lib::{Segue, visible_line};
use serde::Serialize;

use crate::error::CommandError;
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

/// Look at the index, rebuild or verify it
///
/// The index is derived from the files and can be deleted at any time.
#[derive(Args, Debug)]
pub(crate) struct IndexArgs {
    /// Make it anew from the files
    #[arg(long, conflicts_with = "verify")]
    rebuild: bool,
    /// Compare every row with its file and take over what was edited in place
    #[arg(long)]
    verify: bool,
    /// Print an object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct IndexJson {
    schema: u32,
    path: String,
    state: &'static str,
    reason: Option<String>,
    handoffs: u64,
    /// Handoffs whose text is not indexed yet.
    unindexed: u64,
    edited: Vec<String>,
    unreadable: Vec<String>,
}

pub(crate) fn run(args: &IndexArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let action = match (args.rebuild, args.verify) {
        (true, _) => IndexAction::Rebuild,
        (_, true) => IndexAction::Verify,
        _ => IndexAction::Look,
    };
    let report = segue.maintenance().index(action)?;
    let (state, reason) = match report.state {
        IndexState::Found => ("found", None),
        IndexState::Rebuilt(why) => ("rebuilt", Some(why)),
        IndexState::InMemory(why) => ("in memory", Some(why)),
    };
    let shown = IndexJson {
        schema: SCHEMA,
        path: report.path.display().to_string(),
        state,
        reason,
        handoffs: report.handoffs,
        unindexed: report.text.waiting,
        edited: report.edited.iter().map(|path| path.display().to_string()).collect(),
        unreadable: report.bad.iter().map(|file| file.path.display().to_string()).collect(),
    };
    if args.json {
        ui.line(&pretty(&shown))?;
    } else {
        let why = shown.reason.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
        ui.line(&format!(
            "{}: {}{why}, {}",
            shown.path,
            shown.state,
            super::handoffs(shown.handoffs)
        ))?;
        if shown.unindexed > 0 {
            ui.line(&format!(
                "the text of {} is indexed by the next search",
                super::handoffs(shown.unindexed)
            ))?;
        }
        for path in &shown.edited {
            ui.line(&visible_line(&format!("edited in place: {path}")))?;
        }
    }
    for file in &report.bad {
        ui.warning(&format!("cannot read {}: {}", file.path.display(), file.reason));
    }
    Ok(())
}
