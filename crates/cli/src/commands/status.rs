use clap::Args;
use segue_lib::run::{Outcome, RunState, RunStatus, RunStatusReport, RunsSeen, StepMark};
use segue_lib::{Segue, visible_line};
use serde::Serialize;

use super::check::WhichRun;
use crate::error::CommandError;
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

/// Show how far handover runs are, step by step
#[derive(Args, Debug)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    which: WhichRun,
    /// Print an object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct StatusJson<'a> {
    schema: u32,
    /// nothing, completed, waiting, interrupted or at_work.
    state: &'static str,
    paused: Option<PausedJson<'a>>,
    runs: Vec<RunJson<'a>>,
}

#[derive(Serialize)]
struct PausedJson<'a> {
    by: String,
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct RunJson<'a> {
    checkpoint: String,
    state: &'static str,
    status: &'static str,
    run: Option<&'a str>,
    plan: Option<&'a str>,
    started_at: Option<&'a str>,
    finished_at: Option<&'a str>,
    waiting: usize,
    next: String,
    steps: Vec<StepJson<'a>>,
}

#[derive(Serialize)]
struct StepJson<'a> {
    name: &'a str,
    done: bool,
    outcome: Option<Outcome>,
    attempts: u32,
    began: Option<&'a str>,
    ended: Option<&'a str>,
    said: Option<&'a str>,
    output: Option<&'a str>,
}

pub(crate) fn run(args: &StatusArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let seen = segue.runs().look(&args.which.request())?;
    if args.json {
        return Ok(ui.line(&pretty(&as_json(&seen)))?);
    }
    if seen.runs.is_empty() {
        ui.line("status: none")?;
    }
    let several = seen.runs.len() > 1;
    for run in &seen.runs {
        if several {
            ui.line(&format!("{}:", run.path.display()))?;
        }
        show(run, ui)?;
    }
    if let Some(paused) = seen.paused {
        let how = crate::error::let_go(&paused);
        ui.line(&format!("{}; {how}", segue_lib::Error::Paused(paused)))?;
    }
    Ok(())
}

/// agent-handover's lines, with what more is known at their ends and below.
fn show(run: &RunStatusReport, ui: &mut Ui) -> std::io::Result<()> {
    let status = run.checkpoint.as_ref().map_or(RunStatus::None, |run| run.status);
    ui.line(&format!("status: {}", status.as_str()))?;
    if let Some(checkpoint) = &run.checkpoint {
        for step in &checkpoint.steps {
            let mark = if step.done { 'x' } else { ' ' };
            let more = more_of(step);
            ui.line(&format!("  [{mark}] {}{more}", visible_line(&step.name)))?;
        }
        let pending: Vec<&str> = checkpoint.pending().map(|step| step.name.as_str()).collect();
        if checkpoint.is_interrupted() {
            ui.line(&format!("pending: {}", visible_line(&pending.join(", "))))?;
        }
        if let Some(run) = checkpoint.run() {
            let span = [&checkpoint.started_at, &checkpoint.finished_at];
            let span: Vec<&str> = span.iter().filter_map(|at| at.as_deref()).collect();
            ui.line(&format!("run: {run}, {}", span.join(" to ")))?;
        }
    }
    if run.waiting > 0 {
        ui.line(&format!("waiting: {} in the queue", run.waiting))?;
    }
    if matches!(run.state, RunState::AtWork | RunState::Interrupted | RunState::Waiting) {
        ui.line(&format!("next: {}", run.next()))?;
    }
    Ok(())
}

fn more_of(step: &StepMark) -> String {
    let record = &step.record;
    let mut more = Vec::new();
    match record.outcome {
        Some(Outcome::Skipped) => more.push("skipped".to_owned()),
        Some(Outcome::Failed) => more.push("failed".to_owned()),
        _ => {}
    }
    if record.attempts > 1 {
        more.push(format!("{} attempts", record.attempts));
    }
    if !step.done && record.began.is_some() && record.ended.is_none() {
        more.push("begun, its end is not known".to_owned());
    }
    // The first line of what was said; --json has the rest.
    let said = record.said.as_deref().and_then(|said| said.lines().next());
    more.extend(said.map(|said| visible_line(said).into_owned()));
    if more.is_empty() { String::new() } else { format!("  ({})", more.join("; ")) }
}

fn word(state: RunState) -> &'static str {
    match state {
        RunState::Nothing => "nothing",
        RunState::Completed => "completed",
        RunState::Waiting => "waiting",
        RunState::Interrupted => "interrupted",
        RunState::AtWork => "at_work",
    }
}

fn as_json(seen: &RunsSeen) -> StatusJson<'_> {
    let paused = seen.paused.as_ref().map(|paused| PausedJson {
        by: paused.by.display().to_string(),
        reason: paused.reason.as_deref(),
    });
    let runs = seen.runs.iter().map(|run| {
        let checkpoint = run.checkpoint.as_ref();
        let head = checkpoint.and_then(|checkpoint| checkpoint.head.as_ref());
        RunJson {
            checkpoint: run.path.display().to_string(),
            state: word(run.state),
            status: checkpoint.map_or(RunStatus::None, |checkpoint| checkpoint.status).as_str(),
            run: head.map(|head| head.run.as_str()),
            plan: head.and_then(|head| head.plan.as_deref()),
            started_at: checkpoint.and_then(|checkpoint| checkpoint.started_at.as_deref()),
            finished_at: checkpoint.and_then(|checkpoint| checkpoint.finished_at.as_deref()),
            waiting: run.waiting,
            next: run.next(),
            steps: checkpoint.into_iter().flat_map(|run| &run.steps).map(step_json).collect(),
        }
    });
    StatusJson { schema: SCHEMA, state: word(seen.state), paused, runs: runs.collect() }
}

fn step_json(step: &StepMark) -> StepJson<'_> {
    let record = &step.record;
    StepJson {
        name: &step.name,
        done: step.done,
        outcome: record.outcome,
        attempts: record.attempts,
        began: record.began.as_deref(),
        ended: record.ended.as_deref(),
        said: record.said.as_deref(),
        output: record.output.as_deref(),
    }
}
