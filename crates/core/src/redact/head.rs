//! Takes secrets out of the lines of a head, piece by piece.
//!
//! A key's lines are its name, its scalars and its comments, with signs between them. Every piece is looked at but
//! those that have no room for a secret, and what is not changed keeps its bytes.

use std::ops::Range;

use super::Look;
use super::handoff::{Pass, SecretIn};
use crate::front_matter::{Entry, Piece, PieceKind};
use crate::head_key::HeadKey;
use crate::scalar::{ScalarAt, Value, quoted};

/// The lines of a key, in which its pieces become others.
struct Lines<'e> {
    entry: &'e Entry,
    /// What the key is, if it is one of ours.
    ours: Option<&'static HeadKey>,
    /// What a finding in it is told under.
    place: String,
    pieces: Vec<Piece>,
    /// What each piece becomes, if it changes.
    new: Vec<Option<String>>,
}

impl Pass<'_> {
    /// The lines of a key without the secrets in them.
    pub(super) fn entry(&mut self, entry: &Entry, ours: Option<&'static HeadKey>) -> String {
        let place = match &*self.clean(&entry.key) {
            "" => "comment".to_owned(),
            name => name.to_owned(),
        };
        let pieces = entry.pieces();
        let new = vec![None; pieces.len()];
        let mut lines = Lines { entry, ours, place, pieces, new };
        for at in 0..lines.pieces.len() {
            lines.new[at] = self.piece(&lines, &lines.pieces[at]);
        }
        self.comments(&mut lines);
        self.across(&mut lines);
        lines.written()
    }

    /// What one piece becomes, seen by itself.
    fn piece(&mut self, lines: &Lines<'_>, piece: &Piece) -> Option<String> {
        let entry = lines.entry;
        let raw = &entry.raw[piece.range.clone()];
        // Our names say nothing about what stands behind them.
        let name = Some(entry.key.as_str()).filter(|_| lines.ours.is_none());
        let line = lines.line_of(piece.range.start);
        match &piece.kind {
            PieceKind::Comment => None,
            PieceKind::Key if lines.ours.is_some() => None,
            PieceKind::Key => {
                let clean = self.text(None, &entry.key, &lines.place, line);
                (clean != entry.key).then(|| quoted(&clean))
            }
            PieceKind::Odd => {
                let clean = self.text(name, raw, &lines.place, line);
                let begins_line = entry.raw[..piece.range.start].ends_with('\n');
                (clean != raw).then(|| continued(&clean, begins_line))
            }
            PieceKind::Scalar(scalar) => {
                let text = scalar.text.as_deref()?;
                if lines.ours.is_some_and(|key| key.is_exact(scalar)) {
                    return None;
                }
                let name = match scalar.is_key {
                    true => None,
                    false => name.map(|name| scalar.under.as_deref().unwrap_or(name)),
                };
                let before = self.found.len();
                let clean = self.text(name, text, &lines.place, line);
                // Line ends in quotes are none of the file.
                self.found[before..].iter_mut().for_each(|one| one.line = line);
                if clean == text {
                    return None;
                }
                if let Some(plain) = lines.ours.and_then(|key| key.plain(text)) {
                    return Some(plain);
                }
                // In the quotes that it had, if that says the same.
                let same = self.clean(raw).into_owned();
                let reads_as = Value::parse(&same).is_ok_and(|one| one.as_text() == Some(&clean));
                Some(if reads_as && raw.starts_with(['"', '\'']) { same } else { quoted(&clean) })
            }
        }
    }

    /// The comments, as one text: what is secret in them can have several lines.
    fn comments(&mut self, lines: &mut Lines<'_>) {
        let raw = &lines.entry.raw;
        let mut joined = String::new();
        let mut spans: Vec<(usize, Range<usize>)> = Vec::new();
        for (at, piece) in lines.pieces.iter().enumerate() {
            if piece.kind == PieceKind::Comment {
                let start = joined.len();
                joined.push_str(&raw[piece.range.clone()]);
                spans.push((at, start..joined.len()));
                joined.push('\n');
            }
        }
        let Some(look) = self.look(&joined) else { return };
        for (hit, _) in look.found() {
            let within = spans.iter().find(|(_, span)| span.end > hit.range.start);
            let line = within.map_or(lines.entry.line, |(at, span)| {
                lines.line_of(lines.pieces[*at].range.start)
                    + joined[span.start..hit.range.start].matches('\n').count()
            });
            self.note(&hit.kind, &joined[hit.range.clone()], &lines.place, line);
        }
        for (at, span) in spans {
            let mut out = String::new();
            let mut from = span.start;
            for (hit, mark) in look.found() {
                if hit.range.end <= span.start || hit.range.start >= span.end {
                    continue;
                }
                if hit.range.start >= span.start {
                    out.push_str(&joined[from..hit.range.start]);
                    out.push_str(mark);
                }
                from = hit.range.end.min(span.end);
            }
            if from > span.start {
                out.push_str(&joined[from..span.end]);
                let sign = if out.starts_with('#') { "" } else { "# " };
                lines.new[at] = Some(format!("{sign}{out}"));
            }
        }
    }

    /// What shows only in the lines as a whole: a secret that goes over several pieces, and in a key of somebody's own
    /// one that another piece tells. Such a piece goes whole.
    fn across(&mut self, lines: &mut Lines<'_>) {
        let raw = &lines.entry.raw;
        let Some(look) = self.look(raw) else { return };
        for (hit, mark) in look.found() {
            let touched = |piece: &Piece| {
                piece.range.start < hit.range.end && hit.range.start < piece.range.end
            };
            let is_within = lines.pieces.iter().any(|piece| {
                piece.range.start <= hit.range.start && hit.range.end <= piece.range.end
            });
            for at in 0..lines.pieces.len() {
                let piece = &lines.pieces[at];
                if !touched(piece) || lines.new[at].is_some() || is_within && lines.ours.is_some() {
                    continue;
                }
                let new = match &piece.kind {
                    PieceKind::Scalar(scalar) if lines.may_go(scalar) => quoted(mark),
                    PieceKind::Comment if !is_within => format!("# {mark}"),
                    _ => continue,
                };
                let line = lines.line_of(piece.range.start);
                self.note(&hit.kind, &raw[hit.range.clone()], &lines.place, line);
                lines.new[at] = Some(new);
            }
        }
    }

    fn look(&self, text: &str) -> Option<Look> {
        self.redactor.look(text, self.known)
    }

    fn note(&mut self, kind: &str, value: &str, place: &str, line: usize) {
        self.values.push((value.to_owned(), kind.to_owned()));
        self.found.push(SecretIn { kind: kind.to_owned(), place: place.to_owned(), line });
    }
}

impl Lines<'_> {
    fn line_of(&self, at: usize) -> usize {
        self.entry.line + self.entry.raw[..at].matches('\n').count()
    }

    /// Whether something else may stand for a scalar.
    fn may_go(&self, scalar: &ScalarAt) -> bool {
        scalar.text.is_some() && !self.ours.is_some_and(|key| key.is_exact(scalar))
    }

    /// The keys of its maps that stay.
    fn keys(&self) -> impl Iterator<Item = &str> {
        let stays = self.pieces.iter().zip(&self.new).filter(|(_, new)| new.is_none());
        stays.filter_map(|(piece, _)| match &piece.kind {
            PieceKind::Scalar(scalar) if scalar.is_key => scalar.text.as_deref(),
            _ => None,
        })
    }

    fn written(self) -> String {
        let raw = &self.entry.raw;
        let mut out = String::with_capacity(raw.len());
        let mut from = 0;
        let mut keys: Vec<String> = self.keys().map(str::to_owned).collect();
        for (piece, new) in self.pieces.iter().zip(&self.new) {
            out.push_str(&raw[from..piece.range.start]);
            from = piece.range.end;
            match (&piece.kind, new) {
                (PieceKind::Scalar(scalar), Some(new)) if scalar.is_key => {
                    out.push_str(&once(new, &mut keys));
                }
                (_, Some(new)) => out.push_str(new),
                (_, None) => out.push_str(&raw[piece.range.clone()]),
            }
        }
        out.push_str(&raw[from..]);
        out
    }
}

/// A key of a map as it is written there, where every key stands once.
fn once(written: &str, keys: &mut Vec<String>) -> String {
    let text = Value::parse(written).ok().and_then(|key| key.as_text().map(str::to_owned));
    let text = text.unwrap_or_default();
    let mut key = text.clone();
    let mut n = 1;
    while keys.contains(&key) {
        n += 1;
        key = format!("{text} ({n})");
    }
    let written = if n == 1 { written.to_owned() } else { quoted(&key) };
    keys.push(key);
    written
}

/// Lines of a value, each of which goes on with it. The first one may stand behind its key.
fn continued(text: &str, begins_line: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut begins_line = begins_line;
    for line in text.split_inclusive('\n') {
        let goes_on = line.trim().is_empty()
            || line.trim_end_matches(['\n', '\r']) == "-"
            || line.starts_with([' ', '\t', '#', ']', '}'])
            || line.starts_with("- ");
        out.push_str(if begins_line && !goes_on { "  " } else { "" });
        out.push_str(line);
        begins_line = true;
    }
    out
}
