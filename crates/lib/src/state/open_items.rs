//! What is open here, and why.

use segue_core::{
    HandoffId, ItemClosing, ItemStatus, LaneSummary, StateItemId, StateItemKind, Timestamp,
    ViewedItem,
};

use super::LoadedState;
use crate::Error;
use crate::here::Here;
use crate::redacted::clean;

/// The open items of a directory's project.
#[derive(Debug)]
pub struct OpenItems<'s> {
    pub(super) here: Here<'s>,
}

/// Which items to list.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct OpenRequest {
    /// Quiet ones, those of other lanes, and those that were closed without evidence, too.
    pub all: bool,
}

/// An item in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenItem {
    /// What it is closed by.
    pub id: StateItemId,
    /// What it is.
    pub kind: StateItemKind,
    /// What it says.
    pub text: String,
    /// Whose words it is.
    pub source: segue_core::ItemSource,
    /// The lane that it belongs to; `None` if it is the whole project's.
    pub lane: Option<String>,
    /// Whether that is the lane of this directory.
    pub is_here: bool,
    /// Whether nobody has mentioned it for five working sessions.
    pub is_quiet: bool,
    /// When it was mentioned last, and by which handoff.
    pub mentioned: Option<Timestamp>,
    /// That handoff.
    pub by: HandoffId,
    /// What closed it, if something did.
    pub closing: Option<(ItemClosing, HandoffId)>,
}

/// What is open.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct OpenList {
    /// The lane that was asked about.
    pub lane: String,
    /// The items, by kind, then the newest first.
    pub items: Vec<OpenItem>,
    /// Open items that are not listed because they are quiet.
    pub quiet: usize,
    /// Open items that are not listed because they belong to other lanes.
    pub elsewhere: usize,
    /// Other lanes.
    pub lanes: Vec<LaneSummary>,
}

/// What is known of one item.
#[derive(Debug)]
#[non_exhaustive]
pub struct ItemHistory {
    /// The item.
    pub item: OpenItem,
    /// Its first mention.
    pub first: (Option<Timestamp>, HandoffId),
    /// When it was closed, if it was.
    pub closed: Option<Timestamp>,
}

impl<'s> OpenItems<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }

    /// What is open here.
    pub fn list(&self, request: &OpenRequest) -> Result<OpenList, Error> {
        self.here.directory()?;
        let Some(state) = LoadedState::of(&self.here)? else { return Ok(OpenList::default()) };
        let view = state.view();
        let mut list = OpenList { lane: view.lane.name(), ..OpenList::default() };
        for viewed in &view.items {
            let is_unsure =
                viewed.item.closing().is_some_and(|(_, why)| why.is_unsure()) && viewed.is_here;
            match (viewed.is_open(), request.all) {
                (true, true) => list.items.push(self.item(viewed)),
                (true, false) if !viewed.is_here => list.elsewhere += 1,
                (true, false) if viewed.is_quiet => list.quiet += 1,
                (true, false) => list.items.push(self.item(viewed)),
                (false, true) if is_unsure => list.items.push(self.item(viewed)),
                (false, _) => {}
            }
        }
        let rank = |kind| StateItemKind::ALL.iter().position(|one| *one == kind);
        list.items.sort_by_key(|item| (!item.is_here, item.closing.is_some(), rank(item.kind)));
        list.lanes = view.others;
        Ok(list)
    }

    /// Why an item is open, or what closed it.
    pub fn why(&self, id: &str) -> Result<ItemHistory, Error> {
        self.here.directory()?;
        let state = LoadedState::of(&self.here)?.ok_or_else(|| no_item(id))?;
        let view = state.view();
        let viewed = find(&view.items, id)?;
        let closed = viewed.item.closing().and_then(|(stamp, _)| stamp.time());
        let first = (viewed.first.time(), viewed.first.by.clone());
        Ok(ItemHistory { item: self.item(viewed), first, closed })
    }

    pub(super) fn item(&self, viewed: &ViewedItem<'_>) -> OpenItem {
        let item = viewed.item;
        let mut text = item.text.clone();
        clean(&self.here.redactor_out(), &mut text);
        let closing = match viewed.status {
            ItemStatus::Open => None,
            ItemStatus::Closed { stamp, why } => Some((why.clone(), stamp.by.clone())),
        };
        OpenItem {
            id: viewed.id,
            kind: item.kind,
            text,
            source: item.source,
            lane: viewed.lane.as_ref().map(segue_core::Lane::name),
            is_here: viewed.is_here,
            is_quiet: viewed.is_quiet,
            mentioned: item.last.time(),
            by: item.last.by.clone(),
            closing,
        }
    }
}

/// The item that an id or its beginning names.
pub(super) fn find<'v, 'l>(
    items: &'v [ViewedItem<'l>],
    id: &str,
) -> Result<&'v ViewedItem<'l>, Error> {
    let wanted = id.trim().to_lowercase();
    let is_prefix = wanted.len() >= 4
        && wanted.len() <= 8
        && wanted.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_prefix {
        return Err(Error::Usage(format!(
            "'{id}' is no id of an item: 'segue open' lists them (8 hex digits, 4 are enough)"
        )));
    }
    let fits =
        |viewed: &&ViewedItem<'_>| viewed.ids.iter().any(|id| id.to_string().starts_with(&wanted));
    let mut found = items.iter().filter(fits);
    match (found.next(), found.next()) {
        (None, _) => Err(no_item(id)),
        (Some(one), None) => Ok(one),
        (Some(one), Some(other)) => Err(Error::Usage(format!(
            "'{id}' begins the ids of several items, such as {} and {}: give more of it",
            one.id, other.id
        ))),
    }
}

pub(super) fn no_item(id: &str) -> Error {
    Error::NoItem(id.to_owned())
}
