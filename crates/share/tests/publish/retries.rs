//! Runs that were interrupted, and the brake.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use segue_share::git::{Committed, Publication, PublishError, Pushed, Stopped};

use crate::ground::{Clone, Ground, put};

#[test]
fn a_push_that_failed_is_tried_again_and_never_taken_for_done_h3() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    let away = ground.dir.join("away.git");
    fs::rename(ground.origin(), &away).unwrap();
    for run in ["r1", "r1", "r2"] {
        let failed = clone.publish(run).unwrap_err();
        assert!(matches!(failed, PublishError::Unreachable { .. }), "{failed:?}");
    }
    assert_eq!(ground.commits_of(&clone.dir, "main", "r1"), 1);
    fs::rename(&away, ground.origin()).unwrap();
    let published = clone.publish("r2").unwrap();
    assert_eq!((published.committed, published.pushed), (Committed::NothingNew, Pushed::Done));
    assert_eq!(ground.commits_of(&ground.origin(), "main", "r1"), 1);
}

#[test]
fn killed_between_commit_and_push_the_next_run_pushes() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    for branch in ["main", "handovers"] {
        let publication = Publication { branch: Some(branch), ..clone.publication("r1") };
        let offline = Publication { push: false, ..publication };
        let made = ground.git.publish(&offline).unwrap();
        assert_eq!(made.committed, Committed::New);
        let publication = Publication { push: true, ..offline };
        let published = ground.git.publish(&publication).unwrap();
        assert_eq!((published.committed, published.pushed), (Committed::Found, Pushed::Done));
        assert_eq!(published.commit, made.commit);
        let again = ground.git.publish(&publication).unwrap();
        assert_eq!((again.committed, again.pushed), (Committed::Found, Pushed::UpToDate));
        assert_eq!(ground.commits_of(&ground.origin(), branch, "r1"), 1);
    }
}

#[test]
fn a_step_that_only_commits_and_one_that_only_pushes() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    let publication = Publication { push: false, ..clone.publication("r1") };
    let published = ground.git.publish(&publication).unwrap();
    assert_eq!((published.committed, published.pushed), (Committed::New, Pushed::NotAsked));
    assert_eq!(ground.commits_of(&ground.origin(), "main", "r1"), 0);
    let sent = ground.git.push(&publication).unwrap();
    assert_eq!((sent.pushed, &sent.commit), (Pushed::Done, &published.commit));
    assert_eq!(ground.git.push(&publication).unwrap().pushed, Pushed::UpToDate);
    assert_eq!(ground.commits_of(&ground.origin(), "main", "r1"), 1);
}

/// What the user or anybody else could see of a repository.
fn seen(ground: &Ground, dir: &Path) -> [String; 2] {
    [ground.state(dir), ground.run(&ground.origin(), &["for-each-ref"])]
}

#[test]
fn the_brake_stops_before_the_next_change() {
    for branch in ["main", "handovers"] {
        let ground = Ground::new();
        let other = Clone::new(&ground, "b");
        let clone = Clone::new(&ground, "a");
        put(clone.dir.join("staged.txt"), "x\n");
        clone.git(&["add", "staged.txt"]);
        // The remote goes on, so that a merge is needed as well.
        clone.note("zero.md");
        clone.publish_to(branch, "r0").unwrap();
        other.note("other.md");
        other.publish_to(branch, "o1").unwrap();
        clone.note("one.md");
        let mut finished = false;
        for allowed in 0..20 {
            let at_stop = std::cell::RefCell::new(None);
            let asked = Cell::new(0);
            let brake = || {
                asked.set(asked.get() + 1);
                if asked.get() > allowed {
                    *at_stop.borrow_mut() = Some(seen(&ground, &clone.dir));
                    return Err(Stopped("PAUSE".into()));
                }
                Ok(())
            };
            let publication = Publication {
                branch: Some(branch),
                before_effect: &brake,
                ..clone.publication("r1")
            };
            match ground.git.publish(&publication) {
                Ok(published) => {
                    assert_ne!(published.pushed, Pushed::NotAsked);
                    finished = true;
                    break;
                }
                Err(error) => {
                    assert!(matches!(error, PublishError::Stopped(_)), "{error:?}");
                    let at_stop = at_stop.into_inner().unwrap();
                    assert_eq!(seen(&ground, &clone.dir), at_stop, "after {allowed}");
                }
            }
        }
        assert!(finished);
        let tree = ground.tree(&ground.origin(), branch);
        for note in ["zero.md", "one.md", "other.md"] {
            assert!(tree.contains(&format!("memory/layer1/2026-11/{note}")), "{tree:?}");
        }
        assert!(clone.git(&["status", "--porcelain"]).contains("A  staged.txt\n"));
    }
}

#[test]
fn what_a_killed_run_left_is_cleared_away() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    put(clone.dir.join(".git/segue-index-999999"), "garbage");
    put(clone.dir.join(".git/segue-index-999999.lock"), "garbage");
    // Killed after the files were announced to the index and before the commit.
    clone.git(&["add", "--intent-to-add", "memory"]);
    assert_eq!(clone.publish("r1").unwrap().committed, Committed::New);
    let left = fs::read_dir(clone.dir.join(".git")).unwrap().flatten();
    let left: Vec<_> = left
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("segue-index"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(clone.git(&["status", "--porcelain"]), "");
    assert_eq!(clone.git(&["for-each-ref", "refs/segue"]), "");
}
