//! The answer is about the files as they are now: saved, edited, removed, forgotten, moved.

use std::fs;
use std::path::PathBuf;

use super::{BEFORE, found, hits, index_has, parsed, run, save, short, sorted};
use crate::ground::{TestEnv, put};
use crate::shared;

fn file_of(env: &TestEnv, id: &str) -> PathBuf {
    env.handoff_files().into_iter().find(|path| path.to_string_lossy().contains(id)).unwrap()
}

#[test]
fn what_was_saved_a_moment_ago_is_found() {
    let env = TestEnv::new();
    for n in 0..12 {
        let word = format!("pelican{n}x");
        let id = save(&env, BEFORE, &["--title", "x"], &format!("The {word} nests."));
        assert_eq!(found(&env, &[&word]), [id], "{word}");
    }
    assert_eq!(found(&env, &["nests", "--limit", "50"]).len(), 12);
}

#[test]
fn what_was_edited_in_place_is_found_by_its_new_words_once_verified() {
    let env = TestEnv::new();
    let id = save(&env, BEFORE, &["--title", "x"], "The pelican nests.");
    assert_eq!(found(&env, &["pelican"]), [id.as_str()]);
    let file = file_of(&env, &id);
    let month = file.parent().unwrap();
    let before = fs::metadata(month).unwrap().modified().unwrap();
    // Of the same length, and nothing but the body.
    put(&file, fs::read_to_string(&file).unwrap().replace("pelican", "cockato"));
    fs::File::open(month).unwrap().set_modified(before).unwrap();
    assert!(found(&env, &["pelican"]).is_empty(), "what is not there any more is not shown");
    env.segue(&["index", "--verify"]).ok();
    assert_eq!(found(&env, &["cockato"]), [id.as_str()]);
    assert!(found(&env, &["pelican"]).is_empty());
}

#[test]
fn what_an_editor_replaced_is_found_by_its_new_words_at_once() {
    let env = TestEnv::new();
    let id = save(&env, BEFORE, &["--title", "x"], "The pelican nests.");
    assert_eq!(found(&env, &["pelican"]), [id.as_str()]);
    let file = file_of(&env, &id);
    let new = file.with_extension("new");
    put(&new, fs::read_to_string(&file).unwrap().replace("pelican", "cockatoo"));
    fs::rename(new, &file).unwrap();
    assert_eq!(found(&env, &["cockatoo"]), [id.as_str()]);
    assert!(found(&env, &["pelican"]).is_empty());
}

#[test]
fn what_was_removed_by_hand_is_not_found() {
    let env = TestEnv::new();
    let gone = save(&env, BEFORE, &["--title", "x"], "The pelican nests.");
    let stays = save(&env, BEFORE, &["--title", "y"], "The pelican sleeps.");
    assert_eq!(sorted(found(&env, &["pelican"])), sorted(vec![gone.clone(), stays.clone()]));
    fs::remove_file(file_of(&env, &gone)).unwrap();
    assert_eq!(found(&env, &["pelican"]), [stays]);
    assert!(found(&env, &["nests"]).is_empty());
}

#[test]
fn nothing_of_what_was_forgotten_stays_in_the_index() {
    let env = TestEnv::new();
    let body = "## Key Decisions\n\n- Zanzibar storage: quagga\n\nIn src/okapi.rs.\n";
    let args = ["--title", "Xylophone", "--tags", "wombat", "--summary", "narwhal"];
    let id = save(&env, BEFORE, &args, body);
    let stays = save(&env, BEFORE, &["--title", "y"], "A pelican that stays.");
    let words = ["zanzibar", "quagga", "okapi", "xylophon", "wombat", "narwhal"];
    assert_eq!(found(&env, &["quagga"]), [id.as_str()]);
    for word in words {
        assert!(index_has(&env, word), "{word}: else the test shows nothing");
    }
    assert_eq!(env.segue(&["forget", &id, "--yes"]).run().code, 0);
    for word in words {
        assert!(!index_has(&env, word), "{word}");
        assert!(found(&env, &[word]).is_empty(), "{word}");
    }
    assert_eq!(found(&env, &["pelican"]), [stays]);
    // One that was never searched before, and an archived one.
    let id = save(&env, "2026-11-01T10:00:00Z", &["--title", "z", "--ttl", "1h"], "The gibbon.");
    env.segue(&["gc"]).ok();
    assert_eq!(found(&env, &["gibbon"]), [id.as_str()]);
    assert_eq!(env.segue(&["forget", &id, "--yes"]).run().code, 0);
    assert!(found(&env, &["gibbon"]).is_empty() && !index_has(&env, "gibbon"));
}

#[test]
fn a_forgotten_one_that_git_brings_back_stays_forgotten() {
    let env = TestEnv::new();
    let repo = shared::sharing(&env);
    let id = shared::save(&env, &repo, "a pelican in the repository");
    let carried = shared::carried(&repo);
    let file = carried.iter().find(|path| path.to_string_lossy().contains(&id)).unwrap();
    let text = fs::read(file).unwrap();
    let search = || parsed(&env.segue(&["search", "--json", "pelican"]).dir(&repo).run()).len();
    assert_eq!(search(), 1);
    assert_eq!(env.segue(&["forget", &id, "--yes"]).dir(&repo).run().code, 0);
    put(file, text);
    assert_eq!(search(), 0);
    env.segue(&["index", "--rebuild"]).ok();
    assert_eq!(search(), 0);
}

#[test]
fn what_a_repository_brings_is_found_only_once_it_is_trusted() {
    let env = TestEnv::new();
    let repo = shared::sharing(&env);
    let clone = shared::clone(&env, &repo, "clone");
    let other = shared::newcomer(&env);
    let search = |words: &[&str]| {
        let args = [&["search", "--json"], words].concat();
        parsed(&env.segue(&args).dir(&clone).env("SEGUE_HOME", &other).run())
    };
    assert_eq!(search(&["repository"]).len(), 0);
    assert_eq!(search(&["--all-projects", "repository"]).len(), 0);
    let trusted = env.segue(&["trust"]).dir(&clone).env("SEGUE_HOME", &other).run();
    assert_eq!(trusted.code, 0, "{}", trusted.stderr);
    assert_eq!(search(&["repository"]).len(), 1);
    // What git brings later comes along.
    shared::save(&env, &repo, "an albatross in the repository");
    shared::commit(&env, &repo);
    env.git(&clone, &["pull", "-q"]);
    assert_eq!(search(&["albatross"]).len(), 1);
    let revoked = env.segue(&["trust", "--remove"]).dir(&clone).env("SEGUE_HOME", &other).run();
    assert_eq!(revoked.code, 0, "{}", revoked.stderr);
    assert_eq!(search(&["repository"]).len(), 0);
    assert_eq!(search(&["--all-projects", "albatross"]).len(), 0);
    for file in crate::ground::files_below(&other) {
        let bytes = fs::read(&file).unwrap();
        assert!(!bytes.windows(9).any(|part| part == b"albatross"), "{}", file.display());
    }
}

#[test]
fn a_project_that_moved_is_searched_where_it_is_now() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    let saved = env.segue(&["save", "--title", "x"]).dir(&repo).stdin("The pelican nests.").ok();
    let moved = env.beside("moved");
    fs::rename(&repo, &moved).unwrap();
    let hits = parsed(&env.segue(&["search", "--json", "pelican"]).dir(&moved).run());
    assert_eq!(hits.iter().map(short).collect::<Vec<_>>(), [saved.trim()]);
    // A label that becomes part of the project brings its text along.
    let other = save(&env, BEFORE, &["--title", "y", "--project", "birds"], "The pelican sleeps.");
    let linked = env.segue(&["project", "link", "birds"]).dir(&moved).run();
    assert_eq!(linked.code, 0, "{}", linked.stderr);
    let hits = parsed(&env.segue(&["search", "--json", "pelican"]).dir(&moved).run());
    let ids = sorted(hits.iter().map(short).collect());
    assert_eq!(ids, sorted(vec![saved.trim().to_owned(), other]));
}

#[test]
fn what_was_imported_is_found_and_says_where_it_is_from() {
    let env = TestEnv::new();
    let id = save(&env, BEFORE, &["--title", "x"], "The pelican nests.");
    let bundle = env.work.join("out.segue");
    let exported = env.segue(&["export", &id, "--output", bundle.to_str().unwrap()]).run();
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    env.segue(&["forget", &id, "--yes"]).run();
    assert!(found(&env, &["pelican"]).is_empty());
    let other = TestEnv::new();
    save(&other, BEFORE, &["--title", "own"], "Nothing.");
    let ran = other.segue(&["import", "--allow-unsigned", bundle.to_str().unwrap()]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let hits = hits(&other, &["pelican", "--all-projects"]);
    assert_eq!(hits.iter().map(short).collect::<Vec<_>>(), [id.as_str()]);
    let listed = other.segue(&["list", "--json", "--all-projects"]).ok();
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let listed = listed.as_array().unwrap().iter().find(|one| short(one) == id).unwrap();
    for (key, value) in listed.as_object().unwrap() {
        assert_eq!(&hits[0][key], value, "{key}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_told_and_the_others_are_found() {
    let env = TestEnv::new();
    let id = save(&env, BEFORE, &["--title", "x"], "The pelican nests.");
    let bad = file_of(&env, &id).with_file_name("broken.md");
    put(&bad, "---\nsegue: 1\n");
    let ran = run(&env, &["pelican", "--json"]);
    assert!(ran.stderr.starts_with("warning: cannot read "), "{}", ran.stderr);
    assert_eq!(short(&parsed(&ran)[0]), id);
}
