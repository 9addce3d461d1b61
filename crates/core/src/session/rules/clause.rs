//! The clauses of a sentence in small letters, as they are compared with what orders look like.

/// What stands before a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// The beginning of the sentence.
    First,
    /// A comma, a colon, a dash, a bracket.
    Mark,
    /// `and`, `or`.
    And,
    /// `but`.
    But,
    /// `so`.
    So,
    /// `because`: no order follows.
    Because,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause<'t> {
    pub(super) link: Link,
    pub(super) words: Vec<&'t str>,
}

/// Who is spoken to in a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    /// Nobody is named: an order, or a fragment.
    Bare,
    /// `I want you to`, `make sure that you`, `let's`.
    Wanted,
    /// `you must`, `we should`.
    Bound,
}

/// Words that only give weight or politeness to an order.
const EMPHASIS: &[&str] = &[
    "explicitly",
    "really",
    "definitely",
    "absolutely",
    "strictly",
    "ever",
    "also",
    "just",
    "simply",
    "kindly",
    "please",
    "pls",
    "plz",
    "actually",
    "generally",
    "usually",
    "normally",
];
/// Words with which an order may begin.
const FILLERS: &[&str] = &[
    "ok",
    "okay",
    "alright",
    "now",
    "then",
    "hey",
    "hi",
    "btw",
    "well",
    "yes",
    "yeah",
    "no",
    "remember",
    "reminder",
    "note",
    "important",
    "fyi",
    "again",
    "oh",
    "hm",
    "hmm",
    "and",
    "but",
    "so",
    "bitte",
    "auch",
    "also",
    "dann",
    "aber",
];
const LEADS: &[(&[&str], Lead)] = &[
    (&["i", "want", "you", "to"], Lead::Wanted),
    (&["i'd", "like", "you", "to"], Lead::Wanted),
    (&["i", "would", "like", "you", "to"], Lead::Wanted),
    (&["i", "need", "you", "to"], Lead::Wanted),
    (&["i", "expect", "you", "to"], Lead::Wanted),
    (&["make", "sure", "to"], Lead::Wanted),
    (&["make", "sure", "you"], Lead::Wanted),
    (&["make", "sure", "that", "you"], Lead::Wanted),
    (&["be", "sure", "to"], Lead::Wanted),
    (&["try", "to"], Lead::Wanted),
    (&["can", "you"], Lead::Wanted),
    (&["could", "you"], Lead::Wanted),
    (&["would", "you"], Lead::Wanted),
    (&["will", "you"], Lead::Wanted),
    (&["let's"], Lead::Wanted),
];
const BOUND: &[&str] = &["you", "we", "everyone", "everybody", "one"];
/// Two words that are read as one, and what they are read as.
const JOINED: &[(&str, &str, &str)] = &[
    ("do", "not", "don't"),
    ("must", "not", "mustn't"),
    ("should", "not", "shouldn't"),
    ("shall", "not", "shouldn't"),
    ("can", "not", "can't"),
    ("does", "not", "doesn't"),
    ("did", "not", "didn't"),
    ("is", "not", "isn't"),
    ("are", "not", "aren't"),
    ("will", "not", "won't"),
];
/// Words as they are typed without their apostrophe.
const BARE: &[(&str, &str)] = &[
    ("dont", "don't"),
    ("don`t", "don't"),
    ("cant", "can't"),
    ("cannot", "can't"),
    ("wont", "won't"),
    ("doesnt", "doesn't"),
    ("didnt", "didn't"),
    ("isnt", "isn't"),
    ("arent", "aren't"),
    ("shouldnt", "shouldn't"),
    ("mustnt", "mustn't"),
    ("im", "i'm"),
    ("ive", "i've"),
    ("lets", "let's"),
    ("youre", "you're"),
    ("thats", "that's"),
];

/// The clauses of a sentence in small letters.
pub(super) fn clauses(lower: &str) -> Vec<Clause<'_>> {
    let mut all = vec![Clause { link: Link::First, words: Vec::new() }];
    for raw in lower.split_whitespace() {
        let is_mark = |c: char| !c.is_alphanumeric();
        let word = raw.trim_matches(is_mark);
        let begins = raw.starts_with(['(', '—', '–']) || word.is_empty() && raw.contains('-');
        if begins {
            open(&mut all, Link::Mark);
        }
        if word.is_empty() {
            continue;
        }
        let link = match word {
            "and" | "or" | "und" | "oder" | "et" | "ou" | "y" | "o" => Some(Link::And),
            "but" | "aber" | "sondern" | "mais" | "pero" | "sino" => Some(Link::But),
            "so" | "therefore" | "hence" | "donc" => Some(Link::So),
            "because" | "since" | "cause" | "weil" | "da" | "car" | "porque" => Some(Link::Because),
            _ => None,
        };
        if let Some(link) = link {
            open(&mut all, link);
        } else {
            push(&mut all, word);
        }
        // `console.log` goes on, `this.` ends.
        if raw.ends_with([',', ';', ':', '.', '!', ')', '…', '—']) {
            open(&mut all, Link::Mark);
        }
    }
    all.retain(|clause| !clause.words.is_empty());
    all
}

fn open(all: &mut Vec<Clause<'_>>, link: Link) {
    match all.last_mut() {
        // `, and`: the word says more than the mark.
        Some(last) if last.words.is_empty() => {
            if last.link != Link::First {
                last.link = link;
            }
        }
        _ => all.push(Clause { link, words: Vec::new() }),
    }
}

fn push<'t>(all: &mut [Clause<'t>], word: &'t str) {
    let Some(clause) = all.last_mut() else { return };
    let word = BARE.iter().find(|(bare, _)| *bare == word).map_or(word, |(_, whole)| whole);
    if EMPHASIS.contains(&word) {
        return;
    }
    let joined = clause.words.last().and_then(|last| {
        JOINED.iter().find(|(one, two, _)| one == last && *two == word).map(|(_, _, one)| *one)
    });
    if let Some(joined) = joined {
        clause.words.pop();
        clause.words.push(joined);
    } else {
        clause.words.push(word);
    }
}

impl<'t> Clause<'t> {
    /// The words behind what only leads to an order, and who is spoken to.
    pub(super) fn core(&self) -> (&[&'t str], Lead) {
        let fillers = self.words.iter().take_while(|word| FILLERS.contains(word)).count();
        // `no mocks`, `note that`: the last filler may be the point.
        let words = &self.words[fillers.min(self.words.len())..];
        let words = match self.words.get(fillers.wrapping_sub(1)) {
            Some(&"no") if fillers == 1 && !words.is_empty() => &self.words[..],
            _ => words,
        };
        for (lead, kind) in LEADS {
            if let Some(rest) = words.strip_prefix(*lead) {
                return (rest, *kind);
            }
        }
        if let [who, how, rest @ ..] = words
            && BOUND.contains(who)
        {
            match (*how, rest) {
                ("must" | "should" | "shall" | "may", _) => return (rest, Lead::Bound),
                ("have" | "need" | "ought" | "are", ["to", rest @ ..]) => {
                    return (rest, Lead::Bound);
                }
                _ => {}
            }
        }
        (words, Lead::Bare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_have_their_words_and_their_link() {
        let all = clauses("fix it, but please do not add mocks (console.log is ok) and dont push.");
        let shown: Vec<_> =
            all.iter().map(|clause| (clause.link, clause.words.join(" "))).collect();
        let wanted = [
            (Link::First, "fix it"),
            (Link::But, "don't add mocks"),
            (Link::Mark, "console.log is ok"),
            (Link::And, "don't push"),
        ];
        let wanted: Vec<_> = wanted.map(|(link, words)| (link, words.to_owned())).into();
        assert_eq!(shown, wanted);
    }

    #[test]
    fn the_core_of_a_clause_is_what_is_ordered() {
        let core = |text: &str| {
            let all = clauses(text);
            let (words, lead) = all[0].core();
            (words.join(" "), lead)
        };
        assert_eq!(core("ok i want you to ask first"), ("ask first".to_owned(), Lead::Wanted));
        assert_eq!(core("we have to ask first"), ("ask first".to_owned(), Lead::Bound));
        assert_eq!(core("no mocks"), ("no mocks".to_owned(), Lead::Bare));
        assert_eq!(core("also never push"), ("never push".to_owned(), Lead::Bare));
    }
}
