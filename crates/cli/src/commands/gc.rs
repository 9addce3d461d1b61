use clap::Args;
use segue_lib::{Segue, visible_line};
use serde::Serialize;

use super::handoffs;
use crate::error::CommandError;
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

/// Archive what has expired
///
/// Expired handoffs of the whole store move, whole, into a file per month and tag. None is lost: an
/// archived handoff is still shown by its id and listed by 'segue list --expired'.
#[derive(Args, Debug)]
pub(crate) struct GcArgs {
    /// Only say what would be archived
    #[arg(long)]
    dry_run: bool,
    /// Print an object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct GcJson {
    schema: u32,
    archived: u64,
    swept: u64,
    dry_run: bool,
    ids: Vec<String>,
    failed: Vec<String>,
}

pub(crate) fn run(args: &GcArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let plan = segue.maintenance().plan_gc()?;
    let ids: Vec<String> = plan.expired.iter().map(|listed| listed.head.id.to_string()).collect();
    let mut done = GcJson {
        schema: SCHEMA,
        archived: ids.len() as u64,
        swept: plan.stale.len() as u64,
        dry_run: args.dry_run,
        ids,
        failed: Vec::new(),
    };
    if args.dry_run {
        for listed in &plan.expired {
            ui.note(&format!(
                "would archive {} ({}): {}",
                listed.head.id,
                listed.label,
                visible_line(&listed.title)
            ));
        }
    } else {
        let outcome = segue.maintenance().gc(&plan)?;
        done.archived = outcome.archived;
        done.swept = outcome.swept;
        done.failed = outcome.failed.iter().map(ToString::to_string).collect();
    }
    if args.json {
        ui.line(&pretty(&done))?;
    } else if args.dry_run {
        ui.line(&format!("Would archive {} that expired.", handoffs(done.archived)))?;
    } else {
        ui.line(&format!("Archived {} that expired.", handoffs(done.archived)))?;
        if done.swept > 0 {
            ui.note(&format!("{} old temporary files were removed", done.swept));
        }
    }
    super::unarchived(&done.failed, ui)
}
