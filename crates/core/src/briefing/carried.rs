//! What the state of the project adds to the handoff that a briefing is about: items of other handoffs that are still
//! open, what was asked since, and other lines of work. And what it takes away: items that were closed since.

use std::collections::{HashMap, HashSet};

use super::Facts;
use super::answers::{is_decided, recorded, tells_answer};
use super::frame::{code_span, one_line, quoted};
use super::parts::{Draft, Item, ItemKind};
use super::rules::tell_rule;
use crate::claim::{Seen, claims};
use crate::{
    HandoffId, ItemSource, Part, Stamp, StateEntry, StateItemKind, ViewedItem, ago,
    inherited_rules, visible,
};

/// Carried items of one kind, at most; more are in `segue open`.
const MOST_OF_A_KIND: usize = 24;
/// Items that were closed without evidence and are named.
const MOST_UNSURE: usize = 3;
/// Other lanes that are named, and the steps of one.
const MOST_LANES: usize = 4;
const STEPS_OF_A_LANE: usize = 3;
/// Bytes of a step of another lane, and of what an idle session asked.
const STEP: usize = 90;
const ASKED: usize = 120;
/// Idle sessions that are named.
const MOST_IDLE: usize = 2;

/// What the state says of the items of the handoff that is briefed.
#[derive(Default)]
pub(super) struct StateOfBase {
    /// Items of it that something closed later.
    closed: HashSet<(StateItemKind, String)>,
    /// Items that it mentions itself.
    mentioned: HashSet<(StateItemKind, String)>,
    /// Rules of the user's that it has itself.
    rules: HashSet<String>,
}

impl StateOfBase {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let mut state = Self::default();
        let Some(view) = facts.state else { return state };
        let Some(handoff) = facts.handoff() else { return state };
        let (base, created) = (&handoff.head.id, handoff.head.created.micros());
        let rules = inherited_rules(handoff).into_iter();
        let key = |text: &str| StateEntry::key_of(StateItemKind::Rule, text);
        state.rules = rules.map(|rule| key(&rule.text)).collect();
        state.note_mentioned(handoff.body());
        // What stands in HANDOFF.md is told from there.
        let words = facts.workspace.words.as_ref().map_or("", |file| file.text.as_str());
        state.note_mentioned(words);
        let closed_since = view.items.iter().filter(|viewed| {
            // What came from elsewhere settles nothing that was left here.
            let may_settle = !viewed.item.is_imported || handoff.head.fields.imported.is_some();
            let is_later = |stamp: &Stamp| stamp.by != *base && stamp.at >= created;
            viewed.is_here
                && may_settle
                && viewed.item.closing().is_some_and(|(stamp, _)| is_later(stamp))
        });
        let closed = closed_since.map(|viewed| (viewed.kind(), viewed.item.key().to_owned()));
        state.closed.extend(closed);
        state
    }

    fn note_mentioned(&mut self, body: &str) {
        for claim in claims(body, Seen::Skipped) {
            if let Some(kind) = kind_of(claim.part) {
                self.mentioned.insert((kind, StateEntry::key_of(kind, claim.block.words())));
            }
        }
    }

    /// Whether something closed this item after the handoff was left.
    pub(super) fn is_closed(&self, part: Part, words: &str) -> bool {
        !self.closed.is_empty()
            && kind_of(part)
                .is_some_and(|kind| self.closed.contains(&(kind, StateEntry::key_of(kind, words))))
    }

    fn is_carried(&self, viewed: &ViewedItem<'_>) -> bool {
        let key = (viewed.kind(), viewed.item.key().to_owned());
        let is_told = match is_users_rule(viewed) {
            // Where somebody else repeats the user's rule, it is still the user's.
            true => self.rules.contains(viewed.item.key()),
            false => self.mentioned.contains(&key),
        };
        viewed.is_open() && viewed.is_here && !viewed.is_quiet && !is_told
    }
}

/// Whether it is a rule that the user said.
fn is_users_rule(viewed: &ViewedItem<'_>) -> bool {
    viewed.kind() == StateItemKind::Rule
        && viewed.item.source == ItemSource::User
        && !viewed.item.is_imported
}

fn kind_of(part: Part) -> Option<StateItemKind> {
    Some(match part {
        Part::Next => StateItemKind::Step,
        Part::Blockers => StateItemKind::Blocker,
        Part::Questions => StateItemKind::Question,
        Part::Checks => StateItemKind::Check,
        Part::Constraints => StateItemKind::Rule,
        Part::Decisions => StateItemKind::Decision,
        Part::Rejected => StateItemKind::Rejected,
        Part::Gotchas => StateItemKind::Gotcha,
        _ => return None,
    })
}

fn part_of(kind: StateItemKind) -> Part {
    match kind {
        StateItemKind::Step => Part::Next,
        StateItemKind::Blocker => Part::Blockers,
        StateItemKind::Question => Part::Questions,
        StateItemKind::Check => Part::Checks,
        StateItemKind::Rule => Part::Constraints,
        StateItemKind::Decision => Part::Decisions,
        StateItemKind::Rejected => Part::Rejected,
        StateItemKind::Gotcha => Part::Gotchas,
    }
}

/// Items of earlier handoffs that are still open.
pub(super) fn carried_items(facts: &Facts<'_>, state: &StateOfBase, said: &mut Vec<(Part, Item)>) {
    let Some(view) = facts.state else { return };
    let mut counts: HashMap<StateItemKind, usize> = HashMap::new();
    for viewed in view.items.iter().filter(|viewed| state.is_carried(viewed)) {
        // Nobody's rules take the place of the user's.
        if is_users_rule(viewed) {
            said.retain(|(part, item)| {
                *part != Part::Constraints
                    || StateEntry::key_of(StateItemKind::Rule, &item.text) != viewed.item.key()
            });
            said.push((Part::Constraints, carried(facts, viewed)));
            continue;
        }
        let count = counts.entry(viewed.kind()).or_default();
        *count += 1;
        if *count <= MOST_OF_A_KIND {
            said.push((part_of(viewed.kind()), carried(facts, viewed)));
        }
    }
    let base = facts.handoff().map(|handoff| &handoff.head.id);
    let mut unsure: Vec<&ViewedItem<'_>> = view
        .items
        .iter()
        .filter(|viewed| {
            let by_base = |id: &HandoffId| base.is_some_and(|base| id >= base);
            let closing = viewed.item.closing();
            viewed.is_here
                && closing.is_some_and(|(stamp, why)| why.is_unsure() && by_base(&stamp.by))
        })
        .collect();
    unsure.truncate(MOST_UNSURE);
    for viewed in unsure {
        let id = viewed.id;
        let mut item = Item::listed(format!("{} (`{id}`)", text_of(viewed)));
        item.label =
            Some("Not mentioned any more, perhaps done (`segue reopen ID` if not)".to_owned());
        said.push((Part::Next, item));
    }
}

fn carried(facts: &Facts<'_>, viewed: &ViewedItem<'_>) -> Item {
    let text = text_of(viewed);
    let last = &viewed.item.last;
    let when = last.time().map_or_else(String::new, |at| format!(", {}", ago(at, facts.now)));
    let from = format!("`{}`{when}", last.by.short());
    let mut item = match viewed.kind() {
        StateItemKind::Rule if viewed.item.source == ItemSource::User => {
            Item::listed(format!("“{text}” *(said before)*"))
        }
        kind if kind.is_of_lane() => Item::listed(format!("{text} (`{}`)", viewed.id)),
        _ => Item::listed(text.clone()),
    };
    if viewed.item.source == ItemSource::Imported {
        item.text = quoted(&item.text);
        item.kind = ItemKind::Plain;
    }
    let is_told = is_decided(part_of(viewed.kind()))
        && !viewed.item.is_seen
        && (viewed.item.is_note || tells_answer(&text));
    item.label = match viewed.kind() {
        _ if is_told => recorded(viewed.item.source).map(str::to_owned),
        StateItemKind::Rule => None,
        StateItemKind::Step => Some(format!("Still open from {from}")),
        _ => Some(format!("From {from}")),
    };
    if viewed.kind() == StateItemKind::Rule {
        tell_rule(&mut item, viewed.item.source);
    }
    item
}

fn text_of(viewed: &ViewedItem<'_>) -> String {
    let text = visible(&viewed.item.text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What was asked since, without work.
pub(super) fn asked_since(facts: &Facts<'_>) -> Option<String> {
    let base = facts.handoff().map(|handoff| handoff.head.created)?;
    let idle = facts.asked.iter().rev().filter(|idle| idle.stamp.at > base.micros());
    let told: Vec<String> = idle
        .take(MOST_IDLE)
        .filter_map(|idle| {
            let when = ago(idle.stamp.time()?, facts.now);
            Some(format!("{} ({when})", code_span(&one_line(&idle.title, ASKED))))
        })
        .collect();
    (!told.is_empty())
        .then(|| format!("Since then asked, without work on it: {}.", told.join("; ")))
}

/// Whose work this is about, where nothing was done in the own lane yet.
pub(super) fn instead_of(facts: &Facts<'_>) -> Option<String> {
    let view = facts.state?;
    let own = view.instead_of.as_ref()?;
    let base = view.base.as_ref()?;
    let is_told = facts.handoff().is_some_and(|handoff| handoff.head.id == base.by);
    is_told.then(|| {
        format!(
            "Nothing was done on {} yet: this is the newest work, on {}.",
            code_span(&own.name()),
            code_span(&view.lane.name())
        )
    })
}

/// Other lines of work, one line each.
pub(super) fn lanes_draft(facts: &Facts<'_>) -> Option<Draft> {
    let view = facts.state?;
    let mut items = Vec::new();
    for lane in view.others.iter().filter(|lane| !lane.open.is_empty()).take(MOST_LANES) {
        let texts: Vec<String> = view
            .items
            .iter()
            .filter(|viewed| lane.open.contains(&viewed.id))
            .take(STEPS_OF_A_LANE)
            .map(|viewed| code_span(&one_line(&text_of(viewed), STEP)))
            .collect();
        let more = lane.open.len() - texts.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let when = lane.newest.as_ref().and_then(|stamp| stamp.time());
        let when = when.map_or_else(String::new, |at| format!(", {}", ago(at, facts.now)));
        let gone = if lane.is_gone { ", a branch that is gone" } else { "" };
        items.push(Item::listed(format!(
            "{}{gone}{when}: {}{more}",
            code_span(&lane.lane.name()),
            texts.join("; ")
        )));
    }
    let quiet = view.items.iter().filter(|viewed| {
        viewed.is_open() && viewed.is_here && viewed.is_quiet && viewed.kind().is_of_lane()
    });
    let quiet = quiet.count();
    if quiet > 0 {
        let what = if quiet == 1 { "item" } else { "items" };
        items.push(Item::listed(format!(
            "{quiet} older open {what} that nobody mentions any more: `segue open --all`"
        )));
    }
    (!items.is_empty()).then(|| Draft {
        key: "lanes",
        heading: "Other open work".to_owned(),
        items,
        numbered: false,
    })
}
