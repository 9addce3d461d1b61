//! Bad input: one clear error, the right exit code, nothing lost, run or half written.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::ground::{TestEnv, files_below, put};

#[test]
fn an_empty_body_is_refused_unless_words_came_by_flags() {
    let env = TestEnv::new();
    for body in ["", "  \n\t\n"] {
        let error = env.segue(&["save"]).stdin(body).fails(65);
        insta::allow_duplicates! {
            insta::assert_snapshot!(error, @"
            error: there is nothing to save: no body, title, summary or next step
            hint: pipe a body in, or give --title, --summary or --next
            ");
        }
    }
    env.segue(&["save", "--name", "n"]).fails(65);
    assert_eq!(files_below(&env.home).len(), 0, "a refused save makes nothing");
    for flag in ["--title", "--summary", "--next"] {
        env.segue(&["save", flag, "words"]).ok();
    }
    env.segue(&["save", "--next", " "]).fails(64);
}

#[test]
fn a_body_that_is_not_utf8_is_refused_by_offset() {
    let env = TestEnv::new();
    let error = env.segue(&["save"]).stdin(b"caf\xe9").fails(65);
    assert!(error.contains("not UTF-8: first bad byte at offset 3"), "{error}");
    let id = env.segue(&["save"]).stdin(b"\xff\xfec\0a\0f\0\xe9\0").ok();
    assert_eq!(env.segue(&["show", id.trim()]).ok(), "café");
}

#[test]
fn names_that_could_harm_are_refused() {
    let env = TestEnv::new();
    for name in ["", "   ", "..", "a\nb", "a\u{1b}[2Jb", "\u{202e}"] {
        env.segue(&["save", "--title", "t", "--name", name]).fails(64);
    }
    for label in ["   ", "a\nb", "\u{1b}[2J"] {
        env.segue(&["save", "--title", "t", "--project", label]).fails(64);
    }
    env.segue(&["save", "--title", "t", "--tags", "a\u{7}"]).fails(64);
    // What looks like a path in a name or title is only a slug of it.
    env.segue(&["save", "--title", "../../../etc/passwd"]).ok();
    let file = env.handoff_files()[0].clone();
    assert!(
        file.starts_with(env.home.join("projects"))
            && file.to_string_lossy().contains("etc-passwd-2026-11-15-")
    );
}

#[test]
fn a_project_path_must_exist() {
    let env = TestEnv::new();
    for args in [
        &["save", "--title", "t", "--project", "./nowhere"][..],
        &["list", "--project", "/no/where"],
        &["show", "--project", "~/nowhere"],
    ] {
        let error = env.segue(args).fails(66);
        assert!(error.contains("does not exist\nhint: "), "{error}");
    }
    put(&env.work.join("file"), "x");
    env.segue(&["list", "--project", "./file"]).fails(66);
    let home = env.work.parent().unwrap().to_owned();
    env.segue(&["save", "--title", "at home", "--project", "~"]).ok();
    assert!(env.segue(&["list"]).dir(&home).ok().contains("at home"));
}

#[test]
fn ids_that_are_unknown_or_ambiguous() {
    let env = TestEnv::new();
    insta::assert_snapshot!(env.segue(&["show"]).fails(66), @"
    error: there is no handoff in the store
    hint: 'segue save' leaves the first one
    ");
    env.segue(&["save", "--title", "one"]).ok();
    env.segue(&["save", "--title", "two\u{1b}[31m"]).ok();
    insta::assert_snapshot!(env.segue(&["show", "20261115"]).fails(64), @"
    error: '20261115' fits 2 handoffs
      20261115-174500-beeb8da1  work  two␛[31m
      20261115-174500-910a2dec  work  one
    hint: give more of the id
    ");
    assert_eq!(env.segue(&["show", "910"]).run().code, 0);
    assert_eq!(env.segue(&["show", "910A2DEC"]).run().code, 0);
    env.segue(&["show", "20261115-174500-910a2ded"]).fails(66);
    env.segue(&["show", "../../x"]).fails(66);
    env.segue(&["show", "a\u{1b}b"]).fails(64);
    env.segue(&["show", "one", "two"]).fails(64);
}

#[test]
fn a_huge_file_is_named_and_passed_over() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "small"]).ok();
    let huge = env.handoff_files()[0].with_file_name("huge-2026-11-15-aaaaaaaa.md");
    fs::File::create(&huge).unwrap().set_len(100 * 1024 * 1024).unwrap();
    let ran = env.segue(&["list"]).run();
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 2));
    assert!(
        ran.stderr.contains("huge-2026-11-15-aaaaaaaa.md: it is larger than 16 MiB"),
        "{}",
        ran.stderr
    );
    let error = env.segue(&["save"]).stdin(vec![b'x'; 17 * 1024 * 1024]).fails(65);
    assert!(error.contains("larger than 16 MiB"), "{error}");
    // A body within the limit that the head carries over it: refused, with nothing to mend.
    let error =
        env.segue(&["save", "--title", "t"]).stdin(vec![b'x'; 16 * 1024 * 1024 - 10]).fails(65);
    assert!(error.contains("larger than 16 MiB\nhint: save a summary"), "{error}");
    assert_eq!(env.handoff_files().len(), 2, "the small one and the huge one");
}

#[test]
fn a_half_written_handoff_is_named_when_asked_for() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "whole"]).ok();
    let file = env.handoff_files()[0].clone();
    put(&file, "---\nsegue: 1\nid: 20261115-");
    let error = env.segue(&["show", "910a2dec"]).run();
    assert_eq!(error.code, 65, "{}", error.stderr);
    assert!(error.stderr.contains("has no closing '---'"), "{}", error.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), "---\nsegue: 1\nid: 20261115-", "left as it is");
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_named_and_the_rest_works() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    env.segue(&["save", "--title", "good"]).ok();
    let file = env.handoff_files()[0].with_file_name("dir-2026-11-15-aaaaaaaa.md");
    // Root reads everything: a directory in the place of a file is unreadable for root too.
    fs::create_dir(&file).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    let ran = env.segue(&["list"]).run();
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 2));
    assert!(ran.stderr.contains("dir-2026-11-15-aaaaaaaa.md"), "{}", ran.stderr);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_pipe_that_stays_open_is_waited_for_and_said() {
    let env = TestEnv::new();
    let mut save = env.segue(&["save", "--title", "t"]);
    let mut child = save
        .command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    stdin.write_all(b"late body").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert_eq!(talk, "waiting for the body on standard input (end it, or use --no-stdin)\n");
    assert_eq!(env.segue(&["show"]).ok(), "late body");

    let mut save = env.segue(&["save", "--title", "t", "--no-stdin"]);
    let begun = Instant::now();
    let mut child = save
        .command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _open = child.stdin.take();
    assert!(child.wait().unwrap().success());
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[cfg(unix)]
#[test]
fn a_hostile_repository_runs_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    let repo = env.repo("hostile");
    let mark = env.dir("marks").join("was-run");
    let evil = env.dir("marks").join("evil.sh");
    put(&evil, format!("#!/bin/sh\ntouch {}\n", mark.display()));
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
    let evil = evil.to_str().unwrap();
    for key in [
        "core.fsmonitor",
        "filter.x.clean",
        "filter.x.process",
        "diff.external",
        "core.sshCommand",
        "core.pager",
        "core.alternateRefsCommand",
    ] {
        env.git(&repo, &["config", key, evil]);
    }
    put(&repo.join(".gitattributes"), "* filter=x\n");
    for hook in ["post-index-change", "post-checkout", "reference-transaction"] {
        fs::copy(evil, repo.join(".git/hooks").join(hook)).unwrap();
    }
    put(&repo.join("a.txt"), "changed");
    let id = env.segue(&["save", "--title", "t"]).dir(&repo).ok();
    env.segue(&["list"]).dir(&repo).ok();
    env.segue(&["doctor"]).dir(&repo).run();
    assert!(!mark.exists(), "something of the repository's was run");
    assert!(
        env.segue(&["show", id.trim(), "--raw"]).ok().contains("changed: [.gitattributes, a.txt]")
    );
}

#[test]
fn a_broken_repository_costs_only_gits_part_and_is_said() {
    let env = TestEnv::new();
    let repo = env.repo("broken");
    put(&repo.join(".git/index"), "garbage");
    let ran = env.segue(&["save", "--title", "t"]).dir(&repo).run();
    assert_eq!(ran.code, 0);
    assert!(
        ran.stderr.starts_with("warning: saved without git's state: git status failed: "),
        "{}",
        ran.stderr
    );
    let raw = env.segue(&["show", "--raw"]).dir(&repo).ok();
    assert!(!raw.contains("changed") && !raw.contains("branch"), "nothing is claimed: {raw}");
}

#[test]
fn git_variables_of_a_hook_do_not_mislead() {
    let env = TestEnv::new();
    let (repo, other) = (env.repo("mine"), env.repo("other"));
    env.git(&other, &["checkout", "-q", "-b", "elsewhere"]);
    env.segue(&["save", "--title", "t"])
        .dir(&repo)
        .env("GIT_DIR", other.join(".git"))
        .env("GIT_INDEX_FILE", other.join(".git/index"))
        .ok();
    assert!(env.segue(&["show", "--raw"]).dir(&repo).ok().contains("branch: main"));
}

#[test]
fn arguments_that_exclude_each_other_or_do_not_exist() {
    let env = TestEnv::new();
    for args in [
        &["list", "--latest", "--limit", "5"][..],
        &["list", "--since", "soon"],
        &["list", "--limit", "-1"],
        &["list", "--project", "x", "--all-projects"],
        &["show", "a", "--id", "b"],
        &["show", "--raw", "--json"],
        &["render", "--target", ""],
        &["save", "--titel", "x"],
        &["completions", "tcsh"],
        &["project"],
        &["forget"],
    ] {
        let ran = env.segue(args).run();
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (if args[0] == "render" { 66 } else { 64 }, ""),
            "{args:?}: {}",
            ran.stderr
        );
        assert!(
            ran.stderr.starts_with("error: ") && ran.stderr.contains("\nhint: "),
            "{args:?}: {}",
            ran.stderr
        );
    }
    insta::assert_snapshot!(env.segue(&["save", "--titel", "x"]).fails(64), @"
    error: unexpected argument '--titel' found
    hint: a similar argument exists: '--title'
    ");
}

#[test]
fn a_home_or_directory_that_is_no_use_is_named() {
    let env = TestEnv::new();
    let gone = env.dir("gone");
    let mut list = env.segue(&["list"]).dir(&gone);
    // The directory is removed between the shell's cd and the command.
    let script = format!("rmdir '{}'; exec '{}' list", gone.display(), env!("CARGO_BIN_EXE_segue"));
    let mut command = env.command("/bin/sh");
    let output = command.args(["-c", &script]).current_dir(&gone).output().unwrap();
    list.command.stdin(Stdio::null());
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot find the current directory"));
    assert_eq!(env.segue(&["list"]).env("SEGUE_TIMESTAMP", "nonsense").run().code, 64);
}

#[test]
fn a_home_that_is_not_an_absolute_path_is_refused_and_not_made() {
    let env = TestEnv::new();
    for home in ["store", "./store", "../store", "~/store"] {
        for args in [&["save", "--title", "x"][..], &["list"], &["resume"], &["doctor"]] {
            let error = env.segue(args).env("SEGUE_HOME", home).fails(64);
            assert!(
                error.contains(&format!("SEGUE_HOME is not an absolute path: {home}")),
                "{error}"
            );
            assert!(error.contains("hint: give the whole path"), "{error}");
        }
        let hook =
            env.segue(&["hook", "claude-code", "stop"]).env("SEGUE_HOME", home).stdin("{}").run();
        assert_eq!((hook.code, hook.stdout.as_str(), hook.stderr.as_str()), (0, "", ""), "{home}");
    }
    assert_eq!(files_below(&env.work), Vec::<std::path::PathBuf>::new());
    assert!(!env.beside("store").exists());
}

#[cfg(unix)]
#[test]
fn the_doctor_names_what_another_user_owns_in_the_home() {
    use std::os::unix::fs::{chown, lchown};
    let env = TestEnv::new();
    env.saved(&["--title", "mine"]);
    let doctor = || env.segue(&["doctor"]).run().stdout;
    assert!(!doctor().contains("another user"), "{}", doctor());
    // As after `sudo segue save`: the home is the user's, and root made some files in it. Only root can lay that out.
    if chown(&env.home, Some(4711), None).is_err() {
        println!("skipped: only root can give files away");
        return;
    }
    for file in files_below(&env.home) {
        chown(&file, Some(4711), None).unwrap();
    }
    let dirs = ["projects"].map(|name| env.home.join(name));
    let mut left = dirs.to_vec();
    while let Some(dir) = left.pop() {
        chown(&dir, Some(4711), None).unwrap();
        let entries = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path());
        left.extend(entries.filter(|path| path.is_dir()));
    }
    let told = doctor();
    assert!(!told.contains("another user") || told.contains("index.db-"), "{told}");
    let handoff = env.handoff_files().remove(0);
    chown(&handoff, Some(0), None).unwrap();
    // What a link names is not in the home.
    std::os::unix::fs::symlink("/etc", env.home.join("link")).unwrap();
    lchown(env.home.join("link"), Some(4711), None).unwrap();
    let told = doctor();
    let name = handoff.file_name().unwrap().to_str().unwrap();
    assert!(told.contains("warn owner") && told.contains(name), "{told}");
    assert!(told.contains("hint: after 'sudo segue': sudo chown -R --reference="), "{told}");
    assert!(!told.contains("/link/"), "{told}");
    // As after a first `sudo segue save`: even the home is root's, in a directory of the user's.
    chown(&env.home, Some(0), None).unwrap();
    chown(env.home.parent().unwrap(), Some(4711), None).unwrap();
    let told = doctor();
    assert!(told.contains("$ROOT/home owns $ROOT/home/segue, "), "{told}");
}
