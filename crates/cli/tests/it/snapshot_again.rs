//! `segue snapshot` says what it captured, and where nothing is new that it saved nothing.

use std::fs;

use serde_json::Value;

use crate::ground::{TestEnv, files_below, put};

#[test]
fn the_second_of_two_snapshots_gives_the_id_of_the_first_and_writes_nothing() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    env.segue(&["init"]).dir(&repo).ok();
    put(&repo.join("a.txt"), "changed");
    let first = env.segue(&["snapshot"]).dir(&repo).run();
    let id = first.stdout.trim().to_owned();
    let says =
        format!("Saved {id}: git state only (branch main, 3 changed files)\nSnapshot written to ");
    assert!(first.code == 0 && first.stderr.starts_with(&says), "{}", first.stderr);
    let written = || {
        let file = fs::metadata(repo.join("HANDOFF.md")).unwrap().modified().unwrap();
        let is_view = |name: &str| name.contains("index.db");
        let store = files_below(&env.home).into_iter();
        let store = store.filter(|path| !is_view(&path.to_string_lossy()));
        let store: Vec<_> = store.map(|path| (fs::read(&path).unwrap(), path)).collect();
        (file, fs::read(repo.join("HANDOFF.md")).unwrap(), store)
    };
    let before = written();
    let again = |args: &[&str]| {
        let args = [&["snapshot"], args].concat();
        let ran = env.segue(&args).dir(&repo).seed("2").at("2026-11-15T17:47:00Z").run();
        let says = format!("Nothing new since {id} (2m ago); nothing saved.\n");
        assert_eq!((ran.code, ran.stderr), (0, says));
        ran.stdout
    };
    assert_eq!(again(&[]), first.stdout);
    let object: Value = serde_json::from_str(&again(&["--json"])).unwrap();
    assert_eq!((&object["short"], &object["new"]), (&id.clone().into(), &false.into()));
    assert!(object["summary"].is_null() && object["handoff_file"].is_string(), "{object}");
    let document = again(&["--stdout"]);
    assert_eq!(document, fs::read_to_string(repo.join("HANDOFF.md")).unwrap());
    assert!(document.contains(&format!("- **Handoff**: `{id}`")), "{document}");
    assert!(written() == before);
}

#[test]
fn an_object_says_by_itself_what_was_captured() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    put(&repo.join("HANDOFF.md"), "# HANDOFF.md\n\n## What's Next\n- ship it\n");
    let ran = env.segue(&["snapshot", "--json", "--mode", "review"]).dir(&repo).run();
    let object: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.stderr.as_str(), &object["new"]), ("", &true.into()));
    let summary = "words of HANDOFF.md, 1 open step, git state (branch main, nothing uncommitted)";
    assert_eq!(object["summary"], summary);
    // Another mode is new.
    let ran = env.segue(&["snapshot", "--json"]).dir(&repo).seed("2").run();
    let other: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(other["new"] == true && other["id"] != object["id"], "{other}");
}
