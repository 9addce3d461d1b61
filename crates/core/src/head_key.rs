//! The keys of a head, a row each: how a key is read, how it is written, and what becomes of it where secrets
//! are taken out. There is no other list of them.

use std::ops::RangeInclusive;

use crate::front_matter::{FrontMatter, render_line};
use crate::head::{Fields, FormatVersion, Imported};
use crate::kind::HandoffKind;
use crate::scalar::{ScalarAt, Value};
use crate::source::{ItemSource, ItemSources};
use crate::{HandoffId, Timestamp};

/// One key of a head.
pub(crate) struct HeadKey {
    pub(crate) name: &'static str,
    /// The first format that has it. In an older file it is somebody's own, and kept as it is.
    pub(crate) since: FormatVersion,
    exact: Exact,
    shape: KeyShape,
}

/// What a text of a key has to be to be left alone where secrets are taken out: it has no room for one. Any other
/// text in the lines of a key is looked at, comments too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exact {
    /// No text is left alone.
    Nothing,
    Number,
    Time,
    Kind,
    /// The id of a handoff or its last part.
    Id,
    /// The same, and the digest by which something of another tool is known.
    Alias,
    /// In the map, the id of a commit.
    Commit,
    /// In the map, the fingerprint of a key and the time.
    Import,
    /// Sources and marks of items.
    Sources,
}

/// What a value is, and where among the fields it belongs.
enum KeyShape {
    /// Every head has it, and the handoff itself reads and writes it.
    Required,
    Text(FieldPlace<Option<String>>),
    Texts(FieldPlace<Vec<String>>),
    Time(FieldPlace<Option<Timestamp>>),
    Map(&'static [(&'static str, FieldPlace<Option<String>>)]),
    /// A map too, of which nothing has to be there: the key alone says that a handoff came from elsewhere.
    Import(&'static [(&'static str, FieldPlace<Option<String>>)]),
    Kind,
    Sources,
}

struct FieldPlace<T> {
    get: fn(&Fields) -> &T,
    get_mut: fn(&mut Fields) -> &mut T,
}

/// The place of a field.
macro_rules! at {
    ($($field:ident).+) => {
        FieldPlace { get: |fields| &fields.$($field).+, get_mut: |fields| &mut fields.$($field).+ }
    };
}

/// The place of a part of what an import says, which need not be there.
macro_rules! at_import {
    ($field:ident) => {
        FieldPlace {
            get: |fields| fields.imported.as_ref().map_or(&None, |imported| &imported.$field),
            get_mut: |fields| &mut fields.imported.get_or_insert_with(Imported::default).$field,
        }
    };
}

const ONE: FormatVersion = FormatVersion(1);
const TWO: FormatVersion = FormatVersion(2);

const fn row(name: &'static str, since: FormatVersion, exact: Exact, shape: KeyShape) -> HeadKey {
    HeadKey { name, since, exact, shape }
}

/// Every key, in the order in which they are written.
pub(crate) static HEAD_KEYS: [HeadKey; 22] = {
    use Exact::{Alias, Commit, Id, Import, Kind, Nothing, Number, Sources, Time};
    [
        row("segue", ONE, Number, KeyShape::Required),
        row("id", ONE, Id, KeyShape::Required),
        row("created", ONE, Time, KeyShape::Required),
        row("kind", TWO, Kind, KeyShape::Kind),
        row("project", ONE, Nothing, KeyShape::Text(at!(project))),
        row("name", ONE, Nothing, KeyShape::Text(at!(name))),
        row("title", ONE, Nothing, KeyShape::Text(at!(title))),
        row("summary", ONE, Nothing, KeyShape::Text(at!(summary))),
        row("tags", ONE, Nothing, KeyShape::Texts(at!(tags))),
        row("tool", ONE, Nothing, KeyShape::Text(at!(tool))),
        row("session", ONE, Nothing, KeyShape::Text(at!(session))),
        row("mode", ONE, Nothing, KeyShape::Text(at!(mode))),
        row("captured", ONE, Time, KeyShape::Time(at!(captured))),
        row("expires", ONE, Time, KeyShape::Time(at!(expires))),
        row(
            "saved_from",
            ONE,
            Nothing,
            KeyShape::Map(&[
                ("project", at!(saved_from.project)),
                ("dir", at!(saved_from.dir)),
                ("worktree", at!(saved_from.worktree)),
            ]),
        ),
        row(
            "git",
            ONE,
            Commit,
            KeyShape::Map(&[
                ("branch", at!(git.branch)),
                ("head", at!(git.head)),
                ("remote", at!(git.remote)),
            ]),
        ),
        row("changed", ONE, Nothing, KeyShape::Texts(at!(changed))),
        row("parent", ONE, Id, KeyShape::Text(at!(parent))),
        row("supersedes", ONE, Id, KeyShape::Texts(at!(supersedes))),
        row("aliases", ONE, Alias, KeyShape::Texts(at!(aliases))),
        row("sources", TWO, Sources, KeyShape::Sources),
        row(
            "imported",
            ONE,
            Import,
            KeyShape::Import(&[
                ("signer", at_import!(signer)),
                ("at", at_import!(at)),
                ("from", at_import!(from)),
            ]),
        ),
    ]
};

impl HeadKey {
    /// The key of this name, if a head of this version has it.
    pub(crate) fn of(name: &str, version: FormatVersion) -> Option<&'static Self> {
        HEAD_KEYS.iter().find(|key| key.name == name && key.since <= version)
    }

    /// Puts a value where it belongs; the error says what it is not. What can be used of it is put there all the
    /// same.
    fn read(&self, value: &Value, fields: &mut Fields) -> Result<(), &'static str> {
        match (&self.shape, value) {
            (KeyShape::Required, _) => Ok(()),
            (KeyShape::Text(place), Value::Text(text)) => {
                *(place.get_mut)(fields) = Some(text.clone());
                Ok(())
            }
            (KeyShape::Text(_), _) => Err("a text"),
            (KeyShape::Texts(place), Value::Text(text)) => {
                *(place.get_mut)(fields) = vec![text.clone()];
                Ok(())
            }
            (KeyShape::Texts(place), Value::List(items)) => {
                let texts: Vec<String> =
                    items.iter().filter_map(Value::as_text).map(str::to_owned).collect();
                let whole = texts.len() == items.len();
                *(place.get_mut)(fields) = texts;
                whole.then_some(()).ok_or("a list of texts")
            }
            (KeyShape::Texts(_), _) => Err("a list of texts"),
            (KeyShape::Time(place), value) => match value {
                Value::Text(text) => {
                    let time = text.parse().map_err(|_| "a time")?;
                    *(place.get_mut)(fields) = Some(time);
                    Ok(())
                }
                _ => Err("a text"),
            },
            (KeyShape::Map(parts) | KeyShape::Import(parts), Value::Map(pairs)) => {
                for (name, place) in *parts {
                    let pair = pairs.iter().find(|(key, _)| key == name);
                    if let Some(text) = pair.and_then(|(_, value)| value.as_text()) {
                        *(place.get_mut)(fields) = Some(text.to_owned());
                    }
                }
                Ok(())
            }
            (KeyShape::Map(_) | KeyShape::Import(_), _) => Err("a map"),
            (KeyShape::Kind, value) => {
                let kind = value.as_text().and_then(|word| word.parse().ok());
                // Whatever it is, nobody shall go on from it.
                fields.kind = kind.unwrap_or(HandoffKind::Other);
                kind.map(drop).ok_or("a kind")
            }
            (KeyShape::Sources, value) => {
                let sources = ItemSources::read(value);
                let sound = sources.is_some();
                // What cannot be read must not raise anything.
                fields.sources = sources.unwrap_or_else(|| ItemSources::all(ItemSource::Imported));
                sound.then_some(()).ok_or("a map of sources")
            }
        }
    }

    /// Whether a text in its value is such that there is no room for a secret in it.
    pub(crate) fn is_exact(&self, scalar: &ScalarAt) -> bool {
        let Some(text) = scalar.text.as_deref() else { return true };
        if scalar.is_key {
            return match &self.shape {
                KeyShape::Map(parts) | KeyShape::Import(parts) => {
                    parts.iter().any(|(name, _)| *name == text)
                }
                KeyShape::Sources => ItemSources::is_word(text),
                _ => false,
            };
        }
        match (self.exact, scalar.under.as_deref()) {
            (Exact::Number, None) => text.bytes().all(|byte| byte.is_ascii_digit()),
            (Exact::Time, None) | (Exact::Import, Some("at")) => is_plain_time(text),
            (Exact::Kind, None) => text.parse::<HandoffKind>().is_ok(),
            (Exact::Id, None) => is_id(text),
            (Exact::Alias, None) => is_id(text) || is_alias_digest(text),
            (Exact::Commit, Some("head")) => is_hex(text, 4..=64),
            (Exact::Import, Some("signer")) => is_hex(text, 64..=64),
            (Exact::Sources, Some(_)) => ItemSources::is_word(text) || is_hex(text, 16..=16),
            _ => false,
        }
    }

    /// What is written for a text that is still read as it has to be, though there is more in it than that.
    pub(crate) fn plain(&self, text: &str) -> Option<String> {
        let time = (self.exact == Exact::Time).then(|| text.parse::<Timestamp>().ok()).flatten();
        time.map(|time| time.to_string())
    }

    /// Writes its line, if the fields have a value for it.
    fn render(&self, fields: &Fields, version: FormatVersion, out: &mut String) {
        let value = match &self.shape {
            KeyShape::Required => None,
            KeyShape::Text(place) => (place.get)(fields).clone().map(Value::Text),
            KeyShape::Texts(place) => {
                let texts = (place.get)(fields);
                let list = || Value::List(texts.iter().cloned().map(Value::Text).collect());
                (!texts.is_empty()).then(list)
            }
            KeyShape::Time(place) => {
                // A time of our own making stays bare: every reader takes it for a time or this text.
                if let Some(at) = (place.get)(fields) {
                    out.push_str(&format!("{}: {}\n", self.name, at.short()));
                }
                None
            }
            KeyShape::Map(parts) | KeyShape::Import(parts) => {
                let pairs: Vec<(String, Value)> = parts
                    .iter()
                    .filter_map(|(name, place)| {
                        Some(((*name).to_owned(), Value::Text((place.get)(fields).clone()?)))
                    })
                    .collect();
                let is_import = matches!(self.shape, KeyShape::Import(_));
                let is_there = !pairs.is_empty() || is_import && fields.imported.is_some();
                is_there.then_some(Value::Map(pairs))
            }
            KeyShape::Kind => {
                (version >= self.since).then(|| Value::Text(fields.kind.as_str().to_owned()))
            }
            KeyShape::Sources => fields.sources.value(),
        };
        if let Some(value) = value {
            out.push_str(&render_line(self.name, &value));
        }
    }
}

fn is_hex(text: &str, length: RangeInclusive<usize>) -> bool {
    length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A time and nothing besides, as the name of a zone.
fn is_plain_time(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_digit() || b"TtZz:-+., ".contains(&byte);
    text.bytes().all(plain) && text.parse::<Timestamp>().is_ok()
}

/// An id, or only its last part.
fn is_id(text: &str) -> bool {
    is_hex(text, 8..=8) || text.parse::<HandoffId>().is_ok()
}

/// The name of another tool and the digest of what it had.
fn is_alias_digest(text: &str) -> bool {
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    text.split_once(':').is_some_and(|(tool, digest)| is_name(tool) && is_hex(digest, 16..=16))
}

impl Fields {
    /// Reads the optional keys. A value of the wrong shape counts as absent and is reported.
    pub(crate) fn read(
        front: &FrontMatter,
        version: FormatVersion,
        problems: &mut Vec<String>,
    ) -> Self {
        let mut fields = Self::default();
        for key in HEAD_KEYS.iter().filter(|key| key.since <= version) {
            let Some(entry) = front.get(key.name) else { continue };
            if matches!(key.shape, KeyShape::Required) {
                continue;
            }
            if matches!(key.shape, KeyShape::Import(_)) {
                // What cannot be read of it must not make anything this machine's own.
                fields.imported = Some(Imported::default());
            }
            match &entry.value {
                Ok(Value::Null) => {}
                Ok(value) => {
                    if let Err(wanted) = key.read(value, &mut fields) {
                        let problem =
                            format!("line {}: '{}' is not {wanted}", entry.line, key.name);
                        problems.push(problem);
                    }
                }
                Err(error) => {
                    // As for a value of another shape.
                    let _ = key.read(&Value::Null, &mut fields);
                    problems.push(format!("line {}: '{}' {error}", entry.line, key.name));
                }
            }
        }
        fields
    }

    /// Writes the keys that have a value, one line each.
    pub(crate) fn render(&self, version: FormatVersion, out: &mut String) {
        for key in HEAD_KEYS.iter().filter(|key| key.since <= version) {
            key.render(self, version, out);
        }
    }

    /// Whether they say something that format 1 has no key for.
    pub(crate) fn need_format_2(&self) -> bool {
        self.kind != HandoffKind::Handoff || self.captured.is_some() || !self.sources.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_the_same_keys_in_the_same_order() {
        let document = include_str!("../../../docs/format.md");
        let table = document.split("\n## 3. Known keys\n").nth(1).unwrap();
        let rows = table.lines().filter(|line| line.starts_with("| `")).take(HEAD_KEYS.len());
        let described: Vec<(&str, &str)> = rows
            .map(|row| {
                let mut cells = row.split('|').map(str::trim).skip(1);
                (cells.next().unwrap().trim_matches('`'), cells.next().unwrap())
            })
            .collect();
        let rows = HEAD_KEYS.iter().map(|key| (key.name, if key.since == ONE { "1" } else { "2" }));
        assert_eq!(described, rows.collect::<Vec<_>>());
    }

    #[test]
    fn what_is_left_alone_is_listed_here_too() {
        let exact = HEAD_KEYS.iter().filter(|key| key.exact != Exact::Nothing);
        assert_eq!(
            exact.map(|key| key.name).collect::<Vec<_>>(),
            [
                "segue",
                "id",
                "created",
                "kind",
                "captured",
                "expires",
                "git",
                "parent",
                "supersedes",
                "aliases",
                "sources",
                "imported",
            ]
        );
    }
}
