//! Keys and whom one trusts.

use std::fs;

use super::Two;

#[test]
fn a_key_is_made_listed_shown_and_given_away() {
    let two = Two::new();
    let made = two.ana.segue(&["keys", "new", "ana", "--json"]).ok();
    let key: serde_json::Value = serde_json::from_str(&made).unwrap();
    let print = key["fingerprint"].as_str().unwrap().to_owned();
    assert_eq!((print.len(), &key["own"], &key["trusted"]), (64, &true.into(), &true.into()));
    assert!(key["recipient"].as_str().unwrap().starts_with("age1"));
    #[cfg(unix)]
    for path in crate::ground::files_below(&two.ana.home.join("keys")) {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{path:?}");
    }
    let list = two.ana.segue(&["keys", "list"]).ok();
    assert!(list.contains(&print[..16]) && list.contains("own"), "{list}");
    let shown = two.ana.segue(&["keys", "show", &print[..10]]).ok();
    assert!(shown.contains("-----BEGIN PUBLIC KEY-----") && shown.contains(&print), "{shown}");
    assert!(!shown.contains("PRIVATE"), "{shown}");
    assert_eq!(two.ana.segue(&["keys", "show"]).ok(), shown);
    let public = two.ana.segue(&["keys", "export"]).ok();
    assert!(public.starts_with("fingerprint: ") && !public.contains("PRIVATE"), "{public}");
}

#[test]
fn a_key_is_never_replaced() {
    let two = Two::new();
    two.ana.segue(&["keys", "new", "ana"]).run();
    let before = fs::read(two.ana.home.join("keys/ana.pem")).unwrap();
    let error = two.ana.segue(&["keys", "new", "ana"]).fails(1);
    assert!(error.contains("there is a key 'ana' already"), "{error}");
    assert_eq!(fs::read(two.ana.home.join("keys/ana.pem")).unwrap(), before);
    for name in ["../x", "a/b", ".hidden", "", "a\u{1b}b"] {
        assert_eq!(two.ana.segue(&["keys", "new", name]).run().code, 64, "{name:?}");
    }
}

#[test]
fn two_keys_are_never_the_same_whatever_the_seed() {
    let two = Two::new();
    let print = |env: &crate::ground::TestEnv| {
        let made = env.segue(&["keys", "new", "x", "--json"]).seed("1").ok();
        let key: serde_json::Value = serde_json::from_str(&made).unwrap();
        key["fingerprint"].as_str().unwrap().to_owned()
    };
    assert_ne!(print(&two.ana), print(&two.ben));
}

#[test]
fn trust_takes_a_pem_file_a_bundle_or_a_fingerprint() {
    let two = Two::new();
    let made = two.ana.segue(&["keys", "new", "ana", "--json"]).ok();
    let key: serde_json::Value = serde_json::from_str(&made).unwrap();
    let print = key["fingerprint"].as_str().unwrap().to_owned();
    super::save(&two.ana, "Auth", "1");
    let bundle = two.signed("a.segue", &[]);
    let pem = two.file("ana.pem");
    crate::ground::put(pem.as_ref(), key["public_key"].as_str().unwrap());
    for what in [&bundle, &pem, &print, &print.to_uppercase()] {
        assert!(two.ben.segue(&["keys", "trust", what]).ok().contains(&print), "{what}");
        assert_eq!(two.ben.segue(&["verify", &bundle]).run().code, 0, "{what}");
        two.ben.segue(&["keys", "untrust", &print]).ok();
        assert_eq!(two.ben.segue(&["verify", &bundle]).run().code, 65, "{what}");
    }
    for (what, code) in [("nothing-here", 66), (&print[..16], 66), ("", 66)] {
        two.ben.segue(&["keys", "trust", what]).fails(code);
    }
    let private = two.ana.home.join("keys/ana.pem");
    let error = two.ben.segue(&["keys", "trust", &private.to_string_lossy()]).fails(65);
    assert!(error.contains("private key"), "{error}");
    two.ben.segue(&["keys", "untrust", "nobody"]).fails(66);
}

#[test]
fn what_cannot_sign_is_named() {
    let two = Two::new();
    super::save(&two.ana, "Auth", "1");
    let export = |key: &str| two.ana.segue(&["export", "--format", "segue", "--sign-key", key]);
    assert!(export("nobody").fails(66).contains("there is no key 'nobody'"));
    let file = two.file("k");
    for (text, why) in [
        (
            "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
            "OpenSSH",
        ),
        (
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
            "encrypted",
        ),
        ("hello\n", "not an Ed25519 key"),
        ("", "not an Ed25519 key"),
    ] {
        crate::ground::put(file.as_ref(), text);
        let ran = export(&file).run();
        assert!(ran.code == 65 && ran.stderr.contains(why), "{why}: {}", ran.stderr);
    }
    let ran = two.ana.segue(&["export", "--format", "segue", "--signer", "ana"]).fails(64);
    assert!(ran.contains("without --sign-key nobody does"), "{ran}");
}
