//! Calls of tools in an OpenCode session, and how they end.

use std::borrow::Cow;

use segue_core::session::{End, Outcome, Recorder, TodoStatus, ToolText};

use super::answers;
use crate::codex::patch;
use crate::json::{Raw, is_true, list, number, shaped, text, wire};
use crate::places::absolute;
use crate::subagents::note_start;

wire! {
    struct State<'a> {
        status,
        input,
        output,
        error,
        metadata,
    }

    #[derive(Default)]
    #[serde(rename_all = "camelCase")]
    struct Input<'a> {
        command,
        file_path,
        old_string,
        content,
        patch_text,
        todos,
        questions,
    }

    #[derive(Default)]
    struct Meta<'a> {
        exit,
        exists,
        files,
        answers,
        interrupted,
        session_id = "sessionId",
    }
}

/// Takes down a call and how it ended, both of which stand in one part.
pub(super) fn take(id: &str, tool: Raw<'_>, state: Raw<'_>, recorder: &mut Recorder) {
    let (Some(tool), Some(state)) = (text(tool), shaped::<State<'_>>(state)) else {
        recorder.damaged();
        return;
    };
    let input: Input<'_> = shaped(state.input).unwrap_or_default();
    let meta: Meta<'_> = shaped(state.metadata).unwrap_or_default();
    called(id, &tool, &input, &meta, recorder);
    let status = text(state.status);
    match status.as_deref() {
        Some("completed") => {
            let output = text(state.output).unwrap_or_default();
            completed(id, &tool, &input, &meta, output, recorder);
        }
        Some("error") => {
            let error = ToolText::new(text(state.error).unwrap_or_default());
            failed(id, &tool, error, &meta, recorder);
        }
        _ => {}
    }
}

fn called(id: &str, tool: &str, input: &Input<'_>, meta: &Meta<'_>, recorder: &mut Recorder) {
    let cwd = recorder.session().cwd.clone();
    let path = text(input.file_path).map(|path| absolute(path, cwd.as_deref()));
    match (tool, path) {
        ("bash" | "shell", _) => match text(input.command) {
            Some(command) => recorder.ran(id, &command),
            None => recorder.called(id, tool),
        },
        ("write", Some(path)) if is_plan(&path) => {
            recorder.plans(id, &text(input.content).unwrap_or_default());
        }
        ("edit" | "multiedit", Some(path)) if is_plan(&path) => recorder.called(id, tool),
        ("write", Some(path)) => {
            recorder.creates(id, &path);
            if is_true(meta.exists) {
                recorder.was_there(id);
            }
        }
        // Where nothing is to be replaced, there was no file.
        ("edit", Some(path)) if text(input.old_string).as_deref() == Some("") => {
            recorder.creates(id, &path);
        }
        ("edit" | "multiedit", Some(path)) => recorder.edits(id, &path),
        ("read", Some(path)) => recorder.reads(id, &path),
        ("apply_patch" | "patch", _) => patches(id, input, meta, recorder),
        ("task", _) => {
            text(meta.session_id).iter().for_each(|child| note_start(child, recorder));
            recorder.called(id, tool);
        }
        _ => recorder.called(id, tool),
    }
}

/// Whether a file is a plan of the agent: those lie in directories of their own.
fn is_plan(path: &str) -> bool {
    let path = path.replace('\\', "/");
    path.contains("/.opencode/plans/") || path.contains("/opencode/plans/")
}

/// The files that a patch changes, as the agent tells them, or else as the patch does.
fn patches(id: &str, input: &Input<'_>, meta: &Meta<'_>, recorder: &mut Recorder) {
    wire! {
        #[serde(rename_all = "camelCase")]
        struct Change<'a> {
            file_path,
            move_path,
            kind = "type",
        }
    }
    let changes: Vec<Change<'_>> = list(meta.files);
    let mut any = false;
    for change in changes {
        let Some(path) = text(change.file_path) else { continue };
        match (text(change.kind).as_deref(), text(change.move_path)) {
            (_, Some(to)) => recorder.renames(id, &path, &to),
            (Some("add"), _) => recorder.creates(id, &path),
            (Some("delete"), _) => recorder.deletes(id, &path),
            _ => recorder.edits(id, &path),
        }
        any = true;
    }
    if !any {
        patch::tell(id, &text(input.patch_text).unwrap_or_default(), None, recorder);
    }
}

fn completed(
    id: &str,
    tool: &str,
    input: &Input<'_>,
    meta: &Meta<'_>,
    output: Cow<'_, str>,
    recorder: &mut Recorder,
) {
    match tool {
        "todowrite" => todos(input.todos, recorder),
        "question" => answers::take(input.questions, meta.answers, recorder),
        "plan_exit" => recorder.plan_accepted(),
        _ => {}
    }
    let mut end = End { outcome: Outcome::Passed, exit: None };
    if tool == "write" && text(input.file_path).is_some_and(|path| is_plan(&path)) {
        end.outcome = Outcome::Unknown;
    }
    let mut printed = output;
    if recorder.is_run(id) {
        end.exit = number(meta.exit);
        let added = added(&printed).map(str::to_owned);
        let says = |what| added.as_deref().is_some_and(|added| added.contains(what));
        let aborted = says("User aborted the command") || says("(Command was aborted)");
        end.outcome = match end.exit {
            _ if aborted => Outcome::Stopped,
            Some(0) => Outcome::Passed,
            Some(_) => Outcome::Failed,
            None if says("timeout") || says("timed out") => Outcome::Failed,
            None => Outcome::Unknown,
        };
        if aborted {
            recorder.interrupted();
        }
        if let Some(added) = added {
            let length = printed.trim_end().len() - added.len();
            printed = printed[..length].trim_end().to_owned().into();
        }
        if let Some(exit) = end.exit.filter(|_| matches!(printed.trim(), "" | "(no output)")) {
            printed = format!("exit code {exit}").into();
        }
    }
    recorder.ended(id, end, || printed);
}

/// What the agent adds below what a command printed.
fn added(output: &str) -> Option<&str> {
    let output = output.trim_end();
    let marks = ["<shell_metadata>", "<bash_metadata>", "<metadata>"];
    let closed = output.ends_with("metadata>");
    let at = marks.iter().filter_map(|mark| output.rfind(mark)).max().filter(|_| closed);
    let brackets = ["(Command was aborted)", "(Command timed out after "];
    at.or_else(|| {
        let last = output.rfind('\n').map_or(0, |at| at + 1);
        brackets.iter().any(|begins| output[last..].starts_with(begins)).then_some(last)
    })
    .map(|at| &output[at..])
}

/// A call that was not done, or not to its end.
fn failed(id: &str, tool: &str, error: ToolText<'_>, meta: &Meta<'_>, recorder: &mut Recorder) {
    // What a tool complains of may have the same words further on.
    let said = error.as_str();
    let says = |begins: &str| said.strip_prefix("Error: ").unwrap_or(said).starts_with(begins);
    let refused = answers::is_refusal(&error);
    let by_rule = says("The user has specified a rule which prevents");
    let aborted = is_true(meta.interrupted) || says("Tool execution aborted");
    let outcome = if refused || by_rule || aborted { Outcome::Stopped } else { Outcome::Failed };
    recorder.ended(id, End { outcome, exit: None }, || said.into());
    if refused {
        answers::refused(tool, &error, recorder);
    }
}

fn todos(todos: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Todo<'a> {
            content,
            status,
        }
    }
    let todos: Vec<Todo<'_>> = list(todos);
    let todos: Vec<_> =
        todos.iter().filter_map(|todo| Some((text(todo.content)?, text(todo.status)?))).collect();
    recorder
        .todos(todos.iter().map(|(what, status)| (None, what.as_ref(), TodoStatus::of(status))));
}
