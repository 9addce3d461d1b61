//! What the user typed in a Qwen Code session, and what the agent puts around it.

use segue_core::session::{PromptWay, Recorder, Typed};

use super::record::{Line, Payload, command_before, parts, turn};
use crate::blocks::{AroundFiles, Frames};
use crate::json::{is_set, shaped, text};

/// Texts that stand where the user's stand and were written by the agent itself.
const MACHINE: &[&str] = &[
    "<qwen:",
    "This is the Qwen Code. We are setting up the context",
    "I ran the following shell command:",
];
/// Tags that the agent writes where the user's words stand.
const FRAMES: Frames<'_> = Frames {
    output: &["task-notification"],
    wrapping: &["system-reminder", "hook_context"],
    behind: &["qwen:"],
};

/// Takes down what the user typed.
pub(super) fn take(record: &Line<'_>, recorder: &mut Recorder) {
    let is_or_unsaid =
        |field, word: &str| !is_set(field) || text(field).is_some_and(|said| said == word);
    let by_user = is_or_unsaid(record.provenance, "real_user")
        && is_or_unsaid(record.subtype, "mid_turn_user_message")
        && record.tool_call_result.is_none();
    if !by_user {
        return;
    }
    // The record of a command says what the user typed; what it stands for may be a repository's.
    if let Some(command) = command_before(record, recorder) {
        recorder.is_first(&turn(record));
        recorder.asked(Typed::by_record(&command), PromptWay::Command);
        return;
    }
    recorder.is_first(&turn(record));
    // What the user saw, without what was added for the model.
    let shown = shaped::<Payload<'_>>(record.system_payload);
    let shown = shown.and_then(|payload| text(payload.display_text));
    if let Some(shown) = shown.filter(|shown| !shown.trim().is_empty()) {
        if !is_machines(&shown) {
            recorder.asked(Typed::by_record(FRAMES.outside(&shown)), PromptWay::Typed);
        }
        return;
    }
    let parts = parts(record);
    // What stands beside a result was not typed.
    if parts.iter().any(|part| part.function_response.is_some()) {
        return;
    }
    let texts: Vec<_> = parts.into_iter().filter_map(|part| text(part.text)).collect();
    if texts.iter().any(|text| FRAMES.is_output(text)) {
        return;
    }
    let has_end = texts.iter().any(|text| AroundFiles::of(text).ends);
    let mut typed = Vec::new();
    for text in &texts {
        let own = FRAMES.outside(text);
        if is_machines(text) {
            continue;
        }
        // Files that the user named are the rest of the message.
        let around = AroundFiles::of(own);
        typed.push(around.before);
        // The mark with which they begin may be missing: what the user typed is the first text.
        if around.begin || around.ends || has_end && !around.before.is_empty() {
            break;
        }
    }
    typed.retain(|one| !one.is_empty());
    recorder.asked(Typed::by_record(&typed.join("\n")), PromptWay::Typed);
}

/// Whether the agent wrote a text itself.
fn is_machines(text: &str) -> bool {
    FRAMES.begins(text, |text| MACHINE.iter().any(|begins| text.starts_with(begins)))
}
