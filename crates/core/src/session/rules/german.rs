//! Rules in German.

use super::super::phrases::Phrases;
use super::clause::Clause;
use super::manner::is_language;
use super::words::{has, says};

/// Phrases that say in German that something holds.
static LASTS: Phrases<28> = Phrases::new([
    "finger weg von",
    "so machen wir das",
    "so arbeiten wir",
    "unsere konvention",
    "bevor du etwas",
    "ohne rücksprache",
    "ohne rückfrage",
    "ohne zu fragen",
    "ohne mich zu fragen",
    "bleibt wie es ist",
    "bleibt, wie es ist",
    "bleiben wie sie sind",
    "bleiben, wie sie sind",
    "bleibt unverändert",
    "bleiben unverändert",
    "bleibt so, wie",
    "wird nicht angefasst",
    "werden nicht angefasst",
    "wird nicht angerührt",
    "werden nicht angerührt",
    "nicht anfassen",
    "nicht anrühren",
    "ist tabu",
    "sind tabu",
    "auf keinen fall",
    "unter keinen umständen",
    "ab jetzt immer",
    "ab sofort",
]);

/// Beginnings of what is told in German, and of questions.
const GERMAN_TELLS: &[&str] = &[
    "das", "dies", "dieser", "diese", "es", "ich", "sie", "er", "ihr", "man", "warum", "wieso",
    "weshalb", "wie", "ist", "kann", "leider", "habe", "hat", "hast", "der", "die", "da", "was",
    "wo", "wenn", "weil",
];

/// Whether a sentence in small letters is a rule in German.
pub(super) fn is_german_rule(
    lower: &str,
    all: &[Clause<'_>],
    words: &[&str],
    is_report: bool,
) -> bool {
    let Some(first) = words.first() else { return false };
    let tells = GERMAN_TELLS.contains(first);
    let is_phrase = LASTS.any_in(lower, |_, _| true);
    if is_phrase && !is_report {
        return true;
    }
    let asks_first = has(words, &["frag", "frage", "frag'", "fragt", "sag", "fragen"])
        && (has(words, &["bevor", "vorher", "zuerst", "erst"]))
        && !tells;
    // `niemals pushen`: an infinitive at the end orders.
    let clause_orders = |clause: &Clause<'_>| {
        let Some(last) = clause.words.last() else { return false };
        let begins = clause.words[0];
        let infinitive = last.chars().count() > 4
            && last.ends_with('n')
            && (last.ends_with("en") || last.ends_with("ern") || last.ends_with("eln"));
        let forbids = has(&clause.words, &["nie", "niemals", "nicht", "keine", "keinen", "kein"])
            && (infinitive || is_german_order(begins));
        let always =
            has(&clause.words, &["immer", "grundsätzlich", "stets", "ausschließlich", "nur"])
                && (infinitive || is_german_order(begins))
                && !clause.words.contains(&"noch");
        !GERMAN_TELLS.contains(&begins)
            && begins != "wir"
            && (forbids || always)
            && !has(
                &clause.words,
                &[
                    "konnte", "konnten", "kann", "können", "wurde", "wurden", "haben", "hatten",
                    "mehr", "noch",
                ],
            )
    };
    let orders = !tells && !is_report && all.iter().any(clause_orders);
    let forbidden = has(words, &["darf", "dürfen"])
        && has(words, &["nicht", "kein", "keine", "keinen", "nie", "niemals"])
        && !matches!(*first, "es" | "warum" | "wieso" | "ich")
        && !matches!(words, ["das" | "dies", "darf" | "dürfen", ..])
        && !has(words, &["doch", "wahr"]);
    let verboten =
        has(words, &["verboten", "unerwünscht", "no-go"]) && has(words, &["ist", "sind"]) && !tells
            || says(
                lower,
                &[
                    "ist nicht erlaubt",
                    "sind nicht erlaubt",
                    "ist nicht ok",
                    "sind nicht ok",
                    "nicht gewünscht",
                ],
            ) && !matches!(*first, "das" | "es");
    // `keine neuen Pakete`
    let ban = matches!(*first, "keine" | "kein" | "keinen" | "nichts")
        && words.len() <= 6
        && words.len() > 1
        && !has(
            words,
            &[
                "ahnung",
                "problem",
                "probleme",
                "lust",
                "zeit",
                "antwort",
                "änderung",
                "änderungen",
                "ergebnis",
                "ergebnisse",
                "idee",
                "ausgabe",
                "sorge",
                "angst",
                "grund",
                "eile",
                "wunder",
                "verbindung",
                "daten",
                "ist",
                "wird",
                "kommt",
                "passiert",
                "mehr",
                "unterschied",
                "frage",
                "fragen",
            ],
        );
    let habit = all.iter().enumerate().any(|(at, clause)| {
        let habit = matches!(&clause.words[..], ["wir", verb, ..] | ["hier", verb, "wir", ..] | [_, verb, "wir", ..]
            if matches!(*verb, "benutzen" | "nutzen" | "verwenden" | "nehmen" | "schreiben" | "committen" | "arbeiten" | "testen" | "deployen" | "halten" | "setzen" | "loggen" | "mergen" | "pushen" | "sind" | "haben"));
        let next = all.get(at + 1);
        let contrast = next.is_some_and(|next| matches!(next.words.first(), Some(&("kein" | "keine" | "keinen" | "nicht" | "nie" | "niemals"))));
        let is_state = has(&clause.words, &["sind", "haben"]);
        let marked = has(&clause.words, &["nur", "immer", "nie", "niemals", "kein", "keine", "keinen", "nicht", "überall", "statt", "grundsätzlich", "ausschließlich", "hier"])
            && !has(&clause.words, &["es", "das", "noch", "mehr", "sie", "ihn"]);
        habit && (contrast || marked && !is_state)
    });
    let every = matches!(*first, "jede" | "jeder" | "jedes" | "alle")
        && has(
            words,
            &[
                "braucht", "brauchen", "muss", "müssen", "gehört", "gehören", "gehen", "kommt",
                "kommen", "bekommt", "laufen",
            ],
        )
        && has(
            words,
            &[
                "test",
                "tests",
                "texte",
                "text",
                "commit",
                "commits",
                "endpunkt",
                "endpunkte",
                "migration",
                "migrationen",
                "funktion",
                "funktionen",
                "datei",
                "dateien",
                "änderung",
                "änderungen",
                "klasse",
                "klassen",
                "tabelle",
                "tabellen",
                "abfragen",
                "strings",
                "übersetzung",
                "secrets",
                "ticket",
                "pr",
                "branch",
                "route",
                "komponente",
                "komponenten",
            ],
        );
    let in_language = words.windows(2).any(|two| two[0] == "auf" && is_language(two[1]))
        && (has(
            words,
            &[
                "commits",
                "commit-nachrichten",
                "kommentare",
                "commit-messages",
                "variablen",
                "variablennamen",
                "texte",
                "doku",
                "antworte",
                "code",
            ],
        ))
        && !tells
        && !has(words, &["übersetze", "übersetz"]);
    let leaves = matches!(*first, "lass" | "lasst")
        && says(
            lower,
            &["in ruhe", "unverändert", "wie es ist", "wie sie ist", "wie sie sind", "so wie"],
        );
    asks_first
        || !is_report
            && (orders || forbidden || verboten || ban || habit || every || in_language || leaves)
}

/// Whether a word is an order to one person.
fn is_german_order(word: &str) -> bool {
    matches!(
        word,
        "ändere"
            | "benutze"
            | "benutz"
            | "committe"
            | "fass"
            | "fasse"
            | "lass"
            | "lösche"
            | "lösch"
            | "mach"
            | "mache"
            | "nimm"
            | "nutze"
            | "nutz"
            | "schreib"
            | "schreibe"
            | "verwende"
            | "pushe"
            | "push"
            | "installiere"
            | "füge"
            | "führe"
            | "logge"
            | "bau"
            | "baue"
            | "antworte"
            | "teste"
            | "rühr"
            | "rühre"
            | "merge"
            | "starte"
            | "frag"
            | "frage"
            | "halte"
            | "setz"
            | "setze"
            | "commite"
    )
}
