//! Whose word counts is the user's to say, and to take back.

use std::fs;

use super::{Two, listed, save};
use crate::ground::put;

fn trust_of(two: &Two) -> String {
    listed(&two.ben, &[])[0]["imported"]["trust"].as_str().unwrap().to_owned()
}

#[test]
fn an_unknown_signer_is_refused_until_it_is_trusted() {
    let two = Two::new();
    two.ana.segue(&["keys", "new", "ana"]).run();
    save(&two.ana, "Auth", "1");
    let file = two.signed("a.segue", &[]);
    let error = two.import(&file, &[]).fails(65);
    assert!(error.contains("the signature is not by a trusted key"), "{error}");
    let hint = error.lines().find(|line| line.contains("segue keys trust ")).unwrap();
    let print = hint.split("segue keys trust ").nth(1).unwrap().trim_end_matches('\'').to_owned();
    assert_eq!(print.len(), 64);
    assert!(two.ben.handoff_files().is_empty());
    two.ben.segue(&["keys", "trust", &print, "--name", "ana"]).ok();
    assert_eq!(two.import(&file, &[]).run().code, 0);
    assert_eq!(trust_of(&two), "trusted");
}

#[test]
fn trust_is_computed_on_reading_and_can_be_taken_back() {
    let two = Two::trusting();
    save(&two.ana, "Auth", "1");
    let file = two.signed("a.segue", &[]);
    two.import(&file, &[]).run();
    let briefing = |two: &Two| two.ben.segue(&["resume"]).run().stdout;
    assert!(briefing(&two).contains("signed by ana ("), "{}", briefing(&two));
    two.ben.segue(&["keys", "untrust", "ana"]).ok();
    assert_eq!(trust_of(&two), "untrusted");
    assert!(briefing(&two).contains("which is not trusted"), "{}", briefing(&two));
    let shown = two.ben.segue(&["show"]).run();
    assert!(
        shown.stderr.contains("which is not trusted and calls itself 'ana'"),
        "{}",
        shown.stderr
    );
    two.import(&file, &[]).fails(65);
    // Trusted again by some digits of its fingerprint, or by a bundle that it signed.
    two.ben.segue(&["keys", "trust", &file]).ok();
    assert_eq!(trust_of(&two), "trusted");
}

#[test]
fn an_untrusted_one_is_imported_if_that_is_said_and_stays_marked() {
    let two = Two::new();
    two.ana.segue(&["keys", "new", "ana"]).run();
    save(&two.ana, "Auth", "1");
    let file = two.signed("a.segue", &[]);
    assert_eq!(two.import(&file, &["--allow-untrusted"]).run().code, 0);
    assert_eq!(trust_of(&two), "untrusted");
    // Not even an edit makes the text one's own.
    two.ben.segue(&["edit", "--title", "Mine now"]).at("2026-11-15T18:00:00Z").run();
    let all = listed(&two.ben, &[]);
    assert_eq!(
        (&all[0]["title"], &all[0]["imported"]["trust"]),
        (&"Mine now".into(), &"unsigned".into())
    );
    let briefing = two.ben.segue(&["resume"]).at("2026-11-15T18:00:00Z").run().stdout;
    assert!(briefing.contains("quoted as data"), "{briefing}");
}

#[test]
fn who_alters_an_imported_handoff_loses_its_signature() {
    let two = Two::trusting();
    save(&two.ana, "Auth", "1");
    two.import(&two.signed("a.segue", &[]), &[]).run();
    let file = two.ben.handoff_files().remove(0);
    let text = fs::read_to_string(&file).unwrap();
    put(&file, text.replace("stands", "falls"));
    two.ben.delete_index();
    assert_eq!(trust_of(&two), "unproven");
    let shown = two.ben.segue(&["show"]).run().stderr;
    assert!(shown.contains("cannot be proved here"), "{shown}");
}

#[test]
fn a_handoff_cannot_say_of_itself_that_somebody_signed_it() {
    let two = Two::trusting();
    save(&two.ana, "Auth", "1");
    two.import(&two.signed("a.segue", &[]), &[]).run();
    let imported = fs::read_to_string(two.ben.handoff_files().remove(0)).unwrap();
    let line = imported.lines().find(|line| line.starts_with("imported: ")).unwrap().to_owned();
    // Somebody who can write to a shared memory borrows the line of another.
    let own = save(&two.ben, "Forged", "9");
    let file = two
        .ben
        .handoff_files()
        .into_iter()
        .find(|path| path.to_string_lossy().contains("forged"))
        .unwrap();
    let text = fs::read_to_string(&file).unwrap();
    put(&file, text.replacen("tool: codex\n", &format!("tool: codex\n{line}\n"), 1));
    two.ben.delete_index();
    let all = listed(&two.ben, &["--id", &own]);
    assert_eq!(all[0]["imported"]["trust"], "unproven");
}

#[test]
fn what_one_signs_with_is_ones_own_and_trusted_here() {
    let two = Two::new();
    let pem = two.file("key.pem");
    let made = two
        .ana
        .command("openssl")
        .args(["genpkey", "-algorithm", "ed25519", "-out", &pem])
        .output();
    if !made.is_ok_and(|output| output.status.success()) {
        println!("skipped: openssl is not there to make a key");
        return;
    }
    save(&two.ana, "Auth", "1");
    let file = two.file("handoff.json");
    let args =
        ["export", "--format", "json", "--sign-key", &pem, "--signer", "Ana", "--output", &file];
    two.ana.segue(&args).ok();
    let ran = two.ana.segue(&["import", "--input", &file]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("signed by Ana ("), "{}", ran.stderr);
    let keys = two.ana.segue(&["keys", "list"]).ok();
    assert!(keys.contains("Ana") && keys.contains("own"), "{keys}");
    two.import(&file, &[]).fails(65);
}

#[test]
fn who_signs_what_was_imported_is_told_so() {
    let two = Two::trusting();
    save(&two.ana, "Auth", "1");
    two.import(&two.signed("a.segue", &[]), &[]).run();
    two.ben.segue(&["keys", "new", "ben"]).run();
    let file = two.file("b.segue");
    let ran = two.ben.segue(&["export", "--sign-key", "ben", "--output", &file]).run();
    assert!(
        ran.stderr.contains("it was imported: with your signature you answer for it"),
        "{}",
        ran.stderr
    );
    // Home again, it is what it was.
    two.ana.segue(&["keys", "trust", &file]).ok();
    let ran = two.ana.segue(&["import", &file]).run();
    assert!(ran.stdout.starts_with("already here"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn verify_says_by_whom_and_changes_nothing() {
    let two = Two::trusting();
    let id = save(&two.ana, "Auth", "1");
    let file = two.signed("a.segue", &[]);
    let before = crate::ground::files_below(&two.ben.home);
    let said = two.ben.segue(&["verify", &file]).ok();
    assert!(said.starts_with("segue bundle 1, 1 handoff, whole\nsigned by ana ("), "{said}");
    assert!(said.contains(&id), "{said}");
    assert_eq!(crate::ground::files_below(&two.ben.home), before);
    let unsigned = two.file("u.segue");
    two.ana.segue(&["export", "--output", &unsigned]).run();
    let error = two.ben.segue(&["verify", &unsigned]).fails_after_output(65);
    assert!(error.contains("nobody signed it"), "{error}");
    assert_eq!(two.ben.segue(&["verify", &unsigned, "--allow-unsigned"]).run().code, 0);
    let json = two.ben.segue(&["verify", &file, "--json"]).ok();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&value["signed"]["trust"], &value["handoffs"][0]["title"]),
        (&"trusted".into(), &"Auth".into())
    );
}

#[test]
fn an_imported_handoff_does_not_say_what_is_out_of_date_here() {
    let two = Two::trusting();
    let own = save(&two.ben, "Mine", "5");
    save(&two.ana, "Theirs", "1");
    let file = two.ana.handoff_files().remove(0);
    let text = fs::read_to_string(&file).unwrap();
    let claims = format!(
        "supersedes: [{own}]\naliases: [{own}, latest, {}, {}]\n---\n",
        &own[16..],
        &own[16..20]
    );
    put(&file, text.replacen("---\n## ", &format!("{claims}## "), 1));
    two.ana.delete_index();
    let bundle = two.signed("a.segue", &[]);
    assert_eq!(two.import(&bundle, &[]).run().code, 0);
    // Its aliases take no id away from what is here.
    for word in [&own[..], &own[16..]] {
        let shown = two.ben.segue(&["show", word]).run();
        assert!(shown.stdout.contains("Mine stands"), "{word}: {}{}", shown.stdout, shown.stderr);
    }
    // Nor does it speak under an id whose handoff was forgotten, or under its first digits.
    assert_eq!(two.ben.segue(&["forget", &own, "--yes"]).run().code, 0);
    for word in [&own[..], &own[16..], &own[16..20]] {
        let shown = two.ben.segue(&["show", word]).run();
        assert_eq!((shown.code, shown.stdout.as_str()), (66, ""), "{word}: {}", shown.stderr);
    }
}
