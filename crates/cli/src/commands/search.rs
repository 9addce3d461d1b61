use clap::Args;
use segue_lib::search::{Because, Hit, HitPassage, SearchOutcome, SearchRequest};
use segue_lib::{Segue, age, parse_until, visible_line};
use unicode_width::UnicodeWidthStr;

use super::filter::NarrowArgs;
use crate::error::CommandError;
use crate::json;
use crate::ui::{Role, Ui};

/// Search the text of handoffs, what still holds first
///
/// Words are joined by OR: what has more of them, close together, stands above. Identifiers are found
/// by their parts in every spelling. "A phrase" must stand there as it is, -word must not; word* is a
/// beginning; kind:x, tag:x, tool:x, name:x, branch:x, file:path and section:x must fit. A handoff that a newer
/// one has superseded (the same name, --supersedes, a later decision about the same) stands below it
/// and says so. What has expired or is archived is shown if nothing newer answers as well.
#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// What to look for
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    #[command(flatten)]
    narrow: NarrowArgs,
    /// Only until then: the same, or a date, which is all of that day
    #[arg(long, value_name = "SPAN")]
    until: Option<String>,
    /// Only what was left on this branch
    #[arg(long)]
    branch: Option<String>,
    /// Only in this section, such as 'Key Decisions' or 'Next Steps'
    #[arg(long, value_name = "HEADING")]
    section: Option<String>,
    /// Answer as of this date: as if nothing had been saved since
    #[arg(long, value_name = "DATE")]
    as_of: Option<String>,
    /// Show what hardly fits too, instead of nothing
    #[arg(long)]
    weak: bool,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Print an array of objects
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &SearchArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let request = request(args, segue)?;
    let outcome = segue.search().find(&request)?;
    if args.json {
        let provenance = segue.provenance();
        let hits: Vec<_> =
            outcome.hits.iter().map(|hit| (provenance.of_listed(&hit.listed), hit)).collect();
        let hits: Vec<_> =
            hits.iter().map(|(from, hit)| json::found::HitJson::new(hit, from.as_ref())).collect();
        ui.line(&json::pretty(&hits))?;
    } else if ui.is_terminal() {
        for (at, hit) in outcome.hits.iter().enumerate() {
            if at > 0 {
                ui.raw("\n")?;
            }
            draw(hit, segue, ui)?;
        }
    } else if !outcome.hits.is_empty() {
        ui.raw(HEADER)?;
        for hit in &outcome.hits {
            line(hit, ui)?;
        }
    }
    talk(&outcome, &request, ui);
    Ok(())
}

fn request(args: &SearchArgs, segue: &Segue) -> Result<SearchRequest, CommandError> {
    let now = segue.env().now();
    let moment = |text: Option<&str>| {
        text.map(|text| parse_until(text, now)).transpose().map_err(segue_lib::Error::from)
    };
    if args.limit == 0 {
        return Err(CommandError::usage("--limit is at least 1"));
    }
    let narrow = args.narrow.request(segue)?;
    let mut request = SearchRequest::default();
    request.query = args.query.join(" ");
    request.project = narrow.project;
    request.all_projects = narrow.all_projects;
    request.expired = narrow.expired;
    request.tags = narrow.tags;
    request.tool = narrow.tool;
    request.name = narrow.name;
    request.branch = args.branch.clone();
    request.section = args.section.clone();
    request.since = narrow.since;
    request.until = moment(args.until.as_deref())?;
    request.as_of = moment(args.as_of.as_deref())?;
    request.weak = args.weak;
    request.limit = args.limit;
    Ok(request)
}

/// What a hit is that no longer holds, in words.
pub(crate) fn standing(hit: &Hit) -> Option<String> {
    if let Some(by) = &hit.superseded_by {
        let because = match &by.because {
            Because::Named(name) => format!("newer of the name '{name}'"),
            Because::Said => "it says so".to_owned(),
            Because::Decided(_) => "decides the same later".to_owned(),
            Because::Replaced => "an import replaced it".to_owned(),
        };
        return Some(format!("superseded by {} ({because})", by.id.short()));
    }
    match (hit.expired, &hit.listed.archived) {
        (_, Some(_)) => Some("archived".to_owned()),
        (Some(at), None) => Some(format!("expired {}", at.short())),
        (None, None) => None,
    }
}

fn draw(hit: &Hit, segue: &Segue, ui: &mut Ui) -> std::io::Result<()> {
    let head = &hit.listed.head;
    let title = match (&head.fields.name, &head.fields.title) {
        (Some(name), Some(title)) if name != title => format!("{name}: {title}"),
        _ => hit.listed.title.clone(),
    };
    let standing = standing(hit);
    let role = if standing.is_some() { Role::Faint } else { Role::Title };
    let project = head.fields.project.as_deref().unwrap_or(&hit.listed.label);
    ui.line(&format!(
        "{}  {}  {}",
        ui.paint(Role::Id, head.id.short()),
        ui.paint(role, &visible_line(&title)),
        ui.paint(
            Role::Faint,
            &format!("{} · {}", visible_line(project), age(head.created, segue.env().now()))
        ),
    ))?;
    if let Some(standing) = standing {
        ui.line(&format!("  {}", ui.paint(Role::Warning, &visible_line(&standing))))?;
    }
    for passage in &hit.passages {
        let place = place(passage);
        let passage = clip(passage, ui.width().saturating_sub(place.width() + 3));
        ui.line(&format!(
            "  {} {}",
            ui.paint(Role::Hint, &visible_line(&place)),
            marked(&passage, ui)
        ))?;
    }
    if !hit.why.is_empty() {
        ui.line(&format!("  {}", ui.paint(Role::Faint, &visible_line(&hit.why.join(" · ")))))?;
    }
    Ok(())
}

/// `Key Decisions:14`, or only the line where there is no section.
fn place(passage: &HitPassage) -> String {
    match &passage.section {
        Some(section) => format!("{section}:{}", passage.line),
        None => format!("line {}", passage.line),
    }
}

/// A passage in so many columns, with its first match.
fn clip(passage: &HitPassage, columns: usize) -> HitPassage {
    if passage.text.width() <= columns {
        return passage.clone();
    }
    let first = passage.marks.first().map_or(0, |mark| mark.start);
    // A match near the beginning needs nothing cut before it; else some words before it are kept.
    let from = match passage.text.get(..first) {
        Some(before) if before.width() > columns / 2 => {
            let words = before.char_indices().rev().filter(|(_, c)| c.is_whitespace());
            let near = words.map(|(at, c)| at + c.len_utf8());
            near.take_while(|at| before[*at..].width() <= columns / 3).last().unwrap_or(first)
        }
        _ => 0,
    };
    let mut text = if from > 0 { "…".to_owned() } else { String::new() };
    let shift = text.len();
    let mut end = from;
    for c in passage.text[from..].chars() {
        text.push(c);
        if text.width() + 1 > columns {
            text.pop();
            break;
        }
        end += c.len_utf8();
    }
    let shown = passage.marks.iter().filter(|mark| mark.start >= from && mark.start < end);
    let marks = shown.map(|mark| mark.start - from + shift..mark.end.min(end) - from + shift);
    let marks = marks.collect();
    text.push('…');
    HitPassage { section: None, line: passage.line, text, marks }
}

/// The text with its matches in colour.
fn marked(passage: &HitPassage, ui: &Ui) -> String {
    let mut out = String::new();
    let mut at = 0;
    for mark in &passage.marks {
        let (Some(before), Some(inside)) =
            (passage.text.get(at..mark.start), passage.text.get(mark.clone()))
        else {
            continue;
        };
        out.push_str(&visible_line(before));
        out.push_str(&ui.paint(Role::Match, &visible_line(inside)));
        at = mark.end;
    }
    out.push_str(&visible_line(passage.text.get(at..).unwrap_or_default()));
    out
}

const HEADER: &str = "ID\tCREATED\tNAME\tTITLE\tPROJECT\tSTANDING\tSECTION\tLINE\tTEXT\n";

/// One hit with its best passage, fields separated by tabs.
fn line(hit: &Hit, ui: &mut Ui) -> std::io::Result<()> {
    let head = &hit.listed.head;
    let best = hit.passages.first();
    let cells = [
        head.id.short().to_owned(),
        head.created.whole_second().short(),
        head.fields.name.clone().unwrap_or_default(),
        hit.listed.title.clone(),
        head.fields.project.clone().unwrap_or_else(|| hit.listed.label.clone()),
        standing(hit).unwrap_or_default(),
        best.and_then(|best| best.section.clone()).unwrap_or_default(),
        best.map(|best| best.line.to_string()).unwrap_or_default(),
        best.map(|best| best.text.clone()).unwrap_or_default(),
    ]
    .map(|cell| if cell.is_empty() { "-".to_owned() } else { visible_line(&cell).into_owned() });
    ui.line(&cells.join("\t"))
}

fn talk(outcome: &SearchOutcome, request: &SearchRequest, ui: &mut Ui) {
    for file in &outcome.bad {
        ui.warning(&format!("cannot read {}: {}", file.path.display(), file.reason));
    }
    if outcome.elsewhere && !outcome.hits.is_empty() {
        ui.note("nothing is saved here; this is the whole store");
    }
    if outcome.cut {
        ui.warning(&format!(
            "the query is long: only its first {} words were looked for",
            segue_lib::search::MAX_QUERY_TERMS
        ));
    }
    if outcome.unsearched.waiting > 0 {
        let why = outcome.unsearched.why.as_deref().unwrap_or("some could not be read");
        ui.warning(&format!(
            "the text of {} is not indexed yet and was not searched ({why}); try again",
            super::handoffs(outcome.unsearched.waiting)
        ));
    }
    if !outcome.hits.is_empty() {
        return;
    }
    let mut said = match outcome.matched {
        0 => "nothing was found".to_owned(),
        count => format!("nothing relevant was found; {} some of the words", has(count)),
    };
    if !outcome.unknown.is_empty() && outcome.matched > 0 {
        said.push_str(&format!(", but none has {}", outcome.unknown.join(", ")));
    }
    ui.note(&said);
    if outcome.matched > 0 && !request.weak {
        ui.hint("'--weak' shows them all the same");
    }
    if !request.all_projects && !outcome.elsewhere {
        ui.hint("'--all-projects' searches every project");
    }
}

fn has(count: u64) -> String {
    format!("{} {}", super::handoffs(count), if count == 1 { "has" } else { "have" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_fits_its_line_and_shows_its_first_match() {
        let text = "aaa 修复登录 ".repeat(20) + "needle 修复 tail words";
        let start = text.find("needle").unwrap();
        let mark = start..start + 6;
        let passage = HitPassage { section: None, line: 1, text, marks: vec![mark] };
        for columns in 12..300 {
            let clipped = clip(&passage, columns);
            assert!(clipped.text.width() <= columns, "{columns}: {}", clipped.text);
            assert_eq!(&clipped.text[clipped.marks[0].clone()], "needle", "{columns}");
        }
        for columns in 0..12 {
            clip(&passage, columns);
        }
    }
}
