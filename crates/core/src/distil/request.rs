//! A request as it is told: in the user's own words, with its lines, and with the question that a bare answer is to.

use super::announced::is_under_way;
use super::gather::Items;
use super::status::closing_proposal;
use super::{REQUEST_INDENT, one_line, quoted};
use crate::code_span;
use crate::section::list_item;
use crate::session::{Prompt, PromptWay, Said, kind_of_paste, own_words, without_data};

/// Bytes of a request among the next steps.
const STEP: usize = 500;
/// Bytes of the question that a bare answer is to.
const QUESTION: usize = 200;
/// An answer of so many words and bytes says nothing without its question.
const BARE_WORDS: usize = 3;
const BARE: usize = 24;
/// A message to a machine that is so many times as long as what the user was told reports to the user.
const REPORTS: usize = 4;
/// What is left of a line has to have so many bytes.
const LEAST: usize = 12;
/// Stands behind a rule that the user took back.
const TAKEN_BACK: &str = " *(taken back)*";
/// Blanks before a line that are kept.
const INDENT: usize = 6;
/// Bytes of the line with which data begins.
const FIRST_LINE: usize = 60;
/// Bytes that were pasted and are worth to be told of.
const PASTED: usize = 200;

impl Items<'_> {
    /// The request at a place. All its lines are kept, or only those of a list.
    pub(super) fn request(&self, at: usize, most: usize, keeps_lines: bool) -> String {
        let prompt = &self.session.prompts[at];
        let own = own_words(&prompt.text);
        let (words, data) = match keeps_lines {
            true => (own.text.clone(), None),
            false => without_data(&own.text),
        };
        let mut text = match keeps_lines || has_list(&words) {
            true => quoted_lines(&words, most),
            false => quoted(&words, most),
        };
        self.mark_rules_taken_back(prompt, &mut text);
        if let Some(question) = self.question_before(at, &own.text) {
            text.push_str(&format!(", to {}", quoted(&question, QUESTION)));
        }
        if own.pasted > PASTED {
            let kind = kind_of_paste(&own.sample);
            text.push_str(&format!(" (pasted {kind} of {} left out)", size(own.pasted)));
        }
        if let Some(data) = data {
            let first = code_span(&one_line(&data.first, FIRST_LINE));
            let size = size(data.bytes);
            text.push_str(&format!(" (pasted {} of {size} left out, from {first})", data.kind));
        }
        text
    }

    /// Says behind each rule of a request that the user took it back later.
    fn mark_rules_taken_back(&self, prompt: &Prompt, text: &mut String) {
        let rules = self.session.taken_back.iter().flat_map(|said| &said.rules);
        for rule in rules.filter(|rule| rule.record == prompt.record) {
            let shown = one_line(&rule.text, rule.text.len());
            if let Some(at) = text.find(&shown) {
                text.insert_str(at + shown.len(), TAKEN_BACK);
            }
        }
    }

    /// The question to which a request is a bare answer, such as `A`.
    fn question_before(&self, at: usize, own: &str) -> Option<String> {
        let is_bare = own.len() <= BARE
            && own.split_whitespace().count() <= BARE_WORDS
            && self.session.prompts[at].way == PromptWay::Typed;
        let before = at.checked_sub(1).filter(|_| is_bare)?;
        let (told, _) = answers(&self.session.prompts[before]);
        closing_proposal(&told?.text, QUESTION)
    }

    /// Gives the requests among what was added so far their lines.
    pub(super) fn keep_lines_of_requests(&mut self) {
        let session = self.session;
        let prompts = session.prompts.iter().rev().take(8).map(|prompt| &prompt.text);
        for text in prompts.chain(session.waiting.iter().map(|said| &said.text)) {
            let own = own_words(text).text;
            if own.trim().contains('\n') {
                let (flat, lines) = (quoted(&own, STEP), quoted_lines(&own, STEP));
                for item in self.all_mut().iter_mut().filter(|item| item.text.ends_with(&flat)) {
                    item.text.truncate(item.text.len() - flat.len());
                    item.text.push_str(&lines);
                }
            }
        }
    }
}

/// What the agent told the user in a turn, and what it said after that to a machine. Where the work of the turn goes on
/// after that, or is reported only then, its newest message is what it tells the user.
pub(super) fn answers(prompt: &Prompt) -> (Option<&Said>, Option<&Said>) {
    let newest = prompt.answer.as_ref();
    let both = prompt.told_user.as_ref().zip(newest);
    match both.filter(|(told, newest)| newest.record > told.record && prompt.is_handled()) {
        Some((told, newest))
            if !is_under_way(&told.text) && newest.text.len() < told.text.len() * REPORTS =>
        {
            (Some(told), Some(newest))
        }
        _ => (newest, None),
    }
}

/// What somebody said, in quotes: its lines, those below the first one indented, at most so many bytes.
fn quoted_lines(text: &str, most: usize) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() < 2 {
        return quoted(text, most);
    }
    let mut out = String::from("“");
    let mut used = 0;
    for (at, line) in lines.iter().enumerate() {
        let room = most.saturating_sub(used);
        if room < LEAST {
            out.push_str(" […]");
            break;
        }
        if at > 0 {
            let indent = line.len() - line.trim_start_matches(' ').len();
            out.push('\n');
            out.push_str(REQUEST_INDENT);
            out.push_str(&" ".repeat(indent.min(INDENT)));
        }
        out.push_str(&one_line(line, room));
        used += line.trim().len() + 1;
    }
    out.push('”');
    out
}

fn has_list(text: &str) -> bool {
    text.lines().filter(|line| list_item(line.trim_start()).is_some()).count() > 1
}

fn size(bytes: usize) -> String {
    if bytes < 1_000 { format!("{bytes} bytes") } else { format!("{} kB", bytes / 1_000) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_keeps_its_lines_within_its_bytes() {
        assert_eq!(quoted_lines("Fix it", 100), "“Fix it”");
        let list = "Please:\n\n1. rename\n   - all\n2. delete it";
        assert_eq!(
            quoted_lines(list, 100),
            "“Please:\n    1. rename\n       - all\n    2. delete it”"
        );
        assert_eq!(quoted_lines(list, 30), "“Please:\n    1. rename\n       - all […]”");
        assert!(quoted_lines(&"a line of it\n".repeat(90), 300).len() < 450);
        assert_eq!(quoted_lines("Do it\n## Now\n", 100), "“Do it\n    ## Now”");
    }
}
