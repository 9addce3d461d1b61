//! Where git does not answer in time nothing is decided, and nothing stays apart for it.

use std::fs;

use segue_lib::briefing::ResumeRequest;

use crate::ground::{Ground, ORIGIN, goes_on_with, named, save};

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
