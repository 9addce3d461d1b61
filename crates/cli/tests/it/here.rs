//! Which project a directory belongs to, over clones, worktrees, moves, forks and labels.

use std::fs;
use std::path::Path;

use crate::ground::{TestEnv, put};

/// The id of the project that a directory belongs to.
fn project(env: &TestEnv, dir: &Path) -> Option<String> {
    let listed = env.segue(&["project", "list"]).dir(dir).run().stdout;
    let line = listed.lines().find(|line| line.starts_with("* "))?;
    line.split_whitespace().nth(2).map(str::to_owned)
}

fn save(env: &TestEnv, dir: &Path, title: &str) {
    env.segue(&["save", "--title", title]).real_randomness().dir(dir).ok();
}

#[test]
fn clones_and_worktrees_share_a_memory() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    env.git(&repo, &["remote", "add", "origin", "https://user:secret@example.org/team/app.git"]);
    save(&env, &repo, "one");
    let side = repo.with_file_name("side");
    env.git(&repo, &["worktree", "add", "-q", side.to_str().unwrap()]);
    let clone = repo.with_file_name("clone");
    env.git(&repo, &["clone", "-q", ".", clone.to_str().unwrap()]);
    env.git(&clone, &["remote", "set-url", "origin", "git@example.org:team/app.git"]);
    for dir in [&side, &clone, &repo.join("sub")] {
        fs::create_dir_all(dir).unwrap();
        assert_eq!(project(&env, dir), project(&env, &repo), "{}", dir.display());
        assert!(env.segue(&["list"]).dir(dir).ok().contains("one"));
    }
    save(&env, &clone, "two");
    save(&env, &side, "three");
    assert_eq!(env.segue(&["list"]).dir(&repo).ok().lines().count(), 4);
    let json = env.segue(&["list", "--json", "--latest"]).dir(&repo).ok();
    assert!(
        json.contains("\"worktree\": \"side\"")
            && json.contains("\"remote\": \"example.org/team/app\""),
        "{json}"
    );
    assert!(
        !env.handoff_files()
            .iter()
            .any(|path| fs::read_to_string(path).unwrap().contains("secret"))
    );
}

#[test]
fn a_moved_repository_keeps_its_memory() {
    let env = TestEnv::new();
    let repo = env.repo("before");
    save(&env, &repo, "one");
    let id = project(&env, &repo);
    let moved = repo.with_file_name("after");
    fs::rename(&repo, &moved).unwrap();
    assert_eq!(project(&env, &moved), id);
    save(&env, &moved, "two");
    assert_eq!(env.segue(&["list"]).dir(&moved).ok().lines().count(), 3);
    assert_eq!(project(&env, &moved), id, "now without asking git for its root");
}

#[test]
fn a_repository_that_gains_a_remote_is_found_by_it() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    save(&env, &repo, "one");
    let id = project(&env, &repo);
    env.git(&repo, &["remote", "add", "origin", "https://example.org/team/app"]);
    save(&env, &repo, "two");
    env.git(&repo, &["commit", "-q", "--allow-empty", "-m", "second"]);
    // Another clone has the same remote and the same first commit; a shallow one only the remote.
    let upstream = repo.with_file_name("upstream.git");
    env.git(&repo, &["clone", "-q", "--bare", ".", upstream.to_str().unwrap()]);
    let url = format!("file://{}", upstream.display());
    let clone = |name: &str, depth: &[&str]| {
        let dir = repo.with_file_name(name);
        env.git(&repo, &[&["clone", "-q"], depth, &[&url, dir.to_str().unwrap()]].concat());
        env.git(&dir, &["remote", "set-url", "origin", "ssh://git@example.org/team/app.git"]);
        dir
    };
    assert_eq!(project(&env, &clone("whole", &[])), id);
    let shallow = clone("shallow", &["--depth", "1"]);
    assert_ne!(project(&env, &shallow), id);
    env.segue(&["project", "link", id.as_deref().unwrap()]).dir(&shallow).run();
    assert_eq!(project(&env, &shallow), id);
    assert_eq!(project(&env, &clone("deep", &["--depth", "2"])), id, "that has the first commit");
}

#[test]
fn a_repository_first_saved_before_its_first_commit_is_known_by_its_root_later() {
    let env = TestEnv::new();
    let repo = env.dir("young");
    env.git(&repo, &["init", "-q"]);
    save(&env, &repo, "unborn");
    put(&repo.join("a.txt"), "a");
    env.git(&repo, &["add", "."]);
    env.git(&repo, &["commit", "-qm", "first"]);
    save(&env, &repo, "born");
    let id = project(&env, &repo);
    let moved = repo.with_file_name("grown");
    fs::rename(&repo, &moved).unwrap();
    assert_eq!(project(&env, &moved), id);
}

#[test]
fn forks_and_templates_stay_apart() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    env.git(&repo, &["remote", "add", "origin", "https://example.org/team/app"]);
    save(&env, &repo, "upstream");
    let fork = repo.with_file_name("fork");
    env.git(&repo, &["clone", "-q", ".", fork.to_str().unwrap()]);
    env.git(&fork, &["remote", "set-url", "origin", "https://example.org/me/app"]);
    assert_eq!(project(&env, &fork), None);
    save(&env, &fork, "forked");
    assert_ne!(project(&env, &fork), project(&env, &repo));
    assert!(!env.segue(&["list"]).dir(&fork).ok().contains("upstream"));
}

#[test]
fn a_local_clone_is_the_same_project() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    env.git(&repo, &["remote", "add", "origin", "https://example.org/team/app"]);
    save(&env, &repo, "one");
    let clone = repo.with_file_name("local");
    env.git(&repo, &["clone", "-q", repo.to_str().unwrap(), clone.to_str().unwrap()]);
    assert_eq!(project(&env, &clone), project(&env, &repo));
}

#[test]
fn a_plain_directory_keeps_its_memory_when_it_becomes_a_repository() {
    let env = TestEnv::new();
    let dir = env.dir("plain");
    save(&env, &dir, "one");
    let id = project(&env, &dir);
    env.git(&dir, &["init", "-q"]);
    assert_eq!(project(&env, &dir), id);
}

#[test]
fn a_known_directory_needs_no_git_process() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    save(&env, &repo, "one");
    let ran = env.segue(&["list"]).env("PATH", "/nonexistent").dir(&repo).ok();
    assert_eq!(ran.lines().count(), 2);
}

#[test]
fn what_was_saved_from_here_under_a_label_is_here() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    env.segue(&["store", "--name", "state", "--project", "some-label"])
        .stdin("body")
        .dir(&repo)
        .ok();
    assert_eq!(env.segue(&["show"]).dir(&repo).ok(), "body");
    assert_eq!(env.segue(&["show", "--name", "state"]).dir(&repo).ok(), "body");
    // What others put under that label is not.
    let other = env.repo("other");
    env.segue(&["save", "--title", "theirs", "--project", "some-label"])
        .dir(&other)
        .at("2026-11-15T18:00:00Z")
        .ok();
    assert!(!env.segue(&["list"]).dir(&repo).ok().contains("theirs"));
    assert!(env.segue(&["list", "--project", "some-label"]).dir(&repo).ok().contains("theirs"));
    // The project's own label means the project itself.
    env.segue(&["save", "--title", "own", "--project", "app"]).dir(&repo).ok();
    assert_eq!(
        env.segue(&["project", "list", "--json"]).ok().matches("\"label\": \"app\"").count(),
        1
    );
}

#[test]
fn nothing_here_widens_to_the_whole_store_and_says_so() {
    let env = TestEnv::new();
    let (a, b, empty) = (env.repo("a"), env.repo("b"), env.dir("empty"));
    env.segue(&["save", "--name", "n", "--title", "in a"]).dir(&a).ok();
    let ran = env.segue(&["list"]).dir(&empty).run();
    assert_eq!(
        (ran.stdout.lines().count(), ran.stderr.as_str()),
        (2, "nothing is saved here; this is the whole store\n")
    );
    let ran = env.segue(&["show", "--name", "n"]).dir(&empty).run();
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (0, "nothing is saved here; this is from the project 'a'\n")
    );
    env.segue(&["save", "--name", "n", "--title", "in b"]).dir(&b).ok();
    let error = env.segue(&["show", "--name", "n"]).dir(&empty).fails(64);
    assert_eq!(
        error,
        "error: 'n' is a name in several projects and none of them is here\n  a\n  b\nhint: say which with --project\n"
    );
    assert_eq!(env.segue(&["list", "--all-projects"]).dir(&a).ok().lines().count(), 3);
}

#[test]
fn link_brings_a_directory_and_its_handoffs_into_a_project() {
    let env = TestEnv::new();
    let (old, new) = (env.dir("old"), env.dir("new"));
    save(&env, &old, "from the old place");
    env.segue(&["save", "--title", "expired there", "--ttl", "1m"]).dir(&new).ok();
    env.segue(&["gc"]).at("2027-01-01T00:00:00Z").ok();
    save(&env, &new, "from the new place");
    let ran = env.segue(&["project", "link", "old"]).dir(&new).run();
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (0, "this directory now belongs to 'old'; 2 handoffs came along\n")
    );
    assert_eq!(env.segue(&["list"]).dir(&new).ok().lines().count(), 3);
    assert_eq!(env.segue(&["list"]).dir(&old).ok(), env.segue(&["list"]).dir(&new).ok());
    assert_eq!(env.segue(&["list", "--expired"]).dir(&new).ok().lines().count(), 4);
    assert_eq!(project(&env, &new), project(&env, &old));
    assert!(
        !env.home
            .join("projects")
            .read_dir()
            .unwrap()
            .any(|entry| { entry.unwrap().file_name().to_string_lossy().starts_with("new-") })
    );
    let error = env.segue(&["project", "link", "nowhere"]).dir(&new).fails(66);
    assert!(error.contains("segue project list"), "{error}");
}

#[test]
fn split_makes_a_directory_a_project_of_its_own() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    save(&env, &repo, "shared");
    let clone = repo.with_file_name("clone");
    env.git(&repo, &["clone", "-q", ".", clone.to_str().unwrap()]);
    save(&env, &clone, "from the clone");
    assert_eq!(project(&env, &clone), project(&env, &repo));
    let ran = env.segue(&["project", "split", "--label", "mine"]).dir(&clone).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(project(&env, &clone).as_deref(), Some(ran.stdout.trim()));
    save(&env, &clone, "alone");
    assert_eq!(env.segue(&["list"]).dir(&clone).ok().lines().count(), 2);
    assert_eq!(env.segue(&["list"]).dir(&repo).ok().lines().count(), 3);
    env.segue(&["project", "split"]).dir(&clone).fails(64);
}

#[test]
fn two_projects_of_one_label_are_told_apart_by_id() {
    let env = TestEnv::new();
    let (a, b) = (env.repo("x/app"), env.repo("y/app"));
    save(&env, &a, "in x");
    save(&env, &b, "in y");
    let error = env.segue(&["save", "--title", "t", "--project", "app"]).fails(64);
    assert!(error.contains("'app' is the label of several projects"), "{error}");
    let id = project(&env, &a).unwrap();
    env.segue(&["save", "--title", "by id", "--project", &id]).real_randomness().ok();
    assert!(env.segue(&["list"]).dir(&a).ok().contains("by id"));
}

#[test]
fn what_a_linked_directory_filed_under_labels_stays_here() {
    let env = TestEnv::new();
    let (old, new) = (env.dir("old"), env.dir("new"));
    save(&env, &old, "in old");
    env.segue(&["save", "--title", "filed", "--project", "some-label"]).dir(&new).ok();
    env.segue(&["project", "link", "old"]).dir(&new).run();
    for dir in [&old, &new] {
        let list = env.segue(&["list"]).dir(dir).ok();
        assert!(list.contains("filed") && list.contains("in old"), "{list}");
    }
    env.segue(&["project", "link", "old"]).dir(&new).fails(64);
}

#[test]
fn a_link_that_was_cut_off_is_finished_by_the_next() {
    let env = TestEnv::new();
    let (old, new) = (env.dir("old"), env.dir("new"));
    save(&env, &old, "in old");
    save(&env, &new, "in new");
    // As if it had stopped after the target learned the keys.
    let file = |name: &str| {
        let dirs =
            fs::read_dir(env.home.join("projects")).unwrap().map(|entry| entry.unwrap().path());
        dirs.into_iter()
            .find(|dir| dir.file_name().unwrap().to_string_lossy().starts_with(name))
            .unwrap()
            .join("project.toml")
    };
    let both = fs::read_to_string(file("old-")).unwrap()
        + &format!("\n[[key]]\nkind = \"path\"\nvalue = \"{}\"\n", new.display());
    put(&file("old-"), both);
    let ran = env.segue(&["project", "link", "old"]).dir(&new).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(env.segue(&["list"]).dir(&new).ok().lines().count(), 3);
}
