//! Rules in French.

use super::super::phrases::Phrases;
use super::clause::Clause;
use super::manner::is_language;
use super::words::{has, says};

/// Phrases that say in French that something holds.
static LASTS: Phrases<14> = Phrases::new([
    "on ne y touche pas",
    "ne y touche",
    "on ne touche pas",
    "ne pas toucher",
    "sans me demander",
    "sans demander",
    "tel quel",
    "telle quelle",
    "il ne faut pas",
    "il ne faut jamais",
    "il faut toujours",
    "est interdit",
    "sont interdits",
    "est tabou",
]);

/// Whether a sentence in small letters is a rule in French.
pub(super) fn is_french_rule(
    lower: &str,
    all: &[Clause<'_>],
    words: &[&str],
    is_report: bool,
) -> bool {
    let lower = lower.replace("n'", "ne ");
    let Some(first) = words.first() else { return false };
    if is_report
        || matches!(
            *first,
            "ça" | "ca"
                | "il"
                | "elle"
                | "je"
                | "j'ai"
                | "pourquoi"
                | "comment"
                | "c'est"
                | "est-ce"
        ) && !lower.starts_with("il faut toujours")
            && !lower.starts_with("il ne faut")
    {
        return false;
    }
    let phrase = LASTS.any_in(&lower, |_, _| true);
    let asks = (has(
        words,
        &[
            "demande",
            "demande-moi",
            "demandez-moi",
            "préviens-moi",
            "prévenez-moi",
            "consulte-moi",
            "demandez",
        ],
    )) && has(words, &["avant", "d'abord"]);
    let order = all.iter().any(|clause| {
        let text = &clause.words;
        let negated = text.first().is_some_and(|word| *word == "ne" || word.starts_with("n'")) && has(text, &["pas", "jamais", "rien", "plus", "aucun", "aucune", "que"]);
        let never = matches!(text.first(), Some(&"jamais")) && text.len() > 1 || matches!(text.first(), Some(&"toujours")) && text.get(1).is_some_and(|word| word.ends_with("er") || word.ends_with("re") || word.ends_with("ir"));
        let ban = matches!(&text[..], ["pas", "de" | "d'", what, ..] if !matches!(*what, "problème" | "souci" | "réponse" | "résultat" | "quoi")) && text.len() <= 7
            || text.first() == Some(&"pas") && text.get(1).is_some_and(|word| word.starts_with("d'")) && text.len() <= 6;
        negated || never || ban
    });
    let habit = all.iter().enumerate().any(|(at, clause)| {
        let text = &clause.words;
        let verb = matches!(&text[..], ["on" | "nous", verb, ..] | ["ici", "on", verb, ..]
            if matches!(*verb, "utilise" | "utilisons" | "écrit" | "écrivons" | "travaille" | "travaillons" | "garde" | "suit" | "teste" | "déploie" | "prend" | "emploie"));
        let next = all.get(at + 1).is_some_and(|next| matches!(next.words.first(), Some(&("pas" | "jamais" | "et" | "non"))));
        let negated = matches!(&text[..], ["on" | "nous", "ne", ..]) && has(text, &["jamais", "utilise", "touche", "committe"]) || text.first() == Some(&"on") && text.get(1).is_some_and(|word| word.starts_with("n'u"));
        verb && (next || has(text, &["toujours", "uniquement", "seulement", "partout", "jamais", "que", "pas", "ici", "chaque", "tous", "toutes"])) || negated
    });
    let every = matches!(*first, "chaque" | "tous" | "toutes")
        && has(words, &["doit", "doivent", "passe", "passent", "besoin", "va", "vont"])
        && !has(words, &["marcher", "fonctionner"]);
    let in_language = words.windows(2).any(|two| two[0] == "en" && is_language(two[1]))
        && has(
            words,
            &[
                "commit",
                "commits",
                "commentaires",
                "réponds",
                "répondez",
                "noms",
                "messages",
                "code",
                "doc",
            ],
        );
    let leaves = matches!(*first, "laisse" | "laissez")
        && says(&lower, &["tranquille", "tel quel", "telle quelle", "comme c'est", "comme il est"]);
    phrase || asks || order || habit || every || in_language || leaves
}
