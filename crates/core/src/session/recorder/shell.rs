//! What a command line was: a check, commits, and what it did to files that the session knows.

use super::super::command::{check_name, commits_in, failing_tests, parts, takes_back, words};
use super::super::{Check, Commit, FileUse, Outcome, Record, check_kind};
use super::{CHECKS, COMMITS, ERROR, End, REJECTED, Recorder, cut, keep_newest};

/// Characters with which a word stands for something else.
const STANDS_FOR: &[char] = &['*', '?', '$', '`', '{', '[', '~', '<', '>', '&'];

impl Recorder {
    /// Takes down what was deleted, renamed and taken back. Of files that the session never touched
    /// nothing is said: whether they were there is not shown.
    pub(super) fn shell(&mut self, line: &str, record: Record) {
        if takes_back(line) {
            keep_newest(&mut self.session.rejected, REJECTED, &format!("`{line}`"), record);
        }
        let mut dir = self.session.cwd.clone().unwrap_or_default();
        for part in parts(line) {
            let words = words(part);
            let plain = |word: &&&str| !word.starts_with('-') && !word.contains(STANDS_FOR);
            let named = |from: usize| -> Vec<&str> {
                let named = words.iter().skip(from).filter(plain);
                named.map(|word| word.trim_matches(['\'', '"'])).collect()
            };
            match words[..] {
                ["cd", ..] => {
                    dir = named(1).first().map_or_else(String::new, |to| joined(&dir, to))
                }
                // What was put aside for a while came back.
                ["git", "stash", "pop" | "apply", ..] => {
                    let newest = self
                        .session
                        .rejected
                        .iter()
                        .rposition(|one| one.text.contains("git stash"));
                    newest.map(|at| self.session.rejected.remove(at));
                }
                ["git", "rm", ..] => self.removed(&dir, &named(2)),
                ["rm", ..] => self.removed(&dir, &named(1)),
                ["git", "mv", ..] => self.moved(&dir, &named(2)),
                ["mv", ..] => self.moved(&dir, &named(1)),
                _ => {}
            }
        }
    }

    pub(super) fn check(&mut self, line: &str, end: End, record: Record, output: &str) {
        let Some(kind) = check_kind(line) else { return };
        if end.outcome == Outcome::Stopped {
            return;
        }
        let failing = failing_tests(output);
        // A pipe into `tail` hides the exit code, but not what was printed.
        let outcome = if failing.is_empty() { end.outcome } else { Outcome::Failed };
        let failed = u32::from(outcome == Outcome::Failed);
        let checks = &mut self.session.checks;
        let (mut times, mut failed_times) = (1, failed);
        let name = check_name(line);
        if let Some(at) = checks.iter().position(|check| check.name == name) {
            let before = checks.remove(at);
            times += before.times;
            failed_times += before.failed_times;
        }
        let (command, exit) = (line.to_owned(), end.exit);
        checks.push(Check {
            command,
            name,
            kind,
            outcome,
            exit,
            failing,
            record,
            times,
            failed_times,
        });
        if checks.len() > CHECKS {
            checks.remove(0);
        }
    }

    pub(super) fn commit(&mut self, output: &str) {
        let record = self.record;
        for (id, branch, subject) in commits_in(output) {
            if let (None, Some(branch)) = (&self.session.branch, &branch) {
                self.session.branch = Some(branch.clone());
            }
            let commits = &mut self.session.commits;
            if commits.len() < COMMITS && !commits.iter().any(|known| known.id == id) {
                let subject = cut(&subject, ERROR).into_owned();
                commits.push(Commit { id, branch, subject, record });
            }
        }
    }

    fn removed(&mut self, dir: &str, named: &[&str]) {
        let record = self.record;
        for name in named {
            if let Some(file) = self.session.files.get_mut(&joined(dir, name)) {
                (file.deleted, file.record) = (true, record);
            }
        }
    }

    fn moved(&mut self, dir: &str, named: &[&str]) {
        let [from, to] = named else { return };
        let from = joined(dir, from);
        let Some(before) = self.session.files.get_mut(&from) else { return };
        let is_dir = to.ends_with('/') || matches!(*to, "." | "..");
        let mut to = joined(dir, to);
        if is_dir {
            let name = from.rsplit('/').next().unwrap_or_default();
            to = joined(&to, name);
        }
        (before.deleted, before.record) = (true, self.record);
        let file = FileUse { edits: before.edits, renamed_from: Some(from), ..FileUse::default() };
        let record = self.record;
        if let Some(there) = self.file(&to) {
            *there = FileUse { reads: there.reads, record, ..file };
        }
    }
}

/// A path from a directory.
fn joined(dir: &str, path: &str) -> String {
    let mut parts: Vec<&str> =
        if path.starts_with('/') { Vec::new() } else { dir.split('/').collect() };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::{End, Outcome, Recorder};
    use crate::session::Session;

    fn after(lines: &[&str]) -> Session {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.cwd("/work/shop");
        let passed = End { outcome: Outcome::Passed, exit: Some(0) };
        for path in ["/work/shop/a.rs", "/work/shop/src/b.rs"] {
            recorder.creates(path, path);
            recorder.ended(path, passed, || "".into());
        }
        for line in lines {
            recorder.next_record();
            recorder.ran(line, line);
            recorder.ended(line, passed, || "".into());
        }
        recorder.into_session()
    }

    #[test]
    fn what_the_shell_deletes_or_renames_is_taken_down_of_files_that_are_known() {
        let session =
            after(&["rm -f a.rs never-seen.rs *.log", "cd src && git mv b.rs ../lib/c.rs"]);
        assert!(session.files["/work/shop/a.rs"].deleted);
        assert!(session.files["/work/shop/src/b.rs"].deleted);
        let renamed = &session.files["/work/shop/lib/c.rs"];
        assert_eq!(renamed.renamed_from.as_deref(), Some("/work/shop/src/b.rs"));
        assert_eq!(session.files.len(), 3);
        let session = after(&["mv a.rs src/", "rm \"$X/a.rs\" 'src/b.rs'"]);
        assert!(session.files.contains_key("/work/shop/src/a.rs"));
        assert!(session.files["/work/shop/src/b.rs"].deleted);
    }

    #[test]
    fn what_was_stashed_for_a_while_is_not_rejected() {
        assert_eq!(after(&["git stash && cargo test"]).rejected.len(), 1);
        assert!(after(&["git stash && cargo test", "git stash pop"]).rejected.is_empty());
    }
}
