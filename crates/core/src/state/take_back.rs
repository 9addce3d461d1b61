//! Rules that the user takes back: by the form of a sentence, and by what it is about.

use std::collections::BTreeSet;

use crate::search::{TermKind, TermReader};
use crate::session::split_sentences;

/// How a sentence takes a rule back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// It allows what a rule forbids: "you may touch it after all".
    Allows,
    /// It says that a rule does not hold any more: "forget what I said about it".
    Ends,
    /// It sets something else in the place of a rule: "from now on X instead of Y".
    Replaces,
}

/// Phrases that allow something. What they allow stands behind them.
const ALLOWS: &[&str] = &[
    "you may ",
    "you can ",
    "you could ",
    "you're allowed to ",
    "you are allowed to ",
    "you're free to ",
    "feel free to ",
    "it's ok to ",
    "it's okay to ",
    "it is ok to ",
    "it's fine to ",
    "it is fine to ",
    "du darfst ",
    "du kannst ",
    "ihr dürft ",
    "sie dürfen ",
    "tu peux ",
    "vous pouvez ",
    "tu as le droit de ",
    "puedes ",
    "podéis ",
    "puede ",
    "你可以",
    "可以",
];
/// Words by which a permission is a change of mind.
const AFTER_ALL: &[&str] = &[
    "after all",
    " now",
    "again",
    "anyway",
    " doch",
    "wieder",
    "jetzt",
    "finalement",
    "maintenant",
    "quand même",
    "después de todo",
    "ahora",
    "al final",
    "了",
    "现在",
];
/// Phrases that end a rule. What it is about stands behind them, or before those of the second list.
const ENDS: &[&str] = &[
    "forget what i said about ",
    "forget what i told you about ",
    "ignore what i said about ",
    "never mind what i said about ",
    "i take back what i said about ",
    "forget the rule ",
    "forget that rule",
    "forget about the rule ",
    "drop that rule",
    "drop the rule ",
    "drop this rule",
    "scrap that rule",
    "scrap the rule ",
    "remove the rule ",
    "lift the rule ",
    "ignore the rule ",
    "vergiss, was ich zu ",
    "vergiss was ich zu ",
    "vergiss, was ich über ",
    "vergiss was ich über ",
    "streich die regel ",
    "du musst nicht mehr ",
    "du brauchst nicht mehr ",
    "oublie ce que j'ai dit sur ",
    "oublie ce que j'ai dit à propos de ",
    "laisse tomber la règle ",
    "plus besoin de ",
    "olvida lo que dije sobre ",
    "olvida lo que dije de ",
    "olvida la regla ",
    "ya no hace falta ",
    "ya no es necesario ",
    "忘了我说的",
    "不用再",
    "不需要再",
    "不必再",
];
/// Those that only end a rule together with words such as "any more".
const NEED: &[&str] = &[
    "you don't have to ",
    "you do not have to ",
    "you don't need to ",
    "you need not ",
    "no need to ",
    "we don't need to ",
    "we don't have to ",
];
const ANY_MORE: &[&str] =
    &["any more", "anymore", "any longer", "from now on", "now on", "after all"];
/// Behind what a rule is about.
const NO_LONGER: &[&str] = &[
    "no longer applies",
    "doesn't apply any more",
    "doesn't apply anymore",
    "does not apply any more",
    "does not apply anymore",
    "no longer holds",
    "is no longer needed",
    "is no longer necessary",
    "is no longer required",
    "isn't needed any more",
    "gilt nicht mehr",
    "ist nicht mehr nötig",
    "ne s'applique plus",
    "n'est plus nécessaire",
    "ya no se aplica",
    "ya no es necesaria",
    "作废",
    "不再需要",
];
/// What stands before the thing that something else takes the place of.
const INSTEAD_OF: &[&str] = &[
    "instead of ",
    "rather than ",
    "anstatt ",
    "statt ",
    "au lieu de ",
    "au lieu d'",
    "en vez de ",
    "en lugar de ",
    "而不是",
];
/// How a lasting change begins.
const FROM_NOW_ON: &[&str] = &[
    "from now on",
    "from here on",
    "ab jetzt",
    "ab sofort",
    "von jetzt an",
    "à partir de maintenant",
    "désormais",
    "a partir de ahora",
    "desde ahora",
    "从现在起",
    "以后",
];
const INSTEAD: &[&str] =
    &["instead", "stattdessen", "à la place", "en su lugar", "改用", "改成", "换成"];

/// Words before such a phrase by which it is not said.
const DENIES: &[&str] = &[
    "never", "not ", "n't ", "nobody", "no one", "if ", "unless", "whether", "nie ", "nicht",
    "niemand", "wenn ", "falls ", "jamais", "personne", "si ", "nunca", "nadie", "没", "不是",
    "如果",
];

/// Words by which a rule forbids something.
const FORBIDS: &[&str] = &[
    "never",
    "don't",
    "do not",
    "dont",
    "must not",
    "mustn't",
    "may not",
    "not allowed",
    "no ",
    "without",
    "leave",
    "stay out",
    "keep your hands off",
    "avoid",
    "only",
    "nie",
    "niemals",
    "nicht",
    "kein",
    "ne ",
    "jamais",
    "nunca",
    "no toques",
    "sin ",
    "不要",
    "别",
    "不许",
    "不能",
    "禁止",
];

/// Words that say nothing of what a rule is about.
const EMPTY: &[&str] = &[
    "a",
    "about",
    "after",
    "again",
    "all",
    "allow",
    "alway",
    "always",
    "an",
    "and",
    "ani",
    "any",
    "anymor",
    "anymore",
    "anyway",
    "are",
    "at",
    "be",
    "befor",
    "before",
    "can",
    "could",
    "do",
    "doe",
    "don",
    "don't",
    "drop",
    "ever",
    "everi",
    "every",
    "for",
    "forget",
    "free",
    "from",
    "had",
    "have",
    "here",
    "i",
    "ignor",
    "in",
    "instead",
    "is",
    "it",
    "its",
    "keep",
    "leav",
    "longer",
    "make",
    "may",
    "more",
    "must",
    "need",
    "never",
    "no",
    "not",
    "now",
    "of",
    "ok",
    "okay",
    "on",
    "onli",
    "only",
    "or",
    "our",
    "pleas",
    "please",
    "rule",
    "said",
    "say",
    "should",
    "so",
    "sure",
    "t",
    "take",
    "that",
    "the",
    "them",
    "then",
    "there",
    "these",
    "this",
    "those",
    "to",
    "told",
    "us",
    "use",
    "we",
    "what",
    "will",
    "with",
    "you",
    "your",
    "to",
    "too",
    "du",
    "darfst",
    "kannst",
    "doch",
    "wieder",
    "jetzt",
    "die",
    "der",
    "das",
    "den",
    "regel",
    "nicht",
    "mehr",
    "und",
    "nie",
    "niemal",
    "kein",
    "keine",
    "immer",
    "ist",
    "zu",
    "ich",
    "gesagt",
    "hab",
    "habe",
    "vergiss",
    "musst",
    "tu",
    "au",
    "aux",
    "à",
    "final",
    "mainten",
    "quand",
    "même",
    "peux",
    "vous",
    "pouvez",
    "le",
    "la",
    "les",
    "de",
    "des",
    "du",
    "un",
    "une",
    "ne",
    "pas",
    "jamai",
    "plus",
    "finalement",
    "maintenant",
    "règle",
    "ce",
    "que",
    "j'ai",
    "dit",
    "sur",
    "oubli",
    "puedes",
    "puede",
    "el",
    "los",
    "las",
    "una",
    "nunca",
    "ahora",
    "regla",
    "lo",
    "dije",
    "sobr",
    "siempr",
    "y",
];

/// A sentence as it is judged.
fn judged(sentence: &str) -> String {
    sentence.to_lowercase().replace('’', "'")
}

/// Whether a sentence has the form of one that takes a rule back, whatever rule that is.
pub(crate) fn is_take_back(sentence: &str) -> bool {
    let lower = judged(sentence);
    match form_of(&lower) {
        Some((Form::Allows, _)) => AFTER_ALL.iter().any(|words| lower.contains(words)),
        Some((Form::Ends, _)) => true,
        Some((Form::Replaces, about)) => !about.is_empty(),
        None => false,
    }
}

/// Whether a sentence, or one of several, takes this rule back.
pub(crate) fn takes_back(text: &str, rule: &str, reader: &mut TermReader) -> bool {
    split_sentences(text).any(|sentence| sentence_takes_back(sentence, rule, reader))
}

fn sentence_takes_back(sentence: &str, rule: &str, reader: &mut TermReader) -> bool {
    let lower = judged(sentence);
    let rule = judged(rule);
    // A rule does not take itself back.
    if lower.trim_matches(|c: char| !c.is_alphanumeric())
        == rule.trim_matches(|c: char| !c.is_alphanumeric())
    {
        return false;
    }
    let Some((form, about)) = form_of(&lower) else { return false };
    let (about, wanted) = (terms(about, reader), terms(&rule, reader));
    let shared = about.intersection(&wanted).count();
    if shared == 0 {
        return false;
    }
    let beside = about.len() - shared;
    match form {
        // What is allowed must not be less than what was forbidden.
        Form::Allows => {
            FORBIDS.iter().any(|word| rule.contains(word))
                && beside <= 1
                && shared * 2 >= wanted.len()
        }
        Form::Ends => beside <= 2 && (shared >= 2 || shared * 2 >= wanted.len().min(about.len())),
        Form::Replaces => shared * 2 >= about.len(),
    }
}

/// The form of a sentence, and the part of it that says what it is about.
fn form_of(lower: &str) -> Option<(Form, &str)> {
    let text = lower.trim();
    if text.ends_with(['?', '？']) {
        return None;
    }
    if let Some(end) = NO_LONGER.iter().find_map(|words| text.find(words)) {
        return Some((Form::Ends, &text[..end]));
    }
    // What is denied, asked or only supposed is not said.
    let is_said = |at: usize| !DENIES.iter().any(|word| text[..at].contains(word));
    let behind = |phrases: &[&'static str]| {
        let found = phrases.iter().filter_map(|phrase| Some((text.find(phrase)?, *phrase)));
        found
            .filter(|(at, _)| is_said(*at))
            .min_by_key(|(at, phrase)| (*at, usize::MAX - phrase.len()))
    };
    let is_over = ANY_MORE.iter().any(|words| text.contains(words));
    let ends = behind(ENDS).or_else(|| behind(NEED).filter(|_| is_over));
    if let Some((at, phrase)) = ends {
        return Some((Form::Ends, clause(&text[at + phrase.len()..])));
    }
    if let Some((at, phrase)) = behind(INSTEAD_OF) {
        let lasting = FROM_NOW_ON.iter().chain(&["always"]).any(|words| text.contains(words));
        return lasting.then(|| (Form::Replaces, clause(&text[at + phrase.len()..])));
    }
    if let Some((at, phrase)) = behind(FROM_NOW_ON)
        && INSTEAD.iter().any(|words| text.contains(words))
    {
        return Some((Form::Replaces, clause(&text[at + phrase.len()..])));
    }
    let (at, phrase) = behind(ALLOWS)?;
    Some((Form::Allows, clause(&text[at + phrase.len()..])))
}

/// A text up to where a reason or another thought begins.
fn clause(text: &str) -> &str {
    let marks = [
        ", ",
        "; ",
        " because ",
        " since ",
        " but ",
        " if ",
        " - ",
        "，",
        " weil ",
        " wenn ",
        " car ",
        " porque ",
    ];
    let end = marks.iter().filter_map(|mark| text.find(mark)).filter(|at| *at > 0).min();
    &text[..end.unwrap_or(text.len())]
}

/// What a text is about.
fn terms(text: &str, reader: &mut TermReader) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    reader.read(text, &mut |term, _, kind| {
        if kind == TermKind::Word && !EMPTY.contains(&term) {
            found.insert(term.to_owned());
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(sentence: &str, rule: &str) -> bool {
        takes_back(sentence, rule, &mut TermReader::default())
    }

    #[test]
    fn a_rule_is_taken_back_by_what_it_is_about() {
        for (rule, sentence) in [
            ("Never touch README.md.", "You may touch README.md after all."),
            ("Never touch README.md.", "OK, you can touch the readme now."),
            ("Don't push to main", "it's fine to push to main now"),
            ("Never push.", "You can push again."),
            (
                "Always run the tests before you commit.",
                "Forget what I said about running tests before commits.",
            ),
            ("Only use tabs for indentation", "drop the rule about tabs"),
            (
                "Write every commit message in German",
                "The rule about German commit messages no longer applies.",
            ),
            ("Always add a changelog entry", "You don't have to add changelog entries any more."),
            ("Use npm for everything", "From now on use pnpm instead of npm."),
            ("Fass die README.md nie an", "Du darfst die README.md doch anfassen"),
            ("Ne touche jamais au README.md", "Tu peux toucher au README.md finalement"),
            ("Nunca toques schema.sql", "Ahora puedes tocar schema.sql"),
            ("不要修改 schema.sql", "现在可以修改 schema.sql 了"),
        ] {
            assert!(takes(sentence, rule), "{sentence} / {rule}");
            assert!(is_take_back(sentence), "{sentence}");
        }
    }

    #[test]
    fn what_is_about_something_else_takes_nothing_back() {
        for (rule, sentence) in [
            ("Never touch README.md.", "You may touch schema.sql after all."),
            ("Never touch README.md.", "Never touch README.md."),
            ("Never touch README.md.", "Can you touch README.md?"),
            ("Never touch README.md.", "I touched README.md after all."),
            ("Never touch README.md.", "I never said you may touch README.md after all."),
            ("Never touch README.md.", "I don't think you can touch README.md now."),
            ("Never touch README.md.", "Ask me whether you may touch README.md after all."),
            ("Never push.", "You can push the docs branch of the website now."),
            ("Always run the tests before you commit.", "You can run the tests now."),
            ("Always run the tests before you commit.", "Forget what I said about the colours."),
            ("Never use mocks", "You don't need to mock the clock here."),
            ("Use npm for everything", "Use the new parser instead of the old one."),
            ("Never deploy on Fridays", "You can deploy the staging server now."),
            ("Keep the parser small", "From now on keep the lexer fast instead."),
        ] {
            assert!(!takes(sentence, rule), "{sentence} / {rule}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_two_texts_are_compared(one: String, other: String) {
            let _ = takes(&one, &other);
        }
    }
}
