//! A head: no secret is left in any byte of it, and what is none stays as it is.

use proptest::prelude::{Strategy, prop_oneof, proptest};

use super::GITHUB;
use crate::front_matter::{FrontMatter, PieceKind};
use crate::head_key::HEAD_KEYS;
use crate::scalar::Value;
use crate::{Handoff, KnownSecrets, RedactedHandoff, Redactor};

const PASSWORD: &str = "hunter2correcthorse";
const URL: &str = "https://u:hunter2correcthorse@example.com/x";
const ID: &str = "20261115-174500-a3f9c12e";
const OTHER: &str = "20261114-091203-77e0b1d2";
const HEX: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const REQUIRED: [(&str, &str); 3] =
    [("segue", "2"), ("id", ID), ("created", "2026-11-15T17:45:00.000000Z")];

/// A sound value of every key.
fn sound(key: &str) -> &'static str {
    match key {
        "segue" => "2",
        "id" => ID,
        "created" => "2026-11-15T17:45:00.000000Z",
        "kind" => "note",
        "captured" | "expires" => "2026-11-16T17:45:00Z",
        "saved_from" => "{project: shop, dir: services/api}",
        "git" => "{branch: main, head: 3f2a9c1d3f2a9c1d3f2a9c1d3f2a9c1d3f2a9c1d}",
        "parent" => OTHER,
        "tags" | "changed" | "supersedes" | "aliases" => "[20261114-091203-77e0b1d2, a3f9c12f]",
        "sources" => "{rest: agent, user: [0123456789abcdef]}",
        "imported" => {
            "{signer: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08, at: \"2026-11-16T17:45:00Z\", from: segue bundle 1}"
        }
        _ => "some words",
    }
}

/// A file in which one key has these lines; the required ones are there besides.
fn file(key: &str, lines: &str) -> String {
    let required = REQUIRED.iter().filter(|(name, _)| *name != key);
    let required: String = required.map(|(name, value)| format!("{name}: {value}\n")).collect();
    format!("---\n{required}{lines}---\nWords.\n")
}

fn redacted(source: &str, known: &KnownSecrets) -> Option<RedactedHandoff> {
    let handoff = Handoff::parse(source).unwrap_or_else(|error| panic!("{error}: {source}"));
    let out = Redactor::default().redact_handoff(&handoff, known);
    let out = out.unwrap_or_else(|error| panic!("{error}: {source}"));
    if let Some(out) = &out {
        let read = Handoff::parse(out.handoff.source()).unwrap();
        let before = (&handoff.head.id, handoff.head.created, handoff.head.version);
        assert_eq!((&read.head.id, read.head.created, read.head.version), before);
        let again = Redactor::default().redact_handoff(&read, &KnownSecrets::default()).unwrap();
        assert_eq!(again, None, "{source}");
        // What it is and whose words it has is not raised by what is gone.
        assert_eq!(read.head.fields.kind, handoff.head.fields.kind, "{source}");
        assert_eq!(read.head.fields.sources, handoff.head.fields.sources, "{source}");
        let imported = |handoff: &Handoff| handoff.head.fields.imported.is_some();
        assert!(imported(&read) || !imported(&handoff), "{source}");
        assert_eq!(keys(&read), keys(&handoff), "{source}");
    }
    out
}

/// The names of the known keys of a file, in their order.
fn keys(handoff: &Handoff) -> Vec<String> {
    let (front, _) = FrontMatter::parse(handoff.source()).unwrap();
    let ours = |key: &String| HEAD_KEYS.iter().any(|known| known.name == key);
    front.entries.into_iter().map(|entry| entry.key).filter(ours).collect()
}

/// Lines of a key with a secret in every place where something can be written.
fn places(key: &str, value: &str) -> Vec<String> {
    let at_comments = [
        format!("{key}: {value} # x S\n"),
        format!("{key}: {value}  # S\r\n"),
        format!("{key}: {value}\n# S\n\n# y S\n"),
        format!("# S\n{key}: {value}\n"),
        format!("{key}: \"{value}\" # S\n"),
    ];
    let at_values = [
        format!("{key}: S\n"),
        format!("{key}: x S y # z\n"),
        format!("{key}: \"x S\" # S\n"),
        format!("{key}: 'it''s S'#S\n"),
        format!("{key}: \"\\x61 S \\\" #\"\n"),
        format!("{key}: [S]\n"),
        format!("{key}: [a, S, \"S\", 'S',\n  b, # S\n  S\n] # S\n"),
        format!("{key}: [ # S\n [S, # S\n {{a: S}}]\n]\n"),
        format!("{key}:\n- S\n- a # S\n"),
        format!("{key}: # S\n  # S\n  - \"S\" # S\n  # S\n\n  - b\n"),
        format!("{key}: {{a: S, \"S\": b, 'c S': d}}\n"),
        format!("{key}: {{from: S, at: S, signer: S, head: S, dir: S}}\n"),
        format!("{key}: {{rest: S, user: [S], tool: [0123456789abcdef, S]}}\n"),
        format!("{key}: {{from: x, # S\n  at: y # S\n}}\n"),
        format!("{key}: {{a: {{b: [S]}}}}\n"),
        format!("{key}: # S\n"),
        format!("{key}:\n  # S\n"),
        format!("{key}: |\n  S\n  more S\n"),
        format!("{key}: >- # S\n  x\n"),
        format!("{key}: &a S\n"),
        format!("{key}: \"S\n"),
        format!("{key}: [a, S\n"),
        format!("{key}: {{a: S\n"),
        format!("{key}: a: S\n"),
        format!("{key}: \"a\" S\n"),
        format!("{key}: \"\\q S\"\n"),
        format!("{key}: {value} S\n"),
        format!("{key}: {value}\n  S\n"),
        format!("{key}:\n  a: S\n  b:\n    - S\n"),
        format!("{key}:\n- a: S\n- S\n"),
        format!("{key}: [a,,S]\n"),
    ];
    let all = at_comments.into_iter();
    match REQUIRED.iter().any(|(name, _)| *name == key) {
        true => all.collect(),
        false => all.chain(at_values).collect(),
    }
}

#[test]
fn a_secret_goes_from_every_place_of_every_key() {
    let names = HEAD_KEYS.iter().map(|key| key.name).chain(["x-own", "password", "\"a: b\""]);
    for key in names {
        for lines in places(key, sound(key)) {
            for (secret, gone) in [(GITHUB, GITHUB), (URL, PASSWORD)] {
                let source = file(key, &lines.replace('S', secret));
                let out = redacted(&source, &KnownSecrets::default());
                let out = out.unwrap_or_else(|| panic!("nothing found: {source}"));
                let new = out.handoff.source();
                assert!(!new.contains(gone), "{source}\n{new}");
                assert!(!out.handoff.problems.concat().contains(gone), "{source}");
                assert_eq!(
                    new.contains("\r\n"),
                    source.contains("\r\n"),
                    "the line ends stay: {source}\n{new}"
                );
            }
        }
    }
}

#[test]
fn a_secret_goes_from_the_name_of_a_key_that_nobody_knows() {
    for name in [GITHUB.to_owned(), format!("x-{GITHUB}"), format!("\"a {GITHUB}: \"")] {
        for value in ["1 # why", "", "\n- a", "[a,\n b]", "|\n  text"] {
            let out = redacted(&file("", &format!("{name}: {value}\n")), &KnownSecrets::default());
            let out = out.unwrap().handoff;
            assert!(!out.source().contains(GITHUB), "{}", out.source());
            assert!(
                out.source().ends_with(&format!(": {value}\n---\nWords.\n")),
                "{}",
                out.source()
            );
        }
    }
}

#[test]
fn the_name_of_a_zone_is_no_part_of_a_time() {
    for key in ["created", "captured", "expires"] {
        let time = "2026-11-15T17:45:00Z";
        let source = file(key, &format!("{key}: {time}[{GITHUB}]\n"));
        let before = Handoff::parse(source.as_str()).unwrap();
        assert!(before.problems.is_empty(), "{:?}", before.problems);
        let after = redacted(&source, &KnownSecrets::default()).unwrap().handoff;
        assert!(!after.source().contains(GITHUB), "{}", after.source());
        assert_eq!(after.head.created, before.head.created);
        assert_eq!(after.head.fields.captured, before.head.fields.captured);
        assert_eq!(after.head.fields.expires, before.head.fields.expires);
    }
}

#[test]
fn several_lines_of_comments_are_one_text() {
    let key =
        "# -----BEGIN PRIVATE KEY-----\n  # MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n";
    let lines = format!("tags:\n  {key}  - a\n  # -----END PRIVATE KEY----- behind it\n  - b\n");
    let out = redacted(&file("tags", &lines), &KnownSecrets::default()).unwrap().handoff;
    let source = out.source();
    assert!(!source.contains("MIIE") && !source.contains("PRIVATE KEY-----"), "{source}");
    assert!(source.contains("behind it"), "{source}");
    assert_eq!(out.head.fields.tags, ["a", "b"]);
}

#[test]
fn two_keys_of_a_map_do_not_become_one() {
    let other = "AKIAQ7ZPLMN4XWT2RBVC";
    let lines = format!(
        "imported: {{from: x, {GITHUB}: 1, \"{GITHUB} \": 2, \"[redacted: github token]\": 3, {other}: 4}}\n"
    );
    let out = redacted(&file("imported", &lines), &KnownSecrets::default()).unwrap().handoff;
    assert!(out.problems.is_empty(), "{:?}: {}", out.problems, out.source());
    assert_eq!(out.head.fields.imported.unwrap().from.as_deref(), Some("x"));
}

#[test]
fn what_is_of_its_exact_shape_stays_though_the_same_is_secret_elsewhere() {
    let known = [ID, OTHER, HEX, "3f2a9c1d3f2a9c1d3f2a9c1d3f2a9c1d3f2a9c1d", "0123456789abcdef"];
    let known = KnownSecrets::new(known.map(|value| (value.to_owned(), "token".to_owned())));
    for key in ["segue", "id", "created", "kind", "captured", "git", "parent", "supersedes"]
        .into_iter()
        .chain(["aliases", "sources", "imported"])
    {
        let source = file(key, &format!("{key}: {}\n", sound(key)));
        assert_eq!(redacted(&source, &known), None, "{key}");
    }
    let aliases = "aliases: [handover:0123456789abcdef, c0037acc, 20261115-183649, my word]\n";
    assert_eq!(redacted(&file("aliases", aliases), &known), None);
}

#[test]
fn a_foreign_id_that_is_a_secret_has_the_same_mark_wherever_it_stands() {
    let lines = format!("aliases: [{GITHUB}, c0037acc]\nparent: {GITHUB}\n");
    let out = redacted(&file("aliases", &lines), &KnownSecrets::default()).unwrap().handoff;
    let mark = "[redacted: github token]";
    assert_eq!(out.head.fields.aliases, [mark, "c0037acc"]);
    assert_eq!(out.head.fields.parent.as_deref(), Some(mark));
}

/// Lines of a key in which secrets, quotes, signs and comments come often.
fn lines() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(vec![
            "S",
            "U",
            "a",
            "\"",
            "'",
            "[",
            "]",
            "{",
            "}",
            ",",
            ": ",
            " # ",
            "#",
            "\n  ",
            "\n- ",
            "\n# ",
            " ",
            "|",
            "\\",
            "rest",
            "from",
            "token: ",
            "user",
            "null",
            "\n  - ",
            "\r\n  ",
            "2026-11-15T17:45:00Z",
            "0123456789abcdef",
            "é",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z0-9:=@-]{1,8}",
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_secret_goes_from_whatever_is_written_in_a_key(
        key in 3..HEAD_KEYS.len() + 1, lines in lines(),
    ) {
        let key = HEAD_KEYS.get(key).map_or("x-own", |key| key.name);
        let with = format!(" {lines}").replace('S', &format!(" {GITHUB} "));
        let source = file(key, &format!("{key}:{}\n", with.replace('U', URL)));
        if Handoff::parse(source.as_str()).is_ok() {
            let out = redacted(&source, &KnownSecrets::default());
            let new = out.as_ref().map_or(source.as_str(), |out| out.handoff.source());
            assert!(!new.contains(GITHUB), "{source}\n{new}");
        }
    }

    #[test]
    fn between_the_pieces_of_a_key_there_is_nothing_to_read(lines in lines()) {
        let source = file("x-own", &format!("x-own: {lines}\n"));
        let Ok((front, _)) = FrontMatter::parse(&source) else { return Ok(()) };
        for entry in &front.entries {
            let mut from = 0;
            let mut between = String::new();
            for piece in entry.pieces() {
                between.push_str(&entry.raw[from..piece.range.start]);
                from = piece.range.end;
                if let PieceKind::Scalar(scalar) = &piece.kind {
                    let raw = &entry.raw[piece.range.clone()];
                    let nothing = ["~", "null", "Null", "NULL"].contains(&raw);
                    let text = match raw.starts_with(['"', '\'']) {
                        true => Value::parse(raw).unwrap().as_text().map(str::to_owned),
                        false => Some(raw.to_owned()).filter(|_| scalar.is_key || !nothing),
                    };
                    assert_eq!(text, scalar.text, "{raw}");
                }
            }
            between.push_str(&entry.raw[from..]);
            let sign = |c: char| c.is_whitespace() || "-[]{},:".contains(c);
            assert!(between.chars().all(sign), "{between:?} of {:?}", entry.raw);
        }
    }
}
