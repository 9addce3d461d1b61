//! `search --json`.

use segue_lib::search::{Because, Hit, HitPassage};
use segue_lib::sharing::Provenance;
use serde::Serialize;

use super::ListedJson;

/// One hit: the handoff as in `list --json`, and how it was found.
#[derive(Serialize)]
pub(crate) struct HitJson<'a> {
    #[serde(flatten)]
    listed: ListedJson<'a>,
    expired: bool,
    score: f32,
    /// How much of the query it covers, by weight.
    coverage: f32,
    superseded_by: Option<SupersededByJson<'a>>,
    passages: Vec<PassageJson<'a>>,
    why: &'a [String],
}

#[derive(Serialize)]
struct SupersededByJson<'a> {
    id: &'a str,
    title: &'a str,
    /// `name`, `supersedes`, `decision` or `import`.
    because: &'static str,
}

#[derive(Serialize)]
struct PassageJson<'a> {
    section: Option<&'a str>,
    line: usize,
    text: &'a str,
    /// Where the matches begin and end in the text, in characters.
    marks: Vec<[usize; 2]>,
}

impl<'a> HitJson<'a> {
    pub(crate) fn new(hit: &'a Hit, provenance: Option<&'a Provenance>) -> Self {
        Self {
            listed: ListedJson::new(&hit.listed, provenance),
            expired: hit.expired.is_some(),
            score: rounded(hit.score),
            coverage: rounded(hit.coverage),
            superseded_by: hit.superseded_by.as_ref().map(|by| SupersededByJson {
                id: by.id.as_str(),
                title: &by.title,
                because: match by.because {
                    Because::Named(_) => "name",
                    Because::Said => "supersedes",
                    Because::Decided(_) => "decision",
                    Because::Replaced => "import",
                },
            }),
            passages: hit.passages.iter().map(PassageJson::new).collect(),
            why: &hit.why,
        }
    }
}

impl<'a> PassageJson<'a> {
    fn new(passage: &'a HitPassage) -> Self {
        let characters =
            |end: usize| passage.text.get(..end).unwrap_or(&passage.text).chars().count();
        Self {
            section: passage.section.as_deref(),
            line: passage.line,
            text: &passage.text,
            marks: passage
                .marks
                .iter()
                .map(|mark| [characters(mark.start), characters(mark.end)])
                .collect(),
        }
    }
}

/// Three digits behind the point: more say nothing.
fn rounded(number: f32) -> f32 {
    (number * 1000.0).round() / 1000.0
}
