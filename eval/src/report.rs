//! What is printed: a table for each half, and the questions that went wrong.

use std::fmt::Write as _;

use crate::question::{Half, Kind, Question};
use crate::score::{Hit, Outcome, Row};

/// The table of one half.
pub(crate) fn table(half: Half, rows: &[Row]) -> String {
    let mut out = format!(
        "## {}\n\n| kind | questions | hit@1 | hit@5 | MRR | superseded above | false answers | missed | ms, median / slowest |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        half.as_str()
    );
    for row in rows {
        let share = |value: f64| match row.answerable {
            0 => "–".to_owned(),
            _ => format!("{value:.3}"),
        };
        let of = |count: usize, whole: usize| match whole {
            0 => "–".to_owned(),
            _ => format!("{count} of {whole}"),
        };
        let missed = if row.answerable == 0 { "–".to_owned() } else { row.missed.to_string() };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {missed} | {:.1} / {:.1} |",
            row.name,
            row.questions,
            share(row.hit_at_1),
            share(row.hit_at_5),
            share(row.mrr),
            of(row.superseded_above, row.versioned),
            of(row.false_answers, row.unanswerable),
            row.median_ms,
            row.slowest_ms,
        );
    }
    out
}

/// One question that went wrong, and what came instead.
pub(crate) fn failure(question: &Question, outcome: &Outcome, hits: &[Hit]) -> String {
    let as_of = question.as_of.as_ref().map(|day| format!(" as of {day}")).unwrap_or_default();
    let mut out = format!(
        "{} ({}, {}): {:?}{as_of}\n",
        question.id, question.kind, question.sort, question.text
    );
    let _ = match (question.kind, outcome.rank) {
        (Kind::None, _) => writeln!(out, "  wanted: nothing"),
        (_, Some(rank)) => writeln!(out, "  wanted: {}, at {rank}", question.answers.join(", ")),
        (_, None) => writeln!(out, "  wanted: {}, not there", question.answers.join(", ")),
    };
    if !question.proof.is_empty() {
        let _ = writeln!(out, "  it says: {}", question.proof);
    }
    for hit in hits.iter().take(3) {
        let old = if question.superseded.contains(&hit.id) { " (superseded)" } else { "" };
        let _ = writeln!(out, "  came: {} {}{old}", hit.id, hit.title);
    }
    out
}
