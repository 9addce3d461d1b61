//! What a file of the store is without its secrets.

use std::path::Path;

use segue_core::{
    Archive, Handoff, HandoffId, KnownSecrets, Redactor, SecretIn, read_peer_note, slug,
    visible_line,
};
use segue_store::TextKind;

/// What stands around the contents of an archive.
const CONTENTS: &str = "<!-- segue:contents -->\n";
const CONTENTS_END: &str = "<!-- segue:contents end -->\n";

/// A file without its secrets.
#[derive(Debug, Default)]
pub(super) struct Clean {
    pub(super) bytes: Vec<u8>,
    /// Its new name, if a secret was a part of the old one.
    pub(super) name: Option<String>,
    pub(super) parts: Vec<CleanPart>,
    /// What was found, each value with its kind.
    pub(super) values: Vec<(String, String)>,
}

/// A handoff in a file, or the rest of it.
#[derive(Clone, Debug, Default)]
pub(super) struct CleanPart {
    pub(super) id: Option<HandoffId>,
    pub(super) title: Option<String>,
    pub(super) found: Vec<SecretIn>,
    /// Whether somebody signed the text as it was.
    pub(super) signed: bool,
}

impl Clean {
    /// How many secrets went.
    pub(super) fn count(&self) -> usize {
        self.parts.iter().map(|part| part.found.len()).sum()
    }
}

/// Takes secrets out of files.
#[derive(Clone, Copy)]
pub(super) struct Cleaner<'a> {
    pub(super) redactor: &'a Redactor,
    pub(super) known: &'a KnownSecrets,
}

impl Cleaner<'_> {
    /// The file without its secrets; `None` if it has none. An error says why it cannot be rewritten.
    pub(super) fn file(
        &self,
        kind: TextKind,
        path: &Path,
        bytes: &[u8],
    ) -> Result<Option<Clean>, String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::str::from_utf8(bytes).ok();
        let mut clean = Clean::default();
        match (kind, text) {
            (TextKind::Handoff, Some(text)) => {
                let note = read_peer_note(text, &name);
                match note.map_or_else(|| Handoff::parse(text), Ok) {
                    Ok(handoff) => {
                        if let Some(new) = self.handoff(&handoff, &name, &mut clean)? {
                            clean.bytes = new.0.source().as_bytes().to_vec();
                            clean.name = new.1;
                        }
                    }
                    Err(_) => clean.bytes = self.plain(bytes, &mut clean),
                }
            }
            (TextKind::Archive, Some(text)) => self.archive(text, &name, &mut clean)?,
            (TextKind::Json, Some(text)) => {
                if let Some(new) = self.redactor.redact_json(text, self.known) {
                    clean.bytes = new.text.into_bytes();
                    clean.parts.push(CleanPart { found: new.found, ..CleanPart::default() });
                    clean.values.extend(new.values);
                }
            }
            _ => clean.bytes = self.plain(bytes, &mut clean),
        }
        Ok((clean.count() > 0).then_some(clean))
    }

    /// A handoff without its secrets, and its file's new name.
    fn handoff(
        &self,
        handoff: &Handoff,
        name: &str,
        clean: &mut Clean,
    ) -> Result<Option<(Handoff, Option<String>)>, String> {
        let redacted = self.redactor.redact_handoff(handoff, self.known);
        let Some(redacted) = redacted.map_err(|error| error.to_string())? else { return Ok(None) };
        if handoff.head.version.is_newer() {
            return Err("it has secrets and is of a newer format, which is never rewritten".into());
        }
        let new = redacted.handoff;
        let old_tag = handoff.head.fields.file_tag();
        let new_tag = new.head.fields.file_tag();
        let renamed = (old_tag != new_tag).then(|| name.strip_prefix(&old_tag)).flatten();
        let renamed = renamed.map(|rest| format!("{new_tag}{rest}"));
        let imported = handoff.head.fields.imported.as_ref();
        let is_signed = imported.is_some_and(|imported| imported.signer.is_some());
        clean.parts.push(CleanPart {
            id: Some(new.head.id.clone()),
            title: Some(visible_line(&new.display_title()).into_owned()),
            found: redacted.found,
            // What an import wrote is not covered.
            signed: is_signed && new.payload() != handoff.payload(),
        });
        clean.values.extend(redacted.values);
        Ok(Some((new, renamed.or_else(|| self.name(name)))))
    }

    /// Another name for a file, if a secret stands in its own as it is.
    fn name(&self, name: &str) -> Option<String> {
        let stem = name.strip_suffix(".md")?;
        let redacted = self.redactor.redact_knowing(stem, self.known);
        (!redacted.found.is_empty()).then(|| format!("{}.md", slug(&redacted.text)))
    }

    fn archive(&self, source: &str, name: &str, clean: &mut Clean) -> Result<(), String> {
        let mut failed = None;
        let mut tags = None;
        let mut around = Clean::default();
        let mut handoff = |text: &str, file: &str| {
            let Ok(handoff) = Handoff::parse(text) else {
                let new = self.plain(text.as_bytes(), clean);
                return Some((String::from_utf8_lossy(&new).into_owned(), file.to_owned()));
            };
            match self.handoff(&handoff, file, clean) {
                Ok(Some((new, renamed))) => {
                    let old = handoff.head.fields.file_tag();
                    if renamed.is_some() {
                        tags = Some((old, new.head.fields.file_tag()));
                    }
                    Some((new.source().to_owned(), renamed.unwrap_or_else(|| file.to_owned())))
                }
                Ok(None) => None,
                Err(error) => {
                    failed = Some(error);
                    None
                }
            }
        };
        // The contents repeat the titles: what is found there is told only if it is nowhere else.
        let mut contents = Clean::default();
        let mut text = |text: &str| {
            let from = text.find(CONTENTS).unwrap_or(text.len());
            let to = text[from..].find(CONTENTS_END).map_or(text.len(), |at| from + at);
            let mut new = self.plain(&text.as_bytes()[..from], &mut around);
            new.extend(self.plain(&text.as_bytes()[from..to], &mut contents));
            new.extend(self.plain(&text.as_bytes()[to..], &mut around));
            Some(String::from_utf8_lossy(&new).into_owned())
        };
        let mut new = Archive::rewrite(source, &mut handoff, &mut text);
        if let Some(error) = failed {
            return Err(error);
        }
        // The lines that say what the archive is of, too.
        if let Some((old, tag)) = &tags {
            let month = name.get(..7).unwrap_or_default();
            if name == format!("{month}-{old}-archive.md") {
                clean.name = Some(format!("{month}-{tag}-archive.md"));
                new = new.replacen(
                    &format!(
                        "<!-- segue | layer3 | {month} | {old} -->\n# Archive of {old}, {month}\n"
                    ),
                    &format!(
                        "<!-- segue | layer3 | {month} | {tag} -->\n# Archive of {tag}, {month}\n"
                    ),
                    1,
                );
            }
        }
        clean.parts.append(&mut around.parts);
        if clean.count() == 0 {
            clean.parts.append(&mut contents.parts);
        }
        clean.values.extend(around.values.into_iter().chain(contents.values));
        if clean.count() > 0
            && let Ok(archive) = Archive::parse(&new)
        {
            let (month, tag) = month_and_tag(clean.name.as_deref().unwrap_or(name));
            new = archive.render(month, tag);
        }
        clean.bytes = new.into_bytes();
        Ok(())
    }

    /// Any text. Bytes that are not UTF-8 stay as they are.
    fn plain(&self, bytes: &[u8], clean: &mut Clean) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        let mut found = Vec::new();
        let mut line = 1;
        for chunk in bytes.utf8_chunks() {
            let text = chunk.valid();
            let redacted = self.redactor.redact_knowing(text, self.known);
            found.extend(redacted.found.iter().map(|one| SecretIn {
                kind: one.kind.clone(),
                place: "text".to_owned(),
                line: line + one.line - 1,
            }));
            clean.values.extend(redacted.values(text));
            out.extend_from_slice(redacted.text.as_bytes());
            out.extend_from_slice(chunk.invalid());
            line += text.matches('\n').count();
        }
        if !found.is_empty() {
            clean.parts.push(CleanPart { found, ..CleanPart::default() });
        }
        out
    }
}

/// `2026-11` and `api` of `2026-11-api-archive.md`.
fn month_and_tag(name: &str) -> (&str, &str) {
    let tag = name.get(8..).and_then(|rest| rest.strip_suffix("-archive.md"));
    (name.get(..7).unwrap_or_default(), tag.unwrap_or("handoff"))
}
