//! The words around a match, with the match marked.

use std::ops::Range;

use super::query::{Query, Wanted};
use super::terms::TermReader;

/// Bytes around the matches that are shown.
const WIDTH: usize = 240;

/// Words in fewer bytes are about the same.
const SENTENCE: usize = 180;

/// A piece of a passage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// On one line, white space as single blanks.
    pub text: String,
    /// The matches in it, in bytes.
    pub marks: Vec<Range<usize>>,
    /// Where it begins in the passage.
    pub start: usize,
    /// Which terms of the query are in the whole passage, a bit each.
    pub found: u64,
    /// Which of them stand together in a stretch as long as a sentence.
    pub together: u64,
    /// Whether every phrase of the query is in the passage.
    pub phrases: bool,
}

/// The piece of a passage that shows most of what was looked for.
pub fn excerpt(passage: &str, query: &Query, reader: &mut TermReader) -> Excerpt {
    let mut hits: Vec<(usize, Range<usize>)> = Vec::new();
    reader.read_some(passage, &query.first_bytes(), &mut |term, range, _| {
        if let Some(at) = query.terms.iter().position(|wanted| matches(&wanted.wanted, term)) {
            hits.push((at, range));
        }
    });
    hits.sort_by_key(|(_, range)| (range.start, range.end));
    let found = hits.iter().fold(0, |found, (at, _)| found | 1 << at);
    let together = together(&hits);
    let (start, end) = best_window(passage, &hits);
    let mut excerpt = Excerpt {
        start,
        found,
        together,
        phrases: query.phrases.iter().all(|phrase| has_phrase(passage, phrase, reader)),
        ..Excerpt::default()
    };
    if start > 0 {
        excerpt.text.push('…');
    }
    let mut marks = hits.iter().map(|(_, range)| range.clone()).peekable();
    let mut open: Option<(usize, usize)> = None;
    let mut blank = true;
    for (at, c) in passage[start..end].char_indices() {
        let at = start + at;
        if let Some((_, until)) = open
            && at >= until
            && let Some((from, _)) = open.take()
        {
            excerpt.marks.push(from..excerpt.text.trim_end().len().max(from));
        }
        while let Some(mark) = marks.next_if(|mark| mark.start <= at) {
            if mark.end > at {
                open = Some(match open {
                    Some((from, until)) => (from, until.max(mark.end)),
                    None => (excerpt.text.len(), mark.end),
                });
            }
        }
        if c.is_whitespace() {
            if !blank {
                excerpt.text.push(' ');
            }
            blank = true;
        } else {
            excerpt.text.push(c);
            blank = false;
        }
    }
    excerpt.text.truncate(excerpt.text.trim_end().len());
    if let Some((from, _)) = open {
        excerpt.marks.push(from..excerpt.text.len().max(from));
    }
    if end < passage.trim_end().len() {
        excerpt.text.push('…');
    }
    excerpt
}

/// Whether words stand in a text one after the other.
pub fn has_phrase(text: &str, phrase: &[String], reader: &mut TermReader) -> bool {
    let mut words: Vec<String> = Vec::new();
    reader.plain(text, &mut |word, _| words.push(word.to_owned()));
    words.windows(phrase.len().max(1)).any(|window| window == phrase)
}

fn matches(wanted: &Wanted, term: &str) -> bool {
    match wanted {
        Wanted::Exactly(exact) => exact == term,
        Wanted::Beginning(beginning, stems) => {
            term.starts_with(beginning.as_str()) || stems.iter().any(|stem| stem == term)
        }
    }
}

/// The stretch with the most different terms, then the most matches.
fn best_window(passage: &str, hits: &[(usize, Range<usize>)]) -> (usize, usize) {
    let mut best = (0, 0, 0..0);
    for (first, (_, range)) in hits.iter().enumerate() {
        let inside = hits[first..].iter().take_while(|(_, other)| other.end <= range.start + WIDTH);
        let (mut terms, mut count, mut end) = (0_u64, 0, range.end);
        for (at, other) in inside {
            terms |= 1 << at;
            count += 1;
            end = end.max(other.end);
        }
        if (terms.count_ones(), count) > (best.0, best.1) {
            best = (terms.count_ones(), count, range.start..end);
        }
    }
    let hit = best.2;
    // From the beginning of the line or sentence if that is near, else some words before.
    let before = &passage[..hit.start];
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let room = WIDTH.saturating_sub(hit.len()) / 3;
    let start = if hit.start - line <= room.max(60) {
        line
    } else {
        let from = floor(passage, hit.start - room.min(hit.start));
        passage[from..hit.start].find(char::is_whitespace).map_or(from, |at| from + at + 1)
    };
    let until = floor(passage, (start + WIDTH).max(hit.end).min(passage.len()));
    let end = if until == passage.len() {
        until
    } else {
        passage[hit.end.min(until)..until]
            .rfind(char::is_whitespace)
            .map_or(until, |at| hit.end.min(until) + at)
    };
    (start, end.max(start))
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The most different terms that a stretch as long as a sentence has.
fn together(hits: &[(usize, Range<usize>)]) -> u64 {
    let mut most = 0_u64;
    for (first, (_, range)) in hits.iter().enumerate() {
        let inside =
            hits[first..].iter().take_while(|(_, other)| other.end <= range.start + SENTENCE);
        let terms = inside.fold(0_u64, |terms, (at, _)| terms | 1 << at);
        if terms.count_ones() > most.count_ones() {
            most = terms;
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(passage: &str, query: &str) -> Excerpt {
        let mut reader = TermReader::default();
        let query = Query::parse(query, &mut reader);
        excerpt(passage, &query, &mut reader)
    }

    fn marked(excerpt: &Excerpt) -> Vec<&str> {
        excerpt.marks.iter().map(|mark| &excerpt.text[mark.clone()]).collect()
    }

    #[test]
    fn the_match_is_shown_and_marked() {
        let filler = "lorem ipsum dolor sit amet ".repeat(30);
        let passage = format!("{filler}\n- the RefreshToken  is\n  rotated here\n{filler}");
        let found = of(&passage, "refresh_token rotation");
        assert!(
            found.text.starts_with("…- the RefreshToken is rotated here lorem"),
            "{}",
            found.text
        );
        assert!(found.text.ends_with('…') && found.text.len() < 300);
        assert_eq!(marked(&found), ["RefreshToken", "rotated"]);
        assert_eq!(found.found, 0b1111);
    }

    #[test]
    fn phrases_are_in_order_and_whole() {
        assert!(of("The Token   bucket.", "\"token bucket\"").phrases);
        assert!(!of("bucket token tokens bucket", "\"token bucket\"").phrases);
        assert!(of("認証鍵を回す", "\"認証鍵\"").phrases);
    }

    proptest::proptest! {
        #[test]
        fn any_passage_has_an_excerpt(passage: String, query: String) {
            let found = of(&passage, &query);
            for mark in &found.marks {
                proptest::prop_assert!(found.text.get(mark.clone()).is_some());
            }
        }

        #[test]
        fn marks_show_words_of_the_query(passage in "[ab é\n]{0,400}") {
            for mark in &of(&passage, "ab é").marks {
                let found = of(&passage, "ab é");
                proptest::prop_assert!(!found.text[mark.clone()].trim().is_empty());
            }
        }
    }
}
