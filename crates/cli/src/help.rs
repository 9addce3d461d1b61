//! Help, version and usage errors: clap's findings in our voice.

use clap::error::ErrorKind;

use crate::error::CommandError;
use crate::ui::Ui;

/// What bare `segue` prints.
pub(crate) const SHORT: &str = "\
Segue lets the next session of an AI coding agent go on where the last one stopped.

  segue resume     where the last session stopped: start here
  segue continue   start another agent with that
  segue save       leave a handoff (body on stdin, or opens your editor)
  segue snapshot   leave one from what can be seen
  segue open       what is open: steps, failing checks, blockers, rules
  segue list       what there is for this project
  segue select     pick one from a list that you can search
  segue show       read the latest handoff, or one by its id
  segue install    let your agents do this by themselves

  segue --help            every command
  segue COMMAND --help    one command
";

/// Answers what clap did not let through.
pub(crate) fn answer(error: &clap::Error, ui: &mut Ui) -> Result<(), CommandError> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let text = error.render();
            let text = if ui.is_terminal() && ui.paint(crate::ui::Role::Title, "x") != "x" {
                text.ansi().to_string()
            } else {
                text.to_string()
            };
            Ok(ui.raw(&text)?)
        }
        _ => Err(usage_error(error)),
    }
}

/// clap's message is an error line, then tips and usage; ours is one error and one hint.
fn usage_error(error: &clap::Error) -> CommandError {
    let text = error.render().to_string();
    let mut message = Vec::new();
    let mut tips = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(tip) = line.strip_prefix("tip: ") {
            tips.push(tip.to_owned());
        } else if line.starts_with("Usage:") || line.starts_with("For more information") {
            break;
        } else {
            message.push(line.strip_prefix("error: ").unwrap_or(line).to_owned());
        }
    }
    let shown = CommandError::usage(message.join(" "));
    let usage = text.lines().find_map(|line| line.trim().strip_prefix("Usage: "));
    let command = usage.map(|usage| {
        usage
            .split_whitespace()
            .take_while(|word| !word.starts_with(['-', '[', '<']))
            .collect::<Vec<_>>()
            .join(" ")
    });
    let help = format!("'{} --help' shows what there is", command.as_deref().unwrap_or("segue"));
    match tips.into_iter().next() {
        Some(tip) => shown.hinted(tip),
        None => shown.hinted(help),
    }
}
