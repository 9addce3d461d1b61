//! The words by which an item is recognized when another handoff mentions it.

use crate::constraint::without_evidence;

/// The text of an item as its id is made of it: without evidence, marks and quotation, in small letters.
pub(super) fn normalized(text: &str) -> String {
    let text = without_evidence(text.trim());
    let text = text.strip_suffix(" (begun)").unwrap_or(text);
    let plain: String = text
        .replace("**", "")
        .chars()
        .filter(|c| !matches!(c, '`' | '“' | '”' | '"' | '„' | '«' | '»'))
        .flat_map(char::to_lowercase)
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let ends = |c: char| matches!(c, '.' | '!' | ',' | ';' | ':' | '。' | '！' | '，' | '；');
    words.join(" ").trim_matches(ends).trim().to_owned()
}

/// A text on one line without its evidence, as it is shown.
pub(super) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        // What stands below the first line goes on behind it.
        if shown.ends_with(|c: char| c.is_alphanumeric() || c == '`') && line.contains("Why: ") {
            shown.push('.');
        }
        if !shown.is_empty() && !words.is_empty() {
            shown.push(' ');
        }
        shown.push_str(&words.join(" "));
    }
    without_evidence(&shown).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_item_in_other_clothes_has_the_same_text() {
        let plain = normalized("Fix the refresh tests");
        for other in [
            "fix the  refresh\n  tests.",
            "“Fix the refresh tests”",
            "Fix the `refresh` tests (begun)",
            "“Fix the refresh tests.” *(declared #3)*",
            "**Fix** the refresh tests *(inferred)*",
        ] {
            assert_eq!(normalized(other), plain, "{other}");
        }
        assert_ne!(normalized("Fix the race tests"), plain);
        assert_ne!(normalized("Tests: a"), normalized("Tests: b"));
    }
}
