//! The payload of a handoff: what it says itself, without what an import added to it.
//!
//! A bundle carries payloads and its signature covers them. An import adds one line to the head, and
//! gives a number to the id of what it replaced; both can be taken away again, byte for byte, so that
//! a signature can be checked as long as the handoff exists.

use sha2::{Digest, Sha256};

use crate::front_matter::{FrontMatter, render_line};
use crate::scalar::Value;
use crate::{Handoff, HandoffError, HandoffId, Imported};

/// SHA-256 of a payload.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PayloadDigest(pub [u8; 32]);

impl PayloadDigest {
    pub fn of(payload: &str) -> Self {
        Self::of_bytes(payload.as_bytes())
    }

    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl std::fmt::Display for PayloadDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for PayloadDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl Handoff {
    /// The file without what an import added.
    pub fn payload(&self) -> String {
        let mut out = String::with_capacity(self.source().len());
        let end = self.each_entry(|key, raw| match key {
            "imported" => {}
            "id" => out.push_str(&with_id(raw, &self.head.id, &self.head.id.before())),
            _ => out.push_str(raw),
        });
        self.around(&out, end)
    }

    /// The file of the same handoff once it is imported.
    pub fn imported_as(&self, imported: &Imported) -> Result<Self, HandoffError> {
        let mut out = String::new();
        let end = self.each_entry(|key, raw| {
            if key != "imported" {
                out.push_str(raw);
            }
        });
        let texts = [("signer", &imported.signer), ("at", &imported.at), ("from", &imported.from)];
        let pairs = texts
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), Value::Text(value.clone()?))));
        out.push_str(&render_line("imported", &Value::Map(pairs.collect())));
        Self::parse(self.around(&out, end))
    }

    /// The file of the same handoff once it was replaced.
    pub fn replaced_as(&self, id: &HandoffId) -> Result<Self, HandoffError> {
        let mut out = String::new();
        let end = self.each_entry(|key, raw| match key {
            "id" => out.push_str(&with_id(raw, &self.head.id, id)),
            _ => out.push_str(raw),
        });
        Self::parse(self.around(&out, end))
    }

    /// Gives each entry of the head; returns the length of the opening line and of all entries.
    fn each_entry(&self, mut each: impl FnMut(&str, &str)) -> (usize, usize) {
        let source = self.source();
        let opening = source.find('\n').map_or(source.len(), |at| at + 1);
        let mut length = 0;
        // It was parsed before, so it has one.
        if let Ok((front, _)) = FrontMatter::parse(source) {
            for entry in &front.entries {
                each(&entry.key, &entry.raw);
                length += entry.raw.len();
            }
        }
        (opening, length)
    }

    /// The whole file with other entries.
    fn around(&self, entries: &str, (opening, length): (usize, usize)) -> String {
        let source = self.source();
        [&source[..opening], entries, &source[opening + length..]].concat()
    }
}

/// The line of the id with another id.
fn with_id(raw: &str, old: &HandoffId, new: &HandoffId) -> String {
    match raw.contains(old.as_str()) {
        true => raw.replacen(old.as_str(), new.as_str(), 1),
        // Written with escapes.
        false if old == new => raw.to_owned(),
        false => format!("id: {new}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SOURCE: &str = "---\nsegue: 1\nid: \"20261115-174500-a3f9c12e\" # mine\ncreated: 2026-11-15T17:45:00Z\nx: |\n  kept\n\n# a remark\n---\nbody\n";

    fn imported() -> Imported {
        Imported {
            signer: Some("5f1c".into()),
            at: Some("2026-11-16T00:00:00Z".into()),
            from: Some("bundle: {odd}".into()),
        }
    }

    #[test]
    fn an_import_adds_one_line_that_can_be_taken_away() {
        let plain = Handoff::parse(SOURCE).unwrap();
        assert_eq!(plain.payload(), SOURCE);
        let here = plain.imported_as(&imported()).unwrap();
        assert_eq!(here.head.fields.imported, Some(imported()));
        assert_eq!(
            here.source().len() - SOURCE.len(),
            here.source().lines().find(|line| line.starts_with("imported: ")).unwrap().len() + 1
        );
        assert_eq!(here.payload(), SOURCE);
        let again = here.imported_as(&Imported::default()).unwrap();
        assert_eq!(again.payload(), SOURCE);
    }

    #[test]
    fn what_was_replaced_has_the_same_payload() {
        let here = Handoff::parse(SOURCE).unwrap().imported_as(&imported()).unwrap();
        let former = here.replaced_as(&here.head.id.former(3)).unwrap();
        assert_eq!(former.head.id.as_str(), "20261115-174500-a3f9c12e~3");
        assert_eq!(former.payload(), SOURCE);
        assert_eq!(PayloadDigest::of(&former.payload()), PayloadDigest::of(SOURCE));
    }

    proptest! {
        #[test]
        fn any_handoff_keeps_its_payload(extra in "[ -~\n\r]{0,40}", body in any::<String>()) {
            let source = format!("---\r\nsegue: 1\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\n{extra}\n---\n{body}");
            if let Ok(plain) = Handoff::parse(source.clone()) && plain.head.fields.imported.is_none() {
                let here = plain.imported_as(&imported()).unwrap();
                prop_assert_eq!(here.head.fields.imported.as_ref(), Some(&imported()));
                prop_assert_eq!(here.payload(), plain.payload());
                let former = here.replaced_as(&here.head.id.former(1)).unwrap();
                prop_assert_eq!(former.payload(), plain.payload());
                prop_assert_eq!(former.body(), plain.body());
            }
        }
    }
}
