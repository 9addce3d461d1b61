//! Where a session stands at its end, judged from its last turn.

use super::announced::{is_under_way, lists_remaining};
use super::closing::{Closing, Turn, judge_closing};
use super::request_kind::asks_only;
use crate::section::Fences;
use crate::session::{
    Check, Outcome, Prompt, Record, Session, own_words, shorten, split_sentences,
};

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionStatus {
    /// The last request was answered, nothing was put to the user, and nothing is said to be left.
    Finished,
    /// The last request was answered; whether something is left is not clear from the words.
    Answered,
    InProgress,
    /// The agent asked something that nobody has answered.
    WaitingForUser,
    /// The agent says that it cannot go on.
    Blocked,
    /// The user stopped the agent.
    Interrupted,
    NotSure,
}

/// A status with what it rests on.
pub(super) struct Standing {
    pub(super) status: SessionStatus,
    /// What the agent asked last.
    pub(super) question: Option<String>,
    /// The agent's words that the status rests on, where it is not plain from the last act.
    pub(super) reason: Option<String>,
    /// The agent's words on what is not done.
    pub(super) open: Vec<String>,
    /// What the agent proposes as next steps.
    pub(super) proposed: Vec<String>,
}

impl Standing {
    /// Whether the last request was answered and it is not known that more is to be done for it.
    pub(super) fn is_answered(&self) -> bool {
        matches!(
            self.status,
            SessionStatus::Finished | SessionStatus::Answered | SessionStatus::NotSure
        )
    }
}

/// Bytes of a question that is quoted.
const QUESTION: usize = 420;
/// Words with which a question proposes something, whatever is said behind it.
const PROPOSES: &[&str] = &[
    "want me to",
    "should i ",
    "shall i ",
    "would you like",
    "do you want",
    "would you rather",
    "which one",
    "which of",
    "can you ",
    "could you ",
    "do you prefer",
    "shall we",
    "should we",
    "does this look",
    "does that look",
];
/// Questions that ask for nothing.
const POLITE: &[&str] = &[
    "anything else",
    "does that help",
    "does this help",
    "make sense",
    "any questions",
    "any other questions",
];
/// Words with which an agent says that it cannot go on.
const BLOCKED: &[&str] = &[
    "i'm blocked",
    "i am blocked",
    "is blocked on",
    "is blocked by",
    "are blocked by",
    "remains blocked",
    "can't proceed",
    "cannot proceed",
    "can't continue",
    "cannot continue",
    "unable to proceed",
    "unable to continue",
];
/// Requests that only say to go on.
const GOES_ON: &[&str] = &[
    "continue",
    "go on",
    "go ahead",
    "yes",
    "yep",
    "yeah",
    "y",
    "ok",
    "okay",
    "sure",
    "proceed",
    "keep going",
    "do it",
    "go",
    "please continue",
    "resume",
    "weiter",
    "ja",
    "继续",
    "好",
    "好的",
    "是",
    "oui",
    "sí",
    "да",
    "продолжай",
];

/// Judges where a session stands.
pub(super) fn standing(session: &Session) -> Standing {
    let plain = |status| Standing {
        status,
        question: None,
        reason: None,
        open: Vec::new(),
        proposed: Vec::new(),
    };
    let Some(last) = session.prompts.last() else {
        return plain(SessionStatus::NotSure);
    };
    if session.interrupted || last.interrupted {
        return plain(SessionStatus::Interrupted);
    }
    if !session.waiting.is_empty() || !is_handled(session, last) {
        return plain(SessionStatus::InProgress);
    }
    let Some(answer) = &last.answer else { return plain(SessionStatus::NotSure) };
    let closing = closing_of(last, &answer.text);
    let asked = closing.asked.map(|asked| shorten(&asked, QUESTION));
    let question = closing_question(&answer.text).or(asked);
    let blocked = blocked_by(&answer.text);
    let under_way = is_under_way(&answer.text);
    let (status, reason) = if question.is_some() {
        (SessionStatus::WaitingForUser, None)
    } else if blocked.is_some() {
        (SessionStatus::Blocked, blocked)
    } else if under_way || closing.coming || lists_remaining(&answer.text) {
        let says = if under_way { last_sentence(&answer.text) } else { None };
        (SessionStatus::InProgress, closing.open.first().cloned().or(says))
    } else if let Some(open) = closing.open.first() {
        (SessionStatus::NotSure, Some(open.clone()))
    } else if has_failing_check(session) {
        (SessionStatus::NotSure, None)
    } else if !closing.suggested.is_empty() {
        (SessionStatus::Answered, None)
    } else if let Some(unclear) = closing.unclear {
        (SessionStatus::Answered, Some(unclear))
    } else {
        (SessionStatus::Finished, None)
    };
    Standing { status, question, reason, open: closing.open, proposed: closing.suggested }
}

/// What the closing part of the answer to a request says.
pub(super) fn closing_of(prompt: &Prompt, answer: &str) -> Closing {
    let edited = !prompt.edited.is_empty() || prompt.more_edited > 0;
    let turn = Turn { worked: edited || !asks_only(&own_words(&prompt.text).text), edited };
    judge_closing(answer, turn)
}

/// The sentence with which the agent says that it cannot go on.
fn blocked_by(message: &str) -> Option<String> {
    let last = last_paragraphs(message, 2);
    let mut sentences = last.iter().flat_map(|text| split_sentences(text));
    let says = |sentence: &&str| {
        let lower = sentence.to_lowercase().replace('’', "'");
        BLOCKED.iter().any(|words| lower.contains(words))
    };
    sentences.find(says).map(|sentence| sentence.trim().to_owned())
}

fn last_sentence(message: &str) -> Option<String> {
    let last = last_paragraphs(message, 1).pop()?;
    split_sentences(&last).last().map(|sentence| sentence.trim().to_owned())
}

/// Whether the last run of a check in the last turn failed.
pub(super) fn has_failing_check(session: &Session) -> bool {
    let Some(last) = session.prompts.last() else { return false };
    let fails = |check: &&Check| {
        check.outcome == Outcome::Failed
            && check.record >= last.record
            && !super::covering::is_passed_later(session, check)
    };
    session.checks.iter().any(|check| fails(&check))
}

/// Whether the last request was answered and nothing is under way.
pub(super) fn is_handled(session: &Session, last: &Prompt) -> bool {
    // A call whose end the transcript never shows is over once the agent has spoken again.
    let said = last.answer.as_ref().map_or(0, |answer| answer.record);
    let runs = session.running.iter().any(|running| running.record >= said.max(last.record));
    last.answered && last.is_handled() && !runs
}

/// Where the work that goes on began: requests that only say to go on belong to the one before, and those
/// for which nothing was done leave what was going on as it is.
pub(super) fn work_began(session: &Session) -> Record {
    let asks = |prompt: &&Prompt| !is_go_ahead(&prompt.text) && is_worked_on(prompt);
    let last = session.prompts.iter().rev().find(asks).or_else(|| session.prompts.first());
    last.map_or(0, |prompt| prompt.record)
}

/// Whether the agent did something for a request besides answering it.
pub(super) fn is_worked_on(prompt: &Prompt) -> bool {
    prompt.last_call >= prompt.record && prompt.last_call > 0
}

/// Whether a request only says to go on.
pub(super) fn is_go_ahead(request: &str) -> bool {
    let own = own_words(request).text.to_lowercase();
    let own = own.trim_end_matches(['.', '!', ',', ' ', '👍']);
    own.len() <= 40
        && GOES_ON.iter().any(|words| {
            own == *words
                || own.starts_with(&format!("{words},"))
                || own.starts_with(&format!("{words} please"))
        })
}

/// The question with which a message ends, if it asks the user for something.
pub(super) fn closing_question(message: &str) -> Option<String> {
    if !message.contains(['?', '？']) {
        return None;
    }
    let paragraphs = last_paragraphs(message, 10);
    let is_list = |text: &str| {
        text.starts_with(['-', '*', '•']) || text.starts_with(|c: char| c.is_ascii_digit())
    };
    // A list of choices may stand behind the question.
    for text in paragraphs.iter().rev() {
        let lower = text.to_lowercase();
        let asks = asks_something(text)
            && !POLITE.iter().any(|words| lower.contains(words))
            && (ends_with_question(text) || PROPOSES.iter().any(|words| lower.contains(words)));
        if asks && !text.starts_with('>') {
            return Some(shorten(&question_of(text), QUESTION));
        }
        if !is_list(text) {
            return None;
        }
    }
    None
}

/// What a message that ends with a question proposes: the list before or behind the question, and the
/// question itself, on one line.
pub(super) fn closing_proposal(message: &str, most: usize) -> Option<String> {
    let question = closing_question(message)?;
    let paragraphs = last_paragraphs(message, 14);
    let is_item = |text: &str| {
        text.starts_with(['-', '*', '•']) || text.starts_with(|c: char| c.is_ascii_digit())
    };
    let at = paragraphs.iter().rposition(|text| asks_something(text))?;
    let behind: Vec<&str> = paragraphs[at + 1..].iter().map(String::as_str).collect();
    let before = paragraphs[..at].iter().rev().take_while(|text| is_item(text));
    let mut before: Vec<&str> = before.map(String::as_str).collect();
    before.reverse();
    let list = if behind.is_empty() { before } else { behind };
    let list: Vec<&str> = list
        .iter()
        .map(|item| item.trim_start_matches(['-', '*', '•', ' ']))
        .filter(|item| item.chars().any(char::is_alphanumeric))
        .collect();
    let text = match list.is_empty() {
        true => question,
        false => format!("{question} ({})", list.join("; ").replace("**", "")),
    };
    Some(shorten(&text, most))
}

/// Whether a paragraph ends with a question, or leads from one into a list.
fn ends_with_question(text: &str) -> bool {
    let end = text.trim_end_matches(['*', '_', ')', '"', '”', ' ']);
    end.ends_with(['?', '？', ':'])
}

/// Whether a sentence of a paragraph ends with a question mark, outside code.
fn asks_something(text: &str) -> bool {
    let outside = text.split('`').step_by(2);
    let mut asks = outside.filter(|part| {
        part.char_indices().any(|(at, c)| match c {
            '?' => part[at + 1..]
                .trim_start_matches(['*', '_', ')', '"', '”'])
                .chars()
                .next()
                .is_none_or(char::is_whitespace),
            '？' => true,
            _ => false,
        })
    });
    asks.next().is_some()
}

/// The sentences of a paragraph up to its last question, without long talk before it.
fn question_of(text: &str) -> String {
    let end = text
        .rfind(['?', '？'])
        .map_or(text.len(), |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let upto = &text[..end];
    if upto.len() <= QUESTION {
        return upto.to_owned();
    }
    // The last sentences that fit.
    let begins: Vec<usize> = upto.match_indices(". ").map(|(at, _)| at + 2).collect();
    let begin = begins.into_iter().find(|at| upto.len() - at <= QUESTION);
    upto[begin.unwrap_or(0)..].to_owned()
}

/// The last paragraphs of a message on one line each, without code.
fn last_paragraphs(message: &str, most: usize) -> Vec<String> {
    let mut fences = Fences::default();
    let mut all: Vec<String> = Vec::new();
    let mut open = false;
    for line in message.lines() {
        if fences.cover(line) || line.trim().is_empty() {
            open = false;
            continue;
        }
        let line = line.trim();
        let is_item = line.starts_with("- ") || line.starts_with("* ");
        match all.last_mut() {
            Some(last) if open && !is_item => {
                last.push(' ');
                last.push_str(line);
            }
            _ => all.push(line.to_owned()),
        }
        open = true;
    }
    let from = all.len().saturating_sub(most);
    all.split_off(from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{PromptWay, Recorder};

    fn ended_with(message: &str) -> SessionStatus {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Fix the totals", PromptWay::Typed);
        recorder.next_record();
        recorder.said(message);
        standing(recorder.session()).status
    }

    #[test]
    fn the_last_message_says_where_a_session_stands() {
        for (message, status) in [
            ("Done. All tests pass.", SessionStatus::Finished),
            ("Done.\n\nWant me to push it?", SessionStatus::WaitingForUser),
            ("Which one?\n\n- a\n- b\n- c\n- d", SessionStatus::WaitingForUser),
            ("All of it is in.\n\nLet me run the tests:", SessionStatus::InProgress),
            ("add() is right. Next, I will fix mul().", SessionStatus::InProgress),
            ("I could not fix it; the tests still fail.", SessionStatus::NotSure),
            ("Done:\n- [x] A\n- [ ] B", SessionStatus::NotSure),
            ("Why? It keeps the cache warm. The work is complete.", SessionStatus::Finished),
            (
                "Here is the plan.\n\nLet me know if I should go ahead.",
                SessionStatus::WaitingForUser,
            ),
            ("The parser is done.\n\n**Remaining**\n- the printer", SessionStatus::InProgress),
            ("Steps 3 to 5 are left for the next session.", SessionStatus::NotSure),
            ("Two of five files are converted.", SessionStatus::NotSure),
            ("The build is broken at the moment.", SessionStatus::NotSure),
            ("Tell me which of the two you prefer.", SessionStatus::WaitingForUser),
            ("Pick one: 1. redis 2. sqlite", SessionStatus::WaitingForUser),
            ("I am waiting on your decision about the schema.", SessionStatus::WaitingForUser),
            ("Finished. The server is still running on port 3000.", SessionStatus::Finished),
            ("Fixed: it was waiting for a lock that nobody released.", SessionStatus::Finished),
            ("Started the suite. Waiting for the test run.", SessionStatus::InProgress),
            ("All done. Nothing remains to be done.", SessionStatus::Finished),
            ("It passes now, and it did not need a migration.", SessionStatus::Finished),
            ("The old code could not handle umlauts; the new code does.", SessionStatus::Finished),
            ("All in.\n\nRemaining issues: none.", SessionStatus::Finished),
            ("Done. Anything else?", SessionStatus::Finished),
            ("It matches `a?b` only.", SessionStatus::Finished),
            ("I cannot proceed: the token expired.", SessionStatus::Blocked),
            (
                "Why was it slow? The index was missing.\n\nIt is fixed now.",
                SessionStatus::Finished,
            ),
        ] {
            assert_eq!(ended_with(message), status, "{message}");
        }
    }

    #[test]
    fn a_call_that_nobody_answered_is_work_in_progress() {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Fix the totals", PromptWay::Typed);
        assert_eq!(standing(recorder.session()).status, SessionStatus::InProgress);
        recorder.next_record();
        recorder.said("Looking.");
        recorder.ran("1", "cargo test");
        assert_eq!(standing(recorder.session()).status, SessionStatus::InProgress);
        recorder.interrupted();
        assert_eq!(standing(recorder.session()).status, SessionStatus::Interrupted);
    }

    #[test]
    fn going_on_is_no_new_request() {
        assert!(is_go_ahead("yes") && is_go_ahead("Continue.") && is_go_ahead("ok, thanks"));
        assert!(
            !is_go_ahead("commit and continue")
                && !is_go_ahead("yes but rename it first to be safe, and then test")
        );
    }

    #[test]
    fn a_proposal_has_its_list() {
        let behind =
            "It is in two places.\n\nWant me to refactor it?\n\n1. Rename `a`\n2. Drop `b`";
        assert_eq!(
            closing_proposal(behind, 200).as_deref(),
            Some("Want me to refactor it? (1. Rename `a` 2. Drop `b`)")
        );
        let before = "I would:\n\n- rename `a`\n- drop `b`\n\nShall I?";
        assert_eq!(
            closing_proposal(before, 200).as_deref(),
            Some("Shall I? (rename `a`; drop `b`)")
        );
        let ruled = "It is done.\n\nShall I open a pull request?\n\n---";
        assert_eq!(closing_proposal(ruled, 200).as_deref(), Some("Shall I open a pull request?"));
        assert_eq!(closing_proposal("Done.", 200), None);
    }

    proptest::proptest! {
        #[test]
        fn any_message_has_a_standing(text: String) {
            let _ = closing_question(&text);
        }
    }
}
