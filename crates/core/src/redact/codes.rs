//! Codes that open something: one-time codes, backup codes, recovery keys, seeds of such codes.

use std::ops::Range;

use super::alphabet::{is_word, span};
use super::random::{is_hex, is_random, starts_with};
use super::scan::Scan;

/// What stands before `code` where a few digits open something.
const LOGINS: &[&str] = &[
    "verification",
    "2fa",
    "mfa",
    "security",
    "one-time",
    "time",
    "login",
    "auth",
    "authentication",
    "authenticator",
    "backup",
    "recovery",
    "sms",
    "confirmation",
    "access",
    "totp",
    "otp",
    "entry",
    "door",
];

/// The same where it may be a password.
const LOCKS: &[&str] = &[
    "unlock",
    "unlocking",
    "door",
    "gate",
    "garage",
    "alarm",
    "safe",
    "vault",
    "entry",
    "lockbox",
];

/// The same where there are several, to be kept.
const BACKUPS: &[&str] = &["backup", "recovery", "scratch", "rescue", "emergency"];

/// What makes a `seed` one of codes.
const SEEDS: &[&str] = &["totp", "otp", "2fa", "mfa", "authenticator", "hotp"];

pub(super) fn is_login(bytes: &[u8], at: usize) -> bool {
    follows_one(bytes, at, LOGINS)
}

pub(super) fn is_lock(bytes: &[u8], at: usize) -> bool {
    follows_one(bytes, at, LOCKS)
}

pub(super) fn is_seed(bytes: &[u8], at: usize) -> bool {
    follows_one(bytes, at, SEEDS)
}

/// Whether one of the words stands before this place.
fn follows_one(bytes: &[u8], at: usize, words: &[&str]) -> bool {
    let before = bytes[at.saturating_sub(20)..at].trim_ascii_end();
    words.iter().any(|word| {
        before.len() >= word.len()
            && starts_with(&before[before.len() - word.len()..], word)
            && before.len() < at.min(20)
    })
}

/// What a seed of codes looks like: base32.
pub(super) fn is_base32(text: &[u8]) -> bool {
    let base32 = |byte: &u8| matches!(byte, b'A'..=b'Z' | b'2'..=b'7');
    (16..=128).contains(&text.len()) && text.iter().all(base32) && is_random(text, 16)
}

/// More of them than anybody is given.
const MOST: usize = 24;

/// The codes to recover an account after `backup codes` and the like: one or a list.
pub(super) fn backups(scan: &mut Scan<'_>, at: usize, end: usize) -> Option<usize> {
    let bytes = scan.bytes;
    if !follows_one(bytes, at, BACKUPS) {
        return None;
    }
    let mut at = lead(bytes, end);
    let line = end + span(&bytes[end..], 80, |byte| byte != b'\n');
    let mut last = None;
    for _ in 0..MOST {
        at += span(&bytes[at..], 12, |byte| {
            byte.is_ascii_whitespace()
                || matches!(byte, b',' | b';' | b'-' | b'*' | b'`' | b'"' | b'\'')
        });
        // `1. X`.
        if let [b'0'..=b'9', b'.' | b')', b' ', ..] = bytes[at..] {
            at += 3;
        }
        let length = span(&bytes[at..], 80, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let range = at..at + length;
        // `3 of 5 used`, below it.
        let alone = range.start < line
            || bytes
                .get(range.end)
                .is_none_or(|byte| !matches!(byte, b' ' | b'.' | b'/' | b':' | b'_'));
        if !alone || !is_backup(&bytes[range.clone()]) {
            break;
        }
        at = range.end;
        last = Some(at);
        scan.known_or("recovery code", range);
    }
    last
}

/// Where the first code may stand: after a few words, and `:` or a verb.
fn lead(bytes: &[u8], end: usize) -> usize {
    let mut at = end;
    for _ in 0..4 {
        let next = at + span(&bytes[at..], 4, |byte| matches!(byte, b' ' | b'*'));
        if matches!(bytes.get(next), Some(b':' | b'=')) {
            return next + 1;
        }
        let word = span(&bytes[next..], 16, |byte| byte.is_ascii_lowercase());
        if word == 0 || !matches!(bytes.get(next + word), Some(b' ' | b':')) {
            return at;
        }
        at = next + word;
    }
    at
}

/// Digits, or groups with a digit in them.
fn is_backup(text: &[u8]) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let groups = || text.split(|byte| *byte == b'-');
    let count = groups().count();
    if digits == text.len() {
        return (6..=12).contains(&digits);
    }
    if count == 1 {
        return (8..=40).contains(&text.len())
            && digits >= 2
            && (is_hex(text) || is_random(text, 8));
    }
    let first = groups().next().map_or(0, <[u8]>::len);
    let equal = groups().all(|group| group.len() == first) && first >= 4;
    // Dates have parts of different lengths.
    equal && digits >= 1 && digits + count > 3
}

/// Eight groups of six digits, the recovery key of a disk: where it ends.
pub(super) fn bitlocker(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let end = at + 8 * 6 + 7;
    let text = bytes.get(at..end)?;
    let grouped = text.iter().enumerate().all(|(place, byte)| match place % 7 {
        6 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let joined = |byte: Option<&u8>| byte.is_some_and(|byte| is_word(*byte) || *byte == b'-');
    let before = at.checked_sub(1).map(|before| &bytes[before]);
    let varied = text.iter().any(|byte| byte.is_ascii_digit() && *byte != text[0]);
    (grouped && varied && !joined(before) && !joined(bytes.get(end))).then_some(at..end)
}
