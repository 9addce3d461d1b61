//! Standing constraints in a briefing: the user's own first, each other one with whose it is.

use super::parts::{Item, ItemKind};
use crate::ItemSource;

/// The label of rules that are not the user's: they bind nobody.
pub(super) fn not_the_users(source: ItemSource) -> Option<&'static str> {
    match source {
        ItemSource::User => None,
        ItemSource::Agent => Some("Noted by the agent, not typed by the user"),
        ItemSource::Tool => Some("Printed by a tool, not said by the user"),
        ItemSource::Repository => Some("From a file of the repository, not said by the user"),
        ItemSource::Imported => Some("From elsewhere, not said by the user"),
    }
}

/// Tells a rule as whose it is. No heading of a handoff says that, and no line of somebody else's looks like one of
/// ours that does.
pub(super) fn tell_rule(item: &mut Item, source: ItemSource) {
    item.label = not_the_users(source).map(str::to_owned);
    if item.label.is_some() && item.kind == ItemKind::Plain && !item.text.starts_with("```") {
        item.kind = ItemKind::Listed;
        let lines: Vec<&str> =
            item.text.lines().map(|line| line.trim_matches(['*', '_', ' '])).collect();
        item.text = lines.join("\n  ");
    }
}

/// A label holds for all that stands below it: the user's own rules, which have none, come first.
pub(super) fn sort_rules(items: &mut [Item]) {
    let others = ItemSource::ALL.map(not_the_users);
    let rank = |label: &str| 1 + usize::from(others.contains(&Some(label)));
    items.sort_by_key(|item| item.label.as_deref().map_or(0, rank));
}
