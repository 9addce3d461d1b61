//! Private keys as JSON, and as PuTTY keeps them.

use super::alphabet::{Alphabet, span, span_back};
use super::judge::is_placeholder;
use super::scan::Scan;

/// How far the parts of a key may stand from its type.
const FARTHEST: usize = 4000;

/// The private parts of a key: of curves and RSA, and of a key that both sides have.
const PRIVATE: [&[u8]; 7] = [b"d", b"k", b"p", b"q", b"dp", b"dq", b"qi"];

/// At the `kty` of a JSON Web Key: its private parts.
pub(super) fn look(scan: &mut Scan<'_>, at: usize) {
    let bytes = scan.bytes;
    if at < scan.jwk_until {
        return;
    }
    let begin = at - span_back(&bytes[..at], FARTHEST, |byte| !matches!(byte, b'{' | b'}'));
    let end = at + span(&bytes[at..], FARTHEST, |byte| !matches!(byte, b'{' | b'}'));
    scan.jwk_until = end;
    let mut at = begin;
    while at < end {
        let length = span(&bytes[at..end], FARTHEST, |byte| byte.is_ascii_lowercase());
        let after = at + length;
        let sign =
            after + span(&bytes[after..end], 8, |byte| matches!(byte, b'"' | b'\'' | b'\\' | b' '));
        if sign > after && bytes.get(sign) == Some(&b':') && PRIVATE.contains(&&bytes[at..after]) {
            let start = sign
                + 1
                + span(&bytes[sign + 1..end], 8, |byte| {
                    matches!(byte, b'"' | b'\'' | b'\\' | b' ')
                });
            let value = span(&bytes[start..end], FARTHEST, |byte| Alphabet::Base64Url.has(byte));
            if value >= 20 && !is_placeholder(&bytes[start..start + value]) {
                scan.hit("private key", start..start + value);
            }
        }
        at = after + 1;
    }
}

/// After the `Private` of `Private-Lines: 1`: lines of key. After that of `Private-MAC:` a digest made with them.
pub(super) fn putty(scan: &mut Scan<'_>, end: usize) {
    let bytes = scan.bytes;
    let rest = &bytes[end..];
    if let Some(mac) = rest.strip_prefix(b"-MAC: ") {
        let length = span(mac, 80, |byte| byte.is_ascii_hexdigit());
        if length >= 40 {
            scan.hit("private key", end + 6..end + 6 + length);
        }
    }
    if !rest.starts_with(b"-Lines: ") {
        return;
    }
    let mut at = end + span(rest, 32, |byte| byte != b'\n') + 1;
    let start = at;
    let mut last = start;
    while at < bytes.len() {
        let length = span(&bytes[at..], 80, |byte| Alphabet::Base64.has(byte));
        if length < 16 || !matches!(bytes.get(at + length), None | Some(b'\n' | b'\r')) {
            break;
        }
        last = at + length;
        at = last + 1 + usize::from(bytes.get(last) == Some(&b'\r'));
    }
    if last > start {
        scan.hit("private key", start..last);
    }
}
