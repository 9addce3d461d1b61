//! The table itself, in Markdown.

use crate::contest::{Spread, Timed};

/// Rows in the order in which they were measured.
#[derive(Default)]
pub(crate) struct Sheet {
    rows: Vec<[String; 7]>,
}

impl Sheet {
    const HEAD: [&'static str; 7] =
        ["handoffs", "what", "runs", "min ms", "median ms", "p95 ms", "result"];

    /// Times, each also above `/bin/true` and as a multiple of it.
    pub(crate) fn timed(&mut self, store: &str, timed: &Timed, result: String) {
        let cell = |of: fn(&Spread) -> f64| {
            let (own, empty) = (of(&timed.own), of(&timed.empty));
            format!("{own:.2} ({:+.2}, {:.1}x)", own - empty, own / empty)
        };
        self.rows.push([
            store.to_owned(),
            timed.what.clone(),
            timed.runs.to_string(),
            cell(|spread| spread.min),
            cell(|spread| spread.median),
            cell(|spread| spread.p95),
            result,
        ]);
    }

    /// A row that is one figure.
    pub(crate) fn figure(&mut self, store: &str, what: &str, result: String) {
        let none = String::new;
        self.rows.push([store.to_owned(), what.to_owned(), none(), none(), none(), none(), result]);
    }

    pub(crate) fn render(&self) -> String {
        markdown(&Self::HEAD.map(str::to_owned), &self.rows)
    }
}

/// Rows below a head, each column as wide as its widest cell.
pub(crate) fn markdown<R: AsRef<[String]>>(head: &R, rows: &[R]) -> String {
    let widths: Vec<usize> = (0..head.as_ref().len())
        .map(|column| {
            let cells = rows.iter().chain([head]).map(|row| row.as_ref()[column].len());
            cells.max().unwrap_or(0)
        })
        .collect();
    let line = |row: &R| {
        let cells: Vec<String> = row
            .as_ref()
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let mut out = line(head);
    out.push_str(&format!("| {} |\n", rule.join(" | ")));
    out.extend(rows.iter().map(line));
    out
}
