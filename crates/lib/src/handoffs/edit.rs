//! Edit: a handoff never changes; editing one saves a successor that supersedes it.

use segue_core::{
    Draft, HandoffKind, ItemSource, ItemSources, Name, ProjectId, Tag, Ttl, with_next_items,
};
use segue_store::{Listed, View};

use super::pasted::SAVED_AS_IMPORTED;
use super::write::commit_warnings;
use super::{Found, Handoffs, SaveOutcome, Speaker};
use crate::Error;
use crate::here::Shared;
use crate::redacted::redact_draft;

/// What to change. `None` keeps what was there.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
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
    /// Who says what is new in it.
    pub by: Speaker,
}

/// The successor.
pub type EditOutcome = SaveOutcome;

/// Whose words the items of a handoff are for its successor. What it says itself is not believed if others can
/// have written it.
fn sources_of(found: &Found) -> ItemSources {
    let fields = &found.handoff.head.fields;
    match fields.imported.is_some() {
        true => ItemSources::all(ItemSource::Imported),
        false => fields.sources.clone(),
    }
}

impl Handoffs<'_> {
    /// Saves a successor of a handoff, in the same project, with these changes.
    pub fn edit(&self, found: &Found, request: &EditRequest) -> Result<EditOutcome, Error> {
        let old = &found.handoff;
        if old.head.version.is_newer() {
            return Err(Error::Newer(old.head.id.clone()));
        }
        if found.elsewhere {
            return Err(Error::NothingHere);
        }
        // Its kind would be lost, and it would be the latest.
        if old.head.fields.kind == HandoffKind::Other {
            return Err(Error::UnknownKind(old.head.id.clone()));
        }
        let mut draft = old.to_draft();
        self.apply(request, &mut draft)?;
        // One that is dated ahead is dated right by its successor.
        if draft == old.to_draft() && !old.head.created.is_ahead_of(self.here.now()) {
            return Err(Error::Unchanged);
        }
        draft.fields.supersedes = vec![old.head.id.to_string()];
        draft.fields.parent = Some(old.head.id.to_string());
        // What somebody wrote into it is somebody's words.
        let is_said = draft.body != old.body()
            || (&draft.fields.title, &draft.fields.summary)
                != (&old.head.fields.title, &old.head.fields.summary);
        if is_said && matches!(draft.fields.kind, HandoffKind::Session | HandoffKind::Snapshot) {
            draft.fields.kind = HandoffKind::Handoff;
        }
        draft.fields.sources =
            sources_of(found).of_changed(old.body(), &draft.body, request.by.source());
        let mut warnings = Vec::new();
        let is_new = draft.body != old.body();
        if let Some(pasted) = self.pasted_head(&draft.body).filter(|_| is_new) {
            draft.fields.sources = draft.fields.sources.lowered_by(&pasted.sources, &draft.body);
            if pasted.imported.is_some() && draft.fields.imported.is_none() {
                draft.fields.imported = pasted.imported;
                warnings.push(SAVED_AS_IMPORTED.to_owned());
            }
        }
        // Foreign ids are the old one's. That its text came from elsewhere stays true; what was signed
        // was another text.
        draft.fields.aliases.clear();
        // What somebody edits is theirs, and of now.
        draft.fields.captured = None;
        let imported = draft.fields.imported.take();
        draft.fields.imported = imported.map(|imported| imported.said_again("edited here"));
        if draft.fields.expires.is_some_and(|at| at <= self.here.now()) {
            draft.fields.expires = None;
            warnings.push(
                "the old one has expired; this one never does, unless you give --ttl".to_owned(),
            );
        }
        warnings.extend(redact_draft(&*self.here.redactor()?, &mut draft)?);
        let view = self.here.store.writer_view()?;
        let memory = self.attach_memory_for(&view, &found.listed)?;
        let committed = self.commit(&view, &memory, &draft, None)?;
        warnings.extend(commit_warnings(&committed));
        Ok(SaveOutcome {
            similar: Vec::new(),
            handoff: committed.handoff,
            path: committed.path,
            project: view.owner(&memory)?,
            label: found.listed.label.clone(),
            warnings,
        })
    }

    /// The memory that a successor of a handoff goes to: the one in this repository if the old one is
    /// of this project, else where the old one lies.
    fn attach_memory_for(&self, view: &View, old: &Listed) -> Result<ProjectId, Error> {
        let (here, memory) = (&self.here, &old.project);
        let Shared::Used(at) = here.shared() else { return Ok(memory.clone()) };
        let place = here.place(view)?;
        let Some(project) = place.project() else { return Ok(memory.clone()) };
        let names = view.project(project)?.unwrap_or_default();
        let is_of_this_project = memory == project
            || names.includes.contains(memory)
            || old.layers.as_deref() == Some(at);
        if !is_of_this_project {
            return Ok(memory.clone());
        }
        Ok(here.attach_memory(view, project)?.unwrap_or_else(|| memory.clone()))
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
            fields.expires = ttl.expires(self.here.now())?;
        }
        draft.body = with_next_items(&draft.body, &request.next);
        Ok(())
    }
}
