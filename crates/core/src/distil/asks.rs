//! Sentences with which an agent asks the user for something, by their form.

use super::closing::{Sentence, is_one_of};
use super::other_languages::{asks_in_chinese, asks_in_german, asks_in_romance};

/// Words with which something is only offered.
const OFFERS: &str = "if you want|if you'd like|if you like|if you need|if you wish|if you have|\
    if you run into|if you hit|if you see|if you notice|if you encounter|if you find|\
    if you spot|if you think of|if you feel|if you get|if anything|if something|\
    if needed|if necessary|if there's|if there is|if there are|if any|whenever you|\
    when you want|when you need|when you're ready|any time|anytime|feel free|happy to|\
    glad to|hesitate|hésite|hésitez|dudes|wenn du willst|wenn du möchtest|\
    wenn sie möchten|falls du|falls sie|bei fragen|wenn du fragen|wenn etwas|\
    falls etwas|si tu veux|si vous voulez|si besoin|si tienes|si quieres|si necesitas|\
    si hay|next time";
/// The same where words have no spaces between them.
const OFFERS_IN_CHINESE: &str =
    "如果有|如有|若有|随时|有问题|如果需要|如需|需要的话|如果想|如果你想";
/// Verbs behind `please` with which nothing is asked for.
const POLITE: &str = "note|see|refer|find|be|keep|remember|feel|don't|do|enjoy|consider|ignore|bear|\
    review|test|check|verify|try|read|have|make|let|also|look";
/// Verbs that ask the user to settle something.
const SETTLE: &str = "choose|pick|decide|confirm|clarify|specify|approve|advise";
/// What stands behind such a verb where it is said to the user.
const SETTLED: &str = "|which|whether|if|that|one|between|your|how|what|when|it|this|either|from|the|a|an|\
    and|or|on|before|so|here";
/// What only the user can give.
const YOURS: &str = "decision|approval|confirmation|go-ahead|ok|okay|answer|choice|input|feedback|\
    sign-off|signoff|permission|preference|reply|response|instructions|consent|review|\
    call|guidance|direction|go|credentials|password|passphrase|login|help";
/// Words of consent behind `if you`, `if that's`, `once you`.
const CONSENT: &str = "agree|approve|confirm|ok|okay|fine|happy|good|right|acceptable|works|decide|decided|\
    chosen|picked|confirmed|approved|agreed|accept";

/// Whether a sentence asks the user for something: to tell, send, choose, confirm or do a thing without which the
/// agent does not go on.
pub(super) fn asks_user(sentence: &Sentence, edited: bool) -> bool {
    let lower = &sentence.lower;
    if OFFERS_IN_CHINESE.split('|').any(|offer| lower.contains(offer)) {
        return false;
    }
    let offers = sentence.has_any(OFFERS);
    if offers {
        return false;
    }
    tells_back(sentence, edited)
        || settles(sentence)
        || says_please(sentence)
        || needs_yours(sentence)
        || waits_for_consent(sentence)
        || asks_in_order(sentence)
        || asks_in_german(sentence)
        || asks_in_romance(sentence)
        || asks_in_chinese(lower)
}

/// `let me know whether`, `tell me how`, `send me the`, `paste the output here`.
fn tells_back(sentence: &Sentence, edited: bool) -> bool {
    let asks = |at: usize| {
        let me = matches!(sentence.word(at + 1), "me" | "us");
        let after = match sentence.word(at) {
            "let" if me && sentence.word(at + 2) == "know" => at + 3,
            "tell" | "give" | "send" | "show" if me => at + 2,
            "get" if sentence.stands_at(at, "get back to me") => at + 4,
            "paste" | "share" | "post" | "upload" | "attach" | "provide" | "report" => {
                return [
                    "here", "back", "output", "log", "logs", "result", "results", "error", "trace",
                ]
                .iter()
                .any(|word| sentence.words[at..].iter().any(|other| other == word))
                    && (at > 0 || sentence.has("here") || sentence.has("back"));
            }
            _ => return false,
        };
        let is_polite = match sentence.word(after) {
            "if" | "when" | "once" | "whenever" => match sentence.word(after + 1) {
                "you" | "you're" | "you'd" | "you've" => !sentence.words[after..]
                    .iter()
                    .take(5)
                    .any(|word| is_one_of(CONSENT, word.as_str())),
                next => matches!(next, "anything" | "something" | "any" | "there's" | "more"),
            },
            "what" if sentence.word(after + 1) == "you" && sentence.word(after + 2) == "think" => {
                edited
            }
            "how" if matches!(sentence.word(after + 1), "it" | "that" | "this") => edited,
            "your" if sentence.word(after + 1) == "thoughts" => edited,
            "" => true,
            "a" => matches!(
                sentence.word(after + 1),
                "moment" | "minute" | "second" | "sec" | "shout" | "ping" | "nudge"
            ),
            _ => false,
        };
        !is_polite
    };
    (0..sentence.words.len()).any(|at| sentence.begins_at(at) && asks(at))
}

/// `Pick one`, `Confirm that the key is right`.
fn settles(sentence: &Sentence) -> bool {
    // How something is used is told in the same form.
    if sentence.word(0) == "to" {
        return false;
    }
    let asks = |at: usize| {
        is_one_of(SETTLE, sentence.word(at))
            && is_one_of(SETTLED, sentence.word(at + 1))
            && (at == 0 || sentence.word(at - 1) != "or")
    };
    let begins =
        |at: usize| at == 0 || matches!(sentence.word(at - 1), "please" | "and" | "then" | "just");
    (0..sentence.words.len())
        .any(|at| begins(at) && (at == 0 || has_order_before(sentence, at)) && asks(at))
}

/// Whether what stands before a word is an order too: `Look at both and decide which one`.
fn has_order_before(sentence: &Sentence, at: usize) -> bool {
    sentence.word(at - 1) == "please"
        || matches!(
            sentence.word(0),
            "look" | "compare" | "read" | "open" | "check" | "have" | "see" | "take"
        )
}

/// `Please run …`, `Could you please send …`.
fn says_please(sentence: &Sentence) -> bool {
    sentence.places("please").any(|at| {
        let next = sentence.word(at + 1);
        let is_verb = next.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !next.is_empty();
        let is_order = sentence.begins_at(at) || matches!(sentence.word(at - 1), "you" | "i");
        is_verb && is_order && !is_one_of(POLITE, next)
    })
}

/// `I need a decision from you`, `this needs your approval`, `waiting for your answer`.
fn needs_yours(sentence: &Sentence) -> bool {
    let has_you = || sentence.words.iter().any(|word| matches!(word.as_str(), "you" | "your"));
    for (at, word) in sentence.words.iter().enumerate() {
        let is_own = at > 0
            && (1..=3.min(at)).any(|back| {
                matches!(sentence.word(at - back), "i" | "i'd" | "i'll" | "we" | "we'd" | "we'll")
                    && sentence.words[at - back + 1..at].iter().all(|between| {
                        matches!(
                            between.as_str(),
                            "will" | "would" | "still" | "also" | "only" | "just" | "do"
                        )
                    })
            });
        let next = sentence.word(at + 1);
        match word.as_str() {
            "need" | "require" if is_own && !sentence.is_subordinate(at) => {
                let leads_on = sentence.has("before i")
                    || sentence.has("before we")
                    || sentence.has("to continue")
                    || sentence.has("to proceed")
                    || sentence.has("to go on")
                    || sentence.has("to finish");
                let asks = match next {
                    "you" | "your" => true,
                    "more" | "access" => true,
                    "the" | "a" | "an" | "one" | "some" | "at" => has_you() || leads_on,
                    _ => false,
                };
                if asks {
                    return true;
                }
            }
            "need" | "needs" | "requires" | "require" | "awaiting" | "awaits" | "pending"
            | "want" | "wants"
                if !is_own && !sentence.is_subordinate(at) =>
            {
                let yours = |from: usize| {
                    sentence.word(from) == "your"
                        && (from + 1..from + 3).any(|at| is_one_of(YOURS, sentence.word(at)))
                };
                if (at + 1..at + 4).any(yours) {
                    return true;
                }
            }
            "waiting" | "wait" | "paused" | "holding" => {
                let waits = matches!(sentence.word(at + 1), "for" | "on" | "until" | "off")
                    && (at + 2..at + 5).any(|at| matches!(sentence.word(at), "you" | "your"));
                if waits {
                    return true;
                }
            }
            "until" if matches!(next, "you" | "you've" | "you're") => {
                let is_mine = sentence.words[..at]
                    .iter()
                    .any(|word| matches!(word.as_str(), "i" | "i'll" | "i'm" | "i've" | "won't"));
                if is_mine {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// `If you agree, I'll start`, `Once you have unlocked it, I can continue`.
fn waits_for_consent(sentence: &Sentence) -> bool {
    let goes_on = |at: usize| {
        sentence.stands_at(at, "i'll")
            || sentence.stands_at(at, "i will")
            || sentence.stands_at(at, "i'm going")
            || sentence.stands_at(at, "i can")
                && (at + 2..at + 4).any(|at| {
                    matches!(
                        sentence.word(at),
                        "continue"
                            | "proceed"
                            | "go"
                            | "start"
                            | "begin"
                            | "finish"
                            | "move"
                            | "resume"
                    )
                })
    };
    if !(0..sentence.words.len()).any(goes_on) {
        return false;
    }
    sentence.words.iter().enumerate().any(|(at, word)| match word.as_str() {
        "if" | "assuming" | "provided" => {
            let who = matches!(
                sentence.word(at + 1),
                "you"
                    | "you're"
                    | "that"
                    | "that's"
                    | "this"
                    | "it"
                    | "it's"
                    | "the"
                    | "everything"
            );
            who && sentence.words[at + 1..]
                .iter()
                .take(5)
                .any(|word| is_one_of(CONSENT, word.as_str()))
        }
        "once" | "after" | "when" => {
            let you = sentence.word(at + 1);
            let wants = matches!(sentence.word(at + 2), "want" | "like" | "need" | "wish");
            matches!(you, "you" | "you've") && !wants
        }
        "as" => sentence.stands_at(at, "as soon as you"),
        _ => false,
    })
}

/// Whether the words stand in the order of a question to the user: `Which do you prefer`, `Should I go on`.
fn asks_in_order(sentence: &Sentence) -> bool {
    (0..sentence.words.len().min(24)).any(|at| {
        let begins = sentence.begins_at(at) && (at == 0 || sentence.word(at - 1) != "please");
        if !begins || at > 0 && sentence.is_subordinate(at) {
            return false;
        }
        let next = sentence.word(at + 1);
        match sentence.word(at) {
            "should" | "shall" => matches!(next, "i" | "we"),
            "do" | "would" => {
                next == "you"
                    && matches!(
                        sentence.word(at + 2),
                        "want"
                            | "like"
                            | "prefer"
                            | "rather"
                            | "need"
                            | "have"
                            | "agree"
                            | "mean"
                            | "still"
                    )
            }
            "can" | "could" | "will" => next == "you" && sentence.word(at + 2) != "see",
            "which" | "what" | "where" | "how" | "who" | "when" => (at + 1..at + 5).any(|at| {
                matches!(sentence.word(at), "do" | "would" | "should" | "shall")
                    && (sentence.word(at + 1) == "you"
                        || matches!(sentence.word(at), "should" | "shall")
                            && matches!(sentence.word(at + 1), "i" | "we"))
            }),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(sentence: &str) -> bool {
        asks_user(&Sentence::of(sentence), true)
    }

    #[test]
    fn a_request_to_the_user_is_known_by_its_form() {
        for sentence in [
            "Please log in to the registry and start the upload.",
            "Open the page on your phone and tell me what it shows.",
            "Let me know whether the old column can go.",
            "Let me know if the mail arrives.",
            "Pick one of the two names.",
            "I need the production URL from you.",
            "To go on I need the key of the sandbox.",
            "I'll need access to the bucket.",
            "Before I drop the table I need your go-ahead.",
            "The migration needs your approval.",
            "I won't delete anything until you confirm.",
            "Once you have rotated the key I can continue.",
            "If that looks right, I'll start with the parser.",
            "Which of the two would you rather keep.",
            "Should I squash them or keep the history.",
            "Run it again and paste the trace here.",
            "Holding off until you decide.",
            "Bitte starte den Dienst neu.",
            "Gib mir Bescheid, ob die Mail ankommt.",
            "Ich brauche den Schlüssel von dir.",
            "Sobald du zustimmst, lege ich los.",
            "请告诉我用哪个端口。",
            "Dis-moi laquelle tu préfères.",
            "Veuillez confirmer le nom du champ.",
            "Necesito que confirmes el nombre.",
        ] {
            assert!(asks(sentence), "{sentence}");
        }
    }

    #[test]
    fn offers_thanks_and_notes_ask_for_nothing() {
        for sentence in [
            "Let me know if you have any questions.",
            "Let me know if anything looks off.",
            "If you like, I can also add a test.",
            "Please note that the port has changed.",
            "Run `make dev` to try it out!",
            "Feel free to rename it.",
            "Happy to split it if you prefer.",
            "To switch back, choose the old theme in the menu.",
            "The form says “please log in” now.",
            "You need Node 20 for this.",
            "The user is asked to confirm the deletion.",
            "If you want, I'll also update the docs.",
            "Tell me if you need anything else.",
            "I need no other change for that.",
            "Users can now choose a plan.",
            "What you see is the cached page.",
            "Wenn du möchtest, kann ich das auch umbauen.",
            "Bei Fragen sag einfach Bescheid.",
            "如果有问题请告诉我。",
            "N'hésite pas à me dire si ça casse.",
            "It waits for the lock until the writer is done.",
            "The list shows what to do next.",
        ] {
            assert!(!asks(sentence), "{sentence}");
        }
    }
}
