//! Finding by words: what the index knows of a text, what a query asks for, and how hits are ranked.

mod decision;
mod excerpt;
mod fold;
mod passage;
mod query;
mod rank;
mod stop_words;
mod terms;

pub(crate) use decision::subject_of;
pub use decision::{Decision, decisions};
pub use excerpt::{Excerpt, excerpt, has_phrase};
pub use passage::{Passage, passages, text_terms};
pub use query::{MAX_QUERY_TERMS, Query, QueryTerm, Wanted};
pub use rank::{Evidence, FIRST, INSTEAD, Ranking, SUPERSEDED, TermWeight};
pub use terms::{TermKind, TermReader};
