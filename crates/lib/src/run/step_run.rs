//! One attempt at a step, as the step sees it.

use std::time::Duration;

use segue_core::{HandoffId, ShortId, Timestamp, digest};

use crate::here::{Brake, Paused};

/// One attempt at a step, as the step sees it.
#[derive(Debug)]
#[non_exhaustive]
pub struct StepRun<'r> {
    /// The run's id.
    pub run: &'r str,
    /// The step's name.
    pub name: &'r str,
    /// Which attempt it is, from 1.
    pub attempt: u32,
    /// When the run began; the same in every attempt.
    pub began: Timestamp,
    pub(crate) timeout: Option<Duration>,
    pub(crate) brake: &'r Brake,
}

impl StepRun<'_> {
    /// An id for a handoff that this step writes: the same in every attempt, so that writing it
    /// again changes nothing.
    pub fn handoff_id(&self) -> HandoffId {
        let mut hash = digest(&format!("{}\0{}", self.run, self.name));
        loop {
            let number = u32::from_str_radix(&hash[..8], 16).unwrap_or_default();
            if let Some(short) = ShortId::from_random(number) {
                return HandoffId::new(self.began, short);
            }
            hash = digest(&hash);
        }
    }

    /// Whether a person has pulled the brake since.
    pub fn paused(&self) -> Option<Paused> {
        self.brake.pulled()
    }
}
