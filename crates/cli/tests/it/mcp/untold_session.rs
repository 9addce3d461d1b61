//! What an agent saves whose server is told no session belongs to the session that goes on.

use serde_json::{Value, json};

use super::{Client, regular};
use crate::ground::{TestEnv, put};

const ID: &str = "019a8e6f-0000-7000-8000-000000000001";

/// A session of Codex that was just written to.
fn rollout(env: &TestEnv, dir: &std::path::Path) -> std::path::PathBuf {
    let below = env.beside(".codex/sessions/2026/11/15");
    let path = below.join(format!("rollout-2026-11-15T17-00-00-{ID}.jsonl"));
    let message = |role: &str, kind: &str, text: &str| {
        let payload = json!({"type": "message", "role": role,
            "content": [{"type": kind, "text": text}]});
        ("response_item", payload)
    };
    let asked = json!({"type": "user_message", "message": "Round the totals"});
    let records = [
        ("session_meta", json!({"id": ID, "cwd": dir, "timestamp": "2026-11-15T17:00:00.000Z"})),
        ("event_msg", asked),
        message("user", "input_text", "Round the totals"),
        message("assistant", "output_text", "They are rounded."),
    ];
    let line = |(kind, payload): &(&str, Value)| {
        let at = "2026-11-15T17:00:00.000Z";
        format!("{}\n", json!({"timestamp": at, "type": kind, "payload": payload}))
    };
    put(&path, records.iter().map(line).collect::<String>());
    path
}

#[test]
fn the_end_of_a_session_does_not_hide_what_its_agent_saved() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let transcript = rollout(&env, &repo);
    let call = env.segue(&["mcp"]).dir(&repo).real_clock().real_randomness();
    let mut client = Client::begin_as(call, "codex-mcp-client", json!({}));
    let saved =
        json!({"title": "Totals", "body": "## Next Steps\n\n1. Ring Ada about half cents.\n"});
    client.done("save", saved);
    client.done("decide", json!({"text": "Half cents are rounded up."}));
    assert_eq!(client.end(), regular());
    for row in env.segue(&["list", "--json"]).dir(&repo).real_clock().ok().lines() {
        assert!(!row.contains("\"session\": null"), "{row}");
    }
    let payload = json!({"session_id": ID, "transcript_path": transcript, "cwd": repo});
    let ends = env.segue(&["hook", "codex", "session-end"]).stdin(payload.to_string());
    assert_eq!(ends.dir(&repo).real_clock().real_randomness().run().code, 0);
    let told = env.segue(&["resume"]).dir(&repo).real_clock().ok();
    assert!(told.contains("Ring Ada about half cents"), "{told}");
}
