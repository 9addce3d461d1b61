use std::path::PathBuf;

use clap::Args;
use segue_lib::Segue;
use segue_lib::run::{CheckRequest, RunState};

use crate::error::CommandError;
use crate::ui::Ui;

/// Say by the exit code whether a handover run is unfinished
///
/// 0: none was ever begun. 1: one was interrupted, or inputs wait, and nobody is at work; the command
/// that goes on is said. 2: the last one completed. 75: one is at work. 65: a checkpoint is damaged.
/// Looks at all runs of this work tree, from wherever in it.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) which: WhichRun,
}

/// Which runs a command looks at.
#[derive(Args, Debug)]
pub(crate) struct WhichRun {
    /// Look at this checkpoint only
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Look at the checkpoint of this plan only
    #[arg(long, value_name = "FILE", conflicts_with = "checkpoint")]
    config: Option<PathBuf>,
}

impl WhichRun {
    pub(crate) fn request(&self) -> CheckRequest {
        let mut request = CheckRequest::default();
        request.checkpoint = self.checkpoint.clone();
        request.config = self.config.clone();
        request
    }
}

pub(crate) fn run(args: &CheckArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let seen = segue.runs().look(&args.which.request())?;
    if let Some(paused) = seen.paused {
        ui.note(&segue_lib::Error::Paused(paused).to_string());
    }
    let code = match seen.state {
        RunState::Nothing => return Ok(()),
        RunState::Completed => 2,
        RunState::Waiting | RunState::Interrupted => 1,
        RunState::AtWork => 75,
    };
    for run in seen.runs.iter().filter(|run| run.state == seen.state && code != 2) {
        ui.note(&run.next());
    }
    Err(CommandError::quiet(code))
}
