//! The handoff beside the list: what is known of it, then its text.

use jiff::tz::TimeZone;
use segue_lib::handoffs::{HandoffId, HandoffKind, Selector};
use segue_lib::sharing::Provenance;
use segue_lib::{Segue, age, visible, visible_line};

use super::look::Look;
use super::wrap::wrapped;
use crate::local_time::local;

/// More of a text is for `segue show`.
const MOST_BYTES: usize = 64 * 1024;

/// Columns of a fact's label.
pub(crate) const LABEL: usize = 10;

/// A line of the preview.
pub(crate) struct PreviewLine {
    /// Of a fact: its label, or nothing if the line goes on with the one above.
    pub(crate) label: Option<&'static str>,
    pub(crate) look: Look,
    pub(crate) text: String,
}

/// What is shown of one handoff.
pub(crate) struct Preview {
    pub(crate) id: HandoffId,
    title: String,
    summary: String,
    facts: Vec<(&'static str, String, Look)>,
    body: String,
    lines: Vec<PreviewLine>,
    width: usize,
}

impl Preview {
    /// Reads a handoff; one that cannot be read says why.
    pub(crate) fn read(segue: &Segue, id: &HandoffId) -> Self {
        let mut preview = Self::empty(id.clone());
        let found = match segue.handoffs().find(&Selector::Word(id.as_str().to_owned())) {
            Ok(found) => found,
            Err(error) => {
                preview.facts.push(("id", id.to_string(), Look::Id));
                preview.body = visible(&error.to_string()).into_owned();
                return preview;
            }
        };
        let (handoff, now, zone) = (&found.handoff, segue.env().now(), TimeZone::system());
        let (head, fields) = (&handoff.head, &handoff.head.fields);
        let clean = |text: &str| visible_line(text).into_owned();
        preview.title = clean(&handoff.display_title());
        preview.summary = fields.summary.as_deref().map(clean).unwrap_or_default();
        if preview.summary == preview.title {
            preview.summary.clear();
        }
        let mut fact = |label, value: Option<String>, look| {
            preview.facts.extend(value.filter(|value| !value.is_empty()).map(|v| (label, v, look)));
        };
        let ago = match age(head.created, now) {
            other if other == "now" || other.starts_with("in ") => other,
            ago => format!("{ago} ago"),
        };
        fact("id", Some(id.to_string()), Look::Id);
        fact("saved", Some(format!("{} · {ago}", local(head.created, &zone))), Look::Plain);
        let kind = Some(fields.kind).filter(|kind| *kind != HandoffKind::Handoff);
        fact("kind", kind.map(|kind| kind.to_string()), Look::Plain);
        fact("name", fields.name.as_deref().map(clean), Look::Plain);
        let project = fields.project.as_deref().unwrap_or(&found.listed.label);
        fact("project", Some(clean(project)), Look::Project);
        fact("branch", fields.git.branch.as_deref().map(clean), Look::Plain);
        fact("tool", fields.tool.as_deref().map(clean), Look::Plain);
        fact("tags", Some(clean(&fields.tags.join(", "))), Look::Tag);
        if found.listed.archived.is_some() {
            fact("expired", Some("it is archived".to_owned()), Look::Warning);
        } else if let Some(at) = found.expired {
            fact("expired", Some(local(at, &zone)), Look::Warning);
        } else {
            fact("expires", fields.expires.map(|at| local(at, &zone)), Look::Plain);
        }
        if let Some(provenance) = segue.provenance().of_handoff(handoff) {
            let trusted = matches!(provenance, Provenance::Signed { trusted: true, .. });
            let look = if trusted { Look::Good } else { Look::Warning };
            fact("imported", Some(clean(&provenance.to_string())), look);
        }
        let body = handoff.body();
        let end = body.floor_char_boundary(MOST_BYTES.min(body.len()));
        preview.body = visible(&body[..end]).into_owned();
        if end < body.len() {
            preview.body.push_str(&format!("\n\n… 'segue show {}' has the rest", id.short()));
        }
        preview
    }

    fn empty(id: HandoffId) -> Self {
        Self {
            id,
            title: String::new(),
            summary: String::new(),
            facts: Vec::new(),
            body: String::new(),
            lines: Vec::new(),
            width: 0,
        }
    }

    /// One that needs no store.
    #[cfg(test)]
    pub(super) fn of(id: HandoffId, title: &str, body: &str) -> Self {
        let facts = vec![("id", id.to_string(), Look::Id), ("tags", "a, b".to_owned(), Look::Tag)];
        Self { title: title.into(), facts, body: body.into(), ..Self::empty(id) }
    }

    /// Its lines, none wider than this.
    pub(crate) fn lines(&mut self, width: usize) -> &[PreviewLine] {
        if self.width != width || self.lines.is_empty() {
            self.width = width;
            self.lines = self.laid_out(width);
        }
        &self.lines
    }

    fn laid_out(&self, width: usize) -> Vec<PreviewLine> {
        let mut lines = Vec::new();
        let mut put = |text: &str, look, label: Option<&'static str>, most| {
            let space = if label.is_some() { width.saturating_sub(LABEL).max(8) } else { width };
            for (at, text) in wrapped(text, space).into_iter().take(most).enumerate() {
                let label = label.map(|label| if at == 0 { label } else { "" });
                lines.push(PreviewLine { label, look, text });
            }
        };
        for (text, look) in [(&self.title, Look::Title), (&self.summary, Look::Faint)] {
            if !text.is_empty() {
                put(text, look, None, 3);
            }
        }
        if !self.title.is_empty() {
            put("", Look::Plain, None, 1);
        }
        for (label, value, look) in &self.facts {
            put(value, *look, Some(label), 3);
        }
        put("", Look::Rule, None, 1);
        let mut fenced = false;
        for line in self.body.trim_start_matches('\n').lines() {
            let fence = line.trim_start().starts_with("```");
            let look = match line {
                _ if fence || fenced => Look::Code,
                _ if line.starts_with('#') => Look::Title,
                _ if line.starts_with('>') => Look::Faint,
                _ => Look::Plain,
            };
            fenced ^= fence;
            put(&line.replace('\t', "    "), look, None, usize::MAX);
        }
        lines
    }
}
