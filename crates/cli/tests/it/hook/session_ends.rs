//! Sessions that end while others do, and while the store is in use.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::{Hooked, read};
use crate::capture::{says, user, worked};
use crate::ground::{files_below, put};

impl Hooked {
    /// Sessions of whose end a note is left.
    fn ended(&self) -> usize {
        files_below(&self.env.home.join("ended")).len()
    }

    /// The sessions that have left a handoff.
    fn sessions_with_handoff(&self) -> BTreeSet<String> {
        let session = |text: String| {
            let line = text.lines().find_map(|line| line.strip_prefix("session: \""))?;
            Some(line.trim_end_matches('"').to_owned())
        };
        let files = self.env.handoff_files();
        files.iter().filter_map(|path| session(read(path))).collect()
    }

    fn spawn_end(&self, id: &str) -> Child {
        self.spawn_end_with(id, &[])
    }

    fn spawn_end_with(&self, id: &str, variables: &[(&str, &str)]) -> Child {
        let mut call = self.env.segue(&["hook", "claude-code", "session-end"]).real_randomness();
        call.command.envs(variables.iter().copied());
        call.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = call.command.spawn().unwrap();
        let payload = self.payload(id, "SessionEnd", "").to_string();
        child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
        child
    }
}

#[test]
fn an_end_that_finds_the_store_in_use_becomes_a_handoff_at_the_next_start() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    let lock = hooked.drafts()[0].with_file_name(".lock");
    let lock = File::options().read(true).write(true).open(lock).unwrap();
    lock.lock().unwrap();
    hooked.claude("5e55-10", "session-end");
    assert_eq!((hooked.env.handoff_files().len(), hooked.ended()), (0, 1), "{}", hooked.log());
    lock.unlock().unwrap();
    // At once, though the session may go on as far as its draft shows.
    hooked.told("5e55-11", "startup").unwrap();
    assert_eq!(hooked.sessions_with_handoff(), BTreeSet::from(["5e55-10".to_owned()]));
    assert_eq!((hooked.drafts().len(), hooked.ended()), (0, 0));
}

#[test]
fn ends_of_sessions_that_nobody_heard_of_before_are_not_lost_either() {
    let hooked = Hooked::new();
    hooked.env.segue(&["save", "--title", "first"]).dir(&hooked.repo).stdin("x").ok();
    let project = std::fs::read_dir(hooked.env.home.join("projects")).unwrap().next().unwrap();
    let lock = project.unwrap().path().join("live/.lock");
    put(&lock, "");
    let lock = File::options().read(true).write(true).open(lock).unwrap();
    lock.lock().unwrap();
    let ids: Vec<String> = (0..7).map(|nth| format!("5e55-1{nth}")).collect();
    for id in &ids {
        hooked.session(id, &worked(&hooked.repo));
        hooked.claude(id, "session-end");
    }
    assert_eq!((hooked.drafts().len(), hooked.ended()), (0, ids.len()), "{}", hooked.log());
    lock.unlock().unwrap();
    // A session that starts in another project makes handoffs of them too.
    let elsewhere = hooked.env.repo("elsewhere");
    for nth in 0..ids.len() {
        let mut payload = hooked.payload(&format!("5e55-2{nth}"), "SessionStart", "startup");
        payload["cwd"] = elsewhere.to_str().unwrap().into();
        hooked.fires("claude-code", "session-start", &payload);
    }
    assert_eq!(hooked.sessions_with_handoff(), ids.into_iter().collect(), "{}", hooked.log());
    assert_eq!(hooked.ended(), 0);
    let listed = hooked.env.segue(&["list"]).dir(&hooked.repo).ok();
    assert_eq!(listed.lines().count(), 1 + 1 + 7, "{listed}");
}

#[test]
fn a_session_of_which_nothing_is_left_leaves_no_state() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    hooked.claude("5e55-10", "session-end");
    // It began and was told something, and nobody said anything in it.
    hooked.told("5e55-11", "startup").unwrap();
    assert_eq!(hooked.live(".json").len(), 2);
    hooked.claude("5e55-11", "session-end");
    assert_eq!((hooked.live(".json").len(), hooked.ended()), (1, 0));
    // The transcript is gone: nobody can go on with the session, and what is known of it goes too.
    std::fs::remove_file(hooked.transcript("5e55-10")).unwrap();
    hooked.told("5e55-12", "startup").unwrap();
    let left: Vec<String> = hooked.live(".json").iter().map(|path| read(path)).collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(!left[0].contains("5e55-10"), "{left:?}");
    assert_eq!(hooked.sessions_with_handoff().len(), 1);
}

#[test]
fn a_draft_from_the_future_is_neither_gone_on_from_nor_kept_for_ever() {
    let hooked = Hooked::new();
    let later = |record: &Value| {
        let mut record = record.clone();
        record["timestamp"] = json!("2027-03-01T10:00:00.000Z");
        record
    };
    let records: Vec<Value> = worked(&hooked.repo).iter().map(later).collect();
    let transcript = hooked.session("5e55-10", &records);
    // The clock went ahead for a day, and was put right then.
    let payload = hooked.payload("5e55-10", "Stop", "");
    hooked.fires_at("claude-code", "stop", &payload, "2027-03-01T10:00:00Z");
    assert_eq!(hooked.drafts().len(), 1);
    std::fs::remove_file(transcript).unwrap();
    let resumed = hooked.env.segue(&["resume"]).dir(&hooked.repo).run();
    assert!(resumed.stdout.contains("No handoff was left here yet"), "{}", resumed.stdout);
    assert!(resumed.stdout.contains("dated 3mo ahead"), "{}", resumed.stdout);
    hooked.env.segue(&["save", "--title", "In time"]).dir(&hooked.repo).stdin("x").ok();
    let told = hooked.told("5e55-11", "startup").unwrap();
    assert!(told.contains("**In time**"), "{told}");
    // It is a handoff now: listed, named by the doctor, never the latest.
    assert_eq!((hooked.drafts().len(), hooked.env.handoff_files().len()), (0, 2));
    let latest = hooked.env.segue(&["show", "--raw", "latest"]).dir(&hooked.repo).run();
    assert!(latest.stdout.contains("title: In time"), "{}", latest.stdout);
    let doctor = hooked.env.segue(&["doctor"]).dir(&hooked.repo).run().stdout;
    assert!(doctor.contains("is dated 2027-03-01T10:00:00Z, later than"), "{doctor}");
}

/// How many sessions end at once: more by `SEGUE_TEST_SESSION_ENDS`.
fn how_many() -> usize {
    let more = std::env::var("SEGUE_TEST_SESSION_ENDS").ok();
    more.and_then(|count| count.parse().ok()).unwrap_or(40)
}

#[test]
fn when_many_sessions_end_at_once_each_becomes_a_handoff_sooner_or_later() {
    let hooked = Hooked::new();
    let ids: Vec<String> = (0..how_many()).map(|nth| format!("5e55-{nth:04}")).collect();
    for id in &ids {
        let mut records = worked(&hooked.repo);
        records.push(user(&format!("Never rename the column {id}.")));
        records.push(says("I will not."));
        hooked.session(id, &records);
    }
    let ends: Vec<Child> = ids.iter().map(|id| hooked.spawn_end(id)).collect();
    for end in ends {
        let output = end.wait_with_output().unwrap();
        let said = (output.status.code(), output.stdout.len(), output.stderr.len());
        assert_eq!(said, (Some(0), 0, 0), "{output:?}");
    }
    println!("at once: {} of {}", hooked.sessions_with_handoff().len(), ids.len());
    for start in 0..ids.len() {
        if hooked.ended() == 0 && hooked.drafts().is_empty() {
            println!("after {start} starts of a session: all");
            break;
        }
        hooked.told_at(&format!("7e57-{start:04}"), "startup", "2026-11-15T18:45:00Z");
    }
    assert_eq!(hooked.sessions_with_handoff(), ids.into_iter().collect(), "{}", hooked.log());
    assert_eq!(hooked.ended(), 0);
}

#[test]
fn ends_of_which_git_answers_only_some_are_all_of_one_project() {
    let hooked = Hooked::new();
    let ids: Vec<String> = (0..how_many()).map(|nth| format!("5e55-{nth:04}")).collect();
    for id in &ids {
        let mut records = worked(&hooked.repo);
        records.push(user(&format!("Never rename the column {id}.")));
        hooked.session(id, &records);
    }
    let late =
        |nth: usize| [("SEGUE_GIT_DEADLINE_MS", if nth.is_multiple_of(2) { "1" } else { "10000" })];
    let ends: Vec<Child> =
        ids.iter().enumerate().map(|(nth, id)| hooked.spawn_end_with(id, &late(nth))).collect();
    for end in ends {
        let output = end.wait_with_output().unwrap();
        let said = (output.status.code(), output.stdout.len(), output.stderr.len());
        assert_eq!(said, (Some(0), 0, 0), "{output:?}");
    }
    // A project that was made without an answer becomes part of the one that was made with one, while others
    // keep drafts in it.
    let failed = |line: &&str| line.contains("\tfailed\tthe store could not be used");
    assert_eq!(hooked.log().lines().find(failed), None);
    for start in 0..=ids.len() {
        hooked.told_at(&format!("7e57-{start:04}"), "startup", "2026-11-15T18:45:00Z");
        if hooked.ended() == 0 && hooked.drafts().is_empty() {
            break;
        }
    }
    assert_eq!(hooked.sessions_with_handoff(), ids.into_iter().collect(), "{}", hooked.log());
    let projects = std::fs::read_dir(hooked.env.home.join("projects")).unwrap();
    let projects: Vec<_> = projects.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(projects.len(), 1, "{projects:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn however_many_drafts_there_are_the_start_of_a_session_reads_few_of_them() {
    let hooked = Hooked::new();
    if !crate::strace::works(&hooked.env) {
        return;
    }
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    let draft = hooked.drafts().remove(0);
    let (text, state) = (read(&draft), read(&draft.with_extension("json")));
    for nth in 0..10_000 {
        // Each of a session of its own, that may still go on.
        let of = |text: &str| text.replace("5e55-10", &format!("5e55-2{nth:05}"));
        let text = of(&text).replace("T17:00:00.0", "T17:30:00.0");
        put(&draft.with_file_name(format!("{nth:016x}.md")), text);
        put(&draft.with_file_name(format!("{nth:016x}.json")), of(&state));
    }
    let log = hooked.env.beside("calls");
    let wrapper = ["strace", "-f", "-e", "trace=open,openat", "-o", log.to_str().unwrap()];
    let ran = hooked
        .env
        .segue_under(&wrapper, &["hook", "claude-code", "session-start"])
        .stdin(hooked.payload("5e55-11", "SessionStart", "startup").to_string())
        .run();
    assert!(ran.stdout.contains("Never touch the schema."), "{}\n{}", ran.stdout, hooked.log());
    let calls = read(&log);
    let opened = |ending: &str| {
        let of_live = |line: &&str| line.contains("/live/") && line.contains(ending);
        calls.lines().filter(of_live).count()
    };
    let (drafts, states) = (opened(".md\""), opened(".json\""));
    let home = hooked.env.home.display().to_string();
    let files = calls.lines().filter(|line| line.contains(&home)).count();
    println!("{drafts} drafts and {states} states are opened, {files} files of the home");
    assert!(files < 200, "{files}");
    assert!((1..100).contains(&drafts) && states < 10, "{drafts} {states}");
}
