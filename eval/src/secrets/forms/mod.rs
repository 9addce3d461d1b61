//! Secrets that have a form of their own: keys in blocks, commands, tables, addresses, files, sentences.

mod addresses;
mod code;
mod commands;
mod files;
mod keys;
mod languages;
mod pasted;
mod said;
mod tables;

use std::ops::Range;

use super::shape::value;
use crate::rng::Rng;

/// A name, and texts in which it stands. What is secret stands between « and »; between ⟦ and ⟧ stands what may
/// go with it, such as the rest of a block.
type Form = (&'static str, &'static [&'static str]);

/// A text with secrets in it.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) secrets: Vec<String>,
    /// What may go as a whole.
    pub(super) block: Option<Range<usize>>,
}

pub(super) fn forms() -> impl Iterator<Item = &'static Form> {
    let subjects = [
        keys::KEYS,
        addresses::ADDRESSES,
        files::FILES,
        tables::TABLES,
        commands::COMMANDS,
        code::CODE,
        said::SAID,
        languages::LANGUAGES,
        pasted::PASTED,
    ];
    subjects.into_iter().flatten()
}

/// Draws what is random in a text, and reads its marks.
pub(super) fn write(template: &str, rng: &mut Rng) -> Written {
    let drawn = value(template, rng);
    let mut written = Written { text: String::new(), secrets: Vec::new(), block: None };
    let mut open = 0;
    for char in drawn.chars() {
        let at = written.text.len();
        match char {
            '«' => open = at,
            '»' => written.secrets.push(written.text[open..].to_owned()),
            '⟦' => written.block = Some(at..at),
            '⟧' => written.block = written.block.map(|block| block.start..at),
            _ => written.text.push(char),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_a_template_become_secrets_and_a_block() {
        let written = write("a ⟦b «{h8}» c «x»⟧ d", &mut Rng::of(1, &[]));
        assert_eq!(written.secrets.len(), 2);
        assert_eq!(written.secrets[0].len(), 8);
        assert_eq!(&written.text[written.block.unwrap()], &format!("b {} c x", written.secrets[0]));
    }

    #[test]
    fn every_form_has_a_secret_and_a_name_of_its_own() {
        let mut names: Vec<&str> = forms().map(|(name, _)| *name).collect();
        for (name, texts) in forms() {
            for text in *texts {
                let written = write(text, &mut Rng::of(1, &[]));
                assert!(!written.secrets.is_empty(), "{name}");
                assert!(written.secrets.iter().all(|secret| secret.len() >= 4), "{name}");
            }
        }
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
