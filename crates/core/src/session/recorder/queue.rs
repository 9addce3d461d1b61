//! What the user types while the agent is at work. A transcript may tell it when it is typed and again
//! when the agent reads it.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::super::PromptWay;
use super::{MESSAGE, Recorder, cut};

/// Messages that are kept: the newest.
const MOST: usize = 20;
/// Bytes kept of one that nobody typed.
const UNTYPED: usize = 200;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Queue {
    /// What waits to be read by the agent, and whether the user typed it.
    waiting: VecDeque<(String, bool)>,
    /// Told from here, and not yet where the agent read it.
    told: VecDeque<String>,
}

impl Recorder {
    /// Something waits for the agent, which the user typed or not.
    pub fn queued(&mut self, text: &str, typed: bool) {
        if !self.aside {
            let text = if typed { cut(text.trim(), MESSAGE) } else { cut(text.trim(), UNTYPED) };
            push(&mut self.queue.waiting, (text.into_owned(), typed));
        }
    }

    /// What waited longest, or this, goes to the agent in a record of its own.
    pub fn unqueued(&mut self, text: Option<&str>) {
        self.take_queued(text);
    }

    /// What waited longest, or this, was read by the agent in the middle of its work.
    pub fn read_queued(&mut self, text: Option<&str>) {
        if let Some((text, true)) = self.take_queued(text) {
            push(&mut self.queue.told, text.clone());
            self.asked(&text, PromptWay::Typed);
        }
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

    fn take_queued(&mut self, text: Option<&str>) -> Option<(String, bool)> {
        let waiting = &mut self.queue.waiting;
        let Some(text) = text.map(str::trim) else { return waiting.pop_front() };
        let is_it = |(one, typed): &(String, bool)| {
            *one == cut(text, if *typed { MESSAGE } else { UNTYPED })
        };
        waiting.iter().position(is_it).and_then(|at| waiting.remove(at))
    }
}

fn push<T>(list: &mut VecDeque<T>, one: T) {
    list.push_back(one);
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
        for (text, typed) in
            [("<note>", false), ("one", true), ("two", true), ("three", true), ("four", true)]
        {
            recorder.queued(text, typed);
        }
        // What a machine wrote and was read is no prompt.
        recorder.read_queued(None);
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
