//! Whatever happens, the session of the agent goes on: exit 0, nothing printed, one line in the log.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use super::Hooked;
use crate::ground::{files_below, put};

#[test]
fn whatever_is_wrong_the_session_goes_on() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    let good = hooked.payload("5e55-10", "Stop", "").to_string();
    let gone = json!({"session_id": "marker-77", "transcript_path": "/none/marker-77.jsonl",
        "cwd": "/none/marker-77", "prompt": "marker-77"});
    let gone = gone.to_string();
    let long = format!("{{\"session_id\":\"marker-77\",\"x\":\"{}\"}}", "y".repeat(2 << 20));
    for (args, told) in [
        (&["hook"][..], good.as_str()),
        (&["hook", "claude-code"], &good),
        (&["hook", "no-such-agent", "stop"], &good),
        (&["hook", "claude-code", "no-such-event"], &good),
        (&["hook", "claude-code", "stop", "--new-flag", "marker-77"], &good),
        (&["hook", "--new-flag", "claude-code", "stop"], &good),
        (&["hook", "claude-code", "stop"], ""),
        (&["hook", "claude-code", "stop"], "marker-77 is no JSON"),
        (&["hook", "claude-code", "stop"], "[\"marker-77\"]"),
        (&["hook", "claude-code", "stop"], "{\"session_id\":\"marker-77\""),
        (&["hook", "claude-code", "stop"], &gone),
        (&["hook", "claude-code", "session-end"], &gone),
        (&["hook", "claude-code", "stop"], &long),
        (&["hook", "opencode", "stop"], &good),
        (&["hook", "roo-code", "session-start"], &good),
    ] {
        let ran = hooked.env.segue(args).stdin(told).run();
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{args:?}");
    }
    let log = hooked.log();
    assert!(!log.contains("marker-77"), "{log}");
    assert!(log.contains("\tfailed\twhat came on standard input is no payload of a hook"), "{log}");
    assert!(log.contains("\tfailed\tthis version does not know the agent or the event"), "{log}");
}

#[cfg(unix)]
#[test]
fn a_store_that_cannot_be_written_breaks_nothing() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    // Its home is a file.
    put(&hooked.env.home, "no directory");
    for event in ["stop", "session-start", "pre-compact", "session-end", "prompt"] {
        let ran = hooked.claude("5e55-10", event);
        assert!(event == "pre-compact" || ran.stdout.is_empty(), "{event}: {}", ran.stdout);
    }
    assert_eq!(super::read(&hooked.env.home), "no directory");
}

#[cfg(target_os = "linux")]
#[test]
fn a_briefing_is_given_though_nothing_can_be_written() {
    if rustix::process::geteuid().is_root() {
        println!("skipped: root may write everywhere");
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    let dirs = ["projects"].map(|dir| hooked.env.home.join(dir));
    let live = hooked.drafts()[0].parent().unwrap().to_owned();
    let all: Vec<_> = dirs.into_iter().chain([live]).collect();
    let mode = |mode: u32| {
        for dir in &all {
            std::fs::set_permissions(dir, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    mode(0o500);
    let told = hooked.told("5e55-11", "startup");
    mode(0o700);
    assert!(told.unwrap().contains("Never touch the schema."));
}

#[test]
fn an_agent_that_says_nothing_is_not_waited_for() {
    let hooked = Hooked::new();
    let began = Instant::now();
    let mut child = hooked
        .env
        .segue(&["hook", "claude-code", "session-end"])
        .command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let held = child.stdin.take().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(began.elapsed() >= Duration::from_millis(800), "it waited until its time was over");
    drop(held);
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
}

#[test]
fn an_agent_that_leaves_the_pipe_open_is_answered() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    let mut child = hooked
        .env
        .segue(&["hook", "claude-code", "session-start"])
        .command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut held = child.stdin.take().unwrap();
    let payload = hooked.payload("5e55-11", "SessionStart", "startup").to_string();
    let (first, rest) = payload.as_bytes().split_at(20);
    held.write_all(first).unwrap();
    held.flush().unwrap();
    held.write_all(rest).unwrap();
    held.flush().unwrap();
    let output = child.wait_with_output().unwrap();
    drop(held);
    assert!(String::from_utf8_lossy(&output.stdout).contains("Never touch the schema."));
}

#[test]
fn while_the_brake_is_pulled_nothing_is_said_and_nothing_written() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    hooked.env.segue(&["pause"]).dir(&hooked.repo).run();
    let state = || -> Vec<_> {
        let files = files_below(&hooked.env.home).into_iter();
        files.map(|path| (std::fs::read(&path).unwrap(), path)).collect()
    };
    let before = state();
    hooked.worked_on("5e55-10", "Always round half up.");
    for event in ["stop", "session-start", "pre-compact", "session-end", "prompt"] {
        assert_eq!(hooked.claude("5e55-10", event).stdout, "", "{event}");
    }
    assert_eq!(hooked.told("5e55-11", "startup"), None);
    assert!(state() == before);
}

#[test]
fn nothing_is_written_outside_the_store() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    put(&hooked.repo.join("HANDOFF.md"), "# Handoff\n");
    let state = || -> Vec<_> {
        let mut files = files_below(hooked.env.work.parent().unwrap());
        files.retain(|path| !path.starts_with(&hooked.env.home));
        files.into_iter().map(|path| (std::fs::read(&path).unwrap(), path)).collect()
    };
    let before = state();
    for event in ["session-start", "stop", "prompt", "pre-compact", "stop", "session-end"] {
        hooked.claude("5e55-10", event);
    }
    hooked.told("5e55-11", "startup").unwrap();
    assert!(state() == before);
}

#[test]
fn somebody_at_a_terminal_is_told_what_hooks_are_for() {
    let hooked = Hooked::new();
    let help = hooked.env.segue(&["hook", "--help"]).ok();
    assert!(help.contains("segue install") && help.contains("segue doctor"), "{help}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_nobody_takes_breaks_nothing() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let payload = hooked.payload("5e55-11", "SessionStart", "startup").to_string();
    let mut hook = hooked.env.segue(&["hook", "claude-code", "session-start"]);
    let mut child =
        hook.command.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(hooked.log().contains("\tfailed\tnobody took the answer"), "{}", hooked.log());
}

#[test]
fn an_index_that_somebody_holds_is_not_waited_for() {
    let hooked = Hooked::new();
    let save = ["save", "--title", "Left here", "--summary", "x"];
    hooked.env.segue(&save).dir(&hooked.repo).ok();
    let script = "import sqlite3,sys\nc=sqlite3.connect(sys.argv[1],isolation_level=None)\n\
        c.execute('BEGIN EXCLUSIVE')\nprint('held',flush=True)\nsys.stdin.read()";
    let index = hooked.env.home.join("index.db");
    let holder = hooked
        .env
        .command("python3")
        .args(["-c", script])
        .arg(index)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut holder) = holder else { return println!("skipped: there is no python3") };
    let mut said = [0; 4];
    std::io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut said).unwrap();
    let told = hooked.told("5e55-11", "startup");
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(told.unwrap().contains("**Left here**"));
}
