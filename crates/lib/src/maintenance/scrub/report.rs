//! What a scrub found, and what became of it.

use std::path::{Path, PathBuf};

use segue_core::{HandoffId, SecretIn};

use super::text::Clean;

/// A handoff or another text that has secrets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scrubbed {
    /// Its file.
    pub path: PathBuf,
    /// The handoff's id, if it is one.
    pub id: Option<HandoffId>,
    /// Its title, without secrets.
    pub title: Option<String>,
    /// What was found, in the order of the text.
    pub secrets: Vec<SecretIn>,
    /// Whether somebody signed the text as it was, which cannot be proved any more.
    pub signed: bool,
}

/// A text that has secrets and is left as it is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScrubLeft {
    /// Its file.
    pub path: PathBuf,
    /// What was found; nothing where it was not looked at.
    pub secrets: Vec<SecretIn>,
    /// Why it is left.
    pub why: String,
}

/// What was found, and what became of it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ScrubReport {
    /// What is rewritten.
    pub scrubbed: Vec<Scrubbed>,
    /// What is left, because it is not ours to rewrite.
    pub left: Vec<ScrubLeft>,
    /// What could not be read or rewritten.
    pub failed: Vec<String>,
}

pub(super) fn cannot(path: &Path, why: &str) -> String {
    format!("cannot rewrite {}: {why}", path.display())
}

/// Notes what was found in a file.
pub(super) fn note(scrubbed: &mut Vec<Scrubbed>, path: &Path, clean: &Clean) {
    scrubbed.extend(clean.parts.iter().map(|part| Scrubbed {
        path: path.to_owned(),
        id: part.id.clone(),
        title: part.title.clone(),
        secrets: part.found.clone(),
        signed: part.signed,
    }));
}
