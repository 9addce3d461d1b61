//! Seed phrases of wallets: 12 to 24 words of the English list of BIP-39, with a checksum that holds or
//! a name beside them.

use std::collections::VecDeque;
use std::ops::Range;

use sha2::{Digest, Sha256};

use super::alphabet::{span, span_back};
use super::random::contains_any;
use super::scan::Scan;

const LIST: &str = include_str!("seed_words.txt");
const LONGEST: usize = 8;
const SHORTEST: usize = 3;

/// The words in order, filled up with zeros.
static WORDS: [[u8; LONGEST]; 2048] = words();

const fn words() -> [[u8; LONGEST]; 2048] {
    let list = LIST.as_bytes();
    let mut words = [[0; LONGEST]; 2048];
    let (mut at, mut word, mut letter) = (0, 0, 0);
    while at < list.len() {
        if list[at].is_ascii_lowercase() {
            words[word][letter] = list[at];
            letter += 1;
        } else {
            word += 1;
            letter = 0;
        }
        at += 1;
    }
    assert!(word == words.len());
    words
}

/// For the five bits of a first letter: which second letters there are.
const SECONDS: [u32; 32] = {
    let mut seconds = [0; 32];
    let words = words();
    let mut at = 0;
    while at < words.len() {
        seconds[(words[at][0] & 31) as usize] |= 1 << (words[at][1] & 31);
        at += 1;
    }
    seconds
};

/// How many words a phrase has, the longest first.
const COUNTS: [usize; 5] = [24, 21, 18, 15, 12];
/// A phrase has a word of these in this many words of its length.
pub(super) const EVERY: u32 = 11;
/// No phrase is looked for in more words than this in a row.
const MOST: usize = 40;
/// Signs between two words: a blank, `, `, `", "`, a line end and a number.
const BETWEEN: usize = 16;

/// Whether a word may be one of a phrase.
#[inline]
pub(super) fn has_length(length: usize) -> bool {
    (SHORTEST..=LONGEST).contains(&length)
}

fn number(word: &[u8]) -> Option<u16> {
    let [first, second, ..] = word else { return None };
    if !has_length(word.len()) || SECONDS[usize::from(first & 31)] & (1 << (second & 31)) == 0 {
        return None;
    }
    let mut small = [0; LONGEST];
    small[..word.len()].copy_from_slice(word);
    small.make_ascii_lowercase();
    WORDS.binary_search(&small).ok().map(|at| at as u16)
}

/// Looks for a phrase that this word belongs to, and says up to where there is no other.
pub(super) fn look(scan: &mut Scan<'_>, at: usize, end: usize) -> Option<usize> {
    let bytes = scan.bytes;
    number(&bytes[at..end])?;
    // A line by itself, then what goes over several.
    let line = row(bytes, at..end, |between| !between.contains(&b'\n'));
    let found = phrase(bytes, &line).or_else(|| {
        let row = row(bytes, at..end, |_| true);
        (row.len() > line.len()).then(|| phrase(bytes, &row)).flatten()
    });
    let Some(phrase) = found else { return line.last().map(|last| last.end) };
    let end = phrase.end;
    scan.hit("seed phrase", phrase);
    Some(end)
}

/// The words of the list around one, while what is between them is wanted.
fn row(bytes: &[u8], word: Range<usize>, wanted: impl Fn(&[u8]) -> bool) -> Vec<Range<usize>> {
    let is_word = |word: &Range<usize>| number(&bytes[word.clone()]).is_some();
    let mut words = VecDeque::from([word.clone()]);
    let mut first = word.start;
    while words.len() < MOST
        && let Some(before) = word_before(bytes, first).filter(is_word)
        && wanted(&bytes[before.end..first])
    {
        first = before.start;
        words.push_front(before);
    }
    let mut last = word.end;
    while words.len() < MOST
        && let Some(after) = word_after(bytes, last).filter(is_word)
        && wanted(&bytes[last..after.start])
    {
        last = after.end;
        words.push_back(after);
    }
    words.into()
}

/// The phrase in a row of words of the list.
fn phrase(bytes: &[u8], words: &[Range<usize>]) -> Option<Range<usize>> {
    if !(12..MOST).contains(&words.len()) {
        return None;
    }
    let numbers: Vec<u16> = words.iter().filter_map(|word| number(&bytes[word.clone()])).collect();
    for count in COUNTS {
        let holds = numbers.windows(count).position(has_checksum);
        if let Some(at) = holds
            && (is_named(bytes, words[0].start) || !is_sentence(bytes, &words[at..at + count]))
        {
            return Some(words[at].start..words[at + count - 1].end);
        }
    }
    let count = COUNTS.into_iter().find(|count| *count <= words.len())?;
    let start = words[0].start;
    let is_row = words.len() <= count + 2 && is_named(bytes, start);
    is_row.then(|| start..words[words.len() - 1].end)
}

/// Words of the list that sentences are made of.
const COMMON: &str = "\
    about above again all almost also always among another any around ask because become before \
    behind below best better between call can change check clean click client close code column come \
    common connect control copy correct cost current damage day define depend describe design detail \
    develop device differ direct document domain draft during early edit effort either else empty \
    enable end enough error example exclude execute exist exit expect explain extend extra false \
    feature fetch few field figure file filter final find first fix flag follow force forward \
    general give good great group half hand happy hard have head help hidden high hint home hope \
    host hour idea ignore image impact improve include increase index inform initial input inside \
    install into issue item just keep key kind know label language large later layer learn leave \
    left length level library like limit link list little live load local logic long machine main \
    major make man manage match matter mean method minor miss mistake mix model modify month more \
    move much must name need network never next nice normal note nothing notice now number object \
    off often old once one only open option order other over own page path people place point \
    process program project put question ready real reason record release remove repeat replace \
    report require result return review right round run same save say script search section select \
    service session setup side simple since size small sort source space special stage start state \
    step still style subject submit success such system table target task team tell test text thank \
    that then there they thing this thought three time today together token tomorrow tool top total \
    track tree true try turn twice two type under until update upgrade upon use used useful valid \
    verify version very view wait want warm way what when where will wish work world write wrong \
    year you young \
    ";

/// Two of three are common words: a sentence, which has a checksum by chance.
fn is_sentence(bytes: &[u8], words: &[Range<usize>]) -> bool {
    let common = |word: &&Range<usize>| {
        let word = &bytes[(*word).clone()];
        COMMON.split(' ').any(|common| word.eq_ignore_ascii_case(common.as_bytes()))
    };
    words.iter().filter(common).count() * 3 >= words.len() * 2
}

/// Words that stand before a phrase, or are part of what stands there.
const NAMES: &[&str] =
    &["seed", "mnemonic", "recovery", "wallet", "backup phrase", "bip39", "bip-39"];

fn is_named(bytes: &[u8], at: usize) -> bool {
    contains_any(&bytes[at.saturating_sub(64)..at], NAMES)
}

/// Whether the last bits are the first ones of the hash of the others.
fn has_checksum(numbers: &[u16]) -> bool {
    let bits = numbers.len() * 11;
    let check = bits / 33;
    let mut bytes = [0_u8; 33];
    for (at, number) in numbers.iter().enumerate() {
        for bit in 0..11 {
            if number & (1 << (10 - bit)) != 0 {
                let to = at * 11 + bit;
                bytes[to / 8] |= 1 << (7 - to % 8);
            }
        }
    }
    let entropy = (bits - check) / 8;
    let hash = Sha256::digest(&bytes[..entropy]);
    let shift = 8 - check;
    // A word again and again is an example, and words in order are a list.
    let varied = numbers.iter().filter(|number| **number != numbers[0]).count() > numbers.len() / 3;
    varied && !numbers.is_sorted() && hash[0] >> shift == bytes[entropy] >> shift
}

fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || byte.is_ascii_digit()
        || matches!(byte, b',' | b'.' | b')' | b'"' | b'\'' | b'-' | b'|' | b'+' | b'/' | b'\\')
}

fn word_after(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let rest = bytes.get(from..)?;
    let gap = span(rest, BETWEEN, is_between);
    // `\n` written out ends in a letter.
    let escaped = gap > 0 && rest[gap - 1] == b'\\' && rest.get(gap) == Some(&b'n');
    let gap = gap + usize::from(escaped);
    let gap = gap + if escaped { span(&rest[gap..], BETWEEN, is_between) } else { 0 };
    let length = span(&rest[gap..], LONGEST + 1, |byte| byte.is_ascii_alphabetic());
    (gap > 0 && length > 0).then(|| from + gap..from + gap + length)
}

fn word_before(bytes: &[u8], until: usize) -> Option<Range<usize>> {
    let gap = span_back(&bytes[..until], BETWEEN, is_between);
    let end = until - gap;
    let length = span_back(&bytes[..end], LONGEST + 1, |byte| byte.is_ascii_alphabetic());
    (gap > 0 && length > 0).then(|| end - length..end)
}

/// The phrase that says these bytes.
#[cfg(test)]
pub(super) fn phrase_of(entropy: &[u8]) -> String {
    let mut bytes = entropy.to_vec();
    bytes.push(Sha256::digest(entropy)[0]);
    let count = entropy.len() * 3 / 4;
    let bit = |at: usize| usize::from(bytes[at / 8] >> (7 - at % 8) & 1);
    let number = |word: usize| (0..11).fold(0, |all, at| all << 1 | bit(word * 11 + at));
    let all: Vec<&str> = LIST.split_ascii_whitespace().collect();
    (0..count).map(|word| all[number(word)]).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_list_has_its_number() {
        let all: Vec<&str> = LIST.split_ascii_whitespace().collect();
        for (at, word) in all.iter().enumerate() {
            assert_eq!(number(word.as_bytes()), Some(at as u16), "{word}");
        }
        assert_eq!((all.len(), number(b"redaction"), number(b"xyz")), (2048, None, None));
    }
}
