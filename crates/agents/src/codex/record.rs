//! One record of a Codex transcript, with its envelope or bare.

use std::borrow::Cow;

use segue_core::session::{End, Outcome, PromptWay, Recorder};
use serde::Deserialize;

use super::tools;
use crate::blocks::without_blocks;
use crate::json::{Raw, Value, is_true, list, number, read, shaped, text};
use crate::lines::Taken;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    timestamp: Raw<'a>,
    #[serde(borrow, rename = "type")]
    kind: Raw<'a>,
    #[serde(borrow)]
    payload: Raw<'a>,
    #[serde(borrow)]
    metadata: Raw<'a>,
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    record_type: Raw<'a>,
}

/// Takes down what a record says.
pub(super) fn take(line: &str, recorder: &mut Recorder) -> Taken {
    let Some(record) = read::<Line<'_>>(line) else { return Taken::Damaged };
    if let Some(at) = text(record.timestamp).and_then(|at| at.parse().ok()) {
        recorder.at(at);
    }
    let Some(kind) = text(record.kind) else { return without_kind(&record, line, recorder) };
    match &*kind {
        "session_meta" => meta(record.payload, recorder),
        "turn_context" => turn(record.payload, recorder),
        "response_item" => item(record.payload, record.metadata, recorder),
        "event_msg" => event(record.payload, recorder),
        "compacted" => recorder.compacted(),
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
        meta(Value::of(line), recorder);
        return Taken::Whole;
    }
    if record.record_type.is_some() { Taken::Whole } else { Taken::Damaged }
}

/// Takes down a transcript that is a single value.
pub(super) fn take_single(whole: &str, recorder: &mut Recorder) -> Taken {
    #[derive(Deserialize)]
    struct Whole<'a> {
        #[serde(borrow)]
        session: Raw<'a>,
        #[serde(borrow)]
        items: Raw<'a>,
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

fn meta(payload: Raw<'_>, recorder: &mut Recorder) {
    #[derive(Deserialize)]
    struct Meta<'a> {
        #[serde(borrow)]
        id: Raw<'a>,
        #[serde(borrow)]
        session_id: Raw<'a>,
        #[serde(borrow)]
        cwd: Raw<'a>,
        #[serde(borrow)]
        cli_version: Raw<'a>,
        #[serde(borrow)]
        source: Raw<'a>,
        #[serde(borrow)]
        thread_source: Raw<'a>,
        #[serde(borrow)]
        git: Raw<'a>,
    }
    #[derive(Deserialize)]
    struct Git<'a> {
        #[serde(borrow)]
        branch: Raw<'a>,
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
    let by_agent = meta.source.is_some_and(|source| source.get().starts_with("{\"subagent\""));
    if by_agent || text(meta.thread_source).as_deref() == Some("subagent") {
        recorder.all_aside();
    }
}

fn turn(payload: Raw<'_>, recorder: &mut Recorder) {
    #[derive(Deserialize)]
    struct Turn<'a> {
        #[serde(borrow)]
        cwd: Raw<'a>,
        #[serde(borrow)]
        model: Raw<'a>,
    }
    let Some(turn) = shaped::<Turn<'_>>(payload) else { return };
    text(turn.cwd).iter().for_each(|cwd| recorder.cwd(cwd));
    text(turn.model).iter().for_each(|model| recorder.model(model));
}

/// Something between the model and the agent.
#[derive(Deserialize)]
pub(super) struct Item<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Raw<'a>,
    #[serde(borrow)]
    pub role: Raw<'a>,
    #[serde(borrow)]
    pub content: Raw<'a>,
    #[serde(borrow)]
    pub id: Raw<'a>,
    #[serde(borrow)]
    pub call_id: Raw<'a>,
    #[serde(borrow)]
    pub name: Raw<'a>,
    #[serde(borrow)]
    pub arguments: Raw<'a>,
    #[serde(borrow)]
    pub input: Raw<'a>,
    #[serde(borrow)]
    pub action: Raw<'a>,
    #[serde(borrow)]
    pub output: Raw<'a>,
    #[serde(borrow, rename = "internal_chat_message_metadata_passthrough")]
    pub passed: Raw<'a>,
}

fn item(payload: Raw<'_>, metadata: Raw<'_>, recorder: &mut Recorder) {
    #[derive(Deserialize)]
    struct Metadata<'a> {
        #[serde(borrow)]
        compaction_output: Raw<'a>,
    }
    let Some(item) = shaped::<Item<'_>>(payload) else { return };
    match text(item.kind).as_deref() {
        Some("message") | None => match text(item.role).as_deref() {
            Some("user") => user(&item, recorder),
            Some("assistant") => {
                let metadata = shaped::<Metadata<'_>>(metadata);
                // A summary is the agent's note to itself.
                if !metadata.is_some_and(|metadata| is_true(metadata.compaction_output)) {
                    assistant(&item, recorder);
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

#[derive(Deserialize)]
pub(super) struct Part<'a> {
    #[serde(borrow)]
    pub text: Raw<'a>,
}

/// Texts that stand where the user's stand and were written by the agent itself.
const MACHINE: &[&str] = &[
    "# AGENTS.md instructions",
    "<permissions instructions>",
    "<skills_instructions>",
    "<apps_instructions>",
    "<plugins_instructions>",
    "<collaboration_mode>",
    "<personality_spec>",
    "<model_switch>",
    "<user_shell_command>",
    "<user_action>",
    "<skill>",
    "<image",
    "</image>",
    "Another language model started to solve this problem",
    "Warning: apply_patch was requested via",
    "Warning: The maximum number of unified exec processes",
];
/// Tags around what the agent adds to what the user typed.
const PIPED: &[&str] = &["stdin"];
const BLOCKS: &[&str] = &[
    "stdin",
    "environment_context",
    "user_instructions",
    "INSTRUCTIONS",
    "turn_aborted",
    "subagent_notification",
    "system-reminder",
    "hook_prompt",
    "goal_context",
];
/// What editors put before what the user typed.
const EDITOR: &str = "# Context from my IDE setup:";
const REQUEST: &str = "## My request for Codex:";

fn user(item: &Item<'_>, recorder: &mut Recorder) {
    #[derive(Deserialize)]
    struct Passed<'a> {
        #[serde(borrow)]
        content_item_kinds: Raw<'a>,
    }
    let kinds = shaped::<Passed<'_>>(item.passed).map(|passed| passed.content_item_kinds);
    let kinds: Vec<Value<'_>> = kinds.and_then(shaped).unwrap_or_default();
    let mut prompt = String::new();
    for (at, part) in texts(item.content) {
        let part = part.trim();
        if part.starts_with("<environment_context>") && recorder.session().cwd.is_none() {
            between(part, "<cwd>", "</cwd>").iter().for_each(|cwd| recorder.cwd(cwd));
        }
        if part.starts_with("<turn_aborted>") {
            recorder.interrupted();
        }
        // Newer versions say of each part what it is.
        let kind = kinds.get(at).and_then(|kind| text(Some(*kind)));
        let part = match kind.as_deref() {
            None | Some("unknown") => without_blocks(part, BLOCKS),
            Some("user.text") => without_blocks(part, PIPED),
            Some(_) => continue,
        };
        if kind.is_none_or(|kind| kind == "unknown")
            && MACHINE.iter().any(|begins| part.starts_with(begins))
        {
            continue;
        }
        let typed = part.split_once(REQUEST).filter(|_| part.starts_with(EDITOR));
        let typed = typed.map_or(part, |(_, typed)| typed.trim());
        if !prompt.is_empty() && !typed.is_empty() {
            prompt.push('\n');
        }
        prompt.push_str(typed);
    }
    if accepts_plan(&prompt) {
        recorder.plan_accepted();
    }
    recorder.asked(&prompt, PromptWay::Typed);
}

/// Whether the user wants the plan done: the agent offers these words, others type them.
fn accepts_plan(prompt: &str) -> bool {
    let begins =
        |with: &str| prompt.get(..with.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(with));
    ["implement the plan", "implement this plan", "implement your plan"].into_iter().any(begins)
}

/// The texts of a message and where in it they stand.
fn texts(content: Raw<'_>) -> Vec<(usize, Cow<'_, str>)> {
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

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type")]
    kind: Raw<'a>,
    #[serde(borrow)]
    reason: Raw<'a>,
    #[serde(borrow)]
    thread_name: Raw<'a>,
    #[serde(borrow)]
    info: Raw<'a>,
    #[serde(borrow)]
    item: Raw<'a>,
    #[serde(borrow)]
    num_turns: Raw<'a>,
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
        Some("item_completed") => tools::completed(event.item, recorder),
        Some("exec_command_end") => tools::command(payload, recorder),
        Some("patch_apply_end") => tools::changed(payload, recorder),
        _ => {}
    }
}

fn tokens(info: Raw<'_>, recorder: &mut Recorder) {
    #[derive(Deserialize)]
    struct Info<'a> {
        #[serde(borrow)]
        total_token_usage: Raw<'a>,
        #[serde(borrow)]
        last_token_usage: Raw<'a>,
        #[serde(borrow)]
        model_context_window: Raw<'a>,
    }
    #[derive(Deserialize)]
    struct Usage<'a> {
        #[serde(borrow)]
        input_tokens: Raw<'a>,
        #[serde(borrow)]
        output_tokens: Raw<'a>,
        #[serde(borrow)]
        total_tokens: Raw<'a>,
    }
    let Some(info) = shaped::<Info<'_>>(info) else { return };
    let (Some(total), Some(last)) =
        (shaped::<Usage<'_>>(info.total_token_usage), shaped::<Usage<'_>>(info.last_token_usage))
    else {
        return;
    };
    // The same count is told again when nothing was added.
    let count = total.total_tokens.map_or("", Value::get);
    let of = |raw| number::<u64>(raw).unwrap_or(0);
    let (input, output) = (of(last.input_tokens), of(last.output_tokens));
    recorder.tokens(count, input, output);
    recorder.context(Some(input.saturating_add(output)), number(info.model_context_window));
}

/// The texts of a list of parts, one after the other.
pub(super) fn joined(parts: Raw<'_>) -> String {
    let parts: Vec<Part<'_>> = list(parts);
    let texts: Vec<_> = parts.into_iter().filter_map(|part| text(part.text)).collect();
    texts.join("\n")
}
