//! Any text is a patch: it changes only files that it names, and none if it fails.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::json;

fuzz_target!(|input: (&str, bool)| {
    let (patch, in_shell) = input;
    let call = if in_shell {
        let given = json!({"command": ["bash", "-lc", patch]}).to_string();
        json!({"type": "function_call", "call_id": "c", "name": "shell", "arguments": given})
    } else {
        json!({"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": patch})
    };
    for (exit, ends) in [(0, "Success."), (1, "")] {
        let output = format!("Exit code: {exit}\nOutput:\n{ends}");
        let ended = json!({"type": "custom_tool_call_output", "call_id": "c", "output": output});
        let lines = [&call, &ended].map(|item| json!({"type": "response_item", "payload": item}));
        let text = format!("{}\n{}\n", lines[0], lines[1]);
        let session = segue_fuzz::transcript("codex", "rollout.jsonl", text.as_bytes());
        let session = session.expect("lines");
        assert_eq!((session.records, session.damaged), (2, 0));
        assert!(exit == 0 || session.files.is_empty());
        for path in session.files.keys() {
            let last = path.rsplit('/').next().unwrap_or_default();
            assert!(patch.contains(last), "{path:?}");
        }
    }
});
