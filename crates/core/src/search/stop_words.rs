//! Words that say nothing about what a text is about.

/// Words that nearly every English passage has: they are not indexed.
const EVERYWHERE: [&str; 46] = [
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "for", "from", "had", "has",
    "have", "i", "if", "in", "into", "is", "it", "its", "of", "on", "or", "s", "so", "such", "t",
    "than", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "we",
    "were", "which", "will", "with", "you",
];

/// Words that make a question of it; what is asked for stands in the others.
const ASKING: [&str; 143] = [
    "about",
    "again",
    "all",
    "am",
    "any",
    "anything",
    "being",
    "can",
    "could",
    "currently",
    "did",
    "do",
    "does",
    "doing",
    "else",
    "ever",
    "exactly",
    "fix",
    "fixed",
    "fixes",
    "get",
    "gets",
    "getting",
    "got",
    "happen",
    "happened",
    "happens",
    "he",
    "her",
    "here",
    "him",
    "his",
    "how",
    "just",
    "made",
    "make",
    "makes",
    "may",
    "me",
    "might",
    "must",
    "my",
    "now",
    "nowadays",
    "our",
    "ours",
    "out",
    "please",
    "reason",
    "shall",
    "she",
    "should",
    "solve",
    "solved",
    "solves",
    "some",
    "something",
    "still",
    "tell",
    "them",
    "thing",
    "things",
    "those",
    "too",
    "up",
    "us",
    "use",
    "used",
    "uses",
    "using",
    "very",
    "way",
    "ways",
    "what",
    "whats",
    "when",
    "where",
    "who",
    "whom",
    "whose",
    "why",
    "would",
    "your",
    // German, French, Spanish and Portuguese.
    "aber",
    "auf",
    "bei",
    "das",
    "dem",
    "den",
    "der",
    "ein",
    "eine",
    "einen",
    "fur",
    "haben",
    "ist",
    "mit",
    "nicht",
    "und",
    "von",
    "wann",
    "warum",
    "welche",
    "welchen",
    "welcher",
    "welches",
    "werden",
    "wie",
    "wir",
    "wird",
    "wo",
    "wurde",
    "avec",
    "avons",
    "comment",
    "dans",
    "est",
    "et",
    "la",
    "le",
    "les",
    "nous",
    "pour",
    "pourquoi",
    "quel",
    "quelle",
    "une",
    "como",
    "cual",
    "del",
    "el",
    "en",
    "hemos",
    "los",
    "para",
    "por",
    "porque",
    "que",
    "foi",
    "nao",
    "nos",
    "qual",
    "uma",
];

/// Words that ask for a decision.
const DECIDING: [&str; 14] = [
    "agree",
    "agreed",
    "choice",
    "choose",
    "chose",
    "chosen",
    "decide",
    "decided",
    "decision",
    "decisions",
    "pick",
    "picked",
    "settle",
    "settled",
];

/// Whether a folded word asks for a decision.
pub(super) fn asks_for_decision(word: &str) -> bool {
    DECIDING.contains(&word)
}

/// Whether a folded word is not worth a place in the index.
pub(super) fn is_everywhere(word: &str) -> bool {
    word.len() <= 5 && EVERYWHERE.binary_search(&word).is_ok()
}

/// Whether a folded word only asks.
pub(super) fn only_asks(word: &str) -> bool {
    is_everywhere(word) || ASKING.contains(&word) || asks_for_decision(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_that_is_searched_by_halves_is_in_order() {
        assert!(EVERYWHERE.is_sorted());
        assert!(EVERYWHERE.iter().all(|word| word.len() <= 5));
        assert!(only_asks("the") && only_asks("why") && !only_asks("go") && !only_asks("cache"));
    }
}
