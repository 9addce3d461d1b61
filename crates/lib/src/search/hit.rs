//! One handoff as a hit: the passages that answer, and why it was found.

use segue_core::search::{
    Excerpt, Query, QueryTerm, Ranking, TermKind, TermReader, decisions, excerpt, passages,
};
use segue_core::{Handoff, slug};

use super::request::HitPassage;

/// Passages shown of one handoff at most.
const SHOWN: usize = 3;

/// How much of what the best passage covers another must cover to be worth as much.
const AS_MUCH: f32 = 0.8;

/// What the text of a handoff says to a query.
pub(super) struct Texted {
    pub(super) passages: Vec<HitPassage>,
    /// Terms in its text and head, a bit each.
    pub(super) found: u64,
    /// Of these, those in title, summary, tags and files.
    pub(super) in_head: u64,
    /// Those that stand together in the best passage.
    pub(super) together: u64,
    /// Whether it has all the phrases and none that it must not have.
    pub(super) fits: bool,
    /// What it decides, if that answers: the subject of the decision.
    pub(super) decides: Option<String>,
    /// Whether a decision answers.
    pub(super) decided: bool,
}

impl Texted {
    pub(super) fn new(
        handoff: &Handoff,
        query: &Query,
        ranking: &Ranking,
        reader: &mut TermReader,
    ) -> Self {
        let fields = &handoff.head.fields;
        let title = handoff.display_title();
        let mut head = vec![title.as_str()];
        head.extend(
            [&fields.name, &fields.summary, &fields.git.branch]
                .into_iter()
                .flatten()
                .map(String::as_str),
        );
        head.extend(fields.tags.iter().chain(&fields.changed).map(String::as_str));
        let whole_head = head.join("\n");
        let head = excerpt(&whole_head, query, reader);
        let body = passages(handoff);
        let mut found: Vec<(usize, Excerpt)> = Vec::new();
        for (at, passage) in body.iter().enumerate() {
            if !is_in_section(query, passage.section) {
                continue;
            }
            let mut piece = excerpt(passage.text, query, reader);
            if let Some(heading) = passage.own_heading() {
                let in_heading = excerpt(heading, query, reader).found;
                piece.found |= in_heading;
                piece.together |= in_heading;
            }
            if piece.found != 0 || (piece.phrases && !query.phrases.is_empty()) {
                found.push((at, piece));
            }
        }
        let all = found.iter().fold(head.found, |all, (_, piece)| all | piece.found);
        // A phrase may go on over the end of a passage.
        let texts: Vec<&str> = match query.section {
            Some(_) => found.iter().map(|(at, _)| body[*at].text).collect(),
            None => vec![whole_head.as_str(), handoff.body()],
        };
        let mut has = |phrase: &[String]| {
            texts.iter().any(|text| segue_core::search::has_phrase(text, phrase, reader))
        };
        let fits = query.phrases.iter().all(|phrase| has(phrase))
            && !query.without_phrases.iter().any(|phrase| has(phrase));
        let value = |piece: &Excerpt| ranking.close(ranking.coverage(piece.found), piece.together);
        found.sort_by(|(_, one), (_, other)| {
            (other.phrases, value(other))
                .partial_cmp(&(one.phrases, value(one)))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let best = found.first();
        let together = best.map_or(head.together, |(_, piece)| piece.together);
        // What it decides counts if that is as much an answer as its best passage.
        let enough = AS_MUCH * best.map_or(0.0, |(_, piece)| ranking.coverage(piece.found));
        let decided = found
            .iter()
            .find(|(at, piece)| body[*at].is_decision() && ranking.coverage(piece.found) >= enough)
            .map(|(at, _)| body[*at].ordinal);
        let decides = decided.and_then(|ordinal| {
            decisions(&body, reader).into_iter().find(|decision| decision.ordinal == ordinal)
        });
        // A second passage is worth showing if it has something that the first has not, or as much.
        let mut shown: Vec<HitPassage> = Vec::new();
        let mut covered = 0;
        for (at, piece) in found {
            let adds = piece.found & !covered != 0
                || ranking.coverage(piece.found) >= AS_MUCH * ranking.coverage(covered);
            if shown.len() < SHOWN && (shown.is_empty() || adds) {
                covered |= piece.found;
                let passage = &body[at];
                shown.push(HitPassage {
                    section: passage.section.map(str::to_owned),
                    line: passage.line_at(handoff, piece.start),
                    text: piece.text,
                    marks: piece.marks,
                });
            }
        }
        if shown.is_empty() {
            shown.push(HitPassage { section: None, line: 1, text: head.text, marks: head.marks });
        }
        Self {
            passages: shown,
            found: all,
            in_head: head.found,
            together,
            fits,
            decides: decides.map(|decision| decision.subject),
            decided: decided.is_some(),
        }
    }

    /// Why it stands where it stands, in words.
    pub(super) fn why(&self, query: &Query, ranking: &Ranking) -> Vec<String> {
        let mut why = Vec::new();
        let (there, all) = ranking.words_found(self.found);
        let words = || {
            let words = query.terms.iter().enumerate();
            words.filter(|(_, term)| term.kind == TermKind::Word)
        };
        let list = |terms: Vec<&QueryTerm>| {
            terms.iter().map(|term| term.typed.as_str()).collect::<Vec<_>>().join(", ")
        };
        let found_in = |found: u64, yes: bool| {
            words().filter(|(at, _)| (found >> at & 1 == 1) == yes).map(|(_, term)| term).collect()
        };
        if there == all && all > 1 {
            why.push(format!("all {all} words"));
        } else if all > 1 {
            why.push(format!(
                "{there} of {all} words, without {}",
                list(found_in(self.found, false))
            ));
        }
        let titled: Vec<&QueryTerm> = found_in(self.in_head, true);
        if !titled.is_empty() {
            why.push(format!("in title, summary, tags or files: {}", list(titled)));
        }
        if !query.phrases.is_empty() {
            why.push("the phrase".to_owned());
        } else if there > 1 && self.together == self.found {
            why.push("close together".to_owned());
        }
        why
    }
}

/// Whether a passage under this heading is of the section that was asked for, if one was.
fn is_in_section(query: &Query, heading: Option<&str>) -> bool {
    if query.section.is_none() {
        return true;
    }
    // By its part, or by its words however they are joined.
    let asked_by = |name: &str| {
        let mut by_name = Query::default();
        by_name.only_section(name);
        by_name.section == query.section
    };
    heading.is_some_and(|heading| asked_by(heading) || asked_by(&slug(heading)))
}
