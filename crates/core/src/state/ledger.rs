//! The ledger: every item that the handoffs of a project mention, and whether it is open.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::entry::{ClosingLine, EntryItem, EntryOrigin, Mention, StateEntry};
use super::item::{
    ItemClosing, ItemDigest, ItemStatus, Stamp, StateItem, StateItemId, StateItemKind,
};
use super::lane::Lane;
use super::step::{Publishing, is_of_conversation, publishing};
use super::take_back::takes_back;
use super::view::{IdleSession, LaneRecord};
use super::work::is_about;
use crate::briefing::tells_answer;
use crate::distil::covers_command;
use crate::search::TermReader;
use crate::{HandoffId, ItemSource};

/// What is known of a project after some of its handoffs, the oldest first.
#[derive(Default)]
pub struct Ledger {
    pub(super) items: BTreeMap<ItemDigest, StateItem>,
    pub(super) lanes: BTreeMap<Lane, LaneRecord>,
    /// The handoffs of each session and of each name.
    handoffs_of: HashMap<String, Vec<HandoffId>>,
    /// The open steps, blockers and questions that a handoff was the last one to mention.
    last_mentioned_by: HashMap<HandoffId, HashSet<ItemDigest>>,
    /// Items by their kind and words, whatever lane they are in.
    by_key: HashMap<(StateItemKind, String), Vec<ItemDigest>>,
    /// Items by the ids that people use, which can be made to collide.
    by_id: HashMap<StateItemId, Vec<ItemDigest>>,
    open_rules: HashSet<ItemDigest>,
    failing_checks: HashSet<ItemDigest>,
    to_publish: HashSet<ItemDigest>,
    decided: HashMap<String, ItemDigest>,
    /// The newest entry that was applied.
    last: Option<Stamp>,
    reader: TermReader,
}

impl Ledger {
    /// The ledger of these entries, in whatever order they come.
    pub fn fold<'e>(entries: impl IntoIterator<Item = &'e StateEntry>) -> Self {
        let mut ledger = Self::default();
        ledger.extend(entries);
        ledger
    }

    /// Applies more entries. They have to be newer than all before: see [`Ledger::follows`].
    pub fn extend<'e>(&mut self, entries: impl IntoIterator<Item = &'e StateEntry>) {
        let mut entries: Vec<&StateEntry> = entries.into_iter().collect();
        entries.sort_by(|one, other| one.stamp.cmp(&other.stamp));
        entries.dedup_by(|one, other| one.stamp == other.stamp);
        for entry in entries {
            self.apply(entry);
        }
    }

    /// Whether an entry can be applied as it is: none that was applied is newer.
    pub fn follows(&self, stamp: &Stamp) -> bool {
        self.last.as_ref().is_none_or(|last| last < stamp)
    }

    /// Every item, open or closed.
    pub fn items(&self) -> impl Iterator<Item = &StateItem> {
        self.items.values()
    }

    /// The item of this id.
    pub fn item(&self, id: StateItemId) -> Option<&StateItem> {
        self.items.values().find(|item| item.id == id)
    }

    fn apply(&mut self, entry: &StateEntry) {
        self.last = Some(entry.stamp.clone());
        self.note_session(entry);
        for line in &entry.closings {
            self.close_by_hand(entry, line);
        }
        self.take_rules_back(entry);
        if entry.is_work || !entry.is_capture() {
            self.replace_steps(entry);
        }
        let mut decided = HashSet::new();
        for item in &entry.items {
            let is_state = entry.is_work || entry.origin != EntryOrigin::Capture;
            match item.mention {
                Mention::Done => self.settle(entry, item),
                // A session that only asked something leaves no steps.
                _ if !is_state && item.kind.is_of_lane() => {}
                _ => {
                    let id = self.mention(entry, item);
                    self.note_decision(entry, item, id, &mut decided);
                }
            }
        }
        if entry.has_commit || entry.has_push {
            self.publish(entry);
        }
    }

    /// Notes where a session worked, or that it only asked something.
    fn note_session(&mut self, entry: &StateEntry) {
        for key in entry.session.iter().map(|key| format!("s:{key}")).chain(name_key(entry)) {
            self.handoffs_of.entry(key).or_default().push(entry.stamp.by.clone());
        }
        if !matches!(entry.origin, EntryOrigin::Words | EntryOrigin::Capture) {
            return;
        }
        let replaced: Vec<&str> = entry.supersedes.iter().map(String::as_str).collect();
        let lane = self.lanes.entry(entry.lane.clone()).or_default();
        // What came from elsewhere takes nothing away that was left here.
        if !entry.is_imported {
            lane.idle.retain(|idle| !replaced.contains(&idle.stamp.by.as_str()));
            lane.working.retain(|stamp| !replaced.contains(&stamp.by.as_str()));
        }
        if entry.is_work {
            lane.note_work(entry);
        } else {
            lane.idle.push(IdleSession {
                stamp: entry.stamp.clone(),
                title: entry.title.clone(),
                tool: entry.tool.clone(),
                is_imported: entry.is_imported,
            });
        }
    }

    fn close_by_hand(&mut self, entry: &StateEntry, line: &ClosingLine) {
        let ClosingLine { id, reopens, why, source, .. } = line;
        for digest in self.by_id.get(id).cloned().unwrap_or_default() {
            let Some(item) = self.items.get(&digest) else { continue };
            let is_strange = entry.is_imported && !item.is_imported;
            if is_strange || item.is_only_for_the_user() && *source != ItemSource::User {
                continue;
            }
            if *reopens {
                self.open(digest, &entry.stamp);
            } else {
                self.close(digest, &entry.stamp, ItemClosing::ByHand(why.clone()));
            }
        }
    }

    fn take_rules_back(&mut self, entry: &StateEntry) {
        if entry.take_backs.is_empty() {
            return;
        }
        let said_now: HashSet<&str> = entry
            .items
            .iter()
            .filter(|item| item.mention == Mention::Open && item.kind == StateItemKind::Rule)
            .map(|item| item.key.as_str())
            .collect();
        let mut taken = Vec::new();
        for id in &self.open_rules {
            let Some(rule) = self.items.get(id).filter(|rule| rule.source == ItemSource::User)
            else {
                continue;
            };
            if said_now.contains(rule.key.as_str()) {
                continue;
            }
            let words = entry.take_backs.iter();
            let mut words = words.filter(|words| takes_back(words, &rule.text, &mut self.reader));
            if let Some(words) = words.next() {
                taken.push((*id, words.clone()));
            }
        }
        for (id, words) in taken {
            self.close(id, &entry.stamp, ItemClosing::TakenBack(words));
        }
    }

    /// Closes the steps of the handoffs that this one comes after and does not mention any more.
    fn replace_steps(&mut self, entry: &StateEntry) {
        let mentioned: HashSet<(StateItemKind, &str)> =
            entry.items.iter().map(|item| (item.kind, item.key.as_str())).collect();
        for (id, relation) in self.steps_before(entry) {
            let Some(item) = self.items.get(&id) else { continue };
            if mentioned.contains(&(item.kind, item.key.as_str()))
                || (entry.is_imported && !item.is_imported)
            {
                continue;
            }
            let says_steps = entry.has_steps || item.kind != StateItemKind::Step;
            let why = match (entry.origin, relation) {
                (EntryOrigin::Note | EntryOrigin::Closing, _) => None,
                (EntryOrigin::Capture, Relation::SameSession | Relation::Supersedes) => {
                    Some(ItemClosing::Recaptured)
                }
                // Who goes on takes over where the conversation stood.
                (_, Relation::Parent) if item.is_of_conversation => Some(ItemClosing::Recaptured),
                (EntryOrigin::Capture, _) => {
                    is_about(&entry.work, &item.text).then_some(ItemClosing::WorkedOn)
                }
                (EntryOrigin::Words, Relation::Supersedes) => Some(ItemClosing::Dropped),
                (EntryOrigin::Words, _) => says_steps.then_some(ItemClosing::Dropped),
            };
            if let Some(why) = why {
                self.close(id, &entry.stamp, why);
            }
        }
    }

    /// The open steps, blockers and questions of the handoffs that an entry is a descendant of.
    fn steps_before(&self, entry: &StateEntry) -> Vec<(ItemDigest, Relation)> {
        let mut handoffs: BTreeMap<&HandoffId, Relation> = BTreeMap::new();
        let mut note = |id, relation: Relation| {
            let known = handoffs.entry(id).or_insert(relation);
            *known = relation.min(*known);
        };
        let session = entry.session.as_ref().map(|key| format!("s:{key}"));
        for (key, relation) in session
            .map(|key| (key, Relation::SameSession))
            .into_iter()
            .chain(name_key(entry).map(|key| (key, Relation::SameName)))
        {
            let ids = self.handoffs_of.get(&key).into_iter().flatten();
            ids.filter(|id| **id != entry.stamp.by).for_each(|id| note(id, relation));
        }
        let named = |id: &String| {
            let id = id.parse::<HandoffId>().ok()?;
            self.last_mentioned_by.get_key_value(&id).map(|(id, _)| id)
        };
        entry.supersedes.iter().filter_map(named).for_each(|id| note(id, Relation::Supersedes));
        entry.parent.iter().filter_map(named).for_each(|id| note(id, Relation::Parent));
        let mut found: BTreeMap<ItemDigest, Relation> = BTreeMap::new();
        for (handoff, relation) in handoffs {
            for id in self.last_mentioned_by.get(handoff).into_iter().flatten() {
                let known = found.entry(*id).or_insert(relation);
                *known = relation.min(*known);
            }
        }
        found.into_iter().collect()
    }

    /// Closes what an entry says is done or passed.
    fn settle(&mut self, entry: &StateEntry, item: &EntryItem) {
        let ids: Vec<ItemDigest> = match item.kind {
            StateItemKind::Check => {
                let failing = self.failing_checks.iter().filter_map(|id| self.items.get(id));
                let covered = failing.filter(|check| {
                    is_same_lane(check.lane.as_ref(), &entry.lane)
                        && (check.key == item.key || covers_command(&item.key, &check.key))
                });
                covered.map(|check| check.digest).collect()
            }
            _ => self.same_words(entry, item),
        };
        let why = match item.kind {
            StateItemKind::Check => ItemClosing::Passed,
            _ => ItemClosing::Done,
        };
        // It is known as done also where nobody said before that it is open: another lane may have.
        let lane = item.kind.is_of_lane().then(|| entry.lane.clone());
        if self.known(item, lane.as_ref()).is_none() && !item.key.ends_with('…') {
            let status = ItemStatus::Closed { stamp: entry.stamp.clone(), why: why.clone() };
            self.insert(StateItem { status, ..new_item(entry, item, lane) });
        }
        for id in ids {
            if self.items.get(&id).is_some_and(|item| item.is_imported || !entry.is_imported) {
                self.close(id, &entry.stamp, why.clone());
            }
        }
    }

    /// The items of an entry's lane with these words. A list of to-dos may have been cut.
    fn same_words(&self, entry: &StateEntry, item: &EntryItem) -> Vec<ItemDigest> {
        let exact = self.by_key.get(&(item.kind, item.key.clone())).into_iter().flatten().copied();
        let mut ids: Vec<ItemDigest> = exact.collect();
        if let Some(begin) = item.key.strip_suffix('…').filter(|begin| begin.len() >= 30) {
            let open =
                self.last_mentioned_by.values().flatten().filter_map(|id| self.items.get(id));
            let cut =
                open.filter(|one| one.kind == item.kind && one.key.starts_with(begin.trim_end()));
            ids.extend(cut.map(|one| one.digest));
        }
        ids.retain(|id| {
            let lane = self.items.get(id).and_then(|one| one.lane.as_ref());
            is_same_lane(lane, &entry.lane)
        });
        ids
    }

    /// Notes that an entry mentions an item, and gives its id.
    fn mention(&mut self, entry: &StateEntry, item: &EntryItem) -> ItemDigest {
        let lane = item.kind.is_of_lane().then(|| entry.lane.clone());
        let known = self.known(item, lane.as_ref());
        let id = known.unwrap_or_else(|| ItemDigest::of(item.kind, lane.as_ref(), &item.key));
        if let Some(known) = self.items.get_mut(&id) {
            // What somebody else says again neither opens nor rewords what is the user's.
            let is_lower = known.is_only_for_the_user() && item.source < ItemSource::User;
            let is_strange = entry.is_imported && !known.is_imported;
            if item.mention == Mention::Inherited || is_strange || is_lower {
                return id;
            }
            // A capture tells what its session said before somebody closed it by hand.
            let closed_by_hand = matches!(known.closing(), Some((_, ItemClosing::ByHand(_))));
            let is_raised = item.source > known.source;
            let is_of_same = entry.session.is_some() && known.session == entry.session;
            if closed_by_hand && !is_raised && entry.is_capture() && is_of_same {
                return id;
            }
            self.forget_last_mention(id);
            let Some(known) = self.items.get_mut(&id) else { return id };
            known.text.clone_from(&item.text);
            known.last = entry.stamp.clone();
            known.session.clone_from(&entry.session);
            known.is_of_conversation = is_of_conversation(&item.text);
            // What the user typed is the user's, also if somebody else said it before or repeats it.
            known.source = known.source.max(item.source);
            known.is_imported &= entry.is_imported;
            known.status = ItemStatus::Open;
        } else {
            self.insert(new_item(entry, item, lane));
        }
        self.note_open(id);
        id
    }

    fn insert(&mut self, item: StateItem) {
        self.by_key.entry((item.kind, item.key.clone())).or_default().push(item.digest);
        self.by_id.entry(item.id).or_default().push(item.digest);
        self.items.insert(item.digest, item);
    }

    /// The item that is meant by these words in a lane.
    fn known(&self, item: &EntryItem, lane: Option<&Lane>) -> Option<ItemDigest> {
        let ids = self.by_key.get(&(item.kind, item.key.clone()))?;
        let mut known = ids.iter().filter_map(|id| self.items.get(id));
        known
            .find(|known| match (&known.lane, lane) {
                (Some(one), Some(other)) => one == other,
                (one, other) => one.is_none() && other.is_none(),
            })
            .map(|known| known.digest)
    }

    /// A later decision on the same subject holds instead of the earlier one.
    fn note_decision(
        &mut self,
        entry: &StateEntry,
        item: &EntryItem,
        id: ItemDigest,
        decided: &mut HashSet<String>,
    ) {
        let Some(subject) = item.subject.as_ref().filter(|_| item.mention == Mention::Open) else {
            return;
        };
        let before = self.decided.get(subject).copied().filter(|before| *before != id);
        if let Some(before) = before.and_then(|before| self.items.get(&before)) {
            let may_replace = before.is_imported || !entry.is_imported;
            // An agent's words do not undo what the user decided.
            let is_answer = |seen: bool, text: &str| seen && tells_answer(text);
            let is_lower = item.source < ItemSource::User && before.source == ItemSource::User
                || is_answer(before.is_seen, &before.text) && !is_answer(item.is_seen, &item.text);
            if !may_replace || is_lower {
                return;
            }
            // Two of one handoff may be two parts of one decision.
            if decided.contains(subject) {
                return;
            }
            let before = before.digest;
            self.close(before, &entry.stamp, ItemClosing::Superseded);
        }
        decided.insert(subject.clone());
        self.decided.insert(subject.clone(), id);
    }

    /// Closes what was to be committed or pushed, where that was seen.
    fn publish(&mut self, entry: &StateEntry) {
        let is_done = |item: &&StateItem| {
            let what = publishing(&item.text);
            let done = match what {
                Some(Publishing::Commit) => entry.has_commit,
                Some(Publishing::Push) => entry.has_push,
                None => false,
            };
            done && is_same_lane(item.lane.as_ref(), &entry.lane)
                && item.last < entry.stamp
                && (item.is_imported || !entry.is_imported)
        };
        let open = self.to_publish.iter().filter_map(|id| self.items.get(id));
        let ids: Vec<ItemDigest> = open.filter(is_done).map(|item| item.digest).collect();
        for id in ids {
            self.close(id, &entry.stamp, ItemClosing::Published);
        }
    }

    fn open(&mut self, id: ItemDigest, stamp: &Stamp) {
        self.forget_last_mention(id);
        if let Some(item) = self.items.get_mut(&id) {
            item.status = ItemStatus::Open;
            item.last = stamp.clone();
        }
        self.note_open(id);
    }

    fn note_open(&mut self, id: ItemDigest) {
        let Some(item) = self.items.get(&id) else { return };
        match item.kind {
            StateItemKind::Rule => {
                self.open_rules.insert(id);
            }
            StateItemKind::Check => {
                self.failing_checks.insert(id);
            }
            kind if kind.is_of_lane() => {
                if publishing(&item.text).is_some() {
                    self.to_publish.insert(id);
                }
                let by = item.last.by.clone();
                self.last_mentioned_by.entry(by).or_default().insert(id);
            }
            _ => {}
        }
    }

    fn close(&mut self, id: ItemDigest, stamp: &Stamp, why: ItemClosing) {
        self.forget_last_mention(id);
        self.open_rules.remove(&id);
        self.failing_checks.remove(&id);
        self.to_publish.remove(&id);
        if let Some(item) = self.items.get_mut(&id) {
            item.close(stamp, why);
        }
    }

    fn forget_last_mention(&mut self, id: ItemDigest) {
        let Some(item) = self.items.get(&id) else { return };
        if let Some(ids) = self.last_mentioned_by.get_mut(&item.last.by) {
            ids.remove(&id);
            if ids.is_empty() {
                self.last_mentioned_by.remove(&item.last.by);
            }
        }
    }
}

/// An item that is mentioned for the first time.
fn new_item(entry: &StateEntry, item: &EntryItem, lane: Option<Lane>) -> StateItem {
    let digest = ItemDigest::of(item.kind, lane.as_ref(), &item.key);
    StateItem {
        id: digest.id(),
        digest,
        kind: item.kind,
        lane,
        text: item.text.clone(),
        source: item.source,
        first: entry.stamp.clone(),
        last: entry.stamp.clone(),
        status: ItemStatus::Open,
        key: item.key.clone(),
        subject: item.subject.clone(),
        session: entry.session.clone(),
        is_seen: item.is_seen,
        is_note: entry.origin == EntryOrigin::Note,
        is_of_conversation: is_of_conversation(&item.text),
        is_imported: entry.is_imported,
    }
}

/// How a handoff is related to one before it, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Relation {
    Supersedes,
    SameSession,
    SameName,
    Parent,
}

fn name_key(entry: &StateEntry) -> Option<String> {
    entry.name.as_ref().map(|name| format!("n:{name}"))
}

/// Whether an item of a lane is one of another lane's. A lane without a branch is part of all of its directory.
fn is_same_lane(item: Option<&Lane>, lane: &Lane) -> bool {
    item.is_none_or(|item| {
        item.dir == lane.dir
            && (item.branch == lane.branch || item.branch.is_none() || lane.branch.is_none())
    })
}
