//! A name and its value as two values of a list: `name: DB_PASSWORD` beside `value: …`, in either order.

use super::alphabet::{is_word, span, span_back};
use super::random::starts_with;
use super::value::{Link, Named, Value, blanks, quote, read};

/// `name: DB_PASSWORD` and then `value: …`, as in lists of variables.
pub(super) fn after(bytes: &[u8], at: usize, named: &Named) -> Option<Value> {
    let mut next = at + span(&bytes[at..], 48, |byte| byte.is_ascii_whitespace() || byte == b',');
    let opened = quote(bytes, next);
    next += opened.map_or(0, |(slashes, _)| slashes + 1);
    // `"Name": "/prod/password", "Type": "SecureString", "Value": "X"`.
    let is_value = |at: usize| {
        let rest = &bytes[at..];
        ["value", "parametervalue"]
            .iter()
            .find(|word| starts_with(rest, word))
            .map(|word| word.len())
    };
    for _ in 0..FIELDS_BETWEEN {
        if next >= bytes.len() || is_value(next).is_some() || !is_of_name(bytes, named) {
            break;
        }
        next = next_field(bytes, next)?;
    }
    next += bytes.get(next..).and_then(|_| is_value(next))?;
    next += quote(bytes, next).filter(|_| opened.is_some()).map_or(0, |(slashes, _)| slashes + 1);
    next = blanks(bytes, next);
    matches!(bytes.get(next), Some(b':' | b'=')).then_some(())?;
    read(bytes, blanks(bytes, next + 1), Link::Colon, named)
}

/// How many fields may stand between that of the name and that of the value.
const FIELDS_BETWEEN: usize = 3;

/// Whether the name is the value of a field that says so.
fn is_of_name(bytes: &[u8], named: &Named) -> bool {
    let path = |byte: u8| is_word(byte) || matches!(byte, b'/' | b'.' | b'-');
    let start = named.start - span_back(&bytes[..named.start], 100, path);
    let quotes = quotes_before(bytes, start);
    quotes > 0
        && field_before(bytes, start - quotes).is_some_and(|(key, _)| {
            NAMES.iter().any(|one| bytes[key.clone()].eq_ignore_ascii_case(one.as_bytes()))
        })
}

/// Where the name of the field begins that follows the one here: `Type": "SecureString", "`.
fn next_field(bytes: &[u8], at: usize) -> Option<usize> {
    let name = span(&bytes[at..], 40, is_word);
    let length = span(&bytes[at..], 120, |byte| !matches!(byte, b',' | b'{' | b'}' | b'[' | b']'));
    let comma = at + length;
    (name > 0 && bytes.get(comma) == Some(&b',')).then_some(())?;
    let next = comma + 1 + span(&bytes[comma + 1..], 48, |byte| byte.is_ascii_whitespace());
    quote(bytes, next).map(|(slashes, _)| next + slashes + 1)
}

/// `NAME --body "value"`.
pub(super) fn flagged(bytes: &[u8], at: usize, named: &Named) -> Option<Value> {
    let flag = ["--body ", "--body=", "--value ", "--value=", "-b "]
        .iter()
        .find(|flag| bytes[at..].starts_with(flag.as_bytes()))?;
    read(bytes, at + flag.len(), Link::Flag, named)
}

/// What the field is called that holds the name.
const NAMES: [&str; 7] = ["name", "key", "variable", "var", "env", "id", "parameterkey"];
const LONGEST: usize = 4096;

/// `value: …` and then `name: DB_PASSWORD`.
pub(super) fn before(bytes: &[u8], named: &Named) -> Option<Value> {
    if let Some(rest) = bytes[..named.start].strip_suffix(b"</Value><Key>") {
        let start = rest.len() - span_back(rest, 200, |byte| byte != b'>' && byte != b'\n');
        return Some(Value { start, end: rest.len(), quoted: true, link: Link::Tag });
    }
    let (key, at) = field_before(bytes, named.start - quotes_before(bytes, named.start))?;
    let name = &bytes[key];
    if !NAMES.iter().any(|one| name.eq_ignore_ascii_case(one.as_bytes())) {
        return None;
    }
    let gap = span_back(&bytes[..at], 48, |byte| byte.is_ascii_whitespace() || byte == b',');
    let end = at - gap;
    let mark = *bytes.get(end.checked_sub(1)?).filter(|_| gap > 0)?;
    let (start, end, quoted) = if matches!(mark, b'"' | b'\'' | b'`') {
        let end = end - 1;
        let slashes = span_back(&bytes[..end], 8, |byte| byte == b'\\');
        let length = span_back(&bytes[..end], LONGEST, |byte| byte != mark && byte != b'\n');
        (end - length, end - slashes, true)
    } else {
        let length = span_back(&bytes[..end], LONGEST, |byte| {
            !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b',' | b'{' | b'}')
        });
        (end - length, end, false)
    };
    let opening = start - if quoted { quotes_before(bytes, start) } else { 0 };
    let (key, _) = field_before(bytes, opening)?;
    (start < end && bytes[key].eq_ignore_ascii_case(b"value")).then_some(Value {
        start,
        end,
        quoted,
        link: Link::Colon,
    })
}

/// Quotation marks and the backslashes before them.
fn quotes_before(bytes: &[u8], at: usize) -> usize {
    let mark = span_back(&bytes[..at], 1, |byte| matches!(byte, b'"' | b'\'' | b'`'));
    mark + if mark > 0 { span_back(&bytes[..at - mark], 8, |byte| byte == b'\\') } else { 0 }
}

/// The name of the field whose value begins here, and where the field begins.
fn field_before(bytes: &[u8], at: usize) -> Option<(std::ops::Range<usize>, usize)> {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let at = at - span_back(&bytes[..at], 16, blank);
    let at = at.checked_sub(1).filter(|sign| matches!(bytes[*sign], b':' | b'='))?;
    let at = at - span_back(&bytes[..at], 16, blank);
    let end = at - quotes_before(bytes, at);
    let length = span_back(&bytes[..end], 16, is_word);
    let start = end - length;
    (length > 0).then(|| (start..end, start - quotes_before(bytes, start)))
}

/// How long the declaration of a variable may be.
const DECLARED: usize = 400;

/// `variable "db_password" { default = "…" }`.
pub(super) fn declared(bytes: &[u8], at: usize, named: &Named) -> Option<Value> {
    let rest = &bytes[at..];
    let inner = &rest[..span(rest, DECLARED, |byte| byte != b'}')];
    let word = b"default";
    let found = inner.windows(word.len()).position(|part| part == word)?;
    let sign = blanks(bytes, at + found + word.len());
    matches!(bytes.get(sign), Some(b'=')).then_some(())?;
    let start = blanks(bytes, sign + 1);
    quote(bytes, start)?;
    read(bytes, start, Link::Assign, named)
}
