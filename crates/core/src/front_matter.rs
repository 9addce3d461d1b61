//! Front matter: the lines between two `---`, one key a line.
//!
//! The parser finds where each key's lines begin and end and keeps them raw, so that a key it does
//! not know, whatever YAML it holds, survives every round trip byte for byte.

use std::ops::Range;

use crate::scalar::{MAX_ITEMS, ScalarAt, TOO_MANY, Value, ValueError, split_key};

/// The parsed lines, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontMatter {
    pub entries: Vec<Entry>,
}

/// One key with all its lines, or a run of comments and blank lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Empty for comments and blank lines.
    pub key: String,
    /// The exact lines, line ends included.
    pub raw: String,
    /// The value, if it is in the subset.
    pub value: Result<Value, ValueError>,
    /// Number of the first line, counted from 1 at the opening `---`.
    pub line: usize,
}

/// A part of an entry's lines in which anything can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) range: Range<usize>,
    pub(crate) kind: PieceKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// The name of the entry.
    Key,
    /// A scalar of its value.
    Scalar(ScalarAt),
    /// A comment, from its sign to the end of its line.
    Comment,
    /// A value that is not in the subset, as a whole.
    Odd,
}

impl Entry {
    /// Whether it is a run of comments and blank lines.
    pub fn is_comment(&self) -> bool {
        self.raw.trim_start().is_empty() || self.raw.trim_start().starts_with('#')
    }

    /// What is written in its lines, in order. Between the pieces there are only signs and white space.
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut from = 0;
        if !self.is_comment() {
            let line = self.raw.split('\n').next().unwrap_or_default().trim_end_matches('\r');
            let after = split_key(line).map_or(0, |(_, after)| line.len() - after.len());
            let key = line[..after].strip_suffix(':').unwrap_or_default().trim_end().len();
            pieces.push(Piece { range: 0..key, kind: PieceKind::Key });
            let mut scalars = Vec::new();
            if entry_value(&self.raw, after, Some(&mut scalars)).is_err() {
                let odd = self.raw[after..].trim();
                let start = self.raw.len() - self.raw[after..].trim_start().len();
                let range = start..start + odd.len();
                pieces.extend((!odd.is_empty()).then_some(Piece { range, kind: PieceKind::Odd }));
                return pieces;
            }
            from = after;
            for scalar in scalars {
                pieces.extend(comments(&self.raw, from..scalar.range.start));
                from = scalar.range.end;
                let range = scalar.range.clone();
                pieces.push(Piece { range, kind: PieceKind::Scalar(scalar) });
            }
        }
        pieces.extend(comments(&self.raw, from..self.raw.len()));
        pieces
    }
}

/// Why a text has no front matter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrontMatterError {
    #[error("the file does not begin with '---'")]
    NoOpening,
    #[error("the front matter has no closing '---'")]
    NoClosing,
    #[error("line {line} of the front matter is not 'key: value'")]
    NotAKey { line: usize },
}

impl FrontMatter {
    /// Reads the front matter of a file; also gives the offset at which the body begins.
    pub fn parse(source: &str) -> Result<(Self, usize), FrontMatterError> {
        let start = if source.starts_with('\u{feff}') { 3 } else { 0 };
        let mut lines = source[start..].split_inclusive('\n');
        let mut offset = start;
        match lines.next() {
            Some(line) if is_fence(line) && line.ends_with('\n') => offset += line.len(),
            _ => return Err(FrontMatterError::NoOpening),
        }
        let mut builder = Builder::default();
        for (at, line) in lines.enumerate() {
            offset += line.len();
            if is_fence(line) {
                return Ok((Self { entries: builder.finish() }, offset));
            }
            builder.push(line, at + 2)?;
        }
        Err(FrontMatterError::NoClosing)
    }

    /// The entry of a key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}

/// One `key: value` line.
pub(crate) fn render_line(key: &str, value: &Value) -> String {
    format!("{key}: {}\n", value.render())
}

/// The comments between scalars, where there are only signs and white space besides.
fn comments(raw: &str, between: Range<usize>) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut at = between.start;
    for line in raw[between].split_inclusive('\n') {
        if let Some(sign) = line.find('#') {
            let end = line.trim_end_matches(['\n', '\r']).len();
            found.push(Piece { range: at + sign..at + end, kind: PieceKind::Comment });
        }
        at += line.len();
    }
    found
}

pub(crate) fn is_fence(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.trim().is_empty())
}

#[derive(Default)]
struct Builder<'a> {
    entries: Vec<Entry>,
    /// Lines of the entry being gathered: its key, where its colon ends, first line's number.
    open: Option<(String, usize, usize)>,
    raw: Vec<&'a str>,
}

impl<'a> Builder<'a> {
    fn push(&mut self, line: &'a str, number: usize) -> Result<(), FrontMatterError> {
        let text = line.trim_end_matches(['\n', '\r']);
        let continues = text.starts_with([' ', '\t']) || text == "-" || text.starts_with("- ");
        let closes_flow = text.starts_with([']', '}']);
        if text.trim().is_empty()
            || text.starts_with('#')
            || ((continues || closes_flow) && self.open.is_some())
        {
            self.raw.push(line);
            return Ok(());
        }
        let (key, after) = split_key(text).ok_or(FrontMatterError::NotAKey { line: number })?;
        self.close(number);
        self.open = Some((key, text.len() - after.len(), number));
        self.raw.push(line);
        Ok(())
    }

    /// Ends the open entry; comments and blank lines at its end become an entry of their own.
    fn close(&mut self, next_line: usize) {
        let raw = &self.raw;
        let trivia = |line: &&str| line.trim().is_empty() || line.starts_with('#');
        let trailing = raw.iter().rev().take_while(|line| trivia(line)).count();
        let (own, comments) = raw.split_at(raw.len() - trailing);
        if let Some((key, after, line)) = self.open.take() {
            let raw = own.concat();
            let value = entry_value(&raw, after, None);
            self.entries.push(Entry { key, raw, value, line });
        }
        if !comments.is_empty() {
            let line = next_line - comments.len();
            self.entries.push(Entry {
                key: String::new(),
                raw: comments.concat(),
                value: Ok(Value::Null),
                line,
            });
        }
        self.raw.clear();
    }

    fn finish(mut self) -> Vec<Entry> {
        let next = self.entries.last().map_or(2, |last| last.line + last.raw.lines().count())
            + self.raw.len();
        self.close(next);
        self.entries
    }
}

/// The value of an entry, which begins behind its colon. Where its scalars stand is noted if anybody asks.
fn entry_value(
    raw: &str,
    after_colon: usize,
    mut scalars: Option<&mut Vec<ScalarAt>>,
) -> Result<Value, ValueError> {
    let mut parse = |range: Range<usize>| {
        let Some(noted) = &mut scalars else { return Value::parse(&raw[range]) };
        let (value, found) = Value::parse_with_scalars(&raw[range.clone()])?;
        noted.extend(found.into_iter().map(|mut one| {
            one.range = one.range.start + range.start..one.range.end + range.start;
            one
        }));
        Ok(value)
    };
    let more = raw.find('\n').map_or(raw.len(), |end| end + 1);
    let first = raw[after_colon..more].trim();
    if more == raw.len() || first.starts_with(['[', '{']) {
        return parse(after_colon..raw.len());
    }
    if !first.is_empty() && !first.starts_with('#') {
        return Err(ValueError::Unsupported("a value over several lines"));
    }
    let mut items = Vec::new();
    let mut indent = None;
    let mut at = more;
    for line in raw[more..].split_inclusive('\n') {
        let end = at + line.len();
        let text = line.trim();
        let depth = line.len() - line.trim_start().len();
        let start = at + depth;
        at = end;
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let item =
            text.strip_prefix('-').filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
        match item {
            Some(_) if *indent.get_or_insert(depth) == depth => match parse(start + 1..end)? {
                Value::Text(_) | Value::Null if items.len() == MAX_ITEMS => return Err(TOO_MANY),
                scalar @ (Value::Text(_) | Value::Null) => items.push(scalar),
                _ => return Err(ValueError::Unsupported("a nested block")),
            },
            _ => return Err(ValueError::Unsupported("a nested block")),
        }
    }
    // Comments alone are no list.
    Ok(if items.is_empty() { Value::Null } else { Value::List(items) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rejoined(source: &str) -> String {
        let (front, body) = FrontMatter::parse(source).unwrap();
        let raw: String = front.entries.iter().map(|entry| entry.raw.as_str()).collect();
        format!("---\n{raw}---\n{}", &source[body..])
    }

    #[test]
    fn every_line_is_kept() {
        let source = "---\n# first\nsegue: 1  # version\n\ntags:\n  - a\n  # inner\n  - b\nnote: |\n  free\n  text\nx: {a: 1}\n# last\n---\nbody\n---\n";
        assert_eq!(rejoined(source), source);
        let (front, _) = FrontMatter::parse(source).unwrap();
        let keys: Vec<_> = front.entries.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys, ["", "segue", "", "tags", "note", "x", ""]);
        assert_eq!(
            front.get("tags").unwrap().value,
            Ok(Value::List(vec![Value::Text("a".into()), Value::Text("b".into())]))
        );
        assert!(front.get("note").unwrap().value.is_err());
        assert_eq!(front.get("tags").unwrap().line, 5);
    }

    #[test]
    fn flow_values_may_span_lines() {
        let source = "---\ntags: [a,\n  b\n]\nnext: x\n---\n";
        let (front, _) = FrontMatter::parse(source).unwrap();
        assert_eq!(
            front.get("tags").unwrap().value,
            Ok(Value::List(vec![Value::Text("a".into()), Value::Text("b".into())]))
        );
        assert_eq!(rejoined(source), source);
    }

    #[test]
    fn a_key_with_comments_only_has_no_value() {
        let (front, _) = FrontMatter::parse("---\ntitle:\n  # later\nx: 1\n---\n").unwrap();
        assert_eq!(front.get("title").unwrap().value, Ok(Value::Null));
    }

    #[test]
    fn crlf_and_byte_order_marks_are_read() {
        let source = "\u{feff}---\r\nsegue: 1\r\ntags:\r\n- a\r\n---\r\nbody\r\n";
        let (front, body) = FrontMatter::parse(source).unwrap();
        assert_eq!(front.get("segue").unwrap().value, Ok(Value::Text("1".into())));
        assert_eq!(&source[body..], "body\r\n");
    }

    #[test]
    fn damaged_front_matter_says_where() {
        assert_eq!(FrontMatter::parse("no"), Err(FrontMatterError::NoOpening));
        assert_eq!(FrontMatter::parse(""), Err(FrontMatterError::NoOpening));
        assert_eq!(FrontMatter::parse("---"), Err(FrontMatterError::NoOpening));
        assert_eq!(FrontMatter::parse("---\nsegue: 1\n"), Err(FrontMatterError::NoClosing));
        assert_eq!(
            FrontMatter::parse("---\nsegue: 1\nnonsense\n---\n"),
            Err(FrontMatterError::NotAKey { line: 3 })
        );
    }

    proptest! {
        #[test]
        fn whatever_parses_is_kept_byte_for_byte(lines in prop::collection::vec("[a-z#\\- :\\[\\]{}'\",]{0,12}", 0..12), body: String) {
            let source = format!("---\n{}---\n{body}", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
            if FrontMatter::parse(&source).is_ok() {
                prop_assert_eq!(rejoined(&source), source);
            }
        }

        #[test]
        fn no_input_panics(source: String) {
            let _ = FrontMatter::parse(&source);
            let _ = FrontMatter::parse(&format!("---\n{source}\n---\n"));
        }
    }
}
