//! The tools that pick something up: `briefing`, `search`, `show` and `list`.

use std::time::Duration;

use segue_lib::briefing::{DEFAULT_BUDGET, LEAST_BUDGET, ResumeRequest};
use segue_lib::handoffs::{HandoffKind, ListRequest, Listed, Name, Selector};
use segue_lib::search::{Hit, SearchOutcome, SearchRequest};
use segue_lib::sharing::ProvenanceReader;
use segue_lib::{Error, Segue, age, code_span, visible_line};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::{Answer, DATA, Trouble, quoted_line};
use super::arguments::Arguments;
use super::caller::Caller;
use super::desk::Place;
use super::resource;
use super::tool::read;
use crate::commands::resume::target;
use crate::commands::search::standing;

/// Hits, unless told otherwise, and at most.
pub(super) const HITS: (u64, u64) = (5, 20);
/// Rows of a list, unless told otherwise, and at most.
pub(super) const ROWS: (u64, u64) = (10, 50);
/// Characters of a handoff that are shown at once: clients cut off what is much longer.
const PIECE: usize = 40_000;
/// Said where nothing is offered any more.
const HIDDEN: &str = "Everything here has expired or is archived: `search` still finds it.";
/// Said where there are handoffs of other projects only.
const NOTHING_HERE: &str = "Nothing is saved here; other projects have handoffs.";
/// How many ids are named to a model that has a wrong one.
const NAMED: u64 = 5;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Briefing {
    budget: Option<u64>,
    id: Option<String>,
    name: Option<String>,
    target: Option<String>,
}

pub(super) fn briefing(place: &Place, who: &Caller, given: Arguments) -> Result<Answer, Trouble> {
    let given: Briefing = read(given)?;
    let some = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let (id, name) = (some(given.id), some(given.name));
    if id.is_some() && name.is_some() {
        return Err(Trouble::new("Give an id or a name, not both."));
    }
    let asked = match some(given.target) {
        Some(word) => target(Some(&word))?,
        None => who.agent,
    };
    let budget = given.budget.and_then(|budget| usize::try_from(budget).ok());
    let id = id.as_deref().map(selector).transpose()?;
    let name: Option<Name> = name.as_deref().map(str::parse).transpose().map_err(Error::from)?;
    let mut request = open_request(who, budget)?;
    request.target = asked;
    request.from_inside = asked == who.agent;
    request.id = id;
    request.name = name;
    let segue = place.open_in_a_hurry()?;
    let told = segue.briefer().resume(&request, None).map_err(|error| wrong_id(error, &segue))?;
    let id = told.handoff.as_ref().map(|(handoff, _)| handoff.head.id.short());
    let mut text = told.briefing.text;
    for warning in &told.warnings {
        text.push_str(&format!("\nWarning: {}\n", visible_line(warning)));
    }
    if let Some(brings) = &told.brings {
        text.push_str(&format!("\nNote: {}\n", visible_line(&brings.to_string())));
    }
    let mut data = json!({"briefing": text});
    if let Some(id) = id {
        data["id"] = json!(id);
    }
    Ok(Answer::new(text, &data))
}

/// A request for the newest handoff here.
pub(super) fn open_request(who: &Caller, budget: Option<usize>) -> Result<ResumeRequest, Trouble> {
    let budget = budget.unwrap_or(DEFAULT_BUDGET);
    if budget < LEAST_BUDGET {
        return Err(Trouble::new(format!(
            "A briefing needs a budget of at least {LEAST_BUDGET} tokens; 1500 is usual."
        )));
    }
    let mut request = ResumeRequest::default();
    request.budget = budget;
    request.target = who.agent;
    request.check_limit = Duration::ZERO;
    request.asking = who.session.clone();
    request.from_inside = true;
    Ok(request)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
    limit: Option<u64>,
    #[serde(default)]
    all_projects: bool,
}

/// A stored word with nothing in it that a terminal would act on.
fn seen(text: &str) -> String {
    visible_line(text).into_owned()
}

/// One handoff in an answer.
#[derive(Serialize)]
struct Row {
    id: String,
    /// What it is, if it is no plain handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    title: String,
    project: String,
    age: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// Whether its signer is trusted, if it came from elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_elsewhere: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standing: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passages: Vec<Value>,
}

impl Row {
    fn new(listed: &Listed, segue: &Segue, provenance: &ProvenanceReader<'_>) -> Self {
        let fields = &listed.head.fields;
        Self {
            id: listed.head.id.short().to_owned(),
            kind: Some(fields.kind)
                .filter(|kind| *kind != HandoffKind::Handoff)
                .map(HandoffKind::as_str),
            title: seen(&listed.title),
            project: seen(fields.project.as_ref().unwrap_or(&listed.label)),
            age: age(listed.head.created, segue.env().now()),
            name: fields.name.as_deref().map(seen),
            by: fields.tool.as_deref().map(seen),
            tags: fields.tags.iter().map(|tag| seen(tag)).collect(),
            from_elsewhere: provenance.of_listed(listed).map(|from| from.word()),
            standing: None,
            passages: Vec::new(),
        }
    }

    fn of_hit(hit: &Hit, segue: &Segue, provenance: &ProvenanceReader<'_>) -> Self {
        let passage = |passage: &segue_lib::search::HitPassage| match &passage.section {
            Some(section) => json!({"section": section, "text": passage.text}),
            None => json!({"text": passage.text}),
        };
        Self {
            standing: standing(hit),
            passages: hit.passages.iter().map(passage).collect(),
            ..Self::new(&hit.listed, segue, provenance)
        }
    }

    /// The same in words: what was stored stands in marks that it cannot leave.
    fn told(&self) -> String {
        let when = match self.age.as_str() {
            "now" => "just now".to_owned(),
            ahead if ahead.starts_with("in ") => format!("dated {ahead}"),
            age => format!("{age} ago"),
        };
        let mut text = format!("- `{}` {}, {when}", self.id, code_span(&self.title));
        text.push_str(&format!(", in {}", code_span(&self.project)));
        if let Some(name) = self.name.as_ref().filter(|name| **name != self.title) {
            text.push_str(&format!(", named {}", code_span(name)));
        }
        if let Some(by) = &self.by {
            text.push_str(&format!(", by {}", code_span(by)));
        }
        if let Some(kind) = self.kind {
            text.push_str(&format!(", kind {kind}"));
        }
        if !self.tags.is_empty() {
            text.push_str(&format!(", tags {}", code_span(&self.tags.join(", "))));
        }
        if let Some(word) = self.from_elsewhere {
            text.push_str(&format!(", from elsewhere ({word})"));
        }
        if let Some(standing) = &self.standing {
            text.push_str(&format!(", {}", visible_line(standing)));
        }
        for passage in &self.passages {
            let piece = |key: &str| passage[key].as_str().unwrap_or_default();
            let section = match piece("section") {
                "" => String::new(),
                section => format!("{section}: "),
            };
            let line = quoted_line(&format!("{section}{}", piece("text")));
            text.push_str(&format!("\n  {line}"));
        }
        text
    }
}

/// Rows in words, below a line of ours.
fn told(note: &str, rows: &[Row]) -> String {
    let mut text = note.to_owned();
    if !rows.is_empty() {
        text.push('\n');
    }
    for row in rows {
        text.push_str(&format!("\n{}", row.told()));
    }
    text
}

pub(super) fn search(place: &Place, _: &Caller, given: Arguments) -> Result<Answer, Trouble> {
    let Search { query, limit, all_projects } = read(given)?;
    let limit = limit.unwrap_or(HITS.0).clamp(1, HITS.1);
    let mut request = SearchRequest::default();
    request.query = query;
    request.all_projects = all_projects;
    request.limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let segue = place.open()?;
    let found = match segue.search().find(&request) {
        Err(Error::NothingHere) => {
            let note = format!("{NOTHING_HERE} `search` with all_projects asks all of them.");
            return Ok(Answer::new(note.clone(), &json!({"hits": [], "note": note})));
        }
        found => found?,
    };
    let provenance = segue.provenance();
    let hits: Vec<Row> =
        found.hits.iter().map(|hit| Row::of_hit(hit, &segue, &provenance)).collect();
    let note = about(&found, all_projects);
    Ok(Answer::redacted(told(&note, &hits), &json!({"hits": hits, "note": note}), &segue))
}

/// What a model should know of a search besides its hits.
fn about(found: &SearchOutcome, all_projects: bool) -> String {
    let mut note = match (found.hits.len(), found.matched) {
        (0, 0) => "Nothing was found.".to_owned(),
        (0, matched) => format!("Nothing relevant was found; {matched} have some of the words."),
        (1, _) => format!("1 handoff answers. {DATA}"),
        (count, _) => format!("{count} handoffs answer, best first. {DATA}"),
    };
    if found.hits.is_empty() {
        if !found.unknown.is_empty() {
            let words: Vec<String> = found.unknown.iter().map(|word| code_span(word)).collect();
            note.push_str(&format!(" None has {}.", words.join(", ")));
        }
        note.push_str(" Try fewer or other words");
        note.push_str(if all_projects || found.elsewhere { "." } else { ", or all_projects." });
    }
    if found.cut {
        note.push_str(" The query is long: only its first words were looked for.");
    }
    if found.unsearched.waiting > 0 {
        let waiting = found.unsearched.waiting;
        note.push_str(&format!(" {waiting} could not be searched yet; try again later."));
    }
    note
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Show {
    id: String,
    offset: Option<u64>,
}

pub(super) fn show(place: &Place, _: &Caller, given: Arguments) -> Result<Answer, Trouble> {
    let Show { id, offset } = read(given)?;
    let segue = place.open()?;
    let found =
        segue.handoffs().find_here(&selector(&id)?).map_err(|error| wrong_id(error, &segue))?;
    let shown = segue.handoffs().readable(&found)?;
    let offset = usize::try_from(offset.unwrap_or(0)).unwrap_or(usize::MAX);
    let mut rest = shown.text.chars().skip(offset);
    let piece: String = rest.by_ref().take(PIECE).collect();
    let next = rest.next().map(|_| offset + PIECE);
    let row = Row::new(&found.listed, &segue, &segue.provenance());
    let mut head = format!("The stored text of a handoff follows. {DATA}\n{}", row.told());
    if let Some(frame) = &shown.frame {
        head.push_str(&format!("\n{frame}"));
    }
    if let Some(at) = found.expired {
        head.push_str(&format!("\nIt expired at {}.", at.short()));
    }
    if let Some(next) = next {
        head.push_str(&format!("\nIt is long: go on with offset {next}."));
    }
    let row = serde_json::to_string(&row).unwrap_or_default();
    let mut data: Value = serde_json::from_str(&segue.redactor().json(row)).unwrap_or_default();
    data["text"] = json!(piece);
    data["note"] = json!(DATA);
    if let Some(frame) = shown.frame {
        data["frame"] = json!(frame);
    }
    if let Some(at) = found.expired {
        data["expired"] = json!(at.short());
    }
    if let Some(next) = next {
        data["next_offset"] = json!(next);
    }
    Ok(Answer { text: vec![segue.redactor().text(head), piece], data })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    limit: Option<u64>,
    #[serde(default)]
    all_projects: bool,
}

pub(super) fn list(place: &Place, _: &Caller, given: Arguments) -> Result<Answer, Trouble> {
    let List { limit, all_projects } = read(given)?;
    let segue = place.open()?;
    let limit = limit.unwrap_or(ROWS.0).clamp(1, ROWS.1);
    let mut request = ListRequest::default();
    request.all_projects = all_projects;
    request.limit = Some(limit);
    let provenance = segue.provenance();
    let mut rows = Vec::new();
    let listed = segue.handoffs().list(&request, &mut |listed| {
        rows.push(Row::new(&listed, &segue, &provenance));
        true
    });
    let outcome = match listed {
        Err(Error::NothingHere) => {
            let note = format!(
                "{NOTHING_HERE} `list` with all_projects has them; `save` leaves the first one here."
            );
            return Ok(Answer::new(note.clone(), &json!({"handoffs": [], "note": note})));
        }
        listed => listed?,
    };
    let mut note = match (rows.len(), outcome.hidden) {
        (0, true) => HIDDEN,
        (0, false) => "Nothing was saved yet: `save` leaves the first handoff.",
        _ => DATA,
    }
    .to_owned();
    if outcome.more {
        let more =
            if limit < ROWS.1 { "give a higher limit, or search" } else { "search for them" };
        note.push_str(&format!(" There are more: {more}."));
    }
    for file in &outcome.bad {
        note.push_str(&format!(" Cannot read {}.", code_span(&file.path.display().to_string())));
    }
    Ok(Answer::redacted(told(&note, &rows), &json!({"handoffs": rows, "note": note}), &segue))
}

/// The handoff that a model means, which may copy more than the id itself.
fn selector(word: &str) -> Result<Selector, Trouble> {
    let word = word.trim().trim_matches(['`', '#', '"']);
    let word = word.strip_prefix(resource::PREFIX).unwrap_or(word);
    Ok(word.parse::<Selector>().map_err(Error::from)?)
}

/// A wrong id is told together with ids that are right.
fn wrong_id(error: Error, segue: &Segue) -> Trouble {
    if matches!(error, Error::None(_)) {
        let mut request = ListRequest::default();
        request.limit = Some(1);
        let hidden =
            segue.handoffs().list(&request, &mut |_| true).is_ok_and(|outcome| outcome.hidden);
        return match hidden {
            true => Trouble::new(HIDDEN),
            false => error.into(),
        };
    }
    if !matches!(error, Error::NoId(_)) {
        return error.into();
    }
    let mut request = ListRequest::default();
    request.limit = Some(NAMED);
    let provenance = segue.provenance();
    let mut rows = Vec::new();
    let listed = segue.handoffs().list(&request, &mut |listed| {
        rows.push(Row::new(&listed, segue, &provenance));
        true
    });
    if listed.is_err() || rows.is_empty() {
        return error.into();
    }
    let note = format!("{error}. `search` finds others; these are the newest. {DATA}");
    Trouble(segue.redactor().text(told(&note, &rows)))
}
