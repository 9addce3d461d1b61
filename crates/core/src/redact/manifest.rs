//! Manifests of Kubernetes: everything under `data` of a `Secret`.

use super::alphabet::{span, span_back};
use super::judge::{is_placeholder, is_reference};
use super::mark::has_mark;
use super::scan::Scan;

/// How far back a manifest may begin.
const FARTHEST: usize = 64 * 1024;

/// At the `Secret` of `kind: Secret`: takes out the values of the document, and says where it ends.
pub(super) fn look(scan: &mut Scan<'_>, at: usize, from: usize) -> usize {
    let bytes = scan.bytes;
    let quote = span_back(&bytes[..at], 2, |byte| matches!(byte, b'"' | b'\\' | b'\''));
    let blanks = span_back(&bytes[..at - quote], 4, |byte| byte == b' ');
    let before = &bytes[..at - quote - blanks];
    let yaml = before.ends_with(b"kind:");
    if !yaml && !before.ends_with(b"\"kind\":") {
        return at;
    }
    let from = from.max(at.saturating_sub(FARTHEST));
    let begin = find_back(&bytes[from..at], if yaml { b"\n---" } else { b"\n\n" })
        .map_or(from, |found| from + found);
    let ahead = &bytes[at..bytes.len().min(at + FARTHEST)];
    let end = at + find(ahead, if yaml { b"\n---" } else { b"\n\n" }).unwrap_or(ahead.len());
    if yaml {
        in_yaml(scan, begin, end);
    } else {
        in_json(scan, begin, end);
    }
    end
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|part| part == wanted)
}

fn find_back(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).rposition(|part| part == wanted)
}

fn in_yaml(scan: &mut Scan<'_>, begin: usize, end: usize) {
    let bytes = scan.bytes;
    // The indentation of `data:`, while in it.
    let mut data: Option<usize> = None;
    let mut at = begin;
    while at < end {
        let length = span(&bytes[at..end], usize::MAX, |byte| byte != b'\n');
        let line = &bytes[at..at + length];
        let indent = span(line, 64, |byte| matches!(byte, b' ' | b'-'));
        let key = line.trim_ascii();
        if !key.is_empty() && !key.starts_with(b"#") {
            if matches!(key, b"data:" | b"stringData:" | b"- data:" | b"- stringData:") {
                data = Some(indent);
            } else if data.is_some_and(|data| indent <= data) {
                data = None;
            } else if data.is_some() {
                yaml_value(scan, at, length);
            }
        }
        at += length + 1;
    }
}

fn yaml_value(scan: &mut Scan<'_>, at: usize, length: usize) {
    let line = &scan.bytes[at..at + length];
    let colon = find(line, b": ");
    let begin = colon.map_or(0, |colon| colon + 2);
    let frame = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'');
    let left = begin + span(&line[begin..], 64, frame);
    if left >= line.len() {
        return;
    }
    let right = span_back(&line[left..], 8, frame);
    value(scan, at + left, at + line.len() - right);
}

fn value(scan: &mut Scan<'_>, start: usize, end: usize) {
    let Some(text) = scan.bytes.get(start..end) else { return };
    let block = matches!(text, b"|" | b"|-" | b">" | b">-")
        || text.starts_with(b"-----")
        || text.ends_with(b":");
    if text.len() < 4 || block || is_placeholder(text) || is_reference(text) || has_mark(text) {
        return;
    }
    scan.known_or("kubernetes secret", start..end);
}

fn in_json(scan: &mut Scan<'_>, begin: usize, end: usize) {
    let bytes = scan.bytes;
    for name in ["\"data\"", "\"stringData\""] {
        let Some(found) = find(&bytes[begin..end], name.as_bytes()) else { continue };
        let mut at = begin + found + name.len();
        let stop = at + span(&bytes[at..end], usize::MAX, |byte| byte != b'}');
        while let Some(colon) = bytes.get(at + 1..stop).and_then(|rest| find(rest, b"\":")) {
            let from = at + 1 + colon + 2;
            let from = from + span(&bytes[from..stop], 8, |byte| byte == b' ');
            let Some(inner) = bytes.get(from..stop).and_then(|rest| rest.strip_prefix(b"\""))
            else {
                at = from;
                continue;
            };
            let length = span(inner, usize::MAX, |byte| byte != b'"');
            value(scan, from + 1, from + 1 + length);
            at = from + 1 + length;
        }
    }
}
