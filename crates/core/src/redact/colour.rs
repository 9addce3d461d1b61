//! Sequences that colour a terminal, between a name and its value or within one: a text that has some is
//! looked through without them, too.

use super::alphabet::span;
use super::scan::{Hit, scan};

/// How a sequence begins before its `[`, as it is and as programs print it.
const ESCAPES: [&[u8]; 9] =
    [b"\x1b", b"\\x1b", b"\\x1B", b"\\u001b", b"\\u001B", b"\\u{1b}", b"\\033", b"\\e", b"^["];

const LONGEST: usize = 24;

/// A text without its sequences.
#[derive(Default)]
struct Plain {
    text: String,
    /// Where a piece of it begins: here, and in the original.
    pieces: Vec<(usize, usize)>,
}

/// Adds what is secret once the sequences are gone.
pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    if let Some(plain) = Plain::of(text) {
        hits.extend(scan(&plain.text).into_iter().filter_map(|hit| plain.in_original(hit)));
    }
}

impl Plain {
    /// `None` if there are no sequences.
    fn of(text: &str) -> Option<Self> {
        let mut plain = Self::default();
        let mut from = 0;
        for open in memchr::memchr_iter(b'[', text.as_bytes()) {
            let Some((start, end)) = sequence(text.as_bytes(), open) else { continue };
            if start < from {
                continue;
            }
            plain.push(&text[from..start], from);
            // What moves the cursor stands between other things than what colours them.
            if !text[..end].ends_with(['m', 'K']) {
                plain.text.push(' ');
            }
            from = end;
        }
        (from > 0).then(|| {
            plain.push(&text[from..], from);
            plain
        })
    }

    fn push(&mut self, piece: &str, at: usize) {
        self.pieces.push((self.text.len(), at));
        self.text.push_str(piece);
    }

    fn in_original(&self, hit: Hit) -> Option<Hit> {
        let at = |place: usize| {
            let last = self.pieces.partition_point(|(here, _)| *here <= place).checked_sub(1)?;
            let (here, original) = self.pieces[last];
            Some(original + place - here)
        };
        let last = hit.range.end.checked_sub(1)?;
        Some(Hit { kind: hit.kind, range: at(hit.range.start)?..at(last)? + 1 })
    }
}

/// Where the sequence begins and ends that has this `[`.
fn sequence(bytes: &[u8], open: usize) -> Option<(usize, usize)> {
    let before = &bytes[..open];
    let escape = ESCAPES.iter().find(|escape| before.ends_with(escape))?;
    let mut start = open - escape.len();
    // In a string in a string there are more backslashes.
    while escape[0] == b'\\' && bytes[..start].ends_with(b"\\") {
        start -= 1;
    }
    let signs = |byte: u8| byte.is_ascii_digit() || matches!(byte, b';' | b':' | b'?');
    let last = open + 1 + span(&bytes[open + 1..], LONGEST, signs);
    bytes.get(last).filter(|byte| byte.is_ascii_alphabetic())?;
    Some((start, last + 1))
}
