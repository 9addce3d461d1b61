//! Sessions of Codex, whose files are called otherwise than the sessions.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Hooked, read};
use crate::ground::put;

const ID: &str = "019a8e6f-0000-7000-8000-000000000001";

/// A session in the making.
struct Rollout<'h> {
    hooked: &'h Hooked,
    path: PathBuf,
    text: String,
}

impl<'h> Rollout<'h> {
    fn new(hooked: &'h Hooked) -> Self {
        let dir = hooked.env.beside(".codex/sessions/2026/11/15");
        let path = dir.join(format!("rollout-2026-11-15T17-00-00-{ID}.jsonl"));
        let mut rollout = Self { hooked, path, text: String::new() };
        let meta = json!({"id": ID, "cwd": hooked.repo, "timestamp": "2026-11-15T17:00:00.000Z"});
        rollout.add("session_meta", &meta);
        rollout.add("event_msg", &json!({"type": "user_message", "message": "Fix the totals"}));
        for (role, kind, text) in [
            ("user", "input_text", "Fix the totals"),
            ("assistant", "output_text", "They are right."),
        ] {
            let content = json!([{"type": kind, "text": text}]);
            let message = json!({"type": "message", "role": role, "content": content});
            rollout.add("response_item", &message);
        }
        rollout
    }

    fn add(&mut self, kind: &str, payload: &Value) {
        let line =
            json!({"timestamp": "2026-11-15T17:00:00.000Z", "type": kind, "payload": payload});
        self.text.push_str(&format!("{line}\n"));
        put(&self.path, &self.text);
    }

    fn fires(&self, event: &str) -> String {
        let payload = json!({"session_id": ID, "transcript_path": self.path,
            "cwd": self.hooked.repo, "source": "startup"});
        self.hooked.fires("codex", event, &payload).stdout
    }
}

#[test]
fn codex_says_itself_how_large_its_window_is() {
    let hooked = Hooked::new();
    hooked.env.segue(&["install", "codex", "--ask-when-full"]).dir(&hooked.repo).run();
    let mut rollout = Rollout::new(&hooked);
    let mut filled = |input: u64| {
        let usage =
            json!({"input_tokens": input, "output_tokens": 100, "total_tokens": input + 100});
        let info = json!({"total_token_usage": usage, "last_token_usage": usage,
            "model_context_window": 258_400});
        rollout.add("event_msg", &json!({"type": "token_count", "info": info}));
        rollout.fires("stop");
        rollout.fires("prompt")
    };
    assert_eq!(filled(200_000), "");
    assert!(filled(220_000).contains("85 % full"));
    assert_eq!(filled(221_000), "");
    assert!(filled(240_000).contains("92 % full"));
}

#[test]
fn what_a_session_was_briefed_with_holds_in_what_it_leaves() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "session-end");
    let rollout = Rollout::new(&hooked);
    std::fs::remove_file(&rollout.path).unwrap();
    assert!(rollout.fires("session-start").contains("Never touch the schema."));
    put(&rollout.path, &rollout.text);
    rollout.fires("stop");
    let draft = read(&hooked.drafts()[0]);
    assert!(draft.contains("parent: ") && draft.contains("Never touch the schema."), "{draft}");
}

#[test]
fn a_hook_uses_the_store_that_its_line_names() {
    let hooked = Hooked::new();
    let save = hooked.env.segue(&["save", "--title", "Totals"]).dir(&hooked.repo);
    save.stdin("The totals are right.\n").ok();
    let payload = json!({"session_id": ID, "cwd": hooked.repo, "source": "startup"}).to_string();
    let (home, other) = (&hooked.env.home, hooked.env.beside("other"));
    let line = ["hook", "codex", "session-start", "--home", home.to_str().unwrap()];
    // A daemon has the variables of the shell that it was started from.
    let told = |args: &[&str]| {
        let hook = hooked.env.segue(args).env("SEGUE_HOME", other.to_str().unwrap());
        hook.stdin(payload.clone()).ok()
    };
    assert_eq!(told(&line[..3]), "");
    assert!(told(&line).contains("The totals are right."));
}
