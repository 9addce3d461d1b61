use std::ffi::OsString;

use clap::Args;
use segue_lib::agents::{ContinuePlan, ContinueRequest, PromptPlace, Word};
use segue_lib::briefing::{DEFAULT_BUDGET, FIRST_LINE};
use segue_lib::handoffs::Selector;
use segue_lib::sharing::Provenance;
use segue_lib::{Segue, age};
use serde::Serialize;

use super::resume::{briefing_budget, target};
use crate::error::CommandError;
use crate::json::resumed::ResumedJson;
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;
use crate::{command_line, host, start};

/// Start another agent here with the briefing, to go on where the last session stopped
///
/// The agent gets what 'segue resume --target AGENT' prints, by the best way it has: as its first
/// prompt, on its standard input, or in a file if that is too long for either. No shell is involved.
/// Variables by which it would take itself for the session that this is called from are not passed
/// on. Segue ends as the agent does.
#[derive(Args, Debug)]
pub(crate) struct ContinueArgs {
    /// The agent, such as claude-code, codex or gemini-cli
    #[arg(value_name = "AGENT")]
    agent: String,
    /// From this handoff: an id, the beginning of one, or 'latest'
    #[arg(long, value_name = "SELECTOR")]
    id: Option<String>,
    /// One answer on standard output instead of a conversation
    #[arg(long)]
    print: bool,
    /// Tokens that the briefing may have
    #[arg(long, value_name = "N", default_value_t = DEFAULT_BUDGET)]
    budget: usize,
    /// Print what would be run, as a line for a shell, and start nothing
    #[arg(long)]
    dry_run: bool,
    /// With --dry-run: print an object
    #[arg(long, requires = "dry_run")]
    json: bool,
    /// What the agent is given besides, such as '-- --model NAME'
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<OsString>,
}

#[derive(Serialize)]
struct ContinueJson<'a> {
    schema: u32,
    agent: &'static str,
    program: String,
    args: Vec<String>,
    /// What the agent reads from its standard input, if that is not ours.
    stdin: Option<&'a str>,
    /// The file that the prompt would be written into.
    file: Option<String>,
    unset: &'a [&'static str],
    /// Variables that are set for it.
    set: std::collections::BTreeMap<&'static str, &'a str>,
    prompt: &'a str,
    briefing: ResumedJson<'a>,
}

pub(crate) fn run(args: &ContinueArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let Some(agent) = target(Some(&args.agent))? else {
        return Err(CommandError::usage(format!("'{}' is no agent to start", args.agent))
            .hinted("'segue resume' prints a briefing for any"));
    };
    let id: Option<Selector> =
        args.id.as_deref().map(str::parse).transpose().map_err(segue_lib::Error::from)?;
    // No session is named that asks: that one is the one to go on from.
    let mut request = ContinueRequest::new(agent);
    request.resume.budget = briefing_budget(args.budget)?;
    request.resume.id = id;
    request.once = args.print;
    request.args = args.args.clone();
    let plan = segue.launcher().plan_continue(&request)?;
    say_of(&plan, segue, ui);
    if args.json {
        return Ok(ui.line(&pretty(&as_json(&plan, &request)))?);
    }
    if args.dry_run {
        let line = command_line::pasteable(&plan, &request, args.id.as_deref())?;
        return Ok(ui.line(&line)?);
    }
    let input = segue.launcher().lay_out(&plan)?;
    ui.note(&format!("running: {}", command_line::told(&plan, agent.slug)));
    ui.finish()?;
    Err(start::start(&plan, agent.slug, input))
}

/// Says what the briefing was made from.
fn say_of(plan: &ContinuePlan, segue: &Segue, ui: &mut Ui) {
    let briefed = &plan.briefed;
    for warning in &briefed.warnings {
        ui.warning(warning);
    }
    if let Some(brings) = &briefed.brings {
        ui.note(&brings.to_string());
    }
    let now = segue.env().now();
    let from = match (&briefed.handoff, &briefed.session) {
        (Some((_, listed)), _) => {
            let head = &listed.head;
            format!(
                "the handoff {} ({}): {}",
                head.id.short(),
                age(head.created, now),
                listed.title
            )
        }
        (None, Some(told)) => {
            let age = age(told.modified, now);
            format!("the session {} of {} ({age}), which nobody saved", told.id, told.agent)
        }
        (None, None) => "the files of this workspace".to_owned(),
    };
    ui.note(&format!("the briefing is from {from}"));
    if plan.first_line != FIRST_LINE {
        let from = briefed.provenance.as_ref().map_or("from elsewhere", Provenance::word);
        ui.warning(&format!(
            "that handoff came from elsewhere ({from}); the agent is told to ask you before it takes its steps"
        ));
    }
}

fn as_json<'a>(plan: &'a ContinuePlan, request: &'a ContinueRequest) -> ContinueJson<'a> {
    let args = plan.words.iter().map(|word| match word {
        Word::Plain(word) => word.to_string_lossy().into_owned(),
        Word::Prompt => plan.prompt.clone(),
    });
    let is = |place: PromptPlace| plan.place == place;
    ContinueJson {
        schema: SCHEMA,
        agent: request.agent.slug,
        program: plan.program.display().to_string(),
        args: args.collect(),
        stdin: is(PromptPlace::Input).then_some(&plan.prompt),
        file: is(PromptPlace::File).then(|| plan.file.display().to_string()),
        unset: &plan.unset,
        set: [(host::CONTINUED, request.agent.slug), (host::CONTINUED_FROM, plan.handoff_id())]
            .into(),
        prompt: &plan.prompt,
        briefing: ResumedJson::new(&plan.briefed, &request.resume),
    }
}
