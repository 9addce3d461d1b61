//! Layer 3: a month's old handoffs of one tag, whole, in one Markdown file.
//!
//! Each handoff stands between two marks, the first of which says its length in bytes, so that no
//! text inside it can be taken for a mark.

use crate::HandoffId;

/// The handoffs of one archive file, in the order of their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive {
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
}

/// Why an archive cannot be read whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    #[error("the archived handoff {id} at byte {offset} is cut off or was edited")]
    Damaged { id: String, offset: usize },
}

const BEGIN: &str = "<!-- segue:handoff ";

fn end_mark(id: &str) -> String {
    format!("\n<!-- segue:end {id} -->\n")
}

impl Archive {
    /// Reads an archive. Text between the handoffs is passed over.
    pub fn parse(source: &str) -> Result<Self, ArchiveError> {
        let mut entries = Vec::new();
        let mut at = 0;
        while let Some(found) = find_line(source, at, BEGIN) {
            let line_end = source[found..].find('\n').map_or(source.len(), |end| found + end);
            let mark = source[found..line_end].trim_end();
            let Some((id, length, file)) = parse_mark(mark) else {
                at = line_end;
                continue;
            };
            let offset = (line_end + 1).min(source.len());
            let damaged = || ArchiveError::Damaged { id: id.to_string(), offset };
            let end = offset.checked_add(length).ok_or_else(damaged)?;
            let text = source.get(offset..end).ok_or_else(damaged)?;
            if !source[end..].starts_with(&end_mark(id.as_str())) {
                return Err(damaged());
            }
            at = end + end_mark(id.as_str()).len() - 1;
            entries.push(ArchivedEntry { id, file, source: text.to_owned(), offset });
        }
        Ok(Self { entries })
    }

    /// Adds what is not there yet; keeps the order of ids.
    pub fn add(&mut self, entry: ArchivedEntry) {
        if let Err(at) = self.entries.binary_search_by(|known| known.id.cmp(&entry.id)) {
            self.entries.insert(at, entry);
        }
    }

    /// The archive file.
    pub fn render(&self, month: &str, tag: &str) -> String {
        let mut out =
            format!("<!-- segue | layer3 | {month} | {tag} -->\n# Archive of {tag}, {month}\n");
        for entry in &self.entries {
            out.push_str(&format!(
                "\n{BEGIN}{} {} {} -->\n",
                entry.id,
                entry.source.len(),
                entry.file
            ));
            out.push_str(&entry.source);
            out.push_str(&end_mark(entry.id.as_str()));
        }
        out
    }
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
        }
    }

    fn without_offsets(archive: Archive) -> Archive {
        Archive {
            entries: archive
                .entries
                .into_iter()
                .map(|e| ArchivedEntry { offset: 0, ..e })
                .collect(),
        }
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
        assert_eq!(without_offsets(read), archive);
    }

    #[test]
    fn a_cut_off_archive_says_which_handoff() {
        let mut archive = Archive::default();
        archive.add(entry(1, "some text"));
        let text = archive.render("2026-11", "api");
        let cut = &text[..text.len() - 30];
        assert!(matches!(Archive::parse(cut), Err(ArchiveError::Damaged { .. })));
    }

    proptest! {
        #[test]
        fn no_text_can_break_out(sources in prop::collection::vec(prop_oneof![
            any::<String>(),
            Just("\n<!-- segue:end 20261115-174500-a0000000 -->\n".to_owned()),
            Just("<!-- segue:handoff 20261115-174500-a0000001 3 x -->\nabc".to_owned()),
        ], 0..4)) {
            let mut archive = Archive::default();
            for (n, source) in sources.iter().enumerate() {
                archive.add(entry(n as u32, source));
            }
            let read = Archive::parse(&archive.render("2026-11", "t")).unwrap();
            prop_assert_eq!(without_offsets(read), archive);
        }

        #[test]
        fn no_input_panics(source: String) {
            let _ = Archive::parse(&source);
            let _ = Archive::parse(&format!("<!-- segue:handoff 20261115-174500-a0000001 {source}"));
        }
    }
}
