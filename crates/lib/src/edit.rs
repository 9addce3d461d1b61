//! Edit: a handoff never changes; editing one saves a successor that supersedes it.

use segue_core::{Draft, Name, Tag, Ttl, came_from, with_next_items};

use crate::redacted::redact_draft;
use crate::save::commit_warnings;
use crate::{Error, Found, SaveOutcome, Segue};

/// What to change. `None` keeps what was there.
#[derive(Clone, Debug, Default)]
pub struct EditRequest {
    /// A new body.
    pub body: Option<String>,
    /// A new title.
    pub title: Option<String>,
    /// A new summary.
    pub summary: Option<String>,
    /// A new name; `Some(None)` removes it.
    pub name: Option<Option<Name>>,
    /// New tags.
    pub tags: Option<Vec<Tag>>,
    /// A new time to live, from now.
    pub ttl: Option<Ttl>,
    /// Items to add to the Next Steps.
    pub next: Vec<String>,
}

/// The successor.
pub type EditOutcome = SaveOutcome;

impl Segue {
    /// Saves a successor of a handoff, in the same project, with these changes.
    pub fn edit(&self, found: &Found, request: &EditRequest) -> Result<EditOutcome, Error> {
        let old = &found.handoff;
        if old.head.version.is_newer() {
            return Err(Error::Newer(old.head.id.clone()));
        }
        let mut draft = old.to_draft();
        self.apply(request, &mut draft)?;
        // One that is dated ahead is dated right by its successor.
        if draft == old.to_draft() && !old.head.created.is_ahead_of(self.env.now()) {
            return Err(Error::Unchanged);
        }
        draft.fields.supersedes = vec![old.head.id.to_string()];
        draft.fields.parent = Some(old.head.id.to_string());
        // Foreign ids are the old one's. That its text came from elsewhere stays true; what was signed
        // was another text.
        draft.fields.aliases.clear();
        // What somebody edits is theirs, and of now.
        draft.fields.captured = None;
        if let Some(imported) = &mut draft.fields.imported {
            imported.signer = None;
            let from = imported.from.as_deref().unwrap_or("elsewhere");
            let from = came_from(from).trim_end_matches(", edited here");
            imported.from = Some(format!("{from}, edited here"));
        }
        let mut warnings = Vec::new();
        if draft.fields.expires.is_some_and(|at| at <= self.env.now()) {
            draft.fields.expires = None;
            warnings.push(
                "the old one has expired; this one never does, unless you give --ttl".to_owned(),
            );
        }
        warnings.extend(redact_draft(&self.redactor()?, &mut draft)?);
        let view = self.store.writer_view()?;
        let memory = self.memory_for(&view, &found.listed.project)?;
        let committed = self.commit(&view, &memory, &draft, None)?;
        warnings.extend(commit_warnings(&committed));
        Ok(SaveOutcome {
            handoff: committed.handoff,
            path: committed.path,
            project: view.owner(&memory)?,
            label: found.listed.label.clone(),
            warnings,
        })
    }

    fn apply(&self, request: &EditRequest, draft: &mut Draft) -> Result<(), Error> {
        let fields = &mut draft.fields;
        if let Some(body) = &request.body {
            draft.body = body.clone();
        }
        if let Some(title) = &request.title {
            fields.title = Some(title.trim().to_owned()).filter(|title| !title.is_empty());
        }
        if let Some(summary) = &request.summary {
            fields.summary = Some(summary.trim().to_owned()).filter(|summary| !summary.is_empty());
        }
        if let Some(name) = &request.name {
            fields.name = name.as_ref().map(|name| name.as_str().to_owned());
        }
        if let Some(tags) = &request.tags {
            fields.tags = tags.iter().map(|tag| tag.as_str().to_owned()).collect();
        }
        if let Some(ttl) = request.ttl {
            fields.expires = ttl.expires(self.env.now())?;
        }
        draft.body = with_next_items(&draft.body, &request.next);
        Ok(())
    }
}
