//! What a reader of transcripts has to know again at a later record, such as which call a number means.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// How many are kept: the newest.
const MOST: usize = 400;
/// Bytes kept of one.
const LONGEST: usize = 1_000;

/// Words and what they mean.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Notes(VecDeque<(String, String)>);

impl Notes {
    /// Notes what a word means from now on. What is too long is not noted.
    pub fn put(&mut self, word: &str, meaning: &str) {
        if word.len() > LONGEST || meaning.len() > LONGEST {
            return;
        }
        self.0.retain(|(known, _)| known != word);
        self.0.push_back((word.to_owned(), meaning.to_owned()));
        if self.0.len() > MOST {
            self.0.pop_front();
        }
    }

    /// The words that mean something.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(word, _)| word.as_str())
    }

    /// What a word means.
    pub fn get(&self, word: &str) -> Option<&str> {
        let found = self.0.iter().rev().find(|(known, _)| known == word);
        found.map(|(_, meaning)| meaning.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, MOST, Notes};

    #[test]
    fn the_newest_meaning_counts_and_the_oldest_words_go() {
        let mut notes = Notes::default();
        notes.put("a", "1");
        notes.put("a", "2");
        notes.put("long", &"x".repeat(LONGEST + 1));
        assert_eq!((notes.get("a"), notes.get("long")), (Some("2"), None));
        for word in 0..MOST {
            notes.put(&word.to_string(), "");
        }
        assert_eq!((notes.get("a"), notes.get("0")), (None, Some("")));
    }
}
