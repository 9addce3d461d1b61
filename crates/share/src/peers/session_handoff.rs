//! The records of session-handoff: `handoffs.json`, read as leniently as Go reads it.
//!
//! Its lock file is nobody's business here: the peer replaces its store in one step.

use std::path::{Path, PathBuf};

use segue_core::{Handoff, PeerRecord, Value, visible_line};
use serde_json::{Map, Value as Json};

use super::gathered::Gathered;
use super::source::{decode, file_at, no_handoff, read_bytes};
use super::{Peer, PeerError, PeerHandoff, PeerStore};

const FILE: &str = "handoffs.json";
/// A store is read up to this size.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// The key under which a handoff keeps what a later version of the peer wrote into a record.
const UNKNOWN: &str = "session_handoff_more";
const KEYS: [&str; 8] =
    ["id", "created_at", "tool", "project", "title", "summary", "next", "changed"];

/// `handoffs.json` in the user's configuration directory, as Go finds that.
pub(super) fn default_path(
    home: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || home.map(Path::to_owned).or_else(|| set("HOME"));
    let config = if cfg!(windows) {
        set("APPDATA").or_else(|| set("AppData"))
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Application Support"))
    } else {
        match set("XDG_CONFIG_HOME") {
            // The peer refuses a relative one.
            Some(config) => config.is_absolute().then_some(config),
            None => home().map(|home| home.join(".config")),
        }
    };
    Some(config?.join("session-handoff").join(FILE))
}

/// Reads a store: the file, or the one in this directory.
pub(super) fn read(path: &Path) -> Result<PeerStore, PeerError> {
    let file = file_at(Peer::SessionHandoff, path, FILE)?;
    let bytes = read_bytes(&file, MAX_BYTES).map_err(|error| error.of(&file))?;
    let items = items(&bytes).map_err(|reason| PeerError::NotOne { path: file.clone(), reason })?;
    let mut gathered = Gathered::new(Peer::SessionHandoff);
    for (at, item) in items.into_iter().enumerate() {
        let what = what(at, &item);
        gathered.add(&what, handoff(item));
    }
    Ok(gathered.into_store(&file))
}

/// The records of a file.
fn items(bytes: &[u8]) -> Result<Vec<Json>, String> {
    let text = with_whole_surrogates(decode(bytes).text);
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    let store: Json =
        serde_json::from_str(&text).map_err(|error| format!("it is not JSON: {error}"))?;
    let Json::Object(mut store) = store else {
        return Err("it is not a JSON object".to_owned());
    };
    match take(&mut store, "items") {
        Some(Json::Array(items)) => Ok(items),
        // As Go writes a list that nothing was put into.
        Some(Json::Null) => Ok(Vec::new()),
        None => Err("it has no 'items'".to_owned()),
        Some(_) => Err("its 'items' is not a list".to_owned()),
    }
}

/// Takes a key out of an object, however its letters are written; the last of several counts.
fn take(object: &mut Map<String, Json>, key: &str) -> Option<Json> {
    let mut found = None;
    object.retain(|name, value| {
        let same = name.eq_ignore_ascii_case(key);
        if same {
            found = Some(std::mem::take(value));
        }
        !same
    });
    found
}

/// What a record is called in a message: its place, and its id if it has one.
fn what(at: usize, item: &Json) -> String {
    let id = item.get("id").and_then(Json::as_str).unwrap_or_default();
    let start: String = visible_line(id).chars().take(40).collect();
    match start.is_empty() {
        true => format!("record {}", at + 1),
        false => format!("record {} ({start})", at + 1),
    }
}

/// The handoff of a record.
fn handoff(item: Json) -> Result<PeerHandoff, String> {
    let Json::Object(mut object) = item else {
        return Err("it is not a JSON object".to_owned());
    };
    let known: Map<String, Json> =
        KEYS.iter().filter_map(|key| Some(((*key).to_owned(), take(&mut object, key)?))).collect();
    let record = record(known)?;
    let mut handoff = record.to_handoff().map_err(|error| error.to_string())?;
    if !object.is_empty() {
        handoff = with_unknown(&handoff, object)?;
    }
    let project_label = handoff.head.fields.project.clone();
    Ok(PeerHandoff { handoff, project_path: Some(record.project), project_label })
}

/// The record that the known keys of an object are; an absent text is an empty one.
fn record(mut known: Map<String, Json>) -> Result<PeerRecord, String> {
    let mut text = |key: &'static str| match known.remove(key) {
        None | Some(Json::Null) => Ok(String::new()),
        Some(Json::String(text)) => Ok(text),
        Some(_) => Err(format!("its '{key}' is not a text")),
    };
    let record = PeerRecord {
        id: text("id")?,
        created_at: text("created_at")?,
        tool: text("tool")?,
        project: text("project")?,
        title: text("title")?,
        summary: text("summary")?,
        ..PeerRecord::default()
    };
    let next = texts(known.remove("next"), "next")?;
    let changed = texts(known.remove("changed"), "changed")?.unwrap_or_default();
    Ok(PeerRecord { next, changed, ..record })
}

/// A list of texts, if there is one.
fn texts(value: Option<Json>, key: &str) -> Result<Option<Vec<String>>, String> {
    let wrong = || format!("its '{key}' is not a list of texts");
    let text = |item: Json| match item {
        Json::String(text) => Ok(text),
        Json::Null => Ok(String::new()),
        _ => Err(wrong()),
    };
    match value {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Array(items)) => items.into_iter().map(text).collect::<Result<_, _>>().map(Some),
        Some(_) => Err(wrong()),
    }
}

/// The handoff with the keys of a record that nobody here knows, as the JSON that they were.
fn with_unknown(handoff: &Handoff, unknown: Map<String, Json>) -> Result<Handoff, String> {
    let mut draft = handoff.to_draft();
    let json = Json::Object(unknown).to_string();
    draft.extra.push(format!("{UNKNOWN}: {}\n", Value::Text(json).render()));
    let head = &handoff.head;
    Handoff::parse(draft.render(&head.id, head.created)).map_err(|error| no_handoff(&error))
}

/// JSON in which half a surrogate pair is written as the character that Go reads instead of it.
fn with_whole_surrogates(mut json: String) -> String {
    let bytes = json.as_bytes();
    let mut halves = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|b| *b == b'\\')) {
        at += found;
        at += match (unit(bytes, at), unit(bytes, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                halves.push(at);
                6
            }
            _ => 2,
        };
    }
    for at in halves {
        json.replace_range(at..at + 6, "\\ufffd");
    }
    json
}

/// The number in `\u1234`, if that is what stands here.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at.checked_add(6)?)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_surrogate_is_replaced_and_a_whole_pair_stays() {
        let fixed = |json: &str| with_whole_surrogates(json.to_owned());
        assert_eq!(fixed(r#""\ud83d\ude00""#), r#""\ud83d\ude00""#);
        assert_eq!(fixed(r#""\ud83dx\ude00\uD83D""#), r#""\ufffdx\ufffd\ufffd""#);
        assert_eq!(fixed(r#""\ud83d\ud83d\ude00""#), r#""\ufffd\ud83d\ude00""#);
        assert_eq!(fixed(r#""\\ud83d \u12 \"#), r#""\\ud83d \u12 \"#);
        assert_eq!(fixed(r#""\ud83é""#), r#""\ud83é""#);
    }

    #[test]
    fn keys_are_known_however_they_are_written_and_the_last_counts() {
        let json = br#"{"Version": 7, "ITEMS": [1], "items": [{"a": 1}, null]}"#;
        assert_eq!(items(json).unwrap().len(), 2);
        assert_eq!(items(b"\xef\xbb\xbf{\"items\": null}").unwrap(), Vec::<Json>::new());
    }

    #[test]
    fn another_file_is_not_a_store() {
        let reason = |bytes: &[u8]| items(bytes).unwrap_err();
        assert_eq!(reason(b""), "it is empty");
        assert_eq!(reason(b"\xef\xbb\xbf \n"), "it is empty");
        assert_eq!(reason(b"[]"), "it is not a JSON object");
        assert_eq!(reason(b"{}"), "it has no 'items'");
        assert_eq!(reason(br#"{"version": 2, "record": {}}"#), "it has no 'items'");
        assert_eq!(reason(br#"{"items": "x"}"#), "its 'items' is not a list");
        assert!(reason(br#"{"items": [}"#).starts_with("it is not JSON: "));
        assert!(reason("[".repeat(100_000).as_bytes()).starts_with("it is not JSON: "));
    }

    #[cfg(all(unix, not(target_os = "macos")))]
    #[test]
    fn the_store_is_in_the_configuration_directory() {
        let home = Some(Path::new("/home/ana"));
        let path = |xdg: Option<&'static str>| {
            default_path(home, &|name| xdg.filter(|_| name == "XDG_CONFIG_HOME").map(str::to_owned))
        };
        let at = |text: &str| Some(PathBuf::from(text));
        assert_eq!(path(None), at("/home/ana/.config/session-handoff/handoffs.json"));
        assert_eq!(path(Some("")), path(None));
        assert_eq!(path(Some("/etc/ana")), at("/etc/ana/session-handoff/handoffs.json"));
        assert_eq!(path(Some("etc")), None);
        assert_eq!(default_path(None, &|_| None), None);
    }
}
