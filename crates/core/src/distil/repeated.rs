//! What an answer says and a later one says again nearly word for word: the later one is told.

use super::answer::flatten;
use super::request::answers;
use crate::session::{Session, split_sentences};

/// Words of a sentence that is worth comparing.
const LEAST_WORDS: usize = 6;
/// How many of its words a later sentence has to have, in percent.
const SAME: usize = 85;
/// Bytes of a later answer that are looked at: more is hardly shown.
const LOOKED_AT: usize = 6_000;

/// The sentences of the answers of a session, each with the place of its request.
pub(super) struct Later {
    sentences: Vec<(usize, Vec<String>)>,
}

impl Later {
    /// Of the requests from this place on, which are those that are shown.
    pub(super) fn of(session: &Session, from: usize) -> Self {
        let mut sentences = Vec::new();
        for (at, prompt) in session.prompts.iter().enumerate().skip(from) {
            let (told, to_machine) = answers(prompt);
            for said in told.into_iter().chain(to_machine) {
                let text = flatten(&said.text, LOOKED_AT);
                let all = split_sentences(&text).map(words).filter(|all| all.len() >= LEAST_WORDS);
                sentences.extend(all.map(|all| (at, all)));
            }
        }
        Self { sentences }
    }

    /// A flattened answer without the sentences that an answer to a later request has again.
    pub(super) fn without_repeated(&self, at: usize, text: &str) -> String {
        let is_new = |sentence: &&str| {
            let own = words(sentence);
            own.len() < LEAST_WORDS
                || !self.sentences.iter().any(|(of, other)| *of > at && is_again(&own, other))
        };
        let kept: String = split_sentences(text).filter(is_new).collect();
        kept.trim().to_owned()
    }
}

fn words(sentence: &str) -> Vec<String> {
    let mut all: Vec<String> = sentence
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether a later sentence has nearly all words of one.
fn is_again(own: &[String], other: &[String]) -> bool {
    let shared = own.iter().filter(|word| other.binary_search(word).is_ok()).count();
    shared * 100 >= own.len() * SAME
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{PromptWay, Recorder};

    #[test]
    fn what_a_later_answer_says_again_is_told_once() {
        let mut recorder = Recorder::new("x");
        let first = "Rule 5 repeats rule 1 and adds nothing new to it. The table has four rows too many. Fine.";
        let second =
            "Still there: rule 5 repeats rule 1 and adds nothing to it. The page is short.";
        for answer in [first, second] {
            recorder.next_record();
            recorder.asked("Look again", PromptWay::Typed);
            recorder.next_record();
            recorder.said(answer);
        }
        let later = Later::of(recorder.session(), 0);
        assert_eq!(later.without_repeated(0, first), "The table has four rows too many. Fine.");
        assert_eq!(later.without_repeated(1, second), second);
    }
}
