//! The index is a view: whatever happens to it, every command gives the same answer.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::ground::{TestEnv, file_time, files_below, put};

/// A name for a damage, and how it is done.
type Damage<'a> = (&'static str, Box<dyn Fn() + 'a>);

fn store() -> TestEnv {
    let env = TestEnv::new();
    for (n, name) in ["alpha", "beta", "gamma"].iter().enumerate() {
        let time = format!("2026-{:02}-15T10:00:0{n}Z", 9 + n);
        env.segue(&["save", "--name", name, "--tags", "x,y", "--tool", "codex", "--next", "go on"])
            .stdin(format!("body of {name}"))
            .at(&time)
            .ok();
    }
    env.segue(&["save", "--title", "old", "--ttl", "1h"]).at("2026-10-01T00:00:00Z").run();
    env.segue(&["gc"]).ok();
    env
}

/// What every reading command says.
fn answers(env: &TestEnv) -> Vec<String> {
    let commands: [&[&str]; 13] = [
        &["list"],
        &["list", "--json", "--expired"],
        &["list", "--query", "GAMMA"],
        &["list", "--tag", "y", "--tool", "Codex", "--since", "2026-10-01"],
        &["list", "--id", "2026"],
        &["list", "--latest"],
        &["show"],
        &["show", "--name", "beta"],
        &["show", "--name", "nope"],
        &["show", "20261015"],
        &["show", "2026"],
        &["render", "--name", "alpha"],
        &["project", "list"],
    ];
    commands
        .iter()
        .map(|args| {
            let ran = env.segue(args).run();
            format!("{args:?} {} {}{}", ran.code, ran.stdout, ran.stderr)
        })
        .collect()
}

fn index_files(env: &TestEnv) -> Vec<std::path::PathBuf> {
    files_below(&env.home)
        .into_iter()
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("index.db"))
        .collect()
}

fn remove_index(env: &TestEnv) {
    for file in index_files(env) {
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn deleted_answers_stay_the_same() {
    let env = store();
    let before = answers(&env);
    assert!(before[0].contains("gamma") && before[4].lines().count() > 3, "{before:?}");
    remove_index(&env);
    assert_eq!(answers(&env), before);
    assert!(env.home.join("index.db").exists(), "rebuilt");
}

#[test]
fn corrupt_foreign_older_and_newer_ones_are_rebuilt() {
    let env = store();
    let before = answers(&env);
    let index = env.home.join("index.db");
    let damages: [Damage<'_>; 4] = [
        (
            "garbage",
            Box::new(|| {
                put(
                    &index,
                    "this is not a database at all, but it is long enough to be read as one",
                )
            }),
        ),
        ("empty", Box::new(|| put(&index, ""))),
        (
            "cut off",
            Box::new(|| {
                let bytes = fs::read(&index).unwrap();
                put(&index, &bytes[..bytes.len() / 2]);
            }),
        ),
        (
            "holes",
            Box::new(|| {
                let mut bytes = fs::read(&index).unwrap();
                for at in (4096..bytes.len()).step_by(97) {
                    bytes[at] ^= 0xff;
                }
                put(&index, &bytes);
            }),
        ),
    ];
    for (what, damage) in damages {
        env.segue(&["index", "--rebuild"]).ok();
        damage();
        for side in ["index.db-wal", "index.db-shm"] {
            let _ = fs::remove_file(env.home.join(side));
        }
        assert_eq!(answers(&env), before, "{what}");
    }
    for version in [0_u32, 999] {
        env.segue(&["index", "--rebuild"]).ok();
        let mut bytes = fs::read(&index).unwrap();
        // SQLite keeps user_version at byte 60 of the file.
        bytes[60..64].copy_from_slice(&version.to_be_bytes());
        put(&index, &bytes);
        assert_eq!(answers(&env), before, "version {version}");
    }
    let other = store();
    other.segue(&["save", "--title", "of another store"]).at("2026-11-15T12:00:00Z").ok();
    other.segue(&["index", "--rebuild"]).ok();
    remove_index(&env);
    fs::copy(other.home.join("index.db"), &index).unwrap();
    assert_eq!(answers(&env), before, "of another store");
}

#[test]
fn an_index_that_cannot_be_written_costs_only_time() {
    let env = store();
    let before = answers(&env);
    remove_index(&env);
    // A directory in its place can be neither opened nor replaced.
    fs::create_dir(env.home.join("index.db")).unwrap();
    put(&env.home.join("index.db/occupied"), "");
    assert_eq!(answers(&env), before);
    let id = env.segue(&["save", "--title", "without an index"]).seed("77").ok();
    assert_eq!(
        env.segue(&["list", "--latest"]).ok().lines().nth(1).unwrap().split('\t').next().unwrap(),
        id.trim()
    );
    let doctor = env.segue(&["doctor"]).run().stdout;
    assert!(doctor.contains("warn index"), "{doctor}");
}

/// The file of the newest handoff, which is the only one of its month.
fn newest_file(env: &TestEnv) -> std::path::PathBuf {
    let files = env.handoff_files();
    files.into_iter().find(|path| path.to_string_lossy().contains("2026-11")).unwrap()
}

fn set_time(path: &Path, time: SystemTime) {
    fs::File::open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn files_that_come_and_go_by_other_hands_are_noticed() {
    let env = store();
    env.segue(&["list"]).ok();
    let file = newest_file(&env);
    let month = file.parent().unwrap();
    let long_ago = file_time() - Duration::from_secs(3600);
    set_time(month, long_ago);
    env.segue(&["list"]).ok();
    // A copy with another id comes in, as by git pull.
    let text = fs::read_to_string(&file).unwrap().replace("gamma", "delta");
    let id = text.lines().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned();
    let text =
        text.replace(&id, "20261115-120000-deadbeef").replace("2026-11-15T10", "2026-11-15T12");
    put(&month.join("x-2026-11-15-deadbeef.md"), text);
    assert!(env.segue(&["list", "--latest"]).ok().contains("delta"));
    fs::remove_file(month.join("x-2026-11-15-deadbeef.md")).unwrap();
    assert!(env.segue(&["list", "--latest"]).ok().contains("gamma"));
    env.segue(&["show", "deadbeef"]).fails(66);
    // A whole month, and a whole memory.
    let moved = env.dir("aside").join("2026-11");
    fs::rename(month, &moved).unwrap();
    assert!(env.segue(&["list", "--latest"]).ok().contains("beta"));
    fs::rename(&moved, month).unwrap();
    assert!(env.segue(&["list", "--latest"]).ok().contains("gamma"));
    let memory = month.ancestors().nth(2).unwrap();
    let aside = env.dir("aside").join("memory");
    fs::rename(memory, &aside).unwrap();
    assert_eq!(env.segue(&["list", "--all-projects"]).run().stdout, "");
    fs::rename(&aside, memory).unwrap();
    assert_eq!(env.segue(&["list", "--all-projects"]).ok().lines().count(), 4);
}

#[test]
fn a_change_within_the_tick_of_the_last_listing_is_noticed() {
    let env = store();
    let file = newest_file(&env);
    let month = file.parent().unwrap();
    // The directory's time is that of the listing itself: racy, so it is listed once more.
    let tick = file_time() + Duration::from_millis(200);
    set_time(month, tick);
    env.segue(&["list"]).ok();
    let text = fs::read_to_string(&file).unwrap();
    let id = text.lines().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned();
    put(&month.join("x-2026-11-15-deadbeef.md"), text.replace(&id, "20261115-100003-deadbeef"));
    set_time(month, tick);
    assert!(env.segue(&["list"]).ok().contains("deadbeef"));
}

#[test]
fn verify_finds_what_was_edited_in_place() {
    let env = store();
    env.segue(&["list"]).ok();
    let file = newest_file(&env);
    let month = file.parent().unwrap();
    let before = fs::metadata(month).unwrap().modified().unwrap();
    let text = fs::read_to_string(&file).unwrap().replace("name: gamma", "name: omega");
    put(&file, text);
    set_time(month, before);
    assert!(
        env.segue(&["show", "--raw"]).ok().contains("name: omega"),
        "content always comes from the file"
    );
    let said = env.segue(&["index", "--verify"]).ok();
    assert!(said.contains("edited in place: $ROOT"), "{said}");
    assert!(env.segue(&["list"]).ok().contains("omega"));
    assert!(!env.segue(&["index", "--verify"]).ok().contains("edited"));
}

#[test]
fn rebuild_says_what_it_did() {
    let env = store();
    let said = env.segue(&["index", "--rebuild"]).ok();
    assert_eq!(said, "$ROOT/home/segue/index.db: rebuilt (it was asked for), 4 handoffs\n");
    let json = env.segue(&["index", "--json"]).ok();
    assert!(json.contains("\"schema\": 1") && json.contains("\"state\": \"found\""), "{json}");
}

#[cfg(unix)]
#[test]
fn a_project_that_may_not_be_entered_does_not_take_the_others_with_it() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    env.saved(&["--title", "mine", "--project", "mine"]);
    env.saved(&["--title", "closed", "--project", "closed"]);
    let mut dir =
        fs::read_dir(env.home.join("projects")).unwrap().map(|entry| entry.unwrap().path());
    let closed = dir.find(|path| path.to_str().unwrap().contains("closed")).unwrap();
    let open_to = |mode| fs::set_permissions(&closed, fs::Permissions::from_mode(mode)).unwrap();
    open_to(0o000);
    if fs::read_dir(&closed).is_ok() {
        println!("skipped: this user may enter everything");
        open_to(0o700);
        return;
    }
    let list = || env.segue(&["list", "--all-projects"]).run();
    assert!(list().stdout.contains("mine") && list().stderr.contains("cannot read"));
    env.saved(&["--title", "more", "--project", "mine"]);
    open_to(0o700);
    assert!(list().stdout.contains("closed") && list().stderr.is_empty(), "{}", list().stderr);
}
