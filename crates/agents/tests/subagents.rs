//! What subagents did, out of transcripts of our own making.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]
#![expect(
    clippy::disallowed_methods,
    reason = "transcripts are written as their agents write them"
)]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use segue_agents::{Capture, Transcripts};
use segue_core::session::{Outcome, Session};
use serde_json::{Value, json};

fn write(path: &Path, records: &[Value]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    for record in records {
        writeln!(file, "{record}").unwrap();
    }
}

fn claude(kind: &str, aside: bool, content: Value) -> Value {
    json!({"type": kind, "isSidechain": aside, "sessionId": "5e55", "cwd": "/work/shop",
        "uuid": "u", "parentUuid": null, "timestamp": "2026-03-01T10:00:00.000Z",
        "message": {"role": kind, "content": content}})
}

fn calls(aside: bool, id: &str, name: &str, input: Value) -> Value {
    claude(
        "assistant",
        aside,
        json!([{"type": "tool_use", "id": id, "name": name, "input": input}]),
    )
}

fn result(aside: bool, id: &str, said: &str, error: bool) -> Value {
    let block =
        json!({"type": "tool_result", "tool_use_id": id, "content": said, "is_error": error});
    claude("user", aside, json!([block]))
}

/// What a subagent does that is told to work: a commit, a test that fails, an edit.
fn work() -> Vec<Value> {
    vec![
        claude("user", true, json!("Fix the shelf. You must never stop.")),
        calls(true, "s1", "Edit", json!({"file_path": "/work/shop/shelf.rs"})),
        result(true, "s1", "ok", false),
        calls(true, "s2", "Bash", json!({"command": "git commit -m x"})),
        result(true, "s2", "[main 1234567] Fix the shelf", false),
        calls(true, "s3", "Bash", json!({"command": "cargo test"})),
        result(true, "s3", "Exit code 101\nerror: test failed", true),
    ]
}

fn said(text: &str) -> Value {
    claude("assistant", true, json!([{"type": "text", "text": text}]))
}

fn is_done(session: &Session, record: u64) {
    let file = &session.files["/work/shop/shelf.rs"];
    assert!(file.by_subagent && file.edits == 1 && file.record == record, "{file:?}");
    let commit = &session.commits[0];
    assert!(commit.by_subagent && commit.subject == "Fix the shelf", "{commit:?}");
    let check = &session.checks[0];
    assert!(check.by_subagent && check.outcome == Outcome::Failed, "{check:?}");
    assert!(session.failures[0].by_subagent);
    assert!(session.constraints.is_empty());
}

#[test]
fn subagents_of_claude_code_work_for_their_session() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("5e55.jsonl");
    write(
        &path,
        &[
            claude("user", false, json!("Fix it all")),
            calls(false, "t1", "Agent", json!({"description": "The shelf", "prompt": "Fix"})),
            calls(false, "t2", "Agent", json!({"description": "The door", "prompt": "Open"})),
        ],
    );
    let one = dir.path().join("5e55/subagents/agent-a1.jsonl");
    write(&one, &work());
    fs::write(one.with_extension("meta.json"), "{\"toolUseId\":\"t1\",\"finished\":false}")
        .unwrap();
    let two = dir.path().join("5e55/subagents/agent-a2.jsonl");
    write(&two, &[claude("user", true, json!("Open the door")), said("It sticks.")]);
    write(&two, &[calls(true, "d1", "Bash", json!({"command": "sleep 1000"}))]);
    let row = Transcripts::of("claude-code").unwrap();
    let session = row.read(&path).unwrap().into_session();
    is_done(&session, 2);
    assert_eq!((session.subagents, session.prompts.len(), session.records), (2, 1, 3));
    let left: Vec<_> =
        session.unfinished_subagents.iter().map(|one| (&*one.task, &*one.last_words)).collect();
    assert_eq!(
        left,
        [("Fix the shelf. You must never stop.", "`cargo test`"), ("Open the door", "It sticks.")]
    );
    // They go on, and come to their end.
    let mut capture = row.read(&path).unwrap();
    let kept = serde_json::to_string(&capture).unwrap();
    capture = serde_json::from_str::<Capture>(&kept).unwrap();
    write(&one, &[said("Done.")]);
    write(&two, &[result(true, "d1", "open", false), said("It is open.")]);
    row.read_on(&path, &mut capture).unwrap();
    let read_on = capture.session();
    is_done(&read_on, 2);
    assert!(read_on.unfinished_subagents.is_empty());
    assert_eq!(read_on, row.read(&path).unwrap().into_session());
    // What is kept of one that ended is only what it did.
    assert!(serde_json::to_string(&capture).unwrap().len() < kept.len());
    row.read_on(&path, &mut capture).unwrap();
    assert_eq!(capture.session(), read_on);
}

#[test]
fn a_subagent_whose_model_stopped_answering_is_open() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("5e55.jsonl");
    write(&path, &[claude("user", false, json!("Check both sides"))]);
    let start = json!({"description": "Check the door side", "prompt": "Check"});
    write(&path, &[calls(false, "t1", "Task", start)]);
    write(&path, &[result(false, "t1", "API Error: Connection error.", true)]);
    let row = Transcripts::of("claude-code").unwrap();
    let left = |session: &Session| -> Vec<(String, String)> {
        let all = session.unfinished_subagents.iter();
        all.map(|one| (one.task.clone(), one.last_words.clone())).collect()
    };
    let by_call = ("Check the door side".to_owned(), "API Error: Connection error.".to_owned());
    assert_eq!(left(&row.read(&path).unwrap().into_session()), [by_call]);
    // Its own transcript says what it was at.
    let one = dir.path().join("5e55/subagents/agent-a1.jsonl");
    let mut broken = said("API Error: Connection error.");
    broken["message"]["model"] = json!("<synthetic>");
    write(
        &one,
        &[claude("user", true, json!("Check the door")), said("The hinge is next."), broken],
    );
    fs::write(one.with_extension("meta.json"), "{\"toolUseId\":\"t1\"}").unwrap();
    let by_itself = ("Check the door".to_owned(), "The hinge is next.".to_owned());
    assert_eq!(left(&row.read(&path).unwrap().into_session()), [by_itself]);
}

#[test]
fn older_versions_kept_subagents_beside_their_session() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("5e55.jsonl");
    let launched = json!({"type": "user", "sessionId": "5e55", "isSidechain": false,
        "toolUseResult": {"status": "completed", "agentId": "a1"},
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1",
            "content": "Done."}]}});
    write(&path, &[claude("user", false, json!("Fix it all"))]);
    write(&path, &[calls(false, "t1", "Task", json!({"prompt": "Fix"})), launched]);
    write(&dir.path().join("agent-a1.jsonl"), &work());
    write(&dir.path().join("agent-b1.jsonl"), &[json!({"type": "user", "sessionId": "other"})]);
    let session = Transcripts::of("claude-code").unwrap().read(&path).unwrap().into_session();
    is_done(&session, 2);
    assert_eq!(session.unfinished_subagents.len(), 1);
}

#[test]
fn a_subagent_is_read_within_what_is_allowed_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("5e55.jsonl");
    write(&path, &[claude("user", false, json!("Fix it all"))]);
    for n in 0..4 {
        let one = dir.path().join(format!("5e55/subagents/agent-{n}.jsonl"));
        write(&one, &vec![said(&"x".repeat(2_000)); 300]);
        write(&one, &work());
    }
    let row = Transcripts::of("claude-code").unwrap();
    let mut capture = Capture::new("claude-code");
    capture.read_at_most(300_000);
    let mut times = 0;
    loop {
        row.read_on(&path, &mut capture).unwrap();
        times += 1;
        if !capture.is_cut() {
            break;
        }
        assert!(times < 20);
    }
    assert!(times > 2, "{times}");
    let whole = row.read(&path).unwrap().into_session();
    assert_eq!(capture.session(), whole);
    assert_eq!((whole.commits.len(), whole.files.len()), (1, 1));
}

#[test]
fn records_of_subagents_between_those_of_the_session_are_marked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("5e55.jsonl");
    write(&path, &work());
    write(
        &path,
        &[
            calls(false, "m1", "Edit", json!({"file_path": "/work/shop/own.rs"})),
            result(false, "m1", "ok", false),
        ],
    );
    let session = Transcripts::of("claude-code").unwrap().read(&path).unwrap().into_session();
    assert!(session.files["/work/shop/shelf.rs"].by_subagent);
    assert!(!session.files["/work/shop/own.rs"].by_subagent);
    assert!(session.commits[0].by_subagent && session.checks[0].by_subagent);
}

#[test]
fn subagents_of_codex_have_rollouts_of_their_own() {
    let line = |kind: &str, payload: Value| json!({"timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "payload": payload});
    let calls = |id: &str, name: &str, args: Value| {
        line(
            "response_item",
            json!({"type": "function_call", "name": name, "call_id": id,
            "arguments": args.to_string()}),
        )
    };
    let output = |id: &str, said: &str| {
        line(
            "response_item",
            json!({"type": "function_call_output", "call_id": id, "output": said}),
        )
    };
    let says = |role: &str, text: &str| {
        line(
            "response_item",
            json!({"type": "message", "role": role,
            "content": [{"type": "output_text", "text": text}]}),
        )
    };
    let dir = tempfile::tempdir().unwrap();
    let path = |day: &str, id: &str| {
        dir.path().join(format!("2026/03/{day}/rollout-2026-03-{day}T10-00-00-{id}.jsonl"))
    };
    let main = path("01", "aaaa");
    write(
        &main,
        &[
            line("session_meta", json!({"id": "aaaa", "cwd": "/work/shop", "source": "cli"})),
            says("user", "Fix it all"),
            calls("t1", "spawn_agent", json!({"message": "Fix the shelf"})),
            output("t1", "{\"agent_id\":\"bbbb\",\"nickname\":\"Ada\"}"),
            says("assistant", "It is on its way."),
        ],
    );
    let meta = |id: &str, parent: &str| {
        line(
            "session_meta",
            json!({"id": id, "cwd": "/work/shop", "parent_thread_id": parent,
            "source": {"subagent": {"thread_spawn": {"parent_thread_id": parent}}}}),
        )
    };
    let ended = |code: u8, said: &str| {
        format!(
            "Chunk ID: a\nWall time: 1 seconds\nProcess exited with code {code}\nOutput:\n{said}"
        )
    };
    let patch = "*** Begin Patch\n*** Update File: shelf.rs\n*** End Patch";
    write(
        &path("02", "bbbb"),
        &[
            meta("bbbb", "aaaa"),
            says("user", "Fix the shelf. You must never stop."),
            calls("c1", "apply_patch", json!({"input": patch})),
            output("c1", "Success. Updated the following files:\nM shelf.rs"),
            calls("c2", "exec_command", json!({"cmd": "git commit -m x"})),
            output("c2", &ended(0, "[main 1234567] Fix the shelf")),
            calls("c3", "exec_command", json!({"cmd": "cargo test"})),
            output("c3", &ended(101, "error: test failed")),
        ],
    );
    write(&path("01", "cccc"), &[meta("cccc", "another"), says("user", "Not of here")]);
    let row = Transcripts::of("codex").unwrap();
    let session = row.read(&main).unwrap().into_session();
    is_done(&session, 3);
    assert_eq!(session.unfinished_subagents.len(), 1);
    assert_eq!(session.unfinished_subagents[0].task, "Fix the shelf. You must never stop.");
    assert_eq!(session.prompts.len(), 1);
}
