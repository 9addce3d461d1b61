use clap::Args;
use segue_lib::agents::{AgentHealth, Part, Scope};
use segue_lib::hook::HookFired;
use segue_lib::maintenance::{Finding, Health};
use segue_lib::{Segue, Timestamp, ago};
use serde::Serialize;

use crate::error::CommandError;
use crate::host;
use crate::json::{SCHEMA, pretty};
use crate::ui::{Role, Ui};

/// Look at everything once and say what is not as it should be
#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Print an object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct DoctorJson<'a> {
    schema: u32,
    version: &'static str,
    home: String,
    home_from: &'static str,
    agent: Option<&'static str>,
    checks: Vec<FindingJson<'a>>,
    agents: Vec<AgentJson<'a>>,
}

/// How Segue is doing in an agent.
#[derive(Serialize)]
struct AgentJson<'a> {
    agent: &'static str,
    found: bool,
    version: Option<&'a str>,
    installed: Vec<String>,
    old: Vec<String>,
    trusted: Option<bool>,
    asks: Vec<&'static str>,
    last_fired: Option<String>,
    last_event: Option<&'a str>,
    last_error: Option<String>,
    error: Option<&'a str>,
    hooks: usize,
    p50_ms: Option<f64>,
    p99_ms: Option<f64>,
    health: &'static str,
    hint: Option<&'a str>,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    what: &'a str,
    health: &'static str,
    found: &'a str,
    hint: Option<&'a str>,
}

pub(crate) fn run(args: &DoctorArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let report = segue.doctor().look();
    let (home, home_from) = host::home()?;
    let agent = segue_lib::agents::detect_agent(host::variable).map(|(agent, _)| agent.slug);
    let agents = segue.agents().health(&host::program()?);
    if args.json {
        let checks = report.findings.iter().map(finding_json).collect();
        let shown = DoctorJson {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            home: home.display().to_string(),
            home_from,
            agent,
            checks,
            agents: agents.iter().map(agent_json).collect(),
        };
        ui.line(&pretty(&shown))?;
    } else {
        row(ui, Health::Good, "segue", env!("CARGO_PKG_VERSION"))?;
        for finding in &report.findings {
            let found = if finding.what == "home" {
                format!("{} ({home_from})", finding.found)
            } else {
                finding.found.clone()
            };
            row(ui, finding.health, finding.what, &found)?;
            if let Some(hint) = &finding.hint {
                ui.line(&format!("    {} {hint}", ui.paint(Role::Hint, "hint:")))?;
            }
        }
        row(ui, Health::Good, "agent", agent.unwrap_or("none that the environment shows"))?;
        for agent in &agents {
            row(ui, agent.health, agent.agent.slug, &told(agent, segue.env().now()))?;
            if let Some(hint) = &agent.hint {
                ui.line(&format!("    {} {hint}", ui.paint(Role::Hint, "hint:")))?;
            }
        }
    }
    match report.worst() {
        Health::Bad => Err(CommandError::failed("something is not as it should be")),
        _ => Ok(()),
    }
}

fn row(ui: &mut Ui, health: Health, what: &str, found: &str) -> std::io::Result<()> {
    let (role, mark) = match health {
        Health::Good => (Role::Good, "ok  "),
        Health::Warning => (Role::Warning, "warn"),
        Health::Bad => (Role::Error, "bad "),
    };
    let line = format!("{} {what:<12} {}", ui.paint(role, mark), segue_lib::visible_line(found));
    ui.line(&line)
}

/// An agent in a line.
fn told(agent: &AgentHealth, now: Timestamp) -> String {
    let mut told = vec![match (&agent.version, agent.found) {
        (Some(version), _) => version.clone(),
        (None, true) => "found".to_owned(),
        (None, false) => "not found".to_owned(),
    }];
    told.push(match named(&agent.installed) {
        none if none.is_empty() && agent.old.is_empty() => "not installed".to_owned(),
        some => some.join(", "),
    });
    if !agent.old.is_empty() {
        told.push(format!("of another version: {}", named(&agent.old).join(", ")));
    }
    told.extend(agent.trusted.map(|yes| {
        if yes { "trusted".to_owned() } else { "its hooks are not trusted yet".to_owned() }
    }));
    if !agent.asks.is_never() {
        told.push(format!("asked to save {}", agent.asks.words().join(" and ")));
    }
    match &agent.fired {
        Some(fired) => told.push(format!("{} {}", fired.event, ago(fired.at, now))),
        None if agent.installed.iter().any(|(part, _)| *part == Part::Hooks) => {
            told.push("no hook has fired yet".to_owned());
        }
        None => {}
    }
    if let Some((half, nearly_all, count)) = agent.took {
        told.push(match count {
            1 => format!("its only hook so far took {half:.1} ms"),
            _ => format!("{count} hooks took {half:.1} ms (p50), {nearly_all:.1} ms (p99)"),
        });
    }
    if let Some(failed) = &agent.failed {
        told.push(format!("last error {}: {}", ago(failed.at, now), failed.remark));
    }
    told.retain(|part| !part.is_empty());
    told.join("; ")
}

/// Parts that are for the project say so.
fn named(parts: &[(Part, Scope)]) -> Vec<String> {
    let name = |(part, scope): &(Part, Scope)| match scope {
        Scope::User => part.word().to_owned(),
        Scope::Project => format!("{} (project)", part.word()),
    };
    parts.iter().map(name).collect()
}

fn agent_json(agent: &AgentHealth) -> AgentJson<'_> {
    let at = |fired: &HookFired| fired.at.to_string();
    AgentJson {
        agent: agent.agent.slug,
        found: agent.found,
        version: agent.version.as_deref(),
        installed: named(&agent.installed),
        old: named(&agent.old),
        trusted: agent.trusted,
        asks: agent.asks.words(),
        last_fired: agent.fired.as_ref().map(at),
        last_event: agent.fired.as_ref().map(|fired| fired.event.as_str()),
        last_error: agent.failed.as_ref().map(at),
        error: agent.failed.as_ref().map(|failed| failed.remark.as_str()),
        hooks: agent.took.map_or(0, |(_, _, count)| count),
        p50_ms: agent.took.map(|(half, _, _)| half),
        p99_ms: agent.took.map(|(_, nearly_all, _)| nearly_all),
        health: health_word(agent.health),
        hint: agent.hint.as_deref(),
    }
}

fn health_word(health: Health) -> &'static str {
    match health {
        Health::Good => "good",
        Health::Warning => "warning",
        Health::Bad => "bad",
    }
}

fn finding_json(finding: &Finding) -> FindingJson<'_> {
    FindingJson {
        what: finding.what,
        health: health_word(finding.health),
        found: &finding.found,
        hint: finding.hint.as_deref(),
    }
}
