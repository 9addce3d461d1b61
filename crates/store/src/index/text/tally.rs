//! What the words of a query add up to, passage by passage.

use segue_core::search::Ranking;

use super::segment::MOST_TIMES;

/// What a term adds to a passage, by how often it is there and by how long the passage is.
pub(super) struct Weights(Vec<f32>);

impl Weights {
    const LENGTHS: usize = 256;

    pub(super) fn new(ranking: &Ranking, term: usize) -> Self {
        let all = (1..=MOST_TIMES).flat_map(|times| (0..=255).map(move |length| (times, length)));
        Self(all.map(|(times, length)| ranking.weight(term, times, length)).collect())
    }

    pub(super) fn of(&self, times: u32, length: u8) -> f32 {
        let times = (times.clamp(1, MOST_TIMES) - 1) as usize;
        self.0[times * Self::LENGTHS + usize::from(length)]
    }
}

/// What was found in each passage of a segment. Used again for the next one.
#[derive(Default)]
pub(super) struct Tally {
    weights: Vec<f32>,
    found: Vec<u64>,
    pub(super) touched: Vec<usize>,
}

impl Tally {
    /// Makes it empty, for so many passages.
    pub(super) fn clear(&mut self, passages: usize) {
        for passage in self.touched.drain(..) {
            self.weights[passage] = 0.0;
            self.found[passage] = 0;
        }
        if self.found.len() < passages {
            self.weights.resize(passages, 0.0);
            self.found.resize(passages, 0);
        }
    }

    pub(super) fn add(&mut self, passage: usize, term: usize, weight: f32) {
        let (Some(sum), Some(found)) = (self.weights.get_mut(passage), self.found.get_mut(passage))
        else {
            return;
        };
        if *found == 0 {
            self.touched.push(passage);
        }
        // A beginning stands for several words: they count once.
        if *found >> term & 1 == 0 {
            *sum += weight;
            *found |= 1 << term;
        }
    }

    pub(super) fn at(&self, passage: usize) -> (f32, u64) {
        (self.weights[passage], self.found[passage])
    }
}
