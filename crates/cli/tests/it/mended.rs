//! Answers that were once wrong: each test is a way in which somebody got one.

use std::fs;
use std::path::Path;

use crate::ground::{TestEnv, file_time, files_below, put};

fn save(env: &TestEnv, dir: &Path, title: &str) -> String {
    env.segue(&["save", "--title", title]).real_clock().dir(dir).ok().trim().to_owned()
}

fn month(env: &TestEnv) -> std::path::PathBuf {
    env.handoff_files()[0].parent().unwrap().to_owned()
}

#[test]
fn a_link_keeps_what_people_wrote_in_archives_and_project_files() {
    let env = TestEnv::new();
    let (a, b) = (env.dir("a"), env.dir("b"));
    env.segue(&["save", "--title", "old", "--ttl", "1h"]).dir(&a).ok();
    env.segue(&["gc"]).at("2027-01-01T00:00:00Z").ok();
    let find = |suffix: &str| {
        files_below(&env.home)
            .into_iter()
            .find(|path| path.to_string_lossy().ends_with(suffix))
            .unwrap()
    };
    let archive = find("-archive.md");
    let text = fs::read_to_string(&archive).unwrap().replacen(
        "<!-- segue:handoff",
        "First remark.\n<!-- segue:handoff",
        1,
    );
    put(&archive, text + "Last remark.\n");
    let project = find("project.toml");
    let commented = fs::read_to_string(&project).unwrap() + "# my comment\n";
    put(&project, commented);
    save(&env, &b, "in b");
    env.segue(&["project", "link", "b"]).dir(&a).run();
    let all: String = files_below(&env.home.join("projects"))
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    for words in ["First remark.", "Last remark.", "# my comment"] {
        assert!(all.contains(words), "{words}");
    }
    assert!(
        env.segue(&["list", "--expired"]).at("2027-01-01T00:00:00Z").dir(&a).ok().contains("old")
    );
}

#[test]
fn a_link_that_fails_leaves_everything_here() {
    let env = TestEnv::new();
    let (a, b) = (env.dir("a"), env.dir("b"));
    save(&env, &a, "first");
    save(&env, &a, "second");
    fs::create_dir(month(&env).join("aa-not-a-file.md")).unwrap();
    save(&env, &b, "in b");
    assert_eq!(env.segue(&["project", "link", "b"]).dir(&a).run().code, 1);
    let list = env.segue(&["list"]).dir(&a).run().stdout;
    for title in ["first", "second", "in b"] {
        assert!(list.contains(title), "{list}");
    }
    // A project file of a newer version is not touched, and neither is ours.
    let newer = env.dir("c");
    save(&env, &newer, "in c");
    let file = files_below(&env.home)
        .into_iter()
        .find(|path| path.to_string_lossy().contains("/c-") && path.ends_with("project.toml"))
        .unwrap();
    put(&file, fs::read_to_string(&file).unwrap().replace("segue = 1", "segue = 2"));
    assert_eq!(env.segue(&["project", "link", "c"]).dir(&b).run().code, 1);
    assert!(env.segue(&["list"]).dir(&b).run().stdout.contains("in b"));
}

#[test]
fn a_label_means_the_same_in_a_directory_of_that_name() {
    let env = TestEnv::new();
    env.segue(&["store", "--name", "state", "--project", "myapp"]).stdin("body").ok();
    let dir = env.dir("work/myapp");
    assert_eq!(
        env.segue(&["show", "--name", "state", "--project", "myapp"]).dir(&dir).ok(),
        "body"
    );
    assert!(env.segue(&["list", "--project", "myapp"]).dir(&dir).ok().contains("state"));
    env.segue(&["save", "--title", "own", "--project", "myapp"]).dir(&dir).ok();
    let list = env.segue(&["list", "--project", "myapp"]).dir(&dir).ok();
    assert!(list.contains("own") && list.contains("state"), "{list}");
    assert_eq!(list, env.segue(&["list", "--project", "myapp"]).ok(), "inside and outside");
}

#[test]
fn a_bad_file_that_is_mended_in_place_is_read() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "good"]).ok();
    let bad = month(&env).join("half-2026-11-15-abcdef12.md");
    put(&bad, "---\nsegue: 1\nid: 20261115-100000-abcdef12\n");
    let old = file_time() - std::time::Duration::from_secs(60);
    fs::File::open(&bad).unwrap().set_modified(old).unwrap();
    fs::File::open(month(&env)).unwrap().set_modified(old).unwrap();
    assert!(env.segue(&["list"]).run().stderr.contains("half-"));
    let shown = env.segue(&["show"]).run();
    assert!(shown.stderr.contains("half-"), "a newer one may be hidden in it: {}", shown.stderr);
    let error = env.segue(&["show", "abcdef12"]).fails(65);
    assert!(error.contains("half-2026-11-15-abcdef12.md"), "{error}");
    use std::io::Write;
    fs::OpenOptions::new()
        .append(true)
        .open(&bad)
        .unwrap()
        .write_all(b"created: 2026-11-15T10:00:00Z\n---\nmended\n")
        .unwrap();
    assert_eq!(env.segue(&["show", "abcdef12"]).ok(), "mended\n");
    assert_eq!(env.segue(&["list"]).ok().lines().count(), 3);
}

#[cfg(unix)]
#[test]
fn a_file_that_was_replaced_under_its_name_is_read_again() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "before"]).ok();
    env.segue(&["list"]).ok();
    let file = env.handoff_files()[0].clone();
    let script = format!("sed -i 's/^title: before/title: after/' '{}'", file.display());
    assert!(env.command("/bin/sh").args(["-c", &script]).status().unwrap().success());
    assert!(env.segue(&["list", "--query", "after"]).ok().contains("after"));
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_store_is_named_and_not_waited_for() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "good"]).ok();
    let pipe = month(&env).join("pipe-2026-11-15-abcdef12.md");
    assert!(env.command("mkfifo").arg(&pipe).status().unwrap().success());
    let ran = env.segue(&["list"]).run();
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 2));
    assert!(ran.stderr.contains("it is not a regular file"), "{}", ran.stderr);
}

#[test]
fn a_name_in_two_projects_of_one_label_is_an_error() {
    let env = TestEnv::new();
    let (p, q, z) = (env.dir("p/app"), env.dir("q/app"), env.dir("z"));
    for dir in [&p, &q] {
        env.segue(&["save", "--name", "st", "--title", "x"]).dir(dir).ok();
    }
    let error = env.segue(&["show", "--name", "st"]).dir(&z).fails(64);
    assert_eq!(error.matches("  app-").count(), 2, "{error}");
}

#[test]
fn clones_of_one_bare_repository_are_one_project_however_it_is_named() {
    let env = TestEnv::new();
    let repo = env.repo("seed");
    let bare = repo.with_file_name("srv.git");
    env.git(&repo, &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let top = repo.parent().unwrap().to_owned();
    env.git(&top, &["clone", "-q", bare.to_str().unwrap(), "c1"]);
    env.git(&top, &["clone", "-q", "./srv.git", "c2"]);
    env.git(&top, &["clone", "-q", &format!("file://{}", bare.display()), "c3"]);
    save(&env, &top.join("c1"), "one");
    for clone in ["c2", "c3"] {
        assert!(env.segue(&["list"]).dir(&top.join(clone)).ok().contains("one"), "{clone}");
    }
}

#[test]
fn another_repository_at_the_same_path_becomes_another_project() {
    let env = TestEnv::new();
    let repo = env.repo("same");
    env.git(&repo, &["remote", "add", "origin", "https://example.org/x/a"]);
    save(&env, &repo, "of the old one");
    fs::remove_dir_all(&repo).unwrap();
    let repo = env.dir("same");
    env.git(&repo, &["init", "-q"]);
    put(&repo.join("other.txt"), "other");
    env.git(&repo, &["add", "."]);
    env.git(&repo, &["commit", "-qm", "another first"]);
    env.git(&repo, &["remote", "add", "origin", "https://example.org/other/b"]);
    save(&env, &repo, "of the new one");
    let list = env.segue(&["list"]).dir(&repo).ok();
    assert!(list.contains("of the new one") && !list.contains("of the old one"), "{list}");
}

#[test]
fn latest_is_the_last_one_across_the_memories_that_are_here() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "first", "--project", "lab"]).at("2026-11-15T10:00:10Z").ok();
    env.segue(&["save", "--title", "second"]).at("2026-11-15T10:00:09Z").ok();
    assert!(env.segue(&["list", "--latest"]).ok().contains("second"));
}

#[test]
fn gc_goes_by_what_the_file_says() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "t", "--ttl", "1d"]).ok();
    env.segue(&["list"]).ok();
    let file = env.handoff_files()[0].clone();
    put(
        &file,
        fs::read_to_string(&file).unwrap().replace("expires: 2026-11-16", "expires: 2030-11-16"),
    );
    assert_eq!(
        env.segue(&["gc"]).at("2027-01-01T00:00:00Z").ok(),
        "Archived 0 handoffs that expired.\n"
    );
    assert_eq!(env.handoff_files().len(), 1);
}

#[test]
fn verify_reads_every_file_and_archive() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "same size 1"]).ok();
    env.segue(&["save", "--title", "goes away"]).ok();
    env.segue(&["save", "--title", "archived", "--ttl", "1h"]).ok();
    env.segue(&["gc"]).at("2027-01-01T00:00:00Z").ok();
    env.segue(&["list", "--expired"]).ok();
    let times = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
    let dir = month(&env);
    let dir_time = times(&dir);
    for file in env.handoff_files() {
        let (time, text) = (times(&file), fs::read_to_string(&file).unwrap());
        if text.contains("goes away") {
            fs::remove_file(&file).unwrap();
            continue;
        }
        put(&file, text.replace("same size 1", "same size 2"));
        fs::File::open(&file).unwrap().set_modified(time).unwrap();
    }
    fs::File::open(&dir).unwrap().set_modified(dir_time).unwrap();
    let archive = files_below(&env.home)
        .into_iter()
        .find(|path| path.to_string_lossy().ends_with("-archive.md"))
        .unwrap();
    put(&archive, format!("A remark.\n{}", fs::read_to_string(&archive).unwrap()));
    env.segue(&["index", "--verify"]).ok();
    let list = env.segue(&["list", "--expired"]).ok();
    assert!(list.contains("same size 2") && !list.contains("goes away"), "{list}");
    let id = list
        .lines()
        .find(|line| line.contains("archived"))
        .unwrap()
        .split('\t')
        .next()
        .unwrap()
        .to_owned();
    assert_eq!(env.segue(&["show", &id]).run().code, 0);
}

#[test]
fn small_things_people_ran_into() {
    let env = TestEnv::new();
    let one = env.segue(&["save", "--title", "one", "--name", "n"]).ok();
    let two = env.segue(&["save", "--title", "two", "--ttl", "1h"]).ok();
    // Clearing a name.
    let renamed = env.segue(&["edit", one.trim(), "--name", ""]).ok();
    assert!(!env.segue(&["show", renamed.trim(), "--raw"]).ok().contains("\nname:"));
    env.segue(&["edit", one.trim(), "--next", " "]).fails(64);
    // An edit of what has expired is not born expired.
    let ran = env.segue(&["edit", two.trim(), "--title", "later"]).at("2027-01-01T00:00:00Z").run();
    assert!(ran.stderr.contains("has expired"), "{}", ran.stderr);
    assert!(env.segue(&["list"]).at("2027-01-01T00:00:00Z").ok().contains("later"));
    // The same one twice.
    let ran = env.segue(&["forget", "--yes", one.trim(), one.trim(), two.trim()]).run();
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 2), "{}", ran.stderr);
    // Flags as the Go tools take them.
    assert!(env.segue(&["list", "-json", "--latest=true"]).run().stdout.starts_with("[\n"));
    env.segue(&["save", "-tool", "codex", "--project", "", "--title", "t"])
        .at("2027-01-02T00:00:00Z")
        .ok();
    // Only what has expired is left.
    let other = TestEnv::new();
    other.segue(&["save", "--title", "t", "--ttl", "1h"]).ok();
    assert!(other.segue(&["list"]).at("2027-01-01T00:00:00Z").run().stderr.contains("--expired"));
    put(&other.home.with_file_name("file"), "x");
    let doctor =
        other.segue(&["doctor"]).env("SEGUE_HOME", other.home.with_file_name("file")).run();
    assert_eq!(doctor.code, 1, "{}", doctor.stdout);
    assert_eq!(other.segue(&["save", "--file", "nowhere.md"]).run().code, 66);
}
