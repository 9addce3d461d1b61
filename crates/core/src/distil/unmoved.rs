//! Sentences that say of a part of the work that it is still as it was: `the other half still uses the old API`.

use super::closing::{Sentence, is_one_of};

/// How the other part is called by itself, and words before what is counted or named.
const PART: &str = "rest|others|half|remainder";
const OTHER: &str = "other|remaining";
/// Verbs with which it is said that something goes well.
const GOES_WELL: &str = "work|works|pass|passes|hold|holds|run|runs|load|loads|apply|applies|behave|behaves|build|\
    builds|compile|compiles|exist|exists|stand|stands|look|looks|fits|fit|valid|fine|green|correct|there|true";
/// Verbs with which something is made use of.
const USE: &str = "use|uses|using|call|calls|calling|rely|relies|depend|depends|import|imports|go|goes|talk|talks|\
    point|points|read|reads|inherit|inherits";
const OLD: &str =
    "old|older|legacy|previous|former|deprecated|original|outdated|obsolete|hard-coded|hardcoded";

/// What one language says of it.
struct Language {
    part: &'static str,
    persists: &'static str,
    /// What something was before, or verbs with which something is made use of.
    as_before: &'static str,
}

const GERMAN: Language = Language {
    part: "rest|hälfte|restlichen|übrigen|anderen|andere|verbleibenden",
    persists: "noch|weiterhin|immer noch",
    as_before: "alt|alte|alten|alter|altes|bisherige|bisherigen|veraltete|veralteten|nutzt|nutzen|verwendet|\
        verwenden|benutzt|benutzen",
};
const FRENCH: Language = Language {
    part: "le reste|moitié|les autres|l'autre|autres",
    persists: "encore|toujours",
    as_before: "ancien|ancienne|anciens|anciennes|l'ancien|l'ancienne|vieux|vieille|utilise|utilisent|appelle|appellent",
};
const SPANISH: Language = Language {
    part: "el resto|mitad|los demás|las demás|otros|otras|otra",
    persists: "todavía|aún|sigue|siguen|continúa|continúan",
    as_before: "antiguo|antigua|antiguos|antiguas|viejo|vieja|viejos|viejas|usa|usan|usando|utiliza|utilizan|\
        utilizando|llama|llaman|llamando",
};
const PART_IN_CHINESE: &[&str] =
    &["其余", "剩余", "其他", "其它", "另一半", "另外", "一半", "部分"];
const PERSISTS_IN_CHINESE: &[&str] = &["仍", "还在", "依然", "依旧", "还是"];
const AS_BEFORE_IN_CHINESE: &[&str] = &["旧", "老的", "老版", "使用", "调用", "在用", "用的"];

/// Whether a sentence says so, in any of the languages.
pub(super) fn is_unmoved(sentence: &Sentence) -> bool {
    is_unmoved_in_english(sentence)
        || [GERMAN, FRENCH, SPANISH].iter().any(|language| language.says(sentence))
        || is_unmoved_in_chinese(&sentence.lower)
}

fn is_unmoved_in_english(sentence: &Sentence) -> bool {
    (0..sentence.words.len()).any(|at| {
        let behind = |offset: usize| sentence.word(at + offset);
        let verb = match sentence.word(at) {
            "still" => 1,
            "continue" | "continues" if behind(1) == "to" => 2,
            "keep" | "keeps" if behind(1).ends_with("ing") => 1,
            "remain" | "remains" | "stays" | "stay" if behind(1) == "on" => 1,
            _ => return false,
        };
        let before = &sentence.words[part_begin(sentence, at)..at];
        let has = |list: &str| before.iter().any(|word| is_one_of(list, word));
        let is_old = sentence.words[at..].iter().any(|word| is_one_of(OLD, word));
        let is_part = before.first().is_some_and(|word| word == "the") && has(PART);
        let goes_well = is_one_of(GOES_WELL, behind(verb)) && !is_old;
        let is_other = is_old && (has(OTHER) || has(PART));
        let uses = is_old && !before.is_empty() && is_one_of(USE, behind(verb));
        // `…, while the other three still do`: that says it, too.
        let from = part_begin(sentence, at);
        let contrasts = from > 1 && sentence.word(from - 1) == "while";
        !goes_well && (is_part || is_other || uses) && (contrasts || !sentence.is_subordinate(at))
    })
}

/// Where the part of a sentence begins in which a word stands.
fn part_begin(sentence: &Sentence, at: usize) -> usize {
    let joins = |at: usize| matches!(sentence.word(at), "but" | "and" | "while" | "so" | "then");
    let mut from = at;
    while from > 0 && !sentence.begins_at(from) {
        from -= 1;
    }
    if joins(from) { (from + 1).min(at) } else { from }
}

impl Language {
    fn says(&self, sentence: &Sentence) -> bool {
        let first = |list: &str| list.split('|').filter_map(|words| sentence.find(words)).min();
        let Some(part) = first(self.part) else { return false };
        self.persists.split('|').flat_map(|words| sentence.places(words)).any(|at| at > part)
            && self
                .as_before
                .split('|')
                .flat_map(|words| sentence.places(words))
                .any(|at| at > part)
    }
}

fn is_unmoved_in_chinese(lower: &str) -> bool {
    let has = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
    let part = PART_IN_CHINESE.iter().filter_map(|word| lower.find(word)).min();
    part.is_some_and(|part| {
        let rest = &lower[part..];
        has(rest, PERSISTS_IN_CHINESE) && has(rest, AS_BEFORE_IN_CHINESE)
    })
}
