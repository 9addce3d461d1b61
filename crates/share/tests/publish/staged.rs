//! What the user has staged or keeps beside, and what of the memory is committed.

use std::fs;
use std::os::unix::fs::symlink;

use segue_share::git::{Committed, Content, Publication, PublishError, Pushed};

use crate::ground::{Clone, Ground, put};

#[test]
fn what_the_user_staged_is_neither_committed_nor_pushed_and_stays_staged_h5() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    put(clone.dir.join("secret.env"), "KEY=1\n");
    clone.git(&["add", "secret.env"]);
    put(clone.dir.join("code.rs"), "staged\n");
    clone.git(&["add", "code.rs"]);
    put(clone.dir.join("code.rs"), "staged and then changed\n");
    clone.git(&["rm", "-q", "--cached", "README.md"]);
    let before = (clone.git(&["diff", "--cached"]), clone.git(&["ls-files", "--stage"]));
    clone.note("api-2026-11-15-a3f9c12e.md");
    let published = clone.publish("r1").unwrap();
    assert_eq!((published.committed, published.pushed), (Committed::New, Pushed::Done));
    assert_eq!(published.branch, "main");
    assert_eq!(published.notes, Vec::<String>::new());
    assert_eq!(
        ground.tree(&ground.origin(), "main"),
        ["README.md", "code.rs", "memory/layer1/2026-11/api-2026-11-15-a3f9c12e.md"]
    );
    assert_eq!(clone.git(&["diff", "--cached"]), before.0);
    let stage = clone.git(&["ls-files", "--stage", "--", ":!memory"]);
    assert_eq!(stage, before.1);
    assert_eq!(fs::read_to_string(clone.dir.join("code.rs")).unwrap(), "staged and then changed\n");
    let status = clone.git(&["status", "--porcelain"]);
    assert_eq!(status, "D  README.md\nMM code.rs\nA  secret.env\n?? README.md\n");
}

#[test]
fn untracked_files_elsewhere_disturb_nothing_h4() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    put(clone.dir.join("untracked.txt"), "mine\n");
    put(clone.memory.join("run/checkpoint.json"), "{}");
    put(clone.memory.join(".lock"), "");
    put(clone.memory.join("layer1/2026-11/.half-written.md"), "");
    clone.note("one.md");
    assert_eq!(clone.publish("r1").unwrap().committed, Committed::New);
    let again = clone.publish("r2").unwrap();
    assert_eq!((again.committed, again.pushed), (Committed::NothingNew, Pushed::UpToDate));
    let tree = ground.tree(&ground.origin(), "main");
    assert_eq!(tree, ["README.md", "code.rs", "memory/layer1/2026-11/one.md"]);
    assert!(clone.git(&["status", "--porcelain"]).contains("?? untracked.txt"));
}

#[test]
fn deletions_in_the_memory_are_committed_and_the_index_follows() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    clone.note("two.md");
    clone.publish("r1").unwrap();
    fs::remove_file(clone.memory.join("layer1/2026-11/one.md")).unwrap();
    put(clone.memory.join("layer2/current-state.md"), "state\n");
    clone.publish("r2").unwrap();
    let tree = ground.tree(&ground.origin(), "main");
    assert!(tree.contains(&"memory/layer1/2026-11/two.md".into()), "{tree:?}");
    assert!(tree.contains(&"memory/layer2/current-state.md".into()), "{tree:?}");
    assert!(!tree.contains(&"memory/layer1/2026-11/one.md".into()), "{tree:?}");
    assert_eq!(clone.git(&["status", "--porcelain"]), "");
}

#[test]
fn every_name_is_taken_as_it_is() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    let names =
        ["a b.md", "-rf.md", ":(top)x.md", "*.md", "été 修.md", "line\nbreak.md", "\"q\".md"];
    for name in names {
        clone.note(name);
    }
    put(clone.dir.join("-dash"), "x\n");
    put(clone.dir.join(":(exclude)memory"), "x\n");
    let paths = [clone.memory.clone(), clone.dir.join("-dash"), clone.dir.join(":(exclude)memory")];
    let content = Content::InTree { paths: &paths };
    let publish =
        |run: &str| ground.git.publish(&Publication { content, ..clone.publication(run) }).unwrap();
    assert_eq!(publish("r1").committed, Committed::New);
    let tree = ground.tree(&ground.origin(), "main");
    for name in names {
        assert!(tree.contains(&format!("memory/layer1/2026-11/{name}")), "{name:?} in {tree:?}");
    }
    assert!(tree.contains(&"-dash".into()) && tree.contains(&":(exclude)memory".into()));
    assert_eq!(clone.git(&["status", "--porcelain"]), "");
    fs::remove_file(clone.memory.join("layer1/2026-11/line\nbreak.md")).unwrap();
    assert_eq!(publish("r2").committed, Committed::New);
    assert_eq!(ground.tree(&ground.origin(), "main").len(), tree.len() - 1);
}

#[test]
fn an_ignored_memory_is_published_and_that_is_told() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    put(clone.dir.join(".git/info/exclude"), "/memory/\n*.log\n");
    clone.note("one.md");
    put(clone.dir.join("docs/a.txt"), "a\n");
    put(clone.dir.join("docs/b.log"), "b\n");
    let paths = [clone.memory.clone(), clone.dir.join("docs")];
    let content = Content::InTree { paths: &paths };
    let published =
        ground.git.publish(&Publication { content, ..clone.publication("r1") }).unwrap();
    assert_eq!(published.notes.len(), 1, "{:?}", published.notes);
    assert!(published.notes[0].contains("ignored"), "{:?}", published.notes);
    let tree = ground.tree(&ground.origin(), "main");
    assert!(tree.contains(&"memory/layer1/2026-11/one.md".into()), "{tree:?}");
    assert!(tree.contains(&"docs/a.txt".into()) && !tree.contains(&"docs/b.log".into()));
}

#[test]
fn a_path_outside_of_the_work_tree_is_refused_and_a_link_stays_a_link() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    put(ground.dir.join("private.txt"), "private\n");
    clone.note("one.md");
    symlink(ground.dir.join("private.txt"), clone.memory.join("layer1/2026-11/link.md")).unwrap();
    symlink(&ground.dir, clone.dir.join("way-out")).unwrap();
    clone.git(&["init", "-q", "nested"]);
    for path in [
        ground.dir.join("private.txt"),
        clone.dir.join("../private.txt"),
        clone.dir.join("way-out"),
        clone.dir.join("way-out/private.txt"),
        clone.dir.join(".git/config"),
        clone.dir.join("nested/x"),
        "memory".into(),
    ] {
        let before = ground.state(&clone.dir);
        let paths = [path.clone()];
        let content = Content::InTree { paths: &paths };
        let refused = ground.git.publish(&Publication { content, ..clone.publication("r1") });
        assert!(matches!(refused, Err(PublishError::Config { .. })), "{path:?}: {refused:?}");
        assert_eq!(ground.state(&clone.dir), before);
    }
    clone.publish("r1").unwrap();
    let link = ground.run(&ground.origin(), &["ls-tree", "-r", "main", "memory/"]);
    assert!(link.lines().any(|line| line.starts_with("120000") && line.ends_with("link.md")));
}

#[test]
fn a_sparse_work_tree_deletes_nothing() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    put(clone.memory.join("layer2/current-state.md"), "state\n");
    clone.publish("r1").unwrap();
    clone.git(&["sparse-checkout", "set", "--no-cone", "/memory/layer2/", "/code.rs"]);
    assert!(!clone.memory.join("layer1").exists());
    put(clone.memory.join("layer2/current-state.md"), "newer\n");
    clone.publish("r2").unwrap();
    let tree = ground.tree(&ground.origin(), "main");
    assert!(tree.contains(&"memory/layer1/2026-11/one.md".into()), "{tree:?}");
    assert_eq!(
        ground.run(&ground.origin(), &["show", "main:memory/layer2/current-state.md"]),
        "newer\n"
    );
    assert_eq!(clone.publish("r3").unwrap().committed, Committed::NothingNew);
    // The memory itself can lie where nothing is checked out.
    clone.git(&["sparse-checkout", "set", "--cone", "src"]);
    clone.note("two.md");
    clone.publish("r4").unwrap();
    let tree = ground.tree(&ground.origin(), "main");
    for path in ["layer1/2026-11/one.md", "layer1/2026-11/two.md", "layer2/current-state.md"] {
        assert!(tree.contains(&format!("memory/{path}")), "{tree:?}");
    }
    assert_eq!(clone.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_path_with_nothing_there_is_told() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    let published = clone.publish("r1").unwrap();
    assert_eq!(published.committed, Committed::NothingNew);
    assert!(published.notes[0].contains("nothing at"), "{:?}", published.notes);
}

#[test]
fn commits_of_the_user_that_go_along_are_told() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    put(clone.dir.join("code.rs"), "mine\n");
    clone.git(&["commit", "-qam", "not pushed yet"]);
    clone.note("one.md");
    let published = clone.publish("r1").unwrap();
    assert_eq!(published.notes, ["other commits of 'main' that were pushed along: 1"]);
}
