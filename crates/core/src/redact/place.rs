//! Places of values that more than a sign leads to: the next tag, the next line, the string in a call.

use super::alphabet::{is_word, span, span_back};
use super::value::{Link, Named, Value, blanks, next_line, read};

/// `<key>APIKey</key>` and then `<string>…</string>`.
pub(super) fn next_tag(bytes: &[u8], at: usize, named: &Named) -> Option<Value> {
    let close = at + span(&bytes[at..], 40, |byte| byte != b'>') + 1;
    let next = close + span(bytes.get(close..)?, 48, |byte| byte.is_ascii_whitespace());
    let tag = ["<string>", "<value>", "<Value>"]
        .iter()
        .find(|tag| bytes[next..].starts_with(tag.as_bytes()))?;
    let start = next + tag.len();
    let end = start + span(&bytes[start..], named.longest, |byte| !matches!(byte, b'<' | b'\n'));
    Some(Value { start, end, quoted: true, link: Link::Tag })
}

/// `password%22%3A%22…%22`, JSON in an address.
pub(super) fn escaped(bytes: &[u8], at: usize, named: &Named) -> Option<Value> {
    let sign = ["%22%3A%22", "%22%3a%22", "%22:%22", "%3D", "%3d"]
        .iter()
        .find(|sign| bytes[at..].starts_with(sign.as_bytes()))?;
    let start = at + sign.len();
    let length = span(&bytes[start..], named.longest, |byte| {
        is_word(byte) || matches!(byte, b'-' | b'.' | b'!' | b'*' | b'~' | b'+')
    });
    (length > 0).then_some(Value { start, end: start + length, quoted: true, link: Link::Tight })
}

/// Calls that wrap a string and leave it as it is.
const WRAPPERS: [&str; 11] = [
    "String::from(",
    "SecretString::from(",
    "SecretString::new(",
    "Secret::new(",
    "Some(",
    "Buffer.from(",
    "new String(",
    "Zeroizing::new(",
    "Cow::from(",
    "<(echo ",
    "$(echo ",
];

/// Where the string begins that a call wraps: `String::from("…")`, `string(14) "…"`.
pub(super) fn wrapped(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| rest.starts_with(wrapper.as_bytes())) {
        return Some(at + wrapper.len());
    }
    let digits = rest.strip_prefix(b"string(")?;
    let count = span(digits, 5, |byte| byte.is_ascii_digit());
    digits[count..].starts_with(b") \"").then_some(at + "string(".len() + count + 2)
}

/// Below a heading that is the name, or `name` and `: value` on the next line.
pub(super) fn headed(bytes: &[u8], at: usize, named: &Named) -> Option<Value> {
    let line = span_back(&bytes[..named.start], 80, |byte| byte != b'\n');
    let before = &bytes[named.start - line..named.start];
    let words = |byte: &u8| matches!(byte, b'#' | b' ') || byte.is_ascii_alphabetic();
    if before.starts_with(b"#") && before.iter().all(words) {
        return next_line(bytes, at).map(unsure);
    }
    let next = bytes[at..].strip_prefix(b"\n: ").filter(|_| before.is_empty())?;
    read(bytes, bytes.len() - next.len(), Link::NextLine, named)
}

/// `The password is:`, `api key below`, `Here is the password for the db`: the value alone on the next line.
pub(super) fn below(bytes: &[u8], at: usize) -> Option<Value> {
    let length = span(&bytes[at..], 80, |byte| byte != b'\n');
    let line = bytes[at..at + length].trim_ascii_end();
    let back = span_back(&bytes[..at], 80, |byte| byte != b'\n');
    let before = &bytes[at - back..at];
    let here = before.windows(7).any(|part| part.eq_ignore_ascii_case(b"here is"));
    let leads = here || line.ends_with(b":") || line.ends_with(b"below");
    let leads = leads && bytes.get(at + length) == Some(&b'\n');
    leads.then(|| next_line(bytes, at + length))?.map(unsure)
}

/// What is less sure to be a value: it must look like one.
fn unsure(value: Value) -> Value {
    Value { quoted: false, ..value }
}

/// `is generated for root@localhost: V`: where the value begins after a colon, if no value stands here.
pub(super) fn after_colon(bytes: &[u8], at: usize) -> Option<usize> {
    let word = span(&bytes[at..], 24, |byte| byte.is_ascii_lowercase());
    if word < 2 || bytes.get(at + word) != Some(&b' ') {
        return None;
    }
    let plain = |byte: u8| is_word(byte) || matches!(byte, b' ' | b'@' | b'-' | b'.' | b'\'');
    let colon = at + span(&bytes[at..], 60, plain);
    let next = blanks(bytes, colon + 1);
    (bytes.get(colon) == Some(&b':') && next > colon + 1).then_some(next)
}

/// `password 7 X`, as routers have it: a figure that says how it is kept, and the value at the end of the line.
pub(super) fn is_kept_as(bytes: &[u8], at: usize) -> bool {
    let [b'0' | b'5'..=b'9', b' ', rest @ ..] = &bytes[at..] else { return false };
    let length = span(rest, 200, |byte| byte.is_ascii_graphic());
    length >= 4 && matches!(rest.get(length), None | Some(b'\n' | b'\r'))
}

/// Whether a word of a sentence stands here that goes on to a colon at the end of the line.
pub(super) fn is_prose(bytes: &[u8], at: usize) -> bool {
    let word = span(&bytes[at..], 24, |byte| byte.is_ascii_lowercase());
    let line = span(&bytes[at..], 80, |byte| byte != b'\n');
    let line = bytes[at..at + line].trim_ascii_end();
    matches!(bytes.get(at + word), Some(b' ' | b':'))
        && (line.ends_with(b":") || line.ends_with(b"below"))
}

/// `*** Initial admin password ***`: the value alone on the next line.
pub(super) fn under_banner(bytes: &[u8], at: usize) -> Option<Value> {
    let sign = |byte: &u8| b"*=-#~+".contains(byte);
    if !bytes.get(at..at + 2)?.iter().all(sign) {
        return None;
    }
    let length = span(&bytes[at..], 80, |byte| byte != b'\n');
    let back = span_back(&bytes[..at], 80, |byte| byte != b'\n');
    let ruled = bytes[at..at + length].trim_ascii_end().iter().all(sign)
        && bytes[at - back..at].windows(2).any(|pair| pair.iter().all(sign));
    (ruled && bytes.get(at + length) == Some(&b'\n'))
        .then(|| next_line(bytes, at + length))?
        .map(unsure)
}

/// After the end of what is emphasised with its colon: `**Password:** X`, `<b>Password:</b> X`, and in a table.
pub(super) fn after_emphasis(bytes: &[u8], at: usize) -> usize {
    let ends = ["**", "__", "*", "_", "</b>", "</strong>", "</th><td>", "</td><td>", "</dt><dd>"];
    let end = ends.iter().find(|end| bytes[at..].starts_with(end.as_bytes()));
    let Some(end) = end.map(|end| at + end.len()) else { return at };
    let next = blanks(bytes, end);
    match bytes.get(next) {
        Some(b'|') if next > end => blanks(bytes, next + 1),
        _ if next > end || bytes[end - 1] == b'>' => next,
        _ => at,
    }
}

/// `SET PASSWORD FOR 'a'@'%' = 'X'`: where the value begins.
pub(super) fn set_for(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes[at..].strip_prefix(b"FOR ")?;
    let name = span(rest, 80, |byte| !matches!(byte, b'=' | b'\n' | b';'));
    (rest.get(name) == Some(&b'=')).then(|| {
        let start = blanks(bytes, at + 4 + name + 1);
        start + if bytes[start..].starts_with(b"PASSWORD(") { 9 } else { 0 }
    })
}
