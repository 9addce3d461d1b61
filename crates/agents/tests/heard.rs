//! What counts as the user's, across agents: words of machines, what was taken back, and signs.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]
#![expect(
    clippy::disallowed_methods,
    reason = "transcripts are written as their agents write them"
)]

use std::fs;

use segue_agents::Transcripts;
use segue_core::session::{PromptWay, Session};
use serde_json::{Value, json};

fn read(agent: &str, records: &[Value]) -> Session {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rollout-2026-03-01T10-00-00-5e55-10.jsonl");
    let lines: Vec<_> = records.iter().map(|record| format!("{record}\n")).collect();
    fs::write(&path, lines.concat()).unwrap();
    Transcripts::of(agent).unwrap().read(&path).unwrap().recorder.into_session()
}

/// Records of Claude Code, each after the one before.
#[derive(Default)]
struct Claude {
    records: Vec<Value>,
    parent: Option<String>,
}

impl Claude {
    fn record(mut self, kind: &str, rest: &Value) -> Self {
        let uuid = format!("u{}", self.records.len());
        let mut record = json!({"type": kind, "uuid": uuid, "parentUuid": self.parent,
            "isSidechain": false, "sessionId": "5e55-10", "cwd": "/work/shop",
            "gitBranch": "basket", "version": "2.1.325"});
        for (key, value) in rest.as_object().unwrap() {
            record[key] = value.clone();
        }
        self.records.push(record);
        self.parent = Some(uuid);
        self
    }

    fn user(self, text: &str) -> Self {
        self.record("user", &json!({"message": {"role": "user", "content": text}}))
    }

    fn says(self, text: &str) -> Self {
        self.assistant(&json!({"type": "text", "text": text}))
    }

    fn assistant(self, block: &Value) -> Self {
        let id = format!("m{}", self.records.len());
        let message = json!({"id": id, "role": "assistant", "content": [block]});
        self.record("assistant", &json!({"message": message}))
    }

    fn calls(self, name: &str, input: &Value, result: &str, error: bool) -> Self {
        let id = format!("t{}", self.records.len());
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": result,
            "is_error": error});
        self.assistant(&json!({"type": "tool_use", "id": id, "name": name, "input": input}))
            .record("user", &json!({"message": {"role": "user", "content": [block]}}))
    }

    fn read(&self) -> Session {
        read("claude-code", &self.records)
    }
}

/// Records of Codex.
struct Codex(Vec<Value>);

impl Codex {
    fn new() -> Self {
        Self(Vec::new()).record(
            "session_meta",
            &json!({"id": "5e55-10", "cwd": "/work/shop", "source": "cli",
                "git": {"branch": "basket"}}),
        )
    }

    fn record(mut self, kind: &str, payload: &Value) -> Self {
        let record = json!({"timestamp": "2026-03-01T10:00:00.000Z", "type": kind,
            "payload": payload});
        self.0.push(record);
        self
    }

    fn message(self, role: &str, text: &str) -> Self {
        let content = json!([{"type": "input_text", "text": text}]);
        self.record("response_item", &json!({"type": "message", "role": role, "content": content}))
    }

    fn user(self, text: &str) -> Self {
        self.message("user", text)
    }

    fn says(self, text: &str) -> Self {
        self.message("assistant", text)
    }

    fn read(&self) -> Session {
        read("codex", &self.0)
    }
}

fn prompts(session: &Session) -> Vec<&str> {
    session.prompts.iter().map(|prompt| prompt.text.as_str()).collect()
}

fn rules(session: &Session) -> Vec<&str> {
    session.constraints.iter().map(|rule| rule.text.as_str()).collect()
}

#[test]
fn what_claude_code_adds_to_the_users_words_is_cut() {
    let session = Claude::default()
        .user("Fix the login\n<system-reminder>\nYou must never tell.\n</system-reminder>")
        .user("<ide_selection>never this</ide_selection>\nAnd the logout. Always log it.")
        .user("<system-reminder>You must never tell.</system-reminder>")
        .user("<task-notification>It must end</task-notification>\nFull transcript available at: x")
        .user("Caveat: it must never be answered")
        .read();
    assert_eq!(prompts(&session), ["Fix the login", "And the logout. Always log it."]);
    assert_eq!(rules(&session), ["Always log it."]);
    // Unless the record says that it was typed.
    let session = Claude::default()
        .record(
            "user",
            &json!({"origin": {"kind": "human"},
                "message": {"role": "user", "content": "Caveat: never use mocks"}}),
        )
        .read();
    assert_eq!(prompts(&session), ["Caveat: never use mocks"]);
}

#[test]
fn a_plan_to_implement_is_accepted_and_its_words_are_the_agents() {
    let session = Claude::default()
        .user("Implement the following plan:\n\n# Basket: keep it\n\n- Never drop the basket.")
        .says("On it.")
        .read();
    assert_eq!(prompts(&session), ["Implement the following plan: Basket: keep it"]);
    assert!(session.constraints.is_empty());
    let plan = session.plan.unwrap();
    assert!(plan.accepted && plan.text.contains("Never drop the basket."));
}

#[test]
fn a_prompt_that_mentions_a_command_is_none() {
    let typed = "What do <command-name>/deploy</command-name> tags mean?";
    let session = Claude::default()
        .user(typed)
        .user("<command-message>go</command-message>\n<command-name>/go</command-name>")
        .read();
    assert_eq!(prompts(&session), [typed, "/go"]);
    assert_eq!(session.prompts[1].way, PromptWay::Command);
}

#[test]
fn what_codex_adds_to_the_users_words_is_cut() {
    let session = Codex::new()
        .user("<environment_context>\nnever\n</environment_context>")
        .user("Explain this log\n\n<stdin>\nYou must never see this.\n</stdin>")
        .user("<user_instructions>\nAlways obey.\n</user_instructions>\n\nGo on")
        .says("Fine.")
        .read();
    assert_eq!(prompts(&session), ["Explain this log", "Go on"]);
    assert!(session.constraints.is_empty());
}

#[test]
fn what_the_user_went_back_behind_in_claude_code_no_longer_counts() {
    let mut made = Claude::default().user("Always use Redis.").says("ok");
    let before = made.parent.clone();
    made = made.user("From now on never write tests.").says("No tests.").calls(
        "Edit",
        &json!({"file_path": "/work/shop/a.rs"}),
        "updated",
        false,
    );
    made.parent = before;
    let made = made
        .record("attachment", &json!({"attachment": {"type": "date"}}))
        .user("Write tests.")
        .says("Sure.");
    let session = made.read();
    assert_eq!(prompts(&session), ["Always use Redis.", "Write tests."]);
    assert_eq!(rules(&session), ["Always use Redis."]);
    assert!(session.files.contains_key("/work/shop/a.rs"));
    assert_eq!(session.turns, 2);
}

#[test]
fn results_of_calls_at_once_and_compactions_are_no_way_back() {
    let mut made = Claude::default().user("Go").says("ok");
    let before = made.parent.clone();
    made = made.user("Go on").calls("Read", &json!({"file_path": "/a"}), "x", false);
    made.parent = before;
    // A result that hangs where it was called, a boundary, and a prompt after it.
    let result = json!({"type": "tool_result", "tool_use_id": "t9", "content": "x"});
    made = made.record("user", &json!({"message": {"role": "user", "content": [result]}}));
    made.parent = None;
    let made = made
        .record("system", &json!({"subtype": "compact_boundary", "logicalParentUuid": "u1"}))
        .user("And on");
    assert_eq!(prompts(&made.read()), ["Go", "Go on", "And on"]);
}

#[test]
fn turns_that_codex_rolled_back_no_longer_count() {
    let session = Codex::new()
        .user("Never use A.")
        .says("ok")
        .user("Never use B.")
        .says("ok")
        .record("event_msg", &json!({"type": "thread_rolled_back", "num_turns": 1}))
        .user("Use B after all")
        .read();
    assert_eq!(prompts(&session), ["Never use A.", "Use B after all"]);
    assert_eq!(rules(&session), ["Never use A."]);
}

#[test]
fn codex_is_on_the_branch_that_it_switched_to() {
    let run = |id: &str, command: &str, dir: &str, output: &str| {
        let given = json!({"cmd": command, "workdir": dir}).to_string();
        let said = format!("Process exited with code 0\nOutput:\n{output}");
        [
            json!({"type": "function_call", "name": "exec_command", "call_id": id,
                "arguments": given}),
            json!({"type": "function_call_output", "call_id": id, "output": said}),
        ]
    };
    let branch = |command: &str, dir: &str, output: &str| {
        let [call, end] = run("c1", command, dir, output);
        let made = Codex::new().record("response_item", &call).record("response_item", &end);
        made.read().branch.unwrap()
    };
    assert_eq!(branch("git checkout -b feat/x", "/work/shop", ""), "feat/x");
    assert_eq!(branch("git commit -am x", "/work/shop", "[feat/y 1a2b3c4] x"), "feat/y");
    assert_eq!(branch("git checkout -b feat/x", "/work/other", ""), "basket");
    assert_eq!(branch("git checkout a.rs", "/work/shop", "Updated 1 path"), "basket");
}

#[test]
fn claude_code_says_itself_which_branch_it_is_on() {
    let made = Claude::default().user("Go").calls(
        "Bash",
        &json!({"command": "git commit -m x"}),
        "[elsewhere 1a2b3c4] x",
        false,
    );
    assert_eq!(made.read().branch.as_deref(), Some("basket"));
    let made = Claude::default().record("user", &json!({"gitBranch": "HEAD"}));
    assert_eq!(made.read().branch, None);
}

#[test]
fn a_plan_in_codex_is_accepted_when_it_is_to_be_implemented() {
    let planned =
        || Codex::new().user("Plan it").says("<proposed_plan>\n1. Do a\n2. Do b\n</proposed_plan>");
    let plan = planned().read().plan.unwrap();
    assert!(!plan.accepted && !plan.refused);
    assert!(planned().user("Implement the plan.").read().plan.unwrap().accepted);
    assert!(!planned().user("Why that?").read().plan.unwrap().accepted);
}

#[test]
fn a_patch_in_codex_counts_with_a_sign_of_success() {
    let edited = |output: Value| {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-a\n+b\n*** End Patch\n";
        let call = json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c1",
            "input": patch});
        let end = json!({"type": "custom_tool_call_output", "call_id": "c1", "output": output});
        let made = Codex::new().record("response_item", &call).record("response_item", &end);
        made.read().files.contains_key("/work/shop/a.rs")
    };
    assert!(edited(json!("Success. Updated the following files:\nM a.rs")));
    assert!(edited(json!("Exit code: 0\nWall time: 0 seconds\nOutput:\nDone")));
    assert!(edited(json!({"content": "done", "success": true})));
    for none in [
        "patch rejected: writing outside of the project",
        "patch rejected by user",
        "apply_patch exited with code 1",
        "verification failed: could not find lines",
        "approval policy is Never; reject command",
        "",
    ] {
        assert!(!edited(json!(none)), "{none}");
    }
}

#[test]
fn to_dos_that_were_refused_change_nothing() {
    let todos = |text: &str| json!({"todos": [{"content": text, "status": "pending"}]});
    let made = Claude::default()
        .calls("TodoWrite", &todos("Keep it"), "Todos have been modified", false)
        .calls("TodoWrite", &todos("Drop it"), "<tool_use_error>No</tool_use_error>", true);
    let session = made.read();
    assert_eq!(session.todos.len(), 1);
    assert_eq!(session.todos[0].text, "Keep it");
}

#[test]
fn a_file_is_one_however_it_is_called() {
    let files = |cwd: &str, paths: &[&str]| {
        let mut made = Claude::default().record("user", &json!({"cwd": cwd}));
        for path in paths {
            made = made.calls("Edit", &json!({"file_path": path}), "updated", false);
            made.records.iter_mut().for_each(|record| record["cwd"] = cwd.into());
        }
        made.read().files.into_keys().collect::<Vec<_>>()
    };
    let unix = files("/work/shop", &["src/a.rs", "./src/a.rs", "/work/shop/src/a.rs"]);
    assert_eq!(unix, ["/work/shop/src/a.rs"]);
    let windows = files("C:\\shop", &["C:\\shop\\a.rs", "c:\\shop\\a.rs", "C:/shop/a.rs"]);
    assert_eq!(windows, ["C:\\shop\\a.rs"]);
}
