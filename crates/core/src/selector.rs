//! Selectors: how a command line names a handoff.

use std::fmt;
use std::str::FromStr;

/// `latest`, or an id, an alias, or the beginning of an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    Latest,
    /// Tried in order: exact id, exact alias, unique beginning of a full or a short id.
    Word(String),
}

/// Why a text selects nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    #[error("the id is empty")]
    Empty,
    #[error("'{0}' is not an id: it contains a control character")]
    Control(String),
}

impl Selector {
    /// The word as the beginning of an id, if it can be one: hex digits and dashes.
    pub fn id_prefix(word: &str) -> Option<String> {
        let lower = word.to_ascii_lowercase();
        let shaped = lower.len() <= 24 && lower.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
        (shaped && !lower.is_empty()).then_some(lower)
    }
}

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(SelectorError::Empty);
        }
        if text.chars().any(char::is_control) {
            return Err(SelectorError::Control(crate::visible_line(text).into_owned()));
        }
        Ok(if text == "latest" { Self::Latest } else { Self::Word(text.to_owned()) })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latest => f.write_str("latest"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_id_selects_nothing_s10() {
        assert_eq!("".parse::<Selector>(), Err(SelectorError::Empty));
        assert_eq!("  ".parse::<Selector>(), Err(SelectorError::Empty));
    }

    #[test]
    fn words_and_prefixes() {
        assert_eq!("latest".parse(), Ok(Selector::Latest));
        assert_eq!("A3f".parse(), Ok(Selector::Word("A3f".into())));
        assert_eq!(Selector::id_prefix("A3f").as_deref(), Some("a3f"));
        assert_eq!(Selector::id_prefix("20261115-1745").as_deref(), Some("20261115-1745"));
        assert_eq!(Selector::id_prefix("my-note"), None);
    }
}
