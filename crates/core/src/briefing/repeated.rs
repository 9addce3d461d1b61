//! What the agent's last message says in the briefing needs no place in another part.

use super::fill::Filled;
use super::parts::Draft;

/// How an item begins that quotes the agent's last message.
const LAST_MESSAGE: &[&str] = &["The agent's last message", "What the agent told the user last"];
/// Parts whose items may be out of that message.
const MAY_REPEAT: &[&str] = &["decisions", "rejected", "gotchas"];
/// An item of fewer words says something by itself wherever it stands.
const LEAST_WORDS: usize = 5;

/// The words of the agent's last message, as far as they are told.
pub(super) fn last_message(filled: &[Filled]) -> Option<String> {
    let state = filled.iter().find(|part| part.draft.key == "state")?;
    let is_quote = |text: &&String| {
        let text = text.trim_start_matches("- ");
        LAST_MESSAGE.iter().any(|begins| text.starts_with(begins))
    };
    let quote = state.shown().map(|(_, text)| text).find(is_quote)?;
    let (_, said) = quote.split_once('\n')?;
    Some(words(said))
}

/// Leaves out what a message says. How many items that were.
pub(super) fn leave_out_repeated(drafts: &mut [Draft], message: &str) -> usize {
    let mut count = 0;
    for draft in drafts.iter_mut().filter(|draft| MAY_REPEAT.contains(&draft.key)) {
        let before = draft.items.len();
        draft.items.retain(|item| !is_said(&item.text, message));
        count += before - draft.items.len();
    }
    count
}

fn is_said(item: &str, message: &str) -> bool {
    let item = words(item);
    item.split(' ').count() >= LEAST_WORDS && format!(" {message} ").contains(&format!(" {item} "))
}

/// The words of a text, whatever marks stand between them.
fn words(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_said_if_all_its_words_stand_there_in_their_order() {
        let message =
            words("> **My advice:** keep the PR small.\n> - Reuse: clean\n> - Names: fine as is");
        assert!(is_said("My advice: keep the PR small. […]", &message));
        assert!(is_said("keep the PR small: Reuse: clean; Names: fine", &message));
        assert!(!is_said("keep the PR very small. Reuse: clean", &message));
        assert!(!is_said("the PR small", &message), "few words say something by themselves");
    }
}
