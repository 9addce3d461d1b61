//! Lists of names with lists of values of the same length after them: `(name, password) VALUES ('ana', '…')`,
//! `["user", "password"], [["ana", "…"]]`, and rows of HTML.

use std::ops::Range;

use super::alphabet::{span, span_back};
use super::name::Meaning;
use super::scan::Scan;
use super::table;

const LONGEST_HEAD: usize = 300;
const FARTHEST: usize = 4000;
const MOST: usize = 64;

/// Looks at the values in the place of this name, if it stands in a list of names.
pub(super) fn look(scan: &mut Scan<'_>, name: Range<usize>, meaning: &Meaning) {
    let bytes = scan.bytes;
    // A text that is all heads of lists is not read to its end for each.
    if scan.lists > 64 + bytes.len() / 1000 {
        return;
    }
    match bytes.get(name.end) {
        Some(b',' | b')' | b']' | b'"' | b'\'' | b'`' | b' ' | b'\\') => {
            listed(scan, name, meaning)
        }
        Some(b'<') if bytes[name.end..].starts_with(b"</t") => row(scan, name, meaning),
        _ => {}
    }
}

fn listed(scan: &mut Scan<'_>, name: Range<usize>, meaning: &Meaning) {
    let bytes = scan.bytes;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.\"'`, \\".contains(&byte);
    let back = span_back(&bytes[..name.start], LONGEST_HEAD, plain);
    let Some(open) = (name.start - back).checked_sub(1) else { return };
    let close = name.end + span(&bytes[name.end..], LONGEST_HEAD, plain);
    let values = match (bytes[open], bytes.get(close)) {
        (b'(', Some(b')')) => {
            let between = bytes[close + 1..].trim_ascii_start();
            if !between.get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"values")) {
                return;
            }
            bytes.len() - between.len() + 6
        }
        (b'[', Some(b']')) => close + 1,
        _ => return,
    };
    let commas = |range: Range<usize>| bytes[range].iter().filter(|byte| **byte == b',').count();
    let (place, count) = (commas(open..name.start), commas(open..close) + 1);
    if count < 2 {
        return;
    }
    scan.lists += 1;
    let mut at = values;
    // Between the lists only signs stand, and the name of the field that has the rows.
    let most = bytes.len().min(values + FARTHEST);
    for _ in 0..MOST {
        let skipped = span(&bytes[at..most], 48, |byte| !matches!(byte, b'(' | b'[' | b';' | b'}'));
        at += skipped;
        let Some(sign @ (b'(' | b'[')) = bytes.get(at).copied().filter(|_| at < most) else {
            return;
        };
        at += 1;
        if matches!(bytes.get(at), Some(b'[' | b'('))
            || bytes[at..].trim_ascii_start().starts_with(b"[") && sign == b'['
        {
            continue;
        }
        let (cells, end) = cells(bytes, at, most, if sign == b'(' { b')' } else { b']' });
        if cells.len() != count {
            return;
        }
        table::take(scan, cells[place].clone(), meaning);
        at = end;
    }
}

/// The values of a list, without blanks around them, and where it ends.
fn cells(bytes: &[u8], from: usize, most: usize, close: u8) -> (Vec<Range<usize>>, usize) {
    let mut cells = Vec::new();
    let (mut start, mut at, mut quote) = (from, from, None);
    while at < most && cells.len() < MOST {
        match (quote, bytes[at]) {
            (None, b'"' | b'\'' | b'`') => quote = Some(bytes[at]),
            (Some(mark), byte) if mark == byte => quote = None,
            (None, byte) if byte == b',' || byte == close => {
                let text = &bytes[start..at];
                let left = text.len() - text.trim_ascii_start().len();
                cells.push(start + left..start + left + text.trim_ascii().len());
                start = at + 1;
                if byte == close {
                    break;
                }
            }
            _ => {}
        }
        at += 1;
    }
    (cells, at)
}

/// The cells below a cell of the head of a table of HTML.
fn row(scan: &mut Scan<'_>, name: Range<usize>, meaning: &Meaning) {
    let bytes = scan.bytes;
    let from = name.start.saturating_sub(LONGEST_HEAD);
    let before = &bytes[from..name.start];
    let Some(begin) = before.windows(3).rposition(|part| part == b"<tr") else { return };
    scan.lists += 1;
    let is_cell = |part: &[u8]| part == b"<th" || part == b"<td";
    let place = before[begin..].windows(3).filter(|part| is_cell(part)).count();
    let most = bytes.len().min(name.end + FARTHEST);
    let mut column = 0;
    let mut at = name.end;
    let mut below = false;
    while at + 4 < most {
        let part = &bytes[at..at + 3];
        if part == b"<tr" {
            (column, below) = (0, true);
        } else if &bytes[at..at + 4] == b"<td>" || &bytes[at..at + 4] == b"<td " {
            column += 1;
            let start = at + span(&bytes[at..most], 200, |byte| byte != b'>') + 1;
            let length = span(bytes.get(start..most).unwrap_or_default(), 400, |byte| byte != b'<');
            if below && column == place && length > 0 {
                table::take(scan, start..start + length, meaning);
            }
            at = start + length;
            continue;
        } else if bytes[at..].starts_with(b"</table") {
            return;
        }
        at += 1;
    }
}
