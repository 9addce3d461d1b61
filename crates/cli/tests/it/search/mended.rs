//! What once went wrong and shall not again.

use std::fs;
use std::path::PathBuf;

use super::{BEFORE, found, hits, run, save, short, superseded};
use crate::ground::{TestEnv, files_below};

const EARLIER: &str = "2026-11-01T10:00:00Z";
const LATER: &str = "2026-11-12T10:00:00Z";

#[test]
fn decisions_with_a_general_word_in_front_have_nothing_to_do_with_each_other() {
    for (old, new) in [
        ("Keep the feature flag for now", "Use JSON logs for now"),
        ("API: pagination by cursor", "API: errors as problem documents"),
        ("Use serde for the server", "Use tokio for the server"),
        ("Cache: Redis for sessions", "Cache: sccache in CI"),
    ] {
        let env = TestEnv::new();
        let id = save(&env, EARLIER, &["--title", "a"], &format!("## Key Decisions\n\n- {old}\n"));
        save(&env, LATER, &["--title", "b"], &format!("## Key Decisions\n\n- {new}\n"));
        let hits = hits(&env, &[old]);
        assert_eq!((short(&hits[0]), superseded(&hits[0])), (id, None), "{old}");
    }
}

#[test]
fn words_of_a_heading_are_found() {
    let env = TestEnv::new();
    let id = save(&env, BEFORE, &["--title", "x"], "## Zebra rollout\n\nThe canary is next.\n");
    let bare = save(&env, BEFORE, &["--title", "y"], "## Giraffe\n\n## Notes\n\nNothing.\n");
    assert_eq!(found(&env, &["zebra"]), [id.as_str()]);
    assert_eq!(found(&env, &["zebra canary"]), [id.as_str()]);
    assert_eq!(found(&env, &["\"zebra rollout\""]), [id.as_str()]);
    assert_eq!(found(&env, &["giraffe"]), [bare.as_str()]);
}

#[test]
fn a_phrase_is_found_over_the_end_of_a_passage() {
    let env = TestEnv::new();
    let words: Vec<String> = (0..400).map(|n| format!("w{n}")).collect();
    let id = save(&env, BEFORE, &["--title", "long"], &words.join(" "));
    for at in (100..300).step_by(1) {
        let phrase = format!("\"w{at} w{}\"", at + 1);
        assert_eq!(found(&env, &[&phrase]), [id.as_str()], "{phrase}");
    }
}

#[test]
fn a_phrase_in_another_section_does_not_count() {
    let env = TestEnv::new();
    let body = "## Context\n\nThe blue lamp.\n\n## Next Steps\n\n- lamp first, blue later\n";
    save(&env, BEFORE, &["--title", "x"], body);
    assert_eq!(found(&env, &["\"blue lamp\"", "--section", "Next Steps"]), Vec::<String>::new());
    assert_eq!(found(&env, &["\"blue lamp\"", "--section", "Context"]).len(), 1);
}

#[test]
fn what_must_not_be_there_is_not_brought_in_as_a_successor() {
    let env = TestEnv::new();
    let old = save(
        &env,
        EARLIER,
        &["--title", "a"],
        "## Key Decisions\n\n- Token storage: Redis cluster\n",
    );
    save(&env, LATER, &["--title", "b"], "## Key Decisions\n\n- Token storage: Postgres\n");
    assert_eq!(found(&env, &["redis cluster"]).len(), 2);
    assert_eq!(found(&env, &["redis cluster -postgres"]), [old.as_str()]);
    assert_eq!(found(&env, &["\"redis cluster\""]), [old]);
}

#[test]
fn a_path_or_version_that_is_left_out_is_meant_as_it_stands() {
    let env = TestEnv::new();
    let id = save(&env, BEFORE, &["--title", "x"], "The kiwi is in src/main.rs since 1.95.0.\n");
    assert_eq!(found(&env, &["kiwi -src/other.rs"]), [id.as_str()]);
    assert_eq!(found(&env, &["kiwi -1.94.0"]), [id.as_str()]);
    assert_eq!(found(&env, &["kiwi -src/main.rs"]), Vec::<String>::new());
    assert_eq!(found(&env, &["kiwi -1.95.0"]), Vec::<String>::new());
}

#[test]
fn a_directory_with_many_files_is_found_whole() {
    let env = TestEnv::new();
    let paths: String = (0..1_200).map(|n| format!("- src/m{n:04}.rs\n")).collect();
    let many = save(&env, BEFORE, &["--title", "many"], &format!("## Files of Note\n\n{paths}"));
    let one = save(&env, BEFORE, &["--title", "one"], "## Files of Note\n\n- src/z.rs is a zebu\n");
    let both = super::sorted(vec![many, one]);
    assert_eq!(super::sorted(found(&env, &["file:src/"])), both);
    assert_eq!(found(&env, &["zebu -file:src/"]), Vec::<String>::new());
}

#[test]
fn what_was_archived_since_is_no_less_of_an_answer_for_a_day_before() {
    let env = TestEnv::new();
    let args = ["--title", "Narwhal", "--ttl", "10d"];
    let id = save(&env, "2026-01-01T10:00:00Z", &args, "The narwhal deploys by blue and green.\n");
    save(&env, "2026-01-02T10:00:00Z", &["--title", "b"], "The narwhal deploys by canary.\n");
    let as_of = ["narwhal deploys", "--as-of", "2026-01-05"];
    assert_eq!(found(&env, &as_of).len(), 2);
    env.segue(&["gc"]).at("2026-03-01T10:00:00Z").run();
    assert!(found(&env, &as_of).contains(&id));
}

#[test]
fn a_clock_that_is_behind_does_not_undo_what_is_said() {
    let env = TestEnv::new();
    let old = save(&env, LATER, &["--title", "a"], "The pelican nests here.\n");
    let new =
        save(&env, EARLIER, &["--title", "b", "--supersedes", &old], "A pelican elsewhere.\n");
    let hits = hits(&env, &["pelican"]);
    let seen: Vec<_> = hits.iter().map(|hit| (short(hit), superseded(hit).is_some())).collect();
    assert_eq!(seen, [(new, false), (old, true)]);
}

#[test]
fn of_few_handoffs_half_of_the_words_are_an_answer() {
    let env = TestEnv::new();
    let body = "## Context\n\nThe mango pipeline is in place.\n\n## Notes\n\nA papaya follows.\n";
    let id = save(&env, BEFORE, &["--title", "Fruit"], body);
    assert_eq!(found(&env, &["mango papaya"]), [id.as_str()]);
    assert_eq!(found(&env, &["mango pipeline durian"]), [id.as_str()]);
    let ran = run(&env, &["durian lychee mango rambutan salak"]);
    assert!(
        ran.stderr.contains("nothing relevant") && ran.stderr.contains("--weak"),
        "{}",
        ran.stderr
    );
    assert_eq!(found(&env, &["durian lychee mango rambutan salak", "--weak"]), [id]);
}

#[test]
fn words_of_a_file_that_was_removed_by_hand_are_gone_from_the_index() {
    let env = TestEnv::new();
    save(&env, BEFORE, &["--title", "keeps"], "The pelican stays.\n");
    save(&env, BEFORE, &["--title", "goes"], "The xylophonist leaves.\n");
    assert_eq!(found(&env, &["xylophonist"]).len(), 1);
    let has = |path: &PathBuf| fs::read(path).unwrap().windows(8).any(|bytes| bytes == b"xylophon");
    let files = files_below(&env.home.join("projects"));
    files.into_iter().filter(has).for_each(|path| fs::remove_file(path).unwrap());
    assert_eq!(found(&env, &["pelican"]).len(), 1);
    assert!(!super::index_has(&env, "xylophonist"));
}

#[test]
fn what_stands_for_others_is_an_answer_without_the_words() {
    let env = TestEnv::new();
    for (at, choice) in
        [(EARLIER, "We chose Redis for token storage"), (LATER, "Token storage: files")]
    {
        save(&env, at, &["--title", "x"], &format!("## Key Decisions\n\n- {choice}\n"));
    }
    let sections: String = (0..350).map(|n| format!("## A{n}\n\nOf no matter.\n\n")).collect();
    save(&env, BEFORE, &["--title", "filler"], &sections);
    assert_eq!(found(&env, &["chose"]).len(), 2);
}

#[test]
fn a_project_that_is_not_there_is_told_as_such() {
    let env = TestEnv::new();
    save(&env, BEFORE, &["--title", "x"], "The pelican stays.\n");
    let ran = env.segue(&["search", "--project", "nosuch", "pelican"]).run();
    assert_eq!(ran.code, 66, "{}", ran.stderr);
    assert!(ran.stderr.contains("there is no project 'nosuch'"), "{}", ran.stderr);
}

#[test]
fn beginnings_find_words_whose_stem_is_shorter() {
    let env = TestEnv::new();
    let body =
        "The configuration of databases and settings; a replacement is running. Authentication.\n";
    let id = save(&env, BEFORE, &["--title", "kiwi"], body);
    for typed in [
        "database*",
        "databases*",
        "configura*",
        "configurati*",
        "configuration*",
        "replace*",
        "replaceme*",
        "settings*",
        "runnin*",
        "authentica*",
        "authentication*",
        "configura",
    ] {
        assert_eq!(found(&env, &[typed]), [id.as_str()], "{typed}");
    }
    for typed in ["kiwi -database*", "kiwi -configuration*", "kiwi -replacem*"] {
        assert!(found(&env, &[typed]).is_empty(), "{typed}");
    }
    assert_eq!(found(&env, &["kiwi -datab9*"]), [id.as_str()]);
}

#[test]
fn what_holds_is_first_whatever_the_limit_and_the_filters() {
    let env = TestEnv::new();
    let words = "ocelot parser ocelot parser\n";
    for n in 0..12 {
        let title = format!("expired {n}");
        save(&env, EARLIER, &["--title", &title, "--ttl", "1d", "--tag", "db"], words);
        let title = format!("week {n}");
        let at = format!("2026-11-0{}T10:00:00Z", n % 9 + 1);
        save(&env, &at, &["--title", &title, "--name", "weekly", "--tag", "db"], words);
    }
    save(&env, LATER, &["--title", "now", "--name", "weekly", "--tag", "db"], "holidays\n");
    let old = save(
        &env,
        EARLIER,
        &["--title", "old", "--tag", "db"],
        "ocelot parser ocelot parser keeps lines\n",
    );
    let holds = save(
        &env,
        LATER,
        &["--title", "holds", "--tag", "db", "--supersedes", &old],
        "it streams now\n",
    );
    for limit in ["1", "5", "10", "12", "20"] {
        for filter in [&[][..], &["--tag", "db"]] {
            let args = [&["ocelot parser", "--limit", limit][..], filter].concat();
            assert_eq!(found(&env, &args).first(), Some(&holds), "{args:?}");
        }
        assert_eq!(found(&env, &["ocelot parser -zebra", "--limit", limit]).first(), Some(&holds));
    }
    let hits = hits(&env, &["ocelot parser", "--limit", "2"]);
    assert_eq!(hits[0]["coverage"], 0.0, "of what stands for another");
}

#[test]
fn many_expired_ones_do_not_hide_what_holds() {
    let env = TestEnv::new();
    for n in 0..110 {
        let title = format!("expired {n}");
        save(&env, EARLIER, &["--title", &title, "--ttl", "1d"], "ocelot parser ocelot parser\n");
    }
    let holds = save(&env, EARLIER, &["--title", "x"], "ocelot parser ocelot parser keeps lines\n");
    assert_eq!(found(&env, &["ocelot parser"]).first(), Some(&holds));
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let env = TestEnv::new();
    save(&env, BEFORE, &["--title", "x"], "The pelican stays.\n");
    assert_eq!(found(&env, &["pelican"]).len(), 1);
    let file = env.handoff_files().remove(0);
    // In place, so that no directory's time moves.
    fs::OpenOptions::new().write(true).truncate(true).open(&file).unwrap();
    let ran = run(&env, &["pelican"]);
    assert!(
        ran.stderr.contains("cannot read")
            && ran.stderr.contains(file.file_name().unwrap().to_str().unwrap()),
        "{}",
        ran.stderr
    );
}
