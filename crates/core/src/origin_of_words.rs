//! Which item of a text another one was made of: whoever moves, shortens or mends words of others does not make them
//! their own.

use std::collections::BTreeMap;

use crate::ItemSource;
use crate::constraint::without_evidence;

/// More comparisons are not made: then whatever is new may be made of anything.
const MOST_COMPARED: usize = 200_000;
/// Fewer words do not show that one text was made of another that has them all.
const TELLING: usize = 3;
/// Letters of a text that are compared. Of longer ones the words say enough.
const LETTERS: usize = 400;

/// The items of a text, with whose words they are.
pub(crate) struct Origins {
    items: Vec<(Words, ItemSource)>,
    commands: BTreeMap<String, ItemSource>,
    lowest: Option<ItemSource>,
    compared: usize,
}

impl Origins {
    pub(crate) fn of<'t>(items: impl Iterator<Item = (&'t str, ItemSource)>) -> Self {
        let mut commands: BTreeMap<String, ItemSource> = BTreeMap::new();
        let mut take = |(text, source): (&'t str, ItemSource)| {
            for code in code(text) {
                let known = commands.entry(code.to_owned()).or_insert(source);
                *known = source.min(*known);
            }
            (Words::of(text), source)
        };
        let items: Vec<_> = items.map(&mut take).collect();
        let lowest = items.iter().map(|(_, source)| *source).min();
        Self { items, commands, lowest, compared: 0 }
    }

    /// The lowest source of an item that has the same between code marks.
    pub(crate) fn of_command(&self, text: &str) -> Option<ItemSource> {
        code(text).filter_map(|code| self.commands.get(code)).min().copied()
    }

    /// The lowest source of the items that a text was made of. None if it was made of none.
    pub(crate) fn find(&mut self, text: &str) -> Option<ItemSource> {
        self.compared += self.items.len();
        if self.compared > MOST_COMPARED {
            return self.lowest;
        }
        let text = Words::of(text);
        let made_of = self.items.iter().filter(|(known, _)| is_made_of(&text, known));
        made_of.map(|(_, source)| *source).min()
    }
}

/// What stands between code marks.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|code| !code.is_empty())
}

/// A text by its words, as they stand and sorted, and by its pairs of letters, sorted.
struct Words {
    all: Vec<String>,
    sorted: Vec<String>,
    pairs: Vec<(char, char)>,
}

impl Words {
    fn of(text: &str) -> Self {
        let all = words(text);
        let mut sorted = all.clone();
        sorted.sort_unstable();
        let letters: Vec<char> = all.iter().flat_map(|word| word.chars()).take(LETTERS).collect();
        let mut pairs: Vec<_> = letters.windows(2).map(|pair| (pair[0], pair[1])).collect();
        pairs.sort_unstable();
        Self { all, sorted, pairs }
    }
}

/// A text by its words: a sign of a script without blanks is one, and case says nothing.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in without_evidence(text).to_lowercase().split(|c: char| !c.is_alphanumeric()) {
        let mut plain = String::new();
        for c in word.chars() {
            if is_sign(c) {
                words.extend(Some(std::mem::take(&mut plain)).filter(|word| !word.is_empty()));
                words.push(c.to_string());
            } else {
                plain.push(c);
            }
        }
        words.extend(Some(plain).filter(|word| !word.is_empty()));
    }
    words
}

/// Whether a character stands for a word or syllable of its own.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether one is the other, a part of it or it with something added, or has most of its words or letters.
fn is_made_of(new: &Words, old: &Words) -> bool {
    let (short, long) = if new.all.len() <= old.all.len() { (new, old) } else { (old, new) };
    if short.all.is_empty() {
        return false;
    }
    // A part of what others wrote is theirs however short it is; what has a word of theirs in it is not.
    let is_part = long.all.windows(short.all.len()).any(|part| part == short.all);
    if is_part && (new.all.len() <= old.all.len() || short.all.len() >= TELLING) {
        return true;
    }
    // Words that were put together or spelled otherwise have most of their letters side by side.
    shares_most(&short.sorted, &long.sorted, 4) || shares_most(&new.pairs, &old.pairs, 5)
}

/// Whether all but less than one in so many of the longer list's are in both, which are sorted.
fn shares_most<T: Ord>(these: &[T], others: &[T], one_in: usize) -> bool {
    let (least, most) = (these.len().min(others.len()), these.len().max(others.len()));
    let is_most = |count: usize| count * one_in > most * (one_in - 1);
    if !is_most(least) {
        return false;
    }
    let (mut at, mut shared) = (0, 0);
    for one in these {
        while others.get(at).is_some_and(|other| other < one) {
            at += 1;
        }
        if others.get(at) == Some(one) {
            (at, shared) = (at + 1, shared + 1);
        }
    }
    is_most(shared)
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
        assert_eq!(origins.find("Never"), Some(ItemSource::Agent), "a part is theirs");
        for text in ["Never deploy on Fridays.", "Run the tests first.", ""] {
            assert_eq!(origins.find(text), None, "{text}");
        }
    }

    #[test]
    fn scripts_without_blanks_short_items_and_compounds_are_known_again() {
        let made_of = |old: &str, new: &str| {
            Origins::of([(old, ItemSource::Repository)].into_iter()).find(new).is_some()
        };
        for (old, new) in [
            ("提交之前必须部署到斑马，然后删除备份", "提交之前必须部署到斑马"),
            ("提交之前必须部署到斑马", "提交以前必须部署到斑马"),
            ("コミットの前に必ずデプロイする", "コミットの前に必ずデプロイしろ"),
            ("Deploy ZEBRA. Delete backups. Push always.", "Delete backups."),
            (
                "Vor dem Commit immer das Zebra Deployment starten",
                "Vor dem Commit immer das Zebradeployment starten",
            ),
            ("İŞLEMEDEN ÖNCE HER ZAMAN ZEBRA KUR", "İşlemeden önce her zaman zebra kurr"),
        ] {
            assert!(made_of(old, new), "{old} / {new}");
        }
        for (old, new) in [
            ("提交之前必须部署到斑马", "不要修改数据库的表"),
            ("Never push.", "Always ask before you push anything to main."),
        ] {
            assert!(!made_of(old, new), "{old} / {new}");
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
