//! Whether a value is made at random, or is words, a number, a date or an example.

/// Parts that only examples have.
const EXAMPLES: [&str; 17] = [
    "example",
    "xxxxx",
    "your_",
    "your-",
    "yourt",
    "yourk",
    "placeholder",
    "redacted",
    "dummy",
    "sample",
    "changeme",
    "abcdefgh",
    "01234567",
    "12345678",
    "fake_",
    "fake-",
    "insert_",
];

/// Whether what follows a known prefix is an example: words, one character again and again, the
/// alphabet.
pub(super) fn is_made_up(body: &[u8]) -> bool {
    if variety(body) < (body.len() / 3).min(6) {
        return true;
    }
    contains_any(body, &EXAMPLES)
}

/// How many different bytes there are.
fn variety(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    for byte in bytes {
        seen[usize::from(*byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count()
}

/// Whether one of the words, in small letters, is in it.
pub(super) fn contains_any(bytes: &[u8], words: &[&str]) -> bool {
    let firsts = words.iter().fold(0_u32, |firsts, word| firsts | bit(word.as_bytes()[0]));
    bytes.iter().enumerate().any(|(at, byte)| {
        firsts & bit(byte.to_ascii_lowercase()) != 0
            && words.iter().any(|word| starts_with(&bytes[at..], word))
    })
}

fn bit(byte: u8) -> u32 {
    1 << (byte & 31)
}

/// Whether it begins with the word, whatever its case.
pub(super) fn starts_with(bytes: &[u8], word: &str) -> bool {
    bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

/// Letters of a random string stand in pieces of about two: `aX3` are three. Those of a name stand
/// in words.
const LETTERS_A_PIECE: usize = 3;

/// Whether at least `least` characters of it, and most, look random.
pub(super) fn is_random(value: &[u8], least: usize) -> bool {
    let (mut odd, mut pieces, mut digits, mut capitals, mut small) = (0, 0, 0, 0, 0);
    for part in value.split(|byte| is_separator(*byte)).filter(|part| !is_word_like(part)) {
        odd += part.len();
        pieces += count_pieces(part);
        digits += part.iter().filter(|byte| byte.is_ascii_digit()).count();
        capitals += part.iter().filter(|byte| byte.is_ascii_uppercase()).count();
        small += part.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    }
    if super::shapes::is_uuid(value) || least <= 16 && has_form(value) {
        return true;
    }
    if odd < least || odd * 2 < value.len() {
        return false;
    }
    let letters = capitals + small;
    if is_hex(value) && odd >= 16 {
        return digits >= 2 && letters >= 2 && variety(value) >= 6;
    }
    // A digest behind a word or number: `u7341535-6096e010bf83472168a19b29`.
    if value.split(|byte| is_separator(*byte)).any(|part| {
        part.len() >= 16 && part.len() * 2 > value.len() && is_hex(part) && is_random(part, 16)
    }) {
        return true;
    }
    // Dates, versions, addresses and the ids that begin with one.
    if letters * 4 < digits {
        return false;
    }
    let mixed = digits >= 1 && letters >= 2;
    let capital_only = small == 0 && digits >= 2 && odd >= 16;
    if capital_only {
        return odd <= pieces * 6 || longest_consonants(value) >= 6 || has_rare_pairs(value, 3);
    }
    if mixed && odd <= pieces * LETTERS_A_PIECE + 1 + digits.min(2) {
        return true;
    }
    if odd >= 16 && has_rare_pairs(value, 3) {
        return true;
    }
    if mixed && odd >= 16 {
        return odd <= pieces * (LETTERS_A_PIECE + 2) && longest_consonants(value) >= 4;
    }
    let letters_only = capitals >= 3 && small >= 3 && odd >= 12;
    (letters_only && odd * 2 <= pieces * 5 + 4)
        || (odd >= 16 && (capitals == 0 || small == 0) && has_no_syllables(value))
}

pub(super) fn is_separator(byte: u8) -> bool {
    matches!(
        byte,
        b'-' | b'_' | b'.' | b'/' | b':' | b'+' | b'=' | b'~' | b' ' | b',' | b'@' | b'%'
    )
}

/// Forms of several equal parts: `WXYZ1-…` of licences, `abcd-efgh-ijkl-mnop` of passwords, and a UUID with a
/// digest.
fn has_form(value: &[u8]) -> bool {
    let parts = || value.split(|byte| *byte == b'-');
    let length = parts().next().map_or(0, <[u8]>::len);
    let equal = (4..=8).contains(&length) && parts().all(|part| part.len() == length);
    let all = |kind: fn(&u8) -> bool| parts().flatten().all(kind);
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let capital = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    if equal && parts().count() >= 4 {
        return digits >= 2 && letters >= 4 && all(capital)
            || length == 4 && all(u8::is_ascii_lowercase) && has_rare_pairs(value, 2);
    }
    let mut halves = value.split(|byte| *byte == b':');
    match (halves.next(), halves.next(), halves.next()) {
        (Some(id), Some(rest), None) => super::shapes::is_uuid(id) && is_random(rest, 16),
        _ => false,
    }
}

/// For each letter, by five bits, the letters that follow it in words.
const PAIRS: [u32; 26] = [
    0x3fd_7adc, 0x3c_922e, 0x23c_bb2a, 0x2c_9232, 0x3df_fafe, 0x34_9262, 0x2c_d3a2, 0x34_8222,
    0x55d_f8fe, 0x20, 0x8_0222, 0x278_9272, 0x29_a226, 0x279_dafa, 0xfd_fade, 0x3d_9322, 0x20_0000,
    0x27d_fafa, 0x239_fb2a, 0x2bd_b37a, 0x1d_72fe, 0x8222, 0xc_c322, 0x11_0228, 0x9_4200, 0x222,
];

/// Whether its letters follow one another as those of words do not. Of words one in a hundred is so, of random
/// strings nearly all.
fn has_rare_pairs(value: &[u8], tenths: usize) -> bool {
    let (mut all, mut rare) = (0, 0);
    for [one, next] in value.array_windows::<2>() {
        let hump = one.is_ascii_lowercase() && next.is_ascii_uppercase();
        if one.is_ascii_alphabetic() && next.is_ascii_alphabetic() && !hump {
            all += 1;
            let follows = PAIRS[usize::from(one.to_ascii_lowercase() - b'a')];
            rare += usize::from(follows & (1 << (next & 31)) == 0);
        }
    }
    all >= 8 && rare * 10 >= all * tenths
}

/// Changes between small letters, capital letters and digits. A capital letter before small ones
/// begins a word.
fn count_pieces(part: &[u8]) -> usize {
    let class = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let changes = part
        .array_windows::<2>()
        .filter(|[one, next]| class(*one) != class(*next) && (class(*one), class(*next)) != (1, 0))
        .count();
    changes + 1
}

/// Words, also joined as in `camelCase`, a number, or a word with a number as in `sha256`.
pub(super) fn is_word_like(part: &[u8]) -> bool {
    let letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (word, rest) = part.split_at(letters);
    if part.len() <= 2 || part.iter().all(u8::is_ascii_digit) {
        return true;
    }
    rest.len() <= 4
        && rest.iter().all(u8::is_ascii_digit)
        && (rest.is_empty() || rest.len() <= word.len())
        && word.len() * 2 >= count_pieces(word) * 7
        && !has_no_syllables(word)
        && !(word.len() >= 12 && has_rare_pairs(word, 4))
        || word.is_empty() && rest.len() <= 4
}

/// Too many consonants in a row, or hardly a vowel: no word of a language.
fn has_no_syllables(word: &[u8]) -> bool {
    if !word.iter().all(u8::is_ascii_alphabetic) {
        return false;
    }
    let vowels = word.iter().filter(|byte| is_vowel(byte)).count();
    let joined = word.iter().skip(1).any(u8::is_ascii_uppercase);
    let most = if joined { 4 } else { 5 };
    longest_in_words(word) > most || (word.len() >= 8 && vowels * 6 < word.len())
}

fn is_vowel(byte: &u8) -> bool {
    matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

fn longest_consonants(text: &[u8]) -> usize {
    let other = |byte: &u8| is_vowel(byte) || !byte.is_ascii_alphabetic();
    text.split(other).map(<[u8]>::len).max().unwrap_or(0)
}

/// The same within the words of `camelCase`.
fn longest_in_words(text: &[u8]) -> usize {
    let same = |one: &u8, next: &u8| !(one.is_ascii_lowercase() && next.is_ascii_uppercase());
    text.chunk_by(same).map(longest_consonants).max().unwrap_or(0)
}

pub(super) fn is_hex(value: &[u8]) -> bool {
    value.iter().all(u8::is_ascii_hexdigit)
}

/// What kinds of characters a password has: small, capital, digits, others.
pub(super) fn kinds_of_characters(value: &[u8]) -> usize {
    let has = |wanted: fn(&u8) -> bool| usize::from(value.iter().any(wanted));
    has(u8::is_ascii_lowercase)
        + has(u8::is_ascii_uppercase)
        + has(u8::is_ascii_digit)
        + has(|byte| {
            !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'_' | b'.' | b'/' | b':')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_values_look_random() {
        for value in [
            "9f86d081884c7d659a2feaa0c55ad015",
            "k3JhQ9mZ1xPv7LrT2wYb",
            "wJalrXUtnFEMIK7MDENGbPxRfiCYzQpLmN4aB8cD",
            "7fd1a9c03e5b4d28",
            "q8z5k1x9w3v7p2m4",
            "MFRGGZDFMZTWQ2LK7NKWC43U",
            "dGhpcyBpcyBhIHNlY3JldCBrZXk5OTk=",
            "hvQXzRtKbWmLpNcD",
        ] {
            assert!(is_random(value.as_bytes(), 12), "{value}");
        }
    }

    #[test]
    fn names_paths_dates_and_versions_do_not() {
        for value in [
            "getUserAccountByIdentifier",
            "crates/core/src/redact/mod.rs",
            "my-application-secret-name",
            "20261115-174500-a3f9c12e",
            "2026-11-15T17:45:00Z",
            "1.2.3-beta.4",
            "chacha20poly1305",
            "refresh_token_rotation_v2",
            "SCREAMING_SNAKE_CASE_NAME",
            "x86_64-unknown-linux-gnu",
            "AuthenticationMiddleware",
            "internationalization",
            "WinHttpRequestOption",
        ] {
            assert!(!is_random(value.as_bytes(), 12), "{value}");
        }
    }

    #[test]
    fn examples_are_made_up() {
        for body in
            ["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "IOSFODNN7EXAMPLE", "your_token_here_0000"]
        {
            assert!(is_made_up(body.as_bytes()), "{body}");
        }
        assert!(!is_made_up(b"zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"));
    }
}
