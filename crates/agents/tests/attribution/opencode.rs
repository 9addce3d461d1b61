//! OpenCode.

use segue_core::session::Session;
use serde_json::{Value, json};

use crate::log::{Log, Reader, places};
use crate::made::Made;

pub(crate) const READER: Reader = Reader {
    agent: "opencode",
    begin,
    places: places![
        output_of_a_command,
        output_of_a_command_that_was_aborted,
        error_of_a_command,
        content_of_a_file,
        error_of_a_file,
        result_of_a_server,
        error_of_a_server,
        refusal_that_a_server_tells,
        refusal_that_a_page_tells,
        refusal_that_a_subagent_tells,
        refusal_by_a_rule,
        refusal_further_on,
        refusal_without_words,
        answers_of_a_server,
        answers_of_a_command,
        answers_that_failed,
        result_of_a_subagent,
        prompt_of_a_subagent,
        text_of_the_agent_itself,
        file_part,
        reminder_alone,
        reminder_before_the_prompt,
        reminder_behind_the_prompt,
        summary,
        answer_beside_output,
        refusal_beside_output,
    ],
    read,
    slow: true,
};

fn message(log: &mut Log, role: &str, parts: &Value) {
    log.push(json!({"role": role, "parts": parts}));
}

fn says(log: &mut Log, text: &str) {
    message(log, "user", &json!([{"type": "text", "text": text}]));
}

fn part(log: &mut Log, tool: &str, state: &Value) {
    let id = log.id();
    let part = json!({"type": "tool", "tool": tool, "callID": id, "state": state});
    message(log, "assistant", &json!([part]));
}

fn input() -> Value {
    json!({"command": "cat x", "filePath": "/work/shop/x", "questions": [{"question": "Which?"}]})
}

fn done(log: &mut Log, tool: &str, output: &str, meta: &Value) {
    let state =
        json!({"status": "completed", "input": input(), "output": output, "metadata": meta});
    part(log, tool, &state);
}

fn fails(log: &mut Log, tool: &str, error: &str) {
    part(log, tool, &json!({"status": "error", "input": input(), "error": error}));
}

const REFUSED: &str = "The user rejected permission to use this specific tool call";
const WITH: &str = "with the following feedback: ";

fn output_of_a_command(log: &mut Log, text: &str) {
    done(log, "bash", text, &json!({"exit": 1, "output": text}));
}

fn output_of_a_command_that_was_aborted(log: &mut Log, text: &str) {
    let said = format!("{text}\n<shell_metadata>User aborted the command</shell_metadata>");
    done(log, "bash", &said, &json!({}));
}

fn error_of_a_command(log: &mut Log, text: &str) {
    fails(log, "bash", &format!("Error: it exited: {text}"));
}

fn content_of_a_file(log: &mut Log, text: &str) {
    done(log, "read", text, &json!({"preview": text}));
}

fn error_of_a_file(log: &mut Log, text: &str) {
    fails(log, "read", &format!("Error: File not found: {text}"));
}

fn result_of_a_server(log: &mut Log, text: &str) {
    done(log, "docs_search", text, &json!({}));
}

fn error_of_a_server(log: &mut Log, text: &str) {
    fails(log, "docs_search", text);
    fails(log, "docs_search", &format!("Error: {text}"));
}

fn refusal_that_a_server_tells(log: &mut Log, text: &str) {
    for begin in ["", "Error: "] {
        fails(log, "docs_search", &format!("{begin}{REFUSED} {WITH}{text}"));
    }
}

fn refusal_that_a_page_tells(log: &mut Log, text: &str) {
    fails(log, "webfetch", &format!("Error: {REFUSED} {WITH}{text}"));
}

fn refusal_that_a_subagent_tells(log: &mut Log, text: &str) {
    fails(log, "task", &format!("Error: {REFUSED} {WITH}{text}"));
}

fn refusal_by_a_rule(log: &mut Log, text: &str) {
    fails(
        log,
        "bash",
        &format!("The user has specified a rule which prevents you from using this. {WITH}{text}"),
    );
}

fn refusal_further_on(log: &mut Log, text: &str) {
    fails(log, "edit", &format!("The page says: {REFUSED} {WITH}{text}"));
    fails(log, "bash", &format!("{REFUSED}: {text}\n{WITH}{text}"));
}

fn refusal_without_words(log: &mut Log, text: &str) {
    fails(log, "bash", &format!("Error: {REFUSED}.\n{text}"));
    fails(log, "question", &format!("The user dismissed this question {WITH}{text}"));
}

fn answers_of_a_server(log: &mut Log, text: &str) {
    done(log, "docs_question", text, &json!({"answers": [[text]]}));
}

fn answers_of_a_command(log: &mut Log, text: &str) {
    done(log, "bash", text, &json!({"exit": 0, "answers": [[text]]}));
}

fn answers_that_failed(log: &mut Log, text: &str) {
    let meta = json!({"answers": [[text]]});
    let state = json!({"status": "error", "input": input(), "error": text, "metadata": meta});
    part(log, "question", &state);
}

fn result_of_a_subagent(log: &mut Log, text: &str) {
    done(log, "task", text, &json!({"sessionId": "ses_2"}));
}

fn prompt_of_a_subagent(log: &mut Log, text: &str) {
    log.push(json!({"role": "user", "parts": [{"type": "text", "text": text}], "subagent": true}));
}

fn text_of_the_agent_itself(log: &mut Log, text: &str) {
    let typed = log.typed();
    message(
        log,
        "user",
        &json!([{"type": "text", "text": typed},
            {"type": "text", "text": text, "synthetic": true},
            {"type": "text", "text": text, "ignored": true}]),
    );
}

fn file_part(log: &mut Log, text: &str) {
    let typed = log.typed();
    let source = json!({"text": {"value": text}, "type": "file"});
    message(
        log,
        "user",
        &json!([{"type": "text", "text": typed}, {"type": "file", "url": text, "source": source},
            {"type": "subtask", "prompt": text}, {"type": "agent", "name": text}]),
    );
}

fn reminder_alone(log: &mut Log, text: &str) {
    says(log, &format!("<system-reminder>\n{text}\n</system-reminder>"));
}

fn reminder_before_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("<system-reminder>\n{text}\n</system-reminder>\n{typed}"));
}

fn reminder_behind_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("{typed}\n<system-reminder>\n{text}\n</system-reminder>"));
}

fn summary(log: &mut Log, text: &str) {
    message(log, "user", &json!([{"type": "compaction", "auto": true, "text": text}]));
    let parts = json!([{"type": "text", "text": text}]);
    log.push(json!({"role": "assistant", "parts": parts, "summary": true}));
}

fn answer_beside_output(log: &mut Log, text: &str) {
    output_of_a_command(log, text);
    let typed = log.typed();
    done(log, "question", text, &json!({"answers": [[typed]]}));
}

fn refusal_beside_output(log: &mut Log, text: &str) {
    output_of_a_command(log, text);
    let typed = log.typed();
    fails(log, "bash", &format!("Error: {REFUSED} {WITH}{typed}"));
}

fn begin(log: &mut Log) {
    let typed = log.typed();
    says(log, &typed);
}

fn read(log: &Log) -> Session {
    let of = |is_subagents: bool| {
        let records = log.records.iter();
        records.filter(move |record| record["subagent"].as_bool().unwrap_or(false) == is_subagents)
    };
    let put = |made: Made, record: &Value| {
        let parts = record["parts"].as_array().unwrap();
        match record["role"].as_str() {
            Some("user") => made.asks(parts),
            _ if record["summary"] == true => {
                let data = json!({"role": "assistant", "summary": true, "time": {"completed": 9}});
                made.message(data, parts)
            }
            _ => made.answers(parts),
        }
    };
    // Waiting for the disk would take most of the time.
    let made = Made::new().run("PRAGMA synchronous = OFF");
    let made = of(true).fold(made.session("ses_2", Some("ses_1"), "/work/shop"), put);
    let session = crate::made::opencode().read(&made.path()).unwrap().recorder.into_session();
    assert!(session.id.as_deref() != Some("ses_2"), "the session itself is read");
    let mut made = made;
    "ses_1".clone_into(&mut made.session);
    of(false).fold(made, put).read()
}
