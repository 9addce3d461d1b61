//! Sentences of a message, and what kind of thing they say.

/// A longer one is no sentence but pasted text.
const LONGEST: usize = 400;
const SHORTEST: usize = 8;

/// Gives each sentence of a message, verbatim. Code, quotes, tables and logs are passed over.
pub(super) fn sentences<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let mut in_code = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        if in_code || is_pasted(line) {
            continue;
        }
        let line = without_marker(line);
        let mut start = 0;
        for (at, c) in line.char_indices() {
            let end = at + c.len_utf8();
            // A full stop ends a sentence only before a blank: `v1.2`, `main.rs`.
            let ends = match c {
                '.' | '!' | '?' => line[end..].chars().next().is_none_or(char::is_whitespace),
                '。' | '！' | '？' | ';' => true,
                _ => false,
            };
            let short = &line[start..end];
            if ends
                && !short.ends_with("e.g.")
                && !short.ends_with("i.e.")
                && !short.ends_with("etc.")
            {
                give(&line[start..end], &mut each);
                start = end;
            }
        }
        give(&line[start..], &mut each);
    }
}

/// Whether a line was copied from somewhere: quotes, tables, code, logs, prompts of a shell.
fn is_pasted(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_time =
        |c: char| c.is_ascii_digit() || matches!(c, '.' | ':' | '-' | 'T' | 'Z' | 's' | 'm');
    let numbered = first.starts_with(|c: char| c.is_ascii_digit()) && first.chars().all(is_time);
    let item =
        first.strip_suffix(['.', ')']).is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    (line.starts_with(['>', '|', '<', '{', '}', '[', '$', '❯', '%', '⏺', '⎿', '│', '✓', '✗'])
        && !line.starts_with("[ ]"))
        || line.starts_with("=>")
        || line.starts_with("at ") && line.ends_with(')')
        || (numbered && !item)
}

fn give<'t>(sentence: &'t str, each: &mut impl FnMut(&'t str)) {
    let sentence = sentence.trim().trim_end_matches(';');
    if (SHORTEST..=LONGEST).contains(&sentence.len()) {
        each(sentence);
    }
}

/// A line without the mark of a list, a heading or a task before it.
fn without_marker(line: &str) -> &str {
    let line = line.trim_start_matches('#').trim_start();
    let line = line
        .strip_prefix(['-', '*', '+', '•'])
        .filter(|rest| rest.starts_with(' '))
        .unwrap_or(line);
    let line = line.trim_start();
    let line = line.strip_prefix("[ ] ").or(line.strip_prefix("[x] ")).unwrap_or(line);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line[digits..].strip_prefix(['.', ')']) {
        Some(rest) if digits > 0 && rest.starts_with(' ') => rest.trim_start(),
        _ => line,
    }
}

/// Words with which something is to hold from then on.
static CONSTRAINTS: Words = Words::new(&[
    "always",
    "never",
    "do not",
    "don't",
    "dont",
    "don’t",
    "must",
    "must not",
    "mustn't",
    "only",
    "from now on",
    "make sure",
    "under no circumstances",
    "no longer",
    "stop doing",
    "avoid",
    "should not",
    "shouldn't",
    "shall not",
    "at all times",
    "not allowed",
    "forbidden",
    "without asking",
    "unless i",
    "before you commit",
    "before committing",
    "every time",
    "each time",
    "remember to",
    "be sure to",
    "has to",
    "have to",
    "required to",
    "going forward",
    "immer",
    "niemals",
    "nicht",
    "nur",
    "toujours",
    "jamais",
    "siempre",
    "nunca",
    "всегда",
    "никогда",
]);
/// Those of them that leave no doubt.
static STRICT: Words = Words::new(&[
    "always",
    "never",
    "do not",
    "don't",
    "dont",
    "don’t",
    "must",
    "mustn't",
    "from now on",
    "under no circumstances",
    "not allowed",
    "forbidden",
    "without asking",
]);
const CONSTRAINTS_JOINED: &[&str] =
    &["不要", "必须", "总是", "永远", "只能", "请勿", "必ず", "しないで", "常に", "절대", "항상"];

/// Beginnings of questions that are requests.
const REQUESTS: &[&str] =
    &["can you", "can we", "could you", "could we", "would you", "will you", "please", "pls"];
/// Beginnings with which the user tells of something, and demands nothing.
const TELLS: &[&str] = &[
    "i don't ",
    "i don’t ",
    "i dont ",
    "i do not ",
    "i never ",
    "i only ",
    "i wonder",
    "i'm wondering",
    "hmm",
    "it doesn't",
    "it does not",
    "it only ",
    "it never ",
    "it always ",
];
/// Of these, what the user wants after all.
const WANTS: &[&str] = &[
    "i don't want",
    "i don’t want",
    "i dont want",
    "i do not want",
    "i don't need",
    "i do not need",
    "i don't like",
    "i do not like",
    "i only want",
    "i only need",
    "i never want",
];

/// What a sentence of the user's is, if it is one of those that the next session should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// It says how things have to be done.
    Constraint,
    /// It has the words for that, but asks or tells something.
    Remark,
}

pub(super) fn demand(sentence: &str) -> Option<Demand> {
    let lower = sentence.to_lowercase();
    if !CONSTRAINTS.any_in(&lower) && !CONSTRAINTS_JOINED.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let begins = |with: &[&str]| with.iter().any(|words| lower.starts_with(words));
    // A question demands nothing, but for one that is a request.
    let asks = lower.ends_with('?') && !begins(REQUESTS);
    let tells = begins(TELLS) && !begins(WANTS);
    Some(if asks || tells { Demand::Remark } else { Demand::Constraint })
}

/// Words for what is nobody else's business.
static SECRETS: Words = Words::new(&[
    "password",
    "passwort",
    "passphrase",
    "passcode",
    "pin",
    "secret",
    "api key",
    "api-key",
    "apikey",
    "access key",
    "private key",
    "token",
    "credential",
    "credentials",
    "seed phrase",
]);
/// Words with which a question is about how such a thing is handled, and not what it is.
static ABOUT: Words =
    Words::new(&["how", "where", "which", "should", "store", "expire", "expiry", "whether"]);

/// Whether a question asks for a secret itself.
pub(super) fn asks_for_secret(question: &str) -> bool {
    let lower = question.to_lowercase();
    SECRETS.any_in(&lower) && !ABOUT.any_in(&lower)
}

/// Words with which something was decided.
static DECIDED: Words = Words::new(&[
    "chose",
    "chosen",
    "went with",
    "going with",
    "picked",
    "i'll use",
    "we'll use",
    "instead of",
    "rather than",
]);
/// Words with which something was decided, whatever the reason.
static DECIDED_AT_ALL: Words = Words::new(&[
    "decided to",
    "decided on",
    "decided against",
    "decision:",
    "opted for",
    "opted to",
    "settled on",
]);
/// Words that give a reason.
static REASONS: Words = Words::new(&[
    "because",
    "since",
    "so that",
    "due to",
    "as it",
    "in order to",
    "which avoids",
    "to avoid",
    "for the sake",
]);

/// Whether a sentence of the user's forbids or orders outright.
pub(crate) fn is_strict(sentence: &str) -> bool {
    STRICT.any_in(&sentence.to_lowercase())
}

/// Whether a sentence of the agent's says what was decided.
pub(super) fn is_decision(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    !lower.ends_with('?')
        && (DECIDED_AT_ALL.any_in(&lower) || DECIDED.any_in(&lower) && REASONS.any_in(&lower))
}

static REJECTED: Words = Words::new(&[
    "didn't work",
    "did not work",
    "doesn't work",
    "does not work",
    "won't work",
    "will not work",
    "didn’t work",
    "doesn’t work",
    "reverted",
    "reverting",
    "rolled back",
    "rolling back",
    "abandoned",
    "gave up on",
    "dead end",
    "backed out",
    "undid",
    "undoing",
]);

/// Beginnings with which the agent tells what it is about to do.
const INTENDS: &[&str] = &["now let me", "let me", "let's", "i'll", "i will", "now i'll", "next,"];

/// Whether a sentence of the agent's says that something was given up.
pub(super) fn is_rejected(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    !lower.ends_with('?')
        && !INTENDS.iter().any(|intends| lower.starts_with(intends))
        && REJECTED.any_in(&lower)
}

/// Words to look for, or several in a row.
struct Words {
    all: &'static [&'static str],
    /// Whether one begins with this byte.
    begins: [bool; 256],
}

impl Words {
    const fn new(all: &'static [&'static str]) -> Self {
        let mut begins = [false; 256];
        let mut at = 0;
        while at < all.len() {
            begins[all[at].as_bytes()[0] as usize] = true;
            at += 1;
        }
        Self { all, begins }
    }

    /// Whether one of these stands in a text as words.
    fn any_in(&self, text: &str) -> bool {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let bytes = text.as_bytes();
        let mut before = false;
        text.char_indices().any(|(at, c)| {
            let letter = is_letter(c);
            let starts = letter && !before;
            before = letter;
            starts
                && self.begins[usize::from(bytes[at])]
                && self.all.iter().any(|word| {
                    bytes[at] == word.as_bytes()[0]
                        && text[at..].strip_prefix(word).is_some_and(|rest| {
                            !rest.starts_with(is_letter) || word.ends_with(|c: char| !is_letter(c))
                        })
                })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraints(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        sentences(text, |sentence| {
            if demand(sentence) == Some(Demand::Constraint) {
                found.push(sentence);
            }
        });
        found
    }

    #[test]
    fn constraints_are_taken_verbatim() {
        let text = "Fix the login. Never touch `main.rs`! Use v1.2 only; it is pinned.\n\
            - don't commit yet\n1. You must run the tests, e.g. all of them.\nWhy do we never cache?\n\
            ```\nnever in code\n```\n158.6 npm error Exit handler never called!\n> always quoted\nI don't know what it does.\n不要修改配置\n";
        assert_eq!(
            constraints(text),
            [
                "Never touch `main.rs`!",
                "Use v1.2 only",
                "don't commit yet",
                "You must run the tests, e.g. all of them.",
                "不要修改配置"
            ]
        );
    }

    #[test]
    fn questions_and_tales_demand_nothing() {
        for told in [
            "It is always against the local tree, right?",
            "I don't recall adding it there myself",
            "hmm, I'm wondering why we only add some",
            "I never saw that",
        ] {
            assert_eq!(demand(told), Some(Demand::Remark), "{told}");
        }
        for demanded in [
            "Can you make sure that it never blocks?",
            "I don't want any mocks",
            "I only want tests",
        ] {
            assert_eq!(demand(demanded), Some(Demand::Constraint), "{demanded}");
        }
        assert!(is_strict("Never push") && !is_strict("Only the docs"));
        assert!(asks_for_secret("What is the database password?"));
        assert!(!asks_for_secret("Where should we store the token?"));
    }

    #[test]
    fn decisions_have_a_reason_and_failures_a_verb() {
        assert!(is_decision("I went with SQLite because it needs no server."));
        assert!(is_decision("Decision: keep integers only."));
        assert!(!is_decision("I went with SQLite."));
        assert!(is_rejected("The mmap approach didn't work on Windows."));
        assert!(!is_rejected("Did it work?"));
        assert!(!is_rejected("Let me check by reverting it."));
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_sentences_that_stand_in_it(text: String) {
            sentences(&text, |sentence| {
                assert!(text.contains(sentence));
                let _ = (demand(sentence), is_decision(sentence), is_rejected(sentence));
            });
        }
    }
}
