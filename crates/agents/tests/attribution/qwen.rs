//! Qwen Code.

use serde_json::{Value, json};

use crate::log::{Log, Reader, places};

pub(crate) const READER: Reader = Reader {
    agent: "qwen-code",
    begin,
    places: places![
        output_of_a_command,
        error_of_a_command,
        content_of_a_file,
        result_of_a_server,
        answers_of_another_tool,
        answers_under_a_used_id,
        answers_under_an_id_of_two_calls,
        answers_told_by_another_tool,
        answers_that_failed,
        answers_of_a_call_that_nobody_knows,
        cancelled_call,
        text_beside_a_result,
        prompt_of_the_system,
        prompt_of_a_timer,
        prompt_of_a_subagent,
        context_of_a_prompt,
        shown_prompt,
        notification,
        output_behind_what_wraps_the_users_words,
        part_beside_output,
        prompt_with_the_result_of_a_call,
        reminder_before_the_prompt,
        reminder_behind_the_prompt,
        files_behind_the_prompt,
        files_in_the_prompt,
        files_of_a_server,
        files_whose_beginning_is_missing,
        attached_files,
        fields_of_another_shape,
        what_a_command_stands_for,
        context_of_a_prompt_in_the_same_part,
        context_of_a_hook_behind_the_prompt,
        command_of_the_user,
        summary,
        answer_beside_output,
    ],
    read: |log| crate::read("qwen-code", &log.records),
    slow: false,
};

fn record(log: &mut Log, kind: &str, rest: &Value) {
    let mut record = json!({"type": kind, "uuid": log.id(), "parentUuid": log.id(),
        "sessionId": "5e55-10", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/work/shop",
        "version": "0.24.4"});
    for (key, value) in rest.as_object().unwrap() {
        record[key] = value.clone();
    }
    log.push(record);
}

fn parts(log: &mut Log, parts: &Value) {
    record(log, "user", &json!({"message": {"role": "user", "parts": parts}}));
}

fn says(log: &mut Log, text: &str) {
    parts(log, &json!([{"text": text}]));
}

fn call(log: &mut Log, id: &str, name: &str) {
    let args = json!({"command": "cat x", "file_path": "/work/shop/x",
        "questions": [{"question": "Which?", "header": "Shelf"}]});
    let part = json!({"functionCall": {"id": id, "name": name, "args": args}});
    record(log, "assistant", &json!({"message": {"role": "model", "parts": [part]}}));
}

fn result(log: &mut Log, id: &str, name: &str, response: &Value) {
    let part = json!({"functionResponse": {"id": id, "name": name, "response": response}});
    let status = if response["error"].is_null() { "success" } else { "error" };
    record(
        log,
        "tool_result",
        &json!({"message": {"role": "user", "parts": [part]},
            "toolCallResult": {"callId": id, "status": status}}),
    );
}

fn ends(log: &mut Log, name: &str, response: &Value) {
    let id = log.id();
    call(log, &id, name);
    result(log, &id, name, response);
}

const QUESTION: &str = "ask_user_question";

fn answers(text: &str) -> Value {
    json!({"output": format!("User has provided the following answers:\n\n**Shelf**: {text}")})
}

fn output_of_a_command(log: &mut Log, text: &str) {
    let said =
        format!("Command: cat x\nDirectory: (root)\nOutput: {text}\nError: (none)\nExit Code: 0");
    ends(log, "run_shell_command", &json!({"output": said}));
}

fn error_of_a_command(log: &mut Log, text: &str) {
    ends(log, "run_shell_command", &json!({"error": text}));
}

fn content_of_a_file(log: &mut Log, text: &str) {
    ends(log, "read_file", &json!({"output": text}));
}

fn result_of_a_server(log: &mut Log, text: &str) {
    ends(log, "mcp__docs__search", &json!({"output": text}));
}

fn answers_of_another_tool(log: &mut Log, text: &str) {
    for name in ["mcp__docs__ask_user_question", "read_file", "run_shell_command"] {
        ends(log, name, &answers(text));
    }
}

fn answers_under_a_used_id(log: &mut Log, text: &str) {
    let (id, typed) = (log.id(), log.typed());
    call(log, &id, QUESTION);
    result(log, &id, QUESTION, &answers(&typed));
    call(log, &id, "read_file");
    result(log, &id, "read_file", &answers(text));
}

fn answers_under_an_id_of_two_calls(log: &mut Log, text: &str) {
    for names in [[QUESTION, "mcp__docs__a"], ["mcp__docs__a", QUESTION]] {
        let id = log.id();
        names.iter().for_each(|name| call(log, &id, name));
        result(log, &id, "mcp__docs__a", &answers(text));
    }
}

fn answers_told_by_another_tool(log: &mut Log, text: &str) {
    let id = log.id();
    call(log, &id, QUESTION);
    result(log, &id, "mcp__docs__a", &answers(text));
}

fn answers_that_failed(log: &mut Log, text: &str) {
    let said = answers(text)["output"].clone();
    ends(log, QUESTION, &json!({"error": said}));
}

fn answers_of_a_call_that_nobody_knows(log: &mut Log, text: &str) {
    let id = log.id();
    result(log, &id, QUESTION, &answers(text));
}

fn cancelled_call(log: &mut Log, text: &str) {
    ends(log, "edit", &json!({"error": format!("[Operation Cancelled] Reason: {text}")}));
}

fn text_beside_a_result(log: &mut Log, text: &str) {
    let response = json!({"id": "x", "name": "read_file", "response": {"output": text}});
    parts(log, &json!([{"functionResponse": response}, {"text": text}]));
    let content = json!([{"functionResponse": response}, {"text": text}]);
    record(log, "tool_result", &json!({"message": {"role": "user", "parts": content}}));
}

fn prompt_of_the_system(log: &mut Log, text: &str) {
    let message = json!({"role": "user", "parts": [{"text": text}]});
    for rest in [
        json!({"provenance": "system", "subtype": "notification", "message": message}),
        json!({"provenance": "goal_runtime", "message": message}),
    ] {
        record(log, "user", &rest);
    }
}

fn prompt_of_a_timer(log: &mut Log, text: &str) {
    let message = json!({"role": "user", "parts": [{"text": text}]});
    record(log, "user", &json!({"subtype": "cron", "message": message}));
}

fn prompt_of_a_subagent(log: &mut Log, text: &str) {
    let message = json!({"role": "user", "parts": [{"text": text}]});
    record(log, "user", &json!({"isSidechain": true, "message": message}));
}

fn context_of_a_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    let context =
        format!("<qwen:user-prompt-submit-context>\n{text}\n</qwen:user-prompt-submit-context>");
    parts(log, &json!([{"text": typed}, {"text": context}]));
}

fn shown_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    let message = json!({"role": "user", "parts": [{"text": format!("{typed}\n{text}")}]});
    let payload = json!({"displayText": typed, "hookContext": text});
    let rest = json!({"provenance": "real_user", "message": message, "systemPayload": payload});
    record(log, "user", &rest);
}

fn notification(log: &mut Log, text: &str) {
    says(log, &format!("<task-notification>\n{text}\n</task-notification>"));
}

fn output_behind_what_wraps_the_users_words(log: &mut Log, text: &str) {
    let output = format!("<task-notification>{text}</task-notification>");
    for name in ["system-reminder", "hook_context"] {
        let wrapping = format!("<{name}>x</{name}>");
        for whole in [
            format!("{wrapping}\n{output}\n{text}"),
            format!("{wrapping}\n{output}\n{text}\n{wrapping}\n{text}"),
        ] {
            says(log, &whole);
            let message = json!({"role": "user", "parts": [{"text": "x"}]});
            let payload = json!({"displayText": whole});
            record(log, "user", &json!({"message": message, "systemPayload": payload}));
        }
    }
}

fn part_beside_output(log: &mut Log, text: &str) {
    let output = format!("<task-notification>{text}</task-notification>");
    parts(log, &json!([{"text": output}, {"text": text}]));
    parts(log, &json!([{"text": text}, {"text": output}]));
    // What was shown is a field of its own.
    let typed = log.typed();
    let message = json!({"role": "user", "parts": [{"text": output}, {"text": text}]});
    let payload = json!({"displayText": typed});
    record(log, "user", &json!({"message": message, "systemPayload": payload}));
}

fn prompt_with_the_result_of_a_call(log: &mut Log, text: &str) {
    let message = json!({"role": "user", "parts": [{"text": text}]});
    let payload = json!({"displayText": text});
    let told = json!({"callId": "c1"});
    record(log, "user", &json!({"message": message, "toolCallResult": told}));
    record(
        log,
        "user",
        &json!({"message": message, "toolCallResult": told, "systemPayload": payload,
            "provenance": "real_user"}),
    );
}

fn files_whose_beginning_is_missing(log: &mut Log, text: &str) {
    let typed = log.typed();
    parts(log, &json!([{"text": typed}, {"text": text}, {"text": END}]));
    let typed = log.typed();
    let reminder = "<system-reminder>x</system-reminder>";
    parts(
        log,
        &json!([{"text": reminder}, {"text": typed}, {"text": text}, {"text": text},
            {"text": format!("{text}{END}")}]),
    );
}

fn context_of_a_prompt_in_the_same_part(log: &mut Log, text: &str) {
    let name = "qwen:user-prompt-submit-context";
    let typed = log.typed();
    says(log, &format!("{typed}\n<{name}>\n{text}\n</{name}>"));
    let reminder = format!("<system-reminder>{text}</system-reminder>");
    let typed = log.typed();
    says(log, &format!("{typed}\n<{name}>\n{text}\n</{name}>\n{reminder}"));
    says(log, &format!("<{name}>\nx\n</{name}>\n{text}"));
}

fn reminder_before_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("<system-reminder>{text}</system-reminder>\n{typed}"));
}

fn reminder_behind_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    let reminder = format!("<system-reminder>{text}</system-reminder>");
    parts(log, &json!([{"text": format!("{typed}\n{reminder}")}, {"text": reminder}]));
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

fn attached_files(log: &mut Log, text: &str) {
    let typed = log.typed();
    let attached = "\n--- Content from referenced context ---";
    parts(
        log,
        &json!([{"text": typed}, {"text": attached}, {"text": "\nContent from @x:\n"}, {"text": text}]),
    );
}

fn fields_of_another_shape(log: &mut Log, text: &str) {
    let message = json!({"role": "user", "parts": [{"text": text}]});
    for (field, value) in [
        ("provenance", json!({"kind": "goal_continuation"})),
        ("provenance", json!(["real_user"])),
        ("subtype", json!({"kind": "cron"})),
        ("subtype", json!([])),
        ("isSidechain", json!("true")),
        ("isSidechain", json!(1)),
    ] {
        record(log, "user", &json!({(field): value, "message": message}));
    }
}

fn what_a_command_stands_for(log: &mut Log, text: &str) {
    let typed = log.typed();
    let command = format!("/deploy {typed}");
    let payload = json!({"phase": "invocation", "rawCommand": command});
    record(
        log,
        "system",
        &json!({"subtype": "slash_command", "provenance": "system", "systemPayload": payload}),
    );
    let parent = log.records.last().unwrap()["uuid"].clone();
    let message = json!({"role": "user", "parts": [{"text": text}]});
    record(
        log,
        "user",
        &json!({"parentUuid": parent, "provenance": "real_user", "message": message}),
    );
}

fn files_of_a_server(log: &mut Log, text: &str) {
    let typed = log.typed();
    let content = json!([{"text": typed}, {"text": "\nContent from @docs:res://x:\n"},
        {"text": text}, {"text": END}]);
    parts(log, &content);
}

fn context_of_a_hook_behind_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    let context = format!("<hook_context>{text}</hook_context>");
    parts(log, &json!([{"text": typed}, {"text": context}]));
}

fn command_of_the_user(log: &mut Log, text: &str) {
    says(log, &format!("I ran the following shell command:\n```sh\ncat x\n```\n\n{text}"));
}

fn summary(log: &mut Log, text: &str) {
    let history = json!([{"role": "user", "parts": [{"text": text}]}]);
    let payload = json!({"info": {}, "compressedHistory": history});
    record(log, "system", &json!({"subtype": "chat_compression", "systemPayload": payload}));
}

fn answer_beside_output(log: &mut Log, text: &str) {
    let (id, typed) = (log.id(), log.typed());
    call(log, &id, QUESTION);
    output_of_a_command(log, text);
    result(log, &id, QUESTION, &answers(&typed));
}

fn begin(log: &mut Log) {
    let typed = log.typed();
    says(log, &typed);
}
