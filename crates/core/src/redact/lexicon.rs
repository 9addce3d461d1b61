//! Whether a word may be one of a list: told by its length and its first two letters, before the list is read.

/// What the words of a list have in common.
pub(super) struct Lexicon {
    /// For the five bits of a first letter: which lengths there are.
    lengths: [u32; 32],
    /// For the five bits of a first letter: which second letters there are.
    seconds: [u32; 32],
}

impl Lexicon {
    pub(super) const fn empty() -> Self {
        Self { lengths: [0; 32], seconds: [0; 32] }
    }

    /// With one word more, of at least two bytes and less than 32.
    pub(super) const fn with(mut self, word: &[u8]) -> Self {
        let first = (word[0] & 31) as usize;
        self.lengths[first] |= 1 << word.len();
        self.seconds[first] |= 1 << (word[1] & 31);
        self
    }

    /// Whether it may be in the list, whatever its case.
    #[inline]
    pub(super) fn may_have(&self, word: &[u8]) -> bool {
        let [first, second, ..] = word else { return false };
        let first = usize::from(first & 31);
        word.len() < 32
            && self.lengths[first] & (1 << word.len()) != 0
            && self.seconds[first] & (1 << (second & 31)) != 0
    }
}
