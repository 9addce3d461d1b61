//! Rules that are put as a question, out of politeness: `could you always …?`

/// How one language asks somebody to do something from then on.
struct Language {
    /// What asks somebody. It stands at the beginning of the sentence or of a part of it.
    asks: &'static [&'static str],
    /// Words by which it holds for ever, wherever they stand.
    for_ever: &'static [&'static str],
    /// The same where they stand near what asks: farther off they say how something is.
    always: &'static [&'static str],
    /// Words with which a part begins that tells of something.
    tells: &'static [&'static str],
}

/// Words between what asks and `always`.
const NEAR: usize = 5;

const LANGUAGES: [Language; 4] = [
    Language {
        asks: &[
            "can you",
            "could you",
            "would you",
            "will you",
            "can we",
            "could we",
            "can you all",
            "would you mind",
            "would it be possible to",
            "is it possible to",
            "may i ask you to",
        ],
        for_ever: &["from now on", "going forward", "from here on", "in future", "in the future"],
        always: &["always", "never", "every time", "each time"],
        tells: &[
            "why", "that", "which", "who", "how", "whether", "if", "it", "where", "what", "the",
            "this", "still",
        ],
    },
    Language {
        asks: &[
            "kannst du",
            "könntest du",
            "könnten sie",
            "können sie",
            "würdest du",
            "würden sie",
            "können wir",
            "könnten wir",
            "magst du",
            "könnt ihr",
            "könntet ihr",
        ],
        for_ever: &[
            "ab jetzt",
            "künftig",
            "zukünftig",
            "in zukunft",
            "von nun an",
            "ab sofort",
            "fortan",
            "nie wieder",
            "nie mehr",
        ],
        always: &["immer", "nie", "niemals", "stets", "jedes mal", "jedesmal"],
        tells: &["warum", "wieso", "dass", "ob", "wie", "weshalb", "noch", "was"],
    },
    Language {
        asks: &[
            "peux-tu",
            "pourrais-tu",
            "pouvez-vous",
            "pourriez-vous",
            "tu peux",
            "tu pourrais",
            "vous pouvez",
            "vous pourriez",
            "on peut",
            "peut-on",
            "pourrait-on",
        ],
        for_ever: &[
            "désormais",
            "dorénavant",
            "à l'avenir",
            "à partir de maintenant",
            "plus jamais",
        ],
        always: &["toujours", "jamais", "systématiquement", "chaque fois"],
        tells: &["qui", "que", "pourquoi", "comment", "si", "où", "encore"],
    },
    Language {
        asks: &[
            "puedes",
            "podrías",
            "puede",
            "podría",
            "podemos",
            "podríamos",
            "podéis",
            "pueden",
            "te importaría",
            "te importa",
        ],
        for_ever: &["a partir de ahora", "de ahora en adelante", "en adelante", "nunca más"],
        always: &["siempre", "nunca", "jamás", "cada vez"],
        tells: &["que", "qué", "quien", "cómo", "si", "todavía", "porque"],
    },
];
/// What may stand before the words that ask, besides those by which it holds for ever.
const BEFORE: &[&str] = &[
    "and", "please", "so", "ok", "okay", "also", "hey", "und", "bitte", "auch", "et", "est-ce",
    "que", "s'il", "te", "plaît", "y", "por", "favor",
];
/// What somebody is able to do, and is not asked to do.
const ABLE: &[&str] = &[
    "see",
    "reproduce",
    "hear",
    "reach",
    "access",
    "connect",
    "notice",
    "imagine",
    "find",
    "still",
    "sehen",
    "reproduzieren",
    "voir",
    "reproduire",
    "ver",
    "reproducir",
];

/// Whether a sentence in small letters asks for something that is to hold from then on.
pub(super) fn is_polite_rule(lower: &str) -> bool {
    if !lower.is_ascii() && is_polite_in_chinese(lower) {
        return true;
    }
    let words: Vec<&str> = lower
        .split(|c: char| c.is_whitespace() || ",;:.!?¿¡()".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    LANGUAGES.iter().any(|language| language.asks_for_ever(&words))
}

/// Whether a question is about what somebody is able to do: `can you always reproduce it?`
pub(super) fn asks_for_ability(lower: &str) -> bool {
    let begins = ["can you ", "could you ", "can we "];
    let rest = begins.iter().find_map(|begin| lower.strip_prefix(begin)).unwrap_or_default();
    let mut words = rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words
        .find(|word| !matches!(*word, "always" | "please" | "never" | "also"))
        .is_some_and(|verb| ABLE.contains(&verb))
}

impl Language {
    fn asks_for_ever(&self, words: &[&str]) -> bool {
        let places = |phrases: &[&str]| -> Vec<(usize, usize)> {
            let at = |phrase: &&str| {
                let parts: Vec<&str> = phrase.split(' ').collect();
                let found = words.windows(parts.len()).position(|window| window == parts);
                found.map(|at| (at, at + parts.len()))
            };
            phrases.iter().filter_map(at).collect()
        };
        let for_ever = places(self.for_ever);
        let Some((ask, behind)) =
            places(self.asks).into_iter().max_by_key(|(at, end)| (std::cmp::Reverse(*at), *end))
        else {
            return false;
        };
        let leads = (0..ask).all(|at| {
            BEFORE.contains(&words[at])
                || for_ever.iter().any(|(from, to)| (*from..*to).contains(&at))
        });
        let tells = |until: usize| {
            words.get(behind..until).is_some_and(|between| {
                between.iter().any(|word| self.tells.contains(word) || ABLE.contains(word))
            })
        };
        let is_near = |(at, end): &(usize, usize)| {
            let goes_on = words
                .get(*end)
                .is_some_and(|next| matches!(*next, "noch" | "wieder") || ABLE.contains(next));
            // `can we never reuse it?` wonders.
            let wonders = words[ask] == "can" && words[*at] == "never";
            (behind..behind + NEAR).contains(at) && !tells(*at) && !goes_on && !wonders
        };
        let lasts =
            for_ever.iter().any(|(at, _)| *at < ask || !tells_of_other(self, words, behind, *at));
        leads && words.len() > behind + 1 && (lasts || places(self.always).iter().any(is_near))
    }
}

/// Whether a part that tells of something begins between what asks and a place. What is asked for may have an object.
fn tells_of_other(language: &Language, words: &[&str], from: usize, until: usize) -> bool {
    let objects = ["the", "this", "it", "that"];
    words.get(from..until).is_some_and(|between| {
        between.iter().any(|word| {
            language.tells.contains(word) && !objects.contains(word) || ABLE.contains(word)
        })
    })
}

/// What asks somebody in Chinese, and what it asks to hold.
const ASKS_IN_CHINESE: &[&str] =
    &["能不能", "可不可以", "可以", "能否", "可否", "行不行", "好不好", "麻烦", "好吗", "行吗"];
const FOR_EVER_IN_CHINESE: &[&str] =
    &["以后", "今后", "往后", "从现在起", "从今以后", "从现在开始", "每次", "永远", "始终", "一律"];
/// How it is to be, without which it may be asked what comes.
const MANNER_IN_CHINESE: &[&str] =
    &["都", "先", "别", "不要", "只", "统一", "一律", "每次", "永远", "始终", "不再", "总是"];
/// Who is asked, and nothing else stands before both.
const BEFORE_IN_CHINESE: &[&str] =
    &["", "你", "您", "我们", "咱们", "请", "那", "那么", "请问", "还有", "另外"];

fn is_polite_in_chinese(lower: &str) -> bool {
    let first = |words: &[&str]| words.iter().filter_map(|word| lower.find(word)).min();
    let (Some(asks), Some(lasts)) = (first(ASKS_IN_CHINESE), first(FOR_EVER_IN_CHINESE)) else {
        return false;
    };
    let before =
        lower[..asks.min(lasts)].trim_matches(|c: char| c.is_whitespace() || "，,".contains(c));
    let wonders =
        ["为什么", "怎么", "会不会", "是不是", "什么"].iter().any(|word| lower.contains(word));
    BEFORE_IN_CHINESE.contains(&before) && !wonders && first(MANNER_IN_CHINESE).is_some()
}

#[cfg(test)]
mod tests {
    proptest::proptest! {
        #[test]
        fn any_sentence_can_be_asked(sentence: String) {
            let lower = sentence.to_lowercase();
            let _ = (super::is_polite_rule(&lower), super::asks_for_ability(&lower));
        }
    }
}
