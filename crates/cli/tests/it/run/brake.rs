//! The brake: while it is pulled, nothing that runs by itself writes anything.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::Place;
use crate::ground::{files_below, put};

/// Every file below, with its content and its time.
fn seen(dir: &Path) -> Vec<(PathBuf, Vec<u8>, SystemTime)> {
    let all = files_below(dir).into_iter();
    all.map(|path| {
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        (path.clone(), fs::read(&path).unwrap_or_default(), modified)
    })
    .collect()
}

/// The brakes, by what pulls them.
fn brakes(place: &Place) -> Vec<PathBuf> {
    let user = place.env.dir("");
    let memories = place.env.home.join("projects");
    let own = fs::read_dir(memories).unwrap().map(|entry| entry.unwrap().path());
    let own = own.filter(|path| path.join("layer1").is_dir());
    let mut brakes = vec![
        place.env.home.join("PAUSE"),
        place.repo.join("memory/PAUSE"),
        place.repo.join("stop/here"),
        user.join(".agent_handover/PAUSE"),
    ];
    brakes.extend(own.map(|path| path.join("PAUSE")));
    brakes
}

fn braked() -> Place {
    let place = Place::new();
    place.plan("[handover]\npause_file = \"stop/here\"\n");
    // What stands in a file that a foreign plan names is not shown.
    place.segue(&["trust"]).run();
    place.run(&["--note", "before"]).ok();
    place.segue(&["save", "--title", "saved"]).ok();
    place
}

#[test]
fn nothing_at_all_is_written_behind_a_brake() {
    let place = braked();
    let brakes = brakes(&place);
    assert_eq!(brakes.len(), 5);
    for brake in brakes {
        put(&brake, "release day\nmore\n");
        place.env.delete_index();
        put(&place.repo.join("a.txt"), brake.to_string_lossy().as_bytes());
        let before = seen(&place.env.dir(""));
        let ran = place.run(&["--note", "AFTER"]).run();
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (75, ""),
            "{}: {}",
            brake.display(),
            ran.stderr
        );
        assert!(
            ran.stderr.contains("release day") && !ran.stderr.contains("more"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("'segue save' works even now"), "{}", ran.stderr);
        let plans_own = brake.ends_with("stop/here") || brake.ends_with("memory/PAUSE");
        if !plans_own {
            for command in [&["auto"][..], &["push"], &["run", "--note", "AFTER"]] {
                let ran = place.segue(command).env("MEMORYVAULT_API_KEY", "mv_x").run();
                assert_eq!(ran.code, 75, "{command:?} {}: {}", brake.display(), ran.stderr);
            }
        }
        assert!(seen(&place.env.dir("")) == before, "{}: something was written", brake.display());
        place.segue(&["save", "--title", "by hand"]).ok();
        fs::remove_file(&brake).unwrap();
    }
    place.run(&["--note", "AFTER"]).ok();
}

#[test]
fn a_run_at_work_stops_before_its_next_effect() {
    let place = Place::new();
    place.segue(&["trust"]).ok();
    // Somebody pulls the brake while git commits: nothing is pushed any more.
    let hook = place.repo.join(".git/hooks/pre-commit");
    put(&hook, format!("#!/bin/sh\ntouch '{}'\n", place.env.home.join("PAUSE").display()));
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = place.run(&["--note", "held back"]).run();
    assert_eq!(ran.code, 75, "{}", ran.stderr);
    assert_eq!(ran.stdout.trim(), "handover steps executed: session_note, current_state");
    assert_eq!(place.runs_on("main"), 0);
    assert_eq!(place.check(), 1);
    let before = seen(&place.env.dir(""));
    assert_eq!(place.run(&["--note", "more"]).run().code, 75);
    assert!(seen(&place.env.dir("")) == before, "something was written");
    place.segue(&["unpause"]).run();
    fs::remove_file(&hook).unwrap();
    let ran = place.run(&[]).run();
    assert_eq!(
        (ran.code, ran.stdout.trim()),
        (0, "handover steps executed: publish"),
        "{}",
        ran.stderr
    );
    assert_eq!(place.runs_on("main"), 1);
}

#[test]
fn a_command_at_work_is_ended_at_once() {
    let place = Place::new();
    place.plan("[[step]]\nkind = 'command'\ncommand = ['sh', '-c', 'touch begun; sleep 60; touch ended']\n");
    place.segue(&["trust"]).run();
    let mut run = place.run(&[]);
    run.command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = run.command.spawn().unwrap();
    let begun = Instant::now();
    while !place.repo.join("begun").exists() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(place.check(), 75, "a run is at work");
    place.segue(&["pause", "--reason", "now"]).run();
    let pulled = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(pulled.elapsed() < Duration::from_secs(10), "it took {:?}", pulled.elapsed());
    assert_eq!(output.status.code(), Some(75));
    assert!(!place.repo.join("ended").exists());
    assert_eq!(place.check(), 1);
}

#[test]
fn pause_and_unpause_say_what_they_did() {
    let place = braked();
    let said = place.segue(&["pause", "--reason", "release day"]).run();
    assert_eq!((said.code, said.stdout.as_str()), (0, ""));
    assert!(said.stderr.contains("$ROOT/home/segue/PAUSE"), "{}", said.stderr);
    for command in [&["status"][..], &["check"], &["doctor"]] {
        let ran = place.segue(command).run();
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains("release day"), "{command:?}");
    }
    let json = place.segue(&["status", "--json"]).ok();
    assert!(json.contains("\"reason\": \"release day\""), "{json}");
    place.segue(&["pause", "--here"]).run();
    let said = place.segue(&["unpause"]).run();
    assert_eq!((said.code, said.stderr.matches("removed").count()), (0, 2), "{}", said.stderr);
    assert!(place.segue(&["unpause"]).run().stderr.contains("nothing was paused"));
    // Somebody else's brake is theirs to let go of.
    put(&place.env.dir("").join(".agent_handover/PAUSE"), "");
    let error = place.segue(&["unpause"]).fails(75);
    assert!(error.contains(".agent_handover/PAUSE"), "{error}");
}

#[test]
fn the_brake_of_one_project_does_not_hold_another() {
    let place = braked();
    place.segue(&["pause", "--here"]).run();
    let other = place.env.repo("other");
    place.env.segue(&["run", "--note", "x"]).dir(&other).run();
    assert!(place.env.segue(&["list"]).dir(&other).run().stdout.contains("\tx\t"));
    place.segue(&["run", "--note", "x"]).fails(75);
}
