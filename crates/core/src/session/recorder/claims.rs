//! What the agent says of a check whose output does not show how it ended.

use super::super::NO_TESTS;
use super::super::printed::says_success;
use super::Recorder;
use crate::redact::Whole;
use crate::session::Outcome;
use crate::session::passage::shorten;

/// Bytes of such a sentence.
const LONGEST: usize = 160;
/// Parts of the words with which an agent says how a check ended.
const RESULTS: &[&str] = &[
    "pass",
    "green",
    "clean",
    "succe",
    "fail",
    "error",
    "broke",
    "red ",
    "compiles",
    "builds",
    "通过",
    "失败",
    "n't compile",
    "not compile",
];
/// Beginnings of sentences, and words in them, that say under which condition something happens.
const CONDITION_BEGINS: &[&str] = &["if ", "once ", "when ", "as soon as ", "unless ", "until "];
const CONDITIONS: &[&str] = &[" if ", " whether ", " once ", " as soon as ", " unless ", " until "];
/// What the agent is about to do, or what it expects.
const INTENT: &[&str] = &[
    "let me ",
    "let's ",
    "i'll ",
    "going to ",
    "will ",
    "should ",
    "would ",
    "might ",
    "must ",
    "need to ",
    "needs to ",
    "want to ",
    "to see ",
    "to verify ",
    "to confirm ",
    "to check ",
    "to ensure ",
    "to make sure ",
];
/// Where one clause of a sentence ends and the next begins.
const CLAUSE_MARKS: &[char] = &[',', ';', ':', '(', ')', '—', '–'];
const CLAUSE_WORDS: &[&str] = &["and", "but", "while", "although", "though", "so"];
/// What is left out of what passed.
const EXCEPT: &[&str] = &["except", "apart from", "aside from", "other than"];
const NOT_RUN: &[&str] = &["skip", "ignor", "warning"];
/// What is over: what is said to fail there failed earlier.
const OVER: &[&str] =
    &["fix", "resolv", "no longer", "previous", "earlier", "before", "was ", "were "];

impl Recorder {
    /// The first sentence of a message says how the check before it ended, if that is not known yet.
    pub(super) fn claim(&mut self, message: &str) {
        self.says_of_subagents(message);
        let since = self.session.prompts.last().map_or(0, |prompt| prompt.record);
        let Some(check) = self.session.checks.last_mut() else { return };
        let is_last_call = self.session.prompts.last().is_none_or(|p| p.last_call <= check.record);
        if check.outcome != Outcome::Unknown
            || check.claimed.is_some()
            || check.summary.as_deref() == Some(NO_TESTS)
            || check.record < since
            || !is_last_call
        {
            return;
        }
        let first = message.split(['\n', '.', '!', '。']).next().unwrap_or_default().trim();
        let Some(failed) = says_failed(&first.to_lowercase().replace('’', "'")) else { return };
        check.claimed = Some(shorten(&Whole::new(message).piece(first), LONGEST));
        if failed {
            check.outcome = Outcome::Failed;
            check.failed_times += 1;
            let kind = check.kind;
            check.summary.take_if(|line| says_success(line, kind));
        }
    }
}

/// Whether a sentence, in small letters, says that a check failed. `None` if it says nothing of how one
/// ended: it asks, plans or names a condition.
fn says_failed(sentence: &str) -> Option<bool> {
    let tells = |text: &str| RESULTS.iter().any(|word| text.contains(word));
    if !tells(sentence)
        || sentence.ends_with('?')
        || CONDITION_BEGINS.iter().any(|begins| sentence.starts_with(begins))
        || CONDITIONS.iter().any(|word| sentence.contains(word))
    {
        return None;
    }
    let mut said = None;
    for part in sentence.split(CLAUSE_MARKS) {
        let words: Vec<&str> = part
            .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-'))
            .filter(|word| !word.is_empty())
            .collect();
        for clause in words.split(|word| CLAUSE_WORDS.contains(word)) {
            let text = clause.join(" ") + " ";
            if tells(&text) && !INTENT.iter().any(|intent| text.contains(intent)) {
                said = Some(said == Some(true) || clause_says_failed(clause, &text));
            }
        }
    }
    said
}

fn clause_says_failed(words: &[&str], text: &str) -> bool {
    let has = |all: &[&str]| all.iter().any(|one| text.contains(one));
    // `failed to compile`
    let fine = (0..words.len()).find(|at| is_fine(words[*at]) && !is_missed(words, *at));
    if let Some(fine) = fine {
        return has(EXCEPT) && !has(NOT_RUN) || is_negated_far(words, fine);
    }
    !has(OVER) && (0..words.len()).any(|at| is_failure(words, at))
}

fn is_fine(word: &str) -> bool {
    matches!(
        word,
        "pass" | "passes" | "passed" | "passing" | "green" | "clean" | "cleanly" | "compile"
    ) || matches!(word, "compiles" | "succeed" | "succeeds" | "succeeded" | "builds")
}

/// Whether something failed to do it.
fn is_missed(words: &[&str], at: usize) -> bool {
    at > 1 && words[at - 1] == "to" && matches!(words[at - 2], "failed" | "fails" | "fail")
}

fn is_negation(word: &str) -> bool {
    word.ends_with("n't") || matches!(word, "not" | "cannot" | "never" | "none" | "unable")
}

/// Whether one of the few words before it says no.
fn is_negated(words: &[&str], at: usize) -> bool {
    let is_no = |word: &&str| {
        is_negation(word) || matches!(*word, "no" | "nothing" | "0" | "zero" | "without")
    };
    words[at.saturating_sub(3)..at].iter().any(is_no)
}

/// The same, and whether the agent did not get it there: `I could not get all of the tests to pass`.
fn is_negated_far(words: &[&str], at: usize) -> bool {
    let near = words[at.saturating_sub(3)..at].iter().any(|word| is_negation(word));
    let no = words[..at].iter().position(|word| is_negation(word));
    let tried = |word: &&str| matches!(*word, "able" | "get" | "make" | "manage" | "unable");
    near || no.is_some_and(|no| words[no..at].iter().take(4).any(tried))
}

/// Whether a word says that something failed, and is not said of what the sentence goes on to name: `two
/// tests failed`, but not `the failing test`.
fn is_failure(words: &[&str], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| words[before]);
    let after = words.get(at + 1).copied();
    let is_count = |word: &str| {
        word.parse::<u64>().is_ok_and(|n| n > 0)
            || matches!(word, "one" | "two" | "three" | "four" | "five" | "several" | "some")
    };
    let fails = match words[at] {
        "fail" | "fails" => true,
        "failed" | "failing" | "broken" | "broke" | "red" => {
            let ends = after.is_none_or(|after| {
                matches!(
                    after,
                    "with" | "in" | "on" | "at" | "due" | "because" | "again" | "as" | "for" | "to"
                )
            });
            let is = before.is_some_and(|before| {
                matches!(before, "is" | "are" | "still" | "it's") || is_count(before)
            });
            is || ends && before.is_none_or(|before| !matches!(before, "that" | "which"))
        }
        "failure" | "failures" | "error" | "errors" => before.is_some_and(is_count),
        _ => false,
    };
    fails && !is_negated(words, at)
}

#[cfg(test)]
mod tests {
    use crate::session::{End, Outcome, PromptWay, Recorder};

    #[test]
    fn what_the_agent_says_of_a_check_is_noted_where_nothing_else_shows_its_end() {
        let run = |output: &'static str, said: &str| {
            let mut recorder = Recorder::new("x");
            recorder.next_record();
            recorder.asked("Test it", PromptWay::Typed);
            recorder.ran("1", "go test ./... 2>&1 | grep -v ok");
            let end = End { outcome: Outcome::Passed, exit: Some(0) };
            recorder.ended("1", end, || output.into());
            recorder.next_record();
            recorder.said(said);
            recorder.into_session().checks.remove(0)
        };
        assert_eq!(run("", "All passing. Commit 2:").claimed.as_deref(), Some("All passing"));
        assert_eq!(run("", "Now the docs.").claimed, None);
        assert_eq!(run("FAIL\tx\t0.01s\nFAIL", "All passing.").claimed, None);
    }

    #[test]
    fn a_sentence_says_how_a_check_ended() {
        for failed in [
            "All tests pass except two which fail",
            "The tests do not all pass yet",
            "I haven't been able to make all tests pass",
            "I could not get the last of the tests to pass",
            "One fails",
            "8 tests pass and 2 fail",
            "The build failed",
            "Two tests are failing",
            "3 errors",
            "It doesn't compile",
            "It failed to compile",
            "Still failing with the same message",
        ] {
            assert_eq!(super::says_failed(&failed.to_lowercase()), Some(true), "{failed}");
        }
        for other in [
            "All passing",
            "All tests pass, so I'll commit",
            "No errors",
            "12 passed, 0 failed",
            "Nothing else fails without it: all green",
            "Fixed the failing test",
            "All tests pass except the skipped ones",
            "The test that failed before passes",
            "Tests pass now that the error is handled",
            "No longer fails",
        ] {
            assert_eq!(super::says_failed(&other.to_lowercase()), Some(false), "{other}");
        }
        for nothing in [
            "If all tests pass I will commit this",
            "Once the build succeeds, I push",
            "Let me see whether the tests pass",
            "I'll look at the failing tests",
            "That should compile cleanly",
            "Do the tests pass?",
            "Now the docs",
        ] {
            assert_eq!(super::says_failed(&nothing.to_lowercase()), None, "{nothing}");
        }
    }

    #[test]
    fn a_check_failed_where_the_agent_says_so_and_nothing_else_shows_it() {
        let mut recorder = Recorder::new("x");
        recorder.asked("Test it", PromptWay::Typed);
        recorder.ran("1", "npm test 2>&1 | head -3");
        let end = End { outcome: Outcome::Passed, exit: Some(0) };
        recorder.ended("1", end, || "> x@1 test\n> jest".into());
        recorder.said("All tests pass except two which fail. I look into it.");
        let check = &recorder.session().checks[0];
        assert_eq!((check.outcome, check.failed_times), (Outcome::Failed, 1));
        assert_eq!(check.claimed.as_deref(), Some("All tests pass except two which fail"));
    }
}
