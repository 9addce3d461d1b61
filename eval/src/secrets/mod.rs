//! How many secrets are taken out of texts, and how much of what looks like them is left alone.

mod contexts;
mod forms;
mod kinds;
mod lookalikes;
mod report;
mod shape;

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use segue_core::{RedactRules, Redactor};

use crate::Failure;
use crate::generate::put;
use crate::rng::Rng;
use contexts::{CONTEXTS, place};
use forms::forms;
use report::{Score, table};
use shape::value;

/// A text with secrets in it.
#[derive(Debug)]
struct Case {
    /// Of the kinds, and behind them the forms.
    kind: usize,
    /// Of the contexts, and behind them the one of all forms.
    context: usize,
    text: String,
    secrets: Vec<String>,
    /// What may go as a whole, such as a key with its first and last line.
    block: Option<Range<usize>>,
}

/// How many of each kind and context.
const ROUNDS: u64 = 3;

fn cases(seed: u64) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for round in 0..ROUNDS {
        for (kind, row) in kinds::kinds().enumerate() {
            for (context, (place_name, _)) in CONTEXTS.iter().enumerate() {
                // Nobody sends a password of words as a bearer token.
                if row.shape == "{K1}" && *place_name == "header or url" {
                    continue;
                }
                let mut rng = Rng::of(seed, &[round, kind as u64, context as u64]);
                let value = value(row.shape, &mut rng);
                let text = place(context, row.variable, &value, row.telling, &mut rng);
                cases.push(Case { kind, context, text, secrets: vec![value], block: None });
            }
        }
    }
    let first = kinds::kinds().count();
    for (at, (_, texts)) in forms().enumerate() {
        // Every text of a form once, and each form at least as often as a kind.
        for (round, text) in texts.iter().cycle().take(texts.len().max(ROUNDS as usize)).enumerate()
        {
            let mut rng = Rng::of(seed, &[round as u64, 1_000_000, at as u64]);
            let forms::Written { text, secrets, block } = forms::write(text, &mut rng);
            cases.push(Case { kind: first + at, context: CONTEXTS.len(), text, secrets, block });
        }
    }
    cases
}

fn names() -> Vec<&'static str> {
    kinds::kinds().map(|kind| kind.name).chain(forms().map(|(name, _)| *name)).collect()
}

fn contexts() -> Vec<&'static str> {
    CONTEXTS.iter().map(|(name, _)| *name).chain(["forms of their own"]).collect()
}

/// Writes the corpus if there is a place for it, and scores what is taken out of it.
pub(crate) fn score(out: Option<&Path>, seed: u64, failures: usize) -> Result<(), Failure> {
    if let Some(out) = out {
        write(out, seed)?;
    }
    let score = run(seed, failures)?;
    println!("{}", table(&score, &names(), &contexts()));
    Ok(())
}

fn write(out: &Path, seed: u64) -> Result<(), Failure> {
    let (kinds, contexts) = (names(), contexts());
    let secret: Vec<serde_json::Value> = cases(seed)
        .iter()
        .map(|case| {
            serde_json::json!({"kind": kinds[case.kind], "context": contexts[case.context],
                "text": case.text, "secrets": case.secrets, "block": case.block})
        })
        .collect();
    let benign: Vec<serde_json::Value> = lookalikes::lookalikes(seed)
        .iter()
        .map(|(kind, text)| serde_json::json!({"kind": kind, "text": text}))
        .collect();
    std::fs::create_dir_all(out)?;
    put(&out.join("secrets.json"), &(serde_json::to_string_pretty(&secret)? + "\n"))?;
    put(&out.join("look-alikes.json"), &(serde_json::to_string_pretty(&benign)? + "\n"))
}

fn run(seed: u64, failures: usize) -> Result<Score, Failure> {
    let (kinds, contexts) = (names(), contexts());
    let redactor = Redactor::new(&RedactRules::default())?;
    let mut score = Score::new(kinds.len(), contexts.len(), lookalikes::count());
    let mut shown: BTreeMap<usize, usize> = BTreeMap::new();
    for case in &cases(seed) {
        let redacted = redactor.redact(&case.text);
        let gone = is_gone(case, &redacted.text);
        let around = keeps_surroundings(case, &redacted.text);
        score.secret(case.kind, case.context, gone, around);
        if !gone || !around {
            let shown = shown.entry(case.kind).or_default();
            *shown += 1;
            if *shown <= failures {
                let (kind, context) = (kinds[case.kind], contexts[case.context]);
                let what = if gone { "damaged" } else { "missed" };
                println!(
                    "{what} {kind} in {context}: {:?}\n  became {:?}",
                    case.text, redacted.text
                );
            }
        }
    }
    for texts in lookalikes::lookalikes(seed).chunk_by(|one, other| one.0 == other.0) {
        let mut shown = 0;
        for (kind, text) in texts {
            let redacted = redactor.redact(text);
            let damaged = redacted.text != *text;
            score.benign(damaged);
            shown += usize::from(damaged);
            if damaged && shown <= failures {
                println!("look-alike {kind:?}: {text:?}\n  became {:?}", redacted.text);
            }
        }
    }
    Ok(score)
}

/// Whether no eight characters in a row of a secret are left, but for those that are in a mark or
/// in the text around it too.
fn is_gone(case: &Case, text: &str) -> bool {
    let around = surroundings(case).join("\n");
    let marks = text.split("[redacted: ").enumerate().map(|(at, part)| match at {
        0 => part,
        _ => part.split_once(']').map_or(part, |(_, after)| after),
    });
    let left = marks.collect::<Vec<&str>>().join("\n");
    case.secrets.iter().all(|secret| {
        let parts = |text: &str| -> HashSet<Vec<u8>> {
            text.as_bytes().windows(secret.len().min(8)).map(<[u8]>::to_vec).collect()
        };
        let (around, left) = (parts(&around), parts(&left));
        parts(secret).iter().all(|part| around.contains(part) || !left.contains(part))
    })
}

/// The text between the secrets.
fn surroundings(case: &Case) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = case.text.as_str();
    loop {
        let next =
            case.secrets.iter().filter_map(|secret| Some((rest.find(secret.as_str())?, secret)));
        // Of two that begin at one place the longer one.
        let next = next.min_by_key(|(at, secret)| (*at, std::cmp::Reverse(secret.len())));
        let Some((at, secret)) = next else { break };
        parts.push(&rest[..at]);
        rest = &rest[at + secret.len()..];
    }
    parts.push(rest);
    parts
}

/// Whether everything but the secrets is still there, or all around the block.
fn keeps_surroundings(case: &Case, text: &str) -> bool {
    if let Some(block) = &case.block {
        let (before, after) = (&case.text[..block.start], &case.text[block.end..]);
        return text.starts_with(before) && text.ends_with(after);
    }
    let mut rest = text;
    for (at, part) in surroundings(case).into_iter().enumerate() {
        if at > 0 {
            let Some((_, after)) =
                rest.strip_prefix("[redacted: ").and_then(|rest| rest.split_once(']'))
            else {
                return false;
            };
            rest = after;
        }
        let Some(after) = rest.strip_prefix(part) else { return false };
        rest = after;
    }
    rest.is_empty()
}

/// Shows what would be taken out of files, and how fast.
pub(crate) fn look(files: &[std::path::PathBuf]) -> Result<(), Failure> {
    let started = Instant::now();
    let redactor = Redactor::new(&RedactRules::default())?;
    redactor.redact("token");
    let start = started.elapsed();
    let (mut bytes, mut found, mut seconds) = (0, 0, 0.0);
    for file in files {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let begun = Instant::now();
        let redacted = redactor.redact(&text);
        seconds += begun.elapsed().as_secs_f64();
        bytes += text.len();
        found += redacted.found.len();
        for secret in &redacted.found {
            let near = |at: usize| text.floor_char_boundary(at);
            let before = &text[near(secret.range.start.saturating_sub(60))..secret.range.start];
            let value =
                &text[secret.range.start..near(secret.range.end.min(secret.range.start + 60))];
            println!(
                "{}:{}\t{}\t{:?}\t{:?}",
                file.display(),
                secret.line,
                secret.kind,
                before,
                value
            );
        }
    }
    let speed = bytes as f64 / 1e6 / seconds.max(1e-9);
    eprintln!(
        "{found} found in {bytes} bytes of {} files, {speed:.0} MB/s; ready after {start:?}",
        files.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_look_alikes_stay() {
        let score = run(1, 0).unwrap();
        assert!(score.recall() >= 0.99, "{}", score.recall());
        assert!(score.damage() <= 0.01, "{}", score.damage());
    }

    #[test]
    fn every_kind_and_form_has_a_name_of_its_own() {
        let all: HashSet<&str> = names().into_iter().collect();
        assert_eq!(all.len(), names().len());
    }

    #[test]
    fn there_are_enough_kinds_and_look_alikes() {
        assert!(kinds::kinds().count() >= 270);
        assert!(forms().count() >= 270);
        assert!(lookalikes::count() >= 420);
    }
}
