//! A store that version 0.1.0 has left, with everything it can hold, under today's binary: nothing of it is
//! lost, and what was begun is finished.

mod copy;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::ground::files_below;
use copy::{OldStore, fixture};

/// Every handoff, newest first: short id, kind, the directory it was left in, title.
const HANDOFFS: [(&str, &str, &str, &str); 29] = [
    ("3e4e3c07", "session", "live", "List the rates. Keep the page small."),
    ("21541a4c", "handoff", "belt", "Belt: half way"),
    ("aac8c000", "handoff", "team", "Left in the repository"),
    ("c80de0f9", "handoff", "shop", "Filed under a label"),
    ("8664aefe", "handoff", "notes", "Keys handed over"),
    ("ea4fff29", "handoff", "notes", "HANDOFF.md as it was edited"),
    ("06ca0a95", "handoff", "notes", "Lease signed"),
    ("04f73460", "handoff", "notes", "Snapshot"),
    ("9a989360~1", "handoff", "shop", "Refunds, first version"),
    ("eefa317f", "handoff", "shop", "Payments, by a colleague"),
    ("9a989360", "handoff", "shop", "Refunds, second version"),
    ("6aa9d614", "snapshot", "shop", "Snapshot of main, 1 file changed"),
    ("c4ca37b7", "session", "shop", "Fix the totals of the basket. Never touch the schema."),
    ("943ff9fc", "handoff", "shop", "Search on its branch"),
    ("c8e98cd6", "handoff", "shop", "Shipping costs"),
    ("43ec2be5", "handoff", "shop", "Shiping costs"),
    ("c02d8a5e", "decision", "shop", "Line ends: LF"),
    ("aeaf52fe", "decision", "shop", "Token storage: Postgres"),
    ("9e5651b0", "handoff", "shop", "Valid for a century"),
    ("63cbe1e4", "handoff", "shop", "Valid for an hour"),
    ("8cfd70ca", "handoff", "shop", "Cache in memory"),
    ("1b049812", "handoff", "shop", "Cache in Redis"),
    ("0e6c7d03", "handoff", "shop", "Rounded before tax"),
    ("72419db2", "handoff", "shop", "Totals off by a cent"),
    ("bd64a5d9", "handoff", "shop", "Nobody gave this one a title."),
    ("1d0b14e4", "handoff", "shop", "Valid for an hour, archived"),
    ("975835de", "handoff", "shop", "Attic empty"),
    ("beeb8da1", "handoff", "shop", "Cellar painted"),
    ("910a2dec", "handoff", "shop", "Cellar cleared"),
];

/// Handoffs that have expired or are archived.
const PUT_AWAY: [&str; 5] = ["63cbe1e4", "1d0b14e4", "9a989360~1", "beeb8da1", "910a2dec"];

/// The handoff that was forgotten.
const FORGOTTEN: &str = "088712be";

const DIRECTORIES: [&str; 6] = ["shop", "notes", "team", "belt", "live", "orphan"];

fn rows(store: &OldStore, args: &[&str]) -> Vec<Value> {
    let args = [&["list", "--all-projects", "--all", "--json"], args].concat();
    serde_json::from_str(&store.segue("shop", &args).ok()).unwrap()
}

fn shorts(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["short"].as_str().unwrap()).collect()
}

/// What a handoff is. Version 0.1.0 said it by tags and traits.
fn kind_of(row: &Value) -> &str {
    row["kind"].as_str().unwrap()
}

#[test]
fn every_handoff_is_listed_as_what_it_is() {
    let store = OldStore::copy();
    let all = rows(&store, &["--expired"]);
    let listed: Vec<_> = all
        .iter()
        .map(|row| (row["short"].as_str().unwrap(), kind_of(row), row["title"].as_str().unwrap()))
        .collect();
    assert_eq!(listed, HANDOFFS.map(|(short, kind, _, title)| (short, kind, title)));
    let row = |short: &str| all.iter().find(|row| row["short"] == short).unwrap();
    assert_eq!(row("72419db2")["name"], "basket");
    assert_eq!(row("72419db2")["summary"], "Half done: rounding.");
    assert_eq!(row("8cfd70ca")["supersedes"], json!(["20260808-090000-1b049812"]));
    assert_eq!(row("c8e98cd6")["supersedes"], json!(["20260814-090000-43ec2be5"]));
    assert_eq!(row("eefa317f")["imported"]["signer"].as_str().unwrap().len(), 64);
    assert_eq!(row("1d0b14e4")["archived"], true);
    // What has expired or is archived is not offered.
    let offered = rows(&store, &[]);
    let away = HANDOFFS.iter().filter(|(short, ..)| !shorts(&offered).contains(short));
    let mut away: Vec<&str> = away.map(|(short, ..)| *short).collect();
    let mut expected = PUT_AWAY;
    away.sort_unstable();
    expected.sort_unstable();
    assert_eq!(away, expected);
}

#[test]
fn every_handoff_is_shown_byte_for_byte_and_resumed_from() {
    let store = OldStore::copy();
    let stored = store.memories();
    for (short, _, dir, title) in HANDOFFS {
        let shown = store.segue(dir, &["show", "--raw", short]).run();
        assert_eq!(shown.code, 0, "{short}: {}", shown.stderr);
        let is_in = |bytes: &[u8]| bytes.windows(shown.bytes.len()).any(|part| part == shown.bytes);
        assert!(stored.iter().any(|(_, bytes)| is_in(bytes)), "{short}: {}", shown.stdout);
        let briefing = store.segue(dir, &["resume", "--id", short]).run();
        assert_eq!(briefing.code, 0, "{short}: {}", briefing.stderr);
        assert!(briefing.stdout.contains(title), "{short}: {}", briefing.stdout);
    }
}

#[test]
fn the_next_session_is_told_what_was_left_where_it_begins() {
    let store = OldStore::copy();
    for (dir, told) in [
        ("shop", "**Filed under a label**"),
        ("notes", "Ask Grace about the lease before Friday."),
        ("team", "For everybody."),
        ("belt", "A handover run was interrupted with 2 of 132 steps to do."),
        ("live", "“Never round them.”"),
        ("orphan", "**Make the search fast. Keep the index small.**"),
    ] {
        let briefing = store.segue(dir, &["resume"]).run();
        assert!(briefing.stdout.contains(told), "{dir}: {}", briefing.stdout);
    }
}

#[test]
fn no_command_changes_a_handoff_that_is_there() {
    let store = OldStore::copy();
    let before = store.memories();
    // 25 handoffs, 3 archives with 4 more, a tombstone.
    assert_eq!(before.len(), 29);
    for dir in DIRECTORIES {
        for args in [
            &["list", "--expired"][..],
            &["resume"],
            &["search", "basket"],
            &["doctor"],
            &["index", "--rebuild"],
            &["save", "--title", "By a later version", "--no-stdin"],
            &["snapshot", "--from", "none"],
        ] {
            let ran = store.segue(dir, args).real_clock().run();
            assert_eq!(ran.code, 0, "{dir} {args:?}: {}{}", ran.stdout, ran.stderr);
        }
    }
    let after: BTreeMap<PathBuf, Vec<u8>> = store.memories().into_iter().collect();
    for (path, bytes) in before {
        assert!(after.get(&path) == Some(&bytes), "{}", path.display());
    }
}

#[test]
fn the_answers_are_the_same_without_the_old_index() {
    let store = OldStore::copy();
    let answers = || {
        let mut said = vec![store.segue("shop", &["list", "--all-projects", "--expired"]).ok()];
        for query in ["basket", "token storage", "cellar", "euros", "secret"] {
            let args = ["search", query, "--all-projects", "--expired", "--json"];
            said.push(store.segue("shop", &args).run().stdout);
        }
        said.extend(DIRECTORIES.map(|dir| store.segue(dir, &["resume"]).run().stdout));
        said
    };
    let index = store.home.join("index.db");
    assert!(index.is_file());
    let first = answers();
    store.segue("shop", &["index", "--rebuild"]).run();
    assert_eq!(answers(), first);
    store.delete_index();
    assert_eq!(answers(), first);
    assert!(index.is_file());
}

#[test]
fn the_interrupted_run_is_reported_and_finished() {
    let store = OldStore::copy();
    let check = |code| assert_eq!(store.segue("belt", &["check"]).run().code, code);
    assert_eq!(store.own_files("/queue/").len(), 1);
    check(1);
    let ran = store.segue("belt", &["run", "--config", "plan.toml"]).real_clock().run();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    check(2);
    assert_eq!(store.own_files("/queue/"), Vec::<PathBuf>::new());
    let notes = rows(&store, &["--tag", "belt"]);
    let titles: Vec<&Value> = notes.iter().map(|row| &row["title"]).collect();
    assert_eq!(titles, ["Belt: waits for its turn", "Belt: half way"]);
    assert_eq!(notes[1]["short"], "21541a4c");
}

#[test]
fn drafts_of_killed_sessions_become_handoffs_when_the_next_one_begins() {
    for (dir, session, title) in [
        ("live", "5e55-live", "Show the rates in euros. Never round them."),
        ("orphan", "5e55-gone", "Make the search fast. Keep the index small."),
    ] {
        let store = OldStore::copy();
        let cwd = store.root.join(dir);
        let payload = json!({"session_id": "5e55-next", "cwd": cwd, "source": "startup",
            "transcript_path": cwd.join("none.jsonl"), "hook_event_name": "SessionStart"});
        let begins = ["hook", "claude-code", "session-start"];
        let told = store.segue(dir, &begins).stdin(payload.to_string()).ok();
        assert!(told.contains(title), "{dir}: {told}");
        let all = rows(&store, &[]);
        let made = all.iter().find(|row| row["session"] == session);
        let made = made.unwrap_or_else(|| panic!("{dir}: {all:#?}"));
        assert_eq!((made["title"].as_str(), kind_of(made)), (Some(title), "session"));
        assert_eq!(
            store.own_files(&format!("{dir}-")).iter().filter(|path| is_draft(path)).count(),
            0
        );
    }
}

fn is_draft(path: &Path) -> bool {
    path.parent().unwrap().ends_with("live") && path.extension() == Some("md".as_ref())
}

#[test]
fn what_was_forgotten_stays_forgotten() {
    let store = OldStore::copy();
    let bundle = |name: &str| fixture().join("bundles").join(name).display().to_string();
    assert_eq!(store.own_files("/forgotten/").len(), 1);
    assert!(store.own_files("/forgotten/")[0].display().to_string().ends_with(FORGOTTEN));
    store.segue("shop", &["show", FORGOTTEN]).fails(66);
    // The tombstone counts, not what the index remembers.
    store.delete_index();
    let import = ["import", "--json", "--allow-unsigned", &bundle("forgotten.segue")];
    let ran = store.segue("shop", &import).run();
    let imported: Value = serde_json::from_str(&ran.stdout).unwrap();
    let fate = (&imported["handoffs"][0]["short"], &imported["handoffs"][0]["fate"]);
    assert_eq!(fate, (&json!(FORGOTTEN), &json!("forgotten")), "{}", ran.stderr);
    store.segue("shop", &["show", FORGOTTEN]).fails(66);
    assert!(!shorts(&rows(&store, &["--expired"])).contains(&FORGOTTEN));
    let found = store.segue("shop", &["search", "--json", "forgotten"]).run().stdout;
    assert!(!found.contains(FORGOTTEN), "{found}");
}

#[test]
fn keys_and_the_trust_in_them_still_count() {
    let store = OldStore::copy();
    let bundle = |name: &str| fixture().join("bundles").join(name).display().to_string();
    store.segue("shop", &["verify", &bundle("one.segue")]).ok();
    let signed = store.root.join("signed.segue").display().to_string();
    let export = ["export", "72419db2", "--sign-key", "ada", "-o", &signed];
    assert_eq!(store.segue("shop", &export).run().code, 0);
    store.segue("shop", &["verify", &signed]).ok();
    let listed = store.segue("shop", &["list"]).ok();
    let line = listed.lines().find(|line| line.starts_with("eefa317f")).unwrap();
    assert!(line.ends_with("\ttrusted"), "{line}");
}

#[test]
fn a_repository_that_carries_its_memory_is_written_to() {
    let store = OldStore::copy();
    let carried = || files_below(&store.root.join("team/.segue/layer1")).len();
    assert_eq!(carried(), 1);
    store.segue("team", &["save", "--title", "Another", "--no-stdin"]).ok();
    assert_eq!(carried(), 2);
}

#[test]
fn words_around_the_block_of_a_workspace_stay() {
    let store = OldStore::copy();
    store.segue("notes", &["save", "--title", "Moved in", "--no-stdin"]).ok();
    let file = fs::read_to_string(store.root.join("notes/HANDOFF.md")).unwrap();
    assert!(
        file.contains("Moved in") && file.ends_with("Ask Grace about the lease before Friday.\n"),
        "{file}"
    );
    // The block was as version 0.1.0 had left it: nobody's words had to be saved.
    assert_eq!(rows(&store, &["--expired"]).len(), HANDOFFS.len() + 1);
}

#[test]
fn the_agents_get_their_files_back_byte_for_byte() {
    let store = OldStore::copy();
    let user = store.root.join("user");
    let agents = || {
        let all =
            files_below(&user).into_iter().map(|path| path.strip_prefix(&user).unwrap().to_owned());
        let own =
            |path: &PathBuf| path.starts_with(".local") || path.starts_with(".claude/projects");
        all.filter(|path| !own(path)).collect::<Vec<_>>()
    };
    let theirs = fixture().join("agents");
    let expected = files_below(&theirs).into_iter();
    let expected: Vec<PathBuf> =
        expected.map(|path| path.strip_prefix(&theirs).unwrap().to_owned()).collect();
    assert!(agents().len() > expected.len() + 10, "{:?}", agents());
    let ran = store.segue("shop", &["uninstall"]).run();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(agents(), expected);
    for path in expected {
        let (now, then) =
            (fs::read(user.join(&path)).unwrap(), fs::read(theirs.join(&path)).unwrap());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(&now), text(&then), "{}", path.display());
    }
    let mode = fs::metadata(user.join(".claude.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // Directories that were made for files of ours are gone; those of the agents are not.
    assert!(!user.join(".agents").exists() && user.join(".cline").is_dir());
}
