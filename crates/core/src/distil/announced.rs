//! What an agent said that it would do next.

use crate::section::Fences;
use crate::session::split_sentences;

/// Headings under which agents list what comes next.
const HEADINGS: &[&str] = &[
    "next steps",
    "next",
    "remaining",
    "remaining work",
    "remaining steps",
    "to do",
    "todo",
    "still to do",
    "still open",
    "what's next",
    "what’s next",
    "not done yet",
    "left to do",
    "what's left",
    "what is left",
    "下一步",
];
/// Beginnings of sentences that announce.
const BEGINNINGS: &[&str] = &[
    "next, ",
    "next i ",
    "next i'll",
    "next i'm",
    "next i’m",
    "next up",
    "next step",
    "the next step",
    "i'll now ",
    "i will now ",
    "now i'll ",
    "now i will ",
    "now let me ",
    "let me now ",
    "i still need to ",
    "i still have to ",
    "still to do",
    "what remains",
    "remaining:",
    "once ",
    "after that,",
    "then i'll ",
    "then i will ",
    "接下来",
];
/// What stands in a sentence that begins with `once` or `next` when the agent means itself.
const OWN: &[&str] =
    &["i'll ", "i will ", "i’ll ", "i'm ", "i’m ", "i need to ", "let me ", "i can "];
/// Words with which it is left to the user whether something is done at all.
const OPTIONAL: &[&str] = &[
    "i can recommend",
    "once deployed",
    "nothing left",
    "if you want",
    "if you'd like",
    "if you like",
    "if needed",
    "optional",
    "when you're ready",
    "when ready",
    "whenever you",
    "let me know",
    "your call",
    "up to you",
    "want me to",
    "feel free",
    "you can ",
    "you could ",
    "you may ",
    "consider ",
    "later",
    "nice to have",
    "future",
];
/// Beginnings with which the last sentence says that something is still running, and words that say so anywhere
/// in it.
const WAITS: &[&str] =
    &["waiting for", "waiting on", "still waiting", "i'm waiting", "i am waiting", "now waiting"];
const UNDER_WAY: &[&str] = &[
    "i'll wait",
    "i will wait",
    "running in the background",
    "i'll report back",
    "i'll check back",
    "i will tell you when",
    "i'll tell you when",
    "will notify",
    "i'll continue when",
    "i'll continue once",
];
/// What goes on until it ends, other than a server.
const JOBS: &[&str] =
    &["test", "build", "check", "suite", "agent", "job", "run ", "gate", "review", "ci "];

/// Whether a sentence in small letters says that something is under way.
fn says_under_way(sentence: &str) -> bool {
    let sentence = sentence.trim_start_matches(['*', '_', '-', ' ']);
    let runs = sentence.contains("is still running") || sentence.contains("are still running");
    WAITS.iter().any(|waits| sentence.starts_with(waits))
        || UNDER_WAY.iter().any(|words| sentence.contains(words))
        || runs && JOBS.iter().any(|job| sentence.contains(job))
}

/// Beginnings of a last sentence with which the agent says what it does right now.
const NOW: &[&str] =
    &["let me ", "now let me ", "now i'll ", "i'll now ", "now i will ", "i will now "];
/// Beginnings with which it says what runs at the moment.
const RUNS: &[&str] =
    &["running ", "launching ", "standing by", "both are running", "all are running"];
const MOST: usize = 8;

/// The steps that a message announces as the agent's own next work.
pub(super) fn announced(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut listing = false;
    let mut fences = Fences::default();
    for line in text.lines() {
        if fences.cover(line) {
            continue;
        }
        let line = line.trim();
        if line.is_empty() || line.starts_with('>') {
            continue;
        }
        let words = line.trim_matches(['#', '*', ':', ' ', '_']).to_lowercase();
        let words = words.trim_end_matches(':');
        if HEADINGS.contains(&words) {
            listing = true;
            continue;
        }
        if listing && is_done_item(line) {
            continue;
        }
        if let Some(item) = item(line).filter(|_| listing) {
            if !is_optional(item) {
                found.push(item.to_owned());
            }
            continue;
        }
        listing = false;
        let line = item(line).unwrap_or(line);
        for sentence in sentences(line) {
            if announces(sentence) {
                found.push(sentence.to_owned());
            }
        }
    }
    found.truncate(MOST);
    found
}

/// Headings under which an agent lists what it has not done of the request.
const NOT_DONE: &[&str] = &[
    "remaining",
    "remaining work",
    "remaining steps",
    "still to do",
    "not done yet",
    "left to do",
];

/// Whether a message lists something that is not done yet.
pub(super) fn lists_remaining(text: &str) -> bool {
    let is_heading = |line: &&str| {
        let words = line.trim_matches(['#', '*', ':', ' ', '_']).to_lowercase();
        NOT_DONE.contains(&words.trim_end_matches(':'))
    };
    text.lines().map(str::trim).any(|line| is_heading(&line)) && !announced(text).is_empty()
}

/// Whether a message says at its end that something is still running, or what comes right now.
pub(super) fn is_under_way(text: &str) -> bool {
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let lower = last.to_lowercase();
    let begins = sentences(last).last().unwrap_or_default().to_lowercase();
    if NOW.iter().any(|now| begins.starts_with(now))
        && !is_optional(&begins)
        && !begins.ends_with(['?', '？'])
    {
        return true;
    }
    let announces = sentences(last).any(announces) && !item_or_quote(last);
    announces
        || says_under_way(&begins) && !lower.contains("your ") && !lower.ends_with(['?', '？'])
}

/// Whether a sentence says nothing but what comes next, or what is being waited for.
pub(super) fn only_announces(sentence: &str) -> bool {
    let lower = sentence.trim().to_lowercase();
    announces(sentence)
        || NOW.iter().any(|now| lower.starts_with(now))
        || says_under_way(&lower)
        || RUNS.iter().any(|runs| lower.starts_with(runs))
}

/// Whether a line stands in a list or is quoted.
fn item_or_quote(line: &str) -> bool {
    item(line).is_some() || line.starts_with('>')
}

/// Whether a sentence says what the agent is about to do.
fn announces(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let lower = lower.trim_start_matches(['*', '_', '-', ' ']);
    let begins = BEGINNINGS.iter().any(|begins| lower.starts_with(begins));
    let own = !lower.starts_with("once ")
        && !lower.starts_with("next ")
        && !lower.starts_with("after that")
        || OWN.iter().any(|own| lower.contains(own));
    let later = lower.contains("; once ") || lower.contains(", once ");
    (begins && own || later && OWN.iter().any(|own| lower.contains(own)))
        && !lower.contains(['?', '？'])
        && !lower.ends_with(':')
        && !is_optional(lower)
}

/// Whether it is left to the user whether something is done at all.
pub(super) fn is_optional(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    OPTIONAL.iter().any(|words| lower.contains(words))
}

/// The sentences of a line, without the blanks around them.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    split_sentences(line).map(str::trim)
}

/// What a line of a list says.
fn item(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = if digits > 0 {
        line[digits..].strip_prefix(['.', ')'])?
    } else {
        line.strip_prefix(['-', '*', '•', '+'])?
    };
    let rest = rest.strip_prefix(' ')?.trim();
    let rest = rest.strip_prefix("[ ]").unwrap_or(rest).trim();
    (!rest.is_empty() && !is_crossed_out(rest)).then_some(rest)
}

/// Whether a line of a list is crossed out.
fn is_done_item(line: &str) -> bool {
    is_crossed_out(line.trim_start_matches(['-', '*', '•', '+', ' ']))
}

fn is_crossed_out(text: &str) -> bool {
    ["[x]", "[X]", "✅", "✓", "~~"].iter().any(|mark| text.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_sentences_announce() {
        let text = "Done.\n\n## Next steps:\n1. Wire it up\n- [x] done one\n- [ ] Write docs\n\nBye.\n\
                    Next, I will run the tests.\nNext what?\n";
        assert_eq!(announced(text), ["Wire it up", "Write docs", "Next, I will run the tests."]);
        assert_eq!(announced("**Next steps**\n- a b\n- c d\n"), ["a b", "c d"]);
        assert!(announced("```\nnext, in code\n```").is_empty());
    }

    #[test]
    fn a_step_in_a_paragraph_counts() {
        assert_eq!(
            announced("add() is right. Next, I will fix mul()."),
            ["Next, I will fix mul()."]
        );
        assert_eq!(
            announced("Posted. Waiting on the agent; once it lands I'll commit and push."),
            ["Waiting on the agent; once it lands I'll commit and push."]
        );
    }

    #[test]
    fn what_is_left_to_the_user_is_no_step() {
        for text in [
            "Next step when ready: `git tag v1`.",
            "## Next steps\n- If you want, rename it\n- You can run it now",
            "Still open if you want them later: docs.",
            "Once merged, the bug is gone.",
        ] {
            assert_eq!(announced(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_message_may_end_with_something_under_way() {
        assert!(is_under_way("All three agents run.\n\nWaiting for results."));
        assert!(!is_under_way("I was waiting for CI. It is green now."));
    }
}
