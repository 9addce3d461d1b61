//! The record of session-handoff: what its store and its bundles hold.
//!
//! Its checksum is taken over the JSON that Go's encoder writes, so that is what is written here.

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::front_matter::{FrontMatter, render_line};
use crate::scalar::Value;
use crate::{
    Draft, Fields, Handoff, HandoffError, HandoffId, Timestamp, next_items, visible_line,
    with_next_items,
};

/// One record, its fields in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeerRecord {
    pub id: String,
    pub created_at: String,
    pub tool: String,
    pub project: String,
    pub title: String,
    pub summary: String,
    /// `null` and an empty list are told apart: the checksum differs.
    pub next: Option<Vec<String>>,
    /// Left out when empty.
    #[serde(default)]
    pub changed: Vec<String>,
}

/// How control characters are written: as Go does now, or as it did before 1.22.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoJson {
    /// `\b` and `\f`.
    Now,
    /// `\u0008` and `\u000c`.
    Before,
}

impl GoJson {
    /// A text as Go's JSON encoder writes it, with its quotes.
    pub fn quote(self, text: &str) -> String {
        quoted(text, self)
    }
}

/// Why a record is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("its '{0}' is empty")]
    Blank(&'static str),
    #[error("its id is not one: {0}")]
    BadId(String),
    #[error("its 'created_at' is not a time like 2026-11-15T18:36:49Z: {0}")]
    BadTime(String),
    #[error("it makes no handoff: {0}")]
    BadHandoff(#[from] HandoffError),
}

/// The key under which a handoff keeps what a record has and a handoff has not.
const KEPT: &str = "session_handoff";
/// Ids are arbitrary texts there; here up to this length.
const MAX_ID: usize = 200;

impl PeerRecord {
    /// The record as compact JSON, over which the checksum is taken.
    pub fn canonical(&self, json: GoJson) -> String {
        let texts = [
            ("id", &self.id),
            ("created_at", &self.created_at),
            ("tool", &self.tool),
            ("project", &self.project),
            ("title", &self.title),
            ("summary", &self.summary),
        ];
        let mut out = String::from("{");
        for (key, text) in texts {
            out.push_str(&format!("\"{key}\":{},", quoted(text, json)));
        }
        let list = |texts: &[String]| {
            let texts: Vec<_> = texts.iter().map(|text| quoted(text, json)).collect();
            format!("[{}]", texts.join(","))
        };
        let next = self.next.as_ref().map_or_else(|| "null".to_owned(), |next| list(next));
        out.push_str(&format!("\"next\":{next}"));
        if !self.changed.is_empty() {
            out.push_str(&format!(",\"changed\":{}", list(&self.changed)));
        }
        out.push('}');
        out
    }

    /// Lower-case hex SHA-256 of the canonical JSON.
    pub fn checksum(&self, json: GoJson) -> String {
        let digest = Sha256::digest(self.canonical(json));
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The record as indented JSON, each line but the first after this indentation.
    pub fn pretty(&self, indent: &str) -> String {
        let json = GoJson::Now;
        let mut lines = vec![
            format!("\"id\": {}", quoted(&self.id, json)),
            format!("\"created_at\": {}", quoted(&self.created_at, json)),
            format!("\"tool\": {}", quoted(&self.tool, json)),
            format!("\"project\": {}", quoted(&self.project, json)),
            format!("\"title\": {}", quoted(&self.title, json)),
            format!("\"summary\": {}", quoted(&self.summary, json)),
        ];
        let list = |texts: &[String]| {
            let texts: Vec<_> =
                texts.iter().map(|text| format!("{indent}    {}", quoted(text, json))).collect();
            match texts.is_empty() {
                true => "[]".to_owned(),
                false => format!("[\n{}\n{indent}  ]", texts.join(",\n")),
            }
        };
        let next = self.next.as_ref().map_or_else(|| "null".to_owned(), |next| list(next));
        lines.push(format!("\"next\": {next}"));
        if !self.changed.is_empty() {
            lines.push(format!("\"changed\": {}", list(&self.changed)));
        }
        format!("{{\n{indent}  {}\n{indent}}}", lines.join(&format!(",\n{indent}  ")))
    }

    /// When it was made, if all of it is as the peer demands.
    pub fn check(&self) -> Result<Timestamp, RecordError> {
        let required = [
            ("id", &self.id),
            ("tool", &self.tool),
            ("project", &self.project),
            ("title", &self.title),
            ("summary", &self.summary),
        ];
        if let Some((key, _)) = required.iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(RecordError::Blank(key));
        }
        if self.id.len() > MAX_ID || self.id.chars().any(char::is_control) {
            let start: String = self.id.chars().take(40).collect();
            return Err(RecordError::BadId(visible_line(&start).into_owned()));
        }
        let bad = || RecordError::BadTime(visible_line(&self.created_at).into_owned());
        let created: Timestamp = self.created_at.parse().map_err(|_| bad())?;
        match created.short() == self.created_at && self.created_at.len() == 20 {
            true => Ok(created),
            false => Err(bad()),
        }
    }

    /// The handoff that it is: the same one every time, and with the record's own id as an alias.
    pub fn to_handoff(&self) -> Result<Handoff, RecordError> {
        let created = self.check()?;
        let own = self.own_id(created);
        let id = own.clone().unwrap_or_else(|| {
            HandoffId::derived(created, format!("session-handoff\0{}", self.id).as_bytes())
        });
        let next = self.next.as_deref().unwrap_or_default();
        let body = with_next_items("", next);
        let mut kept = vec![
            ("id".to_owned(), Value::Text(self.id.clone())),
            ("project".to_owned(), Value::Text(self.project.clone())),
        ];
        if self.next.is_none() {
            kept.push(("next".to_owned(), Value::Null));
        } else if next_items(&body) != next {
            let items = next.iter().cloned().map(Value::Text).collect();
            kept.push(("next".to_owned(), Value::List(items)));
        }
        let label = self.project.rsplit(['/', '\\']).find(|part| !part.trim().is_empty());
        // `latest` is a selector, never an id.
        let alias = (own.is_none() && self.id != "latest").then(|| self.id.clone());
        let draft = Draft {
            fields: Fields {
                project: Some(label.unwrap_or(&self.project).to_owned()),
                title: Some(self.title.clone()),
                summary: Some(self.summary.clone()),
                tool: Some(self.tool.clone()),
                changed: self.changed.clone(),
                aliases: alias.into_iter().collect(),
                ..Fields::default()
            },
            extra: vec![render_line(KEPT, &Value::Map(kept))],
            body,
        };
        Ok(Handoff::parse(draft.render(&id, created))?)
    }

    /// The record of a handoff. What a record has no place for goes into its summary.
    pub fn of(handoff: &Handoff, project: &str) -> Self {
        let fields = &handoff.head.fields;
        // A successor is another record than the one that it was made from.
        let kept = match fields.supersedes.is_empty() {
            true => kept(handoff),
            false => Vec::new(),
        };
        let text = |key: &str| match kept.iter().find(|(name, _)| name == key) {
            Some((_, Value::Text(text))) => Some(text.clone()),
            _ => None,
        };
        let next = match kept.iter().find(|(name, _)| name == "next") {
            Some((_, Value::Null)) => None,
            Some((_, Value::List(items))) => {
                Some(items.iter().filter_map(Value::as_text).map(str::to_owned).collect())
            }
            _ => Some(handoff.next()),
        };
        let title = handoff.display_title();
        let body = handoff.body();
        let mut summary = fields.summary.clone().unwrap_or_default();
        if body != with_next_items("", next.as_deref().unwrap_or_default()) {
            let gap = if summary.is_empty() { "" } else { "\n\n" };
            summary = format!("{summary}{gap}{}", body.trim());
        }
        let or = |text: String, other: &str| match text.trim().is_empty() {
            true => other.to_owned(),
            false => text,
        };
        let project = text("project").unwrap_or_else(|| project.to_owned());
        Self {
            id: text("id").unwrap_or_else(|| handoff.head.id.to_string()),
            created_at: handoff.head.created.whole_second().short(),
            tool: or(fields.tool.clone().unwrap_or_default(), "unknown"),
            project: or(project, "unknown"),
            summary: or(summary, &title),
            title: or(title, "(no title)"),
            next,
            changed: fields.changed.clone(),
        }
    }

    /// Its id, if that is one of ours.
    fn own_id(&self, created: Timestamp) -> Option<HandoffId> {
        let id: HandoffId = self.id.parse().ok()?;
        (!id.is_former() && id.as_str().starts_with(&created.compact())).then_some(id)
    }
}

/// What the head keeps of a record.
fn kept(handoff: &Handoff) -> Vec<(String, Value)> {
    let front = FrontMatter::parse(handoff.source()).map(|(front, _)| front).unwrap_or_default();
    match front.get(KEPT).map(|entry| entry.value.clone()) {
        Some(Ok(Value::Map(pairs))) => pairs,
        _ => Vec::new(),
    }
}

/// A text as Go's JSON encoder writes it.
fn quoted(text: &str, json: GoJson) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' if json == GoJson::Now => out.push_str("\\b"),
            '\u{c}' if json == GoJson::Now => out.push_str("\\f"),
            '\0'..'\u{20}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record() -> PeerRecord {
        PeerRecord {
            id: "20261115-183649".into(),
            created_at: "2026-11-15T18:36:49Z".into(),
            tool: "codex".into(),
            project: "/home/ana/todo-api".into(),
            title: "<T> & \"q\"".into(),
            summary: "a\u{8}\u{c}\u{1}\u{7f}\u{2028}é/\\".into(),
            next: Some(vec!["Run the tests".into()]),
            changed: vec!["a.rs -> b.rs".into()],
        }
    }

    #[test]
    fn json_is_escaped_as_go_does_now_and_did_before() {
        let now = record().canonical(GoJson::Now);
        assert_eq!(
            now,
            "{\"id\":\"20261115-183649\",\"created_at\":\"2026-11-15T18:36:49Z\",\"tool\":\"codex\",\
             \"project\":\"/home/ana/todo-api\",\"title\":\"\\u003cT\\u003e \\u0026 \\\"q\\\"\",\
             \"summary\":\"a\\b\\f\\u0001\u{7f}\\u2028é/\\\\\",\"next\":[\"Run the tests\"],\
             \"changed\":[\"a.rs -\\u003e b.rs\"]}"
        );
        assert_eq!(
            record().canonical(GoJson::Before),
            now.replace("\\b", "\\u0008").replace("\\f", "\\u000c")
        );
    }

    #[test]
    fn a_record_is_a_handoff_with_an_alias() {
        let handoff = record().to_handoff().unwrap();
        let fields = &handoff.head.fields;
        assert_eq!(fields.aliases, ["20261115-183649"]);
        assert_eq!(fields.project.as_deref(), Some("todo-api"));
        assert_eq!(handoff.next(), ["Run the tests"]);
        assert!(handoff.problems.is_empty());
        assert_eq!(record().to_handoff().unwrap(), handoff);
        assert_eq!(PeerRecord::of(&handoff, "elsewhere"), record());
    }

    #[test]
    fn an_id_of_ours_stays_and_latest_is_no_alias_s13() {
        let ours = PeerRecord { id: "20261115-183649-a3f9c12e".into(), ..record() };
        let handoff = ours.to_handoff().unwrap();
        assert_eq!(handoff.head.id.as_str(), ours.id);
        assert!(handoff.head.fields.aliases.is_empty());
        let latest = PeerRecord { id: "latest".into(), ..record() };
        assert!(latest.to_handoff().unwrap().head.fields.aliases.is_empty());
        // An id of our shape that belongs to another moment is somebody else's.
        let foreign = PeerRecord { id: "20251115-183649-a3f9c12e".into(), ..record() };
        assert_ne!(foreign.to_handoff().unwrap().head.id.as_str(), foreign.id);
    }

    #[test]
    fn what_the_peer_would_refuse_is_refused() {
        let refuse = |record: PeerRecord| record.check().unwrap_err().to_string();
        assert_eq!(refuse(PeerRecord { title: " ".into(), ..record() }), "its 'title' is empty");
        for time in
            ["2026-11-15T18:36:49.5Z", "2026-11-15T18:36:49+00:00", "2026-02-30T00:00:00Z", ""]
        {
            let bad = refuse(PeerRecord { created_at: time.into(), ..record() });
            assert!(bad.starts_with("its 'created_at' is not a time"), "{bad}");
        }
        assert_eq!(
            refuse(PeerRecord { id: "a\u{1b}[2J".into(), ..record() }),
            "its id is not one: a␛[2J"
        );
    }

    #[test]
    fn what_a_record_has_no_place_for_is_in_its_summary() {
        let handoff = Handoff::parse("---\nsegue: 1\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00.25Z\nsummary: S\n---\n## Context\n\nWhy\n\n## Next Steps\n\n- Go on\n").unwrap();
        let record = PeerRecord::of(&handoff, "/srv/app");
        assert_eq!(record.id, "20261115-174500-a3f9c12e");
        assert_eq!(record.created_at, "2026-11-15T17:45:00Z");
        assert_eq!(record.tool, "unknown");
        assert_eq!(record.summary, "S\n\n## Context\n\nWhy\n\n## Next Steps\n\n- Go on");
        assert_eq!(record.next, Some(vec!["Go on".to_owned()]));
        assert!(record.check().is_ok());
    }

    proptest! {
        #[test]
        fn a_record_comes_back_as_it_was(
            texts in prop::array::uniform4("\\PC{0,12}[a-z]\\PC{0,12}|[a-z\\n\\t#`\\-*]{1,12}x"),
            next in prop::option::of(prop::collection::vec(any::<String>(), 0..4)),
            changed in prop::collection::vec(any::<String>(), 0..3),
        ) {
            let [tool, project, title, summary] = texts;
            let record = PeerRecord { tool, project, title, summary, next, changed, ..record() };
            let handoff = record.to_handoff().unwrap();
            prop_assert_eq!(PeerRecord::of(&handoff, "other"), record);
        }
    }
}
