//! The measures: where the right one stands, what stands above it, what is said when nothing is right.

use serde::Serialize;

use crate::question::{Half, Kind, Question};

/// One result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) id: String,
    pub(crate) title: String,
    /// Whether the search says that it does not hold any more.
    pub(crate) marked: bool,
}

/// How one question was answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Outcome {
    /// Where the first right one stands, from 1.
    pub(crate) rank: Option<usize>,
    pub(crate) superseded_above: bool,
    pub(crate) returned: usize,
    pub(crate) milliseconds: f64,
}

impl Outcome {
    pub(crate) fn of(question: &Question, hits: &[Hit], milliseconds: f64) -> Self {
        let right = hits.iter().position(|hit| question.answers.contains(&hit.id));
        let old = |hit: &Hit| question.superseded.contains(&hit.id);
        let superseded_above = match right {
            Some(at) => hits[..at].iter().any(old),
            None => hits.iter().any(|hit| old(hit) && !hit.marked),
        };
        Self { rank: right.map(|at| at + 1), superseded_above, returned: hits.len(), milliseconds }
    }

    /// Whether it is what one wants to see first.
    pub(crate) fn is_right(&self, question: &Question) -> bool {
        match question.kind {
            Kind::None => self.returned == 0,
            _ => self.rank == Some(1),
        }
    }
}

/// A row of the table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) questions: usize,
    /// Of those that have an answer, and so are the next three.
    pub(crate) answerable: usize,
    pub(crate) hit_at_1: f64,
    pub(crate) hit_at_5: f64,
    pub(crate) mrr: f64,
    /// Of the questions for what holds, now or then.
    pub(crate) versioned: usize,
    pub(crate) superseded_above: usize,
    /// Of those that nothing answers.
    pub(crate) unanswerable: usize,
    pub(crate) false_answers: usize,
    /// Nothing returned though there is an answer.
    pub(crate) missed: usize,
    pub(crate) median_ms: f64,
    pub(crate) slowest_ms: f64,
}

impl Row {
    pub(crate) fn of<'a>(
        name: &str,
        answered: impl Iterator<Item = &'a (Question, Outcome)> + Clone,
    ) -> Self {
        let count = |wanted: &dyn Fn(&Question, &Outcome) -> bool| {
            answered.clone().filter(|(question, outcome)| wanted(question, outcome)).count()
        };
        let answerable = count(&|question, _| question.kind != Kind::None);
        let share = |part: f64| if answerable == 0 { 0.0 } else { part / answerable as f64 };
        let within = |last: usize| {
            let hits = count(&|_, outcome| outcome.rank.is_some_and(|rank| rank <= last));
            share(hits as f64)
        };
        let reciprocal: f64 = answered
            .clone()
            .filter_map(|(_, outcome)| outcome.rank)
            .fold(0.0, |sum, rank| sum + 1.0 / rank as f64);
        let versioned = |question: &Question| matches!(question.kind, Kind::Current | Kind::AsOf);
        let mut times: Vec<f64> =
            answered.clone().map(|(_, outcome)| outcome.milliseconds).collect();
        times.sort_by(f64::total_cmp);
        Self {
            name: name.to_owned(),
            questions: times.len(),
            answerable,
            hit_at_1: within(1),
            hit_at_5: within(5),
            mrr: share(reciprocal),
            versioned: count(&|question, _| versioned(question)),
            superseded_above: count(&|question, outcome| {
                versioned(question) && outcome.superseded_above
            }),
            unanswerable: count(&|question, _| question.kind == Kind::None),
            false_answers: count(&|question, outcome| {
                question.kind == Kind::None && outcome.returned > 0
            }),
            missed: count(&|question, outcome| {
                question.kind != Kind::None && outcome.returned == 0
            }),
            median_ms: times.get(times.len() / 2).copied().unwrap_or_default(),
            slowest_ms: times.last().copied().unwrap_or_default(),
        }
    }
}

/// The rows of one half: each kind that was asked, then all.
pub(crate) fn rows(half: Half, answered: &[(Question, Outcome)]) -> Vec<Row> {
    let ours = answered.iter().filter(|(question, _)| question.half == half);
    let mut rows: Vec<Row> = Kind::ALL
        .iter()
        .map(|kind| {
            let same = ours.clone().filter(|(question, _)| question.kind == *kind);
            Row::of(kind.as_str(), same.collect::<Vec<_>>().into_iter())
        })
        .filter(|row| row.questions > 0)
        .collect();
    rows.push(Row::of("all", ours));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(kind: Kind, answers: &[&str], superseded: &[&str]) -> Question {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Question {
            id: "q".into(),
            kind,
            sort: String::new(),
            half: Half::Tune,
            project: "p".into(),
            text: "t".into(),
            as_of: None,
            answers: texts(answers),
            superseded: texts(superseded),
            proof: String::new(),
        }
    }

    fn hits(ids: &[&str]) -> Vec<Hit> {
        ids.iter()
            .map(|id| Hit {
                id: id.trim_end_matches('!').to_owned(),
                title: String::new(),
                marked: id.ends_with('!'),
            })
            .collect()
    }

    fn answered(kind: Kind, superseded: &[&str], given: &[&str]) -> (Question, Outcome) {
        let answers: &[&str] = if kind == Kind::None { &[] } else { &["right", "also-right"] };
        let question = question(kind, answers, superseded);
        let outcome = Outcome::of(&question, &hits(given), 2.0);
        (question, outcome)
    }

    fn row(cases: &[(Question, Outcome)]) -> Row {
        Row::of("all", cases.iter())
    }

    #[test]
    fn hit_at_1_counts_what_stands_first() {
        let cases = [
            answered(Kind::Keyword, &[], &["right", "x"]),
            answered(Kind::Keyword, &[], &["also-right"]),
            answered(Kind::Keyword, &[], &["x", "right"]),
            answered(Kind::Keyword, &[], &[]),
        ];
        assert_eq!(row(&cases).hit_at_1, 0.5);
    }

    #[test]
    fn hit_at_5_counts_the_first_five() {
        let cases = [
            answered(Kind::Keyword, &[], &["a", "b", "c", "d", "right"]),
            answered(Kind::Keyword, &[], &["a", "b", "c", "d", "e", "right"]),
        ];
        assert_eq!(row(&cases).hit_at_5, 0.5);
    }

    #[test]
    fn mrr_is_the_mean_of_one_through_the_rank() {
        let cases = [
            answered(Kind::Question, &[], &["right"]),
            answered(Kind::Question, &[], &["a", "right", "also-right"]),
            answered(Kind::Question, &[], &["a"]),
            answered(Kind::Question, &[], &["a", "b", "c", "right"]),
        ];
        assert_eq!(row(&cases).mrr, (1.0 + 0.5 + 0.0 + 0.25) / 4.0);
    }

    #[test]
    fn superseded_above_is_an_old_one_before_the_right_one() {
        let case = |given: &[&str]| answered(Kind::Current, &["old"], given).1.superseded_above;
        assert!(case(&["old", "right"]));
        assert!(case(&["x", "old!", "right"]), "a mark does not excuse the order");
        assert!(!case(&["right", "old"]));
        assert!(!case(&["x", "right"]));
    }

    #[test]
    fn an_old_one_without_the_right_one_counts_unless_it_is_marked() {
        let case = |given: &[&str]| answered(Kind::AsOf, &["old"], given).1.superseded_above;
        assert!(case(&["x", "old"]));
        assert!(!case(&["x", "old!"]));
        assert!(!case(&["x"]));
        assert!(!case(&[]));
    }

    #[test]
    fn superseded_above_is_counted_over_what_has_versions() {
        let cases = [
            answered(Kind::Current, &["old"], &["old", "right"]),
            answered(Kind::AsOf, &["old"], &["right"]),
            answered(Kind::Keyword, &[], &["right"]),
        ];
        let row = row(&cases);
        assert_eq!((row.superseded_above, row.versioned), (1, 2));
    }

    #[test]
    fn false_answers_are_any_where_none_is_right() {
        let cases = [
            answered(Kind::None, &[], &["x"]),
            answered(Kind::None, &[], &[]),
            answered(Kind::Keyword, &[], &["x"]),
        ];
        let row = row(&cases);
        assert_eq!((row.false_answers, row.unanswerable), (1, 2));
        assert_eq!(row.answerable, 1, "shares are of what has an answer");
    }

    #[test]
    fn missed_is_nothing_where_something_is_right() {
        let cases = [
            answered(Kind::Keyword, &[], &[]),
            answered(Kind::Keyword, &[], &["x"]),
            answered(Kind::None, &[], &[]),
        ];
        assert_eq!(row(&cases).missed, 1);
    }

    #[test]
    fn time_is_the_median_and_the_slowest() {
        let mut cases: Vec<(Question, Outcome)> =
            (0..3).map(|_| answered(Kind::Keyword, &[], &[])).collect();
        cases[0].1.milliseconds = 9.0;
        cases[1].1.milliseconds = 1.0;
        let row = row(&cases);
        assert_eq!((row.median_ms, row.slowest_ms), (2.0, 9.0));
    }

    #[test]
    fn rows_are_of_one_half_and_the_last_is_of_all() {
        let mut cases = vec![
            answered(Kind::Keyword, &[], &["right"]),
            answered(Kind::None, &[], &[]),
            answered(Kind::Keyword, &[], &[]),
        ];
        cases[2].0.half = Half::HeldOut;
        let names = |half| -> Vec<(String, usize)> {
            rows(half, &cases).into_iter().map(|row| (row.name, row.questions)).collect()
        };
        let tune = [("keyword", 1), ("none", 1), ("all", 2)].map(|(n, q)| (n.to_owned(), q));
        assert_eq!(names(Half::Tune), tune);
        let held = [("keyword", 1), ("all", 1)].map(|(n, q)| (n.to_owned(), q));
        assert_eq!(names(Half::HeldOut), held);
    }
}
