//! What subagents did, as part of the session that started them.

use serde::{Deserialize, Serialize};

use super::bounds::cut;
use super::recorder::{CHECKS, COMMITS, FAILURES, FILES};
use super::{Check, Commit, Failure, FileUse, Outcome, Record, Recorder, Session};

/// Bytes kept of what a subagent was to do and of what it said last.
const WORDS: usize = 2_000;
/// Subagents that did not come to their end which are kept: the last ones.
pub(super) const UNFINISHED: usize = 20;

/// Beginnings of what the call of a subagent ends with when the model did not go on answering it.
const BROKEN_OFF: &[&str] = &[
    "api error",
    "error: api error",
    "connection error",
    "request timed out",
    "agent terminated early",
    "you've hit your",
    "prompt is too long",
];

/// Whether the call of a subagent ended because the model did not go on answering it.
pub(super) fn is_broken_off(said: &str) -> bool {
    let begin = said.trim_start();
    let begins = |broken: &&str| {
        begin.get(..broken.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(broken))
    };
    BROKEN_OFF.iter().any(begins)
}

/// A subagent that did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfinishedSubagent {
    /// What it was told to do.
    pub task: String,
    /// What it said last, or else what it did last.
    pub last_words: String,
    /// Where it was started.
    pub record: Record,
}

/// What one subagent did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SubagentWork {
    files: Vec<(String, FileUse)>,
    checks: Vec<Check>,
    commits: Vec<Commit>,
    failures: Vec<Failure>,
    /// What it was told to do and said last, if it did not come to its end.
    unfinished: Option<(String, String)>,
}

impl SubagentWork {
    /// What a subagent did, by its own transcript. `finished` is what is known of it elsewhere.
    pub fn of(recorder: &Recorder, task: Option<&str>, finished: Option<bool>) -> Self {
        let session = recorder.session();
        let changed = session.files.iter().filter(|(_, file)| file.is_changed());
        let unfinished = !finished.unwrap_or_else(|| recorder.is_at_rest());
        let asked = session.prompts.first().map(|prompt| prompt.text.as_str());
        let task = asked.or(task).unwrap_or_default();
        let said = session.said.back().map(|said| said.text.clone());
        let ran = || session.commands.last().map(|ran| format!("`{}`", ran.command));
        let last_words = said.or_else(ran).unwrap_or_default();
        let is_any = session.records > 0;
        Self {
            files: changed.map(|(path, file)| (path.clone(), file.clone())).collect(),
            checks: session.checks.clone(),
            commits: session.commits.clone(),
            failures: session.failures.iter().cloned().collect(),
            unfinished: (unfinished && is_any).then(|| {
                (cut(task.trim(), WORDS).into_owned(), cut(last_words.trim(), WORDS).into_owned())
            }),
        }
    }
}

impl Session {
    /// Adds what a subagent did that was started at a record.
    pub fn add_subagent(&mut self, work: &SubagentWork, record: Record) {
        for (path, file) in &work.files {
            self.add_file(path, file, record);
        }
        for check in &work.checks {
            self.add_check(check, record);
        }
        for commit in &work.commits {
            let known = self.commits.iter().any(|known| known.name() == commit.name());
            if !known && self.commits.len() < COMMITS {
                self.commits.push(Commit { record, by_subagent: true, ..commit.clone() });
            }
        }
        self.commits.sort_by_key(|commit| commit.record);
        let failures = work.failures.iter().cloned();
        self.failures.extend(failures.map(|one| Failure { record, by_subagent: true, ..one }));
        self.failures.make_contiguous().sort_by_key(|failure| failure.record);
        while self.failures.len() > FAILURES {
            self.failures.pop_front();
        }
        if let Some((task, last_words)) = work.unfinished.clone() {
            let left = UnfinishedSubagent { task, last_words, record };
            let by_call = |one: &&mut UnfinishedSubagent| {
                one.record == record && is_broken_off(&one.last_words)
            };
            match self.unfinished_subagents.iter_mut().find(by_call) {
                // Its own transcript says more than how its call ended.
                Some(known) => *known = left,
                None => self.unfinished_subagents.push(left),
            }
            self.unfinished_subagents.sort_by_key(|one| one.record);
            if self.unfinished_subagents.len() > UNFINISHED {
                self.unfinished_subagents.remove(0);
            }
        }
    }

    fn add_file(&mut self, path: &str, by: &FileUse, record: Record) {
        if self.files.len() >= FILES && !self.files.contains_key(path) {
            return;
        }
        let file = self.files.entry(path.to_owned()).or_default();
        file.by_subagent |= !file.is_changed();
        // What was done to it since is the last word.
        if !file.is_changed() || file.record <= record {
            file.deleted = by.deleted;
        }
        file.created |= by.created && file.reads == 0 && file.edits == 0;
        file.edits += by.edits;
        file.renamed_from = file.renamed_from.take().or_else(|| by.renamed_from.clone());
        file.record = file.record.max(record);
    }

    fn add_check(&mut self, by: &Check, record: Record) {
        let known = self.checks.iter().position(|check| check.name == by.name);
        if let Some(at) = known
            && (self.checks[at].record > record || by.outcome == Outcome::Unknown)
        {
            let check = &mut self.checks[at];
            check.times += by.times;
            check.failed_times += by.failed_times;
            return;
        }
        let mut check = Check { record, by_subagent: true, ..by.clone() };
        if let Some(before) = known.map(|at| self.checks.remove(at)) {
            check.times += before.times;
            check.failed_times += before.failed_times;
        }
        let at = self.checks.iter().position(|known| known.record > record);
        self.checks.insert(at.unwrap_or(self.checks.len()), check);
        if self.checks.len() > CHECKS {
            self.checks.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{End, PromptWay};
    use super::*;

    const PASSED: End = End { outcome: Outcome::Passed, exit: Some(0) };
    const FAILED: End = End { outcome: Outcome::Failed, exit: Some(1) };

    fn subagent() -> Recorder {
        let mut recorder = Recorder::for_subagent("x");
        recorder.next_record();
        // What its reader says of every record.
        recorder.all_aside();
        recorder.aside();
        recorder.cwd("/w");
        recorder.asked("Count the baskets. Never stop.", PromptWay::Typed);
        recorder.next_record();
        for (call, line, end, output) in [
            ("1", "cargo test", FAILED, "error: no"),
            ("2", "git commit -m x", PASSED, "[main 1111111] x"),
        ] {
            recorder.ran(call, line);
            recorder.ended(call, end, || output.into());
        }
        recorder.edits("3", "/w/a.rs");
        recorder.ended("3", PASSED, || "".into());
        recorder
    }

    #[test]
    fn what_a_subagent_did_is_the_sessions_and_marked() {
        let mut recorder = Recorder::new("x");
        (0..9).for_each(|_| {
            recorder.next_record();
        });
        recorder.ran("1", "cargo test");
        recorder.ended("1", PASSED, || "".into());
        recorder.edits("2", "/w/b.rs");
        recorder.ended("2", PASSED, || "".into());
        let mut session = recorder.into_session();
        let mut made = subagent();
        made.next_record();
        made.said("Counted.");
        session.add_subagent(&SubagentWork::of(&made, None, None), 4);
        assert!(session.files["/w/a.rs"].by_subagent && !session.files["/w/b.rs"].by_subagent);
        assert_eq!(session.files["/w/a.rs"].record, 4);
        assert!(session.commits[0].by_subagent && session.failures[0].by_subagent);
        // What the session itself found later stays.
        let check = &session.checks[0];
        assert_eq!((check.outcome, check.by_subagent), (Outcome::Passed, false));
        assert_eq!((check.times, check.failed_times), (2, 1));
        assert!(session.unfinished_subagents.is_empty());
        assert!(session.prompts.is_empty() && session.constraints.is_empty());
        let mut earlier = Session::default();
        earlier.add_subagent(&SubagentWork::of(&made, None, None), 4);
        assert!(earlier.checks[0].by_subagent && earlier.checks[0].outcome == Outcome::Failed);
    }

    #[test]
    fn a_subagent_that_died_leaves_its_last_words() {
        let mut session = Session::default();
        let mut died = subagent();
        died.next_record();
        died.said("Now the second shelf.");
        died.ran("9", "sleep 100");
        session.add_subagent(&SubagentWork::of(&died, None, None), 4);
        let left = &session.unfinished_subagents[0];
        assert_eq!(left.task, "Count the baskets. Never stop.");
        assert_eq!((&*left.last_words, left.record), ("Now the second shelf.", 4));
        let mut session = Session::default();
        session.add_subagent(&SubagentWork::of(&died, None, Some(true)), 4);
        assert!(session.unfinished_subagents.is_empty());
    }
}
