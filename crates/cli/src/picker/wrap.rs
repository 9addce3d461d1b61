//! Text in lines of a width, measured as a terminal does.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// A line of text in lines of at most so many columns, broken at blanks where there are some. What
/// goes on is indented as the line is, and under the text of an item of a list.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let text = text.trim_end();
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    let hang = hanging(text).min(width / 3);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_inclusive(' ') {
        let bare = word.trim_end().width();
        if used + bare > width && used > hang {
            lines.push(std::mem::replace(&mut line, " ".repeat(hang)).trim_end().to_owned());
            used = hang;
        }
        if used + bare <= width {
            line.push_str(word);
            used += word.width();
            continue;
        }
        // A word longer than a line is cut where it must be.
        for part in word.graphemes(true) {
            if used + part.width() > width {
                lines.push(std::mem::replace(&mut line, " ".repeat(hang)));
                used = hang;
            }
            line.push_str(part);
            used += part.width();
        }
    }
    if !line.trim().is_empty() {
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// The columns before the text of a line: blanks, and the sign of an item.
fn hanging(text: &str) -> usize {
    let blanks = text.len() - text.trim_start_matches(' ').len();
    let rest = &text[blanks..];
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let sign = match rest {
        _ if rest.starts_with("- [ ] ") || rest.starts_with("- [x] ") => 6,
        _ if rest.starts_with("- ") || rest.starts_with("* ") => 2,
        _ if (1..4).contains(&digits) && rest[digits..].starts_with(". ") => digits + 2,
        _ => 0,
    };
    blanks + sign
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_hang_under_an_item() {
        assert_eq!(wrapped("one two three", 20), ["one two three"]);
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("- one two three", 9), ["- one two", "  three"]);
        assert_eq!(wrapped("", 8), [""]);
        assert_eq!(wrapped("   ", 2), [""]);
    }

    #[test]
    fn no_line_is_too_wide() {
        let texts = [
            "修复登录中间件的错误并且再写一些测试",
            "a👩‍🚀b 👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦 end",
            &"x".repeat(5000),
            &"e\u{301}".repeat(40),
            "        deep   and    wide    apart   ",
            "12. a very long item of a list with averylongwordinthemiddle of it",
        ];
        for text in texts {
            for width in 2..60 {
                let lines = wrapped(text, width);
                assert!(lines.iter().all(|line| line.width() <= width), "{width}: {lines:?}");
                let without = |text: &str| text.replace(' ', "");
                assert_eq!(without(&lines.concat()), without(text), "{width}");
            }
        }
    }
}
