//! The door that people and agents come in by: arguments in, one use case called, result out.

mod ask;
mod cli;
mod command_line;
mod commands;
mod editor;
mod error;
mod help;
mod host;
mod input;
mod json;
mod local_time;
mod log;
mod mcp;
mod picker;
mod prompt;
mod signals;
mod start;
mod table;
mod ui;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

use crate::error::{CommandError, EXIT_INTERNAL};
use crate::ui::Ui;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        picker::put_back();
        eprintln!("error: internal error: {panic}");
        eprintln!("hint: nothing was half written; please report this");
        std::process::exit(i32::from(EXIT_INTERNAL));
    }));
    signals::fail_writes_beyond_limit();
    let mut ui = Ui::new();
    let args = checkpoint_last(arguments(std::env::args_os()));
    let is_hook = args.get(1).is_some_and(|arg| arg == "hook");
    let result = match cli::parse(args) {
        Ok(cli) => {
            log::start(cli.verbose);
            commands::run(cli, &mut ui)
        }
        // Whatever an agent was set up with, its session goes on.
        Err(error) if is_hook && error.use_stderr() && !std::io::stdin().is_terminal() => Ok(()),
        Err(error) => help::answer(&error, &mut ui),
    };
    let finished = ui.finish().map_err(CommandError::from);
    // What a hook could not say is in its log.
    let finished = if is_hook { Ok(()) } else { finished };
    let result = result.and(finished);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(&mut ui),
    }
}

/// Arguments as clap takes them. Users of the Go tools write `-json`, `--json=true`; what they mean
/// is plain, since Segue has no bundles of one-letter flags.
fn arguments(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut taken = Vec::new();
    let mut flags = true;
    let mut search = false;
    for (at, arg) in args.enumerate() {
        flags &= arg != "--";
        search |= at == 1 && arg == "search";
        if let Some(word) = arg.to_str().filter(|_| search && flags).and_then(unwanted) {
            taken.push(OsString::from(word));
            continue;
        }
        match arg.to_str().filter(|_| flags && at > 0).and_then(go_flag) {
            Some(Some(flag)) => taken.push(OsString::from(flag)),
            Some(None) => {}
            None => taken.push(arg),
        }
    }
    taken
}

/// A word that a search shall leave out, with a minus sign that is no flag to clap.
fn unwanted(arg: &str) -> Option<String> {
    let word = arg.strip_prefix('-').filter(|word| !word.starts_with('-') && !word.is_empty())?;
    (!matches!(word, "h" | "V" | "v")).then(|| format!("−{word}"))
}

/// agent-handover's `--checkpoint FILE` once stood before its command; it still may.
fn checkpoint_last(mut args: Vec<OsString>) -> Vec<OsString> {
    let count = match args.get(1).and_then(|arg| arg.to_str()) {
        Some("--checkpoint") => 2,
        Some(arg) if arg.starts_with("--checkpoint=") => 1,
        _ => 0,
    };
    if count > 0 && args.len() > 1 + count {
        let flag: Vec<OsString> = args.drain(1..1 + count).collect();
        args.splice(2..2, flag);
    }
    args
}

/// What a flag of the Go kind means here: another spelling, or nothing; `None` if it is no such flag.
fn go_flag(arg: &str) -> Option<Option<String>> {
    let (name, value) =
        arg.split_once('=').map_or((arg, None), |(name, value)| (name, Some(value)));
    let word = name.strip_prefix("--").or_else(|| name.strip_prefix('-'))?;
    let shaped = word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    if !shaped {
        return None;
    }
    match (word, value) {
        ("json" | "latest" | "allow-unsigned", Some("true" | "1" | "t")) => {
            Some(Some(format!("--{word}")))
        }
        ("json" | "latest" | "allow-unsigned", Some("false" | "0" | "f")) => Some(None),
        _ if name.starts_with("--") => None,
        (_, None) => Some(Some(format!("--{word}"))),
        (_, Some(value)) => Some(Some(format!("--{word}={value}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checkpoint_may_be_named_before_the_command() {
        let last = |args: &[&str]| checkpoint_last(args.iter().map(OsString::from).collect());
        let after = ["segue", "check", "--checkpoint", "x"];
        assert_eq!(last(&["segue", "--checkpoint", "x", "check"]), after);
        assert_eq!(
            last(&["segue", "--checkpoint=x", "status"]),
            ["segue", "status", "--checkpoint=x"]
        );
        assert_eq!(last(&after), after);
        assert_eq!(last(&["segue", "--checkpoint", "x"]), ["segue", "--checkpoint", "x"]);
    }

    #[test]
    fn flags_of_the_go_kind_are_understood() {
        let given = [
            "segue",
            "list",
            "-json",
            "--latest=true",
            "--json=false",
            "-tool=codex",
            "-y",
            "-V",
            "--",
            "-json",
        ];
        let taken = arguments(given.iter().map(OsString::from));
        assert_eq!(
            taken,
            ["segue", "list", "--json", "--latest", "--tool=codex", "-y", "-V", "--", "-json"]
        );
    }
}
