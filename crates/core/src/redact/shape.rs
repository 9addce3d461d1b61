//! Values that are known by how they look: a prefix, an alphabet, a length, sometimes a checksum.

use std::sync::LazyLock;

use super::alphabet::{Alphabet, Runs, is_word};
use super::random::is_made_up;
use super::shapes::FAMILIES;

/// One kind of secret. A new kind is a new row in a file of `shapes/`.
#[derive(Debug)]
pub(super) struct Shape {
    /// What the mark says.
    pub(super) kind: &'static str,
    /// Each of at least two bytes.
    pub(super) prefixes: &'static [&'static str],
    /// Of what follows the prefix.
    pub(super) alphabet: Alphabet,
    pub(super) least: usize,
    pub(super) most: usize,
    /// What else must hold of what follows the prefix.
    pub(super) check: Check,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    None,
    /// The last six characters are a checksum. One that does not hold is a secret only if the
    /// words around it say so.
    Checksum,
    /// Parts by this separator, of these lengths; the last stands for all further ones. 0: any.
    Parts(u8, &'static [usize]),
    Other(fn(&[u8]) -> bool),
}

/// A row with a prefix and a length, which is what most are.
pub(super) const fn row(
    kind: &'static str,
    prefixes: &'static [&'static str],
    alphabet: Alphabet,
    least: usize,
    most: usize,
) -> Shape {
    Shape { kind, prefixes, alphabet, least, most, check: Check::None }
}

impl Shape {
    pub(super) const fn with(self, check: Check) -> Self {
        Self { check, ..self }
    }
}

/// A value that has a shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shaped {
    pub(super) kind: &'static str,
    pub(super) end: usize,
    /// Whether it is a secret whatever stands around it.
    pub(super) sure: bool,
}

/// The rows by the first byte of a prefix, and which second bytes there are.
struct Index {
    seconds: [[u64; 4]; 256],
    rows: [Vec<(&'static str, &'static Shape)>; 256],
}

static INDEX: LazyLock<Box<Index>> = LazyLock::new(|| {
    let mut index =
        Box::new(Index { seconds: [[0; 4]; 256], rows: std::array::from_fn(|_| Vec::new()) });
    for shape in FAMILIES.iter().copied().flatten() {
        for prefix in shape.prefixes {
            if let [first, second, ..] = prefix.as_bytes() {
                let (first, second) = (usize::from(*first), usize::from(*second));
                index.seconds[first][second / 64] |= 1 << (second % 64);
                index.rows[first].push((prefix, shape));
            }
        }
    }
    for rows in &mut index.rows {
        rows.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
    }
    index
});

/// The rows, looked up once for a text.
#[derive(Clone, Copy)]
pub(super) struct Shapes(&'static Index);

impl Shapes {
    pub(super) fn all() -> Self {
        Self(&INDEX)
    }

    /// Whether a prefix begins with these two bytes.
    #[inline]
    pub(super) fn may_begin(self, first: u8, second: u8) -> bool {
        let second = usize::from(second);
        self.0.seconds[usize::from(first)][second / 64] & (1 << (second % 64)) != 0
    }

    /// The value that begins here. The longest prefix wins; of one whose checksum does not hold
    /// only if there is no other.
    pub(super) fn at(self, bytes: &[u8], at: usize, runs: &mut Runs) -> Option<Shaped> {
        let rest = bytes.get(at..)?;
        let rows = &self.0.rows[usize::from(*rest.first()?)];
        let mut unsure = None;
        for (prefix, shape) in rows.iter().filter(|(prefix, _)| rest.starts_with(prefix.as_bytes()))
        {
            let from = at + prefix.len();
            let Some(end) = shape.end(bytes, from, runs) else { continue };
            let body = &bytes[from..end];
            if is_made_up(body) {
                continue;
            }
            let sure = match shape.check {
                Check::None => true,
                Check::Checksum => super::checksum::holds(body),
                Check::Parts(separator, lengths) => {
                    if !has_parts(body, separator, lengths) {
                        continue;
                    }
                    true
                }
                Check::Other(check) => {
                    if !check(body) {
                        continue;
                    }
                    true
                }
            };
            let shaped = Shaped { kind: shape.kind, end, sure };
            if sure {
                return Some(shaped);
            }
            unsure = unsure.or(Some(shaped));
        }
        unsure
    }
}

impl Shape {
    /// Where the value ends whose body begins at `from`, if its length fits.
    fn end(&self, bytes: &[u8], from: usize, runs: &mut Runs) -> Option<usize> {
        let mut end = runs.end(bytes, from, self.alphabet);
        // The end of a sentence is none of the value.
        while end > from && matches!(bytes[end - 1], b'.' | b'-' | b':' | b'~' | b'%') {
            end -= 1;
        }
        let length = end - from;
        if length > self.most {
            // What goes on in other characters than letters and digits may be another matter.
            let cut = from + self.most;
            let other = !is_word(bytes[cut]) && self.least == self.most;
            return other.then_some(cut);
        }
        let goes_on = bytes.get(end).is_some_and(|next| is_word(*next));
        (length >= self.least && !goes_on).then_some(end)
    }
}

fn has_parts(body: &[u8], separator: u8, lengths: &[usize]) -> bool {
    let mut count = 0;
    for part in body.split(|byte| *byte == separator) {
        let Some(wanted) = lengths.get(count).or(lengths.last()) else { return false };
        if part.is_empty() || (*wanted != 0 && part.len() != *wanted) {
            return false;
        }
        count += 1;
    }
    count >= lengths.len()
}
