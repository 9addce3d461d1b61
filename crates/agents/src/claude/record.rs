//! One record of a Claude Code transcript.

use std::borrow::Cow;
use std::fmt;

use segue_core::session::{End, Outcome, Recorder, TodoStatus, ToolText};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::answers::Refused;
use super::prompt::{self, between};
use super::user::{Queued, is_prompt, queued, user};
use super::{answers, background};
use crate::json::{Fit, Raw, is_set, is_true, list, number, read, shaped, text, wire};
use crate::lines::Taken;
use crate::own_question;
use crate::subagents::{note_start, started_by};

wire! {
    #[serde(rename_all = "camelCase")]
    pub(super) struct Line<'a> {
        pub(super) kind = "type",
        subtype,
        uuid,
        pub(super) parent_uuid,
        session_id,
        timestamp,
        cwd,
        git_branch,
        version,
        is_sidechain,
        pub(super) is_meta,
        pub(super) is_compact_summary,
        pub(super) is_visible_in_transcript_only,
        pub(super) origin,
        pub(super) prompt_source,
        pub(super) turn_origin,
        pub(super) source_tool_use_id = "sourceToolUseID",
        pub(super) source_tool_assistant_uuid = "sourceToolAssistantUUID",
        pub(super) tool_use_id = "toolUseID",
        pub(super) parent_tool_use_id = "parentToolUseID",
        pub(super) hook_name,
        pub(super) is_synthetic,
        pub(super) is_replay,
        pub(super) plan_content,
        pub(super) agent_id,
        pub(super) agent_name,
        pub(super) entrypoint,
        permission_decision,
        #[serde(default)]
        pub(super) message: Fit<Message<'a>>,
        #[serde(default)]
        pub(super) attachment: Fit<Queued<'a>>,
        #[serde(default)]
        pub(super) tool_use_result: Option<Fit<Told<'a>>>,
        custom_title,
        pr_url,
        operation,
        content,
        #[serde(default)]
        compact_metadata: Fit<Compacted<'a>>,
    }

    #[serde(rename_all = "camelCase")]
    pub(super) struct Compacted<'a> {
        post_tokens,
    }

    pub(super) struct Message<'a> {
        id,
        pub(super) role,
        model,
        #[serde(default)]
        pub(super) content: Fit<Content<'a>>,
        #[serde(default)]
        usage: Fit<Usage<'a>>,
    }
}

/// What a message says: a plain text, or blocks.
#[derive(Default)]
pub(super) enum Content<'a> {
    #[default]
    None,
    Text(Cow<'a, str>),
    Blocks(Vec<Fit<Block<'a>>>),
}

impl<'a> Content<'a> {
    pub(super) fn blocks(&self) -> impl Iterator<Item = &Block<'a>> {
        let blocks = if let Self::Blocks(blocks) = self { blocks.as_slice() } else { &[] };
        blocks.iter().filter_map(|block| block.0.as_ref())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Content<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or blocks")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Content<'de>, E> {
                Ok(Content::Text(text.into()))
            }

            fn visit_str<E>(self, text: &str) -> Result<Content<'de>, E> {
                Ok(Content::Text(text.to_owned().into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Content<'de>, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = all.next_element()? {
                    blocks.push(block);
                }
                Ok(Content::Blocks(blocks))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

wire! {
    pub(super) struct Block<'a> {
        pub(super) kind = "type",
        pub(super) text,
        id,
        name,
        #[serde(default)]
        input: Fit<Input<'a>>,
        tool_use_id,
        content,
        is_error,
    }

    pub(super) struct Input<'a> {
        command,
        file_path,
        notebook_path,
        todos,
        plan,
        skill,
        task_id = "taskId",
        /// What goes on in the background, by its id.
        bash_id,
        background_id = "task_id",
        subject,
        status,
        /// What a subagent is to do, in a few words.
        description,
    }
}

/// Takes down what a record says.
pub(crate) fn take(line: &str, recorder: &mut Recorder) -> Taken {
    let Some(record) = read::<Line<'_>>(line) else { return Taken::Damaged };
    let Some(kind) = text(record.kind) else { return Taken::Damaged };
    if is_set(record.is_sidechain) {
        recorder.aside();
    }
    match &*kind {
        "user" | "assistant" | "system" | "attachment" => about(&record, &kind, recorder),
        "custom-title" => {
            text(record.custom_title).iter().for_each(|title| recorder.title(title));
        }
        "queue-operation" => queue(&record, recorder),
        "pr-link" => text(record.pr_url).iter().for_each(|url| recorder.link(url)),
        "progress"
        | "file-history-snapshot"
        | "file-history-delta"
        | "summary"
        | "last-prompt"
        | "mode"
        | "permission-mode"
        | "agent-name"
        | "tools-used"
        | "cost-state"
        | "api-request"
        | "api-request-blob"
        | "api-request-shape"
        | "atis-latch" => {}
        _ => recorder.unknown(),
    }
    place(&record, &kind, recorder);
    match &*kind {
        "user" => user(&record, recorder),
        "assistant" => assistant(&record, recorder),
        "attachment" => queued(&record, recorder),
        "system" if text(record.subtype).as_deref() == Some("compact_boundary") => {
            recorder.compacted();
            let left = record.compact_metadata.0.and_then(|about| number(about.post_tokens));
            left.iter().for_each(|tokens| recorder.context_tokens(*tokens));
        }
        _ => {}
    }
    Taken::Whole
}

/// What the user typed while the agent was at work, as it comes and goes.
fn queue(record: &Line<'_>, recorder: &mut Recorder) {
    if let Some(at) = text(record.timestamp).and_then(|at| at.parse().ok()) {
        recorder.at(at);
    }
    let content = text(record.content);
    let content = content.as_deref().map(str::trim).filter(|content| !content.is_empty());
    match (text(record.operation).as_deref(), content) {
        (Some("enqueue"), content) => prompt::waits(content.unwrap_or_default(), recorder),
        // A record of its own follows.
        (Some("dequeue"), content) => recorder.unqueued(content.map(prompt::waited)),
        (Some("remove"), content) => recorder.read_queued(content.map(prompt::waited)),
        (Some("popAll"), _) => recorder.dropped_queue(),
        _ => {}
    }
}

fn about(record: &Line<'_>, kind: &str, recorder: &mut Recorder) {
    // What hooks and the program itself note when a session is only opened again is no work on it.
    let is_message = match kind {
        "user" | "assistant" => !is_set(record.is_meta),
        "attachment" => record.attachment.0.as_ref().is_some_and(is_prompt),
        _ => false,
    };
    let is_first = recorder.session().began.is_none();
    if let Some(at) = text(record.timestamp).and_then(|at| at.parse().ok())
        && (is_message || is_first)
    {
        recorder.at(at);
    }
    text(record.session_id).iter().for_each(|id| recorder.id(id));
    text(record.version).iter().for_each(|version| recorder.version(version));
    text(record.cwd).iter().for_each(|cwd| recorder.cwd(cwd));
    text(record.git_branch).iter().for_each(|branch| recorder.branch(branch));
}

/// Notes where a record stands in the tree of the conversation. What is no message stands where the
/// message stands that it came after.
fn place(record: &Line<'_>, kind: &str, recorder: &mut Recorder) {
    if is_set(record.is_sidechain) {
        return;
    }
    let Some(uuid) = text(record.uuid) else { return };
    let is_message = match kind {
        "attachment" => record.attachment.0.as_ref().is_some_and(is_prompt),
        kind => !matches!(kind, "system" | "progress"),
    };
    match text(record.parent_uuid) {
        Some(parent) if !is_message => recorder.belongs(&uuid, &parent),
        _ => {
            recorder.is_first(&uuid);
        }
    }
}

fn assistant(record: &Line<'_>, recorder: &mut Recorder) {
    recorder.count_queued();
    let Some(message) = &record.message.0 else { return };
    // Errors of the service are written as if the model had said them.
    let model = text(message.model).filter(|model| *model != "<synthetic>");
    let synthetic = model.is_none() && message.model.is_some();
    model.iter().for_each(|model| recorder.model(model));
    if synthetic {
        recorder.broke_off();
    }
    if let (Some(id), Some(usage)) = (text(message.id), &message.usage.0) {
        let input =
            [usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens];
        let input = input.into_iter().filter_map(number::<u64>).fold(0, u64::saturating_add);
        recorder.tokens(&id, input, number(usage.output_tokens).unwrap_or(0));
    }
    if let (Some(Content::Text(said)), false) = (&message.content.0, synthetic) {
        recorder.said(said);
    }
    for block in message.content.0.iter().flat_map(Content::blocks) {
        match text(block.kind).as_deref() {
            Some("text") if !synthetic => {
                text(block.text).iter().for_each(|said| recorder.said(said));
            }
            Some("tool_use") => call(block, recorder),
            _ => {}
        }
    }
}

wire! {
    pub(super) struct Usage<'a> {
        input_tokens,
        cache_creation_input_tokens,
        cache_read_input_tokens,
        output_tokens,
    }
}

fn call(block: &Block<'_>, recorder: &mut Recorder) {
    let (Some(id), Some(name)) = (text(block.id), text(block.name)) else { return };
    match &*name {
        "AskUserQuestion" => own_question::asks(&id, recorder),
        _ => own_question::asks_nothing(&id, recorder),
    }
    let Some(input) = &block.input.0 else {
        recorder.called(&id, &name);
        return;
    };
    let path = text(input.file_path).or_else(|| text(input.notebook_path));
    match (&*name, path) {
        ("Bash", _) => match text(input.command) {
            Some(command) => recorder.ran(&id, &command),
            None => recorder.called(&id, &name),
        },
        ("Edit" | "MultiEdit" | "NotebookEdit" | "Update", Some(path)) => {
            recorder.edits(&id, &path)
        }
        ("Write", Some(path)) => recorder.creates(&id, &path),
        ("Read" | "NotebookRead", Some(path)) => recorder.reads(&id, &path),
        ("TodoWrite", _) => {
            recorder.changes_todos(&id, &name);
            let todos: Vec<TodoItem<'_>> = list(input.todos);
            let todos: Vec<_> = todos
                .iter()
                .filter_map(|todo| Some((text(todo.content)?, text(todo.status)?)))
                .collect();
            recorder.todos(
                todos.iter().map(|(what, status)| (None, what.as_ref(), TodoStatus::of(status))),
            );
        }
        ("TaskUpdate", _) => {
            recorder.changes_todos(&id, &name);
            if let Some(task) = plain(input.task_id) {
                let status = text(input.status).map(|status| TodoStatus::of(&status));
                recorder.todo(&task, text(input.subject).as_deref(), status);
            }
        }
        (name @ ("BashOutput" | "TaskOutput"), _) => {
            if let Some(task) = text(input.bash_id).or_else(|| text(input.background_id)) {
                recorder.notes.put(&id, &task);
            }
            recorder.called(&id, name);
        }
        ("ExitPlanMode", _) => match text(input.plan) {
            Some(plan) => recorder.plans(&id, &plan),
            None => recorder.called(&id, &name),
        },
        ("Skill" | "SlashCommand", _) => match text(input.skill).or_else(|| text(input.command)) {
            Some(skill) => {
                recorder.uses_skill(&id, skill.split_whitespace().next().unwrap_or(&name))
            }
            None => recorder.called(&id, &name),
        },
        ("Task" | "Agent", _) => {
            recorder.subagent();
            note_start(&id, recorder);
            match text(input.description) {
                Some(task) => recorder.called(&id, &format!("{name}: {task}")),
                None => recorder.called(&id, &name),
            }
        }
        _ => recorder.called(&id, &name),
    }
}

wire! {
    struct TodoItem<'a> {
        content,
        status,
    }
}

/// A text or a number, as a text.
fn plain(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    text(raw).or_else(|| Some(Cow::Borrowed(raw?.get())))
}

/// What stands around what a tool says when it cannot do something.
const TROUBLE: (&str, &str) = ("<tool_use_error>", "</tool_use_error>");
/// Takes down what a call gave back.
pub(super) fn result(record: &Line<'_>, block: &Block<'_>, recorder: &mut Recorder) {
    let Some(id) = text(block.tool_use_id) else { return };
    let nothing = Told::default();
    let told = record.tool_use_result.as_ref().and_then(|told| told.0.as_ref()).unwrap_or(&nothing);
    let failed = is_true(block.is_error);
    let by_user = answers::is_by_user(record.permission_decision);
    if own_question::is_answer(&id, recorder) && !failed && by_user {
        answers::take(told.answers, recorder);
    }
    // Who asks for it by its own id finds it where it was started.
    if let Some(agent) = text(told.agent_id)
        && let Some(at) = recorder.notes.get(&started_by(&id))
    {
        let at = at.to_owned();
        recorder.notes.put(&started_by(&agent), &at);
    }
    // Other tools may answer with something that looks like a task.
    if recorder.only_tool(&id) == Some("TaskCreate")
        && let Some((task, subject)) = created_task(told.task)
    {
        recorder.todo(&task, Some(&subject), None);
    }
    if recorder.notes.get(&started_by(&id)).is_some() {
        recorder.subagent_ended(&id, output(block.content).as_str());
    }
    if failed {
        let said = output(block.content);
        let by = Refused::of(record.permission_decision);
        if by != Refused::Not && answers::is_refusal(&said) {
            // The agent writes such a result as one text.
            let is_own = text(block.content).is_some() && answers::is_own(&id, recorder);
            let stopped = End { outcome: Outcome::Stopped, exit: None };
            recorder.ended(&id, stopped, || Cow::Borrowed(""));
            if by == Refused::ByUser {
                answers::refused(&said, is_own, recorder);
            }
            return;
        }
        let said = said.into_text();
        let exit =
            said.strip_prefix("Exit code ").or_else(|| said.strip_prefix("Error: Exit code "));
        let exit =
            exit.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
        let end = End { outcome: Outcome::Failed, exit };
        recorder.ended(&id, end, || match between(&said, TROUBLE.0, TROUBLE.1) {
            Some(trouble) => trouble.to_owned().into(),
            None => said,
        });
        return;
    }
    if text(told.kind).is_some_and(|kind| kind == "update") {
        recorder.was_there(&id);
    }
    if matches!(recorder.what(&id), Some("BashOutput" | "TaskOutput"))
        && let Some(task) = recorder.notes.get(&id).map(str::to_owned)
    {
        background::asked_for(&task, output(block.content).as_str(), recorder);
    }
    let end = if is_true(told.interrupted) {
        End { outcome: Outcome::Stopped, exit: None }
    } else if let Some(task) = text(told.background_task_id) {
        background::goes_on(&id, &task, output(block.content).as_str(), recorder);
        End { outcome: Outcome::Unknown, exit: None }
    } else {
        End { outcome: Outcome::Passed, exit: recorder.is_run(&id).then_some(0) }
    };
    recorder.ended(&id, end, || output(block.content).into_text());
}

wire! {
    /// What the agent keeps of a result beside what the model is shown.
    #[derive(Default)]
    #[serde(rename_all = "camelCase")]
    pub(super) struct Told<'a> {
        kind = "type",
        interrupted,
        background_task_id,
        agent_id,
        answers,
        task,
    }
}

/// What a tool printed.
fn output(content: Raw<'_>) -> ToolText<'_> {
    ToolText::new(joined(content))
}

/// A text, or those of a list of blocks.
pub(super) fn joined(content: Raw<'_>) -> Cow<'_, str> {
    if let Some(whole) = text(content) {
        return whole;
    }
    let blocks: Vec<Block<'_>> = list(content);
    let texts: Vec<_> = blocks.iter().filter_map(|block| text(block.text)).collect();
    texts.join("\n").into()
}

fn created_task(task: Raw<'_>) -> Option<(String, String)> {
    wire! {
        struct Task<'a> {
            id,
            subject,
        }
    }
    let task: Task<'_> = shaped(task)?;
    Some((plain(task.id)?.into_owned(), text(task.subject)?.into_owned()))
}
