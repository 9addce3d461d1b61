//! A conflict never destroys what was there.

use super::{Two, listed, save};

/// Two handoffs of one id with different texts: here and in a bundle.
fn conflicting(two: &Two) -> (String, String) {
    let id = save(&two.ana, "Theirs", "1");
    assert_eq!(save(&two.ben, "Mine", "1"), id);
    (id, two.signed("a.segue", &[]))
}

#[test]
fn a_conflict_fails_and_names_the_ways_out() {
    let two = Two::trusting();
    let (id, file) = conflicting(&two);
    let error = two.import(&file, &[]).fails(1);
    assert!(error.contains("is here with other content") && error.contains(&id), "{error}");
    assert!(error.contains("--on-conflict skip"), "{error}");
    assert!(two.ben.segue(&["show"]).ok().contains("Mine stands"));
}

#[test]
fn skip_leaves_what_is_here() {
    let two = Two::trusting();
    let (id, file) = conflicting(&two);
    let ran = two.import(&file, &["--on-conflict", "skip"]).run();
    assert_eq!((ran.code, ran.stdout), (0, format!("skipped handoff {id}\n")));
    assert!(two.ben.segue(&["show"]).ok().contains("Mine stands"));
}

#[test]
fn replace_keeps_the_former_under_its_id_and_a_number() {
    let two = Two::trusting();
    let (id, file) = conflicting(&two);
    let ran = two.import(&file, &["--on-conflict=replace"]).run();
    assert_eq!((ran.code, ran.stdout), (0, format!("replaced handoff {id}\n")));
    assert!(ran.stderr.contains(&format!("kept as {id}~1")), "{}", ran.stderr);
    assert!(two.ben.segue(&["show"]).run().stdout.contains("Theirs stands"));
    for word in [format!("{id}~1"), format!("{}~1", &id[16..])] {
        assert!(two.ben.segue(&["show", &word]).ok().contains("Mine stands"), "{word}");
    }
    // The beginning of the id still means the one.
    assert!(two.ben.segue(&["show", &id[16..20]]).run().stdout.contains("Theirs"));
    assert_eq!(listed(&two.ben, &[]).len(), 1);
    assert_eq!(listed(&two.ben, &["--expired"]).len(), 2);
    // Once more, from the other side: both former ones are kept.
    two.ben.segue(&["keys", "new", "ben"]).run();
    save(&two.ana, "Third", "7");
    let record = two.file("third.json");
    two.ana.segue(&["export", &id, "--format", "json", "--output", &record]).run();
    let text = two.text("third.json").replace("Theirs", "Third text");
    let text = recomputed(&text);
    crate::ground::put(std::path::Path::new(&record), &text);
    let ran = two.import(&record, &["--on-conflict", "replace", "--allow-unsigned"]).run();
    assert!(ran.stderr.contains(&format!("kept as {id}~2")), "{}", ran.stderr);
    assert!(two.ben.segue(&["show", &format!("{id}~2")]).run().stdout.contains("Theirs stands"));
    assert!(two.ben.segue(&["show", &format!("{id}~1")]).run().stdout.contains("Mine stands"));
    let doctor = two.ben.segue(&["doctor"]).run();
    assert_eq!(doctor.code, 0, "{}{}", doctor.stdout, doctor.stderr);
}

/// The same bundle with a checksum that fits again.
fn recomputed(text: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    let record = serde_json::to_string(&value["record"]).unwrap();
    let record = record.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    let old = value["checksum"].as_str().unwrap();
    text.replace(old, &super::hostile::sha256(record.as_bytes()))
}

#[test]
fn one_conflict_keeps_the_whole_bundle_out_unless_told_otherwise() {
    let two = Two::trusting();
    conflicting(&two);
    for seed in 2..=5 {
        save(&two.ana, &format!("Part {seed}"), &seed.to_string());
    }
    let file = two.signed("all.segue", &["--since", "7d"]);
    two.import(&file, &[]).fails(1);
    assert_eq!(two.ben.handoff_files().len(), 1);
    let ran = two.import(&file, &["--on-conflict", "replace"]).run();
    assert_eq!(ran.stdout.matches("imported handoff ").count(), 4, "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("replaced handoff ").count(), 1, "{}", ran.stdout);
    assert_eq!(listed(&two.ben, &[]).len(), 5);
}

#[test]
fn what_was_forgotten_stays_forgotten() {
    let two = Two::trusting();
    let id = save(&two.ana, "Secret", "1");
    let file = two.signed("a.segue", &[]);
    two.import(&file, &[]).run();
    two.ben.segue(&["forget", &id, "--yes"]).run();
    let ran = two.import(&file, &[]).run();
    assert_eq!((ran.code, ran.stdout), (0, format!("forgotten here: handoff {id}\n")));
    assert!(ran.stderr.contains("stays forgotten"), "{}", ran.stderr);
    assert!(two.ben.handoff_files().is_empty());
}

#[test]
fn an_archived_handoff_is_replaced_in_its_archive() {
    let two = Two::trusting();
    let id = save(&two.ana, "Theirs", "1");
    let args = ["save", "--title", "Mine", "--ttl", "1h", "--json"];
    two.ben.segue(&args).seed("1").stdin("Mine stands.\n").run();
    let later = "2026-11-16T17:45:00Z";
    two.ben.segue(&["gc"]).at(later).run();
    assert!(two.ben.handoff_files().is_empty());
    let file = two.signed("a.segue", &[]);
    let ran = two.import(&file, &["--on-conflict", "replace"]).at(later).run();
    assert_eq!((ran.code, ran.stdout), (0, format!("replaced handoff {id}\n")), "{}", ran.stderr);
    assert!(
        two.ben.segue(&["show", &format!("{id}~1")]).at(later).run().stdout.contains("Mine stands")
    );
    assert!(two.ben.segue(&["show", &id]).at(later).run().stdout.contains("Theirs stands"));
}
