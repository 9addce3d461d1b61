//! What stands where a user of Claude Code speaks: typed, a command, or written by the agent itself.

use std::borrow::Cow;

use segue_core::session::{End, Outcome, PromptWay, Recorder};

use crate::blocks::Frames;

/// Who a record says that it is by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    User,
    Machine,
    /// Older versions say nothing.
    Unsaid,
}

/// Beginnings of the tags that the agent writes.
const FRAMES: Frames<'_> = Frames {
    output: &["local-command-", "bash-", "task-notification", "teammate-message"],
    wrapping: &[
        "ide_",
        "system-reminder",
        "user-prompt-submit-hook",
        "user-memory-input",
        "fork-boilerplate",
    ],
};
/// What stands before the summary of a compaction, and what the agent tells itself behind it.
const CONTINUED: &str = "This session is being continued from a previous conversation";
const SUMMARY: &str = "Summary:";
const GO_ON: &[&str] = &[
    "\nIf you need specific details from before compaction",
    "\nPlease continue the conversation from where we left it off",
    "\nContinue the conversation from where it left off",
    "\nContinue with the last task that you were asked to work on",
];
/// Beginnings of what the agent writes itself.
const MACHINE: &[&str] = &[
    "Caveat: The messages below",
    "Base directory for this skill:",
    CONTINUED,
    // What follows a notification.
    "Full transcript available at: ",
    "Read the output file to retrieve the result: ",
];
/// The same, if the record does not say that the user typed it.
const MACHINE_IF_UNSAID: &str = "Caveat: ";
/// What the agent writes when the user accepts a plan and begins anew with it.
const PLAN: &str = "Implement the following plan:";
const INTERRUPTED: &str = "[Request interrupted by user";
/// Commands that the agent carries out by itself: they ask the model for nothing.
const HOUSEKEEPING: &[&str] = &[
    "add-dir",
    "agents",
    "clear",
    "compact",
    "config",
    "context",
    "copy",
    "cost",
    "doctor",
    "exit",
    "export",
    "fast",
    "help",
    "hooks",
    "ide",
    "init-verifiers",
    "keybindings",
    "login",
    "logout",
    "mcp",
    "memory",
    "model",
    "permissions",
    "plugin",
    "quit",
    "rename",
    "resume",
    "rewind",
    "status",
    "statusline",
    "theme",
    "usage",
    "vim",
];

/// Takes down a text that follows another record. If the user went back to that one, what was said
/// since no longer counts.
pub(super) fn take(prompt: &str, by: By, parent: Option<&str>, recorder: &mut Recorder) {
    let prompt = prompt.trim();
    if prompt.starts_with(INTERRUPTED) {
        recorder.interrupted();
        return;
    }
    if by == By::Machine {
        recorder.heard_machine(prompt);
        return;
    }
    if let Some(command) = between(prompt, "<bash-input>", "</bash-input>")
        && prompt.starts_with("<bash-input>")
    {
        recorder.user_ran(command);
    } else if prompt.starts_with("<bash-stdout>") {
        let part = |open, close| between(prompt, open, close).unwrap_or_default();
        let printed = part("<bash-stdout>", "</bash-stdout>");
        let complained = part("<bash-stderr>", "</bash-stderr>");
        recorder.user_command_printed(&format!("{printed}\n{complained}"));
    }
    let whole = prompt;
    let prompt = FRAMES.outside(whole);
    let by_machine = MACHINE.iter().any(|begins| prompt.starts_with(begins))
        || by == By::Unsaid && prompt.starts_with(MACHINE_IF_UNSAID);
    // Older versions do not mark it.
    if by != By::User && prompt.starts_with(CONTINUED) {
        summary(prompt, recorder);
    }
    if by_machine || prompt.is_empty() {
        recorder.heard_machine(whole);
        return;
    }
    parent.iter().for_each(|parent| recorder.follows(parent));
    if prompt.starts_with("<command-name>") || prompt.starts_with("<command-message>") {
        command(prompt, recorder);
    } else if let Some(plan) = prompt.strip_prefix(PLAN) {
        accepted(plan.trim(), recorder);
    } else {
        recorder.asked(prompt, PromptWay::Typed);
    }
}

/// Takes down what the agent summed up when its context was compacted.
pub(super) fn summary(text: &str, recorder: &mut Recorder) {
    let text = text.trim();
    let said = match text.strip_prefix(CONTINUED) {
        Some(rest) => rest.split_once(SUMMARY).map_or(text, |(_, said)| said),
        None => text,
    };
    let end = GO_ON.iter().filter_map(|go_on| said.rfind(go_on)).min().unwrap_or(said.len());
    recorder.summed_up(&said[..end]);
}

/// Whether a text that waits for the agent is the user's.
pub(super) fn is_typed(text: &str) -> bool {
    let text = text.trim();
    !FRAMES.outside(text).is_empty()
        && !text.starts_with('/')
        && !MACHINE.iter().any(|begins| text.starts_with(begins))
        && !text.starts_with("<cross-session-message")
        && !text.starts_with("Another Claude session sent a message")
}

fn command(prompt: &str, recorder: &mut Recorder) {
    let Some(name) = between(prompt, "<command-name>", "</command-name>") else { return };
    let args = between(prompt, "<command-args>", "</command-args>").unwrap_or_default();
    let name = name.trim().trim_start_matches('/');
    if !HOUSEKEEPING.contains(&name) {
        recorder.asked(format!("/{name} {args}").trim_end(), PromptWay::Command);
    }
}

/// The user wants a plan done. Its words are the agent's.
fn accepted(plan: &str, recorder: &mut Recorder) {
    let title = plan.lines().next().unwrap_or_default().trim_start_matches('#').trim();
    recorder.wants(&format!("{PLAN} {title}"), PromptWay::Typed);
    recorder.plans(PLAN, plan);
    recorder.ended(PLAN, End { outcome: Outcome::Passed, exit: None }, || Cow::Borrowed(""));
}

pub(super) fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inside, _)| inside.trim())
}
