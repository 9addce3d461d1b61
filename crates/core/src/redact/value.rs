//! Where the value of a name stands: after `=` or `:`, in quotes, in the next cell, on the next line.

use super::alphabet::{is_word, span, span_back};
use super::mark::begins_mark;
use super::name::Meaning;
use super::near::leads;
use super::random::{is_random, starts_with};
use super::{fallback, pairs, place};

/// A name of a secret, and what stands around it.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) meaning: Meaning,
    /// After `-` or `--`.
    pub(super) flag: bool,
    /// First in its line, but for `export` and the like.
    pub(super) first: bool,
    /// After `(` or `,`: an argument of a call, which may be a variable.
    pub(super) argument: bool,
    /// After `?` or `&`: in an address.
    pub(super) query: bool,
    /// After `<`.
    pub(super) tag: bool,
    /// In capital letters.
    pub(super) shouting: bool,
    /// How long its value may be.
    pub(super) longest: usize,
}

/// How a value hangs on its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// `name=value`.
    Tight,
    /// `name = value`, `name := value`, `name => value`.
    Assign,
    /// `name: value`.
    Colon,
    /// `--name value`.
    Flag,
    /// `<name>value</name>`.
    Tag,
    /// `name("value")`.
    Call,
    /// `"name", "value"`.
    Comma,
    /// `name is value`.
    Says,
    /// `name value`.
    Blank,
    /// `| name | value |`.
    Cell,
    /// `name:` and the value alone on the next line.
    NextLine,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
    pub(super) link: Link,
}

/// Longer ones are content, not secrets.
pub(super) const LONGEST: usize = 4096;

pub(super) fn blanks(bytes: &[u8], at: usize) -> usize {
    at + span(&bytes[at.min(bytes.len())..], 64, |byte| matches!(byte, b' ' | b'\t'))
}

/// A quotation mark, and the backslashes before it if it stands in a string itself.
pub(super) fn quote(bytes: &[u8], at: usize) -> Option<(usize, u8)> {
    let slashes = span(bytes.get(at..)?, 8, |byte| byte == b'\\');
    let mark = *bytes.get(at + slashes)?;
    matches!(mark, b'"' | b'\'' | b'`').then_some((slashes, mark))
}

/// Where the string ends that begins with this quotation mark: before the same mark with as many
/// backslashes.
fn closing(bytes: &[u8], from: usize, slashes: usize, mark: u8, longest: usize) -> Option<usize> {
    let mut run = 0;
    for (offset, byte) in bytes.get(from..)?.iter().take(longest).enumerate() {
        match *byte {
            b'\n' => return None,
            b'\\' => run += 1,
            byte if byte == mark && (run == slashes || slashes == 0 && run % 2 == 0) => {
                return Some(from + offset - run.min(slashes));
            }
            _ => run = 0,
        }
    }
    None
}

/// The value of a name, if one follows.
pub(super) fn value_of(bytes: &[u8], named: &Named) -> Option<Value> {
    let mut at = named.end;
    let closed = quote(bytes, at);
    if let Some((slashes, _)) = closed {
        at += slashes + 1;
    }
    at += span(&bytes[at..], 2, |byte| matches!(byte, b'*' | b']' | b')'));
    at += place::index(&bytes[at..]).filter(|_| closed.is_some()).unwrap_or(0);
    let after = blanks(bytes, at);
    let gap = after > at;
    // The colon and the sign of equality of Chinese and Japanese text.
    if let Some(rest) = ["：", "＝", "—", "–", "→", "~ "]
        .iter()
        .find_map(|sign| bytes[after..].strip_prefix(sign.as_bytes()))
    {
        let start = blanks(bytes, bytes.len() - rest.len());
        return read(bytes, start, Link::Colon, named);
    }
    if named.shouting
        && let Some(start) = place::set_for(bytes, after)
    {
        return read(bytes, start, Link::Assign, named);
    }
    if let Some(value) = place::under_banner(bytes, after).filter(|_| gap) {
        return Some(value);
    }
    if let Some(value) = fallback::led(bytes, after, closed.is_some(), named) {
        return Some(value);
    }
    match *bytes.get(after)? {
        b'=' | b':' | b'!' | b'?' | b'+' | b'-'
            if !(bytes[after..].starts_with(b"--") || named.flag && gap) =>
        {
            operator(bytes, after, gap, named)
        }
        _ if named.tag && gap => {
            // `<Pass encoding="base64">`.
            let tag = span(&bytes[after..], 200, |byte| !matches!(byte, b'>' | b'<' | b'\n'));
            let close = after + tag;
            (bytes.get(close) == Some(&b'>') && bytes[close - 1] != b'/')
                .then(|| place::in_tag(bytes, close + 1, named))
        }
        b'>' if named.tag && !gap => {
            let start = place::in_first_tag(bytes, after + 1).unwrap_or(after + 1);
            Some(place::in_tag(bytes, start, named))
        }
        // `<prop name="db.password">X</prop>`.
        b'>' if closed.is_some() && !gap => {
            if let Some(start) = place::in_first_tag(bytes, after + 1) {
                return Some(place::in_tag(bytes, start, named));
            }
            let value = place::in_tag(bytes, after + 1, named);
            Some(Value { quoted: false, link: Link::Cell, ..value })
        }
        b'(' if !gap => {
            quote(bytes, after + 1)?;
            read(bytes, after + 1, Link::Call, named)
        }
        b',' if closed.is_some() => {
            let next = blanks(bytes, after + 1);
            pairs::after(bytes, after, named).or_else(|| {
                quote(bytes, next)?;
                read(bytes, next, Link::Comma, named)
            })
        }
        b'\n' | b'\r' => {
            pairs::after(bytes, after, named).or_else(|| place::headed(bytes, after, named))
        }
        b'|' if bytes[after..].starts_with(b"||=") => {
            read(bytes, blanks(bytes, after + 3), Link::Assign, named)
        }
        b'{' if gap && closed.is_some() => pairs::declared(bytes, after, named),
        b'|' if gap => read(bytes, blanks(bytes, after + 1), Link::Cell, named),
        b'<' if named.shouting && bytes[after..].starts_with(b"<<< ") => {
            read(bytes, blanks(bytes, after + 3), Link::Assign, named)
        }
        b'<' if bytes[after..].starts_with(b"</") => place::next_tag(bytes, after, named),
        b'%' => place::escaped(bytes, after, named),
        b',' => pairs::after(bytes, after, named).or_else(|| {
            // `a new token, X, use that one`.
            let told = named.meaning.class() == super::name::Class::Token;
            let value =
                read(bytes, blanks(bytes, after + 1), Link::Comma, named).filter(|_| told)?;
            is_random(&bytes[value.start..value.end], 20).then_some(value)
        }),
        b'-' if gap => pairs::flagged(bytes, after, named),
        _ if gap && named.flag => read(bytes, after, Link::Flag, named),
        _ if gap && place::is_kept_as(bytes, after) => read(bytes, after + 2, Link::Flag, named),
        _ if gap => match says(bytes, named, after) {
            // `use the following password to proceed:` and the value on the next line.
            Some(value) if place::is_prose(bytes, value) => {
                place::below(bytes, after).or_else(|| read(bytes, value, Link::Says, named))
            }
            Some(value) => read(bytes, value, Link::Says, named),
            None => pairs::after(bytes, after, named)
                .or_else(|| place::below(bytes, after))
                .or_else(|| read(bytes, after, Link::Blank, named)),
        },
        _ => None,
    }
}

/// After `=`, `:`, `:=`, `=>`, `==` and the like.
fn operator(bytes: &[u8], at: usize, gap: bool, named: &Named) -> Option<Value> {
    let mut length = span(&bytes[at..], 4, |byte| {
        matches!(byte, b'=' | b':' | b'!' | b'?' | b'+' | b'-' | b'>')
    });
    // The value itself may begin with a sign: `TOKEN=-I3y`, `AccountKey=+LFU`.
    if let [b'=', b'+' | b'-' | b'!' | b'?' | b':', ..] = bytes[at..at + length] {
        length = 1;
    }
    let sign = &bytes[at..at + length];
    let link = match sign {
        b":" => Link::Colon,
        b"=" if gap || matches!(bytes.get(at + 1), Some(b' ' | b'\t')) => Link::Assign,
        b"=" => Link::Tight,
        b":=" | b"=>" | b"==" | b"===" | b"!=" | b"!==" | b"?=" | b"??=" | b"+=" | b"->" => {
            Link::Assign
        }
        _ => return None,
    };
    let mut next = blanks(bytes, at + length);
    let mut link = link;
    if sign == b":" {
        next = place::after_emphasis(bytes, next);
        (next, link) = place::after_tag(bytes, next)?;
    }
    let rest = bytes.get(next..).unwrap_or_default();
    if link == Link::Colon && rest.starts_with(b"</") {
        return place::next_cell(bytes, next, named);
    }
    if let Some(start) = nested(rest) {
        return read(bytes, next + start, Link::Colon, named);
    }
    let block = match rest {
        [b'|' | b'>', b'-' | b'+', b'\n', ..] => 2,
        [b'|' | b'>', b'\n', ..] => 1,
        _ => 0,
    };
    if link == Link::Colon && matches!(rest.get(block), Some(b'\n' | b'\r')) {
        return place::default_below(bytes, next + block, named)
            .or_else(|| next_line(bytes, next + block));
    }
    // `["password"]=>` and `string(14) "X"` on the next line.
    if sign == b"=>" && rest.starts_with(b"\n") {
        let start = next + span(rest, 48, |byte| byte.is_ascii_whitespace());
        place::wrapped(bytes, start)?;
        return read(bytes, start, link, named);
    }
    if sign == b":" && rest.starts_with(b"//") {
        return None;
    }
    if link == Link::Colon && quote(bytes, next).is_none() {
        // `token: &str = "…"` has its type first.
        let plain = |byte: u8| {
            is_word(byte)
                || matches!(byte, b' ' | b'<' | b'>' | b'&' | b':' | b'\'' | b'?' | b'|' | b'.')
        };
        let end = next + span(rest, 48, plain);
        if bytes.get(end) == Some(&b'=') && bytes.get(end + 1) == Some(&b' ') {
            return read(bytes, blanks(bytes, end + 1), Link::Assign, named);
        }
    }
    read(bytes, next, link, named)
}

/// `{ "value": "…" }`, as outputs of Terraform are written: where the value begins.
fn nested(rest: &[u8]) -> Option<usize> {
    let inner = rest.strip_prefix(b"{")?;
    let inner = &inner[..span(inner, 300, |byte| byte != b'}')];
    let keys = [
        "\"value\"",
        "\\\"value\\\"",
        " value ",
        "\"defaultValue\"",
        "\"default\"",
        "\"Default\"",
        "\"Key\"",
    ];
    keys.iter().find_map(|key| {
        let at = inner.windows(key.len()).position(|part| part == key.as_bytes())? + key.len();
        let sign = at + span(&inner[at..], 4, |byte| matches!(byte, b' ' | b'\t'));
        matches!(inner.get(sign), Some(b':' | b'=')).then(|| 1 + blanks(inner, sign + 1))
    })
}

/// The new value after `->`.
pub(super) fn changed(bytes: &[u8], value: Value, named: &Named) -> Option<Value> {
    let rest = &bytes[value.end..];
    let rest = rest.strip_prefix(b"\\").unwrap_or(rest);
    let told = rest.strip_prefix(b"` to ").or_else(|| rest.strip_prefix(b" to "));
    if let Some(next) = told.filter(|_| value.link == Link::Says) {
        return read(bytes, bytes.len() - next.len(), Link::Says, named);
    }
    let next = rest.strip_prefix(b"\" -> ").filter(|_| value.quoted)?;
    let at = bytes.len() - next.len();
    quote(bytes, at)?;
    read(bytes, at, Link::Assign, named)
}

/// How far from the name of a resource its result may stand.
const RESOURCE: usize = 1500;

/// What `random_password` of Terraform has made.
pub(super) fn made_up_for(bytes: &[u8], named: &Named) -> Option<std::ops::Range<usize>> {
    if &bytes[named.start..named.end] != b"random_password" {
        return None;
    }
    let rest = &bytes[named.end..bytes.len().min(named.end + RESOURCE)];
    let result = b"result";
    let mut from = 0;
    while let Some(found) = rest[from..].windows(result.len()).position(|part| part == result) {
        from += found + result.len();
        let at = named.end + from;
        let at = at + span(&bytes[at..], 4, |byte| matches!(byte, b'"' | b'\\'));
        let sign = blanks(bytes, at);
        if !matches!(bytes.get(sign), Some(b'=' | b':')) {
            continue;
        }
        let value = read(bytes, blanks(bytes, sign + 1), Link::Assign, named)?;
        let text = &bytes[value.start..value.end];
        let is_told = value.quoted && text.len() >= 4 && !super::mark::has_mark(text);
        return is_told.then_some(value.start..value.end);
    }
    None
}

/// The value alone on the next line, after an empty one or the beginning of a block of code.
pub(super) fn next_line(bytes: &[u8], at: usize) -> Option<Value> {
    let mut at = at;
    for _ in 0..3 {
        at += span(&bytes[at..], 64, |byte| matches!(byte, b'\n' | b'\r' | b' ' | b'\t'));
        if bytes[at..].starts_with(b"> ") {
            at += 2;
            break;
        }
        if !bytes[at..].starts_with(b"```") {
            break;
        }
        at += span(&bytes[at..], 64, |byte| byte != b'\n');
    }
    let end = at + span(&bytes[at..], LONGEST, |byte| !byte.is_ascii_whitespace());
    let alone = matches!(bytes.get(blanks(bytes, end)), None | Some(b'\n' | b'\r'));
    let inner = &bytes[at..end];
    let marks = |byte: u8| matches!(byte, b'`' | b'"' | b'\'');
    let (left, right) = (span(inner, 2, marks), span_back(inner, 2, marks));
    (alone && left + right < inner.len()).then(|| Value {
        start: at + left,
        end: end - right,
        quoted: true,
        link: Link::NextLine,
    })
}

/// How many words may stand between a name and the word that tells its value.
const WORDS_BETWEEN: usize = 6;

/// Where the value begins after `is`, `was`, `to`, `:` or `=`, with a few words before.
fn says(bytes: &[u8], named: &Named, from: usize) -> Option<usize> {
    let mut at = from;
    for _ in 0..WORDS_BETWEEN {
        let length = span(&bytes[at..], 24, |byte| {
            is_word(byte) || matches!(byte, b'-' | b'\'' | b'.' | b'@') || byte >= 0x80
        });
        let word = &bytes[at..at + length];
        let end = at + length;
        if length > 0 && matches!(bytes.get(end), Some(b':' | b'=')) {
            let value = blanks(bytes, end + 1);
            return (value > end + 1 && leads(&bytes[from..end])).then_some(value);
        }
        if matches!(bytes.get(end), Some(b'=')) && bytes.get(end + 1) == Some(&b' ') {
            return Some(blanks(bytes, end + 1));
        }
        if length == 0 || bytes.get(end) != Some(&b' ') {
            return None;
        }
        at = blanks(bytes, end);
        if matches!(
            word,
            b"is" | b"was" | b"to" | b"are" | b"be" | b"ist" | b"lautet" | b"es" | b"est"
        ) || matches!(word, [0xc3, 0xa8 | 0xa9])
        {
            let more = [
                "now ",
                "set to ",
                "changed to ",
                "reset to ",
                "rotated to ",
                "updated to ",
                "replaced with ",
                "replaced by ",
                "switched to ",
                "now set to ",
                "currently ",
                "still ",
                "simply ",
                "just ",
                "always ",
                "only ",
            ];
            let skip = more.iter().find(|word| starts_with(&bytes[at..], word));
            let value = at + skip.map_or(0, |word| word.len());
            return Some(place::after_colon(bytes, value).unwrap_or(value));
        }
        // `has been changed from X to Y`.
        let changed = || {
            let before = &bytes[named.start.saturating_sub(40)..named.start];
            ["changed ", "rotated ", "replaced ", "switched ", "changing ", "change ", "moved "]
                .iter()
                .any(|verb| before.windows(verb.len()).any(|part| starts_with(part, verb)))
        };
        if word == b"from" && (bytes[from..end].windows(2).any(|pair| pair == b"d ") || changed()) {
            return Some(at);
        }
        if word.ends_with(b".") || !leads(&bytes[from..end]) {
            return None;
        }
    }
    None
}

/// Reads the value that begins here, in quotes or not.
pub(super) fn read(bytes: &[u8], at: usize, link: Link, named: &Named) -> Option<Value> {
    let mut at = place::wrapped(bytes, at).unwrap_or(at);
    // `b"…"`, `f'…'`, `@"…"`, and lists of one.
    let lead = |byte: &u8| {
        matches!(byte, b'b' | b'r' | b'f' | b'u' | b'B' | b'L' | b'N' | b'@' | b'[' | b'*')
    };
    for _ in 0..2 {
        if bytes.get(at).is_some_and(lead)
            && quote(bytes, at + 1).is_some()
            && !begins_mark(&bytes[at..])
        {
            at += 1;
        }
    }
    if let Some((slashes, mark)) = quote(bytes, at) {
        let from = at + slashes + 1;
        if bytes[from..].starts_with(&[mark, mark]) {
            // `"""X"""`.
            let start = from + 2;
            let end =
                start + span(&bytes[start..], named.longest, |byte| byte != mark && byte != b'\n');
            return (end > start).then_some(Value { start, end, quoted: true, link });
        }
        // `"{noop}X"` says how it is kept.
        let kept = ["{noop}", "{PLAIN}", "{plain}"];
        let kept = kept.iter().find(|kept| bytes[from..].starts_with(kept.as_bytes()));
        let from = from + kept.map_or(0, |kept| kept.len());
        return match closing(bytes, from, slashes, mark, named.longest) {
            Some(end) => Some(Value { start: from, end, quoted: true, link }),
            None => bare(bytes, from, link, named),
        };
    }
    bare(bytes, at, link, named)
}

/// A value without quotes ends at a blank, and at a sign that begins something else.
fn bare(bytes: &[u8], start: usize, link: Link, named: &Named) -> Option<Value> {
    // `password=\\#X`, as files of properties write it.
    let escaped = matches!(bytes.get(start..), Some([b'\\', b'#' | b'!' | b'=' | b':', ..]));
    let start = start + usize::from(escaped);
    let rest = bytes.get(start..)?;
    let mut end = 0;
    while end < rest.len().min(named.longest) && !stops(&rest[end..], link, named) {
        end += 1;
    }
    let whole = end < named.longest;
    while whole
        && end > 0
        && matches!(rest[end - 1], b'.' | b',' | b';' | b':' | b'?' | b'\'' | b'"')
    {
        end -= 1;
    }
    // What is quoted in another text ends with that quote.
    while whole && rest[..end].ends_with("”".as_bytes()) {
        end -= "”".len();
    }
    (end > 0).then_some(Value { start, end: start + end, quoted: false, link })
}

fn stops(rest: &[u8], link: Link, named: &Named) -> bool {
    let ends = |next: Option<&u8>| {
        next.is_none_or(|byte| {
            byte.is_ascii_whitespace()
                || matches!(
                    byte,
                    b'"' | b'\'' | b'`' | b',' | b';' | b')' | b']' | b'}' | b'.' | b':' | b'\\'
                )
        })
    };
    let next = rest.get(1);
    match rest[0] {
        byte if byte.is_ascii_whitespace() || byte.is_ascii_control() => true,
        b'`' => true,
        b'"' | b'\'' => !(named.first && link == Link::Tight) || ends(next),
        b'\\' => matches!(next, Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'\\')),
        b'&' | b'#' if named.query => true,
        b',' | b';' | b'&' | b'|' => ends(next) || next == Some(&b'&') || begins_pair(&rest[1..]),
        b')' | b']' | b'}' => ends(next),
        b'<' => {
            next.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/') && !named.first
        }
        b'>' => ends(next) && !named.first,
        b'[' => begins_mark(rest),
        _ => false,
    }
}

/// `name=` or `name:`.
pub(super) fn begins_pair(rest: &[u8]) -> bool {
    let rest = &rest[span(rest, 1, |byte| matches!(byte, b'"' | b'\''))..];
    let name = span(rest, 40, |byte| is_word(byte) || matches!(byte, b'-' | b'.' | b' '));
    name > 0 && matches!(rest.get(name), Some(b'=' | b':'))
}
