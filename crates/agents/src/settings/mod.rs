//! Edits of other programs' settings: text in, text out. What is not ours keeps every byte.
//!
//! Our entries are known by what they run, never by where they stand.

pub(crate) mod block;
pub(crate) mod command;
pub(crate) mod json;
#[cfg(test)]
mod json_tests;
mod splice;
pub(crate) mod toml;
pub(crate) mod tree;
pub(crate) mod yaml;

use std::fmt;

/// Why a file is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// What is wrong with it.
    pub what: String,
    /// The line and column at which that was noticed, from 1.
    pub at: Option<(usize, usize)>,
}

impl SettingsError {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), at: None }
    }

    /// Something at this byte of the text.
    pub(crate) fn at(text: &str, byte: usize, what: impl Into<String>) -> Self {
        let mut byte = byte.min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let before = &text[..byte];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].trim_start_matches(BOM).chars().count() + 1;
        Self { what: what.into(), at: Some((line, column)) }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for SettingsError {}

/// The mark that some editors put before a text.
pub(crate) const BOM: char = '\u{feff}';

/// How lines end in a text.
pub(crate) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// A text with lines at its end, after an empty line. Without a last line end it stays without one, by
/// which `without` knows what to take away.
pub(crate) fn appended(text: &str, lines: &str) -> String {
    let end = line_end(text);
    let lines = lines.trim_end().replace('\n', end);
    match text {
        _ if text.trim_start_matches(BOM).is_empty() => format!("{text}{lines}{end}"),
        _ if text.ends_with('\n') => format!("{text}{end}{lines}{end}"),
        _ => format!("{text}{end}{end}{lines}"),
    }
}

/// A text without these whole lines, and without the empty line that `appended` put before them.
pub(crate) fn without(text: &str, lines: std::ops::Range<usize>) -> String {
    let (mut before, after) = (&text[..lines.start], &text[lines.end..]);
    let cut = |text: &mut &str| {
        if let Some(rest) = text.strip_suffix('\n') {
            *text = rest.strip_suffix('\r').unwrap_or(rest);
        }
    };
    let ended = text[..lines.end].ends_with('\n');
    let empty_line = before.ends_with("\n\n") || before.ends_with("\n\r\n");
    if empty_line || (!ended && before.ends_with('\n')) {
        cut(&mut before);
        if !ended && after.is_empty() && empty_line {
            cut(&mut before);
        }
    }
    format!("{before}{after}")
}
