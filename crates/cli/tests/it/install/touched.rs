//! Files that somebody changed since: only our entries go, every other byte stays.

use std::fs;

use super::{Home, same};
use crate::ground::put;

const SETTINGS: &str = ".claude/settings.json";

/// Installs into a text, changes it by hand, and takes Segue out again.
fn after(text: &str, by_hand: impl Fn(&str) -> String) -> String {
    let home = Home::new();
    put(&home.path(SETTINGS), text);
    home.done(&["install", "claude", "--hooks"]);
    let ours = home.read(SETTINGS);
    let theirs = by_hand(&ours);
    assert_ne!(ours, theirs, "the change by hand did nothing:\n{ours}");
    put(&home.path(SETTINGS), &theirs);
    home.done(&["uninstall"]);
    let left = home.read(SETTINGS);
    assert!(!left.contains("segue hook"), "{left}");
    left
}

#[test]
fn what_somebody_added_stays() {
    let text = "{\n  \"model\": \"x\" // mine\n}\n";
    let key = |ours: &str| ours.replacen("{\n", "{\n  \"new\": true,\n", 1);
    assert_eq!(after(text, key), "{\n  \"new\": true,\n  \"model\": \"x\" // mine\n}\n");
    let last = |ours: &str| ours.replacen("\n}\n", ",\n  \"new\": [1,2]\n}\n", 1);
    assert_eq!(after(text, last), "{\n  \"model\": \"x\", // mine\n  \"new\": [1,2]\n}\n");
    let comment = |ours: &str| format!("// hello\n{ours}// bye");
    assert_eq!(after(text, comment), format!("// hello\n{text}// bye"));
    let value = |ours: &str| ours.replace("\"x\"", "\"y\"");
    assert_eq!(after(text, value), text.replace("\"x\"", "\"y\""));
    let crlf = |ours: &str| ours.replace('\n', "\r\n");
    assert_eq!(after(text, crlf), text.replace('\n', "\r\n"));
}

#[test]
fn hooks_of_others_in_our_events_and_groups_stay() {
    let text = "{\n  \"model\": \"x\"\n}\n";
    let handler = "{ \"type\": \"command\", \"command\": \"theirs\" }";
    let in_group = |ours: &str| {
        ours.replacen("\"hooks\": [\n", &format!("\"hooks\": [\n          {handler},\n"), 1)
    };
    let left = after(text, in_group);
    assert_eq!(
        left,
        format!(
            "{{\n  \"model\": \"x\",\n  \"hooks\": {{\n    \"SessionStart\": [\n      {{\n        \"hooks\": [\n          {handler}\n        ]\n      }}\n    ]\n  }}\n}}\n"
        )
    );
    let own_group = |ours: &str| {
        ours.replacen(
            "\"Stop\": [\n",
            &format!("\"Stop\": [\n      {{ \"hooks\": [ {handler} ] }},\n"),
            1,
        )
    };
    let left = after(text, own_group);
    assert!(
        left.contains(&format!("\"Stop\": [\n      {{ \"hooks\": [ {handler} ] }}\n    ]")),
        "{left}"
    );
    let matcher = |ours: &str| {
        ours.replacen("\"hooks\": [\n", "\"matcher\": \"startup\",\n        \"hooks\": [\n", 1)
    };
    let left = after(text, matcher);
    assert!(left.contains("\"matcher\": \"startup\""), "{left}");
    let event = |ours: &str| {
        ours.replacen(
            "\"hooks\": {\n",
            &format!("\"hooks\": {{\n    \"Notification\": [{{\"hooks\": [{handler}]}}],\n"),
            1,
        )
    };
    let left = after(text, event);
    assert!(left.contains("\"Notification\"") && !left.contains("SessionStart"), "{left}");
}

#[test]
fn order_and_form_are_whoever_changed_them() {
    let text = "{\"hooks\": {\"Stop\": []}, \"b\": 1}\n";
    // Written anew by another program, in another order and form.
    let anew = |ours: &str| {
        let value: serde_json::Value = serde_json::from_str(ours).unwrap();
        let mut members: Vec<_> = value.as_object().unwrap().clone().into_iter().collect();
        members.reverse();
        let turned: serde_json::Map<_, _> = members.into_iter().collect();
        serde_json::to_string_pretty(&turned).unwrap()
    };
    let left = after(text, anew);
    assert_eq!(left, "{\n  \"b\": 1,\n  \"hooks\": {\n    \"Stop\": []\n  }\n}");
    // What was an empty list before us stays one.
    let moved = |ours: &str| ours.replace("\"b\": 1", "\"b\": 2");
    assert_eq!(after(text, moved), text.replace("\"b\": 1", "\"b\": 2"));
}

#[test]
fn installing_again_into_a_changed_file_keeps_the_change() {
    let home = Home::new();
    put(&home.path(SETTINGS), "{\n  \"a\": 1\n}\n");
    home.done(&["install", "claude", "--hooks"]);
    let changed = home.read(SETTINGS).replacen("\"a\": 1", "\"a\": 2", 1);
    // One of ours is gone, too.
    let changed = changed.replacen("claude-code stop", "claude-code stopped", 1);
    put(&home.path(SETTINGS), &changed);
    home.done(&["install", "claude", "--hooks"]);
    assert!(home.read(SETTINGS).contains("claude-code stop\""));
    home.done(&["uninstall"]);
    assert_eq!(home.read(SETTINGS), "{\n  \"a\": 2\n}\n");
}

#[test]
fn parts_come_and_go_one_by_one() {
    let file = ".gemini/settings.json";
    for text in ["{\"theme\":\"dark\"}", "", "{\n  // c\n  \"mcpServers\": { },\n}\r\n"] {
        for order in [["--hooks", "--mcp"], ["--mcp", "--hooks"]] {
            let home = Home::new();
            put(&home.path(file), text);
            let before = home.tree();
            home.done(&["install", "gemini", "--hooks"]);
            home.done(&["install", "gemini", "--mcp"]);
            home.done(&["uninstall", "gemini", order[0]]);
            let half = home.read(file);
            assert_ne!(half.contains("segue hook"), order[0] == "--hooks", "{half}");
            assert_ne!(half.contains("\"mcp\""), order[0] == "--mcp", "{half}");
            home.done(&["uninstall", "gemini", order[1]]);
            same(&before, &home.tree(), text);
        }
        // With a change in between.
        let home = Home::new();
        put(&home.path(file), "{\n  \"a\": 1\n}\n");
        home.done(&["install", "gemini", "--hooks"]);
        put(&home.path(file), home.read(file).replace("\"a\": 1", "\"a\": 2"));
        home.done(&["install", "gemini", "--mcp"]);
        home.done(&["uninstall", "gemini", "--hooks"]);
        home.done(&["uninstall"]);
        assert_eq!(home.read(file), "{\n  \"a\": 2\n}\n");
    }
}

#[test]
fn a_file_that_segue_made_goes_unless_somebody_added_to_it() {
    let home = Home::new();
    let before = home.tree();
    home.done(&["install", "codex", "copilot", "cursor", "cline", "opencode", "claude"]);
    put(
        &home.path(".cursor/hooks.json"),
        home.read(".cursor/hooks.json").replacen(
            "\"hooks\": {",
            "\"hooks\": {\n    \"afterFileEdit\": [{\"command\": \"fmt\"}],",
            1,
        ),
    );
    put(&home.path(".codex/AGENTS.md"), format!("# Mine\n\n{}", home.read(".codex/AGENTS.md")));
    put(
        &home.path(".codex/config.toml"),
        format!("{}\n[tui]\nx = 1\n", home.read(".codex/config.toml")),
    );
    home.done(&["uninstall"]);
    assert_eq!(
        home.read(".cursor/hooks.json"),
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"afterFileEdit\": [{\"command\": \"fmt\"}]\n  }\n}\n"
    );
    assert_eq!(home.read(".codex/AGENTS.md"), "# Mine\n");
    assert_eq!(home.read(".codex/config.toml"), "\n[tui]\nx = 1\n");
    for dir in [".cursor", ".codex"] {
        fs::remove_dir_all(home.path(dir)).unwrap();
    }
    same(&before, &home.tree(), "all else is gone");
}

#[test]
fn a_skill_that_somebody_changed_is_theirs() {
    let home = Home::new();
    let file = ".claude/skills/segue/SKILL.md";
    home.done(&["install", "claude", "--skill"]);
    put(&home.path(file), home.read(file) + "\nMine.\n");
    let ran = home.done(&["install", "claude", "--skill"]);
    assert!(ran.stderr.contains("somebody changed it"), "{}", ran.stderr);
    let ran = home.done(&["uninstall"]);
    assert!(ran.stderr.contains("somebody changed it"), "{}", ran.stderr);
    assert!(home.read(file).ends_with("Mine.\n"));
    let home = Home::new();
    put(&home.path(file), "---\nname: segue\n---\nAnother's.\n");
    let ran = home.done(&["install", "claude", "--skill"]);
    assert!(ran.stderr.contains("it is not Segue's"), "{}", ran.stderr);
    home.done(&["uninstall"]);
    assert!(home.read(file).ends_with("Another's.\n"));
}

#[test]
fn entries_are_known_without_a_record() {
    let home = Home::new();
    for file in [SETTINGS, ".gemini/settings.json"] {
        put(&home.path(file), "{\n  \"a\": 1\n}\n");
    }
    put(&home.path(".codex/config.toml"), "a = 1\n");
    put(&home.path(".codex/hooks.json"), "{\"description\": \"d\"}");
    put(&home.path(".codex/AGENTS.md"), "# Mine\n");
    let before = home.tree();
    home.done(&["install", "claude", "gemini", "codex"]);
    fs::remove_dir_all(&home.env.home).unwrap();
    home.done(&["uninstall"]);
    for (path, (bytes, _)) in before.iter().filter(|(path, _)| path.is_file()) {
        assert_eq!(
            String::from_utf8_lossy(&fs::read(path).unwrap()),
            String::from_utf8_lossy(bytes)
        );
    }
    let left = home
        .tree()
        .values()
        .any(|(bytes, _)| String::from_utf8_lossy(bytes).contains("segue hook"));
    assert!(!left);
}

#[test]
fn a_program_that_moved_is_found_again_by_installing() {
    let home = Home::new();
    put(&home.path(SETTINGS), "{\n  \"a\": 1\n}\n");
    home.done(&["install", "claude", "--hooks"]);
    let text = home.read(SETTINGS).replace(env!("CARGO_BIN_EXE_segue"), "/old/place/segue");
    put(&home.path(SETTINGS), text);
    let ran = home.done(&["install", "--status"]);
    assert!(ran.stdout.contains("hooks old"), "{}", ran.stdout);
    home.done(&["install", "claude", "--hooks"]);
    assert!(!home.read(SETTINGS).contains("/old/place"));
    home.done(&["uninstall"]);
    assert_eq!(home.read(SETTINGS), "{\n  \"a\": 1\n}\n");
}
