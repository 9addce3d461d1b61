//! How a command line says which handoffs it means: what `list`, `select` and their like share.

use clap::Args;
use segue_lib::handoffs::{HandoffKind, ListRequest, Name, Tag};
use segue_lib::{Segue, parse_since};

use crate::error::CommandError;

/// Handoffs that fit; nothing means those of this project.
#[derive(Args, Debug)]
pub(crate) struct FilterArgs {
    /// Only ids that begin so, in the whole store
    #[arg(long, value_name = "PREFIX")]
    id: Option<String>,
    /// Only with this text in title, name, summary or next steps
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// Only of this kind: handoff, session, snapshot, decision, note or closing; repeat it for several
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Of every kind: also notes, closings and snapshots
    #[arg(long, conflicts_with = "kind")]
    all: bool,
    #[command(flatten)]
    pub(super) narrow: NarrowArgs,
}

/// What every question about several handoffs can be narrowed by.
#[derive(Args, Debug)]
pub(crate) struct NarrowArgs {
    /// Only what this agent left
    #[arg(long)]
    tool: Option<String>,
    /// Only this project: a label, or a path if it contains a slash or is '.'
    #[arg(long, conflicts_with = "all_projects")]
    project: Option<String>,
    /// Every project
    #[arg(long)]
    all_projects: bool,
    /// Only since then: 90m, 7d, 1h30m, or a date
    #[arg(long, value_name = "SPAN")]
    since: Option<String>,
    /// Only with this tag; repeat it to ask for several at once
    #[arg(long, value_name = "TAG")]
    pub(super) tag: Vec<String>,
    /// Only of this name
    #[arg(long)]
    name: Option<String>,
    /// Also what has expired or is archived
    #[arg(long)]
    expired: bool,
}

impl FilterArgs {
    /// The same as a question to the library, for at most so many.
    pub(super) fn request(
        &self,
        segue: &Segue,
        limit: Option<u64>,
    ) -> Result<ListRequest, CommandError> {
        if self.id.as_deref().is_some_and(|id| id.trim().is_empty()) {
            return Err(segue_lib::Error::from(segue_lib::handoffs::SelectorError::Empty).into());
        }
        let kinds: Result<Vec<HandoffKind>, _> =
            self.kind.iter().map(|kind| kind.parse()).collect();
        let kinds = kinds.map_err(segue_lib::Error::from)?;
        let mut request = self.narrow.request(segue)?;
        request.id = self.id.clone();
        request.query = self.query.clone();
        request.kinds = kinds;
        request.all_kinds = self.all;
        request.limit = limit;
        Ok(request)
    }
}

impl NarrowArgs {
    pub(super) fn request(&self, segue: &Segue) -> Result<ListRequest, CommandError> {
        let name: Option<Name> =
            self.name.as_deref().map(str::parse).transpose().map_err(segue_lib::Error::from)?;
        let now = segue.env().now();
        let since = self
            .since
            .as_deref()
            .map(|text| parse_since(text, now))
            .transpose()
            .map_err(segue_lib::Error::from)?;
        for tag in &self.tag {
            tag.parse::<Tag>().map_err(segue_lib::Error::from)?;
        }
        let mut request = ListRequest::default();
        request.project = super::project_ref(self.project.as_deref());
        request.all_projects = self.all_projects;
        request.expired = self.expired;
        request.tool = self.tool.clone();
        request.since = since;
        request.tags = self.tag.iter().map(|tag| tag.trim().to_owned()).collect();
        request.name = name;
        Ok(request)
    }
}

/// Whether a request asks for less than all of a project.
pub(super) fn is_narrow(request: &ListRequest) -> bool {
    request.id.is_some()
        || request.tool.is_some()
        || request.query.is_some()
        || request.since.is_some()
        || !request.tags.is_empty()
        || request.name.is_some()
        || !request.kinds.is_empty()
}
