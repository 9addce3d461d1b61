//! Passphrases and recipients.

use super::{Two, save};
use crate::ground::put;

#[test]
fn only_who_knows_the_passphrase_opens_it() {
    let two = Two::trusting();
    let id = save(&two.ana, "Auth", "1");
    let pass = two.file("pass");
    put(pass.as_ref(), "correct horse battery staple\nmore lines\n");
    for name in ["a.segue", "a.json"] {
        two.signed(name, &["--passphrase-file", &pass]);
        let bytes = std::fs::read(two.file(name)).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("Auth"));
        let error = two.import(&two.file(name), &[]).fails(64);
        assert!(
            error.contains("no passphrase was given") && error.contains("--passphrase-file"),
            "{error}"
        );
        let wrong = two.import(&two.file(name), &["--passphrase-env", "P"]).env("P", "wrong").run();
        assert!(wrong.code == 65 && wrong.stderr.contains("passphrase"), "{}", wrong.stderr);
        let ran = two.import(&two.file(name), &["--passphrase-file", &pass]).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains(&id), "{}", ran.stdout);
    }
}

#[test]
fn only_the_recipient_opens_it() {
    let two = Two::trusting();
    save(&two.ana, "Auth", "1");
    two.ben.segue(&["keys", "new", "ben"]).run();
    let public = two.file("ben.pub");
    two.ben.segue(&["keys", "export", "ben", "--output", &public]).ok();
    for armor in [&[][..], &["--armor"]] {
        let more: Vec<&str> = ["--recipient", &public].iter().chain(armor).copied().collect();
        let file = two.signed("a.age", &more);
        let error = two.ana.segue(&["verify", &file]).fails(65);
        assert!(error.contains("for somebody else"), "{error}");
        let said = two.ben.segue(&["verify", &file]).ok();
        assert!(said.starts_with("segue bundle 1, encrypted, 1 handoff, whole"), "{said}");
    }
    assert!(two.text("a.age").starts_with("-----BEGIN AGE ENCRYPTED FILE-----"));
    assert_eq!(two.import(&two.file("a.age"), &[]).run().code, 0);
    let error = two.ana.segue(&["export", "--format", "segue", "--recipient", "nobody"]).fails(64);
    assert!(error.contains("not a recipient"), "{error}");
}

#[test]
fn an_encrypted_key_needs_its_passphrase() {
    let two = Two::new();
    save(&two.ana, "Auth", "1");
    let new = ["keys", "new", "ana", "--passphrase-env", "P"];
    let made = two.ana.segue(&new).env("P", "geheim").run();
    assert_eq!(made.code, 0, "{}", made.stderr);
    let keys = crate::ground::files_below(&two.ana.home.join("keys"));
    assert!(keys.iter().any(|path| path.ends_with("ana.pem.age")), "{keys:?}");
    for path in keys.iter().filter(|path| path.extension().is_some_and(|ending| ending == "age")) {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.starts_with("-----BEGIN AGE ENCRYPTED FILE-----"), "{text}");
    }
    let file = two.file("a.segue");
    let export = ["export", "--sign-key", "ana", "--output", &file];
    let error = two.ana.segue(&export).fails(64);
    assert!(error.contains("--key-passphrase-file"), "{error}");
    let with: Vec<&str> = export.iter().chain(&["--key-passphrase-env", "P"]).copied().collect();
    let wrong = two.ana.segue(&with).env("P", "falsch").run();
    assert_eq!(wrong.code, 65, "{}", wrong.stderr);
    assert!(!two.post.join("a.segue").exists());
    assert_eq!(two.ana.segue(&with).env("P", "geheim").run().code, 0);
    // What is encrypted for it is opened with the same passphrase.
    let sealed = two.file("b.age");
    two.ana.segue(&["export", "--recipient", "ana", "--output", &sealed]).run();
    let verify = ["verify", &sealed, "--allow-unsigned", "--key-passphrase-env", "P"];
    assert_eq!(two.ana.segue(&verify).env("P", "geheim").run().code, 0);
    // A plain age identity does as well.
    let error = two.ben.segue(&["verify", &sealed, "--identity", &two.file("none")]).run();
    assert_eq!(error.code, 1, "{}", error.stderr);
}

#[test]
fn one_stream_cannot_carry_both() {
    let two = Two::new();
    let error = two.import("-", &["--passphrase-file", "-"]).fails(64);
    assert!(error.contains("cannot both come on standard input"), "{error}");
}
