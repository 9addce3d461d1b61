use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum};
use segue_lib::agents::{
    AgentStatus, AskChange, Asks, InstallFate, InstallItem, InstallOutcome, InstallRequest, Part,
    Scope, Standing, find_agent, installable, installable_agents,
};
use segue_lib::{Segue, visible_line};
use serde::Serialize;

use crate::error::CommandError;
use crate::host;
use crate::input::agreed;
use crate::json::{SCHEMA, pretty};
use crate::ui::{Role, Ui};

/// Put Segue into your agents: hooks, MCP server, skill and instructions
///
/// Hooks keep the handoff of a session up to date and give the briefing to the next one. Only Segue's own
/// entries are added: comments, order and other people's hooks stay as they are, and 'segue uninstall'
/// gives back every file that nobody touched since byte for byte. A file that cannot be read is left
/// alone. Without a name it shows what it found and would do, and asks; where nobody can be asked, it changes
/// nothing and says so.
///
/// Segue calls no model by itself. With --ask-when-full or --ask-at-stop the hooks ask the agent, in its own
/// session and in one line, to run 'segue save': for example 'segue install claude-code --ask-when-full'.
/// Both are off unless you choose them here; a later 'segue install' leaves them as they are.
#[derive(Args, Debug)]
pub(crate) struct InstallArgs {
    /// Agents, such as claude-code, codex, gemini-cli, copilot-cli, qwen-code, opencode, cursor, cline, goose
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// Every agent that is found on this machine
    #[arg(long, conflicts_with = "agents")]
    all: bool,
    #[command(flatten)]
    what: What,
    /// At 80 % and at 90 % of the context window, ask the agent once to save a handoff in its own words
    #[arg(long)]
    ask_when_full: bool,
    /// When the agent stops after it changed files and has not saved, ask it once to save a handoff
    #[arg(long)]
    ask_at_stop: bool,
    /// Never ask the agent again
    #[arg(long, conflicts_with_all = ["ask_when_full", "ask_at_stop"])]
    no_ask: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Only show what is installed
    #[arg(long, conflicts_with_all = ["agents", "all", "dry_run", "yes", "hooks", "mcp", "skill", "instructions", "scope", "ask_when_full", "ask_at_stop", "no_ask"])]
    status: bool,
}

/// What `install` and `uninstall` are about.
#[derive(Args, Debug)]
pub(crate) struct What {
    /// For you everywhere, or for everybody in the project here
    #[arg(long, value_name = "SCOPE", default_value = "user")]
    scope: ScopeArg,
    /// Only hooks, or what the agent has instead (and other parts that are named)
    #[arg(long)]
    hooks: bool,
    /// Only the MCP server
    #[arg(long)]
    mcp: bool,
    /// Only the skill
    #[arg(long)]
    skill: bool,
    /// Only the instructions in CLAUDE.md, AGENTS.md and the like
    #[arg(long)]
    instructions: bool,
    /// Only show how files would be changed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print an object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScopeArg {
    User,
    Project,
}

impl What {
    pub(crate) fn request(
        &self,
        agents: Vec<&'static str>,
    ) -> Result<InstallRequest, CommandError> {
        let named = [
            (self.hooks, Part::Hooks),
            (self.mcp, Part::Mcp),
            (self.skill, Part::Skill),
            (self.instructions, Part::Instructions),
        ];
        let scope = match self.scope {
            ScopeArg::User => Scope::User,
            ScopeArg::Project => Scope::Project,
        };
        let parts = named.into_iter().filter(|(named, _)| *named).map(|(_, part)| part).collect();
        let mut request = InstallRequest::new(host::program()?);
        request.agents = agents;
        request.scope = scope;
        request.parts = parts;
        Ok(request)
    }
}

impl InstallArgs {
    fn asks(&self) -> AskChange {
        let asks = Asks { when_full: self.ask_when_full, at_stop: self.ask_at_stop };
        match (self.no_ask, asks.is_never()) {
            (true, _) => AskChange::Never,
            (false, true) => AskChange::Leave,
            (false, false) => AskChange::Add(asks),
        }
    }
}

/// The agents that were named.
pub(crate) fn named(agents: &[String]) -> Result<Vec<&'static str>, CommandError> {
    let mut named = Vec::new();
    for word in agents {
        let agent = installable(word)?;
        if !named.contains(&agent.slug) {
            named.push(agent.slug);
        }
    }
    Ok(named)
}

pub(crate) fn run(args: &InstallArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    if args.status {
        return status(&segue.agents().status(&host::program()?), args.what.json, ui);
    }
    let chosen = args.all || args.yes || !args.agents.is_empty();
    let agents = match &args.agents[..] {
        [] => segue.agents().found().into_iter().map(|(agent, _)| agent).collect(),
        some => named(some)?,
    };
    if agents.is_empty() {
        ui.note("no agent was found on this machine");
        ui.hint(&format!("name one all the same: {}", installable_agents().join(", ")));
        return say(&InstallOutcome::default(), &args.what, Done::Would, ui);
    }
    let mut request = args.what.request(agents)?;
    request.asks = args.asks();
    if args.what.dry_run {
        return say(&segue.agents().plan_install(&request)?, &args.what, Done::Would, ui);
    }
    if !chosen {
        let plan = segue.agents().plan_install(&request)?;
        for (agent, by) in segue.agents().found() {
            ui.note(&format!("found {} ({})", title(agent), by.display()));
        }
        let changes = plan.changed() || request.asks != AskChange::Leave;
        let asks = io::stdin().is_terminal() && changes;
        if !asks || args.what.json {
            say(&plan, &args.what, Done::Would, ui)?;
            if changes {
                ui.hint("name agents, or say --all, to install; --dry-run shows every line");
            }
            if changes && !args.what.json {
                nothing_changed(&request.agents, ui)?;
            }
            return Ok(());
        }
        list(&plan, ui)?;
        ui.finish()?;
        if !agreed("install this?") {
            return Err(CommandError::failed("nothing was installed"));
        }
    }
    say(&segue.agents().install(&request)?, &args.what, Done::Installed, ui)
}

/// What would be changed looks like what was changed: says last that it was not, and how it is.
fn nothing_changed(agents: &[&str], ui: &mut Ui) -> Result<(), CommandError> {
    let one = agents.first().map_or_else(String::new, |one| format!("'segue install {one}', "));
    Ok(ui.line(&format!(
        "Nothing was changed: nobody could be asked here. To install, run {one}or 'segue install --all'."
    ))?)
}

/// Whether it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    Would,
    Installed,
    TakenOut,
}

#[derive(Serialize)]
struct OutcomeJson<'a> {
    schema: u32,
    dry_run: bool,
    items: Vec<ItemJson<'a>>,
    changes: Vec<ChangeJson<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ItemJson<'a> {
    agent: &'a str,
    part: &'static str,
    path: String,
    fate: &'static str,
    why: Option<&'a str>,
}

#[derive(Serialize)]
struct ChangeJson<'a> {
    path: String,
    diff: &'a str,
}

/// Says what was done, or would be; fails if something could not be.
pub(crate) fn say(
    outcome: &InstallOutcome,
    what: &What,
    done: Done,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    if what.json {
        let shown = OutcomeJson {
            schema: SCHEMA,
            dry_run: done == Done::Would,
            items: outcome.items.iter().map(item_json).collect(),
            changes: outcome
                .changes
                .iter()
                .map(|change| ChangeJson {
                    path: change.path.display().to_string(),
                    diff: &change.diff,
                })
                .collect(),
            notes: &outcome.notes,
        };
        ui.line(&pretty(&shown))?;
    } else {
        list(outcome, ui)?;
        if what.dry_run {
            for change in &outcome.changes {
                ui.line(&format!("\n{}", ui.paint(Role::Title, &shown_path(&change.path))))?;
                for line in change.diff.lines() {
                    let shown = visible_line(line);
                    ui.line(&match line.as_bytes().first() {
                        Some(b'+') => ui.paint(Role::Good, &shown),
                        Some(b'-') => ui.paint(Role::Error, &shown),
                        _ => shown.into_owned(),
                    })?;
                }
            }
        }
    }
    // Several parts of one file often have one reason.
    let mut told: Vec<(&std::path::Path, &str)> = Vec::new();
    for item in &outcome.items {
        let (InstallFate::Failed(why) | InstallFate::Left(why)) = &item.fate else { continue };
        if told.contains(&(&item.path, why)) {
            continue;
        }
        told.push((&item.path, why));
        let text = format!("{} is left alone: {why}", shown_path(&item.path));
        match item.fate {
            InstallFate::Failed(_) => ui.warning(&text),
            _ => ui.note(&text),
        }
    }
    if done != Done::Would {
        for note in &outcome.notes {
            ui.note(note);
        }
    }
    match (outcome.failed(), done) {
        (false, _) => Ok(()),
        (true, Done::TakenOut) => Err(CommandError::failed("not everything could be taken out")
            .hinted("see to what is named above, then run it again")),
        (true, Done::Installed) => Err(CommandError::failed("not everything could be installed")
            .hinted("see to what is named above, then run it again; all else was done")),
        (true, Done::Would) => Err(CommandError::failed("not everything can be installed")
            .hinted("see to what is named above")),
    }
}

/// One line a part, below the agent that it is for.
fn list(outcome: &InstallOutcome, ui: &mut Ui) -> Result<(), CommandError> {
    let mut before = "";
    for item in &outcome.items {
        if item.agent != before {
            before = item.agent;
            ui.line(&ui.paint(Role::Title, title(item.agent)))?;
        }
        let (mark, _) = word(&item.fate);
        let path = shown_path(&item.path);
        ui.line(&format!("  {mark} {:<13} {path}", item.part.word()))?;
    }
    Ok(())
}

fn title(agent: &str) -> &'static str {
    find_agent(agent).map_or("", |agent| agent.title)
}

fn shown_path(path: &std::path::Path) -> String {
    visible_line(&path.display().to_string()).into_owned()
}

fn word(fate: &InstallFate) -> (char, &'static str) {
    match fate {
        InstallFate::Created => ('+', "created"),
        InstallFate::Changed => ('~', "changed"),
        InstallFate::Removed => ('-', "removed"),
        InstallFate::Unchanged => ('=', "unchanged"),
        InstallFate::Left(_) => ('!', "left"),
        InstallFate::Failed(_) => ('!', "failed"),
    }
}

fn item_json(item: &InstallItem) -> ItemJson<'_> {
    let why = match &item.fate {
        InstallFate::Left(why) | InstallFate::Failed(why) => Some(why.as_str()),
        _ => None,
    };
    let (_, fate) = word(&item.fate);
    let path = item.path.display().to_string();
    ItemJson { agent: item.agent, part: item.part.word(), path, fate, why }
}

#[derive(Serialize)]
struct StatusJson<'a> {
    schema: u32,
    agents: Vec<AgentJson<'a>>,
}

#[derive(Serialize)]
struct AgentJson<'a> {
    agent: &'a str,
    found: Option<String>,
    parts: Vec<PartJson<'a>>,
    asks: Vec<&'static str>,
}

#[derive(Serialize)]
struct PartJson<'a> {
    part: &'static str,
    scope: &'static str,
    path: Option<String>,
    state: &'static str,
    why: Option<&'a str>,
}

fn status(agents: &[AgentStatus], json: bool, ui: &mut Ui) -> Result<(), CommandError> {
    if json {
        let agents = agents.iter().map(|agent| AgentJson {
            agent: agent.agent,
            found: agent.found.as_ref().map(|path| path.display().to_string()),
            asks: agent.asks.words(),
            parts: agent
                .parts
                .iter()
                .map(|one| PartJson {
                    part: one.part.word(),
                    scope: one.scope.word(),
                    path: one.path.as_ref().map(|path| path.display().to_string()),
                    state: state(&one.standing),
                    why: match &one.standing {
                        Standing::Unreadable(why) => Some(why),
                        _ => None,
                    },
                })
                .collect(),
        });
        let shown = StatusJson { schema: SCHEMA, agents: agents.collect() };
        return Ok(ui.line(&pretty(&shown))?);
    }
    for agent in agents {
        let found = match &agent.found {
            Some(by) => format!("found ({})", shown_path(by)),
            None => "not found".to_owned(),
        };
        ui.line(&format!("{}: {found}", ui.paint(Role::Title, title(agent.agent))))?;
        for scope in [Scope::User, Scope::Project] {
            let parts: Vec<String> = agent
                .parts
                .iter()
                .filter(|one| one.scope == scope)
                .map(|one| format!("{} {}", one.part.word(), state(&one.standing)))
                .collect();
            ui.line(&format!("  {:<8} {}", scope.word(), parts.join(", ")))?;
        }
        if !agent.asks.is_never() {
            ui.line(&format!("  {:<8} {}", "asks", agent.asks.words().join(", ")))?;
        }
        for one in &agent.parts {
            if let (Standing::Unreadable(why), Some(path)) = (&one.standing, &one.path) {
                ui.warning(&format!("{}: {why}", shown_path(path)));
            }
        }
    }
    Ok(())
}

fn state(standing: &Standing) -> &'static str {
    match standing {
        Standing::Installed => "yes",
        Standing::Old => "old",
        Standing::Edited => "edited",
        Standing::Missing => "no",
        Standing::None => "none",
        Standing::Unreadable(_) => "unreadable",
    }
}
