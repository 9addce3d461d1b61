//! Decisions of the user's that the user took back later.

use crate::session::{Prompt, Record, own_words, split_sentences};

/// Bytes of a request in which a decision is taken back, at most; longer ones set a task.
const REQUEST: usize = 600;
/// Words that say no to what stands close behind them.
const REFUSES: &[&str] = &[
    "no", "not", "don't", "dont", "can't", "cant", "cannot", "won't", "never", "without", "drop",
    "forget", "scrap", "remove", "instead", "than", "kein", "keine", "keinen", "nicht", "ohne",
    "statt", "doch", "pas", "sans", "plus", "nada", "sin", "never",
];
/// Words that may stand between the refusal and what is refused.
const BETWEEN: &[&str] = &[
    "have", "use", "using", "want", "do", "take", "go", "with", "need", "of", "the", "a", "any",
    "to", "for", "after", "all", "run", "allowed", "nehmen", "das", "den", "die", "mit", "de", "d",
    "le", "la", "el", "utiliser", "prendre", "usar", "usamos", "about", "it", "on", "be", "keep",
    "offer", "rather", "more",
];
/// Words behind something by which it is out.
const OUT: &[&str] = &[
    "is out",
    "is not allowed",
    "isn't allowed",
    "is not an option",
    "isn't an option",
    "is not possible",
    "isn't possible",
    "is not available",
    "isn't available",
    "won't work",
    "will not work",
    "won't do",
    "is too expensive",
    "is off the table",
    "not after all",
    "was a mistake",
    "was a bad idea",
    "geht nicht",
    "geht doch nicht",
    "fällt weg",
    "ist raus",
    "ne va pas",
    "n'est pas possible",
    "no se puede",
    "no es posible",
    "no va a funcionar",
];
/// Words by which somebody thinks again.
const AGAIN: &[&str] = &[
    "changed my mind",
    "change my mind",
    "on second thought",
    "on second thoughts",
    "scrap that",
    "take that back",
    "let's switch to",
    "lets switch to",
    "switch to",
    "go back to",
    "instead",
    "after all",
    "doch lieber",
    "lieber doch",
    "anders überlegt",
    "stattdessen",
    "finalement",
    "plutôt",
    "mejor",
    "en vez de",
    "cambié de opinión",
    "改成",
    "换成",
    "改用",
    "还是用",
    "算了",
];
/// Beginnings of a request by which it turns back at once.
const TURNS: &[&str] = &[
    "wait",
    "hm wait",
    "hmm wait",
    "hold on",
    "actually",
    "no wait",
    "oh wait",
    "sorry",
    "moment",
    "halt",
    "attends",
    "en fait",
    "espera",
    "等等",
    "等一下",
];
/// Words that every answer may have.
const USUAL: &[&str] = &[
    "yes",
    "yep",
    "the",
    "and",
    "with",
    "use",
    "for",
    "new",
    "only",
    "first",
    "all",
    "both",
    "none",
    "keep",
    "add",
    "that",
    "this",
    "one",
    "recommended",
    "should",
    "which",
    "what",
    "want",
    "would",
    "like",
    "shall",
    "have",
    "from",
    "into",
    "does",
];

/// The words with which a later request takes back what the user decided; none if nobody did. `chosen` is what
/// was decided, `question` what it was about.
pub(super) fn taken_back(
    prompts: &[Prompt],
    decided: Record,
    question: &str,
    chosen: &str,
) -> Option<String> {
    let names = names_of(chosen);
    let about = names_of(question);
    let mut later = prompts.iter().filter(|prompt| prompt.record > decided);
    let first = later.clone().next().map(|prompt| prompt.record);
    later.find_map(|prompt| {
        let own = own_words(&prompt.text).text;
        if own.len() > REQUEST || own.trim_end().ends_with(['?', '？']) {
            return None;
        }
        let lower = own.to_lowercase().replace('’', "'");
        let refused = split_sentences(&lower)
            .any(|sentence| !sentence.trim_end().ends_with('?') && refuses(sentence, &names));
        let again = AGAIN.iter().any(|words| lower.contains(words))
            && (about.iter().any(|name| has_word(&lower, name))
                || names.iter().any(|name| has_word(&lower, name)));
        let turns = Some(prompt.record) == first
            && TURNS.iter().any(|words| lower.starts_with(words))
            && chooses(&lower);
        (refused || again || turns).then_some(own)
    })
}

/// The words by which something is known again, in small letters.
fn names_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')));
    let words = words.map(|word| word.trim_matches(['.', '-', '_']).to_lowercase());
    words
        .filter(|word| {
            word.chars().count() > if word.is_ascii() { 2 } else { 1 }
                && !USUAL.contains(&word.as_str())
        })
        .take(24)
        .collect()
}

/// Whether a character belongs to a word. Chinese has no blanks between words.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && c < '\u{2e80}'
}

fn has_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let apart = |c: Option<char>| !c.is_some_and(is_letter);
        !name.is_ascii()
            || apart(text[..at].chars().next_back())
                && apart(text[at + name.len()..].chars().next())
    })
}

/// Whether a sentence says no to one of these: `we can't have redis`, `redis is out`.
fn refuses(sentence: &str, names: &[String]) -> bool {
    names.iter().any(|name| {
        sentence.match_indices(name.as_str()).any(|(at, _)| {
            let apart = |c: Option<char>| !name.is_ascii() || !c.is_some_and(is_letter);
            if !apart(sentence[..at].chars().next_back())
                || !apart(sentence[at + name.len()..].chars().next())
            {
                return false;
            }
            let behind = sentence[at + name.len()..].trim_start();
            let clause = sentence[..at].rsplit([',', ';', ':', '.']).next().unwrap_or_default();
            let mut before = clause
                .split(|c: char| !(c.is_alphanumeric() || c == '\''))
                .rev()
                .filter(|word| !word.is_empty());
            let joined = ["不用", "不要", "不能用", "别用", "不能有"];
            before.find(|word| !BETWEEN.contains(word)).is_some_and(|word| REFUSES.contains(&word))
                || OUT.iter().any(|out| behind.starts_with(out))
                || joined.iter().any(|no| clause.trim_end().ends_with(no))
        })
    })
}

/// Whether a request says what to take.
fn chooses(lower: &str) -> bool {
    [
        "take ", "use ", "go with ", "make it ", "let's ", "nimm ", "prends ", "usa ", "mejor ",
        "用", "改",
    ]
    .iter()
    .any(|words| lower.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distil::{DistilRequest, distil};
    use crate::session::{PromptWay, Recorder};

    fn later(question: &str, chosen: &str, request: &str) -> Option<String> {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Build it", PromptWay::Typed);
        recorder.next_record();
        let decided = 2;
        recorder.next_record();
        recorder.asked("go on", PromptWay::Typed);
        recorder.next_record();
        recorder.asked(request, PromptWay::Typed);
        taken_back(&recorder.session().prompts, decided, question, chosen)
    }

    #[test]
    fn a_later_no_takes_a_decision_back() {
        for (question, chosen, request) in [
            ("Which queue?", "RabbitMQ", "the boss says no RabbitMQ, use a table"),
            ("Which format?", "Parquet", "parquet is out, take csv"),
            ("Which auth?", "OAuth", "we can't use OAuth there. plain tokens then"),
            ("Which map library?", "Leaflet", "let's drop leaflet and draw it ourselves"),
            (
                "Which colour scheme?",
                "Dark",
                "changed my mind about the colour scheme, make it light",
            ),
            ("Which port?", "8080", "switch to another port please"),
            ("Welche Datenbank?", "MySQL", "MySQL geht doch nicht, nimm SQLite"),
            ("Quel format ?", "YAML", "pas de yaml finalement, du json"),
            ("¿Qué base?", "Mongo", "sin mongo, usa postgres"),
            ("用哪个缓存？", "Redis", "不用Redis，改成内存"),
        ] {
            assert_eq!(later(question, chosen, request).as_deref(), Some(request), "{request}");
        }
        for (question, chosen, request) in [
            ("Which queue?", "RabbitMQ", "now write the RabbitMQ consumer"),
            ("Which format?", "Parquet", "the parquet file is not written"),
            ("Which auth?", "OAuth", "OAuth does not redirect back"),
            ("Which map library?", "Leaflet", "don't load leaflet twice"),
            ("Which colour scheme?", "Dark", "the button is not visible"),
            ("Which port?", "8080", "nothing listens on 8080"),
            ("Welche Datenbank?", "MySQL", "MySQL startet nicht"),
            ("Which cache?", "Redis", "can't we have redis in ci as well?"),
        ] {
            assert_eq!(later(question, chosen, request), None, "{request}");
        }
    }

    #[test]
    fn a_decision_that_was_taken_back_is_told_with_the_later_words() {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Store the events", PromptWay::Typed);
        recorder.next_record();
        recorder.answered("Which store should I use?", "Kafka");
        recorder.next_record();
        recorder.answered("Which format?", "Avro");
        recorder.next_record();
        recorder.said("Kafka it is.");
        recorder.next_record();
        recorder.asked("we can't use kafka after all, a plain file will do", PromptWay::Typed);
        recorder.next_record();
        recorder.said("It writes to a file now.");
        let body = distil(recorder.session(), &DistilRequest::default()).body;
        let told = "Which store should I use? → Kafka *(taken back)*, later: \
            “we can't use kafka after all, a plain file will do”; Which format? → Avro";
        assert!(body.contains(told), "{body}");
    }
}
