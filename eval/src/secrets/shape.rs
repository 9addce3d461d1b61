//! Random values of a written shape.
//!
//! In a shape `{a36}` are 36 letters and digits, and so on for the sets of `alphabet`; `{U}` is a UUID, `{crc}`
//! GitHub's checksum of the group before it, `{K1}` a password as people make them, and `{M12}` a BIP-39 phrase of
//! twelve words, `{C12}` with commas and `{L12}` on numbered lines. Any other braces are text.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

use crate::rng::Rng;

/// The 2,048 words of BIP-39, in order.
static PHRASE_WORDS: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("../../words/bip39.txt").lines().collect());

/// Parts of the passwords that people make.
const HUMAN: [&str; 24] = [
    "Kestrel",
    "Marmalade",
    "Tulip",
    "Bassoon",
    "Gondola",
    "Pretzel",
    "Zeppelin",
    "Walnut",
    "Lagoon",
    "Muffin",
    "Tornado",
    "Saffron",
    "Pelican",
    "Biscuit",
    "Velvet",
    "Cactus",
    "Sommer",
    "Fuchs",
    "Blume",
    "Soleil",
    "Gato",
    "Luna",
    "Fiesta",
    "Bruno",
];

fn alphabet(set: char) -> &'static [u8] {
    match set {
        'a' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        'h' => b"0123456789abcdef",
        'H' => b"0123456789ABCDEF",
        'd' => b"123456789",
        'n' => b"0123456789",
        'u' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        'B' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        'g' => b"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        'q' => b"qpzry9x8gf2tvdw0s3jn54khce6mua7l",
        'c' => b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
        'l' => b"abcdefghijklmnopqrstuvwxyz0123456789",
        'z' => b"abcdefghijklmnopqrstuvwxyz",
        'w' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        'b' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        _ => b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789!#%^*-_=+?",
    }
}

/// A random value of this shape.
pub(super) fn value(shape: &str, rng: &mut Rng) -> String {
    let mut out = String::new();
    let mut last = String::new();
    let mut rest = shape;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let group =
            after.split_once('}').and_then(|(group, rest)| Some((Group::read(group)?, rest)));
        if let Some((group, after)) = group {
            last = group.draw(&last, rng);
            out.push_str(&last);
            rest = after;
        } else {
            out.push('{');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// How the words of a phrase are written.
#[derive(Clone, Copy, Debug)]
enum Layout {
    Line,
    Commas,
    Numbered,
}

/// What stands between braces.
#[derive(Debug)]
enum Group {
    Uuid,
    Checksum,
    Human,
    Phrase(Layout, usize),
    Chars(char, usize),
}

impl Group {
    fn read(text: &str) -> Option<Self> {
        match text {
            "U" => return Some(Self::Uuid),
            "crc" => return Some(Self::Checksum),
            _ => {}
        }
        let mut chars = text.chars();
        let set = chars.next()?;
        let count = chars.as_str().parse().ok()?;
        match set {
            'K' => Some(Self::Human),
            'M' => Some(Self::Phrase(Layout::Line, count)),
            'C' => Some(Self::Phrase(Layout::Commas, count)),
            'L' => Some(Self::Phrase(Layout::Numbered, count)),
            _ if "ahHdnuBgqclzwbp".contains(set) => Some(Self::Chars(set, count)),
            _ => None,
        }
    }

    fn draw(self, last: &str, rng: &mut Rng) -> String {
        match self {
            Self::Uuid => uuid(rng),
            Self::Checksum => checksum(last),
            Self::Human => human(rng),
            Self::Phrase(layout, count) => layout.write(&phrase(count, rng)),
            Self::Chars(set, count) => draw(set, count, rng),
        }
    }
}

fn draw(set: char, count: usize, rng: &mut Rng) -> String {
    let letters = alphabet(set);
    let plain = alphabet('a');
    loop {
        let made: String = (0..count)
            .map(|at| {
                // A dash at an end would belong to the sentence, and passwords begin with a letter.
                let end = (at == 0 || at + 1 == count) && matches!(set, 'w' | 'b' | 'p');
                let from = if end { plain } else { letters };
                char::from(from[rng.below(from.len())])
            })
            .collect();
        let digits = made.bytes().filter(u8::is_ascii_digit).count();
        let letters = made.bytes().filter(u8::is_ascii_alphabetic).count();
        if count < 9 || matches!(set, 'd' | 'n' | 'z') || (digits > 0 && letters > 0) {
            return made;
        }
    }
}

/// A word or two with digits and often a sign.
fn human(rng: &mut Rng) -> String {
    let first = rng.pick(&HUMAN);
    let second = rng.pick(&HUMAN);
    let digits = draw('n', rng.between(2, 4), rng);
    match rng.below(5) {
        0 => format!("{first}{digits}!"),
        1 => format!("{}{second}{digits}", first.to_lowercase()),
        2 => format!("{first}-{second}-{digits}"),
        3 => format!("{}#{digits}", first.replace('a', "4").replace('o', "0")),
        _ => format!("{first}_{digits}?"),
    }
}

impl Layout {
    fn write(self, words: &[&str]) -> String {
        match self {
            Self::Line => words.join(" "),
            Self::Commas => words.join(", "),
            Self::Numbered => {
                let line = |(at, word): (usize, &&str)| format!("{}. {word}", at + 1);
                words.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// A phrase whose checksum holds.
fn phrase(words: usize, rng: &mut Rng) -> Vec<&'static str> {
    let entropy: Vec<u8> = (0..words * 4 / 3).map(|_| (rng.next() >> 56) as u8).collect();
    words_of(&entropy)
}

/// The words of these random bytes and their checksum, eleven bits each.
fn words_of(entropy: &[u8]) -> Vec<&'static str> {
    let mut bytes = entropy.to_vec();
    bytes.push(Sha256::digest(entropy)[0]);
    let bit = |at: usize| usize::from(bytes[at / 8] >> (7 - at % 8) & 1);
    let word = |at: usize| (at * 11..at * 11 + 11).fold(0, |number, at| number << 1 | bit(at));
    (0..entropy.len() * 3 / 4).map(|at| PHRASE_WORDS[word(at)]).collect()
}

fn uuid(rng: &mut Rng) -> String {
    let hex = draw('h', 30, rng);
    format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[12..15], &hex[15..18], &hex[18..])
}

/// CRC-32 in base 62, as GitHub writes it.
fn checksum(text: &str) -> String {
    let mut crc = u32::MAX;
    for byte in text.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    let mut number = !crc;
    let digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut out = Vec::new();
    for _ in 0..6 {
        out.push(char::from(digits[(number % 62) as usize]));
        number /= 62;
    }
    out.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_those_of_the_test_vectors_of_the_standard() {
        assert_eq!(
            words_of(&[0x7f; 16]).join(" "),
            "legal winner thank year wave sausage worth useful legal winner thank yellow"
        );
        let zeros = words_of(&[0; 32]);
        assert_eq!((zeros.len(), zeros[0], zeros[23]), (24, "abandon", "art"));
    }

    #[test]
    fn braces_that_are_no_group_are_text() {
        let text = "{\"a\": ${TOKEN}, {{ x }}, {a}";
        assert_eq!(value(text, &mut Rng::of(1, &[])), text);
        assert_eq!(value("<{h8}>", &mut Rng::of(1, &[])).len(), 10);
    }
}
