//! What a command line was: a check, and what it did to files that the session knows.

use super::super::command::{checks, takes_back};
use super::super::line::{CommandLine, Git, Joint, Part, git};
use super::super::no_tests::{NO_TESTS, ran_no_tests};
use super::super::phrases::Phrases;
use super::super::printed::{Reading, says_success};
use super::super::{Check, CheckKind, Command, CommitState, FileUse, Outcome, Record};
use super::shell_edits::files_written;
use super::{
    CHECKS, COMMAND, COMMANDS, COMMANDS_GO, End, FIRST_COMMANDS, REJECTED, Recorder, Write, cut,
    keep_newest,
};
use crate::redact::Whole;

/// Characters with which a word stands for something else.
const STANDS_FOR: &[char] = &['*', '?', '$', '`', '{', '[', '~', '<', '>', '&'];
/// The exit code of `timeout` where the time was over.
const TIMED_OUT: i32 = 124;
/// The exit codes where the agent's own time limit was over, which it says in words, too.
const KILLED: &[i32] = &[TIMED_OUT, 143, 137];
/// Bytes at the beginning and the end of an output in which it says so.
const SAYS_SO: usize = 300;
/// Files that were moved of which it is known how they were before.
const MOVED: usize = 100;

impl Recorder {
    /// Puts a command on the list. The number by which it is found again.
    pub(super) fn listed(&mut self, command: &str) -> usize {
        let session = &mut self.session;
        if session.commands.len() >= COMMANDS {
            session.commands.drain(FIRST_COMMANDS..FIRST_COMMANDS + COMMANDS_GO);
            session.more_commands += COMMANDS_GO as u64;
        }
        session.commands.push(Command {
            command: cut(command, COMMAND).into_owned(),
            outcome: Outcome::Unknown,
            exit: None,
            record: self.record,
        });
        session.commands.len() - 1 + self.gone()
    }

    /// Tells how a command of the list ended, if it is still there.
    pub(super) fn end_listed(&mut self, number: usize, end: End) {
        let at = match number {
            first if first < FIRST_COMMANDS => Some(first),
            later => later.checked_sub(self.gone()).filter(|at| *at >= FIRST_COMMANDS),
        };
        if let Some(command) = at.and_then(|at| self.session.commands.get_mut(at)) {
            (command.outcome, command.exit) = (end.outcome, end.exit);
        }
    }

    fn gone(&self) -> usize {
        usize::try_from(self.session.more_commands).unwrap_or(usize::MAX)
    }

    /// Takes down what was deleted, renamed and taken back. Of files that the session never touched
    /// nothing is said: whether they were there is not shown. Nor is anything said of what may not
    /// have run, or nobody knows where.
    pub(super) fn shell(
        &mut self,
        line: &CommandLine<'_>,
        dir: Option<String>,
        record: Record,
        output: &str,
    ) {
        for path in files_read(line, dir.as_deref()) {
            self.read(&path, output);
        }
        if takes_back(line) {
            let line = cut(line.text, COMMAND);
            keep_newest(&mut self.session.rejected, REJECTED, &format!("`{line}`"), record);
        }
        let parts = &line.parts;
        let mut dir = dir;
        let mut starts = true;
        for (at, part) in parts.iter().enumerate() {
            let words = &part.words;
            starts &= at == 0 || part.joint == Joint::And;
            let hidden = part.maybe || part.grouped || part.blocked || part.beside;
            let git = git(words);
            match (words[..].split_first(), &git) {
                (Some((&"cd", to)), _) if !part.grouped => {
                    let follows = parts.get(at + 1).is_some_and(|it| it.joint == Joint::And);
                    let sure = starts && follows && !hidden;
                    dir = dir.filter(|_| sure).and_then(|dir| place(Some(&dir), to));
                }
                (Some((&("pushd" | "popd" | "eval" | "source"), _)), _) => dir = None,
                _ if hidden => {}
                (Some((&"rm", rest)), _) => self.removed(dir.as_deref(), rest),
                (Some((&"mv", rest)), _) => self.moved(dir.as_deref(), rest),
                (_, Some(git)) => self.git(dir.as_deref(), git, words),
                _ => self.edited_by_shell(dir.as_deref(), words),
            }
        }
    }

    fn git(&mut self, dir: Option<&str>, git: &Git<'_, '_>, words: &[&str]) {
        let there = match git.dir {
            Some(to) => place(dir, &[to]),
            // Another repository than that of the directory.
            None if words.iter().any(|word| word.starts_with("--work-tree")) => None,
            None => dir.map(str::to_owned),
        };
        let dir = there.as_deref();
        match (git.sub, git.rest.first()) {
            // What was put aside for a while came back.
            ("stash", Some(&("pop" | "apply"))) => {
                let rejected = &mut self.session.rejected;
                let newest = rejected.iter().rposition(|one| one.text.contains("git stash"));
                newest.map(|at| rejected.remove(at));
            }
            ("rm", _) if !git.has("--cached") => self.removed(dir, git.rest),
            ("mv", _) => self.moved_by_git(dir, git.rest),
            ("checkout", _) => self.restored(dir, git.rest),
            ("restore", _) if !git.has("--staged") => self.restored(dir, git.rest),
            _ => {}
        }
    }

    /// A check began, of which nothing is known yet.
    pub(super) fn check_begins(&mut self, line: &CommandLine<'_>) {
        let Some(found) = checks(line).filter(|_| self.record > 0) else { return };
        let name = cut(&found.name, COMMAND).into_owned();
        let (checks, record) = (&mut self.session.checks, self.record);
        // How it ended before is not forgotten before it has ended again.
        if checks.iter().any(|check| check.name == name) {
            return;
        }
        checks.push(Check {
            command: name_of(line.text, COMMAND),
            name,
            kind: found.kind,
            outcome: Outcome::Unknown,
            exit: None,
            failing: Vec::new(),
            claimed: None,
            summary: None,
            record,
            times: 1,
            failed_times: 0,
            by_subagent: self.aside,
        });
        if checks.len() > CHECKS {
            checks.remove(0);
        }
    }

    /// The check that began there did not run to its end, or not at all.
    pub(super) fn check_stopped(&mut self, record: Record) {
        let is_it = |check: &Check| {
            check.record == record && check.outcome == Outcome::Unknown && check.times == 1
        };
        self.session.checks.retain(|check| !is_it(check));
    }

    pub(super) fn check(&mut self, line: &CommandLine<'_>, end: End, record: Record, output: &str) {
        let Some(found) = checks(line) else { return };
        let instead = printed_instead(line, output);
        if instead == Some(Instead::NotRun) {
            return self.check_stopped(record);
        }
        let reading = Reading::of(output, found.family, found.kind);
        let says = reading.outcome(found.view.shows_end_of(output));
        let printed = reading.printed_exit().filter(|_| found.prints_exit);
        // A pipe into `tail` hides the exit code, but not what was printed.
        let (own, outcome) = match end.outcome {
            Outcome::Passed if found.passes_with && reading.sums_up_failed() => {
                (false, Outcome::Failed)
            }
            Outcome::Passed if found.passes_with => (true, Outcome::Passed),
            Outcome::Passed if found.timed && printed == Some(TIMED_OUT) => {
                (false, Outcome::Stopped)
            }
            Outcome::Passed if printed.is_some_and(|exit| exit != 0) => (false, Outcome::Failed),
            Outcome::Passed if instead.is_some() => (false, Outcome::Failed),
            // What came after it may have failed, too.
            Outcome::Failed if found.fails_with && found.goes_on => (false, says),
            Outcome::Failed if found.fails_with => match says {
                Outcome::Failed => (true, Outcome::Failed),
                _ if found.timed && end.exit == Some(TIMED_OUT) => (true, Outcome::Stopped),
                _ if end.exit.is_some_and(|exit| KILLED.contains(&exit)) && ran_out(output) => {
                    (true, Outcome::Stopped)
                }
                _ => (true, Outcome::Failed),
            },
            Outcome::Passed if says == Outcome::Unknown => match printed {
                Some(_) => (false, Outcome::Passed),
                None if found.silent && reading.is_empty() => (false, Outcome::Passed),
                None => (false, says),
            },
            _ => (false, says),
        };
        // Where no test ran, none passed and none failed.
        let is_whole =
            line.parts.iter().all(|part| part.pipes.is_empty()) && !output.contains("truncated");
        let none = found.kind == CheckKind::Test
            && reading.failing.is_empty()
            && ran_no_tests(output, is_whole);
        let (own, outcome) = if none { (false, Outcome::Unknown) } else { (own, outcome) };
        let failing = if outcome == Outcome::Failed { reading.failing } else { Vec::new() };
        let fits = |line: &str| outcome != Outcome::Failed || !says_success(line, found.kind);
        let summary = if none { Some(NO_TESTS) } else { summary_line(output, fits) };
        let checks = &mut self.session.checks;
        let name = cut(&found.name, COMMAND).into_owned();
        let (mut times, mut failed_times) = (1, u32::from(outcome == Outcome::Failed));
        if let Some(at) = checks.iter().position(|check| check.name == name) {
            let before = checks.remove(at);
            // The same run, of which more is known now.
            let again = before.record == record && record > 0;
            let failed = again && before.outcome == Outcome::Failed;
            times += before.times - u32::from(again);
            failed_times += before.failed_times - u32::from(failed);
        }
        checks.push(Check {
            command: name_of(line.text, COMMAND),
            name,
            kind: found.kind,
            outcome,
            exit: end.exit.filter(|_| own),
            failing,
            claimed: None,
            summary: summary.map(|line| Whole::new(output).piece(line).into_owned()),
            record,
            times,
            failed_times,
            by_subagent: self.aside,
        });
        if checks.len() > CHECKS {
            checks.remove(0);
        }
    }

    fn removed(&mut self, dir: Option<&str>, rest: &[&str]) {
        if rest.iter().any(|word| matches!(*word, "-n" | "--dry-run")) {
            return;
        }
        let record = self.record;
        for path in named(rest).filter_map(|name| place(dir, &[name])) {
            if let Some(file) = self.session.files.get_mut(&path) {
                (file.deleted, file.record) = (true, record);
            }
        }
    }

    /// What a command wrote into files of the project. Scripts and notes elsewhere are no work on it.
    fn edited_by_shell(&mut self, dir: Option<&str>, words: &[&str]) {
        let root = self.session.began_in.clone();
        let is_inside = |path: &String| {
            let rest = root.as_deref().and_then(|root| path.strip_prefix(root));
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        for name in files_written(words) {
            if let Some(path) = place(dir, &[name]).filter(is_inside) {
                self.write(&path, Write::Edit);
            }
        }
    }

    /// What git put back. As long as the session has committed nothing, that is a file as it was before.
    fn restored(&mut self, dir: Option<&str>, rest: &[&str]) {
        let is_all = named(rest).any(|name| name == ".") && dir == self.session.began_in.as_deref();
        let paths: Vec<String> = named(rest).filter_map(|name| place(dir, &[name])).collect();
        let is_before =
            !self.session.commits.iter().any(|commit| commit.state == CommitState::Made);
        let record = self.record;
        for (path, file) in &mut self.session.files {
            if !is_all && !paths.contains(path) {
                continue;
            }
            if is_before && !file.created && file.renamed_from.is_none() && file.is_changed() {
                (file.edits, file.deleted, file.record) = (0, false, record);
            } else if file.deleted {
                (file.deleted, file.record) = (false, record);
            }
        }
    }

    /// Git moves only what is there, so a file that the session does not know was moved too.
    fn moved_by_git(&mut self, dir: Option<&str>, rest: &[&str]) {
        if let [from, to] = named(rest).collect::<Vec<_>>()[..]
            && !rest.iter().any(|word| matches!(*word, "-n" | "--dry-run" | "-k"))
            && let (Some(from), Some(to)) = (place(dir, &[from]), place(dir, &[to]))
            && !self.session.files.contains_key(&from)
            && from.rsplit('/').next().is_some_and(|name| name.contains('.'))
            && to.rsplit('/').next().is_some_and(|name| name.contains('.'))
            && !self.is_dir(&to)
        {
            self.write(&to, Write::Rename(from));
            return;
        }
        self.moved(dir, rest);
    }

    fn moved(&mut self, dir: Option<&str>, rest: &[&str]) {
        if rest.iter().any(|word| matches!(*word, "-n" | "--dry-run" | "--no-clobber")) {
            return;
        }
        let [from, to] = named(rest).collect::<Vec<_>>()[..] else { return };
        let ends = to.ends_with('/') || matches!(to, "." | "..");
        let (Some(from), Some(mut to)) = (place(dir, &[from]), place(dir, &[to])) else { return };
        let record = self.record;
        let name = from.rsplit('/').next().unwrap_or_default();
        if ends || self.is_dir(&to) {
            to = joined(&to, name);
        } else if name.contains('.')
            && !to.rsplit('/').next().is_some_and(|name| name.contains('.'))
            && !self.session.files.contains_key(&to)
        {
            // It may be a directory.
            if let Some(file) = self.session.files.get_mut(&from) {
                (file.deleted, file.record) = (true, record);
            }
            return;
        }
        let Some(before) = self.session.files.get_mut(&from) else { return };
        // Moved there and back, it is as it was.
        let was = self.moved.iter().rposition(|(at, was_at, _)| *at == from && *was_at == to);
        if let Some((_, _, was)) = was.and_then(|at| self.moved.remove(at)) {
            let edited = before.edits != was.edits;
            let now = FileUse { edits: before.edits, ..was };
            let now = if edited { FileUse { record, ..now } } else { now };
            self.session.files.remove(&from);
            self.session.files.insert(to, now);
            return;
        }
        self.moved.push_back((to.clone(), from.clone(), before.clone()));
        if self.moved.len() > MOVED {
            self.moved.pop_front();
        }
        (before.deleted, before.record) = (true, record);
        let file = FileUse { edits: before.edits, renamed_from: Some(from), ..FileUse::default() };
        if let Some(there) = self.file(&to) {
            *there = FileUse { reads: there.reads, record, ..file };
        }
    }

    /// Whether files that are known stand under it.
    fn is_dir(&self, path: &str) -> bool {
        let under = format!("{path}/");
        let next = self.session.files.range(under.clone()..).next();
        next.is_some_and(|(path, _)| path.starts_with(&under))
    }
}

/// Whether an agent says of a command that its time was over: `Command timed out after 2m 0.0s`.
fn ran_out(output: &str) -> bool {
    let says = |text: &str| text.to_ascii_lowercase().contains("command timed out after ");
    let first = output.floor_char_boundary(SAYS_SO);
    let last = output.ceil_char_boundary(output.len().saturating_sub(SAYS_SO));
    says(&output[..first]) || says(&output[last..])
}

/// Bytes of a line that sums up a check.
const SUMMARY: usize = 160;
/// Words of lines that sum up.
static SUMS_UP: Phrases<9> = Phrases::new([
    "ok ", "ok\t", "errors", "warnings", "issues", "problems", "tests", "pass", "fail",
]);

/// The line with which a check sums up: the last one with a number and such a word that fits how it ended.
fn summary_line(output: &str, fits: impl Fn(&str) -> bool) -> Option<&str> {
    let sums_up = |line: &&str| {
        line.len() <= SUMMARY
            && line.bytes().any(|byte| byte.is_ascii_digit())
            && SUMS_UP.any_in(line, |_, _| true)
            && fits(line)
    };
    output.lines().rev().take(8).map(str::trim).find(sums_up)
}

/// What a line shows that prints something instead of its check: `… || echo "not installed"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instead {
    Failed,
    /// What was looked for first is not there.
    NotRun,
}

/// Programs that look whether something is there.
const LOOKS: &[&str] = &["which", "command", "type", "hash", "test", "[", "[["];

/// What a command prints that runs only where the one before it fails.
fn echoed_instead<'l>(part: &Part<'l>) -> Option<&'l str> {
    let said = part.text.trim().strip_prefix("echo ").filter(|_| part.joint == Joint::Or)?;
    let said = said.trim().trim_matches(['"', '\'']);
    (!said.is_empty() && !said.contains(['$', '`'])).then_some(said)
}

/// Whether the last thing that a line printed is what it prints instead of a check.
fn printed_instead(line: &CommandLine<'_>, output: &str) -> Option<Instead> {
    let parts = &line.parts;
    let (at, said) =
        parts.iter().enumerate().find_map(|(at, part)| Some((at, echoed_instead(part)?)))?;
    let mut printed = output.lines().map(str::trim).filter(|line| !line.is_empty()).rev();
    if printed.next() != Some(said) {
        return None;
    }
    let looks =
        parts[..at].iter().any(|part| part.words.first().is_some_and(|word| LOOKS.contains(word)));
    Some(if looks && printed.next().is_none() { Instead::NotRun } else { Instead::Failed })
}

/// Programs that show files as they are.
const SHOWS: &[&str] = &["cat", "head", "tail", "nl", "less", "more", "bat", "batcat", "sed"];
/// Their options whose value is the next word.
const SHOW_OPTIONS: &[&str] =
    &["-n", "-c", "-b", "-w", "-s", "-v", "-r", "--line-range", "--lines"];
/// Files that one line is known to read at most.
const READ_AT_ONCE: usize = 20;

/// The files that a line shows if it passes. Nothing that may not have run, that nobody knows where
/// it is, or that reads what another command prints.
pub(super) fn files_read(line: &CommandLine<'_>, dir: Option<&str>) -> Vec<String> {
    let mut read = Vec::new();
    let parts = &line.parts;
    if !parts.iter().any(|part| part.words.first().is_some_and(|word| SHOWS.contains(word))) {
        return read;
    }
    let mut dir = dir.map(str::to_owned);
    for (at, part) in parts.iter().enumerate() {
        let Some((program, rest)) = part.words.split_first() else { continue };
        let hidden = part.maybe || part.grouped || part.blocked || part.beside;
        match *program {
            "cd" if !part.grouped => {
                let sure = !hidden && parts.get(at + 1).is_some_and(|it| it.joint == Joint::And);
                dir = dir.filter(|_| sure).and_then(|dir| place(Some(&dir), rest));
            }
            "pushd" | "popd" => dir = None,
            program if SHOWS.contains(&program) && !hidden => {
                let named = shown(program, rest);
                read.extend(named.into_iter().filter_map(|name| place(dir.as_deref(), &[name])));
            }
            _ => {}
        }
    }
    read.truncate(READ_AT_ONCE);
    read
}

/// The names of the files that a program is told to show.
fn shown<'w>(program: &str, rest: &'w [&'w str]) -> Vec<&'w str> {
    let mut named = Vec::new();
    let mut words = rest.iter();
    // sed is a script and files; it shows them only with `-n`.
    let is_sed = program == "sed";
    let mut script = is_sed;
    if is_sed && (!rest.contains(&"-n") || rest.iter().any(|word| word.starts_with("-i"))) {
        return named;
    }
    while let Some(word) = words.next() {
        if word.contains(['<', '>']) {
            break;
        }
        if is_sed && *word == "-e" {
            (script, _) = (false, words.next());
        } else if word.starts_with('-') {
            if !is_sed && SHOW_OPTIONS.contains(word) && !is_flag(program, word) {
                words.next();
            }
        } else if std::mem::take(&mut script) {
            // The lines that it shows.
        } else if !word.starts_with('+') {
            named.push(*word);
        }
    }
    named
}

/// Whether an option has no value with this program.
fn is_flag(program: &str, option: &str) -> bool {
    match program {
        "cat" => true,
        "bat" | "batcat" | "less" | "more" => !matches!(option, "-r" | "--line-range"),
        "nl" => false,
        _ => matches!(option, "-v" | "-r"),
    }
}

/// What a command line is told as: itself, or where that is too much only its checks.
pub(super) fn name_of(line: &str, most: usize) -> String {
    let short = line.len() <= most && !line.contains('\n');
    let name = if short { None } else { checks(&CommandLine::of(line)).map(|checks| checks.name) };
    cut(name.as_deref().unwrap_or(line), most).into_owned()
}

/// The words that name something as it is.
pub(super) fn named<'w>(words: &'w [&'w str]) -> impl Iterator<Item = &'w str> {
    words.iter().filter(|word| !word.starts_with('-')).filter_map(|word| plain(word))
}

/// A word without its quotes, if it stands for nothing else.
pub(super) fn plain(word: &str) -> Option<&str> {
    let quoted = |mark| word.strip_prefix(mark).and_then(|rest: &str| rest.strip_suffix(mark));
    let word = quoted('\'').or_else(|| quoted('"')).unwrap_or(word);
    (!word.is_empty() && !word.contains(STANDS_FOR) && !word.contains(['\'', '"', '\\']))
        .then_some(word)
}

/// The one path that is named, from a directory; none if nobody knows where.
pub(super) fn place(dir: Option<&str>, named: &[&str]) -> Option<String> {
    let [path] = named else { return None };
    let path = plain(path).filter(|path| *path != "-")?;
    match (path.starts_with('/'), dir) {
        (true, _) => Some(joined("", path)),
        (false, Some(dir)) => Some(joined(dir, path)),
        (false, None) => None,
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
    use crate::session::{CommitState, Session};

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
    fn files_that_the_shell_edits_are_edited() {
        let session = after(&[
            "sed -i 's/a/b/' src/old.rs",
            "cat > src/new.rs <<'EOF'\nfn main() {}\nEOF",
            "cat > /tmp/try.py <<'EOF'\nEOF",
            "git mv src/one.rs src/two.rs",
            "cargo test > test.log",
        ]);
        let changed: Vec<&str> = session
            .files
            .iter()
            .filter(|(_, file)| file.edits > 0)
            .map(|(path, _)| &**path)
            .collect();
        let known = ["a.rs", "src/b.rs", "src/new.rs", "src/old.rs"];
        assert_eq!(changed, known.map(|path| format!("/work/shop/{path}")));
        let moved = &session.files["/work/shop/src/two.rs"];
        assert_eq!(moved.renamed_from.as_deref(), Some("/work/shop/src/one.rs"));
    }

    #[test]
    fn a_file_that_git_put_back_before_any_commit_is_not_edited() {
        let edit = "sed -i 's/a/b/' src/old.rs src/other.rs";
        let edits = |lines: &[&str]| after(lines).files["/work/shop/src/old.rs"].edits;
        assert_eq!(edits(&[edit, "git checkout -- src/old.rs"]), 0);
        assert_eq!(edits(&[edit, "git restore ."]), 0);
        assert_eq!(edits(&[edit, "git restore src/other.rs"]), 1);
        assert_eq!(edits(&[edit, "git restore --staged src/old.rs"]), 1);
        assert_eq!(edits(&[edit, "git commit -qam 'Fix it'", "git checkout -- src/old.rs"]), 1);
    }

    #[test]
    fn what_was_stashed_for_a_while_is_not_rejected() {
        assert_eq!(after(&["git stash && cargo test"]).rejected.len(), 1);
        assert!(after(&["git stash && cargo test", "git stash pop"]).rejected.is_empty());
    }

    #[test]
    fn what_deletes_nothing_or_may_not_have_run_says_nothing() {
        for line in [
            "git rm --cached a.rs",
            "git rm --dry-run a.rs",
            "git rm -n a.rs",
            "cargo test || rm a.rs",
            "cargo test || ls && rm a.rs",
            "pushd /tmp/copy && rm a.rs",
            "(cd /tmp/copy; rm a.rs)",
            "( cd /tmp/copy && rm a.rs ) && rm -f x",
            "for d in x y; do cd $d; rm a.rs; done",
            "f() { rm a.rs; }; echo",
            "bash -c 'cd /tmp && rm a.rs'",
            "cd /tmp/copy; rm a.rs",
            "ls; cd \"$X\" && rm a.rs",
            "rm 'an a.rs' \"other a.rs\"",
            "cat > x <<E\nrm a.rs\nE",
        ] {
            let session = after(&[line]);
            assert!(!session.files["/work/shop/a.rs"].deleted, "{line}");
            let known = 2 + usize::from(line.starts_with("cat > x"));
            assert_eq!(session.files.len(), known, "{line}");
        }
        for line in [
            "cargo test || true; rm a.rs",
            "cd src && cd .. && rm a.rs",
            "cd /tmp; rm /work/shop/a.rs",
            "git -C src rm ../a.rs",
            "rm \"a.rs\" 2>/dev/null",
        ] {
            assert!(after(&[line]).files["/work/shop/a.rs"].deleted, "{line}");
        }
    }

    #[test]
    fn files_that_the_shell_shows_were_read() {
        let session = after(&[
            "sed -n '1,80p' a.rs",
            "cat a.rs src/b.rs | grep x",
            "cd src && head -n 5 b.rs && tail -20 c.rs",
            "nl -ba \"d.rs\"; bat -r 1:5 e.rs",
        ]);
        let reads = |path: &str| session.files.get(path).map(|file| file.reads);
        assert_eq!(reads("/work/shop/a.rs"), Some(2));
        assert_eq!(reads("/work/shop/src/b.rs"), Some(2));
        for path in ["/work/shop/src/c.rs", "/work/shop/d.rs", "/work/shop/e.rs"] {
            assert_eq!(reads(path), Some(1), "{path}");
        }
        assert_eq!(session.files.len(), 5);
        for line in [
            "cat *.rs",
            "cat $X",
            "ls | head",
            "ls | tail -5 x",
            "cat > x.rs <<E\ny\nE",
            "cat - < x.rs",
            "sed -i 's/a/b/' x.rs",
            "sed 's/a/b/' x.rs",
            "ls || cat x.rs",
            "for f in x; do cat x.rs; done",
            "cd $Y && cat x.rs",
            "echo cat x.rs",
        ] {
            assert!(after(&[line]).files.values().all(|file| file.reads == 0), "{line}");
        }
    }

    #[test]
    fn what_comes_back_is_there_again() {
        for line in ["git checkout a.rs", "git checkout -- a.rs", "git restore a.rs"] {
            assert!(!after(&["rm a.rs", line]).files["/work/shop/a.rs"].deleted, "{line}");
        }
        assert!(after(&["rm a.rs", "git restore --staged a.rs"]).files["/work/shop/a.rs"].deleted);
        let away = after(&["mv a.rs a.bak && cargo test; mv a.bak a.rs"]);
        assert_eq!(away.files, after(&[]).files);
        let mut recorder = Recorder::new("x");
        recorder.cwd("/w");
        for (call, line) in [("1", ""), ("2", "rm a.rs"), ("3", "")] {
            match line {
                "" => recorder.edits(call, "/w/a.rs"),
                line => recorder.ran(call, line),
            }
            recorder.ended(call, End { outcome: Outcome::Passed, exit: None }, || "".into());
        }
        assert!(!recorder.session().files["/w/a.rs"].deleted);
    }

    #[test]
    fn what_is_moved_to_what_may_be_a_directory_makes_no_file() {
        let session = after(&["mv a.rs lib"]);
        assert!(session.files["/work/shop/a.rs"].deleted);
        assert_eq!(session.files.len(), 2);
        assert!(after(&["mv a.rs src"]).files.contains_key("/work/shop/src/a.rs"));
    }

    #[test]
    fn a_line_runs_where_the_session_was_when_it_was_called() {
        let passed = End { outcome: Outcome::Passed, exit: Some(0) };
        let mut recorder = Recorder::new("x");
        recorder.cwd("/w");
        recorder.creates("1", "/w/src/a.rs");
        recorder.ended("1", passed, || "".into());
        recorder.ran("2", "cd src && rm a.rs");
        recorder.cwd("/w/src");
        recorder.ended("2", passed, || "".into());
        recorder.ran("3", "cd /tmp/x && git commit -m x");
        recorder.cwd("/tmp/x");
        recorder.ended("3", passed, || "[main 1111111] x".into());
        let session = recorder.into_session();
        assert!(session.files["/w/src/a.rs"].deleted);
        assert_eq!(session.commits[0].state, CommitState::Elsewhere);
    }

    fn checked(line: &str, exit: i32, output: &str) -> super::super::super::Check {
        let mut recorder = Recorder::new("x");
        recorder.ran("1", line);
        let outcome = if exit == 0 { Outcome::Passed } else { Outcome::Failed };
        recorder.ended("1", End { outcome, exit: Some(exit) }, || output.into());
        recorder.into_session().checks.remove(0)
    }

    #[test]
    fn a_check_whose_exit_code_is_hidden_ends_as_its_output_says() {
        let (failed, passed) = (Outcome::Failed, Outcome::Passed);
        for (line, exit, output, outcome) in [
            ("cargo build 2>&1 | tail -3", 0, "error: could not compile `a`", failed),
            ("cargo test | tail -1", 0, "test result: FAILED. 1 passed; 2 failed", failed),
            ("cargo test | tail -1", 0, "test result: ok. 1 passed; 0 failed", passed),
            ("cargo test | grep panicked", 1, "", Outcome::Unknown),
            ("cargo test | head -1", 0, "test result: ok. 1 passed; 0 failed", Outcome::Unknown),
            ("cargo test | head -3", 0, "test result: ok. 1 passed; 0 failed", passed),
            ("npm test || true", 0, "Tests:  3 failed, 5 passed", failed),
            ("pytest -q; echo done", 0, "2 failed, 3 passed in 0.1s\ndone", failed),
            ("pytest -q; echo done", 0, "done", Outcome::Unknown),
            ("go test ./... | grep -v ok", 0, "FAIL\tx\t0.01s\nFAIL", failed),
            ("npx tsc --noEmit | head", 0, "a.ts(3,1): error TS2304: No x.", failed),
            ("npx tsc --noEmit | head", 0, "", passed),
            ("pnpm exec tsc --noEmit 2>&1 | tail -5", 0, "", passed),
            ("go build ./... 2>&1 | head -20", 0, "\n", passed),
            ("go build ./... 2>&1 | head -20", 0, "./a.go:3:1: undefined: x", failed),
            ("go vet ./... > out.txt | head", 0, "", Outcome::Unknown),
            ("cargo check -q 2>&1 | tail", 0, "", passed),
            ("cargo check 2>&1 | grep warning", 0, "", Outcome::Unknown),
            ("go vet ./...; echo \"exit: $?\"", 0, "exit: 0", passed),
            ("npm run lint; echo $?", 0, "2", failed),
            ("npm test; echo exit=$?", 0, "Tests: 5 passed, 5 total\nexit=1", failed),
            ("npm run lint | tail -3; echo $?", 0, "0", Outcome::Unknown),
            ("npm run lint | tail -3; echo ${PIPESTATUS[0]}", 0, "0", passed),
            ("go test ./... 2>&1 | grep -E 'ok|FAIL'", 0, "ok  \tx/y\t0.01s", passed),
            ("go test ./... 2>&1 | grep ok", 0, "ok  \tx/y\t0.01s", Outcome::Unknown),
            ("go test ./... 2>&1 | tail -5", 0, "ok  \tx/y\t(cached)", passed),
            ("go test ./... 2>&1 | head -2", 0, "ok  \tx\t1s\nok  \ty\t1s", Outcome::Unknown),
            ("pytest 2>&1 | head -2", 0, "....\n12 passed in 0.1s", passed),
            ("bun test 2>&1 | tail -4", 0, " 12 pass\n 1 fail\nRan 13 tests", failed),
            ("bun test 2>&1 | tail -4", 0, " 12 pass\n 0 fail\nRan 12 tests", passed),
            ("pnpm --filter web test | tail", 0, " Tests  4 passed (4)", passed),
            ("golangci-lint run | tail -3", 0, "0 issues.", passed),
            ("npm run lint 2>&1 | tail", 0, "✖ 3 problems (1 error, 2 warnings)", failed),
            ("npm run lint 2>&1 | tail", 0, "✖ 2 problems (0 errors, 2 warnings)", passed),
            ("cargo test && git push", 1, "test result: ok. 3 passed; 0 failed", passed),
            ("cargo build && ./target/debug/x", 1, "it was not found", Outcome::Unknown),
        ] {
            let check = checked(line, exit, output);
            assert_eq!((check.outcome, check.exit), (outcome, None), "{line}");
        }
    }

    #[test]
    fn a_run_that_found_no_test_neither_passed_nor_failed() {
        for (line, exit, output) in [
            ("npx jest --passWithNoTests cart", 0, "No tests found, exiting with code 0"),
            ("npx jest cart", 1, "No tests found, exiting with code 1"),
            ("npx vitest run cart", 1, "No test files found, exiting with code 1"),
            (
                "pytest -k cart",
                5,
                "collected 9 items / 9 deselected\n\n=== 9 deselected in 0.1s ===",
            ),
            ("pytest -q | tail -1", 0, "no tests ran in 0.01s"),
            ("go test ./cart", 0, "?   \tshop/cart\t[no test files]"),
            (
                "cargo test cart",
                0,
                "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored",
            ),
        ] {
            let check = checked(line, exit, output);
            assert_eq!((check.outcome, check.exit), (Outcome::Unknown, None), "{line}");
            assert_eq!(check.summary.as_deref(), Some("no tests ran"), "{line}");
        }
    }

    #[test]
    fn what_a_line_prints_instead_of_a_check_says_that_it_did_not_pass() {
        let known = "which linty && golangci-lint run || echo \"linty is not installed\"";
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.ran("1", known);
        let passed = End { outcome: Outcome::Passed, exit: Some(0) };
        recorder.ended("1", passed, || "linty is not installed".into());
        recorder.said("All green. It is done.");
        assert_eq!(recorder.session().checks, [], "it did not run");
        let failed = checked("npm test || echo 'it is red'", 0, "> jest\n\nit is red");
        assert_eq!(failed.outcome, Outcome::Failed);
        let passed = checked("npm test || echo 'it is red'", 0, "Tests: 5 passed, 5 total");
        assert_eq!(passed.outcome, Outcome::Passed);
    }

    #[test]
    fn a_check_that_ran_out_of_time_is_stopped() {
        let check = checked("cd x && timeout 10 pytest -q", 124, "Exit code 124\n..");
        assert_eq!(
            (check.outcome, check.exit, check.failed_times),
            (Outcome::Stopped, Some(124), 0)
        );
        let failing = "FAILED t.py::test_x - assert\n..";
        assert_eq!(checked("timeout 10 pytest -q", 124, failing).outcome, Outcome::Failed);
        assert_eq!(checked("pytest -q", 124, "..").outcome, Outcome::Failed);
        let limit = "Exit code 143\nCommand timed out after 2m 0.0s\n..";
        assert_eq!(checked("pytest -q", 143, limit).outcome, Outcome::Stopped);
        assert_eq!(checked("pytest -q", 143, "..").outcome, Outcome::Failed);
        assert_eq!(checked("timeout 9 npm test; echo $?", 0, "124").outcome, Outcome::Stopped);
    }

    #[test]
    fn the_last_line_of_any_test_program_says_how_it_ended() {
        let (failed, passed) = (Outcome::Failed, Outcome::Passed);
        for (line, output, outcome) in [
            ("vendor/bin/phpunit | tail -1", "Tests: 9, Assertions: 20, Errors: 1.", failed),
            ("vendor/bin/phpunit | tail -1", "OK (9 tests, 20 assertions)", passed),
            ("mvn -q verify 2>&1 | tail -2", "[ERROR] There are test failures.", failed),
            ("./mvnw -q verify 2>&1 | tail -2", "", passed),
            ("gradle test | tail -2", "BUILD FAILED in 3s\n4 actionable tasks", failed),
            ("ctest | tail -3", "The following tests FAILED:\n\t 2 - io (Timeout)", failed),
            ("sbt test | tail -1", "[error] (Test / test) sbt.TestsFailedException: x", failed),
            ("bazel test //... | tail -1", "Executed 4 out of 4 tests: 4 tests pass.", passed),
            ("make check | tail -2", "# XPASS: 0\n# ERROR: 1", failed),
            ("bundle exec rspec | tail -1", "7 examples, 2 failures", failed),
            ("mix test | tail -1", "3 doctests, 9 tests, 0 failures", passed),
            ("dotnet test | tail -1", "Passed!  - Failed: 0, Passed: 4, Total: 4", passed),
            ("swift test | tail -1", "✘ Test run with 2 tests failed after 0.1 seconds.", failed),
            ("zig build test 2>&1 | tail -1", "test transitive failure", failed),
            ("deno test | tail -1", "error: Test failed", failed),
            ("npx ava | tail -2", "2 tests failed\n1 test passed", failed),
            ("npx tap | tail -1", "# pass  4\n# fail  1", failed),
            ("prove -r t | tail -1", "Result: PASS", passed),
            ("ruff check --fix . | tail -1", "Found 4 errors (4 fixed, 0 remaining).", passed),
            ("ruff check --fix . | tail -1", "Found 4 errors (3 fixed, 1 remaining).", failed),
            ("npx eslint . | tail -2", "✖ 4 problems (1 error, 3 warnings)", failed),
            ("npx tsc | tail -1", "Found 2 errors in the same file", failed),
            ("mypy . | tail -1", "Found 1 error in 1 file (checked 3 source files)", failed),
            ("pylint src | tail -1", "Your code has been rated at 10.00/10", passed),
            ("nox -s lint | tail -1", "nox > Session lint failed.", failed),
        ] {
            assert_eq!(checked(line, 0, output).outcome, outcome, "{line}: {output}");
        }
    }

    #[test]
    fn what_starts_a_check_does_not_hide_it() {
        for line in [
            "timeout -s KILL 60 npm test",
            "/usr/bin/timeout --signal=INT 5m npm test",
            "time -p npm test",
            "/usr/bin/time -v npm test",
            "env -u CI -i A=b npm test",
            "xvfb-run -a -s '-screen 0 800x600x24' npm test",
            "sudo -u web nice -n 10 npm test",
            "nohup npm test",
        ] {
            let check = checked(line, 1, "1 failing");
            assert_eq!((check.name.as_str(), check.exit), ("npm test", Some(1)), "{line}");
        }
        let mut recorder = Recorder::new("x");
        recorder.ran("1", "command -v pytest");
        assert!(recorder.into_session().checks.is_empty());
        let check =
            checked("docker compose run --rm web timeout 60 pytest -q", 1, "1 failed in 2s");
        assert_eq!(check.outcome, Outcome::Failed);
    }

    #[test]
    fn a_check_that_failed_is_not_summed_up_by_what_passed() {
        let packages = "ok  \tx/b\t0.1s\nok  \tx/c\t0.2s\nFAIL";
        let check = checked("go test ./... 2>&1 | tail -3", 0, packages);
        assert_eq!((check.outcome, check.summary), (Outcome::Failed, None));
        let results =
            "test result: FAILED. 1 passed; 2 failed\ntest result: ok. 1 passed; 0 failed";
        let check = checked("cargo test 2>&1 | grep 'test result'", 0, results);
        assert_eq!(check.summary.as_deref(), Some("test result: FAILED. 1 passed; 2 failed"));
    }

    #[test]
    fn a_check_that_passed_by_itself_has_no_failing_tests() {
        for (line, output) in [
            ("cargo test", "ERROR app::db: refused\ntest a ... FAILED\ntest result: ok. 2 passed"),
            ("npm test", "✓ shows\n  × close button\nTests: 5 passed, 5 total"),
            ("npx playwright test", "  ✘  1 [c] › a › b (2s)\n  1 flaky\n  4 passed"),
        ] {
            let check = checked(line, 0, output);
            assert_eq!((check.outcome, check.exit), (Outcome::Passed, Some(0)), "{line}");
            assert!(check.failing.is_empty(), "{line}");
        }
        let check = checked("npm test", 0, "✕ adds (3 ms)\nTests: 1 failed, 5 passed, 6 total");
        assert_eq!((check.outcome, check.failing.len()), (Outcome::Failed, 1));
    }

    #[test]
    fn a_check_behind_a_long_text_is_told_by_its_name() {
        let long = "x = 1\n".repeat(2_000);
        let line = format!("cat > t.py <<'EOF'\n{long}EOF\npytest -q t.py");
        let check = checked(&line, 1, "FAILED t.py::test_x - assert\n1 failed in 0.1s");
        assert_eq!((&*check.command, &*check.name), ("pytest -q t.py", "pytest -q t.py"));
        assert_eq!(check.failing, ["t.py::test_x"]);
    }

    #[test]
    fn after_very_many_commands_everything_still_counts() {
        let passed = End { outcome: Outcome::Passed, exit: Some(0) };
        let mut recorder = Recorder::new("x");
        recorder.cwd("/w");
        recorder.creates("a", "/w/a.rs");
        recorder.ended("a", passed, || "".into());
        recorder.ran("waits", "sleep 1");
        for n in 0..7_000 {
            let line = format!("echo {n}");
            recorder.ran("1", &line);
            recorder.ended("1", passed, || "".into());
        }
        for (line, output) in
            [("cargo test", ""), ("git commit", "[m 1111111] late"), ("rm a.rs", "")]
        {
            recorder.ran("1", line);
            recorder.ended("1", passed, || output.into());
        }
        recorder.ended("waits", passed, || "".into());
        let session = recorder.into_session();
        assert_eq!((session.checks.len(), session.commits.len()), (1, 1));
        assert!(session.files["/w/a.rs"].deleted);
        assert!(session.commands.len() <= 5_000);
        assert_eq!(session.commands.len() as u64 + session.more_commands, 7_004);
        assert_eq!(session.commands[999].command, "echo 998");
        assert_eq!(session.commands.last().unwrap().command, "rm a.rs");
        assert!(session.commands.iter().all(|one| one.outcome == Outcome::Passed));
    }

    #[test]
    fn files_that_were_changed_after_a_check_are_counted() {
        let session = after(&["cargo test", "rm a.rs", "ls"]);
        let check = session.checks[0].record;
        assert_eq!((session.edited_after(check), session.edited_after(check + 1)), (1, 0));
    }
}
