//! Why sentences of a session became items of a handoff, or did not.

use serde::Serialize;

use super::passage::{Finding, LEAST_WEIGHT, weighed};
use super::rules::each_order;
use super::{Record, Told, ToldKind};

/// A sentence or passage that could have become an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// The section in which it would stand.
    pub section: &'static str,
    /// Whether the rules keep it.
    pub kept: bool,
    /// The rule that decided.
    pub rule: String,
    pub record: Record,
    pub text: String,
}

/// Weights below this are not worth a line.
const LEAST_TOLD: i32 = 2;

/// What the rules say of everything that was said in a session.
pub fn judge_words(story: &[Told]) -> Vec<Judgement> {
    let mut all = Vec::new();
    for told in story {
        let record = told.record;
        match told.kind {
            ToldKind::User => each_order(&told.text, |text, kept, why| {
                let Some(rule) = why.map(str::to_owned) else { return };
                let section = "Standing Constraints";
                all.push(Judgement { section, kept, rule, record, text: text.to_owned() });
            }),
            ToldKind::Agent => weighed(&told.text, |finding, weight, text| {
                if weight < LEAST_TOLD {
                    return;
                }
                let section = match finding {
                    Finding::Decision => "Key Decisions",
                    Finding::Rejected => "Rejected Paths",
                    Finding::Gotcha => "Warnings / Gotchas",
                };
                let rule = format!("its phrases weigh {weight}, {LEAST_WEIGHT} are needed");
                let kept = weight >= LEAST_WEIGHT;
                all.push(Judgement { section, kept, rule, record, text: text.to_owned() });
            }),
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_that_could_count_has_its_rule() {
        let told = |kind, text: &str| Told {
            record: 1,
            at: None,
            kind,
            text: text.to_owned(),
            outcome: None,
            exit: None,
            error: None,
        };
        let story = [
            told(ToldKind::User, "Never push. Don't commit yet. Fix it."),
            told(ToldKind::Agent, "I went with `i64` because floats round."),
            told(ToldKind::Agent, "Done."),
        ];
        let judged = judge_words(&story);
        let shown: Vec<_> =
            judged.iter().map(|one| (one.section, one.kept, one.text.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("Standing Constraints", true, "Never push."),
                ("Standing Constraints", false, "Don't commit yet."),
                ("Key Decisions", true, "I went with `i64` because floats round."),
            ]
        );
    }
}
