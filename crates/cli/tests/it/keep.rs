//! Gc, forget and edit: nothing is lost unless somebody said so.

use std::fs;

use crate::ground::{TestEnv, file_time, files_below, put};

const LATER: &str = "2027-03-01T00:00:00Z";

#[test]
fn archived_handoffs_are_whole_and_found_by_id() {
    let env = TestEnv::new();
    let bodies =
        ["one\n", "two without a line end", "<!-- segue:end 20261115-174500-910a2dec -->\n"];
    let ids: Vec<String> = bodies
        .iter()
        .map(|body| {
            env.segue(&["store", "--tags", "api", "--ttl", "1h"]).stdin(body).ok().trim().to_owned()
        })
        .collect();
    let raws: Vec<String> = ids.iter().map(|id| env.segue(&["show", id, "--raw"]).ok()).collect();
    let dry = env.segue(&["gc", "--dry-run", "--json"]).at(LATER).run();
    assert!(
        dry.stdout.contains("\"archived\": 3") && dry.stdout.contains("\"dry_run\": true"),
        "{}",
        dry.stdout
    );
    assert_eq!(env.handoff_files().len(), 3);
    assert_eq!(env.segue(&["gc"]).at(LATER).ok(), "Archived 3 handoffs that expired.\n");
    assert_eq!(env.handoff_files().len(), 0);
    let archive = files_below(&env.home)
        .into_iter()
        .find(|path| path.ends_with("layer3/2026-11-api-archive.md"))
        .unwrap();
    assert!(
        fs::read_to_string(&archive)
            .unwrap()
            .starts_with("<!-- segue | layer3 | 2026-11 | api -->\n# Archive of api, 2026-11\n")
    );
    for (id, raw) in ids.iter().zip(&raws) {
        assert_eq!(env.segue(&["show", id, "--raw"]).at(LATER).run().stdout, *raw);
    }
    // A second batch joins the same archive.
    env.segue(&["store", "--tags", "api", "--ttl", "1h"]).stdin("four").ok();
    env.segue(&["gc"]).at(LATER).ok();
    assert_eq!(env.segue(&["list", "--expired"]).at(LATER).ok().lines().count(), 5);
    assert_eq!(env.segue(&["list"]).at(LATER).run().stdout, "");
}

#[test]
fn gc_that_was_cut_off_is_finished_by_the_next() {
    let env = TestEnv::new();
    let id = env.segue(&["store", "--tags", "api", "--ttl", "1h"]).stdin("body").ok();
    let file = env.handoff_files()[0].clone();
    let text = fs::read(&file).unwrap();
    env.segue(&["gc"]).at(LATER).ok();
    // As if the archive had been written and the file not yet removed.
    put(&file, &text);
    assert_eq!(env.segue(&["show", id.trim()]).at(LATER).run().stdout, "body");
    assert_eq!(
        env.segue(&["list", "--expired"]).at(LATER).ok().lines().count(),
        2,
        "once, not twice"
    );
    assert_eq!(env.segue(&["gc"]).at(LATER).ok(), "Archived 1 handoff that expired.\n");
    assert_eq!(env.segue(&["show", id.trim()]).at(LATER).run().stdout, "body");
}

#[test]
fn a_damaged_archive_is_not_written_over() {
    let env = TestEnv::new();
    env.segue(&["store", "--tags", "api", "--ttl", "1h"]).stdin("one").ok();
    env.segue(&["gc"]).at(LATER).ok();
    let archive = files_below(&env.home)
        .into_iter()
        .find(|path| path.to_string_lossy().contains("layer3"))
        .unwrap();
    let text = fs::read_to_string(&archive).unwrap();
    let damaged = &text[..text.len() - 20];
    put(&archive, damaged);
    env.segue(&["store", "--tags", "api", "--ttl", "1h"]).stdin("two").ok();
    let ran = env.segue(&["gc"]).at(LATER).run();
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("is damaged"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&archive).unwrap(), damaged);
    assert_eq!(env.handoff_files().len(), 1);
    assert!(env.segue(&["list"]).run().stderr.contains("cannot read"));
}

#[test]
fn old_temporary_files_are_swept_and_young_ones_are_not() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "x"]).ok();
    let month = env.handoff_files()[0].parent().unwrap().to_owned();
    for name in [".tmp-1-old.md", ".tmp-2-young.md"] {
        put(&month.join(name), "half");
    }
    let old = file_time() - std::time::Duration::from_secs(25 * 3600);
    fs::File::open(month.join(".tmp-1-old.md")).unwrap().set_modified(old).unwrap();
    assert_eq!(env.segue(&["list"]).ok().lines().count(), 2, "never listed");
    assert!(env.segue(&["gc"]).run().stderr.contains("1 old temporary files were removed"));
    assert!(!month.join(".tmp-1-old.md").exists() && month.join(".tmp-2-young.md").exists());
}

#[test]
fn forget_leaves_an_id_and_nothing_else() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "stays"]).stdin("kept").at("2026-11-15T10:00:00Z").ok();
    let id = env.segue(&["save", "--title", "Quixotic"]).stdin("the Zanzibar secret").ok();
    let error = env.segue(&["forget", id.trim()]).fails_with_talk(64);
    assert!(error.contains("hint: add --yes"), "{error}");
    env.segue(&["forget", id.trim(), "--dry-run"]).run();
    assert_eq!(env.segue(&["show"]).ok(), "the Zanzibar secret");
    let full = env.segue(&["forget", id.trim(), "--yes"]).run().stdout;
    assert!(full.starts_with("20261115-174500-"));
    for path in files_below(&env.home) {
        let bytes = fs::read(&path).unwrap();
        for word in ["Quixotic", "Zanzibar"] {
            let found =
                bytes.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()));
            assert!(!found, "{word} is still in {}", path.display());
        }
    }
    env.segue(&["show", id.trim()]).fails(66);
    assert_eq!(env.segue(&["show"]).ok(), "kept");
    let tombstone = files_below(&env.home)
        .into_iter()
        .find(|path| path.ends_with(format!("forgotten/{}", full.trim())))
        .unwrap();
    assert_eq!(fs::metadata(tombstone).unwrap().len(), 0);
    // Also out of an archive.
    let id = env.segue(&["save", "--title", "t", "--ttl", "1h"]).stdin("Xanadu").ok();
    env.segue(&["gc"]).at(LATER).ok();
    env.segue(&["forget", id.trim(), "--yes"]).at(LATER).run();
    let left = files_below(&env.home)
        .into_iter()
        .filter(|path| fs::read(path).unwrap().windows(6).any(|part| part == b"Xanadu"))
        .count();
    assert_eq!(left, 0);
}

#[test]
fn edit_saves_a_successor_and_keeps_the_old_one() {
    let env = TestEnv::new();
    let old = env
        .segue(&["save", "--name", "state", "--title", "Old", "--next", "first", "--ttl", "14d"])
        .stdin("body")
        .ok();
    let new = env
        .segue(&["edit", old.trim(), "--title", "New", "--next", "second", "--tags", "a,b"])
        .ok();
    let raw = env.segue(&["show", new.trim(), "--raw"]).ok();
    assert!(
        raw.contains("title: New\n")
            && raw.contains("tags: [a, b]\n")
            && raw.contains("expires: 2026-11-29T17:45:00Z\n"),
        "{raw}"
    );
    assert!(raw.contains(&format!("supersedes: [20261115-174500-{}]\n", old.trim())), "{raw}");
    assert!(raw.ends_with("body\n\n## Next Steps\n\n- first\n- second\n"), "{raw}");
    assert!(env.segue(&["show", old.trim(), "--raw"]).ok().contains("title: Old\n"));
    assert!(env.segue(&["show", "--name", "state", "--json"]).ok().contains("\"title\": \"New\""));
    let ran = env.segue(&["edit", new.trim(), "--title", "New"]).run();
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
        (0, "", "nothing changed, so nothing was saved\n")
    );
    let by_file = env.work.join("new-body.md");
    put(&by_file, "another body");
    let newest = env.segue(&["edit", new.trim(), "--file", by_file.to_str().unwrap()]).ok();
    assert_eq!(env.segue(&["show", newest.trim()]).ok(), "another body");
}

#[test]
fn without_a_terminal_no_editor_is_opened() {
    let env = TestEnv::new();
    let id = env.segue(&["save", "--title", "Before"]).stdin("body").ok();
    for args in [&["edit"][..], &["edit", id.trim()], &["edit", id.trim(), "--json"]] {
        let error = env.segue(args).env("EDITOR", "touch opened; false").fails(64);
        for flag in ["--title", "--summary", "--name", "--tags", "--ttl", "--next", "--file"] {
            assert!(error.contains(flag), "{args:?}, {flag}: {error}");
        }
    }
    assert!(!env.work.join("opened").exists());
    // The null device and a pipe are no terminal either.
    env.segue(&["edit", id.trim()]).stdin("other body").env("EDITOR", "false").fails(64);
}

#[test]
fn gc_never_drops_a_second_text_of_the_same_id() {
    let env = TestEnv::new();
    env.segue(&["store", "--tags", "api", "--ttl", "1h"]).stdin("first text").ok();
    let file = env.handoff_files()[0].clone();
    let text = fs::read_to_string(&file).unwrap();
    env.segue(&["gc"]).at(LATER).ok();
    // The same id comes back with another text, as from an edited copy.
    put(&file, text.replace("first text", "second text"));
    let ran = env.segue(&["gc"]).at(LATER).run();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("already exists with other content"), "{}", ran.stderr);
    assert!(fs::read_to_string(&file).unwrap().contains("second text"));
}

#[test]
fn layer_two_is_about_the_newest_that_is_not_dated_ahead() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "ahead"]).ok();
    env.segue(&["save", "--title", "newest"]).at("2026-11-01T00:00:00Z").run();
    let state = files_below(&env.home)
        .into_iter()
        .find(|path| path.ends_with("layer2/current-state.md"))
        .unwrap();
    assert!(fs::read_to_string(state).unwrap().contains("# newest"));
}

#[test]
fn forgetting_the_newest_leaves_layer_two_with_the_newest_that_is_left() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "stays"]).at("2026-11-15T10:00:00Z").ok();
    for hour in [11, 12, 13] {
        env.segue(&["save", "--title", "expires", "--ttl", "1h"])
            .at(&format!("2026-11-15T{hour}:00:00Z"))
            .ok();
    }
    let id = env.segue(&["save", "--title", "goes"]).ok();
    env.segue(&["gc"]).at(LATER).ok();
    env.segue(&["forget", id.trim(), "--yes"]).at(LATER).run();
    let state = files_below(&env.home)
        .into_iter()
        .find(|path| path.ends_with("layer2/current-state.md"))
        .unwrap();
    assert!(fs::read_to_string(state).unwrap().contains("# stays"));
}
