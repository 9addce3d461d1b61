//! Closes and reopens items, and notes new ones. Each change is a handoff of its own: nothing is deleted.

use segue_core::{ClosingLine, DecisionNote, HandoffKind};

use super::LoadedState;
use super::open_items::{OpenItem, OpenItems, find, no_item};
use crate::Error;
use crate::handoffs::{Handoffs, SaveOutcome, SaveRequest, Speaker};
use crate::redacted::clean_first;

/// Items to close or to reopen.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CloseRequest {
    /// Their ids, or at least four digits of each.
    pub ids: Vec<String>,
    /// Open them again instead.
    pub reopens: bool,
    /// Why.
    pub why: Option<String>,
    /// Who says so.
    pub by: Speaker,
    /// The agent that says so.
    pub tool: Option<String>,
    /// The agent's own session id.
    pub session: Option<String>,
}

/// What is noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// Something to do next.
    Next,
    /// A rule that holds from now on.
    Rule,
    /// A decision.
    Decision,
    /// A trap.
    Gotcha,
    /// A question that is open.
    Question,
    /// Something that is in the way.
    Blocker,
}

impl NoteKind {
    /// The heading that such an item stands under.
    fn heading(self) -> &'static str {
        match self {
            Self::Next => "Next Steps",
            Self::Rule => "Standing Constraints",
            Self::Decision => "Key Decisions",
            Self::Gotcha => "Warnings / Gotchas",
            Self::Question => "Open Questions",
            Self::Blocker => "Blockers",
        }
    }
}

/// One item to note.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NoteRequest {
    /// What it is.
    pub kind: NoteKind,
    /// What it says.
    pub text: String,
    /// Why, for a decision.
    pub why: Option<String>,
    /// What was considered and not taken, for a decision.
    pub rejected: Vec<String>,
    /// Who says so.
    pub by: Speaker,
    /// The agent that says so.
    pub tool: Option<String>,
    /// The agent's own session id.
    pub session: Option<String>,
}

impl NoteRequest {
    /// A note of this kind.
    pub fn new(kind: NoteKind, text: impl Into<String>) -> Self {
        let (why, rejected, by) = (None, Vec::new(), Speaker::Agent);
        Self { kind, text: text.into(), why, rejected, by, tool: None, session: None }
    }
}

/// What a change came to.
#[derive(Debug)]
#[non_exhaustive]
pub struct ChangeOutcome {
    /// The handoff that says so; `None` if everything was so already.
    pub saved: Option<SaveOutcome>,
    /// The items that were changed.
    pub changed: Vec<OpenItem>,
    /// Those that were so already.
    pub unchanged: Vec<OpenItem>,
}

impl OpenItems<'_> {
    /// Closes items, or opens them again. All of them or none.
    pub fn close(&self, request: &CloseRequest) -> Result<ChangeOutcome, Error> {
        let handoffs = Handoffs::of(&self.here);
        self.here.directory()?;
        let first = request.ids.first();
        let first =
            first.ok_or_else(|| Error::Usage("which item? 'segue open' lists them".into()))?;
        let state = LoadedState::of(&self.here)?.ok_or_else(|| no_item(first))?;
        let view = state.view();
        let mut why = request.why.clone();
        let taken_out = clean_first(&*self.here.redactor()?, why.iter_mut());
        let (mut changed, mut unchanged, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        for id in &request.ids {
            let viewed = find(&view.items, id)?;
            let item = self.item(viewed);
            if changed.iter().any(|known: &OpenItem| known.id == item.id) {
                continue;
            }
            if viewed.item.is_only_for_the_user() && request.by != Speaker::User {
                return Err(Error::OnlyTheUser { id: item.id.to_string(), kind: item.kind });
            }
            // What nothing shows to be settled can be closed for good.
            let is_closed = viewed.item.closing().is_some_and(|(_, why)| !why.is_unsure());
            if is_closed != request.reopens {
                unchanged.push(item);
                continue;
            }
            // A merge can have made one of several: all of them are closed.
            lines.extend(viewed.ids.iter().map(|id| ClosingLine {
                id: *id,
                reopens: request.reopens,
                text: item.text.clone(),
                why: why.clone(),
                source: request.by.source(),
            }));
            changed.push(item);
        }
        if changed.is_empty() {
            return Ok(ChangeOutcome { saved: None, changed, unchanged });
        }
        let what = if request.reopens { "Reopened" } else { "Closed" };
        let names: Vec<&str> = changed.iter().map(|item| item.text.as_str()).collect();
        let save = SaveRequest {
            kind: HandoffKind::Closing,
            title: Some(title(&format!("{what}: {}", names.join("; ")))),
            body: ClosingLine::body(&lines),
            by: request.by,
            tool: request.tool.clone(),
            session: request.session.clone(),
            ..SaveRequest::default()
        };
        let mut saved = handoffs.save(&save)?;
        saved.warnings.extend(taken_out);
        Ok(ChangeOutcome { saved: Some(saved), changed, unchanged })
    }

    /// Notes one item. A decision is a handoff of its own kind, as before.
    pub fn note(&self, request: &NoteRequest) -> Result<SaveOutcome, Error> {
        let mut request = request.clone();
        // Each text becomes one line, in which fewer secrets are known.
        let NoteRequest { text, why, rejected, .. } = &mut request;
        let texts = std::iter::once(text).chain(why).chain(rejected);
        let taken_out = clean_first(&*self.here.redactor()?, texts);
        let text = request.text.trim();
        if text.is_empty() {
            return Err(Error::Usage("the note is empty".to_owned()));
        }
        let handoffs = Handoffs::of(&self.here);
        let line: Vec<&str> = text.split_whitespace().collect();
        let line = line.join(" ");
        let (kind, body) = match request.kind {
            NoteKind::Decision => {
                let decision = DecisionNote {
                    text: text.to_owned(),
                    why: request.why.clone(),
                    rejected: request.rejected.clone(),
                };
                (HandoffKind::Decision, decision.body())
            }
            kind => (HandoffKind::Note, format!("## {}\n\n- {line}\n", kind.heading())),
        };
        let tags = match kind {
            HandoffKind::Decision => vec![crate::handoffs::DECIDED.parse()?],
            _ => Vec::new(),
        };
        let mut saved = handoffs.save(&SaveRequest {
            kind,
            title: Some(title(&line)),
            body,
            tags,
            by: request.by,
            tool: request.tool.clone(),
            session: request.session.clone(),
            ..SaveRequest::default()
        })?;
        saved.warnings.extend(taken_out);
        Ok(saved)
    }
}

/// So many characters of a title.
const TITLE: usize = 120;

fn title(text: &str) -> String {
    match text.char_indices().nth(TITLE) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}
