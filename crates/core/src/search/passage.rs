//! A handoff as passages: pieces of one section of about 180 words, each decision by itself.
//!
//! A long handoff is found by the piece that answers, not by the average of everything in it.

use super::terms::TermReader;
use crate::block::blocks;
use crate::{Handoff, Part, sections, slug};

/// Words after which a passage is full.
const FULL: usize = 180;
/// A single block of more words is cut into several passages.
const LONGEST: usize = 260;
/// Components at the end of a path by which it is found.
const PATH_TAILS: usize = 4;

/// A piece of a handoff's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage<'h> {
    /// Its number; 0 is the head, which is no passage of the body.
    pub ordinal: usize,
    /// The heading of its section.
    pub section: Option<&'h str>,
    pub text: &'h str,
    /// Offset in the handoff's source.
    pub start: usize,
    pub(crate) part: Part,
}

impl<'h> Passage<'h> {
    /// The line of the handoff's source on which an offset of the passage stands, from 1.
    pub fn line_at(&self, handoff: &Handoff, offset: usize) -> usize {
        let before = handoff.source().get(..self.start + offset).unwrap_or_default();
        1 + before.bytes().filter(|b| *b == b'\n').count()
    }

    /// The heading of its section, if that is not one that every handoff has.
    pub fn own_heading(&self) -> Option<&'h str> {
        self.section.filter(|_| self.part == Part::Other)
    }

    /// Whether it is one of the Key Decisions.
    pub fn is_decision(&self) -> bool {
        self.part == Part::Decisions
    }

    /// The terms by which `--section` finds it.
    fn section_terms(&self) -> Vec<String> {
        let Some(title) = self.section else { return Vec::new() };
        let mut terms = vec![format!("in:{}", slug(title))];
        if self.part != Part::Other {
            let key = format!("in:{}", self.part.key());
            if !terms.contains(&key) {
                terms.push(key);
            }
        }
        terms
    }
}

/// The term by which a section is asked for.
pub(super) fn section_term(wanted: &str) -> String {
    match Part::of(wanted) {
        Part::Other => format!("in:{}", slug(wanted)),
        part => format!("in:{}", part.key()),
    }
}

/// The passages of a handoff's body, in order, numbered from 1.
pub fn passages(handoff: &Handoff) -> Vec<Passage<'_>> {
    let body = handoff.body();
    let body_at = handoff.source().len() - body.len();
    let found = sections(body);
    let intro = &body[..found.first().map_or(body.len(), |first| first.start)];
    let mut cutter = Cutter { source: handoff.source(), passages: Vec::new() };
    cutter.section(None, Part::Other, body_at, intro);
    for section in &found {
        let text_at = body_at + section.end - section.text.len();
        cutter.section(Some(section.title), Part::of(section.title), text_at, section.text);
    }
    cutter.passages
}

struct Cutter<'h> {
    source: &'h str,
    passages: Vec<Passage<'h>>,
}

impl<'h> Cutter<'h> {
    fn section(&mut self, section: Option<&'h str>, part: Part, at: usize, text: &'h str) {
        let mut open: Option<(usize, usize, usize)> = None;
        if text.trim().is_empty()
            && let Some(title) = section
        {
            // A heading alone says something too.
            let start = offset_in(self.source, title);
            self.push(section, part, start, start + title.len());
        }
        for block in blocks(text) {
            let start = at + offset_in(text, block.text);
            let end = start + block.text.len();
            let words = count_words(block.text);
            let alone = part == Part::Decisions || words > LONGEST;
            match &mut open {
                Some((_, last, sum)) if !alone && *sum + words <= FULL => {
                    *last = end;
                    *sum += words;
                }
                _ => {
                    if let Some((from, to, _)) = open.take() {
                        self.push(section, part, from, to);
                    }
                    if words > LONGEST {
                        self.pieces(section, part, start, block.text);
                    } else {
                        open = Some((start, end, words));
                    }
                }
            }
        }
        if let Some((from, to, _)) = open {
            self.push(section, part, from, to);
        }
    }

    /// Cuts a long block where a line ends, or where a word does if its lines are long too.
    fn pieces(&mut self, section: Option<&'h str>, part: Part, at: usize, text: &'h str) {
        let (mut from, mut words) = (0, 0);
        for line in text.split_inclusive('\n') {
            let start = offset_in(text, line);
            let count = count_words(line);
            if words > 0 && words + count > FULL {
                self.push(section, part, at + from, at + start);
                (from, words) = (start, 0);
            }
            if count <= LONGEST {
                words += count;
                continue;
            }
            for word in line.split_inclusive(char::is_whitespace) {
                words += count_words(word).max(1);
                if words >= FULL {
                    let end = offset_in(text, word) + word.len();
                    self.push(section, part, at + from, at + end);
                    (from, words) = (end, 0);
                }
            }
        }
        if from < text.len() {
            self.push(section, part, at + from, at + text.len());
        }
    }

    fn push(&mut self, section: Option<&'h str>, part: Part, from: usize, to: usize) {
        let text = &self.source[from..to];
        if !text.trim().is_empty() {
            let ordinal = self.passages.len() + 1;
            self.passages.push(Passage { ordinal, section, text, start: from, part });
        }
    }
}

/// Where a piece of a text begins in it.
fn offset_in(text: &str, piece: &str) -> usize {
    (piece.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

/// About how many words a text has; characters of scripts without spaces count by two.
fn count_words(text: &str) -> usize {
    let spaced = text.split_ascii_whitespace().count();
    if text.is_ascii() {
        return spaced;
    }
    spaced + text.chars().filter(|c| *c >= '\u{0e00}' && c.is_alphanumeric()).count() / 2
}

/// Gives every term of a handoff with the number of its passage, in order of these numbers, and how
/// often it counts there. Returns the length of each passage in words, that of the head first.
pub fn text_terms(
    handoff: &Handoff,
    passages: &[Passage<'_>],
    reader: &mut TermReader,
    each: &mut dyn FnMut(usize, &str, u32),
) -> Vec<usize> {
    let fields = &handoff.head.fields;
    let mut length = 0;
    let mut words = |reader: &mut TermReader, text: &str, counts: u32| {
        reader.read(text, &mut |term, _, _| {
            length += 1;
            each(0, term, counts);
        });
    };
    words(reader, &handoff.display_title(), 2);
    for text in [&fields.name, &fields.summary, &fields.git.branch].into_iter().flatten() {
        words(reader, text, 1);
    }
    for text in fields.tags.iter().chain(&fields.changed) {
        words(reader, text, 1);
    }
    for term in field_terms(handoff) {
        each(0, &term, 1);
    }
    let mut lengths = vec![length];
    let mut sections: (Option<&str>, Vec<String>) = (None, Vec::new());
    for passage in passages {
        if passage.section != sections.0 {
            sections = (passage.section, passage.section_terms());
        }
        let mut length = 0;
        let mut give = |term: &str| each(passage.ordinal, term, 1);
        reader.read(passage.text, &mut |term, _, _| {
            length += 1;
            give(term);
        });
        // What every handoff has does not tell one from the other.
        if let Some(title) = passage.own_heading() {
            reader.read(title, &mut |term, _, _| give(term));
        }
        paths_in(passage.text, &mut |path| path_terms(path, &mut give));
        sections.1.iter().for_each(|term| give(term));
        lengths.push(length);
    }
    lengths
}

/// The terms by which fields of the head are asked for.
fn field_terms(handoff: &Handoff) -> Vec<String> {
    let fields = &handoff.head.fields;
    let mut terms = Vec::new();
    let mut add =
        |field: &str, value: &str| terms.push(format!("{field}:{}", value.to_lowercase()));
    add("kind", fields.kind.as_str());
    fields.tags.iter().for_each(|tag| add("tag", tag));
    for (field, value) in
        [("tool", &fields.tool), ("name", &fields.name), ("branch", &fields.git.branch)]
    {
        value.iter().for_each(|value| add(field, value));
    }
    let mut give = |term: &str| terms.push(term.to_owned());
    for changed in &fields.changed {
        changed.split(" -> ").for_each(|path| path_terms(path, &mut give));
    }
    terms
}

/// The terms of a path: its last components, with and without those before them.
fn path_terms(path: &str, each: &mut dyn FnMut(&str)) {
    let path = path.trim_start_matches("./").to_lowercase();
    let mut term = String::with_capacity(path.len() + 5);
    let slashes = path.rmatch_indices('/').map(|(at, _)| at + 1).chain([0]);
    for start in slashes.filter(|at| *at < path.len()).take(PATH_TAILS) {
        term.clear();
        term.push_str("file:");
        term.push_str(&path[start..]);
        each(&term);
    }
}

/// What looks like the path of a file: with a slash, or a name with an ending.
fn paths_in(text: &str, each: &mut dyn FnMut(&str)) {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '+');
    for word in text.split(|c: char| !inside(c)) {
        let word = word.trim_end_matches(['.', '-', '+']).trim_start_matches(['-', '+']);
        if !(3..=120).contains(&word.len()) || !word.contains(['/', '.']) || word.contains("//") {
            continue;
        }
        let last = word.trim_end_matches('/').rsplit('/').next().unwrap_or(word);
        let ending = last.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty()
                && (1..=5).contains(&ending.len())
                && ending.starts_with(|c: char| c.is_ascii_alphabetic())
                && ending.bytes().all(|b| b.is_ascii_alphanumeric())
        });
        let letters = word.bytes().any(|b| b.is_ascii_alphabetic());
        if letters && (ending || word.contains('/')) {
            each(word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handoff(body: &str) -> Handoff {
        let head = "---\nsegue: 1\nid: 20261115-174500-a0000001\ncreated: 2026-11-15T17:45:00Z\ntitle: Rotate keys\ntags: [Release]\nchanged: [src/auth/refresh.rs]\n---\n";
        Handoff::parse(format!("{head}{body}")).unwrap()
    }

    #[test]
    fn passages_keep_to_their_section_and_know_their_line() {
        let handoff =
            handoff("intro\n\n## Key Decisions\n\n- one: a\n- two: b\n\n## Notes\n\nx\n\ny\n");
        let found = passages(&handoff);
        let seen: Vec<_> = found.iter().map(|p| (p.ordinal, p.section, p.text)).collect();
        assert_eq!(
            seen,
            [
                (1, None, "intro"),
                (2, Some("Key Decisions"), "- one: a"),
                (3, Some("Key Decisions"), "- two: b"),
                (4, Some("Notes"), "x\n\ny"),
            ]
        );
        assert_eq!(found[1].line_at(&handoff, 0), 13);
        assert_eq!(found[3].line_at(&handoff, 3), 20);
    }

    #[test]
    fn long_texts_are_cut_and_nothing_is_lost() {
        let line = "word ".repeat(500);
        let many = "a b c d e f g h i j\n".repeat(60);
        let handoff = handoff(&format!("{line}\n\n```\n{many}```\n"));
        let found = passages(&handoff);
        assert!(found.len() >= 6, "{}", found.len());
        assert!(found.iter().all(|p| count_words(p.text) <= LONGEST));
        let words: usize = found.iter().map(|p| p.text.split_whitespace().count()).sum();
        assert_eq!(words, handoff.body().split_whitespace().count());
    }

    #[test]
    fn paths_are_found_by_their_ends() {
        let handoff = handoff(
            "See `crates/store/src/index.rs:12`, README.md. Not 1.2 or e.g. http://a.b/c.\n",
        );
        let mut terms = Vec::new();
        text_terms(
            &handoff,
            &passages(&handoff),
            &mut TermReader::default(),
            &mut |ordinal, term, _| {
                if term.contains(':') {
                    terms.push(format!("{ordinal} {term}"));
                }
            },
        );
        for wanted in [
            "0 tag:release",
            "0 file:refresh.rs",
            "0 file:auth/refresh.rs",
            "1 file:index.rs",
            "1 file:crates/store/src/index.rs",
            "1 file:readme.md",
        ] {
            assert!(terms.iter().any(|term| term == wanted), "{wanted}: {terms:?}");
        }
        assert!(!terms.iter().any(|term| term.contains("1.2")), "{terms:?}");
    }

    proptest::proptest! {
        #[test]
        fn passages_stand_in_their_text_in_order(body in "(#{0,3} ?[a-z-`~é \n]{0,9}\n){0,12}") {
            let handoff = handoff(&body);
            let mut end = 0;
            for passage in passages(&handoff) {
                proptest::prop_assert!(passage.start >= end);
                end = passage.start + passage.text.len();
                proptest::prop_assert_eq!(&handoff.source()[passage.start..end], passage.text);
            }
        }
    }
}
