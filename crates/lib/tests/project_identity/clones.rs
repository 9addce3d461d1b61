//! Clones, moved directories and links.

use std::fs;
use std::path::{Path, PathBuf};

use segue_lib::briefing::ResumeRequest;

use crate::ground::{Ground, ORIGIN, put, save};

#[test]
fn a_clone_with_the_same_first_commit_and_a_moved_directory_are_the_same_project() {
    let ground = Ground::new();
    ground.repository("shop", Some(ORIGIN));
    ground.save("shop", "Totals");
    ground.clone("shop", "clone", &[], Some(ORIGIN));
    assert_eq!(ground.goes_on_with("clone").as_deref(), Some("Totals"));
    ground.repository("alone", None);
    ground.save("alone", "Alone");
    fs::rename(ground.root.join("alone"), ground.root.join("moved")).unwrap();
    assert_eq!(ground.goes_on_with("moved").as_deref(), Some("Alone"));
    ground.save("moved", "After the move");
    assert_eq!(ground.goes_on_with("moved").as_deref(), Some("After the move"));
}

#[test]
fn a_secret_in_the_path_of_an_origin_is_stored_nowhere_and_its_clones_are_one_project() {
    let ground = Ground::new();
    // In the shape of GitHub's; put together here so that nobody takes this file for a leak.
    let token = ["ghp_", "zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"].concat();
    let origin = format!("https://git.example.com/{token}/ada/shop.git");
    ground.repository("shop", Some(&origin));
    ground.save("shop", "Totals");
    ground.clone("shop", "clone", &[], Some(&origin));
    assert_eq!(ground.goes_on_with("clone").as_deref(), Some("Totals"));
    let store = ground.root.join("store");
    assert!(files_with(&store, &token).is_empty());
    // As an older version wrote it: known as the same, and gone with the next change.
    let mark = "[redacted: github token]";
    let [file] = &files_with(&store, mark)
        .into_iter()
        .filter(|path| path.ends_with("project.toml"))
        .collect::<Vec<_>>()[..]
    else {
        panic!("one project.toml")
    };
    let text = fs::read_to_string(file).unwrap();
    fs::remove_file(file).unwrap();
    put(file, &text.replace(mark, &token));
    ground.clone("shop", "later", &[], Some(&origin));
    assert_eq!(ground.goes_on_with("later").as_deref(), Some("Totals"));
    ground.save("later", "Later");
    assert!(files_with(&store, &token).is_empty());
    assert_eq!(ground.titles("shop"), ["Later", "Totals"]);
}

/// The files below a directory that have this text.
fn files_with(dir: &Path, wanted: &str) -> Vec<PathBuf> {
    let (mut found, mut dirs) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else if String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).contains(wanted)
            {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn a_directory_that_only_claims_an_origin_is_given_nothing_until_it_is_linked() {
    let ground = Ground::new();
    ground.repository("shop", Some(ORIGIN));
    ground.save("shop", "Private plans");
    ground.repository("unpacked", Some(ORIGIN));
    assert_eq!(ground.goes_on_with("unpacked"), None);
    let segue = ground.open("unpacked");
    assert_eq!(ground.may_be("unpacked"), ["shop"]);
    let briefing = segue.briefer().resume(&ResumeRequest::default(), None).unwrap().briefing.text;
    assert!(!briefing.contains("shop-") && !briefing.contains("project link"), "{briefing}");
    let similar = save(&segue, "Own").similar;
    assert_eq!(similar.len(), 1);
    assert_eq!(ground.goes_on_with("unpacked").as_deref(), Some("Own"));
    let report = ground.open("shop").doctor().look();
    let said = report.findings.iter().any(|finding| {
        finding.found.contains("have the same origin")
            && finding.hint.as_ref().is_some_and(|hint| hint.contains("segue project link"))
    });
    assert!(said, "{report:?}");
    let linked = ground.open("unpacked").projects().link(similar[0].id.as_str()).unwrap();
    assert_eq!(linked.moved, 1);
    assert_eq!(ground.titles("unpacked"), ["Own", "Private plans"]);
}

#[test]
fn repositories_with_equal_first_commits_stay_apart() {
    let ground = Ground::new();
    ground.repository("template", None);
    for copy in ["one", "two"] {
        ground.clone("template", copy, &[], None);
        ground.save(copy, copy);
    }
    assert_eq!(ground.goes_on_with("one").as_deref(), Some("one"));
    assert_eq!(ground.goes_on_with("two").as_deref(), Some("two"));
    assert_eq!(ground.goes_on_with("template"), None);
}

#[test]
fn a_local_address_of_another_repository_is_no_clone_of_it() {
    let ground = Ground::new();
    ground.repository("shop", None);
    ground.save("shop", "Private plans");
    let address = ground.root.join("shop");
    ground.repository("unpacked", address.to_str());
    assert_eq!(ground.goes_on_with("unpacked"), None);
    ground.clone("shop", "clone", &[], address.to_str());
    assert_eq!(ground.goes_on_with("clone").as_deref(), Some("Private plans"));
}

#[test]
fn shallow_clones_count_by_their_origin_once_one_of_them_was_linked() {
    let ground = Ground::new();
    ground.repository("shop", Some(ORIGIN));
    ground.save("shop", "Totals");
    put(&ground.root.join("shop/more.txt"), "more");
    ground.git("shop", &["add", "."]);
    ground.git("shop", &["commit", "-qm", "second"]);
    for dir in ["first", "second"] {
        ground.clone("shop", dir, &["--depth", "1"], Some(ORIGIN));
        assert_eq!(ground.goes_on_with(dir), None);
    }
    ground.open("first").projects().link("shop").unwrap();
    assert_eq!(ground.goes_on_with("first").as_deref(), Some("Totals"));
    assert_eq!(ground.goes_on_with("second").as_deref(), Some("Totals"));
}
