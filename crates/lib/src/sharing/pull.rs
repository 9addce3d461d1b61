//! Pull: what somebody pushed to MemoryVault becomes a handoff of this directory's project.
//!
//! The text is foreign. It becomes the body and nothing else: no line of it can become a part of the
//! head.

use segue_core::Imported;
use segue_store::{Filter, Listed, StoreError};

use super::vault::{MemoryVault, Opened, VaultRequest};
use crate::handoffs::{Handoffs, SaveOutcome, SaveRequest};
use crate::redacted::redacted_text;
use crate::{Error, VaultProblem};

/// What to pull.
pub type PullRequest = VaultRequest;

/// So much of a heading makes a title.
const MAX_TITLE: usize = 120;

/// A text that was pulled.
#[derive(Debug)]
#[non_exhaustive]
pub struct Pulled {
    /// The key that it lay under.
    pub key: String,
    /// Whether it was saved just now; else it was here already.
    pub new: bool,
    /// The handoff.
    pub saved: SaveOutcome,
}

impl MemoryVault<'_> {
    /// Fetches the text and saves it, unless the last one from the same place says the same.
    pub fn pull(&self, request: &PullRequest) -> Result<Pulled, Error> {
        let opened = self.open(request)?;
        let text = opened.vault.get(&opened.key).map_err(|error| opened.failed(error))?;
        let text = text.ok_or_else(|| VaultProblem::NoValue(opened.key.clone()))?;
        if text.trim().is_empty() {
            return Err(VaultProblem::EmptyValue(opened.key).into());
        }
        // Secrets are taken out before it is saved.
        let clean = redacted_text(&*self.here.redactor()?, &text);
        let clean = clean.as_deref().unwrap_or(&text);
        let from = format!("memoryvault {}", opened.key);
        if let Some(mut saved) = self.last_from(&opened, &from)?
            && (saved.handoff.body() == text || saved.handoff.body() == clean)
        {
            saved.warnings = opened.warnings;
            return Ok(Pulled { key: opened.key, new: false, saved });
        }
        let title = first_heading(clean)
            .unwrap_or_else(|| format!("Pulled from MemoryVault: {}", opened.name));
        let imported =
            Imported { signer: None, at: Some(self.here.now().to_string()), from: Some(from) };
        let mut saved = Handoffs::of(&self.here).save(&SaveRequest {
            body: text,
            title: Some(title),
            project: opened.project,
            imported: Some(imported),
            ..SaveRequest::default()
        })?;
        saved.warnings.splice(0..0, opened.warnings);
        Ok(Pulled { key: opened.key, new: true, saved })
    }

    /// The newest handoff here that came from there and is still offered.
    fn last_from(&self, opened: &Opened, from: &str) -> Result<Option<SaveOutcome>, Error> {
        let scope = self.here.of(&opened.project)?.own_scope()?;
        let Some(scope) = scope else { return Ok(None) };
        let filter = Filter { offered_at: Some(self.here.now()), ..Filter::default() };
        let comes_from = |listed: &Listed| {
            let imported = listed.head.fields.imported.as_ref();
            imported.and_then(|imported| imported.from.as_deref()) == Some(from)
        };
        let mut found = None;
        let asked = self.here.store.ask(&scope, |view| {
            view.list(&scope, &filter, &mut |listed| {
                if !comes_from(&listed) {
                    return Ok(());
                }
                found = Some(listed);
                Err(StoreError::Stopped)
            })
        });
        match asked {
            Ok(()) | Err(StoreError::Stopped) => {}
            Err(error) => return Err(error.into()),
        }
        let Some(listed) = found else { return Ok(None) };
        Ok(Some(SaveOutcome {
            similar: Vec::new(),
            handoff: self.here.store.read(&listed)?,
            path: listed.path,
            project: listed.project,
            label: listed.label,
            warnings: Vec::new(),
        }))
    }
}

/// The first Markdown heading outside of code and of front matter.
fn first_heading(text: &str) -> Option<String> {
    let mut lines = text.trim_start_matches('\u{feff}').lines().peekable();
    if lines.next_if(|line| line.trim_end() == "---").is_some() {
        lines.find(|line| line.trim_end() == "---");
    }
    let mut code = false;
    let heading = lines.find_map(|line| {
        code ^= line.starts_with("```") || line.starts_with("~~~");
        let hashes = line.len() - line.trim_start_matches('#').len();
        let words = line[hashes..].strip_prefix(' ')?.trim().trim_end_matches('#').trim_end();
        ((1..=6).contains(&hashes) && !code && !words.is_empty()).then_some(words)
    })?;
    Some(heading.chars().take(MAX_TITLE).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_the_first_heading() {
        let heading = |text: &str| first_heading(text);
        assert_eq!(heading("text\n## Auth ##\n# B"), Some("Auth".to_owned()));
        assert_eq!(heading("```\n# code\n```\n# B\r\n"), Some("B".to_owned()));
        assert_eq!(heading("---\n# a comment\ntitle: x\n---\n# B"), Some("B".to_owned()));
        assert_eq!(heading("#!/bin/sh\n#tag\n# \n####### x\n"), None);
        assert_eq!(heading(&format!("# {}", "é".repeat(500))).unwrap().chars().count(), 120);
    }
}
