use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use segue_lib::agents::{AGENTS, Agent, find_agent};
use segue_lib::briefing::{Check, DEFAULT_BUDGET, LEAST_BUDGET, ResumeRequest};
use segue_lib::handoffs::{Name, Selector};
use segue_lib::{Segue, visible_line};

use crate::error::CommandError;
use crate::input::agreed;
use crate::json;
use crate::json::resumed::ResumedJson;
use crate::ui::{Role, Ui};

/// Tell the next session where the last one stopped
///
/// A briefing: what was left, what changed since, what to verify first, what to do next. It takes
/// the newest handoff of this worktree and branch, else of the project, and checks it against
/// today's tree. What is 14 days older than the project's newest is not preferred for its branch.
/// Where nothing was left, the newest session that an agent had here is told, out of its
/// transcript, with git's state and the files of the workspace.
#[derive(Args, Debug)]
pub(crate) struct ResumeArgs {
    /// The directory [default: the current one]
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Tokens that the briefing may have
    #[arg(long, value_name = "N", default_value_t = DEFAULT_BUDGET)]
    budget: usize,
    /// The agent that will read it, such as claude-code, codex or gemini-cli
    #[arg(long, value_name = "AGENT")]
    target: Option<String>,
    /// This handoff: an id, the beginning of one, or 'latest'
    #[arg(long, value_name = "SELECTOR")]
    id: Option<String>,
    /// The newest of this name
    #[arg(long, conflicts_with = "id")]
    name: Option<String>,
    /// The newest of this branch
    #[arg(long, conflicts_with_all = ["id", "name"])]
    branch: Option<String>,
    /// The newest of the project, whatever its branch and worktree
    #[arg(long, conflicts_with_all = ["id", "name", "branch"])]
    any_branch: bool,
    /// Run the commands of the handoff's Checks again and tell which claims still hold
    ///
    /// Only commands that are your own or an agent's words, in a handoff that was saved on this
    /// machine: what was imported, lies in the repository, comes from HANDOFF.md or was printed by a
    /// tool is shown and not run, also with --yes. Asks before each command; without a shell, so a
    /// line with shell syntax is shown and not run.
    #[arg(long)]
    recheck: bool,
    /// With --recheck: run them without asking
    #[arg(long, short = 'y', requires = "recheck")]
    yes: bool,
    /// With --recheck: how long one command may take
    #[arg(long, value_name = "SECONDS", default_value_t = 120, requires = "recheck")]
    check_limit: u64,
    /// Print an object with every part as data
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ResumeArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let budget = briefing_budget(args.budget)?;
    let name: Option<Name> =
        args.name.as_deref().map(str::parse).transpose().map_err(segue_lib::Error::from)?;
    let id: Option<Selector> =
        args.id.as_deref().map(str::parse).transpose().map_err(segue_lib::Error::from)?;
    let mut request = ResumeRequest::default();
    request.budget = budget;
    request.target = target(args.target.as_deref())?;
    request.id = id;
    request.name = name;
    request.branch = args.branch.clone();
    request.any_branch = args.any_branch;
    request.check_limit = Duration::from_secs(args.check_limit);
    request.asking = super::agent(None, None).1;
    if args.recheck && !args.yes && !io::stdin().is_terminal() {
        return Err(CommandError::usage("running the checks again needs a yes").hinted("add --yes"));
    }
    let mut ask = |check: &Check| {
        args.yes || agreed(&format!("run '{}' in this directory?", visible_line(&check.command)))
    };
    let ask: Option<&mut dyn FnMut(&Check) -> bool> =
        if args.recheck { Some(&mut ask) } else { None };
    let outcome = segue.briefer().resume(&request, ask)?;
    for warning in &outcome.warnings {
        ui.warning(warning);
    }
    if let Some(brings) = &outcome.brings {
        ui.note(&brings.to_string());
    }
    if args.recheck && outcome.rechecked.is_empty() {
        ui.note("the handoff has no Checks to run again");
    }
    if args.json {
        let shown = ResumedJson::new(&outcome, &request);
        return Ok(ui.line(&segue.redactor().json(json::pretty(&shown)))?);
    }
    for line in outcome.briefing.text.lines() {
        let role = if line.starts_with("# ") { Role::Heading } else { Role::Title };
        let line = if line.starts_with('#') { ui.paint(role, line) } else { line.to_owned() };
        ui.line(&line)?;
    }
    if outcome.handoff.is_none() {
        super::note_directory(segue, ui)?;
    }
    Ok(())
}

/// How many tokens a briefing may have, if that is enough for one.
pub(super) fn briefing_budget(given: usize) -> Result<usize, CommandError> {
    if given < LEAST_BUDGET {
        return Err(CommandError::usage(format!(
            "a briefing needs at least {LEAST_BUDGET} tokens"
        ))
        .hinted("400 has the most important, 1500 is the default"));
    }
    Ok(given)
}

/// The agent that a word means; `generic` is none in particular.
pub(crate) fn target(word: Option<&str>) -> Result<Option<&'static Agent>, CommandError> {
    let Some(word) = word.map(str::trim).filter(|word| !word.is_empty() && *word != "generic")
    else {
        return Ok(None);
    };
    find_agent(word).map(Some).ok_or_else(|| {
        let known: Vec<&str> = AGENTS.iter().map(|agent| agent.slug).collect();
        CommandError::usage(format!("no agent is called '{word}'"))
            .hinted(format!("one of: {}, generic", known.join(", ")))
    })
}
