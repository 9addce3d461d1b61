//! What the user typed in a Copilot CLI session.

use segue_core::session::{PromptWay, Recorder, Typed};

use super::record::Data;
use crate::blocks::Frames;
use crate::json::{is_set, text};

/// Texts that stand where the user's stand and were written by the agent itself.
const MACHINE: &[&str] = &["<skill-context", "<summary>"];
/// Tags that the agent writes where the user's words stand.
const FRAMES: Frames<'_> = Frames {
    output: &["system_notification"],
    wrapping: &["system_reminder", "system-reminder", "current_datetime"],
    behind: &[],
};
/// Commands of the agent that ask it nothing.
const HOUSEKEEPING: &[&str] = &[
    "/clear",
    "/compact",
    "/context",
    "/cwd",
    "/exit",
    "/feedback",
    "/help",
    "/login",
    "/logout",
    "/mcp",
    "/model",
    "/new",
    "/quit",
    "/rename",
    "/resume",
    "/session",
    "/theme",
    "/usage",
];

/// Takes down what the user typed.
pub(super) fn take(data: &Data<'_>, recorder: &mut Recorder) {
    let Some(whole) = text(data.content) else { return };
    let prompt = FRAMES.outside(&whole);
    let by_machine = is_set(data.source)
        && text(data.source).is_none_or(|source| !matches!(&*source, "user" | "human"))
        || is_set(data.is_autopilot_continuation)
        || is_set(data.cross_session)
        || FRAMES.begins(&whole, |text| MACHINE.iter().any(|begins| text.starts_with(begins)));
    let word = prompt.split_whitespace().next().unwrap_or_default();
    if by_machine || HOUSEKEEPING.contains(&word) {
        return;
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    let is_command =
        word.strip_prefix('/').is_some_and(|name| !name.is_empty() && name.chars().all(is_name));
    let way = if is_command { PromptWay::Command } else { PromptWay::Typed };
    recorder.asked(Typed::by_record(prompt), way);
}
