//! What a session worked on, by the words of its handoff.

/// Words that stand in any request or step, whatever it is about.
const COMMON: &[&str] = &[
    "also", "and", "before", "change", "changes", "check", "code", "done", "each", "else", "file",
    "files", "finish", "from", "into", "last", "make", "more", "next", "only", "over", "request",
    "should", "step", "still", "test", "tests", "that", "then", "there", "these", "this", "update",
    "user", "what", "when", "where", "which", "will", "with", "work", "write",
];

/// Words of a session's work that are kept.
const MOST: usize = 160;

/// The words by which a text says what it is about, each once.
pub(super) fn significant_words(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut words: Vec<String> = text
        .split(|c: char| !is_part(c))
        .map(str::to_lowercase)
        .filter(|word| word.chars().count() >= 4 && !COMMON.contains(&word.as_str()))
        .take(MOST)
        .collect();
    words.sort();
    words.dedup();
    words
}

/// Whether a session whose work these words describe was about a step: most of what the step names, and at least
/// two words of it, stand there.
pub(super) fn is_about(work: &[String], step: &str) -> bool {
    let wanted = significant_words(step);
    let found = wanted.iter().filter(|word| work.binary_search(word).is_ok()).count();
    found >= 2 && found * 3 >= wanted.len() * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_about_a_step_whose_words_it_has() {
        let work = significant_words(
            "Round discounts up. “Go on with the discounts” → edited `basket.py`; committed `4f69573`",
        );
        assert!(is_about(&work, "Next, I will round the discounts in basket.py"));
        assert!(!is_about(&work, "Round the totals of invoices"));
        assert!(!is_about(&work, "Tell of the rounding in README.md"));
        // One word is too little, whatever it is.
        assert!(!is_about(&work, "Discounts"));
        assert!(!is_about(&[], "Fix it"));
    }
}
