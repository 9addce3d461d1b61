//! The three layers: read as they lie, compacted without losing a word.

use std::fs;
use std::path::Path;

use super::Place;
use crate::ground::{TestEnv, files_below, put};

/// A memory as agent-handover leaves one.
fn peers_memory(dir: &Path) {
    for (path, layer, day, text) in [
        ("layer1/2026-07/feat-login_page-2026-07-01.md", 1, "2026-07-01", "login page works\n"),
        ("layer1/2026-11/refactor-2026-11-15.md", 1, "2026-11-15", "lexer split out"),
        ("layer2/current-state.md", 2, "2026-11-15", "merged; next: error recovery"),
        ("layer3/2026-06-refactor-archive.md", 3, "2026-06-30", "all of june\n"),
    ] {
        put(&dir.join(path), format!("<!-- agent-handover | layer{layer} | {day} -->\n{text}"));
    }
}

#[test]
fn a_memory_of_agent_handover_is_read_as_it_is() {
    let env = TestEnv::new();
    peers_memory(&env.work.join("memory"));
    let before = files_below(&env.work);
    assert_eq!(env.segue(&["show", "--layer", "2"]).ok(), "merged; next: error recovery");
    let listed = env.segue(&["list", "--layer", "1", "--tag", "refactor"]).ok();
    assert!(listed.contains("lexer split out") && !listed.contains("login"), "{listed}");
    assert_eq!(env.segue(&["list", "--layer", "1"]).ok().lines().count(), 3);
    let json = env.segue(&["list", "--layer", "1", "--json"]).ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[1]["tags"][0], "feat-login_page");
    assert_eq!(env.segue(&["show", "--layer", "1"]).ok(), "lexer split out");
    assert_eq!(env.segue(&["show", "--layer", "3", "--tag", "refactor"]).ok(), "all of june\n");
    let raw = env.segue(&["show", "--layer", "2", "--raw"]).ok();
    assert!(raw.starts_with("<!-- agent-handover | layer2"), "{raw}");
    assert_eq!(env.segue(&["list", "--layer", "3"]).ok().lines().count(), 1);
    env.segue(&["show", "--layer", "1", "--tag", "fact"]).fails(66);
    env.segue(&["show", "--layer", "4"]).fails(64);
    env.segue(&["show", "--memory", "memory"]).fails(64);
    env.segue(&["list", "--layer", "1", "--memory", "nowhere"]).fails(66);
    let elsewhere = env.dir("elsewhere");
    let memory = env.work.join("memory");
    let args = ["show", "--layer", "2", "--memory", &memory.to_string_lossy()];
    assert_eq!(env.segue(&args).dir(&elsewhere).ok(), "merged; next: error recovery");
    assert_eq!(files_below(&env.work), before, "nothing was written");
}

#[test]
fn the_peers_real_files_are_read_if_they_are_here() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/peers/agent-handover");
    if !root.is_dir() {
        println!("skipped: the files of agent-handover are not here");
        return;
    }
    let env = TestEnv::new();
    let memory = root.join("memory");
    let memory = memory.to_string_lossy();
    let listed = env.segue(&["list", "--layer", "1", "--memory", &memory]).ok();
    assert_eq!(listed.lines().count(), 3, "{listed}");
    assert!(!env.segue(&["show", "--layer", "2", "--memory", &memory]).ok().is_empty());
    for (name, code) in [("completed", 2), ("interrupted", 1), ("just-started", 1)] {
        let file = root.join(format!("checkpoint-{name}.json"));
        let file = file.to_string_lossy();
        assert_eq!(env.segue(&["check", "--checkpoint", &file]).run().code, code, "{name}");
        let status = env.segue(&["status", "--checkpoint", &file]).ok();
        if let Ok(expected) = fs::read_to_string(root.join(format!("status-{name}.txt"))) {
            assert!(status.starts_with(expected.trim_end()), "{status}");
        }
    }
    let plan = root.join("handover.toml");
    let plan = plan.to_string_lossy();
    let ran = env.segue(&["run", "--config", &plan, "--dry-run", "--no-push"]).run();
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 3), "{}", ran.stderr);
}

#[test]
fn an_interrupted_run_of_agent_handovers_is_finished() {
    let place = Place::new();
    peers_memory(&place.repo.join("memory"));
    let checkpoint = place.repo.join(".agent-handover/checkpoint.json");
    put(
        &checkpoint,
        "{\n  \"status\": \"in_progress\",\n  \"steps\": {\n    \"session_note\": \"done\",\n    \"current_state\": \"done\",\n    \"publish\": \"pending\"\n  },\n  \"started_at\": \"2026-11-15T18:36:52.639970+00:00\",\n  \"finished_at\": null\n}",
    );
    assert_eq!(place.check(), 1);
    let ran = place.run(&[]).run();
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "handover steps executed: publish\n"),
        "{}",
        ran.stderr
    );
    assert!(place.published("main").contains(&"memory/layer2/current-state.md".to_owned()));
    let text = fs::read_to_string(&checkpoint).unwrap();
    let keys: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(keys["steps"]["publish"], "done");
    assert_eq!(keys["started_at"], "2026-11-15T18:36:52.639970+00:00");
    assert_eq!(place.check(), 2);
}

/// Handoffs of three months, some superseded, some expired, some with names.
fn months(env: &TestEnv) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for (n, (day, args)) in [
        ("2026-08-01", vec!["--tag", "api", "--name", "state"]),
        ("2026-08-02", vec!["--tag", "api"]),
        ("2026-08-03", vec!["--tag", "web", "--ttl", "1d"]),
        ("2026-09-01", vec!["--tag", "api", "--name", "state"]),
        ("2026-11-14", vec!["--tag", "api"]),
    ]
    .into_iter()
    .enumerate()
    {
        let title = format!("number {n}");
        let mut all = vec!["save", "--title", &title];
        all.extend(args);
        let superseded = ids.get(1).cloned().unwrap_or_default();
        if n == 3 {
            all.extend(["--supersedes", &superseded]);
        }
        let body = format!("## Current State\n\nbody {n}\n");
        let saved =
            env.segue(&all).at(&format!("{day}T10:00:00Z")).seed(&n.to_string()).stdin(body);
        ids.push(saved.ok().trim().to_owned());
    }
    ids
}

#[test]
fn compaction_moves_what_is_old_and_loses_no_word() {
    let env = TestEnv::new();
    let ids = months(&env);
    let bodies: Vec<String> = ids.iter().map(|id| env.segue(&["show", id]).run().stdout).collect();
    let before = env.handoff_files();
    let would = env.segue(&["compact", "--dry-run"]).run();
    assert_eq!(
        (would.code, would.stdout.as_str()),
        (0, "Would archive 3 handoffs.\n"),
        "{}",
        would.stderr
    );
    assert_eq!(env.handoff_files(), before);
    let did = env.segue(&["compact"]).run();
    assert_eq!((did.code, did.stdout.as_str()), (0, "Archived 3 handoffs.\n"));
    // The current one of a name stays, however old it is.
    assert!(did.stderr.contains("1 handoff stay"), "{}", did.stderr);
    assert_eq!(env.handoff_files().len(), 2);
    for (id, body) in ids.iter().zip(&bodies) {
        assert_eq!(env.segue(&["show", id]).run().stdout, *body, "{id}");
    }
    let archive = env.segue(&["show", "--layer", "3", "--tag", "api", "--raw"]).ok();
    assert!(archive.contains("<!-- segue:contents -->"), "{archive}");
    let (contents, rest) = archive.split_once("<!-- segue:contents end -->").unwrap();
    assert!(contents.contains("number 0") && rest.contains("body 0") && rest.contains("body 1"));
    env.delete_index();
    for (id, body) in ids.iter().zip(&bodies) {
        assert_eq!(env.segue(&["show", id]).run().stdout, *body, "{id}");
    }
    assert_eq!(env.segue(&["compact"]).run().stdout, "Archived 0 handoffs.\n");
}

#[test]
fn in_the_table_of_contents_what_is_superseded_is_folded() {
    let env = TestEnv::new();
    months(&env);
    env.segue(&["save", "--title", "later", "--tag", "api"])
        .at("2026-11-14T11:00:00Z")
        .seed("9")
        .run();
    env.segue(&["compact", "--month", "2026-08"]).run();
    // The one that supersedes joins it: only then does the archive know.
    let first = env.segue(&["show", "--layer", "3", "--tag", "web", "--raw"]).ok();
    let (contents, _) = first.split_once("<!-- segue:contents end -->").unwrap();
    let (plain, folded) = contents.split_once("<details>").unwrap();
    assert!(!plain.contains("number 2") && folded.contains("number 2"), "{contents}");
    env.segue(&["compact", "--month", "2026-13"]).fails(64);
    env.segue(&["compact", "--older-than", "never"]).fails(64);
    let json = env.segue(&["compact", "--older-than", "60d", "--json"]).ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["current"].as_array().unwrap().len(), 1, "{json}");
}

#[test]
fn a_compaction_that_dies_halfway_loses_nothing() {
    let env = TestEnv::new();
    if !crate::strace::works(&env) {
        return;
    }
    for call in ["renameat2", "rename", "unlink", "fsync"] {
        for nth in 1..=4 {
            let env = TestEnv::new();
            let ids = months(&env);
            let bodies: Vec<String> =
                ids.iter().map(|id| env.segue(&["show", id]).run().stdout).collect();
            let trace = format!("trace={call}");
            let inject = format!("inject={call}:signal=KILL:when={nth}");
            let tracer = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
            env.segue_under(&tracer, &["compact"]).run();
            for (id, body) in ids.iter().zip(&bodies) {
                let shown = env.segue(&["show", id]).run();
                assert_eq!(
                    (shown.code, &shown.stdout),
                    (0, body),
                    "{call} {nth}: {}",
                    shown.stderr
                );
            }
            env.segue(&["compact"]).run();
            assert_eq!(env.handoff_files().len(), 2, "{call} {nth}");
        }
    }
}
