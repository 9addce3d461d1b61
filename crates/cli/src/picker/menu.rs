//! The small menu that a filter is chosen from.

use std::collections::BTreeMap;

use super::item::Item;

/// What is filtered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tag,
    Project,
}

/// What choosing a line does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    /// No filter.
    All,
    One(String),
    /// The handoffs of every project are to be listed.
    EveryProject,
}

/// A line of the menu.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) pick: Pick,
    pub(crate) label: String,
    /// How many handoffs have it, where that is known.
    pub(crate) count: Option<usize>,
}

/// The menu while it is open.
#[derive(Debug)]
pub(crate) struct Menu {
    pub(crate) kind: Kind,
    choices: Vec<Choice>,
    pub(crate) typed: String,
    selected: usize,
}

impl Menu {
    /// What the items have to choose from, the most frequent first; `now` is chosen already.
    pub(crate) fn new(kind: Kind, items: &[Item], wide: bool, now: Option<&str>) -> Self {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for item in items {
            match kind {
                Kind::Tag => item.tags.iter().for_each(|tag| *counts.entry(tag).or_default() += 1),
                Kind::Project => *counts.entry(&item.project).or_default() += 1,
            }
        }
        let mut found: Vec<(&str, usize)> = counts.into_iter().collect();
        found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let all = match kind {
            Kind::Tag => ("any tag", Pick::All),
            Kind::Project if wide => ("every project", Pick::All),
            Kind::Project => ("every project", Pick::EveryProject),
        };
        let count = (all.1 == Pick::All).then_some(items.len());
        let mut choices = vec![Choice { pick: all.1, label: all.0.to_owned(), count }];
        choices.extend(found.into_iter().map(|(label, count)| Choice {
            pick: Pick::One(label.to_owned()),
            label: label.to_owned(),
            count: Some(count),
        }));
        let chosen = |choice: &Choice| now.is_some_and(|now| choice.pick == Pick::One(now.into()));
        let selected = choices.iter().position(chosen).unwrap_or(0);
        Self { kind, choices, typed: String::new(), selected }
    }

    /// The lines that fit what was typed.
    pub(crate) fn shown(&self) -> Vec<&Choice> {
        let typed = self.typed.to_lowercase();
        let fits = |choice: &&Choice| choice.label.to_lowercase().contains(&typed);
        self.choices.iter().filter(fits).collect()
    }

    pub(crate) fn selected(&self) -> usize {
        self.selected.min(self.shown().len().saturating_sub(1))
    }

    pub(crate) fn picked(&self) -> Option<Pick> {
        self.shown().get(self.selected()).map(|choice| choice.pick.clone())
    }

    /// Goes down, or up if negative, and round at the ends.
    pub(crate) fn go(&mut self, lines: isize) {
        let count = self.shown().len();
        if let Ok(count) = isize::try_from(count)
            && count > 0
        {
            let at = self.selected().cast_signed() + lines;
            self.selected = at.rem_euclid(count).cast_unsigned();
        }
    }

    pub(crate) fn type_char(&mut self, c: char) {
        if self.typed.len() < 60 {
            self.typed.push(c);
            self.selected = 0;
        }
    }

    /// Takes a character back.
    pub(crate) fn backspace(&mut self) {
        self.selected = 0;
        self.typed.pop();
    }
}
