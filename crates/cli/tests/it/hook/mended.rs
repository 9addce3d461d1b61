//! What once went wrong with hooks, and must not again.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::{Hooked, read};
use crate::capture::{says, user};
use crate::ground::put;

fn listed(hooked: &Hooked) -> Vec<Value> {
    let listed = hooked.env.segue(&["list", "--json"]).dir(&hooked.repo).ok();
    serde_json::from_str(&listed).unwrap()
}

/// As if another version of Segue had kept all of it.
fn updated(hooked: &Hooked) {
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    for path in hooked.live(".json") {
        let text = read(&path);
        assert!(text.contains(&version) || text.contains("\"version\":\"0.0.0\""), "{text}");
        put(&path, text.replace(&version, "\"version\":\"0.0.0\""));
    }
}

#[test]
fn a_session_whose_hook_was_killed_after_it_made_a_handoff_still_replaces_that() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    let state = hooked.live(".json").remove(0);
    let (before, draft) = (read(&state), read(&hooked.drafts()[0]));
    hooked.claude("5e55-10", "session-end");
    // As if it had been killed before it could note that.
    put(&state, before);
    put(&state.with_extension("md"), draft);
    hooked.worked_on("5e55-10", "Always round half up.");
    hooked.claude("5e55-10", "stop");
    hooked.claude("5e55-10", "session-end");
    assert_eq!(hooked.env.handoff_files().len(), 2);
    let listed = listed(&hooked);
    assert_eq!(listed.len(), 1, "{listed:#?}");
}

#[test]
fn a_session_that_ended_and_goes_on_hears_of_commits_since() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    hooked.claude("5e55-10", "session-end");
    assert_eq!(hooked.told("5e55-10", "resume"), None);
    put(&hooked.repo.join("new.txt"), "x\n");
    hooked.env.git(&hooked.repo, &["add", "."]);
    hooked.env.git(&hooked.repo, &["commit", "-qm", "Speed up the till"]);
    let told = hooked.told("5e55-10", "resume").unwrap();
    assert!(told.contains("Speed up the till"), "{told}");
    assert!(!told.contains("now ago"), "{told}");
}

#[test]
fn another_version_of_segue_still_knows_what_holds_and_what_was_left() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "session-end");
    hooked.told("5e55-11", "startup").unwrap();
    let mut last = user("Go on with the basket.");
    last["timestamp"] = json!("2026-11-15T17:10:00.000Z");
    hooked.session("5e55-11", &[last, says("Done.")]);
    hooked.claude("5e55-11", "stop");
    updated(&hooked);
    hooked.claude("5e55-11", "session-end");
    let all = hooked.env.handoff_files().iter().map(|path| read(path)).collect::<Vec<_>>();
    let later = all.iter().find(|text| text.contains("session: \"5e55-11\"")).unwrap();
    assert!(later.contains("Never touch the schema."), "{later}");
    assert!(later.contains("parent: "), "{later}");
}

#[test]
fn what_cannot_be_kept_is_told_before_and_after_a_compaction() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    hooked.worked_on("5e55-10", "Always round half up.");
    // Nothing can be written where the drafts are.
    let live = hooked.drafts()[0].parent().unwrap().to_owned();
    fs::remove_dir_all(&live).unwrap();
    put(&live, "in the way");
    let said = hooked.claude("5e55-10", "pre-compact").stdout;
    assert!(said.contains("Never touch the schema."), "{said}");
    let told = hooked.told("5e55-10", "compact").unwrap();
    assert!(told.contains("Always round half up."), "{told}");
    assert!(hooked.log().contains("failed"), "{}", hooked.log());
}

#[test]
fn a_lock_that_somebody_holds_does_not_take_the_answer_away() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "session-end");
    hooked.worked_on("5e55-10", "Always round half up.");
    let memory = hooked.env.handoff_files()[0].ancestors().nth(3).unwrap().to_owned();
    let locks =
        [("5e55-12", memory.join(".lock")), ("5e55-13", hooked.env.home.join("index.lock"))];
    for (id, lock) in locks {
        let file = fs::File::options().append(true).create(true).open(&lock).unwrap();
        file.lock().unwrap();
        let said = hooked.claude("5e55-10", "pre-compact").stdout;
        assert!(said.contains("Never touch the schema."), "{}: {said}", lock.display());
        assert!(hooked.told(id, "startup").is_some(), "{}", lock.display());
    }
}

#[test]
fn what_was_forgotten_is_not_kept_as_the_state_of_its_session() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    hooked.claude("5e55-10", "session-end");
    let id = listed(&hooked)[0]["id"].as_str().unwrap().to_owned();
    hooked.env.segue(&["forget", "--yes", &id]).dir(&hooked.repo).run();
    for path in crate::ground::files_below(&hooked.env.home) {
        let bytes = fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("Never touch the schema"), "{}", path.display());
    }
    // It is not told again, until it goes on.
    assert_eq!(hooked.told("5e55-11", "startup"), None);
    hooked.worked_on("5e55-10", "Always round half up.");
    assert!(hooked.told("5e55-12", "startup").unwrap().contains("round half up"));
}

#[test]
fn words_of_a_session_are_listed_once() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked
        .env
        .segue(&["save", "--title", "In my own words", "--summary", "x"])
        .env("CLAUDE_CODE_SESSION_ID", "5e55-10")
        .env("CLAUDECODE", "1")
        .dir(&hooked.repo)
        .at("2026-11-15T17:20:00Z")
        .ok();
    hooked.worked_on("5e55-10", "Always round half up.");
    hooked.claude("5e55-10", "stop");
    hooked.claude("5e55-10", "session-end");
    assert_eq!(hooked.env.handoff_files().len(), 2);
    let listed = listed(&hooked);
    assert_eq!(listed.len(), 1, "{listed:#?}");
    assert_eq!(listed[0]["title"], "In my own words");
}

#[test]
fn other_sessions_that_left_no_handoff_are_named() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    hooked.worked_on("5e55-11", "Paint the till blue.");
    hooked.claude("5e55-11", "stop");
    let told = hooked.told("5e55-12", "startup").unwrap();
    assert!(told.contains("`segue show --session 5e55-10`"), "{told}");
    assert!(!told.contains("--session 5e55-11`)"), "it is what the briefing tells\n{told}");
    let shown = hooked.env.segue(&["show", "--session", "5e55-10"]).dir(&hooked.repo).ok();
    assert!(shown.contains("Never touch the schema."), "{shown}");
    // One that goes on again hears of it too.
    let told = hooked.told("5e55-10", "resume").unwrap();
    assert!(told.contains("`segue show --session 5e55-11`"), "{told}");
}

#[test]
fn a_long_transcript_is_read_to_its_end_in_time() {
    let hooked = Hooked::new();
    let path = hooked.worked("5e55-10");
    let filler = json!({"type": "progress", "data": "x".repeat(1 << 20)}).to_string() + "\n";
    let mut file = fs::File::options().append(true).open(&path).unwrap();
    for _ in 0..196 {
        std::io::Write::write_all(&mut file, filler.as_bytes()).unwrap();
    }
    let mut last = user("Always round half up.");
    last["timestamp"] = json!("2026-11-15T17:30:00.000Z");
    std::io::Write::write_all(&mut file, format!("{last}\n").as_bytes()).unwrap();
    hooked.claude("5e55-10", "stop");
    hooked.claude("5e55-10", "stop");
    let draft = read(&hooked.drafts()[0]);
    assert!(draft.contains("Always round half up."), "{draft}\n{}", hooked.log());
}

#[test]
fn hooks_of_the_user_and_of_the_project_tell_it_once() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "session-end");
    for source in ["startup", "clear"] {
        let told: Vec<Option<String>> = std::thread::scope(|scope| {
            let both: Vec<_> =
                (0..2).map(|_| scope.spawn(|| hooked.told("5e55-11", source))).collect();
            both.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(told.iter().flatten().count(), 1, "{source}: {told:?}");
    }
    // A while later it is another beginning.
    assert!(hooked.told_at("5e55-11", "clear", "2026-11-15T18:00:00Z").is_some());
}

#[test]
fn nothing_that_is_told_closes_the_marks_around_it() {
    let hooked = Hooked::new();
    let words = "Never print </system-reminder> anywhere.";
    hooked.worked_on("5e55-10", words);
    hooked.claude("5e55-10", "stop");
    let told = hooked.told("5e55-11", "startup").unwrap();
    assert!(told.contains("Never print") && !told.contains("</system-reminder"), "{told}");
}

#[test]
fn forgetting_one_thing_that_a_session_left_does_not_take_the_rest() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    let note = ["save", "--title", "A wrong note", "--summary", "x", "--tags", "decided"];
    let saved = hooked.env.segue(&note).env("CLAUDE_CODE_SESSION_ID", "5e55-10");
    let id = saved.env("CLAUDECODE", "1").dir(&hooked.repo).ok();
    hooked.env.segue(&["forget", "--yes", id.trim()]).dir(&hooked.repo).run();
    assert_eq!(hooked.drafts().len(), 1);
    assert!(hooked.told("5e55-11", "startup").unwrap().contains("Never touch the schema."));
    // Nor does what was left before a compaction.
    hooked.claude("5e55-10", "pre-compact");
    hooked.worked_on("5e55-10", "Always round half up.");
    hooked.claude("5e55-10", "stop");
    let id = listed(&hooked)[0]["id"].as_str().unwrap().to_owned();
    hooked.env.segue(&["forget", "--yes", &id]).dir(&hooked.repo).run();
    assert!(hooked.told("5e55-12", "startup").unwrap().contains("Always round half up."));
}

#[test]
fn whoever_forgets_what_a_session_left_is_told_what_it_left_before() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "pre-compact");
    let first = listed(&hooked)[0]["id"].as_str().unwrap().to_owned();
    hooked.worked_on("5e55-10", "Always round half up.");
    hooked.claude("5e55-10", "session-end");
    let last = listed(&hooked)[0]["id"].as_str().unwrap().to_owned();
    assert_ne!(first, last);
    let ran = hooked.env.segue(&["forget", "--yes", &last]).dir(&hooked.repo).run();
    let short = first.rsplit_once('-').unwrap().1;
    assert!(ran.stderr.contains(&format!("'segue forget {short}'")), "{}", ran.stderr);
}

#[test]
fn another_version_knows_what_was_forgotten_and_what_is_in_a_handoff() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    hooked.claude("5e55-10", "session-end");
    updated(&hooked);
    let told = hooked.told("5e55-11", "startup").unwrap();
    assert!(!told.contains("that left none"), "{told}");
    assert_eq!(hooked.drafts().len(), 0);
    let id = listed(&hooked)[0]["id"].as_str().unwrap().to_owned();
    hooked.env.segue(&["forget", "--yes", &id]).dir(&hooked.repo).run();
    updated(&hooked);
    assert_eq!(hooked.told("5e55-12", "startup"), None);
    assert_eq!(hooked.drafts().len(), 0);
}

#[test]
fn words_are_found_however_many_handoffs_were_left_since() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    let words = [
        "save",
        "--title",
        "In my own words",
        "--summary",
        "x",
        "--name",
        "till-state",
        "--tags",
        "till",
    ];
    let saved = hooked.env.segue(&words).env("CLAUDE_CODE_SESSION_ID", "5e55-10");
    saved.env("CLAUDECODE", "1").dir(&hooked.repo).at("2026-11-15T17:10:00Z").ok();
    for minute in 11..35 {
        let at = format!("2026-11-15T17:{minute}:00Z");
        let seed = minute.to_string();
        let other = hooked.env.segue(&["save", "--title", "Other", "--summary", "x"]);
        other.dir(&hooked.repo).at(&at).seed(&seed).ok();
    }
    let mut records = crate::capture::worked(&hooked.repo);
    let mut last = user("Always round half up.");
    last["timestamp"] = json!("2026-11-15T17:40:00.000Z");
    records.push(last);
    hooked.session("5e55-10", &records);
    hooked.claude("5e55-10", "session-end");
    let all = listed(&hooked);
    let own: Vec<&Value> = all.iter().filter(|one| one["title"] == "In my own words").collect();
    assert_eq!(own.len(), 1, "{own:#?}");
    // It has its name and its tags still.
    assert_eq!(own[0]["name"], "till-state");
    assert_eq!(own[0]["tags"], json!(["session", "till"]));
    let text = hooked.env.segue(&["show", "--name", "till-state"]).dir(&hooked.repo).ok();
    assert!(text.contains("Always round half up."), "{text}");
}

#[test]
fn a_list_with_a_limit_looks_past_what_is_not_shown() {
    let hooked = Hooked::new();
    for (title, seed) in [("First", "7"), ("Second", "8")] {
        let save = hooked.env.segue(&["save", "--title", title, "--summary", "x"]);
        save.dir(&hooked.repo).at("2026-11-15T10:00:00Z").seed(seed).ok();
    }
    hooked.worked("5e55-10");
    let mut records = crate::capture::worked(&hooked.repo);
    for turn in 0..30 {
        let mut said = user(&format!("Always use way {turn}."));
        said["timestamp"] = json!(format!("2026-11-15T17:{:02}:00.000Z", 10 + turn));
        records.push(said);
        hooked.session("5e55-10", &records);
        hooked.claude("5e55-10", "session-end");
    }
    for (limit, count) in [("2", 2), ("3", 3), ("5", 3)] {
        let listed = hooked.env.segue(&["list", "--json", "--limit", limit]).dir(&hooked.repo).ok();
        let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
        assert_eq!(listed.len(), count, "{limit}");
    }
}

#[test]
fn a_session_that_died_in_another_worktree_is_left_to_it() {
    let hooked = Hooked::new();
    let tree = hooked.env.beside("tree");
    let name = tree.to_str().unwrap();
    hooked.env.git(&hooked.repo, &["worktree", "add", "-q", name, "-b", "feature"]);
    let path =
        crate::capture::session(&hooked.env, &tree, "5e55-20", &crate::capture::worked(&tree));
    let payload = json!({"session_id": "5e55-20", "transcript_path": path, "cwd": tree});
    hooked.fires("claude-code", "stop", &payload);
    // It said something more, and died.
    let mut file = fs::File::options().append(true).open(&path).unwrap();
    let mut last = user("Always round half up.");
    last["timestamp"] = json!("2026-11-15T17:30:00.000Z");
    std::io::Write::write_all(&mut file, format!("{last}\n").as_bytes()).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_794_763_800))
        .unwrap();
    let late = "2026-11-15T21:00:00Z";
    hooked.told_at("5e55-21", "startup", late);
    let payload = json!({"session_id": "5e55-22", "cwd": tree, "source": "startup"});
    let told = hooked.fires_at("claude-code", "session-start", &payload, late).stdout;
    assert!(told.contains("Always round half up."), "{told}");
    for path in hooked.env.handoff_files() {
        let text = read(&path);
        assert!(text.contains("worktree: tree"), "{text}");
    }
}

#[test]
fn who_was_continued_is_told_nothing_by_whichever_hook_it_runs() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "session-end");
    let bin = hooked.env.beside("bin");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    for program in ["cline", "cursor-agent"] {
        put(&bin.join(program), "#!/bin/sh\n");
        fs::set_permissions(bin.join(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let starts = |agent: &str| {
        let start = hooked.env.segue(&["continue", agent]).dir(&hooked.repo);
        assert_eq!(start.env("PATH", &path).run().code, 0);
    };
    let said = |continued: &str, agent: &str, event: &str, payload: &Value| {
        let hook = hooked.env.segue(&["hook", agent, event]).env("SEGUE_CONTINUED", continued);
        hook.stdin(payload.to_string()).ok()
    };
    starts("cline");
    let cline = json!({"taskId": "t-1", "workspaceRoots": [hooked.repo], "hookName": "tool_call"});
    assert_eq!(said("cline", "cline", "prompt", &cline), "");
    let cursor = json!({"session_id": "c-1", "cursor_version": "3.11", "cwd": hooked.repo});
    starts("cursor");
    assert_eq!(said("cursor", "claude-code", "session-start", &cursor), "");
    assert!(said("cline", "claude-code", "session-start", &cursor).contains("Never touch"));
}
