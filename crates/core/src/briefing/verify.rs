//! What is to be verified before anything in a briefing is relied on.

use super::frame::{code_span, one_line};
use super::parts::{Draft, Item};
use super::{Facts, Verify};
use crate::claim::{Doubt, Seen, claims};
use crate::{BlockKind, Part};

/// What to verify, as data.
pub(super) fn verify(facts: &Facts<'_>, doubts: &[Doubt], changed: Option<String>) -> Vec<Verify> {
    let general = facts.general_doubts().into_iter().chain(changed).map(|reason| Verify {
        claim: None,
        reason,
        files: Vec::new(),
    });
    let failed =
        facts.rechecked.iter().filter(|check| check.holds == Some(false)).map(|check| Verify {
            claim: Some(check.command.clone()),
            reason: format!("does not hold any more ({})", check.outcome),
            files: Vec::new(),
        });
    let claims = doubts.iter().map(|doubt| Verify {
        claim: Some(doubt.claim.clone()),
        reason: doubt.reason.clone(),
        files: doubt.files.clone(),
    });
    general.chain(failed).chain(contradictions(facts)).chain(claims).collect()
}

/// What the handoff's words say and its session shows otherwise.
fn contradictions(facts: &Facts<'_>) -> Vec<Verify> {
    let Some(handoff) = facts.handoff().filter(|_| !facts.words_replace_body()) else {
        return Vec::new();
    };
    let foreign = handoff.head.fields.imported.is_some();
    let all = claims(handoff.body(), Seen::Skipped);
    let noted = all.iter().filter(|claim| claim.part == Part::Contradictions);
    let verify = |text: &str| match foreign {
        // It is not ours, whatever it says.
        true => Verify {
            claim: Some(text.to_owned()),
            reason: "it notes a contradiction".to_owned(),
            files: Vec::new(),
        },
        false => Verify { claim: None, reason: one_line(text, 300), files: Vec::new() },
    };
    noted.map(|claim| verify(claim.block.words())).collect()
}

pub(super) fn verify_part(facts: &Facts<'_>, verify: &[Verify]) -> Draft {
    let foreign = facts.handoff().is_some_and(|handoff| handoff.head.fields.imported.is_some());
    let items = verify
        .iter()
        .map(|one| match &one.claim {
            None => Item::listed(one.reason.clone()),
            Some(claim) => {
                // The reason first: if there is little room, it is the claim that is cut.
                let claim = one_line(&shown_claim(claim), CLAIM_CHARS);
                let claim = if foreign { code_span(&claim) } else { format!("\"{claim}\"") };
                Item::listed(format!("{}: {claim}", one.reason))
            }
        })
        .collect();
    Draft { key: "verify", heading: "Verify first".to_owned(), items, numbered: false }
}

/// So much of a claim stands under *Verify first*.
const CLAIM_CHARS: usize = 160;

/// A claim without its list mark, box or fence.
fn shown_claim(claim: &str) -> String {
    let blocks = crate::blocks(claim);
    match blocks.first() {
        Some(block) if block.kind == BlockKind::Code => {
            let inside = block.text.lines().skip(1).filter(|line| !line.trim().starts_with("```"));
            inside.collect::<Vec<_>>().join(" ")
        }
        Some(block) if blocks.len() == 1 => block.words().to_owned(),
        _ => claim.to_owned(),
    }
}

/// Whether all of a claim stands under *Verify first*, so that it need not be told again.
pub(super) fn is_whole(claim: &str) -> bool {
    !claim.trim().contains('\n') && shown_claim(claim).chars().count() <= CLAIM_CHARS
}
