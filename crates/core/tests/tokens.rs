//! Estimates of tokens against the real counts of `tokens/counts.tsv`.
#![expect(clippy::disallowed_methods, reason = "the samples lie on the disk")]
#![expect(clippy::disallowed_macros, reason = "the table is for people")]
#![expect(clippy::unwrap_used, reason = "clippy knows a helper of tests only inside the library")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq};
use segue_core::Tokenizer::{Cl100k, O200k};
use segue_core::estimate_tokens;

fn dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tokens")
}

struct Sample {
    name: String,
    text: String,
    o200k: usize,
    cl100k: usize,
}

impl Sample {
    fn class(&self) -> &str {
        self.name.split('/').next().unwrap()
    }

    /// Estimate over real count, for both tokenizers.
    fn ratios(&self) -> [f64; 2] {
        [(O200k, self.o200k), (Cl100k, self.cl100k)]
            .map(|(tokenizer, real)| estimate_tokens(&self.text, tokenizer) as f64 / real as f64)
    }
}

fn samples() -> Vec<Sample> {
    let counts = fs::read_to_string(dir().join("counts.tsv")).unwrap();
    let sample = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        Sample {
            name: columns[0].to_owned(),
            text: fs::read_to_string(dir().join(columns[0])).unwrap(),
            o200k: columns[1].parse().unwrap(),
            cl100k: columns[2].parse().unwrap(),
        }
    };
    counts.lines().filter(|line| !line.starts_with('#')).map(sample).collect()
}

#[test]
fn every_sample_is_counted() {
    let mut on_disk = Vec::new();
    for class in fs::read_dir(dir()).unwrap().map(|entry| entry.unwrap().path()) {
        if class.is_dir() {
            let files = fs::read_dir(&class).unwrap().map(|entry| entry.unwrap().path());
            on_disk.extend(files.map(|file| {
                file.strip_prefix(dir()).unwrap().to_string_lossy().replace('\\', "/")
            }));
        }
    }
    let mut counted: Vec<String> = samples().into_iter().map(|sample| sample.name).collect();
    on_disk.sort();
    counted.sort();
    assert_eq!(on_disk, counted, "counts.tsv is old: CONTRIBUTING.md says how to write it");
}

#[test]
fn no_estimate_is_a_tenth_under_or_a_third_over() {
    let samples = samples();
    let mut classes: BTreeMap<&str, Vec<[f64; 2]>> = BTreeMap::new();
    for sample in &samples {
        assert!(sample.o200k >= 60 && sample.cl100k >= 60, "{} is too short", sample.name);
        classes.entry(sample.class()).or_default().push(sample.ratios());
    }
    println!("| class | samples | tokenizer | worst under | worst over | mean |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (class, ratios) in &classes {
        for (column, tokenizer) in ["o200k", "cl100k"].iter().enumerate() {
            let percent = |ratio: f64| (ratio - 1.0) * 100.0;
            let all = || ratios.iter().map(|ratio| percent(ratio[column]));
            println!(
                "| {class} | {} | {tokenizer} | {:+.1} % | {:+.1} % | {:+.1} % |",
                ratios.len(),
                all().fold(f64::INFINITY, f64::min),
                all().fold(f64::NEG_INFINITY, f64::max),
                all().sum::<f64>() / ratios.len() as f64,
            );
        }
    }
    for sample in &samples {
        for ratio in sample.ratios() {
            assert!((0.9..=1.35).contains(&ratio), "{}: {ratio:.2}", sample.name);
        }
    }
}

proptest::proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Characters of every kind that the scan tells apart, and any others.
    #[test]
    fn parts_and_their_whole_cost_about_the_same(
        a in r"([a-cA-C]{0,6}|[0-9]{0,4}|[ \t\n\r]{0,4}|[-./_(=]{0,4}|[éßżияある中文한글🎉—。]{0,4}|.){0,12}",
        b in r"([a-zA-Z]{0,6}|[0-9]{0,4}|[ \t\n\r]{0,4}|[-./_(=]{0,4}|[éßżияある中文한글🎉—。]{0,4}|.){0,12}",
    ) {
        for tokenizer in [O200k, Cl100k] {
            let [first, second] = [&a, &b].map(|part| estimate_tokens(part, tokenizer));
            let whole = estimate_tokens(&format!("{a}{b}"), tokenizer);
            // One token at the seam, and one for the fractions.
            prop_assert!(whole <= first + second + 2, "{whole} of {first} and {second}");
            // A word is dear to begin: what was one may be the end of a word in the whole.
            prop_assert!(whole + 3 >= first.max(second), "{whole} of {first} and {second}");
        }
    }

    #[test]
    fn any_text_has_an_estimate(text: String) {
        for tokenizer in [O200k, Cl100k] {
            let tokens = estimate_tokens(&text, tokenizer);
            prop_assert_eq!(tokens == 0, text.is_empty());
            prop_assert!(tokens <= text.len() * 4);
        }
    }
}
