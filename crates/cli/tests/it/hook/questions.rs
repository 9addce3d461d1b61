//! Hooks that ask an agent for a handoff in its own words, where the user chose that.

use serde_json::{Value, json};

use super::{Hooked, read};
use crate::capture::{assistant, result, user, worked};

/// What an agent says with so many tokens in its context.
fn says_with(tokens: u64, id: &str) -> Value {
    json!({"type": "assistant", "message": {"id": id, "role": "assistant", "model": "claude-opus-4-5",
        "usage": {"input_tokens": 10, "cache_read_input_tokens": tokens - 110, "cache_creation_input_tokens": 90,
            "output_tokens": 10},
        "content": [{"type": "text", "text": "The totals are right."}]}})
}

/// An edit of a file, by this id.
fn edited(hooked: &Hooked, id: &str) -> [Value; 2] {
    let edit = json!({"type": "tool_use", "id": id, "name": "Edit",
        "input": {"file_path": hooked.repo.join("src/more.rs"), "old_string": "a", "new_string": "b"}});
    [assistant(&edit), result(id, "updated", false)]
}

fn install(hooked: &Hooked, args: &[&str]) -> String {
    let args: Vec<&str> = ["install", "claude-code"].iter().chain(args).copied().collect();
    hooked.env.segue(&args).dir(&hooked.repo).run().stderr
}

/// The line that a prompt is answered with.
fn at_prompt(hooked: &Hooked) -> String {
    let said = hooked.claude("5e55-10", "prompt").stdout;
    if said.is_empty() {
        return said;
    }
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
    said["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

#[test]
fn an_agent_whose_context_is_nearly_full_is_asked_once_at_each_threshold() {
    let hooked = Hooked::new();
    install(&hooked, &["--ask-when-full"]);
    let mut records = worked(&hooked.repo);
    let mut filled = |tokens: u64| {
        records.push(says_with(tokens, &tokens.to_string()));
        hooked.session("5e55-10", &records);
        hooked.claude("5e55-10", "stop");
        at_prompt(&hooked)
    };
    assert_eq!(filled(158_000), "");
    let line = filled(164_000);
    assert!(line.starts_with("The context window of this session is 82 % full."), "{line}");
    assert!(line.contains("`segue save") && line.contains("## Rejected Paths"), "{line}");
    assert_eq!(line.lines().count(), 1);
    assert_eq!(filled(164_100), "", "once");
    assert!(filled(181_000).contains("90 % full"));
    assert_eq!(filled(190_000), "");
    // After a summary it is not asked a second time.
    assert_eq!(filled(20_000), "");
    assert_eq!(filled(170_000), "");
    assert!(hooked.log().contains("\tprompt\t") && hooked.log().contains("\tasked\t"));
}

#[test]
fn nobody_is_asked_who_did_not_choose_it() {
    let hooked = Hooked::new();
    let mut records = worked(&hooked.repo);
    records.push(says_with(195_000, "full"));
    hooked.session("5e55-10", &records);
    assert_eq!(hooked.claude("5e55-10", "stop").stdout, "");
    assert_eq!(at_prompt(&hooked), "");
    // A model of which nothing is known is never nearly full.
    install(&hooked, &["--ask-when-full"]);
    records.push(json!({"type": "assistant", "message": {"id": "u", "role": "assistant", "model": "own",
        "usage": {"input_tokens": 195_000, "output_tokens": 5}, "content": [{"type": "text", "text": "Yes."}]}}));
    hooked.session("5e55-10", &records);
    assert_eq!(at_prompt(&hooked), "");
}

#[test]
fn a_session_that_changed_files_is_asked_once_before_it_stops() {
    let hooked = Hooked::new();
    install(&hooked, &["--ask-at-stop"]);
    let mut records = worked(&hooked.repo);
    hooked.session("5e55-10", &records);
    let stop = || hooked.claude("5e55-10", "stop").stdout;
    let said: Value = serde_json::from_str(&stop()).unwrap();
    assert_eq!(said["decision"], "block");
    assert!(said["reason"].as_str().unwrap().contains("run `segue save"), "{said}");
    assert_eq!(said.as_object().unwrap().len(), 2);
    assert_eq!(stop(), "", "once for a state");
    // It edits on: a few edits are no reason to ask again, many are.
    for at in 0..9 {
        records.extend(edited(&hooked, &format!("e{at}")));
    }
    hooked.session("5e55-10", &records);
    assert_eq!(stop(), "");
    records.extend(edited(&hooked, "e9"));
    hooked.session("5e55-10", &records);
    assert!(stop().contains("block"));
    // Whoever has saved is not asked, until something changes again.
    let save = ["save", "--title", "Own", "--tool", "claude-code", "--session", "5e55-10"];
    hooked.env.segue(&save).dir(&hooked.repo).stdin("## Next Steps\n- a\n").ok();
    for at in 10..30 {
        records.extend(edited(&hooked, &format!("e{at}")));
    }
    hooked.session("5e55-10", &records);
    assert_eq!(stop(), "");
    records.push(user("Go on with the discounts"));
    records.extend(edited(&hooked, "e30"));
    hooked.session("5e55-10", &records);
    assert!(stop().contains("block"));
}

#[test]
fn an_agent_that_goes_on_because_of_a_hook_is_never_kept_from_stopping() {
    let hooked = Hooked::new();
    install(&hooked, &["--ask-at-stop"]);
    hooked.worked("5e55-10");
    let mut payload = hooked.payload("5e55-10", "Stop", "");
    payload["stop_hook_active"] = json!(true);
    assert_eq!(hooked.fires("claude-code", "stop", &payload).stdout, "");
    // Nothing changed: nothing to ask for.
    hooked.session("5e55-11", &[user("What does this do?")]);
    assert_eq!(hooked.claude("5e55-11", "stop").stdout, "");
}

#[test]
fn the_choice_is_kept_shown_and_taken_back() {
    let hooked = Hooked::new();
    let segue = |args: &[&str]| hooked.env.segue(args).dir(&hooked.repo).run();
    let settings = hooked.env.beside(".claude").join("settings.json");
    install(&hooked, &[]);
    let plain = read(&settings);
    assert!(!plain.contains("UserPromptSubmit"));
    let said = install(&hooked, &["--ask-when-full", "--ask-at-stop"]);
    assert!(said.contains("--no-ask"), "{said}");
    let asking = read(&settings);
    assert!(asking.contains("UserPromptSubmit") && asking.contains("hook claude-code prompt"));
    // Installing again leaves it as it was chosen.
    install(&hooked, &[]);
    assert_eq!(read(&settings), asking);
    let status = segue(&["install", "--status"]).stdout;
    assert!(status.contains("  asks     when-full, at-stop\n"), "{status}");
    let status: Value =
        serde_json::from_str(&segue(&["install", "--status", "--json"]).stdout).unwrap();
    let of = |agents: &Value| {
        let all = agents.as_array().unwrap().clone();
        all.into_iter().find(|one| one["agent"] == "claude-code").unwrap()
    };
    let claude = of(&status["agents"]);
    assert_eq!(claude["asks"], json!(["when-full", "at-stop"]));
    assert_eq!(claude["parts"][0]["state"], "yes");
    let doctor: Value = serde_json::from_str(&segue(&["doctor", "--json"]).stdout).unwrap();
    assert_eq!(of(&doctor["agents"])["asks"], json!(["when-full", "at-stop"]));
    install(&hooked, &["--no-ask"]);
    assert_eq!(read(&settings), plain);
    install(&hooked, &["--ask-at-stop"]);
    segue(&["uninstall", "claude-code"]);
    let status = segue(&["install", "--status"]).stdout;
    assert!(!status.contains("asks "), "{status}");
    install(&hooked, &[]);
    hooked.worked("5e55-10");
    assert_eq!(hooked.claude("5e55-10", "stop").stdout, "");
}

#[test]
fn what_cannot_be_asked_is_said() {
    let hooked = Hooked::new();
    let said = |args: &[&str]| {
        let ran = hooked.env.segue(args).dir(&hooked.repo).run();
        (ran.code, ran.stderr)
    };
    let (code, told) = said(&["install", "cursor", "--ask-when-full", "--ask-at-stop"]);
    assert_eq!(code, 0);
    assert!(told.contains("Cursor cannot be asked when its context is full"), "{told}");
    assert!(told.contains("Cursor cannot be asked when it stops"), "{told}");
    for args in [
        &["install", "codex", "--ask-at-stop", "--scope", "project"][..],
        &["install", "codex", "--ask-at-stop", "--mcp"],
        &["install", "codex", "--ask-at-stop", "--no-ask"],
        &["install", "--status", "--no-ask"],
    ] {
        assert_eq!(said(args).0, 64, "{args:?}");
    }
}
