//! Questions that offer something the agent would do: only these are agreed to or declined.

use crate::session::split_sentences;

/// Words with which an agent offers to do something.
const OFFERS: &[&str] = &[
    "want me to",
    "like me to",
    "need me to",
    "prefer me to",
    "prefer that i ",
    "prefer if i ",
    "shall i",
    "should i",
    "shall we",
    "should we",
    "may i",
    "can i go ahead",
    "can i proceed",
    "could i go ahead",
    "how about i ",
    "what if i ",
    "mind if i",
    "ok to ",
    "okay to ",
    "ok if i",
    "okay if i",
    "ok with you if i",
    "fine if i",
    "alright if i",
    "good to go",
    "ready for me to",
    "go ahead?",
    "go ahead with",
    "proceed?",
    "proceed with",
    "soll ich",
    "sollen wir",
    "sollte ich",
    "dass ich",
    "darf ich",
    "in ordnung, wenn ich",
    "ok, wenn ich",
    "veux-tu que",
    "tu veux que je",
    "voulez-vous que",
    "souhaites-tu que",
    "souhaitez-vous que",
    "dois-je",
    "puis-je",
    "je peux y aller",
    "quieres que",
    "quiere que",
    "debo ",
    "debería ",
    "puedo proceder",
    "puedo seguir",
    "te parece bien si",
    "te parece si",
    "要我",
    "需要我",
    "我可以",
    "让我",
    "我现在",
    "要不要",
];
/// Beginnings with which somebody offers something that was just named.
const WANTED: &[&str] = &[
    "want the ",
    "want a ",
    "want it ",
    "want that ",
    "want this ",
    "do you want ",
    "would you like ",
];
/// Questions that only ask for a yes to what the sentence before intends.
const CONFIRMS: &[&str] = &[
    "ok",
    "okay",
    "sound good",
    "sounds good",
    "does that sound good",
    "does this sound good",
    "does that work for you",
    "does this work for you",
    "does that work",
    "agreed",
    "agree",
    "do you agree",
    "is that ok",
    "is that okay",
    "is this ok",
    "alright",
    "einverstanden",
    "passt das",
    "passt das so",
    "ist das ok",
    "d'accord",
    "ça te va",
    "ça vous va",
    "de acuerdo",
    "te parece bien",
    "vale",
    "可以吗",
    "好吗",
    "行吗",
    "这样可以吗",
];
/// Words with which an agent says what it intends.
const INTENDS: &[&str] = &[
    "i'd ",
    "i would ",
    "i'll ",
    "i will ",
    "i propose",
    "i suggest",
    "i recommend",
    "i plan",
    "my plan",
    "my proposal",
    "let's ",
    "we could ",
    "ich würde",
    "ich werde",
    "mein vorschlag",
    "ich schlage",
    "je propose",
    "je vais",
    "je ferais",
    "propongo",
    "voy a ",
    "我会",
    "我将",
    "我建议",
    "我打算",
];
/// Words of a question that a yes or a no does not answer.
const OPEN: &[&str] = &[
    "what", "which", "how", "where", "when", "who", "why", "was", "welche", "welchen", "wie", "wo",
    "wann", "warum", "que", "quel", "quelle", "comment", "où", "quand", "qué", "cuál", "cómo",
    "dónde", "cuándo",
];

/// Whether the question with which a text ends offers something that the agent would do.
pub(super) fn offers(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    // A list of what is offered may stand behind the question.
    let Some(end) = lower.rfind(['?', '？']) else { return false };
    let end = end + lower[end..].chars().next().map_or(1, char::len_utf8);
    let sentences: Vec<&str> = split_sentences(&lower[..end]).map(str::trim).collect();
    let Some((question, before)) = sentences.split_last() else { return false };
    let bare = question.trim_matches(|c: char| !c.is_alphanumeric());
    if CONFIRMS.contains(&bare) {
        return before
            .iter()
            .rev()
            .take(3)
            .any(|one| INTENDS.iter().any(|words| one.contains(words)));
    }
    let confirms = CONFIRMS.iter().any(|words| {
        bare.strip_suffix(words).is_some_and(|rest| rest.ends_with([' ', ',', '，', '-', '—']))
    });
    if confirms && INTENDS.iter().any(|words| question.contains(words)) {
        return true;
    }
    let wanted =
        WANTED.iter().any(|words| question.trim_start_matches(['¿', '*', ' ']).starts_with(words));
    let offered = OFFERS.iter().filter_map(|words| find_word(question, words)).min();
    match offered {
        Some(at) => !asks_openly(&question[..at]),
        None => wanted,
    }
}

/// Where words stand as words.
fn find_word(text: &str, words: &str) -> Option<usize> {
    let mut places = text.match_indices(words).map(|(at, _)| at);
    places.find(|at| {
        let before = text[..*at].chars().next_back();
        let behind = text[at + words.len()..].chars().next();
        !words.is_ascii()
            || !before.is_some_and(char::is_alphanumeric)
                && (words.ends_with([' ', '?']) || !behind.is_some_and(char::is_alphanumeric))
    })
}

/// Whether what stands before an offer makes it a question for something else: `which file should i`.
fn asks_openly(before: &str) -> bool {
    let clause = before.rsplit([',', ';', ':', '—', '(']).next().unwrap_or_default();
    let mut words = clause.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| OPEN.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distil::{DistilRequest, distil};
    use crate::session::{PromptWay, Recorder};

    #[test]
    fn only_what_the_agent_would_do_is_offered() {
        for offer in [
            "Want me to open a pull request?",
            "The parser is slow. Shall I add a cache?",
            "If you agree, should I drop the old table as well?",
            "OK to delete the branch?",
            "Is it okay if I bump the major version?",
            "Do you want a migration for it?",
            "I'd split the class in two. Sound good?",
            "I will rename the flag to `--quiet`, ok?",
            "Would you like me to fix it? (1. rename `a`; 2. drop `b`)",
            "Soll ich das Skript löschen?",
            "Möchtest du, dass ich die Tests anpasse?",
            "Veux-tu que je lance les tests ?",
            "¿Quieres que suba los cambios?",
            "要我继续吗？",
            "需要我提交代码吗？",
            "The docs are stale — shall we update them too?",
        ] {
            assert!(offers(offer), "{offer}");
        }
        for question in [
            "Is there a proxy in front of the cluster?",
            "Does it happen on every branch?",
            "Did the reload help?",
            "Which file should I edit?",
            "What should I do with the old rows?",
            "Can you run the script and paste the output?",
            "How should we name it?",
            "Have you restarted the daemon?",
            "Is that ok with the terms of the licence holder?",
            "I raised the limit. Does the upload work now?",
            "Are the credentials the ones of staging?",
            "Wie soll ich die Spalte nennen?",
            "Läuft der Dienst auf Port 80?",
            "Est-ce que le serveur tourne ?",
            "¿Funciona ahora?",
            "现在正常了吗？",
            "Was the table empty before?",
            "Done.",
        ] {
            assert!(!offers(question), "{question}");
        }
    }

    #[test]
    fn an_answer_to_a_question_of_fact_decides_nothing() {
        let body = |question: &str, answer: &str| {
            let mut recorder = Recorder::new("x");
            recorder.next_record();
            recorder.asked("The sync is slow", PromptWay::Typed);
            recorder.next_record();
            recorder.said(question);
            recorder.next_record();
            recorder.asked(answer, PromptWay::Typed);
            recorder.next_record();
            recorder.said("Noted.");
            distil(recorder.session(), &DistilRequest::default()).body
        };
        for (question, answer) in [
            ("The query is fine. Is there a replica behind it?", "yes, two"),
            ("I raised the limit. Did it help?", "no"),
            ("Does it also happen over the wire?", "No, only on wifi"),
        ] {
            let body = body(question, answer);
            assert!(
                !body.contains("The user agreed") && !body.contains("The user declined"),
                "{body}"
            );
        }
        let offer = "The index is missing. Shall I add one on `orders.day`?";
        assert!(body(offer, "yes").contains("The user agreed (“yes”)"));
        assert!(body(offer, "no").contains("The user declined (“no”)"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_offers_or_does_not(text: String) {
            let _ = offers(&format!("{text}?"));
        }
    }
}
