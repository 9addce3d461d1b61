//! Files that a briefing mentions as `@path`, for agents that read such a file when it stands in a prompt. Only what Segue
//! itself wrote is a mention: one in anybody's text is broken, or it would have a file read that nobody asked for.

use super::Facts;
use super::parts::Draft;

/// Stands for the sign of a mention of our own until the text is made. No text has it: control characters are made
/// visible before.
const OWN: char = '\u{1}';

/// A mention of our own.
pub(super) fn own_mention(path: &str) -> String {
    format!("{OWN}{path}")
}

/// A text in which nothing but our own mentions is one, for an agent that takes any.
pub(super) fn without_mentions(facts: &Facts<'_>, text: String) -> String {
    if !facts.conventions.mentions || !text.contains('@') {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        if c == '@' && chars.peek().is_some_and(|next| !next.is_whitespace()) {
            out.push(' ');
        }
    }
    out
}

/// The same for all that belongs into a part.
pub(super) fn break_mentions(facts: &Facts<'_>, draft: &mut Draft) {
    for item in &mut draft.items {
        item.text = without_mentions(facts, std::mem::take(&mut item.text));
        item.label = item.label.take().map(|label| without_mentions(facts, label));
    }
}

/// Writes our own mentions.
pub(super) fn with_own(text: &str) -> String {
    text.replace(OWN, "@")
}
