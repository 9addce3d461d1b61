//! Versions, lists, mistakes of the client.

use serde_json::{Value, json};

use super::{Client, regular};
use crate::ground::{TestEnv, files_below};

/// What every session has in its context is at most so long.
const MOST_OF_TOOLS: usize = 3_500;

fn server(env: &TestEnv) -> Client {
    Client::start(env.segue(&["mcp"]).real_clock())
}

/// What a request of the newest version says of its client.
fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "codex-mcp-client", "version": "1"},
    })
}

#[test]
fn every_version_with_a_handshake_is_spoken() {
    let env = TestEnv::new();
    let newest = "2025-11-25";
    for (asked, spoken) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", newest),
        ("2026-07-28", newest),
        ("2099-01-01", newest),
    ] {
        let mut client = server(&env);
        let begun = client.initialize(asked, "x", &json!({}));
        let told = &begun["result"];
        assert_eq!(told["protocolVersion"], spoken, "{begun}");
        assert_eq!(told["serverInfo"]["name"], "segue");
        assert_eq!(told["capabilities"], json!({"tools": {}, "resources": {}, "prompts": {}}));
        assert!(told["instructions"].as_str().unwrap().contains("`briefing`"));
        client.notify("notifications/initialized");
        let tools = client.get("tools/list", json!({}));
        assert_eq!(tools["tools"].as_array().unwrap().len(), 6, "{asked}");
        assert_eq!(tools.get("resultType"), None, "{tools}");
        assert_eq!(client.get("ping", json!({})), json!({}));
        assert_eq!(client.end(), regular(), "{asked}");
    }
}

#[test]
fn the_newest_version_needs_no_handshake() {
    let env = TestEnv::new();
    let mut client = server(&env);
    let new = meta("2026-07-28");
    let found = client.get("server/discover", json!({"_meta": new}));
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")));
    let tools = client.get("tools/list", json!({"_meta": new}));
    assert_eq!(tools["tools"].as_array().unwrap().len(), 6);
    let arguments = json!({"title": "New", "body": "text"});
    let saved =
        client.get("tools/call", json!({"_meta": new, "name": "save", "arguments": arguments}));
    assert_eq!(saved["isError"], false, "{saved}");
    assert_eq!(client.end(), regular());
    let listed = env.segue(&["list", "--json"]).real_clock().ok();
    assert!(listed.contains("\"tool\": \"codex\""), "{listed}");
}

#[test]
fn what_comes_before_the_handshake_breaks_nothing() {
    let env = TestEnv::new();
    let mut client = server(&env);
    // As Claude Code asks: with less than the newest version wants.
    let half = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    assert_eq!(client.refused("server/discover", half).0, -32602);
    client.notify("notifications/cancelled");
    client.notify("notifications/initialized");
    client.say(&json!({"jsonrpc": "2.0", "id": 77, "result": {}}));
    assert_eq!(client.get("ping", json!({})), json!({}));
    client.refused("tools/list", json!({}));
    client.notify("notifications/cancelled");
    let begun = client.initialize("2025-11-25", "x", &json!({}));
    assert_eq!(begun["result"]["protocolVersion"], "2025-11-25");
    client.get("tools/list", json!({}));
    assert_eq!(client.end(), regular());
}

#[test]
fn the_tools_are_few_and_small() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    let tools = client.get("tools/list", json!({}));
    let size = tools.to_string().len();
    assert!(size <= MOST_OF_TOOLS, "{size} bytes");
    let lines: Vec<String> =
        tools["tools"].as_array().unwrap().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(lines.join("\n"), @r##"
    {"name":"briefing","title":"Where the last session stopped","description":"What the last session left, what changed since, what to verify first. Call it at the start; with id or name, about that handoff.","inputSchema":{"type":"object","properties":{"budget":{"type":"integer","description":"tokens, default 1000"},"id":{"type":"string"},"name":{"type":"string"},"target":{"type":"string","description":"agent that reads it"}}},"outputSchema":{"type":"object","properties":{"briefing":{"type":"string"}},"required":["briefing"]},"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}}
    {"name":"save","title":"Leave a handoff","description":"Leave a handoff for the next session. Secrets are taken out. Git's state is noted by itself.","inputSchema":{"type":"object","properties":{"title":{"type":"string","description":"one line"},"body":{"type":"string","description":"Markdown with ## Context, Key Decisions, Current State, Next Steps, Warnings / Gotchas, Files of Note"},"name":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"next":{"type":"array","items":{"type":"string"}}},"required":["title","body"]},"outputSchema":{"type":"object","properties":{"id":{"type":"string"},"warnings":{"type":"array","items":{"type":"string"}}},"required":["id"]},"annotations":{"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}}
    {"name":"search","title":"Search handoffs","description":"Search the text of handoffs, what still holds first. Words, \"a phrase\", -word, tag:x, file:path, section:decisions.","inputSchema":{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","maximum":20},"all_projects":{"type":"boolean"}},"required":["query"]},"outputSchema":{"type":"object","properties":{"hits":{"type":"array","items":{"type":"object"}}},"required":["hits"]},"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}}
    {"name":"show","title":"Read a handoff","description":"The text of one handoff.","inputSchema":{"type":"object","properties":{"id":{"type":"string","description":"id, its beginning, or 'latest'"},"offset":{"type":"integer","description":"next_offset of a long one"}},"required":["id"]},"outputSchema":{"type":"object","properties":{"id":{"type":"string"},"text":{"type":"string"},"next_offset":{"type":"integer"}},"required":["id","text"]},"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}}
    {"name":"list","title":"List handoffs","description":"The newest handoffs here.","inputSchema":{"type":"object","properties":{"limit":{"type":"integer","maximum":50},"all_projects":{"type":"boolean"}}},"outputSchema":{"type":"object","properties":{"handoffs":{"type":"array","items":{"type":"object"}}},"required":["handoffs"]},"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}}
    {"name":"note","title":"Note one thing","description":"Note one thing for the next briefing.","inputSchema":{"type":"object","properties":{"kind":{"type":"string","enum":["next","rule","decision","gotcha","question","blocker"]},"text":{"type":"string","description":"subject: choice"},"why":{"type":"string"},"rejected":{"type":"array","items":{"type":"string"}}},"required":["kind","text"]},"outputSchema":{"type":"object","properties":{"id":{"type":"string"},"warnings":{"type":"array","items":{"type":"string"}}},"required":["id"]},"annotations":{"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}}
    "##);
}

#[test]
fn prompts_and_templates_are_listed() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    let prompts = client.get("prompts/list", json!({}));
    let names: Vec<&Value> =
        prompts["prompts"].as_array().unwrap().iter().map(|prompt| &prompt["name"]).collect();
    assert_eq!(names, ["hand-off", "resume"]);
    let templates = client.get("resources/templates/list", json!({}));
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "segue://handoff/{id}");
    assert_eq!(client.get("resources/list", json!({}))["resources"], json!([]));
}

#[test]
fn what_is_not_there_is_a_fault_of_the_protocol() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    for method in ["nothing/such", "logging/setLevel", "tasks/list", "x"] {
        let params = json!({"level": "debug"});
        assert_eq!(client.refused(method, params).0, -32601, "{method}");
    }
    let (code, told) = client.refused("tools/call", json!({"name": "forget", "arguments": {}}));
    assert_eq!(code, -32602);
    assert!(told.contains("briefing, save, search, show, list, note"), "{told}");
    assert_eq!(client.refused("prompts/get", json!({"name": "no"})).0, -32602);
    assert_eq!(client.refused("resources/read", json!({"uri": "file:///etc/passwd"})).0, -32002);
    assert_eq!(client.refused("resources/read", json!({"uri": "segue://handoff/ab"})).0, -32002);
    assert_eq!(client.refused("resources/list", json!({"cursor": "no"})).0, -32602);
    assert_eq!(client.end(), regular());
}

#[test]
fn lines_that_are_no_messages_are_passed_over() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    let deep = "[".repeat(100_000);
    for line in
        [b"".as_slice(), b"\r", b"garbage", b"\xff\xfe\x00", b"{", b"nul\0l", deep.as_bytes()]
    {
        client.write(line);
        assert_eq!(client.get("ping", json!({})), json!({}));
    }
    // JSON that is no message is answered, without an id because it has none.
    for line in ["1", "[]", "\"x\"", "{}"] {
        client.write(line.as_bytes());
        let answer = client.read();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &Value::Null));
    }
    client.say(&json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": 7}));
    assert!(client.read()["error"]["code"].is_i64());
    assert_eq!(client.get("ping", json!({})), json!({}));
    assert_eq!(client.end(), regular());
}

#[test]
fn whoever_waits_for_an_answer_gets_one() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    let nested = format!("{}{}", "[".repeat(130), "]".repeat(130));
    let long = "x".repeat(40 << 20);
    for (line, id, code) in [
        (r#"{"jsonrpc":"2.0","id":9,"method":"tools/li"#.to_owned(), json!(9), -32700),
        (r#"{"jsonrpc":"2.0","id":"a","method":"ping"} {"#.to_owned(), json!("a"), -32700),
        (format!(r#"{{"jsonrpc":"2.0","id":3,"method":"ping","params":{nested}}}"#), json!(3), -32700),
        (format!(r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":"{long}"}}"#), json!(4), -32700),
        (format!(r#"{{"method":"tools/call","params":"{long}","jsonrpc":"2.0","id":5}}"#), json!(5), -32700),
        (r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"list","arguments":[]}}"#.to_owned(), json!(6), -32602),
    ] {
        client.write(line.as_bytes());
        let answer = client.read();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().ends_with('.'), "{answer}");
        assert_eq!(client.get("ping", json!({})), json!({}));
    }
    // Half a character costs half a character, and not the handoff.
    let save = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"save","arguments":{"title":"Party","body":"it was \ud83c"}}}"#;
    client.write(save.replace("\\\\", "\\").as_bytes());
    let answer = client.read();
    assert_eq!(
        (&answer["id"], &answer["result"]["isError"]),
        (&json!(7), &json!(false)),
        "{answer}"
    );
    let shown = env.segue(&["show", "latest"]).real_clock().ok();
    assert!(shown.contains("it was \u{fffd}"), "{shown}");
    // Several at once, as one version had it.
    client.write(b"[{\"jsonrpc\":\"2.0\",\"id\":80,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":81,\"method\":\"ping\"}]");
    assert_eq!((&client.read()["id"], &client.read()["id"]), (&json!(80), &json!(81)));
    assert_eq!(client.end(), regular());
}

#[test]
fn a_line_without_an_end_takes_no_memory() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    client.write(&vec![b'x'; 50 * 1024 * 1024]);
    assert_eq!(client.get("ping", json!({})), json!({}));
    let status = format!("/proc/{}/status", client.child.id());
    if let Ok(status) = std::fs::read_to_string(status) {
        let most = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
        let kilobytes: u64 = most.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(kilobytes < 120 * 1024, "{most}");
    }
    assert_eq!(client.end(), regular());
}

#[test]
fn one_file_knows_the_sdk() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in files_below(&source) {
        let text = std::fs::read_to_string(&path).unwrap();
        let knows = text.contains("rmcp");
        assert_eq!(knows, path.ends_with("mcp/wire.rs"), "{}", path.display());
    }
}
