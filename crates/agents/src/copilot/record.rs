//! One event of a Copilot CLI session.

use std::borrow::Cow;

use segue_core::session::{End, Outcome, Recorder, TodoStatus, ToolText};

use super::denial::{Denial, Trouble, permission, refused};
use super::{answers, prompt, sql, usage};
use crate::json::{Raw, is_set, list, number, read, shaped, text, wire};
use crate::lines::Taken;
use crate::own_question;
use crate::places::absolute;

wire! {
    #[serde(rename_all = "camelCase")]
    struct Event<'a> {
        kind = "type",
        data,
        id,
        timestamp,
        agent_id,
    }

    /// What an event is about: the fields of all those that matter.
    #[serde(rename_all = "camelCase")]
    pub(super) struct Data<'a> {
        session_id,
        copilot_version,
        selected_model,
        new_model,
        model,
        context,
        cwd,
        branch,
        title,
        summary,
        summary_content,
        pub(super) content,
        pub(super) source,
        pub(super) is_autopilot_continuation,
        pub(super) cross_session,
        message_id,
        tool_requests,
        parent_tool_call_id,
        tool_call_id,
        tool_name,
        mcp_server_name,
        arguments,
        success,
        result,
        error,
        file_edits,
        shell_execution,
        usage,
    }
}

/// Takes down what an event says.
pub(super) fn take(line: &str, recorder: &mut Recorder) -> Taken {
    let Some(event) = read::<Event<'_>>(line) else { return Taken::Damaged };
    let Some(kind) = text(event.kind) else { return Taken::Damaged };
    if let Some(at) = text(event.timestamp).and_then(|at| at.parse().ok()) {
        recorder.at(at);
    }
    let Some(data) = shaped::<Data<'_>>(event.data) else {
        return if event.data.is_none() && !is_known(&kind) {
            recorder.unknown();
            Taken::Whole
        } else {
            Taken::Damaged
        };
    };
    if is_set(event.agent_id) || is_set(data.parent_tool_call_id) {
        recorder.aside();
    }
    match &*kind {
        "session.start" | "session.resume" => begins(&data, recorder),
        "session.context_changed" => is_in(&data, recorder),
        "session.model_change" => text(data.new_model).iter().for_each(|new| recorder.model(new)),
        "session.title_changed" => {
            text(data.title).iter().for_each(|title| recorder.title(title));
        }
        "session.usage_record" => usage::used_by(data.usage, event.id, recorder),
        "assistant.usage" => usage::used_by(event.data, event.id, recorder),
        "session.shutdown" => usage::used_in_all(event.data, recorder),
        "session.compaction_complete" if !is_false(data.success) => {
            recorder.compacted();
            text(data.summary_content).iter().for_each(|summary| recorder.summed_up(summary));
        }
        "session.task_complete" => {
            text(data.summary).iter().for_each(|summary| recorder.said(summary));
        }
        "subagent.started" => recorder.subagent(),
        "abort" => recorder.interrupted(),
        "user.message" => prompt::take(&data, recorder),
        "assistant.message" => assistant(&data, recorder),
        "tool.execution_start" => called(data.tool_call_id, data.tool_name, &data, recorder),
        "tool.execution_complete" => ended(&data, recorder),
        "permission.completed" => permission(data.result, recorder),
        kind if is_known(kind) => {}
        _ => recorder.unknown(),
    }
    Taken::Whole
}

/// Kinds of events come in families, which grow.
fn is_known(kind: &str) -> bool {
    const FAMILIES: &[&str] = &[
        "session",
        "user",
        "assistant",
        "tool",
        "hook",
        "system",
        "subagent",
        "skill",
        "permission",
        "user_input",
        "elicitation",
        "sampling",
        "mcp",
        "command",
        "commands",
        "model",
        "external_tool",
        "exit_plan_mode",
        "capabilities",
        "pending_messages",
        "auto_mode_switch",
    ];
    kind == "abort" || kind.split_once('.').is_some_and(|(family, _)| FAMILIES.contains(&family))
}

fn is_false(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get() == "false")
}

fn key(what: char, id: &str) -> String {
    format!("{what}:{id}")
}

fn begins(data: &Data<'_>, recorder: &mut Recorder) {
    text(data.session_id).iter().for_each(|id| recorder.id(id));
    text(data.copilot_version).iter().for_each(|version| recorder.version(version));
    text(data.selected_model).iter().for_each(|model| recorder.model(model));
    if let Some(context) = shaped::<Data<'_>>(data.context) {
        is_in(&context, recorder);
    }
}

fn is_in(context: &Data<'_>, recorder: &mut Recorder) {
    text(context.cwd).iter().for_each(|cwd| recorder.cwd(cwd));
    recorder.began_on(&text(context.branch).unwrap_or_default());
}

wire! {
    #[serde(rename_all = "camelCase")]
    struct Request<'a> {
        tool_call_id,
        name,
        arguments,
        mcp_server_name,
    }
}

fn assistant(data: &Data<'_>, recorder: &mut Recorder) {
    text(data.model).iter().for_each(|model| recorder.model(model));
    let id = text(data.message_id).unwrap_or_default();
    if let Some(said) = text(data.content).filter(|said| !said.trim().is_empty())
        && (id.is_empty() || recorder.is_first(&key('m', &id)))
    {
        recorder.said(&said);
    }
    for request in list::<Request<'_>>(data.tool_requests) {
        let (id, name) = (request.tool_call_id, request.name);
        of_server(id, request.mcp_server_name, recorder);
        call(id, name, request.arguments, recorder);
    }
}

fn called(id: Raw<'_>, name: Raw<'_>, data: &Data<'_>, recorder: &mut Recorder) {
    of_server(id, data.mcp_server_name, recorder);
    call(id, name, data.arguments, recorder);
}

/// Notes that a server writes what a call gives back, if a record names one.
fn of_server(id: Raw<'_>, server: Raw<'_>, recorder: &mut Recorder) {
    if let (Some(id), Some(_)) = (text(id), server) {
        recorder.is_first(&key(SERVER, &id));
    }
}

wire! {
    #[derive(Default)]
    struct Args<'a> {
        command,
        path,
        file_text,
        input,
        query,
        todos,
        question,
        summary,
    }
}

/// Marks of calls: one that was told, one that writes files, one that writes a plan, one whose result an MCP
/// server or something else outside writes.
const CALL: char = 'c';
const WRITES: char = 'w';
const PLAN: char = 'p';
const SERVER: char = 's';
/// The agent's own tool for questions.
const QUESTION: &str = "ask_user";

/// Takes down a call, which is told when it is asked for and when it begins.
fn call(id: Raw<'_>, name: Raw<'_>, arguments: Raw<'_>, recorder: &mut Recorder) {
    let (Some(id), Some(name)) = (text(id), text(name)) else { return };
    if &*name != QUESTION || recorder.knows(&key(SERVER, &id)) {
        own_question::asks_nothing(&id, recorder);
    }
    if !recorder.is_first(&key(CALL, &id)) {
        return;
    }
    // Some versions write the arguments as a text.
    let written = text(arguments);
    let args = match &written {
        Some(written) => read(written),
        None => shaped(arguments),
    };
    let args: Args<'_> = args.unwrap_or_default();
    let cwd = recorder.session().cwd.clone();
    let path = text(args.path).map(|path| absolute(path, cwd.as_deref()));
    let command = text(args.command);
    // One tool of older versions did everything with files.
    let name = match (&*name, command.as_deref()) {
        ("str_replace_editor", Some("view")) => "view",
        ("str_replace_editor", Some("create")) => "create",
        ("str_replace_editor", _) => "edit",
        (name, _) => name,
    };
    // A server can call its tools what it likes.
    let is_servers = recorder.knows(&key(SERVER, &id));
    match (name, path) {
        ("bash" | "powershell" | "shell", _) if command.is_some() => {
            recorder.ran(&id, &command.unwrap_or_default());
        }
        ("create", Some(path)) if is_plan(&path) && !is_servers => {
            recorder.is_first(&key(PLAN, &id));
            recorder.plans(&id, &text(args.file_text).unwrap_or_default());
        }
        ("edit" | "insert" | "str_replace", Some(path)) if is_plan(&path) => {
            recorder.is_first(&key(WRITES, &id));
            recorder.called(&id, name);
        }
        ("create", Some(path)) => {
            recorder.is_first(&key(WRITES, &id));
            recorder.creates(&id, &path);
        }
        ("edit" | "insert" | "str_replace", Some(path)) => {
            recorder.is_first(&key(WRITES, &id));
            recorder.edits(&id, &path);
        }
        ("view", Some(path)) => recorder.reads(&id, &path),
        ("apply_patch", _) => {
            let patch =
                text(args.input).or(written.as_deref().map(Cow::Borrowed)).unwrap_or_default();
            patches(&id, &patch, cwd.as_deref(), recorder);
        }
        ("sql", _) => {
            text(args.query).iter().for_each(|query| sql::apply(query, recorder));
            recorder.called(&id, name);
        }
        ("update_todo", _) => {
            let todos = text(args.todos).unwrap_or_default();
            recorder.todos(todos.lines().filter_map(todo).map(|(what, done)| (None, what, done)));
            recorder.called(&id, name);
        }
        (QUESTION, _) => {
            if !recorder.knows(&key(SERVER, &id)) {
                own_question::asks(&id, recorder);
            }
            recorder.called(&id, &text(args.question).unwrap_or_default());
        }
        ("exit_plan_mode", _) if !is_servers => {
            let summary = text(args.summary).filter(|_| recorder.session().plan.is_none());
            match summary {
                Some(summary) => recorder.plans(&id, &summary),
                None => recorder.called(&id, name),
            }
            recorder.is_first(&key(PLAN, &id));
        }
        _ => recorder.called(&id, name),
    }
}

/// Whether a file is the plan of a session, which lies beside its events.
fn is_plan(path: &str) -> bool {
    path.replace('\\', "/").contains("/session-state/") && path.ends_with("plan.md")
}

/// A line of a list with boxes to tick.
fn todo(line: &str) -> Option<(&str, TodoStatus)> {
    let line = line.trim_start().trim_start_matches(['-', '*']).trim_start();
    let (mark, what) = line.strip_prefix('[')?.split_once(']')?;
    let status = match mark.trim() {
        "x" | "X" => TodoStatus::Done,
        "" => TodoStatus::Open,
        _ => TodoStatus::Begun,
    };
    Some((what.trim(), status)).filter(|(what, _)| !what.is_empty())
}

/// The files that a patch changes.
fn patches(id: &str, patch: &str, cwd: Option<&str>, recorder: &mut Recorder) {
    let whole = |path: &str| absolute(Cow::Owned(path.trim().to_owned()), cwd).into_owned();
    let mut lines = patch.lines().filter(|line| line.starts_with("*** ")).peekable();
    let mut any = false;
    while let Some(line) = lines.next() {
        let Some((what, path)) = line[4..].split_once(" File: ") else { continue };
        let path = whole(path);
        match (what, lines.peek().and_then(|next| next.strip_prefix("*** Move to: "))) {
            ("Update", Some(to)) => {
                recorder.edits(id, &path);
                recorder.renames(id, &path, &whole(to));
            }
            ("Update", None) => recorder.edits(id, &path),
            ("Add", _) => recorder.creates(id, &path),
            ("Delete", _) => recorder.deletes(id, &path),
            _ => continue,
        }
        any = true;
    }
    if any {
        recorder.is_first(&key(WRITES, id));
    } else {
        recorder.called(id, "apply_patch");
    }
}

wire! {
    struct Output<'a> {
        content,
        contents,
        text_result_for_llm,
        result_type,
    }

    #[serde(rename_all = "camelCase")]
    struct Exit<'a> {
        exit_code,
    }
}

fn ended(data: &Data<'_>, recorder: &mut Recorder) {
    let Some(id) = text(data.tool_call_id) else { return };
    let output = shaped::<Output<'_>>(data.result);
    let trouble = shaped::<Trouble<'_>>(data.error);
    let kind = output.as_ref().and_then(|output| text(output.result_type));
    let message = trouble.as_ref().and_then(|trouble| text(trouble.message));
    let said = output
        .as_ref()
        .and_then(|output| text(output.content).or_else(|| text(output.text_result_for_llm)))
        .or_else(|| message.clone())
        .unwrap_or_default();
    of_server(data.tool_call_id, data.mcp_server_name, recorder);
    let is_answer = own_question::is_answer(&id, recorder) && !recorder.knows(&key(SERVER, &id));
    let denial = Denial::of(data.success, trouble.as_ref(), kind.as_deref());
    if let Some(denial) = denial {
        let is_own = recorder.acts_only(&id) && !recorder.knows(&key(SERVER, &id));
        let stopped = End { outcome: Outcome::Stopped, exit: None };
        recorder.ended(&id, stopped, || Cow::Borrowed(""));
        if denial == Denial::ByUser {
            // Where the record has a place for the reason, nothing else is one.
            let reason = if trouble.is_some() { message.unwrap_or_default() } else { said };
            refused(&ToolText::new(reason), is_own, recorder);
        }
        return;
    }
    let failed = is_false(data.success)
        || data.success.is_none() && kind.as_deref().is_some_and(|kind| kind != "success");
    let mut end =
        End { outcome: if failed { Outcome::Failed } else { Outcome::Passed }, exit: None };
    if recorder.is_run(&id) {
        end.exit = exit(data, output.as_ref(), &said);
        end.outcome = match end.exit {
            Some(0) | None if failed => Outcome::Failed,
            Some(0) => Outcome::Passed,
            Some(_) => Outcome::Failed,
            None if goes_on(&said) => Outcome::Unknown,
            None => Outcome::Passed,
        };
    } else if !failed && !recorder.knows(&key(WRITES, &id)) && !recorder.knows(&key(PLAN, &id)) {
        edited(&id, data.file_edits, recorder);
    }
    let said = ToolText::new(said);
    if is_answer && !failed {
        answers::take(&id, &said, recorder);
    }
    let said = said.into_text();
    let is_plan = recorder.knows(&key(PLAN, &id));
    if is_plan && !failed {
        end.outcome = Outcome::Unknown;
    }
    let accepted = is_plan && said.starts_with("Plan approved");
    let is_run = recorder.is_run(&id);
    recorder.ended(&id, end, || if is_run { printed(said) } else { said });
    if accepted {
        recorder.plan_accepted();
    }
}

/// The exit code of a command: told as such, or in the last line of what it printed.
fn exit(data: &Data<'_>, output: Option<&Output<'_>>, said: &str) -> Option<i32> {
    let told = shaped::<Exit<'_>>(data.shell_execution).and_then(|exit| number(exit.exit_code));
    let blocks = || {
        let blocks: Vec<Exit<'_>> = list(output?.contents);
        blocks.into_iter().find_map(|block| number(block.exit_code))
    };
    told.or_else(blocks).or_else(|| {
        let (_, code) = last_mark(said)?.rsplit_once("exit code ")?;
        code.trim_end_matches('>').trim().parse().ok()
    })
}

/// What the agent adds below what a command printed.
fn last_mark(said: &str) -> Option<&str> {
    said.trim_end().lines().next_back().filter(|line| line.starts_with('<') && line.ends_with('>'))
}

/// What a command printed, without what the agent adds.
fn printed(said: Cow<'_, str>) -> Cow<'_, str> {
    let Some(mark) = last_mark(&said).filter(|mark| mark.contains("exit code")) else {
        return said;
    };
    let length = said.trim_end().len() - mark.len();
    match said[..length].trim() {
        "" => mark.trim_matches(['<', '>']).to_owned().into(),
        printed => printed.to_owned().into(),
    }
}

/// Whether a command was left running.
fn goes_on(said: &str) -> bool {
    last_mark(said).is_some_and(|mark| mark.contains("running") || mark.contains("started"))
}

/// The files that a call changed, where its arguments did not say.
fn edited(id: &str, edits: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Edit<'a> {
            path,
            kind,
        }
    }
    for edit in list::<Edit<'_>>(edits) {
        let Some(path) = text(edit.path).filter(|path| !is_plan(path)) else { continue };
        match text(edit.kind).as_deref() {
            Some("create" | "add") => recorder.creates(id, &path),
            Some("delete" | "remove") => recorder.deletes(id, &path),
            _ => recorder.edits(id, &path),
        }
    }
}
