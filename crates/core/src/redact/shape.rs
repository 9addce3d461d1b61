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

/// The rows by the first two bytes of their prefixes.
struct Index {
    /// For two bytes of ASCII: which of `starts`, from 1; 0 is none.
    pairs: [[u8; 128]; 128],
    starts: Vec<Start>,
}

/// What begins with the same two bytes.
#[derive(Default)]
struct Start {
    /// The third bytes, by six bits.
    thirds: u64,
    /// Long prefixes first.
    rows: Vec<(&'static str, &'static Shape)>,
}

static INDEX: LazyLock<Box<Index>> = LazyLock::new(|| {
    let mut index = Box::new(Index { pairs: [[0; 128]; 128], starts: vec![Start::default()] });
    for shape in FAMILIES.iter().copied().flatten() {
        for prefix in shape.prefixes {
            let [first, second, rest @ ..] = prefix.as_bytes() else { continue };
            let (first, second) = (usize::from(first & 127), usize::from(second & 127));
            let known = usize::from(index.pairs[first][second]);
            let at = if known == 0 { index.starts.len() } else { known };
            if known == 0 {
                index.starts.push(Start::default());
                index.pairs[first][second] = at as u8;
            }
            let start = &mut index.starts[at];
            start.thirds |= rest.first().map_or(u64::MAX, |third| 1 << (third & 63));
            start.rows.push((prefix, shape));
        }
    }
    for start in &mut index.starts {
        start.rows.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
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

    /// The rows whose prefixes may begin here.
    #[inline]
    fn starting(self, bytes: &[u8], at: usize) -> Option<&'static Start> {
        let (first, second) = (*bytes.get(at)?, *bytes.get(at + 1)?);
        if !first.is_ascii() || !second.is_ascii() {
            return None;
        }
        let start = self.0.pairs[usize::from(first & 127)][usize::from(second & 127)];
        let start = self.0.starts.get(usize::from(start))?;
        let third = bytes.get(at + 2).map_or(0, |third| third & 63);
        (start.thirds & (1 << third) != 0).then_some(start)
    }

    /// The value that begins here. The longest prefix wins; of one whose checksum does not hold
    /// only if there is no other.
    #[inline]
    pub(super) fn at(self, bytes: &[u8], at: usize, runs: &mut Runs) -> Option<Shaped> {
        let start = self.starting(bytes, at)?;
        let rest = &bytes[at..];
        let mut unsure = None;
        for (prefix, shape) in
            start.rows.iter().filter(|(prefix, _)| rest.starts_with(prefix.as_bytes()))
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
