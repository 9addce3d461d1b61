//! One decision as a handoff: what was decided, why, and what was not taken.

use crate::briefing::one_line;

/// How long a title is at most, in characters.
const TITLE: usize = 120;

const DECIDED: &str = "## Key Decisions\n\n- ";
const WHY: &str = "  Why: ";
const REJECTED: &str = "\n## Rejected Paths\n\n- ";

/// A decision in its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionNote {
    pub text: String,
    pub why: Option<String>,
    /// What was considered and not taken.
    pub rejected: Vec<String>,
}

impl DecisionNote {
    /// Whether nothing was decided.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The decision itself is its title: a list of titles is then a list of decisions.
    pub fn title(&self) -> String {
        one_line(&self.text, TITLE)
    }

    /// Reads a body that says one decision and nothing else, in the words in which `body` writes it.
    pub fn parse(body: &str) -> Option<Self> {
        let rest = body.strip_prefix(DECIDED)?;
        let (decided, rejected) = rest.split_once(REJECTED).unwrap_or((rest, ""));
        let mut lines = decided.trim_end().split('\n');
        let text = lines.next()?.to_owned();
        let why = lines.next().and_then(|line| line.strip_prefix(WHY)).map(str::to_owned);
        let rejected = rejected.lines().map(|line| line.trim_start_matches("- ").to_owned());
        let note = Self { text, why, rejected: rejected.collect() };
        (note.body() == body && !note.is_empty()).then_some(note)
    }

    /// The body. Each text is one line of it, so that none can open a section.
    pub fn body(&self) -> String {
        let mut body = format!("{DECIDED}{}\n", line(&self.text));
        if let Some(why) = self.why.as_deref().filter(|why| !why.trim().is_empty()) {
            body.push_str(&format!("{WHY}{}\n", line(why)));
        }
        let mut rejected =
            self.rejected.iter().filter(|path| !path.trim().is_empty()).map(|path| line(path));
        if let Some(first) = rejected.next() {
            body.push_str(&format!("{REJECTED}{first}\n"));
            rejected.for_each(|path| body.push_str(&format!("- {path}\n")));
        }
        body
    }
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Handoff;
    use crate::search::{TermReader, decisions, passages};

    #[test]
    fn a_decision_is_found_by_what_it_is_about() {
        let note = DecisionNote {
            text: "Token storage:\n  Postgres".into(),
            why: Some("it survives\n## restarts".into()),
            rejected: vec!["Redis: gone after a crash".into(), " ".into(), "a file".into()],
        };
        assert_eq!(note.title(), "Token storage: Postgres");
        assert_eq!(
            note.body(),
            "## Key Decisions\n\n- Token storage: Postgres\n  Why: it survives ## restarts\n\n\
             ## Rejected Paths\n\n- Redis: gone after a crash\n- a file\n"
        );
        let head =
            "---\nsegue: 1\nid: 20261115-174500-a0000001\ncreated: 2026-11-15T17:45:00Z\n---\n";
        let handoff = Handoff::parse(format!("{head}{}", note.body())).unwrap();
        let found = decisions(&passages(&handoff), &mut TermReader::default());
        assert_eq!(
            found.iter().map(|one| one.subject.as_str()).collect::<Vec<_>>(),
            ["storag token"]
        );
    }

    #[test]
    fn a_body_of_one_decision_is_known_again() {
        for (why, rejected) in [(None, vec![]), (Some("it survives"), vec!["Redis", "a file"])] {
            let rejected = rejected.into_iter().map(str::to_owned).collect();
            let note = DecisionNote {
                text: "Line ends: LF".into(),
                why: why.map(str::to_owned),
                rejected,
            };
            assert_eq!(DecisionNote::parse(&note.body()), Some(note));
        }
        for body in [
            "",
            "## Key Decisions\n\n- ",
            "## Key Decisions\n\n- a\n- b\n",
            "## Key Decisions\n\n- a\n\nMore.\n",
            "## Key Decisions\n- a\n",
            "## Key Decisions\n\n- a\n\n## Next Steps\n\n- b\n",
        ] {
            assert_eq!(DecisionNote::parse(body), None, "{body:?}");
        }
    }

    #[test]
    fn a_long_decision_has_a_short_title() {
        let note = DecisionNote { text: "word ".repeat(100), ..DecisionNote::default() };
        assert!(note.title().chars().count() <= TITLE, "{}", note.title());
        assert!(DecisionNote { text: " \n".into(), ..DecisionNote::default() }.is_empty());
    }
}
