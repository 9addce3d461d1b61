//! How hits are ranked: the one place that says how much each thing counts.
//!
//! Words are weighed by BM25 over passages; a handoff counts as its best passage together with its
//! head (title, summary, tags, files). What covers more of the query is raised. Another signal would
//! be fused in [`Ranking::score`].

use super::terms::TermKind;

/// How fast more of the same word stops to count.
const K1: f32 = 1.2;
/// How much long passages are held against their length.
const B: f32 = 0.4;
/// How much the head counts beside the best passage.
const HEAD: f32 = 0.5;
/// How much of the score stays for a hit that covers next to nothing.
const UNCOVERED: f32 = 0.25;
/// What an identifier written exactly so adds, beside its parts.
const WHOLE: f32 = 0.6;
/// What a word counts that only begins as asked for.
const BEGINNING: f32 = 0.7;

/// How much a word counts for coverage that is only in the head.
const ONLY_HEAD: f32 = 0.6;
/// How much more than other words a name counts that is nowhere.
const UNKNOWN_NAME: f32 = 2.0;
/// What words that stand close together add.
const CLOSE: f32 = 0.4;
/// The share of a query, by weight, that a hit has to cover to be an answer.
const ANSWER: f32 = 0.4;
/// What is left of the score of something that no longer holds.
pub const SUPERSEDED: f32 = 0.6;
/// How well something that holds must fit, beside what has expired, to be shown instead of it.
pub const INSTEAD: f32 = 0.75;

/// What is known of a term in the scope that is searched.
#[derive(Clone, Copy, Debug)]
pub struct TermWeight {
    pub kind: TermKind,
    /// Whether it looks like the name of something.
    pub name: bool,
    /// Whether it is a pair of characters that need not be a word.
    pub pair: bool,
    /// Passages that have it.
    pub passages: u64,
    /// Whether it was found only as the beginning of others.
    pub beginning: bool,
}

/// What was found of a query in one handoff.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Weights of the terms in its best passage.
    pub passage: f32,
    /// Weights of those in its head.
    pub head: f32,
    /// Which terms are in the passage, a bit each.
    pub found: u64,
    /// Which are in the head.
    pub in_head: u64,
}

/// The weights of one query in one scope.
#[derive(Clone, Debug)]
pub struct Ranking {
    weights: Vec<f32>,
    /// What each counts for coverage.
    shares: Vec<f32>,
    /// Which terms occur at all, a bit each.
    occurring: u64,
    average: f32,
}

impl Ranking {
    /// Weighs the terms of a query, `words` being the length of all passages together.
    pub fn new(terms: &[TermWeight], passages: u64, words: u64) -> Self {
        let all = passages.max(1) as f32;
        let idf = |term: &TermWeight| {
            let with = term.passages as f32;
            (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln()
        };
        let weights = terms.iter().map(|term| {
            let kind = if term.kind == TermKind::Whole { WHOLE } else { 1.0 };
            idf(term) * kind * if term.beginning { BEGINNING } else { 1.0 }
        });
        let shares = terms.iter().map(|term| match (term.kind, term.passages) {
            (TermKind::Whole, _) => 0.0,
            (_, 0) if term.pair => 0.0,
            // Who asks for something by its name does not mean anything else.
            (_, 0) if term.name => idf(term) * UNKNOWN_NAME,
            _ => idf(term),
        });
        Self {
            weights: weights.collect(),
            shares: shares.collect(),
            occurring: terms
                .iter()
                .enumerate()
                .filter(|(_, term)| term.passages > 0)
                .fold(0, |all, (at, _)| all | 1 << at),
            average: words as f32 / all,
        }
    }

    /// What a term adds to a passage of this length that has it so often.
    pub fn weight(&self, term: usize, times: u32, length: u32) -> f32 {
        let times = times as f32;
        let norm = 1.0 - B + B * length as f32 / self.average.max(1.0);
        self.weights[term] * times * (K1 + 1.0) / (times + K1 * norm)
    }

    /// How much of what was asked for is there, by weight, from 0 to 1.
    pub fn coverage(&self, found: u64) -> f32 {
        let total: f32 = self.shares.iter().sum();
        if total <= 0.0 {
            return if found == 0 { 0.0 } else { 1.0 };
        }
        let there = self.shares.iter().enumerate().filter(|(at, _)| found >> at & 1 == 1);
        there.map(|(_, share)| share).sum::<f32>() / total
    }

    /// The same for a passage and its head, where a word that is only in the head counts less.
    fn covered(&self, evidence: Evidence) -> f32 {
        let passage = self.coverage(evidence.found);
        passage + ONLY_HEAD * (self.coverage(evidence.found | evidence.in_head) - passage)
    }

    /// How much of those words that occur at all is in a passage and its head.
    pub fn known(&self, evidence: Evidence) -> f32 {
        let all = self.coverage(self.occurring);
        if all > 0.0 { self.covered(evidence) / all } else { 0.0 }
    }

    /// The terms that are words of the query, how many of them were found, and in all.
    pub fn words_found(&self, found: u64) -> (usize, usize) {
        let words = || self.shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
        (words().filter(|(at, _)| found >> at & 1 == 1).count(), words().count())
    }

    /// The score of a handoff whose words stand in so short a stretch of one passage.
    pub fn close(&self, score: f32, found: u64, spread: usize) -> f32 {
        let (words, _) = self.words_found(found);
        if words < 2 || spread == usize::MAX {
            return score;
        }
        // Eight bytes a word is as close as words get.
        let closeness = (8 * words) as f32 / spread.max(8 * words) as f32;
        score * (1.0 + CLOSE * closeness)
    }

    /// Whether what was found is enough to be an answer.
    pub fn answers(&self, evidence: Evidence) -> bool {
        self.shares.is_empty() || self.covered(evidence) >= ANSWER
    }

    /// The score of a handoff.
    pub fn score(&self, evidence: Evidence) -> f32 {
        let coverage = self.covered(evidence);
        (evidence.passage + HEAD * evidence.head) * (UNCOVERED + (1.0 - UNCOVERED) * coverage)
    }
}
