//! Rules that the user said in a session before, where a handoff that came from no session stands between.

use segue_core::{Handoff, HandoffKind, StandingRule, inherited_rules};
use segue_store::Filter;

use crate::handoffs::{Handoffs, LOOKED_AT};
use crate::here::Here;

/// The rules of the newest handoff before this one that has any of the user's. One that came from a session has
/// what held in it already.
pub(super) fn earlier_rules(here: &Here<'_>, handoff: &Handoff) -> Vec<StandingRule> {
    let fields = &handoff.head.fields;
    if fields.captured.is_some() || fields.kind == HandoffKind::Session {
        return Vec::new();
    }
    let filter = Filter {
        until: Some(handoff.head.created),
        kinds: vec![HandoffKind::Handoff, HandoffKind::Session],
        limit: Some(LOOKED_AT),
        ..Filter::default()
    };
    let listed = Handoffs::of(here).listed(&filter).unwrap_or_default();
    let before = listed.iter().filter(|listed| listed.head.id != handoff.head.id);
    let rules = before.filter_map(|listed| here.store.read(listed).ok());
    rules
        .map(|handoff| inherited_rules(&handoff))
        .find(|rules| !rules.is_empty())
        .unwrap_or_default()
}
