//! A line that is typed: text, cursor, and the keys that change them.

/// What was typed so far.
#[derive(Debug, Default)]
pub(crate) struct LineEdit {
    text: String,
    /// In bytes, always between two characters.
    cursor: usize,
}

/// Nobody types more, and what is pasted shall not stall the list.
const MOST_BYTES: usize = 400;

impl LineEdit {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn before_cursor(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// Types a text; control characters in it are blanks. Says whether anything changed.
    pub(crate) fn insert(&mut self, text: &str) -> bool {
        let before = self.text.len();
        for c in text.chars() {
            let c = if c.is_control() { ' ' } else { c };
            if self.text.len() + c.len_utf8() > MOST_BYTES {
                break;
            }
            self.text.insert(self.cursor, c);
            self.cursor += c.len_utf8();
        }
        self.text.len() != before
    }

    pub(crate) fn backspace(&mut self) -> bool {
        let Some(last) = self.before_cursor().chars().next_back() else { return false };
        self.cut(self.cursor - last.len_utf8())
    }

    pub(crate) fn delete(&mut self) -> bool {
        if self.cursor == self.text.len() {
            return false;
        }
        self.text.remove(self.cursor);
        true
    }

    /// Takes the word before the cursor away.
    pub(crate) fn delete_word(&mut self) -> bool {
        let kept = self.before_cursor().trim_end();
        let start = kept.rfind(' ').map_or(0, |at| at + 1);
        self.cut(start)
    }

    /// Takes everything before the cursor away.
    pub(crate) fn delete_line(&mut self) -> bool {
        self.cut(0)
    }

    pub(crate) fn left(&mut self) {
        if let Some(last) = self.before_cursor().chars().next_back() {
            self.cursor -= last.len_utf8();
        }
    }

    pub(crate) fn right(&mut self) {
        if let Some(next) = self.text[self.cursor..].chars().next() {
            self.cursor += next.len_utf8();
        }
    }

    fn cut(&mut self, from: usize) -> bool {
        let changed = from < self.cursor;
        self.text.replace_range(from..self.cursor, "");
        self.cursor = from;
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_edit_a_line() {
        let mut line = LineEdit::default();
        assert!(line.insert("auth 修复 token"));
        assert!(line.delete_word());
        assert_eq!(line.text(), "auth 修复 ");
        line.left();
        assert!(line.backspace());
        assert_eq!((line.text(), line.before_cursor()), ("auth 修 ", "auth 修"));
        assert!(line.delete());
        assert!(!line.delete());
        line.right();
        assert!(line.delete_line() && !line.delete_line() && !line.backspace());
        assert_eq!(line.text(), "");
    }

    #[test]
    fn a_pasted_text_has_no_controls_and_an_end() {
        let mut line = LineEdit::default();
        line.insert("a\nb\u{1b}[31m");
        assert_eq!(line.text(), "a b [31m");
        line.insert(&"é".repeat(1000));
        assert!(line.text().len() <= 400);
        assert!(!line.insert("é"));
    }
}
