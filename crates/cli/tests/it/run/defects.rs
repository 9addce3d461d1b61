//! The defects of agent-handover, one test each: what it does wrong does not happen here.

use std::fs;

use super::{PLAN, Place};
use crate::ground::{files_below, put};

fn executed(stdout: &str) -> &str {
    stdout.trim().strip_prefix("handover steps executed: ").unwrap()
}

#[test]
fn a_second_note_of_a_day_and_tag_leaves_the_first_h1() {
    let place = Place::new();
    place.run(&["--note", "session one"]).ok();
    place.run(&["--note", "session two"]).ok();
    let notes = place.notes().join("\n");
    assert!(notes.contains("session one") && notes.contains("session two"), "{notes}");
    assert!(place.state().contains("session two"));
}

#[test]
fn a_resumed_run_finishes_its_own_work_and_the_new_note_follows_h2() {
    let place = Place::new();
    place.cut_off();
    let error = place.run(&["--note", "OLD", "--current-state", "OLD STATE"]).run();
    assert_eq!(error.code, 1, "{}", error.stderr);
    assert_eq!(place.check(), 1);
    place.connect();
    let ran = place.run(&["--note", "NEW", "--current-state", "NEW STATE"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(executed(&ran.stdout), "publish, session_note, current_state, publish");
    let notes = place.notes().join("\n");
    assert!(notes.contains("OLD STATE") && notes.contains("NEW STATE"), "{notes}");
    assert!(place.state().contains("NEW STATE") && !place.state().contains("OLD"));
    let published = place.published("main");
    assert_eq!(published.iter().filter(|path| path.contains("layer1")).count(), 2);
    assert_eq!(place.check(), 2);
}

#[test]
fn a_note_that_is_given_while_the_remote_is_gone_is_kept_too_h2() {
    let place = Place::new();
    place.cut_off();
    for note in ["one", "two", "three"] {
        assert_eq!(place.run(&["--note", note]).run().code, 1);
    }
    place.connect();
    place.run(&[]).ok();
    let notes = place.notes().join("\n");
    for note in ["one", "two", "three"] {
        assert!(notes.contains(note), "{note}: {notes}");
    }
    assert_eq!(place.published("main").iter().filter(|path| path.contains("layer1")).count(), 3);
}

#[test]
fn a_push_that_failed_is_not_done_until_the_remote_has_it_h3() {
    let place = Place::new();
    place.cut_off();
    for _ in 0..3 {
        let ran = place.run(&[]).run();
        assert_eq!(ran.code, if place.notes().is_empty() { 64 } else { 1 }, "{}", ran.stderr);
        place.run(&["--note", "lexer split out"]).run();
        assert_eq!(place.check(), 1, "it is not done");
    }
    place.connect();
    place.run(&[]).ok();
    assert_eq!(place.check(), 2);
    let published = place.published("main");
    assert_eq!(published.iter().filter(|path| path.contains("layer1")).count(), 3, "{published:?}");
}

#[test]
fn files_of_others_in_the_tree_do_not_wedge_a_retry_h4() {
    let place = Place::new();
    put(&place.repo.join("untracked.txt"), "mine");
    put(&place.repo.join("a.txt"), "changed and not committed");
    place.cut_off();
    assert_eq!(place.run(&["--note", "x"]).run().code, 1);
    assert_eq!(place.run(&[]).run().code, 1);
    place.connect();
    place.run(&[]).ok();
    assert_eq!(place.check(), 2);
    assert!(!place.published("main").iter().any(|path| path == "untracked.txt"));
}

#[test]
fn what_is_staged_stays_staged_and_is_not_published_h5() {
    let place = Place::new();
    put(&place.repo.join("secret.env"), "KEY=1");
    place.env.git(&place.repo, &["add", "secret.env"]);
    let before = place.env.git(&place.repo, &["diff", "--cached"]);
    place.run(&["--note", "x"]).ok();
    assert!(!place.published("main").iter().any(|path| path == "secret.env"));
    assert_eq!(place.env.git(&place.repo, &["diff", "--cached"]), before);
    let status = place.env.git(&place.repo, &["status", "--short", "memory", "secret.env"]);
    assert_eq!(status, "A  secret.env");
}

#[test]
fn on_a_feature_branch_the_branch_of_the_plan_gets_it_h6() {
    let place = Place::new();
    place.env.git(&place.repo, &["checkout", "-qb", "feature"]);
    put(&place.repo.join("half.txt"), "half done");
    place.env.git(&place.repo, &["add", "half.txt"]);
    place.env.git(&place.repo, &["commit", "-qm", "half"]);
    let head = place.env.git(&place.repo, &["rev-parse", "HEAD"]);
    place.run(&["--note", "x"]).ok();
    let published = place.published("main");
    assert!(published.iter().any(|path| path.starts_with("memory/layer1/")), "{published:?}");
    assert!(!published.contains(&"half.txt".to_owned()));
    assert_eq!(place.env.git(&place.repo, &["rev-parse", "HEAD"]), head);
    assert_eq!(place.env.git(&place.repo, &["branch", "--show-current"]), "feature");
}

#[test]
fn of_sixteen_runs_at_once_none_crashes_and_every_note_survives_h7() {
    let place = Place::new();
    place.plan("[backend]\ntype = 'null'\n");
    let runs: Vec<_> = (0..16)
        .map(|n| {
            let note = format!("note number {n:02}");
            let mut run = place.run(&["--note", &note]);
            run.command.stdin(std::process::Stdio::null());
            run.command.stdout(std::process::Stdio::piped());
            run.command.stderr(std::process::Stdio::piped());
            run.command.spawn().unwrap()
        })
        .collect();
    let mut queued = 0;
    for run in runs {
        let output = run.wait_with_output().unwrap();
        let code = output.status.code().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(code == 0 || (code == 75 && stderr.contains("queued")), "{code}: {stderr}");
        queued += usize::from(code == 75);
    }
    if queued > 0 {
        place.run(&[]).ok();
    }
    let notes = place.notes();
    assert_eq!(notes.len(), 16);
    for n in 0..16 {
        let note = format!("note number {n:02}\n");
        assert_eq!(notes.iter().filter(|text| text.ends_with(&note)).count(), 1, "{note}");
    }
    assert_eq!(place.check(), 2);
}

#[test]
fn a_plan_whose_steps_changed_is_explained_h8() {
    let place = Place::new();
    place.cut_off();
    place.run(&["--note", "x"]).run();
    place.plan("[[step]]\nkind = 'note'\n[[step]]\nkind = 'state'\n");
    let checkpoint = place.repo.join(".agent-handover/checkpoint.json");
    let flag = format!("--checkpoint={}", checkpoint.display());
    let before = fs::read(&checkpoint).unwrap();
    let error = place.run(&[&flag, "--note", "y"]).fails(65);
    assert!(error.contains("'publish' is not in it any more, 'note', 'state' are new"), "{error}");
    assert!(error.contains("--fresh"), "{error}");
    assert_eq!(fs::read(&checkpoint).unwrap(), before);
    assert_eq!(place.check(), 1);
    // The way out: the old run is put aside, the note that waits is taken.
    let ran = place.run(&[&flag, "--fresh"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("put aside in"), "{}", ran.stderr);
    let dropped = place.run_files("/dropped/");
    assert_eq!(dropped.len(), 2, "the truth and the view");
    for path in dropped {
        assert!(fs::read_to_string(path).unwrap().contains("\"publish\": \"pending\""));
    }
    assert!(place.segue(&["list"]).run().stdout.contains("\ty\t"));
}

#[test]
fn a_step_that_says_something_else_is_done_as_it_says_now_h8() {
    let place = Place::new();
    place.plan(&format!("{PLAN}[backend]\nremote = \"orign\"\n"));
    let error = place.run(&["--note", "x"]).run();
    assert_eq!(error.code, 1, "{}", error.stderr);
    place.plan(PLAN);
    let ran = place.run(&[]).run();
    assert_eq!((ran.code, executed(&ran.stdout)), (0, "publish"));
    assert!(ran.stderr.contains("the step 'publish' says something else"), "{}", ran.stderr);
    assert_eq!(place.runs_on("main"), 1);
}

#[test]
fn a_run_with_nothing_left_is_closed_and_not_done_again_h9() {
    let place = Place::new();
    place.run(&["--note", "x"]).ok();
    let path = place.run_files("checkpoint.json").pop().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    put(&path, text.replace("\"status\": \"completed\"", "\"status\": \"in_progress\""));
    assert_eq!(place.check(), 2);
    let ran = place.run(&[]).run();
    assert_eq!((ran.code, executed(&ran.stdout)), (0, "(none)"), "{}", ran.stderr);
    assert_eq!(place.notes().len(), 1);
    assert!(fs::read_to_string(&path).unwrap().contains("\"status\": \"completed\""));
}

#[test]
fn an_interrupted_run_is_seen_from_every_sub_directory_h10() {
    let place = Place::new();
    place.cut_off();
    place.run(&["--note", "x"]).run();
    let deep = place.env.dir("repo/src/deep");
    let ran = place.env.segue(&["check"]).dir(&deep).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(
        ran.stderr.contains("'segue run --config .agent-handover/handover.toml' does publish"),
        "{}",
        ran.stderr
    );
    let status = place.env.segue(&["status"]).dir(&deep).ok();
    assert!(status.contains("pending: publish"), "{status}");
    // And a run in the store's own place.
    let other = place.env.repo("other");
    place.env.git(&other, &["config", "segue.remote", "/nonexistent.git"]);
    assert_eq!(place.env.segue(&["trust"]).dir(&other).run().code, 0);
    assert_eq!(place.env.segue(&["check"]).dir(&other).run().code, 0);
    place.env.segue(&["run", "--note", "x"]).dir(&other).fails_after_output(1);
    let sub = place.env.dir("other/sub");
    assert_eq!(place.env.segue(&["check"]).dir(&sub).run().code, 1);
}

#[test]
fn damage_and_mistakes_have_codes_of_their_own_h11() {
    let place = Place::new();
    place.run(&["--note", "x"]).ok();
    let path = place.repo.join(".agent-handover/checkpoint.json");
    let whole = fs::read_to_string(&path).unwrap();
    for text in ["", "{", "{}", "[]", &whole[..whole.len() / 2]] {
        put(&path, text);
        let error = place.segue(&["check"]).fails(65);
        assert!(error.contains("checkpoint.json is damaged"), "{error}");
        place.segue(&["status"]).fails(65);
        place.run(&["--note", "kept in the queue"]).fails(65);
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "it is left as it is");
    }
    place.segue(&["check", "--bogus"]).fails(64);
    let ran = place.run(&["--fresh"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(place.check(), 2);
    assert_eq!(place.notes().len(), 6, "and what was given meanwhile is written");
}

#[test]
fn gits_own_words_are_shown_h12() {
    let place = Place::new();
    place.cut_off();
    let ran = place.run(&["--note", "x"]).run();
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("does not appear to be a git repository"), "{}", ran.stderr);
    let status = place.segue(&["status"]).ok();
    assert!(status.contains("does not appear to be a git repository"), "{status}");
    place.plan(&format!("{PLAN}[backend]\nremote = \"nowhere\"\n"));
    let ran = place.run(&[]).run();
    assert!(ran.stderr.contains("nowhere"), "{}", ran.stderr);
}

#[test]
fn a_tilde_is_the_home_directory_in_every_path_h13() {
    let place = Place::new();
    place.plan("[handover]\nmemory_dir = \"~/mem\"\ncheckpoint = \"~/cp/checkpoint.json\"\n[backend]\ntype = \"null\"\n");
    // It leads out of the repository, which a plan in it may only after a word of the user's.
    let error = place.run(&["--note", "x"]).fails(65);
    assert!(error.contains("segue trust"), "{error}");
    place.segue(&["trust"]).run();
    place.run(&["--note", "x"]).ok();
    assert!(!place.repo.join("~").exists());
    let home = place.env.dir("");
    assert_eq!(files_below(&home.join("mem/layer1")).len(), 1);
    assert!(home.join("cp/checkpoint.json").exists());
}

#[test]
fn a_tag_is_a_whole_word_and_no_path_h14() {
    let place = Place::new();
    for (tag, note) in [("rapid", "wrong"), ("api", "right"), ("../../../escape", "inside")] {
        place.plan(&format!("[handover]\ntag = \"{tag}\"\n[backend]\ntype = \"null\"\n"));
        place.run(&["--note", note]).ok();
    }
    assert_eq!(place.segue(&["show", "--layer", "1", "--tag", "api"]).ok(), "right\n");
    let listed = place.segue(&["list", "--layer", "1", "--tag", "api"]).ok();
    assert!(listed.contains("right") && !listed.contains("wrong"), "{listed}");
    assert_eq!(place.notes().len(), 3, "all of them in the memory");
    assert!(!place.repo.join("../escape").exists());
}

#[test]
fn marks_in_the_wrong_order_never_double_what_the_user_wrote_h15() {
    let place = Place::new();
    let file = place.repo.join("HANDOFF.md");
    put(&file, "<!-- segue:end -->\r\nmy own words\r\n<!-- segue:begin -->\r\n");
    for _ in 0..3 {
        place.segue(&["snapshot"]).run();
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches("my own words\r\n").count(), 1, "{text}");
    }
}

#[test]
fn a_note_is_whole_or_not_there_h16() {
    // Every write is watched: a name appears only with its whole, synced content behind it.
    let place = Place::new();
    place.plan("[backend]\ntype = 'null'\n");
    if !crate::strace::works(&place.env) {
        return;
    }
    let log = place.env.dir("trace").join("log");
    let text = log.to_string_lossy().into_owned();
    let binary = env!("CARGO_BIN_EXE_segue");
    let ran = place
        .env
        .command("strace")
        .args(["-f", "-o", &text, "-e", "trace=openat,open,creat", binary, "run"])
        .args(["--config", ".agent-handover/handover.toml", "--note", "x"])
        .current_dir(&place.repo)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let opened = fs::read_to_string(&log).unwrap();
    let named = |line: &&str| line.contains("/memory/layer") || line.contains("checkpoint.json\"");
    for line in opened.lines().filter(named) {
        assert!(!line.contains("O_TRUNC"), "{line}");
        assert!(!line.contains("O_WRONLY") || line.contains(".tmp-"), "{line}");
    }
    assert_eq!(place.notes().len(), 1);
}

#[test]
fn the_brake_is_seen_and_notes_can_be_read_h17() {
    let place = Place::new();
    place.run(&["--note", "the note"]).ok();
    put(&place.env.dir("").join(".agent_handover/PAUSE"), "release day\n");
    let check = place.segue(&["check"]).run();
    assert_eq!(check.code, 2);
    assert!(check.stderr.contains("release day"), "{}", check.stderr);
    let status = place.segue(&["status"]).ok();
    assert!(status.contains("release day"), "{status}");
    assert!(place.segue(&["list"]).run().stdout.contains("the note"));
    assert_eq!(place.segue(&["show"]).run().stdout, "the note\n");
}
