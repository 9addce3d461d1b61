//! Which projects a store has, how large each is, and when each handoff was left.

use std::collections::BTreeSet;

use segue_core::{HandoffId, Key, KeyKind, ProjectId, ShortId, Timestamp};

use crate::Failure;
use crate::invent;
use crate::rng::Rng;

/// The first moment that no handoff reaches: 2026-11-01.
const END: i64 = 1_793_491_200_000_000;
const MONTH: i64 = 2_629_800_000_000;
/// The project of a fixed size that large stores have.
const FIXED: (&str, usize) = ("bench-10k", 10_000);
const FIXED_FROM: usize = 100_000;

/// What a store is made from.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) projects: Vec<Project>,
    pub(crate) months: usize,
}

/// One project of a store.
#[derive(Clone, Debug)]
pub(crate) struct Project {
    pub(crate) number: usize,
    pub(crate) label: String,
    pub(crate) id: ProjectId,
    pub(crate) origin: String,
    /// Which of the domains it is about.
    pub(crate) domain: usize,
    pub(crate) handoffs: usize,
    /// How many handoffs the projects before it have.
    before: usize,
    start: i64,
    step: i64,
    seed: u64,
}

impl Plan {
    pub(crate) fn new(
        seed: u64,
        handoffs: usize,
        projects: usize,
        months: usize,
        domains: usize,
    ) -> Result<Self, Failure> {
        if projects == 0 || handoffs < projects || !(1..=360).contains(&months) {
            return Err("take at least one project, a handoff for each, and 1 to 360 months".into());
        }
        if handoffs > 1 << 28 {
            return Err("take at most 268435456 handoffs: their short ids run out".into());
        }
        let mut rng = Rng::of(seed, &[0]);
        let mut order: Vec<usize> = (0..domains).collect();
        rng.shuffle(&mut order);
        let mut taken = BTreeSet::new();
        let mut before = 0;
        let mut planned = Vec::new();
        for (number, size) in sizes(handoffs, projects).into_iter().enumerate() {
            let fixed = number == 1 && handoffs >= FIXED_FROM && projects > 1;
            let mut label = invent::label(&mut rng);
            while !taken.insert(label.clone()) {
                label = invent::label(&mut rng);
            }
            if fixed {
                label = FIXED.0.to_owned();
            }
            let origin = format!("example.org/team/{label}");
            let keys = [Key::new(KeyKind::Origin, origin.clone())];
            // Most projects began later than the store, and go on to its end.
            let span = MONTH * i64::try_from(months)?;
            let late = i64::try_from(rng.skewed(60))?;
            let start = END - span + span / 100 * late;
            planned.push(Project {
                number,
                id: ProjectId::derive(&label, &keys, 0),
                label,
                origin,
                domain: order[number % domains],
                handoffs: size,
                before,
                start,
                step: (END - start) / i64::try_from(size)?,
                seed,
            });
            before += size;
        }
        Ok(Self { seed, projects: planned, months })
    }
}

impl Project {
    /// When its n-th handoff was left; later ones have later times.
    pub(crate) fn created(&self, n: usize) -> Result<Timestamp, Failure> {
        let jitter = Rng::of(self.seed, &[1, self.number as u64, n as u64]).below(1 << 40) as i64;
        let micros = self.start + self.step * i64::try_from(n)? + jitter % self.step.max(1);
        Timestamp::from_micros(micros).ok_or_else(|| "a time out of range".into())
    }

    pub(crate) fn id_of(&self, n: usize) -> Result<HandoffId, Failure> {
        let short = short(self.before + n).ok_or("a short id without a letter")?;
        Ok(HandoffId::new(self.created(n)?, short))
    }
}

/// A short id for each number, none twice: a permutation that is applied until a letter comes out.
fn short(n: usize) -> Option<ShortId> {
    let mut word = 0xa000_0000 | u32::try_from(n).ok()?;
    loop {
        word = (word ^ (word >> 15)).wrapping_mul(0x2c1b_3c6d);
        word = (word ^ (word >> 12)).wrapping_mul(0x297a_2d39);
        word ^= word >> 15;
        if let Some(short) = ShortId::from_random(word) {
            return Some(short);
        }
    }
}

/// Unequal sizes that sum up: of two hundred projects the largest has a twentieth.
fn sizes(handoffs: usize, projects: usize) -> Vec<usize> {
    let fixed = handoffs >= FIXED_FROM && projects > 1;
    let free = if fixed { handoffs - FIXED.1 } else { handoffs } - projects;
    let weights: Vec<f64> = (0..projects).map(|rank| 1.0 / (rank as f64 + 5.0)).collect();
    let weights = |rank: usize| if fixed && rank == 1 { 0.0 } else { weights[rank] };
    let sum: f64 = (0..projects).map(weights).sum();
    let mut sizes: Vec<usize> =
        (0..projects).map(|rank| 1 + (weights(rank) / sum * free as f64) as usize).collect();
    if fixed {
        sizes[1] = FIXED.1;
    }
    sizes[0] += handoffs - sizes.iter().sum::<usize>();
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_sum_up_and_the_largest_has_about_a_twentieth() {
        for (handoffs, projects) in [(24, 24), (6_000, 24), (99_999, 200), (1_000_000, 200)] {
            let sizes = sizes(handoffs, projects);
            assert_eq!(sizes.iter().sum::<usize>(), handoffs);
            assert!(sizes.iter().all(|size| *size > 0));
        }
        let large = sizes(1_000_000, 200);
        assert!((45_000..60_000).contains(&large[0]), "{}", large[0]);
        assert_eq!(large[1], 10_000);
    }

    #[test]
    fn short_ids_are_all_different() {
        let ids: BTreeSet<String> = (0..200_000).map(|n| short(n).unwrap().to_string()).collect();
        assert_eq!(ids.len(), 200_000);
    }

    #[test]
    fn times_go_up_and_end_in_october() {
        let plan = Plan::new(3, 2_000, 8, 36, 26).unwrap();
        for project in &plan.projects {
            let times: Vec<Timestamp> =
                (0..project.handoffs).map(|n| project.created(n).unwrap()).collect();
            assert!(times.is_sorted_by(|a, b| a < b), "{}", project.label);
            assert!(times.iter().all(|time| time.month().as_str() <= "2026-10"));
        }
    }
}
