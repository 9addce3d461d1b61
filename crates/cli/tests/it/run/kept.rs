//! Nothing that is given to a run gets lost, and nothing counts as done that is not.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{PLAN, Place};
use crate::ground::{TestEnv, files_below, put};

/// agent-handover's checkpoint of a run that failed to publish.
const PEERS_OWN: &str = "{\n  \"status\": \"in_progress\",\n  \"steps\": {\n    \"session_note\": \"done\",\n    \"current_state\": \"done\",\n    \"publish\": \"pending\"\n  },\n  \"started_at\": \"2026-11-15T18:36:52.639970+00:00\",\n  \"finished_at\": null\n}";

#[test]
fn a_note_that_is_given_to_a_run_of_agent_handovers_becomes_the_next_h2() {
    let place = Place::new();
    put(&place.repo.join(".agent-handover/checkpoint.json"), PEERS_OWN);
    let ran = place.run(&["--note", "NEW NOTE", "--current-state", "NEW STATE"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.stdout,
        "handover steps executed: publish, session_note, current_state, publish\n"
    );
    assert!(place.notes().join("\n").contains("NEW NOTE"));
    assert!(place.state().contains("NEW STATE"));
    // A note that it still has to write is what is given now.
    put(
        &place.repo.join(".agent-handover/checkpoint.json"),
        PEERS_OWN.replace("\"session_note\": \"done\"", "\"session_note\": \"pending\""),
    );
    let ran = place.run(&["--note", "ITS NOTE"]).run();
    assert_eq!(ran.stdout, "handover steps executed: session_note, publish\n", "{}", ran.stderr);
    assert_eq!(place.notes().len(), 2);
}

#[test]
fn a_run_of_one_worktree_is_not_finished_by_another_h3() {
    let place = Place::new();
    place.plan("[handover]\nmemory_dir = 'memory'\n[[step]]\nkind = 'note'\n[[step]]\nkind = 'publish'\nbranch = 'main'\n");
    let tree = place.env.beside("tree");
    place.env.git(&place.repo, &["worktree", "add", "-q", "-b", "side", &tree.to_string_lossy()]);
    place.cut_off();
    place.run(&["--note", "from the first"]).run();
    assert_eq!(place.check(), 1);
    place.connect();
    fs::create_dir(tree.join(".agent-handover")).unwrap();
    fs::copy(
        place.repo.join(".agent-handover/handover.toml"),
        tree.join(".agent-handover/handover.toml"),
    )
    .unwrap();
    assert_eq!(place.env.segue(&["check"]).dir(&tree).run().code, 0, "it has none of its own");
    place.run(&["--note", "from the second"]).dir(&tree).run();
    assert_eq!(place.check(), 1, "the first one is still to finish");
    let ran = place.run(&[]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(place.published("main").iter().filter(|path| path.contains("layer1")).count(), 2);
}

#[test]
fn a_question_that_git_does_not_answer_is_no_reason_to_skip() {
    let place = Place::new();
    place.env.git(&place.repo, &["config", "segue.remote", "origin"]);
    assert_eq!(place.segue(&["trust"]).run().code, 0);
    let slow = place.env.dir("bin").join("git");
    put(
        &slow,
        "#!/bin/sh\ncase \"$*\" in *segue*remote*) sleep 5;; esac\nexec /usr/bin/git \"$@\"\n",
    );
    fs::set_permissions(&slow, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", slow.parent().unwrap().display());
    let ran = place
        .segue(&["run", "--note", "x"])
        .env("PATH", &path)
        .env("SEGUE_GIT_DEADLINE_MS", "400")
        .run();
    assert_eq!(ran.code, 1, "{} {}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("did not answer in time"), "{}", ran.stderr);
    assert_eq!(place.check(), 1);
    place.segue(&["run"]).run();
    assert_eq!(place.published("segue").len(), 2);
}

#[test]
fn another_plan_does_not_finish_a_run_and_takes_no_note_of_it() {
    let place = Place::new();
    let plan = "[handover]\nmemory_dir = 'memory'\n[[step]]\nkind = 'note'\n[[step]]\nkind = 'publish'\nbranch = 'main'\n";
    put(&place.repo.join("ci/plan.toml"), plan);
    place.cut_off();
    let error =
        place.segue(&["run", "--config", "ci/plan.toml", "--note", "one"]).fails_after_output(1);
    assert!(error.contains("'segue run --config ci/plan.toml' goes on with it"), "{error}");
    place.connect();
    // The standard plan has a run of its own; whoever asks is told of both.
    let ran = place.segue(&["run", "--note", "two"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("'segue run --config ci/plan.toml' goes on with it"),
        "{}",
        ran.stderr
    );
    assert_eq!(place.check(), 1);
    let deep = place.env.dir("repo/deep");
    let check = place.env.segue(&["check"]).dir(&deep).run();
    assert!(
        check.stderr.contains("'segue run --config ci/plan.toml' does publish"),
        "{}",
        check.stderr
    );
    place.env.segue(&["run", "--config", "ci/plan.toml"]).dir(&deep).real_clock().ok();
    assert_eq!(place.check(), 2);
    assert!(place.notes().len() == 1 && place.notes()[0].contains("one"));
    // Two plans under one checkpoint: the second is told, and its note waits for its own.
    place.cut_off();
    let shared = ["--checkpoint", "shared.json"];
    let one: Vec<&str> = ["run", "--config", "ci/plan.toml", "--note", "three"]
        .iter()
        .chain(&shared)
        .copied()
        .collect();
    place.segue(&one).run();
    put(&place.repo.join("ci/other.toml"), plan.replace("'memory'", "'other-memory'"));
    let two: Vec<&str> = ["run", "--config", "ci/other.toml", "--note", "for the other"]
        .iter()
        .chain(&shared)
        .copied()
        .collect();
    let error = place.segue(&two).fails(65);
    assert!(error.contains("begun with the plan ci/plan.toml"), "{error}");
    place.connect();
    let again: Vec<&str> =
        ["run", "--config", "ci/plan.toml"].iter().chain(&shared).copied().collect();
    place.segue(&again).run();
    assert!(!place.notes().join("\n").contains("for the other"));
    let again: Vec<&str> =
        ["run", "--config", "ci/other.toml"].iter().chain(&shared).copied().collect();
    place.segue(&again).run();
    assert_eq!(files_below(&place.repo.join("other-memory/layer1")).len(), 1);
}

#[test]
fn two_publications_of_one_run_both_arrive() {
    let place = Place::new();
    place.plan(
        "[handover]\nmemory_dir = 'memory'\n[[step]]\nkind = 'note'\n[[step]]\nkind = 'publish'\nbranch = 'main'\n\
         [[step]]\nkind = 'command'\ncommand = ['sh', '-c', 'mkdir -p docs; echo made > docs/gen']\n\
         [[step]]\nkind = 'publish'\nname = 'docs'\npaths = ['docs']\nbranch = 'main'\n",
    );
    place.segue(&["trust"]).run();
    place.run(&["--note", "x"]).ok();
    assert!(
        place.published("main").contains(&"docs/gen".to_owned()),
        "{:?}",
        place.published("main")
    );
}

#[test]
fn publishing_from_an_older_branch_reverts_nobody() {
    let place = Place::new();
    put(&place.repo.join("docs/x"), "v1\n");
    place.env.git(&place.repo, &["add", "docs"]);
    place.env.git(&place.repo, &["commit", "-qm", "v1"]);
    place.env.git(&place.repo, &["push", "-q", "origin", "main"]);
    place.env.git(&place.repo, &["checkout", "-qb", "feature"]);
    place.env.git(&place.repo, &["checkout", "-q", "main"]);
    put(&place.repo.join("docs/x"), "v2\n");
    place.env.git(&place.repo, &["commit", "-qam", "v2"]);
    place.env.git(&place.repo, &["push", "-q", "origin", "main"]);
    place.env.git(&place.repo, &["checkout", "-q", "feature"]);
    place.plan("[backend]\npaths = ['memory', 'docs']\nbranch = 'main'\n");
    place.segue(&["trust"]).run();
    place.run(&["--note", "x"]).run();
    assert_eq!(place.env.git(&place.remote, &["show", "main:docs/x"]), "v2");
    assert!(place.published("main").iter().any(|path| path.starts_with("memory/layer1/")));
    // What is changed on both sides is for a person.
    put(&place.repo.join("docs/x"), "mine\n");
    let error = place.run(&["--note", "y"]).fails_after_output(1);
    assert!(error.contains("docs/x"), "{error}");
    assert_eq!(place.env.git(&place.remote, &["show", "main:docs/x"]), "v2");
}

#[test]
fn a_note_that_no_step_writes_waits() {
    let place = Place::new();
    place.plan("[[step]]\nkind = 'note'\nwhen = 'branch release'\n");
    let ran = place.run(&["--note", "for the release"]).run();
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("it waits in the queue"), "{}", ran.stderr);
    assert_eq!(place.check(), 1, "something waits");
    place.env.git(&place.repo, &["checkout", "-qb", "release"]);
    place.run(&[]).ok();
    assert!(place.segue(&["list"]).run().stdout.contains("for the release"));
    assert_eq!(place.check(), 2);
    // A plan that has no such step at all says so at once.
    place.plan("[[step]]\nkind = 'snapshot'\n");
    let error = place.run(&["--note", "x"]).fails(64);
    assert!(error.contains("no step that takes a note"), "{error}");
}

#[test]
fn what_the_plans_file_says_anew_is_handed_over_too_h8() {
    let place = Place::new();
    place.plan(&format!("{PLAN}[note]\nsession = 'first'\n"));
    place.cut_off();
    place.run(&[]).run();
    place.connect();
    place.run(&[]).ok();
    assert_eq!(place.notes().len(), 1, "the same is not said twice");
    place.cut_off();
    place.plan(&format!("{PLAN}[note]\nsession = 'second'\n"));
    place.run(&[]).run();
    place.plan(&format!("{PLAN}[note]\nsession = 'third'\n"));
    place.connect();
    place.run(&[]).ok();
    let notes = place.notes().join("\n");
    assert!(notes.contains("second") && notes.contains("third"), "{notes}");
}

#[test]
fn a_dropped_run_leaves_no_note_twice() {
    let place = Place::new();
    place.plan(
        "[[step]]\nkind = 'note'\n[[step]]\nkind = 'command'\ncommand = ['false']\n[[step]]\nkind = 'state'\n",
    );
    place.segue(&["trust"]).run();
    place.run(&["--note", "once"]).run();
    place.plan("[[step]]\nkind = 'note'\n[[step]]\nkind = 'command'\ncommand = ['true']\n[[step]]\nkind = 'state'\n");
    place.run(&["--fresh", "--note", "next"]).run();
    let listed = place.segue(&["list"]).run().stdout;
    assert_eq!(
        (listed.matches("once").count(), listed.matches("next").count()),
        (1, 1),
        "{listed}"
    );
    if !crate::strace::works(&place.env) {
        return;
    }
    // Killed while it drops: the old run and what it put back are one.
    for nth in 1..=6 {
        let place = Place::new();
        place.plan("[[step]]\nkind = 'command'\ncommand = ['false']\n[[step]]\nkind = 'note'\n");
        place.segue(&["trust"]).run();
        place.run(&["--note", "once"]).run();
        place.plan("[[step]]\nkind = 'command'\ncommand = ['true']\n[[step]]\nkind = 'note'\n");
        let inject = format!("inject=mkdir,linkat,unlink:signal=KILL:when={nth}");
        let tracer =
            ["strace", "-qq", "-o", "/dev/null", "-e", "trace=mkdir,linkat,unlink", "-e", &inject];
        let args = ["run", "--config", ".agent-handover/handover.toml", "--fresh"];
        place.env.segue_under(&tracer, &args).dir(&place.repo).real_clock().run();
        while place.check() == 1 {
            assert_eq!(place.run(&[]).run().code, 0);
        }
        let listed = place.segue(&["list"]).run().stdout;
        assert_eq!(listed.matches("once").count(), 1, "{nth}: {listed}");
    }
}

#[test]
fn a_memory_outside_of_the_repository_goes_to_a_branch_of_its_own() {
    let place = Place::new();
    place.plan("[handover]\nmemory_dir = '~/mem'\n");
    place.segue(&["trust"]).run();
    place.run(&["--note", "x"]).run();
    assert_eq!(place.published("main"), ["a.txt"]);
    assert!(place.published("segue").iter().any(|path| path.starts_with("layer1/")));
}

#[test]
fn what_is_published_otherwise_than_expected_is_said() {
    let place = Place::new();
    place.env.git(&place.repo, &["checkout", "-qb", "feature"]);
    let hook = place.repo.join(".git/hooks/pre-commit");
    put(&hook, "#!/bin/sh\nexit 1\n");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = place.run(&["--note", "x"]).run();
    assert!(ran.code == 0 && ran.stderr.contains("pre-commit"), "{}", ran.stderr);
    fs::remove_file(&hook).unwrap();
    place.env.git(&place.repo, &["checkout", "-q", "-f", "main"]);
    place.env.git(&place.repo, &["commit", "-q", "--allow-empty", "-m", "WIP do not push"]);
    let ran = place.run(&["--note", "y"]).run();
    assert!(ran.code == 0 && ran.stderr.contains("pushed along: 1"), "{}", ran.stderr);
}

#[test]
fn layer_2_of_a_shared_memory_is_not_published() {
    let place = Place::new();
    place.segue(&["init", "--shared"]).run();
    place.env.git(&place.repo, &["config", "segue.remote", "origin"]);
    let ran = place.segue(&["run", "--note", "shared"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let published = place.published("main");
    assert!(published.iter().any(|path| path.starts_with(".segue/layer1/")), "{published:?}");
    assert!(!published.iter().any(|path| path.contains("layer2")), "{published:?}");
}

#[test]
fn a_state_that_only_agent_handover_knows_is_kept() {
    let place = Place::new();
    put(
        &place.repo.join("memory/layer2/current-state.md"),
        "<!-- agent-handover | layer2 | 2026-11-15 -->\nonly here\n",
    );
    place.run(&["--note", "x"]).ok();
    let kept = files_below(&place.env.home)
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("/kept/"));
    assert!(
        kept.map(|path| fs::read_to_string(path).unwrap()).any(|text| text.contains("only here"))
    );
}

#[test]
fn a_clock_that_is_behind_is_told() {
    let env = TestEnv::new();
    env.segue(&["run", "--note", "first"]).run();
    let ran = env.segue(&["run", "--note", "before"]).at("2020-01-01T00:00:00Z").seed("2").run();
    assert!(ran.stderr.contains("later than this machine's clock"), "{}", ran.stderr);
}

#[test]
fn large_notes_are_taken_in_turn() {
    let env = TestEnv::new();
    let big = "x".repeat(9 * 1024 * 1024);
    put(
        &env.work.join("plan.toml"),
        "[[step]]\nkind = 'note'\n[[step]]\nkind = 'command'\ncommand = ['test', '-e', 'go']\n",
    );
    for n in 0..4 {
        let ran = env
            .segue(&["run", "--config", "plan.toml", "--note", "-"])
            .real_clock()
            .stdin(format!("{n}\n{big}"))
            .run();
        assert_eq!(ran.code, 1, "{}", ran.stderr);
    }
    put(&env.work.join("go"), "");
    let ran = env.segue(&["run", "--config", "plan.toml"]).real_clock().run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(env.handoff_files().len(), 4);
    let huge = "x".repeat(17 * 1024 * 1024);
    env.segue(&["run", "--note", "-"]).stdin(&huge).fails(65);
}

#[test]
fn a_damaged_view_takes_no_note_with_it() {
    let place = Place::new();
    place.plan("[handover]\ncheckpoint = 'cp.json'\n[[step]]\nkind = 'command'\ncommand = ['test', '-e', 'go']\n[[step]]\nkind = 'note'\n");
    place.segue(&["trust"]).run();
    place.run(&["--note", "not written yet"]).run();
    put(&place.repo.join("cp.json"), "garbage");
    place.run(&[]).fails(65);
    put(&place.repo.join("go"), "");
    let ran = place.run(&["--fresh"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(place.segue(&["list"]).run().stdout.contains("not written yet"));
}

#[test]
fn to_drop_a_run_is_something_to_do() {
    let place = Place::new();
    place.cut_off();
    place.run(&["--note", "one"]).run();
    let ran = place.run(&["--fresh"]).run();
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "handover steps executed: (none)\n"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("put aside in"), "{}", ran.stderr);
    assert_eq!(place.notes().len(), 1);
    assert_eq!(place.check(), 0);
    // Where there is none, there is nothing to do.
    place.run(&["--fresh"]).fails(64);
}

#[test]
fn what_is_forgotten_is_gone_from_the_memory_of_the_tree_too() {
    let place = Place::new();
    place.run(&["--note", "SECRETPW"]).ok();
    let id = place.segue(&["list", "--json", "--latest"]).run().stdout;
    let id: serde_json::Value = serde_json::from_str(&id).unwrap();
    let ran = place.segue(&["forget", id[0]["id"].as_str().unwrap(), "--yes"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    place.run(&["--note", "next"]).ok();
    let texts = super::texts(&place.repo.join("memory")).join("\n");
    assert!(!texts.contains("SECRETPW") && texts.contains("next"), "{texts}");
    let tree = place.env.git(&place.remote, &["grep", "-c", "next", "main", "--", "memory"]);
    assert!(!tree.is_empty());
    let left = place.published("main").into_iter().filter(|path| {
        place.env.git(&place.remote, &["show", &format!("main:{path}")]).contains("SECRETPW")
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn a_resumed_run_says_what_it_had_to_say_and_nothing_of_the_file() {
    let place = Place::new();
    place.plan(&format!("{PLAN}[note]\nsession = 'of the file'\n"));
    place.cut_off();
    place.run(&["--note", "mine", "--current-state", "my state"]).run();
    place.connect();
    let ran = place.run(&[]).run();
    assert_eq!(ran.stdout, "handover steps executed: publish\n", "{}", ran.stderr);
    assert!(place.state().contains("my state"));
    assert_eq!(place.notes().len(), 1);
}

#[test]
fn a_branch_that_is_being_rebased_is_left_alone() {
    let place = Place::new();
    let git = |args: &[&str]| place.env.git(&place.repo, args);
    git(&["checkout", "-qb", "other"]);
    put(&place.repo.join("a.txt"), "theirs\n");
    git(&["commit", "-qam", "theirs"]);
    git(&["checkout", "-q", "main"]);
    put(&place.repo.join("a.txt"), "ours\n");
    git(&["commit", "-qam", "ours"]);
    let rebase =
        place.env.command("git").arg("-C").arg(&place.repo).args(["rebase", "other"]).output();
    assert!(!rebase.unwrap().status.success(), "it stops at the conflict");
    let before = git(&["rev-parse", "refs/heads/main"]);
    let error = place.run(&["--note", "x"]).fails_after_output(1);
    assert!(error.contains("is being rebased"), "{error}");
    assert_eq!(git(&["rev-parse", "refs/heads/main"]), before);
    git(&["rebase", "--abort"]);
    place.run(&[]).run();
    assert_eq!(place.check(), 2);
}

#[test]
fn a_view_that_git_brings_back_repeats_nothing() {
    let place = Place::new();
    place.plan("[handover]\ncheckpoint = 'cp.json'\n[[step]]\nkind = 'command'\ncommand = ['sh', '-c', 'echo x >> ran; test -e go']\n");
    place.segue(&["trust"]).run();
    place.run(&[]).run();
    place.env.git(&place.repo, &["add", "cp.json"]);
    place.env.git(&place.repo, &["commit", "-qm", "in progress"]);
    put(&place.repo.join("go"), "");
    place.run(&[]).ok();
    place.env.git(&place.repo, &["checkout", "--", "cp.json"]);
    assert_eq!(place.check(), 2);
    assert_eq!(fs::read_to_string(place.repo.join("ran")).unwrap(), "x\nx\n");
    // Nor is it a run for whoever clones it.
    let clone = place.env.beside("clone");
    place.env.git(&place.repo, &["push", "-q", "origin", "main"]);
    place.env.git(
        &place.env.work,
        &["clone", "-q", "-b", "main", &place.remote.to_string_lossy(), &clone.to_string_lossy()],
    );
    assert_eq!(place.env.segue(&["check", "--checkpoint", "cp.json"]).dir(&clone).run().code, 0);
}

#[test]
fn notes_that_wait_are_written_in_their_order() {
    let place = Place::new();
    place.plan("[[step]]\nkind = 'command'\ncommand = ['test', '-e', 'go']\n[[step]]\nkind = 'note'\n[[step]]\nkind = 'state'\n");
    place.segue(&["trust"]).run();
    for n in 0..8 {
        place.run(&["--note", &format!("note {n}")]).run();
    }
    put(&place.repo.join("go"), "");
    place.run(&[]).ok();
    let listed = place.segue(&["list"]).run().stdout;
    let order: Vec<&str> =
        listed.lines().skip(1).map(|line| line.split('\t').nth(3).unwrap()).collect();
    let expected: Vec<String> = (0..8).rev().map(|n| format!("note {n}")).collect();
    assert_eq!(order, expected);
    assert!(place.segue(&["show", "--layer", "2"]).run().stdout.contains("note 7"));
}

#[test]
fn compaction_leaves_a_memory_alone_that_is_not_read_from() {
    let place = Place::new();
    place.plan("[backend]\ntype = 'null'\n");
    let theirs = place.repo.join("memory/layer1/2026-07/x-2026-07-01.md");
    put(&theirs, "<!-- agent-handover | layer1 | 2026-07-01 -->\ntheir words\n");
    place.run(&["--note", "mine"]).ok();
    let ran = place.segue(&["compact", "--older-than", "10d"]).run();
    assert_eq!(ran.stdout, "Archived 0 handoffs.\n", "{}", ran.stderr);
    assert!(theirs.exists());
    place.segue(&["trust"]).run();
    let ran = place.segue(&["compact", "--older-than", "10d", "--json"]).run();
    let done: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(done["archived"], 1, "{done}");
    assert_eq!(
        place.segue(&["show", done["ids"][0].as_str().unwrap()]).run().stdout,
        "their words\n"
    );
}
