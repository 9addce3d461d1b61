//! Layer 3: a month's old handoffs of one tag, whole, in one Markdown file.
//!
//! A table of contents stands before them and is made anew each time; what was superseded or was
//! not meant to last is folded in it. Each handoff stands between two marks, the first of which says its length in bytes, so that no
//! text inside it can be taken for a mark.

use std::collections::HashSet;

use crate::{Handoff, HandoffId, visible_line};

/// The handoffs of one archive file, in the order of their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive {
    /// Text before the first handoff: the header, and what somebody wrote there.
    pub head: String,
    pub entries: Vec<ArchivedEntry>,
}

/// One archived handoff: the exact file that it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedEntry {
    pub id: HandoffId,
    /// The name that its file had.
    pub file: String,
    pub source: String,
    /// Offset of the source in the archive file it was read from; 0 if not read from one.
    pub offset: usize,
    /// Text between this handoff and the next: a blank line, and what somebody wrote there.
    pub gap: String,
}

/// Why an archive cannot be read whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    #[error("the archived handoff {id} at byte {offset} is cut off or was edited")]
    Damaged { id: String, offset: usize },
}

/// What changes a handoff and its file's name; `None` leaves both.
pub type ChangeHandoff<'a> = dyn FnMut(&str, &str) -> Option<(String, String)> + 'a;

const CONTENTS: &str = "<!-- segue:contents -->\n";
const FOLD: &str = "<details><summary>";
const CONTENTS_END: &str = "<!-- segue:contents end -->\n\n";
const BEGIN: &str = "<!-- segue:handoff ";

fn begin_mark(id: &HandoffId, length: usize, file: &str) -> String {
    format!("{BEGIN}{id} {length} {file} -->\n")
}

fn end_mark(id: &str) -> String {
    format!("\n<!-- segue:end {id} -->\n")
}

impl Archive {
    /// Reads an archive.
    pub fn parse(source: &str) -> Result<Self, ArchiveError> {
        let mut archive = Self::default();
        let mut at = 0;
        let mut text_from = 0;
        while let Some(found) = find_line(source, at, BEGIN) {
            let line_end = source[found..].find('\n').map_or(source.len(), |end| found + end);
            let mark = source[found..line_end].trim_end();
            let Some((id, length, file)) = parse_mark(mark) else {
                at = line_end;
                continue;
            };
            archive.keep_text(&source[text_from..found]);
            let offset = (line_end + 1).min(source.len());
            let damaged = || ArchiveError::Damaged { id: id.to_string(), offset };
            let end = offset.checked_add(length).ok_or_else(damaged)?;
            let text = source.get(offset..end).ok_or_else(damaged)?;
            let mark = end_mark(id.as_str());
            if !source[end..].starts_with(&mark) {
                return Err(damaged());
            }
            text_from = end + mark.len();
            at = text_from - 1;
            let (source, gap) = (text.to_owned(), String::new());
            archive.entries.push(ArchivedEntry { id, file, source, offset, gap });
        }
        archive.keep_text(&source[text_from..]);
        Ok(archive)
    }

    /// An archive that may be damaged, piece by piece. `change` is given each handoff that is whole, with
    /// its file's name, and each text between; what is damaged counts as text.
    pub fn rewrite(
        source: &str,
        handoff: &mut ChangeHandoff<'_>,
        text: &mut dyn FnMut(&str) -> Option<String>,
    ) -> String {
        let mut out = String::with_capacity(source.len());
        let mut push = |out: &mut String, piece: &str| match text(piece) {
            Some(changed) => out.push_str(&changed),
            None => out.push_str(piece),
        };
        let (mut at, mut text_from) = (0, 0);
        while let Some(found) = find_line(source, at, BEGIN) {
            let line_end = source[found..].find('\n').map_or(source.len(), |end| found + end);
            at = line_end;
            let Some((id, length, file)) = parse_mark(source[found..line_end].trim_end()) else {
                continue;
            };
            let offset = (line_end + 1).min(source.len());
            let end = offset.checked_add(length);
            let inside = end.and_then(|end| Some((end, source.get(offset..end)?)));
            let mark = end_mark(id.as_str());
            let Some((end, inside)) = inside.filter(|(end, _)| source[*end..].starts_with(&mark))
            else {
                continue;
            };
            push(&mut out, &source[text_from..found]);
            match handoff(inside, &file) {
                Some((inside, file)) => {
                    out.push_str(&begin_mark(&id, inside.len(), &file));
                    out.push_str(&inside);
                }
                None => out.push_str(&source[found..end]),
            }
            out.push_str(&mark);
            text_from = end + mark.len();
            at = text_from - 1;
        }
        push(&mut out, &source[text_from..]);
        out
    }

    /// Keeps text that is no handoff where it stands.
    fn keep_text(&mut self, text: &str) {
        match self.entries.last_mut() {
            Some(entry) => entry.gap = text.to_owned(),
            None => self.head = without_contents(text),
        }
    }

    /// What is in it, for whoever reads the file: a line each, the folded ones apart.
    fn contents(&self) -> String {
        let handoffs: Vec<Handoff> = self
            .entries
            .iter()
            .filter_map(|entry| Handoff::parse(entry.source.clone()).ok())
            .collect();
        let superseded: HashSet<&str> = handoffs
            .iter()
            .flat_map(|handoff| &handoff.head.fields.supersedes)
            .map(String::as_str)
            .collect();
        let line = |handoff: &Handoff| {
            let head = &handoff.head;
            // A title is foreign text: no tag in it may unfold what is folded.
            let title = visible_line(&handoff.display_title()).replace('<', "&lt;");
            format!("- {} `{}` {title}\n", head.created.day(), head.id.short())
        };
        let (folded, plain): (Vec<&Handoff>, Vec<&Handoff>) =
            handoffs.iter().partition(|handoff| {
                let head = &handoff.head;
                head.fields.expires.is_some() || superseded.contains(head.id.as_str())
            });
        if handoffs.is_empty() {
            return String::new();
        }
        let mut out = CONTENTS.to_owned();
        out.extend(plain.iter().map(|handoff| line(handoff)));
        if !folded.is_empty() {
            let count = folded.len();
            out.push_str(&format!(
                "\n{FOLD}{count} superseded, or not meant to last</summary>\n\n"
            ));
            out.extend(folded.iter().map(|handoff| line(handoff)));
            out.push_str("\n</details>\n");
        }
        out.push_str(CONTENTS_END);
        out
    }

    /// The lines of a head that are not the header that we write.
    pub fn foreign(head: &str) -> String {
        let ours = |line: &str| {
            line.trim().is_empty()
                || line.starts_with("<!-- segue | layer3 | ")
                || line.starts_with("# Archive of ")
        };
        head.split_inclusive('\n').filter(|line| !ours(line)).collect()
    }

    /// Whether nothing but the header that we write is left around the handoffs.
    pub fn is_bare(&self) -> bool {
        Self::foreign(&self.head).is_empty()
            && self.entries.iter().all(|entry| entry.gap.trim().is_empty())
    }

    /// The handoff of this id.
    pub fn get(&self, id: &HandoffId) -> Option<&ArchivedEntry> {
        self.entries.iter().find(|entry| entry.id == *id)
    }

    /// Adds what is not there yet, before the first later id.
    pub fn add(&mut self, entry: ArchivedEntry) {
        if self.get(&entry.id).is_none() {
            let at = self.entries.iter().position(|known| known.id > entry.id);
            self.entries.insert(at.unwrap_or(self.entries.len()), entry);
        }
    }

    /// Takes a handoff out; the text around it stays.
    pub fn remove(&mut self, id: &HandoffId) {
        if let Some(at) = self.entries.iter().position(|entry| entry.id == *id) {
            let gap = self.entries.remove(at).gap;
            let before = match at.checked_sub(1) {
                Some(before) => &mut self.entries[before].gap,
                None => &mut self.head,
            };
            before.push_str(gap.strip_prefix('\n').unwrap_or(&gap));
        }
    }

    /// The archive file.
    pub fn render(&self, month: &str, tag: &str) -> String {
        let mut out = self.head.clone();
        if out.is_empty() {
            out = format!(
                "<!-- segue | layer3 | {month} | {tag} -->\n# Archive of {tag}, {month}\n\n"
            );
        }
        let contents = self.contents();
        if !contents.is_empty() && !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(&contents);
        let last = self.entries.len().saturating_sub(1);
        for (at, entry) in self.entries.iter().enumerate() {
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(&begin_mark(&entry.id, entry.source.len(), &entry.file));
            out.push_str(&entry.source);
            out.push_str(&end_mark(entry.id.as_str()));
            match entry.gap.as_str() {
                // A blank line between two handoffs, none after the last.
                "" | "\n" => out.push_str(if at < last { "\n" } else { "" }),
                gap => out.push_str(gap),
            }
        }
        out
    }
}

/// The text before the handoffs without tables of contents. What stands between the same marks and
/// is no such table is somebody's text.
fn without_contents(head: &str) -> String {
    let ours = |line: &str| {
        line.is_empty() || line.starts_with("- ") || line == "</details>" || line.starts_with(FOLD)
    };
    let mut kept = head.to_owned();
    let mut at = 0;
    while let Some(from) = find_line(&kept, at, CONTENTS) {
        let inside = from + CONTENTS.len();
        at = inside;
        if let Some(length) = kept[inside..].find(CONTENTS_END)
            && kept[inside..inside + length].lines().all(ours)
        {
            kept.replace_range(from..inside + length + CONTENTS_END.len(), "");
            // What is joined now may be a table in turn.
            at = 0;
        }
    }
    kept
}

fn find_line(source: &str, from: usize, start: &str) -> Option<usize> {
    let mut at = from;
    loop {
        let found = at + source.get(at..)?.find(start)?;
        if found == 0 || source.as_bytes()[found - 1] == b'\n' {
            return Some(found);
        }
        at = found + 1;
    }
}

fn parse_mark(mark: &str) -> Option<(HandoffId, usize, String)> {
    let inner = mark.strip_prefix(BEGIN)?.strip_suffix(" -->")?;
    let mut parts = inner.splitn(3, ' ');
    let id = parts.next()?.parse().ok()?;
    let length = parts.next()?.parse().ok()?;
    Some((id, length, parts.next().unwrap_or("").to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(n: u32, source: &str) -> ArchivedEntry {
        ArchivedEntry {
            id: format!("20261115-174500-a000{n:04x}").parse().unwrap(),
            file: format!("api-2026-11-15-a000{n:04x}.md"),
            source: source.into(),
            offset: 0,
            gap: String::new(),
        }
    }

    /// The handoffs alone.
    fn sources(archive: &Archive) -> Vec<(String, String)> {
        archive.entries.iter().map(|entry| (entry.id.to_string(), entry.source.clone())).collect()
    }

    #[test]
    fn handoffs_come_back_whole() {
        let mut archive = Archive::default();
        archive.add(entry(2, "two\n"));
        archive.add(entry(1, "one without a line end"));
        archive.add(entry(1, "never replaces"));
        let text = archive.render("2026-11", "api");
        let read = Archive::parse(&text).unwrap();
        assert_eq!(read.entries.len(), 2);
        for entry in &read.entries {
            assert_eq!(&text[entry.offset..entry.offset + entry.source.len()], entry.source);
        }
        assert_eq!(sources(&read), sources(&archive));
        assert_eq!(read.render("2026-11", "api"), text);
    }

    #[test]
    fn what_somebody_wrote_between_handoffs_stays() {
        let mut archive = Archive::default();
        archive.add(entry(1, "one"));
        archive.add(entry(3, "three"));
        let text = archive.render("2026-11", "api");
        let noted = text.replace(
            "-->\n\n<!-- segue:handoff 20261115-174500-a0000003",
            "-->\nA note of mine.\n<!-- segue:handoff 20261115-174500-a0000003",
        ) + "The end.\n";
        assert_ne!(noted, text.clone() + "The end.\n");
        let mut read = Archive::parse(&noted).unwrap();
        assert_eq!(read.render("2026-11", "api"), noted);
        read.add(entry(2, "two"));
        read.remove(&entry(3, "").id);
        let after = read.render("2026-11", "api");
        assert!(after.contains("A note of mine.\n") && after.contains("The end.\n"), "{after}");
        assert_eq!(sources(&Archive::parse(&after).unwrap()).len(), 2);
        archive.remove(&entry(3, "").id);
        assert!(archive.render("2026-11", "api").ends_with("a0000001 -->\n"));
    }

    #[test]
    fn contents_are_made_anew_and_words_around_them_stay() {
        let handoff = |n: u32, more: &str| {
            let id = format!("20261115-174500-a000{n:04x}");
            let source = format!(
                "---\nsegue: 1\nid: {id}\ncreated: 2026-11-15T17:45:00Z\ntitle: T{n} <b>\n{more}---\nbody\n"
            );
            entry(n, &source)
        };
        let mut archive = Archive::default();
        archive.add(handoff(1, ""));
        archive.add(handoff(2, "supersedes: [20261115-174500-a0000001]\n"));
        archive.add(handoff(3, "expires: 2026-11-20T00:00:00Z\n"));
        let text = archive.render("2026-11", "api");
        let (contents, _) = text.split_once(CONTENTS_END).unwrap();
        let (plain, folded) = contents.split_once("<details>").unwrap();
        assert!(plain.contains("- 2026-11-15 `a0000002` T2 &lt;b>\n"), "{contents}");
        assert!(folded.contains("T1") && folded.contains("T3") && !folded.contains("T2"));
        let noted =
            text.replace(CONTENTS_END, &format!("{CONTENTS_END}mine\n<!-- segue:contents -->\n"));
        let read = Archive::parse(&noted).unwrap();
        let again = read.render("2026-11", "api");
        assert!(again.contains("mine\n"), "{again}");
        assert_eq!(Archive::parse(&again).unwrap().render("2026-11", "api"), again);
        assert_eq!(sources(&Archive::parse(&again).unwrap()), sources(&archive));
    }

    #[test]
    fn a_cut_off_archive_says_which_handoff() {
        let mut archive = Archive::default();
        archive.add(entry(1, "some text"));
        let text = archive.render("2026-11", "api");
        let cut = &text[..text.len() - 30];
        assert!(matches!(Archive::parse(cut), Err(ArchiveError::Damaged { .. })));
    }

    #[test]
    fn pieces_of_a_damaged_archive_are_changed_and_stay_what_they_are() {
        let mut archive = Archive::default();
        archive.add(entry(1, "first SECRET\n"));
        archive.add(entry(2, "second SECRET\n"));
        let whole = archive.render("2026-11", "api");
        let torn = whole.replace("second SECRET\n", "second SECRET");
        let change = |source: &str| {
            Archive::rewrite(
                source,
                &mut |text, file| Some((text.replace("SECRET", "x"), file.to_owned())),
                &mut |text| Some(text.replace("SECRET", "y")),
            )
        };
        assert!(Archive::parse(&torn).is_err());
        assert_eq!(change(&torn).matches("SECRET").count(), 0);
        assert!(change(&torn).contains("second y"));
        let sources: Vec<String> = Archive::parse(&change(&whole))
            .unwrap()
            .entries
            .into_iter()
            .map(|entry| entry.source)
            .collect();
        assert_eq!(sources, ["first x\n", "second x\n"]);
        let same = Archive::rewrite(&torn, &mut |_, _| None, &mut |_| None);
        assert_eq!(same, torn);
    }

    proptest! {
        #[test]
        fn no_text_can_break_out(texts in prop::collection::vec(prop_oneof![
            any::<String>(),
            Just("\n<!-- segue:end 20261115-174500-a0000000 -->\n".to_owned()),
            Just("<!-- segue:handoff 20261115-174500-a0000001 3 x -->\nabc".to_owned()),
        ], 0..4)) {
            let mut archive = Archive::default();
            for (n, source) in texts.iter().enumerate() {
                archive.add(entry(n as u32, source));
            }
            let read = Archive::parse(&archive.render("2026-11", "t")).unwrap();
            prop_assert_eq!(sources(&read), sources(&archive));
        }

        #[test]
        fn no_input_panics(source: String) {
            let _ = Archive::parse(&source);
            let _ = Archive::parse(&format!("<!-- segue:handoff 20261115-174500-a0000001 {source}"));
        }
    }
}
