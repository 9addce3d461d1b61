//! Whether a random string and a name stand near enough to belong together.

use std::ops::Range;

use super::alphabet::{span, span_back};
use super::random::{is_hex, is_made_up, is_random};

/// Bytes and words between a name and the string after it.
const FARTHEST: usize = 48;
const MOST_WORDS: usize = 6;

/// Whether only a few words and signs that lead to a value stand between a name and the string.
pub(super) fn follows(bytes: &[u8], name_end: usize, start: usize) -> bool {
    let Some(between) = bytes.get(name_end..start) else { return false };
    let quiet = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b' ' | b'`' | b'"' | b'\'' | b':' | b'=' | b'-' | b'_' | b'*' | b'>' | b'|'
            )
    };
    between.len() <= FARTHEST
        && between.iter().all(quiet)
        && leads(between)
        // Another name of another value.
        && !between.windows(2).any(|pair| matches!(pair, b"\":" | b"':"))
        && between.iter().filter(|byte| matches!(byte, b'=' | b':')).count() <= 1
}

/// Whether the words between lead from a name to its value. `token refresh was mended:` does not.
pub(super) fn leads(between: &[u8]) -> bool {
    let mut words = between
        .split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')
        .filter(|word| !word.is_empty());
    let leading = words.next().is_none_or(|word| {
        word.starts_with(b"-") || LEADING.iter().any(|lead| word.eq_ignore_ascii_case(lead))
    });
    leading && words.count() < MOST_WORDS
}

const LEADING: &[&[u8]] = &[
    b"is", b"was", b"are", b"be", b"to", b"for", b"of", b"in", b"on", b"at", b"from", b"value",
    b"set", b"used", b"with", b"ist", b"lautet", b"es", b"est", b"has", b"have", b"here", b"del",
    b"della", b"di", b"de", b"do", b"da",
];

/// Whether a string is said to be what the name after it says: `… as the API token`. Numbers of
/// commits are said to be something too, but not used as it.
pub(super) fn precedes(bytes: &[u8], range: &Range<usize>, name_start: usize) -> bool {
    let Some(between) = bytes.get(range.end..name_start).filter(|between| between.len() <= 40)
    else {
        return false;
    };
    let between =
        &between[span(between, 4, |byte| matches!(byte, b'`' | b'"' | b'\'' | b'\\' | b')'))..];
    let words: Vec<&[u8]> =
        between.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).collect();
    let plain = |word: &&[u8]| word.iter().all(u8::is_ascii_alphanumeric);
    words.len() <= MOST_WORDS
        && words.iter().all(plain)
        && match words.first() {
            Some(&b"as") => true,
            Some(&b"is") => !is_hex(&bytes[range.clone()]),
            _ => false,
        }
}

/// What stands in quotes or backticks before `as the …` and a name.
pub(super) fn quoted_before(bytes: &[u8], name_start: usize) -> Option<Range<usize>> {
    let from = name_start.saturating_sub(40);
    let window = &bytes[from..name_start];
    let end = from
        + window
            .windows(5)
            .rposition(|part| matches!(part, [b'`' | b'"' | b'\'', b' ', b'a', b's', b' ']))?;
    let between = &bytes[end + 4..name_start];
    if !between.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b' ') {
        return None;
    }
    let quote = bytes[end];
    let length = span_back(&bytes[..end], 512, |byte| byte != quote && byte != b'\n');
    let opened = (end - length).checked_sub(1).is_some_and(|before| bytes[before] == quote);
    opened.then_some(end - length..end)
}

/// How far from its key id a secret key of AWS may stand.
const BESIDE: usize = 160;

/// The forty characters of base64 beside a key id that are its secret.
pub(super) fn aws_secret(bytes: &[u8], id: &Range<usize>) -> Option<Range<usize>> {
    let from = id.start.saturating_sub(BESIDE);
    let to = bytes.len().min(id.end + BESIDE);
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let mut at = from;
    let mut before = None;
    while at < to {
        let length = bytes[at..].iter().take_while(|byte| base64(byte)).take(200).count();
        let range = at..at + length;
        let text = &bytes[range.clone()];
        let joined = |byte: &u8| matches!(byte, b'-' | b'_' | b'.');
        let whole = at.checked_sub(1).is_none_or(|before| !joined(&bytes[before]))
            && !bytes.get(at + length).is_some_and(joined);
        if length == 40
            && (at > from || from == 0)
            && whole
            && !is_hex(text)
            && is_random(text, 24)
            && !is_made_up(text)
        {
            // The one after it is more likely than one before.
            if at > id.end {
                return Some(range);
            }
            before = Some(range);
        }
        at += length.max(1);
    }
    before
}
