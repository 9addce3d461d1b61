//! Takes secrets out of a text: each becomes a mark that says what stood there.
//!
//! One pass finds what has a known shape, what is the value of a name that says so, and what is random
//! beside such a name. What is found once is taken out wherever else it stands.

mod address;
mod alphabet;
mod block;
mod call;
mod checksum;
mod codes;
mod colour;
mod cut;
mod fallback;
mod handoff;
mod head;
mod header;
mod infix;
mod json;
mod judge;
mod jwk;
mod key_words;
mod known;
mod lexicon;
mod link;
mod list;
mod manifest;
mod mark;
mod name;
mod near;
mod output;
mod pairs;
mod piece;
mod pipe;
mod place;
mod plain;
mod providers;
mod random;
mod rules;
mod said;
mod said_words;
mod scan;
mod seed;
mod shape;
mod shapes;
mod table;
mod terminal;
#[cfg(test)]
mod tests;
mod tool;
mod tools;
mod value;
mod verdict;
mod words;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use address::without_path_secrets;
pub(crate) use cut::cut_end;
pub use handoff::{RedactedHandoff, SecretIn};
pub use json::{RedactedJson, json_strings};
pub use known::KnownSecrets;
use mark::{Numbers, marks};
pub(crate) use piece::{Whole, trimmed};
use rules::Compiled;
pub use rules::{RedactError, RedactRules, UserRule};
use scan::{Hit, scan};

/// Takes secrets out of texts, by what is built in and by the user's own rules.
#[derive(Debug, Default)]
pub struct Redactor {
    own: Compiled,
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'t> {
    pub text: Cow<'t, str>,
    /// In the order of the text.
    pub found: Vec<FoundSecret>,
}

/// Where a secret stood, and of what kind it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSecret {
    /// What the mark says: `github token`.
    pub kind: String,
    /// Bytes of the original.
    pub range: Range<usize>,
    /// Line of the original, from 1.
    pub line: usize,
}

/// A mark can change what stands around it. Almost always the second look finds nothing.
const MOST_LOOKS: usize = 8;

impl Redactor {
    pub fn new(rules: &RedactRules) -> Result<Self, RedactError> {
        Ok(Self { own: Compiled::new(rules)? })
    }

    /// The text with a mark for each secret. Doing it twice changes nothing more.
    pub fn redact<'t>(&self, text: &'t str) -> Redacted<'t> {
        self.redact_knowing(text, &KnownSecrets::default())
    }

    /// As `redact`; what is known to be secret goes too, whatever stands around it.
    pub fn redact_knowing<'t>(&self, text: &'t str, known: &KnownSecrets) -> Redacted<'t> {
        match self.look(text, known) {
            Some(look) => {
                Redacted { found: located(text, look.hits), text: Cow::Owned(look.rendered.text) }
            }
            None => Redacted { text: Cow::Borrowed(text), found: Vec::new() },
        }
    }

    /// What is secret in a text, and what becomes of it; `None` if nothing is.
    fn look(&self, text: &str, known: &KnownSecrets) -> Option<Look> {
        let mut hits = self.hits(text, known);
        if hits.is_empty() {
            return None;
        }
        let mut rendered = render(text, &hits);
        for _ in 1..MOST_LOOKS {
            let more = self.hits(&rendered.text, known);
            if more.is_empty() {
                break;
            }
            hits.extend(more.into_iter().map(|hit| rendered.in_original(hit)));
            hits = settled(text, hits);
            rendered = render(text, &hits);
        }
        Some(Look { hits, rendered })
    }

    /// What is secret in a text, in order, without overlaps.
    fn hits(&self, text: &str, known: &KnownSecrets) -> Vec<Hit> {
        let mut hits = scan(text);
        colour::find(text, &mut hits);
        self.own.find(text, &mut hits);
        if hits.is_empty() && known.is_empty() {
            return hits;
        }
        let hits = self.allowed(text, settled(text, hits));
        let mut echoes = KnownSecrets::of_hits(text, &hits).find(text, &hits);
        echoes.extend(known.find(text, &hits));
        if echoes.is_empty() {
            return hits;
        }
        settled(text, hits.into_iter().chain(echoes).collect())
    }

    fn allowed(&self, text: &str, mut hits: Vec<Hit>) -> Vec<Hit> {
        hits.retain(|hit| !self.own.allows(&text[hit.range.clone()]));
        hits
    }
}

/// Sorted, cut at characters, without marks, and one hit where several overlap.
fn settled(text: &str, mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|hit| (hit.range.start, std::cmp::Reverse(hit.range.end)));
    let mut old = marks(text).peekable();
    let mut settled: Vec<Hit> = Vec::with_capacity(hits.len());
    for mut hit in hits {
        hit.range.start = text.floor_char_boundary(hit.range.start);
        hit.range.end = text.ceil_char_boundary(hit.range.end);
        while old.next_if(|mark| mark.end <= hit.range.start).is_some() {}
        if old.peek().is_some_and(|mark| mark.start < hit.range.end) || hit.range.is_empty() {
            continue;
        }
        match settled.last_mut().filter(|last| last.range.end > hit.range.start) {
            Some(last) => last.range.end = last.range.end.max(hit.range.end),
            None => settled.push(hit),
        }
    }
    settled
}

/// What is secret in a text, and the text with marks for it.
struct Look {
    hits: Vec<Hit>,
    rendered: Rendered,
}

impl Look {
    /// What was found, each with its mark.
    fn found(&self) -> impl Iterator<Item = (&Hit, &str)> {
        let marks = self.rendered.marks.iter().map(|(mark, _)| &self.rendered.text[mark.clone()]);
        self.hits.iter().zip(marks)
    }
}

/// The text with marks, and where they came from.
struct Rendered {
    text: String,
    /// For each mark: its bytes here, and where they end in the original.
    marks: Vec<(Range<usize>, usize)>,
}

impl Rendered {
    /// A hit of this text as one of the original. It overlaps no mark.
    fn in_original(&self, hit: Hit) -> Hit {
        let before = self.marks.partition_point(|(mark, _)| mark.end <= hit.range.start);
        let shift = |at: usize| match before.checked_sub(1).map(|last| &self.marks[last]) {
            Some((mark, original)) => original + (at - mark.end),
            None => at,
        };
        Hit { range: shift(hit.range.start)..shift(hit.range.end), kind: hit.kind }
    }
}

fn render(text: &str, hits: &[Hit]) -> Rendered {
    let mut out = String::with_capacity(text.len());
    let mut numbers = Numbers::after(text);
    let mut marks = Vec::with_capacity(hits.len());
    let mut from = 0;
    for hit in hits {
        out.push_str(&text[from..hit.range.start]);
        let start = out.len();
        numbers.write(&mut out, &hit.kind, &text[hit.range.clone()]);
        marks.push((start..out.len(), hit.range.end));
        from = hit.range.end;
    }
    out.push_str(&text[from..]);
    Rendered { text: out, marks }
}

fn located(text: &str, hits: Vec<Hit>) -> Vec<FoundSecret> {
    let (mut at, mut line) = (0, 1);
    hits.into_iter()
        .map(|Hit { kind, range }| {
            line += text[at..range.start].bytes().filter(|byte| *byte == b'\n').count();
            at = range.start;
            FoundSecret { kind, range, line }
        })
        .collect()
}
