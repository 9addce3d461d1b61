//! How much of what a check prints is to be seen behind `| head`, `| tail` and `| grep`.

use super::line::{Part, words};
use super::printed::Family;

/// How much of the output of a check is to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputView {
    /// At least its end.
    End,
    /// So many lines of its beginning.
    Begin(usize),
    /// Lines that were picked, of which those that tell of failures may be left out.
    Picked,
}

/// Lines that `head` prints if it is told nothing.
const HEAD: usize = 10;

impl OutputView {
    /// What is to be seen of a command that prints like its family.
    pub(super) fn of(part: &Part<'_>, family: Family) -> Self {
        if part.beside {
            return Self::Picked;
        }
        let views = part.pipes.iter().map(|pipe| Self::through(pipe, family));
        views.fold(Self::End, Self::and)
    }

    fn through(pipe: &str, family: Family) -> Self {
        let words = words(pipe);
        let Some((program, told)) = words.split_first() else { return Self::End };
        match *program {
            "head" => Self::Begin(lines(told).unwrap_or(HEAD)),
            "grep" | "egrep" | "rg" if !shows_failures(told, family) => Self::Picked,
            "wc" | "jq" | "awk" => Self::Picked,
            "sed" if told.contains(&"-n") => Self::Picked,
            _ => Self::End,
        }
    }

    /// What is left after both.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Picked, _) | (_, Self::Picked) => Self::Picked,
            (Self::Begin(one), Self::Begin(other)) => Self::Begin(one.min(other)),
            (Self::Begin(most), Self::End) | (Self::End, Self::Begin(most)) => Self::Begin(most),
            (Self::End, Self::End) => Self::End,
        }
    }

    /// Whether the end of what was printed is in the output.
    pub(super) fn shows_end_of(self, output: &str) -> bool {
        match self {
            Self::End => true,
            Self::Begin(most) => output.lines().count() < most,
            Self::Picked => false,
        }
    }
}

/// How many lines: `-5`, `-n 5`, `-n5`, `--lines=5`.
fn lines(told: &[&str]) -> Option<usize> {
    if told.iter().any(|word| word.starts_with("-c") || word.starts_with("--bytes")) {
        return Some(0);
    }
    let at = told.iter().position(|word| word.starts_with('-'))?;
    let option =
        told[at].trim_start_matches('-').trim_start_matches("lines").trim_start_matches('=');
    let option = option.strip_prefix('n').unwrap_or(option);
    match option.is_empty() {
        true => told.get(at + 1)?.parse().ok(),
        false => option.parse().ok(),
    }
}

/// Whether lines that tell of failures come through. Most programs sum up both in one line.
fn shows_failures(told: &[&str], family: Family) -> bool {
    let inverse = told.iter().any(|word| {
        *word == "--invert-match"
            || word.starts_with('-') && !word.starts_with("--") && word.contains('v')
    });
    let wanted: Vec<String> =
        told.iter().filter(|word| !word.starts_with('-')).map(|word| word.to_lowercase()).collect();
    let names = |what: &str| wanted.iter().any(|word| word.contains(what));
    let fails = names("fail") || names("error") || names("✖");
    let only_fine = names("ok") || names("pass") && !names("passed") && !names("passing");
    match inverse {
        true => !names("fail"),
        // Packages that are fine and those that are not have lines of their own.
        false if family == Family::Go || only_fine => fails,
        false => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::CommandLine;
    use super::*;

    #[test]
    fn what_is_left_of_the_output_is_known_by_the_pipe() {
        for (line, family, view) in [
            ("make", Family::Any, OutputView::End),
            ("make | tail -5", Family::Any, OutputView::End),
            ("make | head", Family::Any, OutputView::Begin(10)),
            ("make | head -n 3", Family::Any, OutputView::Begin(3)),
            ("make | head -30 | cat", Family::Any, OutputView::Begin(30)),
            ("make | head -c 100", Family::Any, OutputView::Begin(0)),
            ("make | grep -v ok", Family::Go, OutputView::End),
            ("make | grep -E 'ok|FAIL'", Family::Go, OutputView::End),
            ("make | grep ok", Family::Go, OutputView::Picked),
            ("make | grep 'test result'", Family::Cargo, OutputView::End),
            ("make | grep 'test result: ok'", Family::Cargo, OutputView::Picked),
            ("make | grep -v FAIL", Family::Cargo, OutputView::Picked),
            ("make | wc -l", Family::Any, OutputView::Picked),
            ("make &", Family::Any, OutputView::Picked),
        ] {
            assert_eq!(OutputView::of(&CommandLine::of(line).parts[0], family), view, "{line}");
        }
    }

    #[test]
    fn the_end_is_seen_if_the_beginning_was_not_filled() {
        assert!(OutputView::Begin(3).shows_end_of("a\nb"));
        assert!(!OutputView::Begin(2).shows_end_of("a\nb"));
        assert!(!OutputView::Picked.shows_end_of(""));
    }
}
