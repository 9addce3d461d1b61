//! Calls that take a name and a password, or a key: `NetworkCredential("bob", "…")`, `jwt.sign(payload, "…")`.

use super::alphabet::span;
use super::judge::{is_placeholder, is_reference};
use super::lexicon::Lexicon;
use super::mark::has_mark;
use super::random::{is_random, kinds_of_characters};
use super::scan::Scan;

/// A call and the number of the argument that is secret, from 0. A new one is a new row.
const CALLS: &[(&[u8], usize)] = &[
    (b"NetworkCredential", 1),
    (b"UsernamePasswordCredentials", 1),
    (b"UsernamePasswordCredential", 1),
    (b"PasswordAuthentication", 1),
    (b"SetBasicAuth", 1),
    (b"setBasicAuth", 1),
    (b"basicAuth", 1),
    (b"BasicAuth", 1),
    (b"basic_auth", 1),
    (b"HTTPBasicAuth", 1),
    (b"HTTPDigestAuth", 1),
    (b"auth", 1),
    (b"login", 1),
    (b"getConnection", 2),
    (b"connect", 2),
    (b"mysqli_connect", 2),
    (b"mysqli", 2),
    (b"PDO", 2),
    (b"sign", 1),
    (b"verify", 1),
    (b"createHmac", 1),
];

const NAMES: Lexicon = {
    let mut names = Lexicon::empty();
    let mut at = 0;
    while at < CALLS.len() {
        names = names.with(CALLS[at].0);
        at += 1;
    }
    names
};

const LONGEST: usize = 400;

#[inline]
pub(super) fn is_call(word: &[u8]) -> bool {
    NAMES.may_have(word) && CALLS.iter().any(|(call, _)| *call == word)
}

/// Looks at the arguments of the call whose name ends here.
pub(super) fn look(scan: &mut Scan<'_>, word: &[u8], end: usize) {
    let bytes = scan.bytes;
    let Some((_, place)) = CALLS.iter().find(|(call, _)| *call == word) else { return };
    let rest = &bytes[end..];
    // `auth=("bob", "…")`, `[NetworkCredential]::new("bob", "…")`.
    let opening = ["(", "=(", " = (", "]::new(", "::new(", ": (", ": [", "=[", " = ["]
        .iter()
        .find(|sign| rest.starts_with(sign.as_bytes()));
    let Some(opening) = opening else { return };
    let mut at = end + opening.len();
    let line = at + span(&bytes[at..], LONGEST, |byte| byte != b'\n');
    for number in 0..=*place {
        at += span(&bytes[at..line], 8, |byte| byte == b' ');
        let Some((start, stop, next)) = argument(bytes, at, line) else { return };
        if number == *place {
            if let (Some(start), Some(stop)) = (start, stop)
                && is_secret(word, &bytes[start..stop])
            {
                scan.known_or(
                    if is_signature(word) { "signing key" } else { "password" },
                    start..stop,
                );
            }
            return;
        }
        if bytes.get(next) != Some(&b',') {
            return;
        }
        at = next + 1;
    }
}

/// What stands in the quotes of an argument, if it is a string, and where the argument ends.
fn argument(bytes: &[u8], at: usize, line: usize) -> Option<(Option<usize>, Option<usize>, usize)> {
    let wraps = span(&bytes[at..line], 24, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'.' | b'(')
    });
    let at = if bytes.get(at + wraps).is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'`')) {
        at + wraps
    } else {
        at
    };
    let slashes = span(&bytes[at..line], 4, |byte| byte == b'\\');
    let mark = *bytes[..line].get(at + slashes)?;
    if matches!(mark, b'"' | b'\'' | b'`') {
        let start = at + slashes + 1;
        let length = span(&bytes[start..line], LONGEST, |byte| byte != mark);
        let stop = start + length - slashes.min(length);
        let after = start + length + 1;
        let next = after + span(bytes.get(after..line)?, 3, |byte| byte == b')');
        return Some((
            Some(start),
            Some(stop),
            if bytes.get(after) == Some(&b',') { after } else { next },
        ));
    }
    let length =
        span(&bytes[at..line], LONGEST, |byte| !matches!(byte, b',' | b')' | b'(' | b'{' | b';'));
    Some((None, None, at + length))
}

fn is_signature(word: &[u8]) -> bool {
    matches!(word, b"sign" | b"verify" | b"createHmac")
}

fn is_secret(word: &[u8], text: &[u8]) -> bool {
    if text.len() < 6
        || text.contains(&b' ')
        || is_placeholder(text)
        || is_reference(text)
        || has_mark(text)
        || text.iter().any(|byte| matches!(byte, b'/' | b'@')) && !is_random(text, 12)
    {
        return false;
    }
    let digit = text.iter().any(u8::is_ascii_digit);
    match is_signature(word) {
        true => text.len() >= 16 && is_random(text, 16),
        false => digit && kinds_of_characters(text) >= 3 || is_random(text, 8),
    }
}
