//! Branches that are not the one that is checked out here.

use segue_share::git::{Committed, Publication, PublishError, Pushed};

use crate::ground::{Clone, Ground, put};

#[test]
fn on_a_feature_branch_the_branch_that_was_asked_for_is_published_h6() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.git(&["checkout", "-qb", "feature"]);
    put(clone.dir.join("code.rs"), "feature\n");
    clone.git(&["commit", "-qam", "feature work"]);
    put(clone.dir.join("staged.txt"), "staged\n");
    clone.git(&["add", "staged.txt"]);
    clone.note("one.md");
    let head = clone.git(&["rev-parse", "HEAD"]);
    let index = clone.git(&["ls-files", "--stage", "--debug"]);
    let published = clone.publish_to("main", "r1").unwrap();
    assert_eq!((published.committed, published.pushed), (Committed::New, Pushed::Done));
    assert_eq!(
        ground.tree(&ground.origin(), "main"),
        ["README.md", "code.rs", "memory/layer1/2026-11/one.md"]
    );
    assert_eq!(ground.run(&ground.origin(), &["show", "main:code.rs"]), "fn main() {}\n");
    assert_eq!(clone.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(clone.git(&["ls-files", "--stage", "--debug"]), index);
    assert_eq!(clone.git(&["status", "--porcelain"]), "A  staged.txt\n?? memory/\n");
    assert_eq!(clone.git(&["rev-parse", "main"]).trim(), published.commit.unwrap());
    // Other machines' handoffs on that branch are not deleted because they are not here.
    clone.note("two.md");
    std::fs::remove_file(clone.memory.join("layer1/2026-11/one.md")).unwrap();
    clone.publish_to("main", "r2").unwrap();
    assert_eq!(ground.tree(&ground.origin(), "main").len(), 4);
}

#[test]
fn a_new_branch_begins_with_what_was_asked_for_alone() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    put(clone.dir.join("private.txt"), "x\n");
    clone.git(&["add", "private.txt"]);
    clone.git(&["commit", "-qm", "not pushed yet"]);
    clone.note("one.md");
    clone.publish_to("handovers", "r1").unwrap();
    assert_eq!(ground.tree(&ground.origin(), "handovers"), ["memory/layer1/2026-11/one.md"]);
    assert_eq!(ground.run(&ground.origin(), &["rev-list", "--count", "handovers"]), "1\n");
}

#[test]
fn a_branch_that_only_the_remote_has_is_gone_on_with() {
    let ground = Ground::new();
    let clones = ["a", "b"].map(|name| Clone::new(&ground, name));
    clones[0].note("one.md");
    clones[0].publish_to("handovers", "r1").unwrap();
    clones[1].note("two.md");
    let published = clones[1].publish_to("handovers", "r2").unwrap();
    assert!(!published.merged, "it was built on the remote's");
    assert_eq!(ground.tree(&ground.origin(), "handovers").len(), 2);
    assert_eq!(clones[1].git(&["rev-parse", "handovers"]).trim(), published.commit.unwrap());
}

#[test]
fn a_branch_of_another_worktree_is_pushed_but_not_moved() {
    let ground = Ground::new();
    let main = Clone::new(&ground, "a");
    main.git(&["worktree", "add", "-q", "-b", "feature", "../side"]);
    let side = Clone::of(&ground, ground.dir.join("side"));
    side.note("one.md");
    let before = ground.state(&main.dir);
    let commit_only = Publication { branch: Some("main"), push: false, ..side.publication("r1") };
    let refused = ground.git.publish(&commit_only).unwrap_err();
    assert!(matches!(refused, PublishError::Config { .. }), "{refused:?}");
    let published = side.publish_to("main", "r1").unwrap();
    assert_eq!(published.pushed, Pushed::Done);
    assert!(published.notes[0].contains("git pull"), "{:?}", published.notes);
    assert!(ground.tree(&ground.origin(), "main").contains(&"memory/layer1/2026-11/one.md".into()));
    assert_eq!(main.git(&["status", "--porcelain"]), "", "its work tree is as it was");
    assert!(before.contains(main.git(&["rev-parse", "main"]).trim()), "its branch was moved");
    // Again: the remote is asked, so there is still only one commit.
    let again = side.publish_to("main", "r1").unwrap();
    assert_eq!((again.committed, again.pushed), (Committed::Found, Pushed::UpToDate));
    assert_eq!(ground.commits_of(&ground.origin(), "main", "r1"), 1);
}

#[test]
fn a_linked_worktree_has_its_own_index_and_branch() {
    let ground = Ground::new();
    let main = Clone::new(&ground, "a");
    put(main.dir.join("staged.txt"), "x\n");
    main.git(&["add", "staged.txt"]);
    main.git(&["worktree", "add", "-q", "-b", "feature", "../side"]);
    let side = Clone::of(&ground, ground.dir.join("side"));
    put(side.dir.join("other.txt"), "x\n");
    side.git(&["add", "other.txt"]);
    side.note("one.md");
    let published = side.publish("r1").unwrap();
    assert_eq!(published.branch, "feature");
    assert_eq!(side.git(&["status", "--porcelain"]), "A  other.txt\n");
    assert_eq!(main.git(&["status", "--porcelain"]), "A  staged.txt\n");
    assert_eq!(ground.tree(&ground.origin(), "feature").len(), 3);
}

#[test]
fn names_that_are_no_branch_or_remote_are_refused() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    for branch in ["", "-f", "a..b", "a b", "x.lock", "../main"] {
        let refused = clone.publish_to(branch, "r1");
        assert!(matches!(refused, Err(PublishError::Config { .. })), "{branch}: {refused:?}");
    }
    let upload = Publication { remote: "--receive-pack=touch x", ..clone.publication("r1") };
    assert!(matches!(ground.git.publish(&upload), Err(PublishError::Config { .. })));
    assert_eq!(clone.git(&["status", "--porcelain"]), "?? memory/\n");
}
