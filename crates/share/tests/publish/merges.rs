//! Several machines that publish to one branch.

use std::time::Duration;

use segue_share::git::{Committed, Publication, PublishError, Pushed};

use crate::ground::{Clone, Ground, put};

fn state(time: &str) -> String {
    format!("<!-- segue | layer2 | 2026-11-15 | 20261115-{time}-a3f9c12e -->\n# At {time}\n")
}

fn archive(ids: &[&str]) -> String {
    let entry = |id: &&str| {
        format!(
            "<!-- segue:handoff 20261115-174500-{id} 4 x.md -->\nold\n\n<!-- segue:end 20261115-174500-{id} -->\n"
        )
    };
    let entries: Vec<String> = ids.iter().map(entry).collect();
    format!("<!-- segue | layer3 | 2026-11 | api -->\n\n{}", entries.join("\n"))
}

#[test]
fn two_clones_that_publish_one_after_the_other_lose_nothing() {
    let ground = Ground::new();
    let [a, b] = ["a", "b"].map(|name| Clone::new(&ground, name));
    a.note("one.md");
    put(a.memory.join("layer2/current-state.md"), &state("174500"));
    put(a.memory.join("layer3/2026-11-api-archive.md"), &archive(&["a0000001", "a0000003"]));
    a.publish("r1").unwrap();
    b.note("two.md");
    put(b.memory.join("layer2/current-state.md"), &state("090000"));
    put(b.memory.join("layer3/2026-11-api-archive.md"), &archive(&["a0000002", "a0000003"]));
    let head = || b.git(&["rev-parse", "HEAD"]);
    let published = b.publish("r2").unwrap();
    assert!(published.merged && published.pushed == Pushed::Done);
    assert!(published.notes[0].contains("git pull"), "{:?}", published.notes);
    let origin = ground.origin();
    let tree = ground.tree(&origin, "main");
    for path in ["layer1/2026-11/one.md", "layer1/2026-11/two.md"] {
        assert!(tree.contains(&format!("memory/{path}")), "{tree:?}");
    }
    assert_eq!(
        ground.run(&origin, &["show", "main:memory/layer2/current-state.md"]),
        state("174500")
    );
    let archive = ground.run(&origin, &["show", "main:memory/layer3/2026-11-api-archive.md"]);
    assert_eq!(archive.matches("<!-- segue:handoff ").count(), 3, "{archive}");
    // The work tree is the user's: it is behind, and they pull when they like.
    assert_eq!(b.git(&["status", "--porcelain"]), "");
    let before = head();
    let again = b.publish("r2").unwrap();
    assert_eq!((again.committed, again.pushed), (Committed::Found, Pushed::UpToDate));
    assert_eq!(again.commit, published.commit);
    assert_eq!(head(), before);
    b.git(&["pull", "-q", "--ff-only"]);
    assert_eq!(b.git(&["rev-parse", "HEAD"]).trim(), published.commit.clone().unwrap());
    assert_eq!(b.git(&["show", "HEAD:memory/layer1/2026-11/one.md"]), "one.md\n");
}

#[test]
fn clones_that_publish_at_once_all_arrive() {
    let ground = Ground::new();
    let clones = ["a", "b", "c"].map(|name| Clone::new(&ground, name));
    std::thread::scope(|scope| {
        for (n, clone) in clones.iter().enumerate() {
            scope.spawn(move || {
                for round in 0..2 {
                    clone.note(&format!("note-{n}-{round}.md"));
                    clone.publish(&format!("r{n}-{round}")).unwrap();
                }
            });
        }
    });
    let tree = ground.tree(&ground.origin(), "main");
    for n in 0..3 {
        for round in 0..2 {
            let note = format!("memory/layer1/2026-11/note-{n}-{round}.md");
            assert!(tree.contains(&note), "{note} in {tree:?}");
        }
    }
}

#[test]
fn runs_of_one_clone_at_once_take_turns() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    std::thread::scope(|scope| {
        for n in 0..4 {
            let clone = &clone;
            scope.spawn(move || {
                clone.note(&format!("note-{n}.md"));
                let run = format!("r{n}");
                let limit = Duration::from_secs(60);
                let publication = Publication { limit, ..clone.publication(&run) };
                clone.ground.git.publish(&publication).unwrap();
            });
        }
    });
    assert_eq!(ground.tree(&ground.origin(), "main").len(), 6);
    assert_eq!(clone.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_conflict_in_the_users_own_files_is_theirs_to_solve() {
    let ground = Ground::new();
    let [a, b] = ["a", "b"].map(|name| Clone::new(&ground, name));
    put(a.dir.join("code.rs"), "a's\n");
    a.git(&["commit", "-qam", "a"]);
    a.git(&["push", "-q"]);
    put(b.dir.join("code.rs"), "b's\n");
    b.git(&["commit", "-qam", "b"]);
    b.note("one.md");
    let failed = b.publish("r1").unwrap_err();
    let PublishError::Conflict { files, .. } = &failed else { panic!("{failed:?}") };
    assert_eq!(files, &["code.rs"]);
    assert!(failed.hint().unwrap().contains("git pull"));
    b.git(&["pull", "-q", "--no-rebase", "-s", "ours"]);
    assert_eq!(b.publish("r1").unwrap().pushed, Pushed::Done);
    assert_eq!(ground.commits_of(&ground.origin(), "main", "r1"), 1);
}

#[test]
fn what_others_changed_elsewhere_is_merged_by_git() {
    let ground = Ground::new();
    let [a, b] = ["a", "b"].map(|name| Clone::new(&ground, name));
    put(a.dir.join("code.rs"), "a's\n");
    a.git(&["mv", "README.md", "READ.md"]);
    a.git(&["commit", "-qam", "a"]);
    a.git(&["push", "-q"]);
    b.note("one.md");
    assert!(b.publish("r1").unwrap().merged);
    assert_eq!(
        ground.tree(&ground.origin(), "main"),
        ["READ.md", "code.rs", "memory/layer1/2026-11/one.md"]
    );
    assert_eq!(ground.run(&ground.origin(), &["show", "main:code.rs"]), "a's\n");
}
