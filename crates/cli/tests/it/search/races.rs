//! Several processes at once: every search answers, nothing is doubled, nothing forgotten comes back.

use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::{BEFORE, command, found, index_has, parsed, run, save, short, sorted};
use crate::ground::{Ran, TestEnv, put};
use crate::strace;

/// So many handoffs that more than one thread reads them, written as another store's copy would be.
fn many(env: &TestEnv, count: usize) {
    let id = save(env, BEFORE, &["--title", "first"], "The pelican nests.");
    let file = env.handoff_files().remove(0);
    let text = std::fs::read_to_string(&file).unwrap();
    for n in 1..count {
        let short = format!("{n:08x}");
        let text = text.replace(&id, &short).replace("nests.", &format!("nests in tree{n}x."));
        put(&file.with_file_name(format!("first-2026-11-10-{short}.md")), text);
    }
}

fn unindexed(env: &TestEnv) -> u64 {
    let said = env.segue(&["index", "--json"]).ok();
    serde_json::from_str::<Value>(&said).unwrap()["unindexed"].as_u64().unwrap()
}

#[test]
fn two_searches_at_once_both_answer_and_index_everything_once() {
    let env = TestEnv::new();
    many(&env, 200);
    for state in ["without an index", "with an index that has no text"] {
        env.delete_index();
        if state != "without an index" {
            env.segue(&["list", "--latest"]).ok();
            assert_eq!(unindexed(&env), 200);
        }
        let answers: Vec<Ran> = thread::scope(|scope| {
            let searches: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| run(&env, &["pelican", "--limit", "500", "--json"])))
                .collect();
            searches.into_iter().map(|search| search.join().unwrap()).collect()
        });
        for ran in &answers {
            assert_eq!(ran.stderr, "", "{state}");
            let mut ids: Vec<String> = sorted(parsed(ran).iter().map(short).collect());
            ids.dedup();
            assert_eq!(ids.len(), 200, "{state}");
        }
        assert_eq!(unindexed(&env), 0, "{state}");
        for n in [1, 77, 199] {
            let hits = parsed(&run(&env, &[&format!("tree{n}x"), "--json"]));
            assert_eq!(hits.len(), 1);
        }
    }
}

#[test]
fn a_search_while_others_save_finds_what_was_saved_before_it_began() {
    let env = TestEnv::new();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let savers: Vec<_> = (0..2)
            .map(|saver| {
                let env = &env;
                scope.spawn(move || {
                    for n in 0..10 {
                        let word = format!("egg{saver}y{n}x");
                        save(env, BEFORE, &["--title", "x"], &format!("The pelican has {word}."));
                        let ran = run(env, &[&word, "--json"]);
                        assert_eq!(parsed(&ran).len(), 1, "{word}: {}", ran.stderr);
                        // What the other one saves meanwhile may not be indexed yet, and then it is said.
                        let said = ran.stderr.trim_end();
                        let is_other = said
                            .starts_with("warning: the text of 1 handoff is not indexed yet")
                            && said.lines().count() == 1;
                        assert!(said.is_empty() || is_other, "{word}: {said}");
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let ran = run(&env, &["pelican", "--json"]);
                assert_eq!(ran.code, 0, "{}", ran.stderr);
            }
        });
        // Whoever saves may fail: then the search ends too, and the test says why.
        let ended: Vec<_> = savers.into_iter().map(|saver| saver.join()).collect();
        done.store(true, Ordering::Relaxed);
        ended.into_iter().for_each(|saver| saver.unwrap());
    });
    assert_eq!(found(&env, &["pelican", "--limit", "100"]).len(), 20);
    assert_eq!(unindexed(&env), 0);
}

/// A search that has read the text of a handoff and is held up before it writes that down.
fn held_up<T>(env: &TestEnv, id: &str, meanwhile: impl FnOnce() -> T) -> Option<(Ran, T)> {
    if !strace::works(env) {
        return None;
    }
    let files = env.handoff_files();
    let file = files.iter().find(|path| path.to_string_lossy().contains(id)).unwrap();
    let file = file.to_string_lossy().into_owned();
    let tracer = [
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-P",
        &file,
        "-e",
        "trace=read",
        "-e",
        "inject=read:delay_exit=2500000:when=1",
    ];
    thread::scope(|scope| {
        let search = scope.spawn(|| {
            env.segue_under(&tracer, &["search", "--json", "--limit", "50", "pelican"]).run()
        });
        thread::sleep(Duration::from_millis(1200));
        let given = meanwhile();
        Some((search.join().unwrap(), given))
    })
}

#[test]
fn what_is_forgotten_while_a_search_reads_it_does_not_come_back() {
    let env = TestEnv::new();
    let stays = save(&env, BEFORE, &["--title", "x"], "The pelican nests.");
    let id = save(&env, BEFORE, &["--title", "y"], "The pelican has a quagga.");
    let forget = || env.segue(&["forget", &id, "--yes"]).run();
    let Some((ran, forgotten)) = held_up(&env, &id, forget) else { return };
    assert_eq!(forgotten.code, 0, "{}", forgotten.stderr);
    let hits = parsed(&ran);
    assert_eq!(hits.iter().map(short).collect::<Vec<_>>(), [stays.as_str()], "{}", ran.stderr);
    assert!(!index_has(&env, "quagga"));
    assert_eq!(found(&env, &["pelican"]), [stays]);
}

#[test]
fn what_is_saved_and_indexed_by_another_while_a_search_reads_is_not_left_out() {
    let env = TestEnv::new();
    let one = save(&env, BEFORE, &["--title", "x"], "The pelican nests.");
    let two = save(&env, BEFORE, &["--title", "y"], "The pelican sleeps.");
    let meanwhile = || {
        let three = save(&env, BEFORE, &["--title", "z"], "The pelican eats.");
        assert_eq!(found(&env, &["eats"]), [three.as_str()]);
        three
    };
    let Some((ran, three)) = held_up(&env, &two, meanwhile) else { return };
    assert_eq!(ran.stderr, "");
    let all = sorted(vec![one, two, three]);
    assert_eq!(sorted(parsed(&ran).iter().map(short).collect()), all);
    assert_eq!(sorted(found(&env, &["pelican"])), all);
    assert_eq!(unindexed(&env), 0);
}

#[test]
fn a_search_while_the_index_is_rebuilt_answers() {
    let env = TestEnv::new();
    many(&env, 100);
    run(&env, &["pelican"]);
    let mut rebuilds: Vec<_> = (0..2)
        .map(|_| {
            let mut rebuild = env.segue(&["index", "--rebuild"]);
            rebuild.command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for _ in 0..3 {
        let ran = command(&env, &["tree50x", "--json"]).run();
        assert_eq!((parsed(&ran).len(), ran.stderr.as_str()), (1, ""));
    }
    for rebuild in &mut rebuilds {
        assert!(rebuild.wait().unwrap().success());
    }
    assert_eq!(found(&env, &["tree99x"]).len(), 1);
}
