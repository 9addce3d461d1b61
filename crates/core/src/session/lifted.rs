//! What the user said to hold, taken back: told beside it, so that whoever reads one reads the other.

use crate::StandingRule;

/// Words by which somebody allows what was forbidden.
const ALLOWS: &[&str] = &[
    "you may",
    "you can now",
    "you are allowed",
    "you're allowed",
    "feel free to",
    "ok to ",
    "okay to ",
    "fine to ",
    "fine now",
    "is ok now",
    "no longer need",
    "no longer have",
    "no longer appl",
    "changed my mind",
    "forget what i said",
    "ignore what i said",
    "take that back",
    "don't have to",
    "do not have to",
    "any more",
    "anymore",
];

/// Whether a sentence may take back one of these.
pub(super) fn may_lift(sentence: &str, constraints: &[StandingRule]) -> bool {
    if constraints.is_empty() {
        return false;
    }
    let sentence = sentence.to_lowercase();
    ALLOWS.iter().any(|words| sentence.contains(words))
        && constraints.iter().any(|said| is_of_the_same(&sentence, &said.text.to_lowercase()))
}

/// Whether two sentences name the same thing: a file or a name, or two words of some length.
fn is_of_the_same(one: &str, other: &str) -> bool {
    let theirs: Vec<&str> = words(other).collect();
    let shared: Vec<&str> = words(one).filter(|word| theirs.contains(word)).collect();
    shared.iter().any(|word| is_name(word)) || shared.len() > 1
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let inside = |c: char| c.is_alphanumeric() || "._-/".contains(c);
    text.split(move |c| !inside(c))
        .map(|word| word.trim_matches(|c: char| "._-/".contains(c)))
        .filter(|word| word.chars().count() > 3)
}

fn is_name(word: &str) -> bool {
    word.contains(['.', '_', '/']) || word.chars().any(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_back_is_about_the_same() {
        let said = |text: &str| vec![StandingRule { text: text.to_owned(), record: 1 }];
        let config = said("Never touch config.yml.");
        assert!(may_lift("I changed my mind: you may touch config.yml now.", &config));
        assert!(may_lift("It is fine to edit config.yml.", &config));
        assert!(!may_lift("You may start with the parser.", &config));
        assert!(!may_lift("Look at config.yml again.", &config));
        let columns = said("Never rename the database columns.");
        assert!(may_lift("Feel free to rename those columns.", &columns));
        assert!(!may_lift("You may touch it.", &[]));
    }
}
