//! Data on stdout, talk on stderr, stable JSON, no error for a reader that has gone.

use std::io::Read;
use std::process::Stdio;

use crate::ground::TestEnv;

/// The project's id depends on where the test runs.
fn masked(text: &str, label: &str) -> String {
    let start = format!("{label}-");
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(&start) {
        let (before, after) = rest.split_at(at + start.len());
        out.push_str(before);
        let hex = after.bytes().take_while(u8::is_ascii_hexdigit).count();
        rest = if hex == 8 {
            out.push_str("$HASH");
            &after[8..]
        } else {
            after
        };
    }
    out + rest
}

#[test]
fn bare_segue_prints_a_short_help() {
    let env = TestEnv::new();
    let help = env.segue(&[]).ok();
    assert!(help.lines().count() < 15 && help.contains("segue save"), "{help}");
    assert!(env.segue(&["--version"]).ok().starts_with("segue 0."));
    assert_eq!(env.segue(&["help", "save"]).ok(), env.segue(&["save", "--help"]).ok());
}

#[test]
fn save_prints_the_short_id_alone_and_the_full_one_in_json() {
    let env = TestEnv::new();
    assert_eq!(env.segue(&["save", "--title", "t"]).ok(), "910a2dec\n");
    let json = env.segue(&["save", "--title", "t", "--ttl", "1d", "--json"]).ok();
    insta::assert_snapshot!(masked(&json, "work"), @r#"
    {
      "schema": 1,
      "id": "20261115-174500-beeb8da1",
      "short": "beeb8da1",
      "kind": "handoff",
      "created_at": "2026-11-15T17:45:00.000001Z",
      "project": "work",
      "project_id": "work-$HASH",
      "expires": "2026-11-16T17:45:00Z",
      "path": "$ROOT/home/segue/projects/work-$HASH/layer1/2026-11/t-2026-11-15-beeb8da1.md",
      "warnings": []
    }
    "#);
}

#[test]
fn list_json_has_the_keys_of_the_peer_and_ours() {
    let env = TestEnv::new();
    let repo = env.repo("todo-api");
    env.git(&repo, &["remote", "add", "origin", "https://token@example.org/x/todo-api.git"]);
    let args = [
        "save",
        "--name",
        "state",
        "--title",
        "Refactor",
        "--summary",
        "Half done",
        "--next",
        "a",
        "--next",
        "b",
        "--tags",
        "x,y",
        "--tool",
        "codex",
        "--mode",
        "build",
        "--ttl",
        "14d",
    ];
    env.segue(&args).dir(&repo).ok();
    let json = env.segue(&["list", "--json"]).dir(&repo).ok();
    let json = json.replace(&env.git(&repo, &["rev-parse", "HEAD"]), "$HEAD");
    insta::assert_snapshot!(masked(&json, "todo-api"), @r#"
    [
      {
        "schema": 1,
        "id": "20261115-174500-910a2dec",
        "short": "910a2dec",
        "kind": "handoff",
        "created_at": "2026-11-15T17:45:00.000000Z",
        "tool": "codex",
        "project": "todo-api",
        "project_id": "todo-api-$HASH",
        "name": "state",
        "title": "Refactor",
        "summary": "Half done",
        "next": [
          "a",
          "b"
        ],
        "changed": [],
        "tags": [
          "x",
          "y"
        ],
        "session": null,
        "mode": "build",
        "expires": "2026-11-29T17:45:00Z",
        "archived": false,
        "dir": ".",
        "worktree": "main",
        "branch": "main",
        "head": "$HEAD",
        "remote": "example.org/x/todo-api",
        "parent": null,
        "supersedes": [],
        "aliases": [],
        "imported": null,
        "path": "$ROOT/home/segue/projects/todo-api-$HASH/layer1/2026-11/x-2026-11-15-910a2dec.md"
      }
    ]
    "#);
    assert_eq!(env.segue(&["list", "--json", "--tag", "none"]).dir(&repo).run().stdout, "[]\n");
}

#[test]
fn every_json_object_has_a_schema() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "t"]).ok();
    for args in [
        &["show", "--json"][..],
        &["project", "list", "--json"],
        &["index", "--json"],
        &["doctor", "--json"],
        &["gc", "--json"],
        &["forget", "latest", "--dry-run", "--json"],
    ] {
        let ran = env.segue(args).run();
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        assert!(ran.stdout.starts_with("{\n  \"schema\": 1,"), "{args:?}: {}", ran.stdout);
    }
}

#[test]
fn filters_mean_what_they_say() {
    let env = TestEnv::new();
    env.segue(&[
        "save",
        "--title",
        "Alpha",
        "--tool",
        "codex",
        "--tags",
        "x,y",
        "--summary",
        "ÉTÉ",
    ])
    .at("2026-11-10T00:00:00Z")
    .ok();
    env.segue(&[
        "save",
        "--title",
        "Beta",
        "--tool",
        "claude-code",
        "--tags",
        "y",
        "--next",
        "fix the Parser",
    ])
    .at("2026-11-14T00:00:00Z")
    .ok();
    let titles = |args: &[&str]| -> Vec<String> {
        let all: Vec<&str> = ["list"].iter().chain(args).copied().collect();
        let ran = env.segue(&all).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout.lines().skip(1).map(|line| line.split('\t').nth(3).unwrap().to_owned()).collect()
    };
    assert_eq!(titles(&[]), ["Beta", "Alpha"]);
    assert_eq!(titles(&["--tool", "CODEX"]), ["Alpha"]);
    assert_eq!(titles(&["--tag", "y"]), ["Beta", "Alpha"]);
    assert_eq!(titles(&["--tag", "y", "--tag", "x"]), ["Alpha"]);
    assert_eq!(titles(&["--query", "parser"]), ["Beta"]);
    assert_eq!(titles(&["--query", "été"]), ["Alpha"]);
    assert_eq!(titles(&["--since", "2d"]), ["Beta"]);
    assert_eq!(titles(&["--since", "2026-11-12"]), ["Beta"]);
    assert_eq!(titles(&["--latest"]), ["Beta"]);
    assert_eq!(titles(&["--limit", "1"]), ["Beta"]);
    assert_eq!(titles(&["--id", "20261110"]), ["Alpha"]);
    assert_eq!(titles(&["--query", "100%_nothing"]), Vec::<String>::new());
}

#[test]
fn the_agent_is_taken_from_the_environment() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "t"])
        .env("CLAUDECODE", "1")
        .env("CLAUDE_CODE_SESSION_ID", "abc-123")
        .ok();
    let raw = env.segue(&["show", "--raw"]).ok();
    assert!(raw.contains("tool: claude-code\nsession: abc-123\n"), "{raw}");
    env.segue(&["save", "--title", "t", "--tool", "codex"])
        .env("CLAUDECODE", "1")
        .env("CLAUDE_CODE_SESSION_ID", "abc-123")
        .ok();
    let raw = env.segue(&["show", "--raw"]).ok();
    assert!(raw.contains("tool: codex\n") && !raw.contains("session:"), "{raw}");
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let env = TestEnv::new();
    env.segue(&["save"]).stdin("x".repeat(300_000)).ok();
    let mut show = env.segue(&["show"]);
    let mut child = show
        .command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut some = [0; 10];
    out.read_exact(&mut some).unwrap();
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_output_is_an_error() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "t"]).ok();
    let mut list = env.segue(&["list"]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output =
        list.command.stdin(Stdio::null()).stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"));
}

#[test]
fn completions_for_every_shell() {
    let env = TestEnv::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(env.segue(&["completions", shell]).ok().contains("segue"));
    }
    assert_eq!(
        env.segue(&["completion", "bash", "--no-descriptions"]).ok(),
        env.segue(&["completions", "bash"]).ok()
    );
}

#[test]
fn layers_one_and_two_are_written_by_every_save() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "first"]).ok();
    env.segue(&["save", "--title", "second", "--summary", "sum"])
        .stdin("## Current State\n\nDone.\n")
        .ok();
    let memory = env.handoff_files()[0].ancestors().nth(3).unwrap().to_owned();
    insta::assert_snapshot!(std::fs::read_to_string(memory.join("layer2/current-state.md")).unwrap(), @"
    <!-- segue | layer2 | 2026-11-15 | 20261115-174500-beeb8da1 -->
    # second

    Saved 2026-11-15 17:45 UTC as `beeb8da1`.

    sum

    ## Current State

    Done.
    ");
    assert_eq!(env.handoff_files().len(), 2);
}

#[test]
fn doctor_says_how_everything_is() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "t"]).ok();
    let said = env.segue(&["doctor"]).ok();
    for line in [
        "ok   home         $ROOT/home/segue (from SEGUE_HOME)",
        "ok   store        1 handoffs and 0 archived in 1 projects",
        "ok   index        sound",
        "ok   here         project 'work'",
    ] {
        assert!(said.contains(line), "{said}");
    }
    crate::ground::put(&env.handoff_files()[0].with_file_name("bad-2026-11-15-aaaaaaaa.md"), "x");
    let ran = env.segue(&["doctor"]).run();
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("bad  file"), "{}", ran.stdout);
}
