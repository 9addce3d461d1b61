//! A sentence of an agent as words and marks, for questions about its form.

/// What stands for a piece of code.
pub(super) const CODE: &str = "`";
/// Marks that are kept: they end a clause or lead into a reason.
const MARKS: &[char] = &[',', ':', ';', '—', '–', '(', ')'];
/// Words between a person and what the person did.
const NEAR: usize = 4;
const OWN: &[&str] = &["i", "we", "i've", "i'll", "i'd", "i'm", "we've", "we'll", "we'd", "we're"];

/// Words that follow a verb of which the person is left out: `Went with …`, `Dropped the …`.
const LEAD_ON: &[&str] = &[
    "the", "a", "an", "this", "that", "it", "both", "my", "our", "to", "with", "on", "for", "from",
    "against", "not", "out", "up", "about", "into", "these", "those",
];

/// The words of a sentence in small letters, with the marks between them.
pub(super) struct Clause<'t> {
    pub words: Vec<&'t str>,
    /// A bit for each beginning that a word has: most phrases that are asked for begin like no word.
    beginnings: u64,
}

/// The bit of the first two bytes of a word or phrase.
fn beginning(text: &str) -> u64 {
    let (first, second) = match text.as_bytes() {
        [] => (0, 0),
        [first] | [first, b' ', ..] => (*first, 0),
        [first, second, ..] => (*first, *second),
    };
    1 << ((u32::from(first) * 7 + u32::from(second)) % 64)
}

impl<'t> Clause<'t> {
    /// Takes apart a text in small letters with straight apostrophes.
    pub(super) fn of(lower: &'t str) -> Self {
        let mut words = Vec::new();
        for (at, piece) in lower.split('`').enumerate() {
            if at % 2 == 1 {
                words.push(CODE);
                continue;
            }
            for word in piece.split_whitespace() {
                push(word, &mut words);
            }
        }
        Self::of_words(words)
    }

    pub(super) fn of_words(words: Vec<&'t str>) -> Self {
        let beginnings = words.iter().fold(0, |all, word| all | beginning(word));
        Self { words, beginnings }
    }

    /// The words or phrases that begin like one of the clause.
    fn likely<'a>(&self, any: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
        let beginnings = self.beginnings;
        any.iter().copied().filter(move |phrase| beginning(phrase) & beginnings != 0)
    }

    pub(super) fn has(&self, any: &[&str]) -> bool {
        self.likely(any).any(|word| self.words.contains(&word))
    }

    /// Where the first of these words stands.
    pub(super) fn find(&self, any: &[&str]) -> Option<usize> {
        self.likely(any).filter_map(|word| self.words.iter().position(|one| *one == word)).min()
    }

    fn places(&self, phrase: &str) -> impl Iterator<Item = usize> {
        (0..self.words.len()).filter(move |at| self.is_phrase(*at, phrase))
    }

    /// Where the first of these phrases begins.
    pub(super) fn find_phrase(&self, any: &[&str]) -> Option<usize> {
        self.likely(any).filter_map(|phrase| self.places(phrase).next()).min()
    }

    pub(super) fn has_phrase(&self, any: &[&str]) -> bool {
        self.likely(any).any(|phrase| self.places(phrase).next().is_some())
    }

    /// Whether a phrase stands at a place.
    pub(super) fn is_phrase(&self, at: usize, phrase: &str) -> bool {
        let mut there = self.words.get(at..).unwrap_or_default().iter();
        let begins = there.as_slice().first().and_then(|word| word.as_bytes().first());
        begins == phrase.as_bytes().first()
            && phrase.split(' ').all(|word| there.next() == Some(&word))
    }

    /// Whether a place is that of what the speaker does: behind `I` or `we`, or at the beginning, where
    /// that is left out. `Abandoned drafts are …` is about drafts.
    pub(super) fn is_own(&self, at: usize) -> bool {
        let begins = at == 0 || matches!(self.words[at - 1], "(" | ";" | "—");
        if begins {
            let is_doing = self.words.get(at).is_some_and(|word| word.ends_with("ing"));
            let next = self.words.get(at + 1).copied().unwrap_or_default();
            let is_left_out =
                is_doing || next == CODE || LEAD_ON.contains(&next) || next.ends_with("ing");
            if at == 0 || is_left_out {
                return is_left_out;
            }
        }
        let before = &self.words[at.saturating_sub(NEAR)..at];
        before.iter().any(|word| OWN.contains(word))
    }

    /// Where something stands that the speaker does.
    pub(super) fn find_own(&self, any: &[&str]) -> Option<usize> {
        let own = |phrase| self.places(phrase).find(|at| self.is_own(*at));
        self.likely(any).filter_map(own).min()
    }

    /// Whether the word at a place denies what follows.
    pub(super) fn denies(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| {
            word.ends_with("n't") || matches!(*word, "not" | "cannot" | "never" | "no" | "nor")
        })
    }

    /// Where one of these verbs is denied: `doesn't really help`.
    pub(super) fn find_denied(&self, verbs: &[&str]) -> Option<usize> {
        (0..self.words.len()).find(|at| {
            self.denies(*at) && self.words[at + 1..].iter().take(3).any(|word| verbs.contains(word))
        })
    }

    /// Whether one of these words stands among the first so many.
    pub(super) fn begins_with(&self, many: usize, any: &[&str]) -> bool {
        self.words.iter().take(many).any(|word| any.contains(word))
    }
}

fn push<'t>(word: &'t str, words: &mut Vec<&'t str>) {
    let mut rest = word;
    while let Some(at) = rest.find(|c| MARKS.contains(&c)) {
        let (before, after) = rest.split_at(at);
        let long = after.chars().next().map_or(1, char::len_utf8);
        // `a:b` and `3,000` are one word.
        let goes_on = after[long..].starts_with(char::is_alphanumeric);
        if goes_on && !before.is_empty() && after.starts_with([',', ':']) {
            break;
        }
        push_plain(before, words);
        words.push(&after[..long]);
        rest = &after[long..];
    }
    push_plain(rest, words);
}

fn push_plain<'t>(word: &'t str, words: &mut Vec<&'t str>) {
    let word = word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '-'));
    if word.chars().any(char::is_alphanumeric) {
        words.push(word);
    }
}
