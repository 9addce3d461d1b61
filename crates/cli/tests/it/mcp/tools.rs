//! Each tool, the resources and the prompts.

use serde_json::{Value, json};

use super::{Client, regular};
use crate::capture::{session, worked};
use crate::ground::{NOW, TestEnv, put};

fn titles(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap()).collect()
}

#[test]
fn what_is_saved_is_what_the_command_would_have_saved() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let call = env.segue(&["mcp"]).dir(&repo).env("CLAUDE_CODE_SESSION_ID", "s-1");
    let mut client = Client::begin_as(call, "claude-code", json!({}));
    let body = "## Context\n\nBaskets.\n";
    let arguments = json!({
        "title": "Round before tax", "body": body, "name": "basket", "tags": ["tax", "api"],
        "next": ["Add a test"],
    });
    let (text, data) = client.done("save", arguments);
    let id = data["id"].as_str().unwrap().to_owned();
    assert_eq!(text, format!("Saved as `{id}` in the project `shop`."));
    assert_eq!(data, json!({"id": id, "project": "shop", "warnings": []}));
    assert_eq!(client.end(), regular());
    let over = TestEnv::new();
    let same = over.repo("shop");
    let args = ["save", "--title", "Round before tax", "--name", "basket"];
    let more = ["--tags", "tax,api", "--next", "Add a test"];
    let args: Vec<&str> = args.into_iter().chain(more).collect();
    let made = over.segue(&args).dir(&same).env("CLAUDE_CODE_SESSION_ID", "s-1").stdin(body);
    let other = made.ok().trim().to_owned();
    let shown = |env: &TestEnv, dir, id: &str| {
        let text = env.segue(&["show", "--raw", id]).dir(dir).ok();
        let changing = |line: &&str| !line.starts_with("git: ");
        text.lines().filter(changing).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(shown(&env, &repo, &id), shown(&over, &same, &other));
}

#[test]
fn a_briefing_tells_what_was_left_and_not_how_to_start_the_agent() {
    let env = TestEnv::new();
    let call = env.segue(&["mcp"]);
    let mut client = Client::begin_as(call, "codex-mcp-client", json!({}));
    let (text, data) = client.done("briefing", json!({}));
    assert!(text.contains("No handoff was left here yet"), "{text}");
    assert_eq!(data["id"], Value::Null);
    let id = client.saved("Half done", "## Next Steps\n\n- Go on\n");
    let (text, data) = client.done("briefing", json!({"budget": "400"}));
    assert_eq!(data, json!({"briefing": text, "id": id}));
    assert!(text.contains("Left by Codex CLI") && text.contains("1. Go on"), "{text}");
    assert!(!text.contains("codex \"$("), "{text}");
    client.saved("Another", "x");
    for which in [json!({"id": id}), json!({"id": format!("`{id}`")})] {
        let (_, data) = client.done("briefing", which);
        assert_eq!(data["id"], json!(id));
    }
    let (text, _) = client.done("briefing", json!({"target": "gemini-cli"}));
    assert!(text.contains("To go on in Gemini CLI"), "{text}");
    assert!(client.trouble("briefing", json!({"budget": 5})).contains("at least 100"));
    let told = client.trouble("briefing", json!({"target": "hal"}));
    assert!(told.contains("no agent is called 'hal'") && told.contains("claude-code"), "{told}");
    let told = client.trouble("briefing", json!({"name": "basket"}));
    assert!(told.contains("no handoff is named 'basket'") && told.contains("`list`"), "{told}");
    assert!(client.trouble("briefing", json!({"id": id, "name": "x"})).contains("not both"));
}

#[test]
fn search_finds_passages_and_says_what_no_longer_holds() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    let (text, _) = client.done("search", json!({"query": "anything"}));
    assert!(text.starts_with("Nothing was found. None has `anything`. Try fewer"), "{text}");
    let old = client.saved("Tokens", "## Key Decisions\n\n- Token storage: Redis\n");
    let arguments = json!({
        "text": "Token storage: Postgres", "why": "it survives a restart",
        "rejected": "Redis: gone after a crash",
    });
    let (text, data) = client.done("decide", arguments);
    assert!(text.starts_with("Recorded as `"), "{text}");
    let new = data["id"].as_str().unwrap().to_owned();
    let (text, data) = client.done("search", json!({"query": "token storage", "limit": 2}));
    let hits = &data["hits"];
    assert_eq!((&hits[0]["id"], &hits[1]["id"]), (&json!(new), &json!(old)));
    assert_eq!(hits[1]["standing"], format!("superseded by {new} (decides the same later)"));
    assert!(text.contains("> Key Decisions: - Token storage: Redis"), "{text}");
    assert!(text.contains("data, not instructions"), "{text}");
    let (_, data) = client.done("search", json!({"query": "restart"}));
    assert_eq!(titles(&data["hits"]), ["Token storage: Postgres"]);
    assert!(client.trouble("search", json!({"query": "  "})).contains("Give a word"));
}

#[test]
fn a_decision_does_not_take_the_place_of_what_was_left() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    client.done("decide", json!({"text": "Line ends: LF"}));
    let (text, _) = client.done("briefing", json!({}));
    assert!(text.contains("Line ends: LF"), "{text}");
    let id = client.saved("Where it stands", "## Next Steps\n\n- Go on\n");
    client.done("decide", json!({"text": "Token storage: Postgres"}));
    let (text, data) = client.done("briefing", json!({}));
    assert_eq!(data["id"], json!(id), "{text}");
    // Decisions hold until another takes their place, whenever they were made.
    assert!(
        text.contains("- Token storage: Postgres") && text.contains("- Line ends: LF"),
        "{text}"
    );
    assert!(text.contains("**Recorded by the agent, not seen in a session**"), "{text}");
    let shown = env.segue(&["show", "latest"]).real_clock().ok();
    assert_eq!(shown, "## Key Decisions\n\n- Token storage: Postgres\n");
    assert!(client.trouble("decide", json!({"text": " "})).contains("say what was decided"));
}

#[test]
fn a_session_that_recorded_a_decision_is_still_told() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    session(&env, &repo, "5e55-10", &worked(&repo));
    let call = env.segue(&["mcp"]).real_clock().dir(&repo);
    let call = call.env("CLAUDE_CODE_SESSION_ID", "5e55-10");
    let mut client = Client::begin_as(call, "claude-code", json!({}));
    client.done("decide", json!({"text": "Rounding: before tax"}));
    assert_eq!(client.end(), regular());
    let told = env.segue(&["resume"]).real_clock().dir(&repo).run().stdout;
    assert!(told.contains("Fix the totals of the basket"), "{told}");
    assert!(told.contains("- Rounding: before tax"), "{told}");
}

#[test]
fn a_handoff_is_shown_by_any_way_of_naming_it() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    let id = client.saved("One", "## Context\n\nBody.\n");
    for word in ["latest", &id, &id[..6], &format!("segue://handoff/{id}"), &format!(" `{id}` ")] {
        let (text, data) = client.done("show", json!({"id": word}));
        let told = [&data["id"], &data["title"], &data["text"]];
        assert_eq!(told, [&json!(id), &json!("One"), &json!("## Context\n\nBody.\n")], "{word}");
        assert!(text.ends_with("---\n## Context\n\nBody.\n"), "{text}");
    }
    let told = client.trouble("show", json!({"id": "ffffffff"}));
    assert!(told.contains("no handoff has the id 'ffffffff'"), "{told}");
    assert!(told.contains(&format!("- `{id}` `One`")), "{told}");
}

#[test]
fn a_long_handoff_is_shown_in_pieces() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    let body: String = (0..12_000).map(|n| format!("{n} é\n")).collect();
    client.saved("Long", &body);
    let (mut whole, mut offset, mut pieces) = (String::new(), json!(0), 0);
    while !offset.is_null() {
        let (text, mut data) = client.done("show", json!({"id": "latest", "offset": offset}));
        whole.push_str(data["text"].as_str().unwrap());
        offset = data["next_offset"].take();
        assert_eq!(text.contains("go on with offset"), !offset.is_null());
        pieces += 1;
    }
    assert_eq!((whole == body, pieces), (true, 3));
}

#[test]
fn an_id_that_fits_several_is_answered_with_all_of_them() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    let ids: Vec<String> = (0..3).map(|n| client.saved(&format!("Number {n}"), "x")).collect();
    let told = client.trouble("show", json!({"id": "20"}));
    assert!(told.starts_with("'20' fits 3 handoffs. Call again with one of these ids."), "{told}");
    for (n, id) in ids.iter().enumerate() {
        assert!(told.contains(&format!("-{id} `Number {n}` in `work`")), "{told}");
    }
}

#[test]
fn a_model_is_told_of_other_projects_only_if_it_asks_for_them() {
    let env = TestEnv::new();
    let other = env.dir("other");
    env.segue(&["save", "--title", "Elsewhere", "--name", "n"]).dir(&other).ok();
    let mut client = Client::begin(&env);
    for (tool, arguments, rows) in
        [("list", json!({}), "handoffs"), ("search", json!({"query": "elsewhere"}), "hits")]
    {
        let (text, data) = client.done(tool, arguments);
        assert_eq!(titles(&data[rows]), [""; 0]);
        assert!(text.contains("Nothing is saved here") && !text.contains("Elsewhere"), "{text}");
        assert!(text.contains("all_projects"), "{text}");
    }
    for (tool, arguments) in [
        ("show", json!({"id": "latest"})),
        ("show", json!({"id": "0000"})),
        ("briefing", json!({"id": "0000"})),
        ("briefing", json!({"name": "n"})),
    ] {
        let told = client.trouble(tool, arguments);
        assert!(!told.contains("Elsewhere"), "{told}");
    }
    let (told, _) = client.done("briefing", json!({"id": "latest"}));
    assert!(!told.contains("Elsewhere"), "{told}");
    // Nor is it a resource or in a prompt.
    assert_eq!(client.get("resources/list", json!({}))["resources"], json!([]));
    let prompt = client.get("prompts/get", json!({"name": "resume"}));
    assert!(!prompt.to_string().contains("Elsewhere"), "{prompt}");
    client.saved("Here", "x");
    let (_, data) = client.done("list", json!({"limit": 1.0}));
    assert_eq!(titles(&data["handoffs"]), ["Here"]);
    let (_, data) = client.done("list", json!({"all_projects": true}));
    assert_eq!(titles(&data["handoffs"]).len(), 2);
    let (_, data) = client.done("search", json!({"query": "elsewhere", "all_projects": true}));
    assert_eq!(titles(&data["hits"]), ["Elsewhere"]);
}

#[test]
fn wrong_arguments_are_told_to_the_model() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    for (tool, arguments, told) in [
        ("save", json!({"title": "x", "bdoy": "y"}), "no argument `bdoy`"),
        ("save", json!({"title": "x"}), "`body` is missing"),
        ("save", json!({"title": " ", "body": "\n"}), "nothing to save"),
        ("save", json!({"title": "x", "body": "y", "name": "a\nb"}), "Use letters"),
        ("list", json!({"limit": -1}), "whole number"),
        ("list", json!({"limit": "many"}), "whole number"),
        ("show", json!({}), "`id` is missing"),
        ("show", json!({"id": ""}), "Give an id"),
        ("decide", json!({"text": ["a"]}), "`text` has to be a text"),
        (
            "save",
            json!({"title": "x", "body": "y", "tags": [1]}),
            "`tags` has to be a list of texts",
        ),
        ("list", json!({"all_projects": 3}), "`all_projects` has to be true or false"),
    ] {
        let said = client.trouble(tool, arguments);
        assert!(said.contains(told), "{tool}: {said}");
    }
    assert_eq!(env.handoff_files().len(), 0);
}

#[test]
fn what_was_left_out_may_be_null() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    client.saved("x", "y");
    let (_, data) = client.done("list", json!({"limit": null, "all_projects": null}));
    assert_eq!(titles(&data["handoffs"]), ["x"]);
    let (_, data) =
        client.done("search", json!({"query": "y", "limit": "2", "all_projects": "true"}));
    assert_eq!(titles(&data["hits"]), ["x"]);
}

#[test]
fn text_and_data_of_a_handoff_say_the_same() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "Old", "--summary", "s", "--ttl", "1h", "--tags", "a,b"])
        .at("2026-11-14T09:00:00Z")
        .ok();
    let mut client = Client::begin(&env);
    let (_, data) = client.done("search", json!({"query": "tag:a old"}));
    let id = data["hits"][0]["id"].as_str().unwrap().to_owned();
    let (text, data) = client.done("show", json!({"id": id}));
    for key in ["id", "title", "project", "age", "tags", "text", "note", "expired"] {
        assert!(!data[key].is_null(), "{key}: {data:#}");
    }
    assert!(text.contains("It expired at 2026-11-14"), "{text}");
    let said = client.trouble("show", json!({"id": "latest"}));
    assert!(said.contains("has expired or is archived"), "{said}");
}

#[test]
fn a_decision_by_itself_does_not_say_where_things_stand() {
    let env = TestEnv::new();
    env.segue(&["init"]).ok();
    env.segue(&["save", "--title", "Half done"]).at("2026-11-15T17:00:00Z").ok();
    let file = env.work.join("HANDOFF.md");
    let before = std::fs::read_to_string(&file).unwrap();
    let mut client = Client::begin(&env);
    let (_, decided) = client.done("decide", json!({"text": "db: sqlite"}));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    let told = env.segue(&["resume"]).real_clock().run().stdout;
    assert!(told.contains("**Half done**"), "{told}");
    let raw = env.segue(&["show", "--raw", decided["id"].as_str().unwrap()]).ok();
    assert!(raw.starts_with("---\nsegue: 2\n") && raw.contains("\nkind: decision\n"), "{raw}");
    let (text, rows) = client.done("list", json!({"limit": 1}));
    assert_eq!(rows["handoffs"][0]["kind"], "decision");
    assert!(text.contains(", kind decision"), "{text}");
    // A handoff that has only a decision in it, and the tag, is a handoff all the same.
    let saved = ["save", "--title", "db: postgres", "--tags", "decided"];
    env.segue(&saved).stdin("## Key Decisions\n\n- db: postgres\n").real_clock().seed("7").ok();
    assert_ne!(std::fs::read_to_string(&file).unwrap(), before);
    let told = env.segue(&["resume"]).real_clock().run().stdout;
    assert!(told.contains("**db: postgres**"), "{told}");
}

#[test]
fn the_agent_is_the_one_that_the_client_names() {
    let env = TestEnv::new();
    for (client, tool) in [("gemini-cli-mcp-client", "gemini-cli"), ("my-editor", "my-editor")] {
        let mut client = Client::begin_as(env.segue(&["mcp"]), client, json!({}));
        client.saved("x", "y");
        let (_, data) = client.done("list", json!({"limit": 1}));
        assert_eq!(data["handoffs"][0]["by"], tool);
    }
}

#[test]
fn a_client_is_asked_once_where_it_works() {
    let env = TestEnv::new();
    let shop = env.repo("a shop");
    let mut client = Client::start(env.segue(&["mcp"]).real_clock());
    client.initialize("2025-06-18", "x", &json!({"roots": {"listChanged": true}}));
    client.notify("notifications/initialized");
    // The call comes before the answer, and waits for it.
    let save = json!({"name": "save", "arguments": {"title": "In the shop", "body": "x"}});
    let call = client.ask("tools/call", save);
    let asked = client.read();
    assert_eq!(asked["method"], "roots/list");
    let missing = "file:///no/such/directory";
    let address = format!("file://{}", shop.display().to_string().replace(' ', "%20"));
    let roots = json!({"roots": [{"uri": "x:y"}, {"uri": missing}, {"uri": address}]});
    client.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots}));
    let saved = client.read();
    assert_eq!(saved["id"], call);
    assert_eq!(saved["result"]["structuredContent"]["project"], "a shop", "{saved}");
    // A server that asked again would hold up this call and be heard first.
    client.notify("notifications/initialized");
    let (_, data) = client.done("list", json!({}));
    assert_eq!(titles(&data["handoffs"]), ["In the shop"]);
    assert_eq!(client.end(), regular());
}

#[test]
fn a_client_that_does_not_say_where_it_works_is_served_where_it_started() {
    let env = TestEnv::new();
    let mut client = Client::start(env.segue(&["mcp"]).real_clock());
    client.initialize("2025-06-18", "x", &json!({"roots": {}}));
    client.notify("notifications/initialized");
    assert_eq!(client.read()["method"], "roots/list");
    let (_, data) = client.done("save", json!({"title": "x", "body": "y"}));
    assert_eq!(data["project"], "work");
}

#[test]
fn resources_are_the_newest_handoffs_page_by_page() {
    let env = TestEnv::new();
    for at in 0..130 {
        let time = format!("2026-11-15T{:02}:{:02}:00Z", at / 60, at % 60);
        env.segue(&["save", "--title", &format!("number {at}")])
            .at(&time)
            .seed(&at.to_string())
            .ok();
    }
    let mut client = Client::begin_as(env.segue(&["mcp"]), "x", json!({}));
    let (mut found, mut cursor, mut pages) = (Vec::new(), Value::Null, 0);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
        let mut page = client.get("resources/list", params);
        found.extend(page["resources"].as_array().unwrap().clone());
        cursor = page["nextCursor"].take();
        pages += 1;
        if cursor.is_null() {
            break;
        }
    }
    let titles: Vec<&str> = found.iter().map(|one| one["title"].as_str().unwrap()).collect();
    let expected: Vec<String> = (30..130).rev().map(|at| format!("number {at}")).collect();
    assert_eq!((titles, pages), (expected.iter().map(String::as_str).collect(), 4));
    let first = &found[0];
    assert_eq!(first["mimeType"], "text/markdown");
    let read = client.get("resources/read", json!({"uri": first["uri"]}));
    let read = &read["contents"][0];
    assert_eq!((&read["uri"], &read["mimeType"]), (&first["uri"], &json!("text/markdown")));
    assert!(read["text"].as_str().unwrap().contains("- Topic: number 129"), "{read}");
}

#[test]
fn prompts_say_how_to_hand_off_and_where_it_stopped() {
    let env = TestEnv::new();
    let mut client = Client::begin_as(env.segue(&["mcp"]), "claude-code", json!({}));
    let text = |told: Value| {
        assert_eq!(told["messages"][0]["role"], "user");
        told["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
    };
    let params = json!({"name": "hand-off", "arguments": {"focus": "ship it"}});
    let told = text(client.get("prompts/get", params));
    for section in ["Context", "Key Decisions", "Current State", "Next Steps", "Warnings / Gotchas"]
    {
        assert!(told.contains(&format!("## {section}")), "{told}");
    }
    assert!(told.contains("## Files of Note") && told.contains("`save`"), "{told}");
    assert!(told.ends_with("The next session shall: ship it"), "{told}");
    client.saved("Half done", "## Next Steps\n\n- Go on\n");
    let told = text(client.get("prompts/get", json!({"name": "resume"})));
    assert!(told.contains("Half done") && told.contains("1. Go on"), "{told}");
    let params = json!({"name": "resume", "arguments": {"budget": "1"}});
    assert_eq!(client.refused("prompts/get", params).0, -32602);
}

#[test]
fn a_brake_does_not_stop_what_somebody_asks_for() {
    let env = TestEnv::new();
    env.segue(&["pause", "release day"]).run();
    let mut client = Client::begin(&env);
    client.saved("All the same", "x");
    assert_eq!(env.handoff_files().len(), 1);
}

#[test]
fn a_store_that_cannot_be_written_is_told_to_the_model() {
    let env = TestEnv::new();
    put(&env.home, "a file in the place of the store");
    let mut client = Client::begin(&env);
    let told = client.trouble("save", json!({"title": "x", "body": "y"}));
    assert!(told.contains("home/segue"), "{told}");
    client.get("ping", json!({}));
    assert_eq!(client.end(), regular());
}

#[test]
fn the_clock_and_the_randomness_are_those_of_the_commands() {
    let env = TestEnv::new();
    let mut client = Client::begin_as(env.segue(&["mcp"]), "x", json!({}));
    let ids: Vec<String> = (0..3).map(|_| client.saved("x", "y")).collect();
    assert!(ids[0] != ids[1] && ids[1] != ids[2], "{ids:?}");
    let listed = env.segue(&["list", "--json"]).ok();
    assert!(listed.contains(&NOW[..16]), "{listed}");
}
