//! The commits that a command line made, and those that it took back.

use super::super::command::is_commit;
use super::super::line::{CommandLine, Git, Part, git};
use super::super::printed::{commits_in, first_in_log};
use super::super::{Commit, CommitState, Outcome};
use super::shell::place;
use super::{COMMITS, ERROR, End, Recorder, cut};
use crate::redact::Whole;

/// What a line does to the list of commits.
enum Step {
    Commits,
    Amends,
    /// Makes as many commits as it likes.
    Brings,
    Back(usize),
    BackTo(String),
    /// Makes one in another repository.
    Elsewhere,
}

/// A command of git in a line.
pub(super) struct GitCommand<'p, 'l> {
    /// Which command of the line it is.
    pub at: usize,
    pub git: Git<'p, 'l>,
    /// Whether it works on the repository of the session, as far as the line shows.
    pub is_here: bool,
}

impl Recorder {
    /// Takes down the commits that a line made, and those that it took back.
    pub(super) fn commit(
        &mut self,
        line: &CommandLine<'_>,
        dir: Option<&str>,
        end: End,
        output: &str,
    ) {
        if !line.text.contains("git") {
            return;
        }
        let mut steps = self.steps(&line.parts, dir);
        if end.outcome != Outcome::Passed {
            steps.retain(|step| !matches!(step, Step::Back(_) | Step::BackTo(_)));
        }
        let makes = |step: &&Step| {
            matches!(step, Step::Commits | Step::Amends | Step::Brings | Step::Elsewhere)
        };
        let making = steps.iter().filter(makes).count();
        let mut made = if making > 0 { commits_in(output) } else { Vec::new() };
        if made.is_empty() && making == 1 && end.outcome == Outcome::Passed && logs_quiet(line) {
            made.extend(first_in_log(output));
        }
        let whole = Whole::new(output);
        for (_, _, subject) in &mut made {
            *subject = whole.piece(subject).into_owned();
        }
        let brings = steps.iter().any(|step| matches!(step, Step::Brings));
        if brings || making != made.len() {
            // Which of them made which is not known.
            let elsewhere = steps.iter().filter(makes).all(|step| matches!(step, Step::Elsewhere));
            let state = if elsewhere { CommitState::Elsewhere } else { CommitState::Made };
            made.drain(..).for_each(|one| self.made(one, state));
        }
        let mut made = made.into_iter();
        for step in steps {
            let commits = &mut self.session.commits;
            match step {
                Step::Commits | Step::Brings => {
                    made.next().into_iter().for_each(|one| self.made(one, CommitState::Made));
                }
                Step::Elsewhere => {
                    made.next().into_iter().for_each(|one| self.made(one, CommitState::Elsewhere));
                }
                Step::Amends => {
                    let Some(one) = made.next() else { continue };
                    // What was committed before the session is not known here.
                    let last = commits.iter_mut().rfind(|one| one.state == CommitState::Made);
                    if let Some(last) = last.filter(|last| last.branch == one.1) {
                        last.state = CommitState::Gone;
                    }
                    self.made(one, CommitState::Made);
                }
                Step::Back(many) => {
                    let made = commits.iter_mut().filter(|one| one.state == CommitState::Made);
                    made.rev().take(many).for_each(|one| one.state = CommitState::Gone);
                }
                Step::BackTo(id) => {
                    let at = commits.iter().rposition(|one| is_same(&one.id, &id));
                    let from = at.map_or(commits.len(), |at| at + 1);
                    let made = commits[from..].iter_mut();
                    made.filter(|one| one.state == CommitState::Made)
                        .for_each(|one| one.state = CommitState::Gone);
                }
            }
        }
    }

    fn made(
        &mut self,
        (id, branch, subject): (String, Option<String>, String),
        state: CommitState,
    ) {
        let (record, by_subagent) = (self.record, self.aside);
        if let (None, Some(branch), CommitState::Made) = (&self.session.branch, &branch, state) {
            self.session.branch = Some(branch.clone());
        }
        let commits = &mut self.session.commits;
        if commits.len() < COMMITS && !commits.iter().any(|known| known.id == id) {
            let subject = cut(&subject, ERROR).into_owned();
            let (body, pushed) = (String::new(), false);
            let commit = Commit { id, branch, subject, body, record, state, pushed, by_subagent };
            commits.push(commit);
        }
    }

    /// What a line does to the commits of the project, and that it makes some elsewhere.
    fn steps(&self, parts: &[Part<'_>], cwd: Option<&str>) -> Vec<Step> {
        let sure = self.git_commands(parts, cwd).into_iter().filter(|one| !parts[one.at].maybe);
        let steps = sure.filter_map(|one| match step(&one.git) {
            Some(step) if one.is_here => Some(step),
            Some(Step::Commits | Step::Amends | Step::Brings) => Some(Step::Elsewhere),
            _ => None,
        });
        steps.collect()
    }

    /// The commands of git in a line, and which of them work on the repository of the session.
    pub(super) fn git_commands<'p, 'l>(
        &self,
        parts: &'p [Part<'l>],
        cwd: Option<&str>,
    ) -> Vec<GitCommand<'p, 'l>> {
        let own = cwd.filter(|cwd| cwd.starts_with('/'));
        let mut dir = own.map(str::to_owned);
        let mut before_group = None;
        let mut known = true;
        let mut commands = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let words = &part.words;
            if part.grouped && before_group.is_none() {
                before_group = Some((dir.clone(), known));
            } else if !part.grouped
                && let Some(before) = before_group.take()
            {
                (dir, known) = before;
            }
            if let ["cd" | "pushd", to @ ..] = &words[..] {
                dir = place(dir.as_deref(), to);
                continue;
            }
            let Some(git) = git(words) else { continue };
            let there = match git.dir {
                Some(to) => place(dir.as_deref(), &[to]),
                None => dir.clone(),
            };
            let is_here = there.as_deref().is_none_or(|there| self.is_here(there, cwd));
            if git.sub == "init" {
                // In the directory of the session it is the project that begins.
                known &= there.as_deref() == own && !names_dir(&git);
            }
            commands.push(GitCommand { at, git, is_here: is_here && known });
        }
        commands
    }

    /// Whether a directory is one of the session's, or around it.
    fn is_here(&self, dir: &str, cwd: Option<&str>) -> bool {
        let within = |one: &str, other: &str| {
            let rest = one.strip_prefix(other.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let mut own = [self.session.began_in.as_deref(), cwd].into_iter().flatten();
        own.any(|own| !own.starts_with('/') || within(dir, own) || dir != "/" && within(own, dir))
    }
}

/// What a command of git does to the list of commits.
fn step(git: &Git<'_, '_>) -> Option<Step> {
    match git.sub {
        "commit" if !is_commit(git) => None,
        "commit" if git.has("--amend") => Some(Step::Amends),
        "commit" => Some(Step::Commits),
        "cherry-pick" | "revert" | "merge" | "am" | "pull" => Some(Step::Brings),
        "reset" => {
            let mut named = git.rest.iter().filter(|word| !word.starts_with('-'));
            let to = named.next().filter(|_| named.next().is_none() && !git.has("--"))?;
            if (7..=40).contains(&to.len()) && to.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Some(Step::BackTo((*to).to_owned()));
            }
            let back = to.strip_prefix("HEAD").or_else(|| to.strip_prefix('@'))?;
            if !back.is_empty() && back.bytes().all(|byte| byte == b'^') {
                return Some(Step::Back(back.len()));
            }
            match back.strip_prefix('~')? {
                "" => Some(Step::Back(1)),
                many => many.parse().ok().map(Step::Back),
            }
        }
        _ => None,
    }
}

/// Whether a line commits without a word and shows the log after it:
/// `git commit -qm x && git log --oneline -1`.
fn logs_quiet(line: &CommandLine<'_>) -> bool {
    let quiet = |word: &&str| {
        *word == "--quiet" || word.starts_with('-') && !word.starts_with("--") && word.contains('q')
    };
    let mut git = line.parts.iter().filter(|part| !part.maybe).map(|part| &part.words);
    let commits = git
        .any(|words| git_of(words).is_some_and(|git| git.0 == "commit" && git.1.iter().any(quiet)));
    commits
        && git.any(|words| {
            git_of(words).is_some_and(|git| git.0 == "log" && git.1.contains(&"--oneline"))
        })
}

fn git_of<'w, 'l>(words: &'w [&'l str]) -> Option<(&'l str, &'w [&'l str])> {
    git(words).map(|git| (git.sub, git.rest))
}

/// Whether `git init` names a directory of its own.
fn names_dir(git: &Git<'_, '_>) -> bool {
    let mut words = git.rest.iter();
    while let Some(word) = words.next() {
        match *word {
            "-b" | "--initial-branch" | "--template" => {
                words.next();
            }
            "." => {}
            word if word.starts_with('-') || word.contains('>') => {}
            _ => return true,
        }
    }
    false
}

/// Whether two ids are of the same commit, one of which may be the beginning of the other.
fn is_same(one: &str, other: &str) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

#[cfg(test)]
mod tests {
    use super::super::{End, Outcome, Recorder};
    use crate::session::CommitState;

    fn told(lines: &[(&str, &str)]) -> Vec<String> {
        let mut recorder = Recorder::new("x");
        recorder.cwd("/work/shop");
        for (line, output) in lines {
            recorder.next_record();
            recorder.ran(line, line);
            let passed = End { outcome: Outcome::Passed, exit: Some(0) };
            recorder.ended(line, passed, || (*output).into());
        }
        let commits = recorder.into_session().commits.into_iter();
        let made = commits.filter(|commit| commit.state == CommitState::Made);
        made.map(|commit| commit.subject).collect()
    }

    #[test]
    fn commits_that_are_replaced_or_taken_back_are_gone() {
        let (one, two) =
            (("git commit -m 1", "[m 1111111] one"), ("git commit", "[m 2222222] two"));
        assert_eq!(told(&[one, ("git commit --amend", "[m 3333333] new")]), ["new"]);
        assert_eq!(told(&[one, ("git commit --amend", "[other 3333333] new")]), ["one", "new"]);
        for line in ["git reset --hard HEAD~1", "git reset HEAD^", "git reset --hard 1111111"] {
            assert_eq!(told(&[one, two, (line, "")]), ["one"], "{line}");
        }
        for line in ["git reset --hard", "git reset HEAD a.rs", "ls || git reset HEAD~1"] {
            assert_eq!(told(&[one, two, (line, "")]), ["one", "two"], "{line}");
        }
        let squash = ("git reset --soft HEAD~2 && git commit -m both", "[m 4444444] both");
        assert_eq!(told(&[one, two, squash]), ["both"]);
        let both = ("git commit -m a && git commit --amend -m b", "[m 5555555] a\n[m 6666666] b");
        assert_eq!(told(&[one, both]), ["one", "b"]);
    }

    #[test]
    fn a_commit_in_the_middle_of_a_line_counts() {
        let printed = "Running hooks\n[detached HEAD 1111111] x\n 1 file changed\npushed";
        for line in [
            "git add -A && git commit -m x && git push",
            "npm test; git commit -m x; git status",
            "git add . && git commit -m \"$(cat <<'E'\nx\nE\n)\" && git log -1",
            "if true; then git commit -m x; fi",
        ] {
            assert_eq!(told(&[(line, printed)]), ["x"], "{line}");
        }
        let quiet = "git commit -qm x && git log --oneline -1";
        assert_eq!(told(&[(quiet, "1111111 (HEAD -> main) x")]), ["x"]);
        assert!(told(&[("git commit -m x && git log --oneline -1", "1111111 x")]).is_empty());
        let mut recorder = Recorder::new("x");
        recorder.ran("1", "git commit -m x && git push");
        let failed = End { outcome: Outcome::Failed, exit: Some(1) };
        recorder.ended("1", failed, || "[main 1111111] x\nerror: failed to push".into());
        assert_eq!(recorder.session().commits.len(), 1);
    }

    #[test]
    fn commits_in_other_repositories_are_not_the_projects() {
        let printed = "[main 1111111] x";
        for line in [
            "cd /tmp/other && git commit -m x",
            "git -C ../other commit -m x",
            "mkdir t && cd t && git init && git commit -m x",
            "cd $(mktemp -d) && git init -q && git commit -m x",
            "git init t && cd t && git commit -m x",
        ] {
            assert!(told(&[(line, printed)]).is_empty(), "{line}");
        }
        for line in [
            "cd /work/shop/src && git commit -m x",
            "cd .. && git commit -m x",
            "git init -b main && git commit -m x",
            "(cd /tmp && ls) && git commit -m x",
        ] {
            assert_eq!(told(&[(line, printed)]), ["x"], "{line}");
        }
    }
}
