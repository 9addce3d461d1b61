//! What is searched for, and what answers.

use std::ops::Range;

use segue_core::{HandoffId, Name, Timestamp};
use segue_store::{BadFile, Listed, TextState, Window};

use crate::ProjectRef;

/// What to search for.
#[derive(Clone, Debug)]
#[non_exhaustive]
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

/// Hits of a search, unless somebody says otherwise.
const HITS: usize = 10;

impl Default for SearchRequest {
    fn default() -> Self {
        Self {
            query: String::new(),
            project: ProjectRef::Here,
            all_projects: false,
            expired: false,
            tags: Vec::new(),
            tool: None,
            name: None,
            branch: None,
            section: None,
            since: None,
            until: None,
            as_of: None,
            weak: false,
            limit: HITS,
        }
    }
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
#[non_exhaustive]
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
#[non_exhaustive]
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
#[non_exhaustive]
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

impl SearchRequest {
    pub(super) fn window(&self) -> Window {
        let until = [self.until, self.as_of].into_iter().flatten().min();
        Window { since: self.since, until }
    }
}
