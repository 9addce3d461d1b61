//! Places of values that more than a sign leads to: the next tag, the next line, the string in a call.

use super::alphabet::{is_word, span, span_back};
use super::value::{Link, Named, Value, blanks, next_line, read};

/// `<key>APIKey</key>` and then `<string>…</string>`, or the next cell of a table.
pub(super) fn next_tag(bytes: &[u8], at: usize, named: &Named) -> Option<Value> {
    let close = at + span(&bytes[at..], 40, |byte| byte != b'>') + 1;
    let next = close + span(bytes.get(close..)?, 48, |byte| byte.is_ascii_whitespace());
    let Some(start) = in_first_tag(bytes, next) else { return next_cell(bytes, at, named) };
    Some(in_tag(bytes, start, named))
}

/// Where the value begins in the tag that follows after breaks: `<Value>X`, `<Value ProtectInMemory="True">X`.
pub(super) fn in_first_tag(bytes: &[u8], at: usize) -> Option<usize> {
    let at = after_breaks(bytes, at);
    let tag = ["<string", "<value", "<Value"]
        .iter()
        .find(|tag| bytes[at..].starts_with(tag.as_bytes()))?;
    let end = at + tag.len();
    let close = end + span(&bytes[end..], 80, |byte| !matches!(byte, b'>' | b'<' | b'/' | b'\n'));
    let whole = close == end || bytes.get(end) == Some(&b' ');
    (whole && bytes.get(close) == Some(&b'>')).then_some(close + 1)
}

/// What stands in a tag, which may be `<![CDATA[X]]>`.
pub(super) fn in_tag(bytes: &[u8], start: usize, named: &Named) -> Value {
    let plain = b"<![CDATA[";
    let (start, sign) = match bytes[start..].starts_with(plain) {
        true => (start + plain.len(), b']'),
        false => (start, b'<'),
    };
    let end = start + span(&bytes[start..], named.longest, |byte| byte != sign && byte != b'\n');
    Value { start, end, quoted: true, link: Link::Tag }
}

/// How long `["name"]` is that follows another one and stands before an assignment.
pub(super) fn index(rest: &[u8]) -> Option<usize> {
    let name = rest.strip_prefix(b"[\"").or_else(|| rest.strip_prefix(b"['"))?;
    let end = 2 + span(name, 40, |byte| is_word(byte) || byte == b'-') + 2;
    let assigns =
        |sign: &str| rest.get(end..).is_some_and(|rest| rest.starts_with(sign.as_bytes()));
    (rest.get(end - 1) == Some(&b']') && [" = ", "="].into_iter().any(assigns)).then_some(end)
}

/// How many lines below the name of a parameter its default may stand.
const DECLARATION: usize = 8;

/// `DbPassword:` and below it, further in, `Default: X`, as in CloudFormation.
pub(super) fn default_below(bytes: &[u8], at: usize, named: &Named) -> Option<Value> {
    let line = span_back(&bytes[..named.start], 80, |byte| byte != b'\n');
    let indent = |at: usize| span(&bytes[at..], 80, |byte| byte == b' ');
    let least = indent(named.start - line);
    let mut next = at;
    for _ in 0..DECLARATION {
        next += span(&bytes[next..], 200, |byte| byte != b'\n') + 1;
        if next >= bytes.len() || indent(next) <= least {
            return None;
        }
        let start = next + indent(next);
        for key in ["Default: ", "default: "] {
            if bytes[start..].starts_with(key.as_bytes()) {
                return read(bytes, blanks(bytes, start + key.len()), Link::Colon, named);
            }
        }
        next = start;
    }
    None
}

/// Between a cell and the next one there are so many tags, each so long, with so many blanks around.
const MOST_TAGS: usize = 8;
const LONGEST_TAG: usize = 160;
const MOST_BLANKS: usize = 80;

/// `…</td> <td><code>X</code></td>`, `…</dt> <dd>X</dd>`: at the end of the cell with the name, or of what marks
/// the name in it.
pub(super) fn next_cell(bytes: &[u8], at: usize, named: &Named) -> Option<Value> {
    let (mut at, mut closed, mut opened) = (at, false, false);
    for _ in 0..MOST_TAGS {
        let Some(tag) = bytes[at..].strip_prefix(b"<") else { break };
        let tag = &tag[..span(tag, LONGEST_TAG, |byte| byte != b'>' && byte != b'<')];
        let name = &tag[..tag.iter().position(u8::is_ascii_whitespace).unwrap_or(tag.len())];
        match name {
            b"/td" | b"/th" | b"/dt" if !closed => closed = true,
            b"td" | b"dd" if closed && !opened => opened = true,
            b"b" | b"code" | b"em" | b"i" | b"kbd" | b"p" | b"pre" | b"samp" | b"span"
            | b"strong" | b"tt"
                if opened => {}
            b"/b" | b"/code" | b"/em" | b"/i" | b"/p" | b"/span" | b"/strong" if !closed => {}
            _ => return None,
        }
        at = after_breaks(bytes, at + tag.len() + 2);
    }
    let end = at + span(&bytes[at..], named.longest, |byte| !matches!(byte, b'<' | b'\n' | b'\\'));
    let end = end - span_back(&bytes[at..end], MOST_BLANKS, |byte| byte.is_ascii_whitespace());
    let whole = opened && end > at && !bytes[at..end].iter().any(u8::is_ascii_whitespace);
    whole.then_some(Value { start: at, end, quoted: false, link: Link::Cell })
}

/// After blanks and ends of lines, also as they are written in a string.
fn after_breaks(bytes: &[u8], at: usize) -> usize {
    let mut at = at.min(bytes.len());
    for _ in 0..MOST_BLANKS {
        match &bytes[at..] {
            [b'\\', b'n' | b'r' | b't', ..] => at += 2,
            [byte, ..] if byte.is_ascii_whitespace() => at += 1,
            _ => break,
        }
    }
    at
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
const WRAPPERS: &[&str] = &[
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
    "[]byte(",
    "bytes(",
    "hash(",
    "hashPassword(",
    "hash_password(",
    "bcrypt(",
    "bcrypt.hash(",
    "bcrypt.hashSync(",
    "Hash::make(",
    "make_password(",
    "generate_password_hash(",
    "encoder.encode(",
    "passwordEncoder.encode(",
    "passwordEncoder().encode(",
    "SecretValue.unsafePlainText(",
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

/// Words of YAML's tags after which no value stands, but where it is or what it is made of.
const REFERENCES: [&str; 34] = [
    "and",
    "arg",
    "cidr",
    "concat",
    "condition",
    "encrypted",
    "env",
    "equals",
    "file",
    "findinmap",
    "format",
    "getatt",
    "getazs",
    "if",
    "import",
    "importvalue",
    "include",
    "input",
    "join",
    "lookup",
    "not",
    "or",
    "param",
    "path",
    "ref",
    "reference",
    "resolve",
    "secret",
    "select",
    "split",
    "ssm",
    "sub",
    "transform",
    "var",
];

/// `!!str VALUE`, `&name VALUE`: where the value begins after tag and anchor of YAML, and how sure it is that it is
/// one; `None` after a tag that says that it is none.
pub(super) fn after_tag(bytes: &[u8], at: usize) -> Option<(usize, Link)> {
    let (mut at, mut link) = (at, Link::Colon);
    for _ in 0..2 {
        let Some(sign @ (b'!' | b'&')) = bytes.get(at) else { break };
        let length = 1 + span(&bytes[at + 1..], 80, |byte| {
            is_word(byte) || byte == b'-' || *sign == b'!' && b"!<>.,:/".contains(&byte)
        });
        let name = &bytes[at + 1..at + length];
        let next = blanks(bytes, at + length);
        if name.is_empty() || next == at + length {
            break;
        }
        if *sign == b'&' {
            // In a program it has a type after it, or goes on behind it.
            let line = &bytes[next..next + span(&bytes[next..], 200, |byte| byte != b'\n')];
            let program = [&b","[..], b";", b"{", b"(", b")"];
            if matches!(name, b"mut" | b"dyn" | b"const")
                || program.iter().any(|sign| line.trim_ascii_end().ends_with(sign))
                || line.contains(&b'=')
            {
                break;
            }
        } else if is_reference_tag(name) {
            return None;
        } else if !matches!(name, [b'!' | b'<', ..] | b"str" | b"string" | b"unsafe") {
            link = Link::Cell;
        }
        at = next;
    }
    Some((at, link))
}

fn is_reference_tag(name: &[u8]) -> bool {
    let is_one =
        |part: &[u8]| REFERENCES.iter().any(|word| part.eq_ignore_ascii_case(word.as_bytes()));
    name.eq_ignore_ascii_case(b"vault")
        || name.split(|byte| !byte.is_ascii_alphanumeric()).any(is_one)
}
