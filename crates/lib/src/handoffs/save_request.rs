//! What is to be saved, and what came of it.

use std::path::PathBuf;

use segue_core::{Handoff, HandoffKind, Imported, ItemSources, Name, ProjectId, Tag, Ttl};

use super::Speaker;
use crate::ProjectRef;
use crate::here::SimilarProject;

/// What to save. Everything is optional, but not all of it can be missing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SaveRequest {
    /// What it is.
    pub kind: HandoffKind,
    /// The Markdown body, kept byte for byte.
    pub body: String,
    /// A one-line title.
    pub title: Option<String>,
    /// A short summary.
    pub summary: Option<String>,
    /// A name; the newest handoff of a name is the current one.
    pub name: Option<Name>,
    /// Items for the Next Steps.
    pub next: Vec<String>,
    /// Tags.
    pub tags: Vec<Tag>,
    /// How long it is offered.
    pub ttl: Ttl,
    /// Which project it belongs to.
    pub project: ProjectRef,
    /// The agent that leaves it.
    pub tool: Option<String>,
    /// The agent's own session id.
    pub session: Option<String>,
    /// What kind of work it was.
    pub mode: Option<String>,
    /// Full ids of handoffs that this one replaces.
    pub supersedes: Vec<String>,
    /// Full id of the handoff that the session had resumed from.
    pub parent: Option<String>,
    /// Who says all of it.
    pub by: Speaker,
    /// Whose words its items are, where they are not all of one.
    pub sources: ItemSources,
    /// Where it came from, if it was not written here.
    pub imported: Option<Imported>,
}

impl Default for SaveRequest {
    fn default() -> Self {
        Self {
            kind: HandoffKind::Handoff,
            body: String::new(),
            title: None,
            summary: None,
            name: None,
            next: Vec::new(),
            tags: Vec::new(),
            ttl: Ttl::Never,
            project: ProjectRef::Here,
            tool: None,
            session: None,
            mode: None,
            supersedes: Vec::new(),
            parent: None,
            by: Speaker::Agent,
            sources: ItemSources::default(),
            imported: None,
        }
    }
}

/// A saved handoff.
#[derive(Debug)]
#[non_exhaustive]
pub struct SaveOutcome {
    /// The handoff as it lies on disk.
    pub handoff: Handoff,
    /// Its file.
    pub path: PathBuf,
    /// Its project.
    pub project: ProjectId,
    /// That project's label.
    pub label: String,
    /// What did not go as it should, though the handoff is safe.
    pub warnings: Vec<String>,
    /// Projects that may be the same as the one that was made for this handoff.
    pub similar: Vec<SimilarProject>,
}
