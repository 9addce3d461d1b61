//! The list that a person looks at.

use jiff::tz::TimeZone;
use segue_lib::{Listed, Timestamp, visible_line};
use unicode_width::UnicodeWidthStr;

use crate::age::{age, local};
use crate::ui::{Role, Ui};

/// A line of the table, every cell made visible.
struct Line {
    id: String,
    age: String,
    title: String,
    summary: String,
    project: String,
    tags: String,
    expires: String,
    faded: bool,
}

/// Draws the table. Columns are as wide as what is in them; the title takes what is left.
pub(crate) fn draw(rows: &[Listed], now: Timestamp, zone: &TimeZone, ui: &Ui) -> String {
    let lines: Vec<Line> = rows.iter().map(|row| line(row, now, zone)).collect();
    let widest = |cell: fn(&Line) -> &String, head: &str, most: usize| {
        lines.iter().map(|line| cell(line).width()).max().unwrap_or(0).max(head.width()).min(most)
    };
    let age_width = widest(|line| &line.age, "AGE", 4);
    let project_width = widest(|line| &line.project, "PROJECT", 20);
    let tags_width = widest(|line| &line.tags, "TAGS", 20);
    let expires_width = widest(|line| &line.expires, "EXPIRES", 16);
    let taken = 8 + age_width + project_width + tags_width + expires_width + 5 * 2;
    let title_width = ui.width().saturating_sub(taken).max(16);

    let mut out = String::new();
    let heads = [
        ui.paint(Role::Heading, "ID") + &" ".repeat(6),
        heading(ui, "AGE", age_width),
        heading(ui, "HANDOFF", title_width),
        heading(ui, "PROJECT", project_width),
        heading(ui, "TAGS", tags_width),
        ui.paint(Role::Heading, "EXPIRES"),
    ];
    out.push_str(&heads.join("  "));
    out.push('\n');
    for line in &lines {
        let title_role = if line.faded { Role::Faint } else { Role::Title };
        let cells = [
            ui.paint(Role::Id, &line.id),
            pad_left(&line.age, age_width),
            titled(ui, line, title_role, title_width),
            fit(&line.project, project_width),
            ui.paint(Role::Faint, &fit(&line.tags, tags_width)),
            ui.paint(if line.faded { Role::Warning } else { Role::Faint }, &line.expires),
        ];
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}

fn line(row: &Listed, now: Timestamp, zone: &TimeZone) -> Line {
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
        title: clean(&title),
        summary: clean(if *summary == *title { "" } else { summary }),
        project: clean(fields.project.as_deref().unwrap_or(&row.label)),
        tags: clean(&fields.tags.join(",")),
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
fn fit(text: &str, width: usize) -> String {
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
}
