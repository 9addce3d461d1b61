//! What a session has to say, with the rank of each thing.

use super::repeated::Later;
use super::reports::Reports;
use super::status::{Standing, standing};
use super::story::EARLIER;
use super::{DistilRequest, Item, Section, Words, one_line, quoted};
use crate::session::{Session, is_strict};
use crate::{ItemSource, StandingRule};

/// Bytes of a constraint.
const SENTENCE: usize = 400;
/// Sentences that take rules back.
const TAKEN_BACK: usize = 8;

/// Ranks: what must not be missing has the lowest.
pub(super) mod rank {
    pub(in crate::distil) const OPEN: u8 = 0;
    pub(in crate::distil) const CONTEXT: u8 = 1;
    pub(in crate::distil) const CONSTRAINT: u8 = 2;
    pub(in crate::distil) const BROKEN: u8 = 3;
    pub(in crate::distil) const EDITED: u8 = 4;
    pub(in crate::distil) const COMMIT: u8 = 5;
    pub(in crate::distil) const WORK: u8 = 6;
    pub(in crate::distil) const CONCLUSION: u8 = 7;
    pub(in crate::distil) const DECIDED: u8 = 8;
    pub(in crate::distil) const FINDING: u8 = 9;
    pub(in crate::distil) const WARNING: u8 = 10;
    pub(in crate::distil) const STATE: u8 = 11;
    pub(in crate::distil) const TURN: u8 = 12;
    pub(in crate::distil) const SUMMARY: u8 = 13;
    pub(in crate::distil) const SAID: u8 = 14;
    pub(in crate::distil) const READ: u8 = 15;
}

/// The last rank of what must not be missing.
pub(super) const LAST_VITAL: u8 = rank::COMMIT;

/// The share of all tokens, in percent, that things of a rank have for themselves.
pub(super) fn share(rank: u8) -> usize {
    match rank {
        rank::CONTEXT => 15,
        rank::OPEN => 15,
        rank::CONSTRAINT => 20,
        rank::BROKEN => 10,
        rank::EDITED => 20,
        rank::COMMIT => 10,
        _ => 0,
    }
}

/// What several things are judged by, looked at once.
pub(super) struct Shared {
    pub(super) reports: Reports,
    pub(super) later: Later,
}

pub(super) struct Items<'s> {
    pub(super) session: &'s Session,
    pub(super) shared: &'s Shared,
    pub(super) root: Option<&'s str>,
    pub(super) words: Words,
    all: Vec<Item>,
}

/// What is to be said of a session, as far as it is the same whatever room there is.
pub(super) struct Gathered<'s> {
    session: &'s Session,
    root: Option<&'s str>,
    standing: Standing,
    shared: Shared,
    open: Vec<Item>,
    findings: Vec<Item>,
}

impl<'s> Gathered<'s> {
    pub(super) fn new(session: &'s Session, request: &DistilRequest<'s>) -> Self {
        let root = request.root.or(session.began_in.as_deref());
        let standing = standing(session);
        let shown = session.prompts.len().saturating_sub(1 + EARLIER);
        let shared = Shared { reports: Reports::of(session), later: Later::of(session, shown) };
        let (open, findings) = (Vec::new(), Vec::new());
        let mut gathered = Self { session, root, standing, shared, open, findings };
        gathered.open = gathered.open_steps(Words::All);
        let mut items = gathered.empty(Words::All);
        items.findings();
        gathered.findings = items.all;
        gathered
    }

    fn empty(&self, words: Words) -> Items<'_> {
        let Self { session, root, shared, .. } = self;
        Items { session, shared, root: *root, words, all: Vec::new() }
    }

    fn open_steps(&self, words: Words) -> Vec<Item> {
        let mut items = self.empty(words);
        items.next(&self.standing);
        items.keep_lines_of_requests();
        items.all
    }

    /// All of it, in so many words.
    pub(super) fn items(&self, words: Words) -> Vec<Item> {
        let open = match words {
            Words::Fewest => self.open_steps(words),
            _ => self.open.clone(),
        };
        let mut items = self.empty(words);
        let is_open = open.iter().any(|item| item.section == Section::Next);
        items.state(&self.standing, is_open);
        items.all.extend(open);
        items.constraints();
        items.all.extend(self.findings.iter().cloned());
        items.checks();
        items.files();
        items.all
    }
}

impl Items<'_> {
    pub(super) fn all_mut(&mut self) -> &mut [Item] {
        &mut self.all
    }

    pub(super) fn add(&mut self, section: Section, rank: u8, text: String) {
        self.all.push(Item {
            section,
            rank,
            text,
            details: Vec::new(),
            label: None,
            is_inferred: false,
            count: 1,
            source: ItemSource::Agent,
        });
    }

    /// Adds what the user said to hold: the one kind of thing that is told as the user's own words.
    fn add_rule(&mut self, rule: &StandingRule) {
        let text = match self.words {
            Words::Fewest => one_line(&rule.text, 200),
            _ => quoted(&rule.text, SENTENCE),
        };
        // Where it was said is what makes it the user's rule when an older version reads the file.
        let at = match rule.record {
            0 => "earlier".to_owned(),
            record => format!("#{record}"),
        };
        self.add(Section::Constraints, rank::CONSTRAINT, format!("{text} *(declared {at})*"));
        // What holds from before comes from the store and not from the transcript.
        self.comes_from(if rule.record == 0 { ItemSource::User } else { self.typed() });
    }

    /// Whose words those are that the transcript calls the user's.
    fn typed(&self) -> ItemSource {
        match self.session.is_unproven {
            true => ItemSource::Agent,
            false => ItemSource::User,
        }
    }

    /// Adds what a tool printed.
    pub(super) fn add_printed(&mut self, section: Section, rank: u8, text: String) {
        self.add(section, rank, text);
        self.comes_from(ItemSource::Tool);
    }

    /// The last thing is in words of this source.
    pub(super) fn comes_from(&mut self, source: ItemSource) {
        self.all.iter_mut().next_back().into_iter().for_each(|last| last.source = source);
    }

    /// Adds something that follows from what was seen.
    pub(super) fn infer(&mut self, section: Section, rank: u8, text: String) {
        self.add(section, rank, text);
        self.all.iter_mut().next_back().into_iter().for_each(|last| last.is_inferred = true);
    }

    /// Adds lines below the last thing.
    pub(super) fn detail(&mut self, detail: String) {
        self.all
            .iter_mut()
            .next_back()
            .into_iter()
            .for_each(|last| last.details.push(detail.clone()));
    }

    /// The last thing stands below a label.
    pub(super) fn label(&mut self, label: &'static str) {
        self.all.iter_mut().next_back().into_iter().for_each(|last| last.label = Some(label));
    }

    /// The last thing says so many.
    pub(super) fn counts(&mut self, count: usize) {
        self.all.iter_mut().next_back().into_iter().for_each(|last| last.count = count);
    }

    /// How much is said, by how many words there are room for.
    pub(super) fn at_most(&self, many: usize, few: usize, fewest: usize) -> usize {
        match self.words {
            Words::All | Words::Most | Words::Many => many,
            Words::Few => few,
            Words::Fewest => fewest,
        }
    }

    fn constraints(&mut self) {
        // The newest first: it is what holds if two contradict, and it is told if not all can be.
        // What forbids or orders outright comes before what only may.
        let said = self.session.constraints.iter().rev();
        let (strict, other): (Vec<_>, Vec<_>) = said.partition(|said| is_strict(&said.text));
        for rule in strict.into_iter().chain(other) {
            self.add_rule(rule);
        }
        for said in self.session.taken_back.iter().rev().take(TAKEN_BACK) {
            let text = format!("{} *(declared #{})*", quoted(&said.text, SENTENCE), said.record);
            self.add(Section::TakenBack, rank::CONSTRAINT, text);
            self.comes_from(self.typed());
        }
    }
}
