//! Secrets are taken out before a handoff is stored, and again where one goes out.

use std::borrow::Cow;
use std::rc::Rc;

use segue_core::{Draft, Handoff, HandoffError, Head, KnownSecrets, Redactor};

use crate::Error;
use crate::file_chars::FileChars;

/// Kinds that a warning names at most.
const NAMED: usize = 5;

/// Takes secrets out of what leaves Segue for a screen, a file or another program. Rules of the user's that cannot
/// be read leave what is built in.
pub struct OutputRedactor {
    redactor: Rc<Redactor>,
}

impl OutputRedactor {
    pub(crate) fn new(redactor: Rc<Redactor>) -> Self {
        Self { redactor }
    }

    /// A text without secrets.
    pub fn text(&self, text: String) -> String {
        redacted_text(&self.redactor, &text).unwrap_or(text)
    }

    /// What a handoff's head says, without secrets.
    pub fn head(&self, handoff: &Handoff) -> Result<Head, Error> {
        Ok(redact_out(&self.redactor, handoff.clone())?.head)
    }

    /// JSON without secrets.
    pub fn json(&self, json: String) -> String {
        let redacted = self.redactor.redact_json(&json, &KnownSecrets::default());
        redacted.map_or(json, |redacted| redacted.text)
    }
}

/// Takes the secrets out of what will be stored, and says what was found. Ids and times are left alone.
pub(crate) fn redact_draft(
    redactor: &Redactor,
    draft: &mut Draft,
) -> Result<Option<String>, Error> {
    let found = redactor.redact_draft(draft).map_err(cannot_redact)?;
    Ok(told(found.iter().map(|one| one.kind.as_str()))
        .map(|what| format!("taken out before it was saved: {what}")))
}

/// A handoff as it goes out: one that was stored by something else may have secrets in it.
pub(crate) fn redact_out(redactor: &Redactor, handoff: Handoff) -> Result<Handoff, Error> {
    let redacted = redactor.redact_handoff(&handoff, &KnownSecrets::default());
    Ok(redacted.map_err(cannot_redact)?.map_or(handoff, |redacted| redacted.handoff))
}

/// Why something cannot be without its secrets: the marks make it longer.
fn cannot_redact(error: HandoffError) -> Error {
    match error {
        HandoffError::TooLarge => Error::TooLarge,
        error => Error::Internal(error.to_string()),
    }
}

/// A text without its secrets, if it has any.
pub(crate) fn redacted_text(redactor: &Redactor, text: &str) -> Option<String> {
    match redactor.redact(text).text {
        Cow::Owned(clean) => Some(clean),
        Cow::Borrowed(_) => None,
    }
}

/// Takes the secrets out of a text.
pub(crate) fn clean(redactor: &Redactor, text: &mut String) {
    if let Some(clean) = redacted_text(redactor, text) {
        *text = clean;
    }
}

/// A copy of a user's file without its secrets, and what was taken out of it. Nothing else in it changes,
/// bytes that are not text included.
pub(crate) fn redacted_copy(redactor: &Redactor, bytes: &[u8]) -> (Vec<u8>, Option<String>) {
    let file = FileChars::decode(bytes);
    let redacted = redactor.redact(&file.text);
    let found = told(redacted.found.iter().map(|one| one.kind.as_str()));
    match redacted.text {
        Cow::Owned(clean) => (file.encode(&clean), found),
        Cow::Borrowed(_) => (bytes.to_owned(), None),
    }
}

/// Takes the secrets out of texts that are folded, split or put together afterwards, and says what was found.
pub(crate) fn clean_first<'t>(
    redactor: &Redactor,
    texts: impl Iterator<Item = &'t mut String>,
) -> Option<String> {
    let mut kinds: Vec<String> = Vec::new();
    for text in texts {
        let redacted = redactor.redact(text);
        kinds.extend(redacted.found.into_iter().map(|one| one.kind));
        if let Cow::Owned(clean) = redacted.text {
            *text = clean;
        }
    }
    told(kinds.iter().map(String::as_str))
        .map(|what| format!("taken out before it was saved: {what}"))
}

/// What was found, in words, by the kinds of it.
pub(crate) fn told<'k>(found: impl Iterator<Item = &'k str>) -> Option<String> {
    let mut kinds: Vec<&str> = Vec::new();
    let mut count = 0;
    for kind in found {
        count += 1;
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let more = kinds.len().saturating_sub(NAMED);
    kinds.truncate(NAMED);
    let more = if more > 0 { format!(" and {more} more kinds") } else { String::new() };
    let secrets = if count == 1 { "1 secret".to_owned() } else { format!("{count} secrets") };
    (count > 0).then(|| format!("{secrets} ({}{more})", kinds.join(", ")))
}

#[cfg(test)]
mod tests {
    use segue_core::Redactor;

    use super::redacted_copy;

    #[test]
    fn a_copy_loses_its_secrets_and_no_other_byte() {
        let redactor = Redactor::default();
        let value = ["Falke", "4421!kq"].concat();
        let utf16 = |text: &str| -> Vec<u8> {
            let units = text.encode_utf16().flat_map(u16::to_le_bytes);
            [0xff, 0xfe].into_iter().chain(units).collect()
        };
        let line = |value: &str| format!("caf\u{e9} DB_PASSWORD={value}\r\nnext");
        let mark = "[redacted: password]";
        for (file, copy) in [
            (line(&value).into_bytes(), line(mark).into_bytes()),
            (
                [b"\xe9\xf0000 ", line(&value).as_bytes(), b"\xff\xfe"].concat(),
                [b"\xe9\xf0000 ", line(mark).as_bytes(), b"\xff\xfe"].concat(),
            ),
            // The whole value goes, also where it is no text.
            (
                b"DB_PASSWORD=Stra\xdfe4421!kq\n".to_vec(),
                format!("DB_PASSWORD={mark}\n").into_bytes(),
            ),
            (utf16(&line(&value)), utf16(&line(mark))),
        ] {
            let (kept, told) = redacted_copy(&redactor, &file);
            assert_eq!(String::from_utf8_lossy(&kept), String::from_utf8_lossy(&copy));
            assert_eq!(kept, copy);
            assert_eq!(told.as_deref(), Some("1 secret (password)"));
            assert_eq!(redacted_copy(&redactor, &copy), (copy, None));
        }
    }
}
