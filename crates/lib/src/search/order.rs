//! The order of hits: what fits best first, and what no longer holds below what holds.

use std::collections::{HashMap, HashSet};

use segue_core::search::{Evidence, FIRST, INSTEAD, Ranking, SUPERSEDED, TermReader};
use segue_core::{ProjectId, Timestamp};
use segue_store::{
    BadFile, Candidate, Candidates, FoundRow, RowReader, StoreError, Successor, View,
};

use super::going_on::Search;
use super::hit::Texted;
use super::request::{Because, Hit, SearchRequest, SupersededBy};

/// How much of what a hit covers its successor by name must cover to stand for it.
const SAME: f32 = 0.7;
/// Successors of successors that are followed.
const LONGEST_CHAIN: usize = 64;

/// Hits in the making.
pub(super) struct Pool<'p> {
    search: &'p Search<'p>,
    reader: &'p mut TermReader,
    view: &'p View,
    pub(super) rows: RowReader<'p>,
    /// Files that could not be read.
    pub(super) unread: Vec<BadFile>,
    found: &'p Candidates,
    entries: Vec<Entry>,
    families: HashMap<ProjectId, Vec<i64>>,
}

struct Entry {
    row: FoundRow,
    text: Texted,
    evidence: Evidence,
    score: f32,
    expired: Option<Timestamp>,
    /// The row that holds in its place, and how that is known.
    successor: Option<(i64, Because)>,
}

impl Entry {
    /// The row that holds: its own or that of its successor.
    fn held_by(&self) -> i64 {
        self.successor.as_ref().map_or(self.row.n, |(n, _)| *n)
    }

    /// Whether it is offered: neither expired nor archived.
    fn is_offered(&self, request: &SearchRequest) -> bool {
        // When something was archived nobody knows: on an earlier day it may not have been.
        let archived = self.row.listed.archived.is_some() && request.as_of.is_none();
        self.expired.is_none() && !archived
    }
}

impl<'p> Pool<'p> {
    pub(super) fn new(
        search: &'p Search<'p>,
        view: &'p View,
        found: &'p Candidates,
        reader: &'p mut TermReader,
    ) -> Result<Self, StoreError> {
        let rows = view.row_reader()?;
        Ok(Self {
            search,
            reader,
            view,
            rows,
            unread: Vec::new(),
            found,
            entries: Vec::new(),
            families: HashMap::new(),
        })
    }

    /// How many hits there are that still hold, with those that stand for others.
    pub(super) fn holding(&self) -> usize {
        let offered = self.entries.iter().filter(|one| one.is_offered(self.search.request));
        offered.map(Entry::held_by).collect::<HashSet<_>>().len()
    }

    fn ranking(&self) -> &'p Ranking {
        &self.found.ranking
    }

    /// Reads a handoff and takes it in if it fits. Whether it was read at all.
    pub(super) fn add(&mut self, row: FoundRow, candidate: Candidate) -> Result<bool, StoreError> {
        let superseded = self.followed(&row)?;
        if self.is_too_much(&row, superseded.as_ref().map(|(n, _)| *n)) {
            return Ok(false);
        }
        let Some(text) = self.read(&row) else { return Ok(true) };
        let query = self.search.query;
        // The file may say something else by now than what was indexed.
        if !text.fits || (text.found == 0 && !query.terms.is_empty()) {
            return Ok(true);
        }
        let mut score = self.ranking().close(candidate.score, text.together);
        if query.decisions && text.decided {
            score = self.ranking().decided(score);
        }
        let successor = match superseded {
            Some(successor) => Some(successor),
            None => self.decided_again(&row, text.decides.as_deref())?,
        };
        self.push(row, text, (score, candidate.evidence), successor);
        Ok(true)
    }

    /// Of what no longer holds, or is not offered any more, nobody wants more than of what is: but
    /// what stands for it must not be missing.
    fn is_too_much(&self, row: &FoundRow, successor: Option<i64>) -> bool {
        let limit = self.search.request.limit;
        let request = self.search.request;
        if let Some(successor) = successor {
            let superseded = self.entries.iter().filter(|one| one.successor.is_some());
            return superseded.count() >= limit
                && self.entries.iter().any(|one| one.held_by() == successor);
        }
        let expired = row.listed.head.fields.expires.is_some_and(|at| at <= self.search.now());
        let archived = row.listed.archived.is_some() && request.as_of.is_none();
        (expired || archived)
            && !request.expired
            && self.entries.iter().filter(|one| !one.is_offered(request)).count() >= limit
    }

    fn push(
        &mut self,
        row: FoundRow,
        text: Texted,
        (score, evidence): (f32, Evidence),
        successor: Option<(i64, Because)>,
    ) {
        let now = self.search.now();
        let expired = row.listed.head.fields.expires.filter(|at| *at <= now);
        self.entries.push(Entry { row, text, evidence, score, expired, successor });
    }

    fn read(&mut self, row: &FoundRow) -> Option<Texted> {
        let handoff = match self.search.store.read(&row.listed) {
            Ok(handoff) => handoff,
            Err(error) => {
                let path = row.listed.path.clone();
                let reason = match error {
                    StoreError::BadHandoff { source, .. } => source.to_string(),
                    StoreError::Io { source, .. } => source.to_string(),
                    other => other.to_string(),
                };
                self.unread.push(BadFile { path, reason });
                return None;
            }
        };
        let ranking = self.ranking();
        Some(Texted::new(&handoff, self.search.query, ranking, self.reader))
    }

    /// What holds in place of a handoff in the end, and how that is known of the first step.
    fn followed(&mut self, row: &FoundRow) -> Result<Option<(i64, Because)>, StoreError> {
        let mut because = None;
        let mut last = row.clone();
        let mut passed = vec![row.n];
        while passed.len() < LONGEST_CHAIN {
            let Some((successor, why)) = self.next_of(&last)? else { break };
            // Of a circle nobody can say what holds.
            if passed.contains(&successor.n) {
                return Ok(None);
            }
            let Some(next) = self.rows.row(successor.n)? else { break };
            because.get_or_insert(why);
            passed.push(next.n);
            last = next;
        }
        Ok(because.map(|because| (last.n, because)))
    }

    /// The latest decision about the same. What came after the handoff that has it need not be
    /// about that any more.
    fn decided_again(
        &mut self,
        row: &FoundRow,
        decides: Option<&str>,
    ) -> Result<Option<(i64, Because)>, StoreError> {
        let Some(subject) = decides else { return Ok(None) };
        let family = self.family(&row.listed.project)?;
        let (created, until) = (row.listed.head.created, self.search.request.as_of);
        let found = self.rows.restating(&family, subject, created, until)?;
        let found = found.filter(|found| found.n != row.n);
        Ok(found.map(|found| (found.n, Because::Decided(subject.to_owned()))))
    }

    fn family(&mut self, project: &ProjectId) -> Result<Vec<i64>, StoreError> {
        if let Some(family) = self.families.get(project) {
            return Ok(family.clone());
        }
        let family = self.rows.family(project)?;
        self.families.insert(project.clone(), family.clone());
        Ok(family)
    }

    /// The direct successor of a handoff.
    fn next_of(&mut self, row: &FoundRow) -> Result<Option<(Successor, Because)>, StoreError> {
        let head = &row.listed.head;
        let until = self.search.request.as_of;
        if let Some(found) = self.rows.superseding(&head.id, until)?
            && found.n != row.n
        {
            return Ok(Some((found, Because::Said)));
        }
        if head.id.is_former()
            && let Some(found) = self.rows.of_id(&head.id.before())?
        {
            return Ok(Some((found, Because::Replaced)));
        }
        let family = self.family(&row.listed.project)?;
        if let Some(name) = &head.fields.name
            && let Some(found) = self.rows.newest_named(&family, name, until)?
            && found.n != row.n
            && found.created >= head.created
        {
            return Ok(Some((found, Because::Named(name.clone()))));
        }
        Ok(None)
    }

    /// The hits in order.
    pub(super) fn ranked(&mut self) -> Result<Vec<Hit>, StoreError> {
        self.bring_successors()?;
        let by_row: HashMap<i64, usize> =
            self.entries.iter().enumerate().map(|(at, one)| (one.row.n, at)).collect();
        let successor_at = |one: &Entry| by_row.get(&one.successor.as_ref()?.0).copied();
        let mut scores: Vec<f32> = self.entries.iter().map(|one| one.score).collect();
        // What holds is worth what it stands for,
        for one in &self.entries {
            if let Some(at) = successor_at(one) {
                scores[at] = scores[at].max(one.score);
            }
        }
        // and what does not is below it.
        for (at, one) in self.entries.iter().enumerate().filter(|(_, one)| one.successor.is_some())
        {
            let above = successor_at(one).map_or(f32::MAX, |above| scores[above] * 0.999);
            scores[at] = (one.score * SUPERSEDED).min(above);
        }
        let offered = |one: &Entry| one.is_offered(self.search.request) && one.successor.is_none();
        let best_offered = self
            .entries
            .iter()
            .zip(&scores)
            .filter(|(one, _)| offered(one))
            .map(|(_, score)| *score)
            .fold(0.0, f32::max);
        let request = self.search.request;
        let shown = |at: usize| {
            let one = &self.entries[at];
            one.is_offered(request) || request.expired || best_offered < INSTEAD * scores[at]
        };
        let mut order: Vec<usize> = (0..self.entries.len()).filter(|at| shown(*at)).collect();
        order.sort_by(|one, other| {
            let head = |at: usize| &self.entries[at].row.listed.head;
            let by_time = head(*other).created.cmp(&head(*one).created);
            let by_id = head(*other).id.as_str().cmp(head(*one).id.as_str());
            scores[*other].total_cmp(&scores[*one]).then(by_time).then(by_id)
        });
        let answers = |at: &usize| {
            let (text, evidence) = (&self.entries[*at].text, self.entries[*at].evidence);
            // What was brought in for another need not have the words itself.
            let found =
                if text.found == 0 { evidence.found | evidence.in_head } else { text.found };
            let together = if text.found == 0 { found } else { text.together | text.in_head };
            self.ranking().answers(together, found)
        };
        if !request.weak && !order.iter().take(FIRST).any(answers) {
            return Ok(Vec::new());
        }
        order.truncate(request.limit);
        let ids: HashMap<i64, (segue_core::HandoffId, String)> = self
            .entries
            .iter()
            .map(|one| (one.row.n, (one.row.listed.head.id.clone(), one.row.listed.title.clone())))
            .collect();
        let mut hits = Vec::new();
        for at in order {
            let superseded_by = match &self.entries[at].successor {
                None => None,
                Some((n, because)) => {
                    let known = match ids.get(n) {
                        Some(known) => Some(known.clone()),
                        None => self
                            .rows
                            .row(*n)?
                            .map(|row| (row.listed.head.id.clone(), row.listed.title)),
                    };
                    known.map(|(id, title)| SupersededBy { id, title, because: because.clone() })
                }
            };
            let one = &self.entries[at];
            hits.push(Hit {
                listed: one.row.listed.clone(),
                score: scores[at],
                coverage: self.ranking().coverage(one.text.found),
                passages: one.text.passages.clone(),
                why: one.text.why(self.search.query, self.ranking()),
                superseded_by,
                expired: one.expired,
            });
        }
        Ok(hits)
    }

    /// Adds what holds in place of a hit and is no hit itself so far.
    fn bring_successors(&mut self) -> Result<(), StoreError> {
        let query = self.search.query;
        let mut wanted: Vec<(i64, bool, Evidence, u64)> = Vec::new();
        let mut best: Vec<&Entry> = self.entries.iter().collect();
        best.sort_by(|one, other| other.score.total_cmp(&one.score));
        let mut held = HashSet::new();
        let request = self.search.request;
        for one in best {
            // What is too far below to be shown needs nobody in its place. What is not shown itself
            // takes no place, nor does what may turn out to be about something else.
            let surely = match &one.successor {
                Some((_, because)) => !matches!(because, Because::Named(_)),
                None => one.is_offered(request) || request.expired,
            };
            if surely && held.insert(one.held_by()) && held.len() > request.limit {
                break;
            }
            if let Some((n, because)) = &one.successor
                && !self.entries.iter().any(|other| other.row.n == *n)
                && !wanted.iter().any(|(known, ..)| known == n)
            {
                // A newer one of the same name need not be about the same.
                let surely = !matches!(because, Because::Named(_));
                wanted.push((*n, surely, one.evidence, one.text.found));
            }
        }
        // Whether it has what was asked for besides words.
        let fitting = match query.is_narrow() && !wanted.is_empty() {
            false => None,
            true => {
                let rows = wanted.iter().map(|(n, ..)| *n).collect();
                let window = request.window();
                Some(self.view.fitting(self.search.scope, query, window, &rows)?)
            }
        };
        for (n, surely, evidence, found) in wanted {
            if fitting.as_ref().is_some_and(|fitting| !fitting.contains(&n)) {
                continue;
            }
            let Some(row) = self.rows.row(n)?.filter(|row| self.search.fits(row)) else { continue };
            let Some(text) = self.read(&row).filter(|text| text.fits) else { continue };
            let covers = |found: u64| self.ranking().coverage(found);
            if surely || covers(text.found) >= SAME * covers(found) {
                self.push(row, text, (0.0, evidence), None);
            }
        }
        Ok(())
    }
}
