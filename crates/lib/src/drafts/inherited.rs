//! The rules of the user that a session goes on with: those of the handoff that it was briefed with.

use segue_core::{Selector, StandingRule, inherited_rules};

use super::state::LiveState;
use crate::handoffs::Handoffs;

/// Another version noted the rules of a session as mere texts, which do not show whose they are: they are looked up
/// in the handoff again.
pub(super) fn inherit_anew(handoffs: &Handoffs<'_>, state: &mut LiveState) {
    if std::mem::take(&mut state.has_unsure_rules) {
        state.held = rules_of_parent(handoffs, state);
    }
}

fn rules_of_parent(handoffs: &Handoffs<'_>, state: &LiveState) -> Vec<StandingRule> {
    let parent = state.parent.clone().map(Selector::Word);
    let found = parent.and_then(|id| handoffs.find(&id).ok());
    found.map(|found| inherited_rules(&found.handoff)).unwrap_or_default()
}
