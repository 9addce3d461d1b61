//! What else is typed into terminals: secrets set for a host, what any command is fed, routers, SQL in a command.

use super::alphabet::{is_word, span, span_back};
use super::lexicon::Lexicon;
use super::pipe;
use super::random::{is_hex, is_random, kinds_of_characters, starts_with};
use super::scan::Scan;
use super::tool::{after_argument, argument, take, take_as};

/// Words that may begin such a thing, or end it.
const WORDS: &[&[u8]] = &[
    b"secrets",
    b"secret",
    b"heroku",
    b"stdin",
    b"tool",
    b"login",
    b"base64",
    b"IDENTIFIED",
    b"server",
];

const NAMES: Lexicon = {
    let mut names = Lexicon::empty();
    let mut at = 0;
    while at < WORDS.len() {
        names = names.with(WORDS[at]);
        at += 1;
    }
    names
};

/// What stands before `stdin` in a flag that says that a secret is read there.
const READ: &[&[u8]] =
    &[b"password-", b"passwd-on-", b"passphrase-", b"pass-", b"token-", b"secret-", b"key-"];

/// What is done with a secret that a command is fed.
const STORED: &[&str] =
    &[" put ", " set ", " create ", " add ", " store ", " new ", " import ", " versions add "];

const FARTHEST: usize = 300;

#[inline]
pub(super) fn is_one(word: &[u8]) -> bool {
    NAMES.may_have(word) && WORDS.iter().any(|one| word.eq_ignore_ascii_case(one))
}

/// Looks at what stands around the word from `at` to `end`.
pub(super) fn look(scan: &mut Scan<'_>, at: usize, end: usize) {
    let bytes = scan.bytes;
    let before = &bytes[at.saturating_sub(16)..at];
    let rest = &bytes[end..];
    match &bytes[at..end] {
        b"secrets" | b"secret" => {
            if rest.starts_with(b" set ") {
                settings(scan, end, false);
            }
            let stored = STORED.iter().any(|verb| rest.starts_with(verb.as_bytes()));
            if stored || before.ends_with(b" create ") {
                pipe::fed(scan, at, end);
            }
        }
        b"heroku" if rest.starts_with(b" config:set ") => settings(scan, end, true),
        b"tool" if before.ends_with(b"secret-") => pipe::fed(scan, at, end),
        b"stdin" if READ.iter().any(|flag| before.ends_with(flag)) => pipe::fed(scan, at, end),
        b"login" if rest.first() == Some(&b' ') => pipe::given(scan, end),
        b"base64" => decoded(scan, at, end),
        b"server" if before.ends_with(b"-") => router(scan, end),
        word if word.eq_ignore_ascii_case(b"identified") => identified(scan, end),
        _ => {}
    }
}

/// `fly secrets set NAME=VALUE`; where settings of all kinds are set, only what looks random.
fn settings(scan: &mut Scan<'_>, from: usize, of_all_kinds: bool) {
    let bytes = scan.bytes;
    let line = from + span(&bytes[from..], FARTHEST, |byte| !matches!(byte, b'\n' | b'|' | b';'));
    let mut next = from;
    while let Some((start, stop)) = argument(bytes, next, line) {
        next = after_argument(bytes, stop);
        let text = &bytes[start..stop];
        let name = span(text, 80, is_word);
        if name == 0 || text.get(name) != Some(&b'=') {
            continue;
        }
        let quote = span(&text[name + 1..], 1, |byte| matches!(byte, b'"' | b'\''));
        let value = &text[name + 1 + quote..];
        let telling = match of_all_kinds {
            true => is_random(value, 16) && !is_hex(value),
            false => value.iter().any(u8::is_ascii_digit) || is_random(value, 12),
        };
        if telling {
            take_as(scan, "secret", start + name + 1 + quote, stop);
        }
    }
}

/// What a secret is that was decoded, alone on the next line.
fn decoded(scan: &mut Scan<'_>, at: usize, end: usize) {
    let bytes = scan.bytes;
    let length = span(&bytes[end..], 24, |byte| byte != b'\n');
    let flag =
        [" -d", " -D", " --decode"].iter().any(|flag| bytes[end..].starts_with(flag.as_bytes()));
    let from = at - span_back(&bytes[..at], FARTHEST, |byte| byte != b'\n');
    let secret = ["secret", "password", "token"]
        .iter()
        .any(|word| bytes[from..at].windows(word.len()).any(|part| starts_with(part, word)));
    if !flag || !secret || bytes.get(end + length) != Some(&b'\n') {
        return;
    }
    let start = end + length + 1;
    let stop = start + span(&bytes[start..], 200, |byte| byte.is_ascii_graphic());
    let text = &bytes[start..stop];
    let telling = kinds_of_characters(text) >= 3 || is_random(text, 8);
    if matches!(bytes.get(stop), None | Some(b'\n' | b'\r')) && text.len() >= 6 && telling {
        take(scan, start, stop);
    }
}

/// `IDENTIFIED BY 'X'`, also in the argument of a command.
fn identified(scan: &mut Scan<'_>, end: usize) {
    let bytes = scan.bytes;
    let line = end + span(&bytes[end..], 160, |byte| !matches!(byte, b'\n' | b';'));
    let Some(by) = bytes[end..line].windows(4).position(|part| part.eq_ignore_ascii_case(b" by "))
    else {
        return;
    };
    if let Some((start, stop)) = argument(bytes, end + by + 4, line)
        && bytes[start - 1] == b'\''
        && stop < line
    {
        take(scan, start, stop);
    }
}

/// `radius-server key X`, `snmp-server community X RO`; a figure before it says how it is kept.
fn router(scan: &mut Scan<'_>, end: usize) {
    let bytes = scan.bytes;
    let line = end + span(&bytes[end..], 160, |byte| byte != b'\n');
    let mut next = end;
    let mut named = false;
    while let Some((start, stop)) = argument(bytes, next, line) {
        next = after_argument(bytes, stop);
        let text = &bytes[start..stop];
        let figure = matches!(text, [b'0'..=b'9']) && stop < line;
        if named && !figure {
            if kinds_of_characters(text) >= 2 {
                take(scan, start, stop);
            }
            return;
        }
        named |= matches!(text, b"key" | b"community" | b"2c");
    }
}
