//! A memory that lies outside of the work tree, on a branch of its own.

use std::fs;
use std::path::PathBuf;

use segue_share::git::{Committed, Content, Publication, Published, Pushed};

use crate::ground::{Clone, Ground, put};

struct Machine<'a> {
    clone: Clone<'a>,
    memory: PathBuf,
}

impl<'a> Machine<'a> {
    fn new(ground: &'a Ground, name: &str) -> Self {
        let memory = ground.dir.join(format!("home-{name}"));
        fs::create_dir(&memory).unwrap();
        Self { clone: Clone::new(ground, name), memory }
    }

    fn note(&self, name: &str) {
        put(self.memory.join("layer1/2026-11").join(name), &format!("{name}\n"));
    }

    fn publish(&self, run: &str, forgotten: &[String]) -> Published {
        let publication = Publication {
            content: Content::Outside { dir: &self.memory },
            memory: None,
            forgotten,
            ..self.clone.publication(run)
        };
        self.clone.ground.git.publish(&publication).unwrap()
    }
}

#[test]
fn the_three_layers_become_the_branch_and_nothing_else() {
    let ground = Ground::new();
    let machine = Machine::new(&ground, "a");
    machine.note("line\nbreak.md");
    put(machine.memory.join("layer2/current-state.md"), "state\n");
    put(machine.memory.join("layer3/2026-11-api-archive.md"), "old\n");
    for other in ["project.toml", ".lock", "run/x", "forgotten/x", "kept/x", "live/x", "pushed/x"] {
        put(machine.memory.join(other), "x");
    }
    let before = ground.state(&machine.clone.dir);
    let published = machine.publish("r1", &[]);
    assert_eq!((published.committed, published.pushed), (Committed::New, Pushed::Done));
    assert_eq!(published.branch, "segue");
    assert_eq!(
        ground.tree(&ground.origin(), "segue"),
        [
            "layer1/2026-11/line\nbreak.md",
            "layer2/current-state.md",
            "layer3/2026-11-api-archive.md"
        ]
    );
    let after = ground.state(&machine.clone.dir);
    let without: String =
        after.split_inclusive('\n').filter(|line| !line.ends_with("/segue\n")).collect();
    assert_eq!(without, before, "work tree, index and other branches are as they were");
    let again = machine.publish("r2", &[]);
    assert_eq!((again.committed, again.pushed), (Committed::NothingNew, Pushed::UpToDate));
}

#[test]
fn two_machines_that_both_began_the_branch_become_one() {
    let ground = Ground::new();
    let [a, b] = ["a", "b"].map(|name| Machine::new(&ground, name));
    let offline = |machine: &Machine<'_>, run: &str| {
        let content = Content::Outside { dir: &machine.memory };
        let publication =
            Publication { content, memory: None, push: false, ..machine.clone.publication(run) };
        ground.git.publish(&publication).unwrap();
    };
    a.note("one.md");
    b.note("two.md");
    put(a.memory.join("layer1/2026-11/same.md"), "a's\n");
    put(b.memory.join("layer1/2026-11/same.md"), "b's\n");
    offline(&a, "r1");
    offline(&b, "r2");
    assert!(!a.publish("r1", &[]).merged);
    let merged = b.publish("r2", &[]);
    assert!(merged.merged);
    let tree = ground.tree(&ground.origin(), "segue");
    assert_eq!(tree.len(), 4, "{tree:?}");
    assert!(merged.notes.iter().any(|note| note.contains("same.md")), "{:?}", merged.notes);
    assert_eq!(b.clone.git(&["rev-parse", "segue"]).trim(), merged.commit.clone().unwrap());
    // Each goes on, though its memory lacks what the other one wrote.
    a.note("three.md");
    let third = a.publish("r3", &[]);
    let files = a.clone.git(&["ls-tree", "-r", "--name-only", &third.commit.unwrap()]);
    let names: Vec<&str> = files.lines().collect();
    for name in ["one.md", "two.md", "three.md"] {
        assert!(names.contains(&format!("layer1/2026-11/{name}").as_str()), "{names:?}");
    }
    assert_eq!(names.len(), 5, "{names:?}");
    b.note("four.md");
    b.publish("r4", &[]);
    assert_eq!(ground.tree(&ground.origin(), "segue").len(), 6);
}

#[test]
fn compacted_and_forgotten_handoffs_leave_the_branch_and_others_stay() {
    let ground = Ground::new();
    let [a, b] = ["a", "b"].map(|name| Machine::new(&ground, name));
    let old = "api-2026-11-15-a0000001.md";
    let forgotten = "api-2026-11-15-a0000002.md";
    a.note(old);
    a.note(forgotten);
    a.publish("r1", &[]);
    b.note("others.md");
    b.publish("r2", &[]);
    let text = format!("{old}\n");
    put(
        a.memory.join("layer3/2026-11-api-archive.md"),
        &format!(
            "<!-- segue | layer3 | 2026-11 | api -->\n\n<!-- segue:handoff 20261115-174500-a0000001 {} {old} -->\n{text}\n<!-- segue:end 20261115-174500-a0000001 -->\n",
            text.len()
        ),
    );
    for name in [old, forgotten] {
        fs::remove_file(a.memory.join("layer1/2026-11").join(name)).unwrap();
    }
    a.publish("r3", &["20261115-174500-a0000002".to_owned()]);
    assert_eq!(
        ground.tree(&ground.origin(), "segue"),
        ["layer1/2026-11/others.md", "layer3/2026-11-api-archive.md"]
    );
    fs::remove_file(a.memory.join("layer3/2026-11-api-archive.md")).unwrap();
    a.publish("r4", &["20261115-174500-a0000001".to_owned()]);
    assert_eq!(ground.tree(&ground.origin(), "segue"), ["layer1/2026-11/others.md"]);
}

#[test]
fn a_branch_that_is_checked_out_after_all_is_not_moved_under_the_user() {
    let ground = Ground::new();
    let machine = Machine::new(&ground, "a");
    machine.note("one.md");
    machine.publish("r1", &[]);
    machine.clone.git(&["checkout", "-q", "segue"]);
    machine.note("two.md");
    let published = machine.publish("r2", &[]);
    assert_eq!(published.pushed, Pushed::Done);
    assert!(published.notes[0].contains("git pull"), "{:?}", published.notes);
    assert_eq!(machine.clone.git(&["status", "--porcelain"]), "");
    assert_eq!(ground.tree(&ground.origin(), "segue").len(), 2);
    assert_eq!(machine.clone.git(&["for-each-ref", "refs/segue"]), "");
}

#[test]
fn a_repository_with_longer_ids_works_the_same() {
    let ground = Ground::new();
    let format = "--object-format=sha256";
    ground.run(&ground.dir, &["init", "-q", format, "-b", "main", "long"]);
    ground.run(&ground.dir, &["init", "-q", format, "--bare", "long.git"]);
    let clone = Clone::of(&ground, ground.dir.join("long"));
    clone.git(&["config", "user.name", "l"]);
    clone.git(&["config", "user.email", "l@example.org"]);
    clone.git(&["remote", "add", "origin", "../long.git"]);
    let machine = Machine { clone, memory: ground.dir.join("home-long") };
    let forgotten = "api-2026-11-15-a0000002.md";
    machine.note(forgotten);
    machine.note("one.md");
    machine.publish("r1", &[]);
    fs::remove_file(machine.memory.join("layer1/2026-11").join(forgotten)).unwrap();
    machine.publish("r2", &["20261115-174500-a0000002".to_owned()]);
    assert_eq!(ground.tree(&ground.dir.join("long.git"), "segue"), ["layer1/2026-11/one.md"]);
}
