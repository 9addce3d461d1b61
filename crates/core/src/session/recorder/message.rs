//! The message of a commit, as the command line gives it.

use super::super::command::{exit_shows, is_commit};
use super::super::line::CommandLine;
use super::super::{Commit, CommitState, Outcome};
use super::{COMMITS, End, Recorder, cut};
use crate::redact::Whole;

/// Bytes kept of what a message says below its subject.
const BODY: usize = 700;
/// Beginnings of lines that are for programs.
const TRAILERS: &[&str] =
    &["co-authored-by:", "signed-off-by:", "🤖", "generated with", "change-id:"];
/// What is printed if a commit is not made.
const NOT_MADE: &[&str] =
    &["failed", "error", "fatal", "hook", "nothing to commit", "added to commit", "aborting"];

impl Recorder {
    /// Adds what the message says to the commits that were made since there were so many. A commit that
    /// git was told to be quiet about is known by its message alone.
    pub(super) fn describe_commits(
        &mut self,
        before: usize,
        message: Option<&str>,
        (line, dir): (&CommandLine<'_>, Option<&str>),
        (end, output): (End, &str),
    ) {
        let Some(message) = message else { return };
        let (subject, body) = message.split_once('\n').unwrap_or((message, ""));
        let subject = subject.trim();
        if self.session.commits.len() == before && end.outcome == Outcome::Passed {
            let printed = printed_id(output, subject);
            let id = printed.unwrap_or_default().to_owned();
            let known =
                |commit: &Commit| commit.id == id && (!id.is_empty() || commit.subject == subject);
            if self.session.commits.len() < COMMITS
                && !self.session.commits.iter().any(known)
                && (printed.is_some() || self.commits_unseen(line, dir, output))
            {
                let (branch, record) = (self.session.branch.clone(), self.record);
                let commit = Commit {
                    id,
                    branch,
                    subject: subject.to_owned(),
                    body: String::new(),
                    record,
                    state: CommitState::Made,
                    pushed: false,
                    by_subagent: self.aside,
                };
                self.session.commits.push(commit);
            }
        }
        for commit in self.session.commits.iter_mut().skip(before) {
            if commit.subject.trim_end_matches('…').starts_with(subject) {
                commit.body = body.to_owned();
            }
        }
    }
}

impl Recorder {
    /// Whether a line that passed made a commit though no id of one was printed. Where the exit code of git
    /// is hidden, nothing that was printed may speak against it.
    fn commits_unseen(&self, line: &CommandLine<'_>, dir: Option<&str>, output: &str) -> bool {
        let speaks_against = || {
            let lower = output.to_ascii_lowercase();
            NOT_MADE.iter().any(|says| lower.contains(says))
        };
        self.git_commands(&line.parts, dir).iter().any(|one| {
            let part = &line.parts[one.at];
            is_commit(&one.git)
                && one.is_here
                && !part.beside
                && (exit_shows(line, one.at) || !part.maybe && !speaks_against())
        })
    }
}

/// The id of a commit in what `git log --oneline` printed.
fn printed_id<'o>(output: &'o str, subject: &str) -> Option<&'o str> {
    output.lines().find_map(|line| {
        let (id, rest) = line.trim().split_once(' ')?;
        let is_id = (7..=40).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let rest = rest.trim_start_matches('(').trim();
        (is_id && (rest.starts_with(subject) || rest.ends_with(subject))).then_some(id)
    })
}

/// The message that a command line gives to `git commit`: subject, line break, body.
pub(super) fn commit_message(command: &str) -> Option<String> {
    let (_, after) = command.split_once("git ")?;
    let (_, after) = after.split_once("commit")?;
    // A commit without a change is a trial.
    if after.contains("--allow-empty ") {
        return None;
    }
    let text = fed_text(after).or_else(|| quoted_texts(after))?;
    let mut lines = text.lines().map(str::trim).skip_while(|line| line.is_empty());
    let whole = Whole::new(&text);
    let subject = whole.piece(lines.next()?);
    let is_trailer = |line: &str| {
        let lower = line.to_lowercase();
        TRAILERS.iter().any(|trailer| lower.starts_with(trailer))
    };
    let body: Vec<&str> = lines.filter(|line| !is_trailer(line)).collect();
    let body = body.join("\n");
    Some(format!("{subject}\n{}", cut(&whole.piece(body.trim()), BODY)))
}

/// What stands between `<<EOF` and `EOF`.
fn fed_text(line: &str) -> Option<String> {
    let (_, after) = line.split_once("<<")?;
    let (mark, text) = after.split_once('\n')?;
    let mark = mark.trim_start_matches(['-', '~']);
    let mark =
        mark.split(|c: char| c.is_whitespace() || matches!(c, ')' | '&' | '|' | ';')).next()?;
    let mark = mark.trim_matches(['\'', '"', '\\']);
    if mark.is_empty() {
        return None;
    }
    let lines: Vec<&str> = text.lines().take_while(|line| line.trim() != mark).collect();
    Some(lines.join("\n"))
}

/// What is given with `-m`, each a paragraph.
fn quoted_texts(line: &str) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(" -") {
        rest = &rest[at + 1..];
        let end = rest.find(|c: char| !(c == '-' || c.is_ascii_alphabetic())).unwrap_or(rest.len());
        let (flag, after) = rest.split_at(end);
        let is_message = flag == "--message" || !flag.starts_with("--") && flag.ends_with('m');
        rest = after;
        if !is_message {
            continue;
        }
        let value = after.trim_start_matches(['=', ' ']);
        let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            continue;
        };
        let inside = &value[1..];
        let mut escaped = false;
        let end = inside.char_indices().find(|(_, c)| {
            let ends = *c == quote && !escaped;
            escaped = *c == '\\' && !escaped && quote == '"';
            ends
        });
        let (text, after) = inside.split_at(end.map_or(inside.len(), |(at, _)| at));
        found.push(text.replace("\\\"", "\"").replace("\\`", "`"));
        rest = after.get(1..).unwrap_or_default();
    }
    (!found.is_empty()).then(|| found.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::commit_message;
    use crate::session::{End, Outcome, Recorder};

    fn commits(line: &str, output: &'static str) -> usize {
        let mut recorder = Recorder::new("x");
        recorder.cwd("/work/shop");
        recorder.ran("1", line);
        let passed = End { outcome: Outcome::Passed, exit: Some(0) };
        recorder.ended("1", passed, || output.into());
        recorder.into_session().commits.len()
    }

    #[test]
    fn a_quiet_commit_is_known_by_its_message_if_nothing_speaks_against_it() {
        for (line, output) in [
            ("git commit -qm 'Fix it'", ""),
            ("git commit -qm 'Fix it' && cargo test", "test prints error: x"),
            ("git commit -m 'Fix it' | tail -1", " 1 file changed, 1 insertion(+)"),
            ("git commit -qm 'Fix it'; git status", "On branch main"),
        ] {
            assert_eq!(commits(line, output), 1, "{line}");
        }
        for (line, output) in [
            ("git commit -am 'Fix it' --dry-run", "Changes to be committed:\n modified: a.py"),
            ("git commit -am 'Fix it' | tail -3", "husky - pre-commit script failed (code 1)"),
            ("git commit -m 'Fix it' | cat", "nothing added to commit but untracked files present"),
            ("git commit -m 'Fix it' | cat", "no changes added to commit"),
            ("git commit -m 'Fix it' || true", "nothing to commit, working tree clean"),
            ("git commit -m 'Fix it' 2>&1 | tail -1", "lint-staged: Hook exited with code 1"),
            ("git commit -m 'Fix it' &", ""),
            ("git diff --cached --quiet || git commit -m 'Fix it'", ""),
            ("cd /tmp/other && git commit -qm 'Fix it'", ""),
        ] {
            assert_eq!(commits(line, output), 0, "{line}");
        }
    }

    #[test]
    fn messages_are_found_however_they_are_given() {
        for (command, message) in [
            ("git commit -m 'Fix it'", "Fix it\n"),
            (
                "git add . && git commit -q -m \"Fix it\n\nIt was \\\"odd\\\".\"",
                "Fix it\nIt was \"odd\".",
            ),
            ("git commit -am \"One\" -m \"Two\"", "One\nTwo"),
            (
                "git commit -m \"$(cat <<'EOF'\nFix it\n\nBecause.\n\nCo-Authored-By: x <y@example.com>\nEOF\n)\"",
                "Fix it\nBecause.",
            ),
            ("git commit -F - <<EOF\nFix\nEOF\ngit push", "Fix\n"),
        ] {
            assert_eq!(commit_message(command).as_deref(), Some(message), "{command}");
        }
        assert_eq!(commit_message("git commit --amend --no-edit"), None);
        assert_eq!(commit_message("git status"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read(text: String) {
            let _ = commit_message(&format!("git commit -m \"{text}"));
            let _ = commit_message(&format!("git commit -F - <<{text}"));
        }
    }
}
