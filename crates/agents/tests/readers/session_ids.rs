//! A session has one id, whether it is looked up by its file, by its id or by its directory.

use std::fs;
use std::path::Path;

use segue_agents::{Places, Transcripts, Where};
use serde_json::{Value, json};

const ID: &str = "9e106e3f-06df-4474-b7c8-499775dcde04";
const DIR: &str = "/work/shop";

/// Each agent whose sessions are files, with such a file below the user's home and its lines.
fn sessions() -> Vec<(&'static str, String, Vec<Value>)> {
    let at = "2026-11-15T17:00:00.000Z";
    let of_claude = |kind: &str| {
        json!({"parentUuid": null, "type": kind, "sessionId": ID, "cwd": DIR, "uuid": "u1", "timestamp": at,
            "isSidechain": false, "message": {"role": "user", "content": "Fix the totals"}})
    };
    let header = json!({"sessionId": ID, "projectHash": "x", "startTime": at, "lastUpdated": at, "kind": "main"});
    let asked = json!({"id": "m1", "timestamp": at, "type": "user", "content": [{"text": "Fix the totals"}]});
    let meta = json!({"id": ID, "cwd": DIR, "timestamp": at});
    let start = json!({"sessionId": ID, "context": {"cwd": DIR}});
    let qwen = json!({"uuid": "u1", "sessionId": ID, "cwd": DIR, "timestamp": at, "type": "user",
        "message": {"role": "user", "parts": [{"text": "Fix the totals"}]}});
    vec![
        ("claude-code", format!(".claude/projects/-work-shop/{ID}.jsonl"), vec![of_claude("user")]),
        (
            "codex",
            format!(".codex/sessions/2026/11/15/rollout-2026-11-15T17-00-00-{ID}.jsonl"),
            vec![json!({"timestamp": at, "type": "session_meta", "payload": meta})],
        ),
        (
            "gemini-cli",
            ".gemini/tmp/shop/chats/session-2026-11-15T17-00-9e106e3f.jsonl".to_owned(),
            vec![header, asked],
        ),
        (
            "copilot-cli",
            format!(".copilot/session-state/{ID}/events.jsonl"),
            vec![json!({"type": "session.start", "timestamp": at, "id": "e1", "data": start})],
        ),
        ("qwen-code", format!(".qwen/projects/-work-shop/chats/{ID}.jsonl"), vec![qwen]),
    ]
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_session_has_one_id_however_it_is_found() {
    for (agent, file, lines) in sessions() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(file);
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        put(&path, &lines);
        put(&home.path().join(".gemini/tmp/shop/.project_root"), DIR);
        let places = Places { home: Some(home.path().to_owned()), vars: |_| None };
        let row = Transcripts::of(agent).unwrap();
        let by_file = row.in_file(&path, Some(ID)).unwrap().unwrap();
        let by_id = row.of_id(&places, ID).unwrap().unwrap();
        let by_dir = row.newest_in(&places, &Where::from(DIR), 9).unwrap();
        assert_eq!((by_file.id.as_str(), by_id.id.as_str()), (ID, ID), "{agent}");
        assert_eq!(by_dir.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), [ID], "{agent}");
        let read = row.read_session(&path, &by_file.id).unwrap().into_session();
        assert_eq!(read.id.as_deref(), Some(ID), "{agent}");
    }
}
