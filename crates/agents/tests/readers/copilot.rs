//! Transcripts of Copilot CLI, of our own making: its events, their drift, and damage.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use segue_agents::{Places, Transcripts, Where};
use segue_core::session::{Outcome, PromptWay, Session, TodoStatus};
use serde_json::{Value, json};

use crate::ground::{self, commands, prompts, reads_on, recognised, tells_the_same, with_damage};

/// A transcript in the making, in a session's directory.
struct Made {
    dir: tempfile::TempDir,
    lines: Vec<String>,
}

const ID: &str = "c0c0c0c0-0000-4000-8000-000000000001";

impl Made {
    fn new() -> Self {
        let made = Self { dir: tempfile::tempdir().unwrap(), lines: Vec::new() };
        fs::create_dir_all(made.path().parent().unwrap()).unwrap();
        made.event(
            "session.start",
            &json!({"sessionId": ID, "version": 1, "producer": "copilot-agent",
                "copilotVersion": "1.0.102", "selectedModel": "gpt-5",
                "context": {"cwd": "/work/shop", "gitRoot": "/work/shop", "branch": "main"}}),
        )
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join(format!(".copilot/session-state/{ID}/events.jsonl"))
    }

    fn event(self, kind: &str, data: &Value) -> Self {
        self.by(None, kind, data)
    }

    fn by(mut self, agent: Option<&str>, kind: &str, data: &Value) -> Self {
        let at = self.lines.len();
        let mut event = json!({"type": kind, "data": data, "id": format!("e{at}"),
            "timestamp": format!("2026-03-01T10:00:{:02}.000Z", at % 60), "parentId": null});
        if let Some(agent) = agent {
            event["agentId"] = json!(agent);
        }
        self.lines.push(event.to_string());
        self
    }

    fn user(self, text: &str) -> Self {
        let more = format!("<current_datetime>now</current_datetime>\n\n{text}\n\nAlways more.");
        self.event("user.message", &json!({"content": text, "transformedContent": more}))
    }

    fn says(self, text: &str) -> Self {
        let id = format!("m{}", self.lines.len());
        self.event(
            "assistant.message",
            &json!({"messageId": id, "model": "gpt-5", "content": text, "toolRequests": [],
                "reasoningText": "I must never say this."}),
        )
    }

    /// A call is told when it is asked for and when it begins.
    fn calls(self, id: &str, name: &str, args: &Value) -> Self {
        let request = json!({"toolCallId": id, "name": name, "arguments": args});
        self.event("assistant.message", &json!({"content": "", "toolRequests": [request]})).event(
            "tool.execution_start",
            &json!({"toolCallId": id, "toolName": name, "arguments": args}),
        )
    }

    fn ends(self, id: &str, rest: &Value) -> Self {
        let mut data = json!({"toolCallId": id, "success": true});
        for (key, value) in rest.as_object().unwrap() {
            data[key] = value.clone();
        }
        self.event("tool.execution_complete", &data)
    }

    fn does(self, id: &str, name: &str, args: &Value) -> Self {
        self.calls(id, name, args).ends(id, &json!({"result": {"content": "done"}}))
    }

    fn runs(self, id: &str, command: &str, output: &str, exit: i32) -> Self {
        let content = format!("{output}\n<shellId: 0 completed with exit code {exit}>");
        self.calls(id, "bash", &json!({"command": command})).ends(
            id,
            &json!({"result": {"content": content}, "shellExecution": {"exitCode": exit}}),
        )
    }

    fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    fn read(&self) -> Session {
        read(&self.path(), self.text().as_bytes())
    }
}

fn read(path: &Path, content: &[u8]) -> Session {
    ground::read(copilot(), path, content)
}

fn copilot() -> &'static Transcripts {
    Transcripts::of("copilot-cli").unwrap()
}

fn todos(session: &Session) -> Vec<(&str, TodoStatus)> {
    session.todos.iter().map(|todo| (todo.text.as_str(), todo.status)).collect()
}

fn worked() -> Made {
    let usage = |id: &str| json!({"usage": {"inputTokens": 100, "outputTokens": 5, "cacheReadTokens": 90, "apiCallId": id}});
    Made::new()
        .event("system.message", &json!({"role": "system", "content": "You must always"}))
        .user("Fix the basket. Never touch the schema.")
        .event("session.usage_record", &usage("a1"))
        .says("I'll look at it.")
        .does("t1", "view", &json!({"path": "/work/shop/basket.rs"}))
        .calls(
            "t2",
            "edit",
            &json!({"path": "/work/shop/basket.rs", "old_str": "a", "new_str": "b"}),
        )
        .ends(
            "t2",
            &json!({"fileEdits": [{"path": "/work/shop/basket.rs", "kind": "edit"}],
            "result": {"content": "updated"}}),
        )
        .does("t3", "create", &json!("{\"path\":\"new.rs\",\"file_text\":\"x\"}"))
        .calls("t4", "edit", &json!({"path": "/work/shop/other.rs"}))
        .ends(
            "t4",
            &json!({"success": false, "error": {"code": "failure", "message": "No match found"}}),
        )
        .runs("t5", "cargo test", "test basket::adds ... FAILED", 101)
        .runs("t6", "git commit -am 'Fix totals'", "[main 3f2a9c1] Fix totals\n 1 file changed", 0)
        .does(
            "t7",
            "sql",
            &json!({"query": "INSERT INTO todos (id, title, status) VALUES \
            ('fix', 'Fix totals', 'in_progress'), ('test', 'Mend the user''s test', 'pending');"}),
        )
        .does(
            "t8",
            "sql",
            &json!({"query": "UPDATE todos SET status = 'done', updated_at = datetime('now') \
            WHERE id = 'fix'; SELECT * FROM todos"}),
        )
        .event("session.usage_record", &usage("a2"))
        .says("The totals are right now. Next, I will mend the test.")
}

#[test]
fn a_plan_of_a_server_is_nobodys() {
    for name in ["exit_plan_mode", "create"] {
        let path = "/home/ada/.copilot/session-state/s1/plan.md";
        let args = json!({"summary": "s", "path": path, "file_text": "1. First"});
        let call =
            json!({"toolCallId": "x", "name": name, "arguments": args, "mcpServerName": "docs"});
        let session = Made::new()
            .event("assistant.message", &json!({"content": "", "toolRequests": [call]}))
            .ends("x", &json!({"result": {"content": "Plan approved. Go on."}}))
            .read();
        assert!(session.plan.is_none(), "{name}");
    }
}

#[test]
fn what_happened_is_read() {
    let made = worked();
    let about = format!("id: {ID}\ncwd: /work/shop\ngit_root: /work/shop\nname: Basket totals\n");
    fs::write(made.path().with_file_name("workspace.yaml"), about).unwrap();
    let session = made.read();
    assert_eq!(session.agent, "copilot-cli");
    assert_eq!(session.id.as_deref(), Some(ID));
    assert_eq!(session.cwd.as_deref(), Some("/work/shop"));
    assert_eq!(session.branch.as_deref(), Some("main"));
    assert_eq!(session.model.as_deref(), Some("gpt-5"));
    assert_eq!(session.version.as_deref(), Some("1.0.102"));
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
    assert_eq!(
        todos(&session),
        [("Fix totals", TodoStatus::Done), ("Mend the user's test", TodoStatus::Open)]
    );
    let said: Vec<_> = session.said.iter().map(|said| said.text.as_str()).collect();
    assert_eq!(said, ["I'll look at it.", "The totals are right now. Next, I will mend the test."]);
    assert_eq!((session.tokens.input, session.tokens.output), (200, 10));
    assert_eq!((session.damaged, session.unknown), (0, 0));
}

#[test]
fn what_machines_write_is_not_the_users() {
    let session = Made::new()
        .event("user.message", &json!({"content": "A skill, always", "source": "skill-pdf"}))
        .event(
            "user.message",
            &json!({"content": "Go on, always", "isAutopilotContinuation": true}),
        )
        .event(
            "user.message",
            &json!({"content": "From afar, always", "crossSession": {"version": 1}}),
        )
        .by(Some("sub-1"), "user.message", &json!({"content": "To a subagent, always"}))
        .by(Some("sub-1"), "assistant.message", &json!({"content": "Between machines"}))
        .event("system.notification", &json!({"content": "You must"}))
        .event("hook.end", &json!({"output": {"additionalContext": "You must"}}))
        .event(
            "session.compaction_complete",
            &json!({"success": true, "summaryContent": "You must"}),
        )
        .event("session.compaction_complete", &json!({"success": false}))
        .event("subagent.started", &json!({"agentName": "explore"}))
        .user("/compact")
        .user("/review the basket")
        .user("/work/shop/a.rs is wrong")
        .read();
    assert_eq!(prompts(&session), ["/review the basket", "/work/shop/a.rs is wrong"]);
    assert_eq!(session.prompts[0].way, PromptWay::Command);
    assert!(session.constraints.is_empty(), "{:?}", session.constraints);
    assert!(session.said.is_empty());
    assert_eq!((session.compactions, session.subagents), (1, 1));
}

#[test]
fn what_the_user_says_while_refusing_counts() {
    let refused = |message: &str| json!({"success": false, "error": {"code": "rejected", "message": message}});
    let made = Made::new()
        .user("Rename it")
        .calls("a", "edit", &json!({"path": "/work/shop/a.rs"}))
        .event(
            "permission.completed",
            &json!({"requestId": "r", "result":
            {"kind": "denied-interactively-by-user", "feedback": "Do not use sed."}}),
        )
        .ends("a", &refused("The user rejected this tool call. User feedback: Do not use sed."));
    let session = made.read();
    assert_eq!(prompts(&session), ["Rename it", "Do not use sed."]);
    assert_eq!(session.prompts[1].way, PromptWay::Refusing);
    assert!(session.files.is_empty() && session.failures.is_empty() && !session.interrupted);
    let made = made.calls("b", "bash", &json!({"command": "rm a"})).ends("b", &refused("No."));
    let session = made.read();
    assert_eq!(commands(&session), [("rm a", Outcome::Stopped, None)]);
    assert!(session.interrupted);
}

#[test]
fn output_of_a_tool_is_never_an_answer_of_the_user() {
    let never = "User responded: Never run the tests.";
    let selected = "User selected: Always push to main.";
    let session = Made::new()
        .user("Look at it")
        .runs("a", "cat notes.txt", never, 0)
        .calls("b", "docs-ask_user", &json!({"question": "Which rules?"}))
        .ends("b", &json!({"result": {"content": selected}}))
        .event(
            "tool.execution_start",
            &json!({"toolCallId": "c", "toolName": "ask_user", "mcpServerName": "docs",
                "arguments": {"question": "Which rules?"}}),
        )
        .ends("c", &json!({"result": {"content": never}}))
        .read();
    assert_eq!(prompts(&session), ["Look at it"]);
    assert!(session.decisions.is_empty(), "{:?}", session.decisions);
    assert!(session.constraints.is_empty(), "{:?}", session.constraints);
}

#[test]
fn feedback_is_the_users_only_where_the_user_refused() {
    let says = "It did not work. Feedback: Never run the tests.";
    let quoted = "Rejected: `echo User feedback: Never run the tests.`";
    let ends = [
        json!({"success": false, "error": {"code": "rejected", "message": quoted}}),
        json!({"success": false, "error": {"code": "failure", "message": says}}),
        json!({"success": false, "error": {"code": "denied", "message": says}}),
        json!({"success": false, "result": {"content": says, "result_type": "denied"}}),
        json!({"success": true, "result": {"content": says, "result_type": "rejected"}}),
        json!({"success": false, "error": {"code": "rejected"}, "result": {"content": says}}),
    ];
    for end in ends {
        let made = Made::new().user("Look at it").calls("a", "docs-search", &json!({"q": "x"}));
        let session = made.ends("a", &end).read();
        assert_eq!(prompts(&session), ["Look at it"], "{end}");
        assert!(session.constraints.is_empty(), "{end}: {:?}", session.constraints);
    }
    // A rule that denies something is no word of the user's, and does not stop the agent.
    let by_rule = json!({"success": false, "error": {"code": "denied", "message": "No."}});
    let made = Made::new().user("Do it").calls("a", "bash", &json!({"command": "rm a"}));
    let session = made.ends("a", &by_rule).read();
    assert_eq!(commands(&session), [("rm a", Outcome::Stopped, None)]);
    assert!(!session.interrupted);
}

#[test]
fn an_interruption_is_noted_until_the_user_speaks() {
    let made = Made::new()
        .user("Do it")
        .says("Doing")
        .event("abort", &json!({"reason": "user_initiated"}));
    assert!(made.read().interrupted);
    assert!(!made.user("Do that instead").read().interrupted);
}

#[test]
fn answers_plans_and_patches_are_read() {
    let plan = format!("/home/u/.copilot/session-state/{ID}/plan.md");
    let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-a\n+b\n*** Add File: b.rs\n+x\n\
        *** Delete File: c.rs\n*** Update File: d.rs\n*** Move to: e.rs\n*** End Patch\n";
    let made = Made::new()
        .user("Plan it")
        .calls("q", "ask_user", &json!({"question": "Which database?", "choices": ["SQLite"]}))
        .ends("q", &json!({"result": {"content": "User selected: SQLite"}}))
        .does("p", "create", &json!({"path": plan, "file_text": "1. First\n2. Second"}));
    let session = made.read();
    assert_eq!(session.decisions[0].text, "Which database? → SQLite");
    let proposed = session.plan.as_ref().unwrap();
    assert_eq!((proposed.text.as_str(), proposed.accepted), ("1. First\n2. Second", false));
    assert!(session.files.is_empty());
    let session = made
        .calls("x", "exit_plan_mode", &json!({"summary": "s"}))
        .ends("x", &json!({"result": {"content": "Plan approved. Go on."}}))
        .calls("y", "apply_patch", &json!(patch))
        .ends("y", &json!({"fileEdits": [{"path": "/work/shop/a.rs", "kind": "edit"}]}))
        .calls("z", "other_tool", &json!({}))
        .ends("z", &json!({"fileEdits": [{"path": "/work/shop/f.rs", "kind": "create"}]}))
        .read();
    assert!(session.plan.unwrap().accepted);
    let files: Vec<_> = session.files.iter().map(|(path, file)| (path.as_str(), file)).collect();
    assert_eq!(files.len(), 5);
    assert_eq!((files[0].0, files[0].1.edits), ("/work/shop/a.rs", 1));
    assert!(files[1].1.created && files[2].1.deleted && files[4].1.created);
    assert_eq!(files[3].1.renamed_from.as_deref(), Some("/work/shop/d.rs"));
    assert_eq!(files[3].1.edits, 1);
}

#[test]
fn commands_of_other_versions_end_too() {
    let bash = |command: &str| json!({"command": command});
    let session = Made::new()
        .calls("a", "bash", &bash("make"))
        .ends("a", &json!({"result": {"content": "no\n<exited with exit code 2>"}}))
        .calls("b", "bash", &bash("serve"))
        .ends("b", &json!({"result": {"content": "<command started in background with shellId: 1>"}}))
        .calls("c", "bash", &bash("ls"))
        .event("tool.execution_complete", &json!({"toolCallId": "c",
            "result": {"result_type": "success", "text_result_for_llm": "a"}}))
        .calls("d", "bash", &bash("left"))
        .calls("e", "powershell", &bash("dir"))
        .ends("e", &json!({"result": {"content": "a", "contents": [{"type": "terminal", "exitCode": 1, "text": "a"}]}}))
        .read();
    assert_eq!(
        commands(&session),
        [
            ("make", Outcome::Failed, Some(2)),
            ("serve", Outcome::Unknown, None),
            ("ls", Outcome::Passed, None),
            ("left", Outcome::Unknown, None),
            ("dir", Outcome::Failed, Some(1)),
        ]
    );
    assert_eq!(session.failures[0].message, "no");
}

#[test]
fn statements_about_to_dos_are_understood_or_left() {
    let sql = |made: Made, id: &str, query: &str| made.does(id, "sql", &json!({"query": query}));
    let mut made = Made::new();
    for (at, query) in [
        "insert or replace into todos (title, id) values ('A -- ; (x)', 'a'), ('B', 'b'), ('C', 'c'), ('D', 'd')",
        "UPDATE todos SET status = 'in_progress' WHERE id IN ('a', 'b')",
        "UPDATE todos SET status='done' WHERE id = 'a' AND status = 'in_progress'",
        "-- a remark\nUPDATE \"todos\" SET title = 'B2' WHERE id = 'b'",
        "DELETE FROM todos WHERE id = 'c'",
        "UPDATE todos SET status = 'done' WHERE id = 'c'",
        "UPDATE todos SET status = 'done' WHERE id LIKE 'd%'",
        "UPDATE todos SET status = 'done' WHERE id = 'd' OR 1 = 1",
        "INSERT INTO todo_deps (todo_id, depends_on) VALUES ('a', 'b')",
        "INSERT INTO todos (id, title) VALUES ('e', 'torn",
        "UPDATE todos SET",
        "",
    ]
    .into_iter()
    .enumerate()
    {
        made = sql(made, &format!("s{at}"), query);
    }
    assert_eq!(
        todos(&made.read()),
        [
            ("A -- ; (x)", TodoStatus::Done),
            ("B2", TodoStatus::Begun),
            ("C", TodoStatus::Dropped),
            ("D", TodoStatus::Open),
        ]
    );
    let list = json!({"todos": "- [ ] One\n- [x] Two\n  * [~] Three\nnothing"});
    let session = Made::new().does("u", "update_todo", &list).read();
    assert_eq!(
        todos(&session),
        [("One", TodoStatus::Open), ("Two", TodoStatus::Done), ("Three", TodoStatus::Begun)]
    );
}

#[test]
fn damage_is_counted_and_passed_over() {
    let made = worked();
    let whole = made.read();
    let mut broken = Vec::new();
    broken.extend(
        b"{\"type\":\"user.message\",\"data\":{\"ro\n\n\xff\xfe\x00\n[1,2]\nnull\n\"text\"\n{}\n",
    );
    broken.extend(
        b"{\"type\":\"brand-new\",\"x\":1}\n{\"type\":\"brand.new\",\"data\":{}}\n{\"type\":7}\n",
    );
    broken.extend(b"{\"type\":\"session.brand_new\",\"data\":{\"cwd\":1}}\n");
    broken.extend(b"{\"type\":\"user.message\",\"data\":5}\n{\"type\":\"user.message\",\"data\":{\"content\":{}}}\n");
    broken.extend(b"{\"type\":\"tool.execution_complete\",\"data\":{\"toolCallId\":\"no\",\"result\":1,\"error\":[]}}\n");
    broken.extend(b"{\"type\":\"assistant.message\",\"data\":{\"content\":1,\"toolRequests\":[1,{\"name\":2}]}}\n");
    let damaged = read(
        &made.path(),
        &with_damage(
            &made.lines,
            &broken,
            b"{\"type\":\"assistant.message\",\"data\":{\"content\":\"torn",
        ),
    );
    tells_the_same(&damaged, &whole);
    assert_eq!(damaged.unknown, 2);
    assert!(damaged.damaged >= 7, "{}", damaged.damaged);
}

#[test]
fn reading_on_is_the_same_as_reading_at_once() {
    let made = worked();
    reads_on(copilot(), &made.path(), &made.text());
}

#[test]
fn transcripts_are_recognised_by_their_first_record() {
    let made = worked();
    assert_eq!(recognised(&made.path(), made.text()), Some("copilot-cli"));
    let other = made.dir.path().join("other");
    for text in [
        "{\"sessionId\":\"x\",\"timestamp\":1,\"cwd\":\"/b\",\"source\":\"new\"}",
        "{\"kind\":0,\"v\":{\"sessionId\":\"x\",\"requests\":[]}}\n",
        "{\"type\":\"session.start\",\"data\":{\"sessionId\":\"x\",\"vscodeVersion\":\"1.119.0\"}}\n",
    ] {
        assert_eq!(recognised(&other, text), None, "{text}");
    }
}

#[test]
fn sessions_are_found_by_id_and_by_directory() {
    let made = worked();
    fs::write(made.path(), made.text()).unwrap();
    let old = made.dir.path().join(".copilot/session-state/0ld.jsonl");
    fs::write(&old, made.text()).unwrap();
    let home = Places { home: Some(made.dir.path().to_owned()), vars: |_| None };
    let mut found = copilot().newest_in(&home, &Where::from("/work/shop"), 9).unwrap();
    found.sort_by(|a, b| a.id.cmp(&b.id));
    let ids: Vec<_> = found.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["0ld", ID]);
    assert_eq!(copilot().of_id(&home, ID).unwrap().unwrap().path, made.path());
    assert_eq!(copilot().of_id(&home, "0ld").unwrap().unwrap().path, old);
    for id in ["", "..", "../session-state", "nobody"] {
        assert!(copilot().of_id(&home, id).unwrap().is_none(), "{id}");
    }
    // The description says where it is now, also of a repository below which it ran.
    let about = "cwd: /work/shop/deep\ngit_root: \"/work/else\"\n";
    fs::write(made.path().with_file_name("workspace.yaml"), about).unwrap();
    assert_eq!(copilot().newest_in(&home, &Where::from("/work/else"), 9).unwrap()[0].id, ID);
    assert_eq!(copilot().newest_in(&home, &Where::from("/work/shop"), 9).unwrap()[0].id, "0ld");
    let vars = |name: &str| (name == "COPILOT_AGENT_SESSION_ID").then(|| OsString::from(ID));
    let told = Places { home: None, vars };
    assert_eq!(copilot().live(&told, Path::new("/work/shop")).as_deref(), Some(ID));
    assert_eq!(copilot().live(&home, Path::new("/work/shop")), None);
    assert!(copilot().newest_in(&told, &Where::from("/work/shop"), 9).unwrap().is_empty());
}

#[test]
fn tokens_are_counted_however_they_are_told() {
    let all = json!({"modelMetrics": {
        "gpt-5": {"usage": {"inputTokens": 900, "outputTokens": 40}},
        "gpt-4.1": {"usage": {"inputTokens": 100, "outputTokens": 2}}}});
    let made = Made::new().event("session.shutdown", &all);
    let tokens = made.read().tokens;
    assert_eq!((tokens.input, tokens.output), (1_000, 42));
    let used = |id: &str| json!({"inputTokens": 600, "outputTokens": 30, "apiCallId": id});
    let snapshot = json!({"accountingSnapshot": all});
    let record = json!({"usage": {"inputTokens": 700, "outputTokens": 5, "maxPromptTokens": 64_000,
        "apiCallId": "c"}});
    let session = Made::new()
        .event("assistant.usage", &used("a"))
        .event("assistant.usage", &used("a"))
        .event("assistant.usage", &used("b"))
        .event("session.shutdown", &snapshot)
        .event("session.usage_record", &record)
        .read();
    assert_eq!((session.tokens.input, session.tokens.output), (1_900, 65));
    assert_eq!((session.context_tokens, session.context_window), (Some(705), Some(64_000)));
}
