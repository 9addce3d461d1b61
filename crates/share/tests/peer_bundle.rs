//! Bundles of session-handoff: our own ones, and those that the program itself wrote.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use segue_core::{GoJson, PeerRecord, RecordError};
use segue_share::bundle::peer::{
    Looks, MAX_PEER_BYTES, PeerBundleError as Refused, decrypt, encrypt, looks, read, write,
};
use segue_share::keys::{KeyError, PublicKey, SecretKey};
use serde_json::{Value, json};

const PASSPHRASE: &str = " a passphrase with blanks around it ";

fn record() -> PeerRecord {
    PeerRecord {
        id: "20261115-183649".into(),
        created_at: "2026-11-15T18:36:49Z".into(),
        tool: "codex".into(),
        project: "/home/ana/todo-api".into(),
        title: "<T> & \"q\"".into(),
        summary: "a\u{8}\u{c}\u{1}\u{7f}\u{2028}é/\\".into(),
        next: Some(vec!["Run the tests".into(), "a > b".into()]),
        changed: vec!["a.rs -> b.rs".into()],
    }
}

fn key() -> SecretKey {
    SecretKey::from_seed(&[7; 32])
}

fn signed() -> String {
    write(&record(), Some(&key()), Some("ana"))
}

fn sealed(bundle: &str) -> String {
    encrypt(bundle, PASSPHRASE, [1; 16], [2; 12]).unwrap()
}

/// A bundle with one field set, or taken away.
fn with(bundle: &str, path: &str, value: Option<Value>) -> String {
    let mut json: Value = serde_json::from_str(bundle).unwrap();
    let (parent, key) = path.rsplit_once('/').unwrap();
    let object = json.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => drop(object.insert(key.to_owned(), value)),
        None => drop(object.shift_remove(key).unwrap()),
    }
    json.to_string()
}

fn refusal(text: &str) -> Refused {
    read(text).unwrap_err()
}

#[test]
fn what_we_write_is_read_again() {
    for next in [None, Some(Vec::new()), Some(vec!["one".to_owned()])] {
        let record = PeerRecord { next, changed: Vec::new(), ..record() };
        let bundle = read(&write(&record, None, Some("ignored"))).unwrap();
        assert_eq!((bundle.version, &bundle.record), (2, &record));
        assert_eq!((bundle.signer, bundle.proof), (None, None));
    }
    for name in [None, Some("<ana> & \u{2028}é")] {
        let text = write(&record(), Some(&key()), name);
        let bundle = read(&text).unwrap();
        assert_eq!((bundle.version, &bundle.record), (3, &record()));
        let signer = bundle.signer.clone().unwrap();
        assert_eq!((signer.key, signer.name.as_deref()), (key().public(), name));
        assert_eq!(bundle.proof.as_deref(), Some(text.as_str()));
        assert_eq!(read(&bundle.proof.clone().unwrap()).unwrap(), bundle);
    }
}

#[test]
fn a_bundle_is_written_as_go_writes_it() {
    let record =
        PeerRecord { title: "T".into(), summary: "S".into(), next: None, ..PeerRecord::default() };
    let text = write(&record, Some(&key()), Some("a<b"));
    let checksum = record.checksum(GoJson::Now);
    let expected = format!(
        "{{\n  \"version\": 3,\n  \"checksum\": \"{checksum}\",\n  \"record\": {{\n    \"id\": \"\",\n    \"created_at\": \"\",\n    \"tool\": \"\",\n    \"project\": \"\",\n    \"title\": \"T\",\n    \"summary\": \"S\",\n    \"next\": null\n  }},\n  \"signer\": {{\n    \"name\": \"a\\u003cb\",\n    \"key_id\": \"{}\",\n    \"public_key\": \"{}\"\n  }},\n  \"signature\": \"{}\"\n}}\n",
        key().public().fingerprint().short(),
        key().public().to_base64(),
        STANDARD.encode(key().sign(checksum.as_bytes())),
    );
    assert_eq!(text, expected);
}

#[test]
fn a_name_is_left_out_when_it_is_blank_and_cut_when_it_is_too_long() {
    for blank in ["", " \t"] {
        let text = write(&record(), Some(&key()), Some(blank));
        assert_eq!(text, write(&record(), Some(&key()), None));
    }
    let text = write(&record(), Some(&key()), Some(&"é".repeat(300)));
    assert_eq!(read(&text).unwrap().signer.unwrap().name, Some("é".repeat(200)));
    let long = with(&signed(), "/signer/name", Some(json!("é".repeat(201))));
    assert_eq!(refusal(&long), Refused::NameTooLong);
    let empty = with(&signed(), "/signer/name", Some(json!("")));
    assert_eq!(read(&empty).unwrap().signer.unwrap().name, None);
}

#[test]
fn checksums_of_older_go_are_taken_too() {
    let before = record().checksum(GoJson::Before);
    assert_ne!(before, record().checksum(GoJson::Now));
    let text = with(&write(&record(), None, None), "/checksum", Some(json!(before)));
    assert_eq!(read(&text).unwrap().record, record());
    let signature = STANDARD.encode(key().sign(before.as_bytes()));
    let text = with(&signed(), "/checksum", Some(json!(before)));
    assert_eq!(refusal(&text), Refused::Signature);
    let text = with(&text, "/signature", Some(json!(signature)));
    assert_eq!(read(&text).unwrap().signer.unwrap().key, key().public());
}

#[test]
fn a_version_tells_what_must_be_there_s1() {
    let plain = write(&record(), None, None);
    for version in [json!(0), json!(-5), json!(4), json!(2.0), json!(1e300), json!(u64::MAX)] {
        let text = with(&plain, "/version", Some(version.clone()));
        assert_eq!(refusal(&text), Refused::Version(version.to_string()), "{version}");
    }
    for version in [json!("2"), json!(null), json!(true), json!([2]), json!({})] {
        let text = with(&plain, "/version", Some(version.clone()));
        assert!(matches!(refusal(&text), Refused::Shape(_)), "{version}");
    }
    assert_eq!(refusal(&with(&plain, "/checksum", None)), Refused::NoChecksum(2));
    assert_eq!(refusal(&with(&signed(), "/checksum", None)), Refused::NoChecksum(3));
    assert_eq!(refusal(&with(&signed(), "/signer", None)), Refused::NoSigner);
    assert_eq!(refusal(&with(&signed(), "/signature", None)), Refused::NoSignature);
    assert_eq!(refusal(&with(&plain, "/version", Some(json!(3)))), Refused::NoSigner);
    for version in [1, 2] {
        let down = with(&signed(), "/version", Some(json!(version)));
        assert_eq!(refusal(&down), Refused::SignedInVersion(version, "signer"));
        let down = with(&down, "/signer", None);
        assert_eq!(refusal(&down), Refused::SignedInVersion(version, "signature"));
        // Without any of it, it is an unsigned bundle like another, and says so.
        let bare = read(&with(&down, "/signature", None)).unwrap();
        assert_eq!((bare.version, bare.signer, bare.proof), (version, None, None));
    }
}

#[test]
fn version_1_needs_no_checksum_but_one_that_is_there_must_fit() {
    let one = with(&write(&record(), None, None), "/version", Some(json!(1)));
    assert_eq!(read(&one).unwrap().version, 1);
    assert_eq!(read(&with(&one, "/checksum", None)).unwrap().record, record());
    let other = with(&one, "/record/title", Some(json!("other")));
    assert_eq!(refusal(&other), Refused::Checksum);
}

#[test]
fn a_checksum_has_one_spelling() {
    let text = write(&record(), None, None);
    let checksum = record().checksum(GoJson::Now);
    for other in [checksum.to_uppercase(), format!(" {checksum}"), checksum[..63].to_owned()] {
        assert_eq!(refusal(&with(&text, "/checksum", Some(json!(other)))), Refused::Checksum);
    }
}

#[test]
fn a_signer_is_the_one_whose_key_signed_s2() {
    let set = |path, value: &str| refusal(&with(&signed(), path, Some(json!(value))));
    let other = SecretKey::from_seed(&[8; 32]).public();
    assert_eq!(set("/signer/key_id", "deadbeefdeadbeef"), Refused::KeyId);
    assert_eq!(set("/signer/key_id", ""), Refused::KeyId);
    let upper = key().public().fingerprint().short().to_uppercase();
    assert_eq!(set("/signer/key_id", &upper), Refused::KeyId);
    assert_eq!(set("/signer/public_key", &other.to_base64()), Refused::KeyId);
    let both = with(&signed(), "/signer/public_key", Some(json!(other.to_base64())));
    let both = with(&both, "/signer/key_id", Some(json!(other.fingerprint().short())));
    assert_eq!(refusal(&both), Refused::Signature);
    assert_eq!(set("/signer/public_key", "AAAA"), Refused::Key(KeyError::NotAKey));
    let weak = STANDARD.encode([0; 32]);
    assert_eq!(set("/signer/public_key", &weak), Refused::Key(KeyError::Weak));
    let signature = STANDARD.encode(key().sign(b"something else"));
    assert_eq!(set("/signature", &signature), Refused::Signature);
    for bad in ["", "AAAA", "not base64!", &signature[..87], &format!("{signature}\n")] {
        assert_eq!(set("/signature", bad), Refused::SignatureForm, "{bad:?}");
    }
}

#[test]
fn what_is_signed_is_the_text_of_the_checksum() {
    let raw = key().sign(record().canonical(GoJson::Now).as_bytes());
    let text = with(&signed(), "/signature", Some(json!(STANDARD.encode(raw))));
    assert_eq!(refusal(&text), Refused::Signature);
}

#[test]
fn a_record_that_the_peer_would_refuse_is_refused() {
    let blank = PeerRecord { title: " ".into(), ..record() };
    let text = write(&blank, Some(&key()), None);
    assert_eq!(refusal(&text), Refused::Record(RecordError::Blank("title")));
    let late = PeerRecord { created_at: "2026-11-15T18:36:49.5Z".into(), ..record() };
    assert!(matches!(refusal(&write(&late, None, None)), Refused::Record(RecordError::BadTime(_))));
}

#[test]
fn json_is_read_strictly() {
    let text = write(&record(), None, None);
    assert_eq!(refusal(&format!("\u{feff}{text}")), Refused::ByteOrderMark);
    for tail in ["x", "{}", "\0", ",", &text] {
        assert_eq!(refusal(&format!("{text}{tail}")), Refused::Trailing, "{tail:?}");
    }
    assert_eq!(read(&format!("\n\t {text} \r\n")).unwrap().record, record());
    assert_eq!(refusal(""), Refused::CutOff);
    assert_eq!(refusal(&text[..text.len() - 3]), Refused::CutOff);
    assert!(matches!(refusal("nonsense"), Refused::NotJson(_)));
    let shape = |text: &str, says: &str| match refusal(text) {
        Refused::Shape(why) => assert!(why.contains(says), "{why}"),
        other => panic!("{other:?}"),
    };
    shape("[]", "expected an object");
    shape("null", "expected an object");
    shape("{}", "missing field `version`");
    let doubled = text.replacen("\"checksum\"", "\"version\": 2, \"checksum\"", 1);
    shape(&doubled, "duplicate field `version`");
    shape(&text.replace("\"tool\"", "\"id\": \"x\", \"tool\""), "duplicate field `id`");
    shape(&text.replace("\"tool\"", "\"Tool\""), "unknown field `Tool`");
    shape(&with(&text, "/signature", Some(Value::Null)), "invalid type: null");
    shape(&with(&text, "/record/changed", Some(Value::Null)), "invalid type: null");
    shape(&with(&text, "/x\u{1b}[2J", Some(json!(1))), "unknown field `x␛[2J`");
    let array = json!([2, record().checksum(GoJson::Now), {}]).to_string();
    shape(&array, "expected an object");
    let values = json!(["id", "2026-11-15T18:36:49Z", "t", "p", "t", "s", null, []]);
    shape(&with(&text, "/record", Some(values)), "expected an object");
    let key = key().public();
    let values = json!([key.fingerprint().short(), key.to_base64()]);
    shape(&with(&signed(), "/signer", Some(values)), "expected an object");
    let deep = format!("{{\"version\": {}", "[".repeat(100_000));
    assert!(matches!(refusal(&deep), Refused::Shape(_) | Refused::NotJson(_)));
    let surrogate = text.replace("\\u2028", "\\ud800");
    assert!(matches!(refusal(&surrogate), Refused::NotJson(_)));
}

#[test]
fn what_is_too_large_is_not_parsed() {
    let large = " ".repeat(usize::try_from(MAX_PEER_BYTES).unwrap() + 1);
    assert_eq!(refusal(&large), Refused::TooLarge);
    assert_eq!(decrypt(&large, "p").unwrap_err(), Refused::TooLarge);
}

#[test]
fn a_look_tells_the_kinds_apart() {
    assert_eq!(looks(&signed()), Looks::Plain);
    assert_eq!(looks("{\"record\""), Looks::Plain);
    assert_eq!(looks("\u{feff}{\"version\":{\"a\":[1]},\"record\":"), Looks::Plain);
    assert_eq!(looks("{\"version\":1,\"cipher\\u0074ext\":"), Looks::Encrypted);
    for neither in [
        "",
        "{}",
        "[]",
        "record",
        "{\"Record\":1}",
        "{\"x\":{\"record\":1}}",
        "\"record\"",
        "{\"record",
    ] {
        assert_eq!(looks(neither), Looks::Neither, "{neither}");
    }
}

#[test]
fn what_is_encrypted_is_decrypted_with_the_same_passphrase() {
    let text = sealed(&signed());
    assert_eq!(looks(&text), Looks::Encrypted);
    assert_eq!(refusal(&text), Refused::Encrypted);
    let plain = decrypt(&text, PASSPHRASE).unwrap();
    assert_eq!(format!("{}\n", *plain), signed());
    assert_eq!(read(&plain).unwrap().signer.unwrap().key, key().public());
    assert_eq!(decrypt(&text, PASSPHRASE.trim()).unwrap_err(), Refused::Undecryptable);
    assert_eq!(decrypt(&signed(), PASSPHRASE).unwrap_err(), Refused::NotEncrypted);
    let says = Refused::Undecryptable.to_string();
    assert!(says.contains("passphrase is wrong") && says.contains("altered"), "{says}");
}

#[test]
fn a_blank_passphrase_never_encrypts_or_decrypts_s3() {
    for blank in ["", "  ", "\t\n", "\u{3000}"] {
        let made = encrypt(&signed(), blank, [1; 16], [2; 12]);
        assert_eq!(made, Err(Refused::BlankPassphrase), "{blank:?}");
        let text = json!({"version": 1, "algorithm": "aes-256-gcm", "kdf": "scrypt(N=32768,r=8,p=1)",
            "salt": STANDARD.encode([1; 16]), "nonce": STANDARD.encode([2; 12]), "ciphertext": STANDARD.encode([0; 16])});
        let read = decrypt(&text.to_string(), blank);
        assert_eq!(read.unwrap_err(), Refused::BlankPassphrase, "{blank:?}");
    }
}

#[test]
fn a_short_nonce_is_refused_and_nothing_panics_s4() {
    let text = sealed(&signed());
    let set =
        |path, value: Value| decrypt(&with(&text, path, Some(value)), PASSPHRASE).unwrap_err();
    for length in [0, 1, 3, 8, 11, 13, 16, 24, 1000] {
        assert_eq!(set("/nonce", json!(STANDARD.encode(vec![2; length]))), Refused::Nonce);
    }
    for length in [0, 12, 15, 17, 32] {
        assert_eq!(set("/salt", json!(STANDARD.encode(vec![1; length]))), Refused::Salt);
    }
    for length in [0, 1, 15] {
        assert_eq!(
            set("/ciphertext", json!(STANDARD.encode(vec![0; length]))),
            Refused::Ciphertext
        );
    }
    // The last bits of the last digit have no meaning, so they must be as they are written.
    for bad in ["AgICAgICAgICAgIC=", "AgIC AgICAgICAgI", "-_ICAgICAgICAgIC"] {
        assert_eq!(set("/nonce", json!(bad)), Refused::Nonce, "{bad}");
    }
    assert_eq!(set("/salt", json!("AQEBAQEBAQEBAQEBAQEBAR==")), Refused::Salt);
}

#[test]
fn a_bundle_has_no_say_in_how_it_is_encrypted() {
    let text = sealed(&signed());
    let set =
        |path, value: Value| decrypt(&with(&text, path, Some(value)), PASSPHRASE).unwrap_err();
    for version in [json!(0), json!(2), json!(1.0), json!(-1)] {
        assert_eq!(
            set("/version", version.clone()),
            Refused::EncryptedVersion(version.to_string())
        );
    }
    assert_eq!(set("/algorithm", json!("AES-256-GCM")), Refused::Algorithm("AES-256-GCM".into()));
    let cheap = "scrypt(N=2,r=8,p=1)";
    assert_eq!(set("/kdf", json!(cheap)), Refused::KeyDerivation(cheap.into()));
    for path in ["/version", "/algorithm", "/kdf", "/salt", "/nonce", "/ciphertext"] {
        assert!(matches!(set(path, Value::Null), Refused::Shape(_)), "{path}");
        let without = decrypt(&with(&text, path, None), PASSPHRASE);
        assert!(matches!(without, Err(Refused::Shape(_))), "{path}");
    }
    assert!(matches!(set("/aad", json!("")), Refused::Shape(_)));
    assert_eq!(decrypt(&format!("{text}x"), PASSPHRASE).unwrap_err(), Refused::Trailing);
}

#[test]
fn nothing_is_encrypted_twice() {
    let once = sealed(&signed());
    assert_eq!(encrypt(&once, PASSPHRASE, [1; 16], [2; 12]), Err(Refused::EncryptedTwice));
    assert_eq!(encrypt("words", PASSPHRASE, [1; 16], [2; 12]), Err(Refused::NotABundle));
    // One that another program made: the `record` is there when it is encrypted, and gone after.
    let inner = format!("{{\"record\":0,{}", &once[1..]);
    let twice = decrypt(&sealed(&inner), PASSPHRASE).unwrap();
    assert!(matches!(read(&twice), Err(Refused::Shape(_))));
}

/// A file of the program itself, if those are here.
fn sample(name: &str) -> Option<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/peers/session-handoff");
    fs::read_to_string(folder.join(name)).ok()
}

/// Files of the program itself, or a word that they are not here.
fn samples<const N: usize>(names: [&str; N]) -> Option<[String; N]> {
    let found = names.map(sample);
    if found.iter().any(Option::is_none) {
        say("skipped: the files of session-handoff are not here");
        return None;
    }
    Some(found.map(Option::unwrap))
}

#[expect(clippy::disallowed_macros, reason = "a test says what it left out")]
fn say(words: &str) {
    println!("{words}");
}

#[test]
fn the_checksums_of_the_program_are_ours() {
    let Some([vectors]) = samples(["checksum-vectors.json"]) else { return };
    let vectors: Vec<Value> = serde_json::from_str(&vectors).unwrap();
    assert_eq!(vectors.len(), 15);
    for vector in vectors {
        let record: PeerRecord = serde_json::from_value(vector["record"].clone()).unwrap();
        let name = &vector["name"];
        assert_eq!(record.checksum(GoJson::Now), vector["checksum"], "{name}");
        if let Some(canonical) = vector["canonical_utf8"].as_str() {
            assert_eq!(record.canonical(GoJson::Now), canonical, "{name}");
        }
        let read = read(&write(&record, Some(&key()), None)).unwrap();
        assert_eq!(read.record, record, "{name}");
    }
}

#[test]
fn bundles_of_the_program_are_read_and_written_again_byte_for_byte() {
    let names = ["bundle-v1-legacy.json", "bundle-v2-plain.json", "bundle-v2-plain-escapes.json"];
    let Some([one, plain, escapes]) = samples(names) else { return };
    let legacy = read(&one).unwrap();
    assert_eq!((legacy.version, legacy.signer, legacy.proof), (1, None, None));
    assert_eq!(legacy.record.next, None);
    for text in [plain, escapes] {
        let bundle = read(&text).unwrap();
        assert_eq!((bundle.version, bundle.signer), (2, None));
        assert_eq!(write(&bundle.record, None, None), text);
    }
}

#[test]
fn signed_bundles_of_the_program_are_by_its_key() {
    let names = ["signing-key.pub.pem", "bundle-v3-signed.json", "bundle-v3-signed-noname.json"];
    let Some([key, named, nameless]) = samples(names) else { return };
    let key = PublicKey::from_pem(&key).unwrap();
    for (text, name) in [(named, Some("demo")), (nameless, None)] {
        let bundle = read(&text).unwrap();
        let signer = bundle.signer.unwrap();
        assert_eq!((bundle.version, signer.key, signer.name.as_deref()), (3, key.clone(), name));
        assert_eq!(bundle.proof.as_deref(), Some(text.as_str()));
        // We have not its private key: all but key, key id and signature is as we write it.
        let ours = write(&bundle.record, Some(&self::key()), name);
        let layout = |text: &str| -> Vec<String> {
            let secret =
                |line: &&str| !["key", "signature\""].iter().any(|word| line.contains(word));
            text.lines().filter(secret).map(str::to_owned).collect()
        };
        assert_eq!(layout(&ours), layout(&text));
        assert_eq!(ours.len(), text.len());
    }
}

#[test]
fn encrypted_bundles_of_the_program_are_decrypted_and_encrypted_again_byte_for_byte() {
    let names =
        ["bundle-enc-v2.json", "bundle-enc-v3-signed.json", "bundle-enc-v3-unicode-pass.json"];
    let Some([plain, signed, unicode]) = samples(names) else { return };
    let usual = "correct horse battery staple";
    for (text, passphrase, version) in
        [(plain, usual, 2), (signed, usual, 3), (unicode, "pässwörd ☃", 3)]
    {
        let opened = decrypt(&text, passphrase).unwrap();
        let bundle = read(&opened).unwrap();
        assert_eq!((bundle.version, bundle.signer.is_some()), (version, version == 3));
        let json: Value = serde_json::from_str(&text).unwrap();
        let bytes = |key: &str| STANDARD.decode(json[key].as_str().unwrap()).unwrap();
        let (salt, nonce) = (bytes("salt").try_into().unwrap(), bytes("nonce").try_into().unwrap());
        assert_eq!(encrypt(&format!("{}\n", *opened), passphrase, salt, nonce).unwrap(), text);
        if version == 2 {
            let again = write(&bundle.record, None, None);
            assert_eq!(encrypt(&again, passphrase, salt, nonce).unwrap(), text);
        }
    }
}

#[test]
fn hostile_bundles_are_refused_each_for_its_own_reason_s1_s2_s4() {
    let names = [
        "hostile-v1-downgrade.json",
        "hostile-v3-signature-removed.json",
        "hostile-v3-spoofed-signer.json",
        "hostile-v3-tampered-record.json",
        "hostile-enc-short-nonce.json",
    ];
    let Some([downgrade, removed, spoofed, tampered, nonce]) = samples(names) else { return };
    // Nothing in it is false: it says of itself that nobody vouches for it, which its reader refuses.
    let downgrade = read(&downgrade).unwrap();
    assert_eq!((downgrade.version, downgrade.signer, downgrade.proof), (1, None, None));
    assert_eq!(refusal(&removed), Refused::NoSignature);
    assert_eq!(refusal(&spoofed), Refused::KeyId);
    assert_eq!(refusal(&tampered), Refused::Checksum);
    let usual = "correct horse battery staple";
    assert_eq!(decrypt(&nonce, usual).unwrap_err(), Refused::Nonce);
}
