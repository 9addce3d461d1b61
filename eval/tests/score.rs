//! The scorer from outside, with a program that answers by rote.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs::{self, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const QUESTIONS: &str = r#"[
  {"id": "q1", "kind": "keyword", "sort": "s", "half": "tune", "project": "p", "text": "pool", "answers": ["a"]},
  {"id": "q2", "kind": "as-of", "sort": "s", "half": "tune", "project": "p", "text": "pool", "as_of": "2026-01-02", "answers": ["b"], "superseded": ["a"], "proof": "it is so"},
  {"id": "q3", "kind": "none", "sort": "s", "half": "held-out", "project": "p", "text": "penguins", "answers": []},
  {"id": "q4", "kind": "current", "sort": "s", "half": "held-out", "project": "p", "text": "--odd", "answers": ["c"], "superseded": ["b"]}
]"#;

/// Prints one list for each question, and refuses a call that is not as agreed.
const BY_ROTE: &str = r#"#!/bin/sh
test -d "$SEGUE_HOME" || exit 3
case "$*" in
  "search --json --limit 10 --project p --as-of 2026-01-02 -- pool")
    echo '[{"id": "a", "title": "Old", "superseded_by": null}, {"id": "b", "title": "New"}]' ;;
  "search --json --limit 10 --project p -- pool") echo '[{"id": "a", "title": "A"}]' ;;
  "search --json --limit 10 --project p -- penguins") echo '[]' ;;
  "search --json --limit 10 --project p -- --odd")
    echo '[{"id": "b", "title": "B", "superseded_by": {"id": "c"}}]' ;;
  *) echo "not agreed: $*" >&2; exit 2 ;;
esac
"#;

fn put(path: &Path, text: &str) {
    File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn score(script: &str, flags: &[&str]) -> (Output, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("store")).unwrap();
    put(&dir.path().join("questions.json"), QUESTIONS);
    let program = dir.path().join("segue");
    put(&program, script);
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_segue-eval"))
        .arg("score")
        .arg("--out")
        .arg(dir.path())
        .arg("--segue")
        .arg(&program)
        .args(flags)
        .current_dir(dir.path())
        .output()
        .unwrap();
    (output, dir)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A row of a table, without its times.
fn row(printed: &str, half: &str, kind: &str) -> String {
    let table = printed.split(&format!("## {half}\n")).nth(1).unwrap();
    let line = table.lines().find(|line| line.starts_with(&format!("| {kind} |"))).unwrap();
    line.rsplit_once(" | ").unwrap().0.to_owned()
}

#[test]
fn the_tables_say_what_the_program_answered() {
    let (output, _dir) = score(BY_ROTE, &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert_eq!(
        row(&printed, "tune", "keyword"),
        "| keyword | 1 | 1.000 | 1.000 | 1.000 | – | – | 0"
    );
    assert_eq!(
        row(&printed, "tune", "as-of"),
        "| as-of | 1 | 0.000 | 1.000 | 0.500 | 1 of 1 | – | 0"
    );
    assert_eq!(row(&printed, "tune", "all"), "| all | 2 | 0.500 | 1.000 | 0.750 | 1 of 1 | – | 0");
    assert_eq!(row(&printed, "held-out", "none"), "| none | 1 | – | – | – | – | 0 of 1 | –");
    let current = "| current | 1 | 0.000 | 0.000 | 0.000 | 0 of 1 | – | 0";
    assert_eq!(row(&printed, "held-out", "current"), current);
}

#[test]
fn failures_of_the_held_out_half_are_shown_only_when_asked_for() {
    let shown = |flags: &[&str]| text(&score(BY_ROTE, flags).0.stdout);
    let tune = shown(&["--failures", "9"]);
    assert!(tune.contains("q2 (as-of, s): \"pool\" as of 2026-01-02"), "{tune}");
    assert!(tune.contains("wanted: b, at 2\n  it says: it is so\n  came: a Old (superseded)"));
    assert!(!tune.contains("q4 ("));
    assert!(shown(&["--failures", "9", "--held-out-failures"]).contains("q4 (current, s)"));
    assert!(!shown(&["--failures", "0"]).contains("q2 ("));
}

#[test]
fn a_half_and_a_kind_can_be_asked_alone() {
    let printed = text(&score(BY_ROTE, &["--half", "tune", "--kind", "keyword"]).0.stdout);
    assert!(!printed.contains("held-out"));
    assert_eq!(row(&printed, "tune", "all"), "| all | 1 | 1.000 | 1.000 | 1.000 | – | – | 0");
}

#[test]
fn the_outcomes_are_written_for_programs() {
    let (output, dir) = score(BY_ROTE, &["--json", "result.json"]);
    assert!(output.status.success());
    let json = fs::read_to_string(dir.path().join("result.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["outcomes"].as_array().unwrap().len(), 4);
    assert_eq!(json["outcomes"][1]["outcome"]["rank"], 2);
    assert_eq!(json["tables"]["tune"][0]["hit_at_1"], 1.0);
}

#[test]
fn a_program_that_cannot_search_is_told_about() {
    let (output, _dir) = score("#!/bin/sh\necho 'no such command' >&2; exit 2\n", &[]);
    assert!(!output.status.success());
    let said = text(&output.stderr);
    assert!(said.contains("no such command") && said.contains("was not answered"), "{said}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    let made = |name: &str, threads: &str, seed: &str| {
        let home = dir.path().join(name);
        let output = Command::new(env!("CARGO_BIN_EXE_segue-eval"))
            .args(["generate", "--handoffs", "600", "--projects", "8", "--months", "12"])
            .args(["--threads", threads, "--seed", seed, "--out"])
            .arg(&home)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        files(&home)
    };
    let first = made("a", "1", "1");
    assert_eq!(first.len(), 608);
    assert!(first == made("b", "3", "1"), "other threads, other bytes");
    assert!(first != made("c", "1", "2"), "other seed, same bytes");
}

/// Every file below a directory, by its path from there.
fn files(home: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut dirs = vec![home.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else {
                let name = path.strip_prefix(home).unwrap().display().to_string();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}
