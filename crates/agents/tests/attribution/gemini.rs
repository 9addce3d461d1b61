//! Gemini CLI.

use serde_json::{Value, json};

use crate::log::{Log, Reader, places};

pub(crate) const READER: Reader = Reader {
    agent: "gemini-cli",
    begin,
    places: places![
        output_of_a_command,
        error_of_a_command,
        content_of_a_file,
        result_of_a_server,
        answers_of_another_tool,
        answers_of_a_server_with_the_name_of_the_question_tool,
        answers_that_failed,
        answers_in_a_result_alone,
        refused_plan_of_a_server,
        refused_plan_in_a_result_alone,
        refused_plan_of_another_tool,
        cancelled_call,
        text_beside_a_result,
        files_behind_the_prompt,
        files_in_the_prompt,
        files_without_an_end,
        files_whose_beginning_is_missing,
        files_of_a_server,
        files_and_context_of_a_hook,
        attached_files,
        context_of_a_hook_before_the_prompt,
        context_of_a_hook_behind_the_prompt,
        context_of_a_hook_in_the_prompt,
        shown_prompt,
        request_that_shows_no_words,
        context_of_the_session,
        context_of_the_editor,
        command_of_the_user,
        summary,
        loop_that_was_found,
        notice_of_the_agent,
        answer_beside_output,
        refused_plan_beside_output,
    ],
    read: |log| crate::read("gemini-cli", &log.records),
    slow: false,
};

fn parts(log: &mut Log, parts: &Value) {
    let id = log.id();
    log.push(json!({"id": id, "timestamp": "2026-03-01T10:00:01.000Z", "type": "user",
        "content": parts}));
}

fn says(log: &mut Log, text: &str) {
    parts(log, &json!([{"text": text}]));
}

fn call(log: &mut Log, name: &str, status: &str, text: &str, shown: Option<&str>) {
    let (id, message) = (log.id(), log.id());
    let field = if status == "success" { "output" } else { "error" };
    let result = json!([{"functionResponse": {"id": id, "name": name, "response": {field: text}}}]);
    let args = json!({"command": "cat x", "file_path": "/work/shop/x", "plan_path": "p",
        "questions": [{"question": "Which?", "header": "Shelf"}]});
    let mut call =
        json!({"id": id, "name": name, "args": args, "status": status, "result": result});
    if let Some(shown) = shown {
        call["displayName"] = json!(shown);
    }
    log.push(json!({"id": message, "timestamp": "2026-03-01T10:00:02.000Z", "type": "gemini",
        "content": "", "toolCalls": [call]}));
}

fn respond(log: &mut Log, name: &str, text: &str) {
    let id = log.id();
    let response = json!({"id": id, "name": name, "response": {"output": text}});
    parts(log, &json!([{"functionResponse": response}]));
}

fn answers(text: &str) -> String {
    json!({"answers": {"0": text}}).to_string()
}

const REJECTED: &str = "Plan rejected. User feedback: ";

fn output_of_a_command(log: &mut Log, text: &str) {
    let said = format!("<untrusted_context>\nOutput: {text}\nExit Code: 1\n</untrusted_context>");
    call(log, "run_shell_command", "success", &said, Some("Shell"));
}

fn error_of_a_command(log: &mut Log, text: &str) {
    call(log, "run_shell_command", "error", text, Some("Shell"));
}

fn content_of_a_file(log: &mut Log, text: &str) {
    call(log, "read_file", "success", text, Some("ReadFile"));
}

fn result_of_a_server(log: &mut Log, text: &str) {
    call(log, "mcp_docs_search", "success", text, Some("search (docs MCP Server)"));
}

fn answers_of_another_tool(log: &mut Log, text: &str) {
    for name in ["mcp_docs_ask_user", "read_file", "docs__ask_user"] {
        call(log, name, "success", &answers(text), None);
    }
}

fn answers_of_a_server_with_the_name_of_the_question_tool(log: &mut Log, text: &str) {
    call(log, "ask_user", "success", &answers(text), Some("ask_user (docs MCP Server)"));
}

fn answers_that_failed(log: &mut Log, text: &str) {
    call(log, "ask_user", "error", &answers(text), Some("Ask User"));
    call(log, "ask_user", "cancelled", &answers(text), Some("Ask User"));
}

fn answers_in_a_result_alone(log: &mut Log, text: &str) {
    respond(log, "ask_user", &answers(text));
}

fn refused_plan_of_a_server(log: &mut Log, text: &str) {
    let said = format!("{REJECTED}{text}");
    call(log, "exit_plan_mode", "success", &said, Some("exit_plan_mode (docs MCP Server)"));
}

fn refused_plan_in_a_result_alone(log: &mut Log, text: &str) {
    respond(log, "exit_plan_mode", &format!("{REJECTED}{text}"));
}

fn refused_plan_of_another_tool(log: &mut Log, text: &str) {
    for name in ["run_shell_command", "mcp_docs_exit_plan_mode"] {
        call(log, name, "success", &format!("{REJECTED}{text}"), None);
    }
}

fn cancelled_call(log: &mut Log, text: &str) {
    let said = format!("[Operation Cancelled] Reason: {text}");
    call(log, "run_shell_command", "cancelled", &said, None);
}

fn text_beside_a_result(log: &mut Log, text: &str) {
    let id = log.id();
    let response = json!({"id": id, "name": "read_file", "response": {"output": text}});
    parts(log, &json!([{"functionResponse": response}, {"text": text}]));
    parts(log, &json!([{"text": text}, {"functionResponse": response}]));
}

const FILES: &str = "\n--- Content from referenced files ---";
const END: &str = "\n--- End of content ---";

fn files_behind_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    let content = json!([{"text": typed}, {"text": FILES}, {"text": "\nContent from @x:\n"},
        {"text": text}, {"text": END}]);
    parts(log, &content);
}

fn files_in_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("{typed}{FILES}\nContent from @x:\n{text}{END}"));
}

fn files_without_an_end(log: &mut Log, text: &str) {
    let typed = log.typed();
    let content = json!([{"text": typed}, {"text": FILES}, {"text": "\nContent from @x:\n"},
        {"text": text}]);
    parts(log, &content);
}

fn files_whose_beginning_is_missing(log: &mut Log, text: &str) {
    let typed = log.typed();
    parts(log, &json!([{"text": typed}, {"text": text}, {"text": END}]));
    let typed = log.typed();
    let context = "<hook_context>x</hook_context>";
    parts(
        log,
        &json!([{"text": context}, {"text": typed}, {"text": text}, {"text": text},
            {"text": format!("{text}{END}")}]),
    );
}

fn files_of_a_server(log: &mut Log, text: &str) {
    let typed = log.typed();
    let content = json!([{"text": typed}, {"text": "\nContent from @docs:res://x:\n"},
        {"text": text}, {"text": FILES}, {"text": "\nContent from @x:\n"}, {"text": text},
        {"text": END}]);
    parts(log, &content);
}

const ATTACHED: &str = "\n--- Content from referenced context ---";

fn attached_files(log: &mut Log, text: &str) {
    let typed = log.typed();
    parts(
        log,
        &json!([{"text": typed}, {"text": "@b.md"}, {"text": FILES}, {"text": "\nContent from @b.md:\n"},
            {"text": "x"}, {"text": END}, {"text": ATTACHED},
            {"text": "\nContent from @file:///p/x:\n"}, {"text": text}]),
    );
    let typed = log.typed();
    parts(
        log,
        &json!([{"text": typed}, {"text": "@file:///p/x"}, {"text": ATTACHED},
            {"text": "\nContent from @file:///p/x:\n"}, {"text": "--- End of content ---\n"},
            {"text": "\nContent from @file:///p/y:\n"}, {"text": text}]),
    );
    let typed = log.typed();
    says(log, &format!("{typed}{ATTACHED}\nContent from @x:\n{text}{END}\n{text}"));
}

fn files_and_context_of_a_hook(log: &mut Log, text: &str) {
    let typed = log.typed();
    let content = json!([{"text": typed}, {"text": FILES}, {"text": "\nContent from @x:\n"},
        {"text": text}, {"text": END}, {"text": format!("<hook_context>{text}</hook_context>")}]);
    parts(log, &content);
}

fn context_of_a_hook_before_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("<hook_context>{text}</hook_context>\n\n{typed}"));
}

fn context_of_a_hook_behind_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    let context = format!("<hook_context>{text}</hook_context>");
    parts(log, &json!([{"text": typed}, {"text": context}]));
}

fn context_of_a_hook_in_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("{typed}\n\n<hook_context>{text}</hook_context>"));
}

fn shown_prompt(log: &mut Log, text: &str) {
    let (id, typed) = (log.id(), log.typed());
    log.push(json!({"id": id, "timestamp": "2026-03-01T10:00:01.000Z", "type": "user",
        "content": [{"text": format!("{typed}\n{text}")}], "displayContent": [{"text": typed}]}));
}

fn request_that_shows_no_words(log: &mut Log, text: &str) {
    let response = json!({"functionResponse": {"id": "f1", "name": "x", "response": {}}});
    for shown in [json!([response]), json!([])] {
        let id = log.id();
        log.push(json!({"id": id, "timestamp": "2026-03-01T10:00:01.000Z", "type": "user",
            "content": [{"text": text}], "displayContent": shown}));
    }
}

fn context_of_the_session(log: &mut Log, text: &str) {
    says(log, &format!("<session_context>\nThis is the Gemini CLI.\n{text}\n</session_context>"));
    let content = json!([{"text": format!("<session_context>\n{text}\n</session_context>")}]);
    log.push(
        json!({"$set": {"messages": [{"id": "context", "type": "user", "content": content}]}}),
    );
}

fn context_of_the_editor(log: &mut Log, text: &str) {
    says(log, &format!("Here is the user's editor context as a JSON object.\n{text}"));
}

fn command_of_the_user(log: &mut Log, text: &str) {
    says(log, &format!("I ran the following shell command:\n```sh\ncat x\n```\n\n{text}"));
}

fn summary(log: &mut Log, text: &str) {
    says(log, &format!("<state_snapshot>\n{text}\n</state_snapshot>"));
}

fn loop_that_was_found(log: &mut Log, text: &str) {
    says(log, &format!("System: Potential loop detected. Details: {text}"));
}

fn notice_of_the_agent(log: &mut Log, text: &str) {
    for kind in ["info", "warning", "error"] {
        let id = log.id();
        log.push(json!({"id": id, "type": kind, "content": text}));
    }
}

fn answer_beside_output(log: &mut Log, text: &str) {
    output_of_a_command(log, text);
    let typed = log.typed();
    call(log, "ask_user", "success", &answers(&typed), Some("Ask User"));
}

fn refused_plan_beside_output(log: &mut Log, text: &str) {
    output_of_a_command(log, text);
    let typed = log.typed();
    let said = format!("{REJECTED}{typed}\n\nThe plan is stored at: {text}");
    call(log, "exit_plan_mode", "success", &said, Some("Exit Plan Mode"));
}

fn begin(log: &mut Log) {
    log.push(json!({"sessionId": "5e55-10", "projectHash": "0f", "kind": "main",
        "startTime": "2026-03-01T10:00:00.000Z"}));
    let typed = log.typed();
    says(log, &typed);
}
