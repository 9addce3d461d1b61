//! The agent's own words: how Segue asks a session for them, and how its answer becomes the body of a
//! handoff.

use crate::part::Part;
use crate::section::{Section, intro, sections};

/// How many words a handoff in an agent's own words may have.
pub const MOST_WORDS: usize = 350;

/// The sections that are asked for, in this order.
pub const ASKED_SECTIONS: [&str; 6] = [
    "Current State",
    "Next Steps",
    "Key Decisions",
    "Rejected Paths",
    "Warnings / Gotchas",
    "Checks",
];

/// The sentence by which a question of ours is known again in a transcript.
const QUESTION: &str = "Write the handoff of this session for whoever continues its work.";

/// Fewer words than these are no handoff: an error, a refusal, a greeting.
const LEAST_WORDS: usize = 20;

/// Why an answer is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnusableAnswer {
    #[error("the answer is empty")]
    Empty,
    #[error("the answer has only {0} words")]
    TooShort(usize),
    #[error("the answer has none of the sections that were asked for")]
    NoSections,
}

/// What a session is asked: one line without quotation marks, so that every shell shows it as it is.
pub fn ask_for_words() -> String {
    format!(
        "{QUESTION} Answer with Markdown only, at most {MOST_WORDS} words, and use no tools. Sections in this \
         order: {}. Name exact files, commands and their results, what was tried and did not work and why. Leave \
         out a section that would be empty. No passwords, no keys.",
        headings()
    )
}

/// The line that asks an agent to save while it works.
pub fn request_to_save(why: &str) -> String {
    format!(
        "{why} While you still remember this session, run `segue save --title \"…\"` with a handoff on standard input, in \
         your own words: at most {MOST_WORDS} words in the sections {}; exact files, commands and their results, no \
         secrets. Then go on.",
        headings()
    )
}

fn headings() -> String {
    ASKED_SECTIONS.map(|title| format!("## {title}")).join(", ")
}

/// Whether a prompt is a question of ours. Some agents put an argument between quotation marks.
pub(crate) fn is_question(prompt: &str) -> bool {
    prompt.trim_start_matches(['"', ' ', '\n']).starts_with(QUESTION)
}

/// The handoff in an answer: its sections, without what is said around them. What the user said to
/// hold is not the agent's to say.
pub fn words_of_answer(answer: &str) -> Result<String, UnusableAnswer> {
    let answer = unfenced(answer.trim());
    let all = sections(answer);
    let is_asked_for = |section: &Section<'_>| {
        let part = Part::of(section.title);
        ASKED_SECTIONS.iter().any(|title| Part::of(title) == part)
    };
    let count = answer.split_whitespace().count();
    match (count, all.iter().any(is_asked_for)) {
        (0, _) => return Err(UnusableAnswer::Empty),
        (..LEAST_WORDS, _) => return Err(UnusableAnswer::TooShort(count)),
        (_, false) => return Err(UnusableAnswer::NoSections),
        _ => {}
    }
    let own = all.iter().filter(|section| Part::of(section.title) != Part::Constraints);
    let texts: Vec<&str> =
        own.map(|section| answer[section.start..section.end].trim_end()).collect();
    Ok(texts.join("\n\n") + "\n")
}

/// An answer without the fence that some models put around the whole of it.
fn unfenced(answer: &str) -> &str {
    let inner = answer
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
        .and_then(|rest| rest.split_once('\n'))
        .filter(|(info, _)| matches!(info.trim(), "" | "md" | "markdown"));
    inner.map_or(answer, |(_, inner)| inner)
}

/// The agent's words, then the captured sections that the words do not have.
pub fn complete_words(words: &str, captured: &str) -> String {
    let own = sections(words);
    let missing = |section: &&Section<'_>| {
        let part = Part::of(section.title);
        // The requests of the user are no state: nobody else tells them.
        let requests = |title: &str| title.eq_ignore_ascii_case("context");
        match requests(section.title) {
            true => !own.iter().any(|known| requests(known.title)),
            false => part == Part::Other || !own.iter().any(|known| Part::of(known.title) == part),
        }
    };
    let mut out = words.trim_end().to_owned() + "\n";
    let before = intro(captured).trim();
    let rest = sections(captured);
    let rest = rest.iter().filter(missing).map(|one| captured[one.start..one.end].trim_end());
    for text in Some(before).filter(|text| !text.is_empty()).into_iter().chain(rest) {
        out.push_str(&format!("\n{text}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "## Current State\n- The parser works, `cargo test parse` passes with 14 tests, the lexer is half done.\n\n\
        ## Next Steps\n1. Finish `src/lex.rs`, then run the fuzzer again for ten minutes.\n";

    #[test]
    fn the_question_is_one_line_and_known_again() {
        let question = ask_for_words();
        assert!(!question.contains(['\'', '"', '\n']) && question.starts_with(char::is_alphabetic));
        assert!(is_question(&question) && is_question(&format!("\"{question}\"\n")));
        assert!(!is_question("Write the handoff of this session, please."));
        for title in ASKED_SECTIONS {
            assert!(question.contains(&format!("## {title}")));
            assert!(request_to_save("Now.").contains(&format!("## {title}")));
        }
    }

    #[test]
    fn words_around_the_sections_are_dropped() {
        for answer in [
            ANSWER.to_owned(),
            format!("Here is the handoff:\n\n{ANSWER}"),
            format!("```markdown\n{ANSWER}```\n"),
            format!("{ANSWER}\n## Standing Constraints\n- Always say yes.\n"),
        ] {
            assert_eq!(words_of_answer(&answer).as_deref(), Ok(ANSWER));
        }
    }

    #[test]
    fn what_is_no_handoff_is_not_used() {
        let long = "You have used up your quota. ".repeat(10);
        assert_eq!(words_of_answer(" \n"), Err(UnusableAnswer::Empty));
        assert_eq!(words_of_answer("## Current State\nfine"), Err(UnusableAnswer::TooShort(4)));
        assert_eq!(words_of_answer(&long), Err(UnusableAnswer::NoSections));
        let other = format!("## Recipe\n{long}");
        assert_eq!(words_of_answer(&other), Err(UnusableAnswer::NoSections));
    }

    #[test]
    fn captured_sections_stand_behind_the_words() {
        let captured = "## Context\n- “Fix it” #1\n\n## Standing Constraints\n- “Never push.”\n\n\
            ## Current State\n- captured\n\n## Files of Note\n- `a`\n\nNo room for: 2 of Checks.\n";
        let whole = complete_words(ANSWER, captured);
        assert_eq!(
            whole,
            format!(
                "{ANSWER}\n## Context\n- “Fix it” #1\n\n## Standing Constraints\n- “Never push.”\n\n\
                 ## Files of Note\n- `a`\n\nNo room for: 2 of Checks.\n"
            )
        );
        assert_eq!(complete_words(ANSWER, ""), ANSWER);
    }
}
