//! What was chosen and why, on standard error, where somebody asks for it.

use std::path::Path;

use crate::capture::{session, worked};
use crate::ground::TestEnv;
use crate::hook::Hooked;

/// What is logged while a command runs that says the same without the log.
fn logged(env: &TestEnv, dir: &Path, args: &[&str]) -> String {
    let ran = env.segue(args).env("SEGUE_LOG", "info").dir(dir).run();
    assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
    ran.stderr
}

#[test]
fn each_choice_is_a_line_on_standard_error() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let saved = env.segue(&["save", "-v", "--title", "Totals", "--next", "Test them"]).dir(&repo);
    let saved = saved.run();
    assert_eq!(saved.code, 0, "{}", saved.stderr);
    assert!(saved.stderr.contains("info: no project: nothing of this directory is known"));
    assert!(saved.stderr.contains(": made for this directory"), "{}", saved.stderr);
    let id = saved.stdout.trim();
    let quiet = env.segue(&["resume"]).dir(&repo).run();
    assert_eq!(quiet.stderr, "");
    let told = env.segue(&["resume", "--verbose"]).dir(&repo).run();
    assert_eq!(told.stdout, quiet.stdout);
    assert!(told.stderr.contains(": known by its git directory\n"), "{}", told.stderr);
    let why = format!("info: handoff {id}: the newest of this worktree and branch\n");
    assert!(told.stderr.contains(&why), "{}", told.stderr);
}

#[test]
fn what_a_briefing_leaves_out_is_counted_and_named_on_request() {
    let env = TestEnv::new();
    let steps: Vec<String> =
        (0..60).map(|at| format!("- Look at the file number {at}\n")).collect();
    let body = format!("## Next steps\n{}", steps.concat());
    env.segue(&["save", "--title", "Files"]).stdin(body).ok();
    let at = |level: &str| env.segue(&["resume", "--budget", "400"]).env("SEGUE_LOG", level).run();
    let info = at("info").stderr;
    assert!(info.contains("info: left out of the briefing: "), "{info}");
    assert!(!info.contains("number 59"), "{info}");
    let debug = at("debug").stderr;
    assert!(debug.contains("number 59"), "{debug}");
    assert_eq!(at("off").stderr, "");
}

#[test]
fn a_title_cannot_write_a_line_of_the_log() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let title = "x\u{1b}[2J\rinfo: handoff 00000000: forged";
    env.segue(&["save", "--title", title]).dir(&repo).ok();
    env.segue(&["save", "--title", "newer", "--name", "other"]).dir(&repo).ok();
    let told = env.segue(&["resume"]).env("SEGUE_LOG", "debug").dir(&repo).run().stderr;
    assert!(told.contains("debug: passed over: handoff "), "{told}");
    assert!(!told.contains('\u{1b}') && !told.contains('\r'), "{told}");
}

#[test]
fn whoever_takes_a_handoff_says_which_and_why() {
    let env = TestEnv::new();
    let (shop, other) = (env.repo("shop"), env.repo("other"));
    let save = |title: &str| {
        let args = ["save", "--no-stdin", "--title", title, "--name", "basket"];
        env.segue(&args).real_randomness().dir(&shop).ok().trim().to_owned()
    };
    let old = save("Old");
    let id = save("New");
    for args in
        [&["show"][..], &["show", "latest"], &["render"], &["forget", "latest", "--dry-run"]]
    {
        let told = logged(&env, &shop, args);
        assert!(told.contains(&format!("info: handoff {id}: the latest\n")), "{args:?}: {told}");
    }
    let told = logged(&env, &shop, &["show", "--name", "basket"]);
    assert!(told.contains(&format!("info: handoff {id}: the newest of this name\n")), "{told}");
    let told = logged(&env, &shop, &["show", &old]);
    assert!(told.contains(&format!("info: handoff {old}: asked for by its id\n")), "{told}");
    let told = logged(&env, &other, &["edit", &old, "--title", "Older"]);
    let expected = "asked for by its id, of the project 'shop'";
    assert!(told.contains(&format!("info: handoff {old}: {expected}\n")), "{told}");
    let told = logged(&env, &other, &["show"]);
    let expected = "the latest of the store, as nothing is here; of the project 'shop'\n";
    assert!(told.contains(expected), "{told}");
    for (dir, args, expected) in [
        (&shop, &["list"][..], "handoffs of this directory's project\n"),
        (&other, &["list"], "handoffs of all projects: nothing is here\n"),
        (&other, &["list", "--all-projects"], "handoffs of all projects, as asked\n"),
        (&other, &["list", "--project", "shop"], "handoffs of the project 'shop', as asked\n"),
    ] {
        let told = logged(&env, dir, args);
        assert!(told.contains(&format!("info: {expected}")), "{args:?}: {told}");
    }
    assert_eq!(env.segue(&["show", "--raw", &id]).dir(&shop).run().stderr, "");
}

#[test]
fn a_snapshot_says_which_session_it_takes_and_whether_git_was_asked() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let told = logged(&env, &repo, &["snapshot"]);
    assert!(told.contains("info: no session: there is none to take\n"), "{told}");
    assert!(told.contains("info: git: asked for the state of the tree\n"), "{told}");
    let told = logged(&env, &repo, &["snapshot", "--from", "none"]);
    assert!(told.contains("info: no session: as asked\n"), "{told}");
    session(&env, &repo, "5e55-01", &worked(&repo));
    let told = logged(&env, &repo, &["snapshot"]);
    let expected =
        "info: session 5e55-01 of claude-code: the one that goes on here, or the newest here\n";
    assert!(told.contains(expected) && told.contains("info: git: "), "{told}");
}

#[test]
fn a_hook_says_which_draft_becomes_a_handoff() {
    let hooked = Hooked::new();
    hooked.worked("5e55-01");
    let fire = |event: &str, name: &str| {
        let payload = hooked.payload("5e55-01", name, "startup").to_string();
        let hook = hooked.env.segue(&["hook", "claude-code", event]).env("SEGUE_LOG", "info");
        hook.dir(&hooked.repo).stdin(payload).run().stderr
    };
    fire("stop", "Stop");
    let told = fire("session-end", "SessionEnd");
    let expected = ": made of the draft of the session 5e55-01, which says that it ends\n";
    assert!(told.contains("info: handoff ") && told.contains(expected), "{told}");
}
