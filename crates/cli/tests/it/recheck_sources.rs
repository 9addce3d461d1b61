//! Whose commands `resume --recheck` runs again: those that were written down on this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::capture::{assistant, result, session, user};
use crate::ground::{TestEnv, put};

const FROM_FILE: &str = "not run: it comes from HANDOFF.md of the work tree";

fn check(mark: &Path) -> String {
    format!("## Checks\n- `touch {}` exit 0\n", mark.display())
}

fn rechecked(env: &TestEnv, dir: &Path, args: &[&str]) -> String {
    let all: Vec<&str> = ["resume", "--recheck", "--yes"].iter().chain(args).copied().collect();
    env.segue(&all).dir(dir).run().stdout
}

fn assert_not_run(briefing: &str, mark: &Path, why: &str) {
    let name = mark.file_name().unwrap().to_string_lossy();
    let told = format!("- `touch $ROOT/{name}`: {why}\n");
    assert!(briefing.contains(&told), "{told}: {briefing}");
    assert_eq!(briefing.matches(&format!("/{name}`")).count(), 1, "told once: {briefing}");
    assert!(!mark.exists());
}

#[test]
fn commands_in_handoff_md_are_told_and_not_run() {
    let env = TestEnv::new();
    let (theirs, own) = (env.beside("theirs"), env.beside("own"));
    put(&env.work.join("HANDOFF.md"), format!("# HANDOFF.md\n\n{}", check(&theirs)));
    let briefing = rechecked(&env, &env.work, &[]);
    assert_not_run(&briefing, &theirs, FROM_FILE);
    env.segue(&["save", "--title", "Own"]).stdin(check(&own)).run();
    let briefing = rechecked(&env, &env.work, &[]);
    assert_not_run(&briefing, &theirs, FROM_FILE);
    assert!(briefing.contains("`touch $ROOT/own`: holds (exit 0)"), "{briefing}");
    assert!(own.exists());
}

#[test]
fn commands_in_a_snapshot_that_quotes_handoff_md_are_not_run() {
    let env = TestEnv::new();
    let repo = env.repo("clone");
    let mark = env.beside("mark");
    put(&repo.join("HANDOFF.md"), format!("# HANDOFF.md\n\n{}", check(&mark)));
    assert_eq!(env.segue(&["snapshot"]).dir(&repo).run().code, 0);
    assert_not_run(&rechecked(&env, &repo, &[]), &mark, FROM_FILE);
    // Also where the file is gone, and where a session was captured beside it.
    fs::remove_file(repo.join("HANDOFF.md")).unwrap();
    assert_not_run(&rechecked(&env, &repo, &[]), &mark, FROM_FILE);
    session(&env, &repo, "5e55-10", &[user("Look at it, please.")]);
    put(&repo.join("HANDOFF.md"), check(&mark));
    let ran = env.segue(&["snapshot", "--from", "claude-code"]).real_clock().dir(&repo).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    fs::remove_file(repo.join("HANDOFF.md")).unwrap();
    assert_not_run(&rechecked(&env, &repo, &["--id", "latest"]), &mark, FROM_FILE);
    // A successor says the same words.
    let ran = env.segue(&["edit", "latest", "--title", "Mine"]).real_clock().dir(&repo).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_not_run(&rechecked(&env, &repo, &["--id", "latest"]), &mark, FROM_FILE);
}

#[test]
fn commands_between_the_marks_of_handoff_md_are_not_run() {
    let env = TestEnv::new();
    let mark = env.beside("mark");
    let path = env.work.join("HANDOFF.md");
    put(&path, format!("<!-- segue:begin -->\n{}<!-- segue:end -->\n", check(&mark)));
    let ran = env.segue(&["save", "--title", "Own"]).stdin("words").run();
    assert!(ran.stderr.contains("that is saved as"), "{}", ran.stderr);
    let id = ran.stderr.trim().rsplit(' ').next().unwrap().to_owned();
    let briefing = rechecked(&env, &env.work, &["--id", &id]);
    assert_not_run(&briefing, &mark, FROM_FILE);
}

#[test]
fn commands_of_a_session_on_this_machine_are_run() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let bash = json!({"type": "tool_use", "id": "t1", "name": "Bash",
        "input": {"command": "cargo test"}});
    let records = [user("Check it, please."), assistant(&bash), result("t1", "ok", false)];
    session(&env, &repo, "5e55-10", &records);
    assert_eq!(env.segue(&["snapshot", "--from", "claude-code"]).dir(&repo).run().code, 0);
    let cargo = env.dir("bin").join("cargo");
    put(&cargo, "#!/bin/sh\n");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", cargo.parent().unwrap().display());
    let briefing = env.segue(&["resume", "--recheck", "--yes"]).dir(&repo).env("PATH", &path).run();
    assert!(briefing.stdout.contains("`cargo test`: holds (exit 0)"), "{}", briefing.stdout);
}

#[test]
fn commands_in_a_memory_of_the_repository_are_not_run() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    let mark = env.beside("mark");
    assert_eq!(env.segue(&["init", "--shared"]).dir(&repo).run().code, 0);
    let ran = env.segue(&["save", "--title", "Shared"]).dir(&repo).stdin(check(&mark)).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let why = "not run: the handoff lies in the repository, where others can write it";
    assert_not_run(&rechecked(&env, &repo, &[]), &mark, why);
}
