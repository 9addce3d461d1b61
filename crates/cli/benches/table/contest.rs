//! Times processes against each other: one run of each in turn, so that whatever else the machine
//! does hits all of them, `/bin/true` first.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::Failure;

/// Runs of each that are not counted: caches get warm, and what a save left to the next reader is done.
const WARM_UP: usize = 3;
/// Runs of each that a slow contest gets in any case.
const FEWEST: usize = 5;
/// A contest stops early after this.
const BUDGET: Duration = Duration::from_secs(12);

/// One process to be timed. The command is made anew for each run, outside the time.
pub(crate) struct Entry<'a> {
    pub(crate) what: String,
    pub(crate) command: Box<dyn Fn() -> Result<Command, Failure> + 'a>,
}

/// The times of one entry, and those of `/bin/true` in the same contest.
#[derive(Clone)]
pub(crate) struct Timed {
    pub(crate) what: String,
    pub(crate) runs: usize,
    pub(crate) own: Spread,
    pub(crate) empty: Spread,
}

/// Milliseconds.
#[derive(Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) min: f64,
    pub(crate) median: f64,
    pub(crate) p95: f64,
}

impl Spread {
    fn of(times: &mut [Duration]) -> Self {
        times.sort_unstable();
        let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e3;
        Self { min: at(0), median: at(50), p95: at(95) }
    }
}

/// One thing to be timed that times itself.
pub(crate) struct Lap<'a> {
    pub(crate) what: String,
    pub(crate) time: Box<dyn Fn() -> Result<Duration, Failure> + 'a>,
}

/// How often each is run.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) warm_up: usize,
    pub(crate) fewest: usize,
    pub(crate) most: usize,
}

/// Runs every entry in turn, at most `runs` rounds.
pub(crate) fn run(
    empty: &dyn Fn() -> Result<Command, Failure>,
    entries: &[Entry<'_>],
    runs: usize,
) -> Result<Vec<Timed>, Failure> {
    let laps: Vec<Lap<'_>> = entries
        .iter()
        .map(|entry| Lap { what: entry.what.clone(), time: Box::new(|| once((entry.command)()?)) })
        .collect();
    race(empty, &laps, Pace { warm_up: WARM_UP, fewest: FEWEST, most: runs })
}

/// Runs every lap in turn.
pub(crate) fn race(
    empty: &dyn Fn() -> Result<Command, Failure>,
    laps: &[Lap<'_>],
    pace: Pace,
) -> Result<Vec<Timed>, Failure> {
    // Else the syncs that are timed would pay for what was written before.
    #[cfg(target_os = "linux")]
    rustix::fs::sync();
    let mut times = vec![Vec::with_capacity(pace.most); laps.len() + 1];
    let mut begun = Instant::now();
    for round in 0..pace.warm_up + pace.most {
        if round == pace.warm_up {
            begun = Instant::now();
        }
        if round >= pace.warm_up + pace.fewest && begun.elapsed() > BUDGET {
            break;
        }
        let mut note = |lane: usize, time: Duration| {
            if round >= pace.warm_up {
                times[lane].push(time);
            }
        };
        note(0, once(empty()?)?);
        for (at, lap) in laps.iter().enumerate() {
            note(at + 1, (lap.time)()?);
        }
    }
    let empty = Spread::of(&mut times[0]);
    let timed = laps.iter().zip(&mut times[1..]).map(|(lap, times)| Timed {
        what: lap.what.clone(),
        runs: times.len(),
        own: Spread::of(times),
        empty,
    });
    Ok(timed.collect())
}

pub(crate) fn once(mut command: Command) -> Result<Duration, Failure> {
    let begun = Instant::now();
    let status = command.status()?;
    let time = begun.elapsed();
    // `check` answers by its exit code: 2 is a run that completed.
    let answered = status.code() == Some(2) && command.get_args().any(|word| word == "check");
    if !status.success() && !answered {
        return Err(format!("{command:?} ended with {status}").into());
    }
    Ok(time)
}
