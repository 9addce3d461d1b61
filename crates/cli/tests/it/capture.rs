//! Sessions of agents: found, read, and made into handoffs.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::ground::{TestEnv, file_time, put};

/// A session of Claude Code that ran in a directory.
pub(crate) fn session(env: &TestEnv, cwd: &Path, id: &str, records: &[Value]) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let enc: String = cwd.to_string_lossy().chars().map(plain).collect();
    let path = env.beside(".claude").join("projects").join(enc).join(format!("{id}.jsonl"));
    let text: String = records
        .iter()
        .map(|record| {
            let mut whole = json!({
                "parentUuid": null, "isSidechain": false, "sessionId": id, "gitBranch": "main",
                "version": "2.1.325", "cwd": cwd, "timestamp": "2026-11-15T17:00:00.000Z",
            });
            for (key, value) in record.as_object().unwrap() {
                whole[key] = value.clone();
            }
            format!("{whole}\n")
        })
        .collect();
    put(&path, text);
    path
}

pub(crate) fn user(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

pub(crate) fn assistant(block: &Value) -> Value {
    json!({"type": "assistant", "message": {"id": "m", "role": "assistant", "model": "x", "content": [block]}})
}

pub(crate) fn says(text: &str) -> Value {
    assistant(&json!({"type": "text", "text": text}))
}

pub(crate) fn result(id: &str, text: &str, error: bool) -> Value {
    let block =
        json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": error});
    json!({"type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": {}})
}

/// What an agent did about a basket.
/// A session that was asked for something and edited a file for it.
pub(crate) fn edited(cwd: &Path, what: &str) -> Vec<Value> {
    let edit = json!({"type": "tool_use", "id": "t1", "name": "Edit",
        "input": {"file_path": cwd.join("src/basket.rs"), "old_string": "a", "new_string": "b"}});
    vec![user(what), assistant(&edit), result("t1", "updated", false), says("It is done.")]
}

pub(crate) fn worked(cwd: &Path) -> Vec<Value> {
    let edit = json!({"type": "tool_use", "id": "t1", "name": "Edit",
        "input": {"file_path": cwd.join("src/basket.rs"), "old_string": "a", "new_string": "b"}});
    let test =
        json!({"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "cargo test"}});
    vec![
        user("Fix the totals of the basket. Never touch the schema."),
        assistant(&edit),
        result("t1", "updated", false),
        assistant(&test),
        result("t2", "Exit code 101\ntest basket::adds ... FAILED", true),
        says("The totals are right.\n\nNext, I will mend the test."),
    ]
}

#[test]
fn a_session_becomes_a_handoff() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    session(&env, &repo, "5e55-10", &worked(&repo));
    let snapshot = env.segue(&["snapshot", "--from", "claude"]).dir(&repo);
    let id = snapshot.at("2026-11-15T17:05:00Z").ok_with_talk();
    let text = env.segue(&["show", "--raw", id.trim()]).dir(&repo).ok();
    for said in [
        "title: Fix the totals of the basket. Never touch the schema.",
        "tool: claude-code",
        "session: \"5e55-10\"",
        "- “Never touch the schema.” *(declared #1)*",
        "- **Status: in progress**",
        "- Done for the last request so far: edited `src/basket.rs`; `cargo test` failed\n",
        "- Finish the last request: “Fix the totals of the basket. Never touch the schema.”\n",
        "  > Next, I will mend the test.\n",
        "- Failed with exit code 101: `cargo test` (tests), in `basket::adds`\n",
        "- Next, I will mend the test.\n",
        "- `src/basket.rs`\n",
        "## Observed\n- Branch `main`",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    let briefing = env.segue(&["resume"]).dir(&repo).ok();
    assert!(briefing.contains("Never touch the schema."), "{briefing}");
}

#[test]
fn a_workspace_with_a_handoff_file_is_briefed_from_the_session_too() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    assert_eq!(env.segue(&["init", "--name", "Aria"]).dir(&repo).run().code, 0);
    session(&env, &repo, "5e55-10", &worked(&repo));
    assert_eq!(env.segue(&["snapshot", "--from", "claude"]).dir(&repo).run().code, 0);
    let briefing = env.segue(&["resume"]).dir(&repo).ok();
    for said in
        ["Never touch the schema.", "Next, I will mend the test.", "**Status: in progress**"]
    {
        assert!(briefing.contains(said), "{said}\n{briefing}");
    }
}

#[test]
fn sessions_are_listed_and_extracted() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let below = repo.join("src/deep");
    std::fs::create_dir_all(&below).unwrap();
    let ran = env.segue(&["sessions"]).dir(&repo).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let ran = env.segue(&["extract"]).dir(&repo).run();
    assert_eq!(ran.code, 66, "{}", ran.stderr);
    let path = session(&env, &repo, "5e55-10", &worked(&repo));
    session(&env, env.work.as_path(), "e15e", &[user("Somewhere else")]);
    // Also from a directory below, which is the same repository.
    for dir in [&repo, &below] {
        let listed = env.segue(&["sessions"]).dir(dir).ok();
        assert_eq!(listed.lines().count(), 2, "{listed}");
        assert!(
            listed.contains("claude-code\t5e55-10\t") && listed.contains("\t1\tFix the totals"),
            "{listed}"
        );
    }
    let json: Value =
        serde_json::from_str(&env.segue(&["sessions", "--json"]).dir(&repo).ok()).unwrap();
    assert_eq!(json["sessions"][0]["session"], "5e55-10");
    assert_eq!(json["schema"], 1);
    let path = path.to_str().unwrap();
    for args in [
        &["extract", "--json"][..],
        &["extract", "--json", path],
        &["extract", "--json", "--session", "5e55-10"],
        &["extract", "--json", path, "--session", "5e55-10"],
    ] {
        let facts: Value = serde_json::from_str(&env.segue(args).dir(&repo).ok()).unwrap();
        assert_eq!(facts["agent"], "claude-code");
        assert_eq!(
            facts["prompts"][0]["text"],
            "Fix the totals of the basket. Never touch the schema."
        );
        assert_eq!(facts["commands"][0]["exit"], 101);
        assert_eq!(facts["checks"][0]["failing"][0], "basket::adds");
        assert_eq!(facts["schema"], 1);
    }
    let ran = env.segue(&["extract", path, "--session", "an0ther"]).dir(&repo).run();
    assert_eq!(ran.code, 66, "{}", ran.stderr);
    assert!(ran.stderr.contains("there is no session 'an0ther' in "), "{}", ran.stderr);
    let explained = env.segue(&["extract", path, "--explain"]).dir(&repo).ok();
    assert!(
        explained
            .contains("kept\tStanding Constraints\t#1\tforbids something\tNever touch the schema."),
        "{explained}"
    );
    let json = env.segue(&["extract", path, "--explain", "--json"]).dir(&repo).ok();
    let json: Value = serde_json::from_str(&json).unwrap();
    let steps = json["judgements"].as_array().unwrap().iter();
    assert!(
        steps.clone().any(|one| one["section"] == "Next Steps" && one["kept"] == true),
        "{json}"
    );
    let told = env.segue(&["extract", path]).dir(&repo).ok();
    assert!(told.starts_with("# Fix the totals") && told.contains("## Next Steps"), "{told}");
}

#[test]
fn what_is_no_transcript_is_told_with_a_way_out() {
    let env = TestEnv::new();
    let file = env.work.join("x.jsonl");
    put(&file, "{\"hello\":1}\n");
    let cases: [(&[&str], i32, &str); 7] = [
        (&["extract", "x.jsonl"], 65, "is not a transcript of an agent that is known"),
        (&["extract", "gone.jsonl"], 66, "there is no transcript "),
        (&["snapshot", "--from", "claud"], 66, "one of these agents: claude-code, codex"),
        (&["extract", "--session", "n0-such"], 66, "no agent has a session 'n0-such'"),
        (&["snapshot", "--from", "claude"], 66, "has no session in this directory"),
        (&["snapshot", "--from", "aider"], 64, "the transcripts of 'aider' cannot be read"),
        (&["snapshot", "--session", "n0-such"], 66, "no agent has a session"),
    ];
    for (args, code, said) in cases {
        let ran = env.segue(args).run();
        assert_eq!((ran.code, ran.stderr.contains(said)), (code, true), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
    }
    assert!(env.handoff_files().is_empty());
}

#[test]
fn secrets_are_taken_out_before_anything_is_stored() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let secret = ["Xk9", "vQ2mZ7", "pLr4Tn8", "wB3"].concat();
    let mut records = worked(&repo);
    records.push(user(&format!("The database password is {secret}, always use it.")));
    session(&env, &repo, "5e55-10", &records);
    let ran = env.segue(&["snapshot"]).dir(&repo).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("taken out before it was saved") && ran.stderr.contains("password"),
        "{}",
        ran.stderr
    );
    let body = format!("export API_TOKEN={secret}\n");
    let ran = env.segue(&["save", "--title", "y"]).seed("9").dir(&repo).stdin(body).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let whole = crate::ground::files_below(&env.home);
    let has = |path: &PathBuf| {
        std::fs::read(path).unwrap().windows(secret.len()).any(|bytes| bytes == secret.as_bytes())
    };
    let leaks: Vec<_> = whole.iter().filter(|path| has(path)).collect();
    assert!(leaks.is_empty(), "{leaks:?}");
    let shown = env.segue(&["show", "latest"]).dir(&repo).ok();
    assert!(shown.contains("export API_TOKEN=[redacted: "), "{shown}");
    assert!(!env.segue(&["resume"]).dir(&repo).ok().contains(&secret));
}

#[test]
fn what_others_stored_goes_out_without_secrets() {
    let env = TestEnv::new();
    let secret = ["Xk9", "vQ2mZ7", "pLr4Tn8", "wB3"].concat();
    let id = env.saved(&["--title", "x"]);
    let file = env.handoff_files().remove(0);
    let text = std::fs::read_to_string(&file).unwrap();
    put(&file, format!("{text}\n## Next Steps\n- use API_TOKEN={secret}\n"));
    for args in
        [&["resume"][..], &["render", &id, "--target", "codex"], &["export", &id, "--format", "md"]]
    {
        let ran = env.segue(args).run();
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        assert!(
            !ran.stdout.contains(&secret) && ran.stdout.contains("[redacted: "),
            "{args:?}: {}",
            ran.stdout
        );
    }
}

#[test]
fn the_user_says_what_is_taken_out_and_what_stays() {
    let env = TestEnv::new();
    let config = env.beside(".config").join("segue/config.toml");
    let rules = "[redact]\nallow = ['hunter2-Xk9vQ2mZ7pLr']\n[[redact.rules]]\nname = 'ticket'\nregex = 'TKT-[0-9]+'\n";
    put(&config, rules);
    let body = "password = hunter2-Xk9vQ2mZ7pLr\nsee TKT-4711\n";
    let ran = env.segue(&["save", "--title", "x"]).stdin(body).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let shown = env.segue(&["show", "latest"]).ok();
    assert_eq!(shown, "password = hunter2-Xk9vQ2mZ7pLr\nsee [redacted: ticket]\n");
    // Rules that cannot be read: nothing is stored.
    put(&config, "[redact]\nrules = [{ name = 'x', regex = '(' }]\n");
    let ran = env.segue(&["save", "--title", "y"]).seed("9").stdin("text\n").run();
    assert_eq!((ran.code, env.handoff_files().len()), (65, 1), "{}", ran.stderr);
    assert!(ran.stderr.contains("the rule 'x'") && ran.stderr.contains("hint: "), "{}", ran.stderr);
    assert!(env.segue(&["resume"]).run().code == 0);
}

#[test]
fn where_no_handoff_was_left_the_newest_session_is_told() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let asks = session(&env, &repo, "a5c5", &[user("What did we do yesterday?")]);
    session(&env, &repo, "5e55-10", &worked(&repo));
    // The session that asks is newer, and is not what was left.
    let newer = file_time() + std::time::Duration::from_secs(60);
    std::fs::File::options().append(true).open(asks).unwrap().set_modified(newer).unwrap();
    let agent = [("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "a5c5")];
    let resume = |args: &[&str]| {
        let mut run = env.segue(args).dir(&repo);
        for (name, value) in agent {
            run = run.env(name, value);
        }
        run.ok()
    };
    let briefing = resume(&["resume"]);
    for said in [
        "No handoff was left here yet. Read out of the transcript of the last session by Claude Code",
        "Fix the totals of the basket",
        "Never touch the schema.",
        "Failed with exit code 101: `cargo test` (tests), in `basket::adds`",
        "`segue snapshot` keeps what was read as a handoff.",
    ] {
        assert!(briefing.contains(said), "{said}\n{briefing}");
    }
    assert!(!briefing.contains("yesterday"), "{briefing}");
    let json: Value = serde_json::from_str(&resume(&["resume", "--json"])).unwrap();
    assert_eq!(json["handoff"], Value::Null);
    assert_eq!(json["session"]["session"], "5e55-10");
    // Nothing was saved by telling it.
    assert_eq!(env.segue(&["list"]).dir(&repo).run().stdout, "");
    env.segue(&["save", "--title", "Mine", "--summary", "What I left."]).dir(&repo).ok();
    let briefing = env.segue(&["resume"]).dir(&repo).ok();
    assert!(briefing.contains("**Mine**") && !briefing.contains("transcript"), "{briefing}");
}

#[test]
fn an_agent_that_was_only_opened_does_not_hide_the_session_before() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let opened = session(&env, &repo, "0pen", &[says("Welcome back.")]);
    session(&env, &repo, "5e55-12", &worked(&repo));
    let newer = file_time() + std::time::Duration::from_secs(60);
    std::fs::File::options().append(true).open(opened).unwrap().set_modified(newer).unwrap();
    for from in [&["snapshot"][..], &["snapshot", "--from", "claude-code"]] {
        env.segue(from).dir(&repo).ok_with_talk();
        let shown = env.segue(&["show", "latest"]).dir(&repo).ok();
        assert!(shown.contains("Never touch the schema."), "{from:?} {shown}");
    }
}

#[test]
fn what_the_session_changed_before_its_checks_puts_none_in_doubt() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let file = repo.join("basket.rs");
    put(&file, "fn total() {}\n");
    // The session ended at 2026-11-15T17:00:00Z.
    let written = |seconds| {
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        std::fs::File::options().append(true).open(&file).unwrap().set_modified(at).unwrap();
    };
    session(&env, &repo, "5e55-11", &worked(&repo));
    let doubted = || env.segue(&["resume"]).dir(&repo).ok().contains("since it was checked");
    written(1_794_762_000 - 60);
    assert!(!doubted());
    written(1_794_762_000 + 60);
    assert!(doubted());
}

#[test]
fn a_session_is_told_whole() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let mut records = worked(&repo);
    let token = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    records.push(user(&format!("The token is {token}, keep it.")));
    session(&env, &repo, "5e55-10", &records);
    let told = env.segue(&["show", "--session", "5e55"]).dir(&repo).ok();
    for said in [
        "## User #1",
        "Fix the totals of the basket. Never touch the schema.",
        "$ cargo test (failed, exit 101)\n  test basket::adds ... FAILED",
        "## User #7",
        "[redacted: github token",
    ] {
        assert!(told.contains(said), "{said}\n{told}");
    }
    assert!(!told.contains(&token), "{told}");
    let json = env.segue(&["show", "--json", "--session", "5e55-10"]).dir(&repo).ok();
    assert!(!json.contains(&token));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["story"][0]["kind"], "user");
    assert_eq!(json["story"][2]["outcome"], "failed");
    let ran = env.segue(&["show", "--session", "n0ne"]).dir(&repo).run();
    assert_eq!(ran.code, 66, "{}", ran.stderr);
    assert!(ran.stderr.contains("segue sessions"), "{}", ran.stderr);
    // What is extracted has no secrets either.
    for args in [&["extract"][..], &["extract", "--json"]] {
        let told = env.segue(args).dir(&repo).ok();
        assert!(!told.contains(&token) && told.contains("[redacted: github token"), "{told}");
    }
}

#[test]
fn a_hook_says_which_session_it_is() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let path = session(&env, &repo, "5e55-10", &worked(&repo));
    session(&env, &repo, "0ther", &[user("Something else entirely, later")]);
    for payload in [
        json!({"session_id": "5e55-10", "transcript_path": path, "hook_event_name": "Stop"}),
        json!({"sessionId": "5e55-10", "cwd": repo}),
        json!({"session_id": "5e55-10", "transcript_path": "/gone/x.jsonl"}),
    ] {
        let ran = env.segue(&["snapshot", "--from", "-", "--json"]).dir(&repo);
        let saved: Value =
            serde_json::from_str(&ran.stdin(payload.to_string()).ok_with_talk()).unwrap();
        assert!(saved["document"].as_str().unwrap().contains("Never touch the schema"), "{saved}");
    }
    for (payload, code) in [("", 65), ("[]", 65), ("{}", 65), ("{\"session_id\":\"n0ne\"}", 66)] {
        let ran = env.segue(&["snapshot", "--from", "-"]).dir(&repo).stdin(payload).run();
        assert_eq!(ran.code, code, "{payload}: {}", ran.stderr);
    }
}

#[test]
fn a_session_in_which_nothing_happened_hides_no_other() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    session(&env, &repo, "5e55-10", &worked(&repo));
    let begun = "<command-name>/clear</command-name><command-args></command-args>";
    let empty = session(&env, &repo, "e3b0", &[user(begun)]);
    let newer = file_time() + std::time::Duration::from_secs(60);
    std::fs::File::options().append(true).open(empty).unwrap().set_modified(newer).unwrap();
    // Codex runs this, and has left no transcript.
    let ran = env.segue(&["snapshot", "--stdout"]).dir(&repo);
    let ran = ran.env("CODEX_THREAD_ID", "n0ne").env("CODEX_SESSION_ID", "n0ne").run();
    assert!(ran.stdout.contains("Never touch the schema"), "{}", ran.stdout);
    assert!(ran.stderr.contains("no transcript was found of the session n0ne"), "{}", ran.stderr);
    let saved = env.segue(&["show", "--raw", "latest"]).dir(&repo).ok();
    assert!(saved.contains("\ntool: claude-code\nsession: \"5e55-10\"\n"), "{saved}");
}

#[test]
fn sessions_below_the_repository_are_its_own() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let below = repo.join("web");
    std::fs::create_dir_all(&below).unwrap();
    session(&env, &below, "be10", &[user("Only below, please do it")]);
    let beside = env.work.join("shop-web");
    session(&env, &beside, "be51de", &[user("Something beside it")]);
    let listed = env.segue(&["sessions"]).dir(&repo).ok();
    assert!(listed.contains("be10") && !listed.contains("be51de"), "{listed}");
}

#[cfg(unix)]
#[test]
fn nobody_waits_for_a_pipe() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let path = session(&env, &repo, "5e55-10", &worked(&repo));
    let pipe = path.with_file_name("p1pe.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    assert!(env.segue(&["sessions"]).dir(&repo).ok().contains("5e55-10"));
    let ran = env.segue(&["extract", pipe.to_str().unwrap()]).dir(&repo).run();
    assert_eq!(ran.code, 65, "{}", ran.stderr);
}

#[test]
fn a_key_is_taken_out_before_it_is_cut() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let inside: String =
        (0..12).map(|n| format!("MIIEpAIBAAKCAQEA{n:02}{}\n", "q7Zx".repeat(11))).collect();
    let key = format!(
        "Here it is:\n\n-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{inside}-----END RSA PRIVATE KEY-----\n"
    );
    let mut records = worked(&repo);
    records.push(says(&key));
    let asks = json!({"type": "tool_use", "id": "q", "name": "AskUserQuestion", "input": {}});
    records.push(assistant(&asks));
    let mut answer = result("q", "answered", false);
    answer["toolUseResult"] =
        json!({"answers": {"What is the root password?": "maple-otter-77", "Which port?": "8080"}});
    records.push(answer);
    session(&env, &repo, "5e55-10", &records);
    let id = env.segue(&["snapshot"]).dir(&repo).run().stdout;
    let saved = env.segue(&["show", id.trim()]).dir(&repo).ok();
    assert!(!saved.contains("q7Zx") && saved.contains("[redacted: rsa private key]"), "{saved}");
    assert!(!saved.contains("maple-otter") && saved.contains("8080"), "{saved}");
}
