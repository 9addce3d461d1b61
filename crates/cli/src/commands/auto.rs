use clap::Args;
use segue_lib::Segue;
use segue_lib::run::{AutoRequest, PushState};
use serde::Serialize;

use super::vault::VaultArgs;
use crate::error::CommandError;
use crate::json::{PushedJson, SCHEMA, SavedJson, pretty};
use crate::ui::Ui;

/// Snapshot, then push where a key is set; for cron and heartbeats
///
/// Quiet, and safe to run every minute: where nothing is new, no handoff is made and nothing is
/// pushed again. Fails if the push failed; the snapshot is saved then all the same, and the next run
/// pushes again.
#[derive(Args, Debug)]
pub(crate) struct AutoArgs {
    #[command(flatten)]
    pub(crate) vault: VaultArgs,
    /// What kind of work it was
    #[arg(long, default_value = "auto")]
    mode: String,
    /// Print an object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct AutoJson<'a> {
    schema: u32,
    /// What was saved; null if nothing was new.
    saved: Option<SavedJson<'a>>,
    /// What was pushed; null if no key is set, or it is there already.
    pushed: Option<PushedJson<'a>>,
    warnings: &'a [String],
}

pub(crate) fn run(args: &AutoArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let (tool, session) = super::agent(None, None);
    let mut request = AutoRequest::default();
    request.snapshot.mode = Some(args.mode.clone()).filter(|mode| !mode.trim().is_empty());
    request.snapshot.tool = tool;
    request.snapshot.session = session;
    request.snapshot.by_itself = true;
    request.push = args.vault.request();
    let outcome = segue.runs().auto(&request)?;
    for warning in &outcome.warnings {
        ui.warning(warning);
    }
    if args.json {
        ui.line(&pretty(&AutoJson {
            schema: SCHEMA,
            saved: outcome.saved.as_ref().map(SavedJson::new),
            pushed: match &outcome.push {
                PushState::Pushed(pushed) => Some(PushedJson::new(pushed)),
                _ => None,
            },
            warnings: &outcome.warnings,
        }))?;
    }
    match outcome.push {
        PushState::Failed(error) => Err(error.into()),
        _ => Ok(()),
    }
}
