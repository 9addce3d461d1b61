//! Headers of HTTP: `Authorization` in all its schemes, and cookies.

use super::alphabet::span;
use super::judge::{is_code, is_placeholder, is_reference};
use super::mark::has_mark;
use super::random::{is_random, kinds_of_characters, starts_with};
use super::scan::Scan;
use super::value::{Link, Named, value_of};

/// Schemes with one value, and what it is called.
const SCHEMES: &[(&str, &str)] = &[
    ("Bearer ", "bearer token"),
    ("Basic ", "basic credentials"),
    ("Token token=", "token"),
    ("Token ", "token"),
    ("ApiKey ", "api key"),
    ("Api-Key ", "api key"),
    ("Negotiate ", "credential"),
    ("NTLM ", "credential"),
    ("SSWS ", "okta token"),
    ("GenieKey ", "api key"),
    ("Splunk ", "splunk token"),
    ("DSN ", "credential"),
    ("PVEAPIToken=", "api key"),
    ("Discogs token=", "token"),
    ("Klaviyo-API-Key ", "api key"),
    ("Bot ", "discord bot token"),
    ("OAuth ", "token"),
    ("key=", "api key"),
    ("Key ", "api key"),
    ("SharedKey ", "signature"),
    ("Snowflake Token=", "token"),
];

/// Values of schemes that have several: which of them are secret.
const PAIRS: [&str; 6] =
    ["signature=", "response=", "oauth_signature=", "oauth_token=", "mac=", "credential="];

/// After `Authorization` or `Bearer`.
pub(super) fn authorization(scan: &mut Scan<'_>, named: &Named) -> Option<usize> {
    let bytes = scan.bytes;
    let name = &bytes[named.start..named.end];
    if name.eq_ignore_ascii_case(b"bearer") {
        let start = named.end + span(&bytes[named.end..], 4, |byte| byte == b' ');
        let separated = start > named.end;
        return separated.then(|| credential(scan, start, "bearer token", 16)).flatten();
    }
    let value = value_of(bytes, named)?;
    let scheme = SCHEMES.iter().find(|(scheme, _)| starts_with(&bytes[value.start..], scheme));
    let blank = value.link == Link::Blank && value.quoted && scheme.is_some();
    if !blank
        && !matches!(
            value.link,
            Link::Colon
                | Link::Tight
                | Link::Assign
                | Link::Comma
                | Link::Call
                | Link::Flag
                | Link::Cell
        )
    {
        return None;
    }
    let rest = &bytes[value.start..];
    if let Some((scheme, kind)) = scheme {
        let start = value.start + scheme.len();
        let start = start + span(&bytes[start..], 4, |byte| matches!(byte, b' ' | b'"' | b'\\'));
        return credential(scan, start, kind, 6);
    }
    let line = span(rest, named.longest / 2, |byte| !matches!(byte, b'\n' | b'\r'));
    if starts_with(rest, "Digest ")
        || starts_with(rest, "AWS4-")
        || starts_with(rest, "OAuth")
        || starts_with(rest, "Signature ")
        || starts_with(rest, "HMAC")
    {
        scan.reject(named, value.start + line);
        return Some(pairs(scan, value.start, value.start + line));
    }
    if value.link == Link::Call {
        return None;
    }
    credential(scan, value.start, "authorization", 8)
}

/// One value, unless it stands for one.
fn credential(scan: &mut Scan<'_>, start: usize, kind: &str, least: usize) -> Option<usize> {
    let bytes = scan.bytes;
    let rest = bytes.get(start..)?;
    let value = |byte: u8| {
        byte.is_ascii_graphic()
            && !matches!(
                byte,
                b'"' | b'\'' | b'`' | b'\\' | b'<' | b'>' | b',' | b';' | b')' | b'}' | b']'
            )
    };
    let mut length = span(rest, 8192, value);
    while length > 0 && matches!(rest[length - 1], b'.' | b':') {
        length -= 1;
    }
    let text = &rest[..length];
    let telling = match least {
        ..8 => kinds_of_characters(text) >= 2 || is_random(text, 8),
        _ => is_random(text, least.min(12)),
    };
    if length < least
        || text.starts_with(b"{")
        || is_code(text)
        || !telling
        || is_placeholder(text)
        || is_reference(text)
        || has_mark(text)
    {
        return None;
    }
    scan.known_or(kind, start..start + length);
    Some(start + length)
}

/// `name=value, name="value"`: what is secret of it.
fn pairs(scan: &mut Scan<'_>, start: usize, end: usize) -> usize {
    let bytes = scan.bytes;
    let mut at = start;
    let mut last = start;
    while at < end {
        let begins = at == start || matches!(bytes[at - 1], b' ' | b',' | b'"');
        let name = PAIRS.iter().find(|name| begins && starts_with(&bytes[at..end], name));
        let Some(name) = name else {
            at += 1;
            continue;
        };
        let from = at + name.len();
        let from = from + span(&bytes[from..end], 2, |byte| matches!(byte, b'"' | b'\\'));
        let length = span(&bytes[from..end], 2000, |byte| {
            byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b',' | b'\\' | b'`')
        });
        let text = &bytes[from..from + length];
        if length >= 8 && !is_placeholder(text) && !is_reference(text) && is_random(text, 8) {
            let kind = if *name == "oauth_token=" { "token" } else { "signature" };
            scan.known_or(kind, from..from + length);
            last = from + length;
        }
        at = from + length.max(1);
    }
    last
}

/// Attributes of a cookie, which are none.
const ATTRIBUTES: [&str; 8] =
    ["path", "domain", "expires", "max-age", "samesite", "version", "priority", "comment"];

/// After `Cookie` or `Set-Cookie`: the values that look random.
pub(super) fn cookies(scan: &mut Scan<'_>, named: &Named) -> Option<usize> {
    let value = value_of(scan.bytes, named)?;
    if !matches!(value.link, Link::Colon | Link::Tight | Link::Assign | Link::Flag | Link::Comma) {
        return None;
    }
    let bytes = scan.bytes;
    let at = value.start;
    let end = at
        + span(&bytes[at..], 2 * named.longest, |byte| {
            !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\')
        });
    scan.reject(named, end);
    cookie_pairs(scan, at, end)
}

/// `name=value; name=value`: the values that look random.
pub(super) fn cookie_pairs(scan: &mut Scan<'_>, start: usize, end: usize) -> Option<usize> {
    let bytes = scan.bytes;
    let mut at = start;
    let mut last = None;
    while at < end {
        at += span(&bytes[at..end], 8, |byte| matches!(byte, b' ' | b';'));
        let length = span(&bytes[at..end], 8192, |byte| byte != b';');
        let pair = &bytes[at..at + length];
        if let Some(equals) = pair.iter().position(|byte| *byte == b'=') {
            let (name, text) = (&pair[..equals], &pair[equals + 1..]);
            let attribute =
                ATTRIBUTES.iter().any(|word| name.eq_ignore_ascii_case(word.as_bytes()));
            let word = !text.contains(&b' ') && !name.contains(&b' ');
            if !attribute && word && is_cookie(text) {
                let from = at + equals + 1;
                scan.known_or("cookie", from..from + text.len());
                last = Some(from + text.len());
            }
        }
        at += length.max(1);
    }
    last
}

fn is_cookie(text: &[u8]) -> bool {
    text.len() >= 8
        && !is_placeholder(text)
        && !is_reference(text)
        && !has_mark(text)
        && is_random(text, 8)
}
