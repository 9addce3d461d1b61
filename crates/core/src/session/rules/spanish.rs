//! Rules in Spanish.

use super::super::phrases::Phrases;
use super::clause::Clause;
use super::manner::is_language;
use super::words::{has, says};

/// Phrases that say in Spanish that something holds.
static LASTS: Phrases<11> = Phrases::new([
    "sin preguntar",
    "no se toca",
    "no se tocan",
    "está prohibido",
    "están prohibidos",
    "no se permite",
    "no se permiten",
    "nada de ",
    "en paz",
    "déjalo como está",
    "tal como está",
]);

/// Whether a sentence in small letters is a rule in Spanish.
pub(super) fn is_spanish_rule(
    lower: &str,
    all: &[Clause<'_>],
    words: &[&str],
    is_report: bool,
) -> bool {
    let Some(first) = words.first() else { return false };
    if is_report
        || matches!(
            *first,
            "por" | "qué" | "cómo" | "esto" | "eso" | "yo" | "creo" | "siempre" | "nunca"
        ) && words.get(1).is_some_and(|word| is_spanish_report(word))
    {
        return false;
    }
    let phrase = LASTS.any_in(lower, |_, _| true) && !matches!(*first, "esto" | "eso" | "creo");
    let asks = has(
        words,
        &["pregúntame", "preguntame", "pregunta", "avísame", "avisame", "consúltame", "consulta"],
    ) && has(words, &["antes", "primero"]);
    let order = all.iter().any(|clause| {
        let clause: Vec<&str> = clause
            .words
            .iter()
            .copied()
            .skip_while(|word| matches!(*word, "por" | "favor" | "y"))
            .collect();
        let is_command = |word: &str| {
            word.chars().count() > 3
                && (word.ends_with("es") || word.ends_with("as"))
                && !matches!(
                    word,
                    "eres"
                        | "tienes"
                        | "puedes"
                        | "sabes"
                        | "quieres"
                        | "haces"
                        | "estas"
                        | "estás"
                        | "tantas"
                        | "unas"
                        | "otras"
                        | "apenas"
                        | "antes"
                        | "entonces"
                        | "gracias"
                        | "más"
                )
        };
        match clause[..] {
            ["no" | "nunca" | "jamás", verb, ..] => {
                is_command(verb)
                    || matches!(verb, "debes" | "hay") && clause.contains(&"que") && verb != "hay"
            }
            ["siempre", verb, ..] => matches!(
                verb,
                "usa"
                    | "ejecuta"
                    | "pregunta"
                    | "escribe"
                    | "prueba"
                    | "corre"
                    | "haz"
                    | "usar"
                    | "ejecutar"
                    | "escribir"
                    | "probar"
            ),
            ["usa" | "utiliza", .., "solo"] | ["usa" | "utiliza", "solo" | "sólo", ..] => true,
            _ => false,
        }
    });
    let habit = all.iter().enumerate().any(|(at, clause)| {
        let verb = |word: &str| {
            matches!(
                word,
                "usamos"
                    | "utilizamos"
                    | "trabajamos"
                    | "escribimos"
                    | "seguimos"
                    | "hacemos"
                    | "mantenemos"
                    | "probamos"
                    | "tocamos"
                    | "desplegamos"
            )
        };
        let uses = clause.words.iter().take(3).any(|word| verb(word));
        let next = all
            .get(at + 1)
            .is_some_and(|next| matches!(next.words.first(), Some(&("no" | "nunca" | "nada"))));
        uses && (next
            || has(
                &clause.words,
                &[
                    "no", "nunca", "solo", "sólo", "siempre", "aquí", "todo", "todos", "todas",
                    "cada",
                ],
            ))
    });
    let every = matches!(*first, "cada" | "todos" | "todas")
        && has(
            words,
            &[
                "necesita",
                "necesitan",
                "debe",
                "deben",
                "van",
                "va",
                "pasan",
                "pasa",
                "lleva",
                "llevan",
                "tienen",
                "tiene",
            ],
        )
        && (!has(words, &["tiene", "tienen"]) || has(words, &["que"]))
        && !has(words, &["funcionar"]);
    let in_language = words.windows(2).any(|two| two[0] == "en" && is_language(two[1]))
        && has(
            words,
            &[
                "commit",
                "commits",
                "comentarios",
                "responde",
                "respóndeme",
                "nombres",
                "mensajes",
                "código",
            ],
        );
    let leaves = matches!(*first, "deja" | "dejad" | "dejen")
        && says(lower, &["como está", "en paz", "como estan", "como están", "tranquil"]);
    phrase || asks || order || habit || every || in_language || leaves
}

/// Whether a Spanish word tells what happens: `siempre falla`.
fn is_spanish_report(word: &str) -> bool {
    !matches!(word, "usa" | "ejecuta" | "pregunta" | "escribe" | "prueba" | "corre" | "haz")
        && !word.ends_with("es")
        && !word.ends_with("as")
        && !word.ends_with('r')
}
