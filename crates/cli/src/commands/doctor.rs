use clap::Args;
use segue_lib::{Finding, Health, Segue};
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
}

#[derive(Serialize)]
struct FindingJson<'a> {
    what: &'a str,
    health: &'static str,
    found: &'a str,
    hint: Option<&'a str>,
}

pub(crate) fn run(args: &DoctorArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let report = segue.doctor()?;
    let (home, home_from) = host::home()?;
    let agent = segue_lib::detect_agent(host::variable).map(|(agent, _)| agent.slug);
    if args.json {
        let checks = report.findings.iter().map(finding_json).collect();
        let shown = DoctorJson {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            home: home.display().to_string(),
            home_from,
            agent,
            checks,
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

fn finding_json(finding: &Finding) -> FindingJson<'_> {
    let health = match finding.health {
        Health::Good => "good",
        Health::Warning => "warning",
        Health::Bad => "bad",
    };
    FindingJson { what: finding.what, health, found: &finding.found, hint: finding.hint.as_deref() }
}
