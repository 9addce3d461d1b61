//! What kind of a request it is that the user typed.

use super::closing::is_one_of;
use crate::session::split_sentences;

/// Words with which a question begins.
const ASKING: &str = "why|what|what's|whats|how|where|which|who|is|are|was|were|does|did|should|isn't|\
    doesn't|warum|wieso|weshalb|was|wie|wo|welche|welcher|welches|ist|sind|hat|pourquoi|\
    comment|où|quel|quelle|est-ce|qu'est-ce|cómo|dónde|cuándo|cuál|qué";
const ASKING_IN_CHINESE: &str = "为什么|怎么|什么|是不是|有没有|吗";
/// Beginnings of questions that are orders.
const ORDERING: &str = "can you|could you|would you|will you|can we|could we|why don't you|why not|\
    how about|what about|kannst du|könntest du|können wir|kannste|peux-tu|pouvez-vous|\
    tu peux|puedes|podrías";
/// Words with which the user says no to what was offered or announced.
const DECLINES: &str = "no|nope|nah|na|not now|not yet|don't|dont|do not|skip|leave it|leave that|\
    never mind|nevermind|no need|no thanks|later|nein|nee|nicht|lass|erstmal nicht|non|\
    pas maintenant|laisse|ahora no|déjalo|mejor no";
const DECLINES_IN_CHINESE: &str = "不用|不要|不需要|先不|别|算了|暂时不|不，|不必";

/// Whether a request only asks something, and orders nothing.
pub(super) fn asks_only(request: &str) -> bool {
    let mut sentences = request
        .lines()
        .flat_map(split_sentences)
        .map(|sentence| sentence.trim().to_lowercase().replace('’', "'"))
        .filter(|sentence| sentence.split_whitespace().count() > 1 || !sentence.is_ascii())
        .peekable();
    sentences.peek().is_some() && sentences.all(|sentence| is_question(&sentence))
}

fn is_question(sentence: &str) -> bool {
    if ORDERING.split('|').any(|orders| sentence.starts_with(orders)) {
        return false;
    }
    let first = sentence
        .split(|c: char| !(c.is_alphanumeric() || "'-".contains(c)))
        .find(|word| !word.is_empty());
    sentence.ends_with(['?', '？'])
        || first.is_some_and(|first| is_one_of(ASKING, first))
        || ASKING_IN_CHINESE.split('|').any(|words| sentence.contains(words))
}

/// Whether a request begins with a no to what the agent offered or announced.
pub(super) fn declines(request: &str) -> bool {
    let lower = request.trim().to_lowercase().replace('’', "'");
    let begins = |word: &str| {
        lower
            .strip_prefix(word)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\''))
    };
    let is_no = DECLINES.split('|').any(begins)
        && !["no problem", "no worries", "no idea", "not sure"].into_iter().any(begins);
    is_no || DECLINES_IN_CHINESE.split('|').any(|word| lower.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_known_from_an_order() {
        for question in [
            "why is the page blank?",
            "what does the cache key contain",
            "Is it safe to rename the table? And where is it read?",
            "Warum dauert der Build so lange",
            "为什么返回 500",
            "how many rows are there",
            "does it run on Windows?",
            "Pourquoi ce test est lent ?",
        ] {
            assert!(asks_only(question), "{question}");
        }
        for order in [
            "can you rename the table?",
            "Why is the page blank? Fix it.",
            "add a column",
            "Kannst du das umbauen?",
            "could you look into the login",
            "the page is blank, repair it",
            "加一个按钮",
            "yes",
        ] {
            assert!(!asks_only(order), "{order}");
        }
    }

    #[test]
    fn a_no_is_known_from_other_answers() {
        for no in [
            "no",
            "No, leave it",
            "not now",
            "nope, that's fine",
            "skip it",
            "nein danke",
            "先不用。",
            "不要",
            "non merci",
        ] {
            assert!(declines(no), "{no}");
        }
        for other in [
            "no problem, go on",
            "note that it is slow",
            "nothing else?",
            "north is up",
            "yes",
            "normal mode",
            "No idea",
            "不错",
        ] {
            assert!(!declines(other), "{other}");
        }
    }
}
