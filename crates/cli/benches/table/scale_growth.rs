//! How each row grows from one size to the next, and whether that is what is claimed.

use crate::contest::Timed;
use crate::scale_store::Grown;
use crate::sheet::markdown;

/// What a row grows with, at most.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Growth {
    Constant,
    /// With the handoffs of the project that is asked.
    Project,
    /// With the handoffs of the largest project.
    Largest,
    /// With the directories of handoffs that are in scope.
    Months,
    Store,
}

/// Growth above the claimed one by this factor contradicts it.
const TOLERANCE: f64 = 1.5;
/// Milliseconds or megabytes: less than this between two sizes says nothing.
const LEAST: f64 = 0.5;

/// What can make something grow, for one size.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    store: usize,
    project: usize,
    largest: usize,
    months: usize,
}

struct Line {
    what: String,
    unit: &'static str,
    claim: Growth,
    /// By size: the least and the median.
    values: Vec<Option<(f64, f64)>>,
}

/// Every row over the sizes.
#[derive(Default)]
pub(crate) struct Chart {
    extents: Vec<Extent>,
    lines: Vec<Line>,
}

impl Growth {
    fn words(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Project => "with the project",
            Self::Largest => "with the largest project",
            Self::Months => "with the directories",
            Self::Store => "with the store",
        }
    }

    fn between(self, small: Extent, large: Extent) -> f64 {
        let ratio = |of: fn(Extent) -> usize| of(large) as f64 / of(small).max(1) as f64;
        let factor = match self {
            Self::Constant => 1.0,
            Self::Project => ratio(|extent| extent.project),
            Self::Largest => ratio(|extent| extent.largest),
            Self::Months => ratio(|extent| extent.months),
            Self::Store => ratio(|extent| extent.store),
        };
        factor.max(1.0)
    }
}

impl Chart {
    /// The rows that follow are of this store.
    pub(crate) fn begin(&mut self, store: &Grown) {
        self.extents.push(Extent {
            store: store.files.len(),
            project: store.project.files.len(),
            largest: store.largest,
            months: store.months,
        });
    }

    /// A time, above `/bin/true`.
    pub(crate) fn timed(&mut self, timed: &Timed, claim: Growth) {
        let above = |own: f64, empty: f64| (own - empty).max(0.0);
        let least = above(timed.own.min, timed.empty.min);
        let median = above(timed.own.median, timed.empty.median);
        self.put(&timed.what, "ms", claim, (least, median));
    }

    pub(crate) fn figure(&mut self, what: &str, unit: &'static str, claim: Growth, value: f64) {
        self.put(what, unit, claim, (value, value));
    }

    fn put(&mut self, what: &str, unit: &'static str, claim: Growth, value: (f64, f64)) {
        let at = self.lines.iter().position(|line| line.what == what).unwrap_or_else(|| {
            let values = Vec::new();
            self.lines.push(Line { what: what.to_owned(), unit, claim, values });
            self.lines.len() - 1
        });
        let values = &mut self.lines[at].values;
        values.resize(self.extents.len(), None);
        values[self.extents.len() - 1] = Some(value);
    }

    pub(crate) fn render(&self) -> String {
        let mut head = vec!["what".to_owned(), "unit".to_owned()];
        head.extend(self.extents.iter().map(|extent| extent.store.to_string()));
        head.extend(["claimed".to_owned(), "contradicted".to_owned()]);
        let mut rows = vec![
            self.basis("handoffs of the project", |extent| extent.project),
            self.basis("handoffs of the largest project", |extent| extent.largest),
            self.basis("directories of handoffs", |extent| extent.months),
        ];
        rows.extend(self.lines.iter().map(|line| self.line(line)));
        markdown(&head, &rows)
    }

    fn basis(&self, what: &str, of: fn(Extent) -> usize) -> Vec<String> {
        let mut row = vec![what.to_owned(), String::new()];
        let mut before: Option<usize> = None;
        for extent in &self.extents {
            let value = of(*extent);
            let factor = before.map(|before| value as f64 / before.max(1) as f64);
            row.push(format!("{value}{}", by(factor)));
            before = Some(value);
        }
        row.extend([String::new(), String::new()]);
        row
    }

    fn line(&self, line: &Line) -> Vec<String> {
        let mut row = vec![line.what.clone(), line.unit.to_owned()];
        let mut against = Vec::new();
        let mut before: Option<(Extent, (f64, f64))> = None;
        for (at, extent) in self.extents.iter().enumerate() {
            let Some(value) = line.values.get(at).copied().flatten() else {
                row.push(String::new());
                continue;
            };
            let factor = before.map(|(_, before)| value.1 / before.1);
            row.push(format!("{:.2}{}", value.1, by(factor)));
            if let Some((small, before)) = before
                && line.is_against((small, before), (*extent, value))
            {
                against.push(format!("**{} to {}**", small.store, extent.store));
            }
            before = Some((*extent, value));
        }
        row.extend([line.claim.words().to_owned(), against.join(", ")]);
        row
    }
}

impl Line {
    /// The least and the median have both to say so: a machine that was busy is no contradiction.
    fn is_against(&self, small: (Extent, (f64, f64)), large: (Extent, (f64, f64))) -> bool {
        let allowed = self.claim.between(small.0, large.0) * TOLERANCE;
        let ((least, median), (least_now, median_now)) = (small.1, large.1);
        let grown = least_now > least * allowed && median_now > median * allowed;
        let counts = self.unit.is_empty() || median_now - median * allowed > LEAST;
        grown && counts
    }
}

fn by(factor: Option<f64>) -> String {
    factor.filter(|factor| factor.is_finite()).map_or(String::new(), |factor| {
        if factor < 10.0 { format!(" (x{factor:.1})") } else { format!(" (x{factor:.0})") }
    })
}
