//! The words of the command line.

use clap::{Parser, Subcommand};

use crate::commands::{
    completions, doctor, edit, forget, gc, index, list, project, render, save, show,
};

/// Lets the next session of an AI coding agent go on where the last one stopped
#[derive(Debug, Parser)]
#[command(name = "segue", version, disable_help_subcommand = false, max_term_width = 100)]
#[command(after_help = "\
Data goes to standard output, talk to standard error.
Exit codes: 0 done, 1 failed, 64 usage, 65 bad input, 66 not found, 70 internal error, 75 busy.
Environment: SEGUE_HOME (where the store is), NO_COLOR, VISUAL or EDITOR.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Save(Box<save::SaveArgs>),
    List(list::ListArgs),
    Show(show::ShowArgs),
    Render(render::RenderArgs),
    Edit(Box<edit::EditArgs>),
    Forget(forget::ForgetArgs),
    Gc(gc::GcArgs),
    Project(project::ProjectArgs),
    Index(index::IndexArgs),
    Doctor(doctor::DoctorArgs),
    Completions(completions::CompletionsArgs),
}
