//! Transcripts of Codex, of our own making: the format, its drift, and damage.

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
    /// One that has not even its first record.
    fn empty() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), lines: Vec::new() }
    }

    fn new() -> Self {
        Self::empty()
            .record(
                "session_meta",
                &json!({"id": "5e55-10", "session_id": "5e55-10", "cwd": "/work/shop",
                    "originator": "codex-tui", "cli_version": "0.166.0", "source": "cli",
                    "base_instructions": {"text": "You must always obey."},
                    "git": {"branch": "feature/basket", "commit_hash": "abc"}}),
            )
            .record("turn_context", &json!({"cwd": "/work/shop", "model": "gpt-5.5-codex"}))
    }

    fn record(mut self, kind: &str, payload: &Value) -> Self {
        let record = json!({
            "timestamp": format!("2026-03-01T10:00:{:02}.000Z", self.lines.len() % 60),
            "ordinal": self.lines.len(), "type": kind, "payload": payload,
        });
        self.lines.push(record.to_string());
        self
    }

    fn item(self, payload: &Value) -> Self {
        self.record("response_item", payload)
    }

    fn event(self, payload: &Value) -> Self {
        self.record("event_msg", payload)
    }

    /// A message by somebody, as it is written twice.
    fn message(self, role: &str, text: &str) -> Self {
        let (kind, event) = if role == "user" {
            ("input_text", "UserMessage")
        } else {
            ("output_text", "AgentMessage")
        };
        let content = json!([{"type": kind, "text": text}]);
        self.item(&json!({"type": "message", "role": role, "content": content}))
            .event(&json!({"type": "item_completed", "item": {"type": event, "content": content}}))
    }

    fn user(self, text: &str) -> Self {
        self.message("user", text)
    }

    fn says(self, text: &str) -> Self {
        self.message("assistant", text)
    }

    fn calls(self, id: &str, name: &str, arguments: &Value) -> Self {
        self.item(&json!({"type": "function_call", "name": name, "call_id": id,
            "arguments": arguments.to_string()}))
    }

    fn output(self, id: &str, output: impl Into<Value>) -> Self {
        let output: Value = output.into();
        self.item(&json!({"type": "function_call_output", "call_id": id, "output": output}))
    }

    fn runs(self, id: &str, command: &str, output: &str, exit: i32) -> Self {
        let said = format!(
            "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {exit}\n\
            Original token count: 8\nOutput:\n{output}"
        );
        self.calls(id, "exec_command", &json!({"cmd": command}))
            .event(&json!({"type": "item_completed", "item": {"type": "CommandExecution", "id": id,
                "command": ["/bin/bash", "-lc", command], "cwd": "file:///work/shop",
                "status": if exit == 0 { "completed" } else { "failed" },
                "aggregated_output": output, "exit_code": exit}}))
            .output(id, said)
    }

    fn patches(self, id: &str, patch: &str, output: &str) -> Self {
        let patch = format!("*** Begin Patch\n{patch}\n*** End Patch\n");
        self.item(&json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": id,
            "input": patch}))
            .item(&json!({"type": "custom_tool_call_output", "call_id": id, "output": output}))
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("rollout-2026-03-01T10-00-00-5e55-10.jsonl")
    }

    fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    fn read(&self) -> Session {
        read(&self.path(), self.text().as_bytes())
    }
}

fn read(path: &Path, content: &[u8]) -> Session {
    ground::read(codex(), path, content)
}

fn codex() -> &'static Transcripts {
    Transcripts::of("codex").unwrap()
}

const DONE: &str =
    "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\n";

fn worked() -> Made {
    let usage = |input: u64, total: u64| {
        json!({"type": "token_count", "info": {
            "total_token_usage": {"input_tokens": total, "output_tokens": 5, "total_tokens": total},
            "last_token_usage": {"input_tokens": input, "output_tokens": 5}}})
    };
    Made::new()
        .user("Fix the basket. Never touch the schema.")
        .says("I'll look at it.")
        .patches("t1", "*** Update File: basket.rs\n@@\n-a\n+b\n*** Add File: src/new.rs\n+x", DONE)
        .patches(
            "t2",
            "*** Delete File: old.rs\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-a\n+b",
            DONE,
        )
        .event(&usage(100, 105))
        .event(&usage(100, 105))
        .runs("t3", "cargo test", "test basket::adds ... FAILED\n", 101)
        .runs(
            "t4",
            "git commit -am 'Fix totals'",
            "[feature/basket 3f2a9c1] Fix totals\n 1 file changed",
            0,
        )
        .event(&usage(200, 310))
        .calls(
            "t5",
            "update_plan",
            &json!({"plan": [{"step": "Fix totals", "status": "completed"},
                {"step": "Mend the test", "status": "in_progress"}]}),
        )
        .output("t5", "Plan updated")
        .says("The totals are right now. Next, I will mend the test.")
}

#[test]
fn what_happened_is_read() {
    let session = worked().read();
    assert_eq!(session.agent, "codex");
    assert_eq!(session.id.as_deref(), Some("5e55-10"));
    assert_eq!(session.version.as_deref(), Some("0.166.0"));
    assert_eq!(session.branch.as_deref(), Some("feature/basket"));
    assert_eq!(session.cwd.as_deref(), Some("/work/shop"));
    assert_eq!(session.model.as_deref(), Some("gpt-5.5-codex"));
    assert_eq!(prompts(&session), ["Fix the basket. Never touch the schema."]);
    assert_eq!(session.constraints[0].text, "Never touch the schema.");
    let files: Vec<_> = session
        .files
        .iter()
        .map(|(path, file)| (path.as_str(), file.edits, file.created, file.deleted))
        .collect();
    assert_eq!(
        files,
        [
            ("/work/shop/b.rs", 1, false, false),
            ("/work/shop/basket.rs", 1, false, false),
            ("/work/shop/old.rs", 0, false, true),
            ("/work/shop/src/new.rs", 1, true, false),
        ]
    );
    assert_eq!(session.files["/work/shop/b.rs"].renamed_from.as_deref(), Some("/work/shop/a.rs"));
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
    assert_eq!((session.tokens.input, session.tokens.output), (300, 10));
    assert_eq!((session.damaged, session.unknown), (0, 0));
}

#[test]
fn what_machines_write_is_not_the_users() {
    let session = Made::new()
        .user("# AGENTS.md instructions for /work/shop\n\n<INSTRUCTIONS>\nAlways obey\n</INSTRUCTIONS>")
        .user("<environment_context>\n<cwd>/elsewhere</cwd>\n</environment_context>")
        .user("<user_instructions>You must not</user_instructions>")
        .user("<turn_aborted>\nNever mind\n</turn_aborted>")
        .message("developer", "<permissions instructions>Never</permissions instructions>")
        .item(&json!({"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "always from a harness"},
            {"type": "input_text", "text": "By a person"}],
            "internal_chat_message_metadata_passthrough":
                {"content_item_kinds": ["environments.environment_context", "user.text"]}}))
        .item(&json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "I decided"}],
            "encrypted_content": "gAAAA"}))
        .record("compacted", &json!({"message": "Summary: always", "replacement_history": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "again"}]}]}))
        .event(&json!({"type": "item_completed", "item": {"type": "ContextCompaction", "id": "c"}}))
        .event(&json!({"type": "user_message", "message": "By a person"}))
        .user("# Context from my IDE setup:\n\n## Active file: a.rs\n\n## My request for Codex:\nAlways push.\n\n\
            ## My request for Codex:\nMend it")
        .read();
    assert_eq!(prompts(&session), ["By a person", "Mend it"]);
    assert!(session.constraints.is_empty(), "{:?}", session.constraints);
    assert_eq!(session.cwd.as_deref(), Some("/work/shop"));
    assert_eq!(session.compactions, 1);
    assert!(session.decisions.is_empty());
}

#[test]
fn a_summary_is_not_what_the_agent_said() {
    let mut made = Made::new().user("Do it").says("Done.");
    made.lines.push(
        json!({"type": "response_item", "payload": {"type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": "SUMMARY: all is done"}]},
            "metadata": {"compaction_output": true}})
        .to_string(),
    );
    assert_eq!(made.read().said.back().unwrap().text, "Done.");
}

#[test]
fn what_the_user_refuses_or_stops_did_not_happen() {
    let made = Made::new()
        .user("Rename it")
        .patches("t1", "*** Delete File: a.rs", "patch rejected by user")
        .calls("t2", "exec_command", &json!({"cmd": "rm -r target"}))
        .output("t2", "exec command rejected by user")
        .calls("t3", "exec_command", &json!({"cmd": "sleep 90"}))
        .event(&json!({"type": "item_completed", "item": {"type": "CommandExecution", "id": "t3",
            "command": ["bash", "-lc", "sleep 90"], "status": "failed", "exit_code": -1}}))
        .output("t3", "Wall time: 5.0 seconds\naborted by user")
        .event(&json!({"type": "turn_aborted", "reason": "interrupted"}));
    let session = made.read();
    assert!(session.files.is_empty() && session.failures.is_empty());
    assert_eq!(
        commands(&session),
        [("rm -r target", Outcome::Stopped, None), ("sleep 90", Outcome::Stopped, None)]
    );
    assert!(session.interrupted);
    assert!(!made.user("Do not delete anything").read().interrupted);
}

#[test]
fn a_patch_that_does_not_fit_changes_nothing() {
    let session = Made::new()
        .patches("t1", "*** Update File: a.rs", "apply_patch verification failed: no such lines")
        .patches("t2", "*** Update File: b.rs", "Exit code: 1\nWall time: 0 seconds\nOutput:\nno")
        .calls("t3", "apply_patch", &json!({"patch": "*** Begin Patch\n*** Add File: c.rs\n+x"}))
        .event(
            &json!({"type": "patch_apply_end", "call_id": "t3", "success": false, "stderr": "no"}),
        )
        .patches("t4", "*** Update File: d.rs", "Success. Updated the following files:\nM d.rs\n")
        .read();
    assert_eq!(session.files.keys().collect::<Vec<_>>(), ["/work/shop/d.rs"]);
    assert_eq!(session.failures.len(), 3);
}

#[test]
fn a_command_that_goes_on_ends_with_what_is_written_to_it() {
    let going =
        "Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID 42\nOutput:\n..";
    let ended =
        "Chunk ID: b\nWall time: 1.0 seconds\nProcess exited with code 2\nOutput:\nerror: no";
    let session = Made::new()
        .calls("t1", "exec_command", &json!({"cmd": "npm run build"}))
        .output("t1", going)
        .calls("t2", "write_stdin", &json!({"session_id": 42, "chars": ""}))
        .output("t2", going)
        .calls("t3", "write_stdin", &json!({"session_id": 42, "chars": ""}))
        .output("t3", ended)
        .read();
    assert_eq!(commands(&session), [("npm run build", Outcome::Failed, Some(2))]);
    assert_eq!(session.failures[0].message, "error: no");
}

#[test]
fn what_only_the_items_tell_is_read_once() {
    let ran = json!({"type": "item_completed", "item": {"type": "CommandExecution", "id": "exec_a",
        "command": ["/bin/bash", "-lc", "cat a.rs"], "cwd": "file:///work/shop", "exit_code": 0,
        "status": "completed", "parsed_cmd": [{"type": "read", "path": "a.rs"}]}});
    let changed = json!({"type": "item_completed", "item": {"type": "FileChange", "id": "patch_a",
        "status": "completed", "changes": {"/work/shop/a.rs": {"type": "update", "move_path": null}}}});
    let session = Made::new()
        .item(&json!({"type": "custom_tool_call", "name": "exec", "call_id": "t1", "input": "js"}))
        .event(&ran)
        .event(&ran)
        .event(&changed)
        .event(&changed)
        .read();
    assert_eq!(commands(&session), [("cat a.rs", Outcome::Passed, Some(0))]);
    let file = &session.files["/work/shop/a.rs"];
    assert_eq!((file.edits, file.reads), (1, 1));
}

#[test]
fn older_shapes_of_calls_are_read() {
    let wrapped = |exit: i32| {
        json!({"output": "said", "metadata": {"exit_code": exit, "duration_seconds": 0.1}})
            .to_string()
    };
    let patch = "cd app && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: x.rs\n+x\n*** End Patch\nEOF";
    let session = Made::new()
        .calls("t1", "shell", &json!({"command": ["bash", "-lc", "make"], "workdir": "/work/shop"}))
        .output("t1", wrapped(2))
        .calls("t2", "shell_command", &json!({"command": "ls"}))
        .output("t2", json!({"content": wrapped(0), "success": true}))
        .calls("t3", "shell", &json!({"command": ["bash", "-lc", patch]}))
        .output("t3", wrapped(0))
        .item(&json!({"type": "local_shell_call", "call_id": "t4", "status": "completed",
            "action": {"type": "exec", "command": ["git", "status"]}}))
        .output("t4", json!([{"type": "input_text", "text": "clean"}]))
        .item(&json!({"type": "function_call", "name": "exec_command", "call_id": "t5",
            "arguments": {"cmd": "pwd"}}))
        .read();
    assert_eq!(
        commands(&session),
        [
            ("make", Outcome::Failed, Some(2)),
            ("ls", Outcome::Passed, Some(0)),
            ("git status", Outcome::Unknown, None),
            ("pwd", Outcome::Unknown, None),
        ]
    );
    assert_eq!(session.files.keys().collect::<Vec<_>>(), ["/work/shop/app/x.rs"]);
}

#[test]
fn answers_plans_and_names_are_read() {
    let questions = json!({"questions": [
        {"id": "db", "question": "Which database?"},
        {"id": "key", "question": "Which key?", "isSecret": true}]});
    let answers = json!({"answers": {"db": {"answers": ["SQLite"]}, "key": {"answers": ["hush"]}}});
    let session = Made::new()
        .calls("q", "request_user_input", &questions)
        .output("q", answers.to_string())
        .says("Here:\n<proposed_plan>\n1. First\n</proposed_plan>")
        .calls("s", "spawn_agent", &json!({"message": "look"}))
        .event(&json!({"type": "thread_name_updated", "thread_name": "The basket"}))
        .read();
    assert_eq!(session.decisions.len(), 1);
    assert_eq!(session.decisions[0].text, "Which database? → SQLite");
    assert_eq!(session.plan.unwrap().text, "1. First");
    assert_eq!(session.title.as_deref(), Some("The basket"));
    assert_eq!(session.subagents, 1);
}

#[test]
fn a_fork_keeps_its_own_id_and_a_subagent_hears_no_user() {
    let forked = Made::new().record("session_meta", &json!({"id": "parent", "cwd": "/old"})).read();
    assert_eq!(
        (forked.id.as_deref(), forked.cwd.as_deref()),
        (Some("5e55-10"), Some("/work/shop"))
    );
    let made = Made::empty()
        .record("session_meta", &json!({"id": "s", "source": {"subagent": "review"}}))
        .user("You must look at it");
    assert!(made.read().prompts.is_empty());
}

#[test]
fn versions_without_an_envelope_are_read() {
    let head = json!({"id": "5e55-10", "timestamp": "2025-06-01T10:00:00.000Z", "instructions": null,
        "git": {"branch": "main"}});
    let asked = json!({"type": "message", "role": "user",
        "content": [{"type": "input_text", "text": "Do it"}]});
    let place = json!({"type": "message", "role": "user", "content": [{"type": "input_text",
        "text": "<environment_context>\n  <cwd>/work/shop</cwd>\n</environment_context>"}]});
    let ran = json!({"type": "function_call", "name": "shell", "call_id": "t1",
        "arguments": "{\"command\":[\"bash\",\"-lc\",\"make\"]}"});
    let ended = json!({"type": "function_call_output", "call_id": "t1",
        "output": "{\"output\":\"\",\"metadata\":{\"exit_code\":0}}"});
    let made = Made::empty();
    let lines = [&head, &place, &json!({"record_type": "state"}), &asked, &ran, &ended];
    let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
    let session = read(&made.path(), lines.join("\n").as_bytes());
    assert_eq!(Transcripts::of_file(&made.path()).unwrap().unwrap().agent, "codex");
    let path = made.dir.path().join("rollout-2025-04-20-5e55-10.json");
    let single = json!({"session": head, "items": [place, asked, ran, ended]});
    let single = read(&path, serde_json::to_string_pretty(&single).unwrap().as_bytes());
    assert_eq!(Transcripts::of_file(&path).unwrap().unwrap().agent, "codex");
    for session in [session, single] {
        assert_eq!(session.id.as_deref(), Some("5e55-10"));
        assert_eq!(session.cwd.as_deref(), Some("/work/shop"));
        assert_eq!(prompts(&session), ["Do it"]);
        assert_eq!(commands(&session), [("make", Outcome::Passed, Some(0))]);
        assert_eq!(session.damaged, 0);
    }
    let torn = read(&path, b"{\"session\": {\"id\": \"x\"");
    assert_eq!((torn.records, torn.damaged), (1, 1));
}

#[test]
fn damage_is_counted_and_passed_over() {
    let made = worked();
    let whole = made.read();
    let mut broken = Vec::new();
    broken
        .extend(b"{\"type\":\"response_item\",\"payl\n\n\xff\xfe\x00\n[1,2]\nnull\n\"text\"\n{}\n");
    broken.extend(b"{\"type\":\"brand_new\",\"payload\":{}}\n{\"type\":7}\n");
    for payload in [
        "5",
        "null",
        "[]",
        "{\"type\":3}",
        "{\"type\":\"message\",\"role\":\"user\"}",
        "{\"type\":\"message\",\"role\":\"user\",\"content\":[1,null,{\"text\":2}]}",
        "{\"type\":\"function_call\",\"call_id\":\"x\",\"name\":\"shell\",\"arguments\":\"{\"}",
        "{\"type\":\"function_call_output\",\"call_id\":\"x\",\"output\":7}",
    ] {
        broken.extend(format!("{{\"type\":\"response_item\",\"payload\":{payload}}}\n").bytes());
        broken.extend(format!("{{\"type\":\"event_msg\",\"payload\":{payload}}}\n").bytes());
        broken.extend(format!("{{\"type\":\"session_meta\",\"payload\":{payload}}}\n").bytes());
    }
    let damaged = read(
        &made.path(),
        &with_damage(
            &made.lines,
            &broken,
            b"{\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"text\":\"torn",
        ),
    );
    tells_the_same(&damaged, &whole);
    assert_eq!(damaged.unknown, 1);
    assert!(damaged.damaged >= 6, "{}", damaged.damaged);
}

#[test]
fn reading_on_is_the_same_as_reading_at_once() {
    let made = worked();
    reads_on(codex(), &made.path(), &made.text());
}

/// A frame of zstd with its content as it is, in one block.
fn packed(text: &str) -> Vec<u8> {
    assert!(text.len() < 65_000);
    let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0x60];
    bytes.extend(u16::try_from(text.len() - 256).unwrap().to_le_bytes());
    bytes.extend(&u32::try_from(text.len() << 3 | 1).unwrap().to_le_bytes()[..3]);
    bytes.extend(text.as_bytes());
    bytes
}

#[test]
fn packed_transcripts_are_read() {
    let made = worked();
    let whole = made.read();
    let path = made.path().with_extension("jsonl.zst");
    assert_eq!(recognised(&path, packed(&made.text())), Some("codex"));
    let mut capture = codex().read(&path).unwrap();
    codex().read_on(&path, &mut capture).unwrap();
    assert_eq!(capture.recorder.into_session(), whole);
    fs::write(&path, &packed(&made.text())[..900]).unwrap();
    assert!(codex().read(&path).is_err());
}

#[test]
fn transcripts_are_recognised_by_their_first_record() {
    let made = worked();
    assert_eq!(recognised(&made.path(), made.text()), Some("codex"));
    for other in [
        "{\"session_id\":\"5e55\",\"ts\":1794766420,\"text\":\"Do it\"}\n",
        "{\"type\":\"thread.started\",\"thread_id\":\"5e55\"}\n",
        "{\"session_id\":\"5e55\",\"cwd\":\"/work\",\"hook_event_name\":\"Stop\"}",
        "{\"parentUuid\":null,\"sessionId\":\"x\",\"isSidechain\":false,\"type\":\"user\"}\n",
    ] {
        assert_ne!(recognised(&made.path(), other), Some("codex"), "{other}");
    }
}

#[test]
fn sessions_are_found_by_id_and_by_directory() {
    fn no_vars(_: &str) -> Option<OsString> {
        None
    }
    let home = tempfile::tempdir().unwrap();
    let day = home.path().join(".codex/sessions/2026/03/01");
    fs::create_dir_all(&day).unwrap();
    let meta = |id: &str, rest: &str| {
        format!("{{\"type\":\"session_meta\",\"payload\":{{\"id\":\"{id}\",{rest}}}}}\n")
    };
    for (id, rest) in [
        ("a-1", "\"cwd\":\"/work/shop\""),
        ("b-2", "\"cwd\":\"/work/other\""),
        ("c-3", "\"cwd\":\"/work/shop\",\"source\":{\"subagent\":\"review\"}"),
    ] {
        fs::write(day.join(format!("rollout-2026-03-01T10-00-00-{id}.jsonl")), meta(id, rest))
            .unwrap();
    }
    let text = meta("d-4", "\"cwd\":\"/work/shop\"") + &" ".repeat(300);
    fs::write(day.join("rollout-2026-02-01T10-00-00-d-4.jsonl.zst"), packed(&text)).unwrap();
    let places = Places { home: Some(home.path().to_owned()), vars: no_vars };
    let mut here = codex().newest_in(&places, &Where::from("/work/shop"), 9).unwrap();
    here.sort_by(|one, other| one.id.cmp(&other.id));
    assert_eq!(here.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["a-1", "d-4"]);
    assert_eq!(codex().of_id(&places, "b-2").unwrap().unwrap().id, "b-2");
    assert!(codex().of_id(&places, "2").unwrap().is_none());
    assert!(codex().of_id(&places, "").unwrap().is_none());
    assert!(codex().newest_in(&places, &Where::from("/nowhere"), 9).unwrap().is_empty());
    let none = Places { home: Some(home.path().join("none")), vars: no_vars };
    assert!(codex().newest_in(&none, &Where::from("/work/shop"), 9).unwrap().is_empty());
    assert!(codex().of_id(&none, "a-1").unwrap().is_none());
}

#[test]
fn the_command_may_stand_before_how_it_ended() {
    let said = |command: &str, rest: &str| format!("Command: {command}\n{rest}");
    let session = Made::new()
        .calls("t1", "exec_command", &json!({"cmd": "cargo test"}))
        .output(
            "t1",
            said(
                "/bin/bash -lc 'cargo test'",
                "Chunk ID: a\nWall time: 1.0 seconds\nProcess exited with code 101\nOutput:\nerror: no",
            ),
        )
        .calls("t2", "exec_command", &json!({"cmd": "cat <<E\nOutput:\nE\nls"}))
        .output(
            "t2",
            said(
                "/bin/bash -lc 'cat <<E\nOutput: x\nE\nls'",
                "Wall time: 1.0 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\na",
            ),
        )
        .calls("t3", "exec_command", &json!({"cmd": "git status"}))
        .output("t3", "Command: git status\nOutput:\nfatal: no")
        .event(&json!({"type": "exec_command_end", "call_id": "t3", "exit_code": 128,
            "command": ["bash", "-lc", "git status"], "aggregated_output": "fatal: no"}))
        .calls("t4", "exec_command", &json!({"cmd": "ls"}))
        .output("t4", "Command: ls\nOutput:\na")
        .read();
    let found: Vec<_> = commands(&session).into_iter().map(|(_, how, exit)| (how, exit)).collect();
    assert_eq!(
        found,
        [
            (Outcome::Failed, Some(101)),
            (Outcome::Passed, Some(0)),
            (Outcome::Failed, Some(128)),
            (Outcome::Unknown, None),
        ]
    );
    assert_eq!(session.failures.len(), 2);
    assert_eq!(session.failures[0].message, "error: no");
}

#[test]
fn what_is_printed_while_a_command_runs_counts_when_it_ended() {
    let going = "Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n\
                 [main 1234567] Add it\n 1 file changed\n";
    let more =
        "Chunk ID: b\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n..\n";
    let ended = "Chunk ID: c\nWall time: 1.0 seconds\nProcess exited with code 1\nOutput:\n\
                 2 failed, 3 passed in 0.1s";
    let session = Made::new()
        .calls("t1", "exec_command", &json!({"cmd": "git commit -m x && pytest"}))
        .output("t1", going)
        .calls("t2", "write_stdin", &json!({"session_id": 7, "chars": ""}))
        .output("t2", more)
        .calls("t3", "write_stdin", &json!({"session_id": 7, "chars": ""}))
        .output("t3", ended)
        .read();
    assert_eq!(session.commits[0].subject, "Add it");
    assert_eq!(session.checks[0].outcome, Outcome::Failed);
    assert_eq!(commands(&session).len(), 1);
}

#[test]
fn a_forked_subagent_did_not_do_what_its_parent_did() {
    let own = "019e5c03-1e99-7000-8000-000000000001";
    let forked = || {
        Made::empty()
            .record(
                "session_meta",
                &json!({"id": own, "forked_from_id": "019e5b00-0000-7000-8000-000000000001",
                "cwd": "/work/shop", "source": {"subagent": {"thread_spawn": {}}}}),
            )
            .record(
                "session_meta",
                &json!({"id": "019e5b00-0000-7000-8000-000000000001", "cwd": "/x"}),
            )
            .record("turn_context", &json!({"turn_id": "019e5b00-0001-7000-8000-000000000001"}))
            .calls("p1", "exec_command", &json!({"cmd": "rm parent"}))
            .output("p1", "Chunk ID: a\nProcess exited with code 1\nOutput:\n")
    };
    let works = |made: Made| {
        made.calls("c1", "exec_command", &json!({"cmd": "make child"}))
            .output("c1", "Chunk ID: b\nProcess exited with code 0\nOutput:\n")
            .read()
    };
    let told = works(forked().calls("p2", "spawn_agent", &json!({})).output(
        "p2",
        "You are the newly spawned agent. The prior conversation history was forked.",
    ));
    let turned = works(forked().event(&json!({"type": "task_started",
            "turn_id": "019e5c03-6425-7000-8000-000000000001", "model_context_window": 258_400})));
    for session in [told, turned] {
        assert_eq!(commands(&session), [("make child", Outcome::Passed, Some(0))]);
        assert_eq!((session.cwd.as_deref(), session.failures.len()), (Some("/work/shop"), 0));
    }
}

#[test]
fn a_compaction_and_the_context_are_known() {
    let usage = |input: u64| json!({"input_tokens": input, "output_tokens": 66, "total_tokens": input + 66});
    let count = |input: u64| {
        json!({"type": "token_count", "info": {"total_token_usage": usage(input),
            "last_token_usage": usage(input), "model_context_window": 258_400}})
    };
    let made = Made::new().user("Fix it").event(&count(1_400));
    let session = made.read();
    assert_eq!((session.context_tokens, session.context_window), (Some(1_466), Some(258_400)));
    let message = "Another language model started to solve this problem and so on:\nIt is fixed.";
    let session = made
        .record("compacted", &json!({"message": message, "replacement_history": []}))
        .record("compacted", &json!({"message": ""}))
        .read();
    assert_eq!(session.summary.as_ref().unwrap().text, "It is fixed.");
    assert_eq!((session.compactions, session.context_tokens), (2, None));
    assert_eq!(session.prompts.len(), 1);
}
