//! One record of a Qwen Code transcript.

use std::borrow::Cow;

use segue_core::session::{End, Outcome, Recorder, TodoStatus, ToolText};

use super::{answers, prompt};
use crate::json::{Raw, is_set, is_true, list, number, read, shaped, text, wire};
use crate::lines::Taken;
use crate::own_question;

wire! {
    #[serde(rename_all = "camelCase")]
    pub(super) struct Line<'a> {
        kind = "type",
        pub(super) subtype,
        pub(super) provenance,
        uuid,
        parent_uuid,
        session_id,
        timestamp,
        cwd,
        git_branch,
        version,
        is_sidechain,
        model,
        message,
        usage_metadata,
        pub(super) tool_call_result,
        pub(super) system_payload,
        context_window_size,
    }

    struct Message<'a> {
        parts,
    }

    #[serde(rename_all = "camelCase")]
    pub(super) struct Part<'a> {
        pub(super) text,
        thought,
        function_call,
        pub(super) function_response,
    }

    /// What the agent notes beside the messages.
    #[serde(rename_all = "camelCase")]
    pub(super) struct Payload<'a> {
        pub(super) display_text,
        custom_title,
        model_id,
        compressed_history,
        raw_command,
    }
}

/// Takes down what a record says.
pub(crate) fn take(line: &str, recorder: &mut Recorder) -> Taken {
    let Some(record) = read::<Line<'_>>(line) else { return Taken::Damaged };
    let Some(kind) = text(record.kind) else { return Taken::Damaged };
    if is_set(record.is_sidechain) {
        recorder.aside();
    }
    if matches!(&*kind, "user" | "assistant" | "tool_result" | "system") {
        about(&record, recorder);
    }
    match &*kind {
        "user" => prompt::take(&record, recorder),
        "assistant" => assistant(&record, recorder),
        "tool_result" => {
            for part in parts(&record) {
                result(&record, &part, recorder);
            }
        }
        "system" => system(&record, recorder),
        _ => recorder.unknown(),
    }
    Taken::Whole
}

fn about(record: &Line<'_>, recorder: &mut Recorder) {
    if let Some(at) = text(record.timestamp).and_then(|at| at.parse().ok()) {
        recorder.at(at);
    }
    text(record.session_id).iter().for_each(|id| recorder.id(id));
    text(record.version).iter().for_each(|version| recorder.version(version));
    text(record.cwd).iter().for_each(|cwd| recorder.cwd(cwd));
    text(record.git_branch).iter().for_each(|branch| recorder.branch(branch));
}

pub(super) fn parts<'a>(record: &Line<'a>) -> Vec<Part<'a>> {
    shaped::<Message<'_>>(record.message).map(|message| list(message.parts)).unwrap_or_default()
}

/// What a request of the user is known by: what it follows. Going back to before it follows that, too.
pub(super) fn turn(record: &Line<'_>) -> String {
    format!("after:{}", text(record.parent_uuid).unwrap_or_default())
}

/// Notes the last command that the user typed, behind the record that says so.
const COMMAND: &str = "command";

/// The command that the user typed, if its record is the one that a request follows.
pub(super) fn command_before(record: &Line<'_>, recorder: &Recorder) -> Option<String> {
    let parent = text(record.parent_uuid)?;
    let (uuid, command) = recorder.notes.get(COMMAND)?.split_once(' ')?;
    (uuid == parent).then(|| command.to_owned())
}

/// What stands before what the agent summed up.
const SNAPSHOT: &str = "<state_snapshot>";

fn system(record: &Line<'_>, recorder: &mut Recorder) {
    let payload = || shaped::<Payload<'_>>(record.system_payload);
    match text(record.subtype).as_deref() {
        Some("chat_compression") => {
            recorder.compacted();
            let history = payload().map(|payload| list::<Message<'_>>(payload.compressed_history));
            let texts =
                history.iter().flatten().flat_map(|message| list::<Part<'_>>(message.parts));
            let mut texts = texts.filter_map(|part| text(part.text));
            let summary = texts.find(|text| text.trim_start().starts_with(SNAPSHOT));
            summary.iter().for_each(|summary| {
                let inside = summary.trim().trim_start_matches(SNAPSHOT);
                recorder.summed_up(inside.trim_end_matches("</state_snapshot>"));
            });
        }
        Some("slash_command") => {
            let command = payload().and_then(|payload| text(payload.raw_command));
            let command = command.filter(|command| command.starts_with('/'));
            if let (Some(uuid), Some(command)) = (text(record.uuid), command) {
                recorder.notes.put(COMMAND, &format!("{uuid} {command}"));
            }
        }
        Some("rewind") => recorder.went_back(&turn(record)),
        Some("custom_title") => {
            let title = payload().and_then(|payload| text(payload.custom_title));
            title.iter().for_each(|title| recorder.title(title));
        }
        Some("session_model") => {
            let model = payload().and_then(|payload| text(payload.model_id));
            model.iter().for_each(|model| recorder.model(model));
        }
        _ => {}
    }
}

fn assistant(record: &Line<'_>, recorder: &mut Recorder) {
    wire! {
        #[serde(rename_all = "camelCase")]
        struct Usage<'a> {
            prompt_token_count,
            candidates_token_count,
        }
    }
    text(record.model).iter().for_each(|model| recorder.model(model));
    number(record.context_window_size).iter().for_each(|most| recorder.context_window(*most));
    if let (Some(id), Some(usage)) = (text(record.uuid), shaped::<Usage<'_>>(record.usage_metadata))
    {
        let of = |raw| number::<u64>(raw).unwrap_or(0);
        recorder.tokens(&id, of(usage.prompt_token_count), of(usage.candidates_token_count));
    }
    for part in parts(record) {
        if part.function_call.is_some() {
            call(part.function_call, recorder);
        } else if !is_true(part.thought) {
            text(part.text).iter().for_each(|said| recorder.said(said));
        }
    }
}

wire! {
    struct Args<'a> {
        command,
        is_background,
        file_path,
        absolute_path,
        notebook_path,
        path,
        todos,
        plan,
        questions,
        name,
        arguments,
    }
}

/// The agent's own tool for questions, and the one through which tools are called that are seldom needed.
const QUESTION: &str = "ask_user_question";
const THROUGH: &str = "tool_call";

fn call(raw: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Call<'a> {
            id,
            name,
            args,
        }
    }
    let Some(call) = shaped::<Call<'_>>(raw) else { return };
    let (Some(id), Some(mut name)) = (text(call.id), text(call.name)) else { return };
    let mut args = shaped::<Args<'_>>(call.args);
    if &*name == THROUGH
        && let Some(through) = &args
        && let Some(of) = text(through.name)
    {
        (name, args) = (of, shaped(through.arguments));
    }
    if &*name != QUESTION {
        own_question::asks_nothing(&id, recorder);
    }
    let Some(args) = args else {
        recorder.called(&id, &name);
        return;
    };
    let path = [args.file_path, args.absolute_path, args.notebook_path, args.path];
    let path = path.into_iter().find_map(text);
    match (&*name, path) {
        ("run_shell_command", _) => match text(args.command) {
            Some(command) => {
                if is_true(args.is_background) {
                    recorder.notes.put(&id, BACKGROUND);
                }
                recorder.ran(&id, &command);
            }
            None => recorder.called(&id, &name),
        },
        ("edit" | "replace" | "notebook_edit", Some(path)) => recorder.edits(&id, &path),
        ("write_file", Some(path)) => recorder.creates(&id, &path),
        ("read_file", Some(path)) => recorder.reads(&id, &path),
        ("todo_write", _) => {
            todos(args.todos, recorder);
            recorder.called(&id, &name);
        }
        ("exit_plan_mode", _) => match text(args.plan) {
            Some(plan) => {
                recorder.plans(&id, &plan);
                recorder.is_first(&plan_key(&id));
            }
            None => recorder.called(&id, &name),
        },
        (QUESTION, _) => {
            answers::ask(&id, args.questions, recorder);
            recorder.called(&id, &name);
        }
        ("agent" | "task", _) => {
            recorder.subagent();
            recorder.called(&id, &name);
        }
        _ => recorder.called(&id, &name),
    }
}

const BACKGROUND: &str = "in the background";

/// What says of a call that it proposes a plan.
fn plan_key(id: &str) -> String {
    format!("plan {id}")
}

/// Whether the result of a plan says that the user accepted it. A gate of the agent's own may have let it through.
fn is_approved(said: &str) -> bool {
    said.starts_with("User approved") || said.starts_with("User has approved")
}

fn todos(raw: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Todo<'a> {
            content,
            status,
        }
    }
    let todos: Vec<Todo<'_>> = list(raw);
    let todos: Vec<_> =
        todos.iter().filter_map(|one| Some((text(one.content)?, text(one.status)?))).collect();
    recorder.todos(todos.iter().map(|(what, status)| (None, &**what, TodoStatus::of(status))));
}

wire! {
    #[serde(rename_all = "camelCase")]
    struct Display<'a> {
        exit_code,
        original_content,
    }
}

fn result(record: &Line<'_>, part: &Part<'_>, recorder: &mut Recorder) {
    wire! {
        struct Given<'a> {
            id,
            name,
            response,
        }

        struct Response<'a> {
            output,
            error,
        }

        #[serde(rename_all = "camelCase")]
        struct Told<'a> {
            status,
            result_display,
        }
    }
    let Some(given) = shaped::<Given<'_>>(part.function_response) else { return };
    let Some(id) = text(given.id) else { return };
    let response = shaped::<Response<'_>>(given.response);
    let (output, error) = response.map_or((None, None), |one| (one.output, one.error));
    let said = text(error).or_else(|| text(output)).unwrap_or_default();
    let told = shaped::<Told<'_>>(record.tool_call_result);
    let (status, display) = told.map_or((None, None), |one| (text(one.status), one.result_display));
    let display = shaped::<Display<'_>>(display);
    if status.as_deref() == Some("cancelled") || said.starts_with("[Operation Cancelled]") {
        recorder.ended(&id, End { outcome: Outcome::Stopped, exit: None }, || Cow::Borrowed(""));
        recorder.interrupted();
        return;
    }
    let said = ToolText::new(said);
    let is_own = text(given.name).is_none_or(|name| [QUESTION, THROUGH].contains(&&*name));
    if is_own && error.is_none() {
        answers::take(&id, &said, recorder);
    }
    let said = said.into_text();
    let original = display.as_ref().and_then(|display| display.original_content);
    if original.is_some_and(|original| !matches!(original.get(), "null" | "\"\"")) {
        recorder.was_there(&id);
    }
    let exit = display.and_then(|display| number::<i32>(display.exit_code));
    let exit = exit.or_else(|| exit_in(&said)).filter(|_| recorder.is_run(&id));
    let failed = text(error).is_some() || status.as_deref() == Some("error");
    let outcome = match exit {
        _ if recorder.notes.get(&id) == Some(BACKGROUND) && !failed => Outcome::Unknown,
        Some(exit) if exit != 0 => Outcome::Failed,
        _ if failed => Outcome::Failed,
        None if recorder.is_run(&id) => Outcome::Unknown,
        // A model or nobody can have let it through.
        _ if recorder.knows(&plan_key(&id)) && !is_approved(&said) => Outcome::Unknown,
        _ => Outcome::Passed,
    };
    let exit = exit.filter(|_| outcome != Outcome::Unknown);
    recorder.ended(&id, End { outcome, exit }, || printed(&said).to_owned().into());
}

/// The exit code in what the model is told of a command.
fn exit_in(said: &str) -> Option<i32> {
    let (_, rest) = said.rsplit_once("\nExit Code: ")?;
    rest.lines().next()?.trim().parse().ok()
}

/// What a command printed, out of what the model is told of it; if nothing, how it ended.
fn printed(said: &str) -> &str {
    if !said.starts_with("Command: ") {
        return said;
    }
    let inside = said.split_once("\nOutput: ").map_or(said, |(_, rest)| rest);
    let end = inside.rfind("\nExit Code: ").unwrap_or(inside.len());
    match inside[..end].trim_end_matches("\nError: (none)") {
        "(empty)" => inside[end..].trim_start().lines().next().unwrap_or_default(),
        printed => printed,
    }
}
