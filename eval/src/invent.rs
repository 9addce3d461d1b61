//! Names that nobody has: modules, services, identifiers, made from syllables and plain words.

use crate::rng::Rng;

const ONSETS: &str = "b br c ch d dr f fl g gr h j k kl l m n p pr qu r s sk sl st t tr v w y z";
const VOWELS: &str = "a e i o u ai au ea ia io o u a e i";
const CODAS: &str = "- - - - l n r s m nd rn st th x ck lt";
const VERBS: &str = "load store fetch parse merge apply build check close open push pull read write \
    send take drop find sort join split flush seed trim wrap scan emit plan mark hold lift";
const ROLES: &str = "index buffer cursor guard lease window queue batch frame header token handle \
    client server worker reader writer filter policy budget ticket bucket ledger mirror record \
    schema digest anchor marker router";
/// Words that stand in an identifier only where it was put on purpose.
const RARE: &str = "quorum lazy stale nested frozen orphan shadow sticky partial deferred dangling \
    pinned sparse coarse hollow brittle narrow upstream virtual rolling nominal latent prior mutual";
const SUFFIXES: &str = "api web core service app infra engine tools hub kit";

fn one(rng: &mut Rng, list: &'static str) -> &'static str {
    let count = list.split_whitespace().count();
    list.split_whitespace().nth(rng.below(count)).unwrap_or_default()
}

/// Lists that are drawn from often, split once.
#[derive(Debug)]
pub(crate) struct Lists {
    verbs: Vec<&'static str>,
    roles: Vec<&'static str>,
}

impl Lists {
    pub(crate) fn new() -> Self {
        let split = |list: &'static str| list.split_whitespace().collect();
        Self { verbs: split(VERBS), roles: split(ROLES) }
    }

    pub(crate) fn verb(&self, rng: &mut Rng) -> &'static str {
        rng.pick(&self.verbs)
    }

    pub(crate) fn role(&self, rng: &mut Rng) -> &'static str {
        rng.pick(&self.roles)
    }
}

/// A word that could be a name: `velmora`.
pub(crate) fn word(rng: &mut Rng) -> String {
    let mut word = String::new();
    let syllables = rng.between(2, 3);
    for at in 0..syllables {
        word.push_str(one(rng, ONSETS));
        word.push_str(one(rng, VOWELS));
        if at + 1 == syllables || rng.percent(30) {
            word.push_str(one(rng, CODAS).trim_start_matches('-'));
        }
    }
    if word.len() < 5 {
        word.push_str("ra");
    }
    word
}

/// A project's label: `velmora-api`.
pub(crate) fn label(rng: &mut Rng) -> String {
    format!("{}-{}", word(rng), one(rng, SUFFIXES))
}

/// Three plain words of which the middle one is rare: `refresh stale window`.
pub(crate) fn rare_words(rng: &mut Rng) -> [&'static str; 3] {
    [one(rng, VERBS), one(rng, RARE), one(rng, ROLES)]
}

/// A module or service: `Velmora`, `velmora-sync`, `VelmoraSync`.
pub(crate) fn component(rng: &mut Rng) -> String {
    let base = word(rng);
    match rng.below(5) {
        0 => format!("{base}-{}", one(rng, ROLES)),
        1 => format!("{}{}", capital(&base), capital(one(rng, ROLES))),
        _ => capital(&base),
    }
}

pub(crate) fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The plural of a noun, as far as the word lists need one.
pub(crate) fn plural(noun: &str) -> String {
    let vowel_before_y = noun.len() > 1 && "aeiou".contains(&noun[noun.len() - 2..noun.len() - 1]);
    if noun.ends_with('y') && !vowel_before_y {
        format!("{}ies", &noun[..noun.len() - 1])
    } else if noun.ends_with(['s', 'x']) || noun.ends_with("ch") || noun.ends_with("sh") {
        format!("{noun}es")
    } else {
        format!("{noun}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_of_the_lists_are_english() {
        let made = ["ledger entry", "delay", "mix", "batch", "chart"].map(plural);
        assert_eq!(made, ["ledger entries", "delays", "mixes", "batches", "charts"]);
    }

    #[test]
    fn invented_words_are_many() {
        let mut rng = Rng::of(1, &[]);
        let words: std::collections::BTreeSet<String> =
            (0..10_000).map(|_| word(&mut rng)).collect();
        assert!(words.len() > 9_000, "{}", words.len());
    }
}
