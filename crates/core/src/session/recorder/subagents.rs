//! What the session itself shows of its subagents: which of them broke off.

use super::super::Record;
use super::super::bounds::cut;
use super::super::passage::split_sentences;
use super::super::subagent::{UNFINISHED, UnfinishedSubagent, is_broken_off};
use super::{ERROR, Recorder};
use crate::redact::{Whole, trimmed};

/// Who works for an agent, and how it says that the work did not come to its end.
const HELPERS: &[&str] = &["subagent", "sub-agent", "background agent", "unteragent"];
const BROKE_OFF: &[&str] = &[
    "broke off",
    "was cut off",
    "was cut short",
    "got cut off",
    " died",
    "did not finish",
    "didn't finish",
    "never finished",
    "never returned",
    "crashed",
    "timed out",
    "ran out of",
    "hit its limit",
    "hit the limit",
    "brach ab",
    "abgebrochen",
];

impl Recorder {
    /// The model did not go on answering a subagent whose transcript this is.
    pub fn broke_off(&mut self) {
        if self.is_subagents {
            self.acted = self.record;
        }
    }

    /// The call that started a subagent ended with a text.
    pub fn subagent_ended(&mut self, call: &str, said: &str) {
        let Some(known) = self.pending.get(call) else { return };
        let task = known.what.split_once(": ").map_or(&*known.what, |(_, task)| task);
        let task = Whole::new(&known.what).piece(task).into_owned();
        let record = known.record;
        // What was done again to its end is not open any more.
        self.session.unfinished_subagents.retain(|one| one.task != task);
        if is_broken_off(said) {
            self.unfinished(task, said, record);
        }
    }

    /// Notes what the agent says of a subagent that did not come to its end.
    pub(super) fn says_of_subagents(&mut self, message: &str) {
        if self.session.subagents == 0 || self.aside {
            return;
        }
        let record = self.record;
        let lower = message.to_lowercase();
        if !HELPERS.iter().any(|helper| lower.contains(helper)) {
            return;
        }
        let whole = Whole::new(message);
        for sentence in split_sentences(message) {
            let lower = format!(" {}", sentence.trim().to_lowercase());
            let broke = HELPERS.iter().find_map(|helper| {
                let behind = &lower[lower.find(helper)?..];
                BROKE_OFF.iter().any(|broke| behind.contains(broke)).then_some(())
            });
            let is_told = !(lower.contains(" if ") || lower.ends_with('?'));
            let is_known = self.session.unfinished_subagents.iter().any(|one| one.record <= record);
            if broke.is_some() && is_told && !is_known {
                self.unfinished(whole.piece(sentence.trim()).into_owned(), "", record);
            }
        }
    }

    fn unfinished(&mut self, task: String, last_words: &str, record: Record) {
        let last_words = cut(&trimmed(last_words), ERROR).into_owned();
        let all = &mut self.session.unfinished_subagents;
        all.push(UnfinishedSubagent { task, last_words, record });
        if all.len() > UNFINISHED {
            all.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::session::{PromptWay, Recorder, Session};

    fn after(said: &str, then: &str) -> Session {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Check the shelves", PromptWay::Typed);
        recorder.next_record();
        recorder.subagent();
        recorder.called("1", "Task: Count the door side");
        recorder.next_record();
        recorder.subagent_ended("1", said);
        recorder.next_record();
        recorder.said(then);
        recorder.into_session()
    }

    #[test]
    fn a_subagent_that_the_model_left_alone_is_open() {
        for (said, is_open) in [
            ("API Error: 529 overloaded", true),
            ("API Error: Connection error.", true),
            ("Request timed out.", true),
            ("Prompt is too long", true),
            ("Found three API errors in `door.ts`.", false),
            ("Rate limits are checked in `door.ts`.", false),
            ("Agent type 'x' not found", false),
            ("All counted.", false),
        ] {
            let open = after(said, "Done.").unfinished_subagents;
            assert_eq!(open.len(), usize::from(is_open), "{said}");
            if is_open {
                assert_eq!((&*open[0].task, &*open[0].last_words), ("Count the door side", said));
            }
        }
    }

    #[test]
    fn what_the_agent_says_of_a_subagent_that_broke_off_is_kept() {
        for (said, is_open) in [
            ("The counts are in. The subagent for the door side died after two shelves.", true),
            ("One sub-agent timed out, so the cellar is not counted.", true),
            ("The background agent was cut off.", true),
            ("Der Subagent brach ab.", true),
            ("The subagents have counted all of it.", false),
            ("If a subagent crashed, start it again.", false),
            ("The scanner crashed once; the subagent found out why.", false),
            ("The old session timed out.", false),
        ] {
            let open = after("All counted.", said).unfinished_subagents;
            assert_eq!(open.len(), usize::from(is_open), "{said}");
        }
    }

    #[test]
    fn a_subagent_that_was_started_again_is_open_no_more() {
        let mut recorder = Recorder::new("x");
        for said in ["API Error: 500", "All counted."] {
            recorder.next_record();
            recorder.subagent();
            recorder.called("1", "Task: Count the door side");
            recorder.subagent_ended("1", said);
        }
        assert!(recorder.into_session().unfinished_subagents.is_empty());
    }
}
