//! Where git does not answer in time nothing is decided, and nothing stays apart for it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::Duration;

use segue_lib::Segue;
use segue_lib::briefing::ResumeRequest;

use crate::ground::{Ground, ORIGIN, goes_on_with, named, put, save};

#[test]
fn where_git_does_not_answer_nothing_is_decided_and_nothing_is_named() {
    for question in ["", "rev-list", "remote get-url"] {
        let ground = Ground::new();
        ground.repository("shop", Some(ORIGIN));
        ground.save("shop", "Totals");
        ground.clone("shop", "clone", &[], Some(ORIGIN));
        ground.repository("unpacked", Some(ORIGIN));
        let address = ground.root.join("shop");
        ground.repository("claims", address.to_str());
        for dir in ["clone", "unpacked", "claims"] {
            let segue = ground.open_with_slow_git(dir, question);
            let outcome = segue.briefer().resume(&ResumeRequest::default(), None).unwrap();
            assert!(outcome.handoff.is_none(), "{question}: {dir}");
            assert!(named(&segue).is_empty(), "{question}: {dir}");
        }
        assert_eq!(ground.goes_on_with("clone").as_deref(), Some("Totals"));
    }
}

#[test]
fn what_is_saved_while_git_does_not_answer_is_joined_to_its_project_later() {
    for question in ["", "rev-list"] {
        let ground = Ground::new();
        ground.repository("shop", Some(ORIGIN));
        ground.save("shop", "Totals");
        ground.clone("shop", "clone", &[], Some(ORIGIN));
        let saved = save(&ground.open_with_slow_git("clone", question), "Meanwhile");
        assert!(saved.similar.is_empty(), "{saved:?}");
        assert!(saved.warnings.iter().any(|warning| warning.contains("joins")), "{saved:?}");
        let slow = ground.open_with_slow_git("clone", question);
        assert_eq!(goes_on_with(&slow).as_deref(), Some("Meanwhile"), "{question}: still slow");
        assert_eq!(ground.titles("clone"), ["Meanwhile", "Totals"], "{question}: read together");
        assert_eq!(ground.titles("shop"), ["Totals"]);
        ground.save("clone", "With git");
        assert_eq!(ground.titles("clone"), ["With git", "Meanwhile", "Totals"]);
        assert_eq!(ground.titles("shop"), ["With git", "Meanwhile", "Totals"]);
        assert_eq!(ground.projects(), 1);
    }
}

#[test]
fn what_is_saved_while_git_does_not_answer_is_a_project_of_its_own_if_no_other_has_it() {
    let ground = Ground::new();
    ground.repository("shop", Some(ORIGIN));
    save(&ground.open_with_slow_git("shop", ""), "First");
    assert_eq!(ground.titles("shop"), ["First"]);
    ground.save("shop", "Second");
    ground.clone("shop", "clone", &[], Some(ORIGIN));
    assert_eq!(ground.titles("clone"), ["Second", "First"]);
    fs::rename(ground.root.join("shop"), ground.root.join("moved")).unwrap();
    assert_eq!(ground.titles("moved"), ["Second", "First"]);
    assert_eq!(ground.projects(), 1);
}

#[test]
fn another_repository_at_an_old_place_is_not_decided_on_without_git() {
    let ground = Ground::new();
    ground.repository("shop", None);
    ground.save("shop", "Totals");
    fs::rename(ground.root.join("shop"), ground.root.join("moved")).unwrap();
    ground.repository("other", Some("https://example.com/eve/other.git"));
    fs::rename(ground.root.join("other"), ground.root.join("shop")).unwrap();
    let slow = ground.open_with_slow_git("shop", "rev-list");
    assert_eq!(goes_on_with(&slow), None);
    assert!(named(&slow).is_empty());
    save(&ground.open_with_slow_git("shop", ""), "Other");
    assert_eq!(ground.titles("moved"), ["Totals"]);
    ground.save("shop", "Other again");
    assert_eq!(ground.titles("shop"), ["Other again", "Other"]);
    assert_eq!(ground.titles("moved"), ["Totals"]);
}

#[test]
fn a_known_directory_needs_no_answer() {
    let ground = Ground::new();
    ground.repository("shop", Some(ORIGIN));
    ground.save("shop", "Totals");
    let slow = ground.open_with_slow_git("shop", "");
    assert_eq!(goes_on_with(&slow).as_deref(), Some("Totals"));
    save(&slow, "More");
    assert_eq!(ground.titles("shop"), ["More", "Totals"]);
}

#[test]
fn another_repository_gets_nothing_of_what_was_saved_without_an_answer_at_its_place() {
    for theirs in ["other", "known"] {
        let ground = Ground::new();
        ground.repository("shop", Some(ORIGIN));
        save(&ground.open_with_slow_git("shop", ""), "Mine");
        fs::rename(ground.root.join("shop"), ground.root.join("moved")).unwrap();
        ground.repository(theirs, Some("https://example.com/eve/other.git"));
        if theirs == "known" {
            ground.save(theirs, "Theirs before");
        }
        fs::rename(ground.root.join(theirs), ground.root.join("shop")).unwrap();
        let before: &[&str] = if theirs == "known" { &["Theirs before"] } else { &[] };
        assert_eq!(ground.titles("shop"), before, "{theirs}");
        let slow = ground.open_with_slow_git("shop", "");
        assert_ne!(goes_on_with(&slow).as_deref(), Some("Mine"), "{theirs}: nor without an answer");
        save(&slow, "Slow too");
        ground.save("shop", "Theirs");
        let theirs_now = [&["Theirs", "Slow too"], before].concat();
        assert_eq!(ground.titles("shop"), theirs_now, "{theirs}");
        // What was saved goes with its own repository.
        assert_eq!(ground.titles("moved"), ["Mine"], "{theirs}");
        ground.save("moved", "Mine again");
        assert_eq!(ground.titles("moved"), ["Mine again", "Mine"], "{theirs}");
        assert_eq!(ground.titles("shop"), theirs_now, "{theirs}");
    }
}

#[test]
fn what_an_earlier_version_saved_without_an_answer_is_known_by_its_place() {
    let ground = Ground::new();
    ground.repository("shop", Some(ORIGIN));
    save(&ground.open_with_slow_git("shop", ""), "Mine");
    let project = fs::read_dir(ground.root.join("store/projects")).unwrap().next().unwrap();
    let file = project.unwrap().path().join("project.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("pending-git-dir-id"), "{text}");
    let (before, rest) = text.split_once("[[key]]\nkind = \"pending-git-dir-id\"").unwrap();
    let rest = rest.split_once("[[key]]").map_or("", |(_, rest)| rest);
    assert_eq!(rest, "", "{text}");
    put(&file, before);
    fs::remove_file(ground.root.join("store/index.db")).unwrap();
    ground.save("shop", "With git");
    assert_eq!(ground.titles("shop"), ["With git", "Mine"]);
    assert_eq!(ground.projects(), 1);
}

#[test]
fn what_is_saved_when_git_answers_too_late_goes_to_the_project_that_was_made_meanwhile() {
    let ground = Ground::new();
    ground.repository("shop", Some(ORIGIN));
    let asked = ground.root.join("asked");
    let hangs = ground.root.join("hanging-git");
    put(&hangs, &format!("#!/bin/sh\n: > '{}'\nexec sleep 60\n", asked.display()));
    fs::set_permissions(&hangs, fs::Permissions::from_mode(0o755)).unwrap();
    let late = || {
        let mut env = ground.env("shop");
        env.git_program = hangs.clone();
        env.git_deadline = Duration::from_secs(2);
        save(&Segue::new(env), "Late").project
    };
    let (late, in_time) = thread::scope(|scope| {
        let late = scope.spawn(late);
        while !asked.exists() {
            thread::yield_now();
        }
        let in_time = save(&ground.open("shop"), "In time").project;
        (late.join().unwrap(), in_time)
    });
    assert_eq!((late, ground.projects()), (in_time, 1));
    assert_eq!(ground.titles("shop").len(), 2);
}
