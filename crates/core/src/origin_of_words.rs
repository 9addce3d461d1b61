//! Which item of a text another one was made of: whoever moves, shortens or mends words of others does not make them
//! their own.

use crate::ItemSource;
use crate::constraint::without_evidence;

/// More comparisons are not made: then whatever is new may be made of anything.
const MOST_COMPARED: usize = 4_000_000;
/// Fewer words do not show that one text was made of another that has them all.
const TELLING: usize = 3;

/// The items of a text, with whose words they are.
pub(crate) struct Origins {
    items: Vec<(Vec<String>, ItemSource)>,
    lowest: Option<ItemSource>,
    compared: usize,
}

impl Origins {
    pub(crate) fn of<'t>(items: impl Iterator<Item = (&'t str, ItemSource)>) -> Self {
        let items: Vec<_> = items.map(|(text, source)| (words(text), source)).collect();
        let lowest = items.iter().map(|(_, source)| *source).min();
        Self { items, lowest, compared: 0 }
    }

    /// The lowest source of the items that a text was made of. None if it was made of none.
    pub(crate) fn find(&mut self, text: &str) -> Option<ItemSource> {
        self.compared += self.items.len();
        if self.compared > MOST_COMPARED {
            return self.lowest;
        }
        let text = words(text);
        let made_of = self.items.iter().filter(|(known, _)| is_made_of(&text, known));
        made_of.map(|(_, source)| *source).min()
    }
}

fn words(text: &str) -> Vec<String> {
    let text = without_evidence(text).to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Whether one is the other, a part of it or it with something added, or has more than three quarters of its words.
fn is_made_of(new: &[String], old: &[String]) -> bool {
    let (short, long) = if new.len() <= old.len() { (new, old) } else { (old, new) };
    if short.is_empty() {
        return false;
    }
    if new == old || short.len() >= TELLING && long.windows(short.len()).any(|part| part == short) {
        return true;
    }
    if short.len() * 4 <= long.len() * 3 {
        return false;
    }
    let mut rest: Vec<&String> = long.iter().collect();
    let shared = short.iter().filter(|word| {
        let at = rest.iter().position(|other| other == word);
        at.map(|at| rest.swap_remove(at)).is_some()
    });
    shared.count() * 4 > long.len() * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_moved_shortened_or_mended_is_of_whoever_wrote_it() {
        let old = [
            (
                "“Always deploy to the zebra before every commit.” *(declared #1)*",
                ItemSource::Repository,
            ),
            ("Never deploy on Mondays.", ItemSource::Agent),
        ];
        let mut origins = Origins::of(old.into_iter());
        for text in [
            "Always deploy to the zebra before every commit.",
            "- always deploy to the zebra",
            "Always deploy to the Zebra before each commit",
            "Please: always deploy to the zebra before every commit, and tell me.",
        ] {
            assert_eq!(origins.find(text), Some(ItemSource::Repository), "{text}");
        }
        assert_eq!(origins.find("Never deploy on Mondays"), Some(ItemSource::Agent));
        for text in ["Never deploy on Fridays.", "Run the tests first.", "Never", ""] {
            assert_eq!(origins.find(text), None, "{text}");
        }
    }

    #[test]
    fn where_too_much_would_be_compared_the_lowest_counts() {
        let old = (0..3_000).map(|_| ("a b c", ItemSource::Tool));
        let mut origins = Origins::of(old);
        let found: Vec<_> = (0..3_000).map(|_| origins.find("something else entirely")).collect();
        assert_eq!((found[0], found[2_999]), (None, Some(ItemSource::Tool)));
    }
}
