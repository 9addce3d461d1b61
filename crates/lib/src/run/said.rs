//! Whether the plan's file says something that no run has handed over.

use segue_core::digest;
use segue_core::run::{Checkpoint, Input};

/// Whether the plan's file says something that no run has handed over.
#[derive(Debug)]
pub(super) struct Said {
    /// What it says now.
    now: Option<String>,
    new: bool,
}

impl Said {
    pub(super) fn new(planned: Option<&Input>) -> Self {
        let text = |input: &Input| digest(&format!("{:?} {:?}", input.note, input.state));
        Self { now: planned.map(text), new: false }
    }

    /// An old run is finished here. Of one of agent-handover's nobody knows what the file said.
    pub(super) fn took(&mut self, old: &Checkpoint) {
        let then = old.head.as_ref().map(|head| head.planned.clone());
        self.new = then.is_some_and(|then| self.now.is_some() && then != self.now);
    }

    /// A new run has begun.
    pub(super) fn told(&mut self) {
        self.new = false;
    }

    pub(super) fn is_new(&self) -> bool {
        self.new
    }

    pub(super) fn planned(&self) -> Option<String> {
        self.now.clone()
    }
}
