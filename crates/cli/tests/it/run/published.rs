//! Publishing by git, against real repositories.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::Place;
use crate::ground::put;

/// Another clone of the same remote, with a plan and an identity.
fn clone(place: &Place, name: &str) -> PathBuf {
    let dir = place.env.beside(name);
    let remote = place.remote.to_string_lossy().into_owned();
    place.env.git(&place.env.work, &["clone", "-q", "-b", "main", &remote, &dir.to_string_lossy()]);
    for (key, value) in [("user.name", "U"), ("user.email", "u@example.org")] {
        place.env.git(&dir, &["config", key, value]);
    }
    put(&dir.join(".agent-handover/handover.toml"), super::PLAN);
    dir
}

fn run_in(place: &Place, dir: &Path, note: &str) -> crate::ground::Segue {
    place.run(&["--note", note]).dir(dir)
}

#[test]
fn two_clones_publish_and_both_notes_arrive() {
    let place = Place::new();
    let other = clone(&place, "other");
    place.run(&["--note", "from the first"]).at("2026-11-15T10:00:00Z").ok();
    let ran = run_in(&place, &other, "from the second").at("2026-11-15T11:00:00Z").seed("2").run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let published = place.published("main");
    assert_eq!(published.iter().filter(|path| path.contains("layer1")).count(), 2, "{published:?}");
    let state = place.env.git(&place.remote, &["show", "main:memory/layer2/current-state.md"]);
    assert!(state.contains("from the second"), "the newest: {state}");
    // The first goes on without a word of git's in between.
    let ran = place.run(&["--note", "the first again"]).at("2026-11-15T12:00:00Z").seed("3").run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("is now behind origin"), "{}", ran.stderr);
    let state = place.env.git(&place.remote, &["show", "main:memory/layer2/current-state.md"]);
    assert!(state.contains("the first again"), "{state}");
    assert_eq!(place.published("main").iter().filter(|path| path.contains("layer1")).count(), 3);
    place.env.git(&other, &["pull", "-q", "--no-rebase"]);
    assert_eq!(place.env.git(&other, &["status", "--short", "memory"]), "");
}

#[test]
fn clones_that_publish_at_once_all_arrive() {
    let place = Place::new();
    let clones: Vec<PathBuf> = (0..4).map(|n| clone(&place, &format!("clone{n}"))).collect();
    let running: Vec<_> = clones
        .iter()
        .enumerate()
        .map(|(n, dir)| {
            let mut run = run_in(&place, dir, &format!("from clone {n}"));
            run.command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            run.command.spawn().unwrap()
        })
        .collect();
    for (child, dir) in running.into_iter().zip(&clones) {
        let output = child.wait_with_output().unwrap();
        if !output.status.success() {
            let ran = place.run(&[]).dir(dir).run();
            assert_eq!(ran.code, 0, "{}", ran.stderr);
        }
    }
    let published = place.published("main");
    assert_eq!(published.iter().filter(|path| path.contains("layer1")).count(), 4, "{published:?}");
}

#[test]
fn a_memory_in_the_store_goes_to_a_branch_of_its_own() {
    let place = Place::new();
    place.env.git(&place.repo, &["config", "segue.remote", "origin"]);
    assert_eq!(place.segue(&["trust"]).run().code, 0);
    let head = place.env.git(&place.repo, &["rev-parse", "HEAD"]);
    let ran = place.segue(&["run", "--note", "kept apart"]).run();
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "handover steps executed: collect, note, state, publish\n"),
        "{}",
        ran.stderr
    );
    let published = place.published("segue");
    assert_eq!(published.len(), 2, "{published:?}");
    assert!(published[0].starts_with("layer1/") && published[1] == "layer2/current-state.md");
    assert_eq!(place.env.git(&place.repo, &["rev-parse", "HEAD"]), head);
    assert_eq!(place.env.git(&place.repo, &["status", "--short", "--untracked-files=no"]), "");
    assert!(!place.published("main").iter().any(|path| path.contains("layer")));
    place.env.git(&place.repo, &["config", "segue.branch", "notes"]);
    place.segue(&["run", "--note", "another"]).run();
    assert_eq!(place.published("notes").len(), 3);
}

#[test]
fn a_clone_cannot_choose_where_its_handoffs_go() {
    // `.gitconfig` in the tree is nobody's configuration; only the user's own sets a remote.
    let place = Place::new();
    put(&place.repo.join(".gitconfig"), "[segue]\n\tremote = origin\n");
    let ran = place.segue(&["run", "--note", "x"]).run();
    assert!(ran.stderr.contains("no remote is set"), "{}", ran.stderr);
    assert_eq!(place.env.git(&place.remote, &["branch", "--list"]).lines().count(), 1);
}

#[test]
fn in_a_linked_worktree_it_goes_to_the_branch_that_is_named() {
    let place = Place::new();
    let tree = place.env.beside("tree");
    place.env.git(&place.repo, &["worktree", "add", "-q", "-b", "side", &tree.to_string_lossy()]);
    put(&tree.join(".agent-handover/handover.toml"), "[backend]\nbranch = 'side'\n");
    run_in(&place, &tree, "from the worktree").ok();
    assert!(place.published("side").iter().any(|path| path.starts_with("memory/layer1/")));
    // main is checked out beside it: its branch here is left alone, the remote gets it.
    put(&tree.join(".agent-handover/handover.toml"), super::PLAN);
    let head = place.env.git(&place.repo, &["rev-parse", "HEAD"]);
    let ran = run_in(&place, &tree, "to main").run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(place.env.git(&place.repo, &["rev-parse", "HEAD"]), head);
    assert!(place.published("main").iter().any(|path| path.starts_with("memory/layer1/")));
}

#[test]
fn a_protected_branch_is_an_error_in_the_remotes_words() {
    let place = Place::new();
    place.segue(&["trust"]).ok();
    let hook = place.remote.join("hooks/pre-receive");
    put(&hook, "#!/bin/sh\necho 'main is protected: open a pull request' >&2\nexit 1\n");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let error = place.run(&["--note", "x"]).fails_after_output(1);
    assert!(error.contains("main is protected: open a pull request"), "{error}");
    assert_eq!(place.check(), 1);
    fs::remove_file(&hook).unwrap();
    place.run(&[]).ok();
    assert_eq!(place.runs_on("main"), 1);
}

#[test]
fn credentials_in_a_url_are_never_shown() {
    let place = Place::new();
    let url = "http://user:hunter2@127.0.0.1:1/x.git";
    place.env.git(&place.repo, &["remote", "set-url", "origin", url]);
    let error = place.run(&["--note", "x"]).fails_after_output(1);
    assert!(!error.contains("hunter2"), "{error}");
    for command in
        [&["status"][..], &["status", "--json"], &["doctor"], &["resume"], &["show", "--raw"]]
    {
        let ran = place.segue(command).run();
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("hunter2"), "{command:?}");
    }
    for path in crate::ground::files_below(&place.env.dir("")) {
        if !path.ends_with(".git/config") {
            let text = fs::read(&path).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&text).contains("hunter2"), "{}", path.display());
        }
    }
}

#[test]
fn hooks_of_a_trusted_repository_run_as_configured() {
    let place = Place::new();
    place.segue(&["trust"]).ok();
    let hook = place.repo.join(".git/hooks/pre-commit");
    put(&hook, "#!/bin/sh\necho 'not on a friday' >&2\nexit 1\n");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let error = place.run(&["--note", "x"]).fails_after_output(1);
    assert!(error.contains("not on a friday"), "{error}");
    fs::remove_file(&hook).unwrap();
    place.run(&[]).ok();
}
