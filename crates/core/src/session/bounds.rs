//! Texts within bounds.

use std::borrow::Cow;

use crate::redact::{Whole, cut_end};

/// Bytes kept of a line of an error.
pub(super) const ERROR: usize = 400;

/// The line of an error that says most: the first that names one, else the last with words. Without what only the
/// rest of the output shows to be secret.
pub(super) fn error_line(output: &str) -> String {
    let lines =
        || output.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
    let says = |line: &&str| {
        let lower = line.to_lowercase();
        !lower.trim_start_matches("error: ").starts_with("exit code")
            && [
                "error",
                "fatal",
                "panicked",
                "exception",
                "not found",
                "no such",
                "denied",
                "cannot",
            ]
            .iter()
            .any(|word| lower.contains(word))
    };
    let line = lines().find(says).or_else(|| lines().next_back()).unwrap_or_default();
    cut(&Whole::new(output).piece(line), ERROR).into_owned()
}

/// The beginning of a text that is too long, with a mark that it goes on. It ends in no secret.
pub(super) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    format!("{}…", &text[..cut_end(text, most)]).into()
}

#[cfg(test)]
mod tests {
    use super::error_line;

    #[test]
    fn the_line_that_says_most_is_taken() {
        for (output, line) in [
            ("Exit code 2\nerror: no such file\nmore", "error: no such file"),
            ("Error: Exit code 2\nit was not found", "it was not found"),
            ("Error: Exit code 2", "Error: Exit code 2"),
            ("one\ntwo\n---\n", "two"),
        ] {
            assert_eq!(error_line(output), line);
        }
    }
}
