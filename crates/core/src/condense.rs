//! Shortens prose by leaving out the sentences that say least.
//!
//! A sentence is worth the names, numbers and words in it that were not said before, and more if it
//! has a phrase of a finding. Sentences are taken by worth for their length and stand in their order.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::session::{says_intention, weigh};

/// Stands where sentences were left out.
const GAP: &str = " … ";
/// What a sentence costs besides its own length, so that crumbs are not preferred.
const OVERHEAD: usize = 6;
/// Points of a name or number that is new, of one that was said before, and of a new word.
const NEW_NAME: usize = 6;
const OLD_NAME: usize = 1;
const NEW_WORD: usize = 2;
/// Points of each step of a phrase's weight, and the most that phrases count.
const PHRASE: usize = 2;
const PHRASES: i32 = 6;
/// A sentence with fewer points is talk.
const LEAST_POINTS: usize = 4;
/// Sentences that are looked at, so that a huge text costs no more.
const SENTENCES: usize = 150;

/// Words that were said before and need not be said again.
#[derive(Clone, Debug, Default)]
pub(crate) struct SaidWords {
    hashes: HashSet<u64>,
}

impl SaidWords {
    pub(crate) fn add(&mut self, text: &str) {
        self.hashes.extend(words(text).map(|(hash, _)| hash));
    }
}

/// One sentence or list item.
struct Sentence<'t> {
    text: &'t str,
    words: Vec<(u64, WordKind)>,
    /// Points that do not depend on what was said before.
    phrases: usize,
    is_talk: bool,
    cost: usize,
    is_taken: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordKind {
    /// A name, path, number or code.
    Name,
    Word,
}

/// The sentences of a text that say most, at most `most` as `cost` counts it. A text that fits is
/// given as it is; where not one sentence fits, nothing is.
pub(crate) fn condense(
    text: &str,
    most: usize,
    said: &mut SaidWords,
    cost: impl Fn(&str) -> usize,
) -> String {
    let text = text.trim();
    if text.len() <= most.saturating_mul(8) && cost(text) <= most {
        said.add(text);
        return text.to_owned();
    }
    let (sentences, _) = choose(text, most, said, cost);
    join(&sentences, |_| true)
}

/// The same in two texts: the sentences that say most, at most `first` bytes, and the others that were chosen.
pub(crate) fn condense_in_two(
    text: &str,
    first: usize,
    most: usize,
    said: &mut SaidWords,
) -> (String, String) {
    let (sentences, picks) = choose(text.trim(), most, said, str::len);
    let mut used = 0;
    let mut of_first: Vec<usize> = Vec::new();
    for at in picks {
        let cost = sentences[at].cost + GAP.len();
        if used + cost > first {
            continue;
        }
        used += cost;
        of_first.push(at);
    }
    (join(&sentences, |at| of_first.contains(&at)), join(&sentences, |at| !of_first.contains(&at)))
}

/// The sentences of a text, marked which of them say most, and the order in which those were found.
fn choose<'t>(
    text: &'t str,
    most: usize,
    said: &mut SaidWords,
    cost: impl Fn(&str) -> usize,
) -> (Vec<Sentence<'t>>, Vec<usize>) {
    let gap = cost(GAP).max(1);
    let mut sentences: Vec<Sentence<'_>> = split(text)
        .take(SENTENCES)
        .map(|text| Sentence {
            text,
            words: words(text).collect(),
            phrases: phrase_points(text),
            is_talk: says_intention(text) || text.ends_with(['?', ':']),
            cost: cost(text),
            is_taken: false,
        })
        .collect();
    let (mut used, mut picks) = (0, Vec::new());
    loop {
        let best = sentences
            .iter()
            .enumerate()
            .filter(|(_, one)| !one.is_taken && used + one.cost + gap <= most)
            .map(|(at, one)| (at, one.points(at, said), one.cost + OVERHEAD))
            .filter(|(_, points, _)| *points >= LEAST_POINTS)
            .max_by_key(|(at, points, cost)| (points * 1_000 / cost, std::cmp::Reverse(*at)));
        let Some((at, ..)) = best else { break };
        let one = &mut sentences[at];
        one.is_taken = true;
        used += one.cost + gap;
        said.hashes.extend(one.words.iter().map(|(hash, _)| *hash));
        picks.push(at);
    }
    (sentences, picks)
}

impl Sentence<'_> {
    fn points(&self, at: usize, said: &SaidWords) -> usize {
        let of_words: usize = self
            .words
            .iter()
            .map(|(hash, kind)| match (kind, said.hashes.contains(hash)) {
                (WordKind::Name, false) => NEW_NAME,
                (WordKind::Name, true) => OLD_NAME,
                (WordKind::Word, false) => NEW_WORD,
                (WordKind::Word, true) => 0,
            })
            .sum();
        let points = of_words + self.phrases;
        // How a message begins says what it is about.
        let points = if at == 0 { points * 3 / 2 } else { points };
        if self.is_talk { points / 3 } else { points }
    }
}

/// The sentences that were taken and are wanted, in their order.
fn join(sentences: &[Sentence<'_>], is_wanted: impl Fn(usize) -> bool) -> String {
    let mut out = String::new();
    let mut skipped = false;
    for (at, one) in sentences.iter().enumerate() {
        if !one.is_taken || !is_wanted(at) {
            skipped = true;
            continue;
        }
        match (out.is_empty(), skipped) {
            (true, _) => {}
            (false, true) => out.push_str(GAP),
            (false, false) => out.push(' '),
        }
        out.push_str(one.text);
        skipped = false;
    }
    out.trim_end_matches(';').to_owned()
}

/// The sentences of a text on one line. Items of a list, which end with a semicolon, count as sentences.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let mut in_code = false;
        let mut depth = 0_usize;
        let end = rest
            .char_indices()
            .find(|(at, c)| {
                let after = &rest[at + c.len_utf8()..];
                let is_last = after.is_empty() || after.starts_with(char::is_whitespace);
                match c {
                    '`' => in_code = !in_code,
                    '(' if !in_code => depth += 1,
                    ')' if !in_code => depth = depth.saturating_sub(1),
                    _ => {}
                }
                match c {
                    '。' | '！' | '？' | '；' => !in_code,
                    ';' => is_last && !in_code && depth == 0,
                    // `1.` begins an item, and `e.g.` ends no sentence.
                    '.' | '!' | '?' => is_last && !in_code && !is_number_or_letter(&rest[..*at]),
                    _ => false,
                }
            })
            .map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

/// Whether the last word before a full stop is a number of a list or a single letter.
fn is_number_or_letter(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '.').next().unwrap_or_default();
    let is_number = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.is_empty() || is_number || (word.len() == 1 && word != "I")
}

fn phrase_points(text: &str) -> usize {
    let weight = weigh(text).map_or(0, |(_, weight)| weight.clamp(0, PHRASES));
    usize::try_from(weight).unwrap_or(0) * PHRASE
}

/// The words of a text that say something, each once, as hashes.
fn words(text: &str) -> impl Iterator<Item = (u64, WordKind)> {
    let mut seen = HashSet::new();
    let split = |c: char| c.is_whitespace() || "`“”\"()[]{}<>,;:|—→*".contains(c);
    let parts = text.split(split).flat_map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        // Scripts without blanks: two characters each.
        let is_joined = word.chars().next().is_some_and(|c| ('\u{2e80}'..'\u{fb00}').contains(&c));
        let pairs = if is_joined { pairs(word) } else { vec![word] };
        pairs.into_iter()
    });
    parts
        .filter_map(move |word| {
            let kind = kind_of(word)?;
            let mut hasher = DefaultHasher::new();
            word.to_lowercase().hash(&mut hasher);
            let hash = hasher.finish();
            seen.insert(hash).then_some((hash, kind))
        })
        .collect::<Vec<_>>()
        .into_iter()
}

fn pairs(word: &str) -> Vec<&str> {
    let ends: Vec<usize> =
        word.char_indices().map(|(at, _)| at).chain([word.len()]).step_by(2).collect();
    ends.windows(2).map(|pair| &word[pair[0]..pair[1]]).collect()
}

/// What kind of word it is; none if it is too common to count.
fn kind_of(word: &str) -> Option<WordKind> {
    if word.is_empty() {
        return None;
    }
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let has_sign = word.contains(['_', '/', '.', '#', '@', '=']);
    let is_mixed =
        word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_alphabetic);
    if has_digit || has_sign || is_mixed {
        return Some(WordKind::Name);
    }
    let lower = word.to_ascii_lowercase();
    let counts = if word.is_ascii() { word.len() > 3 } else { true };
    (counts && !COMMON.contains(&lower.as_str())).then_some(WordKind::Word)
}

/// Words that say little by themselves.
const COMMON: &[&str] = &[
    "about",
    "above",
    "actually",
    "after",
    "again",
    "against",
    "already",
    "also",
    "another",
    "anything",
    "because",
    "been",
    "before",
    "being",
    "below",
    "between",
    "both",
    "cannot",
    "check",
    "come",
    "could",
    "current",
    "does",
    "done",
    "down",
    "each",
    "else",
    "even",
    "every",
    "everything",
    "exactly",
    "first",
    "found",
    "from",
    "full",
    "fully",
    "give",
    "good",
    "great",
    "have",
    "here",
    "here's",
    "into",
    "it's",
    "just",
    "know",
    "let's",
    "like",
    "look",
    "looks",
    "made",
    "make",
    "makes",
    "more",
    "most",
    "much",
    "must",
    "need",
    "needs",
    "next",
    "nothing",
    "once",
    "only",
    "other",
    "over",
    "ready",
    "real",
    "really",
    "right",
    "same",
    "should",
    "since",
    "some",
    "something",
    "state",
    "still",
    "such",
    "summary",
    "sure",
    "take",
    "than",
    "that",
    "that's",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "those",
    "through",
    "time",
    "under",
    "until",
    "upon",
    "used",
    "using",
    "very",
    "want",
    "well",
    "were",
    "what",
    "what's",
    "when",
    "where",
    "which",
    "while",
    "will",
    "with",
    "without",
    "work",
    "works",
    "would",
    "you're",
    "your",
    "i've",
    "i'll",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str, most: usize) -> String {
        condense(text, most, &mut SaidWords::default(), str::len)
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        assert_eq!(bytes("One. Two.", 20), "One. Two.");
        assert_eq!(bytes("", 20), "");
    }

    #[test]
    fn sentences_that_name_something_win_over_talk() {
        let text = "I have looked at all of it now. Let me tell you what there is to know. \
                    `parse_date()` in `src/date.rs` drops 3 rows without a zone because `chrono` rejects them. \
                    That is all there is to say for now.";
        assert_eq!(
            bytes(text, 120),
            "`parse_date()` in `src/date.rs` drops 3 rows without a zone because `chrono` rejects them."
        );
    }

    #[test]
    fn what_was_said_before_is_left_out_first() {
        let text = "The cache key is `tree_sha` and nothing else. The lock file is `index.lock` per store.";
        let mut said = SaidWords::default();
        said.add("The cache key is `tree_sha` and nothing else.");
        assert_eq!(
            condense(text, 50, &mut said, str::len),
            "The lock file is `index.lock` per store."
        );
    }

    #[test]
    fn items_and_numbers_are_told_apart_from_sentences() {
        let all: Vec<&str> =
            split("1. Rename `a; b` (x; y). 2. Drop it; keep e.g. v1.2 here. 完了。次").collect();
        assert_eq!(
            all,
            ["1. Rename `a; b` (x; y).", "2. Drop it;", "keep e.g. v1.2 here.", "完了。", "次"]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_condensed_within_its_room(text: String, most in 0_usize..200) {
            let short = bytes(&text, most);
            assert!(short.len() <= most.max(0) || short == text.trim());
        }
    }
}
