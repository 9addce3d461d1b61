//! The door that people and agents come in by: arguments in, one use case called, result out.

mod age;
mod cli;
mod commands;
mod editor;
mod error;
mod help;
mod host;
mod input;
mod json;
mod table;
mod ui;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::error::{CommandError, EXIT_INTERNAL};
use crate::ui::Ui;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("error: internal error: {panic}");
        eprintln!("hint: nothing was half written; please report this");
        std::process::exit(i32::from(EXIT_INTERNAL));
    }));
    let mut ui = Ui::new();
    let result = match Cli::try_parse() {
        Ok(cli) => commands::run(cli, &mut ui),
        Err(error) => help::answer(&error, &mut ui),
    };
    let result = result.and_then(|()| ui.finish().map_err(CommandError::from));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(&mut ui),
    }
}
