//! A bundle arrives complete.

use std::fs;

use super::{Two, listed, save};
use crate::ground::put;

#[test]
fn one_handoff_arrives_as_it_left() {
    let two = Two::trusting();
    let id = save(&two.ana, "Auth", "1");
    let file = two.signed("a.segue", &[]);
    let ran = two.import(&file, &[]).run();
    assert_eq!((ran.code, ran.stdout), (0, format!("imported handoff {id}\n")));
    assert!(
        ran.stderr.contains("signed by ana (") && ran.stderr.contains("who is trusted"),
        "{}",
        ran.stderr
    );
    let sent = two.ana.segue(&["show", "--raw"]).ok();
    let got = two.ben.segue(&["show", "--raw"]).run();
    let imported = got.stdout.lines().find(|line| line.starts_with("imported: ")).unwrap();
    assert!(
        imported.contains("signer: ") && imported.contains("segue bundle 1 sha256:"),
        "{imported}"
    );
    assert_eq!(got.stdout.replace(&format!("{imported}\n"), ""), sent);
    // Again is nothing new.
    let again = two.import(&file, &[]).run();
    assert_eq!((again.code, again.stdout), (0, format!("already here: handoff {id}\n")));
    assert_eq!(two.ben.handoff_files().len(), 1);
}

#[test]
fn a_handoff_whose_id_and_time_do_not_agree_is_refused_for_that() {
    let two = Two::new();
    save(&two.ana, "Auth", "1");
    let file = two.ana.handoff_files().remove(0);
    let text = fs::read_to_string(&file).unwrap();
    let (head, rest) = text.split_once("\ncreated: ").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    put(&file, format!("{head}\ncreated: 2026-11-01T00:00:00Z\n{rest}"));
    let ran = two.ana.segue(&["export", "--format", "segue", "-o", &two.file("a.segue")]).fails(65);
    assert!(ran.contains("its id and its time do not agree"), "{}", ran);
    assert!(!ran.contains("newer") && !ran.contains("update"), "{}", ran);
}

#[test]
fn unknown_keys_and_odd_bytes_arrive_byte_for_byte() {
    let two = Two::trusting();
    save(&two.ana, "First", "1");
    let file = two.ana.handoff_files().remove(0);
    let text = fs::read_to_string(&file).unwrap();
    let odd = text.replace(
        "tool: codex\n",
        "tool: codex\nx-mood: |\n  calm\n\n  # kept\nx-list:\n- a\n# a remark\n",
    ) + "\r\nCRLF\r\n\u{feff}\u{1f600} \u{200b}no end";
    put(&file, &odd);
    two.ana.delete_index();
    let bundle = two.signed("a.segue", &[]);
    assert_eq!(two.import(&bundle, &[]).run().code, 0);
    let got = fs::read_to_string(two.ben.handoff_files().remove(0)).unwrap();
    let imported = got.lines().find(|line| line.starts_with("imported: ")).unwrap();
    assert_eq!(got.replace(&format!("{imported}\n"), ""), odd);
}

#[test]
fn many_handoffs_travel_in_one_bundle() {
    let two = Two::trusting();
    for seed in 1..=30 {
        save(&two.ana, &format!("Part {seed}"), &seed.to_string());
    }
    let file = two.signed("all.segue", &["--since", "7d"]);
    let ran = two.import(&file, &[]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "imported 30 handoffs\n"), "{}", ran.stderr);
    let (sent, got) = (listed(&two.ana, &[]), listed(&two.ben, &[]));
    let facts = |list: &[serde_json::Value]| -> Vec<_> {
        list.iter()
            .map(|one| (one["id"].clone(), one["title"].clone(), one["next"].clone()))
            .collect()
    };
    assert_eq!(facts(&sent), facts(&got));
    assert!(got.iter().all(|one| one["imported"]["trust"] == "trusted"));
    assert_eq!(two.import(&file, &[]).run().stdout, "already here: 30 handoffs\n");
    // Nothing is left of the work.
    let incoming: Vec<_> = fs::read_dir(two.ben.home.join("incoming")).unwrap().collect();
    assert_eq!(incoming.len(), 1, "{incoming:?}");
}

#[test]
fn a_project_travels_and_its_expired_handoffs_if_asked() {
    let two = Two::trusting();
    save(&two.ana, "Lasting", "1");
    let args = ["save", "--title", "Short", "--ttl", "1h"];
    two.ana.segue(&args).seed("2").ok();
    let later = "2026-11-16T17:45:00Z";
    let export = |more: &[&str]| {
        let file = two.file("p.segue");
        let args = ["export", "--project", ".", "--output", &file, "--force", "--json"];
        let args: Vec<&str> = args.iter().chain(more).copied().collect();
        let ran = two.ana.segue(&args).at(later).run();
        let value: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        value["handoffs"].as_u64().unwrap()
    };
    assert_eq!(export(&[]), 1);
    assert_eq!(export(&["--expired"]), 2);
}

#[test]
fn an_import_lands_in_the_project_of_a_known_key_else_here() {
    let two = Two::trusting();
    let (repo, clone) = (two.ana.repo("api"), two.ben.repo("work-on-api"));
    for (env, dir) in [(&two.ana, &repo), (&two.ben, &clone)] {
        env.git(dir, &["remote", "add", "origin", "https://example.org/team/api.git"]);
        let seed = if std::ptr::eq(env, &two.ana) { "1" } else { "2" };
        env.segue(&["save", "--title", "In the clone"]).seed(seed).dir(dir).ok();
    }
    let args = ["export", "--sign-key", "ana", "--output", &two.file("a.segue")];
    two.ana.segue(&args).dir(&repo).ok();
    save(&two.ana, "Elsewhere", "3");
    two.signed("b.segue", &[]);
    let ran = two.import(&two.file("a.segue"), &[]).run();
    assert!(ran.stderr.contains("in the project 'api'"), "{}", ran.stderr);
    let there = two.ben.segue(&["list", "--json"]).dir(&clone).run();
    let there: Vec<serde_json::Value> = serde_json::from_str(&there.stdout).unwrap();
    assert_eq!(there.len(), 2);
    let ran = two.import(&two.file("b.segue"), &[]).run();
    assert!(ran.stderr.contains("in the project 'work'"), "{}", ran.stderr);
    let forced = two.import(&two.file("b.segue"), &["--dry-run", "--project", "filed"]).run();
    assert_eq!(forced.code, 0, "{}", forced.stderr);
}

#[test]
fn a_dry_run_changes_nothing() {
    let two = Two::trusting();
    save(&two.ana, "Auth", "1");
    let file = two.signed("a.segue", &[]);
    let before = crate::ground::files_below(&two.ben.home);
    let ran = two.import(&file, &["--dry-run", "--json"]).run();
    let value: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&value["dry_run"], &value["handoffs"][0]["fate"]), (&true.into(), &"new".into()));
    assert_eq!(crate::ground::files_below(&two.ben.home), before);
}

#[test]
fn a_bundle_comes_on_standard_input_and_goes_to_standard_output() {
    let two = Two::trusting();
    let id = save(&two.ana, "Auth", "1");
    let out = two.ana.segue(&["export", "--format", "segue", "--sign-key", "ana"]).run();
    assert!(out.stdout.starts_with("segue-bundle 1\n"), "{}", out.stdout);
    let ran = two.import("-", &[]).stdin(&out.bytes).run();
    assert_eq!((ran.code, ran.stdout), (0, format!("imported handoff {id}\n")));
    let ran = two.ben.segue(&["import", "--input", "-"]).stdin(&out.bytes).run();
    assert_eq!((ran.code, ran.stdout), (0, format!("already here: handoff {id}\n")));
}

#[test]
fn markdown_is_as_render_gives_it() {
    let two = Two::new();
    save(&two.ana, "Auth", "1");
    let rendered = two.ana.segue(&["render", "--target", "codex"]).ok();
    assert_eq!(two.ana.segue(&["export", "--target", "codex"]).ok(), rendered);
    let file = two.file("a.md");
    let said =
        two.ana.segue(&["export", "--format", "md", "--target", "codex", "--output", &file]).ok();
    assert!(said.starts_with("exported ") && two.text("a.md") == rendered);
}

#[test]
fn a_large_bundle_is_put_aside_while_it_is_looked_at() {
    let two = Two::trusting();
    for seed in 1..=6 {
        let body = format!("## Context\n\n{}\n", format!("{seed} line\n").repeat(300_000));
        two.ana.segue(&["save", "--title", "Big"]).seed(&seed.to_string()).stdin(body).run();
    }
    let file = two.signed("big.segue", &["--since", "7d"]);
    assert!(fs::metadata(&file).unwrap().len() > 12 * 1024 * 1024);
    let ran = two.import(&file, &[]).run();
    assert_eq!(ran.stdout.matches("imported handoff ").count(), 6, "{}", ran.stderr);
    assert_eq!(two.ben.segue(&["verify", &file]).run().code, 0);
    // So is one of session-handoff's.
    let body = format!("## Context\n\n{}", "a line\n".repeat(1_300_000));
    two.ana
        .segue(&["save", "--title", "Bigger"])
        .seed("9")
        .at("2026-11-15T17:46:00Z")
        .stdin(body)
        .run();
    let file = two.signed("big.json", &[]);
    assert!(fs::metadata(&file).unwrap().len() > 9 * 1024 * 1024);
    let ran = two.import(&file, &[]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}
