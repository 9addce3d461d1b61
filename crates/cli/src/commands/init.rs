use std::fs;
use std::path::PathBuf;

use clap::Args;
use segue_lib::Segue;
use segue_lib::sharing::Trust;
use segue_lib::workspace::InitRequest;
use serde::Serialize;

use super::trust::say_trusted;
use crate::error::CommandError;
use crate::host;
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

/// Lay out a workspace: SOUL.md, MEMORY.md and HANDOFF.md
///
/// SOUL.md says who the agent is, MEMORY.md what it knows, HANDOFF.md where the last session
/// stopped. Files that are there stay as they are. The directory is made if it is not there.
///
/// With --shared the repository carries its own memory instead: handoffs of this project are written
/// into .segue/ at its top, to be committed and pulled with the code. It is trusted here; who clones
/// it says 'segue trust'.
#[derive(Args, Debug)]
pub(crate) struct InitArgs {
    /// The directory [default: the current one]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The agent's name
    #[arg(long, default_value = "agent")]
    name: String,
    /// Replace files that are there; the old ones are kept in the store and their paths printed
    #[arg(long)]
    force: bool,
    /// Make the repository carry its handoffs in .segue/
    #[arg(long, conflicts_with_all = ["force", "name"])]
    shared: bool,
    /// Print an object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct InitJson {
    schema: u32,
    created: Vec<String>,
    skipped: Vec<String>,
    kept: Vec<KeptJson>,
}

#[derive(Serialize)]
struct KeptJson {
    file: String,
    kept: String,
}

#[derive(Serialize)]
struct SharedJson {
    schema: u32,
    memory: String,
    created: Vec<String>,
    handoffs: u64,
}

pub(crate) fn run(args: &InitArgs, ui: &mut Ui) -> Result<(), CommandError> {
    if args.shared {
        return share(args, ui);
    }
    let env = host::env_in(args.dir.as_deref())?;
    fs::create_dir_all(&env.dir).map_err(|error| {
        CommandError::failed(format!("cannot make the directory {}: {error}", env.dir.display()))
    })?;
    let mut request = InitRequest::new(args.name.clone());
    request.force = args.force;
    let outcome = Segue::new(env).workspace().init(&request)?;
    outcome.warnings.iter().for_each(|warning| ui.warning(warning));
    let shown = |path: &PathBuf| path.display().to_string();
    if args.json {
        let kept = outcome.kept.iter();
        return Ok(ui.line(&pretty(&InitJson {
            schema: SCHEMA,
            created: outcome.created.iter().map(shown).collect(),
            skipped: outcome.skipped.iter().map(shown).collect(),
            kept: kept
                .map(|(file, kept)| KeptJson { file: shown(file), kept: shown(kept) })
                .collect(),
        }))?);
    }
    if !outcome.created.is_empty() {
        ui.line(&format!("Created {} file(s):", outcome.created.len()))?;
        for path in &outcome.created {
            ui.line(&format!("  + {}", path.display()))?;
        }
    }
    for (file, kept) in &outcome.kept {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        ui.line(&format!("  the old {name} is kept as {}", kept.display()))?;
    }
    if !outcome.skipped.is_empty() {
        ui.line(&format!("Skipped {} existing file(s):", outcome.skipped.len()))?;
        for path in &outcome.skipped {
            ui.line(&format!(
                "  ~ {} (--force replaces it and keeps the old one)",
                path.display()
            ))?;
        }
    }
    Ok(())
}

fn share(args: &InitArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let segue = Segue::new(host::env_in(args.dir.as_deref())?);
    let planned = segue.trusted_trees().plan(&segue.env().dir);
    // It trusts the repository, which only the user can.
    if !planned.is_ok_and(|planned| planned.before == Trust::Yes) {
        super::refuse_in_agent("segue init --shared")?;
    }
    let outcome = segue.trusted_trees().share()?;
    let shown = |path: &PathBuf| path.display().to_string();
    if args.json {
        return Ok(ui.line(&pretty(&SharedJson {
            schema: SCHEMA,
            memory: shown(&outcome.at),
            created: outcome.created.iter().map(shown).collect(),
            handoffs: outcome.trust.memory.as_ref().map_or(0, |(_, count)| *count),
        }))?);
    }
    match outcome.created.is_empty() {
        true => ui.line(&format!("There already: {}", outcome.at.display()))?,
        false => ui.line(&format!("Created {} file(s):", outcome.created.len()))?,
    }
    for path in &outcome.created {
        ui.line(&format!("  + {}", path.display()))?;
    }
    say_trusted(&outcome.trust, false, ui)?;
    ui.note("commit .segue/ to pass handoffs on; who clones the repository says 'segue trust'");
    Ok(())
}
