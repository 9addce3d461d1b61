//! Classes of bytes, and runs of them that are measured once.

/// Which bytes a value is made of. Each is one bit of `CLASSES`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// `0-9a-f`, or with capital letters; both at once only in values that mix them.
    Hex = 0,
    /// `A-Z0-9`.
    Capitals = 1,
    /// `a-z0-9`.
    Small = 2,
    /// `A-Za-z0-9`.
    Base62 = 3,
    /// Base62 and `_`.
    Word = 4,
    /// Word and `-`.
    Base64Url = 5,
    /// Base62, `+`, `/` and `=`.
    Base64 = 6,
    /// Base64Url and `.`, `=`, `~`.
    Dotted = 7,
    /// Dotted and `/`, `+`, `%`, `:`.
    Wide = 8,
    /// Dotted and `/`, `+`, `,`, `$`.
    Hashed = 9,
}

const ALPHABETS: usize = 10;

const CLASSES: [u16; 256] = classes();

const fn classes() -> [u16; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        let digit = byte.is_ascii_digit();
        let base62 = byte.is_ascii_alphanumeric();
        let word = base62 || byte == b'_';
        let url = word || byte == b'-';
        let dotted = url || matches!(byte, b'.' | b'=' | b'~');
        table[at] = (byte.is_ascii_hexdigit() as u16)
            | ((digit || byte.is_ascii_uppercase()) as u16) << 1
            | ((digit || byte.is_ascii_lowercase()) as u16) << 2
            | (base62 as u16) << 3
            | (word as u16) << 4
            | (url as u16) << 5
            | ((base62 || matches!(byte, b'+' | b'/' | b'=')) as u16) << 6
            | (dotted as u16) << 7
            | ((dotted || matches!(byte, b'/' | b'+' | b'%' | b':')) as u16) << 8
            | ((dotted || matches!(byte, b'/' | b'+' | b',' | b'$')) as u16) << 9;
        at += 1;
    }
    table
}

impl Alphabet {
    pub(super) fn has(self, byte: u8) -> bool {
        CLASSES[usize::from(byte)] & (1 << self as u16) != 0
    }
}

/// Letters, digits and `_`.
pub(super) fn is_word(byte: u8) -> bool {
    Alphabet::Word.has(byte)
}

/// Where runs end. A run is measured once however many places within it are asked for, so that
/// text which is all beginnings of tokens costs no more than other text.
#[derive(Debug, Default)]
pub(super) struct Runs {
    known: [Run; ALPHABETS],
}

#[derive(Debug, Default, Clone, Copy)]
struct Run {
    first: usize,
    end: usize,
    asked: usize,
}

/// How often one may look for a token in a long run. Real ones hold few tokens; a run that is all
/// beginnings would otherwise be read again for each.
const MOST_ASKED: usize = 32;
const LONG: usize = 512;

impl Runs {
    /// The end of the run of this alphabet that begins at, or goes through, `from`.
    pub(super) fn end(&mut self, bytes: &[u8], from: usize, alphabet: Alphabet) -> usize {
        let run = &mut self.known[alphabet as usize];
        if run.first <= from && from < run.end {
            run.asked += 1;
            let weary = run.asked > MOST_ASKED && run.end - from > LONG;
            return if weary { from } else { run.end };
        }
        let rest = bytes.get(from..).unwrap_or_default();
        let length = rest.iter().position(|byte| !alphabet.has(*byte)).unwrap_or(rest.len());
        *run = Run { first: from, end: from + length, asked: 0 };
        from + length
    }
}

/// The number of bytes at the beginning of the slice that one wants, at most `most`.
pub(super) fn span(bytes: &[u8], most: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let bytes = &bytes[..bytes.len().min(most)];
    bytes.iter().position(|byte| !wanted(*byte)).unwrap_or(bytes.len())
}

/// The same from the end.
pub(super) fn span_back(bytes: &[u8], most: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let bytes = &bytes[bytes.len().saturating_sub(most)..];
    bytes.iter().rev().position(|byte| !wanted(*byte)).unwrap_or(bytes.len())
}
