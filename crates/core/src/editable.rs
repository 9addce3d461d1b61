//! What a person gets into the editor: a few keys and the body.

use crate::front_matter::{FrontMatter, FrontMatterError, render_line};
use crate::scalar::Value;
use crate::{Fields, NameError, Tag};

/// The parts of a handoff that are edited as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editable {
    pub title: String,
    pub summary: String,
    pub name: String,
    pub tags: Vec<String>,
    pub body: String,
}

/// Why an edited text cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditableError {
    #[error(transparent)]
    FrontMatter(#[from] FrontMatterError),
    #[error("line {line}: '{key}' cannot be changed here")]
    Unknown { key: String, line: usize },
    #[error("line {line}: '{key}' is not {wanted}")]
    Invalid { key: String, line: usize, wanted: &'static str },
    #[error(transparent)]
    Tag(#[from] NameError),
}

impl Editable {
    pub fn new(fields: &Fields, body: &str) -> Self {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        Self {
            title: text(&fields.title),
            summary: text(&fields.summary),
            name: text(&fields.name),
            tags: fields.tags.clone(),
            body: body.to_owned(),
        }
    }

    pub fn render(&self) -> String {
        let mut out = String::from("---\n");
        for (key, text) in
            [("title", &self.title), ("summary", &self.summary), ("name", &self.name)]
        {
            if text.is_empty() {
                out.push_str(&format!("{key}:\n"));
            } else {
                out.push_str(&render_line(key, &Value::Text(text.clone())));
            }
        }
        out.push_str(&render_line(
            "tags",
            &Value::List(self.tags.iter().cloned().map(Value::Text).collect()),
        ));
        out.push_str("---\n");
        out.push_str(&self.body);
        out
    }

    pub fn parse(source: &str) -> Result<Self, EditableError> {
        let (front, body_at) = FrontMatter::parse(source)?;
        let mut edited = Self { body: source[body_at..].to_owned(), ..Self::default() };
        for entry in front.entries.iter().filter(|entry| !entry.key.is_empty()) {
            let invalid = |wanted| EditableError::Invalid {
                key: entry.key.clone(),
                line: entry.line,
                wanted,
            };
            let value = entry.value.as_ref().map_err(|_| invalid("a text on one line"))?;
            let text = || match value {
                Value::Null => Ok(String::new()),
                Value::Text(text) => Ok(text.clone()),
                _ => Err(invalid("a text")),
            };
            match entry.key.as_str() {
                "title" => edited.title = text()?,
                "summary" => edited.summary = text()?,
                "name" => edited.name = text()?,
                "tags" => {
                    let tags = match value {
                        Value::Null => Vec::new(),
                        Value::Text(text) => Tag::parse_list(text)?,
                        Value::List(items) => {
                            let texts = items.iter().map(|item| {
                                item.as_text().ok_or_else(|| invalid("a list of texts"))
                            });
                            Tag::parse_list(&texts.collect::<Result<Vec<_>, _>>()?.join(","))?
                        }
                        Value::Map(_) => return Err(invalid("a list of texts")),
                    };
                    edited.tags = tags.iter().map(|tag| tag.as_str().to_owned()).collect();
                }
                _ => {
                    return Err(EditableError::Unknown {
                        key: entry.key.clone(),
                        line: entry.line,
                    });
                }
            }
        }
        Ok(edited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_reads_back() {
        let editable = Editable {
            title: "Auth: half done".into(),
            summary: String::new(),
            name: "state".into(),
            tags: vec!["api".into(), "x y".into()],
            body: "## Context\n".into(),
        };
        assert_eq!(
            editable.render(),
            "---\ntitle: \"Auth: half done\"\nsummary:\nname: state\ntags: [api, x y]\n---\n## Context\n"
        );
        assert_eq!(Editable::parse(&editable.render()), Ok(editable));
    }

    #[test]
    fn other_keys_are_refused_by_line() {
        let refused = Editable::parse("---\ntitle: a\nid: x\n---\n").unwrap_err();
        assert_eq!(refused.to_string(), "line 3: 'id' cannot be changed here");
        assert!(Editable::parse("---\ntitle: [a]\n---\n").is_err());
    }
}
