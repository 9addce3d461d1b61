//! What the user types while the agent is at work. A transcript may tell it when it is typed and again
//! when the agent reads it.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::super::PromptWay;
use super::{MESSAGE, Recorder, cut};

/// Messages that are kept: the newest.
const MOST: usize = 20;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Queue {
    /// Typed, and not read by the agent.
    waiting: VecDeque<String>,
    /// Told from here, and not yet where the agent read it.
    told: VecDeque<String>,
}

impl Recorder {
    /// The user typed something that waits.
    pub fn queued(&mut self, text: &str) {
        if !self.aside && !text.trim().is_empty() {
            push(&mut self.queue.waiting, text);
        }
    }

    /// What waited longest, or this, goes to the agent in a record of its own.
    pub fn unqueued(&mut self, text: Option<&str>) {
        self.take_queued(text);
    }

    /// What waited longest, or this, was read by the agent in the middle of its work.
    pub fn read_queued(&mut self, text: Option<&str>) {
        let Some(text) = self.take_queued(text) else { return };
        push(&mut self.queue.told, &text);
        self.asked(&text, PromptWay::Typed);
    }

    /// The user took back what waits.
    pub fn dropped_queue(&mut self) {
        self.queue.waiting.clear();
    }

    /// Whether something that is told now was told when it left the queue. Asking makes it new again.
    pub fn was_read_queued(&mut self, text: &str) -> bool {
        let text = cut(text.trim(), MESSAGE);
        let at = self.queue.told.iter().position(|told| *told == text);
        at.and_then(|at| self.queue.told.remove(at)).is_some()
    }

    fn take_queued(&mut self, text: Option<&str>) -> Option<String> {
        let waiting = &mut self.queue.waiting;
        match text.map(|text| cut(text.trim(), MESSAGE)) {
            Some(text) => {
                waiting.iter().position(|one| *one == text).and_then(|at| waiting.remove(at))
            }
            None => waiting.pop_front(),
        }
    }
}

fn push(list: &mut VecDeque<String>, text: &str) {
    list.push_back(cut(text.trim(), MESSAGE).into_owned());
    if list.len() > MOST {
        list.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_while_the_agent_worked_counts_once() {
        let mut recorder = Recorder::new("x");
        for text in ["one", "two", "three", "four"] {
            recorder.queued(text);
        }
        recorder.unqueued(None);
        recorder.read_queued(Some("three"));
        assert!(recorder.was_read_queued(" three "));
        assert!(!recorder.was_read_queued("three") && !recorder.was_read_queued("one"));
        recorder.read_queued(None);
        recorder.dropped_queue();
        recorder.read_queued(None);
        let prompts: Vec<&str> =
            recorder.session().prompts.iter().map(|prompt| &*prompt.text).collect();
        assert_eq!(prompts, ["three", "two"]);
    }
}
