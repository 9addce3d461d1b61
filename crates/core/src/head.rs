//! A handoff's head: the keys of the front matter that Segue knows, as typed values.

use crate::kind::HandoffKind;
use crate::source::ItemSources;
use crate::{HandoffId, Timestamp, slug};

/// Version of the file format. A newer one is read and never rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FormatVersion(pub u32);

impl FormatVersion {
    /// The oldest version, in which a plain handoff is still written: every reader knows it.
    pub const FIRST: Self = Self(1);
    /// The newest version that this program writes.
    pub const CURRENT: Self = Self(2);

    pub fn is_newer(self) -> bool {
        self > Self::CURRENT
    }
}

/// What a handoff's front matter says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub version: FormatVersion,
    pub id: HandoffId,
    pub created: Timestamp,
    pub fields: Fields,
}

impl Head {
    /// When its file was written: what a session left is dated when the session ended, and may have been
    /// captured much later. A successor that a reader wrote which does not know the key has it still.
    pub fn written(&self) -> Timestamp {
        self.fields.captured.map_or(self.created, |captured| captured.max(self.created))
    }
}

/// What the optional keys say. `head_key.rs` has a row for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    pub kind: HandoffKind,
    /// The project's label.
    pub project: Option<String>,
    pub name: Option<String>,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub tags: Vec<String>,
    /// The agent that left it.
    pub tool: Option<String>,
    /// The agent's own session id.
    pub session: Option<String>,
    pub mode: Option<String>,
    /// When it was captured from a session's transcript. `created` is then when the session ended.
    pub captured: Option<Timestamp>,
    pub expires: Option<Timestamp>,
    pub saved_from: SavedFrom,
    pub git: GitState,
    /// Changed files, relative to the directory of the project; renames as `old -> new`.
    pub changed: Vec<String>,
    /// The handoff that this session had resumed from.
    pub parent: Option<String>,
    pub supersedes: Vec<String>,
    /// Ids that this handoff had in another tool.
    pub aliases: Vec<String>,
    /// Whose words its items are.
    pub sources: ItemSources,
    pub imported: Option<Imported>,
}

/// Where a handoff was saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedFrom {
    /// The directory's own project, when the handoff was filed under another one.
    pub project: Option<String>,
    /// The directory, relative to its repository's root.
    pub dir: Option<String>,
    pub worktree: Option<String>,
}

/// What git said when the handoff was saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitState {
    pub branch: Option<String>,
    pub head: Option<String>,
    /// `origin`, without scheme and credentials.
    pub remote: Option<String>,
}

/// How a handoff came here from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    pub signer: Option<String>,
    pub at: Option<String>,
    pub from: Option<String>,
}

/// What `imported.from` says without the name of the proof, and without what a signer's trust tells.
pub fn came_from(from: &str) -> &str {
    from.split(" sha256:").next().unwrap_or(from).trim_end_matches(", unsigned")
}

impl Fields {
    /// The first part of the file's name: a slug of its tag, name or title.
    pub fn file_tag(&self) -> String {
        let word = self.tags.first().or(self.name.as_ref()).or(self.title.as_ref());
        slug(word.map_or("", String::as_str))
    }

    /// Whether it only repeats what stands in HANDOFF.md, with what git said besides: the file says it better,
    /// and git is asked anew.
    pub fn repeats_handoff_file(&self) -> bool {
        self.kind == HandoffKind::Handoff && self.sources.repeat_a_file()
    }
}
