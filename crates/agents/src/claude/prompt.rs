//! What stands where a user of Claude Code speaks: typed, a command, or written by the agent itself.

use std::borrow::Cow;

use segue_core::session::{End, Outcome, PromptWay, Recorder, Typed};

use crate::blocks::Frames;
use crate::json::{Raw, is_set, shaped, text, wire};

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
    output: &[
        "local-command-",
        "bash-",
        "task-notification",
        "teammate-message",
        "cross-session-message",
        "channel",
        "tool_use_error",
        "persisted-output",
    ],
    wrapping: &[
        "ide_",
        "system-reminder",
        "user-prompt-submit-hook",
        "user-memory-input",
        "fork-boilerplate",
        "new-diagnostics",
    ],
    behind: &[],
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
    "Another Claude session sent a message",
];
/// The same, if the record does not say that the user typed it.
const MACHINE_IF_UNSAID: &[&str] = &["Caveat: "];
/// How older versions begin what hooks say: the event, what it is about, and what the hook did.
const EVENTS: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Setup",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Notification",
    "PermissionRequest",
];
const DID: &[&str] =
    &["additional context", "success", "feedback", "blocking error", "error", "stopped", "failed"];

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

/// Whether something says that no person wrote it.
pub(super) fn is_by_machine(origin: Raw<'_>) -> bool {
    wire! {
        struct Origin<'a> {
            kind,
        }
    }
    let kind = shaped::<Origin<'_>>(origin).and_then(|origin| text(origin.kind));
    origin.is_some() && kind.is_none_or(|kind| kind != "human")
}

/// Whether a turn was begun by something else than a prompt: typed, or given when the agent was started.
pub(super) fn is_turn_of_machine(origin: Raw<'_>) -> bool {
    origin.is_some() && text(origin).is_none_or(|by| !matches!(&*by, "human" | "sdk"))
}

/// Whether a program leads the session in which a record stands: a client of the agent's server, or a workflow that
/// starts it with what anybody wrote in an issue.
pub(super) fn is_led_by_program(entrypoint: Raw<'_>) -> bool {
    is_set(entrypoint)
        && text(entrypoint).is_none_or(|by| by == "mcp" || by.ends_with("github-action"))
}

/// Whether a text is a plan that the user accepted.
pub(super) fn is_plan(text: &str) -> bool {
    text.trim_start().starts_with(PLAN)
}

/// What the user typed in the texts of a record, if a frame goes on from one of them into another.
pub(super) fn outside_of_spanning(texts: &[Cow<'_, str>]) -> Option<String> {
    FRAMES.outside_of_spanning(texts)
}

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
    let by_machine = begins_by_machine(whole, by);
    // Older versions do not mark it.
    if by != By::User && prompt.starts_with(CONTINUED) {
        summary(prompt, recorder);
    }
    if by_machine || prompt.is_empty() {
        recorder.heard_machine(whole);
        return;
    }
    parent.iter().for_each(|parent| recorder.follows(parent));
    if is_command(prompt) {
        command(prompt, recorder);
    } else if let Some(plan) = prompt.strip_prefix(PLAN) {
        accepted(plan.trim(), recorder);
    } else {
        recorder.asked(Typed::by_record(prompt), PromptWay::Typed);
    }
}

/// Whether a text is a command of the agent, with what stands behind it.
pub(super) fn is_command(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("<command-name>") || text.starts_with("<command-message>")
}

/// Whether a text of a record is such that nothing in the record was typed.
pub(super) fn is_machines(text: &str, by: By) -> bool {
    FRAMES.is_output(text)
        || text.trim_start().starts_with(INTERRUPTED)
        || begins_by_machine(text.trim(), by)
}

/// Whether a text begins as the agent itself writes.
fn begins_by_machine(text: &str, by: By) -> bool {
    FRAMES.begins(text, |text| {
        let is_one = |begins: &&str| text.starts_with(begins);
        MACHINE.iter().any(is_one)
            || by == By::Unsaid && (is_of_hook(text) || MACHINE_IF_UNSAID.iter().any(is_one))
    })
}

fn is_of_hook(text: &str) -> bool {
    let Some((event, did)) = text.split_once(" hook ") else { return false };
    let (event, about) = event.split_once(':').unwrap_or((event, ""));
    EVENTS.contains(&event)
        && !about.contains(char::is_whitespace)
        && DID.iter().any(|what| did.starts_with(what))
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

/// Takes down a text that waits for the agent.
pub(super) fn waits(text: &str, recorder: &mut Recorder) {
    match typed(text) {
        Some(own) => recorder.queued(Typed::by_record(own)),
        None => recorder.queued_by_machine(text),
    }
}

/// By what a text that waited for the agent is known.
pub(super) fn waited(text: &str) -> &str {
    typed(text).unwrap_or(text)
}

/// What the user typed of a text that waits for the agent.
fn typed(text: &str) -> Option<&str> {
    let own = FRAMES.outside(text);
    let by_machine = own.is_empty()
        || own.starts_with('/')
        || FRAMES.begins(text, |text| {
            is_of_hook(text) || MACHINE.iter().any(|begins| text.starts_with(begins))
        });
    (!by_machine).then_some(own)
}

const NAME: (&str, &str) = ("<command-name>", "</command-name>");
const ARGUMENTS: (&str, &str) = ("<command-args>", "</command-args>");
/// What stands last if the command is a skill.
const SKILL_MARK: &str = "<skill-format>true</skill-format>";
/// Bytes of a command's name.
const LONGEST_NAME: usize = 100;

/// Takes down a command of the agent. What it shows of itself may be a repository's, and may have the same
/// tags: the user's arguments are the last thing, and the name is the first one or stands right before them.
fn command(prompt: &str, recorder: &mut Recorder) {
    let prompt = prompt.trim_end();
    let prompt = prompt.strip_suffix(SKILL_MARK).map_or(prompt, str::trim_end);
    let inside = prompt.strip_suffix(ARGUMENTS.1);
    let with = inside.and_then(|inside| inside.rsplit_once(ARGUMENTS.0));
    let (before, args) = with.unwrap_or((prompt, ""));
    let name = match before.strip_prefix(NAME.0) {
        Some(rest) => rest.split_once(NAME.1).map(|(name, _)| name),
        None => before
            .trim_end()
            .strip_suffix(NAME.1)
            .and_then(|rest| Some(rest.rsplit_once(NAME.0)?.1)),
    };
    let Some(name) = name.map(|name| name.trim().trim_start_matches('/')) else { return };
    let is_name =
        !name.is_empty() && name.len() <= LONGEST_NAME && !name.contains(char::is_whitespace);
    if is_name && !HOUSEKEEPING.contains(&name) {
        let typed = format!("/{name} {}", args.trim());
        recorder.asked(Typed::by_record(typed.trim_end()), PromptWay::Command);
    }
}

/// The user wants a plan done. Its words are the agent's.
fn accepted(plan: &str, recorder: &mut Recorder) {
    let title = plan.lines().next().unwrap_or_default().trim_start_matches('#').trim();
    recorder.takes_up(&format!("{PLAN} {title}"));
    recorder.plans(PLAN, plan);
    recorder.ended(PLAN, End { outcome: Outcome::Passed, exit: None }, || Cow::Borrowed(""));
}

pub(super) fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inside, _)| inside.trim())
}
