//! Words to search for, chosen by how many passages of the store have them.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use crate::Failure;

/// Handoffs that are read; more tell the same shares.
const SAMPLE: usize = 4_000;
/// How many words the longest query has.
pub(crate) const MOST: usize = 8;
const SHORTEST: usize = 5;
/// What search itself leaves out of a question.
const ASKING: [&str; 16] = [
    "about", "after", "again", "before", "could", "should", "still", "their", "there", "these",
    "those", "until", "where", "which", "while", "would",
];

/// In how many passages of a sample each word is.
pub(crate) struct Census {
    passages: usize,
    having: HashMap<String, usize>,
    /// The words of each handoff.
    handoffs: Vec<BTreeSet<String>>,
}

/// Words of one handoff, those first that most passages have.
pub(crate) struct Chosen {
    pub(crate) words: Vec<String>,
    /// Percent of the passages that have the first and the last of them.
    pub(crate) most: f64,
    pub(crate) least: f64,
}

impl Census {
    pub(crate) fn of(files: &[PathBuf]) -> Result<Self, Failure> {
        let mut census = Self { passages: 0, having: HashMap::new(), handoffs: Vec::new() };
        for file in files.iter().step_by((files.len() / SAMPLE).max(1)) {
            let text = fs::read_to_string(file)?;
            let body = text.split_once("\n---\n").map_or(text.as_str(), |(_, body)| body);
            let mut all = BTreeSet::new();
            for passage in passages(body) {
                census.passages += 1;
                let words = words(passage);
                for word in &words {
                    *census.having.entry(word.clone()).or_default() += 1;
                }
                all.extend(words);
            }
            census.handoffs.push(all);
        }
        Ok(census)
    }

    fn share(&self, word: &str) -> f64 {
        let having = self.having.get(word).copied().unwrap_or(0);
        having as f64 / self.passages.max(1) as f64
    }

    /// The words of a handoff that has enough of which this share of the passages has each.
    pub(crate) fn choose(&self, shares: &Range<f64>) -> Result<Chosen, Failure> {
        let fits = |words: &BTreeSet<String>| -> Vec<String> {
            let fitting = words.iter().filter(|word| shares.contains(&self.share(word)));
            fitting.cloned().collect()
        };
        let (before, after) = self.handoffs.split_at(self.handoffs.len() / 2);
        let mut words = after
            .iter()
            .chain(before)
            .map(fits)
            .find(|words| words.len() >= MOST)
            .ok_or_else(|| {
                let (from, to) = (shares.start * 100.0, shares.end * 100.0);
                format!("no handoff has {MOST} words that {from} to {to} % of the passages have")
            })?;
        words.sort_by(|a, b| self.share(b).total_cmp(&self.share(a)));
        // From all over the range.
        let all = words.len();
        words = (0..MOST).map(|at| words[at * (all - 1) / (MOST - 1)].clone()).collect();
        let percent = |at: usize| self.share(&words[at]) * 100.0;
        let (most, least) = (percent(0), percent(MOST - 1));
        Ok(Chosen { words, most, least })
    }
}

/// A section each, and each decision by itself: about what the text index takes for a passage.
fn passages(body: &str) -> Vec<&str> {
    let mut found = Vec::new();
    // Headings are asked for by --section: they are no words of a passage.
    for section in body.split("## ") {
        let (heading, text) = section.split_once('\n').unwrap_or(("", section));
        if heading == "Key Decisions" {
            found.extend(text.lines().filter(|line| line.starts_with("- ")));
        } else if !text.trim().is_empty() {
            found.push(text);
        }
    }
    found
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() >= SHORTEST && word.bytes().all(|b| b.is_ascii_alphabetic()))
        .map(str::to_ascii_lowercase)
        .filter(|word| !ASKING.contains(&word.as_str()))
        .collect()
}
