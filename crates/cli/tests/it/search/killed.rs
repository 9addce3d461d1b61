//! A rebuild or a first search that is killed at any moment costs time, and never an answer.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::{BEFORE, found, save, told};
use crate::ground::{TestEnv, put};
use crate::strace::{self, Call, Trace};

/// How many kills a sample has.
const KILLS: usize = 16;

/// Two projects, months, an archive, names, decisions.
fn store() -> TestEnv {
    let env = TestEnv::new();
    for (n, word) in ["pelican", "heron", "stork", "auk"].iter().enumerate() {
        let at = format!("2026-{:02}-10T10:00:00Z", 8 + n);
        let body = format!("## Key Decisions\n\n- Nest: in tree{n}\n\nThe {word} sleeps.\n");
        let project = if n % 2 == 0 { "." } else { "zoo" };
        save(&env, &at, &["--name", "state", "--project", project, "--tags", "bird"], &body);
    }
    save(&env, "2026-10-01T10:00:00Z", &["--title", "old", "--ttl", "1h"], "The dodo is extinct.");
    env.segue(&["gc"]).ok();
    env
}

/// What is in the store, and what several searches say.
fn answers(env: &TestEnv) -> Vec<String> {
    let queries: [&[&str]; 6] = [
        &["pelican", "--all-projects"],
        &["sleeps tag:bird", "--all-projects"],
        &["nest", "--all-projects", "--limit", "3"],
        &["dodo", "--all-projects"],
        &["stork"],
        &["zebra", "--all-projects"],
    ];
    let listed = env.segue(&["list", "--json", "--all-projects", "--expired"]).run();
    let listed = format!("{} {}{}", listed.code, listed.stdout, listed.stderr);
    std::iter::once(listed).chain(queries.iter().map(|args| told(env, args))).collect()
}

fn sample(calls: &[Call], offset: usize) -> Vec<&Call> {
    let stride = if strace::all_faults() { 1 } else { (calls.len() / KILLS).max(1) };
    calls.iter().skip(offset % stride).step_by(stride).collect()
}

/// Kills a command at calls of it, each time without an index to begin with.
fn ordeal(args: &[&str], offset: usize) {
    let env = store();
    if !strace::works(&env) {
        return;
    }
    env.delete_index();
    let expected = answers(&env);
    assert!(expected[1].contains("pelican sleeps") && expected[4].contains("extinct"));
    env.delete_index();
    let log = env.dir("trace").join("log");
    let ran = env.segue_under(&strace::watching(&log.to_string_lossy()), args).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let trace = Trace::read(&log);
    let (mut killed, mut halves) = (0, 0);
    for call in sample(&trace.all, offset) {
        env.delete_index();
        let tracer = strace::striking(call, "signal=KILL");
        let tracer: Vec<&str> = tracer.iter().map(String::as_str).collect();
        killed += usize::from(env.segue_under(&tracer, args).run().code != 0);
        halves += usize::from(env.home.join("index.db.half").exists());
        assert_eq!(answers(&env), expected, "killed at {call:?}");
        let rebuilt = env.segue(&["index", "--rebuild"]).ok();
        assert!(rebuilt.ends_with("5 handoffs\n"), "{rebuilt}");
        assert!(!env.home.join("index.db.half").exists());
        assert_eq!(answers(&env), expected, "rebuilt after {call:?}");
    }
    println!("{args:?}: {} calls, {killed} killed, {halves} left half an index", trace.all.len());
    assert!(killed > KILLS / 2 && halves > 0);
}

#[test]
fn a_rebuild_that_is_killed_at_any_call_is_made_good() {
    ordeal(&["index", "--rebuild"], 3);
}

#[test]
fn a_first_search_that_is_killed_at_any_call_is_made_good() {
    ordeal(&["search", "--json", "--all-projects", "sleeps"], 5);
}

#[test]
fn one_of_many_that_is_killed_at_any_time_is_made_good() {
    let env = TestEnv::new();
    let id = save(&env, BEFORE, &["--title", "first"], "The pelican nests.");
    let file = env.handoff_files().remove(0);
    let text = std::fs::read_to_string(&file).unwrap();
    for n in 1..300 {
        let short = format!("{n:08x}");
        let text = text.replace(&id, &short).replace("nests.", &format!("nests in tree{n}x."));
        put(&file.with_file_name(format!("first-2026-11-10-{short}.md")), text);
    }
    let answers = || {
        let mut told: Vec<String> =
            ["tree7x", "tree299x", "zebra"].iter().map(|query| told(&env, &[query])).collect();
        told.push(found(&env, &["pelican", "--limit", "1000"]).join(" "));
        told
    };
    env.delete_index();
    let expected = answers();
    assert_eq!(expected[3].split(' ').count(), 300);
    for args in [&["index", "--rebuild"][..], &["search", "pelican"]] {
        for millis in [5, 20, 40, 70, 110, 160, 230] {
            env.delete_index();
            let mut command: Command = env.segue(args).command;
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            thread::sleep(Duration::from_millis(millis));
            let _ = child.kill();
            child.wait().unwrap();
            // At times a second one as well, over what the first one left.
            if millis % 20 == 0 {
                let mut child =
                    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
                thread::sleep(Duration::from_millis(millis / 2));
                let _ = child.kill();
                child.wait().unwrap();
            }
            assert_eq!(answers(), expected, "{args:?} after {millis} ms");
        }
    }
}
