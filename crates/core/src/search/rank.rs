//! How hits are ranked: the one place that says how much each thing counts.
//!
//! Words are weighed by BM25 over passages; a handoff counts as its best passage together with its
//! head (title, summary, tags, files). What covers more of the query is raised. Another signal would
//! be fused in [`Ranking::score`].

use super::terms::TermKind;

/// How fast more of the same word stops to count.
const K1: f32 = 0.9;
/// How much long passages are held against their length.
const B: f32 = 0.35;
/// How much the head counts beside the best passage.
const HEAD: f32 = 0.3;
/// How much of the score stays for a hit that covers next to nothing.
const UNCOVERED: f32 = 0.15;
/// What an identifier written exactly so adds, beside its parts.
const WHOLE: f32 = 0.6;
/// What a word counts that only begins as asked for.
const BEGINNING: f32 = 0.7;

/// How much more a decision counts for who asks for one.
const DECIDED: f32 = 1.3;
/// How much a word counts for coverage that is only in the head.
const ONLY_HEAD: f32 = 0.6;
/// How much more than other words a name counts that is nowhere.
const UNKNOWN_NAME: f32 = 2.0;
/// How much a pair of characters counts that is nowhere and may be no word.
const UNKNOWN_PAIR: f32 = 0.3;
/// What words that stand close together add.
const CLOSE: f32 = 1.5;
/// How much must be there for an answer: the share of the query that stands together, and something
/// for each word that was asked for (of many words fewer will do) and for the rarest that was found.
const ANSWER: f32 = 1.15;
const ANSWER_WORD: f32 = 0.1;
const ANSWER_RARE: f32 = 0.31;
/// A hit that has everything is an answer, however common the words.
const ALL: f32 = 0.99;
/// Where there are fewer passages, half of the words make an answer.
const FEW_PASSAGES: u64 = 300;
/// Of so many terms the coverage of every set of them is worked out beforehand.
const FEW_TERMS: usize = 10;
/// How many of the first hits may be the answer.
pub const FIRST: usize = 3;
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
    /// The coverage of every set of terms, if these are few.
    covers: Vec<f32>,
    passages: u64,
    /// What a word would weigh that is nowhere.
    nowhere: f32,
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
            (_, 0) if term.pair => idf(term) * UNKNOWN_PAIR,
            // Who asks for something by its name does not mean anything else.
            (_, 0) if term.name => idf(term) * UNKNOWN_NAME,
            _ => idf(term),
        });
        let shares: Vec<f32> = shares.collect();
        let sets = if terms.len() <= FEW_TERMS { 1_u64 << terms.len() } else { 0 };
        Self {
            weights: weights.collect(),
            covers: (0..sets).map(|found| covered_share(&shares, found)).collect(),
            shares,
            passages,
            nowhere: (1.0 + (all + 0.5) / 0.5).ln(),
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
        match self.covers.get(found as usize) {
            Some(covered) => *covered,
            None => covered_share(&self.shares, found),
        }
    }

    /// The same for a passage and its head, where a word that is only in the head counts less.
    fn covered(&self, evidence: Evidence) -> f32 {
        let passage = self.coverage(evidence.found);
        passage + ONLY_HEAD * (self.coverage(evidence.found | evidence.in_head) - passage)
    }

    /// The terms that are words of the query, how many of them were found, and in all.
    pub fn words_found(&self, found: u64) -> (usize, usize) {
        let words = || self.shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
        (words().filter(|(at, _)| found >> at & 1 == 1).count(), words().count())
    }

    /// The score of a handoff of whose words these stand together.
    pub fn close(&self, score: f32, together: u64) -> f32 {
        score * (1.0 + CLOSE * self.coverage(together))
    }

    /// The score of a handoff that decides something, where it was asked what was decided.
    pub fn decided(&self, score: f32) -> f32 {
        score * DECIDED
    }

    /// Whether what stands together in a hit or in its head, or anywhere in it, is enough for an answer.
    pub fn answers(&self, together: u64, anywhere: u64) -> bool {
        let (there, words) = self.words_found(anywhere);
        if words == 0 || self.coverage(anywhere) > ALL {
            return true;
        }
        // Where there is little, nothing can be said of what words are worth.
        if self.passages < FEW_PASSAGES {
            return there * 2 >= words;
        }
        let found = together;
        let covered = self.coverage(found);
        let found = self.shares.iter().enumerate().filter(|(at, _)| found >> at & 1 == 1);
        let rarest = found.map(|(_, share)| *share).fold(0.0, f32::max) / self.nowhere;
        covered + ANSWER_WORD * words as f32 + ANSWER_RARE * rarest >= ANSWER
    }

    /// The score of a handoff.
    pub fn score(&self, evidence: Evidence) -> f32 {
        let coverage = self.covered(evidence);
        (evidence.passage + HEAD * evidence.head) * (UNCOVERED + (1.0 - UNCOVERED) * coverage)
    }
}

/// The share of the terms that are in a set.
fn covered_share(shares: &[f32], found: u64) -> f32 {
    let total: f32 = shares.iter().sum();
    if total <= 0.0 {
        return if found == 0 { 0.0 } else { 1.0 };
    }
    let there = shares.iter().enumerate().filter(|(at, _)| found >> at & 1 == 1);
    there.map(|(_, share)| share).sum::<f32>() / total
}
