//! The stores of the four peers, imported.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Two, listed};
use crate::ground::{TestEnv, files_below, put};

fn import(env: &TestEnv, peer: &str, path: &Path, more: &[&str]) -> crate::ground::Ran {
    let path = path.to_string_lossy().into_owned();
    let args: Vec<&str> = ["import", "--from", peer, &path].iter().chain(more).copied().collect();
    env.segue(&args).run()
}

fn store_of_session_handoff(dir: &Path) -> PathBuf {
    let record = |id: &str, at: &str, title: &str| {
        serde_json::json!({"id": id, "created_at": at, "tool": "codex", "project": "/srv/todo", "title": title,
            "summary": "s", "next": ["one", "two"], "future": 7})
    };
    let items = [
        record("20261101-080000", "2026-11-01T08:00:00Z", "First"),
        record("20261101-080000-002", "2026-11-01T08:00:00Z", "Second"),
        record("20261102-080000", "2026-11-02T08:00:00.5Z", "Bad time"),
    ];
    let path = dir.join("handoffs.json");
    put(&path, serde_json::json!({"version": 7, "items": items}).to_string());
    path
}

#[test]
fn session_handoffs_store_comes_in_once_and_unchanged_s7() {
    let two = Two::new();
    let path = store_of_session_handoff(&two.post);
    let before = fs::read(&path).unwrap();
    let ran = import(&two.ben, "session-handoff", &path, &["--dry-run"]);
    assert_eq!(ran.stdout.matches("would import").count(), 2, "{}{}", ran.stdout, ran.stderr);
    assert!(two.ben.handoff_files().is_empty());
    let ran = import(&two.ben, "session-handoff", &path, &[]);
    assert_eq!(ran.stdout.matches("imported handoff").count(), 2, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("20261102-080000"), "{}", ran.stderr);
    let again = import(&two.ben, "session-handoff", &path, &[]);
    assert_eq!(again.stdout.matches("already here").count(), 2, "{}", again.stdout);
    assert_eq!(fs::read(&path).unwrap(), before);
    for (alias, title) in [("20261101-080000", "First"), ("20261101-080000-002", "Second")] {
        let shown = two.ben.segue(&["show", alias, "--json"]).run();
        assert!(shown.stdout.contains(title), "{alias}: {}{}", shown.stdout, shown.stderr);
    }
    let all = listed(&two.ben, &[]);
    assert!(all.iter().all(|one| one["imported"]["trust"] == "unsigned"));
    assert_eq!(all[0]["next"], serde_json::json!(["one", "two"]));
}

#[test]
fn a_record_that_was_stored_and_bundled_is_one() {
    let two = Two::new();
    let path = store_of_session_handoff(&two.post);
    import(&two.ben, "session-handoff", &path, &[]);
    let file = two.file("a.json");
    two.ben.segue(&["export", "20261101-080000", "--format", "json", "--output", &file]).run();
    assert!(two.text("a.json").contains("\"id\": \"20261101-080000\""));
    let ran = two.import(&file, &[]).run();
    assert!(ran.stdout.starts_with("already here"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn handoffs_database_comes_in_with_its_ids_as_aliases() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/peers/handoff");
    if !shared.is_dir() {
        println!("skipped: {} is not there", shared.display());
        return;
    }
    let env = TestEnv::new();
    let path = env.dir("theirs").join("handoff.db");
    fs::copy(shared.join("handoff.db"), &path).unwrap();
    let before = fs::read(&path).unwrap();
    let args = ["import", "--from", "handoff", &path.to_string_lossy()];
    let ran = env.segue(&args).real_clock().run();
    assert_eq!(ran.stdout.matches("imported handoff").count(), 3, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(env.segue(&args).real_clock().run().stdout.matches("already here").count(), 3);
    assert_eq!((fs::read(&path).unwrap(), files_below(path.parent().unwrap()).len()), (before, 1));
    for id in fs::read_to_string(shared.join("ids.txt")).unwrap().lines() {
        assert_eq!(env.segue(&["show", id.trim()]).real_clock().run().code, 0, "{id}");
    }
    // What was filed under a word still is.
    let wanted = fs::read_to_string(shared.join("retrieve-by-name.txt")).unwrap();
    let by_name = ["retrieve", "--name", "project-state", "--project", "otherapp"];
    let got = env.segue(&by_name).real_clock().run();
    assert_eq!(got.stdout, wanted, "{}", got.stderr);
    let list = env.segue(&["list", "--project", "myapp"]).real_clock().run().stdout;
    assert_eq!(list.lines().count(), 3, "{list}");
}

#[test]
fn agent_handovers_memory_comes_in_layer_by_layer() {
    let env = TestEnv::new();
    let memory = env.dir("theirs/memory");
    put(
        &memory.join("layer1/2026-07/login-2026-07-01.md"),
        "<!-- agent-handover | layer1 | 2026-07-01 -->\nLogin works.\n",
    );
    put(
        &memory.join("layer1/2026-11/login-2026-11-02.md"),
        "<!-- agent-handover | layer1 | 2026-11-02 -->\nLogout too.",
    );
    put(
        &memory.join("layer2/current-state.md"),
        "<!-- agent-handover | layer2 | 2026-11-02 -->\nAll is well.\n",
    );
    put(
        &memory.join("layer3/2026-06-login-archive.md"),
        "<!-- agent-handover | layer3 | 2026-06-30 -->\nJune.\n",
    );
    let before: Vec<_> =
        files_below(&memory).into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect();
    let ran = import(&env, "agent-handover", &memory, &[]);
    assert_eq!(ran.stdout.matches("imported handoff").count(), 4, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(
        import(&env, "agent-handover", memory.parent().unwrap(), &[])
            .stdout
            .matches("already here")
            .count(),
        4
    );
    let after: Vec<_> =
        files_below(&memory).into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect();
    assert_eq!(before, after);
    let bodies: Vec<String> = listed(&env, &[])
        .iter()
        .map(|one| env.segue(&["show", one["id"].as_str().unwrap()]).run().stdout)
        .collect();
    for text in ["Login works.\n", "Logout too.", "All is well.\n", "June.\n"] {
        assert!(bodies.iter().any(|body| body == text), "{text}: {bodies:?}");
    }
}

#[test]
fn agent_handoffs_files_come_in_and_the_last_session_is_the_latest() {
    let env = TestEnv::new();
    let theirs = env.dir("theirs");
    put(
        &theirs.join("SOUL.md"),
        "# SOUL.md\n\n## Identity\n- **Name**: Aria\n- **Created**: 2026-11-01T08:00:00Z\n",
    );
    put(
        &theirs.join("MEMORY.md"),
        "# MEMORY.md\n\n## Project State\n- Ships on Friday\n\n## Last Updated\n2026-11-03T08:00:00Z\n",
    );
    put(
        &theirs.join("HANDOFF.md"),
        "# HANDOFF.md\n\n## Last Session\n- **When**: 2026-11-02T08:00:00Z\n- **Mode**: build\n- **Branch**: main\n\n## What's Next\n- Ship it\n",
    );
    let ran = import(&env, "agent-handoff", &theirs, &[]);
    assert_eq!(ran.stdout.matches("imported handoff").count(), 3, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(
        import(&env, "agent-handoff", &theirs, &[]).stdout.matches("already here").count(),
        3
    );
    let latest = env.segue(&["show", "--json"]).run();
    assert!(
        latest.stdout.contains("Ship it") && latest.stdout.contains("\"mode\": \"build\""),
        "{}",
        latest.stdout
    );
}

#[test]
fn what_is_not_such_a_store_is_named() {
    let two = Two::new();
    for peer in ["session-handoff", "handoff", "agent-handover", "agent-handoff"] {
        let ran = import(&two.ben, peer, &two.post.join("gone"), &[]);
        assert_eq!(ran.code, 66, "{peer}: {}", ran.stderr);
    }
    put(&two.post.join("x"), "not a store");
    for peer in ["session-handoff", "handoff"] {
        let ran = import(&two.ben, peer, &two.post.join("x"), &[]);
        assert_eq!(ran.code, 65, "{peer}: {}", ran.stderr);
    }
    let ran = two.ben.segue(&["import", "--from", "handof"]).fails(64);
    assert!(ran.contains("session-handoff, handoff, agent-handover"), "{ran}");
    let ran = two.ben.segue(&["import"]).fails(64);
    assert!(ran.contains("segue import FILE"), "{ran}");
}

#[test]
fn what_was_saved_in_a_directory_of_this_machine_goes_to_its_project() {
    let two = Two::new();
    let repo = two.ben.repo("todo");
    let path = store_of_session_handoff(&two.post);
    let text = fs::read_to_string(&path).unwrap();
    put(&path, text.replace("/srv/todo", &repo.to_string_lossy()));
    let ran = import(&two.ben, "session-handoff", &path, &[]);
    assert!(ran.stderr.contains("in the project 'todo'"), "{}", ran.stderr);
    let list = two.ben.segue(&["list"]).dir(&repo).run();
    assert_eq!(list.stdout.lines().count(), 3, "{}", list.stdout);
}

#[test]
fn what_was_filed_by_word_goes_where_it_was_filed() {
    let two = Two::new();
    let path = store_of_session_handoff(&two.post);
    let ran = import(&two.ben, "session-handoff", &path, &["--project", "old-work"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(two.ben.segue(&["list", "--project", "old-work"]).run().stdout.lines().count(), 3);
}
