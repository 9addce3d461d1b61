//! What stands for a value if a variable is not set: `${PW:-VALUE}`, `process.env.PW || 'VALUE'`, `getenv("PW", "VALUE")`;
//! and values that other words than signs lead to: `.fill("VALUE")`, `by lazy { "VALUE" }`.

use super::alphabet::{is_word, span};
use super::random::contains_any;
use super::value::{Link, Named, Value, blanks, quote, read};

/// Between a name or a reference and a string that holds if there is none. A language more is a row more.
const OTHERWISE: &[&str] = &[
    "|| ",
    "?? ",
    "?: ",
    "or ",
    "// ",
    "by lazy { ",
    "by lazy {",
    "default=",
    "default: ",
    "default => ",
    "defaultValue: ",
    "fallback: ",
    "orElse(",
    "getOrElse(",
    "unwrap_or(",
    "unwrap_or_else(|| ",
    "ifEmpty { ",
];

/// Between a name and its value.
const LEADS: &[&str] = &[
    "|| ",
    "?? ",
    "?: ",
    "content=",
    "||= ",
    "??= ",
    ".fill(",
    ".type(",
    ".send_keys(",
    ".sendKeys(",
    ".setValue(",
    ".enter_text(",
    ".unwrap_or(",
    ".getOrElse(",
    ".orElse(",
    "<const> = ",
    "string = ",
    "String = ",
    "str = ",
    "text = ",
    "securestring = ",
];

const LONGEST_LINE: usize = 240;

/// The string that one of these words leads to, directly behind a name; `closed` if the name is in quotes.
pub(super) fn led(bytes: &[u8], at: usize, closed: bool, named: &Named) -> Option<Value> {
    if !matches!(
        bytes.get(at)?,
        b'|' | b'?' | b'.' | b'<' | b's' | b'S' | b't' | b'o' | b'c' | b','
    ) {
        return None;
    }
    let rest = &bytes[at..];
    let lead = LEADS.iter().find(|lead| rest.starts_with(lead.as_bytes()));
    let start = match lead {
        Some(lead) => at + lead.len(),
        None if closed && rest.starts_with(b"or ") => at + 3,
        None if closed && rest.starts_with(b", default=") => at + 10,
        // `{password, "X"}`, `setopt(c, CURLOPT_USERPWD, "X")`.
        None if rest.starts_with(b", ")
            && (bytes[..named.start].ends_with(b"{")
                || bytes[..named.start].ends_with(b"{:")
                || bytes[named.start..].starts_with(b"CURLOPT_")) =>
        {
            at + 2
        }
        None => return None,
    };
    quote(bytes, start)?;
    read(bytes, start, Link::Assign, named).filter(|value| value.quoted)
}

/// What holds if a value is not there that is no string itself.
pub(super) fn otherwise(bytes: &[u8], value: Value, named: &Named) -> Option<Value> {
    let (from, line) = (value.start, &bytes[value.start..]);
    let line = &line[..span(line, LONGEST_LINE, |byte| byte != b'\n')];
    if line.starts_with(b"${") {
        return expansion(bytes, from, line);
    }
    if value.quoted {
        return None;
    }
    // Only one value stands in it.
    let line = &line[..span(line, LONGEST_LINE, |byte| byte != b';')];
    let mut at =
        span(line, LONGEST_LINE, |byte| is_word(byte) || matches!(byte, b'.' | b':' | b'$'));
    if let Some(second) = second_string(bytes, from, at, line) {
        return read(bytes, second, Link::Assign, named).filter(|value| value.quoted);
    }
    let mut depth = 0;
    while at < line.len() {
        match line[at] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        // A word begins here. In the argument of a call another value may be meant.
        if !is_word(line[at - usize::from(at > 0)])
            && let Some(word) =
                OTHERWISE.iter().find(|word| line[at..].starts_with(word.as_bytes()))
            && (depth == 0 || word.starts_with("default") || word.starts_with("fallback"))
        {
            let start = from + at + word.len();
            if quote(bytes, start).is_some() {
                return read(bytes, start, Link::Assign, named).filter(|value| value.quoted);
            }
        }
        at += 1;
    }
    None
}

/// `${NAME:-VALUE}`, `${NAME-VALUE}`, `${NAME:=VALUE}`, `${name:VALUE}`, also one in the other.
fn expansion(bytes: &[u8], from: usize, line: &[u8]) -> Option<Value> {
    let mut at = 0;
    while line[at..].starts_with(b"${") {
        at += 2;
        at += span(&line[at..], 80, |byte| is_word(byte) || byte == b'.');
        at += match &line[at..] {
            [b':', b'-' | b'=', ..] => 2,
            [b':', b'?' | b'+', ..] => return None,
            [b'-' | b'=' | b':', ..] => 1,
            _ => return None,
        };
    }
    let start = from + at;
    let quotes = span(&bytes[start..], 1, |byte| matches!(byte, b'"' | b'\''));
    let start = start + quotes;
    let length = span(&line[at + quotes..], LONGEST_LINE, |byte| {
        !matches!(byte, b'}' | b'"' | b'\'') && !byte.is_ascii_whitespace()
    });
    let end = start + length;
    (length > 0 && line.get(at + quotes + length).is_some()).then_some(Value {
        start,
        end,
        quoted: false,
        link: Link::Flag,
    })
}

/// `getenv("NAME", "VALUE")`: where the second string of a call begins that reads a setting.
fn second_string(bytes: &[u8], from: usize, name: usize, line: &[u8]) -> Option<usize> {
    let reads =
        contains_any(&line[..name], &["env", "get", "fetch", "config", "setting", "option"]);
    let opens = matches!(line.get(name), Some(b'('));
    if !reads || !opens || contains_any(&line[..name], &["pass", "secret", "token"]) {
        return None;
    }
    let (slashes, mark) = quote(line, name + 1)?;
    let first = name + 2 + slashes;
    let end = first + span(&line[first..], LONGEST_LINE, |byte| byte != mark) + 1;
    let comma = line.get(end..)?.strip_prefix(b",")?;
    let start = blanks(bytes, from + line.len() - comma.len());
    quote(bytes, start).map(|_| start)
}
