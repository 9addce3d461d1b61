//! Whoever is told of a run is told a command that goes on with it, and it does.

use std::fs;

use super::Place;
use crate::ground::put;

/// A command that fails until there is a file `go`, then a note.
const GATED: &str =
    "[[step]]\nkind = 'command'\ncommand = ['test', '-e', 'go']\n[[step]]\nkind = 'note'\n";

/// Gives the command that `check` names, in a directory, by a shell.
fn follow(place: &Place, dir: &std::path::Path) -> (String, i32) {
    let check = place.env.segue(&["check"]).dir(dir).run();
    let told = check.stderr.split('\'').nth(1).unwrap_or_default().replace("$ROOT", &root(place));
    let bin =
        std::path::Path::new(env!("CARGO_BIN_EXE_segue")).parent().unwrap().display().to_string();
    let line = format!("PATH=\"{bin}:$PATH\"; {told}");
    let output =
        place.env.command("/bin/sh").arg("-c").arg(line).current_dir(dir).output().unwrap();
    (told, output.status.code().unwrap())
}

fn root(place: &Place) -> String {
    place.env.dir("").display().to_string().trim_end_matches('/').to_owned()
}

#[test]
fn with_its_plan_and_its_checkpoint() {
    let place = Place::new();
    put(&place.repo.join("ci/plan.toml"), GATED);
    place.segue(&["trust"]).run();
    let args = ["run", "--config", "ci/plan.toml", "--checkpoint", "state/cp.json", "--note", "x"];
    let error = place.segue(&args).fails_after_output(1);
    assert!(
        error.contains("'segue run --config ci/plan.toml --checkpoint state/cp.json'"),
        "{error}"
    );
    put(&place.repo.join("go"), "");
    let (told, code) = follow(&place, &place.repo);
    assert_eq!((code, place.check()), (0, 2), "{told}");
    assert!(place.segue(&["list"]).run().stdout.contains("\tx\t"));
}

#[test]
fn from_below_a_directory_without_git_and_beside_another_plan_of_that_name() {
    let place = Place::new();
    let plain = place.env.dir("plain");
    put(&plain.join("plan.toml"), GATED);
    place
        .env
        .segue(&["run", "--config", "plan.toml", "--note", "x"])
        .dir(&plain)
        .real_clock()
        .run();
    put(&plain.join("go"), "");
    let deep = place.env.dir("plain/a/b");
    put(&deep.join("plan.toml"), "[[step]]\nkind = 'command'\ncommand = ['touch', 'wrong']\n");
    let (told, code) = follow(&place, &deep);
    assert_eq!(code, 0, "{told}");
    assert_eq!(place.env.segue(&["check"]).dir(&plain).run().code, 2, "{told}");
    assert!(!deep.join("wrong").exists());
}

#[test]
fn before_its_first_checkpoint() {
    let place = Place::new();
    if !crate::strace::works(&place.env) {
        return;
    }
    put(&place.repo.join("p.toml"), "[[step]]\nkind = 'note'\n");
    place.segue(&["save", "--title", "before"]).run();
    // Killed right after the note was queued.
    let tracer = [
        "strace",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "trace=rename",
        "-e",
        "inject=rename:signal=KILL:when=1",
    ];
    let args = ["run", "--config", "p.toml", "--note", "queued"];
    place.env.segue_under(&tracer, &args).dir(&place.repo).real_clock().run();
    assert_eq!(place.check(), 1);
    let (told, code) = follow(&place, &place.repo);
    assert_eq!((told.as_str(), code), ("segue run --config p.toml", 0));
    assert!(place.segue(&["list"]).run().stdout.contains("queued"));
}

#[test]
fn if_its_plan_is_gone() {
    let place = Place::new();
    put(&place.repo.join("old.toml"), GATED);
    place.segue(&["trust"]).run();
    place.segue(&["run", "--config", "old.toml", "--note", "stranded"]).run();
    fs::rename(place.repo.join("old.toml"), place.repo.join("new.toml")).unwrap();
    let (told, code) = follow(&place, &place.repo);
    assert_eq!((told.as_str(), code), ("segue run --config old.toml --fresh", 0));
    // The note is the standard plan's now.
    let (told, code) = follow(&place, &place.repo);
    assert_eq!((told.as_str(), code), ("segue run", 0));
    assert_eq!(place.check(), 2);
    assert!(place.segue(&["list"]).run().stdout.contains("stranded"));
}

#[test]
fn though_its_view_cannot_be_written() {
    let place = Place::new();
    place.plan("[backend]\ntype = 'null'\n");
    put(&place.repo.join("blocked"), "a file where a directory should be");
    let ran = place.run(&["--note", "x", "--checkpoint", "blocked/cp.json"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("warning: cannot"), "{}", ran.stderr);
    assert_eq!(place.notes().len(), 1);
    assert_eq!(place.check(), 2);
}
