//! The words of the command line.

use std::ffi::{OsStr, OsString};

use clap::{Arg, ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::{
    auto, check, close, compact, completions, continue_in, doctor, edit, export, extract, forget,
    gc, hook, import, index, init, install, keys, list, mcp, note, open, pause, project, pull,
    push, render, resume, run, save, scrub, search, select, sessions, show, snapshot, status,
    trust, uninstall, unpause, verify, why,
};

/// Lets the next session of an AI coding agent go on where the last one stopped
#[derive(Debug, Parser)]
#[command(name = "segue", version, disable_help_subcommand = false, max_term_width = 100)]
// Users of the Python tools may shorten a long flag as far as it is unique.
#[command(infer_long_args = true)]
#[command(after_help = "\
Data goes to standard output, talk to standard error.
Exit codes: 0 done, 1 failed, 64 usage, 65 bad input, 66 not found, 70 internal error,
75 paused or busy; 'check' and 'select' have their own.
Environment: SEGUE_HOME (where the store is), SEGUE_PROJECT (the project that the directory is),
SEGUE_LOG (as -v; 'debug' says more), NO_COLOR, VISUAL or EDITOR.")]
pub(crate) struct Cli {
    /// Say on standard error what was chosen and why
    #[arg(long, short, global = true, display_order = VERBOSE_ORDER)]
    pub(crate) verbose: bool,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Resume(Box<resume::ResumeArgs>),
    Continue(continue_in::ContinueArgs),
    Save(Box<save::SaveArgs>),
    Snapshot(snapshot::SnapshotArgs),
    Hook(hook::HookArgs),
    Auto(auto::AutoArgs),
    Run(Box<run::RunArgs>),
    Check(check::CheckArgs),
    Status(status::StatusArgs),
    Pause(pause::PauseArgs),
    Unpause(unpause::UnpauseArgs),
    Open(open::OpenArgs),
    Close(close::CloseArgs),
    Reopen(close::ReopenArgs),
    Note(note::NoteArgs),
    Why(why::WhyArgs),
    List(list::ListArgs),
    Search(Box<search::SearchArgs>),
    Select(select::SelectArgs),
    Sessions(sessions::SessionsArgs),
    Extract(extract::ExtractArgs),
    Show(show::ShowArgs),
    Render(render::RenderArgs),
    Export(Box<export::ExportArgs>),
    Import(Box<import::ImportArgs>),
    Verify(verify::VerifyArgs),
    Keys(keys::KeysArgs),
    Push(push::PushArgs),
    Pull(pull::PullArgs),
    Edit(Box<edit::EditArgs>),
    Forget(forget::ForgetArgs),
    Gc(gc::GcArgs),
    Compact(compact::CompactArgs),
    Scrub(scrub::ScrubArgs),
    Init(init::InitArgs),
    Trust(trust::TrustArgs),
    Install(install::InstallArgs),
    Uninstall(uninstall::UninstallArgs),
    Project(project::ProjectArgs),
    Index(index::IndexArgs),
    Doctor(doctor::DoctorArgs),
    Mcp(mcp::McpArgs),
    Completions(completions::CompletionsArgs),
}

/// Reads the command line.
///
/// Describing every command costs more than running most of them. If the first argument names a
/// command, only that one is described; help and mistakes get the whole.
pub(crate) fn parse(args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let whole = || Cli::command();
    let mut command = args.get(1).and_then(|first| only(first)).unwrap_or_else(whole);
    let matches = command.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Where `--verbose` stands among the flags: last but for `--help`.
const VERBOSE_ORDER: usize = 998;

/// The flag that every command has.
fn verbose() -> Arg {
    Arg::new("verbose")
        .long("verbose")
        .short('v')
        .global(true)
        .display_order(VERBOSE_ORDER)
        .action(ArgAction::SetTrue)
        .help("Say on standard error what was chosen and why")
}

/// The program with this one command, if it is one.
fn only(first: &OsStr) -> Option<clap::Command> {
    let program = clap::Command::new("segue")
        .version(env!("CARGO_PKG_VERSION"))
        .max_term_width(100)
        .infer_long_args(true)
        .arg(verbose());
    let of = |name: &'static str, describe: fn(clap::Command) -> clap::Command| {
        Some(program.clone().subcommand(describe(clap::Command::new(name))))
    };
    match first.to_str()? {
        "--version" | "-V" => Some(program),
        "resume" => of("resume", resume::ResumeArgs::augment_args),
        "hook" => of("hook", hook::HookArgs::augment_args),
        "continue" => of("continue", continue_in::ContinueArgs::augment_args),
        "snapshot" => of("snapshot", snapshot::SnapshotArgs::augment_args),
        "auto" => of("auto", auto::AutoArgs::augment_args),
        "run" => of("run", run::RunArgs::augment_args),
        "check" => of("check", check::CheckArgs::augment_args),
        "status" => of("status", status::StatusArgs::augment_args),
        "pause" => of("pause", pause::PauseArgs::augment_args),
        "unpause" => of("unpause", unpause::UnpauseArgs::augment_args),
        "compact" => of("compact", compact::CompactArgs::augment_args),
        "init" => of("init", init::InitArgs::augment_args),
        "trust" => of("trust", trust::TrustArgs::augment_args),
        "install" => of("install", install::InstallArgs::augment_args),
        "uninstall" => of("uninstall", uninstall::UninstallArgs::augment_args),
        "save" | "store" => of("save", save::SaveArgs::augment_args),
        "open" => of("open", open::OpenArgs::augment_args),
        "close" => of("close", close::CloseArgs::augment_args),
        "reopen" => of("reopen", close::ReopenArgs::augment_args),
        "note" => of("note", note::NoteArgs::augment_args),
        "why" => of("why", why::WhyArgs::augment_args),
        "list" => of("list", list::ListArgs::augment_args),
        "search" => of("search", search::SearchArgs::augment_args),
        "select" => of("select", select::SelectArgs::augment_args),
        "sessions" => of("sessions", sessions::SessionsArgs::augment_args),
        "extract" => of("extract", extract::ExtractArgs::augment_args),
        "show" | "retrieve" => of("show", show::ShowArgs::augment_args),
        "render" => of("render", render::RenderArgs::augment_args),
        "export" => of("export", export::ExportArgs::augment_args),
        "import" => of("import", import::ImportArgs::augment_args),
        "verify" => of("verify", verify::VerifyArgs::augment_args),
        "keys" => of("keys", keys::KeysArgs::augment_args),
        "push" => of("push", push::PushArgs::augment_args),
        "pull" => of("pull", pull::PullArgs::augment_args),
        "edit" => of("edit", edit::EditArgs::augment_args),
        "forget" => of("forget", forget::ForgetArgs::augment_args),
        "gc" => of("gc", gc::GcArgs::augment_args),
        "scrub" => of("scrub", scrub::ScrubArgs::augment_args),
        "project" => of("project", project::ProjectArgs::augment_args),
        "index" => of("index", index::IndexArgs::augment_args),
        "mcp" => of("mcp", mcp::McpArgs::augment_args),
        "doctor" => of("doctor", doctor::DoctorArgs::augment_args),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_command_alone_is_described_as_in_the_whole() {
        for command in Cli::command().get_subcommands() {
            let Some(mut alone) = only(OsStr::new(command.get_name())) else { continue };
            let mut whole = Cli::command();
            let help = |program: &mut clap::Command| {
                let args = ["segue", command.get_name(), "--help"];
                program.try_get_matches_from_mut(args).unwrap_err().to_string()
            };
            assert_eq!(help(&mut alone), help(&mut whole), "{}", command.get_name());
        }
    }
}
