use clap::Args;
use segue_lib::handoffs::Ttl;
use segue_lib::maintenance::{COMPACT_AFTER_DAYS, CompactRequest};
use segue_lib::{Segue, visible_line};
use serde::Serialize;

use super::handoffs;
use crate::error::CommandError;
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

/// Move a month's old handoffs into one archive per tag
///
/// Each archive has a table of contents; what was superseded or has expired is folded in it. No text
/// is lost: an archived handoff is still shown by its id and listed by 'segue list --expired'. The
/// newest handoff and the newest of each name stay.
#[derive(Args, Debug)]
pub(crate) struct CompactArgs {
    /// Everything of this month, such as 2026-09
    #[arg(long, value_name = "MONTH", conflicts_with = "older_than")]
    month: Option<String>,
    /// Everything older than this [default: 60d]
    #[arg(long, value_name = "SPAN")]
    older_than: Option<String>,
    /// Only say what would be archived
    #[arg(long)]
    dry_run: bool,
    /// Print an object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct CompactJson {
    schema: u32,
    archived: u64,
    dry_run: bool,
    ids: Vec<String>,
    /// Old enough, and kept because they are current.
    current: Vec<String>,
    failed: Vec<String>,
}

pub(crate) fn run(args: &CompactArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let request = match (&args.month, &args.older_than) {
        (Some(month), _) => CompactRequest::Month(month_of(month)?),
        (None, Some(span)) => match span.parse::<Ttl>().map_err(segue_lib::Error::from)? {
            Ttl::Seconds(seconds) => CompactRequest::OlderThan(seconds),
            Ttl::Never => return Err(CommandError::usage("--older-than never is nothing")),
        },
        (None, None) => CompactRequest::OlderThan(COMPACT_AFTER_DAYS * 86_400),
    };
    let plan = segue.compaction().plan(&request)?;
    let id = |listed: &segue_lib::handoffs::Listed| listed.head.id.to_string();
    let mut done = CompactJson {
        schema: SCHEMA,
        archived: plan.ids().len() as u64,
        dry_run: args.dry_run,
        ids: plan.ids(),
        current: plan.current.iter().map(id).collect(),
        failed: Vec::new(),
    };
    if args.dry_run {
        for listed in &plan.targets {
            ui.note(&format!("would archive {}: {}", listed.head.id, visible_line(&listed.title)));
        }
    } else {
        let outcome = segue.compaction().archive(&plan)?;
        done.archived = done.archived.min(outcome.archived);
        done.failed = outcome.failed.iter().map(ToString::to_string).collect();
    }
    if args.json {
        ui.line(&pretty(&done))?;
    } else {
        let would = if args.dry_run { "Would archive" } else { "Archived" };
        ui.line(&format!("{would} {}.", handoffs(done.archived)))?;
        if !done.current.is_empty() {
            ui.note(&format!(
                "{} stay: the newest, or the newest of a name",
                handoffs(done.current.len() as u64)
            ));
        }
    }
    super::unarchived(&done.failed, ui)
}

fn month_of(text: &str) -> Result<String, CommandError> {
    let day: Result<segue_lib::Timestamp, _> = format!("{text}-01T00:00:00Z").parse();
    match day {
        Ok(day) if day.month() == text => Ok(text.to_owned()),
        _ => {
            Err(CommandError::usage(format!("'{text}' is not a month"))
                .hinted("for example 2026-09"))
        }
    }
}
