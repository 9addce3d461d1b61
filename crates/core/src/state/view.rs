//! What of a project's state matters in one lane, with what git says of its branches today.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::entry::StateEntry;
use super::item::{ItemStatus, Stamp, StateItem, StateItemId, StateItemKind};
use super::lane::{Lane, LaneFates};
use super::ledger::Ledger;
use crate::{Handoff, HandoffId};

/// Working sessions after which an item that none of them mentions is quiet.
const QUIET_AFTER: usize = 5;
/// Working sessions and idle ones of a lane that are remembered: more than are ever asked for.
const REMEMBERED: usize = 16;

/// A session that only asked something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleSession {
    pub stamp: Stamp,
    pub title: String,
    pub tool: Option<String>,
    pub is_imported: bool,
}

impl IdleSession {
    /// A session by what it left.
    pub fn of(handoff: &Handoff) -> Self {
        let head = &handoff.head;
        Self {
            stamp: Stamp { at: head.created.micros(), by: head.id.clone() },
            title: handoff.display_title(),
            tool: head.fields.tool.clone(),
            is_imported: head.fields.imported.is_some(),
        }
    }
}

/// What the ledger knows of a lane.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LaneRecord {
    /// Its working sessions, the oldest first.
    pub(super) working: Vec<Stamp>,
    /// Those that came from elsewhere.
    imported: Vec<Stamp>,
    pub(super) idle: Vec<IdleSession>,
    /// The commit that its newest session knew.
    pub(super) head: Option<String>,
    /// Whether commits were made in it.
    pub(super) has_commits: bool,
}

impl LaneRecord {
    pub(super) fn note_work(&mut self, entry: &StateEntry) {
        // What came from elsewhere says nothing of branches here, nor of what nobody mentions.
        if entry.is_imported {
            self.imported.push(entry.stamp.clone());
            let more = self.imported.len().saturating_sub(REMEMBERED);
            self.imported.drain(..more);
            return;
        }
        self.working.push(entry.stamp.clone());
        let moved = entry.head.is_some() && self.head.is_some() && entry.head != self.head;
        self.has_commits |= entry.has_commit || moved;
        self.head = entry.head.clone().or(self.head.take());
        let more = self.working.len().saturating_sub(REMEMBERED);
        self.working.drain(..more);
        // What was asked before is answered by the work that followed.
        self.idle.clear();
    }
}

/// An item as it stands in a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ViewedItem<'l> {
    /// The id that it is listed under.
    pub id: StateItemId,
    /// All ids that it goes by: a merge can make one of several.
    pub ids: Vec<StateItemId>,
    /// As it was said last.
    pub item: &'l StateItem,
    /// Its first mention.
    pub first: &'l Stamp,
    pub status: &'l ItemStatus,
    /// The lane in which it stands today; `None` if it belongs to the project.
    pub lane: Option<Lane>,
    /// Whether that is the lane of the view.
    pub is_here: bool,
    /// Whether nobody has mentioned it for long.
    pub is_quiet: bool,
}

impl ViewedItem<'_> {
    pub fn is_open(&self) -> bool {
        *self.status == ItemStatus::Open
    }

    pub fn kind(&self) -> StateItemKind {
        self.item.kind
    }
}

/// Another lane in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaneSummary {
    pub lane: Lane,
    /// Whether its branch does not exist any more.
    pub is_gone: bool,
    /// Its newest working session.
    pub newest: Option<Stamp>,
    /// Its open items that are not quiet.
    pub open: Vec<StateItemId>,
}

/// The state of a project as one lane sees it.
#[derive(Debug)]
#[non_exhaustive]
pub struct StateView<'l> {
    /// The lane that is shown in full.
    pub lane: Lane,
    /// The own lane, where nothing was done in it yet.
    pub instead_of: Option<Lane>,
    /// The newest working session of the lane.
    pub base: Option<Stamp>,
    /// Sessions of the lane since then that only asked something, the oldest first.
    pub idle: Vec<&'l IdleSession>,
    /// Every item, those of the lane and of the project first, each of these with the newest mention first.
    pub items: Vec<ViewedItem<'l>>,
    pub others: Vec<LaneSummary>,
}

/// A branch that sessions worked on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkedBranch {
    /// The commit that its newest session knew.
    pub head: Option<String>,
    /// Whether commits were made on it: without any it cannot have been merged.
    pub has_commits: bool,
}

impl Ledger {
    /// The branches that sessions worked on.
    pub fn branches(&self) -> BTreeMap<String, WorkedBranch> {
        let mut found: BTreeMap<String, WorkedBranch> = BTreeMap::new();
        for (lane, record) in &self.lanes {
            let Some(branch) = lane.branch.as_ref().filter(|_| !record.working.is_empty()) else {
                continue;
            };
            let known = found.entry(branch.clone()).or_default();
            known.has_commits |= record.has_commits;
            known.head = record.head.clone().or(known.head.take());
        }
        found
    }

    /// Handoffs of sessions that only asked something, as far as nobody worked after them.
    pub fn idle_handoffs(&self) -> impl Iterator<Item = &HandoffId> {
        self.lanes.values().flat_map(|lane| &lane.idle).map(|idle| &idle.stamp.by)
    }

    /// What matters in a lane.
    pub fn view<'l>(&'l self, here: &Lane, fates: &LaneFates) -> StateView<'l> {
        let here = fates.current(here);
        let mut lanes: BTreeMap<Lane, Vec<&Stamp>> = BTreeMap::new();
        for (lane, record) in &self.lanes {
            let stamps = lanes.entry(fates.current(lane)).or_default();
            stamps.extend(&record.working);
        }
        lanes.values_mut().for_each(|stamps| stamps.sort());
        // The newest of each lane, with those from elsewhere.
        let mut newest: BTreeMap<Lane, &Stamp> = BTreeMap::new();
        for (lane, record) in &self.lanes {
            for stamp in record.working.last().into_iter().chain(record.imported.last()) {
                let known = newest.entry(fates.current(lane)).or_insert(stamp);
                *known = stamp.max(known);
            }
        }
        let newest_of = |lane: &Lane| {
            let own = newest.iter().filter(|(other, _)| shows(lane, other));
            own.map(|(_, stamp)| *stamp).max()
        };
        let newest_lane =
            || newest.iter().max_by_key(|(_, stamp)| **stamp).map(|(lane, _)| lane.clone());
        let (lane, instead_of) = match newest_of(&here) {
            Some(_) => (here, None),
            None => match newest_lane() {
                Some(lane) => (lane, Some(here)),
                None => (here, None),
            },
        };
        let base = newest_of(&lane).cloned();
        let mut idle: Vec<&IdleSession> = self
            .lanes
            .iter()
            .filter(|(other, _)| {
                let other = fates.current(other);
                shows(&lane, &other) || instead_of.as_ref().is_some_and(|own| shows(own, &other))
            })
            .flat_map(|(_, record)| &record.idle)
            .filter(|idle| base.as_ref().is_none_or(|base| idle.stamp > *base))
            .collect();
        idle.sort_by(|one, other| one.stamp.cmp(&other.stamp));
        let items = self.viewed(&lane, &lanes, fates);
        let others = summaries(&lane, &lanes, &items, fates);
        StateView { lane, instead_of, base, idle, items, others }
    }

    fn viewed<'l>(
        &'l self,
        lane: &Lane,
        lanes: &BTreeMap<Lane, Vec<&Stamp>>,
        fates: &LaneFates,
    ) -> Vec<ViewedItem<'l>> {
        let mut all: Vec<&Stamp> = lanes.values().flatten().copied().collect();
        all.sort();
        let is_quiet = |item: &StateItem, lane: Option<&Lane>| {
            let stamps = match lane {
                Some(lane) => lanes.get(lane).map_or(&[][..], Vec::as_slice),
                None => &all[..],
            };
            let limit = stamps.len().checked_sub(QUIET_AFTER).map(|at| stamps[at]);
            item.kind.can_be_quiet() && limit.is_some_and(|limit| item.last < *limit)
        };
        // Items that a merge has made one.
        let mut joined: BTreeMap<(StateItemKind, Option<Lane>, &str), Vec<&StateItem>> =
            BTreeMap::new();
        for item in self.items.values() {
            let place = item.lane.as_ref().map(|lane| fates.current(lane));
            joined.entry((item.kind, place, &item.key)).or_default().push(item);
        }
        let mut found = Vec::new();
        for ((_, place, _), items) in joined {
            let Some(first) = items.iter().min_by_key(|item| &item.first) else { continue };
            // What came from elsewhere decides nothing of what is here.
            let has_own = items.iter().any(|item| !item.is_imported);
            let newest = items.iter().filter(|item| !(has_own && item.is_imported));
            let Some(newest) = newest.max_by_key(|item| changed(item)) else { continue };
            let is_here = place.as_ref().is_none_or(|place| shows(lane, place));
            found.push(ViewedItem {
                id: first.id,
                ids: items.iter().map(|item| item.id).collect(),
                item: newest,
                first: &first.first,
                status: &newest.status,
                is_quiet: is_quiet(newest, place.as_ref()),
                lane: place,
                is_here,
            });
        }
        let order = |item: &ViewedItem<'_>| {
            (!item.is_here, std::cmp::Reverse(item.item.last.clone()), item.id)
        };
        found.sort_by_cached_key(order);
        found
    }
}

/// When the status of an item was settled last.
fn changed(item: &StateItem) -> &Stamp {
    match &item.status {
        ItemStatus::Open => &item.last,
        ItemStatus::Closed { stamp, .. } => stamp,
    }
}

/// Whether a lane shows what is of another one: its own, and what is of no branch in its directory.
fn shows(lane: &Lane, other: &Lane) -> bool {
    lane.dir == other.dir && (lane.branch == other.branch || other.branch.is_none())
}

fn summaries(
    lane: &Lane,
    lanes: &BTreeMap<Lane, Vec<&Stamp>>,
    items: &[ViewedItem<'_>],
    fates: &LaneFates,
) -> Vec<LaneSummary> {
    let mut found: BTreeMap<&Lane, LaneSummary> = BTreeMap::new();
    for (other, stamps) in lanes.iter().filter(|(other, _)| !shows(lane, other)) {
        let newest = stamps.last().map(|stamp| (*stamp).clone());
        let is_gone = fates.is_gone(other);
        found.insert(other, LaneSummary { lane: other.clone(), is_gone, newest, open: Vec::new() });
    }
    for item in items.iter().filter(|item| item.is_open() && !item.is_quiet && !item.is_here) {
        let summary = item.lane.as_ref().and_then(|lane| found.get_mut(lane));
        if let Some(summary) = summary {
            summary.open.push(item.id);
        }
    }
    let mut found: Vec<LaneSummary> = found.into_values().collect();
    found.retain(|summary| !summary.open.is_empty() || summary.newest.is_some());
    found.sort_by(|one, other| other.newest.cmp(&one.newest));
    found
}
