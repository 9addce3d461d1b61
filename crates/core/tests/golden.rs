//! The golden files of the format's versions: what they say today they say for ever.
//!
//! Each file stands beside what is expected of it: `.json` for what it says, `.err` for why it is
//! refused. `docs/format.md` describes the format.
#![expect(clippy::disallowed_methods, reason = "the golden files lie on the disk")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy knows a helper of tests only inside the library"
)]

use std::fs;
use std::path::{Path, PathBuf};

use segue_core::{
    Archive, BlockKind, Fields, Handoff, HandoffError, HandoffKind, MAX_HANDOFF_BYTES, blocks,
    read_peer_note, sections,
};
use serde_json::{Map, Value, json};

/// The Markdown files of a case directory of every version, sorted. A directory that lost its cases fails.
fn cases(kind: &str, at_least: usize) -> Vec<PathBuf> {
    let of_version = |version: &str, at_least| cases_of(&format!("{version}/{kind}"), at_least);
    let mut found = of_version("format-1", at_least);
    if kind != "archive" {
        found.extend(of_version("format-2", 2));
    }
    found
}

fn cases_of(dir: &str, at_least: usize) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(dir);
    let mut found: Vec<PathBuf> = fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    found.sort();
    assert!(found.len() >= at_least, "{} in {dir:?}", found.len());
    found
}

fn expected_json(case: &Path) -> Value {
    let path = case.with_extension("json");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

fn expected_error(case: &Path) -> Option<String> {
    let text = fs::read_to_string(case.with_extension("err")).ok()?;
    Some(text.trim_end_matches('\n').to_owned())
}

/// Reads a file as the store does: a peer's note by its header comment, all else as a handoff.
fn read(case: &Path) -> Result<Handoff, HandoffError> {
    let bytes = fs::read(case).unwrap();
    let name = case.file_name().unwrap().to_str().unwrap();
    let note = std::str::from_utf8(&bytes).ok().and_then(|source| read_peer_note(source, name));
    note.map_or_else(|| Handoff::parse_bytes(bytes), Ok)
}

/// The keys that are there, as a YAML reader would give them.
fn fields_json(fields: &Fields) -> Map<String, Value> {
    let text = |value: &Option<String>| value.clone().map(Value::String);
    let list = |values: &[String]| (!values.is_empty()).then(|| json!(values));
    let map = |pairs: &[(&str, &Option<String>)]| {
        let there: Map<String, Value> = pairs
            .iter()
            .filter_map(|(key, value)| Some(((*key).to_owned(), json!(value.as_ref()?))))
            .collect();
        (!there.is_empty()).then_some(Value::Object(there))
    };
    let imported = fields.imported.clone().unwrap_or_default();
    let from = &fields.saved_from;
    let git = &fields.git;
    [
        ("project", text(&fields.project)),
        ("name", text(&fields.name)),
        ("title", text(&fields.title)),
        ("summary", text(&fields.summary)),
        ("tags", list(&fields.tags)),
        ("tool", text(&fields.tool)),
        ("session", text(&fields.session)),
        ("mode", text(&fields.mode)),
        ("captured", fields.captured.map(|at| json!(at.short()))),
        ("expires", fields.expires.map(|at| json!(at.short()))),
        (
            "saved_from",
            map(&[("project", &from.project), ("dir", &from.dir), ("worktree", &from.worktree)]),
        ),
        ("git", map(&[("branch", &git.branch), ("head", &git.head), ("remote", &git.remote)])),
        ("changed", list(&fields.changed)),
        ("parent", text(&fields.parent)),
        ("supersedes", list(&fields.supersedes)),
        ("aliases", list(&fields.aliases)),
        (
            "imported",
            map(&[("signer", &imported.signer), ("at", &imported.at), ("from", &imported.from)]),
        ),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key.to_owned(), value?)))
    .collect()
}

/// What a reader must find in a handoff. `same_in_yaml` is the case's own claim, not read from it.
fn handoff_json(handoff: &Handoff, same_in_yaml: &Value) -> Value {
    let mut found = json!({
        "same_in_yaml": same_in_yaml,
        "segue": handoff.head.version.0,
        "id": handoff.head.id.as_str(),
        "created": handoff.head.created.to_string(),
        "fields": fields_json(&handoff.head.fields),
        "problems": handoff.problems,
        "extra": handoff.to_draft().extra,
        "body": handoff.body(),
        "next": handoff.next(),
    });
    let fields = &handoff.head.fields;
    if fields.kind != HandoffKind::Handoff {
        found["kind"] = json!(fields.kind.as_str());
    }
    if !fields.sources.is_empty() {
        found["items"] = items_json(handoff);
    }
    found
}

/// Whose words the items are, by section.
fn items_json(handoff: &Handoff) -> Value {
    let mut found = Vec::new();
    for section in sections(handoff.body()) {
        for item in blocks(section.text).iter().filter(|block| block.kind != BlockKind::Heading) {
            let source = handoff.source_of(section.title, item.words());
            found.push(json!([section.title, item.words(), source.as_str()]));
        }
    }
    Value::Array(found)
}

#[test]
fn every_accepted_file_says_what_is_written_beside_it() {
    for case in cases("accept", 10) {
        let handoff = read(&case).unwrap_or_else(|error| panic!("{case:?}: {error}"));
        let expected = expected_json(&case);
        let found = handoff_json(&handoff, &expected["same_in_yaml"]);
        assert_eq!(found, expected, "{case:?}");
    }
}

#[test]
fn every_accepted_file_is_kept_byte_for_byte() {
    for case in cases("accept", 10) {
        let source = fs::read_to_string(&case).unwrap();
        let handoff = read(&case).unwrap();
        if source.starts_with("<!-- agent-handover ") {
            // A note has no front matter: it is given one, before the same body.
            assert!(source.ends_with(handoff.body()), "{case:?}");
        } else {
            assert_eq!(handoff.source(), source, "{case:?}");
        }
    }
}

#[test]
fn a_successor_of_every_accepted_file_says_the_same() {
    for case in cases("accept", 10) {
        let handoff = read(&case).unwrap();
        let draft = handoff.to_draft();
        let source = draft.render(&handoff.head.id, handoff.head.created);
        assert_eq!(Handoff::parse(source).unwrap().to_draft(), draft, "{case:?}");
    }
}

#[test]
fn an_independent_yaml_reader_agrees() {
    let mut compared = 0;
    for case in cases("accept", 10) {
        let expected = expected_json(&case);
        if expected["same_in_yaml"] != true {
            continue;
        }
        compared += 1;
        let handoff = read(&case).unwrap();
        let source = handoff.source();
        let head = &source[..source.len() - handoff.body().len()];
        let head = head.trim_start_matches('\u{feff}').trim_end();
        let head = head.trim_start_matches('-').trim_end_matches('-');
        let yaml: Value = serde_saphyr::from_str(head)
            .unwrap_or_else(|error| panic!("{case:?}: {error}\n{head}"));
        for (key, value) in expected["fields"].as_object().unwrap() {
            assert_eq!(&yaml[key], value, "{key} of {case:?}");
        }
        for key in ["segue", "id"] {
            assert_eq!(yaml[key], expected[key], "{key} of {case:?}");
        }
        if let Some(kind) = expected.get("kind").filter(|_| expected["segue"] == 2) {
            assert_eq!(yaml["kind"], *kind, "{case:?}");
        }
    }
    assert!(compared >= 8, "only {compared} files compared");
}

#[test]
fn every_refused_file_says_why() {
    for case in cases("reject", 12) {
        let refused = read(&case).err().map(|error| error.to_string());
        assert!(refused.is_some(), "{case:?}");
        assert_eq!(refused, expected_error(&case), "{case:?}");
    }
}

#[test]
fn the_largest_file_is_read_and_one_byte_more_is_not() {
    let mut bytes = fs::read(&cases("accept", 10)[0]).unwrap();
    bytes.resize(MAX_HANDOFF_BYTES as usize, b'x');
    assert!(Handoff::parse_bytes(bytes.clone()).is_ok());
    bytes.push(b'x');
    assert_eq!(Handoff::parse_bytes(bytes), Err(HandoffError::TooLarge));
}

#[test]
fn archives_hold_whole_handoffs_or_say_which_is_damaged() {
    for case in cases("archive", 2) {
        let source = fs::read_to_string(&case).unwrap();
        let archive = match Archive::parse(&source) {
            Ok(archive) => archive,
            Err(error) => {
                assert_eq!(Some(error.to_string()), expected_error(&case), "{case:?}");
                continue;
            }
        };
        let expected = expected_json(&case);
        assert_eq!(archive_json(&archive), expected["entries"], "{case:?}");
        let text = |key: &str| expected[key].as_str().unwrap();
        let again = archive.render(text("month"), text("tag"));
        if source.contains("<!-- segue:contents -->") {
            assert_eq!(again, source, "{case:?}");
        } else {
            // One of before there were contents gets them, and nothing else changes.
            let (before, rest) = again.split_once("<!-- segue:contents -->\n").unwrap();
            let (_, after) = rest.split_once("<!-- segue:contents end -->\n\n").unwrap();
            assert_eq!(format!("{before}{after}"), source, "{case:?}");
        }
    }
}

fn archive_json(archive: &Archive) -> Value {
    let entries = archive.entries.iter().map(|entry| {
        let handoff = Handoff::parse(entry.source.clone()).unwrap();
        assert_eq!(handoff.head.id, entry.id);
        json!({
            "id": entry.id.as_str(),
            "file": entry.file,
            "offset": entry.offset,
            "bytes": entry.source.len(),
            "title": handoff.display_title(),
        })
    });
    entries.collect()
}
