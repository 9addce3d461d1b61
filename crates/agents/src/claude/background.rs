//! Commands that Claude Code runs in the background: where they print, and how they end.

use segue_core::session::{End, Outcome, Recorder};

use super::prompt::between;

/// What a call is told whose command goes on.
const PRINTS_INTO: &str = "Output is being written to: ";
const NOTIFICATION: &str = "<task-notification>";

/// A command goes on after its call, of which this is told.
pub(super) fn goes_on(call: &str, task: &str, said: &str, recorder: &mut Recorder) {
    recorder.goes_on(call, task);
    if let Some((_, rest)) = said.split_once(PRINTS_INTO) {
        let path = rest.split_whitespace().next().unwrap_or_default();
        recorder.prints_into(task, path.trim_end_matches('.'));
    }
}

/// What somebody who asked for the output was told.
pub(super) fn asked_for(task: &str, said: &str, recorder: &mut Recorder) {
    let streams = ["stdout", "stderr", "output"].iter().filter_map(|name| {
        let (_, rest) = said.split_once(&format!("<{name}>"))?;
        rest.rsplit_once(&format!("</{name}>")).map(|(inside, _)| inside)
    });
    let printed = streams.collect::<Vec<_>>().join("\n");
    let exit = between(said, "<exit_code>", "</exit_code>").and_then(|exit| exit.parse().ok());
    match between(said, "<status>", "</status>") {
        // What was printed so far is not told again.
        Some("running" | "pending") => recorder.printed_later(task, &printed),
        Some(status) => recorder.ended_later(task, end(status, exit), &printed),
        None => {}
    }
}

/// Whether a text is what the agent itself is told when something in the background ends.
pub(super) fn is_notification(text: &str) -> bool {
    text.trim_start().starts_with(NOTIFICATION)
}

/// Something in the background ended.
pub(super) fn notified(text: &str, recorder: &mut Recorder) {
    let Some(task) = between(text, "<task-id>", "</task-id>") else { return };
    if let Some(path) = between(text, "<output-file>", "</output-file>") {
        recorder.prints_into(task, path);
    }
    let Some(status) = between(text, "<status>", "</status>") else { return };
    // `Background command "cargo test" completed (exit code 0)`
    let summary = between(text, "<summary>", "</summary>").unwrap_or_default();
    let exit = summary.rsplit_once("exit code ").map(|(_, rest)| rest);
    let exit = exit.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
    recorder.ended_later(task, end(status, exit), "");
}

/// Exit codes of a program that a signal ended: the agent or a machine stopped it.
const SIGNALLED: &[i32] = &[130, 143];

fn end(status: &str, exit: Option<i32>) -> End {
    let outcome = match (status, exit) {
        // Who stopped it is not said. Mostly the agent did: the user's refusals come as results.
        ("killed" | "stopped", _) => Outcome::Unknown,
        (_, Some(exit)) if SIGNALLED.contains(&exit) => Outcome::Unknown,
        (_, Some(0)) => Outcome::Passed,
        (_, Some(_)) | ("failed", None) => Outcome::Failed,
        (_, None) => Outcome::Unknown,
    };
    End { outcome, exit }
}
