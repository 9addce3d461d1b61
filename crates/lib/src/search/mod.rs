//! Search: the handoffs that answer, what still holds first.

mod going_on;
mod hit;
mod order;
mod request;

pub use segue_core::search::MAX_QUERY_TERMS;

use std::collections::HashSet;

use segue_core::Name;
use segue_core::search::{Query, TermReader};
use segue_store::{BadFile, Candidates, View};

use crate::Error;
use crate::handoffs::Handoffs;
use crate::here::Here;
use going_on::Search;
use order::Pool;
pub use request::{Because, Hit, HitPassage, SearchOutcome, SearchRequest, SupersededBy};

/// Handoffs whose words fit best and that are looked at more closely, at most.
const CANDIDATES: usize = 2_000;
/// Of these, how many are read at most.
const READ: usize = 100;

/// The search in the text of handoffs, from one directory.
#[derive(Debug)]
pub struct HandoffSearch<'s> {
    here: Here<'s>,
}

impl<'s> HandoffSearch<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }
}

impl HandoffSearch<'_> {
    /// Finds the handoffs that answer, what still holds first.
    pub fn find(&self, request: &SearchRequest) -> Result<SearchOutcome, Error> {
        let mut reader = TermReader::default();
        let query = query_of(request, &mut reader)?;
        let handoffs = Handoffs::of(&self.here).in_project(&request.project)?;
        let (scope, elsewhere) = handoffs.scope_or_all(&request.project, request.all_projects)?;
        let mut outcome = SearchOutcome { elsewhere, cut: query.cut, ..SearchOutcome::default() };
        let Some(scope) = scope else { return Ok(outcome) };
        let (env, store) = (self.here.env, self.here.store);
        store.ask_on(&scope, |view| {
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
            let search = Search { env, store, request, query: &query, scope: &scope };
            let (hits, unread) = hits(&search, view, &found, &mut reader)?;
            outcome.hits = hits;
            outcome.bad.extend(unread);
            Ok(())
        })?;
        Ok(outcome)
    }
}

/// What a request looks for. An error if that is nothing.
fn query_of(request: &SearchRequest, reader: &mut TermReader) -> Result<Query, Error> {
    let mut query = Query::parse(&request.query, reader);
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
    match query.is_empty() {
        true => Err(Error::NoWords),
        false => Ok(query),
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

/// The handoffs that answer, the best first, and files that could not be read.
fn hits(
    search: &Search<'_>,
    view: &View,
    found: &Candidates,
    reader: &mut TermReader,
) -> Result<(Vec<Hit>, Vec<BadFile>), segue_store::StoreError> {
    let mut pool = Pool::new(search, view, found, reader)?;
    let enough = search.request.limit.saturating_mul(2).max(20);
    // Whether it is the phrase is known of each only once it is read.
    let most = if search.query.is_narrow() { CANDIDATES } else { READ }.max(enough);
    let mut seen = HashSet::new();
    let mut looked = 0;
    for candidate in &found.best {
        if pool.holding() >= enough || looked >= most || seen.len() >= most.saturating_mul(5) {
            break;
        }
        let Some(row) = pool.rows.row(candidate.n)? else { continue };
        // One that lies in several places is still one.
        if search.fits(&row) && seen.insert(row.listed.head.id.clone()) {
            looked += usize::from(pool.add(row, *candidate)?);
        }
    }
    let hits = pool.ranked()?;
    Ok((hits, pool.unread))
}
