//! Transcripts of Gemini CLI, of our own making: the event log, its repetitions, and damage.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use segue_agents::{Places, Transcripts, Where};
use segue_core::session::{Outcome, PromptWay, Session, TodoStatus};
use serde_json::{Value, json};

use crate::ground::{self, commands, prompts, reads_on, recognised, tells_the_same, with_damage};

/// A transcript in the making, in a project's directory.
struct Made {
    dir: tempfile::TempDir,
    lines: Vec<String>,
}

const ID: &str = "b4c1d2e3-0000-4000-8000-000000000001";

impl Made {
    fn new() -> Self {
        let made = Self { dir: tempfile::tempdir().unwrap(), lines: Vec::new() };
        fs::create_dir_all(made.path().parent().unwrap()).unwrap();
        fs::write(made.project().join(".project_root"), "/work/shop").unwrap();
        made.header()
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join(".gemini/tmp/shop")
    }

    fn path(&self) -> PathBuf {
        self.project().join("chats/session-2026-03-01T10-00-b4c1d2e3.jsonl")
    }

    fn line(mut self, record: &Value) -> Self {
        self.lines.push(record.to_string());
        self
    }

    fn header(self) -> Self {
        self.line(&json!({"sessionId": ID, "projectHash": "0f", "kind": "main",
            "startTime": "2026-03-01T10:00:00.000Z", "lastUpdated": "2026-03-01T10:00:00.000Z"}))
    }

    fn user(self, id: &str, text: &str) -> Self {
        self.line(&user(id, text))
    }

    fn says(self, id: &str, text: &str) -> Self {
        self.line(&says(id, text, &json!([])))
    }

    /// A message as it is written: first as it was said, then again with its calls.
    fn calls(self, id: &str, text: &str, calls: &Value) -> Self {
        self.line(&says(id, text, &json!([]))).line(&says(id, text, calls))
    }

    fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    fn read(&self) -> Session {
        read(&self.path(), self.text().as_bytes())
    }
}

fn user(id: &str, text: &str) -> Value {
    json!({"id": id, "timestamp": "2026-03-01T10:00:01.000Z", "type": "user",
        "content": [{"text": text}]})
}

fn says(id: &str, text: &str, calls: &Value) -> Value {
    json!({"id": id, "timestamp": "2026-03-01T10:00:02.000Z", "type": "gemini", "content": text,
        "thoughts": [{"subject": "Always", "description": "I must never say this."}],
        "tokens": {"input": 100, "output": 5, "cached": 90, "thoughts": 2, "total": 107},
        "model": "gemini-3-pro", "toolCalls": calls})
}

fn call(id: &str, name: &str, args: &Value, status: &str, output: &str, shown: &Value) -> Value {
    let field = if status == "success" { "output" } else { "error" };
    let result =
        json!([{"functionResponse": {"id": id, "name": name, "response": {field: output}}}]);
    json!({"id": id, "name": name, "args": args, "status": status, "result": result,
        "resultDisplay": shown})
}

fn runs(id: &str, command: &str, output: &str) -> Value {
    let output = format!(
        "<untrusted_context>\nOutput: {output}\nProcess Group PGID: 7\n</untrusted_context>"
    );
    call(id, "run_shell_command", &json!({"command": command}), "success", &output, &json!(""))
}

fn read(path: &Path, content: &[u8]) -> Session {
    ground::read(gemini(), path, content)
}

fn gemini() -> &'static Transcripts {
    Transcripts::of("gemini-cli").unwrap()
}

fn worked() -> Made {
    let basket = "/work/shop/basket.rs";
    Made::new()
        .line(&json!({"$set": {"messages": [user("m0", "<session_context>\nYou must always.\n</session_context>")]}}))
        .user("m1", "<hook_context>Always h.</hook_context>\n\nFix the basket. Never touch the schema.")
        .calls(
            "m2",
            "I'll look at it.",
            &json!([
                call("c1", "read_file", &json!({"file_path": "basket.rs"}), "success", "fn total()", &json!("")),
                call("c2", "replace", &json!({"file_path": "basket.rs"}), "success", "Successfully modified file",
                    &json!({"filePath": basket, "isNewFile": false})),
                call("c3", "write_file", &json!({"file_path": "new.rs", "content": "x"}), "success",
                    "Successfully created and wrote to new file", &json!({"filePath": "/work/shop/new.rs", "isNewFile": true})),
                call("c4", "replace", &json!({"file_path": "other.rs"}), "error", "0 occurrences found", &json!("")),
            ]),
        )
        .line(&json!({"id": "m3", "type": "user", "content": [{"functionResponse":
            {"id": "c1", "name": "read_file", "response": {"output": "fn total()"}}}]}))
        .calls(
            "m4",
            "",
            &json!([
                runs("c5", "cargo test", "test basket::adds ... FAILED\n\nExit Code: 101"),
                runs("c6", "git commit -am 'Fix totals'", "[main 3f2a9c1] Fix totals\n 1 file changed"),
                call("c7", "write_todos", &json!({"todos": [
                    {"description": "Fix totals", "status": "completed"},
                    {"description": "Mend the test", "status": "in_progress"},
                    {"description": "Sleep", "status": "cancelled"}]}), "success", "ok", &json!({})),
            ]),
        )
        .line(&json!({"$set": {"lastUpdated": "2026-03-01T10:00:09.000Z", "summary": "Basket totals"}}))
        .says("m5", "The totals are right now. Next, I will mend the test.")
}

#[test]
fn what_happened_is_read() {
    let session = worked().read();
    assert_eq!(session.agent, "gemini-cli");
    assert_eq!(session.id.as_deref(), Some(ID));
    assert_eq!(session.cwd.as_deref(), Some("/work/shop"));
    assert_eq!(session.model.as_deref(), Some("gemini-3-pro"));
    assert_eq!(session.title.as_deref(), Some("Basket totals"));
    assert_eq!(prompts(&session), ["Fix the basket. Never touch the schema."]);
    assert_eq!(session.constraints.len(), 1);
    let files: Vec<_> = session
        .files
        .iter()
        .map(|(path, file)| (path.as_str(), file.edits, file.created, file.reads))
        .collect();
    assert_eq!(files, [("/work/shop/basket.rs", 1, false, 1), ("/work/shop/new.rs", 1, true, 0)]);
    assert_eq!(
        commands(&session),
        [
            ("cargo test", Outcome::Failed, Some(101)),
            ("git commit -am 'Fix totals'", Outcome::Passed, Some(0)),
        ]
    );
    assert_eq!(session.checks[0].failing, ["basket::adds"]);
    assert_eq!(session.commits[0].id, "3f2a9c1");
    let todos: Vec<_> = session.todos.iter().map(|todo| todo.status).collect();
    assert_eq!(todos, [TodoStatus::Done, TodoStatus::Begun, TodoStatus::Dropped]);
    let said: Vec<_> = session.said.iter().map(|said| said.text.as_str()).collect();
    assert_eq!(said, ["I'll look at it.", "The totals are right now. Next, I will mend the test."]);
    assert_eq!((session.tokens.input, session.tokens.output), (300, 21));
    assert_eq!((session.damaged, session.unknown), (0, 0));
}

#[test]
fn what_is_told_again_counts_once() {
    let made = worked();
    let whole = made.read();
    // Going on with a session writes a header and all messages anew, with calls as parts.
    let again = made
        .header()
        .line(&json!({"$set": {"messages": [user("m0", "<session_context>x</session_context>")]}}))
        .line(&json!({"$set": {"messages": [
            user("m1", "Fix the basket. Never touch the schema."),
            {"id": "m2", "type": "gemini", "content": [{"text": "I must.", "thought": true},
                {"text": "I'll look at it."},
                {"functionCall": {"id": "c2", "name": "replace", "args": {"file_path": "basket.rs"}}}]},
            {"id": "m2_response", "type": "user", "content": [{"functionResponse":
                {"id": "c2", "name": "replace", "response": {"output": "Successfully modified"}}}]},
            {"id": "m4", "type": "gemini", "content": [
                {"functionCall": {"id": "c5", "name": "run_shell_command", "args": {"command": "cargo test"}}}]},
            {"id": "m9", "type": "gemini", "content": [
                {"functionCall": {"id": "c9", "name": "run_shell_command", "args": {"command": "ls"}}}]},
            {"id": "m9_response", "type": "user", "content": [{"functionResponse":
                {"id": "c9", "name": "run_shell_command", "response": {"output": "Output: a\nExit Code: 2"}}}]},
        ]}}))
        .user("m10", "Go on")
        .read();
    assert_eq!(prompts(&again), ["Fix the basket. Never touch the schema.", "Go on"]);
    assert_eq!(
        again.files["/work/shop/basket.rs"].edits,
        whole.files["/work/shop/basket.rs"].edits
    );
    assert_eq!(again.commands.len(), 3);
    assert_eq!(commands(&again)[2], ("ls", Outcome::Failed, Some(2)));
    assert_eq!(again.tokens, whole.tokens);
    assert_eq!(again.said, whole.said);
}

#[test]
fn what_machines_write_is_not_the_users() {
    let session = Made::new()
        .user("a", "/compress")
        .user("b", "?")
        .user("c", "System: Potential loop detected. Always.")
        .user("d", "Please continue.")
        .user("e", "<state_snapshot>\nYou must never\n</state_snapshot>")
        .says("f", "Got it. Thanks for the additional context!")
        .line(&json!({"id": "g", "type": "info", "content": "Update available, always"}))
        .line(&json!({"id": "h", "type": "user", "content": [{"text": "Look at @a.rs"},
            {"text": "\n--- Content from referenced files ---"}, {"text": "\nContent from @a.rs:\n"},
            {"text": "you must always"}, {"text": "\n--- End of content ---"}]}))
        .line(&json!({"id": "i", "type": "user", "content": [{"text": "More, and the files"}],
            "displayContent": [{"text": "More"}]}))
        .user(
            "l",
            "One\n--- Content from referenced files ---\nalways\n--- End of content ---\nNever test.\n\
             --- End of content ---\ntext",
        )
        .user("j", "/work/shop/a.rs is wrong")
        .line(&json!({"id": "k", "type": "user", "content": "Plain"}))
        .read();
    assert_eq!(
        prompts(&session),
        ["Look at @a.rs", "More", "One", "/work/shop/a.rs is wrong", "Plain"]
    );
    assert!(session.constraints.is_empty(), "{:?}", session.constraints);
    assert!(session.said.is_empty());
    assert_eq!(session.compactions, 1);
}

#[test]
fn what_a_subagent_is_asked_is_not_the_users() {
    let session = Made::new()
        .line(&json!({"sessionId": "sub", "projectHash": "0f", "kind": "subagent",
            "startTime": "2026-03-01T10:00:00.000Z", "lastUpdated": "2026-03-01T10:00:00.000Z"}))
        .user("a", "Look around, always")
        .calls("b", "Looking", &json!([runs("c", "ls", "a")]))
        .read();
    assert!(session.prompts.is_empty() && session.said.is_empty());
    assert_eq!(session.commands.len(), 1);
}

#[test]
fn a_refusal_stops_until_the_user_speaks() {
    let refused = "[Operation Cancelled] Reason: User did not allow tool call";
    let made = Made::new().user("a", "Do it").calls(
        "b",
        "Doing",
        &json!([
            call(
                "c",
                "write_file",
                &json!({"file_path": "a.rs"}),
                "cancelled",
                refused,
                &json!({"filePath": "/work/shop/a.rs"})
            ),
            call(
                "d",
                "run_shell_command",
                &json!({"command": "rm a"}),
                "cancelled",
                refused,
                &json!("")
            ),
            call(
                "e",
                "run_shell_command",
                &json!({"command": "sleep 9"}),
                "success",
                "Command was cancelled by user before it could complete.",
                &json!("")
            ),
            call(
                "f",
                "run_shell_command",
                &json!({"command": "serve"}),
                "success",
                "Command moved to background (PID: 3).",
                &json!("")
            ),
        ]),
    );
    let session = made.read();
    assert!(session.interrupted);
    assert!(session.files.is_empty() && session.failures.is_empty());
    let outcomes: Vec<_> = session.commands.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [Outcome::Stopped, Outcome::Stopped, Outcome::Unknown]);
    assert!(!made.user("g", "Do that instead").read().interrupted);
}

#[test]
fn answers_and_plans_are_read() {
    let plan = "/home/u/.gemini/tmp/shop/s/plans/basket.md";
    let made = Made::new().user("a", "Plan it").calls(
        "b",
        "",
        &json!([
            call(
                "c",
                "ask_user",
                &json!({"questions": [{"question": "Which database?", "header": "DB"}]}),
                "success",
                "{\"answers\":{\"0\":\"SQLite\"}}",
                &json!("")
            ),
            call(
                "d",
                "write_file",
                &json!({"file_path": plan, "content": "1. First"}),
                "success",
                "ok",
                &json!({"filePath": plan, "newContent": "1. First\n2. Second", "isNewFile": true})
            ),
            call(
                "e",
                "exit_plan_mode",
                &json!({"plan_path": plan}),
                "success",
                "Plan rejected. User feedback: Do not use sed.\n\nThe plan is stored at: x",
                &json!("")
            ),
        ]),
    );
    let session = made.read();
    assert_eq!(session.decisions[0].text, "Which database? → SQLite");
    let proposed = session.plan.as_ref().unwrap();
    assert_eq!((proposed.text.as_str(), proposed.accepted), ("1. First\n2. Second", false));
    assert_eq!(prompts(&session), ["Plan it", "Do not use sed."]);
    assert_eq!(session.prompts[1].way, PromptWay::Refusing);
    assert!(session.files.is_empty());
    let approved = call(
        "g",
        "exit_plan_mode",
        &json!({"plan_path": plan}),
        "success",
        "Plan approved. Go",
        &json!(""),
    );
    assert!(made.calls("f", "", &json!([approved])).read().plan.unwrap().accepted);
}

#[test]
fn what_was_taken_back_no_longer_counts() {
    let session = Made::new()
        .user("a", "First")
        .says("b", "Yes.")
        .user("c", "Wrong. Always wrong.")
        .calls("d", "Done wrongly.", &json!([runs("e", "ls", "a")]))
        .line(&json!({"$rewindTo": "c"}))
        .line(&json!({"$rewindTo": "nobody"}))
        .user("f", "Right")
        .read();
    assert_eq!(prompts(&session), ["First", "Right"]);
    assert_eq!(session.turns, 2);
    assert!(session.constraints.is_empty());
    assert_eq!(session.said.back().unwrap().text, "Yes.");
    assert_eq!(session.commands.len(), 1);
}

#[test]
fn a_session_of_an_older_version_is_one_value() {
    let made = worked();
    let mut messages: Vec<Value> = Vec::new();
    for line in &made.lines {
        let record: Value = serde_json::from_str(line).unwrap();
        if record["type"].is_string() {
            messages.retain(|known| known["id"] != record["id"]);
            messages.push(record);
        }
    }
    messages.push(json!(7));
    let value = json!({"sessionId": ID, "projectHash": "0f", "startTime": "2026-03-01T10:00:00.000Z",
        "lastUpdated": "2026-03-01T10:00:09.000Z", "summary": "Basket totals", "messages": messages});
    let path = made.path().with_extension("json");
    let old = read(&path, serde_json::to_string_pretty(&value).unwrap().as_bytes());
    let whole = made.read();
    assert_eq!(prompts(&old), prompts(&whole));
    assert_eq!(commands(&old), commands(&whole));
    assert_eq!((old.tokens, &old.title, old.damaged), (whole.tokens, &whole.title, 1));
    assert_eq!(Transcripts::of_file(&path).unwrap().unwrap().agent, "gemini-cli");
    // In one line, and torn.
    assert_eq!(prompts(&read(&path, value.to_string().as_bytes())), prompts(&whole));
    assert_eq!(read(&path, b"{\n  \"sessionId\": \"x\",\n  \"mess").damaged, 1);
}

#[test]
fn damage_is_counted_and_passed_over() {
    let made = worked();
    let whole = made.read();
    let mut broken = Vec::new();
    broken.extend(
        b"{\"type\":\"user\",\"content\":{\"ro\n\n\xff\xfe\x00\n[1,2]\nnull\n\"text\"\n{}\n",
    );
    broken.extend(
        b"{\"type\":\"brand-new\",\"x\":1}\n{\"type\":7}\n{\"$set\":3}\n{\"$set\":{\"new\":1}}\n",
    );
    broken.extend(b"{\"type\":\"user\",\"content\":5,\"id\":{\"a\":1},\"timestamp\":12}\n");
    broken.extend(b"{\"type\":\"gemini\",\"content\":[1,null,[[]],{\"text\":3}],\"tokens\":[],\"toolCalls\":[1,{\"id\":2},{\"id\":\"z\",\"name\":\"replace\",\"args\":1,\"status\":\"success\",\"result\":{}}]}\n");
    let damaged = read(
        &made.path(),
        &with_damage(&made.lines, &broken, b"{\"type\":\"gemini\",\"content\":\"torn"),
    );
    tells_the_same(&damaged, &whole);
    assert_eq!(damaged.unknown, 1);
    assert!(damaged.damaged >= 7, "{}", damaged.damaged);
}

#[test]
fn reading_on_is_the_same_as_reading_at_once() {
    let made = worked().line(&json!({"$rewindTo": "m5"})).user("m6", "Go on");
    reads_on(gemini(), &made.path(), &made.text());
}

#[test]
fn transcripts_are_recognised_by_their_first_record() {
    let made = worked();
    assert_eq!(recognised(&made.path(), made.text()), Some("gemini-cli"));
    let other = made.dir.path().join("other");
    for text in [
        "{\"session_id\":\"x\",\"transcript_path\":\"/a\",\"cwd\":\"/b\",\"hook_event_name\":\"SessionStart\"}",
        "{\"type\":\"init\",\"timestamp\":\"2026\",\"session_id\":\"x\",\"model\":\"gemini-3-pro\"}\n",
        "{\n  \"projects\": {\n    \"/work/shop\": \"shop\"\n  }\n}",
        "[{\"sessionId\":\"x\",\"messageId\":0,\"type\":\"user\",\"message\":\"hi\"}]",
    ] {
        assert_eq!(recognised(&other, text), None, "{text}");
    }
}

#[test]
fn a_file_with_only_the_beginning_of_a_session_that_goes_on_in_another_is_passed_over() {
    let made = worked();
    fs::write(made.path(), made.text()).unwrap();
    let begun = made.text();
    let begun: Vec<&str> = begun.lines().take(2).collect();
    for minute in ["T00-00", "T23-59"] {
        let name = format!("session-2026-11-15{minute}-{}.jsonl", &ID[..8]);
        fs::write(made.path().with_file_name(name), begun.join("\n")).unwrap();
    }
    let home = Places { home: Some(made.dir.path().to_owned()), vars: |_| None };
    let found = gemini().newest_in(&home, &Where::from("/work/shop"), usize::MAX).unwrap();
    assert_eq!(found.iter().map(|one| &one.path).collect::<Vec<_>>(), [&made.path()]);
    assert_eq!(gemini().of_id(&home, ID).unwrap().unwrap().path, made.path());
}

#[test]
fn sessions_are_found_by_id_and_by_directory() {
    let made = worked();
    fs::write(made.path(), made.text()).unwrap();
    // A directory of an older version is named after a hash: here that of "/work/old".
    let old = made
        .dir
        .path()
        .join(".gemini/tmp/daeb20c477630f4af276df73ee32f4d3ba2ff8c264cda464ecd965458f2a734b/chats");
    fs::create_dir_all(&old).unwrap();
    fs::write(
        old.join("session-2025-03-01T10-00-a0a0a0a0.json"),
        "{\n \"sessionId\": \"a0a0a0a0-1\"\n}",
    )
    .unwrap();
    let home = Places { home: Some(made.dir.path().to_owned()), vars: |_| None };
    let found = gemini().newest_in(&home, &Where::from("/work/shop"), 9).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].id.as_str(), &found[0].path), (ID, &made.path()));
    assert_eq!(gemini().of_id(&home, ID).unwrap().unwrap().path, made.path());
    let old = gemini().newest_in(&home, &Where::from("/work/old"), 9).unwrap();
    assert_eq!(old[0].id, "a0a0a0a0-1");
    assert!(gemini().of_id(&home, "../b4c1d2e3").unwrap().is_none());
    assert!(gemini().newest_in(&home, &Where::from("/work/else"), 9).unwrap().is_empty());
    assert_eq!(gemini().live(&home, Path::new("/work/shop")), None);
    let vars = |name: &str| (name == "GEMINI_SESSION_ID").then(|| OsString::from(ID));
    let told = Places { home: None, vars };
    assert_eq!(gemini().live(&told, Path::new("/work/shop")).as_deref(), Some(ID));
    assert!(gemini().newest_in(&told, &Where::from("/work/shop"), 9).unwrap().is_empty());
}
