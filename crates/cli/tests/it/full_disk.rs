//! A disk without room and a disk that cannot be written to: clear errors, nothing half written.

use std::fs;
use std::io;
use std::path::PathBuf;

use crate::ground::{TestEnv, files_below};
use crate::mount::Mount;
use crate::witness::{Witness, leftovers, list, show};

/// Saves until the disk is full, then goes on as a user would.
fn fill(options: &str, body: &str) {
    let env = TestEnv::new();
    let Some(mount) = Mount::tmpfs(&env.home, options) else {
        return;
    };
    let save = |nth: usize| {
        let title = format!("Save {nth}");
        env.segue(&["save", "--title", &title]).real_clock().stdin(body).run()
    };
    let mut ids = Vec::new();
    let failed = loop {
        let ran = save(ids.len());
        if ran.code != 0 {
            break ran;
        }
        ids.push(ran.stdout.trim().to_owned());
        assert!(ids.len() < 5000, "the disk is never full");
    };
    println!("{options}: {} saves, then: {}", ids.len(), failed.stderr);
    assert!(ids.len() > 3);
    assert_eq!((failed.code, failed.stdout.as_str()), (1, ""));
    assert!(failed.stderr.starts_with("error: cannot "), "{}", failed.stderr);
    assert_eq!(failed.stderr.matches("error: ").count(), 1);
    assert!(failed.stderr.contains("hint: the disk is full"), "{}", failed.stderr);
    assert_eq!(leftovers(&env), Vec::<PathBuf>::new());
    // On the full disk everything is there, with the index and without.
    for _ in 0..2 {
        let listed = list(&env).unwrap();
        assert_eq!(listed.len(), ids.len());
        for id in &ids {
            let raw = show(&env, id).unwrap();
            assert!(raw.ends_with(body.as_bytes()), "{id}");
        }
        for file in env.handoff_files() {
            assert!(fs::read(&file).unwrap().ends_with(body.as_bytes()), "{file:?}");
        }
        env.delete_index();
    }
    let witness = Witness::new(&env);
    mount.remount("size=8m,nr_inodes=2000");
    let ran = save(ids.len());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    ids.push(ran.stdout.trim().to_owned());
    assert_eq!(list(&env).unwrap().len(), ids.len());
    for (id, raw) in &witness.seen {
        assert_eq!(show(&env, id).unwrap(), *raw);
    }
    assert_eq!(witness.answers_differ(), None);
}

#[test]
fn a_full_disk_loses_nothing_and_says_so() {
    fill("size=1m", &"A line of the body.\n".repeat(100));
}

#[test]
fn a_disk_without_inodes_loses_nothing_and_says_so() {
    fill("size=4m,nr_inodes=40", "Short.\n");
}

#[test]
fn a_disk_full_from_the_start_leaves_nothing() {
    let env = TestEnv::new();
    let Some(mount) = Mount::tmpfs(&env.home, "size=64k") else {
        return;
    };
    let ballast = env.home.join("ballast");
    let mut file = fs::File::create(&ballast).unwrap();
    assert!(io::copy(&mut io::repeat(7), &mut file).is_err());
    let said = env.segue(&["save", "--title", "x"]).fails(1);
    assert!(said.contains("hint: the disk is full"), "{said}");
    assert_eq!(env.handoff_files(), Vec::<PathBuf>::new());
    fs::remove_file(ballast).unwrap();
    mount.remount("size=4m");
    env.segue(&["save", "--title", "x"]).ok();
    assert_eq!(list(&env).unwrap().len(), 1);
}

#[test]
fn a_read_only_disk_is_read_and_not_written() {
    let env = TestEnv::new();
    let Some(mount) = Mount::tmpfs(&env.home, "size=4m") else {
        return;
    };
    for title in ["one", "two", "three"] {
        env.saved(&["--title", title]);
    }
    let contents = || -> Vec<(PathBuf, Vec<u8>)> {
        let files = files_below(&env.home).into_iter();
        files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    };
    let ask = || {
        [&["list", "--json"][..], &["list"], &["show"], &["show", "--raw"], &["project", "list"]]
            .map(|args| env.segue(args).real_clock().ok())
    };
    let answers = ask();
    for state in ["with an index", "without one"] {
        mount.remount("ro");
        let before = contents();
        assert_eq!(ask(), answers, "{state}");
        let newest = list(&env).unwrap().remove(0).id;
        for args in [
            &["save", "--title", "x"][..],
            &["edit", "--title", "x"],
            &["forget", "--yes", &newest],
            &["index", "--rebuild"],
        ] {
            let ran = env.segue(args).real_clock().run();
            let (_, error) = ran.stderr.split_once("error: cannot ").unwrap_or_default();
            assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{args:?}: {}", ran.stderr);
            assert!(error.contains("Read-only file system"), "{args:?}: {}", ran.stderr);
            assert!(error.contains("hint: set SEGUE_HOME"), "{args:?}: {}", ran.stderr);
        }
        assert!(contents() == before, "{state}");
        mount.remount("rw");
        env.delete_index();
    }
    assert_eq!(ask(), answers);
}

/// A limit of the size of files, in blocks of 512 bytes, and then the program.
#[cfg(target_os = "linux")]
fn limited(env: &TestEnv, blocks: u32, args: &[&str]) -> crate::ground::Segue {
    let script = format!("ulimit -f {blocks}; exec \"$@\"");
    env.segue_under(&["sh", "-c", &script, "sh"], args)
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_the_size_of_files_breaks_no_hook_and_leaves_nothing_half_written() {
    use crate::hook::Hooked;
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    let payload = |event| hooked.payload("5e55-10", event, "").to_string();
    for blocks in [0, 1, 2, 4, 8, 16, 32, 64, 128] {
        for event in ["stop", "session-start", "pre-compact", "session-end"] {
            let ran = limited(&hooked.env, blocks, &["hook", "claude-code", event])
                .stdin(payload(event))
                .run();
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{event} {blocks}");
        }
        assert_eq!(leftovers(&hooked.env), Vec::<PathBuf>::new(), "{blocks}");
        for file in hooked.drafts().iter().chain(&hooked.env.handoff_files()) {
            let text = fs::read_to_string(file).unwrap();
            assert!(text.contains("Never touch the schema."), "{blocks} {file:?}\n{text}");
        }
    }
    // Without it everything is there.
    hooked.claude("5e55-10", "stop");
    hooked.claude("5e55-10", "session-end");
    assert_eq!(hooked.env.handoff_files().len(), 1);
    assert_eq!(list(&hooked.env).unwrap().len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_save_beyond_the_limit_of_the_size_of_files_says_so() {
    let env = TestEnv::new();
    let body = "A line of the body.\n".repeat(1000);
    let error = limited(&env, 8, &["save", "--title", "long"]).stdin(&body).fails(1);
    assert!(error.starts_with("error: cannot write"), "{error}");
    assert_eq!((env.handoff_files(), leftovers(&env)), (Vec::new(), Vec::new()));
    let id = env.segue(&["save", "--title", "long"]).stdin(&body).ok();
    assert!(show(&env, id.trim()).unwrap().ends_with(body.as_bytes()));
}
