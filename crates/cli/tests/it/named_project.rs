//! `SEGUE_PROJECT`: the project that a directory is for one process.

use serde_json::json;

use crate::ground::TestEnv;

#[test]
fn every_door_takes_the_directory_for_the_project_that_the_variable_names() {
    let env = TestEnv::new();
    let (shop, build) = (env.repo("shop"), env.repo("build"));
    env.segue(&["save", "--title", "Totals", "--next", "Add the tax"]).dir(&shop).ok();
    let here = |args: &[&str]| env.segue(args).dir(&build).env("SEGUE_PROJECT", "shop");
    assert!(here(&["resume"]).ok().contains("Add the tax"));
    assert!(here(&["list"]).ok().contains("Totals"));
    let payload = json!({"session_id": "5e55-1", "cwd": build, "hook_event_name": "SessionStart",
        "source": "startup"});
    let hook = here(&["hook", "claude-code", "session-start"]).stdin(payload.to_string());
    assert!(hook.ok().contains("Add the tax"));
    let call = |id: u64, tool: &str, arguments: serde_json::Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}})
    };
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(2, "briefing", json!({})),
        call(3, "save", json!({"title": "From the server", "body": "Done."})),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let answers = here(&["mcp"]).stdin(lines).ok();
    assert!(answers.contains("Add the tax"), "{answers}");
    assert!(env.segue(&["list"]).dir(&shop).ok().contains("From the server"));
    let listed = env.segue(&["project", "list"]).dir(&build).ok();
    assert!(!listed.contains("build"), "nothing of the directory was learned: {listed}");
}

#[test]
fn a_name_that_no_project_has_is_said_and_an_explicit_one_comes_first() {
    let env = TestEnv::new();
    let shop = env.repo("shop");
    env.segue(&["save", "--title", "Totals"]).dir(&shop).ok();
    let here = |args: &[&str]| env.segue(args).dir(&shop).env("SEGUE_PROJECT", "night");
    let ran = here(&["resume"]).run();
    assert!(!ran.stdout.contains("Totals"), "{}", ran.stdout);
    assert!(ran.stderr.contains("SEGUE_PROJECT names 'night'"), "{}", ran.stderr);
    assert!(here(&["list", "--project", "."]).ok().contains("Totals"));
    here(&["save", "--title", "By night"]).real_randomness().ok();
    assert!(here(&["list"]).ok().contains("By night"));
    assert!(!env.segue(&["list"]).dir(&shop).ok().contains("By night"));
    let doctor = here(&["doctor"]).run();
    assert!(doctor.stdout.contains("named by SEGUE_PROJECT"), "{}", doctor.stdout);
    let path = env.segue(&["list"]).dir(&shop).env("SEGUE_PROJECT", "../shop").run();
    assert_eq!(path.code, 64, "{}", path.stderr);
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_text_is_refused_and_hooks_say_what_is_wrong_with_a_name() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let env = TestEnv::new();
    let shop = env.repo("shop");
    env.segue(&["save", "--title", "Totals"]).dir(&shop).ok();
    let no_text = OsStr::from_bytes(b"sh\xffop");
    for args in [&["save", "--title", "x"][..], &["resume"], &["list"]] {
        let error = env.segue(args).dir(&shop).env("SEGUE_PROJECT", no_text).fails(64);
        assert!(error.contains("error: SEGUE_PROJECT is not UTF-8\nhint: "), "{error}");
    }
    for (name, why) in [
        (no_text, "a variable of the environment cannot be used"),
        (OsStr::new("../secret-place"), "SEGUE_PROJECT is a path, not a label or an id"),
    ] {
        let payload =
            serde_json::json!({"session_id": "5e55-10", "cwd": shop, "source": "startup"});
        let hook = env.segue(&["hook", "claude-code", "session-start"]).dir(&shop);
        let ran = hook.env("SEGUE_PROJECT", name).stdin(payload.to_string()).run();
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
        let log = std::fs::read_to_string(env.home.join("hooks.log")).unwrap();
        assert!(log.lines().last().unwrap().ends_with(&format!("\tfailed\t{why}")), "{log}");
        assert!(!log.contains("secret-place"), "{log}");
    }
    assert_eq!(env.handoff_files().len(), 1);
}
