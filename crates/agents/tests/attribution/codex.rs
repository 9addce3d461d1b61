//! Codex CLI.

use serde_json::{Value, json};

use crate::log::{Log, Reader, places};

pub(crate) const READER: Reader = Reader {
    agent: "codex",
    begin,
    places: places![
        output_of_a_command,
        output_of_an_older_command,
        error_of_a_command,
        output_of_a_patch,
        result_of_a_server,
        answers_under_a_used_id,
        answers_under_an_id_of_two_calls,
        answers_of_a_server_with_the_name_of_the_question_tool,
        answers_of_a_call_that_nobody_knows,
        result_of_a_subagent,
        instructions,
        instructions_of_an_older_version,
        environment,
        permissions,
        message_of_the_developer,
        message_of_a_hook,
        context_of_a_hook,
        reminder_before_the_prompt,
        piped_behind_the_prompt,
        piped_behind_a_signed_prompt,
        shown_by_the_editor,
        shown_by_the_editor_without_a_request,
        shown_by_another_program,
        turn_that_was_aborted,
        notification_of_a_subagent,
        output_behind_what_wraps_the_users_words,
        part_beside_output,
        part_that_an_agent_wrote,
        part_of_which_nothing_is_said,
        command_of_the_user,
        skill,
        summary,
        event_of_a_message,
        answer_beside_output,
        two_frames_around_the_prompt,
        attached_files,
        attached_files_in_signed_parts,
        frame_over_several_parts,
    ],
    read: |log| crate::read("codex", &log.records),
    slow: false,
};

fn record(log: &mut Log, kind: &str, payload: Value) {
    log.push(json!({"timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "payload": payload}));
}

fn message(log: &mut Log, role: &str, text: &str) {
    let content = json!([{"type": "input_text", "text": text}]);
    record(log, "response_item", json!({"type": "message", "role": role, "content": content}));
}

fn says(log: &mut Log, text: &str) {
    message(log, "user", text);
}

fn signed(log: &mut Log, text: &str, kind: &str) {
    let content = json!([{"type": "input_text", "text": text}]);
    record(
        log,
        "response_item",
        json!({"type": "message", "role": "user", "content": content,
            "internal_chat_message_metadata_passthrough": {"content_item_kinds": [kind]}}),
    );
}

fn call(log: &mut Log, id: &str, name: &str, arguments: &Value) {
    let arguments = arguments.to_string();
    record(
        log,
        "response_item",
        json!({"type": "function_call", "name": name, "call_id": id, "arguments": arguments}),
    );
}

fn output(log: &mut Log, id: &str, text: &str) {
    record(
        log,
        "response_item",
        json!({"type": "function_call_output", "call_id": id, "output": text}),
    );
}

fn ends(log: &mut Log, name: &str, arguments: &Value, text: &str) {
    let id = log.id();
    call(log, &id, name, arguments);
    output(log, &id, text);
}

fn output_of_a_command(log: &mut Log, text: &str) {
    let said = format!("Chunk ID: 1\nProcess exited with code 0\nOutput:\n{text}");
    ends(log, "exec_command", &json!({"cmd": "cat x"}), &said);
}

fn output_of_an_older_command(log: &mut Log, text: &str) {
    let said = json!({"output": text, "metadata": {"exit_code": 1}}).to_string();
    ends(log, "shell", &json!({"command": ["bash", "-lc", "cat x"]}), &said);
}

fn error_of_a_command(log: &mut Log, text: &str) {
    ends(log, "shell", &json!({"command": ["cat", "x"]}), text);
}

fn output_of_a_patch(log: &mut Log, text: &str) {
    let id = log.id();
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n*** End Patch\n";
    let item =
        json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": id, "input": patch});
    record(log, "response_item", item);
    let item = json!({"type": "custom_tool_call_output", "call_id": id, "output": text});
    record(log, "response_item", item);
}

fn result_of_a_server(log: &mut Log, text: &str) {
    ends(log, "mcp__docs__search", &json!({"q": "x"}), text);
}

fn questions() -> Value {
    json!({"questions": [{"id": "q", "question": "Which?"}]})
}

fn answers(text: &str) -> String {
    json!({"answers": {"q": {"answers": [text]}}}).to_string()
}

const QUESTION: &str = "request_user_input";

fn answers_under_a_used_id(log: &mut Log, text: &str) {
    let (id, typed) = (log.id(), log.typed());
    call(log, &id, QUESTION, &questions());
    output(log, &id, &answers(&typed));
    call(log, &id, "mcp__docs__search", &json!({}));
    output(log, &id, &answers(text));
}

fn answers_under_an_id_of_two_calls(log: &mut Log, text: &str) {
    for names in [[QUESTION, "exec_command"], ["exec_command", QUESTION]] {
        let id = log.id();
        for name in names {
            let mut given = questions();
            given["cmd"] = json!("cat x");
            call(log, &id, name, &given);
        }
        output(log, &id, &answers(text));
    }
}

fn answers_of_a_server_with_the_name_of_the_question_tool(log: &mut Log, text: &str) {
    let id = log.id();
    record(
        log,
        "response_item",
        json!({"type": "function_call", "name": QUESTION, "namespace": "mcp__docs", "call_id": id,
            "arguments": questions().to_string()}),
    );
    output(log, &id, &answers(text));
}

fn answers_of_a_call_that_nobody_knows(log: &mut Log, text: &str) {
    let id = log.id();
    output(log, &id, &answers(text));
}

fn result_of_a_subagent(log: &mut Log, text: &str) {
    ends(
        log,
        "wait",
        &json!({"ids": ["a"]}),
        &json!({"status": {"a": {"completed": text}}}).to_string(),
    );
}

fn instructions(log: &mut Log, text: &str) {
    says(
        log,
        &format!(
            "# AGENTS.md instructions for /work/shop\n\n<INSTRUCTIONS>\n{text}\n</INSTRUCTIONS>"
        ),
    );
}

fn instructions_of_an_older_version(log: &mut Log, text: &str) {
    says(log, &format!("<user_instructions>\n\n{text}\n\n</user_instructions>"));
    let typed = log.typed();
    says(log, &format!("<user_instructions>\n{text}\n</user_instructions>\n\n{typed}"));
}

fn environment(log: &mut Log, text: &str) {
    says(log, &format!("<environment_context>\n  <cwd>{text}</cwd>\n</environment_context>"));
}

fn permissions(log: &mut Log, text: &str) {
    says(log, &format!("<permissions instructions>\n{text}\n</permissions instructions>"));
}

fn message_of_the_developer(log: &mut Log, text: &str) {
    message(log, "developer", text);
}

fn message_of_a_hook(log: &mut Log, text: &str) {
    says(log, &format!("<hook_prompt hook_run_id=\"1\">{text}</hook_prompt>"));
}

fn context_of_a_hook(log: &mut Log, text: &str) {
    signed(log, text, "hooks.additional_context");
}

fn reminder_before_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("<system-reminder>\n{text}\n</system-reminder>\n{typed}"));
}

fn piped_behind_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("{typed}\n\n<stdin>\n{text}\n</stdin>"));
}

fn piped_behind_a_signed_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    signed(log, &format!("{typed}\n\n<stdin>\n{text}\n</stdin>"), "user.text");
}

const EDITOR: &str = "# Context from my IDE setup:\n\n## Active selection of the file:\n";

fn shown_by_the_editor(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("{EDITOR}{text}\n\n## My request for Codex:\n{typed}"));
    let typed = log.typed();
    signed(log, &format!("{EDITOR}{text}\n\n## My request for Codex:\n{typed}"), "user.text");
}

fn shown_by_the_editor_without_a_request(log: &mut Log, text: &str) {
    let text = text.replace("## My request for Codex:", "");
    says(log, &format!("{EDITOR}{text}"));
}

fn shown_by_another_program(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(
        log,
        &format!(
            "# Files mentioned by the user:\n\n## {text}: /x\n\n## My request for Codex:\n{typed}"
        ),
    );
}

fn turn_that_was_aborted(log: &mut Log, text: &str) {
    says(log, &format!("<turn_aborted>\n{text}\n</turn_aborted>"));
}

fn notification_of_a_subagent(log: &mut Log, text: &str) {
    says(log, &format!("<subagent_notification>\n{text}\n</subagent_notification>"));
}

fn output_behind_what_wraps_the_users_words(log: &mut Log, text: &str) {
    for output in ["turn_aborted", "subagent_notification"] {
        let output = format!("<{output}>{text}</{output}>");
        for name in ["environment_context", "user_instructions", "hook_prompt"] {
            let wrapping = format!("<{name}>x</{name}>");
            says(log, &format!("{wrapping}\n{output}\n{text}"));
            says(log, &format!("{wrapping}\n{output}\n{text}\n{wrapping}\n{text}"));
        }
    }
}

fn parts(texts: &[&str]) -> Value {
    texts.iter().map(|text| json!({"type": "input_text", "text": text})).collect()
}

fn part_beside_output(log: &mut Log, text: &str) {
    for output in ["turn_aborted", "subagent_notification"] {
        let output = format!("<{output}>{text}</{output}>");
        for texts in [[&*output, text], [text, &*output]] {
            let content = parts(&texts);
            let item = json!({"type": "message", "role": "user", "content": content});
            record(log, "response_item", item);
        }
    }
    // Where the record says which part was typed, that part was.
    let typed = log.typed();
    let content = parts(&["<turn_aborted>x</turn_aborted>", &typed]);
    record(
        log,
        "response_item",
        json!({"type": "message", "role": "user", "content": content,
            "internal_chat_message_metadata_passthrough": {
                "content_item_kinds": ["environments.turn_aborted", "user.text"]}}),
    );
}

fn part_that_an_agent_wrote(log: &mut Log, text: &str) {
    let typed = log.typed();
    let by = |who: &str| json!({"provenance": {"type": who}});
    for kind in ["user.text", "unknown"] {
        record(
            log,
            "response_item",
            json!({"type": "message", "role": "user", "content": parts(&[text, &typed, text]),
                "internal_chat_message_metadata_passthrough": {
                    "content_item_kinds": [kind, "user.text", kind],
                    "content_item_metadata": [by("agent"), by("user"), {"provenance": "agent"}]}}),
        );
    }
}

fn part_of_which_nothing_is_said(log: &mut Log, text: &str) {
    for kinds in [json!(["user.text"]), json!(["user.text", "unknown"]), json!(["user.text", 7])] {
        let typed = log.typed();
        record(
            log,
            "response_item",
            json!({"type": "message", "role": "user", "content": parts(&[&typed, text]),
                "internal_chat_message_metadata_passthrough": {"content_item_kinds": kinds}}),
        );
    }
}

fn command_of_the_user(log: &mut Log, text: &str) {
    says(
        log,
        &format!(
            "<user_shell_command>\n<command>\ncat x\n</command>\n<result>\n{text}\n</result>\n</user_shell_command>"
        ),
    );
}

fn skill(log: &mut Log, text: &str) {
    says(log, &format!("<skill>\n<name>x</name>\n{text}\n</skill>"));
}

fn summary(log: &mut Log, text: &str) {
    record(log, "compacted", json!({"message": text}));
    says(log, &format!("Another language model started to solve this problem\n{text}"));
}

fn event_of_a_message(log: &mut Log, text: &str) {
    record(log, "event_msg", json!({"type": "user_message", "message": text}));
    let item = json!({"type": "McpToolCall", "result": text, "text": text});
    record(log, "event_msg", json!({"type": "item_completed", "item": item}));
}

fn answer_beside_output(log: &mut Log, text: &str) {
    let (id, typed) = (log.id(), log.typed());
    call(log, &id, QUESTION, &questions());
    output_of_a_command(log, text);
    output(log, &id, &answers(&typed));
}

fn two_frames_around_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(
        log,
        &format!(
            "<environment_context>{text}</environment_context>\n{typed}\n\n<stdin>\n{text}\n</stdin>"
        ),
    );
}

fn begin(log: &mut Log) {
    record(log, "session_meta", json!({"id": "5e55-10", "cwd": "/work/shop", "source": "cli"}));
    let typed = log.typed();
    says(log, &typed);
}

fn attached(text: &str) -> String {
    format!("[@x](file:///p/x)\n<context ref=\"file:///p/x\">\n{text}\n</context>\n{text}")
}

fn attached_files(log: &mut Log, text: &str) {
    let (typed, file) = (log.typed(), attached(text));
    let content = parts(&[&typed, &file, text]);
    record(log, "response_item", json!({"type": "message", "role": "user", "content": content}));
    let typed = log.typed();
    says(log, &format!("{typed} {file}"));
}

fn attached_files_in_signed_parts(log: &mut Log, text: &str) {
    let (typed, file) = (log.typed(), attached(text));
    let content = parts(&[&typed, &file, text]);
    let kinds = json!({"content_item_kinds": ["user.text", "user.text", "user.text"]});
    record(
        log,
        "response_item",
        json!({"type": "message", "role": "user", "content": content,
            "internal_chat_message_metadata_passthrough": kinds}),
    );
}

fn frame_over_several_parts(log: &mut Log, text: &str) {
    let content = parts(&["<stdin>x", text, "</stdin>"]);
    record(log, "response_item", json!({"type": "message", "role": "user", "content": content}));
}
