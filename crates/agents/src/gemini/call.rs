//! Calls of tools in a Gemini CLI session, and how they end.

use std::borrow::Cow;

use segue_core::session::{End, Outcome, Recorder, TodoStatus, ToolText};

use super::answers;
use super::record::{is_first, key};
use crate::json::{Raw, is_true, list, shaped, text, wire};
use crate::places::absolute;

const SHELL: &str = "run_shell_command";
/// Marks a call that writes a plan.
const PLAN: char = 'p';

wire! {
    #[serde(rename_all = "camelCase")]
    pub(super) struct Call<'a> {
        id,
        name,
        args,
        status,
        result,
        result_display,
        display_name,
    }

    struct Args<'a> {
        command,
        file_path,
        absolute_path,
        path,
        content,
        todos,
        questions,
    }

    /// What is shown of a call that changed a file.
    #[serde(rename_all = "camelCase")]
    struct Shown<'a> {
        file_path,
        new_content,
        is_new_file,
        is_subagent_progress,
    }

    pub(super) struct Response<'a> {
        id,
        name,
        response,
    }

    struct Answer<'a> {
        output,
        error,
    }
}

/// Takes down a call, once.
pub(super) fn called(call: &Call<'_>, recorder: &mut Recorder) {
    let (Some(id), Some(name)) = (text(call.id), text(call.name)) else { return };
    if !is_first(recorder, 'c', &id) {
        return;
    }
    let Some(args) = shaped::<Args<'_>>(call.args) else {
        recorder.called(&id, &name);
        return;
    };
    let shown = shaped::<Shown<'_>>(call.result_display);
    let path = shown.as_ref().and_then(|shown| text(shown.file_path));
    let path = path
        .or_else(|| text(args.file_path))
        .or_else(|| text(args.absolute_path))
        .or_else(|| text(args.path))
        .map(|path| absolute(path, recorder.session().cwd.as_deref()));
    match (&*name, path) {
        (SHELL, _) => match text(args.command) {
            Some(command) => recorder.ran(&id, &command),
            None => recorder.called(&id, &name),
        },
        ("write_file" | "replace" | "edit", Some(path)) if is_plan(&path) => {
            let content = shown.and_then(|shown| text(shown.new_content));
            match content.or_else(|| text(args.content)) {
                Some(plan) => {
                    is_first(recorder, PLAN, &id);
                    recorder.plans(&id, &plan);
                }
                None => recorder.called(&id, &name),
            }
        }
        ("replace" | "edit", Some(path)) => recorder.edits(&id, &path),
        ("write_file", Some(path)) => recorder.creates(&id, &path),
        ("read_file", Some(path)) => recorder.reads(&id, &path),
        ("write_todos", _) => {
            let todos: Vec<Todo<'_>> = list(args.todos);
            let todos: Vec<_> = todos
                .iter()
                .filter_map(|todo| Some((text(todo.description)?, text(todo.status)?)))
                .collect();
            recorder.todos(
                todos.iter().map(|(what, status)| (None, what.as_ref(), TodoStatus::of(status))),
            );
            recorder.called(&id, &name);
        }
        _ => {
            let is_agent = ["codebase_investigator", "delegate_to_agent", "invoke_agent"]
                .contains(&&*name)
                || shown.is_some_and(|shown| is_true(shown.is_subagent_progress));
            if is_agent {
                recorder.subagent();
            }
            recorder.called(&id, &name);
        }
    }
}

wire! {
    struct Todo<'a> {
        description,
        status,
    }
}

/// Whether a file is a plan of the agent: those lie in its own directory.
fn is_plan(path: &str) -> bool {
    let path = path.replace('\\', "/");
    path.contains("/.gemini/tmp/") && path.contains("/plans/")
}

/// Takes down how a call ended, if it did.
pub(super) fn ended(call: &Call<'_>, recorder: &mut Recorder) {
    let (Some(id), Some(name)) = (text(call.id), text(call.name)) else { return };
    let outcome = match text(call.status).as_deref() {
        Some("success") => Outcome::Passed,
        Some("error") => Outcome::Failed,
        Some("cancelled") => Outcome::Stopped,
        _ => return,
    };
    if !is_first(recorder, 'e', &id) {
        return;
    }
    let said = output(call.result);
    if let Some(shown) = shaped::<Shown<'_>>(call.result_display)
        && shown.is_new_file.is_some()
        && !is_true(shown.is_new_file)
    {
        recorder.was_there(&id);
    }
    let is_own = answers::is_own(text(call.display_name).as_deref());
    let passed = is_own && outcome == Outcome::Passed;
    if passed
        && &*name == "ask_user"
        && let Some(args) = shaped::<Args<'_>>(call.args)
    {
        answers::take(args.questions, &said, recorder);
    }
    if passed && &*name == "exit_plan_mode" {
        answers::to_plan(&said, recorder);
    }
    end(&id, &name, outcome, said.into_text(), recorder);
}

/// Takes down a result that the model was given, if nothing else told how the call ended.
pub(super) fn responded(response: &Response<'_>, recorder: &mut Recorder) {
    let (Some(id), Some(name)) = (text(response.id), text(response.name)) else { return };
    let Some(answer) = shaped::<Answer<'_>>(response.response) else { return };
    if !is_first(recorder, 'e', &id) {
        return;
    }
    let (outcome, said) = match text(answer.error) {
        Some(error) if error.starts_with("[Operation Cancelled]") => (Outcome::Stopped, error),
        Some(error) => (Outcome::Failed, error),
        None => (Outcome::Passed, text(answer.output).unwrap_or_default()),
    };
    end(&id, &name, outcome, said, recorder);
}

fn end(id: &str, name: &str, outcome: Outcome, said: Cow<'_, str>, recorder: &mut Recorder) {
    let mut end = End { outcome, exit: None };
    let mut printed = said;
    if name == SHELL && outcome != Outcome::Stopped {
        let (ended, output) = shell(&printed, outcome);
        printed = output.to_owned().into();
        end = ended;
    }
    if printed.starts_with("Successfully overwrote file") {
        recorder.was_there(id);
    }
    // A plan that was written is not accepted yet.
    if end.outcome == Outcome::Passed && recorder.knows(&key(PLAN, id)) {
        end.outcome = Outcome::Unknown;
    }
    if end.outcome == Outcome::Stopped {
        recorder.interrupted();
    }
    recorder.ended(id, end, || printed);
}

/// How a command ended and what it printed. A result is a success even if the command failed.
fn shell(said: &str, outcome: Outcome) -> (End, &str) {
    let said = said.trim().trim_start_matches("<untrusted_context>").trim_start();
    let mut end = End { outcome, exit: None };
    if said.starts_with("Command was cancelled by user") {
        end.outcome = Outcome::Stopped;
        return (end, said);
    }
    if said.starts_with("Command was automatically cancelled") {
        end.outcome = Outcome::Failed;
        return (end, said);
    }
    if said.starts_with("Command moved to background") {
        end.outcome = Outcome::Unknown;
        return (end, said);
    }
    let mut killed = false;
    let mut body = said.trim_end();
    // What the agent adds stands at the end.
    while end.exit.is_none() {
        let (before, line) = body.rsplit_once('\n').unwrap_or(("", body));
        match line.trim().split_once(": ") {
            Some(("Exit Code", code)) => end.exit = code.parse().ok(),
            Some(("Signal", signal)) => killed = signal != "(none)",
            Some(("Background PIDs" | "Process Group PGID", _)) => {}
            None if line.trim() == "</untrusted_context>" => {}
            _ => break,
        }
        body = before.trim_end();
    }
    if outcome == Outcome::Passed {
        match end.exit {
            _ if killed => end.outcome = Outcome::Failed,
            None => end.exit = Some(0),
            Some(code) if code != 0 => end.outcome = Outcome::Failed,
            Some(_) => {}
        }
    }
    for nothing in ["\nError: (none)", "\nStderr: (empty)"] {
        body = body.strip_suffix(nothing).unwrap_or(body);
    }
    let printed = ["Output: ", "Stdout: "].iter().find_map(|mark| {
        let at = body.find(mark).filter(|at| *at == 0 || body[..*at].ends_with('\n'))?;
        body.get(at + mark.len()..)
    });
    match printed {
        Some("(empty)") => {
            let code = said.lines().find(|line| line.starts_with("Exit Code: "));
            (end, code.unwrap_or_default())
        }
        printed => (end, printed.unwrap_or(body)),
    }
}

/// What a tool told the model.
fn output(result: Raw<'_>) -> ToolText<'_> {
    wire! {
        #[serde(rename_all = "camelCase")]
        struct Part<'a> {
            function_response,
            text,
        }
    }
    if let Some(whole) = text(result) {
        return ToolText::new(whole);
    }
    let mut said = Vec::new();
    for part in list::<Part<'_>>(result) {
        let answer = shaped::<Response<'_>>(part.function_response)
            .and_then(|response| shaped::<Answer<'_>>(response.response));
        let answer = answer.and_then(|answer| text(answer.output).or_else(|| text(answer.error)));
        said.extend(answer.or_else(|| text(part.text)));
    }
    ToolText::new(said.join("\n"))
}
