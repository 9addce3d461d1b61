//! Starts another program in our place: with our terminal, and its exit code is ours. Everything about
//! that which differs between operating systems is here.

use std::io;
use std::process::{Command, Stdio};

use segue_lib::agents::{ContinuePlan, Word};

use crate::error::CommandError;
use crate::host;

/// Starts the agent. Comes back only if that fails.
pub(crate) fn start(plan: &ContinuePlan, agent: &str, input: Option<Stdio>) -> CommandError {
    let mut command = Command::new(&plan.program);
    for word in &plan.words {
        match word {
            Word::Plain(word) => command.arg(word),
            Word::Prompt => command.arg(&plan.prompt),
        };
    }
    for name in &plan.unset {
        command.env_remove(name);
    }
    // Its own hooks need not tell it the same again, but have to know what it goes on from.
    command.env(host::CONTINUED, agent).env(host::CONTINUED_FROM, plan.handoff_id());
    if let Some(input) = input {
        command.stdin(input);
    }
    let error = instead_of_us(&mut command);
    CommandError::failed(format!("cannot start {}: {error}", plan.program.display()))
        .hinted("'--dry-run' shows what would be run")
}

/// No process of ours stays behind.
#[cfg(unix)]
fn instead_of_us(command: &mut Command) -> io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// Waits for it and ends as it did.
#[cfg(not(unix))]
fn instead_of_us(command: &mut Command) -> io::Error {
    // An interrupt from the keyboard is the agent's, not ours.
    let seen = std::sync::Arc::default();
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, seen);
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}
