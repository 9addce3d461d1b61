//! Claude Code.

use serde_json::{Value, json};

use crate::log::{Log, Reader, places};

pub(crate) const READER: Reader = Reader {
    agent: "claude-code",
    begin,
    places: places![
        output_of_a_command,
        error_of_a_command,
        error_of_a_command_in_an_older_version,
        content_of_a_file,
        error_of_a_file,
        result_of_a_server,
        result_of_a_server_in_blocks,
        error_of_a_server,
        error_of_a_server_in_blocks,
        error_of_a_call_that_nobody_knows,
        error_of_a_page,
        answers_of_a_server,
        answers_of_a_command_named_like_the_question_tool,
        task_of_a_server,
        result_of_a_subagent,
        error_of_a_subagent,
        prompt_of_a_subagent,
        answers_under_a_used_id,
        answers_under_an_id_of_two_calls,
        refusal_under_an_id_of_two_calls,
        question_that_is_to_be_clarified,
        text_beside_a_result,
        text_of_the_agent_itself,
        text_of_another_origin,
        text_of_an_origin_of_another_shape,
        text_of_a_turn_that_the_user_did_not_begin,
        text_from_a_source_that_is_not_known,
        text_that_the_model_does_not_see,
        text_that_a_call_put_there,
        command_that_a_call_put_there,
        text_with_the_result_of_a_call,
        reason_of_a_hook_or_a_rule,
        error_of_a_call_that_was_let_happen,
        decision_of_another_shape,
        feedback_of_a_hook,
        context_of_a_hook_without_a_mark,
        diagnostics,
        output_behind_what_wraps_the_users_words,
        output_between_what_wraps_the_users_words,
        part_beside_output,
        part_beside_a_text_of_the_agents,
        queued_part_beside_output,
        output_of_a_local_command,
        output_of_the_users_command,
        error_of_the_users_command,
        notification_of_a_task,
        message_of_a_teammate,
        message_of_another_session,
        message_of_a_channel,
        selection_in_the_editor,
        file_in_the_editor,
        reminder_behind_the_prompt,
        reminder_before_the_prompt,
        frames_around_the_prompt,
        description_of_a_command,
        description_of_a_command_without_arguments,
        description_behind_the_name_of_a_command,
        selection_with_what_waits,
        selection_with_what_was_read,
        notification_that_waits,
        message_that_waits,
        attached_file,
        attached_notification,
        context_of_a_hook,
        system_record,
        summary,
        plan,
        refusal_beside_output,
        answer_beside_output,
        attached_files,
        attached_file_behind_a_selection,
        queued_attached_file,
        frame_over_several_blocks,
        text_beside_an_interruption,
        text_beside_a_command,
        text_beside_the_result_of_a_server,
        fields_that_name_somebody_else,
        plan_content,
        queued_text_of_another,
        answers_of_a_hook,
    ],
    read: |log| crate::read("claude-code", &log.records),
    slow: false,
};

fn record(log: &mut Log, kind: &str, rest: &Value) {
    let mut record = json!({"type": kind, "uuid": log.id(), "isSidechain": false,
        "sessionId": "5e55-10", "cwd": "/work/shop", "version": "2.1.325"});
    for (key, value) in rest.as_object().unwrap() {
        record[key] = value.clone();
    }
    log.push(record);
}

fn says(log: &mut Log, text: &str) {
    record(log, "user", &json!({"message": {"role": "user", "content": text}}));
}

fn call(log: &mut Log, id: &str, name: &str) {
    let input = json!({"command": "cat x", "file_path": "/work/shop/x", "questions": []});
    let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let message = json!({"id": log.id(), "role": "assistant", "content": [block]});
    record(log, "assistant", &json!({"message": message}));
}

fn result(log: &mut Log, id: &str, content: &Value, failed: bool, told: &Value) {
    let block =
        json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed});
    let message = json!({"role": "user", "content": [block]});
    record(log, "user", &json!({"message": message, "toolUseResult": told}));
}

fn ends(log: &mut Log, name: &str, content: &Value, failed: bool, told: &Value) {
    let id = log.id();
    call(log, &id, name);
    result(log, &id, content, failed, told);
}

fn output_of_a_command(log: &mut Log, text: &str) {
    ends(log, "Bash", &json!(text), false, &json!({"stdout": text, "stderr": ""}));
}

fn error_of_a_command(log: &mut Log, text: &str) {
    let said = format!("Exit code 1\n{text}");
    ends(log, "Bash", &json!(said), true, &json!(format!("Error: {said}")));
}

fn error_of_a_command_in_an_older_version(log: &mut Log, text: &str) {
    ends(log, "Bash", &json!(text), true, &json!(format!("Error: {text}")));
    for record in log.records.iter_mut().rev().take(2) {
        record["version"] = json!("2.0.5");
    }
}

fn content_of_a_file(log: &mut Log, text: &str) {
    ends(log, "Read", &json!(text), false, &json!({"file": {"content": text}}));
}

fn error_of_a_file(log: &mut Log, text: &str) {
    let said = format!("<tool_use_error>{text}</tool_use_error>");
    ends(log, "Edit", &json!(said), true, &json!(format!("Error: {text}")));
}

fn result_of_a_server(log: &mut Log, text: &str) {
    ends(log, "mcp__docs__search", &json!(text), false, &json!(text));
}

fn result_of_a_server_in_blocks(log: &mut Log, text: &str) {
    let blocks = json!([{"type": "text", "text": text}]);
    ends(log, "mcp__docs__search", &blocks, false, &blocks);
}

fn error_of_a_server(log: &mut Log, text: &str) {
    ends(log, "mcp__docs__search", &json!(text), true, &json!(format!("Error: {text}")));
}

fn error_of_a_server_in_blocks(log: &mut Log, text: &str) {
    let blocks = json!([{"type": "text", "text": text}]);
    ends(log, "mcp__docs__Edit", &blocks, true, &json!(format!("Error: {text}")));
}

fn error_of_a_call_that_nobody_knows(log: &mut Log, text: &str) {
    let id = log.id();
    result(log, &id, &json!(text), true, &json!({"answers": {"Which?": text}}));
}

fn error_of_a_page(log: &mut Log, text: &str) {
    ends(log, "WebFetch", &json!(text), true, &json!(format!("Error: {text}")));
}

fn answers_of_a_server(log: &mut Log, text: &str) {
    let told = json!({"questions": [], "answers": {"Which?": text, "And?": [text]}});
    ends(log, "mcp__docs__AskUserQuestion", &json!(text), false, &told);
    ends(log, "Read", &json!(text), false, &told);
}

fn answers_of_a_command_named_like_the_question_tool(log: &mut Log, text: &str) {
    let id = log.id();
    let input = json!({"command": "AskUserQuestion"});
    let block = json!({"type": "tool_use", "id": id, "name": "Bash", "input": input});
    let message = json!({"id": log.id(), "role": "assistant", "content": [block]});
    record(log, "assistant", &json!({"message": message}));
    result(log, &id, &json!(text), false, &json!({"answers": {"Which?": text}}));
}

fn task_of_a_server(log: &mut Log, text: &str) {
    let told = json!({"task": {"id": "1", "subject": text}});
    ends(log, "mcp__docs__TaskCreate", &json!(text), false, &told);
}

fn result_of_a_subagent(log: &mut Log, text: &str) {
    let told = json!({"status": "completed", "agentId": "a1", "content": [{"type": "text", "text": text}]});
    ends(log, "Task", &json!([{"type": "text", "text": text}]), false, &told);
}

fn error_of_a_subagent(log: &mut Log, text: &str) {
    ends(log, "Task", &json!(text), true, &json!(format!("Error: {text}")));
}

fn prompt_of_a_subagent(log: &mut Log, text: &str) {
    let message = json!({"role": "user", "content": text});
    record(log, "user", &json!({"isSidechain": true, "message": message}));
}

fn asked(log: &mut Log, id: &str) {
    let typed = log.typed();
    let told = json!({"questions": [], "answers": {"Which?": typed}});
    result(log, id, &json!("User has answered your questions."), false, &told);
}

fn answers_under_a_used_id(log: &mut Log, text: &str) {
    let id = log.id();
    call(log, &id, "AskUserQuestion");
    asked(log, &id);
    call(log, &id, "mcp__docs__search");
    result(log, &id, &json!(text), false, &json!({"answers": {"Which?": text}}));
}

fn answers_under_an_id_of_two_calls(log: &mut Log, text: &str) {
    for names in [["AskUserQuestion", "mcp__docs__a"], ["mcp__docs__a", "AskUserQuestion"]] {
        let id = log.id();
        names.iter().for_each(|name| call(log, &id, name));
        result(log, &id, &json!(text), false, &json!({"answers": {"Which?": text}}));
    }
}

fn refusal_under_an_id_of_two_calls(log: &mut Log, text: &str) {
    let id = log.id();
    ["Edit", "mcp__docs__a"].iter().for_each(|name| call(log, &id, name));
    result(log, &id, &json!(text), true, &json!(text));
}

const REFUSED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was \
    a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n";

fn question_that_is_to_be_clarified(log: &mut Log, text: &str) {
    for begins in [
        "The user wants to clarify these questions.\n    This means they may have additional information",
        "The user has indicated they have provided enough answers for the plan interview.",
    ] {
        let said =
            format!("{REFUSED}{begins}\n\nQuestions asked:\n- \"{text}\"\n  (No answer provided)");
        ends(log, "AskUserQuestion", &json!(said), true, &json!(format!("Error: {said}")));
    }
}

fn text_beside_a_result(log: &mut Log, text: &str) {
    let id = log.id();
    call(log, &id, "Read");
    let content = json!([{"type": "tool_result", "tool_use_id": id, "content": "x"},
        {"type": "text", "text": text}]);
    record(log, "user", &json!({"message": {"role": "user", "content": content}}));
}

fn text_of_the_agent_itself(log: &mut Log, text: &str) {
    let message = json!({"role": "user", "content": text});
    record(log, "user", &json!({"isMeta": true, "message": message}));
    let blocks = json!({"role": "user", "content": [{"type": "text", "text": text}]});
    record(log, "user", &json!({"isMeta": true, "message": blocks}));
}

fn text_of_another_origin(log: &mut Log, text: &str) {
    let message = json!({"role": "user", "content": text});
    record(log, "user", &json!({"origin": {"kind": "channel"}, "message": message}));
    record(log, "user", &json!({"promptSource": "system", "message": message}));
}

fn text_of_an_origin_of_another_shape(log: &mut Log, text: &str) {
    for origin in [
        json!("task-notification"),
        json!("human"),
        json!(["human"]),
        json!(7),
        json!({}),
        json!({"kind": {"a": 1}}),
    ] {
        let message = json!({"role": "user", "content": text});
        record(log, "user", &json!({"origin": origin, "message": message}));
        let queued = json!({"type": "queued_command", "prompt": text, "commandMode": "prompt",
            "origin": origin});
        record(log, "attachment", &json!({"attachment": queued}));
    }
}

fn text_of_a_turn_that_the_user_did_not_begin(log: &mut Log, text: &str) {
    for origin in [json!("task_notification"), json!("scheduled"), json!({"kind": "human"})] {
        let message = json!({"role": "user", "content": text});
        record(log, "user", &json!({"turnOrigin": origin, "message": message}));
        let human = json!({"kind": "human"});
        record(
            log,
            "user",
            &json!({"turnOrigin": origin, "origin": human, "promptSource": "typed",
                "message": message}),
        );
    }
    let typed = log.typed();
    record(
        log,
        "user",
        &json!({"turnOrigin": "human", "origin": {"kind": "human"}, "promptSource": "typed",
            "message": {"role": "user", "content": typed}}),
    );
    let typed = log.typed();
    record(
        log,
        "user",
        &json!({"turnOrigin": "sdk", "promptSource": "sdk",
            "message": {"role": "user", "content": typed}}),
    );
}

fn text_from_a_source_that_is_not_known(log: &mut Log, text: &str) {
    for source in [json!("channel"), json!({"kind": "typed"}), json!(1)] {
        let message = json!({"role": "user", "content": text});
        record(log, "user", &json!({"promptSource": source, "message": message}));
    }
    let typed = log.typed();
    record(
        log,
        "user",
        &json!({"promptSource": "another", "origin": {"kind": "human"},
            "message": {"role": "user", "content": typed}}),
    );
}

fn text_that_the_model_does_not_see(log: &mut Log, text: &str) {
    let message = json!({"role": "user", "content": text});
    record(log, "user", &json!({"isVisibleInTranscriptOnly": true, "message": message}));
}

fn text_that_a_call_put_there(log: &mut Log, text: &str) {
    for field in ["sourceToolUseID", "sourceToolAssistantUUID"] {
        let blocks = json!([{"type": "text", "text": text}]);
        for content in [json!(text), blocks] {
            let message = json!({"role": "user", "content": content});
            record(log, "user", &json!({(field): "t1", "message": message}));
        }
    }
}

fn command_that_a_call_put_there(log: &mut Log, text: &str) {
    let content = format!(
        "<command-message>deploy</command-message>\n<command-name>/deploy</command-name>\n\
        <command-args>{text}</command-args>"
    );
    let message = json!({"role": "user", "content": content});
    record(log, "user", &json!({"sourceToolUseID": "t1", "message": message}));
}

fn text_with_the_result_of_a_call(log: &mut Log, text: &str) {
    let blocks = json!([{"type": "text", "text": text}]);
    for told in [json!(text), blocks.clone(), json!({"stdout": text}), json!({})] {
        for content in [json!(text), blocks.clone()] {
            let message = json!({"role": "user", "content": content});
            record(log, "user", &json!({"toolUseResult": told, "message": message}));
        }
    }
}

fn refused_by(log: &mut Log, decision: &Value, why: &str) {
    let said = format!("{REFUSED}{why}");
    for name in ["Bash", "Read"] {
        ends(log, name, &json!(said), true, &json!(format!("Error: {said}")));
        log.records.last_mut().unwrap()["permissionDecision"] = decision.clone();
    }
}

fn reason_of_a_hook_or_a_rule(log: &mut Log, text: &str) {
    for decision in [
        json!({"decision": "reject", "source": "hook", "reasonType": "hook"}),
        json!({"decision": "reject", "source": "config", "reasonType": "rule"}),
        json!({"decision": "reject", "source": "user_permanent", "reasonType": "rule"}),
        json!({"decision": "reject"}),
        json!({"decision": "reject", "source": "user_reject", "reasonType": "permissionPromptTool"}),
        json!({"decision": "reject", "source": "user_reject", "reasonType": "classifier"}),
        json!({"decision": "reject", "source": "userSettings"}),
    ] {
        refused_by(log, &decision, text);
    }
    let typed = log.typed();
    refused_by(log, &json!({"decision": "reject", "source": "user_reject"}), &typed);
}

fn error_of_a_call_that_was_let_happen(log: &mut Log, text: &str) {
    for source in ["config", "user_permanent", "user_temporary", "hook"] {
        refused_by(log, &json!({"decision": "accept", "source": source}), text);
    }
}

fn decision_of_another_shape(log: &mut Log, text: &str) {
    for decision in [json!("reject"), json!({}), json!([]), json!({"decision": 1, "source": 2})] {
        refused_by(log, &decision, text);
    }
}

fn context_of_a_hook_without_a_mark(log: &mut Log, text: &str) {
    for begins in [
        "UserPromptSubmit hook additional context: ",
        "UserPromptSubmit hook success: ",
        "SessionStart:startup hook success: ",
        "SessionStart hook additional context: ",
        "PreToolUse:Bash hook feedback:\n",
        "PostToolUse:mcp__docs__a hook blocking error from command: \"x\": ",
        "Stop hook stopped continuation: ",
    ] {
        says(log, &format!("{begins}{text}"));
        says(log, &format!("<system-reminder>x</system-reminder>\n{begins}{text}"));
        queue(log, "enqueue", Some(&format!("{begins}{text}")));
        queue(log, "remove", None);
    }
}

fn diagnostics(log: &mut Log, text: &str) {
    let found = format!("<new-diagnostics>The following were found:\n{text}</new-diagnostics>");
    says(log, &found);
    let typed = log.typed();
    says(log, &format!("{found}\n{typed}"));
}

/// Frames in which nothing is the user's, with what stands in them.
fn outputs(text: &str) -> [String; 5] {
    [
        format!("<task-notification>\n<result>{text}</result>\n</task-notification>"),
        format!("<bash-stdout>{text}</bash-stdout>"),
        format!("<local-command-stdout>{text}</local-command-stdout>"),
        format!("<teammate-message teammate_id=\"a\">{text}</teammate-message>"),
        format!("<channel\tsource=\"a\">{text}</channel>"),
    ]
}

const WRAPPING: &[&str] =
    &["system-reminder", "ide_opened_file", "ide_selection", "user-prompt-submit-hook"];

fn output_behind_what_wraps_the_users_words(log: &mut Log, text: &str) {
    for output in outputs(text) {
        for name in WRAPPING {
            let wrapping = format!("<{name}>x</{name}>");
            says(log, &format!("{wrapping}\n{output}\n{text}"));
            says(log, &format!("{wrapping}\n<ide_x>y</ide_x>\n{output}\n{text}"));
            queue(log, "enqueue", Some(&format!("{wrapping}\n{output}\n{text}")));
            queue(log, "remove", None);
        }
    }
}

fn output_between_what_wraps_the_users_words(log: &mut Log, text: &str) {
    for output in outputs(text) {
        let wrapping = "<system-reminder>x</system-reminder>";
        says(log, &format!("{wrapping}\n{output}\n{text}\n{wrapping}"));
        says(log, &format!("{wrapping}\n{output}\n{text}\n{wrapping}\n{text}"));
        says(log, &format!("{output}\n{wrapping}\n{text}"));
    }
}

fn blocks(texts: &[&str]) -> Value {
    texts.iter().map(|text| json!({"type": "text", "text": text})).collect()
}

fn part_beside_output(log: &mut Log, text: &str) {
    for output in outputs(text) {
        let wrapped = format!("<system-reminder>x</system-reminder>\n{output}");
        for texts in [
            [&*output, text, "x"],
            [text, &*output, "x"],
            ["<ide_opened_file>x</ide_opened_file>", &*wrapped, text],
            [text, text, &*wrapped],
        ] {
            let message = json!({"role": "user", "content": blocks(&texts)});
            record(log, "user", &json!({"message": message}));
        }
    }
}

fn part_beside_a_text_of_the_agents(log: &mut Log, text: &str) {
    for begins in [
        "Base directory for this skill: /x",
        "This session is being continued from a previous conversation that ran out of context.",
        "Caveat: The messages below were generated by the user while running local commands.",
        "UserPromptSubmit hook success: ok",
    ] {
        for texts in [[begins, text], [text, begins]] {
            let message = json!({"role": "user", "content": blocks(&texts)});
            record(log, "user", &json!({"message": message}));
        }
    }
}

fn queued_part_beside_output(log: &mut Log, text: &str) {
    for output in outputs(text) {
        for texts in [[&*output, text], [text, &*output]] {
            let queued = json!({"type": "queued_command", "prompt": blocks(&texts),
                "commandMode": "prompt"});
            record(log, "attachment", &json!({"attachment": queued}));
        }
    }
}

fn feedback_of_a_hook(log: &mut Log, text: &str) {
    says(log, &format!("Stop hook feedback:\n{text}"));
}

fn output_of_a_local_command(log: &mut Log, text: &str) {
    says(log, &format!("<local-command-stdout>{text}</local-command-stdout>"));
    says(log, &format!("<local-command-stderr>{text}</local-command-stderr>"));
}

fn output_of_the_users_command(log: &mut Log, text: &str) {
    says(log, "<bash-input>cat x</bash-input>");
    says(log, &format!("<bash-stdout>{text}</bash-stdout><bash-stderr></bash-stderr>"));
}

fn error_of_the_users_command(log: &mut Log, text: &str) {
    says(log, "<bash-input>cat x</bash-input>");
    says(log, &format!("<bash-stdout></bash-stdout><bash-stderr>{text}</bash-stderr>"));
}

fn notification_of_a_task(log: &mut Log, text: &str) {
    says(log, &format!("<task-notification>\n<result>{text}</result>\n</task-notification>"));
}

fn message_of_a_teammate(log: &mut Log, text: &str) {
    says(log, &format!("<teammate-message teammate_id=\"a\">\n{text}\n</teammate-message>"));
}

fn message_of_another_session(log: &mut Log, text: &str) {
    says(log, &format!("<cross-session-message from=\"a\">\n{text}\n</cross-session-message>"));
    says(log, &format!("Another Claude session sent a message:\n{text}"));
}

fn message_of_a_channel(log: &mut Log, text: &str) {
    says(log, &format!("<channel source=\"plugin:chat\">\n{text}\n</channel>"));
}

fn selection_in_the_editor(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("<ide_selection>The user selected:\n{text}</ide_selection>\n{typed}"));
}

fn file_in_the_editor(log: &mut Log, text: &str) {
    let typed = log.typed();
    let content = json!([{"type": "text", "text": format!("<ide_opened_file>{text}</ide_opened_file>")},
        {"type": "text", "text": typed}]);
    record(log, "user", &json!({"message": {"role": "user", "content": content}}));
}

fn reminder_behind_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("{typed}\n<system-reminder>\n{text}\n</system-reminder>"));
}

fn reminder_before_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("<system-reminder>\n{text}\n</system-reminder>\n\n{typed}"));
}

fn frames_around_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    let (before, behind) = ("user-prompt-submit-hook", "system-reminder");
    says(log, &format!("<{before}>{text}</{before}>\n{typed}\n<{behind}>{text}</{behind}>"));
}

fn description_of_a_command(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(
        log,
        &format!(
            "<command-message>{text}</command-message>\n<command-name>/review</command-name>\n\
            <command-args>{typed}</command-args>"
        ),
    );
}

fn description_of_a_command_without_arguments(log: &mut Log, text: &str) {
    says(
        log,
        &format!("<command-message>{text}</command-message>\n<command-name>/review</command-name>"),
    );
}

fn description_behind_the_name_of_a_command(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(
        log,
        &format!(
            "<command-name>/review</command-name>\n <command-message>{text}</command-message>\n \
            <command-args>{typed}</command-args>"
        ),
    );
    says(
        log,
        &format!(
            "<command-name>/review</command-name>\n <command-message>{text}</command-message>"
        ),
    );
}

fn queue(log: &mut Log, operation: &str, content: Option<&str>) {
    log.push(json!({"type": "queue-operation", "operation": operation, "content": content}));
}

fn selection_with_what_waits(log: &mut Log, text: &str) {
    let typed = log.typed();
    let content = format!("<ide_selection>{text}</ide_selection>\n{typed}");
    queue(log, "enqueue", Some(&content));
    queue(log, "dequeue", Some(&content));
    says(log, &content);
}

fn selection_with_what_was_read(log: &mut Log, text: &str) {
    let typed = log.typed();
    let content = format!("<ide_selection>{text}</ide_selection>\n{typed}");
    queue(log, "enqueue", Some(&content));
    queue(log, "remove", Some(&content));
    let queued = json!({"type": "queued_command", "prompt": content, "commandMode": "prompt"});
    record(log, "attachment", &json!({"attachment": queued}));
}

fn notification_that_waits(log: &mut Log, text: &str) {
    let content = format!("<task-notification>\n{text}\n</task-notification>");
    queue(log, "enqueue", Some(&content));
    queue(log, "remove", Some(&content));
}

fn message_that_waits(log: &mut Log, text: &str) {
    queue(log, "enqueue", Some(&format!("Another Claude session sent a message:\n{text}")));
    queue(log, "remove", None);
}

fn attached_file(log: &mut Log, text: &str) {
    let file = json!({"type": "file", "filename": "x", "content": {"file": {"content": text}}});
    record(log, "attachment", &json!({"attachment": file, "prompt": text}));
}

fn attached_notification(log: &mut Log, text: &str) {
    for (mode, origin) in [("task-notification", "human"), ("prompt", "task-notification")] {
        let queued = json!({"type": "queued_command", "prompt": text, "commandMode": mode,
            "origin": {"kind": origin}});
        record(log, "attachment", &json!({"attachment": queued}));
    }
}

fn context_of_a_hook(log: &mut Log, text: &str) {
    let context = json!({"type": "hook_additional_context", "content": [text], "prompt": text});
    record(log, "attachment", &json!({"attachment": context}));
}

fn system_record(log: &mut Log, text: &str) {
    let rest = json!({"subtype": "local_command", "content": text,
        "message": {"role": "user", "content": text}});
    record(log, "system", &rest);
}

fn summary(log: &mut Log, text: &str) {
    let message = json!({"role": "user", "content": text});
    record(log, "user", &json!({"isCompactSummary": true, "message": message}));
    says(log, &format!("This session is being continued from a previous conversation.\n{text}"));
}

fn plan(log: &mut Log, text: &str) {
    says(log, &format!("Implement the following plan:\n\n# The shelves\n\n{text}"));
}

fn refusal_beside_output(log: &mut Log, text: &str) {
    output_of_a_command(log, text);
    let typed = log.typed();
    let said = format!("{REFUSED}{typed}\n\nNote: The user's next message may contain {text}");
    ends(log, "Bash", &json!(said), true, &json!(format!("Error: {said}")));
}

fn answer_beside_output(log: &mut Log, text: &str) {
    let id = log.id();
    call(log, &id, "AskUserQuestion");
    result_of_a_server(log, text);
    asked(log, &id);
}

fn begin(log: &mut Log) {
    let typed = log.typed();
    says(log, &typed);
}

fn attachment(text: &str) -> String {
    format!("\n<context ref=\"file:///work/shop/x\">\n{text}\n</context>")
}

fn attached_files(log: &mut Log, text: &str) {
    let (typed, file) = (log.typed(), attachment(text));
    let link = "[@x](file:///work/shop/x)";
    let message = json!({"role": "user", "content": blocks(&[&typed, link, &file, &file, &format!("x\n{text}")])});
    record(log, "user", &json!({"promptSource": "sdk", "message": message}));
    let typed = log.typed();
    says(log, &format!("{typed}\n{link}{file}\n{text}"));
    says(log, &format!("{file}\n{text}"));
}

fn attached_file_behind_a_selection(log: &mut Log, text: &str) {
    let file = attachment(text);
    says(log, &format!("<ide_selection>x</ide_selection>\n{file}\n{text}"));
    says(log, &format!("<ide_selection>{text}</ide_selection>\n{file}\n{text}"));
}

fn queued_attached_file(log: &mut Log, text: &str) {
    let (typed, file) = (log.typed(), attachment(text));
    let texts = blocks(&[&typed, &file, text]);
    for prompt in [json!(format!("{typed}{file}\n{text}")), texts] {
        let queued = json!({"type": "queued_command", "prompt": prompt, "commandMode": "prompt"});
        record(log, "attachment", &json!({"attachment": queued}));
    }
    let content = format!("{typed}{file}\n{text}");
    queue(log, "enqueue", Some(&content));
    queue(log, "remove", None);
}

fn frame_over_several_blocks(log: &mut Log, text: &str) {
    for texts in [
        ["<ide_selection>x", text, "</ide_selection>"],
        ["<ide_selection>x</ide_selection>x", text, "</ide_selection>"],
        ["<system-reminder>x", text, "</system-reminder>"],
    ] {
        let message = json!({"role": "user", "content": blocks(&texts)});
        record(log, "user", &json!({"message": message}));
    }
}

fn text_beside_an_interruption(log: &mut Log, text: &str) {
    for texts in [
        ["[Request interrupted by user]", text],
        [text, "[Request interrupted by user for tool use]"],
    ] {
        let message = json!({"role": "user", "content": blocks(&texts)});
        record(log, "user", &json!({"message": message}));
    }
}

fn text_beside_a_command(log: &mut Log, text: &str) {
    let command = "<command-message>review</command-message>\n<command-name>/review</command-name>";
    for texts in [[command, text], [text, command]] {
        let message = json!({"role": "user", "content": blocks(&texts)});
        record(log, "user", &json!({"message": message}));
    }
}

fn text_beside_the_result_of_a_server(log: &mut Log, text: &str) {
    for kind in ["mcp_tool_result", "web_search_tool_result"] {
        let content = json!([{"type": kind, "tool_use_id": "s1", "content": "x"},
            {"type": "text", "text": text}]);
        record(log, "user", &json!({"message": {"role": "user", "content": content}}));
    }
}

fn fields_that_name_somebody_else(log: &mut Log, text: &str) {
    for (field, value) in [
        ("isMeta", json!("true")),
        ("isMeta", json!(1)),
        ("isSidechain", json!("true")),
        ("isCompactSummary", json!("true")),
        ("isVisibleInTranscriptOnly", json!(1)),
        ("isSynthetic", json!(true)),
        ("isReplay", json!(true)),
        ("hookName", json!("UserPromptSubmit")),
        ("toolUseID", json!("t1")),
        ("parentToolUseID", json!("t1")),
        ("agentId", json!("a1234567")),
        ("agentName", json!("researcher")),
        ("entrypoint", json!("mcp")),
        ("entrypoint", json!("claude-code-github-action")),
        ("entrypoint", json!({"kind": "cli"})),
    ] {
        for content in [json!(text), blocks(&[text])] {
            let message = json!({"role": "user", "content": content});
            record(log, "user", &json!({(field): value, "message": message}));
        }
    }
    for role in [json!("assistant"), json!("system"), json!({"kind": "user"})] {
        let message = json!({"role": role, "content": text});
        record(log, "user", &json!({"message": message}));
    }
    for (field, value) in [
        ("isMeta", json!(false)),
        ("toolUseID", Value::Null),
        ("entrypoint", json!("cli")),
        ("entrypoint", json!("sdk-cli")),
        ("entrypoint", json!("sdk-ts")),
        ("entrypoint", json!("claude-vscode")),
    ] {
        let typed = log.typed();
        let message = json!({"role": "user", "content": typed});
        record(log, "user", &json!({(field): value, "message": message}));
    }
}

fn plan_content(log: &mut Log, text: &str) {
    let plan = format!("Implement the following plan:\n\n# The shelves\n\n{text}");
    let text = format!("x\n{text}");
    for content in [json!(text), blocks(&[&plan, &text]), json!(plan)] {
        let message = json!({"role": "user", "content": content});
        record(log, "user", &json!({"planContent": text, "message": message}));
    }
}

fn queued_text_of_another(log: &mut Log, text: &str) {
    for (field, value) in [
        ("isMeta", json!(true)),
        ("isMeta", json!("true")),
        ("origin", json!({"kind": "channel"})),
        ("commandMode", json!("task-notification")),
        ("commandMode", json!({"kind": "prompt"})),
    ] {
        for said in [text, "somewhat other text"] {
            queue(log, "enqueue", Some(text));
            queue(log, "remove", None);
            let mut queued =
                json!({"type": "queued_command", "prompt": said, "commandMode": "prompt"});
            queued[field] = value.clone();
            record(log, "attachment", &json!({"attachment": queued}));
            let message =
                json!({"role": "assistant", "content": [{"type": "text", "text": "On."}]});
            record(log, "assistant", &json!({"message": message}));
        }
    }
    let typed = log.typed();
    queue(log, "enqueue", Some(&typed));
    queue(log, "remove", None);
    let queued = json!({"type": "queued_command", "prompt": typed, "commandMode": "prompt",
        "origin": {"kind": "human"}});
    record(log, "attachment", &json!({"attachment": queued}));
}

fn answers_of_a_hook(log: &mut Log, text: &str) {
    let answer = |log: &mut Log, text: &str, decision: &Value| {
        let id = log.id();
        call(log, &id, "AskUserQuestion");
        let told = json!({"questions": [], "answers": {"Which?": text}});
        result(log, &id, &json!("User has answered your questions."), false, &told);
        log.records.last_mut().unwrap()["permissionDecision"] = decision.clone();
    };
    for decision in [
        json!({"decision": "accept", "source": "hook", "reasonType": "hook"}),
        json!({"decision": "accept", "source": "hook"}),
        json!({"decision": "accept", "source": "config", "reasonType": "rule"}),
        json!({"decision": "accept", "source": "user_temporary", "reasonType": "hook"}),
        json!("accept"),
        json!({}),
    ] {
        answer(log, text, &decision);
    }
    let typed = log.typed();
    answer(log, &typed, &json!({"decision": "accept", "source": "user_temporary"}));
}
