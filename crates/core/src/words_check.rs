//! The agent's own words against the facts of its session: what the words say and the transcript shows
//! otherwise. Only plain statements count; a doubtful one is let pass.

use crate::claim::{Seen, claims};
use crate::part::Part;
use crate::section::list_item;
use crate::session::{Check, CheckKind, CommitState, Outcome, Session, check_kind};
use crate::{code_span, visible_line};

/// Failed tests that are named.
const NAMES: usize = 3;
/// Characters of a command that is named.
const COMMAND: usize = 120;

/// Words with which a statement is none, or none about the end of this session.
const HEDGES: &str = "not no never nothing none without neither nor cannot yet except should would will could \
    might may must need needs want wants ready until once if unless when whether before \
    after earlier previous previously already existing only some most many other others rest \
    remaining fail fails failed failing failure failures broken red were had make made makes \
    making getting expected todo goal criteria";

/// What the words say and the session shows otherwise, a line each with both sides.
pub fn find_contradictions(words: &str, session: &Session) -> Vec<String> {
    let all = claims(words, Seen::Skipped);
    let states = all.iter().filter(|claim| {
        let is_plain = |heading: &str| Statement::of(heading).is_plain();
        // Steps are still to be done, and what was given up is told as it was then.
        matches!(claim.part, Part::State | Part::Checks | Part::Other)
            && is_plain(claim.section)
            && claim.under.is_none_or(is_plain)
    });
    let mut found = Vec::new();
    for statement in states.flat_map(|claim| statements(claim.block.text)) {
        let lines = [
            failed_tests(&statement, session),
            missing_commit(&statement, session),
            missing_push(&statement, session),
            missing_pull_request(&statement, session),
        ];
        for line in lines.into_iter().flatten() {
            if !found.contains(&line) {
                found.push(line);
            }
        }
    }
    found
}

/// A part of a sentence that states something.
#[derive(Debug)]
struct Statement {
    /// Its words in lower case, without code.
    words: Vec<String>,
    /// What stands between code marks.
    code: Vec<String>,
}

impl Statement {
    fn of(text: &str) -> Self {
        let (mut words, mut code) = (Vec::new(), Vec::new());
        for (at, part) in text.split('`').enumerate() {
            if at % 2 == 1 {
                code.push(part.trim().to_owned());
                continue;
            }
            let parts = part.split(|c: char| !c.is_alphanumeric() && !"'’#/".contains(c));
            let parts = parts.map(|word| word.trim_matches(['\'', '’', '/']).to_lowercase());
            words.extend(parts.filter(|word| !word.is_empty()));
        }
        Self { words, code }
    }

    fn is_plain(&self) -> bool {
        let hedges = |word: &String| {
            HEDGES.split(' ').any(|hedge| hedge == word)
                || word.ends_with("n't")
                || word.ends_with("n’t")
                // `3/4`
                || word.contains('/') && word.starts_with(|c: char| c.is_ascii_digit())
        };
        // `3 of 4`
        let counts =
            |pair: &[String]| pair[1] == "of" && pair[0].chars().all(|c| c.is_ascii_digit());
        !self.words.iter().any(hedges) && !self.words.windows(2).any(counts)
    }

    fn has(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.as_str()))
    }

    fn has_pair(&self, first: &str, second: &str) -> bool {
        self.words.windows(2).any(|pair| pair[0] == first && pair[1].starts_with(second))
    }

    /// Whether a word stands there, and none of these behind it.
    fn has_but(&self, word: &str, behind: &[&str]) -> bool {
        let mut at = self.words.iter().enumerate().filter(|(_, own)| *own == word);
        at.any(|(at, _)| {
            !self.words.get(at + 1).is_some_and(|next| behind.contains(&next.as_str()))
        })
    }
}

/// The plain statements of a text.
fn statements(text: &str) -> Vec<Statement> {
    let mut pieces: Vec<String> = Vec::new();
    // A line that is no item goes on with the one before.
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('>')) {
        match pieces.last_mut() {
            Some(piece) if list_item(line).is_none() => *piece += &format!(" {line}"),
            _ => pieces.push(line.to_owned()),
        }
    }
    let sentences: Vec<String> = pieces.iter().flat_map(|piece| sentences_of(piece)).collect();
    let parts = sentences.iter().flat_map(|sentence| sentence.split(" but "));
    parts.map(Statement::of).filter(Statement::is_plain).collect()
}

/// The sentences of a line that are no questions, parted at semicolons and dashes too.
fn sentences_of(line: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut sentence = String::new();
    let mut is_code = false;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        is_code ^= c == '`';
        let is_last = rest.peek().is_none_or(|next| next.is_whitespace());
        match c {
            '.' | '!' if is_last && !is_code => all.push(std::mem::take(&mut sentence)),
            ';' | '—' | '–' if !is_code => all.push(std::mem::take(&mut sentence)),
            '?' if is_last && !is_code => sentence.clear(),
            _ => sentence.push(c),
        }
    }
    all.push(sentence);
    all
}

/// The words say that tests pass, and their last run failed.
fn failed_tests(said: &Statement, session: &Session) -> Option<String> {
    const INTO: &[&str] = &["to", "in", "as", "by", "into", "through", "on", "down", "from"];
    let passes =
        said.has(&["pass", "passes", "passing", "green", "succeed", "succeeds", "succeeded"])
            || said.has_but("passed", INTO);
    if !passes {
        return None;
    }
    let tests = session.checks.iter().filter(|check| {
        check.kind == CheckKind::Test && matches!(check.outcome, Outcome::Passed | Outcome::Failed)
    });
    let is_test = |code: &&String| check_kind(code) == Some(CheckKind::Test);
    let last = match said.code.iter().find(is_test) {
        // Tests by their command are those of that command.
        Some(command) => tests.filter(|check| is_run_of(check, command)).max_by_key(|c| c.record),
        None if said.has(&["test", "tests", "suite", "testsuite"]) => {
            tests.max_by_key(|check| check.record)
        }
        None => None,
    };
    let last = last.filter(|check| check.outcome == Outcome::Failed)?;
    let name = if last.name.is_empty() { &last.command } else { &last.name };
    let name: String = visible_line(name).chars().take(COMMAND).collect();
    let failing: Vec<String> =
        last.failing.iter().take(NAMES).map(|name| code_span(&visible_line(name))).collect();
    let more = match last.failing.len().saturating_sub(NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let failing = match failing.is_empty() {
        true => String::new(),
        false => format!(" ({}{more})", failing.join(", ")),
    };
    Some(format!(
        "The words say that tests pass; the last run of {} in the session failed{failing}.",
        code_span(&name)
    ))
}

fn is_run_of(check: &Check, command: &str) -> bool {
    [&check.name, &check.command].iter().any(|run| {
        run.strip_prefix(command).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

/// Where the last commit stands that was not taken back.
fn last_commit(session: &Session) -> Option<u64> {
    let stands = session.commits.iter().filter(|commit| commit.state != CommitState::Gone);
    stands.map(|commit| commit.record).max()
}

/// The words say that something is committed, and no commit was seen.
fn missing_commit(said: &Statement, session: &Session) -> Option<String> {
    let says = said.has_but("committed", &["to"]);
    let shows = match (last_commit(session), session.commits.is_empty()) {
        (Some(_), _) => return None,
        (None, true) => "the transcript of the session shows no commit",
        (None, false) => "every commit of the session was taken back",
    };
    says.then(|| format!("The words say that work is committed; {shows}."))
}

/// The words say that something is pushed, and no push of the last commit was seen.
fn missing_push(said: &Statement, session: &Session) -> Option<String> {
    const ELSEWHERE: &[&str] =
        &["back", "down", "out", "into", "onto", "past", "through", "aside", "for"];
    if !said.has_but("pushed", ELSEWHERE) {
        return None;
    }
    // Opening a pull request pushes too.
    let shows = match (session.pushed.max(session.pull_request), last_commit(session)) {
        (None, _) => "the transcript of the session shows no push",
        (Some(pushed), Some(commit)) if commit > pushed => {
            "the last commit of the session came after its last push"
        }
        _ => return None,
    };
    Some(format!("The words say that work is pushed; {shows}."))
}

/// The words say that a pull request was opened, and none was seen.
fn missing_pull_request(said: &Statement, session: &Session) -> Option<String> {
    let names = said.has(&["pr", "prs", "mr"])
        || said.has_pair("pull", "request")
        || said.has_pair("merge", "request");
    let says = names && said.has(&["opened", "open", "created", "submitted", "raised", "filed"]);
    let is_link = |link: &String| link.contains("/pull/") || link.contains("/merge_requests/");
    let shown = session.pull_request.is_some() || session.links.iter().any(is_link);
    (says && !shown).then(|| {
        "The words say that a pull request was opened; the transcript of the session shows none."
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{End, PromptWay, Recorder};

    /// A session that ran these commands, each with its exit code and what it printed.
    fn session(runs: &[(&str, i32, &'static str)]) -> Session {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Fix the totals", PromptWay::Typed);
        for (at, (line, exit, output)) in runs.iter().enumerate() {
            recorder.next_record();
            let call = at.to_string();
            recorder.ran(&call, line);
            let outcome = if *exit == 0 { Outcome::Passed } else { Outcome::Failed };
            recorder.ended(&call, End { outcome, exit: Some(*exit) }, || (*output).into());
        }
        recorder.into_session()
    }

    fn state(words: &str) -> String {
        format!("## Current State\n- {words}\n")
    }

    const FAILED: (&str, i32, &str) = (
        "cargo test",
        101,
        "test basket::adds ... FAILED\n\ntest result: FAILED. 3 passed; 1 failed",
    );
    const PASSED: (&str, i32, &str) = ("cargo test", 0, "test result: ok. 4 passed; 0 failed");
    const COMMITTED: (&str, i32, &str) =
        ("git commit -qam 'fix totals' && git log --oneline -1", 0, "1a2b3c4 fix totals");
    const COMMIT: (&str, i32, &str) =
        ("git commit -am 'fix totals'", 0, "[main 1a2b3c4] fix totals\n 1 file changed");
    const PUSH: (&str, i32, &str) = ("git push", 0, "   0000000..1a2b3c4  main -> main");

    #[test]
    fn tests_that_failed_last_do_not_pass() {
        let failed = session(&[PASSED, FAILED]);
        let line = "The words say that tests pass; the last run of `cargo test` in the session failed (`basket::adds`).";
        for words in [
            "All tests pass.",
            "Totals are right, and the tests are green.",
            "`cargo test` passes; the totals are right.",
            "Totals in `src/basket.rs` are right. The whole suite\n  passed.",
        ] {
            assert_eq!(find_contradictions(&state(words), &failed), [line], "{words}");
        }
        let mended = session(&[FAILED, PASSED]);
        assert!(find_contradictions(&state("All tests pass."), &mended).is_empty());
        let unchecked = session(&[]);
        assert!(find_contradictions(&state("All tests pass."), &unchecked).is_empty());
    }

    #[test]
    fn what_is_not_stated_is_not_contradicted() {
        let failed = session(&[FAILED]);
        for words in [
            "Tests do not pass yet.",
            "3 of 4 tests pass.",
            "3/4 tests pass.",
            "The tests should pass once the schema is there.",
            "Do the tests pass? Nobody knows.",
            "All other tests pass.",
            "The total is passed to the test.",
            "`npm test` passes.",
            "The guard makes the tests pass.",
            "Nothing was committed, pushed or opened as a PR.",
            "Not committed yet.",
            "Uncommitted: `src/basket.rs`.",
            "We are committed to floats.",
            "The check was pushed down into the loop.",
            "It was pushed in an earlier session.",
            "Not done: committed, pushed.",
        ] {
            assert_eq!(find_contradictions(&state(words), &failed), [""; 0], "{words}");
        }
        let steps = "## Next Steps\n1. All tests pass, committed and pushed.\n\n## Rejected Paths\n- Committed it, reverted.\n";
        assert_eq!(find_contradictions(steps, &failed), [""; 0]);
        let open = "## Current State\n### Not done\n- committed\n\n## Not Yet\nPushed.\n";
        assert_eq!(find_contradictions(open, &failed), [""; 0]);
        let code = "## Current State\n> All tests pass.\n\n```\nall tests pass\n```\n- `all tests pass` is printed\n";
        assert_eq!(find_contradictions(code, &failed), [""; 0]);
    }

    #[test]
    fn commits_and_pushes_have_to_be_seen() {
        let words = state("Committed and pushed; opened PR #7.");
        let nothing = session(&[PASSED]);
        assert_eq!(
            find_contradictions(&words, &nothing),
            [
                "The words say that work is committed; the transcript of the session shows no commit.",
                "The words say that work is pushed; the transcript of the session shows no push.",
                "The words say that a pull request was opened; the transcript of the session shows none.",
            ]
        );
        let early = session(&[PUSH, COMMIT]);
        assert_eq!(
            find_contradictions(&state("Committed and pushed."), &early),
            [
                "The words say that work is pushed; the last commit of the session came after its last push."
            ]
        );
        let opened = ("gh pr create --fill", 0, "https://example.com/o/r/pull/7\n");
        let done = session(&[COMMIT, PUSH, opened]);
        assert_eq!(find_contradictions(&words, &done), [""; 0]);
        let quiet = session(&[COMMITTED]);
        assert_eq!(find_contradictions(&state("It is committed."), &quiet), [""; 0]);
    }

    proptest::proptest! {
        #[test]
        fn any_words_are_read(words: String) {
            let _ = find_contradictions(&state(&words), &session(&[FAILED]));
        }
    }
}
