//! Commands that go on after their call has ended, and what they print until they end.

use std::borrow::Cow;

use super::super::Outcome;
use super::super::line::CommandLine;
use super::{Act, Call, End, PENDING, Recorder};
use crate::redact::Whole;

/// Bytes kept of what a command prints while it runs: the last ones.
const PRINTED: usize = 32 << 10;

impl Recorder {
    /// A call printed something and has not ended.
    pub fn printed(&mut self, call: &str, text: &str) {
        if let Some(call) = self.pending.get_mut(call) {
            call.print(text);
        }
    }

    /// A command goes on in the background after its call has ended.
    pub fn goes_on(&mut self, call: &str, task: &str) {
        if let Some(known) = self.pending.get(call).cloned()
            && self.pending.len() < PENDING
        {
            let key = background(task);
            if !self.aside && !self.answers_us {
                self.runs(&key, &known.what, known.record, true);
            }
            self.pending.insert(key, known);
        }
    }

    /// What goes on in the background prints into a file.
    pub fn prints_into(&mut self, task: &str, path: &str) {
        self.notes.put(&output_file(path), task);
    }

    /// What goes on in the background printed something.
    pub fn printed_later(&mut self, task: &str, text: &str) {
        self.printed(&background(task), text);
    }

    /// What went on in the background ended.
    pub fn ended_later(&mut self, task: &str, end: End, output: &str) {
        let key = background(task);
        // What it printed may be read after that.
        if let Some(call) = self.pending.get(&key)
            && output.is_empty()
            && call.acts.iter().any(Act::reads_output)
        {
            let ended = Call { end: Some(end), ..call.clone() };
            self.pending.insert(ended_task(task), ended);
        }
        self.ended(&key, end, || output.into());
    }

    /// The task whose output stands in a file.
    pub(super) fn task_of(&self, path: &str) -> Option<String> {
        if !self.knows_output_files() {
            return None;
        }
        self.notes.get(&output_file(path)).map(str::to_owned)
    }

    /// Whether anything in the background prints into a file. In most sessions nothing does.
    pub(super) fn knows_output_files(&self) -> bool {
        self.notes.words().any(|word| word.starts_with(OUTPUT))
    }

    /// Somebody looked at the file into which something in the background prints.
    pub(super) fn showed(&mut self, task: &str, output: &str) {
        if let Some(call) = self.pending.get_mut(&background(task)) {
            call.printed.clear();
            call.print(output);
        } else if let Some(Call { acts, record, end: Some(end), .. }) =
            self.pending.remove(&ended_task(task))
        {
            for act in acts {
                if let Act::Run { line, dir, check, .. } = act
                    && end.outcome != Outcome::Stopped
                {
                    let line = CommandLine::of(&line);
                    if check {
                        self.check(&line, end, record, output);
                    }
                    self.commit(&line, dir.as_deref(), end, output);
                }
            }
        }
    }
}

impl Call {
    fn print(&mut self, text: &str) {
        self.printed.push_str(text);
        // Not at every line: what is kept is looked at with what goes.
        if self.printed.len() > 2 * PRINTED {
            let over = self.printed.len() - PRINTED;
            // From the next line on.
            let from = (over..).find(|at| self.printed.is_char_boundary(*at)).unwrap_or(over);
            let line = self.printed[from..].find('\n').map_or(from, |at| from + at + 1);
            self.printed = Whole::new(&self.printed).piece(&self.printed[line..]).into_owned();
        }
    }

    /// All that was printed, with what came last.
    pub(super) fn whole<'o>(printed: &str, last: Cow<'o, str>) -> Cow<'o, str> {
        match (printed.is_empty(), printed.ends_with('\n') || last.is_empty()) {
            (true, _) => last,
            (false, true) => format!("{printed}{last}").into(),
            (false, false) => format!("{printed}\n{last}").into(),
        }
    }
}

/// By what a command in the background is found again.
fn background(task: &str) -> String {
    format!("background {task}")
}

/// And after it has ended.
fn ended_task(task: &str) -> String {
    format!("ended {task}")
}

/// What stands before the path of a file into which something prints.
const OUTPUT: &str = "output ";

fn output_file(path: &str) -> String {
    format!("{OUTPUT}{path}")
}

#[cfg(test)]
mod tests {
    use super::super::{End, Outcome, Recorder};

    const PASSED: End = End { outcome: Outcome::Passed, exit: Some(0) };
    const UNKNOWN: End = End { outcome: Outcome::Unknown, exit: None };

    #[test]
    fn what_goes_on_in_the_background_ends_later() {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.ran("1", "cargo test");
        recorder.goes_on("1", "b1");
        recorder.ended("1", UNKNOWN, || "".into());
        assert_eq!(recorder.session().checks[0].outcome, Outcome::Unknown);
        let running = &recorder.session().running;
        assert_eq!((&*running[0].what, running[0].background), ("cargo test", true));
        recorder.next_record();
        let failed = End { outcome: Outcome::Failed, exit: Some(101) };
        recorder.ended_later("b1", failed, "test a::b ... FAILED");
        recorder.ended_later("b1", failed, "told again");
        let session = recorder.into_session();
        let check = &session.checks[0];
        assert_eq!((check.outcome, check.exit, check.times), (Outcome::Failed, Some(101), 1));
        assert_eq!(check.failing, ["a::b"]);
        assert_eq!(session.commands[0].exit, Some(101));
        assert!(session.running.is_empty());
    }

    #[test]
    fn a_check_is_known_from_when_it_begins() {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.ran("1", "pytest");
        let check = &recorder.session().checks[0];
        assert_eq!((check.outcome, check.times), (Outcome::Unknown, 1));
        recorder.ended("1", PASSED, || "3 passed in 0.1s".into());
        recorder.next_record();
        recorder.ran("2", "pytest");
        let check = &recorder.session().checks[0];
        assert_eq!((check.outcome, check.times), (Outcome::Passed, 1));
        recorder.next_record();
        recorder.ran("3", "npm test");
        recorder.ended("3", End { outcome: Outcome::Stopped, exit: None }, || "".into());
        assert_eq!(recorder.session().checks.len(), 1);
    }

    #[test]
    fn what_is_printed_on_the_way_counts_at_the_end() {
        let mut recorder = Recorder::new("x");
        recorder.ran("1", "git commit -m x && cargo test");
        recorder.printed("1", "[main 1234567] x\n");
        recorder.printed("1", &"compiling\n".repeat(1_000));
        recorder.ended("1", PASSED, || "test result: ok. 1 passed; 0 failed".into());
        let session = recorder.session();
        assert_eq!((session.commits.len(), session.checks[0].outcome), (1, Outcome::Passed));
        recorder.ran("2", "cargo test");
        recorder.printed("2", &"é\n".repeat(100_000));
        recorder.ended("2", PASSED, || "".into());
    }

    #[test]
    fn a_commit_in_the_background_is_read_in_the_file_that_it_prints_into() {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.ran("1", "git commit -m x && pytest");
        recorder.goes_on("1", "b1");
        recorder.prints_into("b1", "/tmp/b1.output");
        recorder.ended("1", UNKNOWN, || "".into());
        recorder.reads("2", "/tmp/b1.output");
        recorder.ended("2", PASSED, || "running the hooks".into());
        recorder.ended_later("b1", PASSED, "");
        for call in ["3", "4"] {
            recorder.reads(call, "/tmp/b1.output");
            recorder.ended(call, PASSED, || "[main 1234567] x\n3 passed in 0.1s".into());
        }
        let session = recorder.into_session();
        assert_eq!((session.commits.len(), &*session.commits[0].subject), (1, "x"));
        let check = &session.checks[0];
        assert_eq!((check.outcome, check.times, check.failed_times), (Outcome::Passed, 1, 0));
    }
}
