use std::path::PathBuf;

use clap::Args;
use segue_lib::run::{EXAMPLE_PLAN, RunEnd, RunOutcome, RunPreview, RunRequest};
use segue_lib::{Segue, visible, visible_line};
use serde::Serialize;

use crate::error::CommandError;
use crate::input;
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

/// Hand over in declared steps, resumable after any crash
///
/// An interrupted run is finished first; then the note and the state are handed over by the plan's
/// steps. Without a plan: git's state is collected, the note goes into layer 1, layer 2 is made anew,
/// and the memory is published if 'git config segue.remote' names a remote. That counts in your own
/// configuration, and in a repository's once it is trusted. What is given is safe before anything
/// else happens: if another run is at work for longer than 10 seconds, it is queued and the exit code
/// is 75. A command step gets the handoff as JSON on its standard input, and
/// SEGUE_RUN_ID and SEGUE_STEP in its environment.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// The plan: agent-handover's TOML, or one with [[step]]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// What happened; '-' reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    note: Option<String>,
    /// Where we are now [default: the note]; '-' reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    current_state: Option<String>,
    /// Commit, but push nothing
    #[arg(long)]
    no_push: bool,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Put an interrupted run aside instead of finishing it
    #[arg(long)]
    fresh: bool,
    /// Keep how far the run is in this file [default: the plan's, else in the store]
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Print a commented plan and do nothing
    #[arg(long, exclusive = true)]
    example: bool,
    /// Print an object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct RunJson<'a> {
    schema: u32,
    /// completed, taken_along, failed or paused.
    status: &'static str,
    runs: &'a [String],
    executed: &'a [String],
    skipped: Vec<StepJson<'a>>,
    failed: Vec<StepJson<'a>>,
    resumed: bool,
    handoffs: &'a [String],
    warnings: &'a [String],
}

#[derive(Serialize)]
struct StepJson<'a> {
    step: &'a str,
    why: &'a str,
}

#[derive(Serialize)]
struct PreviewJson<'a> {
    schema: u32,
    dry_run: bool,
    pending: &'a [String],
    steps: Vec<PlannedJson<'a>>,
    waiting: usize,
    paused: Option<String>,
    checkpoint: Option<String>,
    memory: String,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct PlannedJson<'a> {
    step: &'a str,
    kind: &'a str,
}

pub(crate) fn run(args: RunArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    if args.example {
        return Ok(ui.raw(EXAMPLE_PLAN)?);
    }
    let json = args.json;
    let dry_run = args.dry_run;
    let request = request(args, ui)?;
    if dry_run {
        return preview(&segue.runs().plan(&request)?, json, ui);
    }
    let outcome = segue.runs().run(&request)?;
    for warning in &outcome.warnings {
        ui.warning(&visible_line(warning));
    }
    if json {
        ui.line(&pretty(&as_json(&outcome)))?;
    } else {
        say(&outcome, ui)?;
    }
    let done = matches!(outcome.end, RunEnd::Completed | RunEnd::TakenAlong);
    if let Some(other) = segue.runs().unfinished().filter(|_| done) {
        ui.note(&format!("{} '{}' goes on with it.", other.what, other.command));
    }
    end(&outcome)
}

fn request(args: RunArgs, ui: &mut Ui) -> Result<RunRequest, CommandError> {
    let dash = |text: &Option<String>| text.as_deref() == Some("-");
    if dash(&args.note) && dash(&args.current_state) {
        return Err(CommandError::usage("--note and --current-state cannot both be read from '-'")
            .hinted("give one of them as text"));
    }
    let read = |text: Option<String>, ui: &mut Ui| match text.as_deref() {
        Some("-") => input::read_stdin(ui).map(Some),
        _ => Ok(text),
    };
    let note = read(args.note, ui)?;
    let state = read(args.current_state, ui)?;
    let blank = |text: &Option<String>| text.as_deref().is_some_and(|text| text.trim().is_empty());
    if blank(&note) || blank(&state) {
        return Err(CommandError::input("the note or the state is empty")
            .hinted("leave the flag out, or say something"));
    }
    let (tool, session) = super::agent(None, None);
    let mut request = RunRequest::default();
    request.config = args.config;
    request.note = note;
    request.state = state;
    request.no_push = args.no_push;
    request.fresh = args.fresh;
    request.checkpoint = args.checkpoint;
    request.tool = tool;
    request.session = session;
    Ok(request)
}

fn say(outcome: &RunOutcome, ui: &mut Ui) -> std::io::Result<()> {
    for (step, why) in &outcome.skipped {
        ui.note(&format!("skipped {step}: {}", visible_line(why)));
    }
    for (step, why) in &outcome.failed {
        ui.warning(&format!("{step} failed, and the run went on: {}", visible_line(why)));
    }
    if outcome.end == RunEnd::TakenAlong {
        ui.note("another run has taken it along");
    }
    let executed = match &outcome.executed[..] {
        [] => "(none)".to_owned(),
        steps => steps.join(", "),
    };
    ui.line(&format!("handover steps executed: {executed}"))
}

fn end(outcome: &RunOutcome) -> Result<(), CommandError> {
    match &outcome.end {
        RunEnd::Completed if outcome.needs_trust => {
            Err(CommandError::failed("what was handed over is kept here and not published")
                .hinted("if you say 'segue trust' in a terminal of your own, this repository says where, and the next run publishes it"))
        }
        RunEnd::Completed | RunEnd::TakenAlong => Ok(()),
        RunEnd::Paused(paused) => {
            let what = segue_lib::Error::Paused(paused.clone()).to_string();
            let hint =
                format!("the run is kept as far as it is; '{}' goes on with it", outcome.command);
            Err(CommandError::busy(what).hinted(hint).hinted(crate::error::let_go(paused)))
        }
        RunEnd::Failed { step, why, output } => {
            let why = visible(why.trim());
            let mut lines = why.lines();
            let first = lines.next().unwrap_or_default().replacen(": fatal: ", ": ", 1);
            // Git marks its own lines; the one mark of ours is enough.
            let plain = |line: &str| {
                let line = line.trim_start_matches("error: ").trim_start_matches("fatal: ");
                line.to_owned()
            };
            let output = output.as_deref().map(visible).unwrap_or_default();
            let details = lines.chain(output.lines()).map(plain);
            Err(CommandError::failed(format!("the step '{step}' failed: {first}"))
                .detailed(details)
                .hinted(format!(
                    "nothing is lost; '{}' goes on with it, --fresh puts it aside",
                    outcome.command
                )))
        }
    }
}

fn as_json(outcome: &RunOutcome) -> RunJson<'_> {
    fn steps(list: &[(String, String)]) -> Vec<StepJson<'_>> {
        list.iter().map(|(step, why)| StepJson { step, why }).collect()
    }
    let mut failed = steps(&outcome.failed);
    let status = match &outcome.end {
        RunEnd::Completed => "completed",
        RunEnd::TakenAlong => "taken_along",
        RunEnd::Paused(_) => "paused",
        RunEnd::Failed { step, why, .. } => {
            failed.push(StepJson { step, why });
            "failed"
        }
    };
    RunJson {
        schema: SCHEMA,
        status,
        runs: &outcome.runs,
        executed: &outcome.executed,
        skipped: steps(&outcome.skipped),
        failed,
        resumed: outcome.resumed,
        handoffs: &outcome.handoffs,
        warnings: &outcome.warnings,
    }
}

fn preview(preview: &RunPreview, json: bool, ui: &mut Ui) -> Result<(), CommandError> {
    for warning in &preview.warnings {
        ui.warning(&visible_line(warning));
    }
    let paused = preview.paused.as_ref().map(|paused| paused.by.display().to_string());
    if json {
        let steps = preview.steps.iter().map(|(step, kind)| PlannedJson { step, kind }).collect();
        return Ok(ui.line(&pretty(&PreviewJson {
            schema: SCHEMA,
            dry_run: true,
            pending: &preview.pending,
            steps,
            waiting: preview.waiting,
            paused,
            checkpoint: preview.checkpoint.as_ref().map(|path| path.display().to_string()),
            memory: preview.memory.display().to_string(),
            warnings: &preview.warnings,
        }))?);
    }
    if let Some(by) = paused {
        ui.note(&format!("nothing would be done: paused by {by}"));
    }
    if !preview.pending.is_empty() {
        ui.line(&format!("would finish the interrupted run: {}", preview.pending.join(", ")))?;
    }
    for (step, kind) in &preview.steps {
        let kind = if step == kind { String::new() } else { format!(" ({kind})") };
        ui.line(&format!("would do {}{kind}", visible_line(step)))?;
    }
    ui.note(&format!("the memory is {}", preview.memory.display()));
    Ok(())
}
