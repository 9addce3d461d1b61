//! What lies where a known repository lay.

use std::fs;

use crate::ground::{Ground, ORIGIN, put};

/// A directory, copied with everything in it: another one by its inodes.
fn copy(ground: &Ground, from: &str, to: &str) {
    fn all(from: &std::path::Path, to: &std::path::Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let to = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                all(&entry.path(), &to);
            } else {
                fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    all(&ground.root.join(from), &ground.root.join(to));
}

#[test]
fn another_repository_at_the_old_place_of_a_moved_one_is_its_own_project() {
    for origins in [None, Some((ORIGIN, "https://example.com/eve/other.git"))] {
        let ground = Ground::new();
        ground.repository("shop", origins.map(|(one, _)| one));
        ground.save("shop", "Totals");
        fs::rename(ground.root.join("shop"), ground.root.join("moved")).unwrap();
        ground.save("moved", "After the move");
        fs::create_dir(ground.root.join("shop")).unwrap();
        put(&ground.root.join("shop/other.txt"), "other");
        ground.git("shop", &["init", "-q", "-b", "main"]);
        assert_eq!(ground.goes_on_with("shop"), None, "before its first commit");
        ground.git("shop", &["add", "."]);
        ground.git("shop", &["commit", "-qm", "other"]);
        if let Some((_, other)) = origins {
            ground.git("shop", &["remote", "add", "origin", other]);
        }
        assert_eq!(ground.goes_on_with("shop"), None);
        assert_eq!(ground.may_be("shop"), ["shop"], "people are told of it");
        assert_eq!(ground.save("shop", "Other"), ["shop"]);
        assert_eq!(ground.titles("shop"), ["Other"]);
        assert_eq!(ground.titles("moved"), ["After the move", "Totals"]);
        // Linking the other one somewhere else does not take the moved one along.
        ground.repository("third", None);
        ground.save("third", "Third");
        ground.open("shop").projects().link("third").unwrap();
        assert_eq!(ground.titles("shop"), ["Third", "Other"]);
        assert_eq!(ground.titles("moved"), ["After the move", "Totals"]);
    }
}

#[test]
fn a_clone_made_anew_and_a_restored_copy_are_the_same_project() {
    let ground = Ground::new();
    ground.repository("upstream", None);
    ground.clone("upstream", "shop", &[], Some(ORIGIN));
    ground.save("shop", "Totals");
    copy(&ground, "shop", "backup");
    fs::remove_dir_all(ground.root.join("shop")).unwrap();
    ground.clone("upstream", "shop", &[], Some(ORIGIN));
    assert_eq!(ground.goes_on_with("shop").as_deref(), Some("Totals"));
    ground.save("shop", "Cloned anew");
    ground.git("shop", &["remote", "remove", "origin"]);
    fs::remove_dir_all(ground.root.join("shop")).unwrap();
    copy(&ground, "backup", "shop");
    assert_eq!(ground.goes_on_with("shop").as_deref(), Some("Cloned anew"));
    assert_eq!(ground.projects(), 1);
}

#[test]
fn a_repository_without_an_origin_that_comes_back_with_other_inodes_is_the_same_project() {
    let ground = Ground::new();
    ground.repository("shop", None);
    ground.save("shop", "Totals");
    copy(&ground, "shop", "backup");
    fs::remove_dir_all(ground.root.join("shop")).unwrap();
    copy(&ground, "backup", "shop");
    assert_eq!(ground.goes_on_with("shop").as_deref(), Some("Totals"));
    ground.save("shop", "Restored");
    assert_eq!(ground.titles("shop"), ["Restored", "Totals"]);
}

#[test]
fn a_repository_that_is_begun_anew_is_told_of_what_lay_there() {
    let ground = Ground::new();
    ground.repository("shop", None);
    ground.save("shop", "Totals");
    fs::remove_dir_all(ground.root.join("shop/.git")).unwrap();
    assert_eq!(ground.goes_on_with("shop").as_deref(), Some("Totals"), "without git");
    ground.git("shop", &["init", "-q", "-b", "main"]);
    ground.git("shop", &["add", "."]);
    ground.git("shop", &["commit", "-qm", "begun anew"]);
    assert_eq!(ground.goes_on_with("shop"), None);
    assert_eq!(ground.may_be("shop"), ["shop"]);
    assert_eq!(ground.save("shop", "Anew"), ["shop"]);
    let report = ground.open("shop").doctor().look();
    let told = |text: &str| report.findings.iter().any(|finding| finding.found.contains(text));
    assert!(told("at the same place"), "{report:?}");
    let old = ground.open("shop").projects().all().unwrap();
    let old = old.0.iter().find(|row| Some(&row.id) != old.1.as_ref()).unwrap().id.clone();
    ground.open("shop").projects().link(old.as_str()).unwrap();
    assert_eq!(ground.titles("shop"), ["Anew", "Totals"]);
    // Without git it is the directory of the newest again.
    fs::remove_dir_all(ground.root.join("shop/.git")).unwrap();
    assert_eq!(ground.titles("shop"), ["Anew", "Totals"]);
}

#[test]
fn a_link_before_the_first_save_is_enough() {
    let ground = Ground::new();
    ground.repository("shop", None);
    ground.save("shop", "Totals");
    fs::remove_dir_all(ground.root.join("shop/.git")).unwrap();
    ground.repository("shop", None);
    put(&ground.root.join("shop/more.txt"), "more");
    ground.git("shop", &["add", "."]);
    ground.git("shop", &["commit", "-q", "--amend", "-m", "begun anew"]);
    assert_eq!(ground.goes_on_with("shop"), None);
    ground.open("shop").projects().link("shop").unwrap();
    assert_eq!(ground.goes_on_with("shop").as_deref(), Some("Totals"));
}

#[test]
fn a_repository_that_never_had_a_commit_may_be_begun_anew() {
    let ground = Ground::new();
    fs::create_dir(ground.root.join("shop")).unwrap();
    ground.git("shop", &["init", "-q"]);
    ground.save("shop", "Plans");
    fs::remove_dir_all(ground.root.join("shop/.git")).unwrap();
    ground.git("shop", &["init", "-q"]);
    assert_eq!(ground.goes_on_with("shop").as_deref(), Some("Plans"));
}

#[test]
fn git_in_a_directory_that_was_known_without_it_changes_nothing() {
    let ground = Ground::new();
    fs::create_dir(ground.root.join("notes")).unwrap();
    ground.save("notes", "Plans");
    ground.repository("notes", Some(ORIGIN));
    assert_eq!(ground.goes_on_with("notes").as_deref(), Some("Plans"));
}

#[test]
fn a_repository_made_from_the_same_template_at_the_old_place_is_its_own_project() {
    let ground = Ground::new();
    ground.repository("template", None);
    ground.clone("template", "shop", &[], Some(ORIGIN));
    ground.save("shop", "Totals");
    fs::rename(ground.root.join("shop"), ground.root.join("moved")).unwrap();
    ground.clone("template", "shop", &[], Some("https://example.com/eve/other.git"));
    assert_eq!(ground.goes_on_with("shop"), None);
    ground.save("shop", "Other");
    assert_eq!(ground.titles("shop"), ["Other"]);
    assert_eq!(ground.titles("moved"), ["Totals"]);
}
