//! Distils a session into the sections of a handoff: what the next session needs, and how each thing
//! is known. The same session gives the same text, and nothing in it that the transcript does not show.

mod announced;
mod gather;

use crate::session::{Record, Session};
use crate::{Tokenizer, estimate_tokens, visible_line};

/// What a handoff out of a session may cost, and where it is read.
#[derive(Clone, Debug)]
pub struct DistilRequest<'r> {
    /// The directory from which paths are told.
    pub root: Option<&'r str>,
    /// How many tokens it may have, at most.
    pub budget: usize,
}

impl Default for DistilRequest<'_> {
    fn default() -> Self {
        Self { root: None, budget: 1_500 }
    }
}

/// A session as a handoff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distilled {
    pub title: String,
    /// Its sections.
    pub body: String,
    /// How many things did not fit.
    pub left_out: usize,
}

/// The sections, in the order in which they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    Context,
    Constraints,
    State,
    Checks,
    Decisions,
    Rejected,
    Next,
    Warnings,
    Files,
}

impl Section {
    const ALL: [Self; 9] = [
        Self::Context,
        Self::Constraints,
        Self::State,
        Self::Checks,
        Self::Decisions,
        Self::Rejected,
        Self::Next,
        Self::Warnings,
        Self::Files,
    ];

    fn heading(self) -> &'static str {
        match self {
            Self::Context => "Context",
            Self::Constraints => "Standing Constraints",
            Self::State => "Current State",
            Self::Checks => "Checks",
            Self::Decisions => "Key Decisions",
            Self::Rejected => "Rejected Paths",
            Self::Next => "Next Steps",
            Self::Warnings => "Warnings / Gotchas",
            Self::Files => "Files of Note",
        }
    }
}

/// How something is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evidence {
    /// A tool showed it.
    Observed,
    /// Somebody said it.
    Declared,
    /// It follows from what was seen.
    Inferred,
}

impl Evidence {
    fn word(self) -> &'static str {
        match self {
            Self::Observed => "observed",
            Self::Declared => "declared",
            Self::Inferred => "inferred",
        }
    }
}

/// One thing to tell.
#[derive(Clone, Debug)]
struct Item {
    section: Section,
    /// The lower, the earlier it gets its place.
    rank: u8,
    text: String,
    evidence: Evidence,
    record: Record,
    /// What is said with the evidence, such as an exit code.
    detail: Option<String>,
}

impl Item {
    fn line(&self) -> String {
        // Of files the heading says how they are known.
        if self.section == Section::Files {
            return format!("- {} #{}\n", self.text, self.record);
        }
        let detail = self.detail.as_ref().map_or_else(String::new, |detail| format!(": {detail}"));
        format!("- {} *({}{detail} #{})*\n", self.text, self.evidence.word(), self.record)
    }
}

/// Distils a session.
pub fn distil(session: &Session, request: &DistilRequest<'_>) -> Distilled {
    let items = gather::items(session, request);
    let mut by_rank: Vec<usize> = (0..items.len()).collect();
    by_rank.sort_by_key(|at| items[*at].rank);
    let mut used = 0;
    let mut taken = vec![false; items.len()];
    let mut sections = Vec::new();
    for at in by_rank {
        let item = &items[at];
        let mut cost = tokens(&item.line());
        if !sections.contains(&item.section) {
            cost += tokens(&format!("\n## {}\n", item.section.heading()));
        }
        if used + cost <= request.budget {
            used += cost;
            taken[at] = true;
            sections.push(item.section);
        }
    }
    let left_out = taken.iter().filter(|taken| !**taken).count();
    let mut body = String::new();
    for section in Section::ALL {
        let lines: Vec<String> = items
            .iter()
            .zip(&taken)
            .filter(|(item, taken)| item.section == section && **taken)
            .map(|(item, _)| item.line())
            .collect();
        let missing = items
            .iter()
            .zip(&taken)
            .filter(|(item, taken)| item.section == section && !**taken)
            .count();
        if lines.is_empty() {
            continue;
        }
        if !body.is_empty() {
            body.push('\n');
        }
        body.push_str(&format!("## {}\n", section.heading()));
        lines.iter().for_each(|line| body.push_str(line));
        if missing > 0 {
            body.push_str(&format!("- and {missing} more\n"));
        }
    }
    Distilled { title: session_title(session), body, left_out }
}

fn tokens(text: &str) -> usize {
    estimate_tokens(text, Tokenizer::Cl100k)
}

/// What a session was about, in a line.
pub fn session_title(session: &Session) -> String {
    let asked = || session.prompts.iter().rev().find(|prompt| prompt.text.len() > 12);
    let asked = || asked().or(session.prompts.last()).map(|prompt| prompt.text.as_str());
    let text = session.title.as_deref().or_else(asked).unwrap_or("A session");
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("A session");
    one_line(line, 80)
}

/// A text on one line, at most so many bytes of it.
fn one_line(text: &str, most: usize) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        if out.len() + word.len() > most {
            if out.is_empty() {
                let end = (0..=most.min(word.len())).rev().find(|end| word.is_char_boundary(*end));
                out.push_str(&word[..end.unwrap_or(0)]);
            }
            out.push('…');
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    visible_line(&out).into_owned()
}
