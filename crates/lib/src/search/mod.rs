//! Search: the handoffs that answer, what still holds first.

mod hit;
mod order;

use std::collections::HashSet;
use std::ops::Range;

use segue_core::search::{Query, TermReader};
use segue_core::{HandoffId, Name, Timestamp};
use segue_store::{BadFile, Candidates, FoundRow, Listed, Scope, TextState, View, Window};

use crate::{Error, ProjectRef, Segue};
use order::Pool;

/// Handoffs whose words fit best and that are looked at more closely, at most.
const CANDIDATES: usize = 2_000;
/// Of these, how many are read at most.
const READ: usize = 100;

/// What to search for.
#[derive(Clone, Debug, Default)]
pub struct SearchRequest {
    /// Words, "phrases", -not, and fields such as `tag:release`.
    pub query: String,
    /// Which project's handoffs.
    pub project: ProjectRef,
    /// Every project's.
    pub all_projects: bool,
    /// Also what has expired or is archived, whether or not something else answers.
    pub expired: bool,
    /// Only with all of these tags.
    pub tags: Vec<String>,
    /// Only of this agent.
    pub tool: Option<String>,
    /// Only of this name.
    pub name: Option<Name>,
    /// Only left on this branch.
    pub branch: Option<String>,
    /// Only in this section.
    pub section: Option<String>,
    /// Only since then.
    pub since: Option<Timestamp>,
    /// Only until then.
    pub until: Option<Timestamp>,
    /// As if it were then.
    pub as_of: Option<Timestamp>,
    /// Also what hardly fits, instead of nothing.
    pub weak: bool,
    /// At most so many.
    pub limit: usize,
}

/// A piece of a handoff that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitPassage {
    /// The heading of its section; `None` before the first one.
    pub section: Option<String>,
    /// The line of the handoff's file on which it begins, from 1.
    pub line: usize,
    /// The words around the match.
    pub text: String,
    /// The matches in the text, in bytes.
    pub marks: Vec<Range<usize>>,
}

/// Why a handoff no longer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// A newer one has the same name.
    Named(String),
    /// A newer one says that it supersedes it.
    Said,
    /// A newer one decides the same thing; these are the words of what it is about.
    Decided(String),
    /// An import replaced it.
    Replaced,
}

/// What holds in place of a handoff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupersededBy {
    /// Its id.
    pub id: HandoffId,
    /// Its title.
    pub title: String,
    /// How that is known.
    pub because: Because,
}

/// A handoff that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Where it lies and what its head says.
    pub listed: Listed,
    /// What it was ranked by.
    pub score: f32,
    /// How much of the query it covers, by weight, from 0 to 1.
    pub coverage: f32,
    /// The pieces that answer, best first.
    pub passages: Vec<HitPassage>,
    /// Why it stands where it stands.
    pub why: Vec<String>,
    /// What holds in its place.
    pub superseded_by: Option<SupersededBy>,
    /// When it expired, if it has.
    pub expired: Option<Timestamp>,
}

/// What a search found.
#[derive(Debug, Default)]
pub struct SearchOutcome {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How many handoffs have at least one of the words.
    pub matched: u64,
    /// Words of the query that are nowhere.
    pub unknown: Vec<String>,
    /// Whether nothing is here and the whole store was searched instead.
    pub elsewhere: bool,
    /// Whether the query was longer than what is looked for.
    pub cut: bool,
    /// Handoffs whose text could not be indexed yet, and why.
    pub unsearched: TextState,
    /// Files that could not be read.
    pub bad: Vec<BadFile>,
}

impl Segue {
    /// Searches the text of handoffs.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchOutcome, Error> {
        let mut reader = TermReader::default();
        let mut query = Query::parse(&request.query, &mut reader);
        request.tags.iter().for_each(|tag| query.only("tag", tag));
        let fields = [
            ("tool", request.tool.as_deref()),
            ("name", request.name.as_ref().map(Name::as_str)),
            ("branch", request.branch.as_deref()),
        ];
        for (field, value) in fields {
            value.iter().for_each(|value| query.only(field, value));
        }
        if let Some(section) = &request.section {
            query.only_section(section);
        }
        if query.is_empty() {
            return Err(Error::NoWords);
        }
        let (scope, elsewhere) = self.scope_or_all(&request.project, request.all_projects)?;
        let mut outcome = SearchOutcome { elsewhere, cut: query.cut, ..SearchOutcome::default() };
        let Some(scope) = scope else { return Ok(outcome) };
        self.store.ask_on(&scope, |view| {
            outcome.unsearched = view.update_text(&scope)?;
            outcome.bad = view.bad_files(&scope)?;
            // One look at the index for all that follows.
            let _snapshot = view.snapshot()?;
            let found = view.candidates(
                &scope,
                &query,
                request.window(),
                CANDIDATES.max(request.limit.saturating_mul(2)),
            )?;
            outcome.matched = found.count;
            let unknown = query.terms.iter().zip(&found.passages).filter(|(_, count)| **count == 0);
            outcome.unknown = unknown.map(|(term, _)| term.typed.clone()).collect();
            let query = as_found(&query, &found);
            let search = Search { segue: self, request, query: &query, scope: &scope };
            let (hits, unread) = search.hits(view, &found, &mut reader)?;
            outcome.hits = hits;
            outcome.bad.extend(unread);
            Ok(())
        })?;
        Ok(outcome)
    }
}

/// The query with those words as beginnings that were found only as such.
fn as_found(query: &Query, found: &Candidates) -> Query {
    let mut query = query.clone();
    for (term, beginning) in query.terms.iter_mut().zip(&found.beginnings) {
        if let Some(beginning) = beginning {
            term.wanted = beginning.clone();
        }
    }
    query
}

/// One search that is going on.
struct Search<'s> {
    segue: &'s Segue,
    request: &'s SearchRequest,
    query: &'s Query,
    scope: &'s Scope,
}

impl SearchRequest {
    fn window(&self) -> Window {
        let until = [self.until, self.as_of].into_iter().flatten().min();
        Window { since: self.since, until }
    }
}

impl Search<'_> {
    /// The moment as of which things hold or have expired.
    fn now(&self) -> Timestamp {
        self.request.as_of.unwrap_or_else(|| self.segue.env.now())
    }

    fn hits(
        &self,
        view: &View,
        found: &Candidates,
        reader: &mut TermReader,
    ) -> Result<(Vec<Hit>, Vec<BadFile>), segue_store::StoreError> {
        let mut pool = Pool::new(self, view, found, reader)?;
        let enough = self.request.limit.saturating_mul(2).max(20);
        // Whether it is the phrase is known of each only once it is read.
        let most = if self.query.is_narrow() { CANDIDATES } else { READ }.max(enough);
        let mut seen = HashSet::new();
        let mut looked = 0;
        for candidate in &found.best {
            if pool.holding() >= enough || looked >= most || seen.len() >= most.saturating_mul(5) {
                break;
            }
            let Some(row) = pool.rows.row(candidate.n)? else { continue };
            // One that lies in several places is still one.
            if self.fits(&row) && seen.insert(row.listed.head.id.clone()) {
                looked += usize::from(pool.add(row, *candidate)?);
            }
        }
        let hits = pool.ranked()?;
        Ok((hits, pool.unread))
    }

    /// Whether a row is what was asked for; the text index knows its memory and its second only.
    fn fits(&self, row: &FoundRow) -> bool {
        let window = self.request.window();
        let created = row.listed.head.created;
        let in_scope = match self.scope {
            Scope::Parts(parts) => parts.iter().any(|part| {
                let from = part.saved_from.as_ref();
                part.memory == row.listed.project
                    && from.is_none_or(|from| row.origin.as_deref() == Some(from.as_str()))
            }),
            _ => true,
        };
        in_scope
            && window.since.is_none_or(|since| created >= since)
            && window.until.is_none_or(|until| created <= until)
    }
}
