//! The list that a person looks at.

use jiff::tz::TimeZone;
use segue_lib::handoffs::Listed;
use segue_lib::sharing::Provenance;
use segue_lib::{Timestamp, age, visible_line};
use unicode_width::UnicodeWidthStr;

use crate::local_time::local;
use crate::ui::{Role, Ui};

/// A line of the table, every cell made visible.
struct Line {
    id: String,
    age: String,
    kind: String,
    title: String,
    summary: String,
    project: String,
    tags: String,
    /// Who signed it, of what was imported.
    signed: String,
    /// Whether that is trusted.
    trusted: bool,
    expires: String,
    faded: bool,
}

/// A handoff and where it comes from, if it was not made here.
pub(crate) type TableRow = (Option<Provenance>, Listed);

/// Draws the table. Columns are as wide as what is in them; the title takes what is left.
pub(crate) fn draw(
    rows: &[TableRow],
    with_kind: bool,
    now: Timestamp,
    zone: &TimeZone,
    ui: &Ui,
) -> String {
    let lines: Vec<Line> = rows.iter().map(|row| line(row, now, zone)).collect();
    let widest = |cell: fn(&Line) -> &String, head: &str, most: usize| {
        lines.iter().map(|line| cell(line).width()).max().unwrap_or(0).max(head.width()).min(most)
    };
    let age_width = widest(|line| &line.age, "AGE", 4);
    let wanted = [
        widest(|line| &line.project, "PROJECT", 20),
        widest(|line| &line.tags, "TAGS", 20),
        if lines.iter().any(|line| !line.signed.is_empty()) {
            widest(|line| &line.signed, "SIGNED", 16)
        } else {
            0
        },
        widest(|line| &line.expires, "EXPIRES", 16),
    ];
    let kind_width = if with_kind { widest(|line| &line.kind, "KIND", 8) } else { 0 };
    let before = 8 + 2 + age_width + 2 + if with_kind { kind_width + 2 } else { 0 };
    let (title_width, [project_width, tags_width, signed_width, expires_width]) =
        widths(ui.width().saturating_sub(before), wanted);

    let mut out = String::new();
    let mut row = |cells: [(usize, String); 8]| {
        let shown = cells.into_iter().filter(|(width, _)| *width > 0).map(|(_, cell)| cell);
        out.push_str(shown.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    };
    row([
        (8, heading(ui, "ID", 8)),
        (age_width, heading(ui, "AGE", age_width)),
        (kind_width, heading(ui, "KIND", kind_width)),
        (title_width, heading(ui, "HANDOFF", title_width)),
        (project_width, heading(ui, "PROJECT", project_width)),
        (tags_width, heading(ui, "TAGS", tags_width)),
        (signed_width, heading(ui, "SIGNED", signed_width)),
        (expires_width, ui.paint(Role::Heading, "EXPIRES")),
    ]);
    for line in &lines {
        let title_role = if line.faded { Role::Faint } else { Role::Title };
        let expires_role = if line.faded { Role::Warning } else { Role::Faint };
        let signed_role = if line.trusted { Role::Good } else { Role::Warning };
        row([
            (8, ui.paint(Role::Id, &line.id)),
            (age_width, pad_left(&line.age, age_width)),
            (kind_width, ui.paint(Role::Faint, &fit(&line.kind, kind_width))),
            (title_width, titled(ui, line, title_role, title_width)),
            (project_width, fit(&line.project, project_width)),
            (tags_width, ui.paint(Role::Faint, &fit(&line.tags, tags_width))),
            (signed_width, ui.paint(signed_role, &fit(&line.signed, signed_width))),
            (expires_width, ui.paint(expires_role, &line.expires)),
        ]);
    }
    out
}

/// The width of the title and of project, tags, signer and expiry, in so many columns. A title of some
/// length always fits: the others shrink first, then they go, tags before project before expiry before
/// the signer.
fn widths(total: usize, wanted: [usize; 4]) -> (usize, [usize; 4]) {
    const ENOUGH: usize = 24;
    let [project, tags, signed, expires] = wanted;
    let small = [project.min(12), tags.min(10), signed.min(9), expires];
    let ways = [
        wanted,
        small,
        [small[0], 0, small[2], expires],
        [0, 0, small[2], expires],
        [0, 0, small[2], 0],
        [0, 0, 0, 0],
    ];
    let title = |columns: &[usize; 4]| {
        let taken = columns.iter().filter(|width| **width > 0).map(|width| width + 2).sum();
        total.saturating_sub(taken)
    };
    let way = ways.into_iter().find(|way| title(way) >= ENOUGH).unwrap_or([0, 0, 0, 0]);
    (title(&way).max(8), way)
}

fn line((provenance, row): &TableRow, now: Timestamp, zone: &TimeZone) -> Line {
    let fields = &row.head.fields;
    let clean = |text: &str| visible_line(text).into_owned();
    let expired = fields.expires.is_some_and(|at| at <= now);
    let expires = match fields.expires {
        None => String::new(),
        Some(_) if row.archived.is_some() => "archived".to_owned(),
        Some(_) if expired => "expired".to_owned(),
        Some(at) => local(at, zone),
    };
    // A name is how a handoff is asked for; a title is what it is about. Both fit when short.
    let title = match (&fields.name, &fields.title) {
        (Some(name), Some(title)) if name != title => format!("{name}: {title}"),
        _ => row.title.clone(),
    };
    let summary = fields.summary.as_deref().unwrap_or("");
    Line {
        id: row.head.id.short().to_owned(),
        age: age(row.head.created, now),
        kind: fields.kind.to_string(),
        title: clean(&title),
        summary: clean(if *summary == *title { "" } else { summary }),
        project: clean(fields.project.as_deref().unwrap_or(&row.label)),
        tags: clean(&fields.tags.join(",")),
        signed: match provenance {
            None => String::new(),
            Some(Provenance::Signed { name: Some(name), trusted: true, .. }) => clean(name),
            Some(other) => other.word().to_owned(),
        },
        trusted: matches!(provenance, Some(Provenance::Signed { trusted: true, .. })),
        expires,
        faded: expired || row.archived.is_some(),
    }
}

/// The title, and as much of the summary as fits behind it.
fn titled(ui: &Ui, line: &Line, role: Role, width: usize) -> String {
    let title_width = line.title.width();
    if line.summary.is_empty() || title_width + 10 > width {
        let cell = fit(&line.title, width);
        let text = cell.trim_end();
        return ui.paint(role, text) + &" ".repeat(cell.width() - text.width());
    }
    let rest = width - title_width - 3;
    let summary = format!("· {}", fit(&line.summary, rest));
    format!("{} {}", ui.paint(role, &line.title), ui.paint(Role::Faint, &summary))
}

fn heading(ui: &Ui, text: &str, width: usize) -> String {
    ui.paint(Role::Heading, text) + &" ".repeat(width.saturating_sub(text.width()))
}

fn pad_left(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.width())) + text
}

/// The text in exactly this many columns; cut with `…` if it has more.
pub(crate) fn fit(text: &str, width: usize) -> String {
    let mut out = String::new();
    if text.width() <= width {
        out.push_str(text);
    } else {
        // Measured as a whole: joined characters are narrower than the sum of them.
        for c in text.chars() {
            out.push(c);
            if out.width() + 1 > width {
                out.pop();
                break;
            }
        }
        out.push('…');
    }
    let used = out.width();
    out + &" ".repeat(width.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_their_width_whatever_is_in_them() {
        for text in
            ["", "short", "exactly ten", "修复登录中间件的错误", "a👩‍🚀b and more", &"x".repeat(50)]
        {
            assert_eq!(fit(text, 10).width(), 10, "{text}");
        }
        assert_eq!(fit("abcdefghijkl", 10), "abcdefghi…");
        assert_eq!(pad_left("3h", 4), "  3h");
    }

    #[test]
    fn a_table_is_never_wider_than_the_terminal() {
        for total in 24..200 {
            let (title, columns) = widths(total, [19, 20, 9, 16]);
            let taken: usize =
                columns.iter().filter(|width| **width > 0).map(|width| width + 2).sum();
            assert!(title >= 24 && title + taken <= total, "{total}: {title} {columns:?}");
        }
        assert_eq!(widths(100, [19, 20, 0, 16]), (39, [19, 20, 0, 16]));
        assert_eq!(widths(36, [19, 20, 9, 16]), (25, [0, 0, 9, 0]));
    }
}
