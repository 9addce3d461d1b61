//! Calls of tools in a Codex transcript, and how they ended.

use std::borrow::Cow;
use std::collections::BTreeMap;

use segue_core::session::{End, Outcome, Recorder, TodoStatus, ToolText};
use serde::Deserialize;

use super::record::{Item, joined, planned};
use super::{answers, patch};
use crate::json::{Raw, Value, is_true, list, number, read, shaped, text, wire};
use crate::own_question;
use crate::subagents::{note_start, started_by};

wire! {
    struct Arguments<'a> {
        cmd,
        command,
        workdir,
        patch,
        input,
        plan,
        session_id,
        questions,
    }
}

/// The agent's own tool for questions.
const QUESTION: &str = "request_user_input";

/// The model called a tool.
pub(super) fn call(item: &Item<'_>, recorder: &mut Recorder) {
    let Some(id) = text(item.call_id).or_else(|| text(item.id)) else { return };
    recorder.notes.put(&id, "");
    let name = text(item.name).unwrap_or(Cow::Borrowed("shell"));
    // A server's tool has the server as its namespace.
    let asks = &*name == QUESTION && text(item.namespace).is_none();
    if !asks {
        own_question::asks_nothing(&id, recorder);
    }
    if let Some(input) = text(item.input) {
        match &*name {
            "apply_patch" => patch::tell(&id, &input, None, recorder),
            _ => recorder.called(&id, &name),
        }
        return;
    }
    // A text with JSON in it; some versions had the value itself.
    let given = item.arguments.or(item.action);
    let given = text(given).or_else(|| Some(Cow::Borrowed(given?.get())));
    let given = given.as_deref().and_then(read::<Arguments<'_>>);
    match given {
        Some(given) if asks => {
            answers::ask(&id, given.questions, recorder);
            recorder.called(&id, &name);
        }
        Some(given) => call_with(&id, &name, &given, recorder),
        None => recorder.called(&id, &name),
    }
}

fn call_with(id: &str, name: &str, given: &Arguments<'_>, recorder: &mut Recorder) {
    match name {
        "apply_patch" => match text(given.patch).or_else(|| text(given.input)) {
            Some(patch) => patch::tell(id, &patch, text(given.workdir).as_deref(), recorder),
            None => recorder.called(id, name),
        },
        "update_plan" => {
            recorder.changes_todos(id, name);
            plan(given.plan, recorder);
        }
        "write_stdin" => {
            // What it ends is the command that it writes to.
            let session = given.session_id.map(|session| session.get().trim_matches('"'));
            let of = session.and_then(|session| recorder.notes.get(&running(session)));
            if let Some(of) = of.map(str::to_owned) {
                recorder.notes.put(id, &of);
            }
        }
        "spawn_agent" => {
            recorder.subagent();
            note_start(id, recorder);
            recorder.called(id, name);
        }
        _ => match script(given.cmd).or_else(|| script(given.command)) {
            Some(script) => run(id, &script, text(given.workdir).as_deref(), recorder),
            None => recorder.called(id, name),
        },
    }
}

/// What a command that goes on is noted under.
fn running(session: &str) -> String {
    format!("session {session}")
}

fn run(id: &str, script: &str, workdir: Option<&str>, recorder: &mut Recorder) {
    match patch::in_command(script) {
        Some((patch, Some(dir))) => {
            let dir = patch::absolute(dir, workdir, recorder);
            patch::tell(id, patch, Some(&dir), recorder);
        }
        Some((patch, None)) => patch::tell(id, patch, workdir, recorder),
        None => {
            let dir = workdir.map(|dir| dir.strip_prefix("file://").unwrap_or(dir));
            recorder.ran_in(id, script, dir);
        }
    }
}

/// The command line: a text, or the words with which a shell was started.
fn script(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    if let Some(line) = text(raw) {
        return Some(line);
    }
    let words: Vec<Value<'_>> = shaped(raw)?;
    let words: Vec<_> = words.into_iter().filter_map(|word| text(Some(word))).collect();
    if let [shell, option, script] = &words[..] {
        let shell = shell.rsplit(['/', '\\']).next().unwrap_or(shell);
        let shell = shell.strip_suffix(".exe").unwrap_or(shell);
        if matches!(shell, "bash" | "sh" | "zsh" | "powershell" | "pwsh" | "cmd")
            && option.starts_with(['-', '/'])
        {
            return Some(script.clone().into_owned().into());
        }
    }
    (!words.is_empty()).then(|| words.join(" ").into())
}

fn plan(steps: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Step<'a> {
            step,
            status,
        }
    }
    let steps: Vec<Step<'_>> = list(steps);
    let steps: Vec<_> =
        steps.iter().filter_map(|one| Some((text(one.step)?, text(one.status)?))).collect();
    recorder.todos(steps.iter().map(|(step, status)| (None, &**step, TodoStatus::of(status))));
}

/// The call that started a subagent says which one.
fn started(id: &str, said: &str, recorder: &mut Recorder) {
    wire! {
        struct Spawned<'a> {
            agent_id,
        }
    }
    let Some(at) = recorder.notes.get(&started_by(id)).map(str::to_owned) else { return };
    if let Some(agent) = read::<Spawned<'_>>(said).and_then(|spawned| text(spawned.agent_id)) {
        recorder.notes.put(&started_by(&agent), &at);
    }
}

/// Beginnings of what is told of a call that the user did not allow or stopped.
const STOPPED: &[&str] = &[
    "exec command rejected by user",
    "patch rejected",
    "rejected by user",
    "user rejected",
    "aborted by user",
];
/// Beginnings of what is told of a call that did not come about.
const FAILED: &[&str] = &[
    "apply_patch verification failed",
    "execution error",
    "exec_command failed",
    "write_stdin failed",
    "failed ",
    "Failed ",
    "unsupported call",
    "unsupported custom tool call",
    "error: ",
    "Error: ",
    "err: ",
];

/// What is told of a patch that went through.
const PATCHED: &str = "Success. Updated the following files";

/// A call ended, or goes on for itself.
pub(super) fn output(item: &Item<'_>, recorder: &mut Recorder) {
    let Some(id) = text(item.call_id).or_else(|| text(item.id)) else { return };
    let of = recorder.notes.get(&id).filter(|of| !of.is_empty()).map(str::to_owned);
    let of = of.as_deref().unwrap_or(&id);
    let (said, success) = printed(item.output);
    answers::take(&id, &said, recorder);
    let said = said.into_text();
    started(&id, &said, recorder);
    let (head, body) = head(&said);
    if let Some(session) = head.running {
        recorder.notes.put(&running(session), of);
        recorder.printed(of, body);
        return;
    }
    let (exit, body) = match wrapped(&said) {
        Some((exit, output)) => (exit, Cow::Owned(output)),
        None => (head.exit, Cow::Borrowed(body)),
    };
    let begins = |list: &[&str]| list.iter().any(|begins| body.starts_with(begins));
    let outcome = match exit {
        _ if head.stopped || begins(STOPPED) => Outcome::Stopped,
        Some(0) => Outcome::Passed,
        Some(_) => Outcome::Failed,
        None if success == Some(false) || begins(FAILED) => Outcome::Failed,
        None if recorder.is_run(of) => Outcome::Unknown,
        // A patch says when it is through; what says nothing was not.
        None if recorder.is_write(of) && success.is_none() && !body.contains(PATCHED) => {
            if body.trim().is_empty() { Outcome::Stopped } else { Outcome::Failed }
        }
        None => Outcome::Passed,
    };
    let exit = exit.filter(|_| outcome != Outcome::Stopped);
    // How it ended may be told in a record of its own.
    if outcome == Outcome::Unknown {
        recorder.goes_on(of, of);
    }
    recorder.ended(of, End { outcome, exit }, || body);
}

/// What a tool gave back, and whether the agent counts it as a success.
fn printed(output: Raw<'_>) -> (ToolText<'_>, Option<bool>) {
    wire! {
        struct Output<'a> {
            content,
            success,
        }
    }
    if let Some(whole) = text(output) {
        return (ToolText::new(whole), None);
    }
    match shaped::<Output<'_>>(output) {
        Some(inside) if inside.content.is_some() => {
            let said = text(inside.content).unwrap_or_else(|| joined(inside.content).into());
            (ToolText::new(said), shaped(inside.success))
        }
        _ => (ToolText::new(joined(output)), None),
    }
}

/// What older versions wrapped in JSON: the exit code and what was printed.
fn wrapped(said: &str) -> Option<(Option<i32>, String)> {
    #[derive(Deserialize)]
    struct Wrapped {
        output: String,
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    struct Metadata {
        exit_code: Option<i32>,
    }
    if !said.starts_with('{') {
        return None;
    }
    let wrapped: Wrapped = serde_json::from_str(said).ok()?;
    Some((wrapped.metadata.exit_code, wrapped.output))
}

#[derive(Default)]
struct Head<'o> {
    exit: Option<i32>,
    /// The number of a command that goes on.
    running: Option<&'o str>,
    stopped: bool,
}

/// What newer versions put before what was printed, and the rest.
fn head(said: &str) -> (Head<'_>, &str) {
    let mut head = Head::default();
    let begins = ["Chunk ID: ", "Wall time: ", "Exit code: ", "Process ", "Original token count: "];
    let is_head = |text: &str| begins.iter().any(|begins| text.starts_with(begins));
    // Some versions put the command before it, which may have lines of its own.
    let mut rest = said;
    if said.starts_with("Command: ") {
        let mut ends = said.match_indices('\n').map(|(at, _)| &said[at + 1..]);
        rest = ends.find(|next| is_head(next) || next.starts_with("Output:\n")).unwrap_or_default();
        if rest.is_empty() {
            return (head, said);
        }
    } else if !is_head(said) {
        return (head, said);
    }
    while !rest.is_empty() {
        let (line, next) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = next;
        let exit = line
            .strip_prefix("Process exited with code ")
            .or_else(|| line.strip_prefix("Exit code: "));
        if let Some(exit) = exit {
            head.exit = exit.trim().parse().ok();
        }
        head.running = head.running.or(line.strip_prefix("Process running with session ID "));
        head.stopped |= line.starts_with("aborted by user");
        if line == "Output:" {
            break;
        }
    }
    (head, rest)
}

/// Something that the agent did, told again with how it ended.
pub(super) fn completed(item: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Done<'a> {
            kind = "type",
            text,
        }
    }
    let Some(done) = shaped::<Done<'_>>(item) else { return };
    match text(done.kind).as_deref() {
        Some("CommandExecution") => command(item, recorder),
        Some("FileChange") => changed(item, recorder),
        Some("Plan") => text(done.text).iter().for_each(|plan| planned(plan, recorder)),
        _ => {}
    }
}

wire! {
    struct Execution<'a> {
        id,
        call_id,
        command,
        cwd,
        parsed_cmd,
        source,
        status,
        aggregated_output,
        exit_code,
    }
}

/// A command ended.
pub(super) fn command(item: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Parsed<'a> {
            kind = "type",
            path,
        }
    }
    let Some(done) = shaped::<Execution<'_>>(item) else { return };
    let Some(id) = text(done.call_id).or_else(|| text(done.id)) else { return };
    // What the user ran, and what is only a part of a command that goes on.
    if matches!(text(done.source).as_deref(), Some("user_shell" | "unified_exec_interaction")) {
        return;
    }
    let known = recorder.notes.get(&id).is_some();
    let exit = number::<i32>(done.exit_code);
    let outcome = match (text(done.status).as_deref(), exit) {
        (Some("declined"), _) => Outcome::Stopped,
        // Interrupted, or never begun: what the model is told says which.
        (_, Some(-1) | None) if known => return,
        (_, Some(0)) => Outcome::Passed,
        (_, Some(_)) | (Some("failed"), None) => Outcome::Failed,
        _ => Outcome::Unknown,
    };
    let cwd = text(done.cwd);
    if !known {
        // Commands that a script of the model ran have no call of their own.
        let Some(script) = script(done.command) else { return };
        recorder.notes.put(&id, "");
        run(&id, &script, cwd.as_deref(), recorder);
    }
    for one in list::<Parsed<'_>>(done.parsed_cmd) {
        if let (Some("read"), Some(path)) = (text(one.kind).as_deref(), text(one.path))
            && recorder.is_run(&id)
        {
            let path = patch::absolute(&path, cwd.as_deref(), recorder);
            recorder.reads(&id, &path);
        }
    }
    let end = End { outcome, exit: exit.filter(|_| outcome != Outcome::Stopped) };
    if known && !recorder.is_run(&id) && !recorder.is_write(&id) {
        recorder.ended_later(&id, end, &text(done.aggregated_output).unwrap_or_default());
        return;
    }
    recorder.ended(&id, end, || text(done.aggregated_output).unwrap_or_default());
}

/// Files were changed by a patch.
pub(super) fn changed(item: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Changed<'a> {
            id,
            call_id,
            changes,
            status,
            success,
            stderr,
        }

        struct Change<'a> {
            kind = "type",
            move_path,
            // Older versions had the kind as the name of a field.
            add,
            delete,
            update,
        }
    }
    let Some(done) = shaped::<Changed<'_>>(item) else { return };
    let Some(id) = text(done.call_id).or_else(|| text(done.id)) else { return };
    let outcome = match text(done.status).as_deref() {
        Some("completed") => Outcome::Passed,
        Some("failed") => Outcome::Failed,
        Some("declined") => Outcome::Stopped,
        _ if is_true(done.success) => Outcome::Passed,
        _ if done.success.is_some() => Outcome::Failed,
        _ => return,
    };
    if recorder.notes.get(&id).is_none() {
        recorder.notes.put(&id, "");
        let changes: BTreeMap<String, Value<'_>> = shaped(done.changes).unwrap_or_default();
        for (path, change) in changes {
            let Some(change) = shaped::<Change<'_>>(Some(change)) else { continue };
            let path = patch::absolute(&path, None, recorder);
            match text(change.kind).as_deref() {
                Some("add") => recorder.creates(&id, &path),
                Some("delete") => recorder.deletes(&id, &path),
                None if change.add.is_some() => recorder.creates(&id, &path),
                None if change.delete.is_some() => recorder.deletes(&id, &path),
                _ => recorder.edits(&id, &path),
            }
            let inside = shaped::<Change<'_>>(change.update).and_then(|inside| inside.move_path);
            if let Some(to) = text(change.move_path).or_else(|| text(inside)) {
                let to = patch::absolute(&to, None, recorder);
                recorder.renames(&id, &path, &to);
            }
        }
    }
    recorder.ended(&id, End { outcome, exit: None }, || text(done.stderr).unwrap_or_default());
}
