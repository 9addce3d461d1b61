//! Where a text can be cut so that no secret in it is: half of one is not known for a secret any more.

use super::{KnownSecrets, Redactor};

/// Bytes that are looked at before the place of the cut, and how much further back a line may begin.
const BEFORE: usize = 512;
const LINE: usize = 4_096;
/// Bytes that a word may go on behind the cut, and that are looked at behind it.
const WORD: usize = 8_192;
const AFTER: usize = 256;
/// A word that is cut goes whole, if it is not longer.
const WHOLE_WORD: usize = 200;

/// Where to cut a text of which at most so many bytes are kept: in no secret, and between words if there
/// is such a place near. Looks only at what is near, so that it is cheap however long the text is.
pub(crate) fn cut_end(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    let most = text.floor_char_boundary(most);
    let (from, to) = (window_start(text, most), window_end(text, most));
    let window = &text[from..to];
    let mut end = before_word(window, most - from);
    // The user's own rules are not known here: their secrets are words, for the most part.
    let redactor = Redactor::default();
    let find = |text: &str| redactor.hits(text, &KnownSecrets::default());
    let hits = find(window);
    while hits.iter().any(|hit| hit.range.start < end) {
        // What follows may be what shows that something is a secret.
        let without = find(&window[..end]);
        let is_lost = |start: usize, stop: usize| {
            let known = |hit: &super::Hit| hit.range.start <= start && hit.range.end >= stop;
            start < end && (stop > end || !without.iter().any(known))
        };
        let lost = hits.iter().map(|hit| &hit.range).find(|at| is_lost(at.start, at.end));
        match lost {
            Some(at) => end = at.start,
            None => break,
        }
    }
    from + end
}

/// The beginning of a line or a word, some way before the cut.
fn window_start(text: &str, cut: usize) -> usize {
    let near = text.floor_char_boundary(cut.saturating_sub(BEFORE));
    let far = text.floor_char_boundary(near.saturating_sub(LINE));
    let before = &text[far..near];
    let place = before.rfind('\n').or_else(|| before.rfind(char::is_whitespace));
    // One that is found is kept as the first character: it belongs to nothing.
    far + place.unwrap_or(0)
}

/// The end of the word that is cut, and a bit more.
fn window_end(text: &str, cut: usize) -> usize {
    let far = text.floor_char_boundary((cut + WORD).min(text.len()));
    let word = text[cut..far].find(char::is_whitespace).map_or(far, |at| cut + at);
    text.floor_char_boundary((word + AFTER).min(text.len()))
}

/// The end of the last whole word before a cut, unless that one is very long.
fn before_word(text: &str, cut: usize) -> usize {
    let is_between = text[cut..].starts_with(char::is_whitespace);
    let kept = text[..cut].trim_end_matches(|c: char| !c.is_whitespace());
    match is_between || kept.is_empty() || cut - kept.len() > WHOLE_WORD {
        true => cut,
        false => kept.trim_end().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::tests::{GITHUB, redact};

    #[test]
    fn a_text_is_cut_between_words() {
        assert_eq!(cut_end("one two three", 20), 13);
        assert_eq!(cut_end("one two three", 10), 7);
        assert_eq!(cut_end("one two three", 7), 7);
        assert_eq!(cut_end(&"é".repeat(300), 401), 400);
    }

    proptest::proptest! {
        #[test]
        fn what_is_left_of_a_secret_is_none(
            before in "[a-z=&:\" \n]{0,60}", after in "[a-z&:\" \n]{0,60}", over in 1..GITHUB.len()
        ) {
            let text = format!("{before} {GITHUB} {after}");
            let most = before.len() + 1 + over;
            let kept = &text[..cut_end(&text, most)];
            proptest::prop_assert!(kept.len() <= most);
            proptest::prop_assert!(!redact(kept).text.contains("ghp_"), "{}", kept);
        }
    }
}
