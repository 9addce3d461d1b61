//! `latest` where nothing is here: a person who reads is answered from the whole store; an agent, and who changes
//! something or goes on from it, is not.

use std::fs;
use std::path::PathBuf;

use crate::ground::{TestEnv, files_below};

/// A project with two handoffs, and two directories with none.
struct Ground {
    env: TestEnv,
    other: String,
    here: [PathBuf; 2],
}

impl Ground {
    fn new() -> Self {
        let env = TestEnv::new();
        let shop = env.repo("shop");
        let save = |title: &str| {
            let args = ["save", "--title", title, "--name", "basket", "--next", "Ring Ada"];
            env.segue(&args).real_randomness().dir(&shop).ok().trim().to_owned()
        };
        save("First");
        let other = save("Second");
        let here = [env.repo("other"), env.dir("plain")];
        Self { env, other, here }
    }

    /// Every file of the store but the index, with its text.
    fn store(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let all = files_below(&self.env.home.join("projects"));
        all.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }
}

#[test]
fn nothing_of_another_project_is_changed_for_the_latest() {
    let ground = Ground::new();
    let before = ground.store();
    for dir in &ground.here {
        for args in [
            &["edit", "latest", "--title", "Mine"][..],
            &["edit", "--title", "Mine"],
            &["edit", "--name", "mine"],
            &["edit"],
            &["forget", "latest", "--yes"],
            &["forget", "latest", "--dry-run"],
            &["save", "--no-stdin", "--title", "Mine", "--supersedes", "latest"],
            &["continue", "claude-code", "--id", "latest", "--dry-run"],
        ] {
            let ran = ground.env.segue(args).env("EDITOR", "false").dir(dir).run();
            assert_eq!((ran.code, &*ran.stdout), (66, ""), "{args:?}: {}", ran.stderr);
            assert!(ran.stderr.contains("hint: "), "{args:?}: {}", ran.stderr);
        }
    }
    assert_eq!(ground.store(), before);
}

#[test]
fn nothing_of_another_project_is_exported_for_the_latest() {
    let ground = Ground::new();
    for dir in &ground.here {
        let file = dir.join("x.segue");
        let file = file.to_str().unwrap();
        for args in [
            &["export"][..],
            &["export", "latest"],
            &["export", "--output", file],
            &["export", "latest", "--output", file, "--json"],
            &["export", "--name", "basket", "--output", file],
        ] {
            let ran = ground.env.segue(args).dir(dir).run();
            assert_eq!((ran.code, &*ran.stdout), (66, ""), "{args:?}: {}", ran.stderr);
            assert!(ran.stderr.contains("--project"), "{args:?}: {}", ran.stderr);
            assert!(!std::path::Path::new(file).exists(), "{args:?}");
        }
        for args in [
            &["export", &ground.other, "--output", file][..],
            &["export", "--project", "shop", "--output", file, "--force"],
            &["export", "--name", "basket", "--project", "shop", "--output", file, "--force"],
        ] {
            let ran = ground.env.segue(args).dir(dir).run();
            assert!(ran.code == 0 && ran.stdout.contains("exported"), "{args:?}: {}", ran.stderr);
        }
    }
}

#[test]
fn an_id_is_changed_from_anywhere() {
    let ground = Ground::new();
    let [repo, plain] = &ground.here;
    let edited = ground.env.segue(&["edit", &ground.other, "--title", "Mine"]).real_randomness();
    let edited = edited.dir(repo).ok();
    let gone = ground.env.segue(&["forget", edited.trim(), "--yes"]).dir(plain).run();
    assert!(gone.code == 0 && gone.stdout.contains(edited.trim()), "{}", gone.stderr);
}

#[test]
fn who_reads_is_answered_from_the_whole_store() {
    let ground = Ground::new();
    for args in [&["show"][..], &["show", "latest"], &["render"], &["list"]] {
        let ran = ground.env.segue(args).dir(&ground.here[0]).run();
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        assert!(ran.stdout.contains("Second") || ran.stdout.contains("Ring Ada"), "{args:?}");
        assert!(ran.stderr.contains("nothing is saved here"), "{args:?}: {}", ran.stderr);
    }
    let ran = ground.env.segue(&["resume"]).dir(&ground.here[0]).run();
    assert!(ran.code == 0 && !ran.stdout.contains("Ring Ada"), "{}", ran.stdout);
}

#[test]
fn an_agent_is_told_of_other_projects_only_if_it_asks_for_them() {
    let ground = Ground::new();
    for dir in &ground.here {
        for args in [
            &["show"][..],
            &["show", "latest"],
            &["show", "--name", "basket"],
            &["render"],
            &["list"],
            &["list", "--json"],
            &["search", "Ada"],
            &["select", "--print-id"],
            &["scrub", "--dry-run"],
        ] {
            let ran = ground.env.segue(args).env("CLAUDECODE", "1").dir(dir).run();
            assert_eq!((ran.code, &*ran.stdout), (66, ""), "{args:?}: {}", ran.stderr);
            assert!(ran.stderr.contains("nothing is saved here"), "{args:?}: {}", ran.stderr);
            assert!(ran.stderr.contains("--all-projects"), "{args:?}: {}", ran.stderr);
        }
        for args in [&["list", "--all-projects"][..], &["search", "Ada", "--all-projects"]] {
            let ran = ground.env.segue(args).env("CLAUDECODE", "1").dir(dir).run();
            assert!(ran.code == 0 && ran.stdout.contains("Second"), "{args:?}: {}", ran.stderr);
        }
        let shown = ground.env.segue(&["show", &ground.other]).env("CLAUDECODE", "1").dir(dir).ok();
        assert!(shown.contains("Ring Ada"), "{shown}");
    }
    // Where nothing is saved at all, there is nothing to be silent about.
    let empty = TestEnv::new();
    let ran = empty.segue(&["list"]).env("CLAUDECODE", "1").run();
    assert_eq!((ran.code, &*ran.stdout), (0, ""), "{}", ran.stderr);
}
