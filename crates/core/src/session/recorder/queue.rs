//! What the user types while the agent is at work. A transcript may tell it when it is typed and again
//! when the agent reads it.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::super::{PromptWay, Said, Typed};
use super::{MESSAGE, Recorder, cut};
use crate::redact::trimmed;

/// Messages that are kept: the newest.
const MOST: usize = 20;
/// Bytes kept of one that nobody typed.
const UNTYPED: usize = 200;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Queue {
    /// What waits to be read by the agent, and whether the user typed it.
    waiting: VecDeque<(String, bool)>,
    /// What left the queue to be read in the middle of the agent's work, and has no record of its own yet.
    read: VecDeque<String>,
    /// Counted without a record of its own, which may still come.
    told: VecDeque<String>,
    /// Whether the next prompt is one that left the queue.
    left: bool,
}

impl Recorder {
    /// Something that the user typed waits for the agent.
    pub fn queued<'t>(&mut self, typed: impl Into<Typed<'t>>) {
        if !self.aside {
            let text = cut(&trimmed(typed.into().as_str()), MESSAGE).into_owned();
            let waiting = &mut self.session.waiting;
            waiting.push(Said { text: text.clone(), record: self.record });
            waiting.drain(..waiting.len().saturating_sub(MOST));
            push(&mut self.queue.waiting, (text, true));
        }
    }

    /// Something that a machine wrote waits for the agent.
    pub fn queued_by_machine(&mut self, text: &str) {
        if !self.aside {
            push(&mut self.queue.waiting, (cut(&trimmed(text), UNTYPED).into_owned(), false));
        }
    }

    /// What waited longest, or this, goes to the agent in a record of its own.
    pub fn unqueued(&mut self, text: Option<&str>) {
        self.take_queued(text);
    }

    /// What waited longest, or this, is read by the agent in the middle of its work. It goes on waiting until its
    /// record says who wrote it, or the agent goes on without one.
    pub fn read_queued(&mut self, text: Option<&str>) {
        if let Some((text, true)) = self.leave_queue(text) {
            push(&mut self.queue.read, text);
        }
    }

    /// The record of something that was read in the middle of the agent's work says who wrote it.
    pub fn settle_queued(&mut self, text: &str, by_user: bool) {
        let text = cut(text.trim(), MESSAGE);
        match self.queue.read.iter().position(|read| *read == text) {
            Some(at) => {
                self.queue.read.remove(at);
                self.is_read(&text);
            }
            // It may be any of those that were read.
            None if !by_user => {
                for read in std::mem::take(&mut self.queue.read) {
                    self.is_read(&read);
                }
            }
            None => {}
        }
    }

    /// The agent goes on. What it read by then and has no record of its own was written by an older version, in
    /// which only the user writes into the queue.
    pub fn count_queued(&mut self) {
        for text in std::mem::take(&mut self.queue.read) {
            self.is_read(&text);
            push(&mut self.queue.told, text.clone());
            self.asked(Typed::by_record(&text), PromptWay::Typed);
        }
    }

    /// The user took back what waits.
    pub fn dropped_queue(&mut self) {
        self.queue.waiting.clear();
        self.session.waiting.clear();
    }

    /// The user said something that did not come out of the queue: an agent that reads that has nothing
    /// waiting any more.
    pub(super) fn heard_past_queue(&mut self) {
        if !std::mem::take(&mut self.queue.left) {
            self.dropped_queue();
        }
    }

    /// Whether something that is told now was told when it left the queue. Asking makes it new again.
    pub fn was_read_queued(&mut self, text: &str) -> bool {
        let text = trimmed(text);
        let text = cut(&text, MESSAGE);
        let at = self.queue.told.iter().position(|told| *told == text);
        at.and_then(|at| self.queue.told.remove(at)).is_some()
    }

    fn take_queued(&mut self, text: Option<&str>) -> Option<(String, bool)> {
        let taken = self.leave_queue(text)?;
        self.is_read(&taken.0);
        Some(taken)
    }

    fn leave_queue(&mut self, text: Option<&str>) -> Option<(String, bool)> {
        let waiting = &mut self.queue.waiting;
        let is_it = |(one, typed): &(String, bool)| {
            text.is_none_or(|text| {
                *one == cut(&trimmed(text), if *typed { MESSAGE } else { UNTYPED })
            })
        };
        waiting.iter().position(is_it).and_then(|at| waiting.remove(at))
    }

    /// Something does not wait any more.
    fn is_read(&mut self, text: &str) {
        let unread = &mut self.session.waiting;
        if let Some(at) = unread.iter().position(|said| said.text == text) {
            unread.remove(at);
            self.queue.left = true;
        }
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
        recorder.queued_by_machine("<note>");
        for text in ["one", "two", "three", "four"] {
            recorder.queued(text);
        }
        // What a machine wrote and was read is no prompt.
        recorder.read_queued(None);
        recorder.unqueued(None);
        recorder.read_queued(Some("three"));
        assert!(recorder.session().prompts.is_empty());
        recorder.count_queued();
        assert!(recorder.was_read_queued(" three "));
        assert!(!recorder.was_read_queued("three") && !recorder.was_read_queued("one"));
        recorder.read_queued(None);
        recorder.count_queued();
        let unread = |recorder: &Recorder| recorder.session().waiting.len();
        assert_eq!(unread(&recorder), 1);
        recorder.dropped_queue();
        assert_eq!(unread(&recorder), 0);
        recorder.read_queued(None);
        let prompts: Vec<&str> =
            recorder.session().prompts.iter().map(|prompt| &*prompt.text).collect();
        assert_eq!(prompts, ["three", "two"]);
    }

    #[test]
    fn what_was_read_counts_as_its_record_says() {
        let mut recorder = Recorder::new("x");
        for text in ["one", "two", "three", "four"] {
            recorder.queued(text);
            recorder.read_queued(None);
        }
        let waits = |recorder: &Recorder| recorder.session().waiting.len();
        assert_eq!(waits(&recorder), 4);
        recorder.settle_queued(" two ", false);
        recorder.settle_queued("one", true);
        assert_eq!(waits(&recorder), 2);
        // A machine's that is none of them may be any of them.
        recorder.settle_queued("another", false);
        recorder.count_queued();
        assert_eq!((waits(&recorder), recorder.session().prompts.len()), (0, 0));
    }

    #[test]
    fn what_waits_is_unread_until_the_user_says_something_else() {
        let mut recorder = Recorder::new("x");
        recorder.queued("one");
        recorder.queued("two");
        recorder.unqueued(None);
        recorder.asked("one", PromptWay::Typed);
        let unread: Vec<&str> = recorder.session().waiting.iter().map(|said| &*said.text).collect();
        assert_eq!(unread, ["two"]);
        recorder.asked("something else", PromptWay::Typed);
        assert!(recorder.session().waiting.is_empty());
    }
}
