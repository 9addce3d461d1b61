//! What the user changed of an accepted plan, and whether it is still what the session is about.

use super::orders::has_words;
use super::request_kind::asks_only;
use super::status::{closing_of, is_go_ahead, is_worked_on};
use crate::claim::named_files;
use crate::session::{Plan, Prompt, Session, own_words, split_sentences};

/// Words of a request that is only a remark on the way.
const REMARK: usize = 40;
/// Letters of a word by which another form of it is known: `deletion`, `delete`.
const STEM: usize = 5;
/// Words with which something is forbidden or left out.
const LEAVES_OUT: &[&str] = &[
    "don't",
    "dont",
    "do not",
    "skip",
    "leave out",
    "without",
    "omit",
    "drop",
    "cancel",
    "ignore",
    "no need",
    "not needed",
    "not necessary",
    "isn't needed",
    "unnecessary",
    "not step",
    "no step",
    "forget about",
    "nicht",
    "ohne",
    "lass",
    "überspring",
    "überspringe",
    "streich",
    "ne",
    "sans",
    "saute",
    "sautez",
    "pas besoin",
    "no hagas",
    "sin",
    "salta",
    "sáltate",
    "omite",
];
const LEAVES_OUT_IN_CHINESE: &[&str] = &["不要", "不用", "别", "跳过", "先不", "去掉", "不需要"];
/// Words behind which nothing is forbidden: `don't forget step 3`.
const REMINDS: &[&str] = &[
    "forget", "stop", "miss", "hesitate", "worry", "didn't", "did not", "haven't", "why",
    "vergiss", "olvides",
];
/// Words with which something is to stay.
const KEEPS: &[&str] = &[
    "keep", "keeps", "stays", "stay", "leave", "behalte", "behalten", "bleibt", "garde", "gardez",
    "mantén", "conserva",
];
/// Beginnings of steps that take something away.
const TAKES_AWAY: &[&str] = &[
    "delete", "remove", "drop", "lösche", "entferne", "supprime", "elimina", "borra", "删除",
    "移除",
];
/// What a step of a plan is called.
const STEP_WORDS: &[&str] = &[
    "step", "steps", "phase", "part", "point", "number", "schritt", "schritte", "punkt", "étape",
    "étapes", "paso", "pasos", "skip", "omit", "drop",
];

/// The places of the steps that the user forbade or left out after the plan.
pub(super) fn dropped_steps(steps: &[&str], plan: &Plan, session: &Session) -> Vec<usize> {
    let mut dropped = Vec::new();
    for prompt in session.prompts.iter().filter(|prompt| prompt.record > plan.record) {
        let own = own_words(&prompt.text).text.to_lowercase().replace('’', "'");
        for sentence in own.lines().flat_map(split_sentences) {
            if sentence.trim_end().ends_with('?') {
                continue;
            }
            for part in parts(sentence) {
                let at = named_steps(part, steps);
                dropped.extend(at.into_iter().filter(|at| *at < steps.len()));
            }
        }
    }
    dropped
}

/// The parts of a sentence, each of which can forbid something of its own.
fn parts(sentence: &str) -> impl Iterator<Item = &str> {
    sentence.split([',', ';', '，', '；']).flat_map(|part| part.split(" but ")).map(str::trim)
}

/// The steps that a part of a sentence forbids or leaves out.
fn named_steps(part: &str, steps: &[&str]) -> Vec<usize> {
    let has = |words: &str| has_words(part, words);
    if REMINDS.iter().any(|words| has(words)) {
        return Vec::new();
    }
    let leaves_out = LEAVES_OUT.iter().any(|words| has(words))
        || LEAVES_OUT_IN_CHINESE.iter().any(|words| part.contains(words))
        || has_words(part, "leave") && (has_words(part, "out") || has_words(part, "off"));
    let keeps = KEEPS.iter().any(|words| has(words));
    if !leaves_out && !keeps {
        return Vec::new();
    }
    let numbers = if leaves_out { step_numbers(part) } else { Vec::new() };
    if !numbers.is_empty() {
        return numbers.into_iter().filter_map(|number| number.checked_sub(1)).collect();
    }
    let words = stems(part);
    let names = |at: &usize| {
        let step = steps[*at].to_lowercase();
        let takes_away = TAKES_AWAY
            .iter()
            .any(|verb| step.trim_start_matches(|c: char| !c.is_alphabetic()).starts_with(verb));
        let file = named_files(steps[*at]).iter().any(|file| {
            let path = file.path.to_lowercase();
            let name = path.rsplit('/').next().unwrap_or(&path);
            name.len() > 3 && part.contains(name)
        });
        let named = || words.iter().any(|stem| stems(&step).contains(stem));
        takes_away && (file || keeps && named()) || leaves_out && (file || named())
    };
    let found: Vec<usize> = (0..steps.len()).filter(names).collect();
    // Words that stand in several steps name none of them.
    if found.len() == 1 { found } else { Vec::new() }
}

/// The numbers behind a word for a step: `steps 2 and 3`, `第3步`.
fn step_numbers(part: &str) -> Vec<usize> {
    let words: Vec<&str> = part
        .split(|c: char| c.is_whitespace() || c == '\'')
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    let mut numbers = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if STEP_WORDS.contains(word) {
            let behind = words[at + 1..].iter().take_while(|word| {
                word.parse::<usize>().is_ok()
                    || matches!(
                        **word,
                        "and" | "or" | "und" | "oder" | "et" | "ou" | "y" | "o" | ""
                    )
            });
            numbers.extend(behind.filter_map(|word| word.parse::<usize>().ok()));
        }
    }
    for mark in ["第", "步骤"] {
        for (at, _) in part.match_indices(mark) {
            let digits: String = part[at + mark.len()..]
                .trim_start()
                .chars()
                .take_while(char::is_ascii_digit)
                .collect();
            numbers.extend(digits.parse::<usize>());
        }
    }
    numbers
}

/// The beginnings of the longer words of a text in small letters, without files.
fn stems(text: &str) -> Vec<String> {
    let words = text
        .split_whitespace()
        .filter(|word| !word.trim_end_matches(['.', ',', '`']).contains(['.', '/']));
    let words = words.flat_map(|word| word.split(|c: char| !c.is_alphanumeric()));
    let long = words.filter(|word| word.chars().count() >= STEM && !STEP_WORDS.contains(word));
    long.map(|word| word.chars().take(STEM).collect()).collect()
}

/// Whether a plan is still what the session is about: the user did not take it back, asked since for nothing
/// else but remarks on it, and the agent did not say of it that it is done.
pub(super) fn is_plan_current(plan: &Plan, session: &Session) -> bool {
    let prompts = &session.prompts;
    let began = prompts.iter().rposition(|prompt| prompt.record <= plan.record).unwrap_or(0);
    let is_dropped = |prompt: &Prompt| drops_plan(&own_words(&prompt.text).text.to_lowercase());
    let later = prompts.iter().enumerate().filter(|(_, prompt)| prompt.record > plan.record);
    for (at, prompt) in later {
        let own = own_words(&prompt.text).text;
        if is_dropped(prompt) {
            return false;
        }
        if is_go_ahead(&prompt.text) || !is_worked_on(prompt) || asks_only(&own) {
            continue;
        }
        let names_steps = !step_numbers(&own.to_lowercase()).is_empty();
        let is_short = own.split_whitespace().count() <= REMARK;
        let on_plan = prompt.edited.iter().all(|path| is_of_plan(path, plan, &prompts[began]));
        if !names_steps && (!(is_short && on_plan) || is_said_done(&prompts[began..at], plan)) {
            return false;
        }
    }
    true
}

/// Whether a file is named in the plan, or was edited when its work began.
fn is_of_plan(path: &str, plan: &Plan, began: &Prompt) -> bool {
    let named = named_files(&plan.text);
    let is_named =
        |name: &str| path == name || path.ends_with(&format!("/{}", name.trim_start_matches("./")));
    named.iter().any(|file| is_named(&file.path))
        || began.edited.iter().any(|edited| edited == path)
}

/// Whether an answer to the plan says nothing of single steps and leaves nothing open.
fn is_said_done(turns: &[Prompt], plan: &Plan) -> bool {
    let worked = turns.iter().rev().find(|prompt| is_worked_on(prompt));
    worked.is_some_and(|prompt| {
        let answer = prompt
            .answer
            .as_ref()
            .filter(|answer| answer.record > plan.record && prompt.is_handled());
        answer.is_some_and(|answer| {
            let closing = closing_of(prompt, &answer.text);
            closing.open.is_empty()
                && closing.asked.is_none()
                && step_numbers(&answer.text.to_lowercase()).is_empty()
        })
    })
}

/// Whether a request, in small letters, takes a plan back.
fn drops_plan(request: &str) -> bool {
    [
        "forget the plan",
        "forget about the plan",
        "drop the plan",
        "scrap the plan",
        "ditch the plan",
        "not the plan",
        "forget that plan",
        "never mind the plan",
        "vergiss den plan",
    ]
    .iter()
    .any(|words| request.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: &[&str] = &[
        "Move the parser to `src/parse.rs`",
        "Write tests for the printer",
        "Delete `src/old_table.rs`",
        "Publish the migration guide",
    ];

    fn dropped(request: &str) -> Vec<usize> {
        request.split(". ").flat_map(parts).flat_map(|part| named_steps(part, STEPS)).collect()
    }

    #[test]
    fn a_step_that_is_forbidden_is_known() {
        for (request, at) in [
            ("don't do step 3", 2),
            ("skip the deletion", 2),
            ("leave step 2 out", 1),
            ("step 4 is not needed", 3),
            ("keep old_table.rs, the app reads it", 2),
            ("no need for the migration guide", 3),
            ("go on, but skip step 1", 0),
            ("lass schritt 2 weg", 1),
            ("跳过第3步", 2),
            ("saute l'étape 4", 3),
            ("sáltate el paso 1", 0),
        ] {
            assert_eq!(dropped(request), [at], "{request}");
        }
        assert_eq!(dropped("skip steps 2 and 4"), [1, 3]);
        for request in [
            "do step 3 now",
            "don't forget step 3",
            "you didn't do step 3",
            "don't stop at step 2",
            "step 3 looks good",
            "don't use tabs",
            "keep going",
            "name the helper fmt",
            "the printer prints nothing",
        ] {
            assert!(dropped(request).is_empty(), "{request}");
        }
    }
}
