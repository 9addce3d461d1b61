//! Copilot CLI.

use serde_json::{Value, json};

use crate::log::{Log, Reader, places};

pub(crate) const READER: Reader = Reader {
    agent: "copilot-cli",
    begin,
    places: places![
        output_of_a_command,
        error_of_a_command,
        content_of_a_file,
        result_of_a_server,
        answer_of_a_server_with_the_name_of_the_question_tool,
        answer_of_a_server_that_is_first_told_without_it,
        answer_of_a_server_that_the_request_names,
        answer_of_a_server_that_only_the_end_names,
        denial_of_a_server_that_the_request_names,
        answer_of_a_tool_named_like_the_question_tool,
        answer_under_a_used_id,
        answer_under_an_id_of_two_calls,
        answer_of_a_call_that_nobody_knows,
        answer_that_failed,
        failure_with_feedback,
        denial_by_a_rule,
        denial_that_a_server_tells,
        denial_that_an_outside_tool_tells,
        denial_by_a_rule_with_feedback,
        quoted_behind_a_denial,
        prompt_of_a_skill,
        prompt_of_an_autopilot,
        prompt_from_another_session,
        fields_of_another_shape,
        prompt_of_a_subagent,
        answer_to_a_subagent,
        transformed_prompt,
        context_of_a_skill,
        notification,
        reminder_before_the_prompt,
        reminder_behind_the_prompt,
        frames_around_the_prompt,
        output_behind_what_wraps_the_users_words,
        context_of_a_hook,
        summary,
        answer_beside_output,
        refusal_beside_output,
    ],
    read: |log| crate::read("copilot-cli", &log.records),
    slow: false,
};

fn by(log: &mut Log, agent: Option<&str>, kind: &str, data: &Value) {
    let mut event = json!({"type": kind, "data": data, "id": log.id(),
        "timestamp": "2026-03-01T10:00:00.000Z"});
    if let Some(agent) = agent {
        event["agentId"] = json!(agent);
    }
    log.push(event);
}

fn event(log: &mut Log, kind: &str, data: &Value) {
    by(log, None, kind, data);
}

fn says(log: &mut Log, text: &str) {
    event(log, "user.message", &json!({"content": text}));
}

fn requests(log: &mut Log, id: &str, name: &str) {
    let args = json!({"question": "Which?", "command": "cat x", "path": "/work/shop/x"});
    let request = json!({"toolCallId": id, "name": name, "arguments": args});
    event(log, "assistant.message", &json!({"content": "", "toolRequests": [request]}));
}

fn begins(log: &mut Log, id: &str, name: &str, server: Option<&str>) {
    let args = json!({"question": "Which?", "command": "cat x", "path": "/work/shop/x"});
    let mut data = json!({"toolCallId": id, "toolName": name, "arguments": args});
    if let Some(server) = server {
        data["mcpServerName"] = json!(server);
    }
    event(log, "tool.execution_start", &data);
}

fn ends(log: &mut Log, id: &str, rest: Value) {
    let mut data = rest;
    data["toolCallId"] = json!(id);
    event(log, "tool.execution_complete", &data);
}

fn said(text: &str) -> Value {
    json!({"success": true, "result": {"content": text}})
}

fn does(log: &mut Log, name: &str, rest: Value) {
    let id = log.id();
    requests(log, &id, name);
    begins(log, &id, name, None);
    ends(log, &id, rest);
}

const ANSWERED: [&str; 2] = ["User responded: ", "User selected: "];
const REFUSED: &str = "The user rejected this tool call. User feedback: ";

fn output_of_a_command(log: &mut Log, text: &str) {
    does(log, "bash", said(&format!("{text}\n<shellId: 0 completed with exit code 0>")));
}

fn error_of_a_command(log: &mut Log, text: &str) {
    does(log, "bash", json!({"success": false, "error": {"code": "failure", "message": text}}));
}

fn content_of_a_file(log: &mut Log, text: &str) {
    does(log, "view", said(text));
}

fn result_of_a_server(log: &mut Log, text: &str) {
    let id = log.id();
    begins(log, &id, "docs-search", Some("docs"));
    ends(log, &id, said(text));
}

fn answer_of_a_server_with_the_name_of_the_question_tool(log: &mut Log, text: &str) {
    for begin in ANSWERED {
        let id = log.id();
        begins(log, &id, "ask_user", Some("docs"));
        ends(log, &id, said(&format!("{begin}{text}")));
    }
}

fn answer_of_a_server_that_is_first_told_without_it(log: &mut Log, text: &str) {
    for begin in ANSWERED {
        let id = log.id();
        requests(log, &id, "ask_user");
        begins(log, &id, "ask_user", Some("docs"));
        ends(log, &id, said(&format!("{begin}{text}")));
    }
}

fn answer_of_a_tool_named_like_the_question_tool(log: &mut Log, text: &str) {
    for begin in ANSWERED {
        for name in ["docs-ask_user", "bash", "view"] {
            does(log, name, said(&format!("{begin}{text}")));
        }
    }
}

fn answer_under_a_used_id(log: &mut Log, text: &str) {
    let (id, typed) = (log.id(), log.typed());
    requests(log, &id, "ask_user");
    ends(log, &id, said(&format!("User responded: {typed}")));
    requests(log, &id, "docs-search");
    ends(log, &id, said(&format!("User responded: {text}")));
}

fn answer_under_an_id_of_two_calls(log: &mut Log, text: &str) {
    for names in [["ask_user", "docs-search"], ["docs-search", "ask_user"]] {
        let id = log.id();
        names.iter().for_each(|name| requests(log, &id, name));
        ends(log, &id, said(&format!("User responded: {text}")));
    }
}

fn requests_of_server(log: &mut Log, id: &str, name: &str) {
    requests(log, id, name);
    let event = log.records.last_mut().unwrap();
    event["data"]["toolRequests"][0]["mcpServerName"] = json!("docs");
}

fn answer_of_a_server_that_the_request_names(log: &mut Log, text: &str) {
    for begin in ANSWERED {
        let id = log.id();
        requests_of_server(log, &id, "ask_user");
        begins(log, &id, "ask_user", None);
        ends(log, &id, said(&format!("{begin}{text}")));
    }
}

fn answer_of_a_server_that_only_the_end_names(log: &mut Log, text: &str) {
    let id = log.id();
    requests(log, &id, "ask_user");
    begins(log, &id, "ask_user", None);
    let mut end = said(&format!("User responded: {text}"));
    end["mcpServerName"] = json!("docs");
    ends(log, &id, end);
    let id = log.id();
    requests(log, &id, "bash");
    let denied = format!("{REFUSED}{text}");
    let error = json!({"code": "rejected", "message": denied});
    ends(log, &id, json!({"success": false, "error": error, "mcpServerName": "docs"}));
}

fn denial_of_a_server_that_the_request_names(log: &mut Log, text: &str) {
    let id = log.id();
    requests_of_server(log, &id, "bash");
    let denied = format!("{REFUSED}{text}");
    ends(log, &id, json!({"success": false, "error": {"code": "rejected", "message": denied}}));
}

fn answer_of_a_call_that_nobody_knows(log: &mut Log, text: &str) {
    let id = log.id();
    ends(log, &id, said(&format!("User responded: {text}")));
    let denied = format!("{REFUSED}{text}");
    ends(log, &id, json!({"success": false, "error": {"code": "rejected", "message": denied}}));
}

fn answer_that_failed(log: &mut Log, text: &str) {
    let said = format!("User responded: {text}");
    does(log, "ask_user", json!({"success": false, "error": {"code": "failure", "message": said}}));
}

fn failure_with_feedback(log: &mut Log, text: &str) {
    for said in [format!("{REFUSED}{text}"), format!("It failed. Feedback: {text}")] {
        does(log, "bash", json!({"success": false, "error": {"code": "failure", "message": said}}));
    }
}

fn denial_by_a_rule(log: &mut Log, text: &str) {
    let denied = format!("{REFUSED}{text}");
    does(log, "bash", json!({"success": false, "error": {"code": "denied", "message": denied}}));
    does(
        log,
        "bash",
        json!({"success": false, "error": {"code": "rejected", "message": format!("denied due to {text}")}}),
    );
}

fn denial_that_a_server_tells(log: &mut Log, text: &str) {
    let id = log.id();
    begins(log, &id, "bash", Some("docs"));
    let denied = format!("{REFUSED}{text}");
    ends(log, &id, json!({"success": false, "error": {"code": "rejected", "message": denied}}));
}

fn denial_that_an_outside_tool_tells(log: &mut Log, text: &str) {
    let denied = format!("{REFUSED}{text}");
    let result = json!({"text_result_for_llm": denied, "result_type": "rejected"});
    does(log, "deploy", json!({"success": false, "result": result}));
    does(log, "deploy", json!({"result": result}));
}

fn denial_by_a_rule_with_feedback(log: &mut Log, text: &str) {
    let result = json!({"kind": "denied-by-rules", "feedback": text});
    event(log, "permission.completed", &json!({"requestId": "r", "result": result}));
}

fn quoted_behind_a_denial(log: &mut Log, text: &str) {
    let denied = format!("Rejected: `echo {REFUSED}{text}`");
    does(log, "bash", json!({"success": false, "error": {"code": "rejected", "message": denied}}));
    let rejected = json!({"code": "rejected"});
    let result = json!({"content": format!("{REFUSED}{text}")});
    does(log, "bash", json!({"success": false, "error": rejected, "result": result}));
}

fn prompt_of_a_skill(log: &mut Log, text: &str) {
    event(log, "user.message", &json!({"content": text, "source": "skill-pdf"}));
}

fn prompt_of_an_autopilot(log: &mut Log, text: &str) {
    event(log, "user.message", &json!({"content": text, "isAutopilotContinuation": true}));
}

fn fields_of_another_shape(log: &mut Log, text: &str) {
    for (field, value) in [
        ("source", json!({})),
        ("source", json!({"kind": "user"})),
        ("isAutopilotContinuation", json!("true")),
        ("isAutopilotContinuation", json!(1)),
        ("parentToolCallId", json!({"id": "x"})),
        ("crossSession", json!([])),
    ] {
        event(log, "user.message", &json!({"content": text, (field): value}));
    }
}

fn prompt_from_another_session(log: &mut Log, text: &str) {
    event(log, "user.message", &json!({"content": text, "crossSession": {"version": 1}}));
}

fn prompt_of_a_subagent(log: &mut Log, text: &str) {
    by(log, Some("sub-1"), "user.message", &json!({"content": text}));
}

fn answer_to_a_subagent(log: &mut Log, text: &str) {
    let id = log.id();
    let request =
        json!({"toolCallId": id, "toolName": "ask_user", "arguments": {"question": "Which?"}});
    by(log, Some("sub-1"), "tool.execution_start", &request);
    let mut end = said(&format!("User responded: {text}"));
    end["toolCallId"] = json!(id);
    by(log, Some("sub-1"), "tool.execution_complete", &end);
}

fn transformed_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    let more = format!("<current_datetime>{text}</current_datetime>\n\n{typed}\n\n{text}");
    let attachments = json!([{"type": "file", "path": "/x", "content": text}]);
    let data = json!({"content": typed, "transformedContent": more, "attachments": attachments});
    event(log, "user.message", &data);
}

fn context_of_a_skill(log: &mut Log, text: &str) {
    says(log, &format!("<skill-context name=\"x\">\n{text}\n</skill-context>"));
    says(log, &format!("<summary>\n{text}\n</summary>"));
}

fn notification(log: &mut Log, text: &str) {
    says(log, &format!("<system_notification>\n{text}\n</system_notification>"));
    event(log, "system.notification", &json!({"content": text}));
}

fn reminder_before_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("<system_reminder>\n{text}\n</system_reminder>\n{typed}"));
}

fn reminder_behind_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(log, &format!("{typed}\n\n<system_reminder>\n{text}\n</system_reminder>"));
}

fn frames_around_the_prompt(log: &mut Log, text: &str) {
    let typed = log.typed();
    says(
        log,
        &format!(
            "<current_datetime>{text}</current_datetime>\n{typed}\n<system-reminder>{text}</system-reminder>"
        ),
    );
}

fn output_behind_what_wraps_the_users_words(log: &mut Log, text: &str) {
    let output = format!("<system_notification>{text}</system_notification>");
    for name in ["current_datetime", "system_reminder", "system-reminder"] {
        let wrapping = format!("<{name}>x</{name}>");
        says(log, &format!("{wrapping}\n\n{output}\n{text}"));
        says(log, &format!("{wrapping}\n\n{output}\n{text}\n{wrapping}\n{text}"));
    }
}

fn context_of_a_hook(log: &mut Log, text: &str) {
    event(log, "hook.end", &json!({"output": {"additionalContext": text}, "content": text}));
}

fn summary(log: &mut Log, text: &str) {
    let data = json!({"success": true, "summaryContent": text});
    event(log, "session.compaction_complete", &data);
    event(log, "session.task_complete", &json!({"summary": text}));
}

fn answer_beside_output(log: &mut Log, text: &str) {
    let (id, typed) = (log.id(), log.typed());
    requests(log, &id, "ask_user");
    begins(log, &id, "ask_user", None);
    output_of_a_command(log, text);
    ends(log, &id, said(&format!("User selected: {typed}")));
}

fn refusal_beside_output(log: &mut Log, text: &str) {
    output_of_a_command(log, text);
    let typed = log.typed();
    let denied = format!("{REFUSED}{typed}");
    does(log, "bash", json!({"success": false, "error": {"code": "rejected", "message": denied}}));
}

fn begin(log: &mut Log) {
    event(log, "session.start", &json!({"sessionId": "5e55-10", "copilotVersion": "1.0.102"}));
    let typed = log.typed();
    says(log, &typed);
}
