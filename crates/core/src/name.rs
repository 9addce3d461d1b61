//! Names, labels and tags: short words that a person types and a table shows.
//!
//! They hold at least one letter or digit and no control or direction-changing character, so they
//! can forge no table row and no escape sequence.

use std::fmt;
use std::str::FromStr;

use crate::visible::is_hidden;

/// Why a word cannot be a name, label or tag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("{what} needs at least one letter or digit")]
    Blank { what: &'static str },
    #[error("{what} '{shown}' contains a control character")]
    Control { what: &'static str, shown: String },
    #[error("{what} is longer than {max} bytes")]
    TooLong { what: &'static str, max: usize },
    #[error("{what} '{shown}' contains a comma; commas separate tags")]
    Comma { what: &'static str, shown: String },
}

const MAX_BYTES: usize = 200;

fn checked(text: &str, what: &'static str) -> Result<String, NameError> {
    let text = text.trim();
    if text.chars().any(|c| c.is_control() || is_hidden(c)) {
        return Err(NameError::Control { what, shown: crate::visible_line(text).into_owned() });
    }
    if !text.chars().any(char::is_alphanumeric) {
        return Err(NameError::Blank { what });
    }
    if text.len() > MAX_BYTES {
        return Err(NameError::TooLong { what, max: MAX_BYTES });
    }
    Ok(text.to_owned())
}

macro_rules! word {
    ($(#[$doc:meta])* $type:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $type(String);

        impl $type {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<$type> for String {
            fn from(word: $type) -> String {
                word.0
            }
        }

        impl FromStr for $type {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                checked(text, $what).map(Self)
            }
        }
    };
}

word!(
    /// A handoff's name. Not unique: the newest of a name is the current one.
    Name,
    "a name"
);
word!(
    /// A project's label.
    Label,
    "a project label"
);

/// One tag.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(String);

impl Tag {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The tags of a comma list; empty places are skipped, doubles dropped.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, NameError> {
        let mut tags: Vec<Self> = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let tag: Self = part.parse()?;
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        Ok(tags)
    }
}

impl FromStr for Tag {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let tag = checked(text, "a tag")?;
        if tag.contains(',') {
            return Err(NameError::Comma { what: "a tag", shown: tag });
        }
        Ok(Self(tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitespace_and_dots_are_no_name() {
        for text in ["", "   ", "\t", "..", "///", "-"] {
            assert!(matches!(
                text.parse::<Name>(),
                Err(NameError::Blank { .. }) | Err(NameError::Control { .. })
            ));
        }
        assert_eq!(" project-state ".parse::<Name>().unwrap().as_str(), "project-state");
    }

    #[test]
    fn control_and_direction_characters_are_refused() {
        for text in ["a\nb", "a\tb", "a\u{1b}[31mb", "a\u{202e}b", "a\u{9b}b", "a\0b"] {
            assert!(matches!(text.parse::<Name>(), Err(NameError::Control { .. })), "{text:?}");
        }
    }

    #[test]
    fn tag_lists_skip_empty_places() {
        let tags = Tag::parse_list(" x, y,,x, ").unwrap();
        assert_eq!(tags.iter().map(Tag::as_str).collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(Tag::parse_list(" , ").unwrap(), []);
    }
}
