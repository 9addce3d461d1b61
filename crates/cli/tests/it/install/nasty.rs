//! Settings files of every kind: after install and uninstall each is what it was, byte for byte.

use std::fs;

use super::{Home, same};
use crate::ground::put;

/// Files that are JSON, and the agents that they are of.
const FILES: [(&str, &str); 6] = [
    ("claude-code", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini-cli", ".gemini/settings.json"),
    ("qwen-code", ".qwen/settings.json"),
    ("copilot-cli", ".copilot/hooks/segue.json"),
    ("cursor", ".cursor/hooks.json"),
];

const OTHERS: [&str; 4] = [
    ".claude.json",
    ".copilot/mcp-config.json",
    ".cursor/mcp.json",
    ".config/opencode/opencode.json",
];

/// Files that can be installed into.
fn nasty() -> Vec<(&'static str, String)> {
    let deep = format!("{{\"deep\": {}1{}}}", "[".repeat(150), "]".repeat(150));
    let lines: String =
        (0..60_000).map(|n| format!("  \"key{n}\": \"{}\",\n", "x".repeat(70))).collect();
    let huge = format!("{{\n{lines}  \"last\": true\n}}\n");
    assert!(huge.len() > 5_000_000);
    let long = format!("{{\"a\":\"{}\"}}", "y".repeat(1_000_000));
    let foreign = r#"{
  "hooks": {
    "SessionStart": [
      { "matcher": "startup", "hooks": [ { "type": "command", "command": "notify start" } ] },
      { "hooks": [ { "type": "command", "command": "a" }, { "type": "command", "command": "b" } ] }
    ],
    "Stop": [ { "hooks": [ { "type": "command", "command": "say segue hook done" } ] } ],
    "stop": [ { "command": "./stop.sh" } ],
    "sessionStart": [ { "command": "./my-segue hook" } ],
    "PreToolUse": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "guard" } ] } ]
  },
  "mcpServers": { "other": { "command": "other", "args": ["mcp"] } },
  "mcp": { "x": { "type": "local", "command": ["x"] } }
}
"#;
    let mut all: Vec<(&'static str, String)> = [
        ("empty", ""),
        ("space", " \n\t\n"),
        ("only a comment", "// settings come here\n"),
        ("braces", "{}"),
        ("braces and a line end", "{}\n"),
        ("braces over lines", "{\n\n}\n"),
        ("braces with spaces", "{   }"),
        ("braces around a comment", "{\n  // nothing yet\n}\n"),
        ("one line", "{\"model\":\"x\",\"n\":1}"),
        ("one wide line", "{ \"model\": \"x\", \"n\": 1 }\n"),
        ("two spaces", "{\n  \"model\": \"x\"\n}\n"),
        ("four spaces", "{\n    \"model\": \"x\",\n    \"env\": {\n        \"A\": \"1\"\n    }\n}\n"),
        ("tabs", "{\n\t\"model\": \"x\",\n\t\"list\": [\n\t\t1\n\t]\n}\n"),
        ("no indentation", "{\n\"model\": \"x\"\n}\n"),
        ("crlf", "{\r\n  \"model\": \"x\",\r\n  \"hooks\": {\r\n  }\r\n}\r\n"),
        ("both line ends", "{\r\n  \"a\": 1,\n  \"b\": 2\r\n}\n"),
        ("bom", "\u{feff}{\n  \"model\": \"x\"\n}\n"),
        ("bom alone", "\u{feff}"),
        ("no last line end", "{\n  \"model\": \"x\"\n}"),
        ("many last line ends", "{\n  \"model\": \"x\"\n}\n\n\n"),
        ("trailing commas", "{\n  \"a\": [1, 2,],\n  \"hooks\": {},\n  \"mcpServers\": {\n  },\n}\n"),
        (
            "comments everywhere",
            "// top\n/* and */ {\n  // before\n  \"a\": /* in */ 1, // behind\n  /* alone */\n  \"hooks\": { // open\n    // nothing\n  } // closed\n  // end\n}\n// bottom",
        ),
        ("a comment behind the last", "{\n  \"a\": 1 // one\n  // \"b\": 2\n}\n"),
        ("duplicate keys", "{\"hooks\": {}, \"a\": 1, \"a\": 2, \"hooks\": {\"Stop\": []}}"),
        ("escaped keys", "{\n  \"h\\u006fo\\u006bs\": {\"St\\u006fp\": []},\n  \"\\u00e9\": \"\\ud83d\\ude00\"\n}\n"),
        ("other writing", "{\"日本語\": \"значение\", \"emoji\": \"🎼\"}\n"),
        ("foreign hooks", foreign),
        ("empty lists of events", "{\"hooks\": {\"Stop\": [ ], \"SessionStart\": [\n]}}\n"),
        ("strings like comments", "{\"url\": \"https://x/*y*/\", \"b\": \"// no\", \"c\": \"}\"}\n"),
        ("numbers", "{\"a\": -0.5e+10, \"b\": 123456789012345678901234567890, \"c\": null}\n"),
        ("everything at the end of lines", "{ \"a\": {\n    \"b\": 1 }, \"hooks\": {\n    \"Stop\": [\n    ] } }\n"),
        ("version of its own", "{\"version\": 1}\n"),
        ("disabled", "{\n  \"disableAllHooks\": true,\n  \"hooks\": {\"Notification\": [{\"hooks\": [{\"type\": \"http\", \"url\": \"https://x\"}]}]}\n}\n"),
        ("a server with another name", "{\"mcpServers\": {\"segue2\": {\"command\": \"segue\", \"args\": [\"mcp\"]}}}\n"),
    ]
    .into_iter()
    .map(|(name, text)| (name, text.to_owned()))
    .collect();
    all.extend([("deep", deep), ("huge", huge), ("one long line", long)]);
    all
}

#[test]
fn every_kind_of_file_comes_back_byte_for_byte() {
    let files = nasty();
    assert!(files.len() >= 30);
    let words = ["claude", "codex", "gemini", "qwen", "copilot", "cursor", "opencode"];
    let agents = [&words[..], &["--hooks", "--mcp"]].concat();
    for (name, text) in files {
        let home = Home::new();
        // What is large takes its time: once is enough.
        let some = if text.len() > 100_000 { 1 } else { FILES.len() + OTHERS.len() };
        for file in FILES.iter().map(|(_, file)| file).chain(&OTHERS).take(some) {
            put(&home.path(file), &text);
        }
        let before = home.tree();
        home.done(&[&["install"], &agents[..]].concat());
        let once = home.tree();
        for (agent, file) in FILES {
            let now = home.read(file);
            assert!(now.contains(&format!("hook {agent} session-start")), "{name}: {file}\n{now}");
        }
        let again = home.done(&[&["install"], &agents[..]].concat());
        same(&once, &home.tree(), name);
        assert!(!again.stdout.contains(['~', '+', '!']), "{name}: {}", again.stdout);
        home.done(&["uninstall"]);
        same(&before, &home.tree(), name);
        assert_eq!(home.run(&["uninstall"]).stdout, "");
    }
}

#[test]
fn what_cannot_be_read_is_left_alone_with_its_line() {
    let wrong = [
        ("{\n  \"a\": 1\n  \"b\": 2\n}\n", "line 3, column 3: a comma is missing"),
        ("{\n  \"a\": \n", "line 3, column 1: it ends too early"),
        ("null\n", "line 1, column 1: it is not an object"),
        ("[]", "line 1, column 1: it is not an object"),
        ("{\n  \"hooks\": [1]\n}", "line 2, column 12: 'hooks' is not an object"),
        ("{\"hooks\": {\"SessionStart\": {}}}", "'hooks.SessionStart' is not a list"),
        ("{ model: 1 }", "line 1, column 3: a key in double quotes"),
        ("\u{1}", "line 1, column 1"),
    ];
    for (text, why) in wrong {
        let home = Home::new();
        put(&home.path(".claude/settings.json"), text);
        put(&home.path(".gemini/settings.json"), "{}\n");
        let ran = home.run(&["install", "claude", "gemini", "--hooks"]);
        assert_eq!(ran.code, 1, "{text}: {}", ran.stdout);
        assert!(ran.stderr.contains(why), "{text}: {}", ran.stderr);
        assert!(ran.stderr.contains(".claude/settings.json"), "{}", ran.stderr);
        assert_eq!(home.read(".claude/settings.json"), text);
        assert!(home.read(".gemini/settings.json").contains("segue hook"), "the others are done");
        home.done(&["uninstall"]);
        assert_eq!(home.read(".claude/settings.json"), text);
        assert_eq!(home.read(".gemini/settings.json"), "{}\n");
    }
    let home = Home::new();
    put(&home.path(".codex/config.toml"), "a = 1\nb = \n");
    put(&home.path(".codex/AGENTS.md"), b"caf\xe9\n");
    let ran = home.run(&["install", "codex"]);
    assert!(
        ran.code == 1 && ran.stderr.contains("config.toml is left alone: line 2"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("AGENTS.md is left alone: line 1: it is not UTF-8"),
        "{}",
        ran.stderr
    );
    assert_eq!(fs::read(home.path(".codex/AGENTS.md")).unwrap(), b"caf\xe9\n");
}

#[test]
fn toml_and_markdown_come_back_too() {
    for (toml, markdown) in [
        ("", ""),
        ("# mine\nmodel = \"gpt\"\n", "# Rules\n\nBe kind.\n"),
        ("model = \"gpt\"", "no last line end"),
        ("\r\n[mcp_servers.x]\r\ncommand = \"x\"\r\n# end\r\n", "# Rules\r\n\r\nBe kind.\r\n"),
        ("[mcp_servers]\n[mcp_servers.x] # c\ncommand='y'\n\n\n", "\u{feff}# Rules\n\n\n"),
        (
            "[hooks.state.\"k\"]\ntrusted_hash = \"h\"\n",
            "<!-- segue:begin -->\nx\n<!-- segue:end -->\n",
        ),
    ] {
        let home = Home::new();
        put(&home.path(".codex/config.toml"), toml);
        for file in [".codex/AGENTS.md", ".claude/CLAUDE.md", ".gemini/GEMINI.md"] {
            put(&home.path(file), markdown);
        }
        let before = home.tree();
        home.done(&["install", "codex", "claude", "gemini"]);
        let once = home.tree();
        assert!(home.read(".codex/config.toml").contains("[mcp_servers.segue]"));
        assert!(home.read(".gemini/GEMINI.md").contains("segue save"));
        home.done(&["install", "codex", "claude", "gemini"]);
        same(&once, &home.tree(), toml);
        home.done(&["uninstall"]);
        same(&before, &home.tree(), toml);
    }
}

#[test]
fn yaml_comes_back_or_is_left_alone() {
    let file = ".config/goose/config.yaml";
    for text in [
        "",
        "GOOSE_MODEL: x",
        "# c\r\nextensions:\r\n  developer:\r\n    enabled: true # d\r\n\r\nGOOSE_MODE: auto\r\n",
        "extensions:\n    x:\n        cmd: not-segue\n        args:\n        - mcp\n",
    ] {
        let home = Home::new();
        put(&home.path(file), text);
        let before = home.tree();
        home.done(&["install", "goose"]);
        assert!(home.read(file).contains("args: [mcp]"), "{}", home.read(file));
        let once = home.tree();
        home.done(&["install", "goose"]);
        same(&once, &home.tree(), text);
        let now = home.read(file);
        home.done(&["uninstall"]);
        same(&before, &home.tree(), text);
        put(&home.path(file), format!("{now}\nmore: 1\n"));
        home.done(&["uninstall"]);
        let left = home.read(file);
        assert!(left.starts_with(text.trim_end()) && left.ends_with("\nmore: 1\n"), "{left}");
        assert!(!left.contains("args: [mcp]"), "{left}");
    }
    let home = Home::new();
    put(&home.path(file), "a: 1\nextensions: {x: {}}\n");
    let ran = home.run(&["install", "goose"]);
    assert!(
        ran.code == 1
            && ran.stderr.contains("line 2, column 1: 'extensions' is written on one line")
    );
    assert_eq!(home.read(file), "a: 1\nextensions: {x: {}}\n");
}

#[test]
fn links_are_followed_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = Home::new();
    put(&home.path("dotfiles/claude.json"), "{\n  \"a\": 1\n}\n");
    put(&home.path("dotfiles/gemini/settings.json"), "{}");
    let mode = fs::Permissions::from_mode(0o640);
    fs::set_permissions(home.path("dotfiles/claude.json"), mode).unwrap();
    fs::create_dir(home.path(".claude")).unwrap();
    symlink(home.path("dotfiles/claude.json"), home.path(".claude/settings.json")).unwrap();
    symlink("dotfiles/gemini", home.path(".gemini")).unwrap();
    let before = home.tree();
    home.done(&["install", "claude", "gemini", "--hooks"]);
    assert!(home.path(".claude/settings.json").is_symlink());
    assert!(home.read("dotfiles/claude.json").contains("segue hook"));
    assert!(home.read("dotfiles/gemini/settings.json").contains("segue hook"));
    let meta = fs::metadata(home.path("dotfiles/claude.json")).unwrap();
    assert_eq!(meta.permissions().mode() & 0o777, 0o640);
    home.done(&["uninstall"]);
    same(&before, &home.tree(), "links");
    symlink("nowhere", home.path(".claude.json")).unwrap();
    let ran = home.run(&["install", "claude", "--mcp"]);
    assert!(ran.code == 1 && ran.stderr.contains("a link to something that is not there"));
    assert!(home.path(".claude.json").is_symlink());
}

#[test]
fn what_may_not_be_written_is_left_alone_and_said() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    put(&home.path(".claude/settings.json"), "{}");
    let locked = fs::Permissions::from_mode(0o444);
    fs::set_permissions(home.path(".claude/settings.json"), locked).unwrap();
    put(&home.path(".codex"), "a file, where a directory is expected");
    fs::create_dir_all(home.path(".qwen/settings.json")).unwrap();
    let before = home.tree();
    let agents = ["claude", "codex", "qwen", "--hooks"];
    for dry in [&["--dry-run"][..], &[]] {
        let ran = home.run(&[&["install"], &agents[..], dry].concat());
        assert_eq!(ran.code, 1);
        assert!(
            ran.stderr.contains(".claude/settings.json is left alone: it is read-only"),
            "{}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains(".qwen/settings.json is left alone: it is not a regular file"),
            "{}",
            ran.stderr
        );
        assert!(
            !dry.is_empty() || ran.stderr.contains(".codex/hooks.json is left alone"),
            "{}",
            ran.stderr
        );
        same(&before, &home.tree(), "nothing was written");
    }
    assert_eq!(home.done(&["uninstall"]).stdout, "");
}

#[test]
fn a_directory_that_cannot_be_written_to_is_no_obstacle_for_others() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    put(&home.path(".claude/settings.json"), "{}");
    put(&home.path(".gemini/settings.json"), "{}");
    let dir = home.path(".claude");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o555)).unwrap();
    // Nothing keeps root from writing.
    if fs::File::create(dir.join("probe")).is_ok() {
        fs::remove_file(dir.join("probe")).unwrap();
        return;
    }
    let ran = home.run(&["install", "claude", "gemini", "--hooks"]);
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(ran.code, 1);
    assert_eq!(home.read(".claude/settings.json"), "{}");
    assert!(home.read(".gemini/settings.json").contains("segue hook"));
}
