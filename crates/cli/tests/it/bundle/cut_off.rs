//! An import that is killed happened wholly or not at all, and the next command sees to it.
//!
//! Every test run tries a sample of the calls; all of them with `SEGUE_TEST_ALL_FAULTS=1`.

use std::fs;

use super::{Two, listed, save};
use crate::ground::files_below;
use crate::strace::{self, Trace};

/// How many kills a sample has.
const KILLS: usize = 24;

/// Ben has two of the ids, one with another text; the bundle brings six.
fn scene() -> (Two, String) {
    let two = Two::trusting();
    for seed in 1..=6 {
        save(&two.ana, &format!("Part {seed}"), &seed.to_string());
    }
    save(&two.ben, "Mine", "2");
    save(&two.ben, "Other", "20");
    let file = two.signed("all.segue", &["--since", "7d"]);
    (two, file)
}

fn import_under(two: &Two, file: &str, tracer: &[&str]) -> crate::ground::Ran {
    two.ben.segue_under(tracer, &["import", file, "--on-conflict", "replace"]).run()
}

/// Titles of what is there, and of what is archived.
fn titles(two: &Two) -> Vec<String> {
    let mut titles: Vec<String> = listed(&two.ben, &["--expired"])
        .iter()
        .map(|one| format!("{} {}", one["id"].as_str().unwrap(), one["title"].as_str().unwrap()))
        .collect();
    titles.sort();
    titles
}

#[test]
fn killed_at_any_call_an_import_is_whole_or_nothing() {
    let (first, file) = scene();
    if !strace::works(&first.ben) {
        return;
    }
    let before = titles(&first);
    let log = first.ben.dir("trace").join("log").to_string_lossy().into_owned();
    let ran = import_under(&first, &file, &strace::watching(&log));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let after = titles(&first);
    assert_eq!((before.len(), after.len()), (2, 8));
    let calls = Trace::read(log.as_ref()).own;
    let stride = if strace::all_faults() { 1 } else { (calls.len() / KILLS).max(1) };
    let mut kills = 0;
    let (mut nothing, mut whole) = (0, 0);
    for call in calls.iter().skip(stride / 2).step_by(stride) {
        let (two, file) = scene();
        let words = strace::striking(call, "signal=KILL");
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = import_under(&two, &file, &words);
        kills += usize::from(ran.code != 0);
        let left = titles(&two);
        let plain = |titles: &[String]| titles.to_vec();
        if plain(&left) == plain(&before) {
            nothing += 1;
        } else {
            assert_eq!(plain(&left), plain(&after), "killed at {call:?}");
            whole += 1;
        }
        assert!(!two.ben.home.join("incoming/journal").exists(), "killed at {call:?}");
        // Repeated, all is there, once.
        assert_eq!(import_under(&two, &file, &[]).code, 0, "killed at {call:?}");
        let repeated = titles(&two);
        assert!(repeated.len() == 8, "killed at {call:?}: {repeated:?}");
        let staged = files_below(&two.ben.home.join("incoming"));
        assert!(staged.len() == 1, "killed at {call:?}: {staged:?}");
    }
    println!("{} calls, {kills} kills: {nothing} times nothing, {whole} times all", calls.len());
    assert!(kills > KILLS / 2 && whole > 0 && nothing > 0);
}

#[test]
fn denied_anything_an_import_says_so_and_loses_nothing() {
    let (first, file) = scene();
    if !strace::works(&first.ben) {
        return;
    }
    let before = titles(&first);
    let log = first.ben.dir("trace").join("log").to_string_lossy().into_owned();
    import_under(&first, &file, &strace::watching(&log));
    let after = titles(&first);
    let changing =
        ["openat", "write", "fsync", "syncfs", "linkat", "rename", "mkdir", "unlink", "unlinkat"];
    let calls: Vec<_> = Trace::read(log.as_ref())
        .own
        .into_iter()
        .filter(|call| changing.contains(&call.name.as_str()))
        .collect();
    let stride = if strace::all_faults() { 1 } else { (calls.len() / 16).max(1) };
    for (at, call) in calls.iter().skip(stride / 2).step_by(stride).enumerate() {
        let (two, file) = scene();
        let words = strace::striking(call, ["error=ENOSPC", "error=EIO", "error=EACCES"][at % 3]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = import_under(&two, &file, &words);
        assert!([0, 1, 65, 75].contains(&ran.code), "{call:?}: {} {}", ran.code, ran.stderr);
        let left = titles(&two);
        assert!(left == before || left == after, "{call:?}: {left:?}\n{}", ran.stderr);
        assert_eq!(import_under(&two, &file, &[]).code, 0, "{call:?}");
        assert_eq!(titles(&two).len(), 8, "{call:?}");
    }
}

#[test]
fn a_journal_that_cannot_be_read_is_told_and_stops_nothing() {
    let two = Two::trusting();
    save(&two.ben, "Mine", "2");
    let journal = two.ben.home.join("incoming/journal");
    crate::ground::put(&journal, "nonsense");
    assert!(two.ben.segue(&["show"]).ok().contains("Mine stands"));
    let doctor = two.ben.segue(&["doctor"]).run();
    assert!(doctor.stdout.contains("journal"), "{}{}", doctor.stdout, doctor.stderr);
    save(&two.ana, "Auth", "1");
    let ran = two.import(&two.signed("a.segue", &[]), &[]).run();
    assert_eq!(ran.code, 65, "{}", ran.stderr);
    assert_eq!(fs::read_to_string(journal).unwrap(), "nonsense");
}

#[test]
fn imports_at_once_come_in_one_after_the_other() {
    let two = Two::trusting();
    let mut files = Vec::new();
    for seed in 1..=8 {
        save(&two.ana, &format!("Part {seed}"), &seed.to_string());
        files.push(two.signed(&format!("{seed}.segue"), &["--since", "7d"]));
    }
    let children: Vec<_> = files
        .iter()
        .chain(&files)
        .map(|file| {
            two.import(file, &[]).command.stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(listed(&two.ben, &[]).len(), 8);
    assert_eq!(two.ben.handoff_files().len(), 8);
}
