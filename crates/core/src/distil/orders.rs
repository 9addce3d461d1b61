//! What a request orders to be published: a commit, a push, a pull request.

use crate::session::split_sentences;

/// A request with more words speaks of much else.
const MOST_WORDS: usize = 25;
/// Words in a sentence with which nothing is ordered now, or not from the agent.
const NO_ORDER: &[&str] = &[
    "never", "don't", "don’t", "dont", "not", "no", "without", "before", "myself", "i'll", "i’ll",
    "i will", "?",
];
/// Words behind which a verb begins an order. At the beginning of a sentence it does so too.
const LEADS: &[&str] = &[
    "and", "then", "please", "to", "also", "now", "just", "you", "lets", "let's", "let’s", "go",
    "&", "+", "ok", "okay", "yes", "add", "commit", "push", "test", "rebase", "merge", "so",
];
/// What stands behind a word that is a noun there.
const NOUNS: &[&str] = &[
    "notification",
    "notifications",
    "message",
    "messages",
    "dialog",
    "button",
    "event",
    "events",
    "token",
    "hook",
    "hooks",
    "history",
    "hash",
    "id",
    "log",
];
const CHINESE: &str = "提交";
const NOT_IN_CHINESE: &[&str] = &["最新提交", "上次提交", "之前的提交", "不要提交", "别提交"];

/// Whether a request, in small letters, orders a commit, and not only speaks of one.
pub(super) fn asks_to_commit(request: &str) -> bool {
    orders(request, "commit")
        || request.contains(CHINESE) && !NOT_IN_CHINESE.iter().any(|words| request.contains(words))
}

pub(super) fn asks_to_push(request: &str) -> bool {
    orders(request, "push")
}

/// Whether it orders that a pull request is opened.
pub(super) fn asks_for_pull_request(request: &str) -> bool {
    sentences(request).any(|sentence| {
        let names_one =
            ["pull request", "merge request", "pr"].iter().any(|words| has_words(sentence, words));
        let opens = ["open", "create", "make", "raise", "submit", "file", "send"];
        names_one && orders_now(sentence) && opens.iter().any(|verb| is_verb(sentence, verb))
    })
}

pub(super) fn speaks_of_pull_request(request: &str) -> bool {
    ["this pr", "the pr", "a pr", "open pr", "pull request", "our pr"]
        .iter()
        .any(|words| has_words(request, words))
}

fn orders(request: &str, verb: &str) -> bool {
    sentences(request).any(|sentence| orders_now(sentence) && is_verb(sentence, verb))
}

/// The sentences of a request that is short enough to be about this.
fn sentences(request: &str) -> impl Iterator<Item = &str> {
    let is_short = request.split_whitespace().count() <= MOST_WORDS;
    request.lines().flat_map(split_sentences).map(str::trim).filter(move |_| is_short)
}

fn orders_now(sentence: &str) -> bool {
    !NO_ORDER.iter().any(|word| has_words(sentence, word) || *word == "?" && sentence.contains('?'))
        || sentence.starts_with("can you ")
        || sentence.starts_with("could you ")
}

/// Whether a word stands in a sentence as what is to be done.
fn is_verb(sentence: &str, verb: &str) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches(|c: char| ",.;:!\"'`()".contains(c)).to_owned();
    words.iter().enumerate().any(|(at, word)| {
        let leads = at == 0
            || words[at - 1].ends_with([',', ';', ':'])
            || LEADS.contains(&bare(words[at - 1]).as_str());
        let is_noun = words.get(at + 1).is_some_and(|next| NOUNS.contains(&bare(next).as_str()));
        bare(word) == verb && leads && !is_noun
    })
}

/// Whether words stand in a text, with nothing of a word before or behind them.
fn has_words(text: &str, words: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() && c.is_ascii();
    text.match_indices(words).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_letter)
            && !text[at + words.len()..].chars().next().is_some_and(is_letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_known_from_talk() {
        for (request, commit, push) in [
            ("commit", true, false),
            ("add commit", true, false),
            ("fix it and commit. never push.", true, false),
            ("commit and push", true, true),
            ("can you commit and push what we have", true, true),
            ("looks good, push it", false, true),
            ("push to origin", false, true),
            ("never commit without my ok.", false, false),
            ("run the linter before you commit anything.", false, false),
            ("fix it. i will push it myself after review", false, false),
            ("fix the push notifications and the commit dialog", false, false),
            ("review the latest commit", false, false),
            ("commit only the add version command for now", true, false),
            ("提交", true, false),
            ("看一下 最新提交", false, false),
        ] {
            assert_eq!(
                (asks_to_commit(request), asks_to_push(request)),
                (commit, push),
                "{request}"
            );
        }
    }

    #[test]
    fn a_pull_request_is_asked_for_where_one_is_to_be_opened() {
        for (request, asks) in [
            ("fix it and open a pull request", true),
            ("create a pr", true),
            ("please open the pr now", true),
            ("can we do it as part of this pr?", false),
            ("don't open a pr yet", false),
            ("look at the open pr", false),
        ] {
            assert_eq!(asks_for_pull_request(request), asks, "{request}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_request_can_be_read(text: String) {
            let _ = (asks_to_commit(&text), asks_to_push(&text), asks_for_pull_request(&text));
        }
    }
}
