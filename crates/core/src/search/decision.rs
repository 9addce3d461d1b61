//! What a decision is about: two handoffs that decide the same thing, of which the later one holds.

use super::passage::Passage;
use super::terms::TermReader;
use crate::block::{Block, BlockKind};

/// A decision of a handoff's Key Decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The passage that it is.
    pub ordinal: usize,
    /// What it is about, as terms in order.
    pub subject: String,
}

/// The decisions of a handoff that say what they are about.
pub fn decisions(passages: &[Passage<'_>], reader: &mut TermReader) -> Vec<Decision> {
    let mut found = Vec::new();
    for passage in passages.iter().filter(|passage| passage.is_decision()) {
        let block = Block { kind: BlockKind::Item, text: passage.text };
        if let Some(subject) = subject_of(block.words(), reader) {
            found.push(Decision { ordinal: passage.ordinal, subject });
        }
    }
    found
}

/// What one decision is about, as terms in order, if it says so.
pub(crate) fn subject_of(words: &str, reader: &mut TermReader) -> Option<String> {
    subject(words).and_then(|text| key(text, reader))
}

/// What stands before a subject and is none: `Decided: …`, `Update: …`.
const LABELS: [&str; 14] = [
    "decision", "decided", "decide", "chosen", "chose", "choice", "update", "updated", "changed",
    "now", "new", "final", "agreed", "settled",
];

/// What can stand in front of many decisions that have nothing to do with each other.
const GENERAL: [&str; 52] = [
    "api",
    "apis",
    "backend",
    "build",
    "cache",
    "ci",
    "cli",
    "client",
    "code",
    "config",
    "data",
    "database",
    "db",
    "deploy",
    "docs",
    "frontend",
    "infra",
    "logging",
    "naming",
    "performance",
    "security",
    "server",
    "style",
    "test",
    "tests",
    "ui",
    "alternative",
    "alternatives",
    "also",
    "approach",
    "because",
    "bug",
    "cons",
    "context",
    "fix",
    "idea",
    "important",
    "note",
    "option",
    "options",
    "outcome",
    "plan",
    "pros",
    "rationale",
    "reason",
    "rejected",
    "result",
    "status",
    "summary",
    "todo",
    "warning",
    "why",
];

/// Verbs after which comes what was chosen, and after `for` what it was chosen for.
const CHOOSING: [&str; 22] = [
    "use", "uses", "using", "used", "chose", "choose", "chosen", "pick", "picked", "picking",
    "decided", "adopt", "adopted", "keep", "kept", "prefer", "selected", "select", "go", "going",
    "went", "settled",
];

/// Verbs after which comes what is changed, up to `from` or `to`.
const CHANGING: [&str; 10] = [
    "move", "moved", "switch", "switched", "migrate", "migrated", "change", "changed", "replace",
    "replaced",
];

/// What ends a subject.
const REASONS: [&str; 13] = [
    "because", "since", "as", "so", "instead", "over", "rather", "after", "until", "due", "to",
    "when", "and",
];

fn subject(text: &str) -> Option<&str> {
    let mut text = text.trim();
    // A label may stand before the whole.
    for _ in 0..3 {
        let (lead, rest) = lead(text)?;
        let Some(lead) = lead else { break };
        let first = lead.split_whitespace().next().unwrap_or_default().to_lowercase();
        let alone = lead.split_whitespace().count() == 1;
        if alone && GENERAL.contains(&first.as_str()) {
            return None;
        }
        let dated = lead.bytes().all(|b| b.is_ascii_digit() || b"-/. ".contains(&b));
        if dated || (alone && LABELS.contains(&first.as_str())) {
            text = rest.trim_start();
            continue;
        }
        return Some(lead);
    }
    // Of one word only a lead tells what it is about: `for now`, `for the server` do not.
    chosen_for(text).or_else(|| changed(text)).filter(|words| content_words(words) > 1)
}

/// Words that are not `the` and the like.
fn content_words(text: &str) -> usize {
    let words = text.split_whitespace().map(|word| word.to_lowercase());
    words.filter(|word| !super::stop_words::only_asks(word)).count()
}

/// What stands before a colon, dash or arrow, and what behind it.
fn lead(text: &str) -> Option<(Option<&str>, &str)> {
    if text.is_empty() {
        return None;
    }
    let line = text.lines().next().unwrap_or(text);
    let marks = [": ", ":** ", ":__ ", " — ", " – ", " -> ", " → ", " => ", " - ", " = "];
    let found = marks.iter().filter_map(|mark| Some((line.find(mark)?, mark.len()))).min();
    let Some((at, length)) = found else {
        return Some((None, text));
    };
    let lead = line[..at].trim_matches(['*', '_', '`', ' ']);
    // A whole sentence before a colon is no subject.
    if lead.is_empty() || lead.split_whitespace().count() > 7 {
        return Some((None, text));
    }
    Some((Some(lead), text[at + length..].trim_start_matches(['*', '_', ' '])))
}

/// `Use X for Y because …`: Y.
fn chosen_for(text: &str) -> Option<&str> {
    let words = Words::of(text);
    let verb = words.position(0, 6, &CHOOSING)?;
    let at = words.position(verb + 1, words.0.len(), &["for"])?;
    words.until_reason(text, at + 1)
}

/// `Moved Y from X to Z`: Y.
fn changed(text: &str) -> Option<&str> {
    let words = Words::of(text);
    let verb = words.position(0, 6, &CHANGING)?;
    let end = words.position(verb + 1, words.0.len(), &["from", "to", "with", "by"])?;
    let (first, last) = (words.0.get(verb + 1)?, words.0.get(end.checked_sub(1)?)?);
    (end > verb + 1).then(|| &text[first.0..last.1])
}

/// The words of a text, each with where it begins and ends, in lower case.
struct Words(Vec<(usize, usize, String)>);

impl Words {
    fn of(text: &str) -> Self {
        let mut at = 0;
        let words = text.split_inclusive(char::is_whitespace).map(|piece| {
            let start = at;
            at += piece.len();
            let word = piece.trim_end();
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            (start, start + word.len(), bare)
        });
        Self(words.filter(|(start, end, _)| start < end).take(64).collect())
    }

    fn position(&self, from: usize, to: usize, wanted: &[&str]) -> Option<usize> {
        let to = to.min(self.0.len());
        (from..to).find(|at| wanted.contains(&self.0[*at].2.as_str()))
    }

    /// The words from here to a reason or the end of the sentence, eight at most.
    fn until_reason<'t>(&self, text: &'t str, from: usize) -> Option<&'t str> {
        let start = self.0.get(from)?.0;
        let mut end = start;
        for (at, (_, word_end, word)) in self.0.iter().enumerate().skip(from) {
            if REASONS.contains(&word.as_str()) || at >= from + 8 {
                break;
            }
            end = *word_end;
            if text[..end].ends_with(['.', ',', ';', ':', ')', '(']) {
                break;
            }
        }
        (end > start).then(|| &text[start..end])
    }
}

/// A subject's terms, sorted: the order of its words makes no difference.
fn key(subject: &str, reader: &mut TermReader) -> Option<String> {
    let mut terms: Vec<String> = Vec::new();
    reader.read(subject, &mut |term, _, kind| {
        if kind == super::terms::TermKind::Word {
            terms.push(term.to_owned());
        }
    });
    terms.sort();
    terms.dedup();
    (!terms.is_empty()).then(|| terms.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Handoff;
    use crate::search::passages;

    fn about(item: &str) -> Option<String> {
        let source = format!(
            "---\nsegue: 1\nid: 20261115-174500-a0000001\ncreated: 2026-11-15T17:45:00Z\n---\n## Key Decisions\n\n- {item}\n"
        );
        let handoff = Handoff::parse(source).unwrap();
        let mut reader = TermReader::default();
        decisions(&passages(&handoff), &mut reader)
            .into_iter()
            .next()
            .map(|decision| decision.subject)
    }

    #[test]
    fn the_same_subject_is_found_however_it_is_put() {
        for item in [
            "**Token storage**: Redis, because it is there",
            "**Token storage:** Postgres",
            "Token storage: Redis",
            "Token storage → Postgres",
            "Token storage -> Postgres",
            "Token storage — a file",
            "Storage of tokens: Redis",
            "Use Postgres for token storage because it is durable",
            "We chose Postgres over Redis for token storage.",
            "Decided: use Postgres for the token storage, not Redis",
            "2026-11-15: Decision: token storage = Postgres",
            "Moved token storage from Redis to Postgres",
            "We are going with Redis for token storage since it expires keys",
        ] {
            assert_eq!(about(item).as_deref(), Some("storag token"), "{item}");
        }
    }

    #[test]
    fn what_says_nothing_of_its_subject_has_none() {
        for item in ["Note: be careful", "It works now", "Rejected: Redis", "", "Why: it is fast"] {
            assert_eq!(about(item), None, "{item}");
        }
        assert_ne!(about("Token format: JWT"), about("Token storage: Redis"));
    }

    proptest::proptest! {
        #[test]
        fn any_item_is_read(item in "[a-z:*→ ,.é-]{0,60}") {
            about(&item);
        }
    }
}
