//! Defects of the tools that Segue supersedes, each shown not to be possible here. C1 to C13 are of
//! handoff, S5 to S17 of session-handoff.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::ground::{TestEnv, put};

#[test]
fn c1_a_ttl_that_overflows_is_refused_and_a_long_one_holds() {
    let env = TestEnv::new();
    for ttl in ["9000000000000d", "99999999999999999999h", "2920000d"] {
        let error = env.segue(&["store", "--name", "n", "--ttl", ttl]).stdin("body").fails(64);
        assert!(error.contains("hint: for example"), "{error}");
    }
    assert_eq!(env.handoff_files().len(), 0);
    let id = env.segue(&["store", "--name", "n", "--ttl", "107000d"]).stdin("body").ok();
    assert_eq!(env.segue(&["retrieve", id.trim()]).ok(), "body");
    assert_eq!(env.segue(&["retrieve", "--name", "n"]).ok(), "body");
}

#[test]
fn c2_gc_counts_what_it_archives() {
    let env = TestEnv::new();
    let id = env.segue(&["store", "--name", "n", "--ttl", "1h"]).stdin("body").ok();
    env.segue(&["list"]).at("2026-11-16T00:00:00Z").run();
    assert_eq!(
        env.segue(&["gc", "--dry-run"]).at("2026-11-16T00:00:00Z").run().stdout,
        "Would archive 1 handoff that expired.\n"
    );
    assert_eq!(
        env.segue(&["gc"]).at("2026-11-16T00:00:00Z").ok(),
        "Archived 1 handoff that expired.\n"
    );
    assert_eq!(
        env.segue(&["gc"]).at("2026-11-16T00:00:00Z").ok(),
        "Archived 0 handoffs that expired.\n"
    );
    assert_eq!(env.segue(&["show", id.trim()]).at("2026-11-16T00:00:00Z").run().stdout, "body");
}

#[test]
fn c3_parallel_writers_and_readers_all_succeed() {
    let env = TestEnv::new();
    let mut children = Vec::new();
    for n in 0..40 {
        let title = format!("writer {n}");
        let mut save = env.segue(&["save", "--title", &title]).real_clock();
        children.push(
            save.command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap(),
        );
        if n % 4 == 0 {
            let mut list = env.segue(&["list"]).real_clock();
            children.push(
                list.command
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap(),
            );
        }
    }
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(env.handoff_files().len(), 40);
    assert_eq!(env.segue(&["list"]).ok().lines().count(), 41);
}

#[test]
fn c4_a_combined_ttl_is_the_sum_and_nonsense_is_refused() {
    let env = TestEnv::new();
    env.segue(&["store", "--name", "n", "--ttl", "1d2h"]).stdin("body").ok();
    assert!(env.segue(&["list"]).ok().contains("2026-11-16T19:45:00Z"));
    for ttl in ["1.5d", "7dd", "5h3d", "12abcd", " 7d", "7 d", "0x10d", "0d", "-1d", "", "d"] {
        let ttl = format!("--ttl={ttl}");
        env.segue(&["store", "--name", "n", &ttl]).stdin("body").fails(64);
    }
    assert_eq!(env.handoff_files().len(), 1);
}

#[test]
fn c5_the_summary_is_shown_by_list() {
    let env = TestEnv::new();
    env.segue(&["store", "--name", "n", "--summary", "the words of the summary"])
        .stdin("body")
        .ok();
    assert!(env.segue(&["list"]).ok().contains("the words of the summary"));
    assert!(
        env.segue(&["list", "--json"]).ok().contains("\"summary\": \"the words of the summary\"")
    );
}

#[test]
fn c7_a_name_does_not_cross_projects() {
    let env = TestEnv::new();
    let (a, b) = (env.repo("a"), env.repo("b"));
    env.segue(&["store", "--name", "state"])
        .stdin("A content")
        .dir(&a)
        .at("2026-11-15T10:00:00Z")
        .ok();
    env.segue(&["store", "--name", "state"])
        .stdin("B content")
        .dir(&b)
        .at("2026-11-15T11:00:00Z")
        .ok();
    assert_eq!(env.segue(&["retrieve", "--name", "state"]).dir(&a).ok(), "A content");
    env.segue(&["store", "--name", "only-b"]).stdin("B only").dir(&b).ok();
    let error = env.segue(&["retrieve", "--name", "only-b"]).dir(&a).fails(66);
    assert!(error.contains("the project 'b' has one: add --project b"), "{error}");
    assert_eq!(
        env.segue(&["retrieve", "--name", "only-b", "--project", "b"]).dir(&a).ok(),
        "B only"
    );
}

#[test]
fn c8_reading_never_deletes_what_has_expired() {
    let env = TestEnv::new();
    let id = env.segue(&["store", "--name", "n", "--ttl", "1h"]).stdin("body").ok();
    let later = "2027-01-01T00:00:00Z";
    assert_eq!(env.segue(&["list"]).at(later).run().stdout, "");
    let error = env.segue(&["retrieve", "--name", "n"]).at(later).fails(66);
    assert!(error.contains("has expired"), "{error}");
    let shown = env.segue(&["retrieve", id.trim()]).at(later).run();
    assert_eq!((shown.code, shown.stdout.as_str()), (0, "body"));
    assert_eq!(shown.stderr, "warning: this handoff expired at 2026-11-15T18:45:00Z\n");
    assert!(env.segue(&["list", "--expired"]).at(later).ok().contains(id.trim()));
    assert_eq!(env.handoff_files().len(), 1);
}

#[test]
fn c9_s13_no_stored_text_forges_a_row_or_reaches_the_terminal_raw() {
    let env = TestEnv::new();
    for name in ["a\nffffffff\tfake", "a\tb", "a\u{1b}[31mb", "a\u{202e}b"] {
        let error = env.segue(&["store", "--name", name]).stdin("body").fails(64);
        assert!(!error.contains('\u{1b}') && !error.contains('\u{202e}'), "{error:?}");
    }
    env.segue(&[
        "save",
        "--title",
        "t\nffffffff\tfake\u{1b}]0;owned\u{7}",
        "--summary",
        "s\u{9b}31m\r\n",
    ])
    .ok();
    let list = env.segue(&["list"]).ok();
    assert_eq!(list.lines().count(), 2);
    assert!(
        !list.contains('\u{1b}') && !list.contains('\u{9b}') && !list.contains('\u{7}'),
        "{list:?}"
    );
    assert!(list.contains("t␊ffffffff␉fake␛]0;owned␇"), "{list}");
}

#[cfg(unix)]
#[test]
fn c10_s12_whatever_the_umask_nobody_else_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    let script = format!(
        "umask 000; echo body | '{}' save && '{0}' list >/dev/null && '{0}' save --title x --ttl 1m </dev/null",
        env!("CARGO_BIN_EXE_segue")
    );
    let output = env.command("/bin/sh").args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    env.segue(&["gc"]).at("2036-11-16T00:00:00Z").ok();
    let mut seen = 0;
    let mut dirs = vec![env.home.clone()];
    while let Some(dir) = dirs.pop() {
        assert_eq!(
            fs::metadata(&dir).unwrap().permissions().mode() & 0o777,
            0o700,
            "{}",
            dir.display()
        );
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else {
                assert_eq!(
                    fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                    0o600,
                    "{}",
                    path.display()
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 6, "the index and its side files were there too");
}

#[test]
fn c11_an_error_names_the_path_and_the_reason() {
    let env = TestEnv::new();
    put(&env.home.with_file_name("blocker"), "a file");
    let error = env
        .segue(&["save", "--title", "x"])
        .env("SEGUE_HOME", env.home.with_file_name("blocker/store"))
        .fails(1);
    assert!(error.contains("blocker") && error.contains("not a directory"), "{error}");
}

#[test]
fn c12_an_error_is_said_once_in_two_lines() {
    let env = TestEnv::new();
    for args in
        [&["retrieve", "nope"][..], &["list", "--bogus"], &["store", "--ttl", "x"], &["frobnicate"]]
    {
        let ran = env.segue(args).stdin("body").run();
        assert!(ran.code >= 64, "{args:?}: {}", ran.code);
        assert_eq!(ran.stderr.lines().count(), 2, "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("\nhint: "), "{}", ran.stderr);
    }
}

#[test]
fn c13_list_reads_no_bodies_and_can_be_limited() {
    let env = TestEnv::new();
    for n in 0..3 {
        env.segue(&["save", "--title", &format!("t{n}")]).stdin("x".repeat(100_000)).ok();
    }
    assert_eq!(env.segue(&["list", "--limit", "2"]).ok().lines().count(), 3);
    assert_eq!(env.segue(&["list", "--limit", "0"]).ok().lines().count(), 4);
    // The index holds heads only: the bodies are not in what a list reads.
    assert!(fs::metadata(env.home.join("index.db")).unwrap().len() < 200_000);
}

#[test]
fn s5_latest_is_the_one_saved_last_even_within_a_second() {
    let env = TestEnv::new();
    for title in ["first", "second", "third"] {
        env.segue(&["save", "--title", title]).ok();
    }
    assert!(env.segue(&["render"]).ok().contains("- Topic: third\n"));
    assert!(env.segue(&["list", "--latest"]).ok().contains("third"));
    // A clock that steps back a little does not change that; one that is far off is reported.
    env.segue(&["save", "--title", "fourth"]).at("2026-11-15T17:44:56Z").ok();
    assert!(env.segue(&["list", "--latest"]).ok().contains("fourth"));
    let ran = env.segue(&["save", "--title", "fifth"]).at("2026-11-15T17:00:00Z").run();
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("later than this machine's clock"), "{}", ran.stderr);
}

#[test]
fn s6_a_killed_save_leaves_no_lock() {
    let env = TestEnv::new();
    env.saved(&["--title", "before"]);
    for _ in 0..10 {
        let mut save = env.segue(&["save", "--title", "killed"]).real_clock();
        let mut child = save.command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(700));
        let _ = child.kill();
        child.wait().unwrap();
    }
    let begun = Instant::now();
    env.saved(&["--title", "after"]);
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[test]
fn s7_one_bad_record_is_named_and_the_rest_works() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "good"]).ok();
    let file = &env.handoff_files()[0];
    put(&file.with_file_name("bad-2026-11-15-aaaaaaaa.md"), "---\nsegue: 1\nid: nope\n---\n");
    put(&file.with_file_name("empty-2026-11-15-aaaaaaab.md"), "");
    put(&file.with_file_name("latin-2026-11-15-aaaaaaac.md"), b"---\nsegue: 1\n\xe9\n");
    let ran = env.segue(&["list"]).run();
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 2));
    for (name, reason) in [
        ("bad-", "line 3: 'id' is not an id"),
        ("empty-", "does not begin with '---'"),
        ("latin-", "is not UTF-8"),
    ] {
        assert!(
            ran.stderr.lines().any(|line| line.contains(name) && line.contains(reason)),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(ran.stderr.matches("warning: ").count(), 3);
    assert!(env.segue(&["render"]).run().stdout.contains("good"));
    env.segue(&["save", "--title", "more"]).ok();
}

#[test]
fn s8_what_a_newer_version_wrote_is_shown_and_never_rewritten() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "now"]).ok();
    let file = env.handoff_files()[0].with_file_name("future-2026-11-15-aaaaaaaa.md");
    let text = "---\nsegue: 7\nid: 20261115-160000-aaaaaaaa\ncreated: 2026-11-15T16:00:00Z\nfuture: {a: [b]}\ntitle: From the future\n---\nbody\n";
    put(&file, text);
    let ran = env.segue(&["show", "aaaaaaaa", "--raw"]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (0, text));
    assert!(ran.stderr.contains("newer format"), "{}", ran.stderr);
    let error = env.segue(&["edit", "aaaaaaaa", "--title", "x"]).fails(65);
    assert!(error.contains("newer format"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    // Unknown keys of our own version go into the successor.
    let extra = env.handoff_files()[0].with_file_name("extra-2026-11-15-aaaaaaab.md");
    put(
        &extra,
        "---\nsegue: 1\nid: 20261115-160000-aaaaaaab\ncreated: 2026-11-15T16:00:00Z\nx-mood: |\n  calm\n---\nbody\n",
    );
    let id = env.segue(&["edit", "aaaaaaab", "--title", "x"]).ok();
    assert!(env.segue(&["show", id.trim(), "--raw"]).ok().contains("\nx-mood: |\n  calm\n"));
}

#[cfg(unix)]
#[test]
fn s9_a_symlinked_home_and_month_are_followed() {
    let env = TestEnv::new();
    let real = env.dir("real-home");
    fs::create_dir_all(env.home.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&real, &env.home).unwrap();
    env.segue(&["save", "--title", "one"]).ok();
    let month = env.handoff_files()[0].parent().unwrap().to_owned();
    let elsewhere = env.dir("elsewhere").join("month");
    fs::rename(&month, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &month).unwrap();
    let state = month.ancestors().nth(2).unwrap().join("layer2/current-state.md");
    let kept = env.dir("kept").join("state.md");
    fs::rename(&state, &kept).unwrap();
    std::os::unix::fs::symlink(&kept, &state).unwrap();
    env.segue(&["save", "--title", "two"]).ok();
    assert!(env.home.is_symlink() && month.is_symlink() && state.is_symlink());
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 2);
    assert!(fs::read_to_string(&kept).unwrap().contains("# two"));
    assert_eq!(env.segue(&["list"]).ok().lines().count(), 3);
}

#[test]
fn s10_flags_behind_a_selector_count_and_an_empty_id_is_refused() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "only"]).ok();
    env.segue(&["render", "20991231", "--target", "claude-code"]).fails(66);
    assert!(
        env.segue(&["render", "latest", "--target", "claude-code"])
            .ok()
            .contains("Target tool: claude-code")
    );
    env.segue(&["render", "--id", ""]).fails(64);
    env.segue(&["show", " "]).fails(64);
    env.segue(&["list", "--id", ""]).fails(64);
}

#[test]
fn s11_a_directory_without_git_can_be_saved_from() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "no git", "--project", "."]).ok();
    assert!(env.segue(&["list"]).ok().contains("no git"));
    // Nor is git itself needed.
    let id = env.segue(&["save", "--title", "no git at all"]).env("PATH", "/nonexistent").ok();
    assert_eq!(id.trim().len(), 8);
}

#[test]
fn s14_a_second_has_room_for_more_than_a_thousand() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "first"]).ok();
    let first = env.handoff_files()[0].clone();
    let text = fs::read_to_string(&first).unwrap();
    for n in 0..1500 {
        let id = format!("20261115-174500-f{n:07x}");
        let source = text.replace("20261115-174500-910a2dec", &id);
        put(&first.with_file_name(format!("first-2026-11-15-f{n:07x}.md")), source);
    }
    env.segue(&["save", "--title", "one more"]).ok();
    assert_eq!(env.segue(&["list"]).ok().lines().count(), 1 + 1502);
}

#[cfg(unix)]
#[test]
fn s17_days_bodies_branches_edits_and_symlinked_projects() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    put(&repo.join("top.txt"), "x");
    put(&repo.join("sub/inner.txt"), "x");
    let long = "word ".repeat(50_000);
    env.segue(&["save", "--title", "long"]).stdin(&long).dir(&repo.join("sub")).ok();
    assert_eq!(env.segue(&["show"]).dir(&repo).ok(), long);
    let json = env.segue(&["list", "--json", "--since", "2d"]).dir(&repo).ok();
    assert!(json.contains("\"branch\": \"main\"") && json.contains("\"dir\": \"sub\""), "{json}");
    assert!(
        json.contains("sub/") && !json.contains("top.txt"),
        "only what is below the directory: {json}"
    );
    let link = env.dir("links").join("app");
    std::os::unix::fs::symlink(&repo, &link).unwrap();
    let by_link = env.segue(&["list", "--project", link.to_str().unwrap()]).ok();
    assert_eq!(by_link.lines().count(), 2, "{by_link}");
    env.segue(&["edit", "latest", "--title", "shorter", "--ttl", "2w"]).dir(&repo).ok();
    assert!(env.segue(&["list", "--latest"]).dir(&repo).ok().contains("shorter"));
    env.segue(&["forget", "latest", "--yes"]).dir(&repo).run();
    assert!(env.segue(&["list", "--latest"]).dir(&repo).ok().contains("long"));
}
