//! Random numbers that are the same on every machine: SplitMix64.

/// A stream of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    /// The stream of this seed and these numbers: each combination has one of its own.
    pub(crate) fn of(seed: u64, parts: &[u64]) -> Self {
        let state = parts.iter().fold(mix(seed), |state, part| mix(state ^ mix(*part)));
        Self(state)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Less than `end`; 0 if that is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    pub(crate) fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last + 1 - first)
    }

    pub(crate) fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    /// Less than `end`, small numbers far more often than large ones.
    pub(crate) fn skewed(&mut self, end: usize) -> usize {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        ((unit * unit * unit * end as f64) as usize).min(end.saturating_sub(1))
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_their_range_and_reach_its_ends() {
        let mut rng = Rng::of(1, &[2]);
        let drawn: Vec<usize> = (0..1000).map(|_| rng.between(3, 7)).collect();
        assert_eq!(drawn.iter().min(), Some(&3));
        assert_eq!(drawn.iter().max(), Some(&7));
        assert!((0..1000).all(|_| rng.skewed(5) < 5));
    }

    #[test]
    fn the_same_seed_gives_the_same_stream() {
        let stream = |seed| {
            let mut rng = Rng::of(seed, &[1, 2]);
            [rng.next(), rng.next()]
        };
        assert_eq!(stream(9), stream(9));
        assert_ne!(stream(9), stream(10));
    }
}
