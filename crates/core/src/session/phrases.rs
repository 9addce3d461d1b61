//! Phrases that are looked for in a text, all at once. How they are found is worked out when the program is
//! built: a process that lives for milliseconds has no time for that.

/// Bytes by which a phrase is looked up. None is shorter.
const BEGIN: usize = 3;
/// Slots of the table.
const SLOTS: usize = 1 << 12;

/// Phrases in small letters, found whatever the case of the ASCII letters in a text.
pub(super) struct Phrases<const N: usize> {
    all: [&'static str; N],
    /// The number of the first phrase of a slot, from 1; 0 if there is none.
    first: [u8; SLOTS],
    /// The number of the next phrase of the same slot.
    next: [u8; N],
}

impl<const N: usize> Phrases<N> {
    pub(super) const fn new(all: [&'static str; N]) -> Self {
        assert!(N < u8::MAX as usize, "a number of a phrase is a byte");
        let mut phrases = Self { all, first: [0; SLOTS], next: [0; N] };
        let mut at = 0;
        while at < N {
            let bytes = all[at].as_bytes();
            assert!(bytes.len() >= BEGIN, "a phrase is too short");
            let slot = slot([bytes[0], bytes[1], bytes[2]]);
            phrases.next[at] = phrases.first[slot];
            phrases.first[slot] = at as u8 + 1;
            at += 1;
        }
        phrases
    }

    /// Whether the answer is yes anywhere a phrase stands. It is asked with the number of the phrase and
    /// where that begins.
    pub(super) fn any_in(&self, text: &str, mut answer: impl FnMut(usize, usize) -> bool) -> bool {
        let bytes = text.as_bytes();
        bytes.array_windows::<BEGIN>().enumerate().any(|(at, begin)| {
            let mut number = usize::from(self.first[slot(*begin)]);
            while let Some(phrase) = number.checked_sub(1) {
                let length = self.all[phrase].len();
                let there = bytes.get(at..at + length);
                if there
                    .is_some_and(|there| there.eq_ignore_ascii_case(self.all[phrase].as_bytes()))
                    && answer(phrase, at)
                {
                    return true;
                }
                number = usize::from(self.next[phrase]);
            }
            false
        })
    }

    /// The phrase of a number.
    pub(super) fn get(&self, phrase: usize) -> &'static str {
        self.all[phrase]
    }
}

/// The slot of a beginning. Capitals share it with small letters.
const fn slot(begin: [u8; BEGIN]) -> usize {
    let [one, two, three] = begin;
    let key = u32::from_le_bytes([one | 0x20, two | 0x20, three | 0x20, 0]);
    (key.wrapping_mul(0x9e37_79b1) >> 20) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    static PHRASES: Phrases<5> = Phrases::new(["the fix", "the", "there", "正确", "not "]);

    fn found(text: &str) -> Vec<(&'static str, usize)> {
        let mut found = Vec::new();
        PHRASES.any_in(text, |phrase, at| {
            found.push((PHRASES.get(phrase), at));
            false
        });
        found.sort_unstable();
        found
    }

    #[test]
    fn every_place_of_every_phrase_is_found() {
        assert_eq!(
            found("The fix is THERE"),
            [("the", 0), ("the", 11), ("the fix", 0), ("there", 11)]
        );
        assert_eq!(found("é正确 not"), [("正确", 2)]);
        assert!(found("").is_empty() && found("th").is_empty());
        assert!(PHRASES.any_in("so there", |_, at| at == 3));
    }

    proptest::proptest! {
        #[test]
        fn what_a_plain_search_finds_is_found(text in "[tThHeErR fixno正确é]{0,40}") {
            let lower = text.to_ascii_lowercase();
            for phrase in PHRASES.all {
                let mut places = found(&text);
                places.retain(|(one, _)| *one == phrase);
                let wanted = lower.match_indices(phrase).count();
                assert_eq!(places.len(), wanted, "{text:?} {phrase:?}");
            }
        }
    }
}
