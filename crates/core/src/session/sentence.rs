//! What kind of thing a sentence says.

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
    "bitte nicht",
    "auf keinen fall",
    "darf nicht",
    "dürfen nicht",
    "soll nicht",
    "sollen nicht",
    "sollte nicht",
    "sollten nicht",
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
    let lower = plain(sentence);
    let has_words = CONSTRAINTS.any_in(&lower)
        || CONSTRAINTS_JOINED.iter().any(|word| lower.contains(word))
        || orders_in_german(&lower);
    let only = !has_words && ONLY.any_in(&lower);
    if !has_words && !only {
        return None;
    }
    let begins = |with: &[&str]| with.iter().any(|words| lower.starts_with(words));
    // A question demands nothing, but for one that is a request.
    let asks = lower.ends_with('?') && !begins(REQUESTS);
    let tells = begins(TELLS) && !begins(WANTS);
    let states = only && !restricts(&lower);
    Some(if asks || tells || states { Demand::Remark } else { Demand::Constraint })
}

/// A sentence as it is compared: small letters, single blanks, no marks of emphasis.
fn plain(sentence: &str) -> String {
    let mut plain = String::with_capacity(sentence.len());
    for word in sentence.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        let letters = word.chars().filter(|c| !matches!(c, '*' | '_' | '`'));
        plain.extend(letters.flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }));
    }
    plain
}

static ONLY: Words = Words::new(&["only"]);
/// Words with which a sentence says what is to be, or whom it is for.
static MODALS: Words = Words::new(&[
    "you", "we", "let's", "should", "shall", "may", "can", "could", "would", "want", "need to",
    "needs to", "ought to", "allowed", "please", "only for",
]);
/// Verbs with which something is asked for.
const VERBS: &[&str] = &[
    "accept",
    "add",
    "allow",
    "answer",
    "apply",
    "ask",
    "build",
    "call",
    "change",
    "check",
    "commit",
    "consider",
    "copy",
    "create",
    "delete",
    "deploy",
    "do",
    "edit",
    "export",
    "fix",
    "focus",
    "format",
    "give",
    "handle",
    "implement",
    "import",
    "include",
    "install",
    "keep",
    "leave",
    "list",
    "log",
    "look",
    "make",
    "mention",
    "modify",
    "move",
    "open",
    "output",
    "pick",
    "print",
    "push",
    "put",
    "read",
    "refactor",
    "remove",
    "rename",
    "reply",
    "respond",
    "return",
    "run",
    "save",
    "send",
    "set",
    "show",
    "start",
    "store",
    "support",
    "take",
    "test",
    "touch",
    "try",
    "update",
    "use",
    "work",
    "write",
];
/// Words that may stand before a request.
const BEFORE: &[&str] = &["and", "but", "so", "also", "then", "ok", "okay", "now", "just"];

/// Whether a sentence with `only` restricts what is to be done, and does not tell of something.
fn restricts(lower: &str) -> bool {
    let mut words = lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .skip_while(|word| BEFORE.contains(word));
    let first = words.next().unwrap_or_default();
    let mut before = first;
    let mut verb_follows = false;
    let mut count = 1;
    for word in words {
        verb_follows |= before == "only" && VERBS.contains(&word);
        before = word;
        count += 1;
    }
    // `Tests only`.
    let ends = before == "only" && count < 5;
    first == "only" || VERBS.contains(&first) || verb_follows || ends || MODALS.any_in(lower)
}

static NEGATES: Words = Words::new(&["nicht", "nur"]);
/// Beginnings of what is told, and of questions.
const GERMAN_TELLS: &[&str] = &[
    "das ", "dies", "es ", "ich ", "wir ", "sie ", "er ", "ihr ", "man ", "warum ", "wieso ",
    "ist ", "kann ", "der ", "die ", "leider ",
];
const GERMAN_ORDERS: &[&str] = &[
    "ändere ",
    "benutze ",
    "committe ",
    "fass ",
    "fasse ",
    "lass ",
    "lösche ",
    "mach ",
    "mache ",
    "nimm ",
    "nutze ",
    "schreib ",
    "schreibe ",
    "verwende ",
];

/// Whether a German sentence says what is not to be done: `nicht` and `nur` alone do not.
fn orders_in_german(lower: &str) -> bool {
    if !NEGATES.any_in(lower) {
        return false;
    }
    let begins = |with: &[&str]| with.iter().any(|words| lower.starts_with(words));
    let last = lower.trim_end_matches(|c: char| !c.is_alphabetic());
    let last = last.rsplit(' ').next().unwrap_or_default();
    let is_infinitive =
        ["en", "ern", "eln"].iter().any(|end| last.ends_with(end)) && last.len() > 4;
    begins(GERMAN_ORDERS) || is_infinitive && !begins(GERMAN_TELLS)
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
    Words::new(&["where", "store", "expire", "expiry", "whether", "hash", "rotate", "library"]);

/// Whether a question asks for a secret itself.
pub(super) fn asks_for_secret(question: &str) -> bool {
    let lower = question.to_lowercase();
    SECRETS.any_in(&lower) && !ABOUT.any_in(&lower)
}

/// Whether a sentence of the user's forbids or orders outright.
pub(crate) fn is_strict(sentence: &str) -> bool {
    STRICT.any_in(&plain(sentence))
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
        assert!(
            is_strict("Do **not** push") && is_strict("Never push") && !is_strict("Only the docs")
        );
        assert!(is_strict("Never push") && !is_strict("Only the docs"));
        assert!(asks_for_secret("What is the database password?"));
        assert!(!asks_for_secret("Where should we store the token?"));
        assert!(asks_for_secret("Which password should I use for the admin user?"));
    }

    #[test]
    fn only_restricts_or_tells() {
        for demanded in [
            "Only the docs",
            "Only use tabs here",
            "Use only tabs",
            "use v1.2 only",
            "Tests only",
            "It should only run on CI",
            "You only need the first",
            "And only change the docs",
            "This is only for tests",
        ] {
            assert_eq!(demand(demanded), Some(Demand::Constraint), "{demanded}");
        }
        for told in [
            "The parser only needs one pass, but it makes two.",
            "The bug appears only in Firefox",
            "Redis only supports strings",
            "It only fails on CI",
        ] {
            assert_eq!(demand(told), Some(Demand::Remark), "{told}");
        }
    }

    #[test]
    fn german_needs_an_order() {
        for demanded in [
            "Bitte nicht die API umbauen",
            "Das Schema darf nicht verändert werden.",
            "Auf keinen Fall pushen!",
            "Tests nicht ändern.",
            "Nur die Tests anpassen",
            "Ändere nicht die API.",
            "Niemals mocken",
        ] {
            assert_eq!(demand(demanded), Some(Demand::Constraint), "{demanded}");
        }
        for told in ["Das geht so nicht.", "Es ist nur ein Test", "Das kann ich nicht ändern."] {
            assert_eq!(demand(told), None, "{told}");
        }
    }
}
