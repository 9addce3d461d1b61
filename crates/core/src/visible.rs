//! Control characters and escape sequences made visible, so that stored text cannot drive a terminal.

use std::borrow::Cow;

/// Characters that are not controls and yet change what a reader sees: direction overrides,
/// interlinear marks and the invisible tag block.
pub(crate) fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Text for a terminal: line breaks and tabs stay, everything else that acts becomes a picture.
pub fn visible(text: &str) -> Cow<'_, str> {
    replace(text, |c| c == '\n' || c == '\t')
}

/// Text for one line or table cell: line breaks and tabs become pictures too.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    replace(text, |_| false)
}

fn replace(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    let acts = |c: char| (c.is_control() || is_hidden(c)) && !keep(c);
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // A line end of two characters is still just a line end.
            '\r' if chars.peek() == Some(&'\n') && keep('\n') => {}
            c if !acts(c) => out.push(c),
            '\0'..='\u{1f}' => out.extend(char::from_u32(0x2400 + c as u32)),
            '\u{7f}' => out.push('\u{2421}'),
            _ => out.push_str(&format!("<U+{:04X}>", c as u32)),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_become_pictures() {
        assert_eq!(visible("a\u{1b}]0;title\u{7}b"), "a␛]0;title␇b");
        assert_eq!(visible("\u{9b}31m"), "<U+009B>31m");
        assert_eq!(visible("a\u{202e}b"), "a<U+202E>b");
        assert_eq!(visible("del\u{7f}"), "del␡");
    }

    #[test]
    fn lines_stay_lines_and_cells_stay_cells() {
        assert_eq!(visible("a\r\nb\n\tc\rd"), "a\nb\n\tc␍d");
        assert_eq!(visible_line("a\nb\tc"), "a␊b␉c");
        assert!(matches!(visible("plain é 修 🎉"), Cow::Borrowed(_)));
    }

    proptest::proptest! {
        #[test]
        fn nothing_that_acts_is_left(text: String) {
            proptest::prop_assert!(!visible(&text).chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
            proptest::prop_assert!(!visible_line(&text).chars().any(|c| c.is_control() || is_hidden(c)));
            proptest::prop_assert_eq!(visible(&visible(&text)).into_owned(), visible(&text).into_owned());
        }
    }
}
