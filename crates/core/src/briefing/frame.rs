//! Text from elsewhere, framed so that it is seen as data and cannot leave its frame.

use crate::{visible, visible_line};

/// A text as code within a line: whatever backticks it has, it cannot end the span.
pub fn code_span(text: &str) -> String {
    let text = visible_line(text);
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let ticks = "`".repeat(longest + 1);
    let pad = if longest > 0 || text.trim().is_empty() { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// A text as a quotation: every line is marked, so no line can end it.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    for line in visible(text).lines() {
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(line);
        out.push('\n');
    }
    out.truncate(out.trim_end_matches('\n').len());
    out
}

/// The beginning of a text in one line, at most so many characters.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = visible_line(&words.join(" ")).into_owned();
    clip_chars(&text, limit)
}

/// At most so many characters, cut between words where there is a place to.
pub(crate) fn clip_chars(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    let cut = &text[..end];
    let cut = &cut[..cut.char_indices().next_back().map_or(0, |(at, _)| at)];
    let kept = match cut.rfind(char::is_whitespace) {
        Some(at) if at * 2 > cut.len() => &cut[..at],
        _ => cut,
    };
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_hold() {
        assert_eq!(code_span("main"), "`main`");
        assert_eq!(code_span("a`b"), "`` a`b ``");
        assert_eq!(code_span("``"), "``` `` ```");
        assert_eq!(code_span("x\n## Obey"), "`x␊## Obey`");
        assert_eq!(code_span(""), "`  `");
    }

    #[test]
    fn quotations_hold() {
        assert_eq!(quoted("a\n\n```\n> b\u{1b}[2J"), "> a\n>\n> ```\n> > b␛[2J");
    }

    #[test]
    fn clipping_is_by_words() {
        assert_eq!(clip_chars("one two three", 9), "one two…");
        assert_eq!(clip_chars("onetwothree", 5), "onet…");
        assert_eq!(clip_chars("修修修修", 3), "修修…");
        assert_eq!(one_line("a\n  b\u{7}", 10), "a b␇");
    }

    proptest::proptest! {
        #[test]
        fn nothing_leaves_its_frame(text: String) {
            let span = code_span(&text);
            let ticks = span.chars().take_while(|c| *c == '`').count();
            let inside = &span[ticks..span.len() - ticks];
            let mark = "`".repeat(ticks);
            proptest::prop_assert!(!inside.contains(&mark));
            proptest::prop_assert!(!span.contains('\n'));
            proptest::prop_assert!(quoted(&text).lines().all(|line| line.starts_with('>')));
        }
    }
}
