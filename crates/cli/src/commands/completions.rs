use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::cli::Cli;
use crate::error::CommandError;
use crate::ui::Ui;

/// Print completions for a shell
///
/// For example: segue completions bash > ~/.local/share/bash-completion/completions/segue
#[derive(Args, Debug)]
#[command(visible_alias = "completion")]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
    /// Taken for compatibility: descriptions are only where the shell shows them
    #[arg(long, hide = true)]
    no_descriptions: bool,
}

pub(crate) fn run(args: &CompletionsArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let _ = args.no_descriptions;
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "segue", &mut script);
    Ok(ui.raw(&String::from_utf8_lossy(&script))?)
}
