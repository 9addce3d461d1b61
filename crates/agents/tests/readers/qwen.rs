//! Transcripts of Qwen Code, of our own making: the format, its drift, and damage.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use segue_agents::{Places, Transcripts, Where};
use segue_core::session::{Outcome, Session, TodoStatus};
use serde_json::{Value, json};

use crate::ground::{self, commands, prompts, reads_on, recognised, tells_the_same, with_damage};

/// A transcript in the making.
struct Made {
    dir: tempfile::TempDir,
    lines: Vec<String>,
}

impl Made {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), lines: Vec::new() }
    }

    fn record(mut self, kind: &str, rest: &Value) -> Self {
        let mut record = json!({
            "uuid": format!("u{}", self.lines.len()), "parentUuid": null, "sessionId": "5e55-10",
            "timestamp": format!("2026-03-01T10:00:{:02}.000Z", self.lines.len() % 60),
            "type": kind, "cwd": "/work/shop", "version": "0.24.4", "gitBranch": "feature/basket",
        });
        for (key, value) in rest.as_object().unwrap() {
            record[key] = value.clone();
        }
        self.lines.push(record.to_string());
        self
    }

    fn user(self, text: &str) -> Self {
        let message = json!({"role": "user", "parts": [{"text": text}]});
        self.record("user", &json!({"provenance": "real_user", "message": message}))
    }

    fn model(self, part: &Value) -> Self {
        let thought = json!({"text": "I decided to always think.", "thought": true});
        let usage = json!({"promptTokenCount": 100, "candidatesTokenCount": 5});
        self.record(
            "assistant",
            &json!({"model": "qwen3-coder-plus", "usageMetadata": usage,
                "message": {"role": "model", "parts": [thought, part]}}),
        )
    }

    fn says(self, text: &str) -> Self {
        self.model(&json!({"text": text}))
    }

    fn calls(self, id: &str, name: &str, args: &Value) -> Self {
        self.model(&json!({"functionCall": {"id": id, "name": name, "args": args}}))
    }

    fn result(self, id: &str, response: &Value, told: &Value) -> Self {
        let part =
            json!({"functionResponse": {"id": id, "name": self.name(id), "response": response}});
        self.record(
            "tool_result",
            &json!({"message": {"role": "user", "parts": [part]}, "toolCallResult": told}),
        )
    }

    /// The tool that was last called under an id.
    fn name(&self, id: &str) -> Value {
        let calls = self.lines.iter().rev().filter_map(|line| {
            let record: Value = serde_json::from_str(line).unwrap();
            let call = &record["message"]["parts"][1]["functionCall"];
            (call["id"] == id).then(|| call["name"].clone())
        });
        calls.into_iter().next().unwrap_or_else(|| json!("x"))
    }

    fn runs(self, id: &str, command: &str, output: &str, exit: i32) -> Self {
        let said = format!(
            "Command: {command}\nDirectory: (root)\nOutput: {output}\nError: (none)\n\
            Exit Code: {exit}\nSignal: (none)"
        );
        let (key, status) = if exit == 0 { ("output", "success") } else { ("error", "error") };
        self.calls(id, "run_shell_command", &json!({"command": command, "is_background": false}))
            .result(id, &json!({key: said}), &json!({"callId": id, "status": status}))
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("5e55-10.jsonl")
    }

    fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    fn read(&self) -> Session {
        read(&self.path(), self.text().as_bytes())
    }
}

fn read(path: &Path, content: &[u8]) -> Session {
    ground::read(qwen(), path, content)
}

fn qwen() -> &'static Transcripts {
    Transcripts::of("qwen-code").unwrap()
}

fn worked() -> Made {
    let fine = json!({"status": "success"});
    let done = json!({"output": "done"});
    let was =
        json!({"status": "success", "resultDisplay": {"fileDiff": "", "originalContent": "a"}});
    let new =
        json!({"status": "success", "resultDisplay": {"fileDiff": "", "originalContent": null}});
    Made::new()
        .user("Fix the basket. Never touch the schema.")
        .says("I'll look at it.")
        .calls("t1", "read_file", &json!({"absolute_path": "/work/shop/basket.rs"}))
        .result("t1", &done, &fine)
        .calls("t2", "edit", &json!({"file_path": "/work/shop/basket.rs", "old_string": "a"}))
        .result("t2", &done, &was)
        .calls("t3", "write_file", &json!({"file_path": "/work/shop/new.rs", "content": "x"}))
        .result("t3", &done, &new)
        .calls("t4", "write_file", &json!({"file_path": "/work/shop/old.rs", "content": "x"}))
        .result("t4", &done, &was)
        .calls("t5", "edit", &json!({"file_path": "/work/shop/none.rs"}))
        .result("t5", &json!({"error": "File not found"}), &json!({"status": "error"}))
        .runs("t6", "cargo test", "test basket::adds ... FAILED", 101)
        .runs("t7", "git commit -am 'Fix totals'", "[feature/basket 3f2a9c1] Fix totals", 0)
        .calls(
            "t8",
            "todo_write",
            &json!({"todos": [{"id": "1", "content": "Fix totals", "status": "completed"},
                {"id": "2", "content": "Mend the test", "status": "in_progress"}]}),
        )
        .result("t8", &done, &fine)
        .says("The totals are right now. Next, I will mend the test.")
}

#[test]
fn what_happened_is_read() {
    let session = worked().read();
    assert_eq!(session.agent, "qwen-code");
    assert_eq!(session.id.as_deref(), Some("5e55-10"));
    assert_eq!(session.branch.as_deref(), Some("feature/basket"));
    assert_eq!(session.cwd.as_deref(), Some("/work/shop"));
    assert_eq!(session.model.as_deref(), Some("qwen3-coder-plus"));
    assert_eq!(session.version.as_deref(), Some("0.24.4"));
    assert_eq!(prompts(&session), ["Fix the basket. Never touch the schema."]);
    assert_eq!(session.constraints.len(), 1);
    let files: Vec<_> = session
        .files
        .iter()
        .map(|(path, file)| (path.as_str(), file.edits, file.created, file.reads))
        .collect();
    assert_eq!(
        files,
        [
            ("/work/shop/basket.rs", 1, false, 1),
            ("/work/shop/new.rs", 1, true, 0),
            ("/work/shop/old.rs", 1, false, 0),
        ]
    );
    assert_eq!(
        commands(&session),
        [
            ("cargo test", Outcome::Failed, Some(101)),
            ("git commit -am 'Fix totals'", Outcome::Passed, Some(0)),
        ]
    );
    assert_eq!(session.checks[0].failing, ["basket::adds"]);
    assert_eq!(session.commits[0].id, "3f2a9c1");
    let todos: Vec<_> =
        session.todos.iter().map(|todo| (todo.text.as_str(), todo.status)).collect();
    assert_eq!(todos, [("Fix totals", TodoStatus::Done), ("Mend the test", TodoStatus::Begun)]);
    assert_eq!(session.said.len(), 2);
    assert!(session.decisions.is_empty(), "a thought is not said");
    assert_eq!((session.tokens.input, session.tokens.output), (1_000, 50));
    assert_eq!((session.damaged, session.unknown), (0, 0));
}

#[test]
fn what_machines_write_is_not_the_users() {
    let by = |text: &str| json!({"role": "user", "parts": [{"text": text}]});
    let session = Made::new()
        .record("user", &json!({"provenance": "system", "subtype": "notification", "message": by("never")}))
        .record("user", &json!({"subtype": "cron", "message": by("always")}))
        .record("user", &json!({"isSidechain": true, "message": by("You must look")}))
        .record("user", &json!({"provenance": "goal_runtime", "message": by("You must go on")}))
        .record("user", &json!({"provenance": "real_user",
            "message": {"role": "user", "parts": [{"text": "Do it"},
                {"text": "<qwen:user-prompt-submit-context>\nalways\n</qwen:user-prompt-submit-context>"}]},
            "systemPayload": {"displayText": "Do it", "hookContext": "always"}}))
        .record("user", &json!({"message": {"role": "user", "parts": [{"text": "Read @a.rs"},
            {"text": "<system-reminder>always</system-reminder>"},
            {"text": "\n--- Content from referenced files ---"}, {"text": "You must never"}]}}))
        .record("system", &json!({"subtype": "chat_compression", "systemPayload": {"info": {},
            "compressedHistory": [by("always a summary")]}}))
        .record("system", &json!({"subtype": "ui_telemetry", "systemPayload": {"uiEvent": {}}}))
        .record("system", &json!({"subtype": "custom_title", "systemPayload": {"customTitle": "The basket"}}))
        .read();
    assert_eq!(prompts(&session), ["Do it", "Read @a.rs"]);
    assert!(session.constraints.is_empty(), "{:?}", session.constraints);
    assert_eq!(session.compactions, 1);
    assert_eq!(session.title.as_deref(), Some("The basket"));
}

#[test]
fn what_the_user_refuses_did_not_happen() {
    let cancelled = "[Operation Cancelled] Reason: User did not allow tool call";
    let made = Made::new()
        .user("Rename it")
        .calls("t1", "edit", &json!({"file_path": "/work/shop/a.rs"}))
        .result("t1", &json!({"error": cancelled}), &json!({"status": "cancelled"}))
        .calls("t2", "run_shell_command", &json!({"command": "rm -r target"}))
        .result("t2", &json!({"error": cancelled}), &json!({}));
    let session = made.read();
    assert!(session.files.is_empty() && session.failures.is_empty());
    assert_eq!(commands(&session), [("rm -r target", Outcome::Stopped, None)]);
    assert!(session.interrupted);
    assert!(!made.user("Do not delete anything").read().interrupted);
}

#[test]
fn only_a_plan_that_the_user_approved_is_accepted() {
    let fine = json!({"status": "success"});
    for (output, accepted) in [
        ("User has approved your plan.", true),
        ("User approved the plan. Go on.", true),
        ("Gate approved. Go on.", false),
        ("Plan execution was not approved. Remaining in plan mode.", false),
        ("Not in plan mode — no action taken.", false),
    ] {
        let session = Made::new()
            .calls("p", "exit_plan_mode", &json!({"plan": "1. First"}))
            .result("p", &json!({"output": output}), &fine)
            .read();
        assert_eq!(session.plan.unwrap().accepted, accepted, "{output}");
    }
}

#[test]
fn answers_plans_and_commands_in_the_background_are_read() {
    let questions = json!({"questions": [{"question": "Which database?", "header": "Database"}]});
    let answer = "User has provided the following answers:\n\n**Database**: SQLite";
    let fine = json!({"status": "success"});
    let session = Made::new()
        .calls("q", "ask_user_question", &questions)
        .result("q", &json!({"output": answer}), &fine)
        .calls("p", "exit_plan_mode", &json!({"plan": "1. First"}))
        .result("p", &json!({"output": "User has approved your plan."}), &fine)
        .calls("a", "agent", &json!({"description": "look"}))
        .calls("b", "run_shell_command", &json!({"command": "npm start", "is_background": true}))
        .result("b", &json!({"output": "Background command started."}), &fine)
        .calls("c", "run_shell_command", &json!({"command": "false"}))
        .result(
            "c",
            &json!({"output": "Command: false\nOutput: (empty)\nError: (none)\nExit Code: 1"}),
            &fine,
        )
        .read();
    assert_eq!(session.decisions[0].text, "Which database? → SQLite");
    assert!(session.plan.as_ref().unwrap().accepted);
    assert_eq!(session.subagents, 1);
    assert_eq!(
        commands(&session),
        [("npm start", Outcome::Unknown, None), ("false", Outcome::Failed, Some(1))]
    );
    assert_eq!(session.failures[0].message, "Exit Code: 1");
}

#[test]
fn what_was_taken_back_no_longer_counts() {
    let follows = |parent: Value| {
        json!({"parentUuid": parent, "subtype": "rewind",
        "systemPayload": {"truncatedCount": 2}})
    };
    let ask = |parent: &Value, text: &str| {
        json!({"parentUuid": parent, "provenance": "real_user",
        "message": {"role": "user", "parts": [{"text": text}]}})
    };
    let made = Made::new()
        .record("user", &ask(&Value::Null, "First"))
        .says("One.")
        .record("user", &ask(&json!("u1"), "Never mind"))
        .says("Two.")
        .record("system", &follows(json!("u1")))
        .record("user", &ask(&json!("u4"), "Third"))
        .says("Three.");
    let session = made.read();
    assert_eq!(prompts(&session), ["First", "Third"]);
    assert_eq!((session.turns, session.constraints.len()), (2, 0));
    let said: Vec<_> = session.said.iter().map(|said| said.text.as_str()).collect();
    assert_eq!(said, ["One.", "Three."]);
    // To before something that is not known, and to the beginning.
    let made = made.record("system", &follows(json!("nobody")));
    assert_eq!(prompts(&made.read()), ["First", "Third"]);
    assert!(made.record("system", &follows(Value::Null)).read().prompts.is_empty());
}

#[test]
fn damage_is_counted_and_passed_over() {
    let made = worked();
    let whole = made.read();
    let mut broken = Vec::new();
    broken.extend(b"{\"type\":\"user\",\"mess\n\n\xff\xfe\x00\n[1,2]\nnull\n\"text\"\n{}\n");
    broken.extend(b"{\"type\":\"brand-new\",\"x\":1}\n{\"type\":7}\n");
    for kind in ["user", "assistant", "tool_result", "system"] {
        for message in [
            "5",
            "{\"parts\":7}",
            "{\"parts\":[1,null,{\"text\":3}]}",
            "{\"parts\":[{\"functionCall\":{\"id\":\"x\",\"name\":\"edit\",\"args\":1}}]}",
            "{\"parts\":[{\"functionResponse\":{\"id\":\"x\",\"response\":1}}]}",
        ] {
            broken.extend(format!("{{\"type\":\"{kind}\",\"message\":{message}}}\n").bytes());
        }
    }
    let damaged = read(
        &made.path(),
        &with_damage(
            &made.lines,
            &broken,
            b"{\"type\":\"user\",\"message\":{\"parts\":[{\"text\":\"torn",
        ),
    );
    tells_the_same(&damaged, &whole);
    assert_eq!(damaged.unknown, 1);
    assert!(damaged.damaged >= 6, "{}", damaged.damaged);
}

#[test]
fn reading_on_is_the_same_as_reading_at_once() {
    let made = worked();
    reads_on(qwen(), &made.path(), &made.text());
}

#[test]
fn transcripts_are_recognised_by_their_first_record() {
    let made = worked();
    let noted = json!({"subtype": "session_model", "systemPayload": {"modelId": "m"}});
    let noted = Made::new().record("system", &noted);
    for text in [made.text(), noted.text()] {
        assert_eq!(recognised(&made.path(), text), Some("qwen-code"));
    }
    for other in [
        "{\"parentUuid\":null,\"sessionId\":\"x\",\"isSidechain\":false,\"type\":\"user\",\
            \"timestamp\":\"2026-03-01T10:00:00Z\",\"message\":{\"role\":\"user\",\"content\":\"a\"}}\n",
        "{\"sessionId\":\"x\",\"processedOffset\":0,\"updatedAt\":\"2026-03-01T10:00:00Z\"}",
        "{\"session_id\":\"x\",\"hook_event_name\":\"Stop\",\"timestamp\":\"2026-03-01T10:00:00Z\"}",
        "{\"type\":\"session_meta\",\"timestamp\":\"2026-03-01T10:00:00Z\",\"payload\":{\"id\":\"x\"}}\n",
    ] {
        assert_ne!(recognised(&made.path(), other), Some("qwen-code"), "{other}");
    }
}

#[test]
fn sessions_are_found_by_id_and_by_directory() {
    fn no_vars(_: &str) -> Option<OsString> {
        None
    }
    let home = tempfile::tempdir().unwrap();
    let chats = home.path().join(".qwen/projects/-work-shop/chats");
    let older = home.path().join(".qwen/tmp/0f3a/chats");
    for dir in [&chats, &older] {
        fs::create_dir_all(dir).unwrap();
    }
    fs::write(chats.join("a-1.jsonl"), worked().text()).unwrap();
    fs::write(chats.join("a-1.runtime.json"), "{}").unwrap();
    fs::write(older.join("b-2.jsonl"), worked().text()).unwrap();
    let places = Places { home: Some(home.path().to_owned()), vars: no_vars };
    let here = qwen().newest_in(&places, &Where::from("/work/shop"), 9).unwrap();
    assert_eq!(here.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["a-1"]);
    assert_eq!(qwen().of_id(&places, "b-2").unwrap().unwrap().id, "b-2");
    assert!(qwen().of_id(&places, "../a-1").unwrap().is_none());
    assert!(qwen().newest_in(&places, &Where::from("/nowhere"), 9).unwrap().is_empty());
}
