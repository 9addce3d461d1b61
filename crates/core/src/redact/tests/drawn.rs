//! Secrets that are drawn at random, so that no test knows one.

/// Draws the same values for the same seed.
pub(super) struct Drawn(u64);

const SMALL: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const CAPITALS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &[u8] = b"0123456789";
const SIGNS: &[u8] = b"!?+_";

impl Drawn {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % most
    }

    pub(super) fn of(&mut self, alphabet: &[u8], length: usize) -> String {
        (0..length).map(|_| char::from(alphabet[self.below(alphabet.len())])).collect()
    }

    /// Letters and digits as people and generators make them: some of each.
    pub(super) fn password(&mut self) -> String {
        let parts = [
            (CAPITALS, 2),
            (SMALL, 3),
            (DIGITS, 2),
            (SIGNS, 1),
            (SMALL, 2),
            (DIGITS, 2),
            (CAPITALS, 1),
        ];
        parts.into_iter().map(|(alphabet, length)| self.of(alphabet, length)).collect()
    }

    /// Letters and digits without order.
    pub(super) fn token(&mut self, length: usize) -> String {
        let all = [CAPITALS, SMALL, DIGITS].concat();
        loop {
            let token = self.of(&all, length);
            let digits = token.bytes().filter(u8::is_ascii_digit).count();
            if digits >= 2 && !token.as_bytes()[0].is_ascii_digit() {
                return token;
            }
        }
    }

    pub(super) fn base64(&mut self, length: usize) -> String {
        let all = [CAPITALS, SMALL, DIGITS, b"+/"].concat();
        format!("{}{}", self.token(length / 2), self.of(&all, length - length / 2))
    }

    pub(super) fn digits(&mut self, length: usize) -> String {
        self.of(DIGITS, length)
    }

    /// A seed phrase whose checksum holds.
    pub(super) fn phrase(&mut self, words: usize) -> String {
        let entropy: Vec<u8> = (0..words * 4 / 3).map(|_| self.below(256) as u8).collect();
        crate::redact::seed::phrase_of(&entropy)
    }
}

/// Base64 of bytes, without what fills it up.
pub(super) fn base64_of(text: &str) -> String {
    let digits = [CAPITALS, SMALL, DIGITS, b"+/"].concat();
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let number = (0..3).fold(0, |all, at| all << 8 | usize::from(*chunk.get(at).unwrap_or(&0)));
        for at in 0..=chunk.len() {
            out.push(char::from(digits[number >> (18 - 6 * at) & 63]));
        }
    }
    out
}
