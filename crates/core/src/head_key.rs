//! The keys of a head, a row each: how a key is read, how it is written, and what becomes of it where secrets
//! are taken out. There is no other list of them.

use crate::Timestamp;
use crate::front_matter::{FrontMatter, render_line};
use crate::head::{Fields, FormatVersion, Imported};
use crate::kind::HandoffKind;
use crate::scalar::Value;
use crate::source::{ItemSource, ItemSources};

/// One key of a head.
pub(crate) struct HeadKey {
    pub(crate) name: &'static str,
    /// The first format that has it. In an older file it is somebody's own, and kept as it is.
    pub(crate) since: FormatVersion,
    pub(crate) redaction: Redaction,
    shape: KeyShape,
}

/// What becomes of a key's value where secrets are taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redaction {
    /// Ids and where something came from: left alone, whatever stands there.
    Keep,
    /// Left alone as long as it is of its shape, which has no room for a secret; else every text in it is looked at.
    KeepIfSound,
    /// Every text in it is looked at.
    Texts,
    /// The same, but for what stands under this key of the map.
    TextsBut(&'static str),
}

/// What a value is, and where among the fields it belongs.
enum KeyShape {
    /// Every head has it, and the handoff itself reads and writes it.
    Required,
    Text(FieldPlace<Option<String>>),
    Texts(FieldPlace<Vec<String>>),
    Time(FieldPlace<Option<Timestamp>>),
    Map(&'static [(&'static str, FieldPlace<Option<String>>)]),
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

const fn row(
    name: &'static str,
    since: FormatVersion,
    redaction: Redaction,
    shape: KeyShape,
) -> HeadKey {
    HeadKey { name, since, redaction, shape }
}

/// Every key, in the order in which they are written.
pub(crate) static HEAD_KEYS: [HeadKey; 22] = {
    use Redaction::{Keep, KeepIfSound, Texts, TextsBut};
    [
        row("segue", ONE, Keep, KeyShape::Required),
        row("id", ONE, Keep, KeyShape::Required),
        row("created", ONE, Keep, KeyShape::Required),
        row("kind", TWO, KeepIfSound, KeyShape::Kind),
        row("project", ONE, Texts, KeyShape::Text(at!(project))),
        row("name", ONE, Texts, KeyShape::Text(at!(name))),
        row("title", ONE, Texts, KeyShape::Text(at!(title))),
        row("summary", ONE, Texts, KeyShape::Text(at!(summary))),
        row("tags", ONE, Texts, KeyShape::Texts(at!(tags))),
        row("tool", ONE, Texts, KeyShape::Text(at!(tool))),
        row("session", ONE, Texts, KeyShape::Text(at!(session))),
        row("mode", ONE, Texts, KeyShape::Text(at!(mode))),
        row("captured", ONE, KeepIfSound, KeyShape::Time(at!(captured))),
        row("expires", ONE, KeepIfSound, KeyShape::Time(at!(expires))),
        row(
            "saved_from",
            ONE,
            Texts,
            KeyShape::Map(&[
                ("project", at!(saved_from.project)),
                ("dir", at!(saved_from.dir)),
                ("worktree", at!(saved_from.worktree)),
            ]),
        ),
        row(
            "git",
            ONE,
            TextsBut("head"),
            KeyShape::Map(&[
                ("branch", at!(git.branch)),
                ("head", at!(git.head)),
                ("remote", at!(git.remote)),
            ]),
        ),
        row("changed", ONE, Texts, KeyShape::Texts(at!(changed))),
        row("parent", ONE, Keep, KeyShape::Text(at!(parent))),
        row("supersedes", ONE, Keep, KeyShape::Texts(at!(supersedes))),
        row("aliases", ONE, Keep, KeyShape::Texts(at!(aliases))),
        row("sources", TWO, KeepIfSound, KeyShape::Sources),
        row(
            "imported",
            ONE,
            Keep,
            KeyShape::Map(&[
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
            (KeyShape::Map(parts), Value::Map(pairs)) => {
                for (name, place) in *parts {
                    let pair = pairs.iter().find(|(key, _)| key == name);
                    if let Some(text) = pair.and_then(|(_, value)| value.as_text()) {
                        *(place.get_mut)(fields) = Some(text.to_owned());
                    }
                }
                Ok(())
            }
            (KeyShape::Map(_), _) => Err("a map"),
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

    /// Whether a value is what this key's value has to be.
    pub(crate) fn is_sound(&self, value: &Value) -> bool {
        *value == Value::Null || self.read(value, &mut Fields::default()).is_ok()
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
            KeyShape::Map(parts) => {
                let pairs: Vec<(String, Value)> = parts
                    .iter()
                    .filter_map(|(name, place)| {
                        Some(((*name).to_owned(), Value::Text((place.get)(fields).clone()?)))
                    })
                    .collect();
                (!pairs.is_empty()).then_some(Value::Map(pairs))
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
        let left = |wanted: Redaction| -> Vec<&str> {
            let keys = HEAD_KEYS.iter().filter(|key| key.redaction == wanted);
            keys.map(|key| key.name).collect()
        };
        assert_eq!(
            left(Redaction::Keep),
            ["segue", "id", "created", "parent", "supersedes", "aliases", "imported"]
        );
        assert_eq!(left(Redaction::KeepIfSound), ["kind", "captured", "expires", "sources"]);
    }
}
