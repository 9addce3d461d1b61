//! What subagents did is part of what their session leaves.

use std::path::Path;

use serde_json::{Value, json};

use super::{Hooked, read};
use crate::capture::{assistant, result, says, user, worked};
use crate::ground::put;

fn write_subagent(path: &Path, records: &[Value]) {
    let lines = records.iter().map(|record| {
        let mut whole = record.clone();
        whole["isSidechain"] = json!(true);
        whole["sessionId"] = json!("5e55-10");
        format!("{whole}\n")
    });
    put(path, lines.collect::<String>());
}

fn edits(id: &str, path: &Path) -> [Value; 2] {
    let call = json!({"type": "tool_use", "id": id, "name": "Edit", "input": {"file_path": path}});
    [assistant(&call), result(id, "ok", false)]
}

#[test]
fn a_draft_has_what_subagents_did_and_a_subagent_is_read_on() {
    let hooked = Hooked::new();
    let mut records = worked(&hooked.repo);
    let launch = json!({"type": "tool_use", "id": "t9", "name": "Agent", "input": {"prompt": "x"}});
    records.push(assistant(&launch));
    let path = hooked.session("5e55-10", &records);
    let subagent = path.with_extension("").join("subagents/agent-a1.jsonl");
    let mut work = vec![user("Count the shelves. Never rest.")];
    work.extend(edits("s1", &hooked.repo.join("src/shelf.rs")));
    write_subagent(&subagent, &work);
    hooked.claude("5e55-10", "stop");
    let draft = read(&hooked.drafts()[0]);
    assert!(draft.contains("src/shelf.rs") && !draft.contains("src/door.rs"), "{draft}");
    assert!(!draft.contains("- “Never rest"), "its task is no rule of the user's\n{draft}");
    assert!(
        draft.contains("- A subagent did not finish: “Count the shelves. Never rest.”"),
        "{draft}"
    );
    let facts = || -> Value {
        let ran = hooked.env.segue(&["extract", "--json", path.to_str().unwrap()]);
        serde_json::from_str(&ran.dir(&hooked.repo).ok()).unwrap()
    };
    let left = &facts()["unfinished_subagents"][0];
    assert_eq!(left["task"], "Count the shelves. Never rest.");
    work.extend(edits("s2", &hooked.repo.join("src/door.rs")));
    work.push(says("Three shelves."));
    write_subagent(&subagent, &work);
    records.push(result("t9", "Three shelves.", false));
    hooked.session("5e55-10", &records);
    hooked.claude("5e55-10", "stop");
    let draft = read(&hooked.drafts()[0]);
    assert!(draft.contains("src/shelf.rs") && draft.contains("src/door.rs"), "{draft}");
    let facts = facts();
    assert!(facts.get("unfinished_subagents").is_none(), "{facts}");
    let files = facts["files"].as_object().unwrap();
    let marked = |name: &str| {
        let file = files.iter().find(|(path, _)| path.ends_with(name)).unwrap();
        file.1["by_subagent"].as_bool().unwrap_or(false)
    };
    assert!(marked("door.rs") && marked("shelf.rs") && !marked("basket.rs"));
}
