//! A run of five steps, killed at its system calls: the next one finishes it, and the end is the
//! same as without.
//!
//! Every test run tries a sample of the calls; all of them with `SEGUE_TEST_ALL_FAULTS=1`.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::time::Duration;

use super::Place;
use crate::ground::{Ran, files_below};
use crate::strace::{self, Call, Trace};

/// How many kills a sample has.
const KILLS: usize = 24;

const FIVE: &str = "[handover]\nmemory_dir = \"memory\"\ntag = \"five\"\n\
    [[step]]\nkind = \"collect\"\n\
    [[step]]\nkind = \"note\"\n\
    [[step]]\nkind = \"state\"\n\
    [[step]]\nkind = \"command\"\ncommand = [\"sh\", \"-c\", \"echo $SEGUE_RUN_ID >> ../commands.log\"]\n\
    [[step]]\nkind = \"publish\"\nbranch = \"main\"\n";

fn place() -> Place {
    let place = Place::new();
    place.plan(FIVE);
    assert_eq!(place.segue(&["trust"]).run().code, 0);
    // The project is known, so that every scene makes the same calls.
    place.segue(&["save", "--title", "before"]).run();
    place
}

fn run_under(place: &Place, tracer: &[&str]) -> Ran {
    let args = ["run", "--config", ".agent-handover/handover.toml"];
    let args: Vec<&str> =
        args.iter().chain(&["--note", "N1", "--current-state", "S1"]).copied().collect();
    place.env.segue_under(tracer, &args).dir(&place.repo).real_clock().run()
}

/// What a run leaves, without the ids that differ from run to run.
#[derive(Debug, PartialEq, Eq)]
struct Left {
    memory: Vec<(String, String)>,
    remote: Vec<(String, String)>,
    commits: usize,
}

fn left(place: &Place) -> Left {
    let memory = place.repo.join("memory");
    let root = place.env.dir("").display().to_string();
    let root = root.trim_end_matches('/').to_owned();
    let texts = files_below(&memory).into_iter().map(|path| {
        let name = path.strip_prefix(&memory).unwrap().to_string_lossy().into_owned();
        (plain(&name), plain(&fs::read_to_string(&path).unwrap().replace(&root, "")))
    });
    let published = place.published("main").into_iter().map(|path| {
        let text = place.env.git(&place.remote, &["show", &format!("main:{path}")]);
        (plain(&path), plain(&text.replace(&root, "")))
    });
    Left { memory: texts.collect(), remote: published.collect(), commits: place.runs_on("main") }
}

/// The text with every number in hexadecimal, and every digit, made the same. A commit that could be
/// read as a number, such as `12e34…`, stands in quotes.
fn plain(text: &str) -> String {
    masked(text).replace("\"ID\"", "ID")
}

fn masked(text: &str) -> String {
    let word = |word: &str| match word.len() >= 8 && word.bytes().all(|b| b.is_ascii_hexdigit()) {
        true => "ID".to_owned(),
        false => word.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect(),
    };
    let parts = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    parts
        .map(|part| {
            let end = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            format!("{}{}", word(end), &part[end.len()..])
        })
        .collect()
}

/// What `check` has to say, by what lies there.
fn expected_code(place: &Place) -> i32 {
    let own = |path: &Path| path.file_name().is_some_and(|name| name == "checkpoint.json");
    let runs = files_below(&place.env.home).into_iter().find(|path| own(path));
    let waiting = files_below(&place.env.home)
        .iter()
        .any(|path| path.parent().is_some_and(|dir| dir.ends_with("queue")));
    let text = runs.map(|path| fs::read_to_string(path).unwrap());
    let value: Option<serde_json::Value> = text.map(|text| serde_json::from_str(&text).unwrap());
    let pending = value.as_ref().is_some_and(|value| {
        value["status"] == "in_progress"
            && value["steps"].as_object().unwrap().values().any(|mark| mark == "pending")
    });
    let taken = |value: &serde_json::Value| value["segue"]["inputs"].is_array();
    match value {
        _ if pending => 1,
        // A file of the queue that a run has taken is a leftover, and waits for nothing.
        Some(value) if taken(&value) => 2,
        _ if waiting => 1,
        None => 0,
        Some(_) => 2,
    }
}

/// After a kill: `check` tells the truth, `run` finishes, and all is as it should be.
fn finish(place: &Place, expected: &Left, at: &str, wrong: &mut Vec<String>) {
    let mut object = |what: String| wrong.push(format!("{at}: {what}"));
    let code = place.check();
    if code != expected_code(place) {
        object(format!("check says {code}, not {}", expected_code(place)));
    }
    let args: &[&str] = if code == 0 { &["--note", "N1", "--current-state", "S1"] } else { &[] };
    if code != 2 {
        let ran = place.run(args).run();
        if ran.code != 0 {
            object(format!("run ends with {}: {}", ran.code, ran.stderr));
        }
    }
    if place.check() != 2 {
        object(format!("check says {} at the end", place.check()));
    }
    let left = left(place);
    for (found, wanted) in
        left.memory.iter().chain(&left.remote).zip(expected.memory.iter().chain(&expected.remote))
    {
        if found != wanted {
            object(format!("{found:?} is left, not {wanted:?}"));
        }
    }
    if left != *expected {
        let counts = |left: &Left| (left.memory.len(), left.remote.len(), left.commits);
        object(format!(
            "{:?} files and commits are left, not {:?}",
            counts(&left),
            counts(expected)
        ));
    }
    let commands = fs::read_to_string(place.repo.join("../commands.log")).unwrap_or_default();
    let first = commands.lines().next().unwrap_or_default();
    if first.is_empty() || commands.lines().any(|line| line != first) {
        object(format!("the command ran as {commands:?}"));
    }
    let fsck = place.env.git(&place.remote, &["fsck", "--no-dangling"]);
    if !fsck.is_empty() {
        object(fsck);
    }
}

#[test]
fn killed_at_any_call_a_run_is_finished_by_the_next() {
    let first = place();
    if !strace::works(&first.env) {
        return;
    }
    let log = first.env.dir("trace").join("log");
    let log_text = log.to_string_lossy().into_owned();
    let ran = run_under(&first, &["strace", "-f", "-o", &log_text]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let expected = left(&first);
    assert_eq!((expected.memory.len(), expected.commits), (2, 1), "{expected:#?}");
    let calls = Trace::read(&log).own;
    let stride = if strace::all_faults() { 1 } else { (calls.len() / KILLS).max(1) };
    let mut wrong = Vec::new();
    let mut kills = 0;
    for Call { name, nth } in calls.iter().skip(stride / 2).step_by(stride) {
        let place = place();
        // Only our own process dies; what git has begun it ends.
        let inject = format!("inject={name}:signal=KILL:when={nth}");
        let trace = format!("trace={name}");
        let tracer = ["strace", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
        let ran = run_under(&place, &tracer);
        kills += usize::from(ran.code != 0);
        finish(&place, &expected, &format!("killed at {name} {nth}"), &mut wrong);
    }
    println!("{} calls, {kills} kills, {} wrong", calls.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(kills > KILLS / 2);
}

#[test]
fn killed_with_all_its_children_at_any_time_a_run_is_finished_by_the_next() {
    let first = place();
    let begun = std::time::Instant::now();
    assert_eq!(run_under(&first, &[]).code, 0);
    let whole = begun.elapsed();
    let expected = left(&first);
    let rounds = if strace::all_faults() { 200 } else { 16 };
    let mut wrong = Vec::new();
    for round in 0..rounds {
        let place = place();
        let mut run = place.run(&["--note", "N1", "--current-state", "S1"]);
        let mut child = run.command.process_group(0).spawn().unwrap();
        std::thread::sleep(whole * round / rounds);
        let group = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        child.wait().unwrap();
        std::thread::sleep(Duration::from_millis(20));
        // A git that is killed leaves its lock behind, and says so to whoever comes next.
        for lock in ["index.lock", "HEAD.lock", "refs/heads/main.lock"] {
            let _ = fs::remove_file(place.repo.join(".git").join(lock));
            let _ = fs::remove_file(place.remote.join(lock));
        }
        finish(&place, &expected, &format!("killed after {round}/{rounds}"), &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
