//! Tables whose columns are named like secrets: Markdown, the output of `psql` and `mysql`, CSV, TSV, and
//! columns that blanks align.

use std::ops::Range;

use super::alphabet::{span, span_back};
use super::judge::{is_code, is_placeholder, is_reference};
use super::mark::has_mark;
use super::name::{Class, Meaning};
use super::random::{is_random, kinds_of_characters};
use super::scan::Scan;

/// Longer lines are no head of a table.
const LONGEST_HEAD: usize = 1000;
const LONGEST_ROW: usize = 4000;
const LONGEST_NAME: usize = 48;
const MOST_COLUMNS: usize = 64;
/// So many columns of a table may hold secrets.
const MOST_SECRET: usize = 8;

/// The head of the table that was looked at last, and what is known of it.
#[derive(Debug, Default)]
pub(super) struct Tables {
    head: Range<usize>,
    looked: usize,
    /// Where its rows end.
    end: usize,
}

/// What separates the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Sign(&'static str),
    Blanks,
}

/// The more telling first.
const SEPARATORS: [Separator; 7] = [
    Separator::Sign("│"),
    Separator::Sign("┃"),
    Separator::Sign("|"),
    Separator::Sign("\t"),
    Separator::Sign(";"),
    Separator::Sign(","),
    Separator::Blanks,
];

/// Looks at the column that this name heads, if it is one.
pub(super) fn look(scan: &mut Scan<'_>, name: Range<usize>, meaning: &Meaning) {
    let bytes = scan.bytes;
    if matches!(meaning.class(), Class::Cookie) {
        return;
    }
    // Before the line is read: a cell ends here.
    let next = bytes.get(name.end).copied();
    let closes = |byte: u8| {
        matches!(
            byte,
            b'"' | b'\'' | b'`' | b'*' | b' ' | b'\t' | b'|' | b',' | b';' | b'\n' | b'\r'
        )
    };
    if !next.is_some_and(|byte| closes(byte) || byte == 0xe2) {
        return;
    }
    if name.start < scan.tables.end && !scan.tables.head.contains(&name.start) {
        return;
    }
    let back = span_back(&bytes[..name.start], LONGEST_HEAD, |byte| byte != b'\n');
    let begin = name.start - back;
    let end = name.end + span(&bytes[name.end..], LONGEST_HEAD, |byte| byte != b'\n');
    if end >= bytes.len() || back == LONGEST_HEAD || end - begin > LONGEST_HEAD {
        return;
    }
    if scan.tables.head != (begin..end) {
        scan.tables = Tables { head: begin..end, looked: 0, end: scan.tables.end };
    }
    scan.tables.looked += 1;
    if scan.tables.looked > MOST_SECRET {
        return;
    }
    for separator in SEPARATORS {
        let cells = cells(bytes, begin..end, separator);
        let at = cells.iter().position(|cell| {
            cell.start <= name.start && name.end <= cell.end && cell.len() <= LONGEST_NAME
        });
        let Some(at) = at.filter(|_| cells.len() >= 2) else { continue };
        // `'one|two'` is no table: blanks stand around the sign, or there are more.
        let close =
            bytes[begin..end].iter().position(|byte| *byte == b'|').map_or(0, |at| at + begin);
        if separator == Separator::Sign("|") && cells.len() == 2 && !bytes[..close].ends_with(b" ")
        {
            return;
        }
        let marks = |byte: u8| matches!(byte, b'"' | b'\'' | b'`' | b'*');
        let tail = &bytes[name.end..cells[at].end];
        let loose = matches!(separator, Separator::Sign("," | ";") | Separator::Blanks);
        if !tail.iter().all(|byte| marks(*byte))
            || loose && !cells.iter().all(|cell| is_name(&bytes[cell.clone()]))
        {
            return;
        }
        rows(scan, end, separator, &cells, at, meaning);
        return;
    }
}

/// Whether it may name a column.
fn is_name(cell: &[u8]) -> bool {
    cell.len() <= LONGEST_NAME
        && cell.iter().any(u8::is_ascii_alphabetic)
        && cell.iter().filter(|byte| **byte == b' ').count() <= 3
        && cell.iter().all(|byte| {
            byte.is_ascii_alphanumeric() || b" _-.\"'#/()".contains(byte) || *byte >= 0x80
        })
}

/// The cells of a line, without blanks around them.
fn cells(bytes: &[u8], line: Range<usize>, separator: Separator) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let text = &bytes[line.clone()];
    let (mut from, mut at) = (0, 0);
    let mut quoted = false;
    while at < text.len() && cells.len() < MOST_COLUMNS {
        let length = match separator {
            // In quotes a separator is a character as others.
            Separator::Sign("," | ";") if text[at] == b'"' => {
                quoted = !quoted;
                0
            }
            Separator::Sign(sign) if !quoted && text[at..].starts_with(sign.as_bytes()) => {
                sign.len()
            }
            Separator::Blanks if at > from => match span(&text[at..], 400, |byte| byte == b' ') {
                ..2 => 0,
                blanks => blanks,
            },
            _ => 0,
        };
        if length > 0 {
            cells.push(from..at);
            from = at + length;
            at = from;
        } else {
            at += 1;
        }
    }
    cells.push(from..text.len());
    cells
        .into_iter()
        .map(|cell| {
            let inner = &text[cell.clone()];
            let left = inner.len() - inner.trim_ascii_start().len();
            let right = inner.len() - inner.trim_ascii_end().len();
            let start = line.start + cell.start + left.min(inner.len());
            start..(line.start + cell.end - right).max(start)
        })
        .collect()
}

/// The rows below the head: what stands in this column.
fn rows(
    scan: &mut Scan<'_>,
    head_end: usize,
    separator: Separator,
    head: &[Range<usize>],
    column: usize,
    meaning: &Meaning,
) {
    let bytes = scan.bytes;
    let begin = scan.tables.head.start;
    let mut at = head_end + 1;
    let mut empty = 0;
    while at < bytes.len() {
        let length = span(&bytes[at..], LONGEST_ROW, |byte| byte != b'\n');
        let line = at..at + length;
        at += length + 1;
        let text = bytes[line.clone()].trim_ascii();
        if text.is_empty() || is_rule(&bytes[line.clone()]) {
            empty += usize::from(text.is_empty());
            if empty > 0 {
                break;
            }
            continue;
        }
        let cell = match separator {
            Separator::Blanks => aligned(bytes, line.clone(), begin, head, column),
            _ => {
                let row = cells(bytes, line.clone(), separator);
                (row.len() == head.len()).then(|| row[column].clone())
            }
        };
        let Some(cell) = cell else {
            // One row that does not fit is the end of what only blanks or commas hold together.
            match separator {
                Separator::Sign("|" | "│" | "┃") if text.len() > 2 => continue,
                _ => break,
            }
        };
        take(scan, cell, meaning);
    }
    scan.tables.end = scan.tables.end.max(at.min(bytes.len()));
}

/// `---|:--:|---`, `+-----+`, `├───┤`.
fn is_rule(line: &[u8]) -> bool {
    let sign = |byte: &u8| b"-+|:= \t\r".contains(byte) || *byte >= 0x80;
    line.iter().all(sign)
}

/// What stands below a word of the head: from where it begins, or up to where it ends.
fn aligned(
    bytes: &[u8],
    line: Range<usize>,
    begin: usize,
    head: &[Range<usize>],
    column: usize,
) -> Option<Range<usize>> {
    let text = &bytes[line.clone()];
    let name = head[column].start - begin..head[column].end - begin;
    let word = |byte: u8| !byte.is_ascii_whitespace();
    let left = name.start;
    let starts = text.get(left).is_some_and(|byte| word(*byte))
        && left.checked_sub(1).is_none_or(|before| !word(text[before]));
    if starts {
        let length = span(&text[left..], 400, word);
        return Some(line.start + left..line.start + left + length);
    }
    let ends = name.end <= text.len()
        && word(text[name.end - 1])
        && text.get(name.end).is_none_or(|byte| !word(*byte));
    if ends {
        let length = span_back(&text[..name.end], 400, word);
        return Some(line.start + name.end - length..line.start + name.end);
    }
    // An empty cell.
    (text.len() > name.start || column > 0 && text.len() >= head[0].len())
        .then_some(line.start..line.start)
}

pub(super) fn take(scan: &mut Scan<'_>, cell: Range<usize>, meaning: &Meaning) {
    let marks = |byte: u8| matches!(byte, b'"' | b'\'' | b'`' | b'*');
    let text = &scan.bytes[cell.clone()];
    let left = span(text, 2, marks);
    let right = span_back(&text[left..], 2, marks);
    let range = cell.start + left..cell.end - right;
    if is_secret(&scan.bytes[range.clone()], meaning.class()) {
        scan.known_or(&meaning.kind(), range);
    }
}

/// Whether the cell of such a column is a secret: a value, and no word about it.
fn is_secret(text: &[u8], class: Class) -> bool {
    let date = |text: &[u8]| {
        text.len() >= 10 && text[..4].iter().all(u8::is_ascii_digit) && text[4] == b'-'
    };
    if text.len() < 5
        || text.contains(&b' ')
        || is_placeholder(text)
        || is_reference(text)
        || has_mark(text)
        || is_code(text)
        || class != Class::Password && text.iter().any(|byte| matches!(byte, b'"' | b'\\'))
        || date(text)
    {
        return false;
    }
    let digit = text.iter().any(u8::is_ascii_digit);
    let kinds = kinds_of_characters(text);
    match class {
        Class::Password => {
            is_random(text, 8)
                || digit && kinds >= 3
                || digit && kinds >= 2 && text.len() >= 6
                || kinds == 4
        }
        Class::Secret => is_random(text, 8) || digit && kinds >= 3 && text.len() >= 8,
        Class::Token | Class::Header | Class::Cookie => is_random(text, 8),
    }
}
