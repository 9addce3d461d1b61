//! Any text is statements about to-dos: they are understood or left, and what is there has an id.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::json;

fuzz_target!(|statements: &str| {
    let call = |id: &str, query: &str| {
        let data = json!({"toolCallId": id, "toolName": "sql", "arguments": {"query": query}});
        json!({"type": "tool.execution_start", "data": data}).to_string()
    };
    let before =
        "INSERT INTO todos (id, title, status) VALUES ('a', 'A', 'pending'), ('b', 'B', 'done')";
    let text = format!("{}\n{}\n", call("1", before), call("2", statements));
    let session = segue_fuzz::transcript("copilot-cli", "events.jsonl", text.as_bytes());
    let session = session.expect("lines");
    assert_eq!((session.records, session.damaged), (2, 0));
    assert!(session.todos.len() >= 2 && session.todos.iter().all(|todo| todo.id.is_some()));
});
