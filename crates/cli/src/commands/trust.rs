use std::path::PathBuf;

use clap::Args;
use segue_lib::sharing::{Trust, TrustOutcome, TrustedTree};
use segue_lib::{Segue, visible_line};
use serde::Serialize;

use super::handoffs;
use crate::error::CommandError;
use crate::json::{SCHEMA, pretty};
use crate::ui::{Role, Ui};

/// Trust this repository: its memory is used, and its plans may run their commands
///
/// A repository can bring handoffs in .segue/. Until this was said nothing of them is read or written.
/// It holds for this repository in all its worktrees; another one that comes to lie here, a clone
/// and a moved one need a word of their own. Trust is kept in your own store, never in the repository.
/// Only you can say it: an agent is refused.
#[derive(Args, Debug)]
pub(crate) struct TrustArgs {
    /// A directory of the repository [default: the current one]
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// List what is trusted
    #[arg(long, conflicts_with_all = ["dir", "remove", "dry_run"])]
    list: bool,
    /// Take it back; nothing is deleted
    #[arg(long)]
    remove: bool,
    /// Only say what would be trusted
    #[arg(long)]
    dry_run: bool,
    /// Print an object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct TrustedJson {
    schema: u32,
    trusted: Vec<TreeJson>,
}

#[derive(Serialize)]
struct TreeJson {
    path: String,
    since: Option<String>,
    state: &'static str,
}

#[derive(Serialize)]
struct TrustJson {
    schema: u32,
    path: String,
    before: &'static str,
    now: &'static str,
    memory: Option<String>,
    handoffs: u64,
    dry_run: bool,
}

pub(crate) fn run(args: &TrustArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    if args.list {
        return list(&segue.trusted_trees().all()?, args.json, ui);
    }
    if !args.remove && !args.dry_run {
        super::refuse_in_agent("segue trust")?;
    }
    let dir = &segue.env().dir;
    let outcome = match (args.remove, args.dry_run) {
        (false, false) => segue.trusted_trees().add(dir)?,
        (false, true) => segue.trusted_trees().plan(dir)?,
        (true, false) => segue.trusted_trees().remove(dir)?,
        (true, true) => segue.trusted_trees().plan_removal(dir)?,
    };
    if let Some(brings) = &outcome.not_used {
        ui.warning(&brings.to_string());
    }
    if args.json {
        let now = if args.remove { "untrusted" } else { "trusted" };
        return Ok(ui.line(&pretty(&TrustJson {
            schema: SCHEMA,
            path: outcome.path.display().to_string(),
            before: word(outcome.before),
            now: if args.dry_run { word(outcome.before) } else { now },
            memory: outcome.memory.as_ref().map(|(at, _)| at.display().to_string()),
            handoffs: outcome.memory.as_ref().map_or(0, |(_, count)| *count),
            dry_run: args.dry_run,
        }))?);
    }
    match args.remove {
        true => say_removed(&outcome, args.dry_run, ui),
        false => say_trusted(&outcome, args.dry_run, ui),
    }
}

/// What is now allowed, exactly.
pub(crate) fn say_trusted(
    outcome: &TrustOutcome,
    dry_run: bool,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let path = visible_line(&outcome.path.display().to_string()).into_owned();
    let verb = match (dry_run, outcome.before) {
        (true, _) => "Would trust",
        (false, Trust::Yes) => "Trusted as before:",
        (false, _) => "Trusted:",
    };
    ui.line(&format!("{verb} {path}"))?;
    match &outcome.memory {
        Some((_, count)) if outcome.not_used.is_none() => {
            ui.line(&format!(
                "  .segue/ with {}: briefings come from it, new handoffs are written into it",
                handoffs(*count)
            ))?;
        }
        _ => ui.line("  it carries no handoffs; 'segue init --shared' makes it carry them")?,
    }
    Ok(ui.line("  plans in the repository may run their commands")?)
}

fn say_removed(outcome: &TrustOutcome, dry_run: bool, ui: &mut Ui) -> Result<(), CommandError> {
    let path = visible_line(&outcome.path.display().to_string()).into_owned();
    if outcome.before == Trust::No {
        return Ok(ui.line(&format!("Not trusted, as before: {path}"))?);
    }
    let verb = if dry_run { "Would no longer trust" } else { "No longer trusted:" };
    ui.line(&format!("{verb} {path}"))?;
    if let Some((_, count)) = &outcome.memory {
        ui.line(&format!(
            "  .segue/ with {} stays as it is, and is neither read nor written",
            handoffs(*count)
        ))?;
    }
    Ok(())
}

fn list(trees: &[TrustedTree], json: bool, ui: &mut Ui) -> Result<(), CommandError> {
    if json {
        let trusted = trees.iter().map(|tree| TreeJson {
            path: tree.path.display().to_string(),
            since: tree.since.map(|at| at.to_string()),
            state: word(tree.trust),
        });
        let shown = TrustedJson { schema: SCHEMA, trusted: trusted.collect() };
        return Ok(ui.line(&pretty(&shown))?);
    }
    if trees.is_empty() {
        ui.note("no repository is trusted");
    }
    for tree in trees {
        let since = tree
            .since
            .map_or_else(String::new, |at| format!(", since {}", at.whole_second().short()));
        let state = match tree.trust {
            Trust::Changed => ", another one lies there now, or none: not trusted",
            _ => "",
        };
        let path = visible_line(&tree.path.display().to_string()).into_owned();
        ui.line(&format!("{}{since}{state}", ui.paint(Role::Title, &path)))?;
    }
    Ok(())
}

fn word(trust: Trust) -> &'static str {
    match trust {
        Trust::Yes => "trusted",
        Trust::No => "untrusted",
        Trust::Changed => "changed",
    }
}
