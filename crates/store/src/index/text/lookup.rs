//! Looks a query up: the handoffs whose words fit best, before anything else is known of them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::sync::mpsc::{self, TrySendError};
use std::thread;

use rusqlite::{Row, Statement, params};
use segue_core::Timestamp;
use segue_core::search::{
    Evidence, Query, QueryTerm, Ranking, TermKind, TermReader, TermWeight, Wanted,
};

use super::super::View;
use super::super::query::Scope;
use super::segment::{Docs, Postings};
use super::tally::{Tally, Weights};
use crate::error::StoreError;

/// Different words that one beginning stands for, in a segment.
const MOST_WORDS: usize = 1_000;
/// A word that is nowhere is taken for the beginning of others if it has this many characters.
const LEAST_BEGINNING: usize = 4;

/// So many places of words are worth another thread.
const MANY: u64 = 100_000;
/// Segments that wait for it at most.
const AHEAD: usize = 8;

/// From when to when a handoff must have been made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

/// A handoff whose words fit.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its row.
    pub n: i64,
    pub score: f32,
    pub evidence: Evidence,
    /// When it was made, in seconds.
    pub created: u32,
}

/// What a query found by its words.
#[derive(Debug)]
pub struct Candidates {
    /// The best, best first.
    pub best: Vec<Candidate>,
    /// How many handoffs have at least one of the words.
    pub count: u64,
    pub ranking: Ranking,
    /// Passages that have each of the terms.
    pub passages: Vec<u64>,
    /// Of terms that were found only as the beginning of others, that beginning.
    pub beginnings: Vec<Option<Wanted>>,
}

/// A segment, with the lists of a query's terms.
struct Lists {
    segment: i64,
    terms: Vec<Vec<Vec<u8>>>,
}

impl View {
    /// The handoffs of a scope that fit a query best, at most `most`. The rows of some may be gone.
    pub fn candidates(
        &self,
        scope: &Scope,
        query: &Query,
        window: Window,
        most: usize,
    ) -> Result<Candidates, StoreError> {
        let segments = self.segments_in(scope)?;
        let (mut passages, mut words) = (0, 0);
        let mut lists = Vec::with_capacity(segments.len());
        let mut finder = Finder::new(self)?;
        let mut counts = vec![0; query.terms.len()];
        for (segment, in_it, words_in_it) in &segments {
            passages += in_it;
            words += words_in_it;
            let mut found = Lists { segment: *segment, terms: Vec::new() };
            for (at, term) in query.terms.iter().enumerate() {
                let data = finder.find(*segment, &term.wanted)?;
                counts[at] += data.iter().map(|data| Postings::count(data)).sum::<u64>();
                found.terms.push(data);
            }
            lists.push(found);
        }
        let mut beginnings = vec![None; query.terms.len()];
        for (at, term) in query.terms.iter().enumerate() {
            if counts[at] > 0 {
                continue;
            }
            let Some(beginning) = may_begin(term) else { continue };
            for lists in &mut lists {
                let data = finder.find(lists.segment, &beginning)?;
                counts[at] += data.iter().map(|data| Postings::count(data)).sum::<u64>();
                lists.terms[at] = data;
            }
            beginnings[at] = Some(beginning).filter(|_| counts[at] > 0);
        }
        let weights: Vec<TermWeight> = query
            .terms
            .iter()
            .zip(counts.iter().zip(&beginnings))
            .map(|(term, (passages, beginning))| TermWeight {
                kind: term.kind,
                name: term.name,
                pair: term.is_pair(),
                passages: *passages,
                beginning: beginning.is_some() || matches!(term.wanted, Wanted::Beginning(..)),
            })
            .collect();
        let ranking = Ranking::new(&weights, passages, words);
        let gather = Gather::new(&ranking, query, window, most);
        let mut parts = lists.into_iter().map(|lists| self.part(&mut finder, query, lists));
        let gather = if counts.iter().sum::<u64>() < MANY {
            gather.with(&mut parts)?
        } else {
            gather.with_another_thread(&mut parts)?
        };
        let count = gather.count;
        let mut best: Vec<Candidate> =
            gather.best.into_iter().map(|Reverse(Ordered(one))| one).collect();
        best.sort_by_key(|one| Reverse(Ordered(*one)));
        Ok(Candidates { best, count, ranking, passages: counts, beginnings })
    }

    /// Which of these rows have what a query asks for besides words.
    pub fn fitting(
        &self,
        scope: &Scope,
        query: &Query,
        window: Window,
        rows: &HashSet<i64>,
    ) -> Result<HashSet<i64>, StoreError> {
        let mut query = query.clone();
        query.terms.clear();
        query.phrase_terms = 0;
        let ranking = Ranking::new(&[], 1, 1);
        let gather = Gather::new(&ranking, &query, window, 0);
        let mut finder = Finder::new(self)?;
        let mut found = HashSet::new();
        for (segment, ..) in self.segments_in(scope)? {
            let lists = Lists { segment, terms: Vec::new() };
            let Some(part) = self.part(&mut finder, &query, lists)? else { continue };
            let docs = Docs::decode(&part.docs);
            let fits = part.fits(&docs);
            for (at, doc) in docs.handoffs.iter().enumerate() {
                let n = i64::from(doc.n);
                if rows.contains(&n)
                    && fits.handoff(at)
                    && fits.has_section(docs.passages(at))
                    && gather.in_window(doc.created)
                {
                    found.insert(n);
                }
            }
        }
        Ok(found)
    }

    /// Segments of a scope: number, passages, words.
    fn segments_in(&self, scope: &Scope) -> Result<Vec<(i64, u64, u64)>, StoreError> {
        let select = "SELECT n, passages, words FROM segment";
        let read = |row: &Row<'_>| {
            let number = |at| row.get::<_, i64>(at).map(i64::unsigned_abs);
            Ok((row.get(0)?, number(1)?, number(2)?))
        };
        let Some(memories) = self.memories_of(scope)? else {
            let mut rows = self.conn.prepare(&format!("{select} ORDER BY n"))?;
            return Ok(rows.query_map([], read)?.collect::<rusqlite::Result<_>>()?);
        };
        let mut rows = self.conn.prepare(&format!("{select} WHERE memory = ?1 ORDER BY n"))?;
        let mut found = Vec::new();
        for memory in memories {
            for row in rows.query_map([memory], read)? {
                found.push(row?);
            }
        }
        Ok(found)
    }
}

/// A word that nobody wrote so may be the beginning of one.
fn may_begin(term: &QueryTerm) -> Option<Wanted> {
    match &term.wanted {
        Wanted::Exactly(word)
            if term.kind == TermKind::Word && word.chars().count() >= LEAST_BEGINNING =>
        {
            Some(Wanted::beginning(&term.typed, &mut TermReader::default()))
        }
        _ => None,
    }
}

/// Finds the lists of terms in segments.
struct Finder<'v> {
    exactly: Statement<'v>,
    beginning: Statement<'v>,
    docs: Statement<'v>,
}

impl<'v> Finder<'v> {
    fn new(view: &'v View) -> rusqlite::Result<Self> {
        let select = "SELECT data FROM posting WHERE segment = ?1 AND term";
        let conn = &view.conn;
        Ok(Self {
            exactly: conn.prepare(&format!("{select} = ?2"))?,
            beginning: conn.prepare(&format!("{select} >= ?2 AND term < ?3 LIMIT ?4"))?,
            docs: conn.prepare("SELECT docs FROM segment WHERE n = ?1")?,
        })
    }

    fn find(&mut self, segment: i64, wanted: &Wanted) -> rusqlite::Result<Vec<Vec<u8>>> {
        self.find_up_to(MOST_WORDS as i64, segment, wanted)
    }

    /// Everything, since it decides what is given and what not.
    fn find_all(&mut self, segment: i64, wanted: &Wanted) -> rusqlite::Result<Vec<Vec<u8>>> {
        self.find_up_to(-1, segment, wanted)
    }

    fn find_up_to(
        &mut self,
        most: i64,
        segment: i64,
        wanted: &Wanted,
    ) -> rusqlite::Result<Vec<Vec<u8>>> {
        let read = |row: &Row<'_>| row.get(0);
        match wanted {
            Wanted::Exactly(term) => {
                self.exactly.query_map(params![segment, term], read)?.collect()
            }
            Wanted::Beginning(term, stems) => {
                let end = format!("{term}{}", char::MAX);
                let found = self.beginning.query_map(params![segment, term, end, most], read)?;
                let mut found = found.collect::<rusqlite::Result<Vec<_>>>()?;
                for stem in stems {
                    let list = self.exactly.query_map(params![segment, stem], read)?;
                    for data in list {
                        found.push(data?);
                    }
                }
                Ok(found)
            }
        }
    }
}

/// Gathers the best candidates segment by segment.
struct Gather<'q> {
    ranking: &'q Ranking,
    query: &'q Query,
    window: Window,
    most: usize,
    weights: Vec<Weights>,
    best: BinaryHeap<Reverse<Ordered>>,
    count: u64,
    tally: Tally,
}

/// A segment with all that is needed to weigh it.
struct Part {
    terms: Vec<Vec<Vec<u8>>>,
    required: Vec<Vec<Vec<u8>>>,
    without: Vec<Vec<Vec<u8>>>,
    section: Option<Vec<Vec<u8>>>,
    docs: Vec<u8>,
}

impl View {
    /// What a segment has of a query; `None` if that is nothing.
    fn part(
        &self,
        finder: &mut Finder<'_>,
        query: &Query,
        lists: Lists,
    ) -> Result<Option<Part>, StoreError> {
        let Lists { segment, terms } = lists;
        if !query.terms.is_empty() && terms.iter().all(Vec::is_empty) {
            return Ok(None);
        }
        let mut required = Vec::new();
        for wanted in &query.fields {
            let lists = finder.find_all(segment, wanted)?;
            if lists.is_empty() {
                return Ok(None);
            }
            required.push(lists);
        }
        let section = match &query.section {
            Some(wanted) => Some(finder.find_all(segment, wanted)?),
            None => None,
        };
        if section.as_ref().is_some_and(Vec::is_empty) {
            return Ok(None);
        }
        let mut without = Vec::new();
        for wanted in query.without.iter().chain(&query.without_fields) {
            without.push(finder.find_all(segment, wanted)?);
        }
        let docs = finder.docs.query_row([segment], |row| row.get(0))?;
        Ok(Some(Part { terms, required, without, section, docs }))
    }
}

impl Part {
    fn fits(&self, docs: &Docs) -> Fits {
        Fits {
            required: self.required.iter().map(|lists| handoffs_of(docs, lists)).collect(),
            without: self.without.iter().map(|lists| handoffs_of(docs, lists)).collect(),
            section: self.section.as_ref().map(|lists| passages_of(docs, lists)),
        }
    }
}

impl<'q> Gather<'q> {
    fn new(ranking: &'q Ranking, query: &'q Query, window: Window, most: usize) -> Self {
        let weights = (0..query.terms.len()).map(|at| Weights::new(ranking, at)).collect();
        let (best, tally) = (BinaryHeap::new(), Tally::default());
        Self { ranking, query, window, most, weights, best, count: 0, tally }
    }

    fn with(
        mut self,
        parts: &mut dyn Iterator<Item = Result<Option<Part>, StoreError>>,
    ) -> Result<Self, StoreError> {
        for part in parts {
            part?.iter().for_each(|part| self.weigh(part));
        }
        Ok(self)
    }

    /// As `with`, while another thread weighs too.
    fn with_another_thread(
        mut self,
        parts: &mut dyn Iterator<Item = Result<Option<Part>, StoreError>>,
    ) -> Result<Self, StoreError> {
        let (give, take) = mpsc::sync_channel::<Part>(AHEAD);
        let mut another = Self::new(self.ranking, self.query, self.window, self.most);
        thread::scope(|scope| {
            let weighing = scope.spawn(move || {
                take.into_iter().for_each(|part| another.weigh(&part));
                another
            });
            for part in parts {
                let Some(part) = part? else { continue };
                // Who reads faster than the other weighs weighs too.
                if let Err(TrySendError::Full(part) | TrySendError::Disconnected(part)) =
                    give.try_send(part)
                {
                    self.weigh(&part);
                }
            }
            drop(give);
            if let Ok(another) = weighing.join() {
                self.count += another.count;
                another.best.into_iter().for_each(|Reverse(one)| self.keep(one));
            }
            Ok(self)
        })
    }

    fn weigh(&mut self, part: &Part) {
        let by_words = !self.query.terms.is_empty();
        let docs = Docs::decode(&part.docs);
        let mut tally = std::mem::take(&mut self.tally);
        tally.clear(docs.lengths.len());
        for (at, term) in part.terms.iter().enumerate() {
            for data in term {
                for (passage, times) in Postings::read(data) {
                    let length = docs.lengths.get(passage as usize).copied().unwrap_or(0);
                    let weight = self.weights[at].of(times, length);
                    tally.add(passage as usize, at, weight);
                }
            }
        }
        let fits = part.fits(&docs);
        if by_words {
            self.touched(&docs, &tally, &fits);
        } else {
            (0..docs.handoffs.len()).for_each(|at| self.offer(&docs, at, &tally, &fits));
        }
        self.tally = tally;
    }

    /// Offers each handoff that has one of the words.
    fn touched(&mut self, docs: &Docs, tally: &Tally, fits: &Fits) {
        // Of many it is quicker to look at all.
        if tally.touched.len() > docs.lengths.len() / 8 {
            (0..docs.handoffs.len()).for_each(|at| self.offer(docs, at, tally, fits));
            return;
        }
        let mut passages = tally.touched.clone();
        passages.sort_unstable();
        let mut at = 0;
        let mut last = None;
        for passage in passages {
            while docs.handoffs.get(at + 1).is_some_and(|next| next.first as usize <= passage) {
                at += 1;
            }
            if at < docs.handoffs.len() && last.replace(at) != Some(at) {
                self.offer(docs, at, tally, fits);
            }
        }
    }

    fn offer(&mut self, docs: &Docs, at: usize, tally: &Tally, fits: &Fits) {
        let doc = docs.handoffs[at];
        if doc.n == 0 || !fits.handoff(at) || !self.in_window(doc.created) {
            return;
        }
        let mut passages = docs.passages(at);
        let Some(head) = passages.next() else { return };
        let (head_weight, head_found) = tally.at(head);
        let phrase_terms = self.query.phrase_terms;
        if phrase_terms != 0 {
            let found = passages.clone().fold(head_found, |found, at| found | tally.at(at).1);
            if found & phrase_terms != phrase_terms {
                return;
            }
        }
        let mut best = Evidence::default();
        let mut best_score = -1.0;
        let mut consider = |passage: f32, found: u64| {
            let evidence = Evidence { passage, head: head_weight, found, in_head: head_found };
            let score = self.ranking.score(evidence);
            if score > best_score {
                (best, best_score) = (evidence, score);
            }
        };
        match &fits.section {
            Some(inside) => passages
                .filter(|passage| inside.get(*passage).copied().unwrap_or(false))
                .map(|passage| tally.at(passage))
                // The head speaks for a passage only that has something of its own to say.
                .filter(|(_, found)| *found != 0 || self.query.terms.is_empty())
                .for_each(|(weight, found)| consider(weight, found)),
            None => {
                consider(0.0, 0);
                passages
                    .map(|passage| tally.at(passage))
                    .filter(|(_, found)| *found != 0)
                    .for_each(|(weight, found)| consider(weight, found));
            }
        }
        if best_score < 0.0 || (best.found | best.in_head == 0 && !self.query.terms.is_empty()) {
            return;
        }
        self.count += 1;
        let candidate = Candidate {
            n: i64::from(doc.n),
            score: best_score,
            evidence: best,
            created: doc.created,
        };
        self.keep(Ordered(candidate));
    }

    /// Keeps a candidate if it is among the best.
    fn keep(&mut self, candidate: Ordered) {
        let full = self.best.len() >= self.most;
        if full && self.best.peek().is_some_and(|Reverse(least)| candidate <= *least) {
            return;
        }
        self.best.push(Reverse(candidate));
        if full {
            self.best.pop();
        }
    }

    /// To the second; the row tells exactly.
    fn in_window(&self, created: u32) -> bool {
        let seconds = |at: Timestamp| at.micros().div_euclid(1_000_000);
        let created = i64::from(created);
        self.window.since.is_none_or(|since| created >= seconds(since))
            && self.window.until.is_none_or(|until| created <= seconds(until))
    }
}

/// Which handoffs and passages of a segment may be given.
struct Fits {
    required: Vec<Vec<bool>>,
    without: Vec<Vec<bool>>,
    section: Option<Vec<bool>>,
}

impl Fits {
    fn handoff(&self, at: usize) -> bool {
        let has = |list: &Vec<bool>| list.get(at).copied().unwrap_or(false);
        self.required.iter().all(has) && !self.without.iter().any(has)
    }

    /// Whether one of these passages is of the section, if one was asked for.
    fn has_section(&self, mut passages: impl Iterator<Item = usize>) -> bool {
        let Some(inside) = &self.section else { return true };
        passages.any(|passage| inside.get(passage).copied().unwrap_or(false))
    }
}

fn handoffs_of(docs: &Docs, lists: &[Vec<u8>]) -> Vec<bool> {
    let mut found = vec![false; docs.handoffs.len()];
    for (passage, _) in lists.iter().flat_map(|data| Postings::read(data)) {
        let at = docs.handoffs.partition_point(|doc| doc.first <= passage);
        if let Some(at) = at.checked_sub(1) {
            found[at] = true;
        }
    }
    found
}

fn passages_of(docs: &Docs, lists: &[Vec<u8>]) -> Vec<bool> {
    let mut found = vec![false; docs.lengths.len()];
    for (passage, _) in lists.iter().flat_map(|data| Postings::read(data)) {
        if let Some(is_in) = found.get_mut(passage as usize) {
            *is_in = true;
        }
    }
    found
}

/// Candidates in order: the better score, then the newer one.
struct Ordered(Candidate);

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let (one, other) = (&self.0, &other.0);
        one.score
            .total_cmp(&other.score)
            .then(one.created.cmp(&other.created))
            .then(one.n.cmp(&other.n))
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}
