//! The marks that stand where secrets stood: `[redacted: github token 2]`.

use std::fmt::Write as _;

use hashbrown::HashMap;

const OPEN: &str = "[redacted: ";
const LONGEST: usize = 100;

/// Whether a mark begins here.
pub(super) fn begins_mark(bytes: &[u8]) -> bool {
    mark_length(bytes).is_some()
}

/// The length of the mark that begins here.
pub(super) fn mark_length(bytes: &[u8]) -> Option<usize> {
    let kind = bytes.strip_prefix(OPEN.as_bytes())?;
    let length = kind.iter().take(LONGEST).position(|byte| matches!(byte, b']' | b'[' | b'\n'))?;
    (length > 0 && kind[length] == b']').then_some(OPEN.len() + length + 1)
}

/// Whether there is a mark in it, or a part of one.
pub(super) fn has_mark(bytes: &[u8]) -> bool {
    bytes.windows(OPEN.len()).any(|part| part == OPEN.as_bytes())
}

/// All marks of a text, in order.
pub(super) fn marks(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    text.match_indices(OPEN).filter_map(|(at, _)| {
        let length = mark_length(&text.as_bytes()[at..])?;
        Some(at..at + length)
    })
}

/// Numbers values: the same value has the same number, others of its kind the next.
#[derive(Debug, Default)]
pub(super) struct Numbers<'t> {
    last: HashMap<&'t str, usize>,
    values: HashMap<(&'t str, &'t str), usize>,
}

impl<'t> Numbers<'t> {
    /// Numbers go on after those of the marks that are there already.
    pub(super) fn after(text: &'t str) -> Self {
        let mut numbers = Self::default();
        for range in marks(text) {
            let kind = &text[range.start + OPEN.len()..range.end - 1];
            let numbered = kind.rsplit_once(' ').and_then(|(kind, number)| {
                let number = number.parse().ok().filter(|number| *number < usize::MAX)?;
                Some((kind, number))
            });
            let (kind, number) = numbered.unwrap_or((kind, 1));
            let last = numbers.last.entry(kind).or_default();
            *last = number.max(*last);
        }
        numbers
    }

    /// Writes the mark of a value.
    pub(super) fn write(&mut self, out: &mut String, kind: &'t str, value: &'t str) {
        let last = &mut self.last;
        let number = *self.values.entry((kind, value)).or_insert_with(|| {
            let last = last.entry(kind).or_default();
            *last += 1;
            *last
        });
        let _ = match number {
            1 => write!(out, "{OPEN}{kind}]"),
            _ => write!(out, "{OPEN}{kind} {number}]"),
        };
    }
}
