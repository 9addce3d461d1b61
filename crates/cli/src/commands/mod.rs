//! Commands: each takes its arguments, calls one use case and prints what came of it.

pub(crate) mod auto;
pub(crate) mod check;
pub(crate) mod close;
pub(crate) mod compact;
pub(crate) mod completions;
pub(crate) mod continue_in;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod export;
pub(crate) mod extract;
pub(crate) mod filter;
pub(crate) mod forget;
pub(crate) mod gc;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod init;
pub(crate) mod install;
pub(crate) mod keys;
pub(crate) mod layer;
pub(crate) mod list;
pub(crate) mod mcp;
pub(crate) mod note;
pub(crate) mod open;
pub(crate) mod passphrase;
pub(crate) mod pause;
pub(crate) mod project;
pub(crate) mod pull;
pub(crate) mod push;
pub(crate) mod render;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod save;
pub(crate) mod scrub;
pub(crate) mod search;
pub(crate) mod select;
pub(crate) mod sessions;
pub(crate) mod show;
mod show_session;
pub(crate) mod snapshot;
pub(crate) mod status;
pub(crate) mod trust;
pub(crate) mod uninstall;
pub(crate) mod unpause;
pub(crate) mod vault;
pub(crate) mod verify;
pub(crate) mod which;
pub(crate) mod why;

use std::path::Path;

use segue_lib::handoffs::{Found, Speaker};
use segue_lib::maintenance::DirectoryNote;
use segue_lib::{ProjectRef, Segue};

use crate::cli::{Cli, Command};
use crate::error::CommandError;
use crate::input::{Stdin, stdin_kind};
use crate::ui::Ui;
use crate::{help, host};

/// Runs the command that was asked for.
pub(crate) fn run(cli: Cli, ui: &mut Ui) -> Result<(), CommandError> {
    match cli.command {
        None => Ok(ui.raw(help::SHORT)?),
        Some(Command::Resume(args)) => resume::run(&args, &open_in(args.dir.as_deref())?, ui),
        Some(Command::Snapshot(args)) => snapshot::run(&args, &open_in(args.dir.as_deref())?, ui),
        Some(Command::Hook(args)) => hook::run(&args),
        Some(Command::Auto(args)) => auto::run(&args, &open_in(args.vault.dir.as_deref())?, ui),
        Some(Command::Run(args)) => run::run(*args, &open_here()?, ui),
        Some(Command::Check(args)) => check::run(&args, &open_here()?, ui),
        Some(Command::Status(args)) => status::run(&args, &open_here()?, ui),
        Some(Command::Pause(args)) => pause::run(&args, &open_here()?, ui),
        Some(Command::Unpause(args)) => unpause::run(&args, &open_here()?, ui),
        Some(Command::Compact(args)) => compact::run(&args, &open_here()?, ui),
        Some(Command::Init(args)) => init::run(&args, ui),
        Some(Command::Trust(args)) => trust::run(&args, &open_in(args.dir.as_deref())?, ui),
        Some(Command::Install(args)) => install::run(&args, &open_here()?, ui),
        Some(Command::Uninstall(args)) => uninstall::run(&args, &open_here()?, ui),
        Some(Command::Continue(args)) => continue_in::run(&args, &open_here()?, ui),
        Some(Command::Save(args)) => save::run(*args, &open_here()?, ui),
        Some(Command::Open(args)) => open::run(&args, &open_here()?, ui),
        Some(Command::Close(args)) => close::close(&args, &open_here()?, ui),
        Some(Command::Reopen(args)) => close::reopen(&args, &open_here()?, ui),
        Some(Command::Note(args)) => note::run(&args, &open_here()?, ui),
        Some(Command::Why(args)) => why::run(&args, &open_here()?, ui),
        Some(Command::List(args)) => list::run(args, &open_here()?, ui),
        Some(Command::Search(args)) => search::run(&args, &open_here()?, ui),
        Some(Command::Select(args)) => select::run(&args, &open_here()?, ui),
        Some(Command::Sessions(args)) => sessions::run(&args, &open_here()?, ui),
        Some(Command::Extract(args)) => extract::run(&args, &open_here()?, ui),
        Some(Command::Show(args)) => show::run(&args, &open_here()?, ui),
        Some(Command::Render(args)) => render::run(&args, &open_here()?, ui),
        Some(Command::Push(args)) => push::run(&args, &open_in(args.vault.dir.as_deref())?, ui),
        Some(Command::Pull(args)) => pull::run(&args, &open_in(args.vault.dir.as_deref())?, ui),
        Some(Command::Export(args)) => export::run(&args, &open_here()?, ui),
        Some(Command::Import(args)) => import::run(&args, &open_here()?, ui),
        Some(Command::Verify(args)) => verify::run(&args, &open_here()?, ui),
        Some(Command::Keys(args)) => keys::run(&args, &open_here()?, ui),
        Some(Command::Edit(args)) => edit::run(*args, &open_here()?, ui),
        Some(Command::Forget(args)) => forget::run(&args, &open_here()?, ui),
        Some(Command::Gc(args)) => gc::run(&args, &open_here()?, ui),
        Some(Command::Scrub(args)) => scrub::run(&args, &open_here()?, ui),
        Some(Command::Project(args)) => project::run(&args, &open_here()?, ui),
        Some(Command::Index(args)) => index::run(&args, &open_here()?, ui),
        Some(Command::Doctor(args)) => doctor::run(&args, &open_here()?, ui),
        Some(Command::Mcp(args)) => mcp::run(&args, ui),
        Some(Command::Completions(args)) => completions::run(&args, ui),
    }
}

fn open_here() -> Result<Segue, CommandError> {
    Ok(Segue::new(host::env()?))
}

/// Segue for a directory that was named, or the current one.
fn open_in(dir: Option<&Path>) -> Result<Segue, CommandError> {
    Ok(Segue::new(host::env_in(dir)?))
}

/// Says what a reader should know of a handoff besides its text.
fn say_of(found: &Found, segue: &Segue, ui: &mut Ui) {
    if let Some(provenance) = segue.provenance().of_handoff(&found.handoff) {
        let imported = found.handoff.head.fields.imported.as_ref();
        let from = imported.and_then(|imported| imported.from.as_deref()).unwrap_or("elsewhere");
        let from = segue_lib::handoffs::came_from(from);
        ui.note(&segue.redactor().text(format!("imported ({from}): {provenance}")));
    }
    if found.elsewhere {
        ui.note(&format!(
            "nothing is saved here; this is from the project '{}'",
            found.listed.label
        ));
    }
    if let Some(at) = found.expired {
        ui.warning(&format!("this handoff expired at {}", at.short()));
    }
    if found.handoff.head.version.is_newer() {
        ui.warning("this handoff is of a newer format; parts of it may not be understood");
    }
    for file in &found.bad {
        ui.warning(&format!("cannot read {}: {}", file.path.display(), file.reason));
    }
    for problem in &found.handoff.problems {
        let path = found.listed.path.display();
        ui.warning(&format!("{path}: {}", segue.redactor().text(problem.clone())));
    }
}

/// What `--project` means; an empty one is none.
fn project_ref(given: Option<&str>) -> ProjectRef {
    match given {
        None | Some("") => ProjectRef::Here,
        Some(text) => ProjectRef::Given(text.to_owned()),
    }
}

/// Says why this directory is no known project: on a terminal, and anywhere what its user asked for.
fn note_directory(segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    if !ui.is_terminal() && segue.env().project.is_none() {
        return Ok(());
    }
    for note in segue.projects().directory_notes()? {
        if ui.is_terminal() || matches!(note, DirectoryNote::UnknownName(_)) {
            ui.note(&note.to_string());
        }
    }
    Ok(())
}

/// `1 handoff`, `2 handoffs`.
fn handoffs(count: u64) -> String {
    format!("{count} handoff{}", if count == 1 { "" } else { "s" })
}

/// Says what could not be archived, and fails if anything was.
fn unarchived(failed: &[String], ui: &mut Ui) -> Result<(), CommandError> {
    for failure in failed {
        ui.warning(failure);
    }
    match failed {
        [] => Ok(()),
        _ => Err(CommandError::failed(
            "some handoffs could not be archived; they stay where they are",
        )),
    }
}

/// Who speaks where all that is said was typed: the user, at a terminal and outside any agent.
fn speaker(tool: Option<&str>, ui: &Ui) -> Speaker {
    let is_at_terminal = stdin_kind() == Stdin::Terminal && ui.is_terminal();
    match is_at_terminal && tool.is_none() && !host::is_in_agent() {
        true => Speaker::User,
        false => Speaker::Agent,
    }
}

/// Refuses what only the user can decide where an agent runs this: it would decide in the user's place.
fn refuse_in_agent(command: &str) -> Result<(), CommandError> {
    match host::is_in_agent() {
        true => Err(CommandError::usage(format!(
            "'{command}' is for the user to say, not for an agent"
        ))
        .hinted(format!("the user runs '{command}' in a terminal of their own"))),
        false => Ok(()),
    }
}

/// The agent and its session: as said, else as the environment shows.
fn agent(tool: Option<&str>, session: Option<String>) -> (Option<String>, Option<String>) {
    let given = tool.map(str::trim).filter(|tool| !tool.is_empty()).map(str::to_owned);
    let (tool, seen) = segue_lib::agents::agent_of(given, host::variable);
    (tool, session.or(seen))
}
