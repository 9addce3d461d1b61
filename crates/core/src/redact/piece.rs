//! Pieces of a text that are kept without the rest of it: a line of an output, the subject of a message, a sentence,
//! a text without the blanks around it. What shows that something is secret often stands in the rest.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::scan::Hit;
use super::{KnownSecrets, Redactor, render, settled};

/// Bytes of a text that are looked at as a whole. Of a longer one the surroundings of a piece are.
const WHOLE: usize = 64 << 10;
/// Bytes that are looked at before and behind a piece of a longer text.
const BEFORE: usize = 24 << 10;
const AFTER: usize = 8 << 10;
/// Bytes of a text that is looked at from its beginning, where nobody knows where in it a piece stood.
const FROM_BEGINNING: usize = 256 << 10;
/// The shortest value that is looked for in a piece that does not stand in the text as it is.
const SHORTEST: usize = 4;

/// A text of which pieces are kept. Looked at when the first piece is asked for, and not before.
pub(crate) struct Whole<'t> {
    text: &'t str,
    hits: OnceCell<Vec<Hit>>,
}

impl<'t> Whole<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, hits: OnceCell::new() }
    }

    /// A piece of the text without what only the rest of the text shows to be secret. What the piece itself shows
    /// stays: whoever stores it takes that out, by the user's own rules.
    pub(crate) fn piece<'p>(&self, piece: &'p str) -> Cow<'p, str> {
        if piece.is_empty() || piece.len() == self.text.len() && piece == self.text {
            return Cow::Borrowed(piece);
        }
        let secret = match self.place_of(piece) {
            Some(at) => self.hits_at(at),
            None => self.values_in(piece),
        };
        if secret.is_empty() {
            return Cow::Borrowed(piece);
        }
        let alone = hits_in(piece);
        let is_shown = |hit: &Hit| {
            let covers =
                |own: &Hit| own.range.start <= hit.range.start && own.range.end >= hit.range.end;
            alone.iter().any(covers)
        };
        let lost: Vec<Hit> = secret.into_iter().filter(|hit| !is_shown(hit)).collect();
        let lost = settled(piece, lost);
        if lost.is_empty() { Cow::Borrowed(piece) } else { Cow::Owned(render(piece, &lost).text) }
    }

    /// Where a piece stands in the text, if it does as it is.
    fn place_of(&self, piece: &str) -> Option<Range<usize>> {
        let (whole, at) = (self.text.as_ptr().addr(), piece.as_ptr().addr());
        let inside = at.checked_sub(whole).map(|start| start..start + piece.len());
        let inside = inside.filter(|at| self.text.get(at.clone()) == Some(piece));
        let found = || self.text.find(piece).map(|start| start..start + piece.len());
        inside.or_else(found)
    }

    /// What is secret in a piece that stands there, by what stands around it.
    fn hits_at(&self, at: Range<usize>) -> Vec<Hit> {
        let far = |window: &[Hit], from: usize| -> Vec<Hit> {
            let inside = window.iter().filter_map(|hit| {
                let (start, end) = (from + hit.range.start, from + hit.range.end);
                let (start, end) = (start.max(at.start), end.min(at.end));
                let range = (start < end).then(|| start - at.start..end - at.start)?;
                Some(Hit { range, kind: hit.kind.clone() })
            });
            inside.collect()
        };
        if self.text.len() <= WHOLE {
            return far(self.all_hits(), 0);
        }
        let before = &self.text[..self.text.floor_char_boundary(at.start.saturating_sub(BEFORE))];
        let from = before.rfind('\n').filter(|line| before.len() - line <= BEFORE);
        let from = from.map_or(before.len(), |line| line + 1);
        let to = self.text.ceil_char_boundary((at.end + AFTER).min(self.text.len()));
        far(&hits_in(&self.text[from..to]), from)
    }

    /// What is secret in a piece that was put together out of the text, by the values that are secret there.
    fn values_in(&self, piece: &str) -> Vec<Hit> {
        let mut found = Vec::new();
        for hit in self.all_hits() {
            // A piece that was put together has other line ends.
            let lines = self.text[hit.range.clone()].lines().map(str::trim);
            for line in lines.filter(|line| line.len() >= SHORTEST) {
                found.extend(piece.match_indices(line).map(|(start, _)| Hit {
                    range: start..start + line.len(),
                    kind: hit.kind.clone(),
                }));
            }
        }
        found.sort_by_key(|hit| (hit.range.start, std::cmp::Reverse(hit.range.end)));
        found
    }

    fn all_hits(&self) -> &[Hit] {
        self.hits.get_or_init(|| {
            let end = self.text.floor_char_boundary(self.text.len().min(FROM_BEGINNING));
            hits_in(&self.text[..end])
        })
    }
}

/// A text without the blanks around it. Those before its first line say how the next ones belong to it.
pub(crate) fn trimmed(text: &str) -> Cow<'_, str> {
    let kept = text.trim();
    let before = &text[..text.len() - text.trim_start().len()];
    match before.chars().all(|c| matches!(c, '\n' | '\r')) || !kept.contains('\n') {
        true => Cow::Borrowed(kept),
        false => Whole::new(text).piece(kept),
    }
}

/// What is secret in a text. The user's own rules are not known here.
fn hits_in(text: &str) -> Vec<Hit> {
    let look = Redactor::default().look(text, &KnownSecrets::default());
    look.map_or_else(Vec::new, |look| look.hits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::tests::redact;

    #[test]
    fn a_piece_has_no_secret_that_only_the_rest_shows() {
        let value = ["opyS6Ujjf", "YKxoxejFIDCmrdp"].concat();
        let near = format!("Exit code 1\n  - name: REDIS_AUTH\n    value: \"{value}\"\n");
        let far = "a line of an output\n".repeat(20_000);
        for text in [near.clone(), format!("{far}{near}{far}")] {
            let whole = Whole::new(&text);
            let line = text.lines().find(|line| line.contains("value")).unwrap().trim();
            assert!(redact(line).text.contains(&value), "it is known by the rest alone");
            assert!(!whole.piece(line).contains(&value), "{}", whole.piece(line));
            assert_eq!(whole.piece("Exit code 1"), "Exit code 1");
        }
        // One that was put together out of it.
        assert!(!Whole::new(&near).piece(&format!("It says: {value}.")).contains(&value));
    }

    #[test]
    fn what_a_piece_itself_shows_is_left_to_the_users_own_rules() {
        let text = "one\nDB_PASSWORD=Falke4421!kq\ntwo";
        let piece = "DB_PASSWORD=Falke4421!kq";
        assert!(matches!(Whole::new(text).piece(piece), Cow::Borrowed(same) if same == piece));
    }

    #[test]
    fn the_body_of_a_key_is_secret_without_its_first_line() {
        let key: String = (0..6)
            .map(|line| format!("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7{line:012}\n"))
            .collect();
        let text = format!("-----BEGIN PRIVATE KEY-----\n{key}-----END PRIVATE KEY-----\n");
        let (_, body) = text.split_once('\n').unwrap();
        for piece in [body, &body[..body.len() - 30], &body.replace('\n', " ")] {
            let kept = Whole::new(&text).piece(piece).into_owned();
            assert!(!redact(&kept).text.contains("MIIE"), "{kept}");
        }
    }

    #[test]
    fn blanks_that_go_leave_no_secret() {
        let value = ["Madrid", "1169#"].concat();
        for text in [
            format!("    user: app\n    pass: {value}\n"),
            format!("  dev:\n    user: app\n    pass: {value}\n    threads: 4"),
            format!("    user: app\n    password: {value}\n    port: 1"),
            format!("  user = app\n  pass = {value}"),
            format!("\tuser: app\n\tpass: {value}"),
        ] {
            assert!(!redact(&trimmed(&text)).text.contains(&value), "{text}");
        }
        assert!(matches!(trimmed("\n\nplain words\n  "), Cow::Borrowed("plain words")));
        assert_eq!(trimmed("  one\n  two "), "one\n  two");
    }
}
