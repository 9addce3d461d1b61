//! What agents are answered, each in its dialect.

use serde_json::{Value, json};

use super::Hooked;
use crate::capture::{says, user};
use crate::ground::put;

#[test]
fn every_agent_is_answered_in_its_dialect() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "session-end");
    let payload = json!({"session_id": "n-1", "cwd": hooked.repo, "source": "startup"});
    let told = |agent: &str, event: &str| -> Value {
        let mut payload = payload.clone();
        // Some of these words mean the same agent, and a session begins once.
        if event == "session-start" {
            payload["session_id"] = json!(format!("n-{agent}"));
        }
        serde_json::from_str(&hooked.fires(agent, event, &payload).stdout).unwrap()
    };
    for agent in ["claude-code", "claude", "codex", "gemini-cli", "gemini", "qwen-code", "droid"] {
        let said = told(agent, "session-start");
        let keys: Vec<&String> = said.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["hookSpecificOutput"], "{agent}");
        let said = &said["hookSpecificOutput"];
        assert_eq!(said.as_object().unwrap().len(), 2);
        assert_eq!(said["hookEventName"], "SessionStart");
        assert!(said["additionalContext"].as_str().unwrap().contains("Never touch the schema."));
    }
    for (agent, key) in [
        ("copilot-cli", "additionalContext"),
        ("opencode", "additionalContext"),
        ("cursor", "additional_context"),
    ] {
        let said = told(agent, "session-start");
        assert_eq!(said.as_object().unwrap().len(), 1, "{agent}");
        assert!(said[key].as_str().unwrap().contains("Never touch the schema."), "{agent}");
    }
    // Cline takes nothing at the start, so that the first use of a tool brings it, and only that.
    let said = told("cline", "prompt");
    assert_eq!(said["cancel"], false);
    assert!(said["contextModification"].as_str().unwrap().contains("Never touch the schema."));
    assert_eq!(hooked.fires("cline", "PreToolUse", &payload).stdout, "");
    let task = json!({"taskId": "t-1", "workspaceRoots": [hooked.repo], "hookName": "tool_call"});
    assert!(hooked.fires("cline", "prompt", &task).stdout.contains("Never touch the schema."));
    assert_eq!(hooked.fires("cline", "prompt", &task).stdout, "");
    // Where nobody listens nothing is said.
    for (agent, event) in [
        ("claude-code", "stop"),
        ("codex", "pre-compact"),
        ("gemini-cli", "PreCompress"),
        ("cursor", "pre-compact"),
        ("copilot-cli", "agentStop"),
        ("qwen-code", "session-end"),
        ("codex", "prompt"),
    ] {
        assert_eq!(hooked.fires(agent, event, &payload).stdout, "", "{agent} {event}");
    }
}

#[test]
fn an_agent_that_was_started_with_the_briefing_does_not_get_it_again() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "session-end");
    let told_of = |agent: &str, source: &str| {
        let payload = hooked.payload("5e55-11", "SessionStart", source).to_string();
        let hook = hooked.env.segue(&["hook", "claude-code", "session-start"]);
        hook.env("SEGUE_CONTINUED", agent).stdin(payload).ok()
    };
    let told = |source: &str| told_of("claude-code", source);
    assert_eq!(told("startup"), "");
    assert!(told_of("codex", "startup").contains("Never touch the schema."), "started by that one");
    assert!(told("clear").contains("Never touch the schema."), "then it was cleared");
}

#[test]
fn where_nothing_was_left_nothing_is_said() {
    let hooked = Hooked::new();
    assert_eq!(hooked.told("5e55-10", "startup"), None);
    assert_eq!(hooked.told("5e55-10", "clear"), None);
    assert_eq!(hooked.told("5e55-10", "resume"), None);
    assert_eq!(hooked.told("5e55-10", "compact"), None);
}

#[test]
fn a_session_that_was_summed_up_gets_back_what_was_dropped() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    let before = hooked.claude("5e55-10", "pre-compact").stdout;
    assert!(before.contains("word for word") && before.contains("Never touch the schema."));
    assert_eq!(hooked.env.handoff_files().len(), 1, "it is kept before");
    let told = hooked.told("5e55-10", "compact").unwrap();
    for said in [
        "# What the summary may have dropped",
        "Never touch the schema.",
        "Failed with exit code 101: `cargo test` (tests), in `basket::adds`",
        "`src/basket.rs`",
        "Next, I will mend the test.",
    ] {
        assert!(told.contains(said), "{said}\n{told}");
    }
}

#[test]
fn agents_that_do_not_say_so_get_it_back_with_the_next_prompt() {
    let hooked = Hooked::new();
    let path = hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    let prompt = || hooked.claude("5e55-10", "prompt").stdout;
    assert_eq!(prompt(), "");
    let mut text = super::read(&path);
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "sessionId": "5e55-10",
        "content": "Conversation compacted", "compactMetadata": {"trigger": "auto", "preTokens": 9},
        "cwd": hooked.repo, "timestamp": "2026-11-15T17:01:00.000Z", "uuid": "c"});
    text.push_str(&format!("{boundary}\n"));
    put(&path, text);
    let told = prompt();
    assert!(told.contains("Never touch the schema."), "{told}");
    assert!(told.contains("\"hookEventName\":\"UserPromptSubmit\""), "{told}");
    assert_eq!(prompt(), "", "once is enough");
}

#[test]
fn a_session_that_goes_on_hears_only_what_changed() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    assert_eq!(hooked.told("5e55-10", "resume"), None);
    put(&hooked.repo.join("b.txt"), "b");
    hooked.env.git(&hooked.repo, &["add", "."]);
    hooked.env.git(&hooked.repo, &["commit", "-qm", "another one's work"]);
    let save = ["save", "--title", "Meanwhile", "--summary", "x"];
    hooked.env.segue(&save).dir(&hooked.repo).ok();
    let told = hooked.told("5e55-10", "resume").unwrap();
    for said in ["# Since this session stopped", "another one's work", "Meanwhile"] {
        assert!(told.contains(said), "{said}\n{told}");
    }
    assert!(!told.contains("Never touch the schema."), "{told}");
}

#[test]
fn after_a_clean_slate_it_is_said_in_short() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "session-end");
    let told = hooked.told("5e55-11", "clear").unwrap();
    assert!(told.starts_with("The conversation was cleared."), "{told}");
    assert!(told.contains("Never touch the schema."), "{told}");
}

#[test]
fn an_answer_is_never_longer_than_the_agent_passes_on() {
    let hooked = Hooked::new();
    let mut records = Vec::new();
    for n in 0..300 {
        records
            .push(user(&format!("Never touch file number {n} ({})", "wide ünïcode ".repeat(20))));
        records.push(says("I will not."));
    }
    hooked.session("5e55-10", &records);
    for (id, source) in [("5e55-11", "startup"), ("5e55-10", "compact"), ("5e55-12", "clear")] {
        let told = hooked.told(id, source).unwrap_or_else(|| panic!("{source}: {}", hooked.log()));
        assert!(told.len() <= 9_500, "{source}: {}", told.len());
        assert!(told.contains("Never touch file number"), "{source}\n{told}");
    }
}

#[test]
fn an_agent_that_runs_the_hooks_of_another_is_known() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "session-end");
    let of = |id: &str| {
        json!({"session_id": id, "conversation_id": id, "cursor_version": "3.11",
        "workspace_roots": [hooked.repo], "cwd": hooked.repo, "hook_event_name": "sessionStart"})
    };
    let said = || hooked.fires("claude-code", "session-start", &of("c-1")).stdout;
    assert!(said().contains("Never touch the schema."), "it has none of its own");
    let own = r#"{"version":1,"hooks":{"sessionStart":[{"command":"/opt/segue hook cursor session-start"}]}}"#;
    put(&hooked.env.beside(".cursor/hooks.json"), own);
    assert_eq!(said(), "", "its own answers");
    let own = hooked.fires("cursor", "session-start", &of("c-2")).stdout;
    assert!(own.starts_with("{\"additional_context\":"), "{own}");
    // A turn of Cursor is not one of Claude Code.
    hooked.fires("claude-code", "stop", &of("c-2"));
    assert_eq!(hooked.drafts().len(), 0);
}
