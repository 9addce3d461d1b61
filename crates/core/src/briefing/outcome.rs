//! What came of a request, in a few words.

use super::fill::{Budget, cut};

/// Tokens of what came of it.
const OUTCOME: usize = 40;
/// What leads from a request to what came of it.
const LEADS: &str = " → ";
/// Beginnings and ends of parts of it that say most, and those that say least.
const SAYS_MOST: &[&str] = &["committed ", "pushed", "opened ", "interrupted ", "not answered"];
const SAYS_HOW_IT_ENDED: &[&str] = &[" passed", " failed"];
const SAYS_LEAST: &[&str] = &["used "];
const LEAST_WORTH: u8 = 3;

/// A request without how its answer goes on: of what came of it the parts that say most, else the beginning of the
/// answer.
pub(super) fn briefly(text: &str, budget: &Budget) -> String {
    let arrow = format!("”{LEADS}");
    let Some(end) = text.find(&arrow).map(|at| at + '”'.len_utf8()) else {
        return text.to_owned();
    };
    let (request, came) = (&text[..end], &text[end + LEADS.len()..]);
    match in_few_words(came, budget) {
        Some(came) => format!("{request}{LEADS}{came}"),
        None => request.to_owned(),
    }
}

/// The parts of an outcome that say most, in their order.
fn in_few_words(came: &str, budget: &Budget) -> Option<String> {
    let (facts, answer) = parts(came);
    let worth = |part: &str| match part {
        part if SAYS_MOST.iter().any(|begins| part.starts_with(begins)) => 0,
        part if SAYS_HOW_IT_ENDED.iter().any(|ends| part.ends_with(ends)) => 1,
        part if SAYS_LEAST.iter().any(|begins| part.starts_with(begins)) => LEAST_WORTH,
        _ => 2,
    };
    let says_more = facts.iter().any(|part| worth(part) < LEAST_WORTH);
    let mut by_worth: Vec<usize> = (0..facts.len()).collect();
    by_worth.retain(|at| !says_more || worth(facts[*at]) < LEAST_WORTH);
    by_worth.sort_by_key(|at| worth(facts[*at]));
    let mut taken = vec![None; facts.len()];
    let mut free = OUTCOME;
    for at in by_worth {
        let whole = Some(facts[at].to_owned()).filter(|fact| budget.cost(fact) < free);
        let said = whole.or_else(|| names(facts[at], free, budget));
        free = free.saturating_sub(said.as_ref().map_or(0, |said| budget.cost(said) + 1));
        taken[at] = said;
    }
    let mut said: Vec<String> = taken.into_iter().flatten().collect();
    if !says_more {
        said.extend(answer.and_then(|answer| cut(answer, free, budget)));
    }
    (!said.is_empty()).then(|| said.join("; "))
}

/// The names in a part that have room, the short ones first: `edited `a`, `b` and 3 more`.
fn names(part: &str, room: usize, budget: &Budget) -> Option<String> {
    let (verb, listed) = part.split_once(" `")?;
    let (listed, more) = listed.rsplit_once('`')?;
    let others = more.trim_start_matches(" and ").trim_end_matches(" more");
    let others: usize = if more.is_empty() { 0 } else { others.parse().ok()? };
    let all: Vec<&str> = listed.split("`, `").collect();
    let mut by_length: Vec<usize> = (0..all.len()).collect();
    by_length.sort_by_key(|at| all[*at].len());
    (1..all.len()).rev().find_map(|count| {
        let mut kept = by_length[..count].to_vec();
        kept.sort_unstable();
        let kept: Vec<&str> = kept.into_iter().map(|at| all[at]).collect();
        let more = all.len() - count + others;
        let text = format!("{verb} `{}` and {more} more", kept.join("`, `"));
        (budget.cost(&text) < room).then_some(text)
    })
}

/// The parts of what came of a request, and the answer behind them.
fn parts(came: &str) -> (Vec<&str>, Option<&str>) {
    let mut facts = Vec::new();
    let mut rest = came;
    while !rest.starts_with('“') {
        let mut in_code = false;
        let end = rest.char_indices().find(|(at, c)| {
            in_code ^= *c == '`';
            !in_code && rest[*at..].starts_with("; ")
        });
        let Some((end, _)) = end else {
            facts.push(rest);
            return (facts, None);
        };
        facts.push(&rest[..end]);
        rest = &rest[end + 2..];
    }
    (facts, Some(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(text: &str) -> String {
        briefly(text, &Budget { free: 0 })
    }

    #[test]
    fn what_came_of_a_request_stays_in_a_few_words() {
        let answer =
            "“All of it is in, and here is a long summary of everything that was done on the way.”";
        let edited =
            "edited `src/a.rs`, `src/b.rs`, `src/c.rs`, `src/d.rs`, `docs/e.md`, `docs/f.md`";
        let text = format!(
            "- “Fix it” → used `superpowers:writing-plans`; {edited}; committed `3f2a9c1`; `cargo test; true` passed; {answer}"
        );
        assert_eq!(
            brief(&text),
            "- “Fix it” → edited `src/a.rs`, `src/b.rs` and 4 more; committed `3f2a9c1`; \
             `cargo test; true` passed"
        );
        let asked = "- “Why?” → used `brainstorming`; “Because of the disk.”";
        assert_eq!(brief(asked), asked);
        let because = "- “Why?” → “Because of the disk.”";
        assert_eq!(brief(because), because);
        assert_eq!(
            brief("- “Fix it” → interrupted by the user"),
            "- “Fix it” → interrupted by the user"
        );
        assert_eq!(brief("- “Fix it”"), "- “Fix it”");
        let long = format!("- “{}”", "Look at the orders of the shop. ".repeat(12));
        assert_eq!(brief(&format!("{long} → pushed; {answer}")), format!("{long} → pushed"));
    }

    proptest::proptest! {
        #[test]
        fn any_request_can_be_told_briefly(request: String, came: String) {
            let _ = briefly(&format!("- “{request}” → {came}"), &Budget { free: 0 });
        }
    }
}
