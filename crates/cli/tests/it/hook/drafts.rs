//! Live drafts: one a session, and what becomes of them.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use super::{Hooked, read};
use crate::capture::{assistant, result, says, user, worked};
use crate::ground::{files_below, put};

#[test]
fn a_session_has_one_draft_however_many_turns_it_has() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    assert_eq!(hooked.claude("5e55-10", "stop").stdout, "");
    let drafts = hooked.drafts();
    assert_eq!(drafts.len(), 1);
    let text = read(&drafts[0]);
    for said in [
        "tool: claude-code",
        "session: \"5e55-10\"",
        "tags: [session]",
        "branch: main",
        "“Never touch the schema.” *(declared #1)*",
        "Failed with exit code 101: `cargo test` (tests), in `basket::adds`",
        "`src/basket.rs`",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    hooked.worked_on("5e55-10", "Always round half up.");
    hooked.claude("5e55-10", "stop");
    assert_eq!(hooked.drafts(), drafts);
    assert!(read(&drafts[0]).contains("“Always round half up.”"));
    assert_eq!(hooked.env.handoff_files().len(), 0);
    // It is no handoff yet, and nothing lists it as one.
    assert_eq!(hooked.env.segue(&["list"]).dir(&hooked.repo).run().stdout, "");
}

#[test]
fn only_what_is_new_of_a_transcript_is_read() {
    let hooked = Hooked::new();
    let path = hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    let mut records = worked(&hooked.repo);
    records.push(user("And never rename the columns."));
    hooked.session("5e55-10", &records);
    // What was read is not looked at again: that it is no longer what it was shows it.
    let text = read(&path).replacen("Never touch the schema.", "Xxxxx xxxxx xxx xxxxxx.", 1);
    put(&path, text);
    hooked.claude("5e55-10", "stop");
    let draft = read(&hooked.drafts()[0]);
    assert!(draft.contains("“Never touch the schema.”"), "{draft}");
    assert!(draft.contains("never rename the columns"), "{draft}");
    assert!(!draft.contains("Xxxxx"), "{draft}");
}

#[test]
fn the_end_of_a_session_makes_a_handoff_of_its_draft() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    hooked.claude("5e55-10", "session-end");
    assert_eq!(hooked.drafts().len(), 0);
    assert_eq!(hooked.env.handoff_files().len(), 1);
    let first = read(&hooked.env.handoff_files()[0]);
    assert!(first.contains("session: \"5e55-10\""), "{first}");
    // Nothing happened since: there is nothing to make another of.
    hooked.claude("5e55-10", "stop");
    hooked.claude("5e55-10", "session-end");
    assert_eq!(hooked.env.handoff_files().len(), 1);
    // It goes on: what it leaves then takes the place of the first.
    hooked.worked_on("5e55-10", "Always round half up.");
    hooked.claude("5e55-10", "stop");
    hooked.claude("5e55-10", "session-end");
    let files = hooked.env.handoff_files();
    assert_eq!(files.len(), 2);
    let id = first.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    let second = files.iter().map(|path| read(path)).find(|text| *text != first).unwrap();
    assert!(second.contains(&format!("supersedes: [{id}]")), "{second}");
    assert!(hooked.env.segue(&["doctor"]).run().code == 0);
}

#[test]
fn a_session_that_died_is_told_at_the_next_start() {
    let hooked = Hooked::new();
    let path = hooked.worked("5e55-10");
    // No hook of it ever fired.
    let told = hooked.told("5e55-11", "startup").unwrap();
    for said in ["by Claude Code", "Never touch the schema.", "`cargo test` failed"] {
        assert!(told.contains(said), "{said}\n{told}");
    }
    assert!(!told.contains("claude --resume"), "it is in the agent already\n{told}");
    assert_eq!(hooked.drafts().len(), 1);
    // Half an hour later it is a handoff, dated when the session ended.
    let ended = std::time::UNIX_EPOCH + Duration::from_secs(1_794_762_000);
    std::fs::File::options().append(true).open(path).unwrap().set_modified(ended).unwrap();
    let told = hooked.told_at("5e55-12", "startup", "2026-11-15T18:45:00Z").unwrap();
    assert!(told.contains("Never touch the schema."), "{told}");
    assert_eq!(hooked.drafts().len(), 0);
    let text = read(&hooked.env.handoff_files()[0]);
    assert!(text.contains("created: 2026-11-15T17:00:00.000000Z"), "{text}");
    let listed = hooked.env.segue(&["list"]).dir(&hooked.repo).ok();
    assert_eq!(listed.lines().count(), 2, "{listed}");
}

#[test]
fn what_a_turn_was_missed_of_is_picked_up() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    hooked.worked_on("5e55-10", "Always round half up.");
    let told = hooked.told("5e55-11", "startup").unwrap();
    assert!(told.contains("Always round half up."), "{told}");
    assert!(read(&hooked.drafts()[0]).contains("Always round half up."));
}

#[test]
fn an_older_handoff_does_not_hide_the_session_after_it() {
    let hooked = Hooked::new();
    let save = ["save", "--title", "Last week", "--summary", "Old things."];
    hooked.env.segue(&save).dir(&hooked.repo).at("2026-11-08T10:00:00Z").ok();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    let told = hooked.told("5e55-11", "startup").unwrap();
    assert!(told.contains("Never touch the schema.") && told.contains("Last week"), "{told}");
    let resumed = hooked.env.segue(&["resume"]).dir(&hooked.repo).ok();
    assert!(resumed.contains("Never touch the schema."), "{resumed}");
    assert!(!resumed.contains("No handoff was left"), "{resumed}");
    // What is asked for by its name is given.
    let by_id = hooked.env.segue(&["resume", "--id", "latest"]).dir(&hooked.repo).ok();
    assert!(by_id.contains("**Last week**"), "{by_id}");
}

#[test]
fn what_an_agent_said_itself_comes_first() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    let save = || {
        let args = ["save", "--title", "In my words", "--next", "Ask Ada about rounding"];
        hooked
            .env
            .segue(&args)
            .dir(&hooked.repo)
            .env("CLAUDECODE", "1")
            .env("CLAUDE_CODE_SESSION_ID", "5e55-10")
            .at("2026-11-15T17:10:00Z")
            .ok()
    };
    let id = save();
    // The user said nothing after it: only what the words leave out is added.
    hooked.claude("5e55-10", "stop");
    assert_eq!((hooked.drafts().len(), hooked.env.handoff_files().len()), (1, 1));
    hooked.claude("5e55-10", "session-end");
    hooked.claude("5e55-10", "stop");
    assert_eq!((hooked.drafts().len(), hooked.env.handoff_files().len()), (0, 2));
    let told = hooked.told("5e55-11", "startup").unwrap();
    assert!(told.contains("**In my words**") && told.contains("Ada"), "{told}");
    assert!(told.contains("Never touch the schema."), "{told}");
    // Then it goes on.
    hooked.worked_on("5e55-10", "Always round half up.");
    hooked.claude("5e55-10", "stop");
    let draft = read(&hooked.drafts()[0]);
    assert!(draft.contains("Ask Ada about rounding") && draft.contains("Always round"), "{draft}");
    assert!(draft.contains(id.trim()), "it takes the place of the words\n{draft}");
}

#[test]
fn the_handoff_that_a_session_was_briefed_with_is_its_parent() {
    let hooked = Hooked::new();
    let save = ["save", "--title", "Before", "--summary", "x"];
    hooked.env.segue(&save).dir(&hooked.repo).at("2026-11-15T09:00:00Z").ok();
    assert!(hooked.told("5e55-10", "startup").unwrap().contains("**Before**"));
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    let draft = read(&hooked.drafts()[0]);
    assert!(draft.contains("parent: 20261115-090000-"), "{draft}");
}

#[test]
fn a_session_in_which_nothing_was_said_leaves_nothing() {
    let hooked = Hooked::new();
    hooked.session("5e55-10", &[says("Welcome.")]);
    hooked.claude("5e55-10", "stop");
    hooked.claude("5e55-10", "session-end");
    assert!(!hooked.env.home.join("projects").exists());
    assert_eq!(hooked.told("5e55-11", "startup"), None);
    assert!(!hooked.env.home.exists(), "{:?}", files_below(&hooked.env.home));
}

#[test]
fn secrets_are_not_kept_with_a_draft() {
    let hooked = Hooked::new();
    let key = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    let password = "qZ8-vault-Kp77xx";
    let mut records = worked(&hooked.repo);
    records
        .push(user(&format!("Use the token {key} for the API, and the db password is {password}")));
    let run = json!({"type": "tool_use", "id": "t9", "name": "Bash",
        "input": {"command": format!("curl -H 'Authorization: Bearer {key}' https://api.example.org")}});
    records.push(assistant(&run));
    records.push(result("t9", &format!("DB_PASSWORD={password}"), true));
    records.push(says("Done."));
    hooked.session("5e55-10", &records);
    for event in ["stop", "pre-compact", "stop", "session-end"] {
        hooked.claude("5e55-10", event);
        for path in files_below(&hooked.env.home) {
            let bytes = std::fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(&key) && !text.contains(password), "{}", path.display());
        }
    }
}

#[test]
fn a_hook_that_is_killed_leaves_the_draft_whole() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    for round in 0..60_u64 {
        hooked.worked_on("5e55-10", &format!("Always use way {round}."));
        let payload = hooked.payload("5e55-10", "Stop", "").to_string();
        let mut child = hooked
            .env
            .segue(&["hook", "claude-code", "stop"])
            .command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_micros(round * 700));
        let _ = child.kill();
        child.wait().unwrap();
        let draft = read(&hooked.drafts()[0]);
        assert!(draft.starts_with("---\nsegue: 2\n"), "{draft}");
        assert!(draft.contains("“Never touch the schema.”"), "{draft}");
    }
    hooked.claude("5e55-10", "stop");
    assert!(read(&hooked.drafts()[0]).contains("Always use way 59."));
    let left = files_below(&hooked.env.home);
    assert!(!left.iter().any(|path| path.to_string_lossy().contains(".tmp-")), "{left:?}");
    assert_eq!(hooked.env.segue(&["doctor"]).run().code, 0);
}

#[test]
fn hooks_that_fire_at_once_do_not_disturb_each_other() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    std::thread::scope(|scope| {
        for event in ["stop", "stop", "session-end", "pre-compact", "stop", "session-end"] {
            let hooked = &hooked;
            scope.spawn(move || hooked.claude("5e55-10", event));
        }
    });
    hooked.claude("5e55-10", "session-end");
    assert_eq!(hooked.drafts().len(), 0);
    assert_eq!(hooked.env.handoff_files().len(), 1, "{}", hooked.log());
    assert!(!hooked.log().contains("failed"), "{}", hooked.log());
}

#[test]
fn what_is_said_while_a_draft_becomes_a_handoff_is_not_lost() {
    let hooked = Hooked::new();
    let path = hooked.worked("5e55-10");
    for round in 0..24 {
        let mut said = user(&format!("Always use way {round}."));
        said["timestamp"] = json!(format!("2026-11-15T17:30:{round:02}.000Z"));
        std::thread::scope(|scope| {
            let fire = |event: &'static str| scope.spawn(|| hooked.claude("5e55-10", event));
            fire("session-end");
            let mut file = std::fs::File::options().append(true).open(&path).unwrap();
            std::io::Write::write_all(&mut file, format!("{said}\n").as_bytes()).unwrap();
            fire("stop");
            fire("pre-compact");
        });
    }
    hooked.claude("5e55-10", "stop");
    hooked.claude("5e55-10", "session-end");
    assert_eq!(hooked.drafts().len(), 0);
    // Each took the place of the one before, and the last one has all of it.
    let listed = hooked.env.segue(&["list", "--json"]).dir(&hooked.repo).ok();
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed:#}\n{}", hooked.log());
    let id = listed[0]["id"].as_str().unwrap();
    let text = hooked.env.segue(&["show", id]).dir(&hooked.repo).ok();
    assert!(text.contains("Always use way 23."), "{text}\n{}", hooked.log());
    assert!(!hooked.log().contains("failed"), "{}", hooked.log());
}

#[test]
fn what_the_user_forbade_holds_in_the_sessions_after() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "session-end");
    for (earlier, id) in [(10, "5e55-11"), (11, "5e55-12"), (12, "5e55-13")] {
        let told = hooked.told(id, "startup").unwrap();
        assert!(told.contains("Never touch the schema."), "after {earlier}\n{told}");
        let mut last = user("Go on with the basket.");
        last["timestamp"] = json!(format!("2026-11-15T17:0{}:00.000Z", earlier - 9));
        hooked.session(id, &[last, says("Done.")]);
        hooked.claude(id, "stop");
        let draft = hooked.drafts().iter().map(|path| read(path)).find(|text| text.contains(id));
        let draft = draft.unwrap();
        assert!(draft.contains("- “Never touch the schema.” *(declared earlier)*"), "{draft}");
        hooked.claude(id, "session-end");
    }
}
