//! A text as terms: words without case, accents and endings, identifiers by their parts, scripts
//! without spaces by pairs of characters.
//!
//! `refresh_token`, `RefreshToken`, `auth/refresh-token.rs` and "refresh tokens" share the terms
//! `refresh` and `token`; the first two also share `refreshtoken`.

use std::ops::Range;

use hashbrown::HashMap;
use rust_stemmers::{Algorithm, Stemmer};

use super::fold::{fold_into, is_mark};
use super::stop_words;

/// What is longer is no word: keys, hashes of hashes, pictures as text.
const LONGEST: usize = 64;

/// Different words remembered with their stems; a text of random words shall not fill the memory.
const REMEMBERED: usize = 50_000;

/// Endings that the stemmer takes off; a word may have been typed up to anywhere in one.
const ENDINGS: [&str; 16] = [
    "s", "es", "ed", "ing", "ings", "ly", "ication", "ications", "ization", "izing", "ements",
    "ality", "ability", "fulness", "iveness", "ators",
];

/// A shorter stem says too little of what was typed.
const LEAST_STEM: usize = 3;

/// What a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// A word, or a part of an identifier.
    Word,
    /// An identifier of several parts, written together.
    Whole,
}

/// Reads the terms of texts. Keeps the stems of words that it has seen.
pub struct TermReader {
    stems: Stems,
    /// Reused for each word.
    folded: String,
    parts: Vec<Range<usize>>,
}

impl Default for TermReader {
    fn default() -> Self {
        Self {
            stems: Stems {
                latin: Stemmer::create(Algorithm::English),
                cyrillic: Stemmer::create(Algorithm::Russian),
                known: HashMap::new(),
            },
            folded: String::new(),
            parts: Vec::new(),
        }
    }
}

impl TermReader {
    /// Gives each term with the bytes it stands for. Words that are everywhere are left out.
    pub fn read(&mut self, text: &str, each: &mut dyn FnMut(&str, Range<usize>, TermKind)) {
        self.read_some(text, &FirstBytes::ANY, each);
    }

    /// As `read`, but may leave out terms that begin with other bytes than these: whoever looks for
    /// a few terms need not know the rest.
    pub fn read_some(
        &mut self,
        text: &str,
        first: &FirstBytes,
        each: &mut dyn FnMut(&str, Range<usize>, TermKind),
    ) {
        for run in Runs::new(text) {
            match run {
                Run::Joined(range) => pairs(text, range, &mut |pair, range| {
                    each(pair, range, TermKind::Word);
                }),
                Run::Spaced(range) => self.identifier(text, range, first, each),
            }
        }
    }

    /// The stems of words that begin so, as far as they are shorter than the beginning itself.
    pub(super) fn shorter_stems(&mut self, beginning: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut word = String::new();
        for ending in ENDINGS {
            for from in 0..=ending.len() {
                word.clear();
                word.push_str(beginning);
                word.push_str(&ending[from..]);
                let stem = self.stems.of(&word);
                if (LEAST_STEM..beginning.len()).contains(&stem.len())
                    && !found.iter().any(|known| known == stem)
                {
                    found.push(stem.to_owned());
                }
            }
        }
        found
    }

    /// Each word as it stands but for case and accents, none left out: to compare phrases.
    pub fn plain(&mut self, text: &str, each: &mut dyn FnMut(&str, Range<usize>)) {
        for run in Runs::new(text) {
            match run {
                Run::Joined(range) => pairs(text, range, each),
                Run::Spaced(range) => {
                    split_identifier(&text[range.clone()], &mut self.parts);
                    for part in &self.parts {
                        let at = range.start + part.start..range.start + part.end;
                        fold(&text[at.clone()], &mut self.folded);
                        each(&self.folded, at);
                    }
                }
            }
        }
    }

    fn identifier(
        &mut self,
        text: &str,
        range: Range<usize>,
        first: &FirstBytes,
        each: &mut dyn FnMut(&str, Range<usize>, TermKind),
    ) {
        let mut parts = std::mem::take(&mut self.parts);
        split_identifier(&text[range.clone()], &mut parts);
        if parts.len() > 1 && range.len() <= LONGEST {
            fold(&text[range.clone()], &mut self.folded);
            self.folded.retain(|c| c != '_');
            if first.may_begin(&self.folded) {
                each(self.stems.of(&self.folded), range.clone(), TermKind::Whole);
            }
        }
        for part in &parts {
            let at = range.start + part.start..range.start + part.end;
            if at.len() > LONGEST {
                continue;
            }
            fold(&text[at.clone()], &mut self.folded);
            if !first.may_begin(&self.folded) {
                continue;
            }
            let stem = self.stems.of_word(&self.folded);
            if !stem.is_empty() {
                each(stem, at, TermKind::Word);
            }
        }
        self.parts = parts;
    }
}

fn fold(text: &str, out: &mut String) {
    out.clear();
    if text.is_ascii() {
        out.push_str(text);
        out.make_ascii_lowercase();
    } else {
        text.chars().for_each(|c| fold_into(c, out));
    }
}

/// Bytes with which a term can begin. No stemmer changes the first letter of a word.
#[derive(Clone, Debug)]
pub struct FirstBytes([bool; 256]);

impl FirstBytes {
    const ANY: Self = Self([true; 256]);

    /// The first bytes of these terms.
    pub fn of<'t>(terms: impl Iterator<Item = &'t str>) -> Self {
        let mut first = Self([false; 256]);
        for byte in terms.filter_map(|term| term.bytes().next()) {
            first.0[usize::from(byte)] = true;
        }
        first
    }

    fn may_begin(&self, word: &str) -> bool {
        word.bytes().next().is_some_and(|byte| self.0[usize::from(byte)])
    }
}

/// Words without their endings.
struct Stems {
    latin: Stemmer,
    cyrillic: Stemmer,
    /// Of each word its stem, and whether the word is everywhere.
    known: HashMap<String, (String, bool)>,
}

impl Stems {
    /// The stem of a word; empty if the word is not worth a place in the index.
    fn of_word<'s>(&'s mut self, word: &'s str) -> &'s str {
        match self.know(word) {
            Some((_, true)) => "",
            Some((stem, false)) => stem,
            None if stop_words::is_everywhere(word) => "",
            None => word,
        }
    }

    fn of<'s>(&'s mut self, word: &'s str) -> &'s str {
        self.know(word).map_or(word, |(stem, _)| stem)
    }

    fn know(&mut self, word: &str) -> Option<&(String, bool)> {
        let stemmer = if word.bytes().all(|b| b.is_ascii_lowercase()) {
            &self.latin
        } else if word.chars().all(|c| matches!(c, 'а'..='я' | 'ё')) {
            &self.cyrillic
        } else {
            return None;
        };
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        Some(
            self.known.entry_ref(word).or_insert_with(|| {
                (stemmer.stem(word).into_owned(), stop_words::is_everywhere(word))
            }),
        )
    }
}

/// A stretch of text that is all of one kind.
enum Run {
    /// Letters, digits and `_`.
    Spaced(Range<usize>),
    /// A script that is written without spaces.
    Joined(Range<usize>),
}

struct Runs<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Runs<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        // Most text is ASCII, of which no character need be decoded.
        let mut start = self.at;
        let first = loop {
            match *self.text.as_bytes().get(start)? {
                byte if byte.is_ascii_alphanumeric() => break char::from(byte),
                byte if byte.is_ascii() => start += 1,
                _ => match self.text[start..].chars().next()? {
                    c if c.is_alphanumeric() => break c,
                    c => start += c.len_utf8(),
                },
            }
        };
        let joined = is_joined(first);
        let mut end = start + first.len_utf8();
        while let Some(byte) = self.text.as_bytes().get(end) {
            let (goes_on, length) = if byte.is_ascii() {
                (!joined && (byte.is_ascii_alphanumeric() || *byte == b'_'), 1)
            } else {
                let c = self.text[end..].chars().next()?;
                let goes_on = match joined {
                    true => is_joined(c),
                    false => c.is_alphanumeric() && !is_joined(c),
                };
                (goes_on || is_mark(c), c.len_utf8())
            };
            if !goes_on {
                break;
            }
            end += length;
        }
        self.at = end;
        Some(if joined { Run::Joined(start..end) } else { Run::Spaced(start..end) })
    }
}

/// Whether a character belongs to a script whose words no space tells apart, or where an ending is
/// written to the word.
fn is_joined(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Burmese
        | '\u{1100}'..='\u{11ff}' // Hangul
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3041}'..='\u{30ff}' // Kana
        | '\u{3130}'..='\u{318f}' // Hangul
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' // Han
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' // Hangul
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3134f}')
}

/// Pairs of neighbours, and the last character alone: so every character begins a term, and one
/// alone is found by what begins with it.
fn pairs(text: &str, range: Range<usize>, each: &mut dyn FnMut(&str, Range<usize>)) {
    let run = &text[range.clone()];
    let mut before: Option<usize> = None;
    for (at, c) in run.char_indices() {
        let end = at + c.len_utf8();
        if let Some(start) = before.replace(at) {
            each(&run[start..end], range.start + start..range.start + end);
        }
    }
    if let Some(start) = before {
        each(&run[start..], range.start + start..range.end);
    }
}

/// The parts of an identifier: between `_`, and where the case says that a word begins.
fn split_identifier(text: &str, parts: &mut Vec<Range<usize>>) {
    parts.clear();
    if is_one_part(text) {
        parts.push(0..text.len());
    } else {
        split_slowly(text, parts);
    }
}

fn split_slowly(text: &str, parts: &mut Vec<Range<usize>>) {
    let mut start = 0;
    // The two characters before: offset and kind of the last, kind of the one before it.
    let mut last: Option<(usize, Case)> = None;
    let mut before = Case::Other;
    let mut cut = |from: usize, to: usize| {
        if from < to {
            parts.push(from..to);
        }
    };
    for (at, c) in text.char_indices() {
        if c == '_' {
            cut(start, at);
            start = at + 1;
            (last, before) = (None, Case::Other);
            continue;
        }
        let case = if c.is_uppercase() {
            Case::Upper
        } else if c.is_lowercase() || is_mark(c) {
            Case::Lower
        } else {
            Case::Other
        };
        if let Some((last_at, last_case)) = last {
            let plural = c == 's' && !text[at + 1..].starts_with(|c: char| c.is_lowercase());
            match (before, last_case, case) {
                (_, Case::Lower | Case::Other, Case::Upper) => {
                    cut(start, at);
                    start = at;
                }
                // `HTTPServer`, but not `APIs`.
                (Case::Upper, Case::Upper, Case::Lower) if !plural => {
                    cut(start, last_at);
                    start = last_at;
                }
                _ => {}
            }
            before = last_case;
        }
        last = Some((at, case));
    }
    cut(start, text.len());
}

/// Whether an identifier is surely one part: `token`, `Token`.
fn is_one_part(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphanumeric()) && bytes.all(plain)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Lower,
    Upper,
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        TermReader::default().read(text, &mut |term, range, _| {
            assert!(text.get(range).is_some(), "{term}");
            found.push(term.to_owned());
        });
        found
    }

    #[test]
    fn identifiers_are_found_by_their_parts_in_every_spelling() {
        assert_eq!(terms("refresh_token"), ["refreshtoken", "refresh", "token"]);
        assert_eq!(terms("RefreshToken"), ["refreshtoken", "refresh", "token"]);
        assert_eq!(terms("auth/refresh.rs"), ["auth", "refresh", "rs"]);
        assert_eq!(terms("refresh tokens"), ["refresh", "token"]);
        assert_eq!(
            terms("parseHTTPResponse2"),
            ["parsehttpresponse2", "pars", "http", "response2"]
        );
        assert_eq!(terms("APIs __init__ E0308 utf8"), ["api", "init", "e0308", "utf8"]);
    }

    #[test]
    fn endings_case_and_accents_make_no_difference() {
        assert_eq!(terms("Failing failed FAILS"), ["fail", "fail", "fail"]);
        assert_eq!(terms("Schlüssel e\u{301}té"), ["schlussel", "ete"]);
        assert_eq!(terms("ошибка ошибки"), ["ошибк", "ошибк"]);
        assert_eq!(terms("the cache of it"), ["cach"]);
    }

    #[test]
    fn scripts_without_spaces_are_pairs() {
        assert_eq!(terms("認証鍵"), ["認証", "証鍵", "鍵"]);
        assert_eq!(terms("鍵"), ["鍵"]);
        assert_eq!(terms("API認証v2"), ["api", "認証", "証", "v2"]);
    }

    #[test]
    fn what_is_no_word_has_no_terms() {
        assert_eq!(terms(" -- \u{0} !? 🎉 ___ \u{202e}"), Vec::<String>::new());
        assert_eq!(terms(&"x".repeat(1000)), Vec::<String>::new());
    }

    #[test]
    fn some_terms_are_those_of_all_that_begin_so() {
        let text = "Dying refresh_token и Ошибка 認証鍵 xXToken the day";
        let mut all = terms(text);
        let mut reader = TermReader::default();
        let first = FirstBytes::of(["die", "x"].into_iter());
        let mut some = Vec::new();
        reader.read_some(text, &first, &mut |term, _, _| some.push(term.to_owned()));
        let of_both = |term: &String| term.starts_with(['d', 'x']);
        all.retain(of_both);
        some.retain(of_both);
        assert_eq!(some, all);
        assert_eq!(some, ["die", "xxtoken", "x", "x", "day"]);
    }

    proptest::proptest! {
        #[test]
        fn no_stem_begins_with_another_letter(word in "[a-z]{1,12}|[а-яё]{1,12}") {
            let mut reader = TermReader::default();
            let stem = reader.stems.of(&word).to_owned();
            proptest::prop_assert_eq!(stem.bytes().next(), word.bytes().next());
        }

        #[test]
        fn a_part_that_is_surely_one_is_one(text in "[a-zA-Z0-9_]{1,8}") {
            let mut parts = Vec::new();
            let mut slowly = Vec::new();
            split_identifier(&text, &mut parts);
            split_slowly(&text, &mut slowly);
            proptest::prop_assert_eq!(parts, slowly);
        }

        #[test]
        fn any_text_has_terms_that_stand_in_it(text: String) {
            let mut reader = TermReader::default();
            reader.read(&text, &mut |term, range, _| {
                assert!(!term.is_empty() && term.len() <= 4 * LONGEST);
                assert!(text.get(range).is_some());
            });
            reader.plain(&text, &mut |_, range| assert!(text.get(range).is_some()));
        }
    }
}
