//! Blocks between `-----BEGIN` and `-----END` that hold a private key.

use std::ops::Range;

use super::alphabet::{Alphabet, span, span_back};

/// What a block is called that has these words in its first line.
const LABELS: &[(&str, &str)] = &[
    ("RSA PRIVATE KEY", "rsa private key"),
    ("EC PRIVATE KEY", "ec private key"),
    ("DSA PRIVATE KEY", "dsa private key"),
    ("OPENSSH PRIVATE KEY", "openssh private key"),
    ("ENCRYPTED PRIVATE KEY", "encrypted private key"),
    ("PGP PRIVATE KEY BLOCK", "pgp private key"),
    ("OpenVPN Static key", "openvpn static key"),
    ("PRIVATE KEY", "private key"),
    ("SECRET KEY", "private key"),
];

const FIRST_LINE: usize = 80;
/// A line that shows that there is a key.
const KEY_LINE: usize = 24;
/// What is left of a line of key that was cut.
const CUT_LINE: usize = 18;
/// What a log or a search writes before each line.
const LONGEST_PREFIX: usize = 160;
/// What stands where something was cut out.
const ELLIPSES: [&str; 6] = ["[…]", "[...]", "(...)", "<...>", "…", "..."];

/// The private key that begins with these dashes, and where it ends.
pub(super) fn private_key(bytes: &[u8], at: usize) -> Option<(&'static str, usize)> {
    // The first of six says in a diff that the line is gone.
    let dashes = span(&bytes[at..], 6, |byte| byte == b'-');
    let rest = &bytes[at + dashes..];
    let rest = rest.strip_prefix(b"BEGIN ").or_else(|| rest.strip_prefix(b" BEGIN "))?;
    let from = bytes.len() - rest.len();
    let label =
        &rest[..span(rest, FIRST_LINE, |byte| byte.is_ascii_alphanumeric() || byte == b' ')];
    let label = std::str::from_utf8(label).ok()?;
    let (_, kind) = LABELS.iter().find(|(words, _)| label.contains(words))?;
    let body = from + label.len();
    let closes = span(bytes.get(body..)?, 5, |byte| byte == b'-');
    if closes < 4 {
        return None;
    }
    let before = &bytes[at - span_back(&bytes[..at], LONGEST_PREFIX, |byte| byte != b'\n')..at];
    lines(bytes, body + closes, before).map(|end| (*kind, end))
}

/// Where the block ends: with its last line, or, if that is missing, with the last line of key. `before` is what
/// stands in its line before it.
fn lines(bytes: &[u8], from: usize, before: &[u8]) -> Option<usize> {
    let mut at = from;
    let mut last = None;
    let mut count = 0;
    while at < bytes.len() {
        let line_end = line_end(bytes, at);
        let frame = |byte: u8| {
            byte.is_ascii_whitespace()
                || matches!(byte, b'"' | b'\'' | b',' | b'+' | b'>' | b'|' | b'#' | b';')
        };
        let line = &bytes[at..line_end];
        let left = numbered(line);
        let left = left + span(&line[left..], 64, frame);
        let right = span_back(&line[left..], 64, |byte| frame(byte) && byte != b'+');
        let inner = &line[left..line.len() - right];
        if let Some(pieces) = pieces(inner) {
            let pieces: Vec<_> =
                pieces.into_iter().map(|piece| without_count(inner, piece)).collect();
            let kept = pieces.iter().map(|piece| piece.len()).max().unwrap_or(0);
            let is_key = pieces.iter().all(|piece| {
                inner[(*piece).clone()].iter().all(|byte| Alphabet::Base64.has(*byte))
            });
            if !is_key || last.is_none() && (1..CUT_LINE).contains(&kept) {
                return last;
            }
            let end = pieces.iter().rev().find(|piece| !piece.is_empty()).map(|piece| piece.end);
            last = end.map(|end| at + left + end).or(last);
            if bytes[line_end..].starts_with(b"----") {
                return end_line(bytes, line_end).filter(|_| last.is_some()).or(last);
            }
            count += 1;
            at = after_line(bytes, line_end, before)?;
            continue;
        }
        if bytes[line_end..].starts_with(b"----") {
            if !inner.is_empty() && !is_key_line(inner, true) {
                return last;
            }
            let has_key = last.is_some() || inner.len() >= KEY_LINE;
            return end_line(bytes, line_end).filter(|_| has_key).or(last);
        }
        if !inner.is_empty() {
            let head = count < 6 && last.is_none() && is_head(bytes, at + left);
            if head {
                at += span(&bytes[at..], 200, |byte| byte != b'\n' && byte != b'\\');
            } else if is_key_line(inner, last.is_some()) && bytes.get(line_end) != Some(&b'-') {
                last = Some(line_end - right);
                at = line_end;
            } else {
                return last;
            }
        } else {
            at = line_end;
        }
        count += 1;
        at = after_line(bytes, at, before)?;
    }
    last
}

/// How much of a line is its number: `  12\t`, `12: `, `12 | `.
fn numbered(line: &[u8]) -> usize {
    let blanks = span(line, 16, |byte| byte == b' ');
    let digits = span(&line[blanks..], 6, |byte| byte.is_ascii_digit());
    let rest = &line[blanks + digits..];
    let gap = span(rest, 2, |byte| byte == b' ');
    let sign =
        ["\t", ":", "|", "→", "│"].iter().find(|sign| rest[gap..].starts_with(sign.as_bytes()));
    match sign.filter(|_| digits > 0) {
        Some(sign) => blanks + digits + gap + sign.len(),
        None => 0,
    }
}

/// A piece without blanks around it, and without how much was cut out: `… 24 lines …`.
fn without_count(line: &[u8], piece: Range<usize>) -> Range<usize> {
    let text = &line[piece.clone()];
    let left = text.len() - text.trim_ascii_start().len();
    let inner = text.trim_ascii();
    let counts = inner.contains(&b' ')
        && inner.len() <= 40
        && inner.split(|byte| *byte == b' ').all(|word| {
            word.iter().all(u8::is_ascii_digit)
                || [
                    &b"lines"[..],
                    b"line",
                    b"more",
                    b"bytes",
                    b"chars",
                    b"characters",
                    b"omitted",
                    b"truncated",
                    b"skipped",
                    b"hidden",
                    b"of",
                    b"cut",
                ]
                .contains(&word)
        });
    let start = piece.start + left;
    if counts { start..start } else { start..start + inner.len() }
}

/// Lines of key that stand before these dashes, which end a block that does not begin here: the kind and where
/// they begin and end.
pub(super) fn end_of_key(bytes: &[u8], at: usize) -> Option<(&'static str, Range<usize>)> {
    let end = end_line(bytes, at)?;
    let label = std::str::from_utf8(&bytes[at..end]).ok()?;
    let (_, kind) = LABELS.iter().find(|(words, _)| label.contains(words))?;
    let mut start = None;
    let mut stop = at.checked_sub(1).filter(|before| bytes[*before] == b'\n')?;
    for _ in 0..200 {
        let length = span_back(&bytes[..stop], 200, |byte| byte != b'\n');
        let line = &bytes[stop - length..stop];
        let inner = line.trim_ascii();
        let base64 = inner.iter().all(|byte| Alphabet::Base64.has(*byte));
        if !base64 || inner.len() < if start.is_none() { 4 } else { KEY_LINE } {
            break;
        }
        let left = line.len() - line.trim_ascii_start().len();
        start = Some(stop - length + left);
        match (stop - length).checked_sub(1) {
            Some(before) => stop = before,
            None => break,
        }
    }
    start.map(|start| (*kind, start..end))
}

/// What is left of a line of which something was cut out, `…` or `...`; `None` if nothing was.
fn pieces(line: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while at < line.len() {
        let rest = &line[at..];
        let cut = ELLIPSES.iter().find(|sign| rest.starts_with(sign.as_bytes()));
        if let Some(sign) = cut {
            pieces.push(from..at);
            at += sign.len();
            at += span(&line[at..], 8, |byte| matches!(byte, b'.' | b' '));
            from = at;
        } else {
            at += 1;
        }
    }
    pieces.push(from..line.len());
    (pieces.len() > 1).then_some(pieces)
}

/// Where a line of key ends, also with `<br>`.
fn line_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    loop {
        end += span(&bytes[end..], usize::MAX, |byte| !matches!(byte, b'\n' | b'\\' | b'-' | b'<'));
        if bytes.get(end) != Some(&b'<') || bytes[end..].starts_with(b"<br") {
            return end;
        }
        end += 1;
    }
}

/// How much of a line is what stands before the block, with other digits.
fn prefix_length(line: &[u8], before: &[u8]) -> usize {
    let digits = |text: &[u8]| span(text, LONGEST_PREFIX, |byte| byte.is_ascii_digit());
    let (mut at, mut seen) = (0, 0);
    while seen < before.len() {
        let (here, there) = (digits(&line[at..]), digits(&before[seen..]));
        match (here, there) {
            (0, 0) if line.get(at) == Some(&before[seen]) => (at, seen) = (at + 1, seen + 1),
            (1.., 1..) => (at, seen) = (at + here, seen + there),
            _ => return 0,
        }
    }
    // The first of six dashes belongs to what stands before them.
    let dash = line.get(at) == Some(&b'-') && !line[at..].starts_with(b"----");
    at + usize::from(dash && seen > 0)
}

/// After the end of a line and what stands before the next one, also where it is written `<br>`, `\n`, `\r\n` or, in
/// a string of a string, `\\n`.
fn after_line(bytes: &[u8], at: usize, before: &[u8]) -> Option<usize> {
    let mut at = at;
    if bytes.get(at) == Some(&b'<') {
        at += span(&bytes[at..], 8, |byte| byte != b'>') + 1;
        return Some(at.min(bytes.len()));
    }
    if bytes.get(at) == Some(&b'\n') {
        return Some(at + 1 + prefix_length(&bytes[at + 1..], before));
    }
    while bytes.get(at) == Some(&b'\\') {
        at += span(&bytes[at..], 8, |byte| byte == b'\\');
        match bytes.get(at) {
            Some(b'n' | b'r' | b'\n') => at += 1,
            _ => return Some(at),
        }
    }
    Some((at + usize::from(bytes.get(at) == Some(&b'-'))).max(at))
}

fn end_line(bytes: &[u8], at: usize) -> Option<usize> {
    let dashes = at + span(&bytes[at..], 6, |byte| byte == b'-');
    let rest = bytes.get(dashes..)?;
    let label = rest.strip_prefix(b"END ").or_else(|| rest.strip_prefix(b" END "))?;
    let from = bytes.len() - label.len();
    let end = from + span(label, FIRST_LINE, |byte| byte.is_ascii_alphanumeric() || byte == b' ');
    Some(end + span(&bytes[end..], 5, |byte| byte == b'-'))
}

/// `Proc-Type: 4,ENCRYPTED` and the like.
fn is_head(bytes: &[u8], at: usize) -> bool {
    ["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Charset:", "Hash:", "Subject:"]
        .iter()
        .any(|head| bytes[at..].starts_with(head.as_bytes()))
}

/// Base64, long unless lines of key stand before it.
fn is_key_line(line: &[u8], more: bool) -> bool {
    let mut words = line
        .split(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
        .filter(|word| !word.is_empty())
        .peekable();
    let base64 = |word: &[u8]| word.iter().all(|byte| Alphabet::Base64.has(*byte));
    while let Some(word) = words.next() {
        let last = words.peek().is_none();
        let long = word.len() >= KEY_LINE;
        let short = last
            && more
            && (word.contains(&b'=') || word.len().is_multiple_of(4) || word.len() > 16);
        if !base64(word) || !(long || short) {
            return false;
        }
    }
    true
}
