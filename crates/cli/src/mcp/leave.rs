//! The tools that leave something: `save` and `note`, and `decide` as older installations call it.

use segue_lib::handoffs::{Name, SaveOutcome, SaveRequest};
use segue_lib::state::{NoteKind, NoteRequest};
use segue_lib::{Error, code_span};
use serde::Deserialize;
use serde_json::json;

use super::answer::{Answer, Trouble};
use super::arguments::Arguments;
use super::caller::Caller;
use super::desk::Place;
use super::tool::read;
use crate::commands::save::parse_tags;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Save {
    title: String,
    body: String,
    name: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    next: Vec<String>,
}

pub(super) fn save(place: &Place, who: &Caller, given: Arguments) -> Result<Answer, Trouble> {
    let given: Save = read(given)?;
    let name = given.name.filter(|name| !name.trim().is_empty());
    let name: Option<Name> = name.as_deref().map(str::parse).transpose().map_err(Error::from)?;
    let mut request = SaveRequest::default();
    request.title = Some(given.title);
    request.body = given.body;
    request.name = name;
    request.next = given.next.into_iter().filter(|step| !step.trim().is_empty()).collect();
    request.tool = who.tool.clone();
    let segue = place.open()?;
    request.tags = parse_tags(&given.tags, &segue)?;
    request.session = who.session_in(&segue);
    Ok(said("Saved", &segue.handoffs().save(&request)?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    kind: Kind,
    text: String,
    why: Option<String>,
    #[serde(default)]
    rejected: Vec<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Next,
    Rule,
    Decision,
    Gotcha,
    Question,
    Blocker,
}

/// The words for them, as the schema has them.
pub(super) const KINDS: [&str; 6] = ["next", "rule", "decision", "gotcha", "question", "blocker"];

impl From<Kind> for NoteKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Next => Self::Next,
            Kind::Rule => Self::Rule,
            Kind::Decision => Self::Decision,
            Kind::Gotcha => Self::Gotcha,
            Kind::Question => Self::Question,
            Kind::Blocker => Self::Blocker,
        }
    }
}

pub(super) fn note(place: &Place, who: &Caller, given: Arguments) -> Result<Answer, Trouble> {
    noted(place, who, read(given)?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decide {
    text: String,
    why: Option<String>,
    #[serde(default)]
    rejected: Vec<String>,
}

pub(super) fn decide(place: &Place, who: &Caller, given: Arguments) -> Result<Answer, Trouble> {
    let Decide { text, why, rejected } = read(given)?;
    if text.trim().is_empty() {
        return Err(Trouble::new("The text is empty: say what was decided."));
    }
    noted(place, who, Note { kind: Kind::Decision, text, why, rejected })
}

fn noted(place: &Place, who: &Caller, given: Note) -> Result<Answer, Trouble> {
    if given.text.trim().is_empty() {
        return Err(Trouble::new("The text is empty: say what is to be noted."));
    }
    let mut request = NoteRequest::new(given.kind.into(), given.text);
    request.why = given.why;
    request.rejected = given.rejected;
    request.tool = who.tool.clone();
    let segue = place.open()?;
    request.session = who.session_in(&segue);
    Ok(said("Recorded", &segue.open_items().note(&request)?))
}

fn said(done: &str, saved: &SaveOutcome) -> Answer {
    let id = saved.handoff.head.id.short();
    let mut text = format!("{done} as `{id}` in the project {}.", code_span(&saved.label));
    for warning in &saved.warnings {
        text.push_str(&format!("\nWarning: {}", segue_lib::visible_line(warning)));
    }
    let data = json!({"id": id, "project": saved.label, "warnings": saved.warnings});
    Answer::new(text, &data)
}
