//! Input that means harm: refused whole, named, without effect.

use std::fs;

use super::{Two, listed, save};
use crate::ground::put;

/// SHA-256 by the system's own program.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    put(file.path(), bytes);
    let output = std::process::Command::new("sha256sum").arg(file.path()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()[..64].to_owned()
}

/// An unsigned bundle around these payloads, as `docs/bundle.md` says.
pub(crate) fn bundle(payloads: &[String]) -> String {
    let header = format!(
        "{{\"purpose\":\"handoffs\",\"created\":\"2026-11-15T17:45:00Z\",\"count\":{},\"algorithm\":\"none\"}}\n",
        payloads.len()
    );
    let mut statement = format!("segue-bundle 1 statement\n{header}");
    let mut out = format!("segue-bundle 1\n{header}");
    for payload in payloads {
        out.push_str(&format!("handoff {}\n{payload}\n", payload.len()));
        statement.push_str(&format!("{}\n", sha256(payload.as_bytes())));
    }
    out + &format!("digest {}\n", sha256(statement.as_bytes()))
}

fn handoff(id: &str, created: &str, more: &str) -> String {
    format!("---\nsegue: 1\nid: {id}\ncreated: {created}\n{more}---\nText\n")
}

const ID: &str = "20261115-174500-a3f9c12e";
const CREATED: &str = "2026-11-15T17:45:00Z";

#[test]
fn what_breaks_a_rule_is_refused_with_its_reason() {
    let two = Two::new();
    let good = handoff(ID, CREATED, "");
    let cases = [
        (handoff("../../../etc/passwd", CREATED, ""), "'id' is not an id"),
        (handoff("latest", CREATED, ""), "'id' is not an id"),
        (handoff(&format!("{ID}~1"), CREATED, ""), "was replaced"),
        (handoff(ID, "yesterday", ""), "'created' is not a time"),
        (handoff(ID, "2026-11-15T17:45:01Z", ""), "do not agree"),
        (handoff("20990101-000000-a3f9c12e", "2099-01-01T00:00:00Z", ""), "yet to come"),
        (handoff(ID, CREATED, "imported: {signer: me}\n"), "says that it was imported"),
        (handoff(ID, CREATED, "imported: [odd]\n"), "says that it was imported"),
        (good.replace("segue: 1", "segue: 3"), "newer format"),
        (good.replace("segue: 1", "segue: 1\nsegue: 1"), "there twice"),
        ("no front matter".to_owned(), "does not begin with"),
        (String::new(), "does not begin with"),
    ];
    for (payload, why) in cases {
        put(two.file("bad.segue").as_ref(), bundle(std::slice::from_ref(&payload)));
        let error = two.import(&two.file("bad.segue"), &["--allow-unsigned"]).fails(65);
        assert!(error.contains(why), "{payload}: {error}");
    }
    let file = two.file("twice.segue");
    put(file.as_ref(), bundle(&[good.clone(), good.clone()]));
    assert!(two.import(&file, &["--allow-unsigned"]).fails(65).contains("is in it twice"));
    // One bad handoff keeps the good ones out.
    let second = handoff("20261115-174501-a3f9c12f", "2026-11-15T17:45:01Z", "");
    put(file.as_ref(), bundle(&[good.clone(), second, "bad".to_owned()]));
    two.import(&file, &["--allow-unsigned"]).fails(65);
    assert!(two.ben.handoff_files().is_empty());
    put(file.as_ref(), bundle(&[good]));
    assert_eq!(two.import(&file, &["--allow-unsigned"]).run().code, 0);
}

#[test]
fn no_text_of_a_bundle_chooses_a_path() {
    let two = Two::new();
    let fields = "project: ../../../tmp/x\nname: /etc/passwd\ntitle: ../../x\ntags: [\"../../../y\", \"a/b\"]\nsaved_from: {dir: ../..}\n";
    put(two.file("a.segue").as_ref(), bundle(&[handoff(ID, CREATED, fields)]));
    assert_eq!(two.import(&two.file("a.segue"), &["--allow-unsigned"]).run().code, 0);
    let files = two.ben.handoff_files();
    assert_eq!(files.len(), 1);
    assert!(files[0].starts_with(two.ben.home.join("projects")), "{files:?}");
    assert!(!files[0].to_string_lossy().contains(".."), "{files:?}");
    let all = two.ben.dir("");
    let outside: Vec<_> = crate::ground::files_below(&all)
        .into_iter()
        .filter(|path| !path.starts_with(&two.ben.home))
        .collect();
    assert!(outside.is_empty(), "{outside:?}");
}

#[test]
fn sizes_and_numbers_that_lie_are_refused_quickly() {
    let two = Two::new();
    let good = bundle(&[handoff(ID, CREATED, "")]);
    let head = good.split("handoff ").next().unwrap();
    let cases = [
        good.replace("\nhandoff ", "\nhandoff 0"),
        good.replace("\nhandoff ", "\nhandoff +"),
        good.replace("\nhandoff ", "\nhandoff  "),
        good.replace("\nhandoff ", "\nhandoff 1"),
        format!("{head}handoff 18446744073709551616\n"),
        format!("{head}handoff 99999999999\n"),
        format!("{head}handoff -1\n"),
        good.replace("\"count\":1", "\"count\":2"),
        good.replace("\"count\":1", "\"count\":0"),
        good.replace("\"count\":1", "\"count\":99999999999999999999"),
        good.replace("\"count\":1", "\"count\":1000000"),
        good.replace("segue-bundle 1\n", "segue-bundle 2\n"),
        good.replace("segue-bundle 1\n", &format!("segue-bundle {}\n", "1".repeat(100_000))),
        format!("{}{}", "{\"a\":".repeat(100_000), "1"),
        "[".repeat(1_000_000),
        format!("segue-bundle 1\n{}", "x".repeat(10_000_000)),
        String::new(),
        "\0".repeat(1000),
        format!("{good}\n"),
        good.replace('\n', "\r\n"),
        format!("age-encryption.org/v1\n-> X25519 {}\n", "A".repeat(3_000_000)),
        format!("age-encryption.org/v1\n{}", "-> a b\n\n".repeat(300_000)),
    ];
    for (at, text) in cases.iter().enumerate() {
        let file = two.file("bad.segue");
        put(file.as_ref(), text);
        let begun = std::time::Instant::now();
        let ran = two.import(&file, &["--allow-unsigned"]).run();
        assert_eq!(ran.code, 65, "case {at}: {}", ran.stderr);
        assert!(
            !ran.stderr.contains("panicked") && ran.stderr.len() < 2000,
            "case {at}: {}",
            ran.stderr
        );
        assert!(begun.elapsed().as_secs() < 20, "case {at} took {:?}", begun.elapsed());
    }
    assert!(two.ben.handoff_files().is_empty());
    assert_eq!(two.import(&two.file("gone"), &[]).fails(66).matches("there is no file").count(), 1);
    two.import(&two.post.to_string_lossy(), &[]).fails(65);
}

#[test]
fn what_is_dated_ahead_does_not_become_the_latest_for_ever() {
    let two = Two::trusting();
    let ran = two.ana.segue(&["save", "--title", "Ahead"]).at("2026-11-15T17:45:40Z").run();
    assert_eq!(ran.code, 0);
    let file = two.signed("a.segue", &[]);
    // Clocks differ: some seconds are taken.
    assert_eq!(two.import(&file, &[]).run().code, 0);
    let earlier = "2026-11-15T16:00:00Z";
    let error = two.import(&file, &[]).at(earlier).fails(65);
    assert!(error.contains("yet to come") && error.contains("clock"), "{error}");
}

#[test]
fn imported_commands_are_not_run() {
    let two = Two::trusting();
    let mark = two.file("ran");
    let body = format!("## Checks\n\n- `touch {mark}` *(observed: exit 0)*\n");
    two.ana.segue(&["save", "--title", "Checks"]).stdin(body).run();
    two.import(&two.signed("a.segue", &[]), &[]).run();
    let ran = two.ben.segue(&["resume", "--recheck", "--yes"]).run();
    assert!(!fs::exists(&mark).unwrap(), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn the_files_of_the_peer_behave_as_they_should() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/peers/session-handoff");
    if !root.is_dir() {
        println!("skipped: {} is not there", root.display());
        return;
    }
    let two = Two::new();
    let at = |name: &str| root.join(name).to_string_lossy().into_owned();
    for entry in fs::read_dir(&root).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.starts_with("hostile-") {
            continue;
        }
        for flags in [&[][..], &["--allow-untrusted", "--passphrase-env", "P"]] {
            let ran = two
                .import(&at(&name), flags)
                .env("P", "correct horse battery staple")
                .real_clock()
                .run();
            assert_eq!(
                ran.code,
                if flags.is_empty() && name.contains("enc") { 64 } else { 65 },
                "{name}: {}",
                ran.stderr
            );
            println!("{name}: {}", ran.stderr.lines().next().unwrap());
        }
    }
    assert!(two.ben.handoff_files().is_empty());
    let pem = at("signing-key.pub.pem");
    two.ben.segue(&["keys", "trust", &pem, "--name", "demo"]).ok();
    for (name, passphrase, unsigned) in [
        ("bundle-v1-legacy.json", "", true),
        ("bundle-v2-plain.json", "", true),
        ("bundle-v2-plain-escapes.json", "", true),
        ("bundle-v3-signed.json", "", false),
        ("bundle-v3-signed-noname.json", "", false),
        ("bundle-enc-v2.json", "correct horse battery staple", true),
        ("bundle-enc-v3-signed.json", "correct horse battery staple", false),
        ("bundle-enc-v3-unicode-pass.json", "pässwörd ☃", false),
    ] {
        let two = Two::new();
        two.ben.segue(&["keys", "trust", &pem, "--name", "demo"]).ok();
        let mut flags = vec![];
        if !passphrase.is_empty() {
            flags.extend(["--passphrase-env", "P"]);
        }
        let import = |more: &[&str]| {
            let all: Vec<&str> = flags.iter().chain(more).copied().collect();
            two.import(&at(name), &all).env("P", passphrase).real_clock().run()
        };
        if unsigned {
            assert_eq!(import(&[]).code, 65, "{name}");
        }
        let ran = import(if unsigned { &["--allow-unsigned"] } else { &[] });
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        let trust = if unsigned { "unsigned" } else { "trusted" };
        let all = listed(&two.ben, &[]);
        assert_eq!(all[0]["imported"]["trust"], trust, "{name}");
        // Its own id is an alias that selectors find.
        let alias = all[0]["aliases"][0].as_str().unwrap();
        assert_eq!(two.ben.segue(&["show", alias]).real_clock().run().code, 0, "{name}");
        // And it goes back as it came.
        if name == "bundle-v2-plain.json" || name == "bundle-v2-plain-escapes.json" {
            let file = two.file("back.json");
            two.ben.segue(&["export", "--format", "json", "--output", &file]).real_clock().run();
            assert_eq!(
                two.text("back.json"),
                fs::read_to_string(root.join(name)).unwrap(),
                "{name}"
            );
        }
    }
}

#[test]
fn a_bundle_that_changes_underneath_is_not_believed() {
    // The bytes that were proved are the bytes that are taken: a pipe can be read only once.
    let two = Two::trusting();
    save(&two.ana, "Auth", "1");
    let file = two.signed("a.segue", &[]);
    let text = two.text("a.segue");
    let altered = text.replace("stands", "FALLS.");
    assert_eq!(two.import("-", &[]).stdin(altered).run().code, 65);
    assert_eq!(two.import("-", &[]).stdin(fs::read(file).unwrap()).run().code, 0);
}
