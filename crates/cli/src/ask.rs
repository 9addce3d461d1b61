//! `snapshot --ask`: says which command asks the session, waits for a yes, and runs it.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use segue_lib::Segue;
use segue_lib::agents::{AskFailure, AskPlan};
use segue_lib::snapshot::SnapshotRequest;
use serde::Serialize;

use crate::command_line;
use crate::error::CommandError;
use crate::input::agreed;
use crate::ui::Ui;

/// What became of the question.
#[derive(Debug, Serialize)]
pub(crate) struct Asked {
    /// The agent; null if there was no session to ask.
    agent: Option<&'static str>,
    /// What was run; empty if nothing was.
    command: Vec<String>,
    answered: bool,
    /// Why there is no answer.
    why: Option<String>,
}

/// Asks the session of a snapshot, whose request gets the answer. Without one the snapshot is taken of
/// the session as it was before.
pub(crate) fn ask(
    segue: &Segue,
    request: &mut SnapshotRequest,
    limit: Duration,
    yes: bool,
    ui: &mut Ui,
) -> Result<Asked, CommandError> {
    if !yes && !io::stdin().is_terminal() {
        return Err(CommandError::usage(
            "--ask runs the session's agent, and there is no terminal to agree to that",
        )
        .hinted("add --yes, or leave out --ask"));
    }
    let session = segue.launcher().plan_ask(request)?;
    for warning in &session.warnings {
        ui.warning(warning);
    }
    request.captured = session.captured;
    let plan = match session.plan {
        Ok(plan) => plan,
        Err(problem) => {
            let why = problem.to_string();
            ui.warning(&format!(
                "no agent was asked: {why}; the snapshot is saved without its answer"
            ));
            return Ok(Asked { agent: None, command: Vec::new(), answered: false, why: Some(why) });
        }
    };
    ui.note(&format!(
        "{} is asked for a handoff in its own words, with one call of its model:",
        plan.agent.title
    ));
    ui.note(&command_line::asking(&plan));
    ui.finish()?;
    if !yes && !agreed("run this?") {
        return Err(CommandError::failed("nothing was run, and nothing was saved")
            .hinted("without --ask the snapshot is taken of the transcript alone"));
    }
    let answer = answer(segue, &plan, limit);
    let AskPlan { agent, command, .. } = plan;
    let why = match answer {
        Ok(words) => {
            request.own_words = Some(words);
            return Ok(Asked { agent: Some(agent.slug), command, answered: true, why: None });
        }
        Err(AskFailure::Interrupted) => {
            return Err(CommandError::failed(
                "interrupted: the agent was ended, nothing was saved",
            ));
        }
        Err(failure) => failure.to_string(),
    };
    ui.warning(&format!(
        "{} gave no handoff: {why}; the snapshot is saved without its answer",
        agent.title
    ));
    Ok(Asked { agent: Some(agent.slug), command, answered: false, why: Some(why) })
}

/// The answer. An interrupt from the keyboard ends the agent, which has a process group of its own.
fn answer(segue: &Segue, plan: &AskPlan, limit: Duration) -> Result<String, AskFailure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let _ = signal_hook::flag::register(signal, Arc::clone(&interrupted));
    }
    segue.launcher().ask(plan, limit, &|| interrupted.load(Ordering::SeqCst))
}
