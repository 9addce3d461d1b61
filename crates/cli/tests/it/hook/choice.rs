//! Which session a new one is told of, where there are several.

use std::path::Path;

use serde_json::{Value, json};

use super::{Hooked, read};
use crate::capture::{edited, says, session, user, worked};
use crate::ground::put;

/// A session that asked for something in a directory at a time, and whose turn has ended.
fn works(hooked: &Hooked, dir: &Path, id: &str, at: &str, what: &str) {
    let mut records = edited(dir, what);
    records.iter_mut().for_each(|record| record["timestamp"] = json!(at));
    let path = session(&hooked.env, dir, id, &records);
    stops(hooked, dir, id, &path);
}

fn stops(hooked: &Hooked, dir: &Path, id: &str, path: &Path) {
    let payload = json!({"session_id": id, "transcript_path": path, "cwd": dir});
    assert_eq!(hooked.fires("claude-code", "stop", &payload).stdout, "");
}

fn told_in(hooked: &Hooked, dir: &Path) -> String {
    // A session begins once, and stays where it was first heard of.
    let id = format!("new-{}", hooked.log().lines().count());
    let payload = json!({"session_id": id, "cwd": dir, "source": "startup"});
    let said = hooked.fires("claude-code", "session-start", &payload).stdout;
    let said: Value = serde_json::from_str(&said).unwrap();
    said["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

#[test]
fn a_session_of_this_worktree_comes_before_a_later_one_of_another() {
    let hooked = Hooked::new();
    let tree = hooked.env.beside("tree");
    let name = tree.to_str().unwrap();
    hooked.env.git(&hooked.repo, &["worktree", "add", "-q", name, "-b", "feature"]);
    works(&hooked, &tree, "5e55-20", "2026-11-15T17:00:00.000Z", "Build the feature");
    works(&hooked, &hooked.repo, "5e55-21", "2026-11-15T17:10:00.000Z", "Mend the main tree");
    assert!(told_in(&hooked, &tree).contains("**Build the feature**"));
    assert!(told_in(&hooked, &hooked.repo).contains("**Mend the main tree**"));
    let resumed = hooked.env.segue(&["resume"]).dir(&tree).ok();
    assert!(resumed.contains("**Build the feature**"), "{resumed}");
}

#[test]
fn a_session_of_this_branch_comes_before_a_later_one_of_another() {
    let hooked = Hooked::new();
    let save = ["save", "--title", "Long ago", "--summary", "x"];
    hooked.env.segue(&save).dir(&hooked.repo).at("2026-11-10T10:00:00Z").ok();
    works(&hooked, &hooked.repo, "5e55-20", "2026-11-15T17:00:00.000Z", "Work on main");
    hooked.env.git(&hooked.repo, &["checkout", "-qb", "topic"]);
    works(&hooked, &hooked.repo, "5e55-21", "2026-11-15T17:10:00.000Z", "Work on the topic");
    assert!(told_in(&hooked, &hooked.repo).contains("**Work on the topic**"));
    hooked.env.git(&hooked.repo, &["checkout", "-q", "main"]);
    let told = told_in(&hooked, &hooked.repo);
    assert!(told.contains("**Work on main**"), "{told}");
}

#[test]
fn a_session_stays_in_the_project_in_which_it_began() {
    let hooked = Hooked::new();
    let other = hooked.env.repo("other");
    works(&hooked, &hooked.repo, "5e55-20", "2026-11-15T17:00:00.000Z", "Mend the basket");
    let path = hooked.transcript("5e55-20");
    let mut text = read(&path);
    let more = json!({"type": "user", "message": {"role": "user", "content": "Look over there"},
        "cwd": other, "sessionId": "5e55-20", "timestamp": "2026-11-15T17:01:00.000Z"});
    text.push_str(&format!("{more}\n"));
    put(&path, text);
    stops(&hooked, &other, "5e55-20", &path);
    assert_eq!(hooked.drafts().len(), 1);
    assert!(read(&hooked.drafts()[0]).contains("Look over there"));
    let payload = json!({"session_id": "new", "cwd": other, "source": "startup"});
    assert_eq!(hooked.fires("claude-code", "session-start", &payload).stdout, "");
}

#[test]
fn what_a_session_left_before_a_compaction_is_not_listed_beside_what_it_left_later() {
    let hooked = Hooked::new();
    let mut records = worked(&hooked.repo);
    for minute in 1..4 {
        let mut more = user(&format!("Always do thing {minute}."));
        more["timestamp"] = json!(format!("2026-11-15T17:0{minute}:00.000Z"));
        records.push(more);
        hooked.session("5e55-10", &records);
        hooked.claude("5e55-10", "pre-compact");
    }
    assert_eq!(hooked.env.handoff_files().len(), 3, "nothing is lost");
    let listed = hooked.env.segue(&["list"]).dir(&hooked.repo).ok();
    assert_eq!(listed.lines().count(), 2, "{listed}");
    let told = hooked.told("5e55-11", "startup").unwrap();
    assert!(!told.contains("Other handoffs"), "{told}");
}

#[test]
fn a_rule_that_the_user_took_back_does_not_come_back_after_a_compaction() {
    let hooked = Hooked::new();
    let mut records = Vec::new();
    for text in
        ["Never touch config.yml. Never push.", "I changed my mind: you may touch config.yml now."]
    {
        records.extend([user(text), says("Good.")]);
    }
    hooked.session("5e55-10", &records);
    let told = hooked.told("5e55-10", "compact").unwrap();
    let (story, rules) = told.split_once("## Standing Constraints").unwrap();
    assert!(rules.contains("Never push.") && !rules.contains("Never touch config.yml"), "{told}");
    assert!(story.contains("Never touch config.yml. *(taken back)*"), "{told}");
}
