//! Rules that an older version handed on as the user's, and that nothing shows to be.

use segue_core::unproven_rules;
use segue_store::Filter;

use crate::here::Here;

/// So many of the newest handoffs of a directory are looked at, and so many of their rules named.
const LOOKED_AT: u64 = 50;
const NAMED: usize = 10;
/// Bytes of a rule.
const RULE: usize = 120;

/// A rule that lost its standing, and the handoff that has it.
pub(super) struct UnprovenRule {
    pub(super) handoff: String,
    pub(super) rule: String,
}

/// Those of the newest handoffs here, each once. What cannot be read is told elsewhere.
pub(super) fn unproven(here: &Here<'_>) -> Vec<UnprovenRule> {
    let Ok(Some(scope)) = here.own_scope() else { return Vec::new() };
    let filter = Filter { limit: Some(LOOKED_AT), ..Filter::default() };
    let listed = here.store.ask_on(&scope, |view| view.listed(&scope, &filter));
    let mut found: Vec<UnprovenRule> = Vec::new();
    for one in listed.unwrap_or_default() {
        let Ok(handoff) = here.store.read(&one) else { continue };
        for rule in unproven_rules(&handoff, RULE) {
            if found.len() < NAMED && !found.iter().any(|known| known.rule == rule) {
                found.push(UnprovenRule { handoff: one.head.id.short().to_owned(), rule });
            }
        }
    }
    found
}
