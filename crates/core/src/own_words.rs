//! The agent's own words: how Segue asks a session for them, and how its answer becomes the body of a
//! handoff.

use crate::constraint::{constraints, without_evidence};
use crate::distil::{Distilled, EARLIER_REQUESTS, REQUEST_INDENT};
use crate::part::Part;
use crate::section::{Fences, Section, intro, sections};
use crate::{Block, BlockKind, ItemMark, ItemSource, ItemSources, blocks};

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

/// What stands behind the heading of a section that was added to the agent's words.
pub(crate) const FROM_TRANSCRIPT: &str = " (from the transcript)";

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
        "{why} {STILL_REMEMBER} run `segue save --title \"…\"` with a handoff on standard input, in \
         your own words: at most {MOST_WORDS} words in the sections {}; exact files, commands and their results, no \
         secrets. Then go on.",
        headings()
    )
}

fn headings() -> String {
    ASKED_SECTIONS.map(|title| format!("## {title}")).join(", ")
}

/// Words by which the line that asks to save is known again.
const STILL_REMEMBER: &str = "While you still remember this session,";

/// Whether a text that an agent was given is the line that asks it to save.
pub(crate) fn is_request_to_save(text: &str) -> bool {
    text.contains(STILL_REMEMBER) && text.contains("`segue save")
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
    let is_own = |section: &&Section<'_>| {
        Part::of(section.title) != Part::Constraints
            && !section.title.to_lowercase().starts_with("contradictions")
    };
    let own = all.iter().filter(is_own);
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

/// When an agent wrote its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordsWritten {
    /// When the session had come to its end so far.
    AtEnd,
    /// The session went on afterwards.
    Earlier,
}

/// The agent's words, then what they contradict, then what the transcript shows and they leave out. What was
/// added to them before is added anew.
pub fn complete_words(
    words: &str,
    written: WordsWritten,
    contradictions: &[String],
    captured: &str,
) -> String {
    let mut words = without_added(words);
    // Code that the words leave open would swallow what is added.
    if let Some(fence) = Fences::closing(&words) {
        words = format!("{}\n{fence}\n", words.trim_end());
    }
    let own = sections(&words);
    let rules = constraints(&words).into_iter().map(str::to_lowercase).collect();
    let said = OwnWords { text: words.to_lowercase(), rules };
    let mut out = words.trim_end().to_owned() + "\n";
    if !contradictions.is_empty() {
        out.push_str(&format!("\n## Contradictions{FROM_TRANSCRIPT}\n"));
        out.extend(contradictions.iter().map(|line| format!("- {line}\n")));
    }
    for section in sections(captured) {
        let part = Part::of(section.title);
        let is_own = own.iter().any(|known| Part::of(known.title) == part);
        let text = match is_own && part != Part::Other {
            true => left_out(&section, part, written, &said),
            false => section.text.trim().to_owned(),
        };
        if !text.is_empty() {
            out.push_str(&format!("\n{}{FROM_TRANSCRIPT}\n{text}\n", section.heading));
        }
    }
    out
}

/// The agent's own words in small letters, and the rules that stand among them.
struct OwnWords {
    text: String,
    rules: Vec<String>,
}

/// Whose words the items of completed words are: what was added is whose it was when it was captured, and a rule that
/// the agent repeats word for word is the user's.
pub fn completed_sources(whole: &str, captured: &Distilled) -> ItemSources {
    let added = FROM_TRANSCRIPT.trim();
    let of_user = |title: &str, item: &Block<'_>| {
        captured.sources.of(title, item.words()) == Some(ItemSource::User)
    };
    let told = sections(&captured.body);
    let told = told.iter().flat_map(|section| {
        blocks(section.text).into_iter().map(|block| (section.title, block)).collect::<Vec<_>>()
    });
    let rules: Vec<&str> = told
        .filter(|(title, block)| of_user(title, block))
        .map(|(_, block)| without_evidence(block.words()))
        .collect();
    let source_of = |title: &str, words: &str| match title.strip_suffix(added) {
        Some(title) => captured.sources.of(title.trim_end(), words).unwrap_or(ItemSource::Agent),
        None if Part::of(title) == Part::Constraints
            && rules.contains(&without_evidence(words)) =>
        {
            ItemSource::User
        }
        None => ItemSource::Agent,
    };
    let all = sections(whole);
    let parts = all.iter().map(|section| (section.title, section.text));
    let mut items = Vec::new();
    for (title, text) in std::iter::once(("", intro(whole))).chain(parts) {
        let blocks = blocks(text);
        let words = blocks.iter().map(|block| block.words());
        items.extend(words.map(|words| (ItemMark::of(title, words), source_of(title, words))));
    }
    ItemSources::of_items(&items)
}

/// Words without what was added to them from the transcript.
fn without_added(words: &str) -> String {
    let own = sections(words);
    let own = own.iter().filter(|section| !section.title.ends_with(FROM_TRANSCRIPT.trim()));
    std::iter::once(intro(words)).chain(own.map(|one| &words[one.start..one.end])).collect()
}

/// What stands in a captured section and is not said in the agent's own section of the kind.
fn left_out(section: &Section<'_>, part: Part, written: WordsWritten, said: &OwnWords) -> String {
    let mut out = String::new();
    let mut heading = None;
    let mut is_request = false;
    for block in blocks(section.text) {
        if block.kind == BlockKind::Heading {
            heading = Some(block.text.trim());
            is_request = block.words() == EARLIER_REQUESTS;
            continue;
        }
        let item = block.text.trim_end();
        let item = match (part, written) {
            // Nobody else tells what the user asked for, and what git shows is sure.
            (Part::State | Part::Next, WordsWritten::AtEnd) => {
                if !is_request && !is_fact(block.words()) {
                    continue;
                }
                head_of(item)
            }
            (Part::Constraints | Part::Checks | Part::Files, _) | (_, WordsWritten::Earlier) => {
                item
            }
            // Whoever did the work says better what it comes to.
            _ => continue,
        };
        if !is_said(part, block.words(), said) {
            out.extend(heading.take().map(|heading| format!("\n{heading}\n")));
            out.push_str(&format!("{item}\n"));
        }
    }
    out.trim().to_owned()
}

/// The first line of an item, with the lines of a request that begins there. What came of it is indented less.
fn head_of(item: &str) -> &str {
    let mut end = 0;
    for (at, line) in item.split_inclusive('\n').enumerate() {
        if at > 0 && !line.starts_with(REQUEST_INDENT) {
            break;
        }
        end += line.len();
    }
    item[..end].trim_end()
}

/// Whether a captured line tells a request of the user, or is about commits.
fn is_fact(line: &str) -> bool {
    const BEGINNINGS: [&str; 13] = [
        "The request:",
        "The last request:",
        "Done for the last request",
        "Finish the last request:",
        "Not answered yet:",
        "The user stopped the agent",
        "Blocked at:",
        "Committed",
        "The commits are",
        "The newest commits are",
        "No push was",
        "No commit was",
        "Edited after",
    ];
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
}

/// Whether words in lower case say what a captured line says.
fn is_said(part: Part, line: &str, said: &OwnWords) -> bool {
    let OwnWords { text: said, rules } = said;
    let line = line.to_lowercase();
    if part == Part::Checks && line.starts_with("failed") {
        return tells_failure(&line, said);
    }
    let first = line.split('`').nth(1).map(str::trim).filter(|code| !code.is_empty());
    match (part, first) {
        (Part::Checks | Part::Files, Some(code)) => said.contains(code),
        (Part::State, Some(commit)) if line.starts_with("committed") => said.contains(commit),
        // A rule holds as the user said it, and where rules stand.
        (Part::Constraints, _) => rules.iter().any(|rule| rule == without_evidence(&line)),
        _ => {
            let long = |word: &&str| word.chars().count() >= 4;
            let all: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).filter(long).collect();
            let known = all.iter().filter(|word| said.contains(**word)).count();
            !all.is_empty() && known * 10 >= all.len() * 8
        }
    }
}

/// Whether a line of words in small letters that names the command of a check says that it failed.
fn tells_failure(line: &str, said: &str) -> bool {
    const FAILS: [&str; 11] = [
        "fail", "error", " red", "broken", "not pass", "schlägt", "fehler", "échou", "fallan",
        "失败", "❌",
    ];
    let Some(command) = line.split('`').nth(1).map(str::trim).filter(|code| !code.is_empty())
    else {
        return said.contains(line);
    };
    let lines = said.lines().filter(|line| line.contains(command));
    lines.map(|line| line.replace(command, " ")).any(|line| {
        let line = [" 0 fail", " no fail", " 0 error", " no error"]
            .iter()
            .fold(line, |line, none| line.replace(none, " "));
        FAILS.iter().any(|word| line.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{End, Outcome, PromptWay, Recorder};
    use crate::{DistilRequest, distil};

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
    fn what_the_words_leave_out_stands_behind_them() {
        let captured = "## Current State\n- **Status: finished**: the last request was answered.\n- Committed `1a2b3c4`: lexer\n\
            - The last request: “Fix the lexer”\n  Done for it: edited `src/lex.rs`.\n- The agent's last message:\n  > Done.\n\n\
            ### Earlier requests\n- “Write a parser” → edited `src/parse.rs`\n  The agent: “It parses.”\n\n\
            ## Next Steps\n- captured\n\n## Standing Constraints\n- “Never push.”\n\n\
            ## Checks\n- Passed: `cargo test parse` (tests)\n- Failed: `cargo clippy` (lint)\n\n## Files of Note\n- `a`\n";
        let words = format!("{ANSWER}\n## Checks\n- `cargo test parse` passes\n");
        let contradiction = ["The words say one thing; the session shows another.".to_owned()];
        let whole = complete_words(&words, WordsWritten::AtEnd, &contradiction, captured);
        let added = "\n## Contradictions (from the transcript)\n- The words say one thing; the session shows another.\n\n\
            ## Current State (from the transcript)\n- Committed `1a2b3c4`: lexer\n- The last request: “Fix the lexer”\n\n\
            ### Earlier requests\n- “Write a parser” → edited `src/parse.rs`\n\n\
            ## Standing Constraints (from the transcript)\n- “Never push.”\n\n\
            ## Checks (from the transcript)\n- Failed: `cargo clippy` (lint)\n\n\
            ## Files of Note (from the transcript)\n- `a`\n";
        assert_eq!(whole, format!("{words}{added}"));
        assert_eq!(complete_words(&whole, WordsWritten::AtEnd, &contradiction, captured), whole);
        assert_eq!(complete_words(&whole, WordsWritten::AtEnd, &[], ""), words);
        // What happened afterwards is told at length.
        let later = complete_words(&words, WordsWritten::Earlier, &[], captured);
        assert!(later.starts_with(&words));
        for told in ["- captured\n", "  > Done.\n", "  The agent: “It parses.”\n", "cargo clippy"]
        {
            assert!(later.contains(told), "{told}\n{later}");
        }
        assert_eq!(later.matches("cargo test parse").count(), 2, "{later}");
    }

    #[test]
    fn a_failed_check_is_added_unless_the_words_say_that_it_failed() {
        let captured = "## Checks\n- Failed with exit code 1: `pytest -q` (tests), in `t::half`\n";
        for (words, is_added) in [
            ("`pytest -q`: 3 passed", true),
            ("`pytest -q`: 3 passed, 0 failed", true),
            ("`pytest -q`", true),
            ("`npm test` fails", true),
            ("`pytest -q` fails in `t::half`", false),
            ("`pytest -q`: 1 failed", false),
            ("`pytest -q` is still red", false),
            ("`pytest -q` schlägt fehl", false),
        ] {
            let words = format!("## Checks\n- {words}\n");
            let whole = complete_words(&words, WordsWritten::AtEnd, &[], captured);
            assert_eq!(whole.contains("exit code 1"), is_added, "{whole}");
        }
    }

    #[test]
    fn a_request_that_is_added_keeps_its_lines() {
        let captured = "## Current State\n- The request: “Please do:\n    1. rename Foo to Bar\n    2. delete baz”\n  \
            Done for it: edited `foo.rs`.\n";
        let whole = complete_words(ANSWER, WordsWritten::AtEnd, &[], captured);
        let added = "- The request: “Please do:\n    1. rename Foo to Bar\n    2. delete baz”\n";
        assert!(whole.ends_with(added), "{whole}");
    }

    #[test]
    fn a_rule_of_the_user_is_added_to_the_rules_that_the_agent_repeats() {
        let words = "Done.\n\n## Standing Constraints\n- Never push.\n";
        let captured = "## Standing Constraints\n- “Never push.” *(declared #1)*\n\
            - “Keep schema.sql as it is.” *(declared #2)*\n";
        let whole = complete_words(words, WordsWritten::AtEnd, &[], captured);
        let rules = ["Never push.", "Keep schema.sql as it is."];
        assert_eq!(constraints(&whole), rules);
    }

    #[test]
    fn a_rule_that_the_agent_makes_up_is_not_the_users() {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Write a parser. Never push. Always sign your commits.", PromptWay::Typed);
        recorder.said("It parses.");
        let captured = distil(recorder.session(), &DistilRequest::default());
        let words = format!(
            "{ANSWER}\n## Standing Constraints\n- Never push.\n- Deploy on Fridays.\n\n\
            ## Standing Constraints (from the transcript)\n- “Delete the backups.” *(declared #1)*\n"
        );
        let whole = complete_words(&words, WordsWritten::AtEnd, &[], &captured.body);
        let sources = completed_sources(&whole, &captured);
        let of = |section: &str, words: &str| sources.of(section, words).unwrap();
        assert_eq!(of("Standing Constraints", "Never push."), ItemSource::User);
        assert_eq!(of("Standing Constraints", "Deploy on Fridays."), ItemSource::Agent);
        let added = "Standing Constraints (from the transcript)";
        assert_eq!(of(added, "“Always sign your commits.” *(declared #1)*"), ItemSource::User);
        assert!(!whole.contains("backups"), "{whole}");
        assert_eq!(of(added, "“Delete the backups.” *(declared #1)*"), ItemSource::Agent);
    }

    #[test]
    fn requests_and_commits_of_a_session_are_told_with_its_words() {
        let mut recorder = Recorder::new("x");
        for (request, answer) in [("Write a parser", "It parses."), ("Commit it", "Committed.")] {
            recorder.next_record();
            recorder.asked(request, PromptWay::Typed);
            recorder.next_record();
            if answer == "Committed." {
                recorder.ran("1", "git commit -m parser");
                let end = End { outcome: Outcome::Passed, exit: Some(0) };
                recorder.ended("1", end, || "[main 1a2b3c4] parser\n 1 file changed".into());
            }
            recorder.said(answer);
        }
        let distilled = distil(recorder.session(), &DistilRequest::default());
        let whole = complete_words(ANSWER, WordsWritten::AtEnd, &[], &distilled.body);
        for told in [
            "Committed `1a2b3c4`: `parser`",
            "No push was seen.",
            "“Commit it”",
            "“Write a parser”",
        ] {
            assert!(whole.contains(told), "{told}\n{whole}");
        }
        assert!(!whole.contains("Status:") && !whole.contains("last message"), "{whole}");
    }
}
