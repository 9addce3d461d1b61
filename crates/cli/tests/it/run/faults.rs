//! What goes wrong around a run: a clear error, resumable, nothing lost.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use super::Place;
use crate::ground::put;
use crate::strace::{self, Call, Trace};

fn finished(place: &Place, notes: usize) {
    let ran = place.run(&[]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(place.check(), 2);
    assert_eq!(place.notes().len(), notes);
    assert_eq!(
        place.published("main").iter().filter(|path| path.contains("layer1")).count(),
        notes
    );
}

#[test]
fn a_remote_that_is_full_or_never_answers_is_waited_for_only_so_long() {
    let place = Place::new();
    place.segue(&["trust"]).ok();
    // Full: the remote cannot write objects.
    let hook = place.remote.join("hooks/pre-receive");
    put(&hook, "#!/bin/sh\necho 'fatal: sha1 file: No space left on device' >&2\nexit 1\n");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let error = place.run(&["--note", "one"]).fails_after_output(1);
    assert!(error.contains("No space left on device"), "{error}");
    fs::remove_file(&hook).unwrap();
    // Silent: somebody listens and says nothing.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("git://{}/x.git", listener.local_addr().unwrap());
    let remote = place.remote.to_string_lossy().into_owned();
    place.env.git(&place.repo, &["remote", "set-url", "origin", &silent]);
    place.plan("[handover]\ntag = \"refactor\"\nmemory_dir = \"memory\"\ncheckpoint = \".agent-handover/checkpoint.json\"\n\
        [[step]]\nkind = \"note\"\nname = \"session_note\"\n[[step]]\nkind = \"state\"\nname = \"current_state\"\n\
        [[step]]\nkind = \"publish\"\nbranch = \"main\"\ntimeout = \"1s\"\n");
    let begun = Instant::now();
    let error = place.run(&[]).fails_after_output(1);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}: {error}", begun.elapsed());
    assert!(error.contains("took longer than 1 s"), "{error}");
    place.env.git(&place.repo, &["remote", "set-url", "origin", &remote]);
    finished(&place, 1);
}

#[test]
fn a_clock_that_goes_backwards_loses_nothing() {
    let place = Place::new();
    for (n, time) in
        ["2026-11-15T10:00:00Z", "2026-11-14T10:00:00Z", "2020-01-01T00:00:00Z"].iter().enumerate()
    {
        let note = format!("note {n}");
        let ran = place.run(&["--note", &note]).at(time).seed(&n.to_string()).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    assert_eq!(place.notes().len(), 3);
    assert_eq!(place.check(), 2);
    // The others are dated ahead of the clock.
    assert!(place.state().contains("note 2"), "{}", place.state());
}

#[test]
fn a_checkpoint_that_is_cut_off_anywhere_is_told_and_can_be_put_aside() {
    let place = Place::new();
    place.cut_off();
    place.run(&["--note", "kept"]).run();
    place.connect();
    let path = place.repo.join(".agent-handover/checkpoint.json");
    let whole = fs::read(&path).unwrap();
    let stride = if strace::all_faults() { 1 } else { 37 };
    for end in (0..whole.len()).step_by(stride) {
        put(&path, &whole[..end]);
        assert_eq!(place.check(), 65, "cut at {end}");
    }
    put(&path, &whole[..whole.len() / 2]);
    let error = place.run(&["--note", "next"]).fails(65);
    assert!(error.contains("--fresh"), "{error}");
    let ran = place.run(&["--fresh"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let kept = place.run_files("/dropped/");
    assert!(kept.iter().any(|path| fs::read(path).unwrap() == whole[..whole.len() / 2]));
    let notes = place.notes().join("\n");
    assert!(notes.contains("kept") && notes.contains("next"), "{notes}");
}

#[test]
fn denied_any_call_a_run_says_so_and_the_next_finishes_it() {
    let first = Place::new();
    if !strace::works(&first.env) {
        return;
    }
    first.segue(&["save", "--title", "before"]).run();
    let log = first.env.dir("trace").join("log");
    let log_text = log.to_string_lossy().into_owned();
    let under = |place: &Place, tracer: &[&str]| {
        let args = ["run", "--config", ".agent-handover/handover.toml", "--note", "N"];
        place.env.segue_under(tracer, &args).dir(&place.repo).real_clock().run()
    };
    assert_eq!(under(&first, &["strace", "-f", "-o", &log_text]).code, 0);
    let changing = ["openat", "write", "fsync", "fdatasync", "linkat", "rename", "mkdir", "unlink"];
    let calls: Vec<Call> = Trace::read(&log)
        .own
        .into_iter()
        .filter(|call| changing.contains(&call.name.as_str()))
        .collect();
    let stride = if strace::all_faults() { 1 } else { (calls.len() / 16).max(1) };
    let mut wrong = Vec::new();
    for (n, Call { name, nth }) in calls.iter().enumerate().skip(stride / 3).step_by(stride) {
        let error = ["ENOSPC", "EIO", "EACCES"][n % 3];
        let place = Place::new();
        place.segue(&["save", "--title", "before"]).run();
        let (trace, inject) =
            (format!("trace={name}"), format!("inject={name}:error={error}:when={nth}"));
        let ran = under(&place, &["strace", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject]);
        let at = format!("{error} at {name} {nth}: exit {} {}", ran.code, ran.stderr);
        if ![0, 1, 65, 75].contains(&ran.code) {
            wrong.push(at.clone());
        }
        let code = place.check();
        let args: &[&str] = if code == 0 { &["--note", "N"] } else { &[] };
        let again = if code == 2 { 0 } else { place.run(args).run().code };
        let notes = place.notes().iter().filter(|text| text.ends_with("N\n")).count();
        let published = place.published("main").iter().filter(|p| p.contains("layer1")).count();
        if (again, notes, published, place.check()) != (0, 1, 1, 2) {
            wrong.push(format!(
                "{at} -> check {code}, run {again}, {notes} notes, {published} published"
            ));
        }
    }
    println!("{} calls, {} wrong", calls.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_run_that_waits_in_vain_says_that_it_is_queued() {
    let place = Place::new();
    place.plan("[[step]]\nkind = 'note'\n[[step]]\nkind = 'command'\ncommand = ['sh', '-c', 'touch begun; sleep 14']\n");
    place.segue(&["trust"]).run();
    let mut long = place.run(&["--note", "long"]);
    let mut child = long.command.spawn().unwrap();
    let begun = Instant::now();
    while !place.repo.join("begun").exists() && begun.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let error = place.run(&["--note", "waits"]).fails(75);
    assert!(error.contains("queued"), "{error}");
    child.wait().unwrap();
    // The run at work takes it along when it has done with its own.
    let listed = place.segue(&["list"]).run().stdout;
    assert!(listed.contains("long"), "{listed}");
    if place.check() == 1 {
        place.plan("[[step]]\nkind = 'note'\n[[step]]\nkind = 'command'\ncommand = ['true']\n");
        place.run(&[]).run();
    }
    assert!(place.segue(&["list"]).run().stdout.contains("waits"));
}
