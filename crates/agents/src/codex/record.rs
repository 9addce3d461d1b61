//! One record of a Codex transcript, with its envelope or bare.

use std::borrow::Cow;

use segue_core::session::{End, Outcome, Recorder};

use super::{fork, prompt, tools};
use crate::json::{Raw, Value, is_true, list, number, read, shaped, text, wire};
use crate::lines::Taken;

wire! {
    struct Line<'a> {
        timestamp,
        kind = "type",
        payload,
        metadata,
        id,
        record_type,
    }
}

/// Takes down what a record says.
pub(super) fn take(line: &str, recorder: &mut Recorder) -> Taken {
    let Some(record) = read::<Line<'_>>(line) else { return Taken::Damaged };
    let (at, kind) = (text(record.timestamp), text(record.kind));
    if let Some(kind) = &kind
        && fork::is_copied(kind, at.as_deref(), record.payload, recorder)
    {
        return Taken::Whole;
    }
    if let Some(at) = at.as_deref().and_then(|at| at.parse().ok()) {
        recorder.at(at);
    }
    let Some(kind) = kind else { return without_kind(&record, line, recorder) };
    match &*kind {
        "session_meta" => meta(record.payload, at.as_deref(), recorder),
        "turn_context" => turn(record.payload, recorder),
        "response_item" => item(record.payload, record.metadata, recorder),
        "event_msg" => event(record.payload, recorder),
        "compacted" => compacted(record.payload, recorder),
        "world_state"
        | "token_usage_record"
        | "inter_agent_communication"
        | "inter_agent_communication_metadata"
        | "security_risk_score" => {}
        // Without an envelope.
        "message"
        | "reasoning"
        | "function_call"
        | "function_call_output"
        | "custom_tool_call"
        | "custom_tool_call_output"
        | "local_shell_call"
        | "local_shell_call_output" => {
            item(Value::of(line), None, recorder);
        }
        _ => recorder.unknown(),
    }
    Taken::Whole
}

/// The oldest begin with a head of no kind, and mark states in between.
fn without_kind(record: &Line<'_>, line: &str, recorder: &mut Recorder) -> Taken {
    if record.kind.is_some() {
        return Taken::Damaged;
    }
    if record.id.is_some() && record.timestamp.is_some() {
        meta(Value::of(line), None, recorder);
        return Taken::Whole;
    }
    if record.record_type.is_some() { Taken::Whole } else { Taken::Damaged }
}

/// Takes down a transcript that is a single value.
pub(super) fn take_single(whole: &str, recorder: &mut Recorder) -> Taken {
    wire! {
        struct Whole<'a> {
            session,
            items,
        }
    }
    let Some(whole) = read::<Whole<'_>>(whole) else { return Taken::Damaged };
    let Some(items) = shaped::<Vec<Value<'_>>>(whole.items) else { return Taken::Damaged };
    recorder.next_record();
    if let Some(session) = whole.session {
        take(session.get(), recorder);
    }
    for item in items {
        recorder.next_record();
        if take(item.get(), recorder) == Taken::Damaged {
            recorder.damaged();
        }
    }
    Taken::Whole
}

fn meta(payload: Raw<'_>, at: Option<&str>, recorder: &mut Recorder) {
    wire! {
        struct Meta<'a> {
            id,
            session_id,
            cwd,
            cli_version,
            source,
            thread_source,
            parent_thread_id,
            agent_role,
            agent_nickname,
            git,
            forked_from_id,
        }

        struct Git<'a> {
            branch,
        }
    }
    // A fork begins with its own and goes on with a copy of the one that it came from.
    if recorder.session().id.is_some() {
        return;
    }
    let Some(meta) = shaped::<Meta<'_>>(payload) else { return };
    let id = text(meta.id).or_else(|| text(meta.session_id));
    id.iter().for_each(|id| recorder.id(id));
    text(meta.cwd).iter().for_each(|cwd| recorder.cwd(cwd));
    text(meta.cli_version).iter().for_each(|version| recorder.version(version));
    let branch = shaped::<Git<'_>>(meta.git).and_then(|git| text(git.branch));
    recorder.began_on(&branch.unwrap_or_default());
    let is_subagent = text(meta.thread_source).as_deref() == Some("subagent")
        || [meta.parent_thread_id, meta.agent_role, meta.agent_nickname]
            .iter()
            .any(Option::is_some);
    if is_subagent || is_by_program(meta.source) {
        recorder.all_aside();
        if text(meta.forked_from_id).is_some() {
            fork::begins(at, recorder);
        }
    }
}

/// Whether something else than the user speaks in a session: another agent whose subagent or server it is, the
/// agent itself, a program that nobody knows.
fn is_by_program(source: Raw<'_>) -> bool {
    wire! {
        struct Other<'a> {
            custom,
        }
    }
    match text(source) {
        Some(known) => !matches!(&*known, "cli" | "vscode" | "exec" | "unknown"),
        None => {
            let custom = shaped::<Other<'_>>(source).and_then(|other| text(other.custom));
            // Surfaces of the vendor's.
            source.is_some() && !custom.is_some_and(|app| matches!(&*app, "atlas" | "chatgpt"))
        }
    }
}

/// What stands before a summary that another session is to go on with.
pub(super) const SUMMED_UP: &str = "Another language model started to solve this problem";

/// The context was compacted; what was before may be summed up.
fn compacted(payload: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Compacted<'a> {
            message,
        }
    }
    recorder.compacted();
    let said = shaped::<Compacted<'_>>(payload).and_then(|compacted| text(compacted.message));
    if let Some(said) = said {
        let summary = match said.starts_with(SUMMED_UP) {
            true => said.split_once('\n').map_or("", |(_, summary)| summary),
            false => &said,
        };
        recorder.summed_up(summary);
    }
}

fn turn(payload: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Turn<'a> {
            cwd,
            model,
        }
    }
    let Some(turn) = shaped::<Turn<'_>>(payload) else { return };
    text(turn.cwd).iter().for_each(|cwd| recorder.cwd(cwd));
    text(turn.model).iter().for_each(|model| recorder.model(model));
}

wire! {
    /// Something between the model and the agent.
    pub(super) struct Item<'a> {
        pub kind = "type",
        pub role,
        pub content,
        pub id,
        pub call_id,
        pub name,
        pub namespace,
        pub arguments,
        pub input,
        pub action,
        pub output,
        pub passed = "internal_chat_message_metadata_passthrough",
    }
}

fn item(payload: Raw<'_>, metadata: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Metadata<'a> {
            compaction_output,
        }
    }
    let Some(item) = shaped::<Item<'_>>(payload) else { return };
    match text(item.kind).as_deref() {
        Some("message") | None => match text(item.role).as_deref() {
            Some("user") => prompt::take(&item, recorder),
            Some("assistant") => {
                let metadata = shaped::<Metadata<'_>>(metadata);
                // A summary is the agent's note to itself.
                match metadata.is_some_and(|metadata| is_true(metadata.compaction_output)) {
                    true => recorder.summed_up(&joined(item.content)),
                    false => assistant(&item, recorder),
                }
            }
            _ => {}
        },
        Some("function_call" | "custom_tool_call" | "local_shell_call") => {
            tools::call(&item, recorder);
        }
        Some("function_call_output" | "custom_tool_call_output" | "local_shell_call_output") => {
            tools::output(&item, recorder);
        }
        _ => {}
    }
}

wire! {
    pub(super) struct Part<'a> {
        pub text,
    }
}

/// The texts of a message and where in it they stand.
pub(super) fn texts(content: Raw<'_>) -> Vec<(usize, Cow<'_, str>)> {
    if let Some(whole) = text(content) {
        return vec![(0, whole)];
    }
    let parts: Vec<Value<'_>> = shaped(content).unwrap_or_default();
    let texts = parts.into_iter().enumerate().filter_map(|(at, part)| {
        Some((at, text(shaped::<Part<'_>>(Some(part)).and_then(|part| part.text))?))
    });
    texts.collect()
}

pub(super) fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inside, _)| inside.trim())
}

const PLAN: (&str, &str) = ("<proposed_plan>", "</proposed_plan>");

fn assistant(item: &Item<'_>, recorder: &mut Recorder) {
    for (_, said) in texts(item.content) {
        match between(&said, PLAN.0, PLAN.1) {
            Some(plan) => {
                planned(plan, recorder);
                recorder.said(&said.replace(PLAN.0, "").replace(PLAN.1, ""));
            }
            None => recorder.said(&said),
        }
    }
}

/// A plan; whether the user accepts it shows only in what is said next.
pub(super) fn planned(plan: &str, recorder: &mut Recorder) {
    recorder.plans("plan", plan);
    recorder.ended("plan", End { outcome: Outcome::Unknown, exit: None }, || Cow::Borrowed(""));
}

wire! {
    struct Event<'a> {
        kind = "type",
        reason,
        thread_name,
        info,
        item,
        num_turns,
        model_context_window,
    }
}

/// Something that the agent showed. What it says of messages stands in the items, too.
fn event(payload: Raw<'_>, recorder: &mut Recorder) {
    let Some(event) = shaped::<Event<'_>>(payload) else { return };
    match text(event.kind).as_deref() {
        Some("turn_aborted") if text(event.reason).is_none_or(|reason| reason == "interrupted") => {
            recorder.interrupted();
        }
        Some("thread_name_updated") => {
            text(event.thread_name).iter().for_each(|name| recorder.title(name));
        }
        Some("thread_rolled_back") => {
            number(event.num_turns).iter().for_each(|turns| recorder.took_back(*turns));
        }
        Some("token_count") => tokens(event.info, recorder),
        Some("error") => recorder.broke_off(),
        Some("task_started") => {
            number(event.model_context_window)
                .iter()
                .for_each(|most| recorder.context_window(*most));
        }
        Some("item_completed") => tools::completed(event.item, recorder),
        Some("exec_command_end") => tools::command(payload, recorder),
        Some("patch_apply_end") => tools::changed(payload, recorder),
        _ => {}
    }
}

fn tokens(info: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Info<'a> {
            total_token_usage,
            last_token_usage,
            model_context_window,
        }

        struct Usage<'a> {
            input_tokens,
            output_tokens,
            total_tokens,
        }
    }
    let Some(info) = shaped::<Info<'_>>(info) else { return };
    number(info.model_context_window).iter().for_each(|most| recorder.context_window(*most));
    let (Some(total), Some(last)) =
        (shaped::<Usage<'_>>(info.total_token_usage), shaped::<Usage<'_>>(info.last_token_usage))
    else {
        return;
    };
    // The same count is told again when nothing was added.
    let count = total.total_tokens.map_or("", Value::get);
    let of = |raw| number::<u64>(raw).unwrap_or(0);
    recorder.tokens(count, of(last.input_tokens), of(last.output_tokens));
}

/// The texts of a list of parts, one after the other.
pub(super) fn joined(parts: Raw<'_>) -> String {
    let parts: Vec<Part<'_>> = list(parts);
    let texts: Vec<_> = parts.into_iter().filter_map(|part| text(part.text)).collect();
    texts.join("\n")
}
