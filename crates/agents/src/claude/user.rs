//! Records of a Claude Code transcript in which the user speaks, or something in the user's place.

use segue_core::session::Recorder;

use super::background;
use super::prompt::{self, By};
use super::record::{Block, Content, Line, joined, result};
use crate::json::{is_set, list, text, wire};

wire! {
    /// What the user typed while the agent was at work.
    #[serde(rename_all = "camelCase")]
    pub(super) struct Queued<'a> {
        kind = "type",
        command_mode,
        origin,
        is_meta,
        prompt,
    }
}

/// Takes down a record of what the user said, or what a call gave back.
pub(super) fn user(record: &Line<'_>, recorder: &mut Recorder) {
    let Some(content) = record.message.0.as_ref().and_then(|message| message.content.0.as_ref())
    else {
        return;
    };
    if is_set(record.is_compact_summary) {
        match content {
            Content::Text(whole) => prompt::summary(whole, recorder),
            content => {
                let texts: Vec<_> = content.blocks().filter_map(|one| text(one.text)).collect();
                prompt::summary(&texts.join("\n"), recorder);
            }
        }
        return;
    }
    let record_by = record_by(record);
    if let Content::Text(prompt) = content {
        prompted(record, prompt, record_by, recorder);
        return;
    }
    let texts: Vec<_> = content.blocks().filter_map(|block| text(block.text)).collect();
    // What stands beside a result was not typed.
    let is_result =
        |block: &Block<'_>| text(block.kind).is_some_and(|kind| kind.ends_with("tool_result"));
    let by_machine = content.blocks().any(is_result)
        || texts.iter().any(|one| prompt::is_machines(one, record_by));
    let by = if by_machine { By::Machine } else { record_by };
    // What stands beside a command is what it stands for: the text of a file.
    if by != By::Machine && texts.len() > 1 && texts.iter().any(|one| prompt::is_command(one)) {
        for one in &texts {
            let by = if prompt::is_command(one) { by } else { By::Machine };
            prompted(record, one, by, recorder);
        }
        return;
    }
    match prompt::outside_of_spanning(&texts).filter(|_| by != By::Machine) {
        Some(own) => prompted(record, &own, by, recorder),
        None => {
            for one in content.blocks().filter(|block| text(block.kind).as_deref() == Some("text"))
            {
                let Some(prompt) = text(one.text) else { continue };
                let by = if prompt::is_machines(&prompt, record_by) { record_by } else { by };
                prompted(record, &prompt, by, recorder);
            }
        }
    }
    for block in content.blocks() {
        if text(block.kind).as_deref() == Some("tool_result") {
            result(record, block, recorder);
        }
    }
}

/// Takes down what was read in the middle of the agent's work.
pub(super) fn queued(record: &Line<'_>, recorder: &mut Recorder) {
    let Some(queued) = &record.attachment.0 else { return };
    if text(queued.kind).as_deref() != Some("queued_command") {
        return;
    }
    let said = joined(queued.prompt);
    if background::is_notification(&said) {
        background::notified(&said, recorder);
    }
    let blocks: Vec<Block<'_>> = list(queued.prompt);
    let texts: Vec<_> = blocks.iter().filter_map(|block| text(block.text)).collect();
    let record_by = record_by(record);
    // What stands beside output was not typed.
    let by_machine = !is_prompt(queued)
        || texts.iter().any(|one| prompt::is_machines(one, record_by))
        || background::is_notification(&said);
    let by = if by_machine { By::Machine } else { record_by };
    recorder.settle_queued(prompt::waited(&said), by != By::Machine);
    if is_prompt(queued) && !background::is_notification(&said) {
        let own = prompt::outside_of_spanning(&texts).filter(|_| by != By::Machine);
        prompted(record, own.as_deref().unwrap_or(&said), by, recorder);
    }
}

/// Whether something that waited was a prompt.
pub(super) fn is_prompt(queued: &Queued<'_>) -> bool {
    text(queued.kind).as_deref() == Some("queued_command")
        && (queued.command_mode.is_none()
            || text(queued.command_mode).is_some_and(|mode| mode == "prompt"))
        && !is_set(queued.is_meta)
        && !prompt::is_by_machine(queued.origin)
}

/// A source that is not known is the user's if the record names the user besides.
fn is_source_of_user(record: &Line<'_>) -> bool {
    match text(record.prompt_source).as_deref() {
        Some("typed" | "sdk") => true,
        Some("system") => false,
        _ => record.prompt_source.is_none() || record.origin.is_some(),
    }
}

/// Who a record says that it is by.
fn record_by(record: &Line<'_>) -> By {
    let by_another = [
        record.is_meta,
        record.is_visible_in_transcript_only,
        record.is_synthetic,
        record.is_replay,
        // What a call or a hook put there.
        record.tool_use_id,
        record.parent_tool_use_id,
        record.hook_name,
        // Another agent.
        record.agent_id,
        record.agent_name,
    ];
    let role = record.message.0.as_ref().and_then(|message| message.role);
    let by_machine = by_another.into_iter().any(is_set)
        || prompt::is_by_machine(record.origin)
        || prompt::is_turn_of_machine(record.turn_origin)
        // What a call gave back, or put there.
        || record.tool_use_result.is_some()
        || record.source_tool_use_id.is_some()
        || record.source_tool_assistant_uuid.is_some()
        || role.is_some() && text(role).is_none_or(|role| role != "user")
        || prompt::is_led_by_program(record.entrypoint)
        || !is_source_of_user(record);
    let is_signed = record.origin.is_some()
        || text(record.prompt_source).is_some_and(|source| source == "typed");
    match (by_machine, is_signed) {
        (true, _) => By::Machine,
        (false, true) => By::User,
        (false, false) => By::Unsaid,
    }
}

fn prompted(record: &Line<'_>, prompt: &str, by: By, recorder: &mut Recorder) {
    if background::is_notification(prompt) {
        background::notified(prompt, recorder);
    }
    if recorder.was_read_queued(prompt::waited(prompt)) {
        return;
    }
    // Beside a plan that the user accepted there is nothing that the user typed.
    let by = match is_set(record.plan_content) && !prompt::is_plan(prompt) {
        true => By::Machine,
        false => by,
    };
    let parent = text(record.parent_uuid).filter(|_| text(record.kind).as_deref() == Some("user"));
    prompt::take(prompt, by, parent.as_deref(), recorder);
}
