//! Queries that are none, and texts that nobody would write: an answer or one clear error, and soon.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use super::{BEFORE, command, found, hits, marked, run, save};
use crate::ground::TestEnv;

/// A debug build on a busy machine; what is not bounded takes minutes.
const SOON: Duration = Duration::from_secs(60);

/// A tenth of what is said, or all of it with `SEGUE_TEST_ALL_FAULTS=1`: unoptimised, a megabyte takes
/// a second.
fn part_of(size: usize) -> usize {
    if crate::strace::all_faults() { size } else { size / 10 }
}

fn store() -> (TestEnv, String) {
    let env = TestEnv::new();
    let id = save(&env, BEFORE, &["--title", "Birds"], "The pelican nests AND sleeps NEAR water.");
    (env, id)
}

#[test]
fn nothing_to_look_for_is_an_error_that_says_so() {
    let (env, _) = store();
    for query in [
        "", " ", "\t \n", "?!", "*", "\"", "\"\"", "-", "--", "...", "'", "🎉", "-Pelican",
        "-tag:x",
    ] {
        let said = command(&env, &[query, "--json"]).fails(64);
        assert!(said.lines().count() <= 3, "{query:?}: {said}");
    }
    let none = env.segue(&["search"]).fails(64);
    assert!(none.contains("QUERY"), "{none}");
}

#[test]
fn syntax_of_other_languages_is_text() {
    let (env, id) = store();
    for query in [
        "pelican AND nests",
        "pelican OR zebra",
        "NEAR(pelican nests)",
        "pelican^2",
        "pelican*",
        "(pelican",
        "pelican)",
        "{pelican}: nests",
        "pelican\"",
        "pelican \"",
        "col:pelican",
        "pelican; DROP TABLE handoff; --",
        "pelican' OR '1'='1",
        "pelican\" OR 1=1 --",
        "%pelican%",
        "pelican\\",
        "$(pelican)",
        "pelican\r\n\u{0}".trim_end_matches('\u{0}'),
        "\u{202e}pelican\u{202c}",
        "pelican 🎉🎉",
        "\u{feff}pelican",
    ] {
        let found = found(&env, &[query]);
        assert!(found.is_empty() || found == [id.as_str()], "{query:?}");
    }
    for query in ["pelican AND nests", "(pelican", "pelican\"", "\u{202e}pelican\u{202c}"] {
        assert_eq!(found(&env, &[query]), [id.as_str()], "{query:?}");
    }
    assert_eq!(found(&env, &["sleeps"]), [id], "nothing was dropped");
}

#[test]
fn what_begins_with_a_dash_is_a_query_too() {
    let (env, id) = store();
    let verify = save(&env, BEFORE, &["--title", "x"], "Never use --no-verify with pelicans.");
    let said = command(&env, &["--no-verify"]).fails(64);
    assert!(said.contains("-- --no-verify"), "{said}");
    assert_eq!(found(&env, &["-verify pelican"]), [id.as_str()]);
    let args = ["search", "--json", "--", "--no-verify"];
    assert_eq!(super::parsed(&env.segue(&args).run()).len(), 1);
    let ran = env.segue(&["search", "--", "-verify", "pelican"]).run();
    assert!(ran.code == 0 && ran.stdout.contains(&id) && !ran.stdout.contains(&verify));
}

#[test]
fn long_queries_are_cut_and_that_is_said() {
    let (env, id) = store();
    let words: String = (0..300).map(|n| format!("word{n} ")).collect();
    let ran = run(&env, &[&format!("pelican {words}"), "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("warning: the query is long"), "{}", ran.stderr);
    // As much as one argument can hold, in several.
    let long = "pelican ".repeat(15_000);
    let mut args = vec!["search", "--json"];
    args.extend(std::iter::repeat_n(long.as_str(), 9));
    let begun = Instant::now();
    let ran = env.segue(&args).run();
    assert_eq!(super::parsed(&ran).iter().map(super::short).collect::<Vec<_>>(), [id]);
    let one = "x".repeat(120_000);
    let mut args = vec!["search", "--json"];
    args.extend(std::iter::repeat_n(one.as_str(), 9));
    // What is that long is no word.
    env.segue(&args).fails(64);
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

#[test]
fn an_argument_that_is_no_text_is_refused() {
    let (env, _) = store();
    let mut search = env.segue(&["search"]);
    search.command.arg(OsStr::from_bytes(b"pel\xffican"));
    let said = search.fails(64);
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn limits_dates_and_projects_that_make_no_sense_are_refused() {
    let (env, id) = store();
    let refused: [&[&str]; 10] = [
        &["--limit", "0"],
        &["--limit", "-1"],
        &["--limit", "many"],
        &["--limit", "99999999999999999999999"],
        &["--since", "yesterday-ish"],
        &["--since", ""],
        &["--until", "2026-13-45"],
        &["--as-of", "soon"],
        &["--as-of", "2026-02-30"],
        &["--tag", "a,b"],
    ];
    for flags in refused {
        let ran = run(&env, &[&["pelican"], flags].concat());
        assert!([64, 65].contains(&ran.code), "{flags:?}: {} {}", ran.code, ran.stderr);
        assert_eq!(ran.stdout, "", "{flags:?}");
        assert_eq!(ran.stderr.matches("error: ").count(), 1, "{flags:?}: {}", ran.stderr);
    }
    let huge = usize::MAX.to_string();
    assert_eq!(found(&env, &["pelican", "--limit", &huge]), [id.as_str()]);
    for far in ["9999-12-31", "1970-01-01", "0001-01-01"] {
        let ran = run(&env, &["pelican", "--as-of", far, "--json"]);
        assert!([0, 64, 65].contains(&ran.code), "{far}: {} {}", ran.code, ran.stderr);
    }
    assert_eq!(found(&env, &["pelican", "--since", "1970-01-01", "--until", "2999-12-31"]), [id]);
}

/// Saves a body and finds the word in it soon, first with the text index to make, then without.
fn found_soon(body: &str, word: &str) -> TestEnv {
    let env = TestEnv::new();
    let file = env.dir("in").join("body.md");
    crate::ground::put(&file, body);
    let ran = env.segue(&["save", "--title", "big"]).stdin_file(&file).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for _ in 0..2 {
        let begun = Instant::now();
        let hits = hits(&env, &[word]);
        assert_eq!(hits.len(), 1);
        let passage = &hits[0]["passages"][0];
        assert!(!marked(passage).is_empty(), "{passage}");
        assert!(passage["text"].as_str().unwrap().len() < 2_000, "an excerpt, not the whole");
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    }
    env
}

#[test]
fn a_handoff_of_ten_megabytes_is_found() {
    let line = "Nothing of interest in this line, but it is there.\n";
    let many = line.repeat(part_of(5_000_000) / line.len());
    found_soon(&format!("{many}The pelican nests.\n{many}"), "pelican");
}

#[test]
fn one_line_of_five_megabytes_is_found() {
    let half = "word ".repeat(part_of(500_000));
    found_soon(&format!("{half}pelican {half}"), "pelican");
    // Without any space, and the word beside it.
    let solid = "ab1".repeat(part_of(1_700_000));
    found_soon(&format!("{solid}\n\npelican\n"), "pelican");
    let commas = "a,".repeat(part_of(1_000_000));
    found_soon(&format!("{commas}pelican,{commas}"), "pelican");
}

#[test]
fn text_like_a_binary_is_found() {
    let noise: String = (0..u32::try_from(part_of(400_000)).unwrap())
        .map(|n| char::from_u32(n.wrapping_mul(2_654_435_761) >> 12 & 0x2fff).unwrap_or('\u{1}'))
        .filter(|c| *c != '\0')
        .collect();
    let env = found_soon(&format!("{noise}\n\nThe pelican nests.\n\n{noise}"), "pelican");
    let piped = run(&env, &["pelican"]).stdout;
    assert!(!piped.contains('\u{1b}') && piped.lines().count() == 2);
}

#[test]
fn a_hundred_thousand_items_are_found() {
    let items: String = (0..part_of(100_000)).map(|n| format!("- item {n}\n")).collect();
    let body = format!("## Next Steps\n\n{items}- the pelican\n");
    found_soon(&body, "pelican");
    // Each decision is a passage by itself, and all of them have the word.
    let items: String = (0..part_of(100_000)).map(|n| format!("- Pelican {n}: yes\n")).collect();
    found_soon(&format!("## Key Decisions\n\n{items}"), "pelican");
}
