//! Directories that claim to be of a repository that does not know them.

use std::fs;
use std::path::{Path, PathBuf};

use segue_lib::agents::find_agent;
use segue_lib::briefing::ResumeRequest;
use segue_lib::hook::{HookEvent, HookRequest, Payload};
use segue_lib::snapshot::SnapshotRequest;
use serde_json::{Value, json};

use crate::ground::{Ground, ORIGIN, put, save};

/// A private project with a handoff, and an empty directory beside it.
fn private_and_unpacked() -> Ground {
    let ground = Ground::new();
    ground.repository("private", Some(ORIGIN));
    ground.save("private", "Private plans");
    fs::create_dir(ground.root.join("unpacked")).unwrap();
    ground
}

/// Nothing of the private project is read in a directory, named there or changed from there.
fn assert_apart(ground: &Ground, dir: &str) {
    assert_eq!(ground.goes_on_with(dir), None);
    assert_eq!(ground.may_be(dir), [""; 0]);
    ground.save(dir, "Planted");
    assert_eq!(ground.titles("private"), ["Private plans"]);
    assert_eq!(ground.titles(dir), ["Planted"]);
}

#[test]
fn a_local_address_without_a_first_commit_is_no_clone() {
    let ground = private_and_unpacked();
    ground.git("unpacked", &["init", "-q"]);
    ground.git("unpacked", &["remote", "add", "origin", "../private"]);
    assert_eq!(ground.goes_on_with("unpacked"), None);
    ground.save("unpacked", "Planted");
    assert_eq!(ground.titles("private"), ["Private plans"]);

    ground.repository("broken", Some("../private"));
    let objects = ground.root.join("broken/.git/objects");
    fs::remove_dir_all(&objects).unwrap();
    fs::create_dir(&objects).unwrap();
    assert_eq!(ground.goes_on_with("broken"), None);
    ground.save("broken", "Planted");
    assert_eq!(ground.titles("private"), ["Private plans"]);
}

#[test]
fn a_git_file_that_names_a_repository_makes_no_directory_its_work_tree() {
    let ground = private_and_unpacked();
    put(&ground.root.join("unpacked/.git"), "gitdir: ../private/.git\n");
    assert_apart(&ground, "unpacked");
}

#[test]
fn a_common_directory_of_somebody_else_is_not_believed() {
    let ground = private_and_unpacked();
    for dir in ["refs", "objects"] {
        fs::create_dir_all(ground.root.join("unpacked/.git").join(dir)).unwrap();
    }
    for (file, text) in [
        ("HEAD", "ref: refs/heads/main\n"),
        ("commondir", "../../private/.git\n"),
        ("gitdir", ".\n"),
    ] {
        put(&ground.root.join("unpacked/.git").join(file), text);
    }
    assert_apart(&ground, "unpacked");
}

#[cfg(unix)]
#[test]
fn links_into_a_repository_are_not_believed() {
    use std::os::unix::fs::symlink;
    let ground = private_and_unpacked();
    symlink("../private/.git", ground.root.join("unpacked/.git")).unwrap();
    assert_apart(&ground, "unpacked");

    // Its own directory, in which git reads the branch of the other repository.
    for (dir, linked) in [("by-refs", "refs"), ("by-branch", "refs/heads/main")] {
        ground.repository(dir, Some("../private"));
        let git = ground.root.join(dir).join(".git");
        let there = ground.root.join("private/.git");
        for name in ["objects", linked] {
            let at = git.join(name);
            let gone = if at.is_dir() { fs::remove_dir_all(&at) } else { fs::remove_file(&at) };
            gone.unwrap();
            symlink(there.join(name), at).unwrap();
        }
        ground.git(dir, &["rev-parse", "HEAD"]);
        assert_eq!(ground.goes_on_with(dir), None, "{dir}");
    }
}

/// Directories whose `.git` leads to the private repository, each in another way.
fn planted() -> (Ground, Vec<&'static str>) {
    let ground = private_and_unpacked();
    ground.git("private", &["checkout", "-q", "-b", "merger"]);
    put(&ground.root.join("private/plans.txt"), "plans");
    ground.git("private", &["add", "."]);
    ground.git("private", &["commit", "-qm", "Buy the competitor"]);
    put(&ground.root.join("private/price.txt"), "price");
    let mut dirs = vec!["by-file", "by-directory"];
    fs::create_dir(ground.root.join("by-file")).unwrap();
    put(&ground.root.join("by-file/.git"), "gitdir: ../private/.git\n");
    let git = ground.root.join("by-directory/.git");
    fs::create_dir_all(&git).unwrap();
    put(&git.join("HEAD"), "ref: refs/heads/merger\n");
    put(&git.join("commondir"), "../../private/.git\n");
    #[cfg(unix)]
    {
        fs::create_dir(ground.root.join("by-link")).unwrap();
        std::os::unix::fs::symlink("../private/.git", ground.root.join("by-link/.git")).unwrap();
        dirs.push("by-link");
    }
    (ground, dirs)
}

#[test]
fn nothing_of_a_repository_is_told_in_a_directory_that_it_does_not_know() {
    let (ground, dirs) = planted();
    let secrets = ["merger", "competitor", "price.txt", "plans.txt", "Private plans"];
    let assert_untold = |dir: &str, door: &str, text: &str| {
        for secret in secrets {
            assert!(!text.contains(secret), "{dir}, {door}: {secret} in {text}");
        }
    };
    for dir in dirs {
        let briefed = || {
            let outcome = ground.open(dir).briefer().resume(&ResumeRequest::default(), None);
            outcome.unwrap().briefing.text
        };
        assert_untold(dir, "a briefing of nothing", &briefed());
        let taken = ground.open(dir).snapshots().take(&SnapshotRequest::default()).unwrap();
        let (saved, _) = (taken.snapshot.handoff, taken.snapshot.path);
        assert_untold(dir, "a snapshot", saved.source());
        assert_untold(dir, "what a snapshot shows", &taken.document);
        let saved = save(&ground.open(dir), "Planted");
        assert_untold(dir, "a save", saved.handoff.source());
        let why = "names a repository that does not know this directory";
        assert!(saved.warnings.iter().any(|text| text.contains(why)), "{:?}", saved.warnings);
        let text = briefed();
        assert_untold(dir, "a briefing", &text);
        assert!(text.contains(why), "{text}");
        let transcript = worked_in(&ground, dir);
        for event in [HookEvent::SessionStart, HookEvent::Stop, HookEvent::SessionEnd] {
            let (session, transcript) = (Some(format!("5e55-{dir}")), Some(transcript.clone()));
            let payload = Payload { session, transcript, ..Payload::default() };
            let agent = find_agent("claude-code").unwrap();
            let fired = ground.open(dir).hooks().fire(&HookRequest::new(agent, event, payload));
            let outcome = fired.unwrap();
            assert!(outcome.failed.is_none(), "{:?}", outcome.failed);
            assert_untold(dir, "a hook", &outcome.answer.unwrap_or_default());
        }
        assert_eq!(ground.titles(dir), ["Planted", "Make the totals add up."]);
    }
    for file in files_below(&ground.root.join("store/projects")) {
        let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        if !text.contains("Private plans") && file.file_name() != Some("project.toml".as_ref()) {
            assert_untold("the store", &file.display().to_string(), &text);
        }
    }
}

/// A session of Claude Code in a directory, in which something was said.
fn worked_in(ground: &Ground, dir: &str) -> PathBuf {
    let session = format!("5e55-{dir}");
    let at = ground.root.join(dir);
    let record = |second: u8, kind: &str, content: Value| {
        let message =
            json!({"role": kind, "id": format!("m{second}"), "model": "x", "content": content});
        json!({"type": kind, "message": message, "sessionId": session, "cwd": at, "parentUuid": null,
            "isSidechain": false, "version": "2.1.325", "timestamp": format!("2026-11-15T17:00:{second:02}.000Z")})
    };
    let records = [
        record(1, "user", json!("Make the totals add up.")),
        record(
            2,
            "assistant",
            json!([{"type": "text", "text": "I rounded each line; they add up now."}]),
        ),
    ];
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let path = ground.root.join(format!(".claude/projects/x/{session}.jsonl"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    put(&path, &lines);
    path
}

#[test]
fn a_git_directory_that_lies_apart_is_asked_once_it_names_its_work_tree() {
    let ground = Ground::new();
    ground.repository("shop", None);
    fs::rename(ground.root.join("shop/.git"), ground.root.join("apart")).unwrap();
    put(&ground.root.join("shop/.git"), "gitdir: ../apart\n");
    assert_eq!(save(&ground.open("shop"), "Unasked").handoff.head.fields.git.branch, None);
    ground.git("shop", &["config", "core.worktree", ground.root.join("shop").to_str().unwrap()]);
    let saved = save(&ground.open("shop"), "Asked");
    assert_eq!(saved.handoff.head.fields.git.branch.as_deref(), Some("main"));
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn worktrees_are_of_their_repository_also_after_it_was_moved_and_repaired() {
    let ground = Ground::new();
    ground.repository("shop", Some(ORIGIN));
    ground.save("shop", "Totals");
    ground.git("shop", &["worktree", "add", "-q", "../side"]);
    assert_eq!(ground.goes_on_with("side").as_deref(), Some("Totals"));
    fs::rename(ground.root.join("shop"), ground.root.join("moved")).unwrap();
    ground.git("moved", &["worktree", "repair", "../side"]);
    assert_eq!(ground.goes_on_with("side").as_deref(), Some("Totals"));
    fs::rename(ground.root.join("side"), ground.root.join("beside")).unwrap();
    ground.git("moved", &["worktree", "repair", "../beside"]);
    assert_eq!(ground.goes_on_with("beside").as_deref(), Some("Totals"));
}

#[test]
fn a_submodule_is_known_wherever_it_is_checked_out() {
    let ground = Ground::new();
    ground.repository("part", None);
    ground.repository("shop", Some(ORIGIN));
    let url = ground.root.join("part").display().to_string();
    let allow = ["-c", "protocol.file.allow=always", "submodule"];
    ground.git("shop", &[&allow[..], &["add", "-q", &url, "part"]].concat());
    ground.git("shop", &["commit", "-qm", "part"]);
    ground.save("shop/part", "Of the part");
    assert_eq!(ground.goes_on_with("shop/part").as_deref(), Some("Of the part"));
    fs::rename(ground.root.join("shop"), ground.root.join("moved")).unwrap();
    assert_eq!(ground.goes_on_with("moved/part").as_deref(), Some("Of the part"));
    ground.git("moved", &["worktree", "add", "-q", "../side"]);
    ground.git("side", &[&allow[..], &["update", "-q", "--init"]].concat());
    // A clone of its own, with the commits and the origin of the first.
    assert!(Path::new(&ground.root.join("side/part/.git")).is_file());
    ground.git("moved/part", &["remote", "set-url", "origin", "https://example.com/ada/part.git"]);
    ground.git("side/part", &["remote", "set-url", "origin", "https://example.com/ada/part.git"]);
    ground.save("moved/part", "With an origin");
    assert_eq!(ground.goes_on_with("side/part").as_deref(), Some("With an origin"));
}

#[test]
fn a_repository_that_only_calls_its_own_commit_cut_off_is_no_shallow_clone() {
    let ground = private_and_unpacked();
    put(&ground.root.join("private/more.txt"), "more");
    ground.git("private", &["add", "."]);
    ground.git("private", &["commit", "-qm", "second"]);
    ground.clone("private", "shallow", &["--depth", "1"], Some(ORIGIN));
    let linked = ground.open("shallow").projects().link("shop").unwrap();
    assert_eq!(linked.shallow_origin.as_deref(), Some("example.com/ada/shop"), "it is said");
    let report = ground.open("private").doctor().look();
    let told = "every shallow clone whose origin is example.com/ada/shop counts as 'shop'";
    assert!(report.findings.iter().any(|finding| finding.found.contains(told)), "{report:?}");
    ground.repository("claims", Some(ORIGIN));
    let head = fs::read_to_string(ground.root.join("claims/.git/refs/heads/main")).unwrap();
    put(&ground.root.join("claims/.git/shallow"), &head);
    assert_eq!(ground.goes_on_with("claims"), None);
    ground.clone("private", "other", &["--depth", "1"], Some(ORIGIN));
    assert_eq!(ground.goes_on_with("other").as_deref(), Some("Private plans"));
}
