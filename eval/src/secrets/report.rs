//! The tables: how much is found, where, and which kinds are found least.

use std::fmt::Write as _;

/// Counts.
#[derive(Debug)]
pub(super) struct Score {
    /// For each kind and context: all, gone, and gone with the surroundings kept.
    cells: Vec<Vec<[usize; 3]>>,
    lookalikes: usize,
    texts: usize,
    damaged: usize,
}

impl Score {
    pub(super) fn new(kinds: usize, contexts: usize, lookalikes: usize) -> Self {
        Self { cells: vec![vec![[0; 3]; contexts]; kinds], lookalikes, texts: 0, damaged: 0 }
    }

    pub(super) fn secret(&mut self, kind: usize, context: usize, gone: bool, around: bool) {
        let cell = &mut self.cells[kind][context];
        cell[0] += 1;
        cell[1] += usize::from(gone);
        cell[2] += usize::from(gone && around);
    }

    /// The share of secrets that are gone.
    #[cfg(test)]
    pub(super) fn recall(&self) -> f64 {
        let [all, gone, _] = sum(self.cells.iter().flatten());
        share(gone, all)
    }

    /// The share of look-alikes that were changed.
    pub(super) fn damage(&self) -> f64 {
        share(self.damaged, self.texts)
    }

    pub(super) fn benign(&mut self, damaged: bool) {
        self.texts += 1;
        self.damaged += usize::from(damaged);
    }
}

fn sum<'a>(cells: impl Iterator<Item = &'a [usize; 3]>) -> [usize; 3] {
    cells.fold([0; 3], |sum, cell| [sum[0] + cell[0], sum[1] + cell[1], sum[2] + cell[2]])
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

pub(super) fn table(score: &Score, kinds: &[&str], contexts: &[&str]) -> String {
    let mut out =
        "| context | texts | recall | only the value gone |\n|---|---:|---:|---:|\n".to_owned();
    let mut row = |name: &str, [all, gone, exact]: [usize; 3]| {
        let _ = writeln!(
            out,
            "| {name} | {all} | {:.4} | {:.4} |",
            share(gone, all),
            share(exact, all)
        );
    };
    for (at, context) in contexts.iter().enumerate() {
        row(context, sum(score.cells.iter().map(|cells| &cells[at])));
    }
    let all = sum(score.cells.iter().flatten());
    row("all", all);
    let _ = writeln!(
        out,
        "\n{} kinds. {} look-alikes in {} texts, {} of them changed ({:.4}).\n",
        kinds.len(),
        score.lookalikes,
        score.texts,
        score.damaged,
        score.damage(),
    );
    let missed: Vec<String> = kinds
        .iter()
        .zip(&score.cells)
        .filter_map(|(kind, cells)| row_of(kind, cells, contexts))
        .collect();
    if missed.is_empty() {
        out.push_str("Every kind is found, and nothing else.\n");
    } else {
        out.push_str(
            "| kind | texts | missed | damaged around it | where |\n|---|---:|---:|---:|---|\n",
        );
        out.push_str(&missed.concat());
    }
    out
}

/// A line about a kind that is not always found as it should be.
fn row_of(kind: &str, cells: &[[usize; 3]], contexts: &[&str]) -> Option<String> {
    let [all, gone, exact] = sum(cells.iter());
    let places = contexts.iter().zip(cells).filter(|(_, [all, _, exact])| exact < all);
    let places: Vec<&str> = places.map(|(context, _)| *context).collect();
    (exact < all).then(|| {
        format!("| {kind} | {all} | {} | {} | {} |\n", all - gone, gone - exact, places.join(", "))
    })
}
