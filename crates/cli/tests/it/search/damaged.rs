//! Whatever happened to the index, a search answers as before or says in one error why not.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::{BEFORE, command, found, parsed, run, save, short, told};
use crate::ground::{Ran, TestEnv, files_below, put};
use crate::mount::Mount;

fn fill(env: &TestEnv) {
    for (n, word) in ["pelican", "heron", "stork"].iter().enumerate() {
        let body = format!("## Key Decisions\n\n- Nest {n}: on the roof\n\nThe {word} sleeps.\n");
        save(env, BEFORE, &["--title", word, "--tags", "bird"], &body);
    }
    save(env, "2026-10-01T10:00:00Z", &["--title", "old", "--ttl", "1h"], "The auk is extinct.");
    env.segue(&["gc"]).ok();
}

/// What several searches say.
fn answers(env: &TestEnv) -> Vec<String> {
    let queries: [&[&str]; 5] =
        [&["pelican"], &["sleeps tag:bird"], &["auk"], &["nest roof", "--limit", "2"], &["zebra"]];
    queries.iter().map(|args| told(env, args)).collect()
}

/// No panic, and an answer or one error with an honest code.
fn is_honest(ran: &Ran, what: &str) {
    let errors = ran.stderr.matches("error: ").count();
    let honest = matches!((ran.code, errors), (0, 0) | (1 | 65 | 75, 1));
    assert!(honest && !ran.stderr.contains("panicked"), "{what}: {} {}", ran.code, ran.stderr);
}

fn without_sides(env: &TestEnv) {
    for side in ["index.db-wal", "index.db-shm"] {
        let _ = fs::remove_file(env.home.join(side));
    }
}

#[test]
fn a_damaged_foreign_older_newer_or_missing_index_is_made_anew() {
    let env = TestEnv::new();
    fill(&env);
    let before = answers(&env);
    assert!(before[0].contains("pelican sleeps") && before[2].contains("extinct"), "{before:?}");
    let index = env.home.join("index.db");
    type Damage<'a> = (&'static str, &'a dyn Fn(Vec<u8>) -> Vec<u8>);
    let version = |mut bytes: Vec<u8>, version: u32| {
        bytes[60..64].copy_from_slice(&version.to_be_bytes());
        bytes
    };
    let damages: [Damage<'_>; 9] = [
        ("garbage", &|bytes| b"no database ".repeat(bytes.len() / 12)),
        ("empty", &|_| Vec::new()),
        ("a header only", &|bytes| bytes[..100].to_vec()),
        ("cut in half", &|bytes| bytes[..bytes.len() / 2].to_vec()),
        ("cut by a page", &|bytes| bytes[..bytes.len() - 4096].to_vec()),
        ("a newer version", &|bytes| version(bytes, 999)),
        ("an older version", &|bytes| version(bytes, 1)),
        ("holes", &|mut bytes| {
            bytes.iter_mut().skip(4096).step_by(97).for_each(|byte| *byte ^= 0xff);
            bytes
        }),
        ("zeros", &|mut bytes| {
            bytes.iter_mut().skip(4096).for_each(|byte| *byte = 0);
            bytes
        }),
    ];
    for (what, damage) in damages {
        env.segue(&["index", "--rebuild"]).ok();
        assert_eq!(answers(&env), before);
        // All of it in one file.
        env.segue(&["index", "--rebuild"]).ok();
        run(&env, &["pelican"]);
        put(&index, damage(fs::read(&index).unwrap()));
        without_sides(&env);
        assert_eq!(answers(&env), before, "{what}");
    }
    env.delete_index();
    assert_eq!(answers(&env), before, "missing");
    let other = TestEnv::new();
    save(&other, BEFORE, &["--title", "x"], "The pelican of another store.");
    found(&other, &["pelican"]);
    other.segue(&["index", "--rebuild"]).ok();
    env.delete_index();
    fs::copy(other.home.join("index.db"), &index).unwrap();
    assert_eq!(answers(&env), before, "of another store");
    env.delete_index();
    put(&env.home.join("index.db.half"), "what somebody left who was interrupted");
    put(&env.home.join("index.db.half-journal"), "and more of it");
    assert_eq!(answers(&env), before, "a half index that is none");
}

#[test]
fn an_index_that_cannot_be_written_costs_only_time() {
    let env = TestEnv::new();
    fill(&env);
    let before = answers(&env);
    env.delete_index();
    put(&env.home.join("index.db/occupied"), "");
    assert_eq!(answers(&env), before);
    let id = save(&env, BEFORE, &["--title", "x"], "The osprey.");
    assert_eq!(found(&env, &["osprey"]), [id]);
}

/// Runs lines of Python over the index; `None`, with a word about it, where there is no Python.
fn python(env: &TestEnv, script: &str) -> Option<Child> {
    let script = format!(
        "import sqlite3, sys\ndb = sqlite3.connect({:?}, isolation_level=None)\n{script}\n\
         print('ready', flush=True)\nsys.stdin.readline()\n",
        env.home.join("index.db")
    );
    let mut command = env.command("python3");
    command.args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().ok()?;
    let mut said = String::new();
    let out = child.stdout.take().unwrap();
    let _ = BufReader::new(out).read_line(&mut said);
    if said.trim() == "ready" {
        return Some(child);
    }
    let _ = child.wait();
    println!("skipped: python3 with sqlite3 is not there");
    None
}

fn end(mut child: Child) {
    let _ = child.stdin.take().unwrap().write_all(b"\n");
    child.wait().unwrap();
}

#[test]
fn an_index_that_another_process_holds_does_not_keep_a_search_from_answering() {
    for lock in [
        "db.execute('BEGIN EXCLUSIVE')",
        "db.execute('PRAGMA locking_mode=EXCLUSIVE')\ndb.execute('BEGIN EXCLUSIVE')\ndb.execute('DELETE FROM meta WHERE key = 0')",
    ] {
        let env = TestEnv::new();
        fill(&env);
        let before = answers(&env);
        // One whose text is not indexed yet.
        let new = save(&env, BEFORE, &["--title", "x"], "The osprey.");
        env.segue(&["list"]).ok();
        let Some(holder) = python(&env, lock) else { return };
        let begun = Instant::now();
        let ran = run(&env, &["pelican", "--json"]);
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        is_honest(&ran, lock);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(parsed(&ran)[0]["title"], "pelican");
        let ran = run(&env, &["osprey", "--json"]);
        is_honest(&ran, lock);
        let told = ran.stderr.contains("the text of 1 handoff is not indexed yet");
        assert!(
            told != (parsed(&ran).len() == 1),
            "found, or told that not all was: {}",
            ran.stderr
        );
        end(holder);
        assert_eq!(answers(&env), before);
        assert_eq!(found(&env, &["osprey"]), [new]);
    }
}

#[test]
fn lists_that_were_tampered_with_do_not_make_it_fall_over() {
    let damages = [
        "UPDATE posting SET data = x'ffffffffffffffffffff'",
        "UPDATE posting SET data = x''",
        "UPDATE posting SET data = zeroblob(3)",
        "UPDATE posting SET data = randomblob(64)",
        "UPDATE segment SET docs = x''",
        "UPDATE segment SET docs = randomblob(length(docs))",
        "UPDATE segment SET docs = x'ffffffffffffffffffffffffffffffff'",
        "UPDATE segment SET passages = -1, words = -1",
        "UPDATE segment SET passages = 4000000000",
        "DELETE FROM posting",
        "DELETE FROM segment",
        "DROP TABLE posting",
        "DELETE FROM handoff",
    ];
    for damage in damages {
        let env = TestEnv::new();
        fill(&env);
        answers(&env);
        let Some(child) = python(&env, &format!("db.execute({damage:?})")) else { return };
        end(child);
        for query in ["pelican", "sleeps tag:bird", "pel*", "-heron section:decisions nest"] {
            is_honest(&run(&env, &[query, "--json"]), damage);
        }
        env.segue(&["index", "--rebuild"]).ok();
        assert_eq!(found(&env, &["pelican"]).len(), 1, "{damage}");
    }
}

fn contents(home: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    files_below(home).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn a_read_only_store_is_searched_and_not_written() {
    let env = TestEnv::new();
    let Some(mount) = Mount::tmpfs(&env.home, "size=8m") else { return };
    fill(&env);
    let before = answers(&env);
    let new = save(&env, BEFORE, &["--title", "x"], "The osprey.");
    for state in ["with an index that has not all of the text", "without one"] {
        mount.remount("ro");
        let files = contents(&env.home);
        assert_eq!(answers(&env).len(), before.len());
        let ran = run(&env, &["pelican", "--json"]);
        assert_eq!(parsed(&ran)[0]["title"], "pelican", "{state}: {}", ran.stderr);
        let ran = run(&env, &["osprey", "--json"]);
        let told = ran.stderr.contains("the text of 1 handoff is not indexed yet");
        assert!(told != (parsed(&ran).len() == 1), "{state}: {}", ran.stderr);
        assert!(contents(&env.home) == files, "{state}");
        mount.remount("rw");
        env.delete_index();
    }
    assert_eq!(answers(&env), before);
    assert_eq!(found(&env, &["osprey"]), [new]);
}

#[test]
fn on_a_full_disk_a_search_answers() {
    let env = TestEnv::new();
    let Some(mount) = Mount::tmpfs(&env.home, "size=2m") else { return };
    fill(&env);
    let before = answers(&env);
    let new = save(&env, BEFORE, &["--title", "x"], &"The osprey nests. ".repeat(2_000));
    for state in ["with an index", "without one"] {
        let ballast = env.home.join("ballast");
        let mut file = fs::File::create(&ballast).unwrap();
        assert!(std::io::copy(&mut std::io::repeat(7), &mut file).is_err());
        let ran = run(&env, &["pelican", "--json"]);
        is_honest(&ran, state);
        assert_eq!(parsed(&ran)[0]["title"], "pelican", "{state}: {}", ran.stderr);
        let ran = run(&env, &["osprey", "--json"]);
        is_honest(&ran, state);
        let told = ran.stderr.contains("the text of 1 handoff is not indexed yet");
        assert!(told != (parsed(&ran).len() == 1), "{state}: {}", ran.stderr);
        drop(file);
        fs::remove_file(&ballast).unwrap();
        env.delete_index();
    }
    mount.remount("size=16m");
    assert_eq!(answers(&env), before);
    assert_eq!(found(&env, &["osprey"]), [new]);
}

#[test]
fn a_search_that_nobody_reads_ends_quietly() {
    let env = TestEnv::new();
    fill(&env);
    let mut search = command(&env, &["sleeps", "--json"]);
    let mut child = search.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked") && !said.contains("internal"), "{said}");
    assert_eq!(short(&parsed(&run(&env, &["pelican", "--json"]))[0]).len(), 8);
}
